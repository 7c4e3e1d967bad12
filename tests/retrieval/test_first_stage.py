"""First stages, the union of searches, and what is dropped around an article."""

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import nDCG

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.errors import InputError, UsageError
from sidelight.formats.topics import read_queries
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import CorpusFields
from sidelight.retrieval.best_segment import (
    DocumentRetriever,
    FoundDocument,
    Pooled,
    documents_of,
    pool_documents,
    rank_pooled,
)
from sidelight.retrieval.first_stage import (
    DenseRetriever,
    FusionRetriever,
    open_retriever,
    reciprocal_rank_fusion,
)
from sidelight.retrieval.lateral import REMEMBERED, LateralRetriever, overlap
from sidelight.schemas.investigation.evidence import DroppedHit, Hit, Query, ranked
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Remembered
from tests.helpers.indexes.same_index import BUILT
from tests.helpers.trec_run_retriever import TrecRunRetriever


def test_bm25_by_hand():
    texts = {"a": "red red barn", "b": "red house", "c": "green"}
    retriever = MemoryRetriever([Segment(segment_id=n, text=text) for n, text in texts.items()])
    hits = retriever.search([Query(query_id="q", text="The red ones")], 10)["q"]
    # N = 3, df(red) = 2: idf = ln(1 + 1.5 / 2.5) = ln 1.6; mean length (3 + 2 + 1) / 3 = 2
    # a: tf 2, norm .9 (.6 + .4 * 3/2) = 1.08: 2 / 3.08;  b: tf 1, norm .9 (.6 + .4) = .9: 1 / 1.9
    assert [hit.segment_id for hit in hits] == ["a", "b"]
    seen = [hit.score for hit in hits]
    assert seen == pytest.approx([math.log(1.6) * 2 / 3.08, math.log(1.6) / 1.9])


def test_ranks_are_fused_by_hand():
    first = [Hit("a", 9.0), Hit("b", 8.0), Hit("c", 7.0)]
    second = [Hit("c", 0.3), Hit("a", 0.2)]
    # a: 1/61 + 1/62 = 0.0163934 + 0.0161290 = 0.0325225
    # b: 1/62 alone is 0.0161290
    # c: 1/63 + 1/61 = 0.0158730 + 0.0163934 = 0.0322665
    fused = reciprocal_rank_fusion([first, second])
    assert [hit.segment_id for hit in fused] == ["a", "c", "b"]
    seen = [hit.score for hit in fused]
    assert seen == pytest.approx([0.0325225, 0.0322665, 0.0161290], abs=1e-7)
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
    for name in BUILT:
        found = open_retriever(name, index).search(queries, 1000)
        run = {query: {hit.segment_id: hit.score for hit in hits} for query, hits in found.items()}
        score[name] = ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]
    assert score["bm25"] == pytest.approx(0.365, abs=0.005)
    assert score["dense"] == pytest.approx(0.400, abs=0.005)
    assert score["bm25"] < min(score["rm3"], score["rocchio"])
    assert max(score["rm3"], score["rocchio"]) < score["dense"] < score["hybrid"]


# From segments to documents, and the union of several searches.


HITS = st.lists(
    st.builds(
        Hit,
        st.builds("a_doc_00_{}#{}_0".format, st.integers(0, 5), st.integers(0, 4)),
        st.sampled_from([1.0, 2.0, 2.5, 9.0]),
    ),
    unique_by=lambda hit: hit.segment_id,
)
POOLED = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.floats(0, 5000, allow_nan=False), max_size=12
)


def test_a_document_is_its_best_segment():
    hits = [Hit("a#1", 3.0), Hit("b#0", 2.0), Hit("a#0", 3.0), Hit("whole", 1.0)]
    assert documents_of(hits) == [
        FoundDocument("a", 3.0, "a#0"),
        FoundDocument("b", 2.0, "b#0"),
        FoundDocument("whole", 1.0, "whole"),
    ]


@given(HITS, st.randoms())
def test_the_order_of_hits_does_not_matter(hits, rng):
    shuffled = hits.copy()
    rng.shuffle(shuffled)
    found = documents_of(shuffled)
    assert found == documents_of(hits)
    assert {one.document_id for one in found} == {hit.segment_id.partition("#")[0] for hit in hits}
    assert all(Hit(one.segment_id, one.score) in hits for one in found)


def test_it_searches_deeper_until_there_are_enough_documents():
    hits = [Hit(f"a#{n}", 100.0 - n) for n in range(20)] + [Hit("b#0", 3.0), Hit("c#0", 2.0)]
    depths = []

    def search(queries, k):
        depths.append(k)
        return {"q": ranked(hits)[:k]}

    found = DocumentRetriever(search).search([Query(query_id="q", text="x")], 2)["q"]
    assert [one.document_id for one in found] == ["a", "b"]
    assert depths == [4, 8, 16, 32]


