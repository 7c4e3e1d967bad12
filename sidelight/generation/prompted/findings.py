"""Findings for the prompts that follow: grouped by question, deduplicated, under citation keys.

Also the levels of importance in the words and weights of the track's rubrics, the test of whether
two sentences say the same, and the mapping between segments and the keys of one prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple, Self, TypeAlias

from sidelight.llm.structured import IdOf
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, FoundClaim
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import figures, is_negated, one_line, stems
from sidelight.tracks import load_track

# Of the words of the shorter of two claims, so many stand in the other that adds nothing to it.
_HELD = 0.9


_MOST_FAULTS = 5


def told_once(faults: Iterable[str]) -> str:
    """Return the first few different faults of an answer, for the turn that is to mend it."""
    return "; ".join(list(dict.fromkeys(faults))[:_MOST_FAULTS])


class _Fact(NamedTuple):
    """What two claims are compared by."""

    negated: bool
    figures: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(is_negated(text), frozenset(figures(text)), stems(text))

    def states_also(self, other: _Fact) -> bool:
        """Tell whether one of the two has the figures of the other and nearly all its words.

        Without figures, equal words say little: "A sued B" and "B sued A".
        """
        less, more = sorted((self, other), key=lambda fact: (len(fact.figures), len(fact.words)))
        if less.negated != more.negated or not less.figures or not less.figures <= more.figures:
            return False
        fewest = min(len(less.words), len(more.words))
        return len(less.words & more.words) >= _HELD * fewest


_SCALE = load_track().scales["importance"]

Importance: TypeAlias = Annotated[str, OneOf(_SCALE.names)]
"""As prompts ask for it."""

weight_of = _SCALE.credit


def importance_of(weight: float) -> str:
    """Return the label whose weight comes nearest."""
    return min(_SCALE.names, key=lambda name: abs(_SCALE.credit(name) - weight))


def shown_questions(angles: Iterable[Angle]) -> list[dict[str, str]]:
    """Return angles as prompts list them, the heaviest first."""
    return [
        {
            "angle_id": angle.angle_id,
            "aspect": angle.aspect,
            "importance": importance_of(angle.weight),
            "question": angle.question,
        }
        for angle in sorted(angles, key=lambda angle: -angle.weight)
    ]


CHANCES = {"full": 0.9, "partial": 0.5, "background": 0.2}
"""How directly a text answers a question: the chance that an assessor holds it for answered."""


class Answered(Value):
    """A question that a text helps to answer, and how directly."""

    angle_id: Annotated[str, IdOf("angles")]
    label: Annotated[str, OneOf(tuple(CHANCES))]


# More than evidence on one article ever gave; what is over is on the lightest questions.
_MOST_CLAIMS = 150
_PASSAGE_WORDS = 100


class ShownClaim(NamedTuple):
    """A claim as `findings.partial.md` shows it."""

    key: str
    source: str
    speaker: str
    text: str
    against: str
    supports: str
    left_out: bool


class ShownAngle(NamedTuple):
    """A question and what was found on it, as `findings.partial.md` shows it."""

    angle_id: str
    aspect: str
    importance: str
    question: str
    claims: tuple[ShownClaim, ...]
    also: str


class Findings:
    """Distinct claims by the question that they answer best, under keys of one prompt only.

    `by_angle` has every angle, the heaviest first; `also`, by angle id, claims of other angles that
    bear on it, too, the closest first; `sources`, by segment id, what its page is.
    """

    def __init__(
        self,
        by_angle: Mapping[Angle, Sequence[FoundClaim]],
        also: Mapping[str, Sequence[FoundClaim]],
        sources: Mapping[str, str],
    ) -> None:
        self._by_angle = by_angle
        self._also = also
        self._sources = sources
        claims = [claim for found in by_angle.values() for claim in found][:_MOST_CLAIMS]
        self.by_key = {f"C{number}": claim for number, claim in enumerate(claims, start=1)}
        passages = dict.fromkeys(one for claim in claims for one in claim.segment_ids)
        self._passages = {one: f"P{number}" for number, one in enumerate(passages, start=1)}

    @classmethod
    def of(cls, angles: Sequence[Angle], evidence: EvidenceSet) -> Findings:
        """Return what evidence says; of claims that state one fact, one with all their segments.

        Evidence that nobody has read for claims is shown as it stands.
        """
        weights = {angle.angle_id: angle.weight for angle in angles}
        read = {one for claim in evidence.claims for one in claim.segment_ids}
        unread = [one for one in evidence.items if one.segment.segment_id not in read]
        stated = [*evidence.claims, *map(_passage, unread)]
        claims = [one for one in stated if not weights.keys().isdisjoint(one.answers)]
        facts = {claim.text: _Fact.of(claim.text) for claim in claims}
        distinct: list[FoundClaim] = []
        for claim in sorted(claims, key=lambda one: -max(one.answers.values())):
            for place, known in enumerate(distinct):
                if known.text == claim.text or facts[known.text].states_also(facts[claim.text]):
                    distinct[place] = _joined(known, claim)
                    break
            else:
                distinct.append(claim)

        def best_angle(claim: FoundClaim) -> str:
            known = [angle_id for angle_id in claim.answers if angle_id in weights]
            return max(known, key=lambda one: (claim.answers[one], weights[one]))

        home = {id(claim): best_angle(claim) for claim in distinct}
        by_text = {claim.text: claim for claim in distinct}

        def elsewhere(angle: Angle) -> list[FoundClaim]:
            filed = [claim for claim in distinct if angle.angle_id in claim.answers]
            filed.sort(key=lambda claim: -claim.answers[angle.angle_id])
            told = [by_text[text] for text in angle.told if text in by_text]
            bearing = {id(claim): claim for claim in (*filed, *told)}
            return [claim for key, claim in bearing.items() if home[key] != angle.angle_id]

        return cls(
            {
                angle: sorted(
                    (claim for claim in distinct if home[id(claim)] == angle.angle_id),
                    key=lambda claim: -claim.answers[angle.angle_id],
                )
                for angle in sorted(angles, key=lambda angle: -angle.weight)
            },
            {angle.angle_id: elsewhere(angle) for angle in angles},
            sources_of(evidence),
        )

    def texts(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the claims under some keys; keys that stand for nothing are left out."""
        return tuple(self.by_key[key].text for key in keys if key in self.by_key)

    def shown(self, keys: Iterable[str] | None = None) -> list[ShownAngle]:
        """Return every angle with its claims; with `keys`, only these and angles that have one."""
        key_of = {id(claim): key for key, claim in self.by_key.items()}
        seen: dict[str, str] = {}  # page and the first claim shown from it
        wanted = set(self.by_key if keys is None else keys)
        listed = [
            ShownAngle(
                angle_id=angle.angle_id,
                aspect=angle.aspect,
                importance=importance_of(angle.weight),
                question=angle.question,
                claims=tuple(
                    self._shown(key, claim, seen)
                    for claim in claims
                    if (key := key_of.get(id(claim))) in wanted and key is not None
                ),
                also=", ".join(
                    key
                    for claim in self._also.get(angle.angle_id, ())
                    if (key := key_of.get(id(claim))) in wanted and key is not None
                ),
            )
            for angle, claims in self._by_angle.items()
        ]
        return listed if keys is None else [angle for angle in listed if angle.claims]

    def _shown(self, key: str, claim: FoundClaim, seen: dict[str, str]) -> ShownClaim:
        pages = len(set(map(document_id_of, claim.segment_ids)))
        source = self._sources.get(claim.segment_ids[0], "")
        first = seen.setdefault(source, key)
        source = source if first == key else f"as {first}"
        source += f"; {', '.join(self._passages[one] for one in claim.segment_ids)}"
        if pages > 1:
            source += f" on {pages} pages"
        return ShownClaim(
            key=key,
            source=source,
            speaker=claim.speaker,
            text=claim.text,
            against=claim.against,
            supports=claim.supports,
            left_out=claim.left_out,
        )


