"""An index on a server, to those who search and read as one in a folder."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote_plus

import orjson

from sidelight.errors import InputError
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.lucene.segments import Bm25
from sidelight.index.remote.address import read_address
from sidelight.index.remote.answers import is_id, read_document, read_search
from sidelight.index.remote.client import RestClient
from sidelight.index.remote.pages import FILE, Pages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.index.lucene.vectors import LuceneVectors
    from sidelight.index.remote.address import RemoteAddress
    from sidelight.index.vectors.vectors import VectorIndex
    from sidelight.schemas.investigation.search import Hit, Query
    from sidelight.schemas.segment import Segment

# A server's own BM25: others are said, and by default none, for older servers take no parameters.
_BM25 = Bm25()
# Of a query in an address: servers and proxies refuse addresses of 8 KiB.
_MAX_QUERY_BYTES = 6_000


class DensePart(Protocol):
    """What is taken from a local index."""

    @property
    def vectors(self) -> VectorIndex | LuceneVectors:
        """Its vectors."""
        ...

    @property
    def encoder(self) -> Encoder:
        """What made them."""
        ...

    def fingerprint(self) -> str:
        """Return a SHA-256 that is the same for the same content."""
        ...


class RemoteIndex:
    """An index on a server; made by `open_index` for a folder that names one.

    What the server answers is kept in the folder, by what it was asked, and never asked for again.

    Args:
        path: The folder with the server's address.
        open_dense: Opens the folder of a local index.
    """

    def __init__(self, path: Path, open_dense: Callable[[Path], DensePart]) -> None:
        self.path = path
        self.address = read_address(path)
        self._open_dense = open_dense

    def fingerprint(self) -> str:
        """Return a SHA-256 of what is searched; where the server is does not matter."""
        content: dict[str, str] = {"remote": self.address.index}
        if self.dense is not None:
            content["dense"] = self.dense.fingerprint()
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @cached_property
    def docstore(self) -> RemoteText:
        """Segment ids to segments: those kept, and the others from the server."""
        return RemoteText(self.address, self._client, self._pages)

    @cached_property
    def lucene(self) -> RemoteBm25:
        """BM25 as the server computes it."""
        return RemoteBm25(self.address, self._client, self._pages)

    @property
    def terms(self) -> RemoteBm25:
        """Refuse: a server hands out no words for feedback.

        Raises:
            InputError: Always.
        """
        raise InputError(
            f"{self.path}: RM3 and Rocchio read the words of the best segments; found an index on "
            "a server, which has only BM25 to offer",
            remedy="Search with bm25, or with hybrid where a local index has the vectors.",
        )

    @cached_property
    def dense(self) -> DensePart | None:
        """The local index with the vectors of the same segments, or None.

        Raises:
            InputError: It is not there, or not finished.
        """
        named = self.address.dense
        return self._open_dense(Path(named)) if named else None

    @property
    def vectors(self) -> VectorIndex | LuceneVectors:
        """The vectors of the local index.

        Raises:
            InputError: There is none.
        """
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
    """The part of a server that searches; takes the place of a Lucene index.

    Args:
        address: The server and its index.
        client: Asks it.
        pages: What it answered.
    """

    def __init__(self, address: RemoteAddress, client: RestClient, pages: Pages) -> None:
        self._address = address
        self._client = client
        self._pages = pages

    def searcher(self, bm25: Bm25 = _BM25) -> RemoteSearcher:
        """Return a searcher with its own parameters."""
        return RemoteSearcher(self._address, self._client, self._pages, bm25)


class RemoteSearcher:
    """BM25 on a server, from any thread.

    Args:
        address: The server and its index.
        client: Asks it.
        pages: What it answered.
        bm25: Parameters; the server's own where they are the default.
    """

    def __init__(
        self, address: RemoteAddress, client: RestClient, pages: Pages, bm25: Bm25
    ) -> None:
        self._address = address
        self._client = client
        self._pages = pages
        self._parameters = {} if bm25 == _BM25 else {"k1": bm25.k1, "b": bm25.b}

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id, ordered as by `search.ranked`.

        A query of more than 6,000 bytes is cut at a word: servers refuse long addresses.

        Raises:
            MachineError: The server is not there, or does not answer as it should.
        """
        texts = list(dict.fromkeys(query.text for query in queries))
        with ThreadPoolExecutor(max(1, min(len(texts), self._address.at_once))) as threads:
            found = dict(
                zip(texts, threads.map(lambda text: self._hits(text, k), texts), strict=True)
            )
        return {query.query_id: found[query.text] for query in queries}

    def _hits(self, text: str, k: int) -> list[Hit]:
        words = _in_address(text)
        if not words:
            return []
        asked: dict[str, str | float] = {"query": words, "hits": k, **self._parameters}
        request = orjson.dumps([self._address.index, asked], option=orjson.OPT_SORT_KEYS).decode()
        kept = self._pages.hits(request)
        if kept is not None:
            return kept
        answer = self._client.get("search", **asked)
        hits, segments = read_search(answer, k, self._address.url)
        self._pages.keep_search(request, hits, segments)
        # Another process may have been first; then its answer is the one everybody gets.
        return self._pages.hits(request) or hits


class RemoteText:
    """Segment ids to segments, from any thread.

    Args:
        address: The server and its index.
        client: Asks it.
        pages: What it answered.
    """

    def __init__(self, address: RemoteAddress, client: RestClient, pages: Pages) -> None:
        self._address = address
        self._client = client
        self._pages = pages

    def __len__(self) -> int:
        """Return how many segments are kept here; how many the server has, it does not say."""
        return len(self._pages)

    def __contains__(self, segment_id: object) -> bool:
        return isinstance(segment_id, str) and segment_id in self._find([segment_id])

    def get_many(self, segment_ids: Sequence[str]) -> list[Segment]:
        """Return segments in the order asked for.

        Raises:
            InputError: The server does not hold an id; the first one is named.
            MachineError: The server is not there, or does not answer as it should.
        """
        found = self._find(segment_ids)
        for segment_id in segment_ids:
            if segment_id not in found:
                raise InputError(
                    f"the index does not hold the segment {segment_id!r}",
                    remedy="Use the index that the id comes from.",
                )
        return [found[segment_id] for segment_id in segment_ids]

    def close(self) -> None:
        """Close what is kept."""
        self._pages.close()

    def _find(self, segment_ids: Sequence[str]) -> dict[str, Segment]:
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
