"""Several models' labels made one.

The label is the median of those given, in the order of the scale, and the lower one of two middle
labels. So a majority always wins, a lone model sways nothing, and a tie gives no credit. A label
that opposes has no place in that order: it wins if most of those who gave a label say so, and
otherwise counts as the lowest. Unless most models gave a label, the judgment is unjudged.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.labelling.protocol import Labeller
    from sidelight.schemas.grading.label_scale import LabelScale

C = TypeVar("C")


def rule(scale: LabelScale) -> str:
    """Return the rule by which labels become one, on a scale with a label that opposes."""
    return (
        f"median of the labels, the lower of two; {scale.opposite} where most say so, otherwise it "
        f"counts as {scale.lowest}; unjudged unless most gave a label"
    )


class Ensemble(Generic[C]):
    """Labels by asking several labellers the same.

    Args:
        labellers: By the name of the model that each asks.
        scale: Of the labels that they give.
    """

    def __init__(self, labellers: Mapping[str, Labeller[C]], scale: LabelScale) -> None:
        self._labellers = labellers
        self._scale = scale

    async def __call__(self, case: C) -> list[Judgment]:
        """Return the judgments that all come to together."""
        given = await asyncio.gather(*(labeller(case) for labeller in self._labellers.values()))
        return [self._one(votes) for votes in zip(*given, strict=True)]

    def _one(self, votes: tuple[Judgment, ...]) -> Judgment:
        told = (
            f"{model}: {_told(vote)}" for model, vote in zip(self._labellers, votes, strict=True)
        )
        return Judgment(combined([vote.label for vote in votes], self._scale), "; ".join(told))


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


def _told(vote: Judgment) -> str:
    if isinstance(vote.label, Unjudged):
        return f"unjudged ({vote.label.reason})"
    return f"{vote.label} ({vote.rationale})"
