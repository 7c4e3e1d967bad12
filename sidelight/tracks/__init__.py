"""A track profile is data: limits, ids and topics in one YAML file, read into one type."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml
from pydantic import Field

from sidelight.errors import UsageError
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class Track(Value):
    """The rules of one track.

    Attributes:
        name: What `--track` takes.
        title: For people.
        questions_per_topic: Exactly this many questions, ranked 1 to n.
        max_question_characters: Limit in code points.
        max_report_words: Limit on the sum over sentences, split on white space.
        max_citations_per_sentence: Limit per sentence.
        max_uncited_sentences: How many sentences of a report may cite nothing in a strict check.
        segment_id_pattern: Regular expression every citation must match in full.
        run_id_pattern: Regular expression every run id must match in full in a strict check.
        topic_ids: The topics the track released; a file must cover them unless other topics are
            given.
    """

    name: str
    title: str
    questions_per_topic: int = Field(gt=0)
    max_question_characters: int = Field(gt=0)
    max_report_words: int = Field(gt=0)
    max_citations_per_sentence: int = Field(gt=0)
    max_uncited_sentences: int = Field(ge=0)
    segment_id_pattern: str
    run_id_pattern: str
    topic_ids: tuple[str, ...]


def _profiles() -> dict[str, Traversable]:
    return {
        entry.name.removesuffix(".yaml"): entry
        for entry in files("sidelight.tracks").iterdir()
        if entry.name.endswith(".yaml")
    }


def track_names() -> tuple[str, ...]:
    """Return the names of the bundled profiles, sorted."""
    return tuple(sorted(_profiles()))


@cache
def load_track(name: str = "dragun2025") -> Track:
    """Read a bundled profile.

    Raises:
        UsageError: There is no profile of that name.
    """
    profiles = _profiles()
    if name not in profiles:
        raise UsageError(f"unknown track {name!r}; expected one of {', '.join(track_names())}")
    return Track.model_validate(yaml.safe_load(profiles[name].read_text(encoding="utf-8")))
