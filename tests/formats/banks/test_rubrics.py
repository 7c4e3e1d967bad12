"""Rubrics, nuggets and exams: read, written, and refused with the place of what is wrong."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.banks.exams import read_exams, read_query_texts, write_exams
from sidelight.formats.banks.nuggets import read_nuggets
from sidelight.formats.banks.rubrics import read_rubric, read_rubrics, write_rubric
from sidelight.schemas.grading.rubric import (
    ExamBank,
    Rubric,
    RubricAnswer,
    RubricQuestion,
    bank_version,
    exam_item_id,
    new_item,
)
from sidelight.tracks import load_track

SCALES = load_track().scales


def official(topic_id="t_1"):
    return {
        "topic_id": topic_id,
        "annotator": "a key nobody needs",
        "rubrics": [
            {
                "question_id": f"{topic_id}-1",
                "question_text": "Who publishes the paper?",
                "importance": "A: Have to Know",
                "short_answers": [
                    {"answer_id": "na-1", "answer_text": "A trust.", "references": ["https://a"]},
                    {"answer_id": "na-2", "answer_text": "It is left-leaning.", "references": []},
                ],
            },
            {
                "question_id": f"{topic_id}-2",
                "question_text": "Who is the author?",
                "importance": "C: Nice to Know",
                "short_answers": [{"answer_id": "na-3", "answer_text": "A columnist."}],
            },
        ],
    }


def write_json(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_reads_the_official_fields_and_likely_other_keys(tmp_path):
    rubric = read_rubric(write_json(tmp_path / "t_1.json", official()), SCALES)
    assert (rubric.topic_id, rubric.total_weight) == ("t_1", 4 + 1)
    importance = SCALES["importance"].label
    assert [(question.rank, question.importance) for question in rubric.questions] == [
        *((1, importance("have to know")), (2, importance("nice to know")))
    ]
    assert rubric.questions[0].answers == (
        RubricAnswer(answer_id="na-1", text="A trust.", references=("https://a",)),
        RubricAnswer(answer_id="na-2", text="It is left-leaning."),
    )
    path = tmp_path / "r.json"
    for key in ["short_answer", "answer", "text"]:
        content = json.dumps(official()).replace("answer_text", key)
        content = content.replace('"https://a"', '{"url": "https://b"}, "https://c"')
        path.write_text(content, encoding="utf-8-sig")
        first, second = read_rubric(path, SCALES).questions
        assert second.answers[0].text == "A columnist."
        assert first.answers[0].references == ("https://b", "https://c")


def test_what_is_no_rubric_is_refused_with_its_place(tmp_path):
    for change, place in [
        (lambda c: c.pop("topic_id"), "topic_id"),
        (lambda c: c.update(rubrics=[]), "rubrics"),
        (lambda c: c["rubrics"][0].update(importance="Have to Know"), "rubrics.0.importance"),
        (lambda c: c["rubrics"][0].update(importance=4), "rubrics.0.importance"),
        (lambda c: c["rubrics"][1].update(question_id="t_1-x"), "rubrics.1.question_id"),
        (lambda c: c["rubrics"][1].update(question_id="t_1-0"), "rubrics.1.question_id"),
        (lambda c: c["rubrics"][1].update(short_answers=[]), "rubrics.1.short_answers"),
        (lambda c: c["rubrics"][0]["short_answers"][1].pop("answer_text"), "short_answers.1"),
        (lambda c: c["rubrics"][1].update(question_id="other-1"), "question rank 1"),
        (lambda c: c["rubrics"][1]["short_answers"][0].update(answer_id="na-1"), "answer id na-1"),
    ]:
        content = official()
        change(content)
        path = write_json(tmp_path / "r.json", content)
        with pytest.raises(InvalidFileError) as caught:
            read_rubric(path, SCALES)
        assert caught.value.problems[0].file == str(path)
        assert place in caught.value.problems[0].found
    whole = json.dumps(official()).encode()
    twice = b'"importance": "C: Nice to Know", "importance": "A: Have to Know"'
    twice = whole.replace(b'"importance": "A: Have to Know"', twice)
    nothing = [(content, "a rubric") for content in (b"", b"[]", b"\xff\xfe{}")]
    for content, says in [(twice, "each key once"), *nothing]:
        path.write_bytes(content)
        with pytest.raises(InvalidFileError, match=says):
            read_rubric(path, SCALES)


def test_a_folder_is_read_sorted_by_topic_id(tmp_path):
    (tmp_path / "notes.txt").write_text("not a rubric")
    with pytest.raises(InputError, match="found none"):
        read_rubrics(tmp_path, SCALES)
    with pytest.raises(InputError, match=r"no such folder\nCheck the path; did you mean"):
        read_rubrics(tmp_path.with_name(tmp_path.name[:-1]), SCALES)
    write_json(tmp_path / "a.json", official("t_2"))
    write_json(tmp_path / "b.json", official("t_1"))
    assert list(read_rubrics(tmp_path, SCALES)) == ["t_1", "t_2"]
    write_json(tmp_path / "c.json", official("t_1"))
    with pytest.raises(InputError, match="second rubric"):
        read_rubrics(tmp_path, SCALES)


text = st.text(min_size=1)


def question(rank):
    """Questions of a rank, each with an answer."""
    links = st.lists(text, max_size=2).map(tuple)
    answer = st.builds(RubricAnswer, answer_id=st.just(f"na-{rank}"), text=text, references=links)
    return st.builds(
        RubricQuestion,
        question_id=st.just(f"topic-{rank}"),
        rank=st.just(rank),
        text=text,
        importance=st.sampled_from(SCALES["importance"].labels),
        answers=st.tuples(answer),
    )


RANKS = st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True)
QUESTIONS = RANKS.flatmap(lambda ranks: st.tuples(*map(question, ranks)))


@given(rubric=st.builds(Rubric, topic_id=text, questions=QUESTIONS))
def test_what_is_written_reads_back(tmp_path_factory, rubric):
    path = tmp_path_factory.getbasetemp() / "rubric.json"
    write_rubric(path, rubric)
    assert read_rubric(path, SCALES) == rubric


IMPORTANCE = load_track("rag2025").scales["nugget_importance"]


def topic(qid, *importances):
    nuggets = [
        {"text": f"Fact {place}.", "importance": one, "source": "original"}
        for place, one in enumerate(importances)
    ]
    return json.dumps({"qid": qid, "nuggets": nuggets})


def test_what_is_wrong_with_nuggets_is_named(tmp_path):
    path = tmp_path / "nuggets.jsonl"
    path.write_text(topic("58", "vital", "okay", "vital") + "\n")
    (bank,) = read_nuggets(path, IMPORTANCE).values()
    assert [item.text for item in bank.items] == ["Fact 0.", "Fact 1.", "Fact 2."]
    assert bank.total_weight == 2.5
    for lines, says in [
        ([topic("1", "good to know")], "expected one of vital, okay"),
        ([topic("1", "vital"), topic("1", "okay")], "earlier line has for topic 1; found others"),
        ([topic("1")], "nuggets"),
        (['{"qid": "1"}'], "nuggets"),
        ([topic("1", "vital").replace('"vital"', '"vital", "weight": 1e308')], r":1: .*1e\+308"),
    ]:
        path.write_text("\n".join(lines) + "\n")
        with pytest.raises(InvalidFileError, match=says):
            read_nuggets(path, IMPORTANCE)


def test_public_banks_are_read_and_keep_every_key(shared_data, tmp_path):
    banks = read_nuggets(shared_data / "rag-2025" / "nuggets.jsonl", IMPORTANCE)
    items = [item for bank in banks.values() for item in bank.items]
    assert (len(banks), len(items)) == (22, 1255)
    assert sum(item.importance.name == "vital" for item in items) == 925
    for name, kind in [
        ("rubric-dl19/questions.jsonl.gz", "question"),
        ("rubric-dl20/dl20-questions.jsonl.gz", "question"),
        ("rubric-dl20/dl20-nuggets.jsonl.gz", "nugget"),
    ]:
        banks = read_exams(shared_data / name)
        assert {one.kind for one in banks} == {kind}
        assert {len(one.items) for one in banks} == {10}
        assert all(
            item.item_id == exam_item_id(one.topic_id, item.text)
            for one in banks
            for item in one.items
        )
        write_exams(tmp_path / "copy.jsonl.gz", banks)
        assert objects(tmp_path / "copy.jsonl.gz") == objects(shared_data / name)
    queries = read_query_texts(shared_data / "rubric-dl20" / "dl20-queries.json")
    assert len(queries) == 54


# Banks of test questions and of nuggets, as the RUBRIC workbench has them.


def bank(*texts, topic_id="q", subtopic_id=""):
    return ExamBank(
        topic_id=topic_id,
        subtopic_id=subtopic_id,
        query_text="what is a bog",
        kind="question",
        tests=tuple(new_item(topic_id, text, subtopic_id) for text in texts),
    )


def test_banks_and_queries_are_read_as_they_were_written(tmp_path):
    assert new_item("q", " Who? ").item_id == exam_item_id("q", "Who?")
    assert exam_item_id("q", "Who?").startswith("q/")
    assert exam_item_id("q", "Who?", "s") == exam_item_id("q", "Who?").replace("q/", "q/s/")
    one = bank_version([bank("Who?", "Why?")])
    assert one == bank_version([bank("Why?", "Who?")])
    assert one != bank_version([bank("Who?")])
    assert one != bank_version([bank("Who?", "Why not?")])
    banks = (bank("Who?", "Why?"), bank("When?", topic_id="r", subtopic_id="s"), bank(topic_id="x"))
    for name in ["bank.jsonl", "bank.jsonl.gz"]:
        write_exams(tmp_path / name, banks)
        found = read_exams(tmp_path / name)
        assert bank_version(found) == bank_version(banks)
        seen = [(one.key, one.query_text, one.kind) for one in found]
        assert seen == [(one.key, one.query_text, one.kind) for one in banks]
    queries = {"7": "what is a bog", "q": "why"}
    path = tmp_path / "queries"
    for content in (json.dumps(queries), "7\twhat is a bog\nq\twhy\n"):
        path.write_text(content)
        assert read_query_texts(path) == queries
    for content in ['{"7": ""}', '{"7": 1}', '{"7": "x"', '{"": "x"}', '{"1": "a", "1": "b"}']:
        path.write_text(content)
        with pytest.raises(InvalidFileError):
            read_query_texts(path)


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
def test_what_is_wrong_with_exams_is_named(tmp_path, lines, says):
    path = tmp_path / "bank.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=says):
        read_exams(path)
