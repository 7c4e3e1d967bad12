from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sidelight.errors import InputError
from sidelight.index.docstore import Docstore, DuplicateSegmentError, write_docstore
from sidelight.schemas.segment import Segment


@pytest.fixture
def docstore(small_corpus: list[Segment], tmp_path: Path) -> Iterator[Docstore]:
    shuffled = random.Random(1).sample(small_corpus, len(small_corpus))
    assert write_docstore(tmp_path / "s.sqlite", shuffled) == 40
    with Docstore(tmp_path / "s.sqlite") as opened:
        yield opened


def test_holds_what_was_written_in_the_order_of_ids(
    docstore: Docstore, small_corpus: list[Segment]
) -> None:
    expected = sorted(small_corpus, key=lambda segment: segment.segment_id)
    assert list(docstore) == expected
    assert list(docstore.ids()) == [segment.segment_id for segment in expected]
    assert list(docstore.after(expected[30].segment_id)) == expected[31:]
    assert len(docstore) == 40
    assert expected[3].segment_id in docstore
    assert "no such id" not in docstore


def test_pages_of_ids_join(tmp_path: Path) -> None:
    segments = [Segment(segment_id=f"{n}", text="t") for n in range(2500)]
    write_docstore(tmp_path / "s.sqlite", segments)
    with Docstore(tmp_path / "s.sqlite") as docstore:
        assert list(docstore.ids()) == sorted(s.segment_id for s in segments)
        assert list(docstore.get_many([s.segment_id for s in segments])) == segments


def test_get_many_keeps_the_order_asked_for(
    docstore: Docstore, small_corpus: list[Segment]
) -> None:
    asked = [small_corpus[n] for n in (7, 3, 39, 3)]
    assert docstore.get_many([segment.segment_id for segment in asked]) == asked
    assert docstore.get_many([]) == []
    with pytest.raises(InputError, match="'invented'"):
        docstore.get_many([small_corpus[0].segment_id, "invented"])


def test_segments_of_a_document_are_in_the_order_of_its_text(tmp_path: Path) -> None:
    windows = [
        Segment(segment_id=f"d_doc_00_1#{n}_{n}", text=f"{n}", start_char=n) for n in range(12)
    ]
    others = [Segment(segment_id="d_doc_00_10#0_0", text="x"), Segment(segment_id="7", text="y")]
    write_docstore(tmp_path / "s.sqlite", [*others, *windows])
    with Docstore(tmp_path / "s.sqlite") as docstore:
        assert docstore.segments_of("d_doc_00_1") == windows
        assert docstore.segments_of("7") == [others[1]]
        assert docstore.segments_of("d_doc_00_") == []


def test_a_second_segment_of_one_id_is_refused(small_corpus: list[Segment], tmp_path: Path) -> None:
    with pytest.raises(DuplicateSegmentError, match=small_corpus[5].segment_id):
        write_docstore(tmp_path / "s.sqlite", [*small_corpus, small_corpus[5]])


def test_many_threads_may_read(docstore: Docstore, small_corpus: list[Segment]) -> None:
    ids = [segment.segment_id for segment in small_corpus]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: docstore.get_many(ids), range(40)))
    assert all(result == small_corpus for result in results)
