"""Ask a model for the single facts that the evidence states, angle by angle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.prompted.directness import CHANCE, Directness
from sidelight.generation.prompted.keys import MAX_CITED, KeyedSegments
from sidelight.generation.reading.sentence_fault import sentence_fault
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.report import DraftSentence
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.segment import Segment

PROMPT = load_prompt(Path(__file__).with_name("claims.prompt.md"))

_SEGMENTS_PER_ANGLE = 8
_SEGMENT_WORDS = 250
_CLAIMS_PER_ANGLE = 6
_CLAIM_WORDS = 30


class StatedClaim(Value):
    """One fact, the segments that state it, and how directly it answers the question."""

    text: str = Field(max_length=400, description=f"at most {_CLAIM_WORDS} words")
    keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(max_length=_SEGMENTS_PER_ANGLE)
    label: Directness


class StatedClaims(Value):
    """The facts that help to answer a question, the most telling first."""

    claims: tuple[StatedClaim, ...] = Field(max_length=_CLAIMS_PER_ANGLE)


class FoundClaims(NamedTuple):
    """Claims of the evidence, as sentences that could stand in a report.

    Attributes:
        sentences: Angle by angle.
        invented_keys: Keys that stand for nothing.
        notes: What was left out and why, and which angles got no usable answer.
    """

    sentences: tuple[DraftSentence, ...] = ()
    invented_keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def find_claims(
    model: PromptedModel, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
) -> FoundClaims:
    """Return what the evidence states on each angle; an angle without evidence is not asked about.

    Of each angle the eight best segments are read, each cut to its first 250 words.

    Raises:
        ReplyError: No angle got a usable answer.
    """
    best = {
        angle: [item.segment for item in items[:_SEGMENTS_PER_ANGLE]]
        for angle in angles
        if (items := evidence.for_angle(angle.angle_id))
    }
    found = await answers(
        _on_angle(model, profile, angle, segments) for angle, segments in best.items()
    )
    parts = [
        FoundClaims(notes=(f"no claims on {angle.angle_id}: {type(part).__name__}",))
        if isinstance(part, ReplyError)
        else part
        for angle, part in zip(best, found, strict=True)
    ]
    return FoundClaims(
        sentences=tuple(sentence for part in parts for sentence in part.sentences),
        invented_keys=tuple(key for part in parts for key in part.invented_keys),
        notes=tuple(note for part in parts for note in part.notes),
    )


async def _on_angle(
    model: PromptedModel, profile: ArticleProfile, angle: Angle, segments: Sequence[Segment]
) -> FoundClaims:
    keyed = KeyedSegments(segments, _SEGMENT_WORDS)
    answer = await model.answer(
        PROMPT,
        StatedClaims,
        profile=profile,
        question=angle.question,
        segments=keyed.shown,
        max_claims=_CLAIMS_PER_ANGLE,
        max_words=_CLAIM_WORDS,
    )
    sentences: list[DraftSentence] = []
    invented_keys: list[str] = []
    notes: list[str] = []
    for claim in answer.claims:
        supporters, invented = keyed.resolve(claim.keys)
        invented_keys += invented
        text = one_line(claim.text)
        if fault := _fault(text, supporters):
            notes.append(f"claim left out, {fault}: {text}")
        else:
            sentences.append(
                DraftSentence(
                    text=text,
                    segment_ids=tuple(segment.segment_id for segment in supporters[:MAX_CITED]),
                    covers={angle.angle_id: CHANCE[claim.label]},
                )
            )
    return FoundClaims(tuple(sentences), tuple(invented_keys), tuple(notes))


def _fault(text: str, supporters: Sequence[Segment]) -> str:
    if not supporters:
        return "it cites no segment"
    if budget_words(text) > _CLAIM_WORDS:
        return f"over {_CLAIM_WORDS} words"
    return sentence_fault(text)
