"""Precisions that a model can compute in, and which of them this machine has in hardware."""

from __future__ import annotations

from enum import StrEnum


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
