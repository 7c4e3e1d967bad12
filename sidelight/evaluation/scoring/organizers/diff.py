"""Differences between our scores and those of the organizers' script, each traced to its cause.

The script divides by what is present and stops at cells it cannot use; we divide by what the
rubric asks for. Each difference is traced to what is missing from the files or repeated in them, so
complete files give an empty report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.scoring.organizers.compat import (
    compat_question_scores,
    compat_report_scores,
)
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
)
from sidelight.formats.table import read_table
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.tracks import Track

# The two sides add in different orders; a gap below this is no difference in what was counted.
_ROUNDING = 1e-9


class Handling(NamedTuple):
    """What each of the two scorers does in one situation.

    Attributes:
        cause: Stable kebab-case name of the situation.
        theirs: What the organizers' script does.
        ours: What we do.
    """

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
    """A place at which the organizers' script stops.

    Attributes:
        handling: What happens there on either side.
        place: File and line.
        found: What is there.
    """

    handling: Handling
    place: str
    found: str


class Gap(NamedTuple):
    """A score on which the two sides differ.

    Attributes:
        run_tag: The run.
        topic_id: The topic; None for the mean over topics.
        measure: Name of the score.
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
    """Explain the differences in Task 1 scores.

    Args:
        track: Whose labels and number of questions count.
        rubrics: Topic id -> rubric.
        assessments: Labels of pairs of questions.
        compound: Verdicts on the submitted questions.

    Raises:
        InputError: A file is not what the name of the argument says.
    """
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
    """Explain the differences in Task 2 scores.

    Args:
        track: Whose labels count.
        rubrics: Topic id -> rubric.
        assessments: Labels of rubric answers.
        merge: Whether we settle conflicting labels; see `read_merged_assessments`.

    Raises:
        InputError: The file is not what the name of the argument says.
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
