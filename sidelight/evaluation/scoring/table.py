"""Tables of measure values by run and topic.

Bootstrap confidence intervals and tests for a mean over topics or a difference of two means.

Topics are resampled: the question is what another sample of topics would have given. All random
numbers come from one seeded generator, so the same scores give the same figures, and the result for
one row of scores does not depend on the other rows.

Result files with the organizers' names and columns; further columns follow theirs.

`{human,auto}_<task>_per_{topic,run}_results.csv` begin with `run_tag`, then `topic_id` (per topic
only), then the measures in the order the scorer gives them; where intervals
are known, per-run files end in `interval_low` and `interval_high` of the first measure. A measure
that is undefined has an empty cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.metrics.base import Computed, TopicRecord
from sidelight.formats.labels.assessments import ASSESSMENT_KINDS
from sidelight.formats.lines import Findings
from sidelight.formats.table import Row, read_table, to_frame, write_table
from sidelight.schemas.grading.judgment import Measure
from sidelight.schemas.task import Task
from sidelight.text import finite_number, quoted

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopicScore:
    """Scores of one run on one topic.

    Attributes:
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


@dataclass(frozen=True, slots=True, repr=False)
class ScoreTable:
    """The scores of some runs on one task.

    Attributes:
        measures: What was measured, the one that ranks runs first.
        topics: One entry for each topic and run, sorted by topic id, then run tag.
        runs: One entry for each run, the best first, ties by run tag.
        omitted: Run tag -> topics without a judgment, which scored 0; only runs that have any.
        unlabelled: Runs left out because none of their rows has a label.
    """

    measures: tuple[Measure, ...]
    topics: tuple[TopicScore, ...]
    runs: tuple[RunScore, ...]
    omitted: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unlabelled: tuple[str, ...] = ()

    @property
    def main(self) -> Measure:
        """The measure that ranks runs."""
        return self.measures[0]

    @property
    def undefined(self) -> dict[str, tuple[str, ...]]:
        """Measure name -> topics on which it is undefined; only measures that are on any."""
        return undefined_topics(self.topics)

    def to_frame(self) -> Any:
        """Return the scores as a `pandas.DataFrame`, a row for each run and topic."""
        return to_frame(
            [{"run": one.run_tag, "topic": one.topic_id, **one.row} for one in self.topics]
        )

    def __repr__(self) -> str:
        lines = [f"{one.run_tag}: {listed(one.row)}" for one in self.runs]
        return "\n".join(["<ScoreTable>", *(f"  {line}" for line in lines)])

    def computed_by(self, computation: str) -> Measure | None:
        """Return the first measure with a computation, by its registered name; None for none."""
        return next((one for one in self.measures if one.computes == computation), None)


def listed(values: Mapping[str, float | None]) -> str:
    """Return values with their names in one line."""
    return ", ".join(
        f"{name} {'undefined' if value is None else format(value, '.4g')}"
        for name, value in values.items()
    )


