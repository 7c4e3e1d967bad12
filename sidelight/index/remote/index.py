"""Remote index with the interface of a local folder, a cache of its answers, and their parsing."""

from __future__ import annotations

import hashlib
import math
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, TypeVar
from urllib.parse import quote_plus

import orjson
from pydantic import TypeAdapter, ValidationError

from sidelight.errors import FailedQueryError, InputError, MachineError
from sidelight.files import check_tables
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.lucene.segments import Bm25, LuceneVectors
from sidelight.index.remote.client import RestClient, read_address
from sidelight.index.text.docstore import SegmentTexts
from sidelight.schemas.base import faults
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from sidelight.index.vectors.vectors import VectorIndex

FILE = "pages.sqlite"
_CACHE_VERSION = 1  # of the layout of the cache file
_LOCK_WAIT_S = 60.0
_AT_ONCE = 500
# In WAL mode NORMAL loses nothing when a process dies; only a power cut may take the last answers.
_CACHE_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS searches (request TEXT PRIMARY KEY, hits BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS segments (segment_id TEXT PRIMARY KEY, segment BLOB NOT NULL);
PRAGMA user_version = {_CACHE_VERSION};
"""


_HITS = TypeAdapter(list[Hit])
_SEGMENT = TypeAdapter(Segment)
V = TypeVar("V")


class Pages:
    """Searches and segments of one index, from any thread; processes may share the file.

    The first answer to a request stays, so that a run that is taken up again reads what it read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                path, timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False
            )
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version not in {0, _CACHE_VERSION}:
                raise sqlite3.DatabaseError(f"pages of version {version}")
            check_tables(self._database)
            self._database.executescript(_CACHE_SCHEMA)
        except sqlite3.Error as error:
            raise InputError(
                f"{path}: expected kept pages of version {_CACHE_VERSION}; found: {error}",
                remedy="Remove the file; what it held is asked for again.",
            ) from error

    def hits(self, request: str) -> list[Hit] | None:
        """Return the hits of a search, or None if it was not kept."""
        rows = self._execute("SELECT hits FROM searches WHERE request = ?", (request,))
        return self._read(_HITS, rows[0][0]) if rows else None

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
                found[name] = self._read(_SEGMENT, content)
        return found

    def _read(self, kind: TypeAdapter[V], content: bytes) -> V:
        try:
            return kind.validate_json(content, strict=True)
        except ValidationError as error:
            raise self._failure(faults(error)) from error

    def __len__(self) -> int:
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

    def _failure(self, error: object) -> MachineError:
        return MachineError(
            f"{self._path}: pages cannot be kept or read: {error}",
            remedy="Make room on the disk, or remove the file if it is damaged; then go on.",
        )


# Under which keys collections keep their text, in the order looked for.
_TEXT = ("segment", "text", "contents", "body", "passage")
_NAMED = ("url", "title", "headings")
_OFFSETS = ("start_char", "end_char")
_MAX_ID = 256


def read_search(answer: Any, k: int, server: str) -> tuple[list[Hit], list[Segment]]:
    """Return the first `k` hits of an answer, ordered as by `ranked`, and the segments it holds."""
    if answer is None:
        raise MachineError(
            f"{server}: the server answered 404 (not found) to a search",
            remedy="Check the name of the index, and that the address is that of the server.",
        )
    candidates = answer.get("candidates") if isinstance(answer, dict) else None
    if not isinstance(candidates, list):
        raise _misfit(server, "a list of candidates", answer)
    scores: dict[str, float] = {}
    segments = []
    for candidate in candidates[:k]:
        fields: dict[str, Any] = candidate if isinstance(candidate, dict) else {}
        segment_id, score = fields.get("docid"), fields.get("score")
        if not is_id(segment_id) or not _is_score(score):
            raise _misfit(server, "a candidate with docid and score", candidate)
        scores.setdefault(segment_id, float(score))
        segment = read_segment(segment_id, fields.get("doc"))
        if segment is not None:
            segments.append(segment)
    return ranked([Hit(name, score) for name, score in scores.items()]), segments


def read_document(segment_id: str, answer: Any, server: str) -> Segment:
    """Return the segment of an answer to a request for one."""
    found = read_segment(segment_id, answer.get("doc") if isinstance(answer, dict) else None)
    if found is None:
        raise _misfit(server, f"the text of {segment_id!r}", answer)
    return found


