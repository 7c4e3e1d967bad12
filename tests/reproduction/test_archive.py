"""Archives: the same bytes for the same folder, and no change of a byte goes unseen."""

import hashlib
import io
import os
import random
import struct
import subprocess
import tarfile
from pathlib import Path

import orjson
import pytest
import zstandard

from sidelight.errors import InputError
from sidelight.reproduction.archive import (
    CONTENTS,
    BundledFile,
    Contents,
    describe_files,
    read_archive,
    read_contents,
    write_archive,
)

SEED = 7


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n" * 1000)
    (folder / "inner" / "b.bin").write_bytes(random.Random(SEED).randbytes(5000))
    (folder / "inner" / ("long-é-" * 20 + ".txt")).write_text("a name that needs a header\n")
    contents_of(describe_files(folder)).write(folder)
    return folder


def contents_of(files: dict[str, BundledFile]) -> Contents:
    return Contents(
        sidelight="1",
        python="3",
        platform="",
        packages={},
        models={},
        index="",
        prompts={},
        files=files,
    )


def listed(content: bytes) -> BundledFile:
    return BundledFile(size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def packed(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    """Write an archive of any members, sealed as `write_archive` seals."""
    with (
        path.open("wb") as raw,
        zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    whole = path.read_bytes()
    seal = struct.pack("<II32s", 0x184D2A50, 32, hashlib.sha256(whole).digest())
    path.write_bytes(whole + seal)
    return path


def described(files: dict[str, BundledFile], folder: Path) -> tuple[tarfile.TarInfo, bytes]:
    """The member that says what is in an archive, whatever that is."""
    folder.mkdir(exist_ok=True)
    contents_of({}).write(folder)
    tree = orjson.loads((folder / CONTENTS).read_bytes())
    tree["files"] = {name: file.model_dump() for name, file in files.items()}
    return tarfile.TarInfo(CONTENTS), orjson.dumps(tree)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_archive_holds_the_folder_and_has_the_same_bytes_again(folder, tmp_path):
    write_archive(folder, tmp_path / "first.tar.zst")
    (folder / "a.txt").touch()
    write_archive(folder, tmp_path / "second.tar.zst")
    assert (tmp_path / "first.tar.zst").read_bytes() == (tmp_path / "second.tar.zst").read_bytes()
    read_archive(tmp_path / "first.tar.zst", tmp_path / "out")
    assert contents(tmp_path / "out") == contents(folder)


def test_other_tools_unpack_it(folder, tmp_path):
    write_archive(folder, tmp_path / "x.tar.zst")
    (tmp_path / "out").mkdir()
    zstd = subprocess.run(["zstd", "--version"], capture_output=True, check=False)
    if zstd.returncode:
        pytest.skip("needs the command zstd, which is not there")
    subprocess.run(
        ["tar", "--zstd", "-xf", str(tmp_path / "x.tar.zst"), "-C", str(tmp_path / "out")],
        check=True,
    )
    assert contents(tmp_path / "out") == contents(folder)


def test_every_change_of_a_byte_and_every_cut_is_seen(folder, tmp_path):
    archive = tmp_path / "x.tar.zst"
    write_archive(folder, archive)
    whole = archive.read_bytes()
    choose = random.Random(SEED)
    # The header and the seal are where a change would harm nothing that is unpacked.
    places = [
        *range(12),
        *range(len(whole) - 44, len(whole)),
        *choose.sample(range(len(whole)), 60),
    ]
    for attempt, place in enumerate(places):
        changed = bytearray(whole)
        changed[place] ^= choose.randrange(1, 256)
        archive.write_bytes(changed)
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected"):
            read_archive(archive, tmp_path / "out" / str(attempt))
    sizes = (0, 10, 39, 40, 41, len(whole) - 1, len(whole) + 1)
    for attempt, size in enumerate(sizes, start=len(places)):
        archive.write_bytes((whole + b"\0")[:size])
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected"):
            read_archive(archive, tmp_path / "out" / str(attempt))


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def chain_of_links() -> list[tuple[tarfile.TarInfo, bytes]]:
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
        archive = packed(tmp_path / "evil.tar.zst", [first, *members])
        out = tmp_path / f"out{len(named)}"
        with pytest.raises(InputError, match=r"evil\.tar\.zst: expected|bundle\.json: expected"):
            read_archive(archive, out)
        assert set(contents(out)) <= {CONTENTS}
        assert not any(path.is_symlink() for path in out.rglob("*"))
    assert not [*(tmp_path / "outside").iterdir()]
    assert not (tmp_path / "outside.txt").exists()


def test_a_file_is_written_only_with_the_size_and_hash_it_is_listed_with(tmp_path):
    for content in (b"others", b"other bytes"):
        first = described({"a.txt": listed(b"as is.")}, tmp_path / "described")
        archive = packed(tmp_path / "x.tar.zst", [first, (tarfile.TarInfo("a.txt"), content)])
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected a whole bundle.*a\.txt"):
            read_archive(archive, tmp_path / f"out{len(content)}")


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
        archive = packed(tmp_path / "x.tar.zst", [first, (member, zeros)])
        assert archive.stat().st_size < 100_000
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected a whole bundle"):
            read_archive(archive, tmp_path / name)
        assert sum(map(len, contents(tmp_path / name).values())) < 10_000


def test_links_in_an_unpacked_bundle_are_named(folder):
    (folder / "b.txt").symlink_to(folder / "a.txt")
    (problem,) = contents_of(describe_files(folder)).check(folder)
    assert problem.file.endswith("b.txt")
    assert problem.found == "a symbolic link"


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"7", b"null", b'"x"', b'{"format_version": 1e999}', b"[" * 9999]
)
def test_contents_of_something_else_are_refused(content, tmp_path):
    (tmp_path / CONTENTS).write_bytes(content)
    with pytest.raises(InputError, match=r"bundle\.json: expected what"):
        read_contents(tmp_path)


def test_a_missing_archive_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.tar\.zst: cannot be read"):
        read_archive(tmp_path / "none.tar.zst", tmp_path / "out")


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
    write_archive(folder, path)
    content = path.read_bytes()[:-40] + behind
    digest = hashlib.sha256(content).digest()
    path.write_bytes(content + struct.pack("<II", 0x184D2A50, len(digest)) + digest)
    with pytest.raises(InputError, match="bytes behind its frame, where the seal has 40"):
        read_archive(path, tmp_path / "unpacked")


def test_a_bundle_lists_no_name_of_endless_folders_and_holds_no_pipe(folder):
    contents = read_contents(folder)
    os.mkfifo(folder / "pipe")
    assert [problem.found for problem in contents.check(folder)] == ["a pipe or a device"]
    with pytest.raises(ValueError, match="at most 1000 characters"):
        contents_of({"/".join("a" * 2000): listed(b"")})
    with pytest.raises(ValueError, match="at most 20 parts"):
        contents_of({"/".join("a" * 21): listed(b"")})
