"""How well a passage answers each item, by a model that learned from graded passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.labelling.passage_grade.protocol import PassageGrader
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.learned.comparing import Task
from sidelight.learned.item_grades import ItemGrades
from sidelight.schemas.grading.graded_passage import Grader

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.passage_grade.protocol import PassageCase
    from sidelight.schemas.grading.exam_bank import ExamKind
    from sidelight.text_vectors import Encode

CALIBRATED_ON = "calibrated-on-TREC-DL-2019"
"""On which public graded passages, as tables and files name it."""


class EmbeddedPassageGrades(PassageGrader):
    """Grades by `ItemGrades`; the answer is the sentence that has most of the item.

    Args:
        encode: Texts to vectors by the default encoder.
    """

    def __init__(self, encode: Encode) -> None:
        self._model = ItemGrades.load(encode)

    def grader(self, kind: ExamKind) -> Grader:
        """Return the method with its weights; the kind of the items changes nothing."""
        return Grader(f"embedded-{kind}-1-{self._model.weights}", CALIBRATED_ON)

    def prepare(self, cases: list[PassageCase]) -> None:
        """Encode cases that will be graded, all at once."""
        self._model.prepare(_task(case) for case in cases)

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item, in order."""
        task = _task(case)
        return [
            Judgment(str(grade), answer)
            for grade, answer in self._model.grade(case.query, task.items, case.passage)
        ]


def _task(case: PassageCase) -> Task:
    return Task(tuple(item.text for item in case.items), case.passage, case.query)
