"""Reimplementation of the track organizers' script: its scores, to the last digit.

Not the published formulas: the script divides by what is *present* in the assessments, so that
omissions and repeated rows change a score (see `score.py` for the formulas). Where the script
stops at a cell it cannot use, an error names the cell. Labels are taken as they are spelled.

Arithmetic that shows in the last digit is done in the script's order: sums within a topic follow
the rubric's question ranks, means over topics are compensated (Kahan) as pandas does them, and
runs are ordered by an unstable numpy sort of the scores.

Differences between our scores and the script's: each is traced to what is missing from the files or
repeated in them, so complete files give an empty report.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import RunScore, ScoreTable, TopicScore
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    AssessmentKind,
    read_assessments,
    read_merged_assessments,
)
from sidelight.formats.lines import Findings
from sidelight.formats.table import Row, read_table
from sidelight.schemas.grading.judgment import LabelScale, Measure
from sidelight.schemas.grading.rubric import Rubric
from sidelight.text import finite_number, quoted
from sidelight.tracks import Track

# What pandas.read_csv takes for a missing value unless told otherwise.
_MISSING = frozenset(
    (
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)


def compat_question_scores(  # long: the organizers' steps, in their order
    track: Track, rubrics: Mapping[str, Rubric], assessments: Path, compound: Path
) -> ScoreTable:
    """Return the scores of questions, with the main measure of the track's task.

    The denominator of a topic is the weight of the rubric questions that any run was judged on.
    """
    weights = {
        (topic_id, question.rank): question.weight
        for topic_id, rubric in rubrics.items()
        for question in rubric.questions
    }
    findings, rows = Findings(assessments), _rows(assessments, QUESTION_ASSESSMENTS)
    scales, measure = track.scales, track.question_list.measures[0]
    factors_of = _credits(scales[COMPOUND_ASSESSMENTS.scale])
    verdicts = _verdicts(compound, factors_of)
    gains = _credits(scales[QUESTION_ASSESSMENTS.scale])
    # topic -> run -> rubric question rank -> best credit
    best: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    present: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        _refuse_missing(row, findings)
        gain = _value(row, gains, findings)
        topic_id, run_tag = row.cells["topic_id"], row.cells["run_tag"]
        rubric_rank = _rank(row, "rubric_question_rank", findings)
        run_rank = _rank(row, "run_question_rank", findings)
        if (topic_id, rubric_rank) not in weights:
            findings.error(
                "compat-unmatched",
                row.line,
                expected="a question of the rubrics",
                found=f"topic {topic_id}, rubric question {rubric_rank}",
                remedy="Complete the rubrics, or remove the row.",
            )
            continue
        factors = verdicts.get((topic_id, run_tag, run_rank))
        if factors is None:
            findings.error(
                "compat-verdict",
                row.line,
                expected=f"one of {', '.join(factors_of)} in the compound check",
                found=f"no verdict on topic {topic_id}, run {run_tag}, question {run_rank}",
                remedy="Complete the compound check.",
            )
            continue
        credit = gain * max(factors) * weights[topic_id, rubric_rank]
        earlier = best[topic_id][run_tag].get(rubric_rank, 0.0)
        best[topic_id][run_tag][rubric_rank] = max(credit, earlier)
        present[topic_id].add(rubric_rank)
    findings.raise_errors()
    return _table(
        [measure],
        [
            # Credits are halves and whole numbers, so their sum is exact in any order.
            TopicScore(
                run_tag,
                topic_id,
                {
                    measure.name: sum(best[topic_id][run_tag].values())
                    / sum(weights[topic_id, rank] for rank in present[topic_id])
                },
            )
            for topic_id in sorted(best)
            for run_tag in sorted(best[topic_id])
        ],
    )


def compat_report_scores(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Path
) -> ScoreTable:
    """Return the scores of reports, with the track's measures of support and contradiction.

    The answers of a question are averaged over the rows that are present, repeated ones included.
    """
    rank_of = {
        (topic_id, answer.answer_id): question.rank
        for topic_id, rubric in rubrics.items()
        for question in rubric.questions
        for answer in question.answers
    }
    findings, scale = Findings(assessments), track.scales[ANSWER_ASSESSMENTS.scale]
    worth = _credits(scale) | ({scale.opposite: -1.0} if scale.opposite else {})
    # topic -> run -> rubric question rank -> values of the rows
    values: dict[str, dict[str, dict[int, list[float]]]]
    values = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in _rows(assessments, ANSWER_ASSESSMENTS):
        _refuse_missing(row, findings)
        value = _value(row, worth, findings)
        topic_id, answer_id = row.cells["topic_id"], row.cells["answer_id"]
        if (topic_id, answer_id) not in rank_of:
            findings.error(
                "compat-unmatched",
                row.line,
                expected="an answer of the rubrics",
                found=f"topic {topic_id}, answer {quoted(answer_id)}",
                remedy="Complete the rubrics, or remove the row.",
            )
            continue
        values[topic_id][row.cells["run_tag"]][rank_of[topic_id, answer_id]].append(value)
    findings.raise_errors()
    measures = [
        one
        for one in track.cited_text.measures
        if one.computes in {"report_support", "report_contradiction"}
    ]
    return _table(
        measures,
        [
            TopicScore(
                run_tag,
                topic_id,
                {
                    measure.name: _report_value(rubrics[topic_id], questions, measure.sign)
                    for measure in measures
                },
            )
            for topic_id, runs in sorted(values.items())
            for run_tag, questions in sorted(runs.items())
        ],
    )


def _report_value(rubric: Rubric, questions: Mapping[int, Sequence[float]], sign: int) -> float:
    """Return the weighted share of what is supported, or for -1 of what is contradicted."""
    weights = {question.rank: question.weight for question in rubric.questions}
    total = 0.0
    for rank, values in sorted(questions.items()):
        counted = sum(sign * value for value in values if sign * value > 0)
        total += counted / len(values) * weights[rank]
    return total / rubric.total_weight


def _table(measures: Sequence[Measure], topics: Sequence[TopicScore]) -> ScoreTable:
    if not topics:
        raise InputError("the assessments hold no row", remedy="Judge at least one run first.")
    runs = [
        RunScore(
            run_tag,
            {
                name: _compensated_mean(
                    topic.values[name] for topic in topics if topic.run_tag == run_tag
                )
                for name in topics[0].values
            },
        )
        for run_tag in sorted({topic.run_tag for topic in topics})
    ]
    rising = np.array([run.values[measures[0].name] for run in reversed(runs)]).argsort()
    return ScoreTable(
        measures=tuple(measures),
        topics=tuple(topics),
        runs=tuple(runs[-1 - place] for place in rising[::-1]),
    )


def _compensated_mean(values: Iterable[float]) -> float:
    total = compensation = 0.0
    count = 0
    for value in values:
        corrected = value - compensation
        larger = total + corrected
        compensation = larger - total - corrected
        total = larger
        count += 1
    return total / count


def _rows(path: Path, kind: AssessmentKind[Any]) -> list[Row]:
    """Read assessments, their label under the key `label` whatever its column was called."""
    header, rows = read_table(path)
    if not kind.matches(header):
        raise InputError(
            f"{path}: expected the columns {', '.join(kind.columns)} and one of "
            f"{', '.join(kind.label_columns)}; found {', '.join(header)}"
        )
    column = next(name for name in kind.label_columns if name in header)
    return [Row(row.line, {**row.cells, "label": row.cells[column]}) for row in rows]


def _credits(scale: LabelScale) -> dict[str, float]:
    return {name: scale.credit(name) for name in scale.names}


def _verdicts(path: Path, factors: Mapping[str, float]) -> dict[tuple[str, str, int], list[float]]:
    """Return what the verdicts leave of credit, by topic, run and rank, without unknown ones."""
    findings = Findings(path)
    verdicts: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for row in _rows(path, COMPOUND_ASSESSMENTS):
        if row.cells["label"] in factors:
            rank = _rank(row, "run_question_rank", findings)
            key = (row.cells["topic_id"], row.cells["run_tag"], rank)
            verdicts[key].append(factors[row.cells["label"]])
    findings.raise_errors()
    return verdicts


def _refuse_missing(row: Row, findings: Findings) -> None:
    for column, cell in row.cells.items():
        # The label is named by its own column too.
        if cell in _MISSING and column != "label":
            expected, found = f"a value in {column}", quoted(cell)
            remedy = "The organizers' script reads this as missing and stops; fill the cell."
            findings.error(
                "compat-missing", row.line, expected=expected, found=found, remedy=remedy
            )


def _value(row: Row, values: Mapping[str, float], findings: Findings) -> float:
    label = row.cells["label"]
    if label not in values and label not in _MISSING:
        expected, found = f"one of {', '.join(values)}, spelled so", quoted(label)
        remedy = "The organizers' script stops at any other spelling."
        findings.error("compat-label", row.line, expected=expected, found=found, remedy=remedy)
    return values.get(label, 0.0)


def _rank(row: Row, column: str, findings: Findings) -> int:
    rank = finite_number(row.cells[column])
    if rank is None:
        expected, found = f"a number in {column}", quoted(row.cells[column])
        remedy = "Write the rank in digits."
        findings.error("compat-rank", row.line, expected=expected, found=found, remedy=remedy)
    return int(rank or 0)


# The two sides add in different orders; a gap below this is no difference in what was counted.
_ROUNDING = 1e-9


class Handling(NamedTuple):
    """What each scorer does in one situation; `cause` is its stable name in kebab case."""

    cause: str
    theirs: str
    ours: str


TOPIC_MISSING = Handling(
    "topic-missing", "leaves the topic out of the run's mean", "scores the topic 0"
)
ROWS_MISSING = Handling(
    "rows-missing", "divides by the rows that are present", "takes a missing answer as none"
)
ROWS_REPEATED = Handling("rows-repeated", "counts every row", "counts each answer once")
QUESTION_UNJUDGED = Handling(
    "question-unjudged", "leaves its weight out of the denominator", "counts it, without credit"
)
# By the code of the problem at which the organizers' script stops.
_STOPS = {
    "compat-missing": Handling(
        "value-missing", "stops", "takes the cell as text; an empty label as unjudged"
    ),
    "compat-label": Handling(
        "label-spelling", "stops", "reads a label in any case, stops at an unknown one"
    ),
    "compat-rank": Handling("rank-spelling", "stops", "stops"),
    "compat-unmatched": Handling("id-unknown", "stops", "stops"),
    "compat-verdict": Handling(
        "verdict-missing", "stops", "reads a verdict in any case, stops where there is none"
    ),
}


Causes = dict[Handling, tuple[str, ...]]
FindCauses = Callable[[str, str], Causes]  # of a run tag and a topic id


class Stop(NamedTuple):
    """A place (file and line) at which the organizers' script stops, and what is found there."""

    handling: Handling
    place: str
    found: str


