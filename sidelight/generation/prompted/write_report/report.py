"""Write the report with a model: claims, composed under the budget, then put into sentences."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.compose import chances_missed, compose
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.prompted.keys import MAX_CITED
from sidelight.generation.prompted.write_report.claims import PROMPT as CLAIMS_PROMPT
from sidelight.generation.prompted.write_report.claims import find_claims
from sidelight.generation.prompted.write_report.same_fact import SameFact
from sidelight.generation.reading.sentence_fault import sentence_fault
from sidelight.generation.refill import as_candidates
from sidelight.llm.asked import Asked
from sidelight.llm.exact_ids import check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.schemas.segment import overlapping
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import Encode

PROMPT = load_prompt(Path(__file__).with_name("report.prompt.md"))

_MARGIN = 0.04  # models count words badly: of 250, the prompt allows 240


class WrittenSentence(Value):
    """One sentence and the claims it states."""

    claim_keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(
        min_length=1, max_length=MAX_CITED
    )
    text: str = Field(max_length=1_000)


class WrittenReport(Value):
    """The sentences of a report in reading order."""

    sentences: tuple[WrittenSentence, ...]


class ShownClaim(NamedTuple):
    """A claim as the prompt shows it."""

    key: str
    text: str


class PromptedReportWriter:
    """The role `write_report` with a model.

    One call per angle draws claims from its evidence; the claims that cover most expected weight
    within the budget are chosen; one more call puts them into sentences. Without a usable answer to
    that, the claims stand as they are, which the draft notes.

    Args:
        writer: Who writes.
        encode: Tells which claims are the same.
        max_report_words: The track's limit.
    """

    asks = (
        Asked(CLAIMS_PROMPT, calls=16.4, characters=8_200, written=125),
        Asked(PROMPT, calls=1.4, characters=3_400, written=545),
    )

    def __init__(self, writer: PromptedModel, encode: Encode, max_report_words: int) -> None:
        self._model = writer
        self._encode = encode
        self._max_words = max_report_words

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the report; its reserve holds the claims left over, in composing order.

        Raises:
            ReplyError: The model gave no usable answer on any angle.
        """
        found = await find_claims(self._model, profile, angles, evidence)
        candidates = as_candidates(found.sentences, evidence)
        claim_of = {
            id(candidate): claim
            for candidate, claim in zip(candidates, found.sentences, strict=True)
        }
        weights = {angle.angle_id: angle.weight for angle in angles}
        texts = [claim.text for claim in found.sentences]
        same = await asyncio.to_thread(SameFact, self._encode, texts)
        chosen = compose(candidates, weights, self._max_words, same)
        rest = [candidate for candidate in candidates if candidate not in chosen]
        reserve = compose(rest, weights, 2 * self._max_words, same, standing=chosen)
        draft = DraftReport(
            sentences=tuple(claim_of[id(candidate)] for candidate in chosen),
            reserve=tuple(claim_of[id(candidate)] for candidate in reserve),
            invented_keys=found.invented_keys,
            notes=found.notes,
        )
        if not chosen:
            return draft.model_copy(update={"sentences": NOTHING_FOUND.sentences})
        try:
            written = await self._written(profile, draft.sentences)
        except ReplyError as error:
            note = f"the claims stand as they are, for want of an answer: {type(error).__name__}"
            return draft.model_copy(update={"notes": (*draft.notes, note)})
        return draft.model_copy(update={"sentences": written})

    async def _written(
        self, profile: ArticleProfile, claims: Sequence[DraftSentence]
    ) -> tuple[DraftSentence, ...]:
        by_key = {f"C{number}": claim for number, claim in enumerate(claims, start=1)}
        answer = await self._model.answer(
            PROMPT,
            WrittenReport,
            check=lambda report: _check(report, by_key, self._max_words),
            profile=profile,
            claims=[ShownClaim(key, claim.text) for key, claim in by_key.items()],
            max_words=int(self._max_words * (1 - _MARGIN)),
        )
        return tuple(
            _stated(one_line(sentence.text), [by_key[key] for key in sentence.claim_keys])
            for sentence in answer.sentences
        )


def _check(report: WrittenReport, claims: Mapping[str, DraftSentence], max_words: int) -> None:
    check_each_once(
        list(claims), [key for sentence in report.sentences for key in sentence.claim_keys]
    )
    for sentence in report.sentences:
        if fault := sentence_fault(one_line(sentence.text)):
            raise ValueError(f"{fault}: {sentence.text}")
    words = sum(budget_words(one_line(sentence.text)) for sentence in report.sentences)
    if words > max_words:
        raise ValueError(
            f"the sentences have {words} words together, {words - max_words} more than the limit "
            f"of {max_words}; say the same in fewer words"
        )


def _stated(text: str, claims: Sequence[DraftSentence]) -> DraftSentence:
    """Return a sentence that rests on what its claims rest on.

    The best supporter of each claim comes first; supporters beyond those follow where there is
    room. Of two windows that overlap, the first counts.
    """
    longest = max(len(claim.segment_ids) for claim in claims)
    cited: list[str] = []
    for place in range(longest):
        for segment_id in (one for claim in claims for one in claim.segment_ids[place : place + 1]):
            if segment_id not in cited and not overlapping(segment_id, cited):
                cited.append(segment_id)
    covering = [claim.covers for claim in claims]
    missed = chances_missed((angle_id for covers in covering for angle_id in covers), covering)
    return DraftSentence(
        text=text,
        segment_ids=tuple(cited[:MAX_CITED]),
        covers={angle_id: round(1.0 - chance, 4) for angle_id, chance in missed.items()},
    )
