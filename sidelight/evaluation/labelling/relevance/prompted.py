"""How relevant a passage is to a narrative, by a model's reading of its sub-narratives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.evaluation.labelling.relevance.final_score import Beside, final_score, grade_of
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.asking.assessor import Assessor

RELEVANCE_PROMPT = load_prompt(Path(__file__).with_name("relevance.prompt.md"))


def _graded(conclusion: str) -> str:
    final_score(conclusion)
    return conclusion


class RelevanceVerdict(Value):
    """What a passage answers, and the grade that it gets."""

    covered: tuple[int, ...]
    beside: Beside
    conclusion: Annotated[str, AfterValidator(_graded)]

    def judgment(self) -> Judgment:
        """Return the grade; the rationale tells where it is not the one that its count gives."""
        grade = final_score(self.conclusion)
        counted = grade_of(len(set(self.covered)), self.beside, related=grade > 0)
        told = f"sub-narratives {', '.join(map(str, sorted(set(self.covered)))) or 'none'}"
        differs = "" if counted == grade else f"; by their number {counted}"
        return Judgment(str(grade), f"{told}; beside: {self.beside}{differs}")


class PromptedRelevance:
    """Grades passages by asking a model.

    Args:
        assessor: Asks.
    """

    def __init__(self, assessor: Assessor) -> None:
        self._assessor = assessor

    async def __call__(
        self, topic_id: str, narrative: str, sub_narratives: Sequence[str], passage: str
    ) -> Judgment:
        """Return the grade of one passage, as text; unjudged where no reply could be used."""
        return await self._assessor.judgment(
            (topic_id,),
            RELEVANCE_PROMPT,
            RelevanceVerdict,
            RelevanceVerdict.judgment,
            narrative=narrative,
            sub_narratives=list(sub_narratives),
            passage=passage,
        )
