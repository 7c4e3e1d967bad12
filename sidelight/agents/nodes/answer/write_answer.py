"""Answer a narrative out of the evidence."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import AnswerDeps
from sidelight.agents.graphs.answer_state import AnswerState
from sidelight.generation.citations import resolve_report
from sidelight.generation.no_evidence import NO_ANSWER
from sidelight.schemas.investigation.report import limits_of
from sidelight.schemas.investigation.trace import Finished, Trace


async def write_answer(state: AnswerState, runtime: Runtime[AnswerDeps]) -> dict[str, Any]:
    """Return the answer; where nothing stood the check, it says that nothing was found.

    Raises:
        InputError: The answer breaks a limit of the track.
    """
    deps, profile, evidence = runtime.context, state["profile"], state["evidence"]
    draft = await deps.write_report(profile, state["angles"], evidence)
    checked = await deps.check_report(profile, draft, evidence)
    report, dropped = resolve_report(
        deps.narrative.topic_id,
        checked.draft if checked.draft.sentences else NO_ANSWER,
        evidence,
        limits_of(deps.track.cited_text),
    )
    finished = Finished(dropped_citations=dropped, invented_keys=draft.invented_keys)
    return {
        "report": report,
        "trace": Trace(
            draft=draft,
            checks={0: checked.removed},
            stood={0: checked.stood},
            report=finished,
        ),
    }
