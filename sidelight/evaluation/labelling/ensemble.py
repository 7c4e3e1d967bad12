"""Several models' labels made one.

The label is the median of those given, in the order of the scale, and the lower one of two middle
labels. So a majority always wins, a lone model sways nothing, and a tie gives no credit.
`contradicts` has no place in that order: it wins if most of those who gave a label say so, and
otherwise counts as `none`. Unless most models gave a label, the verdict is unjudged.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sidelight.evaluation.labelling.prompted import VERSION
from sidelight.schemas.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence

    from sidelight.evaluation.labelling.base import Agreement, JudgeKind
    from sidelight.evaluation.labelling.prompted import PromptedJudge
    from sidelight.schemas.label_scale import LabelScale
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import SubmittedQuestion, SubmittedReport

A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)

RULE = (
    "median of the labels, the lower of two; contradicts where most say so, otherwise it counts "
    "as none; unjudged unless most gave a label"
)

_SCALES = load_track().scales


class EnsembleJudge:
    """Judges by asking several models the same; see `Judge`.

    Args:
        judges: One for each model, alike in all else.
    """

    name: ClassVar[str] = "prompted"
    kind: ClassVar[JudgeKind] = "prompted"

    def __init__(self, judges: Sequence[PromptedJudge]) -> None:
        self._judges = judges
        self._models = tuple(model for judge in judges for model in judge.instrument.models)
        self.instrument = judges[0].instrument.model_copy(
            update={"models": self._models, "rule": RULE}
        )
        self.version = f"{VERSION} ({self.instrument.summary})"
        self.example_run_tags = judges[0].example_run_tags
        self.agreement: dict[str, Agreement] = {}

    async def assess_compound(
        self, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[CompoundAssessment]:
        """Return one verdict for each question, in order."""
        return await self._combined(
            (judge.assess_compound(run_tag, questions) for judge in self._judges),
            _SCALES["compound"],
        )

    async def assess_questions(
        self, rubric: Rubric, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[QuestionAssessment]:
        """Return one label for each pair, by rubric question, then submitted question."""
        return await self._combined(
            (judge.assess_questions(rubric, run_tag, questions) for judge in self._judges),
            _SCALES["similarity"],
        )

    async def assess_report(
        self, rubric: Rubric, run_tag: str, report: SubmittedReport
    ) -> list[AnswerAssessment]:
        """Return one label for each answer of the rubric, in its order."""
        return await self._combined(
            (judge.assess_report(rubric, run_tag, report) for judge in self._judges),
            _SCALES["answers"],
        )

    async def _combined(self, work: Iterable[Awaitable[list[A]]], scale: LabelScale) -> list[A]:
        given = await asyncio.gather(*work)
        return [self._one(votes, scale) for votes in zip(*given, strict=True)]

    def _one(self, votes: tuple[A, ...], scale: LabelScale) -> A:
        changes: dict[str, Any] = {
            "label": combined([vote.label for vote in votes], scale),
            "rationale": "; ".join(
                f"{model}: {_told(vote)}" for model, vote in zip(self._models, votes, strict=True)
            ),
        }
        return replace(votes[0], **changes)


def combined(votes: Sequence[str | Unjudged], scale: LabelScale) -> str | Unjudged:
    """Return the label that several models give together; the module says by which rule."""
    labels = [vote for vote in votes if not isinstance(vote, Unjudged)]
    if 2 * len(labels) <= len(votes):
        return Unjudged(reason=f"only {len(labels)} of {len(votes)} models gave a label")
    opposite = scale.opposite
    if opposite is not None and 2 * labels.count(opposite) > len(labels):
        return opposite
    levels = sorted(
        (scale.lowest if label == opposite else label for label in labels),
        key=scale.levels.index,
    )
    return levels[(len(levels) - 1) // 2]


def _told(vote: QuestionAssessment | AnswerAssessment | CompoundAssessment) -> str:
    if isinstance(vote.label, Unjudged):
        return f"unjudged ({vote.label.reason})"
    return f"{vote.label} ({vote.rationale})"
