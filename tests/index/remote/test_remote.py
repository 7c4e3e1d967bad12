"""An index on a server is searched and read as one on this machine is."""

import asyncio
import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from sidelight.errors import (
    FailedQueryError,
    InputError,
    InvalidFileError,
    MachineError,
    UsageError,
)
from sidelight.index.folder import open_index
from sidelight.index.remote import client as client_module
from sidelight.index.remote.client import RemoteAddress, allow_token, tokens_file, write_address
from sidelight.index.remote.index import RemoteIndex
from sidelight.retrieval.first_stage import Bm25Retriever, open_retriever
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.investigation.evidence import Query
from sidelight.transport import proxy_for
from tests.helpers.indexes.rest_server import NAME, DrippingServer, Odd, RestServer, as_object

TOKEN = "s3cret-of-the-tests"
VARIABLE = "SIDELIGHT_TEST_TOKEN"
QUERIES = [
    Query(query_id="1", text="Who counted visitors of the telescope?"),
    Query(query_id="2", text="bakery study"),
]


def opened(folder, server, **more):
    address = RemoteAddress(url=server.url, index=NAME, **more)
    allow_token(address, VARIABLE)
    write_address(folder, address)
    index = open_index(folder)
    assert isinstance(index, RemoteIndex)
    return index


@pytest.fixture
def server(small_index):
    with RestServer(small_index) as server:
        yield server


@pytest.fixture
def index(server, tmp_path):
    return opened(tmp_path, server)


def test_finds_and_reads_what_the_index_itself_does(server, index, small_index):
    expected = open_retriever("bm25", small_index).search(QUERIES, 7)
    assert open_retriever("bm25", index).search(QUERIES, 7) == expected
    ids = [hit.segment_id for hits in expected.values() for hit in hits]
    asked = len(server.requests)
    assert index.docstore.get_many(ids) == small_index.docstore.get_many(ids)
    assert len(server.requests) == asked  # they came with the search
    for name in ("dense", "hybrid", "rm3", "rocchio"):
        with pytest.raises(InputError, match="on a server"):
            open_retriever(name, index)
    assert len(server.requests) == asked


def test_parameters_are_said_where_they_are_not_the_default(server, index, small_index):
    found = Bm25Retriever(index.lucene, 1.2, 0.75).search(QUERIES, 7)
    assert found == Bm25Retriever(small_index.lucene, 1.2, 0.75).search(QUERIES, 7)
    assert all("k1=1.2" in request for request in server.requests)
    Bm25Retriever(index.lucene).search(QUERIES, 7)
    assert not any("k1" in request for request in server.requests[len(QUERIES) :])


def test_hybrid_takes_its_vectors_from_a_local_index(server, small_index, tmp_path):
    index = opened(tmp_path, server, dense=str(small_index.path))
    expected = open_retriever("hybrid", small_index).search(QUERIES, 10)
    assert open_retriever("hybrid", index).search(QUERIES, 10) == expected
    plain = opened(tmp_path / "other", server).fingerprint()
    assert index.fingerprint() != plain
    # Where the server is changes nothing.
    with RestServer(small_index) as elsewhere:
        assert opened(tmp_path / "elsewhere", elsewhere).fingerprint() == plain


def test_pages_are_kept_once_asked_for_or_named(small_index, tmp_path):
    with RestServer(small_index) as server:
        first = open_retriever("bm25", opened(tmp_path, server)).search(QUERIES, 7)
        segment_id = first["1"][0].segment_id
        asked = len(server.requests)
    # The server is gone, and the folder is opened anew, as after a crash.
    again = open_index(tmp_path)
    assert open_retriever("bm25", again).search(QUERIES, 7) == first
    assert again.docstore.get_many([segment_id])[0].segment_id == segment_id
    assert asked == len(QUERIES)


