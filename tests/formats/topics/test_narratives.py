from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.topics import read_narratives
from sidelight.schemas.topic import Narrative
from sidelight.tracks import load_track
from tests.helpers.public_data import PublicData


def read(folder: Path, text: str) -> tuple[Narrative, ...]:
    path = folder / "topics.jsonl"
    path.write_text(text, encoding="utf-8")
    return read_narratives(path)


def test_reads_narratives_in_file_order(tmp_path: Path) -> None:
    text = (
        '{"id": "7", "title": "I want to know."}\n\n'
        '{"id": "007", "title": "Why?", "sub_questions": ["Since when?"], "more": 1}\n'
    )
    assert read(tmp_path, text) == (
        Narrative(topic_id="7", narrative="I want to know."),
        Narrative(topic_id="007", narrative="Why?", sub_questions=("Since when?",)),
    )


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "topics-empty", None),
        ('{"id": "1"}\n', "key-missing", 1),
        ('{"id": 1, "title": "A."}\n', "value", 1),
        ('{"id": "", "title": "A."}\n', "value", 1),
        ('{"id": "1", "title": "A."}\n{"id": "1", "title": "B."}\n', "topic-duplicate", 2),
        ('{"docid": "1", "body": "An article."}\n', "key-missing", 1),
    ],
)
def test_what_is_no_narrative_is_refused(
    tmp_path: Path, text: str, code: str, line: int | None
) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read(tmp_path, text)
    assert (caught.value.problems[0].code, caught.value.problems[0].line) == (code, line)


def test_reads_the_narratives_of_the_track(shared_data: PublicData) -> None:
    narratives = read_narratives(shared_data / "rag-2025" / "topics.jsonl")
    assert {one.topic_id for one in narratives} == set(load_track("rag2025").topic_ids)
