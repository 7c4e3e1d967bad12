"""Runs whose every prompt was answered by a person who read it, and the replay of such answers.

A recording is a gzipped JSON Lines file with one call a line: `kind`, the type of the answer,
`user`, all that was asked, and `reply`. Calls are found again by the material that they show, so
that the wording of a prompt may change and the answers stay those of somebody who saw the same
pages.
"""

import asyncio
import gzip
import json
import re

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.config.settings import Settings
from sidelight.runs.runner import run_topics
from sidelight.wiring.models import ModelAccess
from sidelight.wiring.run import Sources, open_investigation
from tests.helpers.models.model_server import ModelServer, completion, error

ARTICLE_ENDS = "<<<END article>>>"
FENCED = re.compile(r"<<<BEGIN ([^>]+)>>>\n(.*?)\n?<<<END \1>>>", re.DOTALL)
HINT = re.compile(r"; a reader asks: [^\]]*\]")  # of a sentence to be checked: no material
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

    def __init__(self, recording):
        super().__init__(models=("by-hand",))
        with gzip.open(recording, "rt", encoding="utf-8") as lines:
            calls = [json.loads(line) for line in lines]
        self._replies = {_shown(call["kind"], call["user"]): call["reply"] for call in calls}
        self.answered: set[object] = set()
        self.unanswered: list[str] = []

    @property
    def all_answered(self):
        """Whether every call of the recording was asked for, and no other."""
        return self.answered == set(self._replies) and not self.unanswered

    def _chat(self, request):
        self.requests.append(request)
        kind, user = kind_and_user(request)
        shown = _shown(kind, user)
        if shown not in self._replies:
            self.unanswered.append(f"{kind}\n{user}")
            return error(400, f"nobody answered this {kind}")
        self.answered.add(shown)
        return completion(self._replies[shown])


def kind_and_user(request):
    """Return the type of the answer that a request wants, and what its user said first."""
    kind = request["response_format"]["json_schema"]["name"]
    return kind, "\n\n".join(one["content"] for one in request["messages"][1:])


def _shown(kind, user):
    _, _, asked = user.partition(ARTICLE_ENDS)
    asked = HINT.sub("]", asked)
    return kind, tuple(text for _, text in FENCED.findall(asked))


def investigate(article, segments, encode, base_url, out, *, drafts=1):
    """Work on an article as a run does, every step with a model, over segments in memory."""
    investigation = SETTINGS.investigation.model_copy(update={"drafts": drafts})
    settings = SETTINGS.model_copy(update={"investigation": investigation})
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
            settings,
            "mini web",
            lambda: open_investigation(settings, sources, access),
            out,
        )
    )
