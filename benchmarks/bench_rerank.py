"""Reranking 100 passages against `CrossEncoder.predict` as it comes.

The model has the shape of ms-marco-MiniLM-L6-v2: the layers of the bundled encoder with random
weights for the score, as none that is trained comes in a package.

Run with: python -m benchmarks.bench_rerank
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch
from scipy.stats import kendalltau
from sentence_transformers import CrossEncoder as Peer
from transformers import AutoTokenizer, BertForSequenceClassification

from benchmarks.interleaved import compare
from benchmarks.mini_web_passages import mini_web_passages
from benchmarks.record import write_results
from sidelight.index.encoding.encoder import bundled_model
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.retrieval.rerank import CrossEncoder, RerankRetriever
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.segment import Segment
from tests.helpers.models.int8_models import write_int8

PASSAGES, ROUNDS, K = 100, 5, 10
QUERY = Query(query_id="q", text="who owns the newspaper that praised the plan for the harbour")


class FirstStage:
    """Ranks as the model does, but for noise half as wide as the model's scores are."""

    name = "first"

    def __init__(self, texts: list[str], scores: np.ndarray) -> None:
        noise = np.random.default_rng(1).normal(scale=scores.std() / 2, size=len(scores))
        noisy = scores + noise
        self._texts = {f"p{row}": text for row, text in enumerate(texts)}
        self._hits = [Hit(f"p{row}", float(noisy[row])) for row in np.argsort(-noisy)]
        self.read = 0

    def search(self, queries: list[Query], k: int) -> dict[str, list[Hit]]:
        """Return the same hits for every query."""
        return {query.query_id: self._hits[:k] for query in queries}

    def lookup(self, segment_ids: list[str]) -> list[Segment]:
        """Return passages, and count them."""
        self.read += len(segment_ids)
        return [Segment(segment_id=one, text=self._texts[one]) for one in segment_ids]


def write_model(folder: Path) -> None:
    torch.manual_seed(7)
    model = BertForSequenceClassification.from_pretrained(bundled_model(), num_labels=1)
    torch.nn.init.normal_(model.classifier.weight, std=1.0)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(bundled_model()).save_pretrained(folder)
    write_int8(folder, model, "logits")


def main() -> None:
    texts = mini_web_passages()
    texts = texts[:: len(texts) // PASSAGES][:PASSAGES]
    pairs = [(QUERY.text, text) for text in texts]
    figures: list[object] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder)
        peer = Peer(name, device="cpu")
        expected = peer.predict(pairs, show_progress_bar=False)
        for arithmetic in Arithmetic:
            model = CrossEncoder(name, arithmetic)
            scores = np.array(model.score(QUERY.text, texts))
            tau = kendalltau(scores, expected).statistic
            best = len(set(np.argsort(-scores)[:K]) & set(np.argsort(-expected)[:K]))
            figures += [
                compare(
                    f"{PASSAGES} passages in {arithmetic}",
                    lambda model=model: model.score(QUERY.text, texts),
                    lambda: peer.predict(pairs, show_progress_bar=False),
                    ROUNDS,
                ),
                f"  Kendall's tau {tau:.4f}, {best} of the best {K} the same",
            ]
            print(figures[-1], flush=True)
        model = CrossEncoder(name)
        first = FirstStage(texts, expected)
        ranker = RerankRetriever(first, model, first.lookup, depth=PASSAGES, margin=0.0)
        early = [hit.segment_id for hit in ranker.search([QUERY], K)[QUERY.query_id]]
        read, first.read = first.read, 0
        whole = RerankRetriever(first, model, first.lookup, depth=PASSAGES)
        full = [hit.segment_id for hit in whole.search([QUERY], K)[QUERY.query_id]]
        figures += [
            compare(
                f"best {K} of {PASSAGES} in {model.arithmetic}, ending early",
                lambda: ranker.search([QUERY], K),
                lambda: peer.predict(pairs, show_progress_bar=False),
                ROUNDS,
            ),
            f"  {read} passages read, {len(set(early) & set(full))} of the best {K} as with all",
        ]
        print(figures[-1], flush=True)
    write_results(
        "rerank",
        f"{PASSAGES} passages of the mini web, a cross-encoder of the shape of "
        "ms-marco-MiniLM-L6-v2 with random weights for the score; the peer is "
        "CrossEncoder.predict in single precision; early exit is after 32 passages none of which "
        "is among the best; the first stage ranks as the model but for noise of half the spread "
        "of its scores",
        figures,
    )


if __name__ == "__main__":
    main()
