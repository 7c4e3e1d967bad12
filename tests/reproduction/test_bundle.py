"""Bundles: what verifies, and what is named when something has changed."""

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, InvalidFileError, MachineError, OfflineError
from sidelight.reproduction.archive import describe_files, read_archive, read_contents
from sidelight.reproduction.bundle import Recording
from sidelight.sample import sample_path
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.segment import Segment
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.prompted_runs import run, write_inputs

SEED = 11


RUBRICS = sample_path() / "human_rubrics"
RANKED = ("--set=retrieval.listwise_depth=10", "--set=models.ranker={name: orders, revision: r1}")


class Made:
    """A prompted run of one topic that was judged, and the bundle of it."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.run = folder / "run"
        self.bundle = folder / "run.tar.zst"
        self.inputs = write_inputs(folder, 1)
        self.index = index
        with FaultServer() as server:
            where = ("--index", index, "--base-url", server.base_url, "--output", self.run)
            run(*self.inputs, *where, *RANKED)
        index_and_rubrics = ("--index", index, "--rubrics", RUBRICS)
        invoke("evaluate", self.run, *index_and_rubrics, "--words-only")
        invoke(*self.bundling(), "-o", self.bundle)

    def bundling(self, run: Path | None = None) -> tuple[object, ...]:
        options = ("--index", self.index, "--rubrics", RUBRICS)
        return "bundle", run or self.run, *self.inputs[2:], *options


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture(scope="module")
def made(mini_web_index, tmp_path_factory):
    return Made(tmp_path_factory.mktemp("bundle"), mini_web_index.path)


@pytest.fixture
def unpacked(made, tmp_path):
    read_archive(made.bundle, tmp_path / "unpacked")
    yield tmp_path / "unpacked"
    shutil.rmtree(tmp_path / "unpacked")


def problems(bundle: Path) -> list[dict[str, str]]:
    result = CliRunner().invoke(app, ["verify", "--json", str(bundle)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    verdict = orjson.loads(result.stdout)
    assert verdict["verified"] == (result.exit_code == 0)
    return [problem for problem in verdict["problems"] if problem["severity"] == "error"]


def named_files(bundle: Path) -> set[str]:
    """The files that are said to have changed."""
    try:
        return {problem["file"] for problem in problems(bundle)}
    except InputError as error:  # the list itself can no longer be read
        return {str(error).partition(": expected")[0]}


def seal_again(folder: Path) -> None:
    """Make a bundle's list of files that of the files that are there."""
    contents = read_contents(folder)
    contents.model_copy(update={"files": describe_files(folder)}).write(folder)


def test_a_bundle_verifies_packed_and_unpacked_and_is_made_the_same_again(made, unpacked, tmp_path):
    assert "1 topic made again, every file the same" in invoke("verify", made.bundle)
    assert problems(unpacked) == []
    assert read_contents(unpacked).models == {"tiny": "", "orders": "r1"}
    # A folder that is named may be a link.
    (tmp_path / "rubrics").symlink_to(RUBRICS)
    invoke(*made.bundling()[:-1], tmp_path / "rubrics", "-o", tmp_path / "again.tar.zst")
    assert (tmp_path / "again.tar.zst").read_bytes() == made.bundle.read_bytes()


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_changed_byte_is_named_by_its_file(unpacked, count):
    choose = random.Random(SEED)
    files = sorted(path for path in unpacked.rglob("*") if path.is_file() and path.stat().st_size)
    for _ in range(count):
        path = choose.choice(files)
        whole = path.read_bytes()
        changed = bytearray(whole)
        changed[choose.randrange(len(whole))] ^= choose.randrange(1, 256)
        path.write_bytes(changed)
        assert str(path) in named_files(unpacked)
        path.write_bytes(whole)
    assert problems(unpacked) == []


