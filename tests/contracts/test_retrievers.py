"""What every retriever keeps, whatever it searches and however."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.index.build import build_index
from sidelight.index.folder import GivenParts, open_index
from sidelight.index.remote.client import RemoteAddress, write_address
from sidelight.registry import names
from sidelight.retrieval.first_stage import open_retriever
from sidelight.retrieval.rerank import CrossEncoder, RerankRetriever, StandingRetriever
from sidelight.schemas.investigation.evidence import Query, ranked
from tests.helpers.indexes.anserini_index import index_impacts
from tests.helpers.indexes.rest_server import NAME, RestServer
from tests.helpers.trec_run_retriever import TrecRunRetriever

QUERIES = [
    Query(query_id="telescope", text="Who counted visitors of the telescope?"),
    Query(query_id="9", text="bakery study"),
    Query(query_id="a b", text="unsafe glacier, says the council!"),
    Query(query_id="ferry", text="who owns the ferry"),
    Query(query_id="again", text="bakery study"),
]
MEMORY, RERANKED, TREC_RUN, WEIGHED = "memory", "bm25+rerank", "trec_run", "bm25+standing"
# Retrievers over a server keep the name of what they do; so they are called otherwise here.
REMOTE = {"bm25 on a server": "bm25", "hybrid with a server": "hybrid"}
ALL = (*names("retriever"), MEMORY, RERANKED, TREC_RUN, WEIGHED, *REMOTE)
# The others find the nearest there is, however far.
LEXICAL = ("bm25", "rm3", "rocchio", MEMORY, RERANKED, TREC_RUN, WEIGHED, "bm25 on a server")


@pytest.fixture(scope="module")
def weighed(small_corpus, small_shard, encoder, splade, tmp_path_factory):
    """The small index with learned weights of words beside it."""
    folder = tmp_path_factory.mktemp("weighed")
    given = GivenParts(impact=index_impacts(small_corpus, splade, folder / "impacts"))
    build_index([small_shard], folder / "index", encoder, given=given, splade=splade)
    return open_index(folder / "index")


@pytest.fixture(scope="module")
def opened(small_index, weighed, small_corpus, cross_encoder, tmp_path_factory):
    server = RestServer(small_index)

    def open_one(name):
        if name == MEMORY:
            return MemoryRetriever(small_corpus)
        if name == RERANKED:
            first = open_retriever("bm25", small_index)
            return RerankRetriever(
                first, CrossEncoder(cross_encoder), small_index.docstore.get_many
            )
        if name == WEIGHED:
            first, lookup = open_retriever("bm25", small_index), small_index.docstore.get_many
            return StandingRetriever(first, {"*": 0.5}, lookup, depth=100)
        if name == TREC_RUN:
            return TrecRunRetriever(open_retriever("bm25", small_index).search(QUERIES, 40))
        if name in REMOTE:
            folder = tmp_path_factory.mktemp("remote")
            dense = str(small_index.path) if REMOTE[name] == "hybrid" else ""
            write_address(folder, RemoteAddress(url=server.url, index=NAME, dense=dense))
            return open_retriever(REMOTE[name], open_index(folder))
        return open_retriever(name, weighed if name.startswith("splade") else small_index)

    with server:
        yield open_one


@pytest.fixture(scope="module", params=ALL)
def retriever(request, opened):
    found = opened(request.param)
    assert found.name == REMOTE.get(request.param, request.param)
    return found


def test_every_query_is_answered_under_its_id(retriever, small_corpus):
    found = retriever.search(QUERIES, 7)
    assert list(found) == [query.query_id for query in QUERIES]
    known = {segment.segment_id for segment in small_corpus}
    for hits in found.values():
        assert {hit.segment_id for hit in hits} <= known
        assert len({hit.segment_id for hit in hits}) == len(hits)
        assert all(isinstance(hit.score, float) for hit in hits)
    assert found["9"] == found["again"]
    assert retriever.search([], 7) == {}


def test_hits_fall_in_score_and_rise_in_id(retriever):
    for hits in retriever.search(QUERIES, 40).values():
        assert len(hits) > 1
        assert hits == ranked(hits)


def test_fewer_hits_are_the_first_of_more(retriever):
    many = retriever.search(QUERIES, 40)
    for k in (1, 3):
        few = retriever.search(QUERIES, k)
        assert few == {query_id: hits[:k] for query_id, hits in many.items()}
        assert all(len(hits) == k for hits in few.values())


@pytest.mark.parametrize("name", LEXICAL)
def test_unknown_words_find_nothing(name, opened):
    queries = [Query(query_id="unknown", text="xyzzy"), Query(query_id="none", text="  ?!")]
    assert opened(name).search(queries, 5) == {"unknown": [], "none": []}


def test_odd_queries_end_well(retriever):
    odd = ["", "the", '"', "a AND (b OR", "x:y^2~ *", "\u200b\U0001f600", "word " * 2000, "\n\t"]
    queries = [Query(query_id=str(number), text=text) for number, text in enumerate(odd)]
    found = retriever.search(queries, 5)
    assert list(found) == [query.query_id for query in queries]
    assert all(len(hits) <= 5 for hits in found.values())


def test_neither_order_nor_company_changes_an_answer(retriever):
    together = retriever.search(QUERIES, 10)
    assert retriever.search(QUERIES[::-1], 10) == together
    for query in QUERIES:
        assert retriever.search([query], 10) == {query.query_id: together[query.query_id]}


def test_two_threads_find_the_same(retriever):
    expected = retriever.search(QUERIES, 10)
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda _: retriever.search(QUERIES, 10), range(6)))
    assert found == [expected] * 6