@pytest.mark.parametrize("kept", [b"", b"{}", b"[[1, 2]]", b'[["a", "1"]]', b'{"segment_id": 1}'])
def test_kept_pages_that_are_none_are_named(index, kept, tmp_path):
    hits = open_retriever("bm25", index).search(QUERIES[:1], 7)["1"]
    with sqlite3.connect(tmp_path / "pages.sqlite") as database:
        database.execute("UPDATE searches SET hits = ?", (kept,))
        database.execute("UPDATE segments SET segment = ?", (kept,))
    with pytest.raises(MachineError, match=r"pages\.sqlite: pages cannot be kept or read"):
        open_retriever("bm25", index).search(QUERIES[:1], 7)
    with pytest.raises(MachineError, match=r"pages\.sqlite: pages cannot be kept or read"):
        index.docstore.get_many([hits[0].segment_id])


@pytest.mark.parametrize(
    "document",
    [as_object, lambda segment: json.dumps(as_object(segment)), lambda segment: segment.text],
)
def test_documents_are_read_in_each_form(document, small_index, small_corpus, tmp_path):
    segment = small_corpus[3]
    with RestServer(small_index, document=document) as server:
        (found,) = opened(tmp_path, server).docstore.get_many([segment.segment_id])
    assert found.text == segment.text
    assert found.title in {segment.title, ""}


def test_segments_are_read_no_more_at_once_than_allowed_and_missing_ones_named(
    server, tmp_path, small_index, small_corpus
):
    text = opened(tmp_path, server).docstore
    for name in ("msmarco_v2.1_doc_99_1#0_1", "..", "a b", "x" * 1000, ""):
        assert name not in text
        with pytest.raises(InputError, match="does not hold"):
            text.get_many([name])
    assert all("/doc/msmarco" in request for request in server.requests)
    index = opened(tmp_path, server, at_once=2)
    ids = [segment.segment_id for segment in small_corpus]
    assert index.docstore.get_many(ids) == small_index.docstore.get_many(ids)
    assert server.at_once <= 2


def test_threads_that_ask_first_at_the_same_time_share_one_event_loop(
    server, tmp_path, monkeypatch
):
    made = []
    start = asyncio.new_event_loop

    def slowly():
        time.sleep(0.1)
        made.append(start())
        return made[-1]

    monkeypatch.setattr(asyncio, "new_event_loop", slowly)
    client_module._started_loop.cache_clear()
    text = opened(tmp_path, server).docstore
    with ThreadPoolExecutor(8) as threads:
        assert not any(threads.map(text.__contains__, map(str, range(8))))
    assert len(made) == 1


def test_the_token_goes_to_the_server_and_nowhere_else(small_index, tmp_path, monkeypatch):
    with RestServer(small_index, TOKEN) as server:
        with pytest.raises(MachineError, match="401") as refused:
            open_retriever("bm25", opened(tmp_path / "1", server)).search(QUERIES, 7)
        assert VARIABLE in (refused.value.remedy or "")
        monkeypatch.setenv(VARIABLE, TOKEN)
        assert open_retriever("bm25", opened(tmp_path / "2", server)).search(QUERIES, 7)["1"]
        assert not any(TOKEN in request for request in server.requests)
        server.odd += [Odd(400, f"no {TOKEN} here".encode())]
        with pytest.raises(MachineError) as said:
            opened(tmp_path / "3", server).docstore.get_many(["a"])
        assert TOKEN not in str(said.value)
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(TOKEN.encode() in content for content in written)


def test_a_busy_server_is_waited_for_as_it_asks(server, tmp_path, quick_backoff, small_index):
    # A date has whole seconds: between one and two from now.
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    server.odd += [Odd(500), Odd(429, headers={"Retry-After": date}), Odd(503), Odd(502)]
    begin = time.monotonic()
    found = open_retriever("bm25", opened(tmp_path, server, at_once=1)).search(QUERIES[:1], 7)
    assert found["1"]
    assert time.monotonic() - begin >= 0.9
    assert len(server.requests) == 5
    server.odd += [Odd(503)] * 100
    with pytest.raises(MachineError, match="in 6 tries") as busy:
        opened(tmp_path, server).docstore.get_many(["a"])
    assert "to resume" in (busy.value.remedy or "")
    assert len(server.requests) == 5 + 6
    with RestServer(small_index) as gone:
        index = opened(tmp_path / "gone", gone)
    with pytest.raises(MachineError, match="gave no answer"):
        index.docstore.get_many(["a"])


