"""What an answer says of each nugget, by a model's reading, ten nuggets at a time.

A reply must give each nugget of its window one label. Where neither it nor the one more turn does,
what it says once counts and the rest is unjudged.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.evaluation.nuggets.create import WINDOW
from sidelight.evaluation.training.label_files import ANSWER_LEVELS
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import OneOf
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.schemas.grading.bank import NuggetBank

ASSIGN_PROMPT = load_prompt(Path(__file__).with_name("nugget_assign.prompt.md"))


class Assigned(Value):
    """What the answer says of one nugget."""

    number: int
    reason: str
    label: Annotated[str, OneOf(ANSWER_LEVELS)]


class AssignedList(Value):
    """What the answer says of each nugget of a window."""

    labels: tuple[Assigned, ...]


class PromptedAssigner:
    """Labels by asking a model.

    Args:
        assessor: Asks.
    """

    def __init__(self, assessor: Assessor) -> None:
        self._assessor = assessor

    async def __call__(self, bank: NuggetBank, query: str, answer: str) -> list[Judgment]:
        """Return one judgment for each nugget, in their order."""
        if not one_line(answer):
            return [Judgment(ANSWER_LEVELS[0], "the answer is empty")] * len(bank.nuggets)
        found: list[Judgment] = []
        for start in range(0, len(bank.nuggets), WINDOW):
            window = bank.nuggets[start : start + WINDOW]
            found += await self._assessor.judgments(
                (bank.topic_id, answer),
                ASSIGN_PROMPT,
                AssignedList,
                [str(number) for number in range(1, len(window) + 1)],
                lambda reply: (
                    (str(one.number), Judgment(one.label, one.reason)) for one in reply.labels
                ),
                query=query,
                answer=answer,
                nuggets=[nugget.text for nugget in window],
            )
        return found
