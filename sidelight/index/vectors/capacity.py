"""Capacity planning of a vector index: memory, disk and time, before anything is built.

Sizes follow from the formats. Times rest on rates measured on two idle cores of a server that
multiplies bfloat16 with AVX-512 (AMD EPYC, NVMe disk, FAISS 1.15), at a million vectors of 256
numbers: training 2,048 lists took 9.6 s, assigning 3.1 s, coding 2.9 s, and 1.5 times that since
vectors are turned before (two cores of an Intel server); the rates of searching are those of
benchmarks/results/dense_profile.txt. That of a GPU is not measured but derived.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sidelight.index.engine import memory_bytes
from sidelight.index.vectors.inverted import ITERATIONS, SAMPLE_PER_LIST
from sidelight.index.vectors.profiles import GB, Profile, Shape, code_bytes, shape_of
from sidelight.schemas.base import Value

# Segments of MS MARCO V2.1.
N_SEGMENTS = 113_520_750

# Longest id of MS MARCO V2.1 segmented, as `ids.npy` keeps it.
_ID_BYTES = 45
# Hits asked for where the time of a query is stated.
_HITS = 100
_KMEANS_FLOPS = 1.4e11
_ASSIGN_FLOPS = 3.4e11
_CODED_PER_SECOND = 2.3e5
_LISTS_FLOPS = 8e9
_CODES_PER_SECOND = 2.2e8
# A row of the matrix from disk, several asked for at once, and from memory.
_COLD_ROW_SECONDS = 1e-5
_WARM_ROW_SECONDS = 1e-6
# NVMe disk, read or written in one piece.
_DISK_BYTES_PER_SECOND = 1.5e9
# FAISS Flat, single precision: bytes scanned for one query, two cores, in memory.
_FLAT_BYTES_PER_SECOND = 1.0e10
# An H200 reads 4.3 TB/s; 1.3 times that floor is what benchmarks/bench_gpu_dense.py is to reach.
_GPU_BYTES_PER_SECOND = 3.3e12


class Capacity(Value):
    """Memory, disk and time that a profile takes for a collection; `gb` are 10**9 bytes.

    Attributes:
        lists: Of the inverted file; 0 where there is none.
        probes: Lists that a query looks into.
        memory_bytes_per_vector: Held in memory, or in the memory of GPUs.
        disk_bytes_per_vector: On disk, ids included.
        building_disk_gb: What building needs besides: the parts and what lies between.
        build_s: Seconds from parts to index; encoding is not in it.
        recall: Of the exact 100 best, the share that is found.
        latency_ms: Of one query alone, k 100.
        problems: Why it does not fit this machine, its disk aside.
    """

    profile: str
    segments: int
    dimension: int
    lists: int
    probes: int
    memory_bytes_per_vector: float
    disk_bytes_per_vector: float
    memory_gb: float
    disk_gb: float
    building_disk_gb: float
    building_memory_gb: float
    gpus: int
    build_s: float
    recall: float
    latency_ms: float
    problems: tuple[str, ...]


class Machine(Value):
    """Memory of a machine and of each of its GPUs, in bytes."""

    memory: int
    gpus: tuple[int, ...]


def free_gb(folder: Path) -> float:
    """Return what is free on the disk of a folder, which may still have to be made."""
    whole = folder.absolute()
    there = next(path for path in (whole, *whole.parents) if path.exists())
    return shutil.disk_usage(there).free / GB


def this_machine() -> Machine:
    """Look at this machine."""
    import torch

    return Machine(
        memory=memory_bytes(),
        gpus=tuple(
            torch.cuda.get_device_properties(number).total_memory
            for number in range(torch.cuda.device_count())
        ),
    )


def plan_capacity(
    profile: Profile, segments: int, dimension: int, machine: Machine | None = None
) -> Capacity:
    """Work out what vectors of `dimension` numbers take, and what `machine` (if given) lacks."""
    shape = shape_of(profile, segments, dimension)
    disk = shape.disk_bytes + segments * _ID_BYTES
    parts = segments * (4 * dimension + _ID_BYTES)
    # Codes and lists as they are appended, then sorted; an inverted file is converted from that.
    between = segments * (2 * (code_bytes(dimension) + 8) + 4) if shape.lists else 0
    building = segments * (code_bytes(dimension) + 8 + 12) if shape.lists else GB
    building += shape.lists * SAMPLE_PER_LIST * dimension * 4
    planned = Capacity(
        profile=profile.name,
        segments=segments,
        dimension=dimension,
        lists=shape.lists,
        probes=shape.probes,
        memory_bytes_per_vector=shape.memory_bytes / segments,
        disk_bytes_per_vector=disk / segments,
        memory_gb=shape.memory_bytes / GB,
        disk_gb=disk / GB,
        building_disk_gb=(parts + between) / GB,
        building_memory_gb=building / GB,
        gpus=shape.gpus,
        build_s=_build_seconds(shape, segments, dimension),
        recall=profile.recall,
        latency_ms=_query_seconds(profile, shape, segments, dimension) * 1000,
        problems=(),
    )
    if machine is None:
        return planned
    return planned.model_copy(update={"problems": tuple(_problems(planned, machine))})


def _build_seconds(shape: Shape, segments: int, dimension: int) -> float:
    seconds = (4 * dimension * segments + shape.disk_bytes) / _DISK_BYTES_PER_SECOND
    if shape.lists:
        one_pass = 2 * shape.lists * dimension
        sampled = min(shape.lists * SAMPLE_PER_LIST, segments)
        seconds += ITERATIONS * sampled * one_pass / _KMEANS_FLOPS
        seconds += segments * one_pass / _ASSIGN_FLOPS
        seconds += segments / _CODED_PER_SECOND * dimension / 256
    return seconds


def _query_seconds(profile: Profile, shape: Shape, segments: int, dimension: int) -> float:
    if shape.gpus:
        return shape.memory_bytes / shape.gpus / _GPU_BYTES_PER_SECOND
    if not shape.lists:
        return shape.memory_bytes / _FLAT_BYTES_PER_SECOND
    scanned = segments * shape.probes / shape.lists
    cached = shape.disk_bytes < profile.memory_gb * GB
    return (
        2 * shape.lists * dimension / _LISTS_FLOPS
        + scanned / _CODES_PER_SECOND * dimension / 256
        + _HITS * profile.candidates * (_WARM_ROW_SECONDS if cached else _COLD_ROW_SECONDS)
    )


def _problems(planned: Capacity, machine: Machine) -> list[str]:
    found = []
    memory = machine.memory / GB
    needed = planned.building_memory_gb if planned.gpus else planned.memory_gb
    if needed > memory:
        found.append(f"{needed:.1f} GB of memory are needed; this machine has {memory:.1f}")
    elif planned.building_memory_gb > memory:
        found.append(
            f"building needs {planned.building_memory_gb:.1f} GB of memory; this machine has "
            f"{memory:.1f}: build elsewhere and copy the folder"
        )
    if planned.gpus:
        room = sum(machine.gpus) / GB
        if planned.memory_gb > room:
            found.append(
                f"{planned.memory_gb:.1f} GB of GPU memory are needed; this machine has {room:.1f}"
            )
    return found
