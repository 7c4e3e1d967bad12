"""`articles_jsonl`: topics that are articles, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from sidelight.formats.topics.topic_format import TopicFormat
from sidelight.formats.topics.topic_lines import read_topic_lines
from sidelight.schemas.article import Article
from sidelight.schemas.topic import QuestionedArticle

if TYPE_CHECKING:
    from pathlib import Path


class _TopicLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="docid")
    url: str = ""
    title: str = ""
    headings: str = ""
    body: str
    questions: tuple[Annotated[str, Field(min_length=1)], ...] = Field((), max_length=999)


def read_articles(path: Path) -> tuple[Article, ...]:
    """Read the articles of a topics file, in its order; keys it does not need are ignored.

    One with `questions` is a `QuestionedArticle`.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no article, a topic id occurs twice, or there is no topic.
    """
    return read_topic_lines(path, _TopicLine, _article, "docid and body")


def _article(line: _TopicLine) -> Article:
    if line.questions:
        return QuestionedArticle(**line.model_dump())
    return Article(**line.model_dump(exclude={"questions"}))


FORMAT = TopicFormat("article", read_articles, json_keys=("docid",))
