"""How alike submitted questions and rubric questions are, by their words and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.labelling.comparing.learning import Learned, by_submission
from sidelight.evaluation.labelling.comparing.level_labels import LevelLabels, described
from sidelight.evaluation.labelling.comparing.ordinal import (
    Compared,
    Thresholds,
    agreement,
    fit_levels,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.evaluation.labelling.question_similarity.features import (
    QUESTION_FEATURES,
    question_features,
)
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.comparing.ordinal import Levels
    from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.question_similarity.protocol import Questions

_SCALE = QUESTION_SIMILARITY.scale

# Without examples: the least share of common words of each level above the lowest. Words alone,
# because a cosine means something else with every encoder. Chosen on the labels of the mini web.
_THRESHOLDS = Thresholds(QUESTION_FEATURES.index("common words with answers"), (0.1, 0.25, 0.4))


class EmbeddedQuestionSimilarity:
    """Labels by words and vectors in common; how much people ask for it learns from examples.

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

    async def __call__(self, case: RubricCase[Questions]) -> list[Judgment]:
        """Return one judgment for each pair, by rubric question, then submitted question."""
        texts = [question.text for question in case.submission]
        if not texts:
            return []
        features = question_features(self._comparison, case.rubric, texts)
        rows = features.reshape(-1, features.shape[-1])
        return [
            Judgment(label, described(QUESTION_FEATURES, row))
            for label, row in zip(self._labels.of(rows), rows, strict=True)
        ]


def _learn(comparison: TextComparison, examples: Examples) -> Learned:
    """Learn from labels of question pairs."""
    rows, labels, topics, runs = [], [], [], []
    for (run_tag, topic_id), items in by_submission(examples.question_labels):
        rubric = examples.rubrics[topic_id]
        places = {question.rank: place for place, question in enumerate(rubric.questions)}
        ranks = sorted({item.run_question_rank for item in items})
        texts = [examples.questions[run_tag, topic_id, rank].text for rank in ranks]
        features = question_features(comparison, rubric, texts)
        for item in items:
            rows.append(
                features[places[item.rubric_question_rank], ranks.index(item.run_question_rank)]
            )
            labels.append(str(item.label))
            topics.append(topic_id)
            runs.append(run_tag)
    if not rows:
        return Learned(_THRESHOLDS)
    x, y = np.array(rows), np.array([_SCALE.levels.index(label) for label in labels])
    n_levels = len(_SCALE.levels)
    predicted = predict_by_topic(x, y, topics, n_levels, _THRESHOLDS)
    new_runs = predict_by_topic_and_run(x, y, topics, runs, n_levels, _THRESHOLDS)
    found = Compared(
        # Labels without credit count as one, as in the agreement the track published.
        [_SCALE.coarse(label) for label in labels],
        _coarse(predicted),
        None if new_runs is None else _coarse(new_runs),
        topics,
        runs,
    )
    return Learned(fit_levels(x, y, n_levels, _THRESHOLDS), agreement(found))


def _coarse(levels: Levels) -> list[str]:
    return [_SCALE.coarse(_SCALE.levels[level]) for level in levels]
