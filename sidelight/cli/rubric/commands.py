"""Commands `rubric`: make labels and leaderboards from graded passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import Note, Result, few_runs_warnings, few_warnings, undefined_warnings
from sidelight.cli.options.inputs import (
    Commands,
    Output,
    RetrievalMeasures,
    Samples,
    Seed,
    Track,
    labels_option,
    output_option,
)
from sidelight.cli.options.judges import (
    AtLeast,
    GradedPath,
    GraderName,
    MinGrade,
    MinJudgment,
    MoreRuns,
    OfficialQrels,
    Sampling,
    bank_option,
    depth_option,
    lowest_relevant,
    min_grade_option,
)
from sidelight.cli.rubric import upkeep
from sidelight.cli.rubric.upkeep import corrections, verify
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.text import counted
from sidelight.tracks import EXAM_TRACK

if TYPE_CHECKING:
    from sidelight.evaluation.exams.grades import GradedFile, Qrels
    from sidelight.evaluation.exams.leaderboard import Places


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
) -> Result:
    """Correlate the leaderboard by each grader's labels with the official one; count wins."""
    from sidelight.cli.rubric.tables import tables_result, wins_table
    from sidelight.evaluation.exams.grades import collect, exam_qrels, title
    from sidelight.evaluation.exams.leaderboard import correlate_graders, judged_runs
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
    return tables_result([wins_table(rows)], output, about, few_runs_warnings(n_runs))


app = Commands(
    help="Labels and leaderboards from passages graded by a bank; what a bank lacks.",
    no_args_is_help=True,
)
app.command()(correlations)
app.command()(verify)
app.command()(corrections)
app.command()(upkeep.spurious)
app.command()(upkeep.uncovered)
app.command()(upkeep.holes)


@app.command()
def qrels(
    graded: GradedPath,
    *,
    output: Annotated[Path, output_option("The file of labels to write.")],
    grader: GraderName = None,
    at_least: AtLeast = 1,
    judgments: Annotated[
        Path | None, typer.Option("--judgments", help="Write the official judgments here.")
    ] = None,
) -> Result:
    """Write relevance labels for trec_eval: of each passage its best grade."""
    from sidelight.evaluation.exams.grades import exam_qrels, title, write_qrels

    found = _read(graded)
    exam = found.exam(grader)
    counts = {str(output): write_qrels(output, exam_qrels(exam, at_least))}
    if judgments:
        counts[str(judgments)] = write_qrels(judgments, found.rankings.judged)
    passages = sum(map(len, found.rankings.passages.values()))
    labelled = counts[str(output)]
    return Result(
        {
            "grader": title(exam.grader),
            "at_least": at_least,
            "passages": passages,
            "unlabelled": passages - labelled,
            "unjudged_cells": exam.unjudged,
            "written": counts,
        },
        [
            (
                f"{title(exam.grader)}: {labelled} of {counted(passages, 'passage')} labelled; "
                f"{counted(exam.unjudged, 'cell')} unjudged"
            ),
            *(f"  {path}" for path in counts),
        ],
    )


@app.command()
def leaderboard(  # long: half of it are options
    graded: GradedPath,
    *,
    grader: GraderName = None,
    at_least: AtLeast = 1,
    measures: RetrievalMeasures = "nDCG@10 AP RR",
    min_grade: MinGrade = None,
    min_judgment: MinJudgment = None,
    official: OfficialQrels = None,
    run: MoreRuns = None,
    track: Track = EXAM_TRACK,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    output: Output = None,
) -> Result:
    """Rank the runs of a file by grades, beside their ranks by official judgments."""
    from sidelight.cli.rubric.tables import agreement_table, standings_table, tables_result
    from sidelight.evaluation.agreement.ranks import MIN_RUNS
    from sidelight.evaluation.exams.grades import exam_qrels, title
    from sidelight.evaluation.exams.leaderboard import (
        compare_leaderboards,
        judged_runs,
        standings,
    )
    from sidelight.evaluation.exams.leaderboard import leaderboard as rank
    from sidelight.evaluation.scoring.table import run_intervals

    found = _read(graded)
    exam, places = found.exam(grader), _places(found, run, graded)
    judged = _judgments(found, official)
    level = lowest_relevant(track, "grades", min_grade)
    ours = rank(places, exam_qrels(exam, at_least), measures, level)
    seen, theirs = judged_runs(places, judged), None
    if judged:
        theirs = rank(places, judged, measures, lowest_relevant(track, "judgments", min_judgment))
    compared = {}
    if theirs and len(seen) >= MIN_RUNS:
        compared = compare_leaderboards(theirs, ours, seen, samples=samples, seed=seed)
    intervals = run_intervals(ours, samples=samples, seed=seed)
    rows = standings(ours, theirs, places, judged)
    tables = [standings_table(ours, rows, intervals), agreement_table(compared)]
    about = {
        "grader": title(exam.grader),
        "lowest_relevant_grade": level,
        "n_queries": len(exam.cells),
        "n_runs_compared": len(seen),
        "unjudged_cells": exam.unjudged,
        "undefined": ours.undefined,
        "bootstrap": Sampling(samples, seed)._asdict(),
    }
    notes: list[str | Note] = [
        (
            f"{title(exam.grader)}: relevant from grade {level}; "
            f"{_drawn(len(exam.cells), Sampling(samples, seed))}; of correlations over "
            f"{counted(len(seen), 'run')}; {counted(exam.unjudged, 'cell')} unjudged"
        ),
        *undefined_warnings(ours.undefined, len(exam.cells), "query"),
        *few_warnings(len(exam.cells), "query"),
        *(few_runs_warnings(len(seen)) if compared else []),
    ]
    return tables_result([table for table in tables if table.rows], output, about, notes)


