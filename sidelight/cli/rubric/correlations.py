"""`sidelight rubric correlations`: graders side by side, by the leaderboards they lead to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sidelight.cli.console import warn_of_few_runs
from sidelight.cli.options.exams import (
    GradedPath,
    MinJudgment,
    OfficialQrels,
    lowest_relevant,
    min_grade_option,
)
from sidelight.cli.options.inputs import RetrievalMeasures, Track, labels_option
from sidelight.cli.options.results import Json, Output
from sidelight.tracks import EXAM_TRACK


def correlations(
    graded: GradedPath,
    *,
    labels: Annotated[
        list[Path] | None,
        labels_option("Relevance labels of one more grader; repeat."),
    ] = None,
    measures: RetrievalMeasures = "nDCG@10 AP RR",
    min_grade: Annotated[
        list[int] | None,
        min_grade_option("Lowest relevant grade; repeat. 1, 4 and 5 by default."),
    ] = None,
    min_judgment: MinJudgment = None,
    official: OfficialQrels = None,
    track: Track = EXAM_TRACK,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Correlate the leaderboard by each grader's labels with the official one; count wins."""
    from sidelight.cli.rubric.tables import written_and_shown
    from sidelight.cli.rubric.wins import wins_table
    from sidelight.evaluation.exams.correlations import correlate_graders
    from sidelight.evaluation.exams.grades import collect, title
    from sidelight.evaluation.exams.labels import exam_qrels
    from sidelight.evaluation.exams.leaderboard import judged_runs
    from sidelight.formats.labels.graded_passages import read_graded
    from sidelight.formats.labels.qrels import read_qrels

    found = collect(read_graded(graded))
    graders = {title(grader): exam_qrels(exam) for grader, exam in found.exams.items()}
    graders |= {path.stem: read_qrels(path) for path in labels or ()}
    judged = read_qrels(official) if official else found.rankings.judged
    rows = correlate_graders(
        found.rankings.places,
        graders,
        judged,
        measures,
        levels=min_grade or [1, 4, 5],
        official_level=lowest_relevant(track, "judgments", min_judgment),
    )
    n_runs = len(judged_runs(found.rankings.places, judged))
    about = {"n_runs_compared": n_runs}
    written_and_shown([wins_table(rows)], output, as_json=as_json, about=about)
    if not as_json:
        warn_of_few_runs(n_runs)
