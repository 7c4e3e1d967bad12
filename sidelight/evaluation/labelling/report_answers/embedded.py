"""What a report tells about each expected answer, by a model that learned from people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.labelling.comparing.learning import by_submission
from sidelight.evaluation.labelling.comparing.level_labels import LevelLabels
from sidelight.evaluation.labelling.comparing.ordinal import (
    UNFITTED,
    Compared,
    agreement,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.evaluation.labelling.report_answers.calibration import ShiftedLevels, rows_of
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.learned.models import AnswerModel
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.evaluation.labelling.comparing.ordinal import Features, Levels
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.judge import JudgeAgreement
    from sidelight.learned.models import Looked
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import SubmittedReport
    from sidelight.text_vectors import Encode

_SCALE = REPORT_ANSWERS.scale
_LEVELS = _SCALE.levels  # none, partial, full, as those of the model

_MAX_QUOTED = 160  # characters


class EmbeddedReportAnswers:
    """Labels by `AnswerModel`; examples tell how much people of this kind ask for.

    Attributes:
        agreement: With people, on topics it was not calibrated on; None without examples.
        weights: A short hash of what the model learned.

    Args:
        encode: Texts to vectors; None goes by words alone.
        examples: Labelled submissions, which calibrate the model; None leaves it as it is.
        min_confidence: Less likely labels are withheld; see `LevelLabels`.
    """

    def __init__(
        self, encode: Encode | None, examples: Examples | None, min_confidence: float
    ) -> None:
        self._model = AnswerModel.load(encode)
        self.weights = self._model.weights
        self._levels, self.agreement = (
            self._learn(examples) if examples else (ShiftedLevels(), None)
        )
        self._labels = LevelLabels(self._levels, _SCALE, min_confidence)

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Encode reports that will be labelled, all at once, which is quicker than one by one."""
        self._model.prepare((((), report.text) for report in reports), max_words=None)

    async def __call__(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        """Return one judgment for each expected answer, in the rubric's order."""
        looked = self._look(case.rubric, case.submission)
        judgments = []
        verdicts = looked.verdicts(self._levels.shift)
        for verdict, likely in zip(verdicts, self._labels.of(rows_of(looked)), strict=True):
            label, told = likely, verdict.sentence
            if verdict.opposed:
                label, told = _SCALE.opposite or _SCALE.lowest, verdict.opposed_sentence
            reason = verdict.reason or f"as likely as {max(verdict.probabilities):.2f}"
            judgments.append(Judgment(label, one_line(f"{reason}: {told[:_MAX_QUOTED]}")))
        return judgments

    def _look(self, rubric: Rubric, report: SubmittedReport) -> Looked:
        """Hold all answers of a rubric against a report, whose limit was seen to before."""
        answers = [answer.text for answer in rubric.answers]
        return self._model.look(answers, report.text, max_words=None)

    def _learn(self, examples: Examples) -> tuple[ShiftedLevels, JudgeAgreement | None]:
        """Learn from labels of rubric answers how much people ask for.

        Contradictions are left to rules, so they do not take part in the fit, but in the agreement.
        """
        rows: list[Features] = []
        opposed, labels, topics, runs = [], [], [], []
        for (run_tag, topic_id), items in by_submission(examples.answer_labels):
            rubric = examples.rubrics[topic_id]
            looked = self._look(rubric, examples.reports[run_tag, topic_id])
            place = {one.answer_id: row for row, one in enumerate(rubric.answers)}
            chosen = [place[item.answer_id] for item in items]
            rows.append(rows_of(looked)[chosen])
            opposed += [bool(looked.found.evidence[row].opposed) for row in chosen]
            labels += [str(item.label) for item in items]
            topics += [topic_id] * len(items)
            runs += [run_tag] * len(items)
        if not rows:
            return ShiftedLevels(), None
        x = np.vstack(rows)
        y = np.array(
            [UNFITTED if label == _SCALE.opposite else _LEVELS.index(label) for label in labels]
        )
        predicted = predict_by_topic(x, y, topics, ShiftedLevels.fit)
        new_runs = predict_by_topic_and_run(x, y, topics, runs, ShiftedLevels.fit)
        found = Compared(
            labels,
            _judged(predicted, opposed),
            None if new_runs is None else _judged(new_runs, opposed),
            topics,
            runs,
        )
        return ShiftedLevels.fit(x, y), agreement(found)


def _judged(levels: Levels, opposed: list[bool]) -> list[str]:
    """Return labels; what is said elsewhere in a report outweighs a sentence against it."""
    return [
        _SCALE.opposite if against and not level and _SCALE.opposite else _LEVELS[level]
        for level, against in zip(levels, opposed, strict=True)
    ]
