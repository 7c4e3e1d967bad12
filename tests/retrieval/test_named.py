from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest
from ir_measures import nDCG

from sidelight.errors import InputError, UsageError
from sidelight.formats.topics import read_queries
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder, EncoderIdentity
from sidelight.index.folder import IndexFolder, open_index
from sidelight.index.text.corpus import CorpusFields
from sidelight.registry import names
from sidelight.retrieval.first_stage import DenseRetriever, open_retriever
from tests.helpers.public_data import PublicData


def test_unknown_name(small_index: IndexFolder) -> None:
    with pytest.raises(UsageError, match=r"expected one of bm25, .*rm3"):
        open_retriever("splade", small_index)


def test_an_encoder_of_another_dimension(small_index: IndexFolder) -> None:
    class Smaller(Encoder):
        def identity(self) -> EncoderIdentity:
            return super().identity().model_copy(update={"dimension": 256})

    with pytest.raises(InputError, match="vectors of 256 numbers; those of the index have 384"):
        DenseRetriever(small_index.vectors, Smaller())


@pytest.mark.slow
def test_cranfield_in_the_expected_order(
    shared_data: PublicData, tmp_path: Path, encoder: Encoder
) -> None:
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
