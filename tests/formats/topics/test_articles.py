from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.topics import read_articles
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from tests.helpers.public_data import PublicData


def write(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "topics.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


def test_reads_articles_in_file_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"docid": "t2", "url": "https://a/b", "title": "T", "headings": "H", "body": "B", "x": 1},
        {"docid": "t1", "body": ""},
    )
    assert read_articles(path) == (
        Article(topic_id="t2", url="https://a/b", title="T", headings="H", body="B"),
        Article(topic_id="t1", body=""),
    )


def test_reads_the_topics_of_the_track(shared_data: PublicData) -> None:
    articles = read_articles(shared_data / "dragun-2025" / "topics.jsonl")
    assert {article.topic_id for article in articles} == set(load_track().topic_ids)
    assert max(len(article.body.split()) for article in articles) == 8_894


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"body": "B"}, "key-missing"),
        ({"docid": "t"}, "key-missing"),
        ({"docid": "", "body": "B"}, "value"),
        ({"docid": 7, "body": "B"}, "value"),
        ({"docid": "t", "body": ["B"]}, "value"),
        (["docid"], "json-type"),
    ],
)
def test_a_line_that_is_no_topic_is_an_error(tmp_path: Path, line: object, code: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_articles(write(tmp_path, {"docid": "first", "body": ""}, line))
    assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]


def test_a_repeated_topic_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="topic-duplicate"):
        read_articles(write(tmp_path, {"docid": "t", "body": ""}, {"docid": "t", "body": "B"}))


def test_a_file_without_topics_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="topics-empty"):
        read_articles(write(tmp_path))