def test_the_union_of_searches_adds_scores():
    """Two searches by hand: a has 5 + 2, b 4, c 1; a more useful document comes first always."""
    first = [FoundDocument("a", 5.0, "a#0"), FoundDocument("b", 4.0, "b#0")]
    second = [FoundDocument("a", 2.0, "a#3"), FoundDocument("c", 1.0, "c#0")]
    pooled = pool_documents([first, second])
    assert pooled == [
        Pooled("a", 7.0, ("a#0", "a#3")),
        Pooled("b", 4.0, ("b#0",)),
        Pooled("c", 1.0, ("c#0",)),
    ]
    assert pool_documents([second, first]) == pooled
    seen = rank_pooled(pooled, {"c": 2, "b": 1})
    assert seen == [Hit("c", 2001.0), Hit("b", 1004.0), Hit("a", 7.0)]
    pooled = [Pooled("a", 4999.999999999999, ("a#0",)), Pooled("b", 0.0, ("b#0",))]
    assert [hit.segment_id for hit in rank_pooled(pooled, {"a": 1, "b": 2})] == ["b", "a"]


@given(POOLED, st.data())
def test_two_always_stands_above_one_and_one_above_nothing(scores, data):
    pooled = [Pooled(name, score, (name,)) for name, score in scores.items()]
    labels = {name: data.draw(st.sampled_from([0, 1, 2])) for name in scores}
    found = [labels[hit.segment_id] for hit in rank_pooled(pooled, labels)]
    assert found == sorted(found, reverse=True)
    for label in (0, 1, 2):
        alike = [hit for hit in rank_pooled(pooled, labels) if labels[hit.segment_id] == label]
        sums = [scores[hit.segment_id] for hit in alike]
        assert sums == pytest.approx(sorted(sums, reverse=True))


# Searches around an article: what is dropped, and segments that are fetched once.


BODY = (
    "The old mill by the river was sold last week to a company that nobody in the village had "
    "heard of before. Its new owner promises forty jobs and a museum within two years."
)
ARTICLE = Article(
    topic_id="m_doc_04_42", url="https://www.example.org/news/mill", title="Mill sold!", body=BODY
)
QUERY = Query(query_id="q", text="mill")


def found(*segments, k=10, article=ARTICLE, allow=False):
    """Search a run of these segments, best first; return the ids kept and the reasons of drops."""
    by_id = {segment.segment_id: segment for segment in segments}
    hits = [Hit(segment_id, -float(rank)) for rank, segment_id in enumerate(by_id)]

    def lookup(ids):
        return [by_id[segment_id] for segment_id in ids]

    around = None if allow else article
    lateral = LateralRetriever(TrecRunRetriever({"q": hits}), around, lookup)
    result = lateral.search([QUERY], k)
    return (
        [hit.segment_id for hit in result.hits["q"]],
        {drop.segment_id: drop.reason for drop in result.dropped},
    )


def segment(segment_id, text="Something else entirely.", **fields):
    return Segment(segment_id=segment_id, text=text, **fields)


def test_addresses_and_titles_that_are_the_articles_own():
    own = [segment("m_doc_04_42#0_1"), segment("m_doc_04_42#7_9")]
    like_it = segment("m_doc_04_421#0_5")
    assert found(*own, like_it) == (
        ["m_doc_04_421#0_5"],
        {"m_doc_04_42#0_1": "own-article", "m_doc_04_42#7_9": "own-article"},
    )
    assert found(*own, like_it, allow=True)[0] == [s.segment_id for s in (*own, like_it)]
    for url in [
        "http://example.org/news/mill",
        "https://example.org/news/mill/",
        "https://amp.example.org/news/mill",
        "https://WWW.Example.org/news/mill/amp/",
        "https://www.example.org/news/mill?amp=1#top",
    ]:
        assert found(segment("a#0_0", url=url)) == ([], {"a#0_0": "copy-of-article"})
    others = [
        segment("a_doc_00_1#0_0", url="https://www.example.org/news/mill-2", title="Mill reopens"),
        segment("a_doc_00_2#0_0", url="https://other.example/x", title="Mill sold!"),
        segment("a_doc_00_3#0_0", url="https://www.example.org/Mill/news"),
        segment("a_doc_00_4#0_0"),
    ]
    assert found(*others) == ([s.segment_id for s in others], {})
    same_place = segment("a_doc_00_5#0_0", url="https://example.org/p?id=7", title="mill sold")
    assert found(same_place)[0] == []
    # Nothing known about the article: nothing equals it.
    bare = Article(topic_id="m_doc_04_42", body=BODY)
    assert found(*others, article=bare)[0] == [s.segment_id for s in others]


def test_copies_of_the_text_are_told_by_overlap():
    words = BODY.split()
    copied = segment("a_doc_00_1#0_0", f"By our reporter. {BODY}")
    part = segment("a_doc_00_2#0_0", " ".join(words[3:25]))
    quoting = segment(
        "a_doc_00_3#0_0",
        f"The council asked who bought it. {' '.join(words[:8])} were the words of the notice "
        "that the members read aloud before they voted on another matter.",
    )
    assert found(copied, part, quoting) == (
        ["a_doc_00_3#0_0"],
        {"a_doc_00_1#0_0": "copy-of-article", "a_doc_00_2#0_0": "copy-of-article"},
    )
    shared = {("a",), ("b",)}
    # The smaller set has 4 members, 2 of them in the other: 0.5.
    left = frozenset({*shared, ("c",), ("d",)})
    right = frozenset({*shared, ("e",), ("f",), ("g",)})
    assert overlap(left, right) == overlap(right, left) == 0.5
    assert overlap(frozenset(), right) == 0.0


