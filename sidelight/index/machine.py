"""Machine check: what is installed for searching and running, and how to install the rest."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from sidelight.errors import INSTALL, MachineError
from sidelight.index.encoding.encoder import DEFAULT_ENCODER, bundled_model
from sidelight.index.lucene.jvm import find_jar, find_java
from sidelight.schemas.check import Check

_GIB = 1 << 30
_MIN_MEMORY = 2
_MIN_DISK = 2


def check_machine() -> list[Check]:
    """Look at everything that searching and running need; nothing is loaded but FAISS and torch."""
    return [
        Check("Python", platform.python_version()),
        _java(),
        _jar(),
        _faiss(),
        _torch(),
        _package("sentence-transformers"),
        _encoder(),
        _package("langgraph"),
        _memory(),
        _disk(),
    ]


def _java() -> Check:
    try:
        java = find_java()
    except MachineError as error:
        return Check("Java", error.message, error.remedy)
    return Check("Java", f"{java.version} from {java.source}: {java.home}")


def _jar() -> Check:
    try:
        jar = find_jar()
    except MachineError as error:
        return Check("pyserini jar", error.message, error.remedy)
    if find_spec("jnius") is None:
        return Check("pyserini jar", "pyjnius is not installed", INSTALL)
    return Check("pyserini jar", jar.name)


def _faiss() -> Check:
    try:
        import faiss
    except ImportError as error:
        return Check("FAISS", str(error), INSTALL)
    gpus = faiss.get_num_gpus() if hasattr(faiss, "get_num_gpus") else 0
    build = f"{gpus} GPU(s)" if gpus else "CPU"
    return Check("FAISS", f"{faiss.__version__}, {build}: {faiss.get_compile_options().strip()}")


def _torch() -> Check:
    try:
        import torch
    except ImportError as error:
        return Check("torch", str(error), INSTALL)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return Check("torch", f"{torch.__version__}, {device}, {torch.get_num_threads()} threads")


def _encoder() -> Check:
    try:
        folder = bundled_model()
    except MachineError as error:
        return Check("encoder", error.message, error.remedy)
    return Check("encoder", f"{DEFAULT_ENCODER}: {folder}")


def _package(name: str) -> Check:
    try:
        return Check(name, version(name))
    except PackageNotFoundError:
        return Check(name, "not installed", INSTALL)


def count_gpus() -> int:
    """Return the number of GPUs that torch can use."""
    import torch

    return torch.cuda.device_count()


def memory_bytes() -> int:
    """Return the memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _memory() -> Check:
    gib = memory_bytes() / _GIB
    remedy = "" if gib >= _MIN_MEMORY else f"Use a machine with at least {_MIN_MEMORY} GiB."
    return Check("memory", f"{gib:.1f} GiB, {os.cpu_count()} cores", remedy)


def _disk() -> Check:
    gib = shutil.disk_usage(Path.cwd()).free / _GIB
    remedy = "" if gib >= _MIN_DISK else f"Free at least {_MIN_DISK} GiB here."
    return Check("disk", f"{gib:.1f} GiB free in {Path.cwd()}", remedy)
