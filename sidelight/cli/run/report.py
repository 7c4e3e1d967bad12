"""What `sidelight run` says at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.build.cost import run_cost
from sidelight.cli.console import err, out, print_json, print_table
from sidelight.cli.judge.evaluate_report import print_evaluation
from sidelight.runs.log import PromptUsage
from sidelight.text import counted
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from sidelight.config.settings import Settings
    from sidelight.runs.runner import RunSummary


def report_run(
    summary: RunSummary,
    settings: Settings,
    seconds: float,
    retries: int,
    evaluation: dict[str, Any] | None,
    *,
    as_json: bool,
) -> None:
    """Say what a run did and cost, what failed, what is thin, where the files are, how it scored.

    Args:
        summary: What the run came to.
        settings: What it was made with.
        seconds: It took.
        retries: Calls made again.
        evaluation: What `sidelight evaluate` says of it; None for a run that was not judged.
        as_json: Print one JSON document.
    """
    if as_json:
        judged = {"evaluation": evaluation} if evaluation else {}
        print_json(_as_json(summary, settings, retries) | judged)
        return
    if not summary.done and not summary.failures:
        out.print(f"Nothing to do: {counted(len(summary.kept), 'topic')} finished before.")
    else:
        kept = f", {len(summary.kept)} finished before" if summary.kept else ""
        out.print(f"{counted(len(summary.done), 'topic')} in {seconds:.1f} s{kept}.")
    _print_usage(summary, settings, retries)
    for failure in summary.failures:
        err.print(f"[red]failed[/red] {failure.topic_id}: {failure.error}: ", end="")
        err.print(failure.message, markup=False)
    for problem in summary.problems:
        if problem.severity == "error":
            err.print(str(problem), style="red", markup=False)
    if summary.fallbacks:
        steps = sorted({step for steps in summary.fallbacks.values() for step in steps})
        out.print(
            f"On {counted(len(summary.fallbacks), 'topic')}, steps were done without the model, "
            "whose replies "
            f"were no use: {', '.join(steps)} (listed in manifest.json)."
        )
    if summary.thin:
        out.print(
            f"Short for want of evidence in the index: {counted(len(summary.thin), 'report')} "
            "(listed in manifest.json)."
        )
    directory = summary.directory
    for path in (*summary.files, directory.manifest, directory.traces):
        out.print(f"  {path}", markup=False)
    if evaluation:
        print_evaluation(evaluation, load_track(settings.track))


def _print_usage(summary: RunSummary, settings: Settings, retries: int) -> None:
    seconds = summary.seconds()
    if seconds:
        spent = ", ".join(f"{step} {time:.1f}" for step, time in seconds.items())
        out.print(f"Seconds per step, added up over topics: {spent}.")
    usage = summary.usage()
    if not usage:
        return
    print_table(
        ("prompt", "calls", "cached", "tokens read", "written", "s per call", "no use"),
        (
            (
                prompt,
                str(sums.calls),
                str(sums.cached),
                str(sums.prompt_tokens),
                str(sums.completion_tokens),
                f"{sums.latency_s / made:.2f}" if (made := sums.calls - sums.cached) else "-",
                _shown(sums),
            )
            for (_, prompt), sums in usage.items()
        ),
    )
    total, cost = sum(usage.values(), PromptUsage()), run_cost(settings, usage)
    out.print(
        f"{counted(total.calls, 'call')}, {total.cached} of them from the cache; "
        f"{counted(total.prompt_tokens, 'token')} "
        f"read, {total.completion_tokens} written; {total.failures.total()} replies of no use, "
        f"{counted(retries, 'call')} made again by the client"
        + (f"; cost {cost:.2f}." if cost is not None else ".")
    )


def _shown(sums: PromptUsage) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(sums.failures.items())) or "-"


def _as_json(summary: RunSummary, settings: Settings, retries: int) -> dict[str, Any]:
    usage = summary.usage()
    return {
        "directory": str(summary.directory.path),
        "done": summary.done,
        "kept": summary.kept,
        "failures": [failure.model_dump() for failure in summary.failures],
        "fallbacks": summary.fallbacks,
        "thin": summary.thin,
        "problems": [problem.as_dict() for problem in summary.problems],
        "seconds": summary.seconds(),
        "calls": [
            {
                "model": model,
                "prompt": prompt,
                "calls": sums.calls,
                "cached": sums.cached,
                "prompt_tokens": sums.prompt_tokens,
                "completion_tokens": sums.completion_tokens,
                "latency_s": sums.latency_s,
                "failures": dict(sums.failures),
            }
            for (model, prompt), sums in usage.items()
        ],
        "retries": retries,
        "cost": run_cost(settings, usage),
    }
