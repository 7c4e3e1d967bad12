"""A track profile is data: limits, ids and topics in one YAML file, read into one type."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml
from pydantic import Field

from sidelight.errors import UsageError
from sidelight.registry import locate
from sidelight.schemas.base import Value


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


@cache
def load_track(name: str = "dragun2025") -> Track:
    """Read a profile: one of sidelight's own, of an installed package, or `package:file`.

    Raises:
        UsageError: There is no profile of that name.
    """
    package, _, file = locate("track", name).partition(":")
    try:
        text = files(package).joinpath(file).read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise UsageError(f"track {name!r}: there is no {file} in {package}") from error
    return Track.model_validate(yaml.safe_load(text))
