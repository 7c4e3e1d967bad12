"""Ask a model which search results are evidence, angle by angle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.prompted.directness import CHANCE, Directness
from sidelight.generation.prompted.keys import KeyedSegments
from sidelight.generation.spread import spread
from sidelight.llm.asked import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.schemas.segment import Segment

PROMPT = load_prompt(Path(__file__).with_name("select.prompt.md"))

_READ_PER_ANGLE = 20
_SEGMENT_WORDS = 180


class ChosenSegment(Value):
    """A segment that helps to answer a question."""

    key: str
    reason: str = Field(max_length=300)
    label: Directness


class ChosenSegments(Value):
    """The segments that help to answer a question, the most useful first."""

    segments: tuple[ChosenSegment, ...] = Field(max_length=_READ_PER_ANGLE)


class PromptedSelector:
    """The role `select_evidence` with a model.

    Of each angle, the 20 best ranked candidates are read, each cut to its first 180 words. An
    angle without candidates is not asked about; one without a usable answer gets no evidence.

    Args:
        writer: Who chooses.
        segments_per_angle: Segments taken for one angle at most.
    """

    asks = (Asked(PROMPT, calls=16.4, more=5.6, characters=23_000, written=598),)

    def __init__(self, writer: PromptedModel, segments_per_angle: int) -> None:
        self._model = writer
        self._keep = segments_per_angle

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return what the model chose, two per host and angle; invented keys are among the dropped.

        Raises:
            ReplyError: No angle got a usable answer.
        """
        asked = [angle for angle in angles if candidates.get(angle.angle_id)]
        selections = await answers(
            self._for_angle(profile, angle, candidates[angle.angle_id]) for angle in asked
        )
        parts = [
            _unread(candidates[angle.angle_id], selection)
            if isinstance(selection, ReplyError)
            else selection
            for angle, selection in zip(asked, selections, strict=True)
        ]
        evidence = EvidenceSet.merge(*(part.evidence for part in parts))
        taken = {item.segment.segment_id for item in evidence.items}
        dropped = {
            name: reason
            for part in parts
            for name, reason in part.dropped.items()
            if name not in taken
        }
        return Selection(evidence=evidence, dropped=dict(sorted(dropped.items())))

    async def _for_angle(
        self, profile: ArticleProfile, angle: Angle, candidates: Sequence[Segment]
    ) -> Selection:
        keyed = KeyedSegments(candidates[:_READ_PER_ANGLE], _SEGMENT_WORDS)
        answer = await self._model.answer(
            PROMPT,
            ChosenSegments,
            profile=profile,
            question=angle.question,
            segments=keyed.shown,
        )
        ranked, invented = keyed.resolve(one.key for one in answer.segments)
        taken, crowded = spread(ranked, self._keep)
        label_of = {
            keyed[one.key].segment_id: one.label
            for one in reversed(answer.segments)  # of one given twice, the first label counts
            if one.key in keyed
        }
        dropped = dict.fromkeys(
            (segment.segment_id for segment in candidates[:_READ_PER_ANGLE]),
            "does not help to answer the question",
        )
        dropped |= dict.fromkeys(
            (segment.segment_id for segment in candidates[_READ_PER_ANGLE:]),
            f"not among the first {_READ_PER_ANGLE}",
        )
        dropped |= crowded
        dropped |= {f"{angle.angle_id} {key}": "invented key" for key in invented}
        for segment in taken:
            del dropped[segment.segment_id]
        items = [
            Evidence(
                segment=segment,
                relevance={angle.angle_id: CHANCE[label_of[segment.segment_id]]},
            )
            for segment in taken
        ]
        return Selection(
            evidence=EvidenceSet.merge(EvidenceSet(items=tuple(items))), dropped=dropped
        )


def _unread(candidates: Sequence[Segment], error: ReplyError) -> Selection:
    reason = f"no usable answer: {type(error).__name__}"
    return Selection(
        evidence=EvidenceSet(),
        dropped=dict.fromkeys((segment.segment_id for segment in candidates), reason),
    )
