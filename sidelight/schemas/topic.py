"""Topics of a track: target articles, narratives and other kinds."""

from __future__ import annotations

import re
from typing import Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from sidelight.schemas.base import Value


class Article(Value):
    """A news article as the topics file has it.

    Attributes:
        topic_id: The document id of the article, e.g. `msmarco_v2.1_doc_04_420132660`.
        url: Where it was published; may be empty for a pasted article.
        headings: Newline-separated headings of the page.
        body: Page text, site chrome included.
    """

    topic_id: str = Field(min_length=1)
    url: str = ""
    title: str = ""
    headings: str = ""
    body: str

    @property
    def host(self) -> str:
        """Return the host name of the article without a leading `www.`."""
        return host_of(self.url)


def host_of(url: str) -> str:
    """Return the host name in a URL without a leading `www.`; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


class QuestionedArticle(Article):
    """An article with the questions that documents are wanted for, in the order of their ids."""

    questions: tuple[str, ...] = Field(min_length=1)


_QUESTION_ID = re.compile(r"(?P<topic_id>.+)-Q(?P<number>[0-9]{2,3})", re.ASCII)


def question_id(topic_id: str, number: int) -> str:
    """Return the id of a topic's question, numbered from 1, such as `clueweb22-en0-1-2-Q01`."""
    return f"{topic_id}-Q{number:02d}"


def parse_question_id(text: str) -> tuple[str, int] | None:
    """Return topic id and number of a question, or None where a text is no id of one."""
    match = _QUESTION_ID.fullmatch(text)
    if match is None or question_id(match["topic_id"], int(match["number"])) != text:
        return None
    return match["topic_id"], int(match["number"])


class ArticleQuestion(Value):
    """A question that a reader has about an article; `topic_id` is the question's own."""

    topic_id: str = Field(min_length=1)
    article: Article
    question: str


class Narrative(Value):
    """An information need in a few sentences.

    Attributes:
        sub_questions: What it comes down to, where somebody has said so.
        importance: Of each sub-question, `vital` or `okay`; empty where nobody has said so.
        references: The segments to answer from, the best first; without any, one has to search.
    """

    topic_id: str = Field(min_length=1)
    narrative: str
    sub_questions: tuple[str, ...] = ()
    importance: tuple[Literal["vital", "okay"], ...] = ()
    references: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_for_each(self) -> Self:
        if self.importance and len(self.importance) != len(self.sub_questions):
            raise ValueError("importance: expected one for each of sub_questions")
        return self


class FacetedQuery(Value):
    """A query and the sides it may be meant from."""

    topic_id: str = Field(min_length=1)
    query: str
    facets: tuple[str, ...] = ()


# Values refuse fields they do not know, so that JSON of one kind is never read as another.
Topic: TypeAlias = Article | QuestionedArticle | ArticleQuestion | Narrative | FacetedQuery


def asked_in(topic: Topic) -> str:
    """Return the query, question or narrative of a topic; empty where it is an article alone."""
    match topic:
        case Narrative():
            return topic.narrative
        case FacetedQuery():
            return topic.query
        case ArticleQuestion():
            return topic.question
        case _:
            return ""
