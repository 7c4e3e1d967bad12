"""Verification page as one HTML file without network requests, and its values; see `view.page`.

For each query it shows a grid of passages and items, as one grader left them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.exams.grades import collect, title
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery, Grader
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.view.page import rendered


class Cell(NamedTuple):
    """One item against one passage; `answer` is the passage's, or why there is no grade."""

    grade: int | None
    answer: str


class PassageRow(NamedTuple):
    """A passage, with a cell for each item of the grid.

    `best` is its best grade, `judged` an assessor's; each is None where there is none.
    """

    passage_id: str
    text: str
    best: int | None
    judged: int | None
    cells: tuple[Cell, ...]


class Grid(NamedTuple):
    """A query and its passages, in the order of the file; `query` is empty if its text is unknown.

    `item_ids` are in the order of the bank, or as the grader came by them; `items` are the texts of
    the items, or their ids where nobody gave texts.
    """

    query_id: str
    query: str
    item_ids: tuple[str, ...]
    items: tuple[str, ...]
    rows: tuple[PassageRow, ...]


class Verification(NamedTuple):
    """Contents of the page: grader, highest grade, and a grid for each query with grades."""

    grader: Grader
    highest: int
    grids: tuple[Grid, ...]

    @property
    def title(self) -> str:
        """Name of the grader."""
        return title(self.grader)


def verification(  # a page in a line each
    queries: Sequence[GradedQuery],
    highest: int,
    grader: str | None = None,
    texts: Mapping[str, str] | None = None,
    items: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Verification:
    """Return what a page shows.

    Args:
        queries: Graded passages.
        highest: The highest grade there can be.
        grader: Whose grades, by name; None where there is but one.
        texts: Of queries, by id.
        items: Texts of items, by id, in the order of their bank.
        limit: How many passages of each query, the best graded first; all if None.

    Raises:
        InputError: Nothing is graded by items.
    """
    chosen = collect(queries).exam(grader).grader
    grids = [_grid(query, chosen, texts or {}, items or {}, limit) for query in queries]
    found = tuple(grid for grid in grids if grid.item_ids)
    if not found:
        raise InputError(
            f"{title(chosen)} graded no passage by items",
            remedy="Choose a grader that did with --grader.",
        )
    return Verification(chosen, highest, found)


def _grid(
    query: GradedQuery,
    grader: Grader,
    texts: Mapping[str, str],
    items: Mapping[str, str],
    limit: int | None,
) -> Grid:
    graded = {item.item_id: None for passage in query.passages for item in passage.items_by(grader)}
    places = {item_id: place for place, item_id in enumerate(items)}
    item_ids = tuple(sorted(graded, key=lambda item_id: places.get(item_id, len(places))))
    rows = [_row(passage, grader, item_ids) for passage in query.passages]
    if limit is not None:
        rows = sorted(rows, key=lambda row: -1 if row.best is None else row.best, reverse=True)
    return Grid(
        query.query_id,
        texts.get(query.query_id, ""),
        item_ids,
        tuple(items.get(item_id, item_id) for item_id in item_ids),
        tuple(rows[:limit]),
    )


def _row(passage: GradedPassage, grader: Grader, item_ids: Sequence[str]) -> PassageRow:
    graded = {item.item_id: item for item in passage.items_by(grader)}
    answers = _answers(passage)
    cells = []
    for item_id in item_ids:
        item = graded.get(item_id)
        rating = item.rating if item else None
        if isinstance(rating, Unjudged):
            cells.append(Cell(None, rating.reason))
        else:
            own = item.answer if item and not _is_grade(item.answer) else ""
            cells.append(Cell(rating, own or answers.get(item_id, "")))
    grades = [cell.grade for cell in cells if cell.grade is not None]
    return PassageRow(
        passage.passage_id,
        passage.text,
        max(grades, default=None),
        passage.relevance,
        tuple(cells),
    )


def _answers(passage: GradedPassage) -> dict[str, str]:
    """Return what graders that only answer made of the items; some rate and answer apart."""
    return {
        item.item_id: item.answer
        for grading in passage.gradings
        for item in grading.items
        if item.rating is None and not _is_grade(item.answer)
    }


def _is_grade(answer: str) -> bool:
    return answer.strip().isdigit()


def render_verification(page: Verification, source: str, digest: str) -> str:
    """Return the page as HTML; the same values give the same text.

    `source` names the file of graded passages, and `digest` is its SHA-256, which corrections name,
    so that they are not read into another file.
    """
    about = {
        "source": source,
        "sha256": digest,
        "grader": {"prompt": page.grader.prompt, "model": page.grader.model},
    }
    return rendered(Path(__file__).parent, page=page, source=source, about=json.dumps(about))
