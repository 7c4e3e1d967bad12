"""Another retriever's hits in another order: by a cross-encoder, by windows, or by their hosts.

The cross-encoder computes in the fastest arithmetic that is correct on this machine: bfloat16 where
the processor multiplies it in hardware, except in the last layer, whose products are the scores and
would often be equal in eight bits; else int8 where the model comes with an ONNX file in it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from sidelight.errors import MachineError
from sidelight.index.encoding import onnx_model
from sidelight.index.text.corpus import passage_text
from sidelight.retrieval.base import Lookup, Retriever
from sidelight.retrieval.first_stage import FUSION_CONSTANT
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment

Order = Callable[[Sequence[tuple[str, Sequence[Segment]]]], Sequence[Sequence[int]]]


_ROWS = 16
_ROWS_GPU = 256


class CrossEncoder:
    """Scores how well texts answer a query; loaded once, when first used.

    The first failure is final. If `arithmetic` is None, it is the quickest on this machine.
    """

    def __init__(self, name: str, arithmetic: onnx_model.Arithmetic | None = None) -> None:
        self.name = name
        self.arithmetic = arithmetic
        self._loaded: Any = None
        self._failure: MachineError | None = None
        self._onnx: onnx_model.OnnxModel | None = None

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, higher for a better answer."""
        if self._failure:
            raise self._failure
        if self._loaded is None:
            try:
                self._load()
            except MachineError as error:
                self._failure = error
                raise
        pairs = [(query, text) for text in texts]
        model = self._loaded
        if self._onnx is None:
            rows = _ROWS if model.device.type == "cpu" else _ROWS_GPU
            # The model cuts its batches from the pairs in order of length.
            scores = model.predict(pairs, batch_size=rows, show_progress_bar=False)
            return [float(score) for score in scores]
        import torch

        read = partial(
            model.tokenizer, truncation=True, max_length=model.max_seq_length, return_tensors="np"
        )
        logits = onnx_model.on_all_cores(self._onnx.run, (read([pair]) for pair in pairs))
        return [float(model.activation_fn(torch.from_numpy(one))) for one in logits]

    def _load(self) -> None:
        from sidelight.index.encoding.encoder import load_model

        self._loaded = load_model("reranker", self.name, "CrossEncoder")
        path = onnx_model.int8_file(self.name)
        if self.arithmetic is None:
            default = onnx_model.default_arithmetic()
            self.arithmetic = (
                onnx_model.Arithmetic.INT8
                if path and default is onnx_model.Arithmetic.FP32
                else default
            )
        if self.arithmetic is onnx_model.Arithmetic.BF16:
            _to_bfloat16(self._loaded)
        elif self.arithmetic is onnx_model.Arithmetic.INT8:
            if path is None:
                raise MachineError(
                    f"the reranker {self.name!r} has no ONNX file of int8",
                    remedy="Use a model that comes with one.",
                )
            self._onnx = onnx_model.OnnxModel(path)
        else:
            self._loaded.float()


def _to_bfloat16(model: Any) -> None:
    import torch

    model.to(torch.bfloat16)
    last = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)][-1]
    last.float()
    last.register_forward_pre_hook(lambda _, inputs: tuple(item.float() for item in inputs))


_BLOCK = 32


class RerankRetriever:
    """Ranks by a model that reads the query and a segment together.

    `depth` candidates per query, or `k` if that is more, are read in blocks, the best ranked first.
    Unless `margin` (in the units of the model's scores) is None, reading ends after a block whose
    best score is further than that below the k-th best score so far: blocks further down rarely do
    better, and only the text of what is read is fetched.
    """

    def __init__(
        self,
        retriever: Retriever,
        model: CrossEncoder,
        lookup: Lookup,
        *,
        depth: int = 100,
        margin: float | None = None,
    ) -> None:
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._model = model
        self._lookup = lookup
        self._depth = depth
        self._margin = margin
        self._lock = threading.Lock()

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        candidates = self._retriever.search(queries, max(self._depth, k))
        return {
            query.query_id: self._rerank(query.text, candidates[query.query_id], k)
            for query in queries
        }

    def _rerank(self, text: str, candidates: Sequence[Hit], k: int) -> list[Hit]:
        read: list[Hit] = []
        for start in range(0, len(candidates), _BLOCK):
            block = self._score(text, candidates[start : start + _BLOCK])
            read = ranked([*read, *block])
            if self._margin is not None and len(read) >= k:
                best = max(hit.score for hit in block)
                if best < read[k - 1].score - self._margin:
                    break
        return read[:k]

    def _score(self, text: str, candidates: Sequence[Hit]) -> list[Hit]:
        segments = self._lookup([hit.segment_id for hit in candidates])
        with self._lock:
            scores = self._model.score(text, [passage_text(segment) for segment in segments])
        return [
            Hit(segment.segment_id, score) for segment, score in zip(segments, scores, strict=True)
        ]


