"""What `sidelight run --estimate` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.cli.console import err, out, print_json, print_table

if TYPE_CHECKING:
    from sidelight.build.estimate import PromptEstimate, RunEstimate


def report_estimate(estimate: RunEstimate, *, as_json: bool) -> None:
    """Say what a run would come to, per prompt and in all, and what that rests on."""
    if as_json:
        print_json(estimate.model_dump())
        return
    if estimate.unknown:
        err.print(
            f"not counted, because their performers do not say what they ask: "
            f"{', '.join(estimate.unknown)}",
            style="yellow",
            markup=False,
        )
    elif not estimate.prompts:
        out.print("No role asks a model: 0 calls.")
        return
    from sidelight.build.estimate import LATENCY_S
    from sidelight.llm.rates import TOKENS_PER_SECOND

    print_table(
        ("prompt", "calls", "tokens read", "written", "cost"),
        (
            *(_row(name, one) for name, one in estimate.prompts.items()),
            _row("in all", estimate.total),
        ),
    )
    out.print(
        "If every round that is allowed is made; what a server's prefix cache saves is not taken "
        f"off.\n{estimate.hours:.2f} hours one call at a time, at {LATENCY_S:g} s a call and "
        f"{TOKENS_PER_SECOND} tokens a second; no less than {estimate.hours_at_once:.2f} "
        "with all slots of the servers full.",
        markup=False,
    )


def _row(name: str, one: PromptEstimate) -> tuple[str, ...]:
    cost = "-" if one.cost is None else f"{one.cost:.2f}"
    return (
        name,
        f"{one.calls:,}",
        f"{one.prompt_tokens:,}",
        f"{one.completion_tokens:,}",
        cost,
    )
