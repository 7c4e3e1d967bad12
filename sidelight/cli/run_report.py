"""What `sidelight run` says at its end.

What `sidelight run --estimate` says.

Judging at the end of `sidelight run`, in a process of its own.

The process that generates never reads a rubric: it checks what can be checked without, and later
hands the finished files over to `sidelight evaluate`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import typer

from sidelight.cli.console import err, out, print_json, print_table
from sidelight.cli.evaluation_report import print_evaluation
from sidelight.cli.options.self_evaluation import check_drafts
from sidelight.cli.progress import without_lines
from sidelight.errors import UsageError
from sidelight.runs.log import PromptUsage
from sidelight.text import counted
from sidelight.tracks import load_track
from sidelight.wiring.estimate import run_cost
from sidelight.wiring.judges import judge_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sidelight.config.settings import Settings
    from sidelight.runs.runner import RunSummary
    from sidelight.wiring.estimate import PromptEstimate, RunEstimate


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
    from sidelight.llm.base import TOKENS_PER_SECOND
    from sidelight.wiring.estimate import LATENCY_S

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


class Judging(NamedTuple):
    """What a run is judged with, as far as those who generate may know it.

    Attributes:
        judge: Name of the judge; None for a run that is not judged.
        rubrics: Where the rubrics are; None for those the run drafts.
        allow_self: Whether the model that writes may judge.
        examples: Where labelled runs are.
        example_runs: Those of them that the judge is shown; all if there are none.
    """

    judge: str | None
    rubrics: Path | None
    allow_self: bool
    examples: Path | None
    example_runs: Sequence[str]

    def check(self, settings: Settings) -> None:
        """Find what judging will lack before anything is paid for.

        Raises:
            UsageError: Something is missing, or the writer would judge itself.
        """
        if self.judge is None:
            if any(self[1:]):
                raise UsageError(
                    "there are options for a judge, and no judge",
                    remedy="Name one: --judge embedded, or --judge prompted",
                )
            return
        judge_model(
            self.judge,
            settings,
            settings.models.writer,
            examples=self.examples is not None,
            allow_self=self.allow_self,
        )
        check_drafts(settings, self.rubrics)
        for folder in (self.rubrics, self.examples):
            if folder is not None and not folder.is_dir():
                raise UsageError(f"there is no folder {folder}")

    def evaluate(self, run: Path, index: Path, passed_on: Sequence[str]) -> dict[str, Any]:
        """Judge a finished run and return what it came to.

        Args:
            run: Run directory.
            index: The index it was made with.
            passed_on: Options of `sidelight run` that `sidelight evaluate` has, too.

        Raises:
            typer.Exit: It failed, and has said why.
        """
        named = (
            ("--judge", self.judge),
            ("--rubrics", self.rubrics),
            ("--examples", self.examples),
            *(("--example-run", tag) for tag in self.example_runs),
        )
        command = [
            # -P: no module of the working folder takes the place of an installed one.
            *(sys.executable, "-P", "-m", "sidelight.cli.main", "evaluate", str(run), "--json"),
            *("--index", str(index)),
            *(part for name, value in named if value for part in (name, str(value))),
            *(("--allow-self-judging",) if self.allow_self else ()),
            *passed_on,
        ]
        with without_lines():  # it has its own
            done = subprocess.run(  # noqa: S603 - this program, with options it has checked
                command, stdout=subprocess.PIPE, check=False
            )
        if done.returncode:
            raise typer.Exit(done.returncode)
        outcome: dict[str, Any] = orjson.loads(done.stdout)
        return outcome
