"""Commands `rubric`: labels and leaderboards from graded passages, and upkeep of their banks."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sidelight.cli import console, options
from sidelight.cli.tables import (
    agreement_table,
    cover_table,
    decimal,
    judgment_tables,
    standings_table,
    tables_result,
    wins_table,
)
from sidelight.errors import InputError, UsageError
from sidelight.files import atomic_write, sha256_file
from sidelight.formats.banks.exams import read_exams, read_query_texts
from sidelight.formats.labels.graded_passages import is_graded, read_graded, write_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.submission import file_tag
from sidelight.schemas.grading.rubric import item_ids
from sidelight.text import counted
from sidelight.tracks import EXAM_TRACK, load_track

if TYPE_CHECKING:
    from sidelight.evaluation.exams.grades import GradedFile, Qrels
    from sidelight.evaluation.exams.leaderboard import Places

Bank = Annotated[Path, options.bank_option("The bank that the passages were graded by.")]

_MOST_SHOWN = 60


class Upkeep(NamedTuple):
    """What the commands have in common that hold a bank's items against judgments."""

    bank: Bank
    grader: options.GraderName = None
    min_grade: options.MinGrade = None
    min_judgment: options.MinJudgment = None
    official: options.OfficialQrels = None
    track: options.Track = EXAM_TRACK
    output: options.Output = None

    def levels(self) -> dict[str, int]:
        """Return the lowest grade and the lowest judgment that are relevant."""
        return {
            "min_grade": options.lowest_relevant(self.track, "grades", self.min_grade),
            "min_judgment": options.lowest_relevant(self.track, "judgments", self.min_judgment),
        }


@options.takes_groups
def spurious(graded: options.GradedPath, *, by: Upkeep) -> console.Result:
    """List items that passages answer which assessors call not relevant, the worst first."""
    from sidelight.evaluation.exams.grades import spurious_items

    found, banks = _read(graded), read_exams(by.bank)
    texts = {item.item_id: item.text for one in banks for item in one.items}
    uses = spurious_items(found.exam(by.grader), _judgments(found, by.official), **by.levels())
    records = [asdict(one) | {"text": texts.get(one.item_id, "")} for one in uses]
    return _listed("spurious_items", records, by.output)


@options.takes_groups
def uncovered(graded: options.GradedPath, *, by: Upkeep) -> console.Result:
    """List relevant passages that answer no item, each with a fact that the bank could ask for."""
    from sidelight.evaluation.exams.grades import suggested_item, uncovered_passages

    found, banks = _read(graded), read_exams(by.bank)
    missed = uncovered_passages(
        found.exam(by.grader), _judgments(found, by.official), **by.levels()
    )
    passages = _texts(graded, {(one.query_id, one.passage_id) for one in missed})
    queries = {one.topic_id: one.query_text for one in banks}
    items: dict[str, list[str]] = {}
    for one in banks:
        items.setdefault(one.topic_id, []).extend(item.text for item in one.items)
    records = [
        asdict(one)
        | {
            "suggested_item": suggested_item(
                queries.get(one.query_id, ""),
                passages[one.query_id, one.passage_id],
                items.get(one.query_id, ()),
            )
        }
        for one in missed
    ]
    return _listed("uncovered_passages", records, by.output)


def holes(
    graded: options.GradedPath,
    *,
    bank: Bank,
    grader: options.GraderName = None,
    run: options.MoreRuns = None,
    depth: Annotated[int, options.depth_option("Passages of a run that are to be graded.")] = 20,
    output: options.Output = None,
) -> console.Result:
    """List what is still to be graded: new passages of runs, and new items of a bank."""
    from sidelight.evaluation.exams.grades import holes as find_holes
    from sidelight.evaluation.exams.leaderboard import places_of

    found = _read(graded)
    runs = [
        {
            query_id: [name for name, place in places.items() if place <= depth]
            for query_id, places in places_of(path).items()
        }
        for path in run or ()
    ]
    missing = find_holes(found.exam(grader), found.rankings, item_ids(read_exams(bank)), runs)
    cells = sum(one.missing_items for one in missing)
    absent = sum(not one.in_file for one in missing)
    told = (
        f"{counted(len(missing), 'passage')}, {counted(cells, 'cell')} to grade; not in the "
        f"file: {counted(absent, 'passage')}"
    )
    return _listed("holes", list(map(asdict, missing)), output, told)


def _listed(
    name: str, records: list[dict[str, object]], output: Path | None, *notes: str
) -> console.Result:
    tables = []
    if records:
        columns = list(records[0])
        rows = [[str(record[column]) for column in columns] for record in records]
        header = [column.replace("_", " ") for column in columns]
        tables = [console.ResultTable(name, header, rows[:_MOST_SHOWN], records)]
    else:
        notes = ("none", *notes)
    if len(records) > _MOST_SHOWN:
        notes = (f"{len(records)} in all; --output writes every one", *notes)
    return tables_result(tables, output, {"n": len(records)}, notes)


