"""Bundles and their archives: the same bytes again, and no change of a byte goes unseen."""

import hashlib
import io
import os
import random
import shutil
import struct
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import orjson
import pytest
import zstandard
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, InvalidFileError, MachineError, OfflineError
from sidelight.reproduction import archive
from sidelight.reproduction.archive import CONTENTS, describe_files, read_archive, read_contents
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

    def __init__(self, folder, index):
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

    def bundling(self, run=None):
        options = ("--index", self.index, "--rubrics", RUBRICS)
        return "bundle", run or self.run, *self.inputs[2:], *options


def invoke(*arguments):
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


def problems(bundle):
    result = CliRunner().invoke(app, ["verify", "--json", str(bundle)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    verdict = orjson.loads(result.stdout)
    assert verdict["verified"] == (result.exit_code == 0)
    return [problem for problem in verdict["problems"] if problem["severity"] == "error"]


def named_files(bundle):
    """The files that are said to have changed."""
    try:
        return {problem["file"] for problem in problems(bundle)}
    except InputError as error:  # the list itself can no longer be read
        return {str(error).partition(": expected")[0]}


def seal_again(folder):
    """Make a bundle's list of files that of the files that are there."""
    contents = read_contents(folder)
    contents.model_copy(update={"files": describe_files(folder)}).write(folder)


def test_a_bundle_verifies_packed_and_unpacked_and_is_made_the_same_again(made, unpacked, tmp_path):
    assert "1 topic made again with identical files" in invoke("verify", made.bundle)
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


EDITS = [
    *(("run/task1.tsv", 3, "a", "o"), ("run/task2.jsonl", 1, "a", "o")),
    ("scores/auto_report_generation_per_run_results.csv", 2, "0.", "0.9"),
    ("run/config.yaml", None, "max_rounds: 3", "max_rounds: 2"),
]


def test_an_edit_with_its_hash_is_found_by_the_replay(unpacked):
    for name, line, old, new in EDITS:
        path = unpacked / name
        whole = path.read_text()
        lines = whole.splitlines(keepends=True)
        before = "".join(lines[: line - 1]) if line else ""
        path.write_text(before + whole.removeprefix(before).replace(old, new, 1))
        seal_again(unpacked)
        found = [(one["code"], one["file"], one["line"]) for one in problems(unpacked)]
        assert found
        assert not line or found[0] == ("replay-differs", str(path), line)
        path.write_text(whole)


def test_what_came_or_went_is_named_and_another_version_not_replayed(unpacked):
    path, contents = unpacked / "replies.jsonl", read_contents(unpacked)
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[1:]))
    seal_again(unpacked)
    assert [problem["code"] for problem in problems(unpacked)] == ["reply-missing"]
    path.write_bytes(whole)
    contents.model_copy(update={"sidelight": "0.0.1"}).write(unpacked)
    with pytest.raises(MachineError, match=r"needs sidelight 0\.0\.1"):
        problems(unpacked)
    contents.write(unpacked)
    (unpacked / "run" / "task1.tsv").unlink()
    (unpacked / "more.txt").write_text("more")
    found = [Path(problem["file"]).name for problem in problems(unpacked)]
    assert found == ["more.txt", "task1.tsv"]


def test_other_code_of_a_part_is_told_once_and_nothing_is_replayed(unpacked):
    config = unpacked / "run" / "config.yaml"
    name = "sidelight.generation.extractive.write_report:ExtractiveReportWriter"
    fact = f"# code of performer of write_report {name}: c0e0\n"
    config.write_text(config.read_text().replace("report: null", f"report: {name}") + fact)
    config.write_text(config.read_text().replace("revise_report: " + name, "revise_report: null"))
    seal_again(unpacked)
    given = ["verify", "--json", str(unpacked), "--allow-plugin", name]
    (found,) = orjson.loads(CliRunner().invoke(app, given).stdout)["problems"]
    assert (found["code"], found["file"]) == ("code-changed", str(config))
    assert f"other code of performer of write_report {name}" in found["found"]


