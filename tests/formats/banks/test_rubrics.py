from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.banks.rubrics import read_rubric, read_rubrics, write_rubric
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track

SCALES = load_track().scales


def official(topic_id: str = "t_1") -> dict[str, Any]:
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


def write_json(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_reads_the_official_fields(tmp_path: Path) -> None:
    rubric = read_rubric(write_json(tmp_path / "t_1.json", official()), SCALES)
    assert rubric.topic_id == "t_1"
    assert [question.rank for question in rubric.questions] == [1, 2]
    assert [question.importance for question in rubric.questions] == [
        SCALES["importance"].label("have to know"),
        SCALES["importance"].label("nice to know"),
    ]
    assert rubric.total_weight == 4 + 1
    assert rubric.questions[0].answers == (
        RubricAnswer(answer_id="na-1", text="A trust.", references=("https://a",)),
        RubricAnswer(answer_id="na-2", text="It is left-leaning."),
    )


@pytest.mark.parametrize("key", ["answer_text", "short_answer", "answer", "text"])
def test_reads_the_answer_text_under_every_likely_key(tmp_path: Path, key: str) -> None:
    content = official()
    for question in content["rubrics"]:
        for answer in question["short_answers"]:
            answer[key] = answer.pop("answer_text")
    rubric = read_rubric(write_json(tmp_path / "r.json", content), SCALES)
    assert rubric.questions[1].answers[0].text == "A columnist."


def test_reads_references_given_as_objects(tmp_path: Path) -> None:
    content = official()
    content["rubrics"][0]["short_answers"][0]["references"] = [{"url": "https://b"}, "https://c"]
    rubric = read_rubric(write_json(tmp_path / "r.json", content), SCALES)
    assert rubric.questions[0].answers[0].references == ("https://b", "https://c")


def test_accepts_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(official()), encoding="utf-8-sig")
    assert read_rubric(path, SCALES).topic_id == "t_1"


def _drop(content: dict[str, Any], *keys: str | int) -> None:
    *path, last = keys
    for key in path:
        content = content[key]  # type: ignore[index]
    del content[last]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda c: _drop(c, "topic_id"), "topic_id"),
        (lambda c: c.update(rubrics=[]), "rubrics"),
        (lambda c: c["rubrics"][0].update(importance="Have to Know"), "rubrics.0.importance"),
        (lambda c: c["rubrics"][0].update(importance=4), "rubrics.0.importance"),
        (lambda c: c["rubrics"][1].update(question_id="t_1-x"), "rubrics.1.question_id"),
        (lambda c: c["rubrics"][1].update(question_id="t_1-0"), "rubrics.1.question_id"),
        (lambda c: c["rubrics"][1].update(short_answers=[]), "rubrics.1.short_answers"),
        (
            lambda c: _drop(c, "rubrics", 0, "short_answers", 1, "answer_text"),
            "rubrics.0.short_answers.1",
        ),
        (lambda c: c["rubrics"][1].update(question_id="other-1"), "question rank 1"),
        (
            lambda c: c["rubrics"][1]["short_answers"][0].update(answer_id="na-1"),
            "answer id na-1",
        ),
    ],
)
def test_says_where_a_rubric_is_wrong(tmp_path: Path, change: Any, place: str) -> None:
    content = official()
    change(content)
    path = write_json(tmp_path / "r.json", content)
    with pytest.raises(InvalidFileError) as caught:
        read_rubric(path, SCALES)
    assert caught.value.problems[0].file == str(path)
    assert place in caught.value.problems[0].found


@pytest.mark.parametrize("content", [b"", b"[]", b'{"topic_id":', b"\xff\xfe{}"])
def test_refuses_what_is_not_a_json_object(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError):
        read_rubric(path, SCALES)


def test_an_importance_given_twice_is_refused(tmp_path: Path) -> None:
    path = write_json(tmp_path / "r.json", official())
    twice = '"importance": "C: Nice to Know", "importance": "A: Have to Know"'
    path.write_text(path.read_text().replace('"importance": "A: Have to Know"', twice))
    with pytest.raises(InvalidFileError, match="each key once"):
        read_rubric(path, SCALES)


def test_reads_a_folder_sorted_by_topic_id(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", official("t_2"))
    write_json(tmp_path / "b.json", official("t_1"))
    (tmp_path / "notes.txt").write_text("not a rubric")
    assert list(read_rubrics(tmp_path, SCALES)) == ["t_1", "t_2"]


def test_refuses_a_folder_without_rubrics(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found none"):
        read_rubrics(tmp_path, SCALES)


def test_refuses_two_rubrics_for_one_topic(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", official())
    write_json(tmp_path / "b.json", official())
    with pytest.raises(InputError, match="second rubric"):
        read_rubrics(tmp_path, SCALES)


text = st.text(min_size=1)


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    ranks = draw(st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True))
    return Rubric(
        topic_id=draw(text),
        questions=tuple(
            RubricQuestion(
                question_id=f"topic-{rank}",
                rank=rank,
                text=draw(text),
                importance=draw(st.sampled_from(SCALES["importance"].labels)),
                answers=(
                    RubricAnswer(
                        answer_id=f"na-{rank}",
                        text=draw(text),
                        references=tuple(draw(st.lists(text, max_size=2))),
                    ),
                ),
            )
            for rank in ranks
        ),
    )


@given(rubric=rubrics())
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, rubric: Rubric):
    path = tmp_path_factory.getbasetemp() / "rubric.json"
    write_rubric(path, rubric)
    assert read_rubric(path, SCALES) == rubric
