"""Profiles of storing and searching vectors, one for each size of machine.

`exact` is a flat file of single precision. The `cpu-*` profiles search an inverted file of product
codes (4 bits for three numbers, scanned with SIMD) in memory, and score the best candidates again
from a matrix that stays on disk. The `gpu-*` profiles score the whole matrix on GPUs.

The rules for lists and probes, and the recall stated, come from clustered vectors of 256 dimensions
(`benchmarks/bench_dense_profile.py`, its figures beside it): an inverted file whose number of lists
grows with the root of the collection keeps its recall when the same share of lists is probed. Codes
of fewer numbers are shorter and say less: of vectors of 64 they may find less than is stated.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from sidelight.errors import UsageError
from sidelight.schemas.base import Value

EXACT = "exact"
# Not profiles, but what an index says in the place of one.
NO_VECTORS = "none"
IN_LUCENE = "lucene-hnsw"

Precision = Literal["float32", "float16", "int8"]
BYTES: dict[Precision, int] = {"float32": 4, "float16": 2, "int8": 1}

# Fewer vectors cannot train product codes, and a flat file searches them in a millisecond.
MIN_VECTORS = 1000
NUMBERS_PER_CODE = 3
"""Of a vector, that four bits stand for in the `cpu-*` profiles."""
GB = 10**9
# FAISS advises no fewer vectors than this to place a centroid.
_VECTORS_PER_LIST = 39
# Costs under a millisecond. In a small collection the nearest are spread over more of its lists.
_MIN_PROBES = 64
_GPU_FILLED = 0.9


class Profile(Value):
    """A way to keep vectors and to search them.

    Attributes:
        memory_gb: Memory of the machine it is meant for, or of one of its GPUs; 10**9 bytes.
        precision: Of the vectors on disk; a `gpu` profile falls back to int8 where it must.
        probed: The share of lists that a query looks into.
        candidates: How many times the hits asked for are scored again.
        recall: Of the exact 100 best, the share it finds.
    """

    name: str
    kind: Literal["flat", "inverted", "gpu"]
    memory_gb: int = 0
    precision: Precision
    probed: float = 0.0
    candidates: int = 0
    recall: float


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(name=EXACT, kind="flat", precision="float32", recall=1.0),
        Profile(
            name="cpu-24gb",
            kind="inverted",
            memory_gb=24,
            precision="int8",
            probed=1 / 128,
            candidates=4,
            recall=0.95,
        ),
        Profile(
            name="cpu-128gb",
            kind="inverted",
            memory_gb=128,
            precision="float16",
            probed=1 / 32,
            candidates=8,
            recall=0.99,
        ),
        Profile(name="gpu-80gb", kind="gpu", memory_gb=80, precision="float16", recall=0.99),
        Profile(name="gpu-141gb", kind="gpu", memory_gb=141, precision="float16", recall=0.99),
    )
}


class Shape(NamedTuple):
    """Parameters of a profile for a number of vectors of one length.

    Attributes:
        lists: Lists of the inverted file; 0 where there is none.
        probes: Lists that a query looks into.
        memory_bytes: Held in memory (of the GPUs, for a `gpu` profile).
        disk_bytes: Of the vectors' folder without the ids.
    """

    precision: Precision
    lists: int
    probes: int
    memory_bytes: int
    disk_bytes: int
    gpus: int


def profile_named(name: str) -> Profile:
    """Return the profile of a name."""
    try:
        return PROFILES[name]
    except KeyError:
        raise UsageError(
            f"expected a profile of vectors; found {name!r}",
            remedy=f"Choose one of: {', '.join(PROFILES)}; or {NO_VECTORS}, to build without.",
        ) from None


def shape_of(profile: Profile, count: int, dimension: int) -> Shape:
    """Size a profile for `count` vectors of `dimension` numbers; too few raise UsageError."""
    if profile.kind == "flat":
        size = count * dimension * BYTES[profile.precision]
        return Shape(profile.precision, 0, 0, size, size, 0)
    if profile.kind == "gpu":
        room = int(profile.memory_gb * GB * _GPU_FILLED)
        half = count * dimension * BYTES["float16"]
        precision: Precision = "float16" if half <= room else "int8"
        size = count * dimension * BYTES[precision]
        return Shape(precision, 0, 0, size, size, -(-size // room))
    if count < MIN_VECTORS:
        raise UsageError(
            f"the profile {profile.name} needs at least {MIN_VECTORS} vectors; found {count}",
            remedy=f"Use the profile {EXACT}: so few are searched in a millisecond.",
        )
    lists = lists_for(count)
    inverted = count * (code_bytes(dimension) + 8) + lists * coded_numbers(dimension) * 4
    matrix = count * dimension * BYTES[profile.precision]
    probes = min(lists, max(_MIN_PROBES, math.ceil(lists * profile.probed)))
    return Shape(profile.precision, lists, probes, inverted, inverted + matrix, 0)


def lists_for(count: int) -> int:
    """Return the power of two at or above the root of `2 count`, fewer where that is small."""
    power = math.ceil(math.log2(math.sqrt(2 * count)))
    return min(1 << power, count // _VECTORS_PER_LIST)


def code_bytes(dimension: int) -> int:
    """Return the bytes of a product code: 4 bits for each three numbers."""
    return -(-dimension // (2 * NUMBERS_PER_CODE))


def coded_numbers(dimension: int) -> int:
    """Return the numbers that whole bytes of a code stand for: the dimension or a little more."""
    return 2 * NUMBERS_PER_CODE * code_bytes(dimension)
