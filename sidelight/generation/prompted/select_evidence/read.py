"""Have a model read what the searches brought, page by page, for all questions at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.prompted.importance import importance_of
from sidelight.generation.prompted.keys import MAX_CITED
from sidelight.generation.prompted.select_evidence.windows import choose, page_date, parts
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import OneOf
from sidelight.schemas.investigation.evidence import (
    Evidence,
    EvidenceSet,
    FoundClaim,
    Selection,
)
from sidelight.schemas.segment import document_id_of, overlapping
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.generation.prompted.select_evidence.windows import Window
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.segment import Segment

PROMPT = load_prompt(Path(__file__).with_name("read.prompt.md"))

# Of the first round, and of each later one, whose searches are few and pointed.
_FIRST_CHARACTERS, _LATER_CHARACTERS = 120_000, 40_000
_CLAIM_WORDS = 45
# How directly a claim answers a question: the chance that an assessor holds it for answered.
_CHANCES = {"full": 0.9, "partial": 0.5, "background": 0.2}
_CLAIMS_PER_PART, _ANGLES_PER_CLAIM, _KEYS_PER_CLAIM = 30, 4, 6


class Answered(Value):
    """A question that a claim helps to answer, and how directly."""

    angle_id: str
    label: Annotated[str, OneOf(tuple(_CHANCES))]


class ReadClaim(Value):
    """A statement of the pages; the prompt says what each field means."""

    text: str = Field(max_length=500, description=f"at most {_CLAIM_WORDS} words")
    keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(max_length=_KEYS_PER_CLAIM)
    speaker: str = Field(max_length=160)
    against: str = Field(max_length=300)
    answers: tuple[Answered, ...] = Field(max_length=_ANGLES_PER_CLAIM)


class ReadClaims(Value):
    """What pages state that helps to answer the questions."""

    claims: tuple[ReadClaim, ...] = Field(max_length=_CLAIMS_PER_PART)


class ShownWindow(NamedTuple):
    """A window as the prompt shows it."""

    key: str
    source: str
    text: str


class PromptedReader:
    """The role `select_evidence` with a model: whatever states a claim is evidence.

    No window is read twice in a topic, and no text twice. Parts are read at the same time; one
    without a usable answer gives no claims, and its windows may come up again in a later round.

    Args:
        writer: Who reads.
    """

    asks = (Asked(PROMPT, calls=6.3, more=1.9, characters=18_300, written=382),)

    def __init__(self, writer: PromptedModel) -> None:
        self._model = writer
        self._read: set[str] = set()
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._cited: set[str] = set()
        self._dates: dict[str, str] = {}

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return the claims that were found, and what they rest on.

        Raises:
            ReplyError: On no part was there a usable answer.
        """
        heaviest = sorted(angles, key=lambda angle: -angle.weight)
        ranked = [candidates.get(angle.angle_id, ()) for angle in heaviest]
        every = {one.segment_id: one for found in ranked for one in found}
        for segment in every.values():
            self._dates.setdefault(document_id_of(segment.segment_id), page_date(segment))
            if date := page_date(segment):
                self._dates[document_id_of(segment.segment_id)] = date
        unread = [[one for one in found if not self._was_read(one)] for found in ranked]
        chosen = choose(unread, _LATER_CHARACTERS if self._read else _FIRST_CHARACTERS)
        read = parts(chosen)
        outcomes = await answers(self._claims(profile, heaviest, part) for part in read)
        dropped = {
            one: "read before" if self._was_read(segment) else "no room to read it"
            for one, segment in every.items()
        }
        dropped |= {one.segment_id: "states nothing that is asked" for one in chosen}
        claims: list[FoundClaim] = []
        for part, outcome in zip(read, outcomes, strict=True):
            ids = [window.segment.segment_id for window in part]
            if isinstance(outcome, ReplyError):
                dropped |= dict.fromkeys(ids, f"no usable answer: {type(outcome).__name__}")
            else:
                self._read.update(ids)
                for window in part:
                    self._spans.setdefault(document_id_of(window.segment.segment_id), []).append(
                        (window.segment.start_char, window.segment.end_char)
                    )
                claims += outcome.claims
                dropped |= outcome.invented
        items = [
            Evidence(
                segment=every[segment_id],
                relevance=claim.answers,
                published=self._dates[document_id_of(segment_id)],
            )
            for claim in claims
            for segment_id in claim.segment_ids
        ]
        evidence = EvidenceSet.merge(
            *(EvidenceSet(items=(item,)) for item in items), EvidenceSet(claims=tuple(claims))
        )
        self._cited.update(item.segment.segment_id for item in evidence.items)
        return Selection(
            evidence=evidence,
            dropped={one: dropped[one] for one in sorted(dropped) if one not in self._cited},
        )

    def _was_read(self, segment: Segment) -> bool:
        """Tell whether a window was read, or those around it that hold all of it."""
        place = segment.start_char
        for start, end in sorted(self._spans.get(document_id_of(segment.segment_id), ())):
            place = max(place, end) if start <= place + 1 else place  # a space lies between
        covered = place >= segment.end_char > segment.start_char
        return covered or segment.segment_id in self._read

    async def _claims(
        self, profile: ArticleProfile, angles: Sequence[Angle], part: Sequence[Window]
    ) -> _PartRead:
        by_key = {f"E{number}": window for number, window in enumerate(part, start=1)}
        answer = await self._model.answer(
            PROMPT,
            ReadClaims,
            profile=profile,
            angles=[
                {
                    "angle_id": angle.angle_id,
                    "aspect": angle.aspect,
                    "importance": importance_of(angle.weight),
                    "question": angle.question,
                }
                for angle in angles
            ],
            windows=[self._shown(key, window) for key, window in by_key.items()],
            max_claims=_CLAIMS_PER_PART,
            max_words=_CLAIM_WORDS,
        )
        known = {angle.angle_id for angle in angles}
        claims: list[FoundClaim] = []
        invented: dict[str, str] = {}
        for claim in answer.claims:
            names = [*claim.keys, *(one.angle_id for one in claim.answers)]
            stray = [one for one in names if one not in by_key and one not in known]
            invented |= {f"{part[0].segment.segment_id} {one}": "invented key" for one in stray}
            chances = {
                one.angle_id: _CHANCES[one.label] for one in claim.answers if one.angle_id in known
            }
            cited = _apart([by_key[key] for key in claim.keys if key in by_key], part)
            text = one_line(claim.text)
            if text and chances and cited:
                claims.append(
                    FoundClaim(
                        text=text,
                        segment_ids=cited,
                        answers=dict(sorted(chances.items())),
                        speaker=one_line(claim.speaker),
                        against=one_line(claim.against),
                    )
                )
        return _PartRead(claims, invented)

    def _shown(self, key: str, window: Window) -> ShownWindow:
        segment = window.segment
        date = self._dates[document_id_of(segment.segment_id)]
        source = " | ".join(filter(None, (segment.host, segment.title, date)))
        return ShownWindow(key, "(the page goes on)" if window.follows else source, window.text)


class _PartRead(NamedTuple):
    """What was read in one part, and the keys and ids in it that stand for nothing."""

    claims: list[FoundClaim]
    invented: dict[str, str]


def _apart(cited: Sequence[Window], part: Sequence[Window]) -> tuple[str, ...]:
    """Return the segments behind windows, each once and none that overlaps an earlier one.

    What only an overlapping window was shown to hold is looked for in the next one of its page.
    """
    kept: list[str] = []
    for window in cited:
        holding = (one.segment for one in part if window.text in one.segment.text)
        for segment in (window.segment, *holding):
            if segment.segment_id in kept:
                break
            if not overlapping(segment.segment_id, kept):
                kept.append(segment.segment_id)
                break
    return tuple(kept[:MAX_CITED])
