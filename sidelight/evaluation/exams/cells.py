"""Grading of passages by banks, cell by cell; cells that have a grade are not graded again.

Passages to be graded, from rankings, from citations of answers, or from whole answers.

Generated texts are split into passages of a length that graders take, at paragraphs where possible.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2: passages of 400 tokens at most.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.labelling.passage_grade import (
    PassageCase,
    PassageGrader,
    PoolGrades,
    PromptedDirectGrades,
)
from sidelight.schemas.grading.graded_passage import (
    DirectGrade,
    GradedPassage,
    GradedQuery,
    Grading,
    ItemGrade,
    Ranked,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank, ExamItem
from sidelight.schemas.run import RankingRun, ReportRun
from sidelight.text import clean, one_line, sentence_spans

OnCells = Callable[[int], None]
TextsOf = Callable[[Collection[str]], Mapping[str, str]]


# Passages graded at once: their prompts take memory while they wait for the model, and while texts
# are encoded no cell is finished.
_PASSAGES_AT_ONCE = 1024


class Missing(NamedTuple):
    """The cells of one passage that are still to be graded by one bank."""

    passage: GradedPassage
    bank: ExamBank
    items: tuple[ExamItem, ...]

    @property
    def case(self) -> PassageCase:
        """Return what a grader is given."""
        return PassageCase(self.bank.query_text, self.passage.text, self.bank.kind, self.items)


def banks_by_query(banks: Sequence[ExamBank]) -> dict[str, list[ExamBank]]:
    """Return the banks of each query; one with subtopics has one for each."""
    found: dict[str, list[ExamBank]] = {}
    for bank in banks:
        found.setdefault(bank.topic_id, []).append(bank)
    return found


def missing_cells(
    queries: Sequence[GradedQuery], banks: Mapping[str, Sequence[ExamBank]], grader: PassageGrader
) -> list[Missing]:
    """Return the cells that a grader has not graded, passage by passage.

    A cell for which there was no usable answer counts as not graded.
    """
    found = []
    for query in queries:
        for bank in banks.get(query.query_id, ()):
            for passage in query.passages:
                done = {
                    item.item_id
                    for item in passage.items_by(grader.grader(bank.kind))
                    if item.rating is not None and not isinstance(item.rating, Unjudged)
                }
                left = tuple(item for item in bank.tests if item.item_id not in done)
                if left:
                    found.append(Missing(passage, bank, left))
    return found


async def grade_cells(
    queries: Sequence[GradedQuery],
    banks: Mapping[str, Sequence[ExamBank]],
    grader: PassageGrader,
    on_cells: OnCells = lambda _: None,
) -> list[GradedQuery]:
    """Return the passages with all cells graded that a grader can grade.

    Passages of queries without a bank stay as they are. `on_cells` is called with the number of
    cells just graded.
    """
    todo = missing_cells(queries, banks, grader)

    async def graded(one: Missing) -> tuple[tuple[str, str], Grading]:
        judgments = await grader(one.case)
        items = tuple(
            ItemGrade(item.item_id, said.label)
            if isinstance(said.label, Unjudged)
            else ItemGrade(item.item_id, int(said.label), said.rationale, int(said.label) > 0)
            for item, said in zip(one.items, judgments, strict=True)
        )
        on_cells(len(items))
        key = one.passage.query_id, one.passage.passage_id
        return key, Grading(grader.grader(one.bank.kind), one.bank.kind, items)

    work: dict[tuple[str, str], list[Grading]] = {}
    for start in range(0, len(todo), _PASSAGES_AT_ONCE):
        some = todo[start : start + _PASSAGES_AT_ONCE]
        grader.prepare([one.case for one in some])
        for key, grading in await asyncio.gather(*map(graded, some)):
            work.setdefault(key, []).append(grading)

    def done(passage: GradedPassage) -> GradedPassage:
        gradings = work.get((passage.query_id, passage.passage_id), ())
        for grading in gradings:
            passage = passage.graded(grading)
        return _in_bank_order(passage, banks[passage.query_id], grader) if gradings else passage

    return [replace(query, passages=tuple(map(done, query.passages))) for query in queries]


async def grade_directly(
    queries: Sequence[GradedQuery],
    texts: Mapping[str, str],
    grader: PromptedDirectGrades,
    on_cells: OnCells = lambda _: None,
) -> list[GradedQuery]:
    """Return the passages with a grade for the query as a whole; those that have one keep it.

    Passages of queries without one of the `texts`, which are by query id, stay as they are.
    """
    slots = asyncio.Semaphore(_PASSAGES_AT_ONCE)

    async def graded(passage: GradedPassage) -> GradedPassage:
        known = [one for one in passage.direct if one.grader == grader.grader]
        if passage.query_id not in texts or any(isinstance(one.rating, int) for one in known):
            return passage
        async with slots:
            judgment = await grader(texts[passage.query_id], passage.text)
        on_cells(1)
        rating = judgment.label if isinstance(judgment.label, Unjudged) else int(judgment.label)
        relevant = isinstance(rating, int) and rating >= grader.method.relevant
        grade = DirectGrade(grader.grader, rating, judgment.rationale, relevant)
        return _with_direct(passage, grade)

    async def done(query: GradedQuery) -> GradedQuery:
        passages = await asyncio.gather(*map(graded, query.passages))
        return replace(query, passages=tuple(passages))

    return await asyncio.gather(*map(done, queries))


def grade_pools(
    queries: Sequence[GradedQuery], grader: PoolGrades, relevant: int
) -> list[GradedQuery]:
    """Return the passages with a grade by what all passages of their query have in common.

    All are graded anew: a passage more changes what the others have in common. Grades of `relevant`
    or higher count as relevant.
    """
    return [
        replace(
            query,
            passages=tuple(
                _with_direct(passage, DirectGrade(grader.grader, grade, "", grade >= relevant))
                for passage, grade in zip(
                    query.passages, grader.grade([one.text for one in query.passages]), strict=True
                )
            ),
        )
        for query in queries
    ]


def _in_bank_order(
    passage: GradedPassage, banks: Sequence[ExamBank], grader: PassageGrader
) -> GradedPassage:
    """Return a passage whose cells stand as they would had all been graded at once."""
    places = {item.item_id: None for bank in banks for item in bank.tests}
    order = {item_id: place for place, item_id in enumerate(places)}
    ours = {grader.grader(bank.kind) for bank in banks}
    return replace(
        passage,
        gradings=tuple(
            replace(
                one, items=tuple(sorted(one.items, key=lambda item: order.get(item.item_id, -1)))
            )
            if one.grader in ours
            else one
            for one in passage.gradings
        ),
    )


def _with_direct(passage: GradedPassage, grade: DirectGrade) -> GradedPassage:
    others = tuple(one for one in passage.direct if one.grader != grade.grader)
    return replace(passage, direct=(*others, grade))


MAX_TOKENS = 400

# What no tokeniser takes for less than one token: a punctuation mark, or up to so many letters.
_TOKEN = re.compile(r"\w{1,16}|[^\w\s]")
_BLANK_LINE = re.compile(r"\n\s*\n")


def count_tokens(text: str) -> int:
    """Count words and punctuation marks; a very long word is several."""
    return sum(1 for _ in _TOKEN.finditer(text))


def split_passages(text: str, limit: int = MAX_TOKENS) -> list[str]:
    """Return the passages of a text, in order; together they have all its words, each once.

    A paragraph is a passage. One over the limit is cut between sentences, each passage as full as
    it can be, and a sentence over the limit between words. A blank line ends a paragraph, or any
    line end where there is no blank line. `limit` is the most tokens of a passage, at least 1.
    """
    text = clean(text)
    between = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else re.compile(r"\n")
    return [
        passage for paragraph in between.split(text) for passage in _full_passages(paragraph, limit)
    ]


def _full_passages(paragraph: str, limit: int) -> Iterator[str]:
    """Yield the passages of a paragraph."""
    held: list[str] = []
    length = 0
    for piece in _pieces(" ".join(paragraph.split()), limit):
        size = count_tokens(piece)
        if held and length + size > limit:
            yield " ".join(held)
            held, length = [], 0
        held.append(piece)
        length += size
    if held:
        yield " ".join(held)


def _pieces(paragraph: str, limit: int) -> Iterator[str]:
    """Yield sentences, or the words of sentences that are over the limit."""
    if not paragraph:
        return
    if count_tokens(paragraph) <= limit:
        yield paragraph
        return
    for start, end in sentence_spans(paragraph):
        sentence = paragraph[start:end]
        if count_tokens(sentence) <= limit:
            yield sentence
        else:
            for word in sentence.split():
                yield from _word_pieces(word, limit)


def _word_pieces(word: str, limit: int) -> Iterator[str]:
    """Yield a word, or parts of one that is over the limit by itself."""
    if count_tokens(word) <= limit:
        yield word
        return
    places = [match.start() for match in _TOKEN.finditer(word)]
    places[0] = 0
    starts = places[::limit]
    for start, end in zip(starts, [*starts[1:], len(word)], strict=True):
        yield word[start:end]


_SPACES = re.compile(r"\s+")


def ranked_passages(runs: Iterable[RankingRun], depth: int, texts_of: TextsOf) -> list[GradedQuery]:
    """Return the first passages of each query in some rankings, each with its place in every run.

    The first `depth` of each query and run count.
    """
    placed = (
        (query_id, hit.segment_id, Ranked(run.run_tag, rank, hit.score))
        for run in runs
        for query_id, hits in run.rankings.items()
        for rank, hit in enumerate(hits[:depth], start=1)
    )
    return _known(placed, texts_of)


def cited_passages(runs: Iterable[ReportRun], texts_of: TextsOf) -> list[GradedQuery]:
    """Return what answers cite, in order of first citation, each with its place in every run."""
    placed = (
        (query_id, segment_id, Ranked(run.run_tag, rank, 1 / rank))
        for run in runs
        for query_id, sentences in run.results().items()
        for rank, segment_id in enumerate(
            dict.fromkeys(one for sentence in sentences for one in sentence.citations), start=1
        )
    )
    return _known(placed, texts_of)


def written_passages(runs: Iterable[ReportRun]) -> list[GradedQuery]:
    """Return whole answers cut into passages, in order, as if a run had ranked them so.

    A passage is called `run/query/place`, so that no two runs share one.
    """
    queries: dict[str, list[GradedPassage]] = {}
    for run in runs:
        for query_id, sentences in run.results().items():
            text = " ".join(sentence.text for sentence in sentences)
            name = _SPACES.sub("_", f"{run.run_tag}/{query_id}")
            queries.setdefault(query_id, []).extend(
                GradedPassage(
                    query_id=query_id,
                    passage_id=f"{name}/{place}",
                    text=passage,
                    rankings=(Ranked(run.run_tag, place, 1 / place),),
                )
                for place, passage in enumerate(split_passages(text), start=1)
            )
    return [GradedQuery(query_id, tuple(passages)) for query_id, passages in queries.items()]


def merged(first: Iterable[GradedQuery], second: Iterable[GradedQuery]) -> list[GradedQuery]:
    """Return the queries of two lists with all their passages, and all that is known of each.

    Where both lists have one grader's grades of a passage, those of the first list count; where
    both have its place in one run, that of the second.
    """
    found: dict[str, dict[str, GradedPassage]] = {}
    for query in (*first, *second):
        passages = found.setdefault(query.query_id, {})
        for passage in query.passages:
            known = passages.get(passage.passage_id)
            passages[passage.passage_id] = _together(known, passage) if known else passage
    return [GradedQuery(query_id, tuple(one.values())) for query_id, one in found.items()]


def _together(first: GradedPassage, second: GradedPassage) -> GradedPassage:
    if first.text != second.text:
        raise InputError(
            f"query {first.query_id}: passage {first.passage_id} has two texts: expected "
            f"{one_line(first.text)[:60]!r}; found {one_line(second.text)[:60]!r}",
            remedy="Give passages of other texts other ids, or grade into another file.",
        )
    runs = {one.run for one in second.rankings}
    kept = tuple(one for one in first.rankings if one.run not in runs)
    gradings = {one.grader: one for one in (*second.gradings, *first.gradings)}
    direct = {one.grader: one for one in (*second.direct, *first.direct)}
    return replace(
        first,
        rankings=(*kept, *second.rankings),
        gradings=tuple(gradings.values()),
        direct=tuple(direct.values()),
        judgments=first.judgments or second.judgments,
    )


def _known(placed: Iterable[tuple[str, str, Ranked]], texts_of: TextsOf) -> list[GradedQuery]:
    """Return passages by their queries and ids, with their places in runs."""
    places: dict[str, dict[str, list[Ranked]]] = {}
    for query_id, segment_id, place in placed:
        places.setdefault(query_id, {}).setdefault(segment_id, []).append(place)
    wanted = sorted({segment_id for passages in places.values() for segment_id in passages})
    texts = texts_of(wanted)
    if unknown := [one for one in wanted if one not in texts]:
        raise InputError(
            f"expected the texts of {len(wanted)} passages; found none of {len(unknown)}, such as "
            f"{one_line(unknown[0])}",
            remedy="Name the index that holds them with --index, or a file with --texts.",
        )
    return [
        GradedQuery(
            query_id,
            tuple(
                GradedPassage(query_id, segment_id, texts[segment_id], rankings=tuple(ranked))
                for segment_id, ranked in passages.items()
            ),
        )
        for query_id, passages in places.items()
    ]
