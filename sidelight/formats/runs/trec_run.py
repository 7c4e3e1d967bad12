"""`trec_run`: search results in the six columns of trec_eval, `query Q0 segment rank score tag`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sidelight.errors import InputError, InvalidFileError
from sidelight.files import atomic_writer
from sidelight.formats.columns import read_columns
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import open_text, read_bytes
from sidelight.formats.runs.cited_sentence import check_known, check_pattern
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_encoding,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.schemas.investigation.search import Hit, ranked
from sidelight.schemas.run import RankingRun
from sidelight.text import finite_number

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import RankingTask

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
