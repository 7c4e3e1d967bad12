"""Report writing by a model that sees all findings, and revision by the same writer.

In revision removed sentences are rewritten, and free room is filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from sidelight.english.neutrality import sentence_fault
from sidelight.errors import ReplyError
from sidelight.generation.compose import chances_missed, refill
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.findings import MAX_CITED, Findings, KeyedSegments
from sidelight.llm.prompted import Asked, PromptedModel
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
from sidelight.schemas.segment import Segment, overlapping
from sidelight.text import budget_words, one_line
from sidelight.text_vectors import Encode

REPORT_PROMPT = load_prompt(Path(__file__).with_name("report.prompt.md"))

# Models count words badly: of 250, the prompt asks for 225 to 242.
_LEAST_SHARE, _MOST_SHARE = 0.9, 0.97
_SENTENCES, _CLAIMS_PER_SENTENCE = 16, 6


class WrittenSentence(Value):
    """One sentence and the claims it states."""

    claim_keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(
        max_length=_CLAIMS_PER_SENTENCE
    )
    text: str = Field(max_length=1_000)


class WrittenReport(Value):
    """The sentences of a report in reading order."""

    sentences: tuple[WrittenSentence, ...] = Field(max_length=_SENTENCES)


class PromptedReportWriter:
    """The role `write_report` with a model.

    One call shows every distinct claim, by question and importance, and the writer decides what to
    tell and how to put it together; code keeps the limits and turns claim keys into citations.
    What is still over the limit after one repair loses its last sentences. Without any usable
    answer the claims that cover most expected weight within the budget stand as they are.

    Args:
        writer: Who writes.
        encode: Tells which claims are the same.
        max_report_words: The track's limit.
    """

    asks = (Asked(REPORT_PROMPT, calls=1.3, characters=9_200, written=448),)

    def __init__(self, writer: PromptedModel, encode: Encode, max_report_words: int) -> None:
        self._model = writer
        self._encode = encode
        self._max_words = max_report_words

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the report; its reserve holds the claims that it does not state.

        Raises:
            ReplyError: The model gave no usable answer, and nobody has read the evidence for
                claims that could stand in its place.
        """
        findings = await Findings.of(angles, evidence, self._encode)
        if not findings.by_key:
            return NOTHING_FOUND
        drafts: list[WrittenReport] = []

        def check(report: WrittenReport) -> None:
            drafts.append(report)
            self._check(report, findings.by_key)

        try:
            drafts.append(
                await self._model.answer(
                    REPORT_PROMPT,
                    WrittenReport,
                    check=check,
                    profile=profile,
                    findings=findings.shown(),
                    min_words=int(self._max_words * _LEAST_SHARE),
                    max_words=int(self._max_words * _MOST_SHARE),
                )
            )
        except ReplyError as error:
            if not evidence.claims:
                raise
            note = f"not as its writer was asked to: {type(error).__name__}"
        else:
            note = ""
        draft = self._within_limits(drafts[-1:], findings.by_key)
        draft = draft.model_copy(update={"notes": (note,) if note else ()})
        if draft.sentences:
            return draft
        return refill(draft, angles, evidence, self._max_words, lambda *_: False)

    def _check(self, report: WrittenReport, claims: Mapping[str, FoundClaim]) -> None:
        for sentence in report.sentences:
            if not set(sentence.claim_keys) & set(claims):
                raise ValueError(f"this names no claim that it states: {sentence.text}")
            if fault := sentence_fault(one_line(sentence.text)):
                raise ValueError(f"{fault}: {sentence.text}")
        words = sum(budget_words(one_line(sentence.text)) for sentence in report.sentences)
        if words > self._max_words:
            raise ValueError(
                f"the sentences have {words} words together, {words - self._max_words} more than "
                f"the limit of {self._max_words}; shorten, or leave out what matters least"
            )

    def _within_limits(
        self, drafts: Sequence[WrittenReport], claims: Mapping[str, FoundClaim]
    ) -> DraftReport:
        """Return the valid sentences of a draft, with unstated claims in reserve."""
        kept: list[DraftSentence] = []
        invented: list[str] = []
        told: set[str] = set()
        room = self._max_words
        for sentence in (one for draft in drafts for one in draft.sentences):
            invented += (key for key in sentence.claim_keys if key not in claims)
            keys = [key for key in dict.fromkeys(sentence.claim_keys) if key in claims]
            text = one_line(sentence.text)
            if not keys or sentence_fault(text):
                continue
            room -= budget_words(text)
            if room < 0:
                break
            kept.append(stating(text, [claims[key] for key in keys]))
            told.update(keys)
        return DraftReport(
            sentences=tuple(kept),
            reserve=tuple(
                stating(claim.text, [claim])
                for key, claim in claims.items()
                if key not in told and not sentence_fault(claim.text)
            ),
            invented_keys=tuple(invented),
        )


