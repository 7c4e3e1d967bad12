from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import UsageError
from sidelight.index.vectors.capacity import (
    N_SEGMENTS,
    Machine,
    plan_capacity,
    this_machine,
)
from sidelight.index.vectors.profiles import PROFILES, lists_for, profile_named, shape_of

GB = 10**9


def test_the_whole_collection_fits_a_small_server() -> None:
    planned = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256)
    # 258 numbers by three in 4 bits are 43 bytes, a row number 8; lists add 16,384 x 4 x 258 bytes.
    assert planned.memory_bytes_per_vector == pytest.approx(51 + 16_384 * 4 * 258 / N_SEGMENTS)
    assert planned.memory_gb == pytest.approx(5.81, abs=0.01)
    assert (planned.lists, planned.probes) == (16_384, 128)
    assert planned.building_memory_gb < 24
    assert planned.latency_ms < 12
    assert planned.recall == 0.95


def test_gpus_hold_half_precision_while_there_is_room() -> None:
    # 113,520,750 x 256 x 2 bytes are 58.1 GB, of 768 numbers 174.4, in int8 87.2, of 1,024 116.2.
    one = shape_of(PROFILES["gpu-80gb"], N_SEGMENTS, 256)
    assert (one.precision, one.gpus, one.memory_bytes) == ("float16", 1, 58_122_624_000)
    two = shape_of(PROFILES["gpu-80gb"], N_SEGMENTS, 768)
    assert (two.precision, two.gpus, two.memory_bytes) == ("int8", 2, 87_183_936_000)
    large = shape_of(PROFILES["gpu-141gb"], N_SEGMENTS, 512)
    assert (large.precision, large.gpus) == ("float16", 1)
    assert shape_of(PROFILES["gpu-141gb"], N_SEGMENTS, 1024).precision == "int8"


@given(count=st.integers(1000, 10**9), dimension=st.integers(1, 1024).map(lambda half: 2 * half))
def test_plans_grow_with_the_collection(count: int, dimension: int) -> None:
    for profile in PROFILES.values():
        less, more = (plan_capacity(profile, n, dimension) for n in (count, 2 * count))
        for name in ("memory_gb", "disk_gb", "building_disk_gb", "build_s"):
            # Twice as many in int8 take as much as so many in half precision.
            assert 0 < getattr(less, name) <= getattr(more, name), (profile.name, name)
        assert 0 <= less.probes <= less.lists <= count // 39


def test_lists_grow_with_the_root() -> None:
    # The root of 2 x 10**6 is 1,414, that of 2 x 4 x 10**6 is 2,828; 39 vectors to a list at least.
    assert [lists_for(n) for n in (1000, 10**6, 4 * 10**6)] == [25, 2048, 4096]


def test_what_does_not_fit_is_named() -> None:
    small = Machine(memory=4 * GB, disk=100 * GB, gpus=())
    found = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256, small).problems
    assert [problem.split(" are needed")[0] for problem in found] == [
        "5.8 GB of memory",
        "173.4 GB of disk",
    ]
    between = Machine(memory=7 * GB, disk=1000 * GB, gpus=())
    (problem,) = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256, between).problems
    assert "build elsewhere and copy the folder" in problem
    gpu = Machine(memory=64 * GB, disk=1000 * GB, gpus=(80 * GB,))
    assert plan_capacity(PROFILES["gpu-80gb"], N_SEGMENTS, 256, gpu).problems == ()
    (problem,) = plan_capacity(PROFILES["gpu-80gb"], N_SEGMENTS, 768, gpu).problems
    assert problem == "87.2 GB of GPU memory are needed; this machine has 80.0"


def test_a_million_fits_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    machine = this_machine(tmp_path_factory.getbasetemp() / "still" / "to be made")
    assert plan_capacity(PROFILES["cpu-24gb"], 10**5, 256, machine).problems == ()


def test_what_a_profile_cannot_hold() -> None:
    with pytest.raises(UsageError, match="found 'cpu-1gb'") as caught:
        profile_named("cpu-1gb")
    assert "cpu-24gb" in caught.value.remedy
    with pytest.raises(UsageError, match="needs at least 1000 vectors; found 999"):
        shape_of(PROFILES["cpu-24gb"], 999, 255)
