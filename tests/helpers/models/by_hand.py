"""Runs whose every prompt was answered by a person who read it, and the replay of such answers.

A recording is a gzipped JSON Lines file with one call a line: `kind`, the type of the answer,
`user`, all that was asked, and `reply`. Calls are found again by the material that they show, so
that the wording of a prompt may change and the answers stay those of somebody who saw the same
pages.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.config.settings import Settings
from sidelight.runs.runner import RunSummary, run_topics
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import Encode
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_investigation
from tests.helpers.models.model_server import Answer, ModelServer, completion, error

ARTICLE_ENDS = "<<<END article>>>"
FENCED = re.compile(r"<<<BEGIN ([^>]+)>>>\n(.*?)\n?<<<END \1>>>", re.DOTALL)
SETTINGS = Settings.model_validate(
    {
        "submission": {"run_id": "sidelight-by-hand"},
        "investigation": {"max_rounds": 2},
        "roles": {"default": "prompted"},
        "models": {"writer": {"name": "by-hand"}},
        "servers": {"default": {"timeout_s": 7_200}},
    }
)


class ByHandServer(ModelServer):
    """Serves what was answered by hand; a call that nobody answered is an error."""

    def __init__(self, recording: Path) -> None:
        super().__init__(models=("by-hand",))
        with gzip.open(recording, "rt", encoding="utf-8") as lines:
            calls = [json.loads(line) for line in lines]
        self._replies = {_shown(call["kind"], call["user"]): call["reply"] for call in calls}
        self.answered: set[object] = set()
        self.unanswered: list[str] = []

    @property
    def all_answered(self) -> bool:
        """Whether every call of the recording was asked for, and no other."""
        return self.answered == set(self._replies) and not self.unanswered

    def _chat(self, request: dict[str, Any]) -> Answer:
        self.requests.append(request)
        kind, user = kind_and_user(request)
        shown = _shown(kind, user)
        if shown not in self._replies:
            self.unanswered.append(f"{kind}\n{user}")
            return error(400, f"nobody answered this {kind}")
        self.answered.add(shown)
        return completion(self._replies[shown])


def kind_and_user(request: dict[str, Any]) -> tuple[str, str]:
    """Return the type of the answer that a request wants, and what its user said first."""
    kind = request["response_format"]["json_schema"]["name"]
    return kind, "\n\n".join(one["content"] for one in request["messages"][1:])


def _shown(kind: str, user: str) -> tuple[str, tuple[str, ...]]:
    _, _, asked = user.partition(ARTICLE_ENDS)
    return kind, tuple(text for _, text in FENCED.findall(asked))


def investigate(
    article: Article, segments: Sequence[Segment], encode: Encode, base_url: str, out: Path
) -> RunSummary:
    """Work on an article as a run does, every step with a model, over segments in memory."""
    by_id = {segment.segment_id: segment for segment in segments}
    sources = Sources(
        retriever=MemoryRetriever(segments),
        lookup=lambda ids: [by_id[one] for one in ids],
        encode=encode,
    )
    access = ModelAccess(out / "cache", base_url=base_url)
    return asyncio.run(
        run_topics(
            [article],
            SETTINGS,
            "mini web",
            lambda: open_investigation(SETTINGS, sources, access),
            out,
        )
    )
