"""Take the article apart."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState
from sidelight.errors import InputError
from sidelight.schemas.article import Article
from sidelight.schemas.investigation.trace import Trace


async def profile_article(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return the profile of the target article.

    Raises:
        InputError: The topic is no article.
    """
    del state
    article = runtime.context.topic
    if not isinstance(article, Article):
        raise InputError(f"{article.topic_id}: expected an article to investigate")
    profile = await runtime.context.roles.profile_article(article)
    return {"profile": profile, "round_number": 0, "trace": Trace(profile=profile.facts())}
