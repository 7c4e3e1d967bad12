"""Lateral reading for news: questions to ask, a cited report, and scores for both.

The names that a script calls are exported here; each is imported when it is first used. Packages
that add parts of their own import from `sidelight.plugins`.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from sidelight.versions import VERSION

if TYPE_CHECKING:
    from sidelight.config.load import load_settings as load_settings
    from sidelight.evaluation.scoring.score import people_report_scores as people_report_scores
    from sidelight.formats.runs.cited_sentences import read_report_run as read_report_run
    from sidelight.formats.runs.question_list import read_question_run as read_question_run
    from sidelight.formats.verdict import read_topics as read_topics
    from sidelight.index.folder import open_index as open_index
    from sidelight.library import ablate as ablate
    from sidelight.library import build_index as build_index
    from sidelight.library import compare as compare
    from sidelight.library import judge as judge
    from sidelight.library import run as run
    from sidelight.library import score as score
    from sidelight.library import search as search
    from sidelight.tracks import load_track as load_track
    from sidelight.wiring.run import make_run as make_run

__version__ = VERSION

_LIBRARY = {
    "ablate": "sidelight.library:ablate",
    "build_index": "sidelight.library:build_index",
    "compare": "sidelight.library:compare",
    "judge": "sidelight.library:judge",
    "load_settings": "sidelight.config.load:load_settings",
    "load_track": "sidelight.tracks:load_track",
    "make_run": "sidelight.wiring.run:make_run",
    "open_index": "sidelight.index.folder:open_index",
    "people_report_scores": "sidelight.evaluation.scoring.score:people_report_scores",
    "read_question_run": "sidelight.formats.runs.question_list:read_question_run",
    "read_report_run": "sidelight.formats.runs.cited_sentences:read_report_run",
    "read_topics": "sidelight.formats.verdict:read_topics",
    "run": "sidelight.library:run",
    "score": "sidelight.library:score",
    "search": "sidelight.library:search",
}

if not TYPE_CHECKING:  # a checker knows the names above, and must not believe in any other
    __all__ = list(_LIBRARY)

    def __getattr__(name: str) -> Any:
        if name not in _LIBRARY:
            raise AttributeError(f"module 'sidelight' has no attribute {name!r}")
        return resolve_name(_LIBRARY[name])

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]
