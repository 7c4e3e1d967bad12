"""Write the questions."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from sidelight.agents.deps import Deps
from sidelight.agents.graphs.state import InvestigationState, usable_evidence
from sidelight.schemas.investigation.question import QuestionSet
from sidelight.schemas.investigation.trace import Trace
from sidelight.text import one_line


async def write_questions(state: InvestigationState, runtime: Runtime[Deps]) -> dict[str, Any]:
    """Return exactly the questions the track wants.

    Raises:
        InputError: The writer gave too few, or one that breaks a limit.
    """
    track = runtime.context.track
    draft = await runtime.context.roles.write_questions(
        state["profile"], tuple(state["angles"].values()), usable_evidence(state)
    )
    questions = QuestionSet(
        topic_id=runtime.context.topic.topic_id,
        questions=tuple(one_line(question) for question in draft.questions)[
            : track.question_list.count
        ],
        count=track.question_list.count,
        max_characters=track.question_list.max_characters,
    )
    return {"questions": questions, "trace": Trace(questions=draft)}