def test_a_query_that_always_fails_costs_no_other(server, small_index, tmp_path, quick_backoff):
    expected = open_retriever("bm25", small_index).search(QUERIES, 7)
    server.failing = "bakery"
    retriever = open_retriever("bm25", opened(tmp_path, server))
    with pytest.raises(FailedQueryError, match=r"'bakery study': .*in 6 tries.*500") as failed:
        retriever.search(QUERIES, 7)
    assert failed.value.queries == {"bakery study"}
    asked = len(server.requests)
    told: list[FailedQueryError] = []
    around = LateralRetriever(retriever, None, small_index.docstore.get_many, told.append)
    found = around.search(QUERIES, 2).hits
    assert found["1"][0] == expected["1"][0]
    assert found["2"] == []
    assert len(told) == 1
    # Where the server answers nothing else either, it is the server's failure.
    server.failing = "query"
    with pytest.raises(MachineError, match="500") as gone:
        open_retriever("bm25", opened(tmp_path / "other", server)).search(QUERIES, 7)
    assert not isinstance(gone.value, FailedQueryError)
    assert asked


def test_a_proxy_is_asked_for_other_machines_alone(server, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url.removeprefix("http://"))
    monkeypatch.setenv("NO_PROXY", "near.example")
    for name, asked in (("far.example", True), ("near.example", False), ("127.0.0.1:1", False)):
        url = f"http://{name}"
        assert (proxy_for(url) is not None) is asked
    write_address(tmp_path, RemoteAddress(url="http://far.example", index=NAME))
    server.odd += [Odd(200, json.dumps({"candidates": []}).encode())]
    assert open_retriever("bm25", open_index(tmp_path)).search(QUERIES[:1], 7) == {"1": []}
    assert server.requests[0].startswith(f"http://far.example/v1/{NAME}/search")
    monkeypatch.setenv("HTTP_PROXY", "ftp://proxy.example")
    with pytest.raises(UsageError, match=r"a proxy for http://far\.example"):
        open_index(tmp_path).docstore.get_many(["a"])


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"<html>", b"{}", b'{"candidates": [1]}', b"[" * 990 + b"]" * 990),
        b'{"candidates": [{"docid": "a\\u202e", "score": 1}]}',
    ],
)
def test_nonsense_is_refused_and_not_kept(server, body, tmp_path):
    retriever = open_retriever("bm25", opened(tmp_path, server))
    server.odd += [Odd(200, body)]
    with pytest.raises(MachineError):
        retriever.search(QUERIES[:1], 7)
    assert retriever.search(QUERIES[:1], 7)["1"]


def test_answers_and_queries_are_bounded(tmp_path, server):
    candidates = [{"docid": f"d{n % 3}", "score": 9.0 - n, "doc": 7} for n in range(50)]
    server.odd += [Odd(200, json.dumps({"candidates": candidates}).encode())]
    retriever = open_retriever("bm25", opened(tmp_path, server))
    hits = retriever.search(QUERIES[:1], 5)["1"]
    assert [tuple(hit) for hit in hits] == [("d0", 9.0), ("d1", 8.0), ("d2", 7.0)]
    retriever.search([Query(query_id="long", text="wörd\n" * 50_000)], 5)
    assert len(server.requests[1]) < 7000


def test_neither_redirects_nor_packed_nor_endless_answers_are_followed(
    small_index, tmp_path, quick_backoff, monkeypatch
):
    monkeypatch.setattr(client_module, "MAX_ANSWER_BYTES", 1000)
    with RestServer(small_index) as server, RestServer(small_index) as elsewhere:
        text = opened(tmp_path, server).docstore
        server.odd += [Odd(302, headers={"Location": elsewhere.url})]
        with pytest.raises(MachineError, match="302"):
            text.get_many(["a"])
        assert not elsewhere.requests
        server.odd += [Odd(200, b"x" * 2000)]
        with pytest.raises(MachineError, match="more than"):
            text.get_many(["a"])
        server.odd += [Odd(200, headers={"Content-Encoding": "gzip"})] * 6
        with pytest.raises(MachineError, match="compressed"):
            text.get_many(["a"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "ftp://somewhere"),
        ("url", "http://[bad"),
        ("url", "http://somewhere:99999"),
        ("url", "https://user:word@somewhere"),
        ("url", "http://somewhere?token=1"),
        ("index", "../../other"),
    ],
)
def test_an_address_that_is_none_is_refused(field, value, tmp_path):
    address = RemoteAddress(url="http://localhost:1", index="x")
    write_address(tmp_path, address)
    path = tmp_path / "remote.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    with pytest.raises(InvalidFileError):
        open_index(tmp_path)


