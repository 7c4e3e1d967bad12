"""Passages to be graded, from rankings, from citations of answers, or from whole answers.

Generated texts are split into passages of a length that graders take, at paragraphs where possible.

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2: passages of 400 tokens at most.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery, Ranked
from sidelight.text import clean, one_line, sentence_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from sidelight.schemas.run import RankingRun, ReportRun

    TextsOf = Callable[[Collection[str]], Mapping[str, str]]

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
    it can be, and a sentence over the limit between words.

    Args:
        text: Any text; a blank line ends a paragraph, or any line end where there is no blank line.
        limit: The most tokens of a passage; at least 1.
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

    Args:
        runs: Rankings.
        depth: How many of each query and run.
        texts_of: Segment ids to texts.

    Raises:
        InputError: The text of a passage is not known.
    """
    places: dict[str, dict[str, list[Ranked]]] = {}
    for run in runs:
        for query_id, hits in run.rankings.items():
            for rank, hit in enumerate(hits[:depth], start=1):
                found = places.setdefault(query_id, {}).setdefault(hit.segment_id, [])
                found.append(Ranked(run.run_tag, rank, hit.score))
    return _known(places, texts_of)


def cited_passages(runs: Iterable[ReportRun], texts_of: TextsOf) -> list[GradedQuery]:
    """Return what answers cite, in the order in which they first do, with its place in every run.

    Args:
        runs: Cited answers.
        texts_of: Segment ids to texts.

    Raises:
        InputError: The text of a segment is not known.
    """
    places: dict[str, dict[str, list[Ranked]]] = {}
    for run in runs:
        for query_id, sentences in run.results().items():
            cited = dict.fromkeys(one for sentence in sentences for one in sentence.citations)
            for rank, segment_id in enumerate(cited, start=1):
                found = places.setdefault(query_id, {}).setdefault(segment_id, [])
                found.append(Ranked(run.run_tag, rank, 1 / rank))
    return _known(places, texts_of)


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

    What the first list says of a passage goes before.

    Raises:
        InputError: A passage has two texts.
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


def _known(
    places: Mapping[str, Mapping[str, list[Ranked]]], texts_of: TextsOf
) -> list[GradedQuery]:
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
