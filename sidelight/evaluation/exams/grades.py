"""Grades of passages by test questions or key facts: what they imply, and their upkeep.

Runs and grades meet by passage id; no texts are kept. Upkeep finds, after Farzi and Dietz, Pencils
Down!, ICTIR 2024, section 6.7:

- Spurious items, which are answered by passages that assessors call not relevant.
- Uncovered passages, which are relevant and answer no item: an item is missing.
- Holes: cells that nobody graded, because a run brought a passage or a bank an item.

People's corrections of grades are read, compared with the grades, and applied.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import intern
from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients import cohen_kappa
from sidelight.formats.lines import Findings, decode_unique, read_bytes
from sidelight.registry import did_you_mean
from sidelight.schemas.base import Value
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line, sentences, stems, tokens

Qrels = dict[str, dict[str, int]]
"""Query id -> passage id -> grade."""

Cells = dict[str, dict[str, dict[str, int]]]
"""Query id -> passage id -> item id -> rating."""

WHOLE = ""
"""The item of a grade that is of the passage as a whole."""


@dataclass(frozen=True, slots=True)
class Rankings:
    """Ranks of a file's passages in each run.

    Attributes:
        places: Run -> query id -> passage id -> place, from 1.
        judged: Official judgments, the highest of a passage.
    """

    places: dict[str, dict[str, dict[str, int]]]
    judged: Qrels
    passages: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Exam:
    """One grader's ratings.

    Attributes:
        cells: Its ratings; a passage of which it rated nothing is not there.
        unjudged: Cells that it could not rate.
    """

    grader: Grader
    cells: Cells = field(default_factory=dict)
    unjudged: int = 0

    def items(self, query_id: str) -> set[str]:
        """Return the items of a query by which any passage was graded."""
        return {item for cells in self.cells.get(query_id, {}).values() for item in cells}


@dataclass(frozen=True, slots=True)
class GradedFile:
    """All graders' ratings of a file, and its runs."""

    exams: dict[Grader, Exam]
    rankings: Rankings

    def exam(self, name: str | None = None) -> Exam:
        """Return what a grader rated.

        `name` is the grader's prompt, or `prompt@model`; it may be None where there is only one.
        """
        titles = {title(grader): exam for grader, exam in self.exams.items()}
        if not titles:
            raise InputError(
                "the file has no rating of any passage",
                remedy="Grade its passages with `sidelight grade`.",
            )
        fits = [
            exam
            for grader, exam in self.exams.items()
            if name in {None, grader.prompt, title(grader)}
        ]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise UsageError(
                f"{len(fits)} graders fit: {', '.join(title(exam.grader) for exam in fits)}",
                remedy="Choose one with --grader.",
            )
        raise UsageError(
            f"no grader {name!r}; there are {', '.join(titles)}" + did_you_mean(name or "", titles)
        )


def title(grader: Grader) -> str:
    """Return what to call a grader: `prompt@model`."""
    return "@".join(part for part in (grader.prompt, grader.model) if part) or "unnamed"


def collect(queries: Iterable[GradedQuery]) -> GradedFile:
    """Collect what is rated, of queries that may come one at a time."""
    cells: dict[Grader, Cells] = defaultdict(dict)
    unjudged: dict[Grader, int] = defaultdict(int)
    ranks: dict[str, dict[str, dict[str, int]]] = {}
    judged: Qrels = {}
    passages: dict[str, list[str]] = {}
    for query in queries:
        passages[query.query_id] = [passage.passage_id for passage in query.passages]
        for passage in query.passages:
            for grader, ratings in _ratings(passage):
                known = {item: one for item, one in ratings if isinstance(one, int)}
                unjudged[grader] += len(ratings) - len(known)
                if known:
                    by_passage = cells[grader].setdefault(query.query_id, {})
                    by_passage.setdefault(passage.passage_id, {}).update(known)
            if passage.relevance is not None:
                judged.setdefault(query.query_id, {})[passage.passage_id] = passage.relevance
            for one in passage.rankings:
                run = ranks.setdefault(one.run, {})
                run.setdefault(query.query_id, {})[passage.passage_id] = one.rank
    return GradedFile(
        {grader: Exam(grader, found, unjudged[grader]) for grader, found in cells.items()},
        Rankings({run: _from_one(found) for run, found in ranks.items()}, judged, passages),
    )


def _ratings(passage: GradedPassage) -> Iterator[tuple[Grader, list[tuple[str, int | Unjudged]]]]:
    """Yield what each grader that rates gave the items, or the passage as a whole."""
    for grading in passage.gradings:
        rated = [
            (intern(item.item_id), item.rating) for item in grading.items if item.rating is not None
        ]
        if rated:
            yield grading.grader, rated
    for grade in passage.direct:
        if grade.rating is not None:
            yield grade.grader, [(WHOLE, grade.rating)]


