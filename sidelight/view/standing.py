"""A run among others: leaderboards, headroom, and whether two sources of labels rank alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.evaluation.scoring.headroom import question_headroom, report_headroom
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.view.model import Board, BoardRow, JudgePlot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.tracks import Track
    from sidelight.view.labels import Labels


def questions_title(track: Track) -> str:
    """Return what the page calls the scores of questions."""
    return f"Questions ({track.question_list.title})"


def reports_title(track: Track) -> str:
    """Return what the page calls the scores of reports."""
    return f"Reports ({track.cited_text.title})"


def score_tables(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels
) -> dict[str, ScoreTable]:
    """Return the scores of all runs by task, without tasks that have no label."""
    tables = {}
    if labels.questions:
        tables[questions_title(track)] = score_questions(
            track, rubrics, labels.questions, labels.compound
        )
    if labels.answers:
        tables[reports_title(track)] = score_reports(track, rubrics, labels.answers)
    return tables


def leaderboards(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels, ours: frozenset[str]
) -> tuple[Board, ...]:
    """Return a board for each task of which several runs have labels.

    Args:
        track: Whose labels and number of questions count.
        rubrics: By topic id.
        labels: Their labels.
        ours: Tags of the run that the page is about.
    """
    boards = []
    for task, table in score_tables(track, rubrics, labels).items():
        if len(table.runs) > 1:
            headroom = (
                question_headroom(track, rubrics, labels.questions, labels.compound)
                if task == questions_title(track)
                else report_headroom(track, rubrics, labels.answers)
            )
            rows = (BoardRow(run.run_tag, run.row, run.run_tag in ours) for run in table.runs)
            boards.append(Board(task, tuple(rows), tuple(headroom)))
    return tuple(boards)


def compare_judges(
    track: Track, rubrics: Mapping[str, Rubric], sources: Sequence[Labels]
) -> tuple[JudgePlot, ...]:
    """Return how the first source of labels and each other one score the runs both speak of."""
    plots = []
    first, *others = ((source.name, score_tables(track, rubrics, source)) for source in sources)
    for name, tables in others:
        for task in first[1].keys() & tables.keys():
            here, there = _main_scores(first[1][task]), _main_scores(tables[task])
            points = {tag: (here[tag], there[tag]) for tag in sorted(here.keys() & there.keys())}
            if len(points) > 1:
                across, up = np.array(list(points.values())).T
                tau = kendall(across, up)
                plots.append(JudgePlot(task, first[0], name, points, tau))
    return tuple(sorted(plots, key=lambda plot: (plot.task, plot.second)))


def _main_scores(table: ScoreTable) -> dict[str, float]:
    return {run.run_tag: run.values[table.main.name] for run in table.runs}