def test_of_adjacent_windows_the_better_stays():
    windows = [segment(f"a_doc_00_1#{n}_{n}") for n in (4, 5, 3, 2, 6, 7)]
    kept, dropped = found(*windows)
    # 5 and 3 overlap 4; 2 is free of 4, since 3 is gone; 6 likewise; 7 overlaps 6.
    assert kept == ["a_doc_00_1#4_4", "a_doc_00_1#2_2", "a_doc_00_1#6_6"]
    assert set(dropped.values()) == {"overlaps-better-hit"}
    assert len(dropped) == 3
    assert len(found(*windows, allow=True)[0]) == 3


def test_as_many_remain_as_the_index_has_for_each_query():
    own = [segment(f"m_doc_04_42#{n}_{n}") for n in range(50)]
    others = [segment(f"a_doc_00_{n}#0_0") for n in range(8)]
    kept, dropped = found(*own, *others, k=5)
    assert kept == [s.segment_id for s in others[:5]]
    assert len(dropped) == 50
    assert len(found(*own, *others, k=20)[0]) == 8
    assert found(k=5) == ([], {})
    run = {"1": [Hit("m_doc_04_42#0_0", 2.0), Hit("b", 1.0)], "2": [Hit("m_doc_04_42#0_0", 1.0)]}
    lateral = LateralRetriever(
        TrecRunRetriever(run), ARTICLE, lambda ids: [segment(segment_id) for segment_id in ids]
    )
    result = lateral.search([Query(query_id=query, text="") for query in "123"], 3)
    assert result.hits == {"1": [Hit("b", 1.0)], "2": [], "3": []}
    assert result.dropped == (DroppedHit(segment_id="m_doc_04_42#0_0", reason="own-article"),)


LETTERS = "abcdef"


class Store:
    """Knows a few segments, and what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, segment_ids):
        self.asked += segment_ids
        return [Segment(segment_id=LETTERS[LETTERS.index(one)], text="") for one in segment_ids]


def ids_of(segments):
    return "".join(segment.segment_id for segment in segments)


def test_a_segment_is_fetched_once():
    store = Store()
    lookup = Remembered(store, REMEMBERED)
    asked = ["ab", "bca", "", "abc"]
    assert [ids_of(lookup(wanted)) for wanted in asked] == asked
    assert store.asked == ["a", "b", "c"]
    store = Store()
    lookup = Remembered(store, 2)
    for wanted in ("a", "b", "a", "c", "a", "b"):
        lookup(wanted)
    assert store.asked == ["a", "b", "c", "b"]
    lookup = Remembered(store, REMEMBERED)
    with pytest.raises(ValueError, match="substring not found"):
        lookup("az")
    assert ids_of(lookup("a")) == "a"


@settings(deadline=None)
@given(st.lists(st.text(LETTERS)), st.integers(1, 8))
def test_it_answers_as_the_store_does(asked, size):
    lookup = Remembered(Store(), size)
    assert [ids_of(lookup(wanted)) for wanted in asked] == asked


class Forgetful:
    """Gives back no query."""

    name = "forgetful"

    def search(self, queries, k):
        return {}


class Reversed:
    """Gives the worst hit first."""

    name = "reversed"

    def search(self, queries, k):
        return {query.query_id: [Hit("a", 1.0), Hit("b", 2.0)] for query in queries}


class Pairs:
    """Has no name, and gives back pairs of numpy's numbers, as libraries do."""

    def search(self, queries, k):
        return {query.query_id: [("b", np.float32(2.0)), ("a", 1)] for query in queries}


class Ids(Pairs):
    """Forgets the scores."""

    def search(self, queries, k):
        return {query.query_id: ["a", "b"] for query in queries}


def test_a_retriever_of_ones_own_may_give_pairs_and_more_than_asked(small_index):
    retriever = open_retriever(f"{__name__}:Pairs", small_index)
    assert retriever.name == f"{__name__}:Pairs"
    assert retriever.search([Query(query_id="q", text="boats")], 1) == {"q": [Hit("b", 2.0)]}


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("Forgetful", "hits for every query id"),
        ("Reversed", "hits by falling score"),
        ("Ids", "hits, pairs of a segment id and a score; found"),
    ],
)
def test_what_a_retriever_of_ones_own_gives_back_is_checked(small_index, own, says):
    retriever = open_retriever(f"{__name__}:{own}", small_index)
    with pytest.raises(UsageError, match=f"{own}': query q: expected {says}"):
        retriever.search([Query(query_id="q", text="boats")], 5)