class Gap(NamedTuple):
    """A score on which the two sides differ.

    Attributes:
        topic_id: The topic; None for the mean over topics.
        theirs: Their score; None if the script gives none.
        ours: Our score.
        causes: Each with what it is about: ids of answers or questions, for a mean ids of topics.
    """

    run_tag: str
    topic_id: str | None
    measure: str
    theirs: float | None
    ours: float
    causes: Causes


class ScoreDiff(NamedTuple):
    """Everything in which the two sides differ; where one stops there are no gaps to compare.

    Attributes:
        stops: Where the organizers' script stops, in file order.
        our_error: Why we give no scores; None if we do.
        gaps: By run, then topic; the mean comes last.
    """

    stops: tuple[Stop, ...]
    our_error: str | None
    gaps: tuple[Gap, ...]

    @property
    def agrees(self) -> bool:
        """Tell whether both sides give scores, and the same ones."""
        return not (self.stops or self.our_error or self.gaps)


def diff_question_scores(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Path, compound: Path
) -> ScoreDiff:
    """Explain the differences in the scores of questions."""
    return _diff(
        lambda: compat_question_scores(track, rubrics, assessments, compound),
        lambda: score_questions(
            track,
            rubrics,
            read_assessments(assessments, QUESTION_ASSESSMENTS, track.scales),
            read_assessments(compound, COMPOUND_ASSESSMENTS, track.scales),
        ),
        lambda: _question_causes(rubrics, assessments),
    )


