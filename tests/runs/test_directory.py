import fcntl

import orjson
import pytest

from sidelight.config.load import load_settings
from sidelight.config.settings import Settings
from sidelight.errors import InputError, UsageError
from sidelight.files import atomic_writer, half_written_name
from sidelight.runs.directory import RunDirectory, TopicResult, publish
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article


def result(topic_id, fingerprint="f"):
    return TopicResult(
        topic_id=topic_id,
        fingerprint=fingerprint,
        topic=Article(topic_id=topic_id, body="It was written."),
        evidence=(Segment(segment_id="a_doc_00_1#0_0", text="She wrote it."),),
        results={
            "task1": ("Who wrote “it”?",),
            "task2": (CitedSentence(text="She did.", citations=("a_doc_00_1#0_0",)),),
        },
        trace=Trace(checks={0: ()}),
    )


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path / "runs" / "one")


def test_a_folder_belongs_to_the_settings_and_code_of_what_is_finished(
    directory, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "owned.py").write_text("class Retriever: ...\n")
    settings = load_settings(None, ["retrieval.retriever=owned:Retriever"])
    directory.claim(Settings())()
    directory.claim(settings)()  # nothing is finished yet
    assert "owned:Retriever" in directory.config.read_text()
    directory.finish(result("1"))
    directory.claim(settings)
    with pytest.raises(
        UsageError, match=r"other settings: retrieval\.retriever .* there"
    ) as caught:
        directory.claim(Settings())
    assert "--output" in caught.value.remedy
    assert "--cache" not in caught.value.remedy
    directory.cache.mkdir()
    with pytest.raises(UsageError) as again:
        directory.claim(Settings())
    assert f"with --cache {directory.cache} the replies" in again.value.remedy
    with pytest.raises(InputError, match="expected a finished run; found one that did not end"):
        directory.read_manifest()
    assert str(directory.config) in caught.value.message
    (tmp_path / "owned.py").write_text("class Retriever: k = 1\n")
    with pytest.raises(UsageError, match="other code of retriever owned:Retriever"):
        directory.claim(settings)


def test_only_a_finished_run_has_topics_that_its_files_could_lose(directory):
    directory.finish(result("1"))
    assert directory.known_topics() == set()


def test_one_process_works_on_a_folder_and_a_dead_one_holds_nobody_up(directory):
    with (
        directory.locked(),
        pytest.raises(UsageError, match="another process is working on"),
        RunDirectory(directory.path).locked(),
    ):
        pytest.fail("two hold the lock")
    directory.path.mkdir(exist_ok=True)
    with (directory.path / ".lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
    half_written = directory.traces / ".t.json.x7y8z9_0.tmp"
    directory.finish(result("t"))
    half_written.write_text('{"topic_id": "t", "fing')
    with directory.locked():
        assert not half_written.exists()
    assert directory.finished("t", "f") == result("t")
    # One of a version that kept less is refused.
    path = directory.traces / "t.json"
    whole = orjson.loads(path.read_bytes())
    del whole["evidence"]
    path.write_bytes(orjson.dumps(whole))
    with pytest.raises(UsageError, match="another index, article or version"):
        directory.finished("t", "f")


def test_a_topic_is_finished_in_one_step(directory, monkeypatch):
    def full_disk(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("sidelight.files.os.fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            directory.finish(result("t"))
    assert directory.finished("t", "f") is None
    assert not [path for path in directory.path.rglob("*") if path.is_file()]


def test_any_topic_id_has_its_own_trace_inside_the_folder(directory):
    names = ["a_b", "a/b", "../../a", "..", "a b", "é\u200b", "a%2Fb"]
    for name in names:
        directory.finish(result(name))
    assert all(directory.finished(name, "f") == result(name) for name in names)
    assert len(list(directory.traces.iterdir())) == len(list(directory.path.rglob("*.json"))) == 7


def test_only_what_sidelight_left_half_written_is_removed(tmp_path):
    ours = [
        ".config.yaml.ab12cd_e.tmp",
        "traces/.a.json.ab12cd3e.tmp",
        "..task1.tsv.new.ab12cd3e.tmp",
    ]
    others = [
        ".notes.tmp",
        ".thesis.tex.ab12cd3e.tmp",
        "mine/.config.yaml.ab12cd3e.tmp",
        ".vim.tmp/x",
    ]
    for name in (*ours, *others):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("half")
    folders = [tmp_path / ".folder.tmp", tmp_path / ".config.yaml.abcdefgh.tmp"]
    for folder in folders:
        folder.mkdir()
    (tmp_path / ".config.yaml.12345678.tmp").symlink_to(tmp_path / "elsewhere")
    with RunDirectory(tmp_path).locked():
        assert not [name for name in ours if (tmp_path / name).exists()]
        assert all((tmp_path / name).read_text() == "half" for name in others)
        assert all(folder.is_dir() for folder in folders)
        assert (tmp_path / ".config.yaml.12345678.tmp").is_symlink()


def test_what_an_interrupted_write_leaves_is_known_by_its_name(tmp_path):
    def left_by(path):
        with atomic_writer(path):
            return {half_written_name(file) for file in path.parent.iterdir()} - {None}

    assert left_by(tmp_path / "config.yaml") == {"config.yaml"}
    seen: set[str | None] = set()
    publish(tmp_path / "task1.tsv", lambda path: seen.update(left_by(path)))
    assert seen == {"task1.tsv"}