WINDOW, STRIDE = 20, 10


class ListwiseRetriever:
    """Ranks by a window that slides from the last of `depth` (or `k`) candidates to the first.

    Each window is put in order before the next one, which begins half a window further up, so the
    best of the lower ranks are carried to the top. `order` puts segments of windows in order; it is
    asked about the windows of one place for all queries together.

    Source: Sun et al., EMNLP 2023 (RankGPT).
    """

    def __init__(self, retriever: Retriever, order: Order, lookup: Lookup, *, depth: int) -> None:
        self.name = f"{retriever.name}+listwise"
        self._retriever = retriever
        self._order = order
        self._lookup = lookup
        self._depth = depth

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id; a score is how many candidates come after."""
        found = self._retriever.search(queries, max(self._depth, k))
        candidates = {
            query.query_id: list(self._lookup([hit.segment_id for hit in found[query.query_id]]))
            for query in queries
        }
        longest = max(map(len, candidates.values()), default=0)
        for start in window_starts(longest):
            asked = [query for query in queries if len(candidates[query.query_id]) > start + 1]
            windows = [candidates[query.query_id][start : start + WINDOW] for query in asked]
            texts = [query.text for query in asked]
            orders = self._order(list(zip(texts, windows, strict=True)))
            for query, window, places in zip(asked, windows, orders, strict=True):
                candidates[query.query_id][start : start + WINDOW] = [window[at] for at in places]
        return {
            name: [
                Hit(segment.segment_id, float(len(segments) - place))
                for place, segment in enumerate(segments)
            ][:k]
            for name, segments in candidates.items()
        }


def window_starts(count: int) -> range:
    """Return where windows over so many candidates begin, the last one first."""
    last = max(0, -(-(count - WINDOW) // STRIDE)) * STRIDE
    return range(last, -1, -STRIDE)


class StandingRetriever:
    """Weighs the reciprocal ranks of another retriever's hits by the standing of their hosts.

    `standing`, by host, is in [0, 1]; at 0 nothing of the host is found. A host stands for its
    subdomains, `*` for all other hosts, whose standing is 1 if `*` is not there. `depth` candidates
    per query, or `k` if that is more, are weighed.
    """

    def __init__(
        self, retriever: Retriever, standing: Mapping[str, float], lookup: Lookup, *, depth: int
    ) -> None:
        self.name = f"{retriever.name}+standing"
        self._retriever = retriever
        self._standing = {host.casefold().removeprefix("www."): v for host, v in standing.items()}
        self._lookup = lookup
        self._depth = depth

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        found = self._retriever.search(queries, max(self._depth, k))
        names = list(dict.fromkeys(hit.segment_id for hits in found.values() for hit in hits))
        weights = {one.segment_id: self._of(one.host) for one in self._lookup(names)}
        return {
            query_id: ranked(
                [
                    Hit(hit.segment_id, weights[hit.segment_id] / (FUSION_CONSTANT + rank))
                    for rank, hit in enumerate(hits, start=1)
                    if weights[hit.segment_id]
                ]
            )[:k]
            for query_id, hits in found.items()
        }

    def _of(self, host: str) -> float:
        while host and host not in self._standing:
            host = host.partition(".")[2]
        return self._standing.get(host or "*", 1.0)
