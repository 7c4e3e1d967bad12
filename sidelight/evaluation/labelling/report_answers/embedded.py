"""What a report tells about each expected answer, by words, figures, names and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.labelling.comparing.learning import Learned, by_submission
from sidelight.evaluation.labelling.comparing.level_labels import LevelLabels, described
from sidelight.evaluation.labelling.comparing.ordinal import (
    UNFITTED,
    Compared,
    Thresholds,
    agreement,
    fit_levels,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.evaluation.labelling.report_answers.contradiction import contradicting
from sidelight.evaluation.labelling.report_answers.places import (
    ANSWER_FEATURES,
    nearest_places,
    places_in,
    report_sentences,
)
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS, expected_answers
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.evaluation.labelling.comparing.ordinal import Levels
    from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.run import SubmittedReport

_SCALE = REPORT_ANSWERS.scale

# Without examples: the least share of words of each level above the lowest, chosen as those for
# questions.
_THRESHOLDS = Thresholds(ANSWER_FEATURES.index("words"), (0.3, 0.5))

_MAX_QUOTED = 160  # characters


class EmbeddedReportAnswers:
    """Labels by the closest place in the report; how close is enough it learns from examples.

    A plain contradiction anywhere in the report goes before whatever else it tells.

    Attributes:
        agreement: With people, on topics it was not fitted on; None without examples.

    Args:
        comparison: How texts are compared.
        examples: Labelled submissions; None for thresholds.
        min_confidence: Less likely labels are withheld; see `LevelLabels`.
    """

    def __init__(
        self, comparison: TextComparison, examples: Examples | None, min_confidence: float
    ) -> None:
        learned = _learn(comparison, examples) if examples else Learned(_THRESHOLDS)
        self.agreement = learned.agreement
        self._comparison = comparison
        self._labels = LevelLabels(learned.model, _SCALE, min_confidence)

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Encode reports that will be labelled, all at once, which is quicker than one by one."""
        self._comparison.prepare(
            place for report in reports for place in places_in(report_sentences(report))
        )

    async def __call__(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        """Return one judgment for each expected answer, in the rubric's order."""
        answers = [answer.text for answer in expected_answers(case.rubric)]
        sentences = report_sentences(case.submission)
        found = nearest_places(self._comparison, answers, sentences)
        labels = self._labels.of(np.array([place.features for place in found]))
        judgments = []
        for answer, place, likely in zip(answers, found, labels, strict=True):
            opposite = contradicting(self._comparison, answer, sentences)
            label = likely if opposite is None or _SCALE.opposite is None else _SCALE.opposite
            quotation = one_line(opposite or place.text)[:_MAX_QUOTED]
            features = described(ANSWER_FEATURES, place.features)
            judgments.append(Judgment(label, f"{features}: {quotation}"))
        return judgments


def _learn(comparison: TextComparison, examples: Examples) -> Learned:
    """Learn from labels of rubric answers.

    Contradictions are left to rules, so they do not take part in the fit, but in the agreement.
    """
    rows, labels, topics, runs, opposed = [], [], [], [], []
    for (run_tag, topic_id), items in by_submission(examples.answer_labels):
        answer_texts = {
            answer.answer_id: answer.text for answer in expected_answers(examples.rubrics[topic_id])
        }
        answers = [answer_texts[item.answer_id] for item in items]
        sentences = report_sentences(examples.reports[run_tag, topic_id])
        rows += [place.features for place in nearest_places(comparison, answers, sentences)]
        opposed += [contradicting(comparison, answer, sentences) is not None for answer in answers]
        labels += [str(item.label) for item in items]
        topics += [topic_id] * len(items)
        runs += [run_tag] * len(items)
    if not rows:
        return Learned(_THRESHOLDS)
    x, n_levels = np.array(rows), len(_SCALE.levels)
    y = np.array(
        [UNFITTED if label == _SCALE.opposite else _SCALE.levels.index(label) for label in labels]
    )
    predicted = predict_by_topic(x, y, topics, n_levels, _THRESHOLDS)
    new_runs = predict_by_topic_and_run(x, y, topics, runs, n_levels, _THRESHOLDS)
    found = Compared(
        labels,
        _judged(predicted, opposed),
        None if new_runs is None else _judged(new_runs, opposed),
        topics,
        runs,
    )
    return Learned(fit_levels(x, y, n_levels, _THRESHOLDS), agreement(found))


def _judged(levels: Levels, opposed: list[bool]) -> list[str]:
    return [
        _SCALE.opposite if opposite and _SCALE.opposite else _SCALE.levels[level]
        for level, opposite in zip(levels, opposed, strict=True)
    ]