@pytest.mark.parametrize(
    ("name", "line"), [("run/task1.tsv", 3), ("run/task2.jsonl", 1), ("run/config.yaml", None)]
)
def test_an_edit_with_its_hash_is_found_by_the_replay(unpacked, name, line):
    path = unpacked / name
    lines = path.read_text().splitlines(keepends=True)
    edited = line or next(n for n, text in enumerate(lines, start=1) if "max_rounds" in text)
    text = lines[edited - 1]
    lines[edited - 1] = (
        text.replace("max_rounds: 3", "max_rounds: 2") if not line else (text.replace("a", "o"))
    )
    path.write_text("".join(lines))
    seal_again(unpacked)
    found = problems(unpacked)
    assert found
    if line:
        assert ("replay-differs", str(path), line) == tuple(
            found[0][key] for key in ("code", "file", "line")
        )


def test_a_score_that_its_labels_do_not_give_is_found(unpacked):
    path = unpacked / "scores" / "auto_report_generation_per_run_results.csv"
    header, scores = path.read_text().splitlines()
    path.write_text(f"{header}\n{scores.replace('0.', '0.9', 1)}\n")
    seal_again(unpacked)
    assert [(one["code"], one["file"], one["line"]) for one in problems(unpacked)] == [
        ("replay-differs", str(path), 2)
    ]


def test_a_judged_run_is_not_bundled_without_its_rubrics(made, tmp_path):
    with pytest.raises(InputError, match="rubrics that the run was judged by"):
        invoke(*made.bundling()[:-2], "-o", tmp_path / "x.tar.zst")


@pytest.mark.parametrize("name", ["scores/more", "scores/more.csv", "scores", "scores/rubrics"])
def test_nothing_that_a_link_in_a_run_leads_to_is_bundled(name, made, tmp_path):
    outside = shutil.copytree(RUBRICS if "rubrics" in name else made.run / "scores", tmp_path / "x")
    (outside / "secret.txt").write_text("of somebody else")
    linking = shutil.copytree(made.run, tmp_path / "run")
    if name == "scores":
        shutil.rmtree(linking / name)
    is_file = name.endswith(".csv")
    (linking / name).symlink_to(outside / "secret.txt" if is_file else outside)
    with pytest.raises(InputError, match=f"{name}: expected a plain file or folder; found a link"):
        invoke(*made.bundling(linking), "-o", tmp_path / "x.tar.zst")
    assert not (tmp_path / "x.tar.zst").exists()


@pytest.mark.parametrize("name", ["a\udcff.json", "a\n.json", "a\\b.json"], ids=ascii)
def test_a_file_whose_name_no_bundle_can_list_is_refused_by_its_name(
    made: Made, tmp_path: Path, name: str
) -> None:
    shutil.copytree(RUBRICS, tmp_path / "rubrics")
    (tmp_path / "rubrics" / name).write_text("{}")
    with pytest.raises(InputError) as caught:
        invoke(*made.bundling()[:-1], tmp_path / "rubrics", "-o", tmp_path / "again.tar.zst")
    assert str(tmp_path / "rubrics" / name) in caught.value.message
    assert caught.value.remedy
    assert not (tmp_path / "again.tar.zst").exists()


def test_a_reply_that_was_taken_out_is_missed(unpacked):
    path = unpacked / "replies.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    seal_again(unpacked)
    assert [problem["code"] for problem in problems(unpacked)] == ["reply-missing"]


def test_files_that_came_or_went_are_named(unpacked):
    (unpacked / "run" / "task1.tsv").unlink()
    (unpacked / "more.txt").write_text("more")
    assert [Path(problem["file"]).name for problem in problems(unpacked)] == [
        "more.txt",
        "task1.tsv",
    ]


def test_another_version_is_not_replayed(unpacked):
    contents = read_contents(unpacked)
    contents.model_copy(update={"sidelight": "0.0.1"}).write(unpacked)
    with pytest.raises(MachineError, match=r"needs sidelight 0\.0\.1"):
        problems(unpacked)


