"""`trec_run`: search results in the six columns of trec_eval, `query Q0 segment rank score tag`.

`question_trec_run`: documents for the questions of topics, in the six columns of trec_eval.

The first column holds ids of questions (`schemas.topic.question_id`); the topic is told by them.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError
from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import open_text, read_bytes, read_columns
from sidelight.formats.runs.cited_sentences import check_known, check_pattern
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_encoding,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.run import QuestionHits, QuestionRankingRun, RankingRun
from sidelight.schemas.topic import parse_question_id, question_id
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import QuestionRankingsTask, RankingTask

COLUMNS = ("query", "Q0", "segment", "rank", "score", "tag")
_LARGEST = 3.4028234663852886e38  # in single precision, in which trec_eval holds scores


def read_trec_run(path: Path) -> dict[str, list[Hit]]:
    """Read the hits of each query, queries in the order of the file.

    Hits are ordered by score, ties by segment id; like trec_eval, this ignores the rank column.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has not six columns or no score that trec_eval can hold, or a query
            has a segment twice.
    """
    findings = Findings(path)
    results: dict[str, dict[str, float]] = {}
    for line, (query_id, _, segment_id, _, score, _) in read_columns(path, COLUMNS):
        scores = results.setdefault(query_id, {})
        if segment_id in scores:
            findings.error(
                "segment-duplicate",
                line,
                expected=f"each segment once for query {query_id}",
                found=f"a second {quoted(segment_id)}",
                remedy="Keep the better hit.",
            )
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
    return {
        query_id: ranked([Hit(*item) for item in scores.items()])
        for query_id, scores in results.items()
    }


def write_trec_run(path: Path, results: Mapping[str, Sequence[Hit]], tag: str) -> None:
    """Write hits so that every evaluation tool ranks them in the order given.

    trec_eval ignores the rank column, holds scores in single precision, and puts ties in falling
    order of segment id. So scores are written in single precision, and one that does not fall below
    the score before it is lowered by the smallest step that makes it do so.

    Args:
        path: The file.
        results: Hits by query id, best first.
        tag: Name of the run, the last column.

    Raises:
        InputError: An id or the tag is empty or holds white space, or a score is not finite.
    """
    with atomic_writer(path) as stream:
        for query_id, hits in results.items():
            scores = _falling([hit.score for hit in hits], query_id)
            for rank, (hit, score) in enumerate(zip(hits, scores, strict=True), start=1):
                for name in (query_id, hit.segment_id, tag):
                    if not name or name.split() != [name]:
                        raise InputError(
                            f"{path}: cannot write {name!r} in a file whose columns are separated "
                            "by white space"
                        )
                stream.write(f"{query_id} Q0 {hit.segment_id} {rank} {score!s} {tag}\n")


def _falling(scores: Sequence[float], query_id: str) -> Iterator[np.float32]:
    import numpy as np

    previous = np.float32(np.inf)
    for score in scores:
        with np.errstate(over="ignore"):
            single = np.float32(score)
        falling = min(single, np.nextafter(previous, np.float32(-np.inf)))
        if not np.isfinite([single, falling]).all():
            raise InputError(f"query {query_id}: {score} is no score trec_eval can hold")
        yield falling
        previous = falling


def read_ranking_run(path: Path) -> RankingRun:
    """Read a run with its tags; see `read_trec_run`."""
    rankings = {query_id: tuple(hits) for query_id, hits in read_trec_run(path).items()}
    tags = tuple(dict.fromkeys(cells[-1] for _, cells in read_columns(path, COLUMNS)))
    return RankingRun(run_tag=run_tag_of(path, tags), run_ids=tags, rankings=rankings)


def check_ranking_run(
    path: Path,
    task: RankingTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover; one without a line is missing.
        known_segments: The ids that exist, if an index is at hand.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    check_encoding(open_text(path), findings)
    try:
        read_trec_run(path)
    except InvalidFileError as error:
        return [*findings.problems, *error.problems]
    rows = read_columns(path, COLUMNS)
    check_ids([LineIds(line, "", cells[-1]) for line, cells in rows], path, task, findings)
    by_topic: dict[str, list[tuple[int, list[str]]]] = {}
    for line, cells in rows:
        by_topic.setdefault(cells[0], []).append((line, cells))
    check_topics({topic: found[0][0] for topic, found in by_topic.items()}, topic_ids, findings)
    for topic_id, found in by_topic.items():
        check_order(topic_id, found, findings)
        if task.depth is not None and len(found) > task.depth:
            findings.error(
                "ranking-depth",
                found[task.depth][0],
                expected=f"at most {task.depth} segments for topic {topic_id}",
                found=str(len(found)),
                remedy="Keep the best.",
            )
        for line, cells in found:
            check_pattern(line, [cells[2]], task, findings)
            check_known(line, [cells[2]], known_segments, findings)
    return findings.problems


def check_order(
    topic_id: str, rows: Sequence[tuple[int, Sequence[str]]], findings: Findings
) -> None:
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


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[Hit, ...]]]
) -> None:
    write_trec_run(path, {topic.topic_id: hits for topic, hits in delivered}, identity.run_id)


def fits_trec_run(line: str) -> bool:
    """Tell whether a line looks like one of a TREC run."""
    cells = line.split()
    return len(cells) == len(COLUMNS) and finite_number(cells[4]) is not None


FORMAT: RunFormat[RankingTask, tuple[Hit, ...], RankingRun] = RunFormat(
    kind="ranking",
    write=_write,
    read=read_ranking_run,
    check=check_ranking_run,
    as_manual=read_bytes,
    fits_line=fits_trec_run,
)


def read_question_rankings(path: Path) -> QuestionRankingRun:
    """Read a run with its tags, topics and questions in the order of the file.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: It is no TREC run, or a line is for no question of a topic.
    """
    found = read_trec_run(path)
    rows = read_columns(path, COLUMNS)
    findings = Findings(path)
    _check_question_ids(rows, findings)
    findings.raise_errors()
    rankings: dict[str, list[QuestionHits]] = {}
    for name, hits in found.items():
        topic_id = _topic_of(name)
        rankings.setdefault(topic_id, []).append(QuestionHits(question_id=name, hits=tuple(hits)))
    tags = tuple(dict.fromkeys(cells[-1] for _, cells in rows))
    return QuestionRankingRun(
        run_tag=run_tag_of(path, tags),
        run_ids=tags,
        rankings={topic_id: tuple(found) for topic_id, found in rankings.items()},
    )


def check_question_rankings(
    path: Path,
    task: QuestionRankingsTask,
    topic_ids: Collection[str],
) -> list[Problem]:
    """Return all that is wrong with a run.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover; one without a line for any question is missing.

    Raises:
        InputError: The file cannot be read.
    """
    file = open_text(path)
    findings = Findings(path)
    check_encoding(file, findings)
    try:
        read_question_rankings(path)
    except InvalidFileError as error:
        return [*findings.problems, *error.problems]
    for number, text in file.lines:
        if not text.isascii():
            findings.error(
                "ascii",
                number,
                expected="ASCII",
                found=quoted(text),
                remedy="Write ids and tags in ASCII.",
            )
    rows = read_columns(path, COLUMNS)
    check_ids([LineIds(line, "", cells[-1]) for line, cells in rows], path, task, findings)
    by_question: dict[str, list[tuple[int, list[str]]]] = {}
    for line, cells in rows:
        by_question.setdefault(cells[0], []).append((line, cells))
    first_lines: dict[str, int] = {}
    for name, found in by_question.items():
        first_lines.setdefault(_topic_of(name), found[0][0])
        check_order(name, found, findings)
        _check_depth(name, found, task, findings)
        for line, cells in found:
            _check_document(line, cells[2], task, findings)
    check_topics(first_lines, topic_ids, findings)
    _check_numbers(by_question, findings)
    return findings.problems


def _topic_of(name: str) -> str:
    parsed = parse_question_id(name)
    return parsed[0] if parsed else name


def _check_question_ids(rows: Iterable[tuple[int, Sequence[str]]], findings: Findings) -> None:
    for line, cells in rows:
        if parse_question_id(cells[0]) is None:
            findings.error(
                "question-id",
                line,
                expected=f"the id of a question, such as {question_id('TOPIC', 1)}",
                found=quoted(cells[0]),
                remedy="Number the questions of a topic from 01.",
            )


def _check_numbers(
    by_question: Mapping[str, Sequence[tuple[int, Sequence[str]]]], findings: Findings
) -> None:
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
                remedy="Sort the questions of a topic, and leave none out: it would score zero.",
            )
        parsed = parse_question_id(name)
        expected[topic_id] = parsed[1] if parsed else 0


def _check_depth(
    name: str,
    rows: Sequence[tuple[int, Sequence[str]]],
    task: QuestionRankingsTask,
    findings: Findings,
) -> None:
    if len(rows) > task.depth:
        findings.error(
            "ranking-depth",
            rows[task.depth][0],
            expected=f"at most {task.depth} documents for question {name}",
            found=str(len(rows)),
            remedy="Keep the best.",
        )
    if len(rows) < task.depth:
        findings.warning(
            "ranking-short",
            rows[0][0],
            expected=f"{task.depth} documents for question {name}",
            found=str(len(rows)),
            remedy="Add some: a document less can only cost.",
        )


def _check_document(
    line: int, document_id: str, task: QuestionRankingsTask, findings: Findings
) -> None:
    if not re.fullmatch(task.document_id_pattern, document_id):
        findings.error(
            "document-pattern",
            line,
            expected=f"a document id that matches {task.document_id_pattern}",
            found=quoted(document_id),
            remedy="Rank whole documents of the collection: no segments, no addresses.",
        )


def _write_by_question(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[QuestionHits, ...]]]
) -> None:
    results = {one.question_id: one.hits for _, rankings in delivered for one in rankings}
    write_trec_run(path, results, identity.run_id)


def _fits(line: str) -> bool:
    return fits_trec_run(line) and parse_question_id(line.split(maxsplit=1)[0]) is not None


BY_QUESTION: RunFormat[QuestionRankingsTask, tuple[QuestionHits, ...], QuestionRankingRun] = (
    RunFormat(
        kind="question_rankings",
        write=_write_by_question,
        read=read_question_rankings,
        # Which documents there are no index says: it knows their segments.
        check=lambda path, task, topic_ids, _: check_question_rankings(path, task, topic_ids),
        as_manual=read_bytes,
        fits_line=_fits,
    )
)
