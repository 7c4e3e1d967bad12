"""Calibration of the judge without a model on labels by people, and its agreement with them.

A shipped model gives each item two logits: of level 1 or higher, and of level 2. Its weights stay
fixed; two numbers are learned from examples, which are added to the logits. Few examples move them
little. How well that agrees with people is found by leaving out topics, and topics and runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.evaluation.agreement.coefficients import cohen_kappa, confusion_table
from sidelight.evaluation.labelling.judge import JudgeAgreement
from sidelight.learned.ordinal_model import levels_within
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    LabelScale,
    QuestionAssessment,
    Unjudged,
)

UNFITTED = -1
"""The level of an example that is predicted and compared, but never fitted on."""

MIN_TRAINING_RUNS = 2  # one run is held out while another is learned from
_PARTS = 5

Levels = npt.NDArray[np.int64]
Features = npt.NDArray[np.float64]


_SPREAD = 1.0  # of shifts to be expected, as the standard deviation of a normal distribution
_STEPS = 50


class ShiftedLevels:
    """The levels of a shipped model, its logits moved.

    A row of its features has the logits of levels 1 and 2, then the highest level there can be.
    `shift` is what is added to the logits of levels 1 and 2. With `cuts`, a level is reached from
    that probability of it or a higher one; without, the likeliest level is taken.
    """

    def __init__(
        self,
        shift: tuple[float, float] = (0.0, 0.0),
        cuts: tuple[float, float] | None = None,
    ) -> None:
        self.shift = shift
        self._cuts = cuts

    @classmethod
    def fit(
        cls,
        features: Features,
        levels: Levels,
        cuts: tuple[float, float] | None = None,
    ) -> ShiftedLevels:
        """Return the likeliest shift, a small one being expected.

        Rows that rules decide, and those of the level `UNFITTED`, teach nothing.
        """
        open_rows = (levels != UNFITTED) & (features[:, 2] > 0)
        logits, reached = features[open_rows, :2], levels[open_rows]
        shift = _shift(logits[:, 0], reached >= 1), _shift(logits[:, 1], reached >= 2)
        return cls(shift, cuts)

    def predict(self, features: Features) -> Levels:
        """Return the level of each row of `(n, 3)`."""
        likeliest, probabilities = self._within(features)
        if self._cuts is None:
            return likeliest
        first, second = self._cuts
        at_least_one = 1 - probabilities[:, 0] >= first
        levels: Levels = at_least_one.astype(np.int64)
        levels += at_least_one & (probabilities[:, 2] >= second)
        return levels

    def probabilities(self, features: Features) -> npt.NDArray[np.float64]:
        """Return how likely each level is, `(n, 3)`, in [0, 1]."""
        return self._within(features)[1]

    def _within(self, features: Features) -> tuple[Levels, npt.NDArray[np.float64]]:
        return levels_within(features[:, :2] + self.shift, features[:, 2].astype(np.int64))


def _shift(logits: npt.NDArray[np.float64], reached: npt.NDArray[np.bool_]) -> float:
    """Return the maximum of a concave function by Newton's method, a unit at most in each step."""
    shift = 0.0
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(logits + shift, -60, 60)))
        slope = float((reached - likely).sum()) - shift / _SPREAD**2
        curve = float((likely * (1 - likely)).sum()) + 1 / _SPREAD**2
        shift += float(np.clip(slope / curve, -1, 1))
    return shift


Fit: TypeAlias = Callable[[Features, Levels], ShiftedLevels]
"""Fits shifts on features `(n, 3)` and levels `(n,)`."""


def predict_by_topic(features: Features, levels: Levels, topics: Sequence[str], fit: Fit) -> Levels:
    """Predict the examples of each topic with a model fitted on the other topics."""
    predicted = np.zeros_like(levels)
    groups = np.array(topics)
    for topic in sorted(set(topics)):
        held_out = groups == topic
        model = fit(features[~held_out], levels[~held_out])
        predicted[held_out] = model.predict(features[held_out])
    return predicted


