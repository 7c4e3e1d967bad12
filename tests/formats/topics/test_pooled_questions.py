"""Pooled questions, and articles that come with questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.topics import read_articles, read_pooled_questions, write_pooled_questions
from sidelight.schemas.topic import QuestionedArticle, parse_question_id, question_id
from sidelight.text import one_line

QUESTIONS = st.dictionaries(
    st.sampled_from(["a", "clueweb22-en0000-66-10629", "a-Q01"]),
    st.lists(st.text(min_size=1).map(one_line).filter(bool), min_size=1, max_size=5).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUESTIONS)
def test_what_is_written_is_read_again(
    tmp_path: Path, questions: dict[str, tuple[str, ...]]
) -> None:
    path = tmp_path / "pool.tsv"
    write_pooled_questions(path, questions)
    assert read_pooled_questions(path) == questions


@pytest.mark.parametrize("content", ["a-Q02\ta\tWho?\n", "a-Q01\ta\n", "a-Q01\ta\t \n"])
def test_what_is_wrong_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "pool.tsv"
    path.write_text(content)
    with pytest.raises(InvalidFileError):
        read_pooled_questions(path)


@given(st.text(min_size=1), st.integers(1, 999))
def test_an_id_tells_topic_and_number(topic_id: str, number: int) -> None:
    if "\n" not in topic_id:
        assert parse_question_id(question_id(topic_id, number)) == (topic_id, number)


@pytest.mark.parametrize("text", ["a-Q1", "a-Q001", "-Q01", "a", "a-Q", "a-Q0１"])
def test_what_is_no_id(text: str) -> None:
    assert parse_question_id(text) is None


def test_an_article_may_come_with_questions(tmp_path: Path) -> None:
    path = tmp_path / "topics.jsonl"
    path.write_text(
        '{"docid": "a", "body": "Words."}\n'
        '{"docid": "b", "body": "Words.", "questions": ["Who?", "Why?"]}\n'
    )
    plain, asked = read_articles(path)
    assert not isinstance(plain, QuestionedArticle)
    assert isinstance(asked, QuestionedArticle)
    assert asked.questions == ("Who?", "Why?")
