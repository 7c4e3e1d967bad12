"""Lateral reading for news: questions to ask, a cited report, and scores for both.

What a script needs is here by name; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sidelight.versions import VERSION

if TYPE_CHECKING:
    from sidelight.build.run import make_run
    from sidelight.config.load import load_settings
    from sidelight.evaluation.scoring.people_scores import people_report_scores
    from sidelight.formats.runs.cited_text import read_report_run
    from sidelight.formats.runs.question_list import read_question_run
    from sidelight.formats.topics.topic_format import read_topics
    from sidelight.index.folder import open_index
    from sidelight.tracks import load_track

__version__ = VERSION

_HOMES = {
    "load_settings": "config.load",
    "load_track": "tracks",
    "make_run": "build.run",
    "open_index": "index.folder",
    "people_report_scores": "evaluation.scoring.people_scores",
    "read_question_run": "formats.runs.question_list",
    "read_report_run": "formats.runs.cited_text",
    "read_topics": "formats.topics.topic_format",
}

__all__ = [
    "load_settings",
    "load_track",
    "make_run",
    "open_index",
    "people_report_scores",
    "read_question_run",
    "read_report_run",
    "read_topics",
]


if not TYPE_CHECKING:  # a checker knows the names above, and must not believe in any other

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'sidelight' has no attribute {name!r}")
        return getattr(import_module(f"sidelight.{_HOMES[name]}"), name)
