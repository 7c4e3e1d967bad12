"""`narratives_jsonl`: topics that are narratives, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from sidelight.formats.topics.topic_format import TopicFormat
from sidelight.formats.topics.topic_lines import read_topic_lines
from sidelight.schemas.topic import Narrative

if TYPE_CHECKING:
    from pathlib import Path


class _NarrativeLine(BaseModel):
    topic_id: str = Field(min_length=1, validation_alias="id")
    narrative: str = Field(min_length=1, validation_alias="title")
    sub_questions: tuple[str, ...] = ()


def read_narratives(path: Path) -> tuple[Narrative, ...]:
    """Read the narratives of a topics file, in its order; keys it does not need are ignored.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no narrative, an id occurs twice, or there is no narrative.
    """
    return read_topic_lines(
        path, _NarrativeLine, lambda line: Narrative(**line.model_dump()), "id and title"
    )


FORMAT = TopicFormat("narrative", read_narratives, json_keys=("id", "title"))
