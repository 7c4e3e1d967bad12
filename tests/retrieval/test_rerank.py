"""Results in another order: by a cross-encoder, or by whoever orders a list."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForSequenceClassification

from sidelight.errors import MachineError
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.text.corpus import passage_text
from sidelight.retrieval import rerank
from sidelight.retrieval.first_stage import Bm25Retriever
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment
from tests.helpers.models.int8_models import write_int8

QUERY = Query(query_id="q", text="investor who owns a newspaper")


def test_orders_the_candidates_by_the_models_scores(small_index, cross_encoder):
    first, model = Bm25Retriever(small_index.lucene), rerank.CrossEncoder(cross_encoder)
    lookup = small_index.docstore.get_many
    reranked = rerank.RerankRetriever(first, model, lookup, depth=12)
    hits = reranked.search([QUERY, Query(query_id="none", text="xyzzy")], 5)
    candidates = lookup([hit.segment_id for hit in first.search([QUERY], 12)["q"]])
    scores = model.score(QUERY.text, [passage_text(segment) for segment in candidates])
    expected = dict(zip([s.segment_id for s in candidates], scores, strict=True))
    assert hits["none"] == []
    assert hits["q"] == ranked(hits["q"])
    best = sorted(expected, key=lambda segment_id: -expected[segment_id])[:5]
    assert {hit.segment_id for hit in hits["q"]} == set(best)
    for hit in hits["q"]:
        assert hit.score == pytest.approx(expected[hit.segment_id], abs=1e-5)
    assert reranked.name == "bm25+rerank"


def test_places_are_weighed_by_the_standing_of_hosts(small_index):
    lookup = small_index.docstore.get_many
    first = Bm25Retriever(small_index.lucene)
    found = first.search([QUERY], 12)["q"]
    hosts = [segment.host for segment in lookup([hit.segment_id for hit in found])]
    best, last = hosts[0], next(host for host in reversed(hosts) if host != hosts[0])

    def weighed(standing):
        retriever = rerank.StandingRetriever(first, standing, lookup, depth=12)
        hits = retriever.search([QUERY], 12)["q"]
        return [hit.segment_id for hit in hits], [one.host for one in lookup([h[0] for h in hits])]

    assert weighed({"*": 0.5})[0] == weighed({})[0] == [hit.segment_id for hit in found]
    assert weighed({"*": 0.1, f"www.{last.upper()}": 1})[1][0] == last
    assert weighed({best.partition(".")[2]: 0.1, best: 0})[1].count(best) == 0
    # Who is not named stands for itself; a host stands for its subdomains.
    assert set(weighed({best: 0})[1]) == set(hosts) - {best}
    assert weighed({best.rpartition(".")[2]: 0})[1] == []


@pytest.fixture(scope="module")
def with_int8(cross_encoder, tmp_path_factory):
    """The cross-encoder with an int8 ONNX file."""
    folder = Path(shutil.copytree(cross_encoder, tmp_path_factory.mktemp("int8") / "model"))
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    write_int8(folder, model, "logits")
    return str(folder)


@pytest.mark.parametrize("arithmetic", [None, *Arithmetic])
def test_scores_are_those_of_the_library(arithmetic, with_int8, small_corpus):
    from sentence_transformers import CrossEncoder as Theirs

    texts = [passage_text(segment) for segment in small_corpus]
    theirs = Theirs(with_int8).predict(
        [(QUERY.text, text) for text in texts], show_progress_bar=False
    )
    model = rerank.CrossEncoder(with_int8, arithmetic)
    ours = model.score(QUERY.text, texts)
    exact = arithmetic is Arithmetic.FP32
    np.testing.assert_allclose(ours, theirs, atol=1e-5 if exact else 5e-3)
    assert np.allclose(ours, theirs, atol=1e-6) == exact
    # The last layer stays in single precision: otherwise almost all of these would be equal.
    assert len(set(ours)) > len(set(texts)) / 2
    assert model.score(QUERY.text, []) == []


def test_int8_is_taken_where_bfloat16_is_slow(with_int8, cross_encoder, monkeypatch):
    monkeypatch.setattr("sidelight.index.encoding.onnx_model.multiplies_bfloat16", lambda: False)
    model, without = rerank.CrossEncoder(with_int8), rerank.CrossEncoder(cross_encoder)
    texts = ["The harbour reopened.", "A longer text about bread, which nobody asked for."]
    assert model.score(QUERY.text, texts)[:1] == model.score(QUERY.text, texts[:1])
    without.score(QUERY.text, texts)
    assert (model.arithmetic, without.arithmetic) == (Arithmetic.INT8, Arithmetic.FP32)
    with pytest.raises(MachineError, match="no ONNX file of int8"):
        rerank.CrossEncoder(cross_encoder, Arithmetic.INT8).score(QUERY.text, texts)


class Recorded:
    """A first stage, a model and a lookup in one: scores are given, readings are counted."""

    name = "first"

    def __init__(self, scores):
        self.scores = {f"d{place:03}": score for place, score in enumerate(scores)}
        self.read = []

    def search(self, queries, k):
        hits = [Hit(name, 1000.0 - place) for place, name in enumerate(self.scores)]
        return {query.query_id: hits[:k] for query in queries}

    def lookup(self, segment_ids):
        self.read += segment_ids
        return [Segment(segment_id=name, text=name) for name in segment_ids]

    def score(self, query, texts):
        return [self.scores[text] for text in texts]


def test_reading_ends_where_the_rest_is_hopeless():
    for margin, n_read in [
        (None, 96),
        (100.0, 96),  # no block is that much worse
        (3.0, 64),  # 2nd block: best 5, the 2nd best of all is 9; 5 < 9 - 3
        (5.0, 96),  # 5 < 9 - 5 is false; the third block is the last anyway
    ]:
        scores = [10.0, 9.0] + [1.0] * 30 + [5.0] * 32 + [2.0] * 32
        first = Recorded(scores)
        reranked = rerank.RerankRetriever(first, first, first.lookup, depth=96, margin=margin)
        hits = reranked.search([QUERY], 2)["q"]
        assert hits == [Hit("d000", 10.0), Hit("d001", 9.0)]
        assert len(first.read) == n_read
    first = Recorded([1.0] * 64 + [7.0] * 2)
    reranked = rerank.RerankRetriever(first, first, first.lookup, depth=66)
    assert [hit.segment_id for hit in reranked.search([QUERY], 2)["q"]] == ["d064", "d065"]


QUERIES = [Query(query_id="a", text="first"), Query(query_id="b", text="second")]


class Places:
    """A retriever of numbered segments, as many as each query has."""

    name = "places"

    def __init__(self, counts):
        self.counts = counts

    def search(self, queries, k):
        return {
            query.query_id: [
                Hit(f"{place:04}", 9999.0 - place)
                for place in range(min(k, self.counts[query.query_id]))
            ]
            for query in queries
        }


def named(segment_ids):
    return [Segment(segment_id=name, text=name) for name in segment_ids]


def reversing(windows):
    """Prefer whatever the first stage put last."""
    return [
        sorted(range(len(window)), key=lambda at: window[at].segment_id, reverse=True)
        for _, window in windows
    ]


def test_windows_overlap_by_half_and_are_asked_about_together():
    # 45 candidates: 30-49 (to the end), 20-39, 10-29, 0-19
    assert list(rerank.window_starts(45)) == [30, 20, 10, 0]
    found = [list(rerank.window_starts(count)) for count in (0, 1, 20, 21, 30)]
    assert found == [[0], [0], [0], [10, 0], [10, 0]]
    asked = []

    def order(windows):
        asked.append([(query, len(window)) for query, window in windows])
        return reversing(windows)

    rerank.ListwiseRetriever(Places({"a": 25, "b": 1}), order, named, depth=100).search(QUERIES, 5)
    # one segment needs no order
    assert asked == [[("first", 15)], [("first", rerank.WINDOW)]]


@given(st.integers(0, 120), st.integers(0, 120), st.integers(1, 40))
def test_a_perfect_order_brings_the_best_ten_to_the_top(one, other, k):
    counts = {"a": one, "b": other}
    retriever = rerank.ListwiseRetriever(Places(counts), reversing, named, depth=100)
    for name, hits in retriever.search(QUERIES, k).items():
        count = min(counts[name], 100)
        best = [f"{place:04}" for place in reversed(range(count))]
        assert [hit.segment_id for hit in hits[: rerank.STRIDE]] == best[: min(rerank.STRIDE, k)]
        assert len(hits) == min(k, count) == len({hit.segment_id for hit in hits})
        assert hits == ranked(hits)
