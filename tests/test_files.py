"""The door of files: regular and bounded in, whole and in nobody's place out."""

import gzip
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sidelight import files
from sidelight.errors import InputError, UsageError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.lines import read_bytes
from sidelight.index.folder import open_folder
from sidelight.index.remote.index import Pages
from sidelight.index.text.docstore import SEGMENTS, Docstore, SqliteWriter
from sidelight.llm.cache import CachedModel
from sidelight.tracks import load_track
from tests.helpers.models.scripted_model import ScriptedModel


def opened_with_a_pipe(folder, index):
    shutil.copytree(index.path, folder, dirs_exist_ok=True)
    open_folder(folder)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("topic.json", lambda folder, _: read_rubrics(folder, load_track().scales)),
        ("scales.npy", opened_with_a_pipe),
        ("replies.sqlite", lambda folder, _: CachedModel(ScriptedModel([]), folder)),
        (".lock", lambda folder, _: files.locked_folder(folder, UsageError("")).__enter__()),
    ],
)
def test_a_pipe_in_a_folder_is_refused_by_its_name(name, use, small_index, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises((InputError, files.RefusedFileError), match="found a pipe") as caught:
        use(tmp_path, small_index)
    assert name in str(caught.value)


def test_a_file_beyond_its_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "a"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(InputError, match=r"a: expected at most 2,147,483,648 bytes"):
        read_bytes(path)
    (tmp_path / "b").write_bytes(b"1234")
    assert files.read_limited(tmp_path / "b", 4) == b"1234"
    with pytest.raises(files.RefusedFileError, match="at most 3 bytes"):
        files.read_limited(tmp_path / "b", 3)


def test_bytes_behind_a_packed_file_are_refused(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a\n") + b"more")
    with pytest.raises(InputError, match=r"a\.gz: cannot be read"):
        read_bytes(path)
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    with files.open_binary(path) as stream:
        assert stream.read() == b"a\nb\n"


def test_json_is_read_to_forty_levels():
    deepest = "[" * files.MAX_NESTING + "]" * files.MAX_NESTING
    files.read_json(deepest)
    files.read_json("[" + "[]," * 100 + "1]")
    with pytest.raises(ValueError, match="more than 40 levels"):
        files.read_json(f"[{deepest}]")


@pytest.mark.parametrize("kind", ["device", "link", "pipe"])
def test_results_replace_no_device_and_no_pipe(tmp_path, kind):
    path = Path("/dev/null") if kind == "device" else tmp_path / kind
    if kind == "link":
        path.symlink_to("/dev/null")
    elif kind == "pipe":
        os.mkfifo(path)
    before = path.lstat()
    with pytest.raises(files.RefusedFileError):
        files.atomic_write(path, "text")
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)


def test_a_device_in_a_folder_is_refused_by_its_name(tmp_path):
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "ids.npy").write_bytes(b"1")
    (tmp_path / "elsewhere").symlink_to(tmp_path / "vectors")
    files.check_folder(tmp_path)
    (tmp_path / "vectors" / "scales.npy").symlink_to("/dev/zero")
    with pytest.raises(files.RefusedFileError, match=r"scales\.npy"):
        files.check_folder(tmp_path)


def test_folders_without_end_are_neither_made_nor_looked_into(tmp_path):
    with pytest.raises(files.RefusedFileError, match="at most 100 folders"):
        files.make_folder(tmp_path.joinpath(*["a"] * 1900))
    deep = tmp_path.joinpath(*["a"] * 200)
    deep.mkdir(parents=True)
    with pytest.raises(files.RefusedFileError, match="at most 100 folders"):
        files.files_below(tmp_path)


VIEW = """
ALTER TABLE {0} RENAME TO kept;
CREATE VIEW {0} AS WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x FROM n) SELECT x, x FROM n;
"""
TRIGGER = "CREATE TRIGGER more AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END;"
COMPUTED = "ALTER TABLE {0} ADD COLUMN more AS (zeroblob(1000000000));"


def a_store(folder):
    with SqliteWriter(folder / SEGMENTS):
        pass
    return folder / SEGMENTS, "segments", lambda: Docstore(folder)


def a_cache(folder):
    with CachedModel(ScriptedModel([]), folder):
        pass
    return (
        folder / "replies.sqlite",
        "replies",
        lambda: CachedModel(ScriptedModel([]), folder).__exit__(None, None, None),
    )


def kept_pages(folder):
    path = folder / "pages.sqlite"
    Pages(path)
    return path, "segments", lambda: Pages(path)


@pytest.mark.parametrize("change", [VIEW, TRIGGER, COMPUTED], ids=["view", "trigger", "computed"])
@pytest.mark.parametrize("make", [a_store, a_cache, kept_pages])
def test_a_database_that_computes_what_it_gives_is_refused(tmp_path, make, change):
    path, table, open_again = make(tmp_path)
    open_again()
    with closing(sqlite3.connect(path)) as database:
        database.executescript(change.format(table))
    with pytest.raises(InputError, match="no plain table") as caught:
        open_again()
    assert str(path) in caught.value.message
