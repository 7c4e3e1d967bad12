"""A loaded model made to compute in one arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.errors import MachineError
from sidelight.index.encoding.onnx_model import OnnxModel
from sidelight.index.encoding.precision import Arithmetic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def compute_in(arithmetic: Arithmetic, model: Any, name: str, int8: Path | None) -> None:
    """Change a model of sentence-transformers in place.

    Args:
        arithmetic: What it is to compute in.
        model: The model, in single precision.
        name: What it was asked for by.
        int8: Its ONNX file, for int8; None where it comes with none.

    Raises:
        MachineError: Int8 is asked for, and there is no such file.
    """
    import torch

    from sidelight.index.encoding.packed_linear import pack_linear

    model.to(torch.bfloat16 if arithmetic is Arithmetic.BF16 else torch.float32)
    if arithmetic is Arithmetic.BF16 and model.device.type == "cpu":
        pack_linear(model[0].model)
    if arithmetic is Arithmetic.INT8:
        # The library's own way needs packages that hold others back by years. What is before and
        # after the transformer stays its own.
        model.to("cpu")
        model[0].model.forward = _int8_forward(name, int8)


def _int8_forward(name: str, path: Path | None) -> Callable[..., Any]:
    """Return what takes the place of a transformer's own computation."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    if path is None:
        raise MachineError(
            f"the encoder {name!r} has no ONNX file of int8",
            remedy="Use a model that comes with one, or make one as docs/encoding.md says.",
        )
    onnx = OnnxModel(path)

    def forward(**features: Any) -> Any:
        tokens = {key: value.numpy() for key, value in features.items() if torch.is_tensor(value)}
        return BaseModelOutput(last_hidden_state=torch.from_numpy(onnx.run(tokens)))

    return forward
