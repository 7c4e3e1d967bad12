"""Make up for the sentences that a check took out."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.candidates import only_candidates, read_candidates
from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.agents.searching import search
from sidelight.schemas.investigation.search import Query
from sidelight.schemas.investigation.trace import Revised, Trace

_FOUND_PER_SENTENCE = 5


async def revise_report(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Search again for what a removed sentence said, and return the next draft."""
    deps, number = runtime.context, state["revisions"] + 1
    checked = state["checked_report"]
    queries = [
        Query(query_id=removal.sentence.text, text=removal.sentence.text)
        for removal in checked.removed
    ]
    found = await search(deps.retriever, queries, _FOUND_PER_SENTENCE)
    candidates = await read_candidates(deps.lookup, found.hits, state.get("refused", {}))
    revision = await deps.roles.revise_report(
        state["profile"],
        tuple(state["angles"].values()),
        usable_evidence(state),
        checked,
        candidates.by_name,
    )
    evidence = only_candidates(revision.evidence, candidates)
    revised = Revised(
        found={text: tuple(hit.segment_id for hit in hits) for text, hits in found.hits.items()},
        draft=revision.draft,
        taken=tuple(item.segment.segment_id for item in evidence.items),
        refused=candidates.refused,
    )
    return {
        "draft_report": revision.draft,
        "evidence": evidence,
        "refused": candidates.refused,
        "revisions": number,
        "trace": Trace(revisions={number: revised}),
    }
