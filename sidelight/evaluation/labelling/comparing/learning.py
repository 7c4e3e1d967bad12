"""What labellers without a model learn from examples, and how well they do on others.

Labels become levels: places in `LabelScale.levels`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sidelight.evaluation.labelling.comparing.ordinal import LevelModel  # noqa: TC001 - reads them
from sidelight.evaluation.labelling.judge import JudgeAgreement  # noqa: TC001 - a NamedTuple
from sidelight.schemas.grading.judgment import AnswerAssessment, QuestionAssessment, Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable

A = TypeVar("A", QuestionAssessment, AnswerAssessment)


class Learned(NamedTuple):
    """What came of some examples.

    Attributes:
        model: Fitted on all of them, or going by thresholds where there are too few.
        agreement: With people, each topic predicted by a model fitted on the others, and again
            without the runs that are predicted; None where nothing was learned.
    """

    model: LevelModel
    agreement: JudgeAgreement | None = None


def by_submission(labels: Iterable[A]) -> list[tuple[tuple[str, str], list[A]]]:
    """Return the judged labels of each (run tag, topic id), sorted."""
    groups: dict[tuple[str, str], list[A]] = defaultdict(list)
    for item in labels:
        if not isinstance(item.label, Unjudged):
            groups[item.run_tag, item.topic_id].append(item)
    return sorted(groups.items(), key=lambda group: group[0])