def read_segment(segment_id: str, document: Any) -> Segment | None:
    """Return a document as a segment, or None where it has no text.

    Servers give a document as an object, as the text of one in JSON, or as plain text.
    """
    if isinstance(document, str):
        parsed = _object_in(document)
        if parsed is None:
            return Segment(segment_id=segment_id, text=document) if document.strip() else None
        document = parsed
    if not isinstance(document, dict):
        return None
    text = next((document[key] for key in _TEXT if isinstance(document.get(key), str)), "")
    if not text.strip():
        return None
    fields: dict[str, Any] = {key: _text(document, key) for key in _NAMED}
    fields |= {key: _offset(document, key) for key in _OFFSETS}
    return Segment(segment_id=segment_id, text=text, **fields)


def _object_in(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _text(document: Mapping[str, Any], key: str) -> str:
    found = document.get(key)
    return found if isinstance(found, str) else ""


def _offset(document: Mapping[str, Any], key: str) -> int:
    found = document.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else 0


def is_id(value: object) -> TypeGuard[str]:
    """Tell whether something can be the id of a segment, and a part of an address."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= _MAX_ID
        and value.isprintable()
        and not any(map(str.isspace, value))
        and value not in {".", ".."}
    )


def _is_score(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _misfit(server: str, expected: str, found: object) -> MachineError:
    return MachineError(
        f"{server}: expected {expected}; found {str(found)[:100]!r}",
        remedy="Give the address of an Anserini or Pyserini REST server.",
    )


# A server's own BM25: others are said, and by default none, for older servers take no parameters.
_BM25 = Bm25()
# Of a query in an address: servers and proxies refuse addresses of 8 KiB.
_MAX_QUERY_BYTES = 6_000
_PLAIN = "news"
_MAX_QUOTED = 80


class DensePart(Protocol):
    """Parts of a local index that complement a remote one."""

    @property
    def vectors(self) -> VectorIndex | LuceneVectors:
        """Its vectors."""

    @property
    def encoder(self) -> Encoder:
        """The encoder that made them."""

    def fingerprint(self) -> str:
        """Return a SHA-256 that is the same for the same content."""


class RemoteIndex:
    """An index on a server; made by `open_index` for a folder that names one.

    What the server answers is kept in the folder, by what it was asked, and never asked for again.
    """

    def __init__(self, path: Path, open_dense: Callable[[Path], DensePart]) -> None:
        self.path = path
        self.address = read_address(path)
        self._open_dense = open_dense

    def __repr__(self) -> str:
        return f"<index {self.address.index} on {self.address.url}>"

    def fingerprint(self) -> str:
        """Return a SHA-256 of what is searched; where the server is does not matter."""
        content: dict[str, str] = {"remote": self.address.index}
        if self.dense is not None:
            content["dense"] = self.dense.fingerprint()
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @cached_property
    def docstore(self) -> RemoteText:
        """Segment ids to segments: those kept, and the others from the server."""
        return RemoteText(self._client, self._pages)

    @cached_property
    def lucene(self) -> RemoteBm25:
        """BM25 as the server computes it."""
        return RemoteBm25(self._client, self._pages)

    @property
    def terms(self) -> RemoteBm25:
        """Raise InputError: a server hands out no words for feedback, and no learned weights."""
        raise InputError(
            f"{self.path}: RM3 and Rocchio read the words of the best segments, SPLADE their "
            "learned weights; found an index on a server, which has only BM25 to offer",
            remedy="Search with bm25, or with hybrid where a local index has the vectors.",
        )

    impacts = terms

    @cached_property
    def dense(self) -> DensePart | None:
        """The local index with the vectors of the same segments, or None."""
        named = self.address.dense
        return self._open_dense(Path(named)) if named else None

    @property
    def has_vectors(self) -> bool:
        """Whether a local index with vectors is named."""
        return bool(self.address.dense)

    @property
    def vectors(self) -> VectorIndex | LuceneVectors:
        """The vectors of the local index; InputError is raised if there is none."""
        if self.dense is None:
            raise InputError(
                f"{self.path}: dense and hybrid retrieval need vectors; found an index on a server",
                remedy="Search with bm25, or name a local index with vectors: "
                "sidelight index remote --dense FOLDER",
            )
        return self.dense.vectors

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of the vectors, or the bundled one."""
        return Encoder() if self.dense is None else self.dense.encoder

    @cached_property
    def _client(self) -> RestClient:
        return RestClient(self.address)

    @cached_property
    def _pages(self) -> Pages:
        return Pages(self.path / FILE)


class RemoteBm25:
    """BM25 on a server, from any thread; takes the place of a Lucene index and its searcher.

    Where `bm25` is the default, the server's own parameters apply.
    """

    def __init__(self, client: RestClient, pages: Pages, bm25: Bm25 = _BM25) -> None:
        self._address = client.address
        self._client = client
        self._pages = pages
        self._parameters = {} if bm25 == _BM25 else bm25._asdict()

    def searcher(self, bm25: Bm25 = _BM25) -> RemoteBm25:
        """Return a searcher with its own parameters."""
        return RemoteBm25(self._client, self._pages, bm25)

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id, ordered as by `search.ranked`.

        A query of more than 6,000 bytes is cut at a word: servers refuse long addresses. All other
        queries are answered and kept before one that failed is told of.

        Raises:
            FailedQueryError: The server fails on some of the queries, and answers a plain one.
            MachineError: The server is not there, or does not answer as it should.
        """
        texts = list(dict.fromkeys(query.text for query in queries))
        with ThreadPoolExecutor(max(1, min(len(texts), self._address.at_once))) as threads:
            came = threads.map(lambda text: self._hits_or_failure(text, k), texts)
            outcomes = dict(zip(texts, came, strict=True))
        failed = {text: one for text, one in outcomes.items() if isinstance(one, MachineError)}
        if failed:
            raise self._failure(failed)
        found = {text: one for text, one in outcomes.items() if not isinstance(one, MachineError)}
        return {query.query_id: found[query.text] for query in queries}

    def _failure(self, failed: Mapping[str, MachineError]) -> MachineError:
        """Return the error that tells why there is no answer to some queries."""
        text, error = next(iter(failed.items()))
        if self._client.denied or not self._answers():
            return error
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        return FailedQueryError(
            f"the query {text[:_MAX_QUOTED]!r}{more}: {error.message}", failed, remedy=error.remedy
        )

    def _hits_or_failure(self, text: str, k: int) -> list[Hit] | MachineError:
        try:
            return self._hits(text, k)
        except MachineError as error:
            return error

    def _answers(self) -> bool:
        """Tell whether the server answers a plain query now, so that others are to blame."""
        try:
            answer = self._client.get("search", tries=1, query=_PLAIN, hits=1)
            read_search(answer, 1, self._address.url)
        except MachineError:
            return False
        return True

    def _hits(self, text: str, k: int) -> list[Hit]:
        words = _in_address(text)
        if not words:
            return []
        asked: dict[str, Any] = {"query": words, "hits": k, **self._parameters}
        request = orjson.dumps([self._address.index, asked], option=orjson.OPT_SORT_KEYS).decode()
        kept = self._pages.hits(request)
        if kept is not None:
            return kept
        answer = self._client.get("search", **asked)
        hits, segments = read_search(answer, k, self._address.url)
        self._pages.keep_search(request, hits, segments)
        # Another process may have been first; then its answer is the one everybody gets.
        return self._pages.hits(request) or hits


class RemoteText(SegmentTexts):
    """The segments of an index on a server, those kept and those it is asked for."""

    def __init__(self, client: RestClient, pages: Pages) -> None:
        self._address = client.address
        self._client = client
        self._pages = pages

    def __len__(self) -> int:
        """Return how many segments are kept here; how many the server has, it does not say."""
        return len(self._pages)

    def close(self) -> None:
        """Close what is kept."""
        self._pages.close()

    def find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
        """Return those of some segments that there are."""
        wanted = list(dict.fromkeys(segment_ids))
        found = self._pages.segments(wanted)
        missing = [name for name in wanted if name not in found]
        if missing:
            with ThreadPoolExecutor(min(len(missing), self._address.at_once)) as threads:
                came = [one for one in threads.map(self._ask, missing) if one is not None]
            self._pages.keep_segments(came)
            found.update(self._pages.segments(missing))
        return found

    def _ask(self, segment_id: str) -> Segment | None:
        if not is_id(segment_id):
            return None
        answer = self._client.get("doc", segment_id)
        return None if answer is None else read_document(segment_id, answer, self._address.url)


def _in_address(text: str) -> str:
    """Return a query on one line, cut at a word to what an address may hold."""
    words: list[str] = []
    room = _MAX_QUERY_BYTES
    for word in text.split():
        room -= len(quote_plus(word, errors="replace")) + 1
        if room < 0:
            break
        words.append(word)
    return " ".join(words)