def diff_report_scores(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Path, *, merge: bool = False
) -> ScoreDiff:
    """Explain the differences in the scores of reports.

    With `merge` we settle conflicting labels; see `read_merged_assessments`.
    """
    read = read_merged_assessments if merge else read_assessments
    return _diff(
        lambda: compat_report_scores(track, rubrics, assessments),
        lambda: score_reports(track, rubrics, read(assessments, ANSWER_ASSESSMENTS, track.scales)),
        lambda: _report_causes(rubrics, assessments),
    )


def _question_causes(rubrics: Mapping[str, Rubric], assessments: Path) -> FindCauses:
    judged = {
        (row.cells["topic_id"], int(finite_number(row.cells["rubric_question_rank"]) or 0))
        for row in read_table(assessments)[1]
    }

    def find(_: str, topic_id: str) -> Causes:
        unjudged = tuple(
            question.question_id
            for question in rubrics[topic_id].questions
            if (topic_id, question.rank) not in judged
        )
        return {QUESTION_UNJUDGED: unjudged} if unjudged else {}

    return find


def _report_causes(rubrics: Mapping[str, Rubric], assessments: Path) -> FindCauses:
    n_rows = Counter(
        (row.cells["run_tag"], row.cells["topic_id"], row.cells["answer_id"])
        for row in read_table(assessments)[1]
    )

    def find(run_tag: str, topic_id: str) -> Causes:
        counts = {
            answer.answer_id: n_rows[run_tag, topic_id, answer.answer_id]
            for answer in rubrics[topic_id].answers
        }
        found = {
            ROWS_MISSING: tuple(name for name, count in counts.items() if count == 0),
            ROWS_REPEATED: tuple(name for name, count in counts.items() if count > 1),
        }
        return {handling: ids for handling, ids in found.items() if ids}

    return find