def sources_of(evidence: EvidenceSet) -> dict[str, str]:
    """Return by segment id what its page is: host, title and the date it bears."""
    return {
        item.segment.segment_id: " | ".join(
            filter(None, (item.segment.host, item.segment.title, item.published))
        )
        for item in evidence.items
    }


def _passage(item: Evidence) -> FoundClaim:
    """Return the text of a segment, truncated where it is long."""
    words = one_line(item.segment.text).split(maxsplit=_PASSAGE_WORDS)[:_PASSAGE_WORDS]
    return FoundClaim(
        text=" ".join(words),
        segment_ids=(item.segment.segment_id,),
        answers=item.relevance,
    )


def _joined(known: FoundClaim, other: FoundClaim) -> FoundClaim:
    """Return the claim that has more figures, else the first, with the segments of both."""
    if len(figures(other.text)) > len(figures(known.text)):
        known, other = other, known
    answers = {
        angle_id: max(known.answers.get(angle_id, 0.0), other.answers.get(angle_id, 0.0))
        for angle_id in (*known.answers, *other.answers)
    }
    return known.model_copy(
        update={
            "segment_ids": tuple(dict.fromkeys((*known.segment_ids, *other.segment_ids))),
            "answers": answers,
            "speaker": known.speaker or other.speaker,
            "against": known.against or other.against,
            "supports": known.supports or other.supports,
            "left_out": known.left_out and other.left_out,
        }
    )


MAX_CITED = 3
"""Segments a sentence cites at most; a track that allows fewer has its way in `resolve_report`."""

LEAST_ROOM = 20
"""Words of a sentence that is worth a call."""


class ShownSegment(NamedTuple):
    """A segment as `segments.partial.md` shows it."""

    key: str
    host: str
    title: str
    text: str
    published: str
    before: str
    after: str


class KeyedSegments:
    """Segments shown as E1, E2, ... in one prompt; nowhere else do the keys mean anything.

    Args:
        max_words: Each is cut to so many first words. A window is seldom longer, and what is cut
            off mostly stands in the window that overlaps it.
    """

    def __init__(
        self, segments: Sequence[Segment], max_words: int, items: Iterable[Evidence] = ()
    ) -> None:
        self._by_key = {f"E{number}": segment for number, segment in enumerate(segments, start=1)}
        known = {item.segment.segment_id: item for item in items}
        self.shown = tuple(
            ShownSegment(
                key=key,
                host=segment.host,
                title=segment.title,
                text=" ".join(segment.text.split(maxsplit=max_words)[:max_words]),
                published=item.published if item else "",
                before=item.before if item else "",
                after=item.after if item else "",
            )
            for key, segment in self._by_key.items()
            for item in (known.get(segment.segment_id),)
        )

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def resolve(self, keys: Iterable[str]) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
        """Return the segments behind keys, each once, and the keys that stand for nothing."""
        named = list(dict.fromkeys(keys))
        return (
            tuple(self._by_key[key] for key in named if key in self),
            tuple(key for key in named if key not in self),
        )
