"""Whether this processor multiplies matrices of bfloat16 in hardware."""

from __future__ import annotations


def multiplies_bfloat16() -> bool:
    """Tell whether products of bfloat16 are faster here than those of single precision."""
    import torch

    return bool(
        torch.cpu._is_amx_tile_supported()  # noqa: SLF001 - torch offers no public test
        or torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001
    )