def test_an_archive_is_named_in_place_of_the_folder_it_is_unpacked_to(unpacked, tmp_path):
    changed = tmp_path / "changed.tar.zst"
    name, _, old, new = EDITS[0]
    path, config = unpacked / name, unpacked / "run" / "config.yaml"
    path.write_text(path.read_text().replace(old, new))
    seal_again(unpacked)
    archive.write_archive(unpacked, changed)
    assert problems(changed)[0]["file"] == f"{changed}/{name}"
    config.write_text(config.read_text().replace("write_report: null", "write_report: mine:Writer"))
    seal_again(unpacked)
    archive.write_archive(unpacked, changed)
    with pytest.raises(InputError, match=f"^{changed}/run/config.yaml: .*mine:Writer"):
        problems(changed)


def test_what_does_not_belong_to_a_run_is_not_bundled(made, tmp_path, small_index):
    with pytest.raises(InputError, match="rubrics that the run was judged by"):
        invoke(*made.bundling()[:-2], "-o", tmp_path / "x.tar.zst")
    more = tmp_path / "more.jsonl"
    more.write_bytes((sample_path() / "topics.jsonl").read_bytes())
    given = [more if word == made.inputs[3] else word for word in made.bundling()]
    with pytest.raises(InputError, match=r"more\.jsonl: expected the topics of the run"):
        invoke(*given, "-o", tmp_path / "x.tar.zst")
    bare = shutil.copytree(made.run, tmp_path / "run", ignore=shutil.ignore_patterns("cache"))
    with pytest.raises(OfflineError, match="holds no answer"):
        invoke(*made.bundling(bare), "-o", tmp_path / "x.tar.zst")
    options = [*made.bundling(), "-o", made.bundle.with_name("other.tar.zst")]
    options[options.index("--index") + 1] = small_index.path
    with pytest.raises(InputError, match="was made with another index than the one given"):
        invoke(*options)
    edited = shutil.copytree(made.run, tmp_path / "edited")
    text = (edited / "task1.tsv").read_text()
    (edited / "task1.tsv").write_text(text.replace("?", "!", 1))
    differs = r"task1\.tsv:1: .*replay-differs.*\?', as made again; found .*!' in the file"
    with pytest.raises(InvalidFileError, match=differs):
        invoke(*made.bundling(edited), "-o", tmp_path / "x.tar.zst")
    assert not (tmp_path / "x.tar.zst").exists()


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


def test_a_file_whose_name_no_bundle_can_list_is_refused_by_its_name(made, tmp_path):
    for name in ("a\udcff.json", "a\n.json", "a\\b.json"):
        path = shutil.copytree(RUBRICS, tmp_path / "rubrics", dirs_exist_ok=True) / name
        path.write_text("{}")
        with pytest.raises(InputError) as caught:
            invoke(*made.bundling()[:-1], path.parent, "-o", tmp_path / "again.tar.zst")
        assert str(path) in caught.value.message
        assert caught.value.remedy
        assert not (tmp_path / "again.tar.zst").exists()
        path.unlink()


def test_what_is_no_bundle_says_so(made, tmp_path):
    with pytest.raises(InputError, match=r"expected a bundle; found no bundle\.json"):
        problems(made.run)
    for content in ("{}", "[]"):
        (tmp_path / CONTENTS).write_text(content)
        with pytest.raises(InputError, match="expected what `sidelight bundle` wrote"):
            problems(tmp_path)
    with pytest.raises(InputError, match=r"none\.tar\.zst: cannot be read"):
        problems(tmp_path / "none.tar.zst")
    (tmp_path / "x.tar.zst").write_text("no archive")
    with pytest.raises(InputError, match="expected a whole bundle"):
        problems(tmp_path / "x.tar.zst")


def test_evidence_that_cannot_be_is_refused_by_its_file(tmp_path):
    record, evidence = Recording(), tmp_path / "evidence"
    record.searches["peat", 3] = [Hit("a#1_2", 1.5)]
    record.segments["a#1_2"] = Segment(segment_id="a#1_2", text="Peat stores carbon.")
    ones = np.ones((2, 4), np.float32)
    record.vectors = dict(zip(("bogs", "peat"), ones, strict=True))
    record.write(evidence)
    assert set(Recording.read(evidence).vectors) == {"bogs", "peat"}
    for array in (ones[0], ones[:1]):
        np.save(evidence / "vectors.npy", array)
        with pytest.raises(InputError, match=r"vectors\.npy: expected ") as caught:
            Recording.read(evidence)
        assert caught.value.remedy
    np.save(evidence / "vectors.npy", ones)
    for name in ["searches.jsonl", "segments.jsonl", "texts.jsonl"]:
        lines = (evidence / name).read_bytes().splitlines(keepends=True)
        (evidence / name).write_bytes(b"".join([*lines, lines[0]]))
        with pytest.raises(InputError, match=f"{name}:{len(lines) + 1}: .*again"):
            Recording.read(evidence)
        (evidence / name).write_bytes(b"".join(lines))


