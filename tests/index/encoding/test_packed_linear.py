"""Packed layers give the bits of PyTorch's own."""

from __future__ import annotations

import pytest
import torch

from sidelight.index.encoding.encoder import PackedLinear, pack_linear
from sidelight.index.encoding.onnx_model import multiplies_bfloat16

needs_bfloat16 = pytest.mark.skipif(
    not multiplies_bfloat16(), reason="needs a processor that multiplies bfloat16"
)


class BertModel(torch.nn.Sequential):
    """Called as those whose layers are packed are."""


def layers() -> list[torch.nn.Module]:
    torch.manual_seed(1)
    first, last = torch.nn.Linear(384, 96), torch.nn.Linear(96, 384, bias=False)
    inner = torch.nn.Sequential(torch.nn.GELU(), last)
    return [first.to(torch.bfloat16), inner.to(torch.bfloat16)]


@needs_bfloat16
@pytest.mark.parametrize("shape", [(1, 16, 384), (4, 192, 384), (8, 48, 384)])
def test_all_layers_are_packed_and_give_the_same_bits(shape: tuple[int, ...]) -> None:
    model, plain = BertModel(*layers()), BertModel(*layers())
    pack_linear(model)
    packed = [one for one in model.modules() if isinstance(one, PackedLinear)]
    assert len(packed) == 2
    assert not any(type(one) is torch.nn.Linear for one in model.modules())
    inputs = torch.randn(shape, dtype=torch.bfloat16)
    with torch.inference_mode():
        assert torch.equal(model(inputs), plain(inputs))


def test_a_model_of_another_family_stays_as_it_is() -> None:
    model = torch.nn.Sequential(*layers())
    pack_linear(model)
    assert not any(isinstance(one, PackedLinear) for one in model.modules())