def _from_one(queries: Mapping[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return places from 1: some runs count theirs from 0."""
    lowest = min(rank for ranks in queries.values() for rank in ranks.values())
    offset = 1 if lowest <= 0 else 0
    return {
        query_id: {passage_id: rank + offset for passage_id, rank in ranks.items()}
        for query_id, ranks in queries.items()
    }


LOWEST = 0
"""The grade of a passage that answers nothing."""


def relevance_label(ratings: Iterable[int], at_least: int = 1) -> int:
    """Return the best grade that at least so many items reach.

    label(p) = the m-th largest of grade(r, p) over all items r, for m = 1 the best grade.

    m is `at_least`. With fewer than m ratings the label is the lowest grade.
    """
    ordered = sorted(ratings, reverse=True)
    return ordered[at_least - 1] if len(ordered) >= at_least else LOWEST


def exam_qrels(exam: Exam, at_least: int = 1) -> Qrels:
    """Return the label of every passage that the grader rated; see `relevance_label`."""
    return {
        query_id: {
            passage_id: relevance_label(ratings.values(), at_least)
            for passage_id, ratings in passages.items()
        }
        for query_id, passages in exam.cells.items()
    }


_FEWEST_WORDS, _MOST_WORDS = 5, 40


@dataclass(frozen=True, slots=True)
class ItemUse:
    """Number of passages that answer an item, by whether they were judged relevant."""

    query_id: str
    item_id: str
    not_relevant: int
    relevant: int


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A passage that assessors judged relevant and that answers no item well enough."""

    query_id: str
    passage_id: str
    judgment: int
    best_grade: int


@dataclass(frozen=True, slots=True)
class Hole:
    """A passage that was not graded, or not by all items; `in_file` if the file has its text."""

    query_id: str
    passage_id: str
    missing_items: int
    in_file: bool


def spurious_items(
    exam: Exam, judged: Qrels, *, min_grade: int, min_judgment: int
) -> list[ItemUse]:
    """Return items that some passage answers which is not relevant, the most such ones first."""
    counts: dict[tuple[str, str], list[int]] = {}
    for query_id, passages in exam.cells.items():
        for passage_id, cells in passages.items():
            relevance = judged.get(query_id, {}).get(passage_id)
            if relevance is None:
                continue
            for item, rating in cells.items():
                if rating >= min_grade:
                    both = counts.setdefault((query_id, item), [0, 0])
                    both[relevance >= min_judgment] += 1
    found = [ItemUse(*key, *both) for key, both in counts.items() if both[0]]
    return sorted(found, key=lambda one: (-one.not_relevant, one.query_id, one.item_id))


def uncovered_passages(
    exam: Exam, judged: Qrels, *, min_grade: int, min_judgment: int
) -> list[Uncovered]:
    """Return graded passages that are relevant and answer nothing, the most relevant first."""
    found = []
    for query_id, passages in exam.cells.items():
        for passage_id, cells in passages.items():
            relevance = judged.get(query_id, {}).get(passage_id)
            best = relevance_label(cells.values())
            if relevance is not None and relevance >= min_judgment and best < min_grade:
                found.append(Uncovered(query_id, passage_id, relevance, best))
    return sorted(found, key=lambda one: (-one.judgment, one.query_id, one.passage_id))


def holes(
    exam: Exam,
    rankings: Rankings,
    items: Mapping[str, Iterable[str]],
    runs: Iterable[Mapping[str, Iterable[str]]] = (),
) -> list[Hole]:
    """Return what has to be graded yet, in the order of the file, then of the runs.

    `items` are those of the bank by query id; `runs` are more runs: query id -> passages that
    count.
    """
    found: dict[tuple[str, str], Hole] = {}
    for query_id, passages in rankings.passages.items():
        asked = set(items.get(query_id, ()))
        for passage_id in passages:
            graded = exam.cells.get(query_id, {}).get(passage_id, {})
            if missing := len(asked - graded.keys()):
                found[query_id, passage_id] = Hole(query_id, passage_id, missing, in_file=True)
    known = {query_id: set(passages) for query_id, passages in rankings.passages.items()}
    for run in runs:
        for query_id, names in run.items():
            for passage_id in names:
                if query_id in items and passage_id not in known.get(query_id, ()):
                    missing = len(set(items[query_id]))
                    found.setdefault(
                        (query_id, passage_id), Hole(query_id, passage_id, missing, in_file=False)
                    )
    return list(found.values())


def suggested_item(query: str, passage: str, known: Iterable[str] = ()) -> str:
    """Return a fact of a passage that its bank could ask for: the sentence nearest to the query.

    Words of the query count, as do those that no item has yet; a sentence of very few words, or of
    very many, is taken where there is no other. It is for people to reword; empty where nothing is
    said.
    """
    asked = stems(query)
    taken = frozenset[str]().union(*map(stems, known)) - asked
    best, chosen = (False, -1.0), ""
    for sentence in sentences(passage):
        if not (words := stems(sentence)):
            continue
        handy = _FEWEST_WORDS <= len(tokens(sentence)) <= _MOST_WORDS
        worth = len(words & asked) / max(len(asked), 1) + len(words - taken) / len(words)
        if (handy, worth) > best:
            best, chosen = (handy, worth), one_line(sentence)
    return chosen


PEOPLE = "checked-by-people"
"""What the name of a grader ends in whose grades people corrected."""

_REMEDY = "Save corrections with the page that `sidelight rubric verify` writes."
_Id = Annotated[str, Field(min_length=1)]
_Grade = Annotated[int, Field(strict=True, ge=0, le=99)]


class _GraderObject(BaseModel):
    prompt: str
    model: str


class _VerdictObject(BaseModel):
    query_id: _Id
    passage_id: _Id
    item_id: _Id
    grade: _Grade


class _CorrectionsObject(BaseModel):
    sha256: str
    grader: _GraderObject
    verdicts: list[_VerdictObject]


class Corrections(Value):
    """People's corrections of one grader's grades.

    Attributes:
        sha256: Of the file of graded passages that they looked at.
        grader: Prompt and model of the grader.
        grades: Query, passage and item -> what the grade should be; the given one where it was
            accepted.
    """

    sha256: str
    grader: tuple[str, str]
    grades: dict[tuple[str, str, str], int]


class CheckedGrades(Value):
    """Agreement of grades with people's corrections.

    Attributes:
        checked: Cells that people looked at.
        accepted: Of these, cells whose grade they left as it was.
        added: Cells that had no grade.
        kappa: Cohen's kappa on all grades, of cells that had one; None where it is undefined.
        kappa_relevant: The same on relevant or not.
        too_high: Cells whose grade people lowered.
        too_low: Cells whose grade people raised.
    """

    checked: int
    accepted: int
    added: int
    kappa: float | None
    kappa_relevant: float | None
    too_high: int
    too_low: int


def read_corrections(path: Path) -> Corrections:
    """Read what a page saved."""
    findings = Findings(path)
    text = read_bytes(path).decode("utf-8", errors="replace")
    content = decode_unique(text, None, findings)
    findings.raise_errors()
    try:
        found = _CorrectionsObject.model_validate(content)
    except ValidationError as error:
        raise findings.invalid(error, None, "corrections of grades", _REMEDY) from error
    grades = {(one.query_id, one.passage_id, one.item_id): one.grade for one in found.verdicts}
    if len(grades) < len(found.verdicts):
        counts = Counter((one.query_id, one.passage_id, one.item_id) for one in found.verdicts)
        twice = next(cell for cell, count in counts.items() if count > 1)
        told = f"query {twice[0]}, passage {twice[1]}, item {twice[2]} twice"
        findings.again("cell-duplicate", None, "each cell once", told)
        findings.raise_errors()
    return Corrections(
        sha256=found.sha256, grader=(found.grader.prompt, found.grader.model), grades=grades
    )


def check_grades(
    queries: Iterable[GradedQuery], corrections: Corrections, highest: int, relevant: int
) -> CheckedGrades:
    """Compare grades with the corrections that people made.

    `highest` is the highest grade; grades of `relevant` or higher count as relevant.
    """
    grader = Grader(*corrections.grader)
    given: dict[tuple[str, str, str], object] = {
        (query.query_id, passage.passage_id, item.item_id): item.rating
        for query in queries
        for passage in query.passages
        for item in passage.items_by(grader)
    }
    confusion = np.zeros((highest + 1, highest + 1), dtype=np.int64)
    added = 0
    for cell, grade in sorted(corrections.grades.items()):
        if cell not in given or grade > highest:
            place = f"query {cell[0]}, passage {cell[1]}, item {cell[2]}"
            what = f"grade {grade} of {highest}" if cell in given else "no such cell"
            raise InputError(
                f"{place}: expected a grade of a cell that {grader.prompt} graded; found {what}",
                remedy="Name the file of graded passages that the page was made from.",
            )
        old = given[cell]
        if isinstance(old, int) and 0 <= old <= highest:
            confusion[grade, old] += 1
        else:
            added += 1
    halves = np.add.reduceat(np.add.reduceat(confusion, [0, relevant], 0), [0, relevant], 1)
    return CheckedGrades(
        checked=len(corrections.grades),
        accepted=int(confusion.trace()),
        added=added,
        kappa=cohen_kappa(confusion),
        kappa_relevant=cohen_kappa(halves),
        too_high=int(np.triu(confusion, 1).sum()),
        too_low=int(np.tril(confusion, -1).sum()),
    )


def corrected(queries: Sequence[GradedQuery], corrections: Corrections) -> list[GradedQuery]:
    """Return the passages with the corrected grades beside the given ones.

    They are those of another grader, whose name says that people checked them; cells that nobody
    looked at are as they were given.
    """
    grader = Grader(*corrections.grader)
    people = Grader(f"{grader.prompt}-{PEOPLE}", grader.model)

    def changed(passage: GradedPassage, grading: Grading) -> Grading:
        def item(one: ItemGrade) -> ItemGrade:
            grade = corrections.grades.get((passage.query_id, passage.passage_id, one.item_id))
            return one if grade is None else replace(one, rating=grade, correct=grade > 0)

        return Grading(people, grading.kind, tuple(map(item, grading.items)))

    return [
        replace(
            query,
            passages=tuple(
                passage.graded(changed(passage, grading))
                if (grading := passage.grading(grader))
                else passage
                for passage in query.passages
            ),
        )
        for query in queries
    ]
