"""Ask a model, in one call, how far the evidence answers every angle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from sidelight.generation.prompted.keys import KeyedSegments
from sidelight.generation.stopping import StoppingRule
from sidelight.llm.asked import Asked
from sidelight.llm.exact_ids import check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle, Coverage
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile

PROMPT = load_prompt(Path(__file__).with_name("coverage.prompt.md"))

_SEGMENTS_PER_ANGLE = 2
_SEGMENT_WORDS = 120

# What the track gives a report whose answer is full, partial or missing.
_CHANCE = {"full": 1.0, "partial": 0.5, "none": 0.0}


class AngleLabel(Value):
    """How far the evidence answers one angle."""

    angle_id: str
    reason: str = Field(max_length=400)
    label: Literal["full", "partial", "none"]


class AngleLabels(Value):
    """How far the evidence answers each angle."""

    labels: tuple[AngleLabel, ...]


class ShownQuestion(NamedTuple):
    """An angle as the prompt shows it, with the keys of its best segments."""

    angle_id: str
    keys: str
    text: str


class PromptedAssessor:
    """The role `assess_coverage` with a model.

    Each angle is shown with its two best segments. An angle without any is not covered, and the
    model is not asked about it.

    Args:
        writer: Who labels.
        max_rounds: See `StoppingRule`.
        min_gain: See `StoppingRule`.
    """

    asks = (Asked(PROMPT, calls=1, more=1, characters=24_400, written=544),)

    def __init__(self, writer: PromptedModel, max_rounds: int, min_gain: float) -> None:
        self._model = writer
        self._rule = StoppingRule(max_rounds, min_gain)

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        previous: Coverage | None,
        round_number: int,
    ) -> Coverage:
        """Return coverage after a round and whether to go on.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        by_angle = dict.fromkeys((angle.angle_id for angle in angles), 0.0)
        if evidence.covers(by_angle):
            by_angle |= await self._labels(profile, angles, evidence)
        return self._rule.coverage(angles, by_angle, previous, round_number)

    async def _labels(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> dict[str, float]:
        best = {
            angle: [item.segment for item in found[:_SEGMENTS_PER_ANGLE]]
            for angle in angles
            if (found := evidence.for_angle(angle.angle_id))
        }
        read = {one.segment_id: one for segments in best.values() for one in segments}
        keyed = KeyedSegments(list(read.values()), _SEGMENT_WORDS)
        key_of = {segment_id: one.key for segment_id, one in zip(read, keyed.shown, strict=True)}
        labelled = await self._model.answer(
            PROMPT,
            AngleLabels,
            check=lambda answer: check_each_once(
                [angle.angle_id for angle in best], [one.angle_id for one in answer.labels]
            ),
            profile=profile,
            segments=keyed.shown,
            questions=[
                ShownQuestion(
                    angle_id=angle.angle_id,
                    keys=", ".join(key_of[segment.segment_id] for segment in segments),
                    text=angle.question,
                )
                for angle, segments in best.items()
            ],
        )
        return {one.angle_id: _CHANCE[one.label] for one in labelled.labels}