def undefined_topics(topics: Iterable[TopicScore]) -> dict[str, tuple[str, ...]]:
    """Return measure name -> topics on which it is undefined; only measures that are on any."""
    found: dict[str, set[str]] = {}
    for topic in topics:
        for name in topic.undefined:
            found.setdefault(name, set()).add(topic.topic_id)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def mean_scores(topics: Sequence[TopicScore], n_topics: int | None = None) -> RunScore:
    """Return the means of a run; `n_topics` is the number judged, None where it is not counted."""
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

    On a topic on which no run has a label, a measure that comes to 0 for each is undefined.
    `judged` holds the (run tag, topic id) of what was judged; all else is listed as omitted, and so
    is that of which every label is lacking. A run of which all are, while another run has some, is
    left out: 0 would say that it was judged and found to be of no use. `record` takes a run tag and
    a topic id and returns what is known, also of what was omitted. The first of `measures`
    ranks runs; one that needs what is not known is left out. `further` measures were asked for.
    """
    ordered_ids, ordered_tags, judged = sorted(topic_ids), sorted(run_tags), set(judged)
    if not ordered_tags:
        raise InputError("the assessments hold no row", remedy="Judge at least one run first.")
    blank = {key for key in judged if record(*key).unlabelled}
    judged -= blank
    unlabelled = {tag for tag, _ in blank} - {tag for tag, _ in judged} if judged else set()
    ordered_tags = [tag for tag in ordered_tags if tag not in unlabelled]
    known = record(ordered_tags[0], ordered_ids[0]).known
    computed = [one for one in map(Computed, measures) if one.needs <= known]
    computed += [_needing(Computed(one), known) for one in further]
    names = [one.measure.name for one in computed]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two measures are called {repeated[0]}")
    topics: list[TopicScore] = []
    for topic_id in ordered_ids:
        records = {run_tag: record(run_tag, topic_id) for run_tag in ordered_tags}
        topics += _topic_scores(topic_id, records, computed)
    omitted = {
        run_tag: tuple(topic_id for topic_id in ordered_ids if (run_tag, topic_id) not in judged)
        for run_tag in ordered_tags
    }
    n_topics = {tag: len(ordered_ids) - len(missing) for tag, missing in omitted.items()}
    table = ranked_table(tuple(one.measure for one in computed), topics, n_topics)
    omitted = {tag: missing for tag, missing in omitted.items() if missing}
    return replace(table, omitted=omitted, unlabelled=tuple(sorted(unlabelled)))


def ranked_table(
    measures: tuple[Measure, ...],
    topics: Sequence[TopicScore],
    n_topics: Mapping[str, int] = MappingProxyType({}),
) -> ScoreTable:
    """Return the table of some topics' scores: runs by their mean, the best first.

    The first of `measures` ranks runs. `n_topics` says, by run tag, how many topics were judged; it
    is empty where that is not counted.
    """
    by_run: dict[str, list[TopicScore]] = {}
    for topic in topics:
        by_run.setdefault(topic.run_tag, []).append(topic)
    runs = [mean_scores(rows, n_topics.get(run_tag)) for run_tag, rows in by_run.items()]
    main = measures[0]
    return ScoreTable(
        measures,
        topics=tuple(sorted(topics, key=lambda topic: (topic.topic_id, topic.run_tag))),
        runs=tuple(sorted(runs, key=lambda run: (-main.sign * run.values[main.name], run.run_tag))),
    )


def _topic_scores(
    topic_id: str, records: Mapping[str, TopicRecord], computed: Sequence[Computed]
) -> Iterator[TopicScore]:
    by_run = {tag: {c.measure.name: c(record) for c in computed} for tag, record in records.items()}
    unlabelled = all(record.unlabelled for record in records.values())
    earned = {name for found in by_run.values() for name in found if found[name] or not unlabelled}
    for run_tag, found in by_run.items():
        values = {name: value or 0.0 for name, value in found.items()}
        undefined = {name for name in found if found[name] is None or name not in earned}
        yield TopicScore(run_tag, topic_id, values, frozenset(undefined))


def _needing(computed: Computed, known: frozenset[str]) -> Computed:
    """Return a computation, all of whose needs are known."""
    if lacking := sorted(computed.needs - known):
        raise UsageError(
            f"the measure {computed.measure.name} needs {', '.join(lacking)}; known here are "
            f"{', '.join(sorted(known))}"
        )
    return computed


CONFIDENCE = 0.95
POWER = 0.8
MIN_TOPICS = 3
FEW = 10
"""Below so many topics or runs, intervals cover less than they say and are to be warned about."""
_MAX_EXACT = 12
# Sums of the same numbers in another order may differ in the last digits.
_TIE = 1e-12


class Interval(NamedTuple):
    """A 95% confidence interval."""

    low: float
    high: float


def bootstrap_intervals(scores: Matrix, *, samples: int, seed: int) -> list[Interval | None]:
    """Return the 95% percentile bootstrap interval of each row's mean over topics.

    With few topics the plain percentile interval is too narrow (for 30 it covers less than 94%), so
    the percentiles are moved out to Phi(sqrt(n / (n - 1)) * t), where t is the quantile of
    Student's t with n - 1 degrees of freedom at 2.5% and 97.5% (the expanded percentile interval:
    Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69(4),
    2015). `scores` has a row for each run (or pair of runs) and a column for each topic. The same
    resampled topics serve all rows. With fewer than 3 topics every interval is None.
    """
    n_topics = scores.shape[1]
    if n_topics < MIN_TOPICS:
        return [None] * len(scores)
    generator = np.random.default_rng(seed)
    shares = generator.multinomial(n_topics, np.full(n_topics, 1 / n_topics), samples) / n_topics
    tail = expanded_tail(n_topics)
    # Not `@`: the last digits of BLAS depend on its build and its number of threads.
    return [
        Interval(*np.quantile(np.einsum("st,t->s", shares, row), (tail, 1 - tail)).tolist())
        for row in scores
    ]


def expanded_tail(n_topics: int) -> float:
    """Return the lower percentile, in (0, .5), of an interval; see `bootstrap_intervals`."""
    from scipy.special import ndtr, stdtrit

    t = stdtrit(n_topics - 1, (1 - CONFIDENCE) / 2)
    return float(ndtr(sqrt(n_topics / (n_topics - 1)) * t))


def run_intervals(table: ScoreTable, *, samples: int, seed: int) -> dict[str, Interval | None]:
    """Return run tag -> interval of the run's mean in the first measure of the table.

    An interval is None where the measure is undefined. Every run must be scored on every topic.
    """
    measure = table.main.name
    rows: dict[str, list[float]] = {run.run_tag: [] for run in table.runs}
    for topic in table.topics:
        rows[topic.run_tag].append(topic.values[measure])
    intervals = bootstrap_intervals(np.array(list(rows.values())), samples=samples, seed=seed)
    undefined = {run.run_tag for run in table.runs if measure in run.undefined}
    return {
        run_tag: None if run_tag in undefined else interval
        for run_tag, interval in zip(rows, intervals, strict=True)
    }


def randomisation_tests(differences: Matrix, *, samples: int, seed: int) -> list[float]:
    """Return the two-sided p-value of each row under the paired randomisation test.

    If two runs are alike, the sign of their difference on a topic is a toss-up. p is the share of
    sign patterns whose sum is at least as far from 0 as the observed one: of all 2^m patterns where
    m <= 12 topics differ, otherwise (1 + hits) / (1 + samples) with random patterns, which is never
    0 (Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation, CIKM 2007; Phipson and Smyth, Permutation P-values Should Never Be Zero,
    2010). Without any difference p is 1. `differences` has a row for each pair of runs and a column
    for each topic.
    """
    generator = np.random.default_rng(seed)
    random_signs = generator.choice((-1.0, 1.0), size=(samples, differences.shape[1]))
    return [_randomisation_test(row, random_signs) for row in differences]


def _randomisation_test(row: npt.NDArray[np.float64], random_signs: Matrix) -> float:
    different = row[row != 0]
    exact = len(different) <= _MAX_EXACT
    if exact:
        patterns = np.arange(2 ** len(different))[:, None] >> np.arange(len(different))
        sums = np.einsum("st,t->s", 1.0 - 2.0 * (patterns & 1), different)
    else:
        sums = np.einsum("st,t->s", random_signs, row)
    hits = int(np.count_nonzero(np.abs(sums) >= abs(row.sum()) - _TIE))
    return hits / len(sums) if exact else (1 + hits) / (1 + len(sums))


def minimum_detectable_difference(
    differences: npt.NDArray[np.float64], n_comparisons: int = 1
) -> float | None:
    """Return the smallest true difference that as many topics would show four times in five.

    (t(n - 1, 1 - a / 2) + t(n - 1, 0.8)) * s / sqrt(n), with a = 0.05 / m

    n: number of topics, s: standard deviation of the paired differences (divisor n - 1), t: the
    quantile of Student's t, m: number of comparisons, whose smallest p-value Holm's method holds
    against a; for a two-sided test with a power of 80%. Source: Bloom, Minimum Detectable Effects,
    Evaluation Review 19(5), 1995.

    None with fewer than 3 topics, for runs that differ on no topic, because s says nothing then,
    and where no difference could ever be shown: the randomisation test of n topics gives no p-value
    below 2 / 2^n. `differences` is `(n,)`, of two runs topic by topic; `n_comparisons` is m.
    """
    from scipy.special import stdtrit

    n_topics, level = len(differences), (1 - CONFIDENCE) / n_comparisons
    if n_topics < MIN_TOPICS or smallest_p_value(n_topics) > level or not differences.any():
        return None
    quantiles = stdtrit(n_topics - 1, (1 - level / 2, POWER))
    return float(quantiles.sum() * np.std(differences, ddof=1) / sqrt(n_topics))


def smallest_p_value(n_topics: int) -> float:
    """Return the least p-value that the paired randomisation test can give: 2 / 2^n.

    Of the 2^n patterns of signs the observed one and its mirror image are always as extreme.
    """
    return 2.0 ** (1 - n_topics)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method, in the same order.

    The k-th smallest of m is multiplied by m - k + 1, capped at 1, and raised to the corrected
    value before it where that is larger (Holm, A Simple Sequentially Rejective Multiple Test
    Procedure, Scandinavian Journal of Statistics 6(2), 1979).
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for k, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - k)))
        corrected[place] = largest
    return corrected


_IDS = ("run_tag", "topic_id")
_MOST = 1e9  # more than any measure counts


def label_source(assessments: Path) -> Literal["human", "auto"]:
    """Return who labelled a file, by the name of its label column; it begins the file names."""
    header, _ = read_table(assessments)
    return "human" if "annotation" in header else "auto"


def score_prefix(source: str, task: Task) -> str:
    """Return how the names of a task's score files begin.

    `source` is who labelled: `human`, `auto` or `not stated`.
    """
    return f"{source.replace(' ', '_')}_{task.scores_name or task.name}"


def per_topic_name(prefix: str) -> str:
    """Return the name of the file with the scores of each topic."""
    return f"{prefix}_per_topic_results.csv"


def read_topic_scores(path: Path) -> list[TopicScore]:
    """Read a `..._per_topic_results.csv`; every column but `run_tag` and `topic_id` is a measure.

    A measure is undefined on a topic where no run has a score.

    Raises:
        InvalidFileError: A column is missing, a score is no number that a measure has or is missing
            for some runs alone, or a run has two rows for a topic.
    """
    header, rows = read_table(path)
    findings = Findings(path)
    measures = [column for column in header if column not in _IDS]
    if any(kind.matches(tuple(header)) for kind in ASSESSMENT_KINDS.values()):
        expected, found = "scores per topic", "labels of questions or answers"
        remedy = "Compare labels with `sidelight agree labels`; score them with `sidelight score`."
        findings.error("csv-columns", 1, expected=expected, found=found, remedy=remedy)
        findings.raise_errors()
    if not set(_IDS) <= set(header) or not measures:
        expected = f"{', '.join(_IDS)} and at least one measure"
        remedy = "Take the per-topic file that `sidelight score --output` writes."
        findings.error("csv-columns", 1, expected=expected, found=", ".join(header), remedy=remedy)
        findings.raise_errors()
    scores: dict[tuple[str, ...], TopicScore] = {}
    records = list(rows)
    defined = {
        (row.cells["topic_id"], name) for row in records for name in measures if row.cells[name]
    }
    for row in records:
        run_tag, topic_id = key = tuple(row.cells[column] for column in _IDS)
        if key in scores:
            told = f"one row for run {run_tag} and topic {topic_id}"
            findings.again("score-duplicate", row.line, told)
        undefined = frozenset(name for name in measures if (topic_id, name) not in defined)
        values = {
            name: 0.0 if name in undefined else _number(row, name, findings) for name in measures
        }
        scores[key] = TopicScore(run_tag, topic_id, values, undefined)
    findings.raise_errors()
    if not scores:
        raise InputError(f"{path} holds no score", remedy="Score at least one run first.")
    return list(scores.values())


def write_score_files(
    table: ScoreTable,
    folder: Path,
    prefix: str,
    intervals: Mapping[str, Interval | None] | None = None,
) -> tuple[Path, Path]:
    """Write the two files of a score table and return their paths (per topic, per run).

    `intervals` are by run tag, None for empty cells; without them there are no such columns. The
    names begin with `prefix`, as `score_prefix` returns it.
    """
    per_topic = folder / per_topic_name(prefix)
    per_run = folder / f"{prefix}_per_run_results.csv"
    measures, columns = list(table.topics[0].values), list(table.runs[0].row)
    ends = () if intervals is None else ("interval_low", "interval_high")
    write_table(
        per_topic,
        (*_IDS, *measures),
        ((topic.run_tag, topic.topic_id, *map(topic.row.get, measures)) for topic in table.topics),
    )
    write_table(
        per_run,
        ("run_tag", *columns, *ends),
        (
            (
                run.run_tag,
                *map(run.row.get, columns),
                *(() if intervals is None else intervals[run.run_tag] or ("", "")),
            )
            for run in table.runs
        ),
    )
    return per_topic, per_run


def _number(row: Row, column: str, findings: Findings) -> float:
    value = finite_number(row.cells[column])
    if value is not None and abs(value) <= _MOST:
        return value
    findings.error(
        "score",
        row.line,
        expected=f"a number from {-_MOST:g} to {_MOST:g} in {column}",
        found=quoted(row.cells[column]),
        remedy="Score the run again; a score that other runs have may not be missing.",
    )
    return 0.0
