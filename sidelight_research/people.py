"""The learned judges held against people's labels, from which nothing is learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.checks.support import SUPPORT_SCALE, LearnedSupportCheck
from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients import cohen_kappa, kendall
from sidelight.learned.models import AnswerModel
from sidelight.schemas.base import Value
from sidelight.text_vectors import SentenceEncoder
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


class _Label(NamedTuple):
    """One level by people and by a model."""

    people: int
    judge: int
    topic: str
    run: str


def agree_on_answers(
    labels: Path, encoder: SentenceEncoder | None, *, max_words: int | None = None
) -> Agreed:
    """Compare the answer model with people's labels of nuggets in answers; see `read_answers`.

    Without an encoder it is the words-only model. `max_words` of an answer count; all if None.
    """
    answers = read_answers(labels)
    model = AnswerModel(encoder)
    found = []
    for topic in sorted({answer.topic for answer in answers}):
        ours = [answer for answer in answers if answer.topic == topic]
        model.prepare(((answer.items, answer.text) for answer in ours), max_words=max_words)
        for answer in ours:
            verdicts = model.judge(
                answer.items, answer.text, max_words=max_words, context=answer.query
            )
            for level, verdict in zip(answer.levels, verdicts, strict=True):
                found.append(_Label(level, verdict.level, answer.topic, answer.run))
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
    found = []
    for topic in sorted({citation.topic for citation in usable}):
        ours = [citation for citation in usable if citation.topic == topic]
        supports = check.check(
            [(citation.sentence, [known.texts[citation.segment]]) for citation in ours],
            asked=known.queries.get(topic, ""),
        )
        for citation, support in zip(ours, supports, strict=True):
            level = len(SUPPORT_SCALE.names) - 1 - SUPPORT_SCALE.names.index(support.label)
            found.append(_Label(citation.level, level, topic, citation.run))
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


def _agreed(found: Sequence[_Label], path: Path, left_out: int) -> Agreed:
    if not found:
        raise InputError(
            f"{path}: no label can be compared",
            remedy="Give labels, and the texts of the segments that they are about.",
        )
    people, judge, topics, runs = zip(*found, strict=True)
    agreement = agreement_of_levels(np.array(people), np.array(judge), topics, runs)
    return Agreed(
        **dict(agreement),
        topics=len(set(topics)),
        left_out=left_out,
        intervals=_intervals(np.array(people), np.array(judge), topics, runs),
    )


def _intervals(
    people: Levels, judge: Levels, of: Sequence[str], by: Sequence[str]
) -> dict[str, Interval]:
    """Return 95% intervals over resamples of the topics; a topic drawn twice counts as two."""
    names = sorted(set(of))
    if len(names) < _MIN_TOPICS:
        return {}
    rows = {name: np.flatnonzero(np.array(of) == name) for name in names}
    lots = np.random.default_rng(_SEED)
    samples: list[LevelAgreement] = []
    for _ in range(_RESAMPLES):
        drawn = [names[place] for place in lots.integers(len(names), size=len(names))]
        chosen = np.concatenate([rows[name] for name in drawn])
        topics = [f"{copy}" for copy, name in enumerate(drawn) for _ in rows[name]]
        runs = [by[row] for row in chosen]
        samples.append(agreement_of_levels(people[chosen], judge[chosen], topics, runs))
    return {
        name: interval
        for name in ("kappa", "accuracy", "tau")
        if (interval := _middle([getattr(sample, name) for sample in samples]))
    }


def _middle(values: Sequence[float | None]) -> Interval | None:
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    low, high = np.percentile(defined, [_TAIL, 100 - _TAIL])
    return Interval(low=float(low), high=float(high))
