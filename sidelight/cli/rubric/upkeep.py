"""`sidelight rubric spurious|uncovered|holes`: what a bank has too much of, or lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.cli.console import out
from sidelight.cli.options.exams import (
    GradedPath,
    GraderName,
    MinGrade,
    MinJudgment,
    MoreRuns,
    OfficialQrels,
    bank_option,
    depth_option,
    lowest_relevant,
)
from sidelight.cli.options.inputs import Track
from sidelight.cli.options.results import Json, Output
from sidelight.cli.result_table import ResultTable
from sidelight.text import counted
from sidelight.tracks import EXAM_TRACK

if TYPE_CHECKING:
    from collections.abc import Container

    from sidelight.evaluation.exams.grades import GradedFile, Qrels
    from sidelight.schemas.grading.exam_bank import ExamBank

Bank = Annotated[Path, bank_option("The bank that the passages were graded by.")]

_MOST_SHOWN = 60


def spurious(
    graded: GradedPath,
    *,
    bank: Bank,
    grader: GraderName = None,
    min_grade: MinGrade = None,
    min_judgment: MinJudgment = None,
    official: OfficialQrels = None,
    track: Track = EXAM_TRACK,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """List items that passages answer which assessors call not relevant, the worst first."""
    from sidelight.evaluation.exams.upkeep import spurious_items

    found, banks = _read(graded), _banks(bank)
    texts = {item.item_id: item.text for one in banks for item in one.items}
    uses = spurious_items(
        found.exam(grader),
        _judged(found, official),
        min_grade=lowest_relevant(track, "grades", min_grade),
        min_judgment=lowest_relevant(track, "judgments", min_judgment),
    )
    records = [
        {
            "query_id": one.query_id,
            "item_id": one.item_id,
            "not_relevant": one.not_relevant,
            "relevant": one.relevant,
            "text": texts.get(one.item_id, ""),
        }
        for one in uses
    ]
    _deliver("spurious_items", records, output, as_json=as_json)


def uncovered(
    graded: GradedPath,
    *,
    bank: Bank,
    grader: GraderName = None,
    min_grade: MinGrade = None,
    min_judgment: MinJudgment = None,
    official: OfficialQrels = None,
    track: Track = EXAM_TRACK,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """List relevant passages that answer no item, each with a fact that the bank could ask for."""
    from sidelight.evaluation.exams.upkeep import suggested_item, uncovered_passages

    found, banks = _read(graded), _banks(bank)
    missed = uncovered_passages(
        found.exam(grader),
        _judged(found, official),
        min_grade=lowest_relevant(track, "grades", min_grade),
        min_judgment=lowest_relevant(track, "judgments", min_judgment),
    )
    passages = _texts(graded, {(one.query_id, one.passage_id) for one in missed})
    queries = {one.topic_id: one.query_text for one in banks}
    items: dict[str, list[str]] = {}
    for one in banks:
        items.setdefault(one.topic_id, []).extend(item.text for item in one.items)
    records = [
        {
            "query_id": one.query_id,
            "passage_id": one.passage_id,
            "judgment": one.relevance,
            "best_grade": one.best,
            "suggested_item": suggested_item(
                queries.get(one.query_id, ""),
                passages[one.query_id, one.passage_id],
                items.get(one.query_id, ()),
            ),
        }
        for one in missed
    ]
    _deliver("uncovered_passages", records, output, as_json=as_json)


def holes(
    graded: GradedPath,
    *,
    bank: Bank,
    grader: GraderName = None,
    run: MoreRuns = None,
    depth: Annotated[int, depth_option("Passages of a run that are to be graded.")] = 20,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """List what has to be graded yet: new passages of runs, and new items of a bank."""
    from sidelight.evaluation.exams.leaderboard import places_of
    from sidelight.evaluation.exams.upkeep import holes as find_holes
    from sidelight.schemas.grading.exam_bank import item_ids

    found = _read(graded)
    runs = [
        {
            query_id: [name for name, place in places.items() if place <= depth]
            for query_id, places in places_of(path).items()
        }
        for path in run or ()
    ]
    missing = find_holes(found.exam(grader), found.rankings, item_ids(_banks(bank)), runs)
    records = [
        {
            "query_id": one.query_id,
            "passage_id": one.passage_id,
            "missing_items": one.missing,
            "in_file": one.in_file,
        }
        for one in missing
    ]
    _deliver("holes", records, output, as_json=as_json)
    if not as_json:
        cells = sum(one.missing for one in missing)
        absent = sum(not one.in_file for one in missing)
        out.print(
            f"{counted(len(missing), 'passage')}, {counted(cells, 'cell')} to grade; not in the "
            f"file: {counted(absent, 'passage')}",
            markup=False,
        )


def _deliver(
    name: str, records: list[dict[str, object]], output: Path | None, *, as_json: bool
) -> None:
    from sidelight.cli.rubric.tables import written_and_shown

    tables = []
    if records:
        columns = list(records[0])
        rows = [[str(record[column]) for column in columns] for record in records]
        header = [column.replace("_", " ") for column in columns]
        tables = [ResultTable(name, header, rows[:_MOST_SHOWN], records)]
    written_and_shown(tables, output, as_json=as_json, about={"n": len(records)})
    if not records and not as_json:
        out.print("none", markup=False)
    elif len(records) > _MOST_SHOWN and not as_json:
        out.print(f"{len(records)} in all; --output writes every one", markup=False)


def _read(graded: Path) -> GradedFile:
    from sidelight.evaluation.exams.grades import collect
    from sidelight.formats.labels.graded_passages import read_graded

    return collect(read_graded(graded))


def _banks(path: Path) -> tuple[ExamBank, ...]:
    from sidelight.formats.banks.exams import read_exams

    return read_exams(path)


def _judged(found: GradedFile, official: Path | None) -> Qrels:
    from sidelight.formats.labels.qrels import read_qrels

    return read_qrels(official) if official else found.rankings.judged


def _texts(graded: Path, wanted: Container[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Read the file once more, for some texts: all of them would fill the memory."""
    from sidelight.formats.labels.graded_passages import read_graded

    return {
        (query.query_id, passage.passage_id): passage.text
        for query in read_graded(graded)
        for passage in query.passages
        if (query.query_id, passage.passage_id) in wanted
    }
