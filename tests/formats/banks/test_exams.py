"""Banks of test questions and of nuggets, as the RUBRIC workbench has them."""

import gzip
import json

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.banks.exams import read_exams, read_query_texts, write_exams
from sidelight.schemas.grading.rubric import ExamBank, bank_version, exam_item_id, new_item


def bank(*texts, topic_id="q", subtopic_id=""):
    return ExamBank(
        topic_id=topic_id,
        subtopic_id=subtopic_id,
        query_text="what is a bog",
        kind="question",
        tests=tuple(new_item(topic_id, text, subtopic_id) for text in texts),
    )


def test_an_id_is_the_md5_of_the_words_and_a_version_of_what_is_asked():
    assert new_item("q", " Who? ").item_id == exam_item_id("q", "Who?")
    assert exam_item_id("q", "Who?").startswith("q/")
    assert exam_item_id("q", "Who?", "s") == exam_item_id("q", "Who?").replace("q/", "q/s/")
    one = bank_version([bank("Who?", "Why?")])
    assert one == bank_version([bank("Why?", "Who?")])
    assert one != bank_version([bank("Who?")])
    assert one != bank_version([bank("Who?", "Why not?")])


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.jsonl.gz"])
def test_new_banks_are_read_as_they_were_written(tmp_path, name):
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
def test_public_banks_keep_every_key(shared_data, tmp_path, name, kind):
    banks = read_exams(shared_data / name)
    assert {one.kind for one in banks} == {kind}
    assert {len(one.items) for one in banks} == {10}
    assert all(
        item.item_id == exam_item_id(one.topic_id, item.text) for one in banks for item in one.items
    )
    write_exams(tmp_path / "copy.jsonl.gz", banks)
    assert objects(tmp_path / "copy.jsonl.gz") == objects(shared_data / name)


def objects(path):
    with gzip.open(path) as stream:
        return [list(json.loads(line).items()) for line in stream]


ITEM = {"question_id": "q/1", "question_text": "Who?"}


def line(*items, **changes):
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
        ([], "found no line"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, lines, says):
    path = tmp_path / "bank.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=says):
        read_exams(path)


def test_queries_are_an_object_or_lines(shared_data, tmp_path):
    queries = read_query_texts(shared_data / "rubric-dl20" / "dl20-queries.json")
    assert len(queries) == 54
    (tmp_path / "queries.json").write_text(json.dumps(queries))
    assert read_query_texts(tmp_path / "queries.json") == queries
    (tmp_path / "queries.tsv").write_text("7\twhat is a bog\n")
    assert read_query_texts(tmp_path / "queries.tsv") == {"7": "what is a bog"}


@pytest.mark.parametrize(
    "content", ['{"7": ""}', '{"7": 1}', '{"7": "x"', '{"": "x"}', '{"1": "a", "1": "b"}']
)
def test_what_is_no_query_is_refused(tmp_path, content):
    (tmp_path / "queries.json").write_text(content)
    with pytest.raises(InvalidFileError):
        read_query_texts(tmp_path / "queries.json")