def _diff(
    score_theirs: Callable[[], ScoreTable],
    score_ours: Callable[[], ScoreTable],
    read_causes: Callable[[], FindCauses],
) -> ScoreDiff:
    """Score on both sides; `read_causes` is called only where both give scores."""
    theirs = ours = our_error = None
    stops: tuple[Stop, ...] = ()
    try:
        theirs = score_theirs()
    except InvalidFileError as error:
        if any(problem.code not in _STOPS for problem in error.problems):
            raise  # nobody can read this file
        stops = tuple(_stop(problem) for problem in error.problems)
    try:
        ours = score_ours()
    except InputError as error:
        our_error = error.message
    gaps = tuple(_gaps(theirs, ours, read_causes())) if theirs and ours else ()
    return ScoreDiff(stops, our_error, gaps)


def _stop(problem: Problem) -> Stop:
    where = problem.file if problem.line is None else f"{problem.file}:{problem.line}"
    return Stop(_STOPS[problem.code], where, f"expected {problem.expected}; found {problem.found}")


def _gaps(theirs: ScoreTable, ours: ScoreTable, find_causes: FindCauses) -> Iterator[Gap]:
    measures = [one.name for one in theirs.measures]
    their_topics = {(topic.run_tag, topic.topic_id): topic.values for topic in theirs.topics}
    their_runs = {run.run_tag: run.values for run in theirs.runs}
    for run in sorted(ours.runs, key=lambda run: run.run_tag):
        omitted = ours.omitted.get(run.run_tag, ())
        run_causes: Causes = {}
        for topic in (topic for topic in ours.topics if topic.run_tag == run.run_tag):
            key = run.run_tag, topic.topic_id
            causes: Causes = {TOPIC_MISSING: key[1:]} if key[1] in omitted else find_causes(*key)
            gaps = list(_differing(measures, *key, their_topics.get(key), topic.values, causes))
            yield from gaps
            if gaps:
                for handling in causes:
                    run_causes[handling] = (*run_causes.get(handling, ()), topic.topic_id)
        values = their_runs.get(run.run_tag)
        yield from _differing(measures, run.run_tag, None, values, run.values, run_causes)


def _differing(
    measures: Sequence[str],
    run_tag: str,
    topic_id: str | None,
    theirs: Mapping[str, float] | None,
    ours: Mapping[str, float],
    causes: Causes,
) -> Iterator[Gap]:
    for measure in measures:
        their_value = theirs[measure] if theirs else None
        if their_value is None or abs(their_value - ours[measure]) > _ROUNDING:
            yield Gap(run_tag, topic_id, measure, their_value, ours[measure], causes)
