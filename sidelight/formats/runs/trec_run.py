"""Search results in the six columns of trec_eval, `query Q0 segment rank score tag`.

In `trec_run` the first column holds ids of topics. In `question_trec_run` it holds ids of questions
(`schemas.topic.question_id`), by which the topic is told, and the third column ids of documents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import InputError
from sidelight.formats import lines
from sidelight.formats.runs import submission
from sidelight.formats.runs.cited_sentences import check_segments
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.run import QuestionHits, QuestionRankingRun, RankingRun
from sidelight.schemas.task import QuestionRankingsTask, RankingTask
from sidelight.schemas.topic import parse_question_id, question_id
from sidelight.text import finite_number, quoted

if TYPE_CHECKING:
    import numpy as np


_RUN_COLUMNS = ("query", "Q0", "segment", "rank", "score", "tag")
_Row: TypeAlias = tuple[int, list[str]]
"""The number of a line, and its cells."""

_LARGEST = 3.4028234663852886e38  # in single precision, in which trec_eval holds scores


def read_trec_run(path: Path) -> dict[str, list[Hit]]:
    """Read the hits of each query, queries in the order of the file.

    Hits are ordered by score, ties by segment id; like trec_eval, this ignores the rank column. A
    segment that a query has twice is an error, and so is a score beyond single precision.
    """
    return _read(path)[0]


def _read(path: Path) -> tuple[dict[str, list[Hit]], list[_Row]]:
    """Return the hits of each query, and the lines of the file."""
    findings = lines.Findings(path)
    rows = lines.read_columns(path, _RUN_COLUMNS)
    results: dict[str, dict[str, float]] = {}
    for line, (query_id, _, segment_id, _, score, _) in rows:
        scores = results.setdefault(query_id, {})
        if segment_id in scores:
            told = f"each segment once for query {query_id}"
            findings.again("segment-duplicate", line, told, f"a second {quoted(segment_id)}")
        value = finite_number(score)
        if value is None or abs(value) > _LARGEST:
            findings.error(
                "score",
                line,
                expected=f"a number from {-_LARGEST:.8g} to {_LARGEST:.8g} in the fifth column",
                found=quoted(score),
                remedy="Write scores as decimal numbers.",
            )
        else:
            scores[segment_id] = value
    findings.raise_errors()
    hits = {
        query_id: ranked([Hit(*item) for item in scores.items()])
        for query_id, scores in results.items()
    }
    return hits, rows


def _tags(rows: Iterable[_Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cells[-1] for _, cells in rows))


def write_trec_run(path: Path, results: Mapping[str, Sequence[Hit]], tag: str) -> None:
    """Write hits so that every evaluation tool ranks them in the order given, best first.

    trec_eval ignores the rank column, holds scores in single precision, and puts ties in falling
    order of segment id. So scores are written in single precision, and one that does not fall below
    the score before it is lowered by the smallest step that makes it do so. InputError is raised
    for an id or a tag that is empty or holds white space, and for a score that is not finite.
    """
    lines.write_columns(path, _rows(results, tag))


def _rows(results: Mapping[str, Sequence[Hit]], tag: str) -> Iterator[tuple[object, ...]]:
    for query_id, hits in results.items():
        scores = falling_scores([hit.score for hit in hits], query_id)
        for rank, (hit, score) in enumerate(zip(hits, scores, strict=True), start=1):
            yield query_id, "Q0", hit.segment_id, rank, score, tag


def falling_scores(scores: Sequence[float], query_id: str) -> Iterator[np.float32]:
    """Yield the scores of hits so that every tool ranks them as given; see `write_trec_run`."""
    import numpy as np

    previous = np.float32(np.inf)
    for score in scores:
        with np.errstate(over="ignore"):
            single = np.float32(score)
        falling = min(single, np.nextafter(previous, np.float32(-np.inf)))
        if not np.isfinite([single, falling]).all():
            raise InputError(f"query {query_id}: trec_eval cannot represent the score {score}")
        yield falling
        previous = falling


def read_ranking_run(path: Path) -> RankingRun:
    """Read a run with its tags; see `read_trec_run`."""
    found, rows = _read(path)
    rankings = {query_id: tuple(hits) for query_id, hits in found.items()}
    tags = _tags(rows)
    return RankingRun(run_tag=submission.run_tag_of(path, tags), run_ids=tags, rankings=rankings)


@submission.StrictCheck
def _check_ranking(run: submission.CheckedRun[RankingTask]) -> None:
    submission.check_encoding(lines.open_text(run.path), run.findings)
    by_topic = _by_query(run, _read(run.path)[1])
    submission.check_topics(run, {topic_id: rows[0][0] for topic_id, rows in by_topic.items()})
    for topic_id, rows in by_topic.items():
        _check_order(topic_id, rows, run.findings)
        if run.task.depth is not None:
            _check_depth(f"segments for topic {topic_id}", rows, run.task.depth, run.findings)
        for line, cells in rows:
            check_segments(run, line, [cells[2]])


def _by_query(
    run: submission.CheckedRun[RankingTask | QuestionRankingsTask], rows: Sequence[_Row]
) -> dict[str, list[_Row]]:
    """Check the tags of all lines, and return the lines of each query."""
    submission.check_ids(run, [submission.LineIds(line, "", cells[-1]) for line, cells in rows])
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row[1][0], []).append(row)
    return found


def _check_depth(what: str, rows: Sequence[_Row], depth: int, findings: lines.Findings) -> None:
    if len(rows) > depth:
        findings.error(
            "ranking-depth",
            rows[depth][0],
            expected=f"at most {depth} {what}",
            found=str(len(rows)),
            remedy="Keep the best.",
        )


def _check_order(topic_id: str, rows: Sequence[_Row], findings: lines.Findings) -> None:
    """Check that ranks count up from 1 and scores never rise, so that all tools rank alike."""
    previous = math.inf
    for rank, (line, cells) in enumerate(rows, start=1):
        if cells[3] != str(rank):
            findings.error(
                "rank-order",
                line,
                expected=f"rank {rank} of topic {topic_id}",
                found=quoted(cells[3]),
                remedy="Sort the lines of a topic by rank, counted from 1.",
            )
        if float(cells[4]) > previous:
            findings.error(
                "score-order",
                line,
                expected=f"a score of at most {previous}",
                found=cells[4],
                remedy="trec_eval ranks by score: let scores fall with the ranks.",
            )
        previous = float(cells[4])


def _fits(line: str) -> bool:
    cells = line.split()
    return len(cells) == len(_RUN_COLUMNS) and finite_number(cells[4]) is not None


BY_TOPIC: submission.RunFormat[RankingTask, tuple[Hit, ...], RankingRun] = submission.RunFormat(
    kind="ranking",
    write=lambda path, identity, delivered: write_trec_run(
        path, {topic.topic_id: hits for topic, hits in delivered}, identity.run_id
    ),
    read=read_ranking_run,
    check=_check_ranking,
    as_manual=lines.read_bytes,
    fits_line=_fits,
)


def read_question_rankings(path: Path) -> QuestionRankingRun:
    """Read a run with its tags, topics and questions in the order of the file."""
    found, rows = _read_by_question(path)
    rankings: dict[str, list[QuestionHits]] = {}
    for name, hits in found.items():
        topic_id = _topic_of(name)
        rankings.setdefault(topic_id, []).append(QuestionHits(question_id=name, hits=tuple(hits)))
    tags = _tags(rows)
    return QuestionRankingRun(
        run_tag=submission.run_tag_of(path, tags),
        run_ids=tags,
        rankings={topic_id: tuple(found) for topic_id, found in rankings.items()},
    )


@submission.StrictCheck
def _check_question_rankings(run: submission.CheckedRun[QuestionRankingsTask]) -> None:
    # Which documents there are no index says: it knows their segments.
    file = lines.open_text(run.path)
    submission.check_encoding(file, run.findings)
    _, all_rows = _read_by_question(run.path)
    for number, text in file.lines:
        if not text.isascii():
            run.findings.error(
                "ascii",
                number,
                expected="ASCII",
                found=quoted(text),
                remedy="Write ids and tags in ASCII.",
            )
    by_question = _by_query(run, all_rows)
    first_lines: dict[str, int] = {}
    for name, rows in by_question.items():
        first_lines.setdefault(_topic_of(name), rows[0][0])
        _check_order(name, rows, run.findings)
        _check_depth(f"documents for question {name}", rows, run.task.depth, run.findings)
        if len(rows) < run.task.depth:
            run.findings.warning(
                "ranking-short",
                rows[0][0],
                expected=f"{run.task.depth} documents for question {name}",
                found=str(len(rows)),
                remedy="Add documents: a shorter list cannot score higher.",
            )
        for line, cells in rows:
            if not re.fullmatch(run.task.document_id_pattern, cells[2]):
                run.findings.error(
                    "document-pattern",
                    line,
                    expected=f"a document id that matches {run.task.document_id_pattern}",
                    found=quoted(cells[2]),
                    remedy="Rank whole documents of the collection: no segments, no addresses.",
                )
    submission.check_topics(run, first_lines)
    _check_numbers(by_question, run.findings)


def _topic_of(name: str) -> str:
    parsed = parse_question_id(name)
    return parsed[0] if parsed else name


def _read_by_question(path: Path) -> tuple[dict[str, list[Hit]], list[_Row]]:
    """Return the hits of each question, and the lines of the file."""
    found, rows = _read(path)
    findings = lines.Findings(path)
    for line, cells in rows:
        if parse_question_id(cells[0]) is None:
            findings.error(
                "question-id",
                line,
                expected=f"the id of a question, such as {question_id('TOPIC', 1)}",
                found=quoted(cells[0]),
                remedy="Number the questions of a topic from 01.",
            )
    findings.raise_errors()
    return found, rows


def _check_numbers(by_question: Mapping[str, Sequence[_Row]], findings: lines.Findings) -> None:
    """Check that the questions of a topic are numbered from 1 without a gap, and in order."""
    expected: dict[str, int] = {}
    for name, found in by_question.items():
        topic_id = _topic_of(name)
        wanted = question_id(topic_id, expected.get(topic_id, 0) + 1)
        if name != wanted:
            findings.error(
                "question-order",
                found[0][0],
                expected=f"results for {wanted}",
                found=name,
                remedy="Sort the questions of a topic and add the missing ones, which score zero.",
            )
        parsed = parse_question_id(name)
        expected[topic_id] = parsed[1] if parsed else 0


BY_QUESTION: submission.RunFormat[
    QuestionRankingsTask, tuple[QuestionHits, ...], QuestionRankingRun
] = submission.RunFormat(
    kind="question_rankings",
    write=lambda path, identity, delivered: write_trec_run(
        path,
        {one.question_id: one.hits for _, rankings in delivered for one in rankings},
        identity.run_id,
    ),
    read=read_question_rankings,
    check=_check_question_rankings,
    as_manual=lines.read_bytes,
    fits_line=lambda line: _fits(line) and parse_question_id(line.split()[0]) is not None,
)
