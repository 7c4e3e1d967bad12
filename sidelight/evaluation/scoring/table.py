"""Tables of measure values by run and topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.metrics.base import Computed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sidelight.evaluation.metrics.base import TopicRecord
    from sidelight.schemas.grading.judgment import Measure


@dataclass(frozen=True, slots=True)
class TopicScore:
    """Scores of one run on one topic.

    Attributes:
        run_tag: The run.
        topic_id: The topic.
        values: Measure name -> value, in column order; 0, as means count it, where undefined.
        undefined: Measures that are undefined on the topic, whatever the run.
    """

    run_tag: str
    topic_id: str
    values: dict[str, float]
    undefined: frozenset[str] = frozenset()

    @property
    def row(self) -> dict[str, float | None]:
        """Return the values by column name, None where undefined."""
        return _defined(self.values, self.undefined)


@dataclass(frozen=True, slots=True)
class RunScore:
    """Scores of one run over topics.

    Attributes:
        run_tag: The run.
        values: Measure name -> mean over topics, in column order; a topic on which a measure is
            undefined counts as 0.
        n_topics: Topics on which it was judged; None where that is not counted.
        undefined: Measures that are undefined on all topics.
    """

    run_tag: str
    values: dict[str, float]
    n_topics: int | None = None
    undefined: frozenset[str] = frozenset()

    @property
    def row(self) -> dict[str, float | None]:
        """Return the values, None where undefined, then the number of topics, by column name."""
        counted = {} if self.n_topics is None else {"n_topics": self.n_topics}
        return _defined(self.values, self.undefined) | counted


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The scores of some runs on one task.

    Attributes:
        measures: What was measured, the one that ranks runs first.
        topics: One entry for each topic and run, sorted by topic id, then run tag.
        runs: One entry for each run, the best first, ties by run tag.
        omitted: Run tag -> topics without a judgment, which scored 0; only runs that have any.
    """

    measures: tuple[Measure, ...]
    topics: tuple[TopicScore, ...]
    runs: tuple[RunScore, ...]
    omitted: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def main(self) -> Measure:
        """The measure that ranks runs."""
        return self.measures[0]

    @property
    def undefined(self) -> dict[str, tuple[str, ...]]:
        """Measure name -> topics on which it is undefined; only measures that are on any."""
        return undefined_topics(self.topics)

    def computed_by(self, computation: str) -> Measure | None:
        """Return the first measure with a computation, by its registered name; None for none."""
        return next((one for one in self.measures if one.computes == computation), None)


def undefined_topics(topics: Iterable[TopicScore]) -> dict[str, tuple[str, ...]]:
    """Return measure name -> topics on which it is undefined; only measures that are on any."""
    found: dict[str, set[str]] = {}
    for topic in topics:
        for name in topic.undefined:
            found.setdefault(name, set()).add(topic.topic_id)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def mean_scores(topics: Sequence[TopicScore], n_topics: int | None = None) -> RunScore:
    """Return the means of a run.

    Args:
        topics: Its scores, at least one.
        n_topics: The topics on which it was judged; None where that is not counted.
    """
    means = {
        name: fsum(topic.values[name] for topic in topics) / len(topics)
        for name in topics[0].values
    }
    undefined = frozenset.intersection(*(topic.undefined for topic in topics))
    return RunScore(topics[0].run_tag, means, n_topics, undefined)


def _defined(values: Mapping[str, float], undefined: frozenset[str]) -> dict[str, float | None]:
    return {name: None if name in undefined else value for name, value in values.items()}


def tabulate(
    topic_ids: Iterable[str],
    run_tags: Iterable[str],
    judged: Iterable[tuple[str, str]],
    record: Callable[[str, str], TopicRecord],
    measures: Sequence[Measure],
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Compute every measure of every run on every topic.

    Args:
        topic_ids: At least one.
        run_tags: The runs.
        judged: (run tag, topic id) of what was judged; all else is listed as omitted.
        record: Run tag and topic id to what is known, also of what was omitted.
        measures: The one that ranks runs first; one that needs what is not known is left out.
        further: Measures that were asked for.

    Raises:
        InputError: There are no runs.
        UsageError: A measure that was asked for needs what is not known, or has the name of
            another.
    """
    ordered_ids, ordered_tags, judged = sorted(topic_ids), sorted(run_tags), set(judged)
    if not ordered_tags:
        raise InputError("the assessments hold no row", remedy="Judge at least one run first.")
    known = record(ordered_tags[0], ordered_ids[0]).known
    computed = [one for one in map(Computed, measures) if one.needs <= known]
    computed += [_needing(Computed(one), known) for one in further]
    names = [one.measure.name for one in computed]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two measures are called {repeated[0]}")
    topics = []
    for topic_id in ordered_ids:
        for run_tag in ordered_tags:
            about = record(run_tag, topic_id)
            values = {one.measure.name: one(about) for one in computed}
            topics.append(
                TopicScore(
                    run_tag,
                    topic_id,
                    {name: value or 0.0 for name, value in values.items()},
                    frozenset(name for name, value in values.items() if value is None),
                )
            )
    omitted = {
        run_tag: tuple(topic_id for topic_id in ordered_ids if (run_tag, topic_id) not in judged)
        for run_tag in ordered_tags
    }
    runs = []
    for run_tag in ordered_tags:
        rows = [topic for topic in topics if topic.run_tag == run_tag]
        runs.append(mean_scores(rows, len(rows) - len(omitted[run_tag])))
    main = computed[0].measure
    return ScoreTable(
        measures=tuple(one.measure for one in computed),
        topics=tuple(topics),
        runs=tuple(sorted(runs, key=lambda run: (-main.sign * run.values[main.name], run.run_tag))),
        omitted={run_tag: missing for run_tag, missing in omitted.items() if missing},
    )


def _needing(computed: Computed, known: frozenset[str]) -> Computed:
    """Return a computation, all of whose needs are known."""
    if lacking := sorted(computed.needs - known):
        raise UsageError(
            f"the measure {computed.measure.name} needs {', '.join(lacking)}; known here are "
            f"{', '.join(sorted(known))}"
        )
    return computed
