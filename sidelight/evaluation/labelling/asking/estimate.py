"""What judging would cost: every prompt is rendered and counted, none is sent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NoReturn

from sidelight.errors import FailedCallError
from sidelight.llm.prompted import PromptedModel
from sidelight.llm.rates import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.prompting import Prompt

TOKENS_PER_CALL, TOKENS_PER_LABEL = 100, 25
"""Written, reasoning included: what the published AutoJudge's 13 hours come to."""


class Estimate(Value):
    """What judging would cost, before anything is asked.

    Attributes:
        calls: Model calls.
        prompt_tokens: Tokens read, what a server's prefix cache saves included.
        completion_tokens: Tokens written.
        hours: If one call is made at a time.
        hours_at_once: If calls are made at once and none slows another down; no server reaches it.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    hours: float
    hours_at_once: float


class PromptCounter(PromptedModel):
    """Renders prompts and counts them in place of asking.

    Attributes:
        calls: By prompt id.
        characters: Of all prompts.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.characters = 0

    async def answer(self, prompt: Prompt, _kind: object, /, **values: object) -> NoReturn:
        """Count a prompt.

        Raises:
            FailedCallError: Always, so that what is asked about stays unjudged.
        """
        values.pop("check")
        rendered = prompt.render(**values)
        self.calls[prompt.id] += 1
        self.characters += len(rendered.system) + len(rendered.user)
        raise FailedCallError("this call was only counted")

    def estimate(self, n_labels: int, n_at_once: int) -> Estimate:
        """Return what the prompts counted so far would cost.

        Args:
            n_labels: Labels that the replies would hold.
            n_at_once: Calls made at once.
        """
        calls = self.calls.total()
        written = TOKENS_PER_CALL * calls + TOKENS_PER_LABEL * n_labels
        hours = written / TOKENS_PER_SECOND / 3600
        return Estimate(
            calls=calls,
            prompt_tokens=self.characters // CHARACTERS_PER_TOKEN,
            completion_tokens=written,
            hours=hours,
            hours_at_once=hours / min(n_at_once, max(calls, 1)),
        )
