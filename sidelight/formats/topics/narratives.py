"""Topics that are narratives: `narratives_jsonl`, JSON objects; `narratives_tsv`, a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import BaseModel, Field

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.lines import read_bytes
from sidelight.formats.topics.queries import read_queries
from sidelight.formats.topics.topic_format import TopicFormat
from sidelight.formats.topics.topic_lines import read_topic_lines
from sidelight.schemas.topic import Narrative

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class _NarrativeLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="id")
    narrative: str = Field(min_length=1, validation_alias="title")
    sub_questions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


def read_narratives(path: Path) -> tuple[Narrative, ...]:
    """Read the narratives of a topics file, in its order; keys it does not need are ignored.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no narrative, an id occurs twice, or there is no narrative.
    """
    return read_topic_lines(
        path, _NarrativeLine, lambda line: Narrative(**line.model_dump()), "id and title"
    )


def read_narrative_table(path: Path) -> tuple[Narrative, ...]:
    """Read narratives of a table without a header: an id, a tab, and the narrative as it is given.

    A table has no room for references; a file of JSON objects, which does, is read as such.

    Raises:
        InputError: The file cannot be read, or holds no narrative.
        InvalidFileError: A line has no id, no tab or no text, or an id occurs twice.
    """
    if read_bytes(path).lstrip().startswith(b"{"):
        return read_narratives(path)
    found = read_queries(path)
    if not found:
        raise InputError(f"{path}: expected at least one narrative; found none")
    return tuple(Narrative(topic_id=one.query_id, narrative=one.text) for one in found)


def write_narratives(path: Path, narratives: Iterable[Narrative]) -> None:
    """Write narratives as JSON objects, a line each, with what is known beside their text."""
    with atomic_writer(path) as stream:
        for one in narratives:
            content: dict[str, object] = {"id": one.topic_id, "title": one.narrative}
            if one.sub_questions:
                content["sub_questions"] = one.sub_questions
            if one.references:
                content["references"] = one.references
            stream.write(orjson.dumps(content).decode() + "\n")


FORMAT = TopicFormat("narrative", read_narratives, json_keys=("id", "title"))
TSV_FORMAT = TopicFormat("narrative", read_narrative_table)