@app.command()
def cover(
    graded: GradedPath,
    *,
    grader: GraderName = None,
    min_grade: MinGrade = None,
    depth: Annotated[int, depth_option("Passages of a run that count.")] = 20,
    bank: Annotated[
        Path | None, bank_option("Its items count; by default those that anything was graded by.")
    ] = None,
    run: MoreRuns = None,
    track: Track = EXAM_TRACK,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    output: Output = None,
) -> Result:
    """Rank the runs of a file by the share of items that their first passages answer."""
    from dataclasses import replace

    from sidelight.cli.rubric.tables import cover_table, tables_result
    from sidelight.evaluation.exams.grades import title
    from sidelight.evaluation.exams.leaderboard import exam_cover
    from sidelight.evaluation.scoring.table import run_intervals
    from sidelight.formats.banks.exams import read_exams
    from sidelight.schemas.grading.rubric import item_ids

    found = _read(graded)
    exam = found.exam(grader)
    level = lowest_relevant(track, "grades", min_grade)
    covered = exam_cover(
        exam,
        replace(found.rankings, places=_places(found, run, graded)),
        min_rating=level,
        depth=depth,
        items=item_ids(read_exams(bank)) if bank else None,
    )
    intervals = run_intervals(covered.table, samples=samples, seed=seed)
    overall = sum(covered.everything.values()) / len(covered.everything)
    about = {
        "grader": title(exam.grader),
        "lowest_answering_grade": level,
        "depth": depth,
        "everything": overall,
        "unjudged_cells": exam.unjudged,
        "undefined": covered.table.undefined,
        "bootstrap": Sampling(samples, seed)._asdict(),
    }
    notes: list[str | Note] = [
        (
            f"{title(exam.grader)}: answered from grade {level}, first "
            f"{counted(depth, 'passage')}; all passages together answer {overall:.3f}; "
            f"{_drawn(len(exam.cells), Sampling(samples, seed))}; "
            f"{counted(exam.unjudged, 'cell')} unjudged"
        ),
        *undefined_warnings(covered.table.undefined, len(exam.cells), "query"),
        *few_warnings(len(exam.cells), "query"),
    ]
    return tables_result([cover_table(covered, intervals)], output, about, notes)


@app.command()
def tables(
    graded: Annotated[
        Path, typer.Argument(metavar="GRADED", help="Graded passages, or relevance labels.")
    ],
    *,
    grader: GraderName = None,
    at_least: AtLeast = 1,
    min_grade: MinGrade = None,
    min_judgment: MinJudgment = None,
    official: OfficialQrels = None,
    track: Track = EXAM_TRACK,
    output: Output = None,
) -> Result:
    """Count grades against official judgments, with kappa of each cell and of relevant or not."""
    from sidelight.cli.rubric.tables import judgment_tables, tables_result
    from sidelight.evaluation.agreement.qrels import compare_qrels
    from sidelight.evaluation.exams.grades import exam_qrels
    from sidelight.formats.labels.graded_passages import is_graded
    from sidelight.formats.labels.qrels import read_qrels

    if is_graded(graded):
        found = _read(graded)
        labels, judged = exam_qrels(found.exam(grader), at_least), _judgments(found, official)
    else:
        labels, judged = read_qrels(graded), read_qrels(official) if official else {}
    levels = (
        lowest_relevant(track, "grades", min_grade),
        lowest_relevant(track, "judgments", min_judgment),
    )
    results = judgment_tables(compare_qrels(labels, judged, levels), levels)
    return tables_result(results, output, {"lowest_relevant": levels})


def _drawn(n_queries: int, sampling: Sampling) -> str:
    from sidelight.evaluation.scoring.table import MIN_TOPICS

    if n_queries < MIN_TOPICS:
        return f"no intervals: fewer than {MIN_TOPICS} queries ({n_queries})"
    return f"intervals: 95%, bootstrap over {counted(n_queries, 'query')}, {sampling}"


def _read(graded: Path) -> GradedFile:
    from sidelight.evaluation.exams.grades import collect
    from sidelight.formats.labels.graded_passages import read_graded

    return collect(read_graded(graded))


def _judgments(found: GradedFile, official: Path | None) -> Qrels:
    from sidelight.formats.labels.qrels import read_qrels

    return read_qrels(official) if official else found.rankings.judged


def _places(found: GradedFile, runs: list[Path] | None, graded: Path) -> Places:
    from sidelight.errors import InputError, UsageError
    from sidelight.evaluation.exams.leaderboard import places_of

    places = dict(found.rankings.places)
    for path in runs or ():
        if path.name in places:
            raise UsageError(f"there are two runs called {path.name}", remedy="Rename the file.")
        places[path.name] = places_of(path)
    if not places:
        raise InputError(
            f"{graded}: expected rankings of runs; found none",
            remedy="Name run files with --run, once for each.",
        )
    return places
