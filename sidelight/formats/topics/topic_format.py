"""What topics are kept in: one record per format, found by its registered name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.registry import load, names
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sidelight.schemas.topic import Topic
    from sidelight.tracks import Track


@dataclass(frozen=True, slots=True)
class TopicFormat:
    """A format of topics files.

    Attributes:
        noun: What one of its topics is called, in the singular.
        read: Reads the topics of a file, in its order; raises `InvalidFileError`.
        json_keys: All occur in such a file, even in a broken one; none where it is not JSON.
    """

    noun: str
    read: Callable[[Path], Sequence[Topic]]
    json_keys: tuple[str, ...] = ()


def topic_formats() -> dict[str, TopicFormat]:
    """Return all registered formats by name."""
    return {name: load("topics", name) for name in names("topics")}


def topic_format(track: Track) -> TopicFormat:
    """Return the format of a track's topics files.

    Raises:
        UsageError: It is not registered.
    """
    found: TopicFormat = load("topics", track.topics)
    return found


def read_topics(path: Path, track: Track | None = None) -> tuple[Topic, ...]:
    """Read the topics of a topics file, in its order.

    Args:
        path: The file.
        track: Whose topics they are; None for the default track.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no topic of the track, a topic id occurs twice, or there is
            none.
        UsageError: The track's format of topics is not registered.
    """
    return tuple(topic_format(track or load_track()).read(path))
