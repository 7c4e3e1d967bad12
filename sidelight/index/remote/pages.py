"""What a server answered, kept by what it was asked, so that nothing is asked twice."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any

import orjson

from sidelight.errors import InputError, MachineError
from sidelight.schemas.investigation.search import Hit
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

FILE = "pages.sqlite"
_VERSION = 1
_LOCK_WAIT_S = 60.0
_AT_ONCE = 500
# In WAL mode NORMAL loses nothing when a process dies; only a power cut may take the last answers.
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS searches (request TEXT PRIMARY KEY, hits BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS segments (segment_id TEXT PRIMARY KEY, segment BLOB NOT NULL);
PRAGMA user_version = {_VERSION};
"""


class Pages:
    """Searches and segments of one index, from any thread; processes may share the file.

    The first answer to a request stays, so that a run that is taken up again reads what it read.

    Args:
        path: The file; made when missing.

    Raises:
        InputError: It holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                path, timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False
            )
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version not in {0, _VERSION}:
                raise sqlite3.DatabaseError(f"pages of version {version}")
            self._database.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise InputError(
                f"{path}: expected kept pages of version {_VERSION}; found: {error}",
                remedy="Remove the file; what it held is asked for again.",
            ) from error

    def hits(self, request: str) -> list[Hit] | None:
        """Return the hits of a search, or None if it was not kept."""
        rows = self._execute("SELECT hits FROM searches WHERE request = ?", (request,))
        return [Hit(name, score) for name, score in orjson.loads(rows[0][0])] if rows else None

    def keep_search(self, request: str, hits: Sequence[Hit], segments: Iterable[Segment]) -> None:
        """Keep a search and the segments that came with it."""
        self.keep_segments(segments)
        self._execute(
            "INSERT OR IGNORE INTO searches VALUES (?, ?)",
            (request, orjson.dumps([tuple(hit) for hit in hits])),
        )

    def keep_segments(self, segments: Iterable[Segment]) -> None:
        """Keep segments."""
        rows = [(one.segment_id, orjson.dumps(one.model_dump())) for one in segments]
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany("INSERT OR IGNORE INTO segments VALUES (?, ?)", rows)
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise self._failure(error) from error

    def segments(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        """Return those of some segments that were kept, by id."""
        found: dict[str, Segment] = {}
        for begin in range(0, len(segment_ids), _AT_ONCE):
            some = tuple(segment_ids[begin : begin + _AT_ONCE])
            marks = ",".join("?" * len(some))
            for name, content in self._execute(
                f"SELECT segment_id, segment FROM segments WHERE segment_id IN ({marks})",  # noqa: S608 - marks only
                some,
            ):
                found[name] = Segment.model_construct(**orjson.loads(content))
        return found

    def __len__(self) -> int:
        """Return the number of segments kept."""
        count: int = self._execute("SELECT count(*) FROM segments", ())[0][0]
        return count

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _execute(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._database.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> MachineError:
        return MachineError(
            f"{self._path}: pages cannot be kept or read: {error}",
            remedy="Make room on the disk, or remove the file if it is damaged; then go on.",
        )