def test_a_folder_of_somebody_else_sends_no_token_anywhere(small_index, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", TOKEN)
    monkeypatch.setenv("PYSERINI_API_TOKEN", TOKEN)
    with RestServer(small_index, TOKEN) as server:
        write_address(tmp_path, RemoteAddress(url=server.url, index=NAME))
        with pytest.raises(MachineError, match="401") as refused:
            open_retriever("bm25", open_index(tmp_path)).search(QUERIES[:1], 7)
        assert f"index remote {server.url} {NAME} -o FOLDER --token-var" in refused.value.remedy
        path = tmp_path / "remote.json"
        named = {**json.loads(path.read_text()), "token_variable": "OPENAI_API_KEY"}
        path.write_text(json.dumps(named))
        with pytest.raises(InvalidFileError, match="token_variable"):
            open_index(tmp_path)
        assert server.authorizations == [""]


def test_a_token_is_not_sent_unencrypted_whatever_the_list_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv(VARIABLE, TOKEN)
    tokens_file().parent.mkdir()
    tokens_file().write_text(json.dumps({"http://far.example": VARIABLE}))
    write_address(tmp_path, RemoteAddress(url="http://far.example", index=NAME))
    with pytest.raises(UsageError, match="unencrypted") as refused:
        open_index(tmp_path).docstore.get_many(["a"])
    assert TOKEN not in str(refused.value)
    tokens_file().write_text("[]")
    with pytest.raises(InputError, match="addresses that may receive a token"):
        open_index(tmp_path).docstore.get_many(["a"])


@pytest.mark.parametrize("begin", [b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\n\r\n{"])
def test_a_server_that_answers_byte_by_byte_is_given_up_in_time(begin, tmp_path):
    with DrippingServer(begin) as url:
        write_address(tmp_path, RemoteAddress(url=url, index=NAME, timeout_s=1))
        started = time.monotonic()
        with pytest.raises(MachineError, match="whole in 1 s"):
            open_index(tmp_path).docstore.get_many(["a"])
        assert time.monotonic() - started < 3


def test_a_token_that_a_server_repeats_is_neither_shown_nor_kept(
    small_index, tmp_path, monkeypatch
):
    monkeypatch.setenv(VARIABLE, TOKEN)
    hidden = "".join(f"\\u{ord(letter):04x}" for letter in TOKEN)
    documents = [
        {"segment": f"so {TOKEN}", "title": TOKEN, "url": f"https://a.example/{TOKEN}"},
        f'{{"segment": "so {hidden}", "title": "{TOKEN}"}}',
        f"so {TOKEN}",
    ]
    candidates = [
        {"docid": f"{TOKEN}{n}", "score": 1, "doc": document}
        for n, document in enumerate(documents)
    ]
    with RestServer(small_index) as server:
        index = opened(tmp_path, server)
        server.odd += [Odd(200, json.dumps({"candidates": candidates}).encode())]
        hits = open_retriever("bm25", index).search(QUERIES[:1], 7)["1"]
        segments = index.docstore.get_many([hit.segment_id for hit in hits])
        assert [segment.text for segment in segments] == ["so ***"] * 3
        assert TOKEN not in f"{hits}{segments}"
        for said in (TOKEN, f'{{"candidates": ["{TOKEN}"]}}', f'{{"error": "{hidden}"}}'):
            server.odd += [Odd(200, said.encode())]
            with pytest.raises(MachineError) as refused:
                open_retriever("bm25", index).search(QUERIES[1:], 7)
            assert TOKEN not in str(refused.value)
    kept = [path.read_bytes() for path in tmp_path.iterdir()]
    assert not any(TOKEN.encode() in content for content in kept)
