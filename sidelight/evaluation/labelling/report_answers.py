"""Report answers: labels for how far a report gives each answer that a rubric expects.

The learned labeller is trained on people's labels and calibrated on examples. The model's weights
stay fixed; two numbers are learned, one for each level above the lowest, which are added to its
logits. Few examples move them little. The prompted labeller asks a language model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from sidelight.evaluation.labelling.asking import NOTHING
from sidelight.evaluation.labelling.comparing import (
    UNFITTED,
    Compared,
    LevelLabels,
    agreement,
    by_submission,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.judge import Judgment, RubricCase
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.learned.models import AnswerModel
from sidelight.learned.ordinal_model import levels_within
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from sidelight.evaluation.labelling.asking import Assessor
    from sidelight.evaluation.labelling.comparing import Features, Levels
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.judge import JudgeAgreement
    from sidelight.evaluation.labelling.rubric_cases import TopicMaterial
    from sidelight.learned.models import Looked
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import SubmittedReport
    from sidelight.text_vectors import Encode

_SPREAD = 1.0  # of shifts to be expected, as the standard deviation of a normal distribution
_STEPS = 50


class ShiftedLevels:
    """The levels of `AnswerModel`, its logits moved.

    A row of its features has the logits of levels 1 and 2, then the highest level there can be.

    Args:
        shift: What is added to the logits of levels 1 and 2.
    """

    def __init__(self, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        self.shift = shift

    @classmethod
    def fit(cls, features: Features, levels: Levels) -> ShiftedLevels:
        """Return the likeliest shift, a small one being expected.

        Rows that rules decide, and those of the level `UNFITTED`, teach nothing.
        """
        open_rows = (levels != UNFITTED) & (features[:, 2] > 0)
        logits, reached = features[open_rows, :2], levels[open_rows]
        return cls((_shift(logits[:, 0], reached >= 1), _shift(logits[:, 1], reached >= 2)))

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, 3)`."""
        return self._within(features)[0]

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return how likely each level is, `(n, 3)`, in [0, 1]."""
        return self._within(features)[1]

    def _within(self, features: Features) -> tuple[Levels, npt.NDArray[np.float64]]:
        return levels_within(features[:, :2] + self.shift, features[:, 2].astype(np.int64))


def rows_of(looked: Looked) -> Features:
    """Return the features of each item, `(n, 3)`."""
    return np.column_stack([looked.logits, np.array(looked.most, dtype=np.float64)])


def _shift(logits: npt.NDArray[np.float64], reached: npt.NDArray[np.bool_]) -> float:
    """Return the maximum of a concave function by Newton's method, a unit at most in each step."""
    shift = 0.0
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(logits + shift, -60, 60)))
        slope = float((reached - likely).sum()) - shift / _SPREAD**2
        curve = float((likely * (1 - likely)).sum()) + 1 / _SPREAD**2
        shift += float(np.clip(slope / curve, -1, 1))
    return shift


_ANSWER_SCALE = REPORT_ANSWERS.scale
_LEVELS = _ANSWER_SCALE.levels  # none, partial, full, as those of the model

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
        self._labels = LevelLabels(self._levels, _ANSWER_SCALE, min_confidence)

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
                label, told = (
                    _ANSWER_SCALE.opposite or _ANSWER_SCALE.lowest,
                    verdict.opposed_sentence,
                )
            reason = verdict.reason or f"as likely as {max(verdict.probabilities):.2f}"
            judgments.append(Judgment(label, one_line(f"{reason}: {told[:_MAX_QUOTED]}")))
        return judgments

    def _look(self, rubric: Rubric, report: SubmittedReport) -> Looked:
        """Compare all answers of a rubric with a report, which was cut to its limit before."""
        answers = [answer.text for answer in rubric.answers]
        return self._model.look(answers, report.text, max_words=None)

    def _learn(self, examples: Examples) -> tuple[ShiftedLevels, JudgeAgreement | None]:
        """Fit the shifts of the levels to labels of rubric answers.

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
            [
                UNFITTED if label == _ANSWER_SCALE.opposite else _LEVELS.index(label)
                for label in labels
            ]
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
        _ANSWER_SCALE.opposite
        if against and not level and _ANSWER_SCALE.opposite
        else _LEVELS[level]
        for level, against in zip(levels, opposed, strict=True)
    ]


REPORT_ANSWERS_PROMPT = load_prompt(Path(__file__).with_name("report_answers.prompt.md"))


class AnswerVerdict(Value):
    """What a report tells about one expected answer."""

    answer_id: str
    reason: str
    label: Annotated[str, OneOf(REPORT_ANSWERS.scale.names)]


class ReportVerdict(Value):
    """What a report tells about a rubric."""

    labels: tuple[AnswerVerdict, ...]


class PromptedReportAnswers:
    """Labels by asking a model, once for each report.

    Args:
        assessor: Asks.
        material: What the prompts on a rubric's topic show.
    """

    def __init__(self, assessor: Assessor, material: Callable[[Rubric], TopicMaterial]) -> None:
        self._assessor = assessor
        self._material = material

    async def __call__(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        """Return one judgment for each expected answer, in the rubric's order."""
        rubric, report = case
        answer_ids = [answer.answer_id for answer in rubric.answers]
        if not one_line(report.text):
            return [Judgment(REPORT_ANSWERS.scale.lowest, NOTHING)] * len(answer_ids)
        topic = self._material(rubric)
        return await self._assessor.judgments(
            (rubric.topic_id,),
            REPORT_ANSWERS_PROMPT,
            ReportVerdict,
            answer_ids,
            lambda answer: (
                (one.answer_id, Judgment(one.label, one.reason)) for one in answer.labels
            ),
            article=topic.article,
            rubric=rubric,
            examples=topic.reports,
            report=report.text,
        )
