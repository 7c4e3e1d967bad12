"""What the embedded judge learns from labelled examples, and how well it does on others.

Labels become levels: the index in `SIMILARITY_LEVELS` or `SUPPORT_LEVELS`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from sidelight.evaluation.labelling.ordinal import (
    UNFITTED,
    LevelModel,
    agreement,
    fit_levels,
    predict_by_topic,
)
from sidelight.evaluation.labelling.pair_features import (
    answer_evidence,
    question_features,
    report_sentences,
)
from sidelight.evaluation.labelling.report_answers.contradiction import contradicting
from sidelight.schemas.judgment import (
    AnswerAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.evaluation.labelling.base import Agreement
    from sidelight.evaluation.labelling.comparison import Comparison
    from sidelight.evaluation.labelling.examples import Examples

A = TypeVar("A", QuestionAssessment, AnswerAssessment)

_SCALES = load_track().scales
SIMILARITY_LEVELS = _SCALES["similarity"].levels
SUPPORT_LEVELS = _SCALES["answers"].levels
_OPPOSITE = _SCALES["answers"].opposite or _SCALES["answers"].lowest


class Learned(NamedTuple):
    """A model fitted on all examples, and its agreement with people when fitted without a topic."""

    model: LevelModel
    agreement: Agreement


def learn_similarity(
    comparison: Comparison, examples: Examples, fallback: LevelModel
) -> Learned | None:
    """Learn from labels of question pairs; None when there are none."""
    rows, levels, topics = [], [], []
    for (run_tag, topic_id), items in _by_submission(examples.question_labels):
        rubric = examples.rubrics[topic_id]
        places = {question.rank: place for place, question in enumerate(rubric.questions)}
        ranks = sorted({item.run_question_rank for item in items})
        texts = [examples.questions[run_tag, topic_id, rank].text for rank in ranks]
        features = question_features(comparison, rubric, texts)
        for item in items:
            rows.append(
                features[places[item.rubric_question_rank], ranks.index(item.run_question_rank)]
            )
            levels.append(SIMILARITY_LEVELS.index(item.label))
            topics.append(topic_id)
    if not rows:
        return None
    x, y, n_levels = np.array(rows), np.array(levels), len(SIMILARITY_LEVELS)
    predicted = predict_by_topic(x, y, topics, n_levels, fallback)
    # The two labels without credit count as one, as in the agreement the track published.
    return Learned(
        fit_levels(x, y, n_levels, fallback),
        agreement(np.maximum(y, 1).tolist(), np.maximum(predicted, 1).tolist(), topics),
    )


def learn_support(
    comparison: Comparison, examples: Examples, fallback: LevelModel
) -> Learned | None:
    """Learn from labels of rubric answers; None when there are none.

    Contradictions are left to rules, so they do not take part in the fit, but in the agreement.
    """
    rows, labels, topics, opposed = [], [], [], []
    for (run_tag, topic_id), items in _by_submission(examples.answer_labels):
        texts = {
            answer.answer_id: answer.text
            for question in examples.rubrics[topic_id].questions
            for answer in question.answers
        }
        answers = [texts[item.answer_id] for item in items]
        sentences = report_sentences(examples.reports[run_tag, topic_id])
        rows += [found.features for found in answer_evidence(comparison, answers, sentences)]
        opposed += [contradicting(comparison, answer, sentences) is not None for answer in answers]
        labels += [item.label for item in items if not isinstance(item.label, Unjudged)]
        topics += [topic_id] * len(items)
    if not rows:
        return None
    x, n_levels = np.array(rows), len(SUPPORT_LEVELS)
    y = np.array([_support_level(label) for label in labels])
    predicted = predict_by_topic(x, y, topics, n_levels, fallback)
    judged = [
        _OPPOSITE if opposite else SUPPORT_LEVELS[level]
        for level, opposite in zip(predicted, opposed, strict=True)
    ]
    return Learned(fit_levels(x, y, n_levels, fallback), agreement(labels, judged, topics))


def _by_submission(labels: Iterable[A]) -> list[tuple[tuple[str, str], list[A]]]:
    """Return the judged labels of each (run tag, topic id), sorted."""
    groups: dict[tuple[str, str], list[A]] = defaultdict(list)
    for item in labels:
        if not isinstance(item.label, Unjudged):
            groups[item.run_tag, item.topic_id].append(item)
    return sorted(groups.items(), key=lambda group: group[0])


def _support_level(label: str) -> int:
    return UNFITTED if label == _OPPOSITE else SUPPORT_LEVELS.index(label)
