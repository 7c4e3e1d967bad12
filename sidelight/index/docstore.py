"""Segment ids to segments, without the JVM: one SQLite table in the order of ids."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Self

import orjson

from sidelight.errors import InputError
from sidelight.schemas.segment import Segment, document_id_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_FIELDS = tuple(Segment.model_fields)
_COLUMNS = ", ".join(_FIELDS)
_PAGE = 1000
# Rows of a table without rowids lie in the tree itself, which wants pages that hold many of them.
_SCHEMA = f"""
PRAGMA page_size = 32768;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE segments (
    {" NOT NULL, ".join(_FIELDS)} NOT NULL, PRIMARY KEY (segment_id)
) WITHOUT ROWID;
"""


class DuplicateSegmentError(InputError):
    """Two segments have one id.

    Args:
        segment_id: The id.
    """

    def __init__(self, segment_id: str) -> None:
        super().__init__(f"segment id {segment_id!r} occurs twice")
        self.segment_id = segment_id


def write_docstore(path: Path, segments: Iterable[Segment]) -> int:
    """Write a new docstore and return the number of segments; memory does not grow with it.

    No journal is kept: an interrupted file is to be thrown away.

    Raises:
        DuplicateSegmentError: An id occurs twice; it is raised at the second segment.
    """
    insert = f"INSERT INTO segments VALUES ({', '.join('?' * len(_FIELDS))})"  # noqa: S608
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_SCHEMA)
        count = 0
        for segment in segments:
            try:
                connection.execute(insert, tuple(getattr(segment, field) for field in _FIELDS))
            except sqlite3.IntegrityError as error:
                raise DuplicateSegmentError(segment.segment_id) from error
            count += 1
        connection.commit()
    return count


class Docstore:
    """A finished docstore, read-only and usable from any thread.

    Args:
        path: File made by `write_docstore`.
    """

    def __init__(self, path: Path) -> None:
        # Immutable: SQLite then takes no locks and looks for no journal, even on read-only disks.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM segments")[0][0])

    def __contains__(self, segment_id: object) -> bool:
        return bool(self._rows("SELECT 1 FROM segments WHERE segment_id = ?", segment_id))

    def __iter__(self) -> Iterator[Segment]:
        return self.after("")

    def after(self, segment_id: str) -> Iterator[Segment]:
        """Yield the segments whose ids come after one, in the order of code points."""
        query = f"SELECT {_COLUMNS} FROM segments WHERE segment_id > ? ORDER BY segment_id LIMIT ?"  # noqa: S608
        while rows := self._rows(query, segment_id, _PAGE):
            yield from map(_segment, rows)
            segment_id = rows[-1][0]

    def ids(self) -> Iterator[str]:
        """Yield all ids in order."""
        last = ""
        query = "SELECT segment_id FROM segments WHERE segment_id > ? ORDER BY segment_id LIMIT ?"
        while rows := self._rows(query, last, _PAGE):
            yield from (segment_id for (segment_id,) in rows)
            last = rows[-1][0]

    def get_many(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return segments in the order asked for, in one reading.

        Raises:
            InputError: The docstore does not hold an id; the first one is named.
        """
        query = (
            f"SELECT {_COLUMNS} FROM segments "  # noqa: S608
            "WHERE segment_id IN (SELECT value FROM json_each(?))"
        )
        rows = self._rows(query, orjson.dumps(list(segment_ids)).decode())
        found = {row[0]: _segment(row) for row in rows}
        for segment_id in segment_ids:
            if segment_id not in found:
                raise InputError(
                    f"the index does not hold the segment {segment_id!r}",
                    remedy="Use the index that the id comes from.",
                )
        return [found[segment_id] for segment_id in segment_ids]

    def segments_of(self, document_id: str) -> list[Segment]:
        """Return the segments of a document in the order of its text; none if it is unknown."""
        # "$" follows "#", so the range is all ids that begin with the document's id and "#".
        query = (
            f"SELECT {_COLUMNS} FROM segments "  # noqa: S608
            "WHERE segment_id = ? OR (segment_id > ? AND segment_id < ?)"
        )
        rows = self._rows(query, document_id, f"{document_id}#", f"{document_id}$")
        found = [_segment(row) for row in rows if document_id_of(row[0]) == document_id]
        return sorted(found, key=lambda segment: (segment.start_char, segment.segment_id))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _rows(self, query: str, *values: object) -> list[tuple[str, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _segment(row: tuple[str, ...]) -> Segment:
    return Segment(**dict(zip(_FIELDS, row, strict=True)))
