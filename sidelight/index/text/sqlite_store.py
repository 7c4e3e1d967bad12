"""Segments under ids of any kind: one SQLite table in the order of ids."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Self

import orjson

from sidelight.errors import InputError
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_FIELDS = tuple(Segment.model_fields)
_COLUMNS = ", ".join(_FIELDS)
_INSERT = f"INSERT OR IGNORE INTO segments VALUES ({', '.join('?' * len(_FIELDS))})"  # noqa: S608
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


class SqliteWriter:
    """A new store, one segment after another; memory does not grow with it.

    No journal is kept: an interrupted file is to be thrown away.

    Args:
        path: A new file.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.commit()
        self._connection.close()

    def add(self, segment: Segment) -> bool:
        """Add a segment and return True, or False if there is one of its id already."""
        row = tuple(getattr(segment, field) for field in _FIELDS)
        return bool(self._connection.execute(_INSERT, row).rowcount)


class SqliteStore:
    """A finished store, read-only and usable from any thread.

    Args:
        path: File made by `SqliteWriter`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # Immutable: SQLite then takes no locks and looks for no journal, even on read-only disks.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM segments")[0][0])

    def __iter__(self) -> Iterator[Segment]:
        last = ""
        query = f"SELECT {_COLUMNS} FROM segments WHERE segment_id > ? ORDER BY segment_id LIMIT ?"  # noqa: S608
        while rows := self._rows(query, last, _PAGE):
            yield from map(_segment, rows)
            last = rows[-1][0]

    def ids(self) -> Iterator[str]:
        """Yield all ids in order."""
        last = ""
        query = "SELECT segment_id FROM segments WHERE segment_id > ? ORDER BY segment_id LIMIT ?"
        while rows := self._rows(query, last, _PAGE):
            yield from (segment_id for (segment_id,) in rows)
            last = rows[-1][0]

    def get(self, segment_ids: Iterable[str]) -> Iterator[Segment]:
        """Yield the segments of these ids in the order of ids; unknown ids are left out."""
        query = (
            f"SELECT {_COLUMNS} FROM segments "  # noqa: S608
            "WHERE segment_id IN (SELECT value FROM json_each(?))"
        )
        return map(_segment, self._rows(query, orjson.dumps(list(segment_ids)).decode()))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _rows(self, query: str, *values: object) -> list[tuple[str, ...]]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self._path}: cannot be read: {error}",
                remedy="Copy the index again, or delete it and build it again.",
            ) from error


def _segment(row: tuple[str, ...]) -> Segment:
    return Segment(**dict(zip(_FIELDS, row, strict=True)))
