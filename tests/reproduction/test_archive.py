"""Archives: the same bytes for the same folder, and no change of a byte goes unseen."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from sidelight.errors import InputError
from sidelight.reproduction.archive import read_archive, write_archive

SEED = 7


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n" * 1000)
    (folder / "inner" / "b.bin").write_bytes(random.Random(SEED).randbytes(5000))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_an_archive_holds_the_folder_and_has_the_same_bytes_again(
    folder: Path, tmp_path: Path
) -> None:
    write_archive(folder, tmp_path / "first.tar.zst")
    (folder / "a.txt").touch()
    write_archive(folder, tmp_path / "second.tar.zst")
    assert (tmp_path / "first.tar.zst").read_bytes() == (tmp_path / "second.tar.zst").read_bytes()
    read_archive(tmp_path / "first.tar.zst", tmp_path / "out")
    assert contents(tmp_path / "out") == contents(folder)


def test_other_tools_unpack_it(folder: Path, tmp_path: Path) -> None:
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


def test_every_change_of_a_byte_and_every_cut_is_seen(folder: Path, tmp_path: Path) -> None:
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
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= choose.randrange(1, 256)
        archive.write_bytes(changed)
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected"):
            read_archive(archive, tmp_path / "out")
    for size in (0, 10, 39, 40, 41, len(whole) - 1, len(whole) + 1):
        archive.write_bytes((whole + b"\0")[:size])
        with pytest.raises(InputError, match=r"x\.tar\.zst: expected"):
            read_archive(archive, tmp_path / "out")


def test_nothing_is_unpacked_outside_the_folder(tmp_path: Path) -> None:
    import tarfile

    import zstandard

    archive = tmp_path / "evil.tar.zst"
    with (
        archive.open("wb") as raw,
        zstandard.ZstdCompressor().stream_writer(raw) as stream,
        tarfile.open(fileobj=stream, mode="w|") as tar,
    ):
        tar.addfile(tarfile.TarInfo("../outside.txt"))
    with pytest.raises(InputError, match="outside"):
        read_archive(archive, tmp_path / "out")
    assert not (tmp_path / "outside.txt").exists()


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.tar\.zst: cannot be read"):
        read_archive(tmp_path / "none.tar.zst", tmp_path / "out")