def _read(graded: Path) -> GradedFile:
    from sidelight.evaluation.exams.grades import collect

    return collect(read_graded(graded))


def _texts(graded: Path, wanted: Container[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Read the file once more, for some texts: all of them would fill the memory."""
    return {
        (query.query_id, passage.passage_id): passage.text
        for query in read_graded(graded)
        for passage in query.passages
        if (query.query_id, passage.passage_id) in wanted
    }


def verify(
    graded: options.GradedPath,
    *,
    output: Annotated[Path, options.output_option("The page to write (.html).")],
    grader: options.GraderName = None,
    bank: Annotated[
        list[Path] | None,
        options.bank_option("Shows the texts of items and queries; repeat for more."),
    ] = None,
    queries: Annotated[
        Path | None, options.queries_option("Texts of the queries, where no bank has them.")
    ] = None,
    query: Annotated[
        list[str] | None, options.query_option("Only this query, by its id; repeat.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, help="Only so many passages of each query, best first."),
    ] = None,
    track: options.Track = EXAM_TRACK,
) -> None:
    """Write a page on which people accept or correct grades: passages by items, no network."""
    from sidelight.view.verification.page import render_verification, verification

    banks = [one for path in bank or () for one in read_exams(path)]
    if not banks:
        console.err.print(
            "warning: graded passages hold the ids of items alone; --bank shows their texts",
            style="yellow",
            markup=False,
        )
    texts = {one.topic_id: one.query_text for one in banks}
    if queries:
        texts |= read_query_texts(queries)
    wanted = set(query or ())
    shown = [one for one in read_graded(graded) if not wanted or one.query_id in wanted]
    if unknown := sorted(wanted - {one.query_id for one in shown}):
        raise InputError(
            f"{graded}: expected the query {unknown[0]}; found no such query",
            remedy="Leave --query out to see all.",
        )
    page = verification(
        shown,
        int(load_track(track).scales["grades"].highest),
        grader,
        texts,
        {item.item_id: item.text for one in banks for item in one.items},
        top,
    )
    atomic_write(output, render_verification(page, graded.name, sha256_file(graded)))
    n_rows = sum(len(grid.rows) for grid in page.grids)
    console.out.print(
        f"{counted(n_rows, 'passage')} of {counted(len(page.grids), 'query')}, graded by "
        f"{page.title}",
        markup=False,
    )
    console.out.print(f"  {output}", markup=False)


def corrections(
    graded: options.GradedPath,
    saved: Annotated[
        Path, typer.Argument(metavar="CORRECTIONS", help="What the page saved (.json).")
    ],
    *,
    output: Annotated[
        Path | None,
        options.output_option(
            "Write the passages with the corrected grades beside the given ones."
        ),
    ] = None,
    min_grade: options.MinGrade = None,
    track: options.Track = EXAM_TRACK,
) -> console.Result:
    """Say how far people agree with the grades they checked, and keep what they corrected."""
    from sidelight.evaluation.exams.grades import check_grades, corrected, read_corrections

    said = read_corrections(saved)
    if said.sha256 != sha256_file(graded):
        raise InputError(
            f"{saved}: expected corrections of {graded}; found those of another file or version",
            remedy="Name the file that the page was made from.",
        )
    queries = list(read_graded(graded))
    found = check_grades(
        queries,
        said,
        int(load_track(track).scales["grades"].highest),
        options.lowest_relevant(track, "grades", min_grade),
    )
    if output:
        write_graded(output, corrected(queries, said))
    kappas = ", ".join(
        f"{what} {decimal(kappa)}"
        for what, kappa in (
            ("Cohen's kappa", found.kappa),
            ("on relevant or not", found.kappa_relevant),
        )
    )
    return console.Result(
        found.model_dump(),
        [
            f"{found.accepted} of {found.checked} grades accepted; {kappas}",
            f"{found.too_high} were too high, {found.too_low} too low, {found.added} had no grade",
            *([f"  {output}"] if output else []),
        ],
    )


def correlations(
    graded: options.GradedPath,
    *,
    labels: Annotated[
        list[Path] | None, options.labels_option("Relevance labels of one more grader; repeat.")
    ] = None,
    measures: options.RetrievalMeasures = "nDCG@10 AP RR",
    min_grade: Annotated[
        list[int] | None,
        options.min_grade_option("Lowest relevant grade; repeat. 1, 4 and 5 by default."),
    ] = None,
    min_judgment: options.MinJudgment = None,
    official: options.OfficialQrels = None,
    track: options.Track = EXAM_TRACK,
    output: options.Output = None,
) -> console.Result:
    """Correlate the leaderboard by each grader's labels with the official one; count wins."""
    from sidelight.evaluation.exams.grades import exam_qrels, title
    from sidelight.evaluation.exams.leaderboard import correlate_graders, judged_runs

    found = _read(graded)
    graders = {title(grader): exam_qrels(exam) for grader, exam in found.exams.items()}
    graders |= {path.stem: read_qrels(path) for path in labels or ()}
    judged = _judgments(found, official)
    rows = correlate_graders(
        found.rankings.places,
        graders,
        judged,
        measures,
        levels=min_grade or [1, 4, 5],
        official_level=options.lowest_relevant(track, "judgments", min_judgment),
    )
    n_runs = len(judged_runs(found.rankings.places, judged))
    about = {"n_runs_compared": n_runs}
    return tables_result([wins_table(rows)], output, about, console.few_runs_warnings(n_runs))


app = console.Commands(
    help="Labels and leaderboards from passages graded by a bank; what a bank lacks.",
    no_args_is_help=True,
)
app.command()(correlations)
app.command()(verify)
app.command()(corrections)
app.command()(spurious)
app.command()(uncovered)
app.command()(holes)


@app.command()
def qrels(
    graded: options.GradedPath,
    *,
    output: Annotated[Path, options.output_option("The file of labels to write.")],
    grader: options.GraderName = None,
    at_least: options.AtLeast = 1,
    judgments: Annotated[
        Path | None, typer.Option("--judgments", help="Write the official judgments here.")
    ] = None,
) -> console.Result:
    """Write relevance labels for trec_eval: the best grade of each passage."""
    from sidelight.evaluation.exams.grades import exam_qrels, title
    from sidelight.formats.labels.qrels import write_qrels

    found = _read(graded)
    exam = found.exam(grader)
    written = {output: exam_qrels(exam, at_least)}
    if judgments:
        written[judgments] = found.rankings.judged
    for path, grades in written.items():
        write_qrels(path, grades)
    counts = {str(path): sum(map(len, grades.values())) for path, grades in written.items()}
    passages = sum(map(len, found.rankings.passages.values()))
    labelled = counts[str(output)]
    return console.Result(
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
@options.takes_groups
def leaderboard(  # long: half of it are options
    graded: options.GradedPath,
    *,
    grader: options.GraderName = None,
    at_least: options.AtLeast = 1,
    measures: options.RetrievalMeasures = "nDCG@10 AP RR",
    min_grade: options.MinGrade = None,
    min_judgment: options.MinJudgment = None,
    official: options.OfficialQrels = None,
    run: options.MoreRuns = None,
    track: options.Track = EXAM_TRACK,
    sampling: options.Sampling,
    output: options.Output = None,
) -> console.Result:
    """Rank the runs of a file by grades, beside their ranks by official judgments."""
    from sidelight.evaluation.agreement.ranks import MIN_RUNS
    from sidelight.evaluation.exams.grades import exam_qrels, title
    from sidelight.evaluation.exams.leaderboard import compare_leaderboards, judged_runs, standings
    from sidelight.evaluation.exams.leaderboard import leaderboard as rank
    from sidelight.evaluation.scoring.table import run_intervals

    found = _read(graded)
    exam, places = found.exam(grader), _places(found, run, graded)
    judged = _judgments(found, official)
    level = options.lowest_relevant(track, "grades", min_grade)
    ours = rank(places, exam_qrels(exam, at_least), measures, level)
    seen, theirs = judged_runs(places, judged), None
    if judged:
        theirs = rank(
            places, judged, measures, options.lowest_relevant(track, "judgments", min_judgment)
        )
    compared = {}
    if theirs and len(seen) >= MIN_RUNS:
        compared = compare_leaderboards(theirs, ours, seen, **sampling._asdict())
    intervals = run_intervals(ours, **sampling._asdict())
    rows = standings(ours, theirs, places, judged)
    tables = [standings_table(ours, rows, intervals), agreement_table(compared)]
    about = {
        "grader": title(exam.grader),
        "lowest_relevant_grade": level,
        "n_queries": len(exam.cells),
        "n_runs_compared": len(seen),
        "unjudged_cells": exam.unjudged,
        "undefined": ours.undefined,
        "bootstrap": sampling._asdict(),
    }
    notes: list[str | console.Note] = [
        (
            f"{title(exam.grader)}: relevant from grade {level}; "
            f"{_drawn(len(exam.cells), sampling)}; of correlations over "
            f"{counted(len(seen), 'run')}; {counted(exam.unjudged, 'cell')} unjudged"
        ),
        *console.undefined_warnings(ours.undefined, len(exam.cells), "query"),
        *console.few_warnings(len(exam.cells), "query"),
        *(console.few_runs_warnings(len(seen)) if compared else []),
    ]
    return tables_result([table for table in tables if table.rows], output, about, notes)


@app.command()
@options.takes_groups
def cover(
    graded: options.GradedPath,
    *,
    grader: options.GraderName = None,
    min_grade: options.MinGrade = None,
    depth: Annotated[int, options.depth_option("Passages of a run that count.")] = 20,
    bank: Annotated[
        Path | None,
        options.bank_option("Bank whose items count; all items used for grading by default."),
    ] = None,
    run: options.MoreRuns = None,
    track: options.Track = EXAM_TRACK,
    sampling: options.Sampling,
    output: options.Output = None,
) -> console.Result:
    """Rank the runs of a file by the share of items that their first passages answer."""
    from dataclasses import replace

    from sidelight.evaluation.exams.grades import title
    from sidelight.evaluation.exams.leaderboard import exam_cover
    from sidelight.evaluation.scoring.table import run_intervals

    found = _read(graded)
    exam = found.exam(grader)
    level = options.lowest_relevant(track, "grades", min_grade)
    covered = exam_cover(
        exam,
        replace(found.rankings, places=_places(found, run, graded)),
        min_rating=level,
        depth=depth,
        items=item_ids(read_exams(bank)) if bank else None,
    )
    intervals = run_intervals(covered.table, **sampling._asdict())
    overall = sum(covered.everything.values()) / len(covered.everything)
    about = {
        "grader": title(exam.grader),
        "lowest_answering_grade": level,
        "depth": depth,
        "everything": overall,
        "unjudged_cells": exam.unjudged,
        "undefined": covered.table.undefined,
        "bootstrap": sampling._asdict(),
    }
    notes: list[str | console.Note] = [
        (
            f"{title(exam.grader)}: answered from grade {level}, first "
            f"{counted(depth, 'passage')}; all passages together answer {overall:.3f}; "
            f"{_drawn(len(exam.cells), sampling)}; "
            f"{counted(exam.unjudged, 'cell')} unjudged"
        ),
        *console.undefined_warnings(covered.table.undefined, len(exam.cells), "query"),
        *console.few_warnings(len(exam.cells), "query"),
    ]
    return tables_result([cover_table(covered, intervals)], output, about, notes)


@app.command()
def tables(
    graded: Annotated[
        Path, typer.Argument(metavar="GRADED", help="Graded passages, or relevance labels.")
    ],
    *,
    grader: options.GraderName = None,
    at_least: options.AtLeast = 1,
    min_grade: options.MinGrade = None,
    min_judgment: options.MinJudgment = None,
    official: options.OfficialQrels = None,
    track: options.Track = EXAM_TRACK,
    output: options.Output = None,
) -> console.Result:
    """Count grades against official judgments, with kappa of each cell and of relevant or not."""
    from sidelight.evaluation.agreement.qrels import compare_qrels
    from sidelight.evaluation.exams.grades import exam_qrels

    if is_graded(graded):
        found = _read(graded)
        labels, judged = exam_qrels(found.exam(grader), at_least), _judgments(found, official)
    else:
        labels, judged = read_qrels(graded), read_qrels(official) if official else {}
    levels = (
        options.lowest_relevant(track, "grades", min_grade),
        options.lowest_relevant(track, "judgments", min_judgment),
    )
    results = judgment_tables(compare_qrels(labels, judged, levels), levels)
    return tables_result(results, output, {"lowest_relevant": levels})


def _drawn(n_queries: int, sampling: options.Sampling) -> str:
    from sidelight.evaluation.scoring.table import MIN_TOPICS

    if n_queries < MIN_TOPICS:
        return f"no intervals: fewer than {MIN_TOPICS} queries ({n_queries})"
    return f"intervals: 95%, bootstrap over {counted(n_queries, 'query')}, {sampling}"


def _judgments(found: GradedFile, official: Path | None) -> Qrels:
    return read_qrels(official) if official else found.rankings.judged


def _places(found: GradedFile, runs: list[Path] | None, graded: Path) -> Places:
    from sidelight.evaluation.exams.leaderboard import places_of

    places = dict(found.rankings.places)
    for path in runs or ():
        tag = file_tag(path)
        if tag in places:
            raise UsageError(f"there are two runs called {tag}", remedy="Rename the file.")
        places[tag] = places_of(path)
    if not places:
        raise InputError(
            f"{graded}: expected rankings of runs; found none",
            remedy="Name run files with --run, once for each.",
        )
    return places