def predict_by_topic_and_run(
    features: Features, levels: Levels, topics: Sequence[str], runs: Sequence[str], fit: Fit
) -> Levels | None:
    """Predict examples with models fitted on neither their topics nor their runs.

    Topics and runs are held out in as many as `_PARTS` parts each, so that many runs take no longer
    than a few. With a single run it returns None: nothing could be learned from another.
    """
    if len(set(runs)) < MIN_TRAINING_RUNS:
        return None
    predicted = np.zeros_like(levels)
    topic_parts, run_parts = _parts(topics), _parts(runs)
    for topic_part in sorted(set(topic_parts.tolist())):
        for run_part in sorted(set(run_parts.tolist())):
            in_topics, in_runs = topic_parts == topic_part, run_parts == run_part
            held_out, others = in_topics & in_runs, ~in_topics & ~in_runs
            if held_out.any():
                model = fit(features[others], levels[others])
                predicted[held_out] = model.predict(features[held_out])
    return predicted


def _parts(groups: Sequence[str]) -> Levels:
    """Return to which of at most `_PARTS` parts the group of each example belongs."""
    place = {group: number % _PARTS for number, group in enumerate(sorted(set(groups)))}
    return np.array([place[group] for group in groups])


def learn(
    fit: Fit,
    features: Features,
    levels: Levels,
    people: Sequence[str],
    topics: Sequence[str],
    runs: Sequence[str],
    labels_of: Callable[[Levels], Sequence[str]],
    untaught: ShiftedLevels,
) -> tuple[ShiftedLevels, JudgeAgreement]:
    """Return a model fitted on all examples, and how well it agrees with people on new ones.

    Each topic is predicted by a model fitted on the others, and again without the runs that are
    predicted. `features` is `(n, 3)`, all else `(n,)`. `levels` are by people, and
    `people` are their labels as they are compared; `labels_of` makes such labels of the levels that
    are predicted for all examples. `untaught` is the model without examples.
    """
    new_runs = predict_by_topic_and_run(features, levels, topics, runs, fit)
    found = agreement(
        people,
        labels_of(predict_by_topic(features, levels, topics, fit)),
        None if new_runs is None else labels_of(new_runs),
        topics,
        runs,
    )
    kappa = _kappa(people, labels_of(untaught.predict(features)))
    return fit(features, levels), found.model_copy(update={"kappa_without": kappa})


def agreement(
    people: Sequence[str],
    judge: Sequence[str],
    new_runs: Sequence[str] | None,
    topics: Sequence[str],
    runs: Sequence[str],
) -> JudgeAgreement:
    """Return how well people and a judge agree.

    All are `(n,)`. `judge` are labels by a judge that had not seen people's labels of the topic,
    and `new_runs` by one that had not seen those of the run either; None if there are none.
    """
    return JudgeAgreement(
        n_labels=len(people),
        n_topics=len(set(topics)),
        n_runs=len(set(runs)),
        raw=_raw(people, judge),
        kappa=_kappa(people, judge),
        raw_new_runs=None if new_runs is None else _raw(people, new_runs),
        kappa_new_runs=None if new_runs is None else _kappa(people, new_runs),
    )


def _raw(people: Sequence[str], judge: Sequence[str]) -> float:
    return float(np.mean([left == right for left, right in zip(people, judge, strict=True)]))


def _kappa(people: Sequence[str], judge: Sequence[str]) -> float | None:
    return cohen_kappa(confusion_table(people, judge, sorted({*people, *judge})))


OrdinalT = TypeVar("OrdinalT", QuestionAssessment, AnswerAssessment)


def by_submission(labels: Iterable[OrdinalT]) -> list[tuple[tuple[str, str], list[OrdinalT]]]:
    """Return the judged labels of each (run tag, topic id), sorted."""
    groups: dict[tuple[str, str], list[OrdinalT]] = defaultdict(list)
    for item in labels:
        if not isinstance(item.label, Unjudged):
            groups[item.run_tag, item.topic_id].append(item)
    return sorted(groups.items(), key=lambda group: group[0])


def level_labels(
    model: ShiftedLevels,
    scale: LabelScale,
    names: Sequence[str],
    min_confidence: float,
    features: Features,
) -> list[str | Unjudged]:
    """Return the label of each row of features; `names` are those of the model's levels.

    A label is withheld as unjudged where its credit is less likely than `min_confidence`, in
    [0, 1]: labels that earn the same credit count together, because no score depends on which of
    them it is.
    """
    credit = np.array([scale.credit(name) for name in names])
    levels, probabilities = model.predict(features), model.probabilities(features)
    confidence = (probabilities * (credit[levels][:, None] == credit)).sum(axis=1)
    return [
        names[level]
        if likely >= min_confidence
        else Unjudged(reason=f"confidence in the credit {likely:.2f}, below {min_confidence:g}")
        for level, likely in zip(levels, confidence, strict=True)
    ]
