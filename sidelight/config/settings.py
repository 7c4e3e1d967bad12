"""The settings tree of a run. Each field has a range and says what it does."""

from __future__ import annotations

import hashlib
from typing import Literal

import orjson
from pydantic import Field

from sidelight.schemas.base import Value


class SubmissionSettings(Value):
    """What the run files say about their maker."""

    team_id: str = Field("sidelight", pattern=r"^[A-Za-z0-9._-]{1,32}$", description="Team id.")
    run_id: str = Field(
        "sidelight-run",
        pattern=r"^[A-Za-z0-9._-]{1,60}$",
        description="Run id; must begin with the team id. `-t1` and `-t2` are added per task.",
    )
    type: Literal["automatic", "manual"] = Field("automatic", description="How the run was made.")


class RetrievalSettings(Value):
    """How segments are found."""

    retriever: Literal["bm25", "rm3", "rocchio", "dense", "hybrid"] = Field(
        "hybrid", description="First stage; `hybrid` fuses bm25 and dense by reciprocal rank."
    )
    k: int = Field(20, ge=1, le=1000, description="Segments kept per query.")
    depth: int = Field(
        100, ge=1, le=10000, description="Segments per retriever that fusion and reranking see."
    )
    reranker: str | None = Field(
        None, description="Name or path of a sentence-transformers CrossEncoder; none by default."
    )
    allow_own_article: bool = Field(
        default=False, description="Let the target article and its copies be found and cited."
    )


class InvestigationSettings(Value):
    """How long the agents go on."""

    max_rounds: int = Field(3, ge=1, le=10, description="Rounds of searching at most.")
    min_gain: float = Field(
        0.02, ge=0, le=1, description="Coverage a round must add for another to follow."
    )


class Settings(Value):
    """Everything a run depends on besides its topics and its index."""

    track: str = Field("dragun2025", description="Track profile: limits and ids.")
    submission: SubmissionSettings = SubmissionSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    investigation: InvestigationSettings = InvestigationSettings()

    def fingerprint(self) -> str:
        """Return the SHA-256 of the resolved tree."""
        canonical = orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(canonical).hexdigest()
