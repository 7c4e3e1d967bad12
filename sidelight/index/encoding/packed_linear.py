"""Products of a model in bfloat16 whose weights lie as the processor's matrix units read them.

PyTorch lays them out anew for every product, which for one query takes longer than the product. The
results are the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import torch

from sidelight.index.encoding.precision import multiplies_bfloat16

_FAMILY = frozenset({"BertModel", "RobertaModel", "XLMRobertaModel", "MPNetModel"})


class PackedLinear(torch.nn.Module):
    """A linear layer for inference on a processor.

    Args:
        layer: Its weights are copied.
    """

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

    Args:
        model: A model of transformers.
    """
    if (
        type(model).__name__ not in _FAMILY
        or not multiplies_bfloat16()
        or not hasattr(torch.ops.mkldnn, "_linear_pointwise")
    ):
        return
    for module in list(model.modules()):
        for name, layer in list(module.named_children()):
            if type(layer) is torch.nn.Linear:
                setattr(module, name, PackedLinear(layer))
