"""What is there, and what is missing, of all that searching and running need."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from sidelight.errors import INSTALL, Check, MachineError
from sidelight.index.engine import memory_bytes
from sidelight.index.lucene.jvm import find_jar, find_java

_GIB = 1 << 30
_LEAST = 2


def check_machine() -> list[Check]:
    """Look at everything that searching and running need; nothing is loaded but FAISS and torch."""
    here = Path.cwd()
    return [
        Check("Python", platform.python_version()),
        _found("Java", _java),
        _found("pyserini jar", _jar),
        _found("FAISS", _faiss),
        _found("torch", _torch),
        _found("sentence-transformers", partial(version, "sentence-transformers")),
        _encoder(),
        _found("langgraph", partial(version, "langgraph")),
        _room("memory", memory_bytes(), f", {os.cpu_count()} cores", "Use a machine of at least"),
        _room("disk", shutil.disk_usage(here).free, f" free in {here}", "Free at least"),
    ]


def _found(name: str, find: Callable[[], str]) -> Check:
    """Return what is there, or what is missing and how to install it."""
    try:
        return Check(name, find())
    except MachineError as error:
        return Check(name, error.message, error.remedy)
    except ImportError as error:
        return Check(name, f"not installed: {error}", INSTALL)


def _encoder() -> Check:
    try:
        from sidelight.index.encoding.encoder import DEFAULT_ENCODER, check_model
    except ImportError as error:
        return Check("encoder", f"cannot be used: {error}", INSTALL)
    return check_model("encoder", DEFAULT_ENCODER)


def _java() -> str:
    java = find_java()
    return f"{java.version} from {java.source}: {java.home}"


def _jar() -> str:
    jar = find_jar()
    if find_spec("jnius") is None:
        raise MachineError("pyjnius is not installed", remedy=INSTALL)
    return jar.name


def _faiss() -> str:
    import faiss

    gpus = faiss.get_num_gpus() if hasattr(faiss, "get_num_gpus") else 0
    build = f"{gpus} GPU(s)" if gpus else "CPU"
    return f"{faiss.__version__}, {build}: {faiss.get_compile_options().strip()}"


def _torch() -> str:
    import torch

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    return f"{torch.__version__}, {device}, {torch.get_num_threads()} threads"


def _room(name: str, size: int, more: str, remedy: str) -> Check:
    gib = size / _GIB
    return Check(name, f"{gib:.1f} GiB{more}", "" if gib >= _LEAST else f"{remedy} {_LEAST} GiB.")
