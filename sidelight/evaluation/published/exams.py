"""Figures of RUBRIC (Farzi and Dietz, ICTIR 2024) and its workbench, from what they released."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.evaluation.agreement.coefficients.spearman import spearman
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.exams.correlations import correlate_graders
from sidelight.evaluation.exams.cover import exam_cover
from sidelight.evaluation.exams.grades import collect
from sidelight.evaluation.exams.labels import exam_qrels
from sidelight.evaluation.exams.leaderboard import wins
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Figures = Iterator[tuple[str, float | None]]

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_RELEVANT_GRADE, _RELEVANT_JUDGMENT = 4, 2
_ANSWERED, _FIRST_PASSAGES = 3, 20  # as the published leaderboard of cover has them
# Columns of table 3: collection, measure, coefficient.
_TABLE_3 = (
    ("dl20", "ndcg_cut.10", 0),
    ("dl20", "ndcg_cut.10", 1),
    ("dl20", "map", 0),
    ("dl20", "recip_rank", 0),
    ("dl19", "ndcg_cut.10", 0),
    ("dl19", "ndcg_cut.10", 1),
    ("dl19", "map", 0),
    ("dl19", "recip_rank", 0),
    ("car", "map", 0),
    ("car", "map", 1),
    ("car", "ndcg_cut.20", 0),
    ("car", "Rprec", 0),
)


def graded_passages(graded: Path, _questions: Path, cover: Path) -> Figures:
    """Compute labels, leaderboards and cover of the passages of TREC DL 2019."""
    found = collect(read_graded(graded))
    exam = found.exam()
    qrels = exam_qrels(exam)
    yield "passages labelled", sum(map(len, qrels.values()))
    (row,) = correlate_graders(
        found.rankings.places,
        {"": qrels},
        found.rankings.judged,
        "nDCG@10",
        levels=[_RELEVANT_GRADE],
        official_level=_RELEVANT_JUDGMENT,
    )
    yield "nDCG@10 against judgments: Spearman", row.values["nDCG@10 S"]
    yield "nDCG@10 against judgments: Kendall", row.values["nDCG@10 K"]
    covered = exam_cover(exam, found.rankings, min_rating=_ANSWERED, depth=_FIRST_PASSAGES)
    scores = {run.run_tag: run.values for run in covered.table.runs}
    ranks = _official_ranks(cover)
    runs = sorted(scores.keys() & ranks.keys())
    official = np.array([-ranks[run] for run in runs])
    for measure, title in (("exam", "EXAM"), ("n_exam", "n-EXAM")):
        ours = np.array([scores[run][measure] for run in runs])
        yield f"{title} against official ranks: Spearman", spearman(official, ours)
        yield f"{title} against official ranks: Kendall", kendall(official, ours)
    everything = covered.everything.values()
    yield "EXAM of all passages", sum(everything) / len(everything)
    for run, values in scores.items():
        yield f"{run}: EXAM", values["exam"]
        yield f"{run}: n-EXAM", values["n_exam"]


def grade_tables(grades: Path, official: Path) -> Figures:
    """Count the released labels against those of assessors."""
    levels = _RELEVANT_GRADE, _RELEVANT_JUDGMENT
    found = compare_qrels(read_qrels(grades), read_qrels(official), levels)
    place = {name: at for at, name in enumerate(found.grades.categories)}
    for grade in reversed(found.used[0]):
        for judgment in reversed(found.used[1]):
            count = int(found.grades.table[place[str(grade)], place[str(judgment)]])
            yield f"grade {grade}, judgment {judgment}", count
    if found.relevance:
        cells = ("both relevant", "only by grades", "only by judgments", "neither")
        yield from zip(cells, map(int, found.relevance.table.ravel()), strict=True)
        yield "Cohen kappa", found.relevance.coefficients["kappa"]


def leaderboards(*tables: Path) -> Figures:
    """Correlate each column of printed leaderboards with their last one, the official ranks."""
    for path in tables:
        rows = [row for row in _printed_rows(path) if row[-1] is not None]
        columns = list(zip(*rows, strict=True))
        official = np.array([-(rank or 0.0) for rank in columns[-1]])
        yield f"{path.stem}: runs", len(rows)
        for place, column in enumerate(columns[:-1], start=1):
            scores = np.array([value or 0.0 for value in column])
            yield f"{path.stem}, column {place}: Spearman", spearman(official, scores)
            yield f"{path.stem}, column {place}: Kendall", kendall(official, scores)


def table_of_wins(*correlations: Path) -> Figures:
    """Count wins from the correlations that were released for each collection."""
    cells: dict[tuple[str, str], dict[tuple[str, str, int], float | None]] = {}
    for path in correlations:
        collection = path.name.partition("-")[0]
        for _, text in read_lines(path):
            labels, level, measure, *values = (*text.split("\t"), "", "", "")[:5]
            if labels.endswith(".qrel"):
                name = labels.rpartition("/")[2].removesuffix(".qrel")
                for place, value in enumerate(values):
                    number = float(value) if _NUMBER.fullmatch(value) else None
                    cells.setdefault((name, level), {})[collection, measure, place] = number
    # Binary graders have one level, and that of 0 to 2 is given one in the paper.
    by_items = ("QuestionSelfRatedUnanswerablePromptWithChoices", "NuggetSelfRatedPrompt")
    rows = {
        f"{name} {level}": [row.get(column) for column in _TABLE_3]
        for (name, level), row in cells.items()
        if level == "1" or (name in by_items and level != "3")
    }
    for name, won in wins(rows).items():
        yield f"wins of {name}", won


def _official_ranks(path: Path) -> dict[str, float]:
    """Return the official rank of each run that has one, by the next to last column."""
    lines = [text.split("\t") for _, text in read_lines(path)]
    header = next((cells for cells in lines if cells[0] == "method"), [])
    name = "orig_TREC_leaderboard_rank"
    if name not in header:
        raise InputError(f"{path}: expected a column {name}; found none")
    at = header.index(name)
    return {
        cells[0]: float(cells[at])
        for cells in lines
        if len(cells) > at and _NUMBER.fullmatch(cells[at].strip())
    }


def _printed_rows(path: Path) -> Iterator[list[float | None]]:
    """Yield the scores of each run of a Markdown table, without standard errors, then its rank."""
    width = 0
    for _, text in read_lines(path):
        cells = [cell.strip(" *") for cell in text.strip().strip("|").split("|")]
        if cells[-1] == "official rank":
            width = len(cells)
            keep = [at for at, cell in enumerate(cells) if at and cell not in {"+/-", "std-err"}]
        elif width and len(cells) == width and not cells[0].startswith("\\_overall"):
            found = [float(cells[at]) if _NUMBER.fullmatch(cells[at]) else None for at in keep]
            if None not in found:
                yield found
    if not width:
        raise InputError(f"{path}: expected a table with a column 'official rank'; found none")
