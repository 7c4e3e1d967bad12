"""What judging would cost, as the commands that judge say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.cli.console import out, print_json
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking.estimate import Estimate


def report_estimate(estimate: Estimate, at_once: int, *, as_json: bool) -> None:
    """Say what judging would come to, and what that rests on."""
    if as_json:
        print_json(estimate.model_dump())
        return
    from sidelight.evaluation.labelling.asking.estimate import TOKENS_PER_CALL, TOKENS_PER_LABEL
    from sidelight.llm.rates import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND

    out.print(
        f"{counted(estimate.calls, 'call')}\n"
        f"{counted(estimate.prompt_tokens, 'token')} read (characters / {CHARACTERS_PER_TOKEN}; "
        "a server's prefix cache computes a fraction of them)\n"
        f"{counted(estimate.completion_tokens, 'token')} written "
        f"({TOKENS_PER_CALL} a call and {TOKENS_PER_LABEL} a label)\n"
        f"{estimate.hours:.2f} hours one call at a time, "
        f"at {TOKENS_PER_SECOND} tokens a second; "
        f"no less than {estimate.hours_at_once:.2f} with {at_once} at once",
        markup=False,
    )
