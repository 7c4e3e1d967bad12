"""Topics: the target articles of a track, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_json_lines
from sidelight.schemas.article import Article

if TYPE_CHECKING:
    from pathlib import Path


class _TopicLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="docid")
    url: str = ""
    title: str = ""
    headings: str = ""
    body: str


def read_topics(path: Path) -> tuple[Article, ...]:
    """Read the articles of a topics file, in its order; keys it does not need are ignored.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no article, a topic id occurs twice, or there is no topic.
    """
    findings = Findings(path)
    articles: dict[str, Article] = {}
    for line, content in read_json_lines(path):
        try:
            article = Article(**_TopicLine.model_validate(content).model_dump())
        except ValidationError as error:
            findings.invalid(
                error, line, what="a topic", remedy="Give at least docid and body as text."
            )
            continue
        if article.topic_id in articles:
            findings.error(
                "topic-duplicate",
                line,
                expected="each docid once",
                found=quoted(article.topic_id),
                remedy="Remove one of the two.",
            )
        articles[article.topic_id] = article
    if not articles:
        findings.error(
            "topics-empty",
            None,
            expected="at least one topic",
            found="none",
            remedy="Give a JSONL file with docid, url, title, headings and body.",
        )
    findings.raise_errors()
    return tuple(articles.values())
