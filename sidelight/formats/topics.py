"""Files of topics, queries and pooled questions.

Formats of topics are found by their registered names. `articles_jsonl` and `narratives_jsonl` have
a JSON object a line, `narratives_tsv` lines of `id<TAB>narrative`. Queries are lines of
`query_id<TAB>text`, pooled questions lines of `question_id<TAB>topic_id<TAB>question`. Searches of
one person are a JSON object a line, `id` and `queries`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, Field

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats import lines
from sidelight.registry import load, names
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.topic import Article, Narrative, QuestionedArticle, Topic, question_id
from sidelight.text import one_line, quoted
from sidelight.tracks import Track


@dataclass(frozen=True, slots=True)
class TopicFormat:
    """A format of topics files.

    Attributes:
        noun: What one of its topics is called, in the singular.
        json_keys: All occur in such a file, even in a broken one; none where it is not JSON.
    """

    noun: str
    read: Callable[[Path], Sequence[Topic]]
    json_keys: tuple[str, ...] = ()


def topic_formats() -> dict[str, TopicFormat]:
    """Return all registered formats by name."""
    return {name: load("topics", name) for name in names("topics")}


def topic_format(track: Track) -> TopicFormat:
    """Return the format of a track's topics files."""
    found: TopicFormat = load("topics", track.topics)
    return found


L = TypeVar("L", bound=BaseModel)
AnyTopic = TypeVar("AnyTopic", bound="Topic")


def read_topic_lines(
    path: Path, model: type[L], as_topic: Callable[[L], AnyTopic], required: str
) -> tuple[AnyTopic, ...]:
    """Read topics in the order of the file; it must hold one, and no topic id twice.

    Each line must fit `model`, and `as_topic` makes a topic of it. `required` names the keys that a
    line must have, the id first, for messages.
    """
    findings = lines.Findings(path)
    topics: dict[str, AnyTopic] = {}
    for line, topic in lines.parsed_lines(
        path,
        lambda content: as_topic(model.model_validate(content)),
        "a topic",
        findings,
        f"Give at least {required} as text.",
    ):
        if topic.topic_id in topics:
            told = f"each {required.partition(' ')[0]} once"
            findings.again("topic-duplicate", line, told, quoted(topic.topic_id))
        topics[topic.topic_id] = topic
    if not topics:
        findings.error(
            "topics-empty",
            None,
            expected="at least one topic",
            found="none",
            remedy=f"Give a JSONL file whose lines have {required}.",
        )
    findings.raise_errors()
    return tuple(topics.values())


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
    """
    return read_topic_lines(path, _TopicLine, _article, "docid and body")


def _article(line: _TopicLine) -> Article:
    if line.questions:
        return QuestionedArticle(**line.model_dump())
    return Article(**line.model_dump(exclude={"questions"}))


ARTICLES = TopicFormat("article", read_articles, json_keys=("docid",))


def read_queries(path: Path) -> list[Query]:
    """Read the queries of a file of `id<TAB>text` lines, in order, or of a data set `irds:NAME`."""
    findings = lines.Findings(path)
    queries: dict[str, Query] = {}
    for line, content in lines.read_lines(path, "queries"):
        query_id, _, text = content.partition("\t")
        if not query_id.strip() or not text.strip():
            findings.error(
                "query",
                line,
                expected="an id, a tab and the text of the query",
                found=quoted(content),
                remedy="Separate the id from the text by one tab.",
            )
        elif query_id in queries:
            told = f"a second {quoted(query_id)}"
            findings.again("query-duplicate", line, "each query id once", told)
        else:
            queries[query_id] = Query(query_id=query_id, text=text.strip())
    findings.raise_errors()
    return list(queries.values())


class _SearchesLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="id")
    queries: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1, max_length=999)


def read_searches(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the searches that belong to each topic, in the order of the file."""
    found = read_topic_lines(
        path,
        _SearchesLine,
        lambda line: Narrative(topic_id=line.topic_id, narrative="", sub_questions=line.queries),
        "id and queries",
    )
    return {one.topic_id: one.sub_questions for one in found}


class _NarrativeLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="id")
    narrative: str = Field(min_length=1, validation_alias="title")
    sub_questions: tuple[str, ...] = ()
    importance: tuple[Literal["vital", "okay"], ...] = ()
    references: tuple[str, ...] = ()


def read_narratives(path: Path) -> tuple[Narrative, ...]:
    """Read the narratives of a topics file, in its order; keys it does not need are ignored.

    The queries of a data set of ir_datasets, `irds:NAME`, are narratives, too.
    """
    if lines.is_dataset(path):
        return read_narrative_table(path)
    return read_topic_lines(
        path, _NarrativeLine, lambda line: Narrative(**line.model_dump()), "id and title"
    )


def read_narrative_table(path: Path) -> tuple[Narrative, ...]:
    """Read narratives of a table without a header: an id, a tab, and the narrative as it is given.

    A table has no room for references; a file of JSON objects, which does, is read as such.
    """
    if not lines.is_dataset(path) and lines.read_bytes(path).lstrip().startswith(b"{"):
        return read_narratives(path)
    found = read_queries(path)
    if not found:
        raise InputError(f"{path}: expected at least one narrative; found none")
    return tuple(Narrative(topic_id=one.query_id, narrative=one.text) for one in found)


def write_narratives(path: Path, narratives: Iterable[Narrative]) -> None:
    """Write narratives as JSON objects, a line each, with what is known beside their text."""
    lines.write_json_lines(path, map(_content, narratives))


def _content(one: Narrative) -> dict[str, object]:
    known = one.model_dump(include={"sub_questions", "importance", "references"})
    said = {name: value for name, value in known.items() if value}
    return {"id": one.topic_id, "title": one.narrative, **said}


NARRATIVES = TopicFormat("narrative", read_narratives, json_keys=("id", "title"))
NARRATIVES_TSV = TopicFormat("narrative", read_narrative_table)


_POOLED_COLUMNS = 3


def read_pooled_questions(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the questions of each topic; their ids must number them in order, from 01."""
    findings = lines.Findings(path)
    questions: dict[str, list[str]] = {}
    for line, text in lines.read_lines(path):
        cells = text.split("\t")
        if len(cells) != _POOLED_COLUMNS or not all(cell.strip() for cell in cells):
            findings.error(
                "column-count",
                line,
                expected="the id of a question, that of its topic, and the question",
                found=quoted(text),
                remedy="Separate the three by one tab each.",
            )
            continue
        name, topic_id, question = cells
        asked = questions.setdefault(topic_id, [])
        expected = question_id(topic_id, len(asked) + 1)
        if name != expected:
            findings.error(
                "question-order",
                line,
                expected=expected,
                found=quoted(name),
                remedy="Number the questions of a topic from 01, in order.",
            )
        asked.append(one_line(question))
    findings.raise_errors()
    return {topic_id: tuple(asked) for topic_id, asked in questions.items()}


def write_pooled_questions(path: Path, questions: Mapping[str, Sequence[str]]) -> None:
    """Write the questions of each topic under ids that number them."""
    with atomic_writer(path) as stream:
        for topic_id, asked in questions.items():
            for number, question in enumerate(asked, start=1):
                cells = (question_id(topic_id, number), topic_id, one_line(question))
                stream.write("\t".join(cells) + "\n")
