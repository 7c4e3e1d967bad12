"""The door of files: regular and bounded in, whole and in nobody's place out."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.files import (
    MAX_NESTING,
    RefusedFileError,
    atomic_write,
    check_folder,
    files_below,
    locked_folder,
    make_folder,
    open_binary,
    read_json,
    read_limited,
)
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.lines import read_bytes
from sidelight.index.folder import IndexFolder, open_folder
from sidelight.llm.cache import CachedModel
from sidelight.llm.scripted import ScriptedModel
from sidelight.tracks import load_track


def opened_with_a_pipe(folder: Path, index: IndexFolder) -> None:
    shutil.copytree(index.path, folder, dirs_exist_ok=True)
    open_folder(folder)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("topic.json", lambda folder, _: read_rubrics(folder, load_track().scales)),
        ("scales.npy", opened_with_a_pipe),
        ("replies.sqlite", lambda folder, _: CachedModel(ScriptedModel([]), folder)),
        (".lock", lambda folder, _: locked_folder(folder, UsageError("")).__enter__()),
    ],
)
def test_a_pipe_in_a_folder_is_refused_by_its_name(
    name: str, use: Callable[[Path, IndexFolder], object], small_index: IndexFolder, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises((InputError, RefusedFileError), match="found a pipe") as caught:
        use(tmp_path, small_index)
    assert name in str(caught.value)


def test_a_file_beyond_its_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(InputError, match=r"a: expected at most 2,147,483,648 bytes"):
        read_bytes(path)
    (tmp_path / "b").write_bytes(b"1234")
    assert read_limited(tmp_path / "b", 4) == b"1234"
    with pytest.raises(RefusedFileError, match="at most 3 bytes"):
        read_limited(tmp_path / "b", 3)


def test_bytes_behind_a_packed_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a\n") + b"more")
    with pytest.raises(InputError, match=r"a\.gz: cannot be read"):
        read_bytes(path)
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    with open_binary(path) as stream:
        assert stream.read() == b"a\nb\n"


def test_json_is_read_to_forty_levels() -> None:
    deepest = "[" * MAX_NESTING + "]" * MAX_NESTING
    read_json(deepest)
    read_json("[" + "[]," * 100 + "1]")
    with pytest.raises(ValueError, match="more than 40 levels"):
        read_json(f"[{deepest}]")


@pytest.mark.parametrize("kind", ["device", "link", "pipe"])
def test_results_replace_no_device_and_no_pipe(tmp_path: Path, kind: str) -> None:
    path = Path("/dev/null") if kind == "device" else tmp_path / kind
    if kind == "link":
        path.symlink_to("/dev/null")
    elif kind == "pipe":
        os.mkfifo(path)
    before = path.lstat()
    with pytest.raises(RefusedFileError):
        atomic_write(path, "text")
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)


def test_a_device_in_a_folder_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "ids.npy").write_bytes(b"1")
    (tmp_path / "elsewhere").symlink_to(tmp_path / "vectors")
    check_folder(tmp_path)
    (tmp_path / "vectors" / "scales.npy").symlink_to("/dev/zero")
    with pytest.raises(RefusedFileError, match=r"scales\.npy"):
        check_folder(tmp_path)


def test_folders_without_end_are_neither_made_nor_looked_into(tmp_path: Path) -> None:
    with pytest.raises(RefusedFileError, match="at most 100 folders"):
        make_folder(tmp_path.joinpath(*["a"] * 1900))
    deep = tmp_path.joinpath(*["a"] * 200)
    deep.mkdir(parents=True)
    with pytest.raises(RefusedFileError, match="at most 100 folders"):
        files_below(tmp_path)
