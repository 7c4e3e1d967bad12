"""Choice of the encoder's arithmetic: the fastest on this machine that is accurate enough.

Each candidate encodes texts of the collection for some seconds, where they will be encoded. The
choice is stored in the folder of the parts, so that an interrupted build keeps it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError, MachineError
from sidelight.files import atomic_write, read_json, read_limited
from sidelight.index.encoding.onnx_model import Arithmetic, default_arithmetic
from sidelight.index.engine import Engine, check_shared
from sidelight.index.text.corpus import passage_text
from sidelight.index.text.docstore import Docstore
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.index.encoding.encoder import Encoder

# Fewer segments are encoded in the time that trying would take.
CALIBRATED = 10_000
MEAN_COSINE = 0.99
OVERLAP = 0.93

_FILE = "encoding.json"
_TEXTS, _EVERY = 64, 16


class Agreement(Value):
    """Similarity of the vectors of the same texts.

    Attributes:
        min_cosine: Cosine of the text that differs most.
        overlap: Share of the nearest texts of each text that both have, up to ten.
    """

    mean_cosine: float
    min_cosine: float
    overlap: float

    def __str__(self) -> str:
        return (
            f"cosine mean {self.mean_cosine:.4f} min {self.min_cosine:.4f}, "
            f"top-10 overlap {self.overlap:.3f}"
        )


class Trial(Value):
    """Speed of an arithmetic, in texts per second, and its agreement with single precision."""

    arithmetic: Arithmetic
    texts_per_s: float
    agreement: Agreement

    def __str__(self) -> str:
        return f"{self.arithmetic} {self.texts_per_s:.1f} texts/s, {self.agreement}"

    @property
    def accepted(self) -> bool:
        """Whether the vectors are as good as those of single precision."""
        found = self.agreement
        return found.mean_cosine >= MEAN_COSINE and found.overlap >= OVERLAP


class Encoding(Value):
    """Arithmetic of a collection's vectors; `trials`, fp32 first, is empty for few segments."""

    arithmetic: Arithmetic
    trials: tuple[Trial, ...] = ()

    def __str__(self) -> str:
        return "; ".join([self.arithmetic, *map(str, self.trials)])


def agreement(found: NDArray[np.float32], reference: NDArray[np.float32]) -> Agreement:
    """Compare unit vectors of the same texts, `(n_texts, dimension) float32`."""
    cosines = np.sum(found * reference, axis=1)
    nearest = min(10, len(found) - 1)
    shared = [
        len(set(ours) & set(theirs)) / nearest
        for ours, theirs in zip(_nearest(found, nearest), _nearest(reference, nearest), strict=True)
    ]
    return Agreement(
        mean_cosine=float(cosines.mean()),
        min_cosine=float(cosines.min()),
        overlap=float(np.mean(shared)),
    )


def calibrate(encoder: Encoder, texts: Sequence[str]) -> Encoding:
    """Choose the quickest arithmetic that agrees with single precision, or try the encoder's own.

    `texts` are two or more, like those to encode. If the encoder's own arithmetic does not agree,
    MachineError is raised.
    """
    given = encoder.arithmetic
    first, reference = _trial(encoder, Arithmetic.FP32, texts)
    faster = (one for one in sorted(encoder.faster()) if given in {None, one})
    trials = [first, *(_trial(encoder, one, texts, reference)[0] for one in faster)]
    if given and not trials[-1].accepted:
        raise MachineError(
            f"expected {given} to encode as fp32 does, with cosines of {MEAN_COSINE} and the same "
            f"{OVERLAP:.0%} of nearest texts; found {trials[-1].agreement}",
            remedy="Leave the choice to the build, or choose fp32.",
        )
    quickest = max((one for one in trials if one.accepted), key=lambda one: one.texts_per_s)
    return Encoding(arithmetic=given or quickest.arithmetic, trials=tuple(trials))


def _choose(
    folder: Path, encoder: Encoder, docstore: Path, _on_segments: Callable[[int], object]
) -> None:
    """Choose by segments from the beginning of a docstore, and write down the choice."""
    check_shared(folder)
    with Docstore(docstore) as segments:
        spread = islice(segments, 0, _TEXTS * _EVERY, _EVERY)
        texts = [passage_text(segment) for segment in spread]
    atomic_write(folder / _FILE, calibrate(encoder, texts).model_dump_json())


def settled(folder: Path, encoder: Encoder, docstore: Docstore, engine: Engine) -> Encoder:
    """Return the encoder that a build began with, or begins with; see `calibrate`."""
    begun = read_encoding(folder)
    if begun is None and len(docstore) < CALIBRATED:
        begun = Encoding(arithmetic=encoder.arithmetic or default_arithmetic())
        atomic_write(folder / _FILE, begun.model_dump_json())
    elif begun is None:
        where = docstore.paths[0].parent
        engine.encode(partial(_choose, folder, encoder), [where], lambda _: None)
        begun = _read(folder)
    return encoder.in_arithmetic(begun.arithmetic)


def read_encoding(folder: Path) -> Encoding | None:
    """Return how the parts in a folder are encoded, or None if that is not chosen."""
    return _read(folder) if (folder / _FILE).exists() else None


def _read(folder: Path) -> Encoding:
    path = folder / _FILE
    try:
        read = read_limited(path)
        read_json(read)  # which is stricter about numbers and depth
        return Encoding.model_validate_json(read, strict=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: expected what `sidelight index build` wrote; found: "
            f"{getattr(error, 'strerror', None) or error}",
            remedy="Delete the folder of the index and build it again.",
        ) from error


def _trial(
    encoder: Encoder,
    arithmetic: Arithmetic,
    texts: Sequence[str],
    reference: NDArray[np.float32] | None = None,
) -> tuple[Trial, NDArray[np.float32]]:
    """Return how an arithmetic does beside a reference, or itself, and its vectors."""
    encoder = encoder.in_arithmetic(arithmetic)
    encoder.encode_documents(texts[:1])  # loads the model
    started = time.perf_counter()
    found = encoder.encode_documents(texts)
    speed = len(texts) / (time.perf_counter() - started)
    like = agreement(found, found if reference is None else reference)
    return Trial(arithmetic=arithmetic, texts_per_s=speed, agreement=like), found


def _nearest(vectors: NDArray[np.float32], count: int) -> list[list[int]]:
    """Return the nearest others of each."""
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -np.inf)
    nearest: list[list[int]] = np.argsort(-likeness, axis=1)[:, :count].tolist()
    return nearest