# Archives: the same bytes for the same folder, and no change of a byte goes unseen.


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n" * 1000)
    (folder / "inner" / "b.bin").write_bytes(random.Random(SEED).randbytes(5000))
    (folder / "inner" / ("long-é-" * 20 + ".txt")).write_text("a name that needs a header\n")
    contents_of(describe_files(folder)).write(folder)
    return folder


def contents_of(files):
    told = {"sidelight": "1", "python": "3", "platform": "", "index": ""}
    return archive.Contents(**told, packages={}, models={}, prompts={}, files=files)


def listed(content):
    return archive.BundledFile(size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def sealed(content):
    """Return an archive with the seal that `write_archive` would give it."""
    digest = hashlib.sha256(content).digest()
    return content + struct.pack("<II32s", 0x184D2A50, len(digest), digest)


def packed(path, members):
    """Write an archive of any members, sealed as `write_archive` seals."""
    with (
        path.open("wb") as raw,
        zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    path.write_bytes(sealed(path.read_bytes()))
    return path


def described(files, folder):
    """The member that says what is in an archive, whatever that is."""
    folder.mkdir(exist_ok=True)
    contents_of({}).write(folder)
    tree = orjson.loads((folder / CONTENTS).read_bytes())
    tree["files"] = {name: file.model_dump() for name, file in files.items()}
    return tarfile.TarInfo(CONTENTS), orjson.dumps(tree)


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_archive_holds_the_folder_and_has_the_same_bytes_again(folder, tmp_path):
    first, second = tmp_path / "first.tar.zst", tmp_path / "second.tar.zst"
    archive.write_archive(folder, first)
    (folder / "a.txt").touch()
    archive.write_archive(folder, second)
    assert first.read_bytes() == second.read_bytes()
    read_archive(first, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(folder)
    if shutil.which("zstd") is None:
        pytest.skip("needs the command zstd, which is not there")
    (tmp_path / "tar").mkdir()
    subprocess.run(["tar", "--zstd", "-xf", first, "-C", tmp_path / "tar"], check=True)
    assert contents(tmp_path / "tar") == contents(folder)


def test_every_change_of_a_byte_and_every_cut_is_seen(folder, tmp_path):
    path = tmp_path / "x.tar.zst"
    archive.write_archive(folder, path)
    whole = path.read_bytes()
    choose, size = random.Random(SEED), len(whole)
    broken = [(whole + b"\0")[:end] for end in (0, 10, 39, 40, 41, size - 1, size + 1)]
    # The header and the seal are where a change would harm nothing that is unpacked.
    for place in [*range(12), *range(size - 44, size), *choose.sample(range(size), 60)]:
        changed = bytearray(whole)
        changed[place] ^= choose.randrange(1, 256)
        broken.append(bytes(changed))
    for attempt, content in enumerate(broken):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected"):
            read_archive(path, tmp_path / "out" / str(attempt))


def link(name, target, kind=tarfile.SYMTYPE):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def chain_of_links():
    """Folders and links whose resolved path is longer than PATH_MAX, and a file behind them."""
    deep, members, path = "d" * 247, [], ""
    for step in "abcdefghijklmnop":
        folder = tarfile.TarInfo(f"{path}{deep}")
        folder.type = tarfile.DIRTYPE
        members += [(folder, b""), (link(f"{path}{step}", deep), b"")]
        path += f"{step}/"
    long_path = path + "l" * 254
    members.append((link(long_path, "../" * 16), b""))
    members.append((link("escape", long_path + "/../outside"), b""))
    members.append((link("written", "escape/outside.txt", tarfile.LNKTYPE), b""))
    members.append((tarfile.TarInfo("escape/outside.txt"), b"evil"))
    return members


@pytest.mark.parametrize(
    "members",
    [
        [(tarfile.TarInfo("../outside.txt"), b"evil")],
        [(tarfile.TarInfo("/tmp/outside.txt"), b"evil")],
        [(link("escape", ".."), b""), (tarfile.TarInfo("escape/outside.txt"), b"evil")],
        [(link("outside.txt", "/etc/passwd", tarfile.LNKTYPE), b"")],
        [(link("device", "", tarfile.CHRTYPE), b"")],
        [(link("pipe", "", tarfile.FIFOTYPE), b"")],
        chain_of_links(),
    ],
    ids=["parent", "absolute", "link", "hard link", "device", "pipe", "chain of links"],
)
def test_nothing_but_listed_plain_files_is_unpacked(members, tmp_path):
    (tmp_path / "outside").mkdir()
    files = {member.name: listed(content) for member, content in members}
    for named in ({}, files):
        first = described(named, tmp_path / "described")
        evil = packed(tmp_path / "evil.tar.zst", [first, *members])
        out = tmp_path / f"out{len(named)}"
        with pytest.raises(InputError, match=r"evil\.tar\.zst: expected|bundle\.json: expected"):
            read_archive(evil, out)
        assert set(contents(out)) <= {CONTENTS}
        assert not any(path.is_symlink() for path in out.rglob("*"))
    assert not [*(tmp_path / "outside").iterdir()]
    assert not (tmp_path / "outside.txt").exists()


def test_a_file_is_written_only_with_the_size_and_hash_it_is_listed_with(tmp_path):
    for content in (b"others", b"other bytes"):
        first = described({"a.txt": listed(b"as is.")}, tmp_path / "described")
        path = packed(tmp_path / "x.tar.zst", [first, (tarfile.TarInfo("a.txt"), content)])
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected a whole bundle.*a\.txt"):
            read_archive(path, tmp_path / f"out{len(content)}")


def test_a_small_archive_does_not_become_a_large_folder(tmp_path):
    """The same zeros, whether they are listed, stand in a header, or follow the last file."""
    zeros = bytes(80 << 20)
    header = tarfile.TarInfo("long")
    header.type = tarfile.XHDTYPE
    cases = {
        "listed": ({"a.bin": listed(zeros)}, tarfile.TarInfo("a.bin")),
        "header": ({}, header),
        "unlisted": ({}, tarfile.TarInfo("a.bin")),
    }
    for name, (files, member) in cases.items():
        first = described(files, tmp_path / "described")
        path = packed(tmp_path / "x.tar.zst", [first, (member, zeros)])
        assert path.stat().st_size < 100_000
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected a whole bundle"):
            read_archive(path, tmp_path / name)
        assert sum(map(len, contents(tmp_path / name).values())) < 10_000


def test_what_a_bundle_cannot_hold_is_named(folder):
    (folder / "b.txt").symlink_to(folder / "a.txt")
    (problem,) = contents_of(describe_files(folder)).check(folder)
    assert problem.file.endswith("b.txt")
    assert problem.found == "a symbolic link"
    (folder / "b.txt").unlink()
    contents = read_contents(folder)
    os.mkfifo(folder / "pipe")
    assert [problem.found for problem in contents.check(folder)] == ["a pipe or a device"]
    with pytest.raises(ValueError, match="at most 1000 characters"):
        contents_of({"/".join("a" * 2000): listed(b"")})
    with pytest.raises(ValueError, match="at most 20 parts"):
        contents_of({"/".join("a" * 21): listed(b"")})


@pytest.mark.parametrize(
    "behind",
    [
        zstandard.compress(b"hidden"),
        zstandard.compress(b""),
        struct.pack("<II", 0x184D2A50, 6) + b"hidden",
        b"hidden",
    ],
)
def test_nothing_lies_between_the_frame_and_the_seal(folder, tmp_path, behind):
    path = tmp_path / "a.tar.zst"
    archive.write_archive(folder, path)
    path.write_bytes(sealed(path.read_bytes()[:-40] + behind))
    with pytest.raises(InputError, match="bytes behind its frame, where the seal has 40"):
        read_archive(path, tmp_path / "unpacked")
