"""Search results in the six columns of trec_eval: `query Q0 segment rank score tag`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.columns import read_columns
from sidelight.formats.findings import Findings, quoted
from sidelight.schemas.search import Hit, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np

_COLUMNS = ("query", "Q0", "segment", "rank", "score", "tag")
_SCORE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def read_trec_run(path: Path) -> dict[str, list[Hit]]:
    """Read the hits of each query, queries in the order of the file.

    Hits are ordered by score, ties by segment id; like trec_eval, this ignores the rank column.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line has not six columns or no finite score, or a query has a segment
            twice.
    """
    findings = Findings(path)
    results: dict[str, dict[str, float]] = {}
    for line, (query_id, _, segment_id, _, score, _) in read_columns(path, _COLUMNS):
        scores = results.setdefault(query_id, {})
        if segment_id in scores:
            findings.error(
                "segment-duplicate",
                line,
                expected=f"each segment once for query {query_id}",
                found=f"a second {quoted(segment_id)}",
                remedy="Keep the better hit.",
            )
        if not _SCORE.fullmatch(score) or math.isinf(float(score)):
            findings.error(
                "score",
                line,
                expected="a finite number in the fifth column",
                found=quoted(score),
                remedy="Write scores as decimal numbers.",
            )
        else:
            scores[segment_id] = float(score)
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
