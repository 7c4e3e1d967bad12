"""`articles_jsonl`: topics that are articles, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from sidelight.formats.topics.topic_format import TopicFormat
from sidelight.formats.topics.topic_lines import read_topic_lines
from sidelight.schemas.article import Article

if TYPE_CHECKING:
    from pathlib import Path


class _TopicLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="docid")
    url: str = ""
    title: str = ""
    headings: str = ""
    body: str


def read_articles(path: Path) -> tuple[Article, ...]:
    """Read the articles of a topics file, in its order; keys it does not need are ignored.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no article, a topic id occurs twice, or there is no topic.
    """
    return read_topic_lines(
        path, _TopicLine, lambda line: Article(**line.model_dump()), "docid and body"
    )


FORMAT = TopicFormat("article", read_articles, json_keys=("docid",))
