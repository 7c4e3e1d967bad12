"""Retrieval on the 6,011 real segments of TREC 2024 RAG's references, by NIST's labels.

    python -m benchmarks.bench_rag24_retrieval

The public data `rag-2024` hold `qrels.nist.txt` and `references.jsonl.gz`, whose segments are
indexed here. Of the labels only those of indexed segments count. No trained cross-encoder comes in
a package, so the reranker goes by the one sentence of a segment nearest to the query in meaning;
that shows what reading on helps without having learned relevance.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
import orjson

from benchmarks.data import shared_data
from benchmarks.rag24 import index_references
from benchmarks.record import Figure, write_figures
from sidelight.evaluation.scoring.retrieval import score_retrieval
from sidelight.evaluation.scoring.table import bootstrap_intervals, holm, randomisation_tests
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.trec_run import write_trec_run
from sidelight.index.folder import open_index
from sidelight.retrieval.first_stage import open_retriever
from sidelight.retrieval.rerank import RerankRetriever
from sidelight.schemas.investigation.evidence import Query
from sidelight.text import sentences

FIRST = ("bm25", "rm3", "rocchio", "dense", "hybrid")
DEPTH, READ = 100, 30
MEASURES = ("nDCG@10", "nDCG@20", "R@100", "Judged@10")
SAMPLES, SEED = 10_000, 0


class NearestSentence:
    """Scores a text by its sentence that is nearest to the query."""

    name = "nearest-sentence"

    def __init__(self, encode) -> None:
        self._encode = encode

    def score(self, query: str, texts: list[str]) -> list[float]:
        """Return the nearest cosine of each text."""
        said = [sentences(text) or [text] for text in texts]
        vectors = self._encode([query, *(one for text in said for one in text)])
        near = iter((vectors[1:] @ vectors[0]).tolist())
        return [max(next(near) for _ in text) for text in said]


def main(data: Path, index: Path) -> None:
    folder = open_index(index)
    with gzip.open(data / "references.jsonl.gz") as stream:
        asked = {one["topic"]: one["query"] for one in map(orjson.loads, stream)}
    qrels = {
        query: {name: grade for name, grade in grades.items() if name in folder.docstore}
        for query, grades in read_qrels(data / "qrels.nist.txt").items()
    }
    queries = [Query(query_id=one, text=asked[one]) for one in qrels if qrels[one]]
    grades = [grade for one in qrels.values() for grade in one.values()]
    counts = ", ".join(str(grades.count(grade)) for grade in range(4))
    print(f"{len(queries)} queries, {len(grades)} labelled segments inside ({counts})", flush=True)
    retrievers = {name: open_retriever(name, folder, depth=DEPTH) for name in FIRST}
    retrievers["hybrid+nearest"] = RerankRetriever(
        retrievers["hybrid"],
        NearestSentence(folder.encoder.encode_sentences),
        folder.docstore.get_many,
        depth=READ,
    )
    with tempfile.TemporaryDirectory() as name:
        labels, judged = Path(name) / "qrels", Path(name) / "judged"
        labels.write_text(
            "".join(
                f"{query} 0 {segment} {grade}\n"
                for query, found in qrels.items()
                for segment, grade in found.items()
            )
        )
        judged.mkdir()
        runs = []
        for tag, retriever in retrievers.items():
            k = READ if tag.endswith("nearest") else DEPTH
            found = retriever.search(queries, k)
            runs.append(Path(name) / tag)
            write_trec_run(runs[-1], found, tag)
            kept = {
                query: [hit for hit in hits if hit.segment_id in qrels[query]]
                for query, hits in found.items()
            }
            write_trec_run(judged / tag, kept, tag)
            print(f"{tag} searched", file=sys.stderr, flush=True)
        whole = score_retrieval(labels, runs, " ".join(MEASURES))
        condensed = score_retrieval(labels, [judged / one.name for one in runs], "nDCG@10")
    asked = {query.query_id for query in queries}
    rows = np.array(
        [[t.values["nDCG@10"] for t in one.topics if t.topic_id in asked] for one in whole]
    )
    intervals = bootstrap_intervals(rows, samples=SAMPLES, seed=SEED)
    p_values = holm(randomisation_tests(rows[1:] - rows[0], samples=SAMPLES, seed=SEED))
    header = (*MEASURES, "judged only", "95% of nDCG@10", "p against bm25")
    print(f"{'retriever':16}" + "".join(f"{one:>16}" for one in header))
    for place, one in enumerate(whole):
        values = [one.total.values[measure] for measure in MEASURES] + [
            condensed[place].total.values["nDCG@10"]
        ]
        low, high = intervals[place]
        p = f"{p_values[place - 1]:.4f}" if place else "-"
        cells = "".join(f"{value:16.4f}" for value in values)
        print(f"{one.run:16}{cells}{f'[{low:.3f}, {high:.3f}]':>16}{p:>16}")
    write_figures(
        "rag24_retrieval",
        [
            Figure(f"nDCG@10 of {one.run}", round(one.total.values["nDCG@10"], 4), "nDCG@10")
            for one in whole
        ],
    )


if __name__ == "__main__":
    data = shared_data("rag-2024") / "rag-2024"
    with tempfile.TemporaryDirectory() as name:
        main(data, index_references(data, Path(name)))
