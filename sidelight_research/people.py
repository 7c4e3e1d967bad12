"""The learned judges held against people's labels, from which nothing is learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sidelight.checks.support import SUPPORT_SCALE, LearnedSupportCheck
from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients import cohen_kappa, kendall
from sidelight.learned.models import AnswerModel
from sidelight.schemas.base import Value
from sidelight.text_vectors import Encode
from sidelight_research.people_labels import read_answers, read_citations, read_segments

Levels = npt.NDArray[np.int64]


CREDIT = (0.0, 0.5, 1.0)
"""What each level is worth: none, partial, full."""

_RESAMPLES = 1_000
_SEED = 0
_TAIL = 2.5  # percent
_MIN_TOPICS = 2


class Interval(Value):
    """Where a figure lies in 95% of resamples of the topics."""

    low: float
    high: float


class Agreed(Value):
    """How well a model agrees with people's labels in a file.

    The fields that `LevelAgreement` has mean the same.

    Attributes:
        left_out: Labels that could not be compared, because their segment's text is missing.
        intervals: `kappa`, `accuracy`, `tau` -> interval; without those that are undefined, and
            empty for a single topic.
    """

    n: int
    topics: int
    runs: int
    kappa: float | None
    accuracy: float
    tau: float | None
    confusion: tuple[tuple[int, ...], ...]
    left_out: int
    intervals: dict[str, Interval]


class LevelAgreement(Value):
    """Agreement of two lists of levels, people's and a judge's.

    Attributes:
        kappa: Cohen's kappa on three labels; None when both sides use one label throughout.
        accuracy: Share of equal labels, in [0, 1].
        tau: Kendall's tau-b of the runs by mean credit; None with fewer than two different runs.
        confusion: `[people's level][judge's level]`, counts; levels none, partial, full.
    """

    n: int
    kappa: float | None
    accuracy: float
    tau: float | None
    runs: int
    confusion: tuple[tuple[int, ...], ...]


class _Labels:
    """Levels by people and by a model, label by label."""

    def __init__(self) -> None:
        self.people: list[int] = []
        self.judge: list[int] = []
        self.topics: list[str] = []
        self.runs: list[str] = []

    def add(self, people: int, judge: int, topic: str, run: str) -> None:
        self.people.append(people)
        self.judge.append(judge)
        self.topics.append(topic)
        self.runs.append(run)


def agree_on_answers(
    labels: Path, encode: Encode | None, *, max_words: int | None = None
) -> Agreed:
    """Compare the answer model with people's labels of nuggets in answers; see `read_answers`.

    Without an encoder it is the words-only model. `max_words` of an answer count; all if None.
    """
    answers = read_answers(labels)
    model = AnswerModel(encode)
    found = _Labels()
    for topic in sorted({answer.topic for answer in answers}):
        ours = [answer for answer in answers if answer.topic == topic]
        model.prepare(((answer.items, answer.text) for answer in ours), max_words=max_words)
        for answer in ours:
            verdicts = model.judge(
                answer.items, answer.text, max_words=max_words, context=answer.query
            )
            for level, verdict in zip(answer.levels, verdicts, strict=True):
                found.add(level, verdict.level, answer.topic, answer.run)
    return _agreed(found, labels, 0)


def agree_on_support(labels: Path, segments: Path) -> Agreed:
    """Compare the judge of support with people's labels of cited segments.

    Each is judged as `score support` does: by itself, with the topic's query if it is known. See
    `read_citations` and `read_segments`.

    Raises:
        InputError: None of the cited segments is in `segments`.
    """
    citations, known = read_citations(labels), read_segments(segments)
    check = LearnedSupportCheck()
    usable = [citation for citation in citations if citation.segment in known.texts]
    found = _Labels()
    for topic in sorted({citation.topic for citation in usable}):
        ours = [citation for citation in usable if citation.topic == topic]
        supports = check.check(
            [(citation.sentence, [known.texts[citation.segment]]) for citation in ours],
            asked=known.queries.get(topic, ""),
        )
        for citation, support in zip(ours, supports, strict=True):
            level = len(SUPPORT_SCALE.names) - 1 - SUPPORT_SCALE.names.index(support.label)
            found.add(citation.level, level, topic, citation.run)
    return _agreed(found, labels, len(citations) - len(usable))


def agreement_of_levels(
    people: Levels, judge: Levels, topics: Sequence[str], runs: Sequence[str]
) -> LevelAgreement:
    """Return how well two lists of levels agree; all `(n,)`."""
    confusion = np.zeros((len(CREDIT), len(CREDIT)), dtype=np.int64)
    np.add.at(confusion, (people, judge), 1)
    return LevelAgreement(
        n=len(people),
        kappa=cohen_kappa(confusion),
        accuracy=float(np.trace(confusion) / max(1, confusion.sum())),
        tau=_run_tau(people, judge, topics, runs),
        runs=len(set(runs)),
        confusion=tuple(tuple(int(count) for count in row) for row in confusion),
    )


def _run_tau(
    people: Levels, judge: Levels, topics: Sequence[str], runs: Sequence[str]
) -> float | None:
    """Return Kendall's tau-b of the runs; None when it is undefined.

    The score of a run is the mean over its topics of the mean credit of its labels, each item
    counting the same, vital or not.
    """
    credit = np.array(CREDIT)
    cells: dict[str, dict[str, list[int]]] = {}
    for row, (run, topic) in enumerate(zip(runs, topics, strict=True)):
        cells.setdefault(run, {}).setdefault(topic, []).append(row)
    scores = [
        [
            float(np.mean([credit[levels[rows]].mean() for rows in by_topic.values()]))
            for _, by_topic in sorted(cells.items())
        ]
        for levels in (people, judge)
    ]
    first, second = (np.array(side) for side in scores)
    return kendall(first, second)


def _agreed(found: _Labels, path: Path, left_out: int) -> Agreed:
    if not found.people:
        raise InputError(
            f"{path}: no label can be compared",
            remedy="Give labels, and the texts of the segments that they are about.",
        )
    people, judge = np.array(found.people), np.array(found.judge)
    agreement = agreement_of_levels(people, judge, found.topics, found.runs)
    return Agreed(
        n=agreement.n,
        topics=len(set(found.topics)),
        runs=agreement.runs,
        kappa=agreement.kappa,
        accuracy=agreement.accuracy,
        tau=agreement.tau,
        confusion=agreement.confusion,
        left_out=left_out,
        intervals=_intervals(found),
    )


def _intervals(found: _Labels) -> dict[str, Interval]:
    """Return 95% intervals over resamples of the topics; a topic drawn twice counts as two."""
    names = sorted(set(found.topics))
    if len(names) < _MIN_TOPICS:
        return {}
    people, judge = np.array(found.people), np.array(found.judge)
    rows = {name: np.flatnonzero(np.array(found.topics) == name) for name in names}
    lots = np.random.default_rng(_SEED)
    samples: list[LevelAgreement] = []
    for _ in range(_RESAMPLES):
        drawn = [names[place] for place in lots.integers(len(names), size=len(names))]
        chosen = np.concatenate([rows[name] for name in drawn])
        topics = [f"{copy}" for copy, name in enumerate(drawn) for _ in rows[name]]
        runs = [found.runs[row] for row in chosen]
        samples.append(agreement_of_levels(people[chosen], judge[chosen], topics, runs))
    measures: dict[str, Callable[[LevelAgreement], float | None]] = {
        "kappa": lambda sample: sample.kappa,
        "accuracy": lambda sample: sample.accuracy,
        "tau": lambda sample: sample.tau,
    }
    return {
        name: interval
        for name, measure in measures.items()
        if (interval := _middle([measure(sample) for sample in samples]))
    }


def _middle(values: Sequence[float | None]) -> Interval | None:
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    low, high = np.percentile(defined, [_TAIL, 100 - _TAIL])
    return Interval(low=float(low), high=float(high))
