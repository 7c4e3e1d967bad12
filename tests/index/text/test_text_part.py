from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sidelight.errors import InputError, InvalidFileError, MachineError
from sidelight.index.build import OTHERS, BuildTextPart, TextPart, text_parts
from sidelight.index.folder import DOCSTORE, LUCENE
from sidelight.index.lucene.segments import LuceneIndex
from sidelight.index.manifest import PartReport
from sidelight.index.text.corpus import MS_MARCO, CorpusFields
from sidelight.index.text.docstore import Docstore
from tests.helpers.indexes.generated_collection import write_collection

NAME = "msmarco_v2.1_doc_00"


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shard as published of sixty segments."""
    return write_collection(tmp_path_factory.mktemp("shard"), 60, shards=1, seed=2)[0]


@pytest.fixture
def lines(shard: Path) -> list[bytes]:
    return gzip.decompress(shard.read_bytes()).splitlines(keepends=True)


def build(folder: Path, part: TextPart, *, strict: bool = False) -> PartReport:
    folder.mkdir(exist_ok=True)
    return BuildTextPart(folder, MS_MARCO, frozenset({NAME, part.name}), strict)(part)


def test_shards_as_published_are_parts_and_all_others_are_one() -> None:
    paths = [
        Path("a/msmarco_v2.1_doc_segmented_07.json.gz"),
        Path("own.jsonl"),
        Path("msmarco_v2.1_doc_segmented_10.json"),
        Path("msmarco_v2.1_doc_segmented_7.json.gz"),
    ]
    assert text_parts(paths, MS_MARCO) == [
        TextPart("msmarco_v2.1_doc_07", (paths[0],)),
        TextPart("msmarco_v2.1_doc_10", (paths[2],)),
        TextPart(OTHERS, (paths[1], paths[3])),
    ]
    assert text_parts(paths[:1], CorpusFields(id="no")) == [TextPart(OTHERS, (paths[0],))]
    with pytest.raises(InputError, match="expected each shard once"):
        text_parts([paths[0], Path("b") / paths[0].name], MS_MARCO)


def test_a_machine_that_does_not_see_the_folder_makes_none_of_its_own(
    shard: Path, tmp_path: Path
) -> None:
    work = BuildTextPart(tmp_path / "elsewhere", MS_MARCO, frozenset({NAME}), strict=False)
    with pytest.raises(MachineError, match="expected the folder of the build") as caught:
        work(TextPart(NAME, (shard,)))
    assert "all machines share" in caught.value.remedy
    assert not work.folder.exists()


class Broken(NamedTuple):
    """What becomes of a shard of sixty sound lines.

    Attributes:
        spoil: Breaks the lines, or the packed file.
        kept: How many segments are left.
        line: The first line refused.
        code: Why.
    """

    spoil: Callable[[list[bytes]], bytes]
    kept: int
    line: int
    code: str


def packed(lines: list[bytes]) -> bytes:
    return gzip.compress(b"".join(lines))


def with_first(old: bytes, new: bytes) -> Callable[[list[bytes]], bytes]:
    return lambda lines: packed([lines[0].replace(old, new, 1), *lines[1:]])


BROKEN = {
    # What follows a line too many is no longer where its ids say.
    "a line too many": Broken(
        lambda lines: packed([*lines[:3], b"{}\n", *lines[3:]]), 3, 4, "key-missing"
    ),
    "not JSON": Broken(with_first(b"{", b"("), 59, 1, "json-syntax"),
    "not UTF-8": Broken(with_first(b"{", b"\xff"), 59, 1, "invalid-utf8"),
    "no text": Broken(with_first(b'"segment"', b'"sogment"'), 59, 1, "key-missing"),
    "an id of another shard": Broken(
        with_first(b"_00_0#0_0", b"_01_0#0_0"), 59, 1, "segment-place"
    ),
    "an id of another kind": Broken(with_first(b"_00_0#0_0", b"-00-0#0_0"), 59, 1, "segment-place"),
    "a line twice": Broken(lambda lines: packed([*lines, lines[7]]), 60, 61, "segment-place"),
    "cut": Broken(
        lambda lines: packed(lines[:50]) + packed(lines[50:])[:60], 50, 51, "shard-damaged"
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_shard_is_reported_and_the_rest_of_it_kept(
    name: str, lines: list[bytes], tmp_path: Path
) -> None:
    broken = BROKEN[name]
    shard = tmp_path / "msmarco_v2.1_doc_segmented_00.json.gz"
    shard.write_bytes(broken.spoil(lines))
    part = TextPart(NAME, (shard,))
    (report,) = build(tmp_path, part).shards
    first = report.problems[0]
    assert (report.segments, first.code, first.line) == (broken.kept, broken.code, broken.line)
    assert (report.name, first.file) == (shard.name, shard.name)
    with Docstore(tmp_path / NAME / DOCSTORE) as docstore:
        kept = list(docstore)
        assert len(kept) == len(docstore) == broken.kept
        assert docstore.get_many([one.segment_id for one in kept]) == kept
    assert len(LuceneIndex(tmp_path / NAME / LUCENE).searcher()) == broken.kept
    with pytest.raises(InvalidFileError, match=broken.code):
        build(tmp_path / "strict", part, strict=True)


def test_other_shards_do_not_hold_what_a_shard_as_published_holds(tmp_path: Path) -> None:
    shard = tmp_path / "own.jsonl"
    shard.write_text(
        f'{{"docid": "{NAME}_5#0_0", "segment": "hidden"}}\n{{"docid": "own", "segment": "seen"}}\n'
        f'{{"docid": "{NAME}_5", "segment": "a whole document"}}\n'
    )
    report = build(tmp_path, TextPart(OTHERS, (shard,)))
    assert report.documents == 2
    assert [problem.code for problem in report.shards[0].problems] == ["segment-shard"]


def test_a_part_goes_on_with_the_index_when_its_text_is_there(shard: Path, tmp_path: Path) -> None:
    part = TextPart(NAME, (shard,))
    report = build(tmp_path, part)
    (tmp_path / NAME).rename(tmp_path / f"{NAME}.part")
    left = tmp_path / f"{NAME}.part" / LUCENE
    for file in list(left.iterdir())[::2]:
        file.unlink()
    # That the shard is not read again shows in that it may be gone.
    assert build(tmp_path, TextPart(NAME, (tmp_path / "gone.json",))) == report
    assert len(LuceneIndex(tmp_path / NAME / LUCENE).searcher()) == 60