def test_an_edited_run_is_not_bundled(made, tmp_path):
    edited = shutil.copytree(made.run, tmp_path / "run")
    text = (edited / "task1.tsv").read_text()
    (edited / "task1.tsv").write_text(text.replace("?", "!", 1))
    with pytest.raises(InvalidFileError, match=r"task1\.tsv:1: .*replay-differs.*\?'; found .*!'"):
        invoke(*made.bundling(edited), "-o", tmp_path / "x.tar.zst")
    assert not (tmp_path / "x.tar.zst").exists()


def test_topics_of_another_run_are_refused(made, tmp_path):
    more = tmp_path / "more.jsonl"
    more.write_bytes((sample_path() / "topics.jsonl").read_bytes())
    given = [more if word == made.inputs[3] else word for word in made.bundling()]
    with pytest.raises(InputError, match=r"more\.jsonl: expected the topics of the run"):
        invoke(*given, "-o", tmp_path / "x.tar.zst")


def test_a_run_without_its_replies_is_not_bundled(made, tmp_path):
    bare = shutil.copytree(made.run, tmp_path / "run", ignore=shutil.ignore_patterns("cache"))
    with pytest.raises(OfflineError, match="holds no answer"):
        invoke(*made.bundling(bare), "-o", tmp_path / "x.tar.zst")


def test_what_is_no_bundle_says_so(made, tmp_path):
    with pytest.raises(InputError, match=r"expected a bundle; found no bundle\.json"):
        problems(made.run)
    (tmp_path / "bundle.json").write_text("{}")
    with pytest.raises(InputError, match="expected what `sidelight bundle` wrote"):
        problems(tmp_path)
    (tmp_path / "x.tar.zst").write_text("no archive")
    with pytest.raises(InputError, match="expected a whole bundle"):
        problems(tmp_path / "x.tar.zst")


def test_a_wrong_index_is_said_to_be_that(made, small_index):
    options = [*made.bundling(), "-o", made.bundle.with_name("other.tar.zst")]
    options[options.index("--index") + 1] = small_index.path
    with pytest.raises(InputError, match="was made with another index than the one given"):
        invoke(*options)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    """What a run recorded: a search, a segment and the vectors of two texts."""
    record = Recording()
    record.searches["peat", 3] = [Hit("a#1_2", 1.5)]
    record.segments["a#1_2"] = Segment(segment_id="a#1_2", text="Peat stores carbon.")
    record.vectors = {text: np.ones(4, np.float32) for text in ("bogs", "peat")}
    record.write(tmp_path / "evidence")
    return tmp_path / "evidence"


ONES = np.ones((2, 4), np.float32)


@pytest.mark.parametrize(
    "array",
    [
        *(ONES.astype(np.float64), ONES.astype("S4"), ONES.astype(np.complex64)),
        *(ONES[0], ONES[:1], ONES.reshape(2, 2, 2), np.ones((2, 0), np.float32), ONES * np.nan),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
def test_vectors_that_are_not_those_of_the_texts_are_refused_by_their_file(
    evidence: Path, array: NDArray[Any]
) -> None:
    assert set(Recording.read(evidence).vectors) == {"bogs", "peat"}
    np.save(evidence / "vectors.npy", array)
    with pytest.raises(InputError, match="expected ") as caught:
        Recording.read(evidence)
    assert str(evidence / "vectors.npy") in caught.value.message
    assert caught.value.remedy


def test_an_archive_in_the_place_of_vectors_is_refused(evidence: Path) -> None:
    np.savez(evidence / "vectors.npz", bogs=ONES[0], peat=ONES[0])
    (evidence / "vectors.npz").rename(evidence / "vectors.npy")
    with pytest.raises(InputError, match=r"vectors\.npy"):
        Recording.read(evidence)


@pytest.mark.parametrize("name", ["searches.jsonl", "segments.jsonl", "texts.jsonl"])
def test_evidence_that_is_there_twice_is_refused_by_its_line(evidence: Path, name: str) -> None:
    lines = (evidence / name).read_bytes().splitlines(keepends=True)
    (evidence / name).write_bytes(b"".join([*lines, lines[0]]))
    with pytest.raises(InputError, match=f"{name}:{len(lines) + 1}: .*again"):
        Recording.read(evidence)
