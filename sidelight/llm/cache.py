"""Models that reply without a server: from a cache, or not at all.

Replies are cached by their whole request, so that a run can be repeated without a model.
"""

from __future__ import annotations

import asyncio
import fcntl
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

from pydantic import ValidationError

from sidelight.errors import InputError, MachineError, OfflineError, ReplyError
from sidelight.files import check_output, check_tables, make_folder, open_to_append
from sidelight.llm.base import Model, Reply, ReplyFailure, Request
from sidelight.schemas.base import Value, faults

V = TypeVar("V", bound=Value)

_FILE = "replies.sqlite"
_VERSION = 1
_LOCK_WAIT_S = 60.0
# In WAL mode NORMAL loses nothing when a process dies; only a power cut may take the last replies.
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS replies (fingerprint TEXT PRIMARY KEY, reply TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS failures (fingerprint TEXT PRIMARY KEY, failure TEXT NOT NULL);
PRAGMA user_version = {_VERSION};
"""
_REPLY = "SELECT reply FROM replies WHERE fingerprint = ?"
_KEEP_REPLY = "INSERT OR IGNORE INTO replies VALUES (?, ?)"
_DROP_REPLY = "DELETE FROM replies WHERE fingerprint = ?"
_FAILURE = "SELECT failure FROM failures WHERE fingerprint = ?"
_KEEP_FAILURE = "INSERT OR REPLACE INTO failures VALUES (?, ?)"


class KeptReply(Value):
    """Cached result of one request: a reply, or why there was no usable one."""

    fingerprint: str
    reply: Reply | None
    failure: ReplyFailure | None


class CachedModel:
    """A model whose answers are kept in a folder; a context manager.

    Only whole replies are ever served. A reply that could not be used is remembered too, but asked
    for anew as long as there is a model to ask: it stands in only for an `OfflineModel`, so that a
    replay goes the way the run went, repair turns included. So does a reply that `disown` names.

    Several processes may share a folder: SQLite lets one of them write at a time, and the first
    answer to a request stays. A reply is on disk before it is returned, so `kill -9` loses none
    that a caller has seen. A folder that no process has open can be copied.

    Attributes:
        hits: Requests answered without asking the model.
        misses: Requests for which the model was asked.
    """

    def __init__(self, model: Model, folder: Path) -> None:
        self.hits = 0
        self.misses = 0
        self._model = model
        self._in_flight: dict[str, asyncio.Task[Reply]] = {}
        self._database = _open(folder)

    @property
    def name(self) -> str:
        """The name of the model behind the cache."""
        return self._model.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    async def complete(self, request: Request) -> Reply:
        """Replay the reply to this request, or ask for it and keep it.

        Callers that ask the same at the same time share one call.

        Raises:
            OfflineError: The folder does not hold it, and there is no model.
            ReplyError: The reply cannot be used.
        """
        key = request.fingerprint()
        # SQLite answers in tens of microseconds, so it is called on the event loop.
        stored = _kept(self._database, _REPLY, key, Reply)
        if stored is not None:
            self.hits += 1
            return stored.model_copy(update={"cached": True})
        task = self._in_flight.get(key)
        if task is not None:
            self.hits += 1
            return (await asyncio.shield(task)).model_copy(update={"cached": True})
        self.misses += 1
        task = asyncio.create_task(self._call(key, request))
        self._in_flight[key] = task

        def ended(task: asyncio.Task[Reply]) -> None:
            del self._in_flight[key]
            if not task.cancelled():
                task.exception()  # a caller may be gone by now, and asyncio tells of errors unseen

        task.add_done_callback(ended)
        # A caller that gives up takes neither the reply nor the call from the others.
        return await asyncio.shield(task)

    def disown(self, request: Request, failure: ReplyFailure) -> None:
        """Keep the reply to a request as one that could not be used: it is asked for anew."""
        key = request.fingerprint()
        _execute(self._database, _KEEP_FAILURE, (key, failure.model_dump_json()))
        _execute(self._database, _DROP_REPLY, (key,))

    async def settle(self) -> None:
        """Wait until the calls under way have ended, so that what they cost is not lost."""
        await asyncio.gather(*self._in_flight.values(), return_exceptions=True)

    async def _call(self, key: str, request: Request) -> Reply:
        try:
            reply = await self._model.complete(request)
        except OfflineError:
            failure = _kept(self._database, _FAILURE, key, ReplyFailure)
            if failure is None:
                raise
            if failure.kind == "misfit" and failure.text:  # whoever reads it finds the same fault
                return Reply(text=failure.text, usage=failure.usage, cached=True)
            raise failure.error() from None
        except ReplyError as error:
            failure = ReplyFailure.of(error)
            _execute(self._database, _KEEP_FAILURE, (key, failure.model_dump_json()))
            raise
        _execute(self._database, _KEEP_REPLY, (key, reply.model_dump_json()))
        # Another process may have been first; then its answer is the one everybody gets.
        return _kept(self._database, _REPLY, key, Reply) or reply


def kept_replies(folder: Path, fingerprints: Iterable[str]) -> list[KeptReply]:
    """Return what a cache holds for some requests, by fingerprint."""
    with closing(_open(folder)) as database:
        return [
            KeptReply(
                fingerprint=key,
                reply=_kept(database, _REPLY, key, Reply),
                failure=_kept(database, _FAILURE, key, ReplyFailure),
            )
            for key in sorted(set(fingerprints))
        ]


def keep_replies(folder: Path, kept: Iterable[KeptReply]) -> None:
    """Put replies of another cache into one."""
    with closing(_open(folder)) as database:
        for item in kept:
            if item.reply is not None:
                _execute(database, _KEEP_REPLY, (item.fingerprint, item.reply.model_dump_json()))
            if item.failure is not None:
                _execute(
                    database, _KEEP_FAILURE, (item.fingerprint, item.failure.model_dump_json())
                )


def _execute(database: sqlite3.Connection, statement: str, values: tuple[str, ...]) -> Any:
    """Carry out a statement, and return the first row it finds."""
    try:
        return database.execute(statement, values).fetchone()
    except sqlite3.Error as error:
        raise _broken(database, str(error)) from error  # no topic is to blame for that


def _broken(database: sqlite3.Connection, found: str) -> MachineError:
    file = _FILE
    with suppress(sqlite3.Error):
        file = database.execute("PRAGMA database_list").fetchone()[2]
    return MachineError(
        f"{file}: replies cannot be kept or read: {found}",
        remedy="Make room on the disk, or remove the file if it is damaged; then go on.",
    )


def _kept(database: sqlite3.Connection, statement: str, key: str, kind: type[V]) -> V | None:
    """Return what is kept for a request, if anything is."""
    row = _execute(database, statement, (key,))
    try:
        return kind.model_validate_json(row[0], strict=True) if row else None
    except ValidationError as error:
        raise _broken(database, faults(error)) from error


def _open(folder: Path) -> sqlite3.Connection:
    make_folder(folder)
    path = folder / _FILE
    # SQLite waits for a writer, but not for another process that switches the journal mode.
    with open_to_append(folder / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        check_output(path)
        database = sqlite3.connect(path, timeout=_LOCK_WAIT_S, isolation_level=None)
        try:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version in {0, _VERSION}:
                check_tables(database)
                database.executescript(_SCHEMA)
                return database
            found = f"a cache of version {version}"
        except sqlite3.DatabaseError as error:
            found = str(error)
        database.close()
    raise InputError(
        f"{path}: expected a cache of version {_VERSION}, found: {found}",
        remedy="Name another folder, or remove this one if its replies are no longer needed.",
    )


_MAX_QUESTION_CHARACTERS = 80  # of a question, in a message


class OfflineModel:
    """Refuses every call; behind a `CachedModel` it makes a run a pure replay."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(self, request: Request) -> NoReturn:
        """Raise OfflineError, which names the prompt."""
        question = request.messages[-1].content
        if len(question) > _MAX_QUESTION_CHARACTERS:
            question = f"{question[:_MAX_QUESTION_CHARACTERS]}..."
        raise OfflineError(
            f"the cache holds no answer of {request.model!r} to {question!r} "
            f"(request {request.fingerprint()[:12]})",
            remedy="Run once with the model server at hand, or take the cache of a run that was.",
        )
