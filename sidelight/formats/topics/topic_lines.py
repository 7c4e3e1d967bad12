"""What topics files with one JSON object a line have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_json_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sidelight.schemas.topic import Topic

L = TypeVar("L", bound=BaseModel)
T = TypeVar("T", bound="Topic")


def read_topic_lines(
    path: Path, model: type[L], as_topic: Callable[[L], T], required: str
) -> tuple[T, ...]:
    """Read topics in the order of the file.

    Args:
        path: The file.
        model: What a line must be.
        as_topic: Makes a topic of a line.
        required: The keys that a line must have, the id first, for messages.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no topic, a topic id occurs twice, or there is no topic.
    """
    findings = Findings(path)
    topics: dict[str, T] = {}
    for line, content in read_json_lines(path):
        try:
            topic = as_topic(model.model_validate(content))
        except ValidationError as error:
            findings.invalid(
                error, line, what="a topic", remedy=f"Give at least {required} as text."
            )
            continue
        if topic.topic_id in topics:
            findings.error(
                "topic-duplicate",
                line,
                expected=f"each {required.partition(' ')[0]} once",
                found=quoted(topic.topic_id),
                remedy="Remove one of the two.",
            )
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
