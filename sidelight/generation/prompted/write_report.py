"""Report writing by a model that sees all findings, and revision by the same writer.

In revision removed sentences are rewritten, and free room is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from sidelight.english.neutrality import half_fault, sentence_fault
from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.generation.compose import chances_missed, nothing_told, refill
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.extractive.write_report import ExtractiveReportWriter
from sidelight.generation.prompted.findings import (
    LEAST_ROOM,
    MAX_CITED,
    Findings,
    KeyedSegments,
    told_once,
)
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, FoundClaim
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    Revision,
)
from sidelight.schemas.segment import Segment, document_id_of, overlapping
from sidelight.text import budget_words, names, numbers, one_line, stems
from sidelight.text_vectors import TextVectors

REPORT_PROMPT = load_prompt(Path(__file__).with_name("report.prompt.md"))

# Of so many words is a sentence, and so many are asked for beyond those that fill the report.
_SENTENCE_WORDS, _LEAST_SPARE, _MOST_SPARE = 21, 3, 4
_SENTENCES, _CLAIMS_PER_SENTENCE = 24, 6


class WrittenSentence(Value):
    """One sentence and the claims it states."""

    claim_keys: tuple[Annotated[str, IdOf("claims")], ...] = Field(max_length=_CLAIMS_PER_SENTENCE)
    text: str = Field(max_length=1_000)


class WrittenReport(Value):
    """The sentences of a report, the most important first."""

    sentences: tuple[WrittenSentence, ...] = Field(max_length=_SENTENCES)


@dataclass(frozen=True)
class PromptedReportWriter:
    """The role `write_report` with a model.

    One call shows every distinct claim, by question and importance, and the writer decides what to
    tell and how to put it together, the most important first. It writes more than the limit holds:
    a check reads all of it, and what stands fills the report in its order (`within`). Code turns
    claim keys into citations and leaves faulty sentences out. Without a sound sentence the claims
    that cover most expected weight within the budget stand as they are. If `drafts` is 2, both are
    asked for at once; the second is planned by the questions, and a check chooses.
    """

    asks = (Asked(REPORT_PROMPT, calls=1.3, characters=24_800, written=510, usual=1),)

    writer: PromptedModel
    max_report_words: int
    drafts: int
    instead: Callable[[ReplyError], object]

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return more sentences than fit; the reserve holds the claims that they do not state."""
        findings = Findings.of(angles, evidence)
        if not findings.by_key:
            return nothing_told(evidence)
        plans = (False, True)[: self.drafts]
        outcomes = await answers(
            self._draft(profile, angles, evidence, findings, by_question=one) for one in plans
        )
        first, *rivals = (one for one in outcomes if not isinstance(one, ReplyError))
        return first.model_copy(update={"rivals": tuple(rivals)})

    async def _draft(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        findings: Findings,
        *,
        by_question: bool,
    ) -> DraftReport:
        claims = findings.by_key
        fitting = max(1, self.max_report_words // _SENTENCE_WORDS)
        drafts: list[WrittenReport] = []

        def check(report: WrittenReport) -> None:
            drafts.append(report)
            said = ((one.text, one.claim_keys) for one in report.sentences)
            faults = [fault for text, keys in said if (fault := _fault(text, keys, claims))]
            if len(faults) == len(report.sentences) or len(faults) * 4 > len(report.sentences):
                raise ValueError(told_once(faults) or "it has no sentence")

        try:
            await self.writer.answer(
                REPORT_PROMPT,
                WrittenReport,
                check=check,
                ids={"claims": claims},
                profile=profile,
                findings=findings.shown(),
                by_question=by_question,
                max_words=self.max_report_words,
                fitting=fitting,
                least=fitting + _LEAST_SPARE,
                most=fitting + _MOST_SPARE,
            )
        except ReplyError as error:
            if not evidence.claims:
                raise
            draft = _as_drafted(drafts, claims, evidence)
            note = f"not as its writer was asked to: {type(error).__name__}"
            draft = draft.model_copy(update={"notes": (note,)})
            if draft.sentences:
                return draft
            self.instead(error)
            return refill(draft, angles, evidence, self.max_report_words)
        return _as_drafted(drafts, claims, evidence)


def _fault(text: str, keys: Sequence[str], known: Collection[str]) -> str:
    """Return what is wrong with a sentence and the keys of what it rests on, or nothing."""
    text = one_line(text)
    if not set(keys).intersection(known):
        return f"this names nothing shown that it rests on: {text}"
    fault = sentence_fault(text) or half_fault(text)
    return fault and f"{fault}: {text}"


def _as_drafted(
    drafts: Sequence[WrittenReport], claims: Mapping[str, FoundClaim], evidence: EvidenceSet
) -> DraftReport:
    """Return the sound sentences of the last draft, each once, with unstated claims in reserve."""
    kept: dict[str, DraftSentence] = {}
    invented: list[str] = []
    told: set[str] = set()
    for sentence in (one for draft in drafts[-1:] for one in draft.sentences):
        invented += (key for key in sentence.claim_keys if key not in claims)
        keys = [key for key in dict.fromkeys(sentence.claim_keys) if key in claims]
        text = one_line(sentence.text)
        if not _fault(text, keys, claims) and text.casefold() not in kept:
            kept[text.casefold()] = stating(text, [claims[key] for key in keys], evidence)
            told.update(keys)
    return DraftReport(
        sentences=tuple(kept.values()),
        reserve=tuple(
            stating(claim.text, [claim], evidence)
            for key, claim in claims.items()
            if key not in told and not sentence_fault(claim.text)
        ),
        invented_keys=tuple(invented),
    )


def stating(text: str, claims: Sequence[FoundClaim], evidence: EvidenceSet) -> DraftSentence:
    """Return a sentence with the citations of its claims.

    The first is the plainest passage of the first claim. Each other one is that which holds most of
    what no earlier one does: of the sentence's figures, then of its names, then of its words; among
    equals a claim's plainest passage comes first. A window that overlaps a cited one is cited, too,
    if a word of the sentence stands in it alone. Places that are left go to other evidence from the
    same pages that holds several words.
    """
    items = {item.segment.segment_id: item for item in evidence.items}
    longest = max(len(claim.segment_ids) for claim in claims)
    ranked = (claim.segment_ids[place : place + 1] for place in range(longest) for claim in claims)
    named = dict.fromkeys(one for ids in ranked for one in ids if one in items)
    pages = set(map(document_id_of, named))
    others = [one for one in items if document_id_of(one) in pages and one not in named]
    holds = {one: _held(items[one]) for one in (*named, *others)}
    wanted = set(numbers(text)), set(stems(" ".join(sorted(names(text))))), set(stems(text))
    cited: list[str] = []

    def adds(one: str) -> tuple[int, ...]:
        return tuple(len(missing & held) for missing, held in zip(wanted, holds[one], strict=True))

    for left, least in ((list(named), 1), (others, 2)):
        while left and len(cited) < MAX_CITED:
            best = max(left, key=adds) if cited else left[0]
            left.remove(best)
            stands_apart = best in named and not overlapping(best, cited)
            if stands_apart or sum(adds(best)) >= least:
                cited.append(best)
                for missing, held in zip(wanted, holds[best], strict=True):
                    missing.difference_update(held)
    covering = [claim.answers for claim in claims]
    missed = chances_missed((angle_id for covers in covering for angle_id in covers), covering)
    return DraftSentence(
        text=text,
        segment_ids=tuple(cited),
        covers={angle_id: round(1.0 - chance, 4) for angle_id, chance in missed.items()},
    )


def _held(item: Evidence) -> tuple[AbstractSet[str], ...]:
    """Return the figures of a passage, and twice its words: those that may be names, and all."""
    segment = item.segment
    shown = f"{segment.host}\n{segment.title}\n{item.published}\n{segment.text}"
    return numbers(shown), stems(shown), stems(shown)


REVISE_PROMPT = load_prompt(Path(__file__).with_name("revise.prompt.md"))

_WRITER_SEGMENT_WORDS = 250
_MOST_ADDED, _KEYS_PER_SENTENCE = 6, 6
# Untold claims that it is shown: those that would add most.
_MOST_OFFERED = 20


class AddedSentence(Value):
    """A sentence that the report is to have, what it rests on, and where it stands."""

    after: Annotated[str, IdOf("places")]
    keys: tuple[Annotated[str, IdOf("keys")], ...] = Field(max_length=_KEYS_PER_SENTENCE)
    text: str = Field(max_length=1_000)


class AddedSentences(Value):
    """What the report is to have besides what stands; none where nothing is worth adding."""

    sentences: tuple[AddedSentence, ...] = Field(max_length=_MOST_ADDED)


class Fallen(NamedTuple):
    """A sentence that was taken out, as the prompt shows it."""

    keys: str
    text: str
    reason: str


@dataclass(frozen=True)
class PromptedReviser:
    """The role `revise_report` with a model: one call, whatever fell.

    The writer sees what stands, what fell and why beside the passages it cited, the claims that no
    sentence states yet, and how many words are free. What stands stays as it is. Where nothing
    stands, the report is written without a model.
    """

    asks = (Asked(REVISE_PROMPT, calls=2.4, characters=19_400, written=100, usual=0),)

    writer: PromptedModel
    sentences: TextVectors
    max_report_words: int
    max_citations: int
    instead: Callable[[ReplyError], object]

    async def __call__(  # long: one reading of what the check said
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return a draft that keeps what stood, in its order."""
        draft = checked.draft
        if checked.removed and not draft.sentences:
            self.instead(StructuredOutputError("no sentence of the report stood the check"))
            plain = ExtractiveReportWriter(
                self.sentences, self.max_report_words, self.max_citations
            )
            return Revision(draft=await plain(profile, angles, evidence))
        findings = Findings.of(angles, evidence)
        standing = [sentence.text for sentence in draft.sentences]
        waiting = {sentence.text for sentence in draft.reserve}
        again = {one for removal in checked.removed for one in removal.sentence.segment_ids}
        weights = {angle.angle_id: angle.weight for angle in angles}
        missed = chances_missed(weights, (sentence.covers for sentence in draft.sentences))

        def gain(claim: FoundClaim) -> float:
            chances = claim.answers.items()
            return sum(weights.get(one, 0) * missed.get(one, 0) * chance for one, chance in chances)

        known = findings.by_key
        fell = {key for key, one in known.items() if not again.isdisjoint(one.segment_ids)}
        untold = [key for key, one in known.items() if one.text in waiting and key not in fell]
        untold.sort(key=lambda key: -gain(known[key]))
        offered = fell.union(untold[:_MOST_OFFERED])
        claims = {key: claim for key, claim in known.items() if key in offered}
        by_id = {item.segment.segment_id: item for item in evidence.items}
        cited = [by_id[one] for one in sorted(again) if one in by_id]
        keyed = KeyedSegments([item.segment for item in cited], _WRITER_SEGMENT_WORDS, cited)
        passages = {
            shown.key: FoundClaim(
                text=shown.text, segment_ids=(item.segment.segment_id,), answers=item.relevance
            )
            for shown, item in zip(keyed.shown, cited, strict=True)
        }
        room = self.max_report_words - sum(map(budget_words, standing))
        if not (claims or passages) or room < LEAST_ROOM:
            return Revision(draft=draft)
        key_of = {one.segment_ids[0]: key for key, one in passages.items()}
        drafts: list[AddedSentences] = []

        def check(added: AddedSentences) -> None:
            drafts.append(added)
            said = ((one.text, one.keys) for one in added.sentences)
            shown = claims | passages
            if faults := [fault for text, keys in said if (fault := _fault(text, keys, shown))]:
                raise ValueError(told_once(faults))

        asked = self.writer.answer(
            REVISE_PROMPT,
            AddedSentences,
            check=check,
            ids={
                "keys": [*claims, *passages],
                "places": ["start", *(f"S{number}" for number in range(1, len(standing) + 1))],
            },
            profile=profile,
            findings=findings.shown(claims),
            segments=keyed.shown,
            standing=[
                {"sentence_id": f"S{number}", "text": text}
                for number, text in enumerate(standing, start=1)
            ],
            fallen=[_shown(removal, key_of) for removal in checked.removed],
            room=room,
        )
        try:
            await asked
        except ReplyError:
            if not drafts:
                raise
        return Revision(draft=_with(draft, drafts[-1], claims | passages, evidence, room))


def _shown(removal: Removal, key_of: Mapping[str, str]) -> Fallen:
    keys = [key_of[one] for one in removal.sentence.segment_ids if one in key_of]
    return Fallen(", ".join(keys), removal.sentence.text, removal.reason)


def _with(
    draft: DraftReport,
    added: AddedSentences,
    known: Mapping[str, FoundClaim],
    evidence: EvidenceSet,
    room: int,
) -> DraftReport:
    """Return a draft with sentences added in their places; what names no place comes last.

    What rests on nothing, is said already, has a fault or finds no room any more is left out.
    """
    last = len(draft.sentences)
    by_place: dict[int, list[DraftSentence]] = {}
    told: set[str] = set()
    said = {sentence.text for sentence in draft.sentences}
    for sentence in added.sentences:
        stated = [known[key] for key in dict.fromkeys(sentence.keys) if key in known]
        text = one_line(sentence.text)
        fault = _fault(text, sentence.keys, known)
        if text in said or fault or budget_words(text) > room:
            continue
        said.add(text)
        room -= budget_words(text)
        number = sentence.after.removeprefix("S")
        place = int(number) if number.isdecimal() else 0 if sentence.after == "start" else last
        by_place.setdefault(min(place, last), []).append(stating(text, stated, evidence))
        told.update(claim.text for claim in stated)
    sentences = list(by_place.get(0, ()))
    for place, standing in enumerate(draft.sentences, start=1):
        sentences += [standing, *by_place.get(place, ())]
    return draft.model_copy(
        update={
            "sentences": tuple(sentences),
            "reserve": tuple(one for one in draft.reserve if one.text not in told),
            "invented_keys": (
                *draft.invented_keys,
                *(key for one in added.sentences for key in one.keys if key not in known),
            ),
        }
    )
