"""Banks of test questions and of nuggets, as the RUBRIC workbench has them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.banks.exams import (
    read_exams,
    read_query_texts,
    write_exams,
)
from sidelight.schemas.grading.rubric import ExamBank, bank_version, exam_item_id, new_item
from tests.helpers.public_data import PublicData


def bank(*texts: str, topic_id: str = "q", subtopic_id: str = "") -> ExamBank:
    return ExamBank(
        topic_id=topic_id,
        subtopic_id=subtopic_id,
        query_text="what is a bog",
        kind="question",
        tests=tuple(new_item(topic_id, text, subtopic_id) for text in texts),
    )


def test_an_id_is_the_md5_of_the_words() -> None:
    assert new_item("q", " Who? ").item_id == exam_item_id("q", "Who?")
    assert exam_item_id("q", "Who?").startswith("q/")
    assert exam_item_id("q", "Who?", "s") == exam_item_id("q", "Who?").replace("q/", "q/s/")


def test_a_version_is_of_what_is_asked_not_of_its_order() -> None:
    one = bank_version([bank("Who?", "Why?")])
    assert one == bank_version([bank("Why?", "Who?")])
    assert one != bank_version([bank("Who?")])
    assert one != bank_version([bank("Who?", "Why not?")])


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.jsonl.gz"])
def test_new_banks_are_read_as_they_were_written(tmp_path: Path, name: str) -> None:
    banks = (bank("Who?", "Why?"), bank("When?", topic_id="r", subtopic_id="s"), bank(topic_id="x"))
    write_exams(tmp_path / name, banks)
    found = read_exams(tmp_path / name)
    assert bank_version(found) == bank_version(banks)
    assert [(one.key, one.query_text, one.kind) for one in found] == [
        (one.key, one.query_text, one.kind) for one in banks
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rubric-dl19/questions.jsonl.gz", "question"),
        ("rubric-dl20/dl20-questions.jsonl.gz", "question"),
        ("rubric-dl20/dl20-nuggets.jsonl.gz", "nugget"),
    ],
)
def test_public_banks_keep_every_key(
    shared_data: PublicData, tmp_path: Path, name: str, kind: str
) -> None:
    banks = read_exams(shared_data / name)
    assert {one.kind for one in banks} == {kind}
    assert {len(one.items) for one in banks} == {10}
    assert all(
        item.item_id == exam_item_id(one.topic_id, item.text) for one in banks for item in one.items
    )
    write_exams(tmp_path / "copy.jsonl.gz", banks)
    assert objects(tmp_path / "copy.jsonl.gz") == objects(shared_data / name)


def objects(path: Path) -> list[Any]:
    with gzip.open(path) as stream:
        return [list(json.loads(line).items()) for line in stream]


ITEM = {"question_id": "q/1", "question_text": "Who?"}


def line(*items: dict[str, str], **changes: object) -> str:
    return json.dumps({"query_id": "q", "query_text": "", "items": items} | changes)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([line(ITEM), line()], "one line for a query or subtopic; found a second one for q"),
        ([line(ITEM, ITEM)], "item q/1 occurs twice"),
        ([line({"question_id": "q/1"})], "items that all have question_id"),
        ([line(ITEM, {"nugget_id": "q/2", "nugget_text": "x"})], "items that all have"),
        (['{"query_id": "q", "query_text": ""}'], "no items"),
        ([line(ITEM, query_id=7)], "query_id"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: list[str], says: str) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InvalidFileError, match=says):
        read_exams(path)


def test_an_empty_file_is_no_bank(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match="found no line"):
        read_exams(path)


def test_queries_are_an_object_or_lines(shared_data: PublicData, tmp_path: Path) -> None:
    queries = read_query_texts(shared_data / "rubric-dl20" / "dl20-queries.json")
    assert len(queries) == 54
    (tmp_path / "queries.json").write_text(json.dumps(queries))
    assert read_query_texts(tmp_path / "queries.json") == queries
    (tmp_path / "queries.tsv").write_text("7\twhat is a bog\n")
    assert read_query_texts(tmp_path / "queries.tsv") == {"7": "what is a bog"}


@pytest.mark.parametrize("content", ['{"7": ""}', '{"7": 1}', '{"7": "x"', '{"": "x"}'])
def test_what_is_no_query_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "queries.json").write_text(content)
    with pytest.raises(InvalidFileError):
        read_query_texts(tmp_path / "queries.json")


def test_a_query_with_two_texts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "queries.json"
    path.write_text('{"1": "what is peat", "1": "what is coal"}')
    with pytest.raises(InvalidFileError, match="each key once"):
        read_query_texts(path)
