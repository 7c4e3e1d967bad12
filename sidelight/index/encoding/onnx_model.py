"""Arithmetic of models, and ONNX Runtime for the int8 file that many published models come with.

Activations are quantised to int8 by the largest value of the whole input. So every input is one
text alone, without padding: its result does not depend on other texts, and is closer to that of the
full model. Each text runs on one core, and as many at once as there are cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from functools import cache
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any, TypeVar

from sidelight.errors import MachineError
from sidelight.files import is_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# As they are called on the Hugging Face hub, the quickest first.
_FILES = tuple(
    f"onnx/{name}.onnx"
    for name in (
        "model_qint8_avx512_vnni",
        "model_quint8_avx2",
        "model_int8",
        "model_quantized",
    )
)
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


def int8_file(name: str) -> Path | None:
    """Return the file of a model, a folder or one of the hub, if it is on this machine."""
    folder = Path(name)
    if is_folder(folder):
        return next((folder / file for file in _FILES if (folder / file).exists()), None)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = [try_to_load_from_cache(name, file) for file in _FILES]
    except HFValidationError:  # no model of the hub is called that
        return None
    return next((Path(path) for path in found if isinstance(path, str)), None)


class OnnxModel:
    """A model that takes what a tokenizer returns; one that wants more raises MachineError."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {item.name for item in self._session.get_inputs()}
        if more := self._inputs - _INPUTS:
            raise MachineError(
                f"{path}: expected a model that reads tokens alone; found one that reads "
                f"{', '.join(sorted(more))}, too",
                remedy="Choose another encoding, or put the file out of the way.",
            )

    def run(self, features: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        """Return the first output for one text: hidden states or logits, `(1, ...)`."""
        wanted = {name: value for name, value in features.items() if name in self._inputs}
        output: NDArray[np.float32] = self._session.run(None, wanted)[0]
        return output


T = TypeVar("T")
R = TypeVar("R")


def on_all_cores(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Return the result for each item, in order; as many are worked on at once as there are cores.

    For work that leaves the interpreter alone, as models do. In its threads torch has one core.
    """
    return list(_threads().map(work, items))


@cache
def _threads() -> ThreadPoolExecutor:
    import torch

    # What a thread tells torch holds for all threads that ask torch later. So all are told at once,
    # and then torch has its old number again.
    cores, before = os.cpu_count() or 1, torch.get_num_threads()
    threads = ThreadPoolExecutor(cores, initializer=_alone)
    started = Barrier(cores + 1)
    for _ in range(cores):
        threads.submit(started.wait)
    started.wait()
    torch.set_num_threads(before)
    return threads


def _alone() -> None:
    import torch

    torch.get_num_threads()  # else the thread takes the number of all when it first works
    torch.set_num_threads(1)


os.register_at_fork(after_in_child=_threads.cache_clear)  # threads do not come along


class Arithmetic(StrEnum):
    """Arithmetic in which a model computes."""

    FP32 = "fp32"
    BF16 = "bf16"
    INT8 = "int8"


def default_arithmetic() -> Arithmetic:
    """Return bfloat16 where it is faster here, else single precision."""
    import torch

    fast = torch.cuda.is_available() or multiplies_bfloat16()
    return Arithmetic.BF16 if fast else Arithmetic.FP32


def multiplies_bfloat16() -> bool:
    """Tell whether this processor multiplies matrices of bfloat16 in hardware."""
    import torch

    return bool(
        torch.cpu._is_amx_tile_supported()  # noqa: SLF001 - torch offers no public test
        or torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001
    )