def stating(text: str, claims: Sequence[FoundClaim]) -> DraftSentence:
    """Return a sentence with the citations of its claims.

    The best supporter of each claim comes first; supporters beyond those follow where there is
    room. Of two windows that overlap, the first counts.
    """
    longest = max(len(claim.segment_ids) for claim in claims)
    cited: list[str] = []
    for place in range(longest):
        for segment_id in (one for claim in claims for one in claim.segment_ids[place : place + 1]):
            if segment_id not in cited and not overlapping(segment_id, cited):
                cited.append(segment_id)
    covering = [claim.answers for claim in claims]
    missed = chances_missed((angle_id for covers in covering for angle_id in covers), covering)
    return DraftSentence(
        text=text,
        segment_ids=tuple(cited[:MAX_CITED]),
        covers={angle_id: round(1.0 - chance, 4) for angle_id, chance in missed.items()},
    )


REVISE_PROMPT = load_prompt(Path(__file__).with_name("revise.prompt.md"))

_WRITER_SEGMENT_WORDS = 250
_MOST_ADDED, _KEYS_PER_SENTENCE = 6, 6


class AddedSentence(Value):
    """A sentence that the report is to have, what it rests on, and where it stands."""

    after: str = Field(max_length=20)
    keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(max_length=_KEYS_PER_SENTENCE)
    text: str = Field(max_length=1_000)


class AddedSentences(Value):
    """What the report is to have besides what stands; none where nothing is worth adding."""

    sentences: tuple[AddedSentence, ...] = Field(max_length=_MOST_ADDED)


class Fallen(NamedTuple):
    """A sentence that was taken out, as the prompt shows it."""

    keys: str
    text: str
    reason: str


class PromptedReviser:
    """The role `revise_report` with a model: one call, whatever fell.

    The writer sees what stands, what fell and why beside the passages it cited, the claims that no
    sentence states yet, and how many words are free. What stands stays as it is.

    Args:
        writer: Who writes.
        encode: Tells which claims are the same.
        max_report_words: The track's limit.
    """

    asks = (Asked(REVISE_PROMPT, calls=2.4, characters=19_400, written=100),)

    def __init__(self, writer: PromptedModel, encode: Encode, max_report_words: int) -> None:
        self._model = writer
        self._encode = encode
        self._max_words = max_report_words

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return a draft that keeps what stood, in its order.

        Raises:
            ReplyError: The model gave no answer of the form asked for.
        """
        draft = checked.draft
        findings = await Findings.of(angles, evidence, self._encode)
        standing = [sentence.text for sentence in draft.sentences]
        waiting = {sentence.text for sentence in draft.reserve}
        again = {one for removal in checked.removed for one in removal.sentence.segment_ids}
        claims = {
            key: claim
            for key, claim in findings.by_key.items()
            if claim.text in waiting or not again.isdisjoint(claim.segment_ids)
        }
        by_id = {item.segment.segment_id: item for item in evidence.items}
        cited = [by_id[one] for one in sorted(again) if one in by_id]
        keyed = KeyedSegments([item.segment for item in cited], _WRITER_SEGMENT_WORDS)
        passages = {
            shown.key: _as_claim(item, shown.text)
            for shown, item in zip(keyed.shown, cited, strict=True)
        }
        room = self._max_words - sum(map(budget_words, standing))
        if not (claims or passages) or room <= 0:
            return Revision(draft=draft)
        key_of = {one.segment_ids[0]: key for key, one in passages.items()}
        drafts: list[AddedSentences] = []

        def check(added: AddedSentences) -> None:
            drafts.append(added)
            _check(added, {*claims, *passages}, room)

        asked = self._model.answer(
            REVISE_PROMPT,
            AddedSentences,
            check=check,
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
        return Revision(draft=_with(draft, drafts[-1], claims | passages, room))


def _shown(removal: Removal, key_of: Mapping[str, str]) -> Fallen:
    keys = [key_of[one] for one in removal.sentence.segment_ids if one in key_of]
    return Fallen(", ".join(keys), removal.sentence.text, removal.reason)


def _check(added: AddedSentences, keys: set[str], room: int) -> None:
    for sentence in added.sentences:
        if not keys.intersection(sentence.keys):
            raise ValueError(f"this rests on no key shown: {sentence.text}")
        if fault := sentence_fault(one_line(sentence.text)):
            raise ValueError(f"{fault}: {sentence.text}")
    words = sum(budget_words(one_line(sentence.text)) for sentence in added.sentences)
    if words > room:
        raise ValueError(f"the sentences have {words} words together, and {room} are free")


def _with(
    draft: DraftReport, added: AddedSentences, known: Mapping[str, FoundClaim], room: int
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
        if not stated or text in said or sentence_fault(text) or budget_words(text) > room:
            continue
        said.add(text)
        room -= budget_words(text)
        number = sentence.after.removeprefix("S")
        place = int(number) if number.isdecimal() else 0 if sentence.after == "start" else last
        by_place.setdefault(min(place, last), []).append(stating(text, stated))
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


def _as_claim(item: Evidence, text: str) -> FoundClaim:
    return FoundClaim(text=text, segment_ids=(item.segment.segment_id,), answers=item.relevance)
