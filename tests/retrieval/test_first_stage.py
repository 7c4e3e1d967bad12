"""First stages: of memory, of a run that is given, fused, and by name."""

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG

from benchmarks.memory_retriever import MemoryRetriever, analyze
from sidelight.errors import InputError
from sidelight.formats.topics import read_queries
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import CorpusFields
from sidelight.registry import names
from sidelight.retrieval.first_stage import (
    Bm25Retriever,
    DenseRetriever,
    FusionRetriever,
    open_retriever,
    reciprocal_rank_fusion,
)
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment
from tests.helpers.trec_run_retriever import TrecRunRetriever


def test_bm25_by_hand():
    retriever = MemoryRetriever(
        [
            Segment(segment_id="a", text="red red barn"),
            Segment(segment_id="b", text="red house"),
            Segment(segment_id="c", text="green"),
        ]
    )
    hits = retriever.search([Query(query_id="q", text="The red ones")], 10)["q"]
    # N = 3, df(red) = 2: idf = ln(1 + 1.5 / 2.5) = ln 1.6; mean length (3 + 2 + 1) / 3 = 2
    # a: tf 2, norm .9 (.6 + .4 * 3/2) = 1.08: 2 / 3.08;  b: tf 1, norm .9 (.6 + .4) = .9: 1 / 1.9
    assert [hit.segment_id for hit in hits] == ["a", "b"]
    assert [hit.score for hit in hits] == pytest.approx(
        [math.log(1.6) * 2 / 3.08, math.log(1.6) / 1.9]
    )


def test_finds_first_what_lucene_finds_first(small_index, small_corpus):
    """Further down, the lengths of segments tell: Lucene knows fewer stop words."""
    queries = [
        Query(query_id=text, text=text)
        for text in ("glacier visitors", "ferries close", "bakery study", "violin accounts")
    ]
    ours = MemoryRetriever(small_corpus).search(queries, 5)
    lucene = Bm25Retriever(small_index.lucene).search(queries, 5)
    for text, hits in lucene.items():
        assert ours[text][0].segment_id == hits[0].segment_id
        assert {hit.segment_id for hit in ours[text]} == {hit.segment_id for hit in hits}


def test_analysis():
    assert analyze("The Council's COMPANIES, buses and classes; a glass house") == [
        *("council", "company", "buse", "classe", "glass", "house")
    ]


def test_nothing_to_search():
    query = Query(query_id="q", text="word")
    assert MemoryRetriever([]).search([query], 5) == {"q": []}
    assert MemoryRetriever([Segment(segment_id="a", text="")]).search([query], 5) == {"q": []}


def test_ranks_are_fused_by_hand():
    first = [Hit("a", 9.0), Hit("b", 8.0), Hit("c", 7.0)]
    second = [Hit("c", 0.3), Hit("a", 0.2)]
    # a: 1/61 + 1/62 = 0.0163934 + 0.0161290 = 0.0325225
    # b: 1/62 alone is 0.0161290
    # c: 1/63 + 1/61 = 0.0158730 + 0.0163934 = 0.0322665
    fused = reciprocal_rank_fusion([first, second])
    assert [hit.segment_id for hit in fused] == ["a", "c", "b"]
    assert [hit.score for hit in fused] == pytest.approx(
        [0.0325225, 0.0322665, 0.0161290], abs=1e-7
    )


def test_depth_cuts_each_run_before_fusing_and_k_after():
    query = Query(query_id="q", text="")
    first = TrecRunRetriever({"q": [Hit("a", 3.0), Hit("b", 2.0), Hit("c", 1.0)]})
    second = TrecRunRetriever({"q": [Hit("d", 3.0), Hit("c", 2.0), Hit("b", 1.0)]})
    ids = lambda hits: [hit.segment_id for hit in hits]  # noqa: E731
    # At depth 2: a and d 1/61, b and c 1/62.  At depth 3: b and c 1/62 + 1/63, which is more.
    assert ids(FusionRetriever([first, second], depth=2).search([query], 2)["q"]) == ["a", "d"]
    assert ids(FusionRetriever([first, second], depth=3).search([query], 2)["q"]) == ["b", "c"]
    # Never fewer than k are fused.
    assert len(FusionRetriever([first, second], depth=1).search([query], 4)["q"]) == 4


runs = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True).map(
        lambda ids: [Hit(segment_id, -float(rank)) for rank, segment_id in enumerate(ids)]
    ),
    max_size=6,
)


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(hits, shuffler):
    shuffled = list(hits)
    shuffler.shuffle(shuffled)
    fused = reciprocal_rank_fusion(hits)
    assert reciprocal_rank_fusion(shuffled) == fused
    assert fused == ranked(fused)
    assert {hit.segment_id for hit in fused} == {hit.segment_id for run in hits for hit in run}
    # The most a segment can get is the first rank in every run, up to rounding.
    assert all(0 < hit.score < len(hits) / 61 + 1e-12 for hit in fused)


def test_an_encoder_of_another_dimension(small_index):
    class Smaller(Encoder):
        def identity(self):
            return super().identity().model_copy(update={"dimension": 256})

    with pytest.raises(InputError, match="vectors of 256 numbers; those of the index have 384"):
        DenseRetriever(small_index.vectors, Smaller())


@pytest.mark.slow
def test_cranfield_in_the_expected_order(shared_data, tmp_path, encoder):
    """Feedback beats BM25, vectors beat feedback and fusion beats all, on a real collection."""
    cranfield = shared_data / "cranfield"
    fields = CorpusFields(id="docno", text="text")
    build_index([cranfield / "corpus.jsonl.gz"], tmp_path / "index", encoder, fields)
    index = open_index(tmp_path / "index")
    queries = read_queries(cranfield / "queries.tsv")
    qrels = list(ir_measures.read_trec_qrels(str(cranfield / "qrels.txt")))
    score = {}
    for name in names("retriever"):
        found = open_retriever(name, index).search(queries, 1000)
        run = {query: {hit.segment_id: hit.score for hit in hits} for query, hits in found.items()}
        score[name] = ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]
    assert score["bm25"] == pytest.approx(0.365, abs=0.005)
    assert score["dense"] == pytest.approx(0.400, abs=0.005)
    assert score["bm25"] < min(score["rm3"], score["rocchio"])
    assert max(score["rm3"], score["rocchio"]) < score["dense"] < score["hybrid"]


def test_answers_by_query_id():
    retriever = TrecRunRetriever({"1": [Hit("b", 1.0), Hit("a", 1.0), Hit("c", 2.0)]}, "theirs")
    queries = [Query(query_id="1", text="any"), Query(query_id="2", text="any")]
    assert retriever.search(queries, 2) == {"1": [Hit("c", 2.0), Hit("a", 1.0)], "2": []}
    assert retriever.name == "theirs"
