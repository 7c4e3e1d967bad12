"""Results of `sidelight run` and of its `--estimate`, and the judging of a finished run.

The process that generates never reads a rubric: it checks what can be checked without, and later
hands the finished files over to `sidelight evaluate`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from rich.text import Text

from sidelight.cli.console import INTERRUPTED, Note, PlainTable, Result, Shown, warning
from sidelight.cli.evaluation_report import evaluation_shown
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


def run_result(
    summary: RunSummary,
    settings: Settings,
    seconds: float,
    retries: int,
    judged: Judged,
) -> Result:
    """Return what a run did and cost, what failed, what is thin, its files, and its scores.

    Args:
        summary: What the run came to.
        settings: What it was made with.
        seconds: It took.
        retries: Calls made again.
        judged: What `sidelight evaluate` says of it.
    """
    kept = f", {len(summary.kept)} finished before" if summary.kept else ""
    shown: list[Shown] = [f"{counted(len(summary.done), 'topic')} in {seconds:.1f} s{kept}."]
    if not summary.done and not summary.failures:
        shown = [f"Nothing to do: {counted(len(summary.kept), 'topic')} finished before."]
    shown += usage_shown(summary, settings, retries)
    shown += [
        Note(
            Text.assemble(("failed", "red"), f" {one.topic_id}: {one.error}: {one.message}"),
            on_stderr=True,
        )
        for one in summary.failures
    ]
    shown += [
        Note(str(problem), "red", on_stderr=True)
        for problem in summary.problems
        if problem.severity == "error"
    ]
    if summary.fallbacks:
        steps = sorted({step for steps in summary.fallbacks.values() for step in steps})
        shown.append(
            f"On {counted(len(summary.fallbacks), 'topic')}, steps were done without the model, "
            f"whose replies were no use: {', '.join(steps)} (listed in manifest.json)."
        )
    if summary.thin:
        shown.append(
            f"Short for want of evidence in the index: {counted(len(summary.thin), 'report')} "
            "(listed in manifest.json)."
        )
    directory = summary.directory
    shown += [f"  {path}" for path in (*summary.files, directory.manifest, directory.traces)]
    document = _document(summary, settings, retries)
    if judged.evaluation:
        document["evaluation"] = judged.evaluation
        shown += evaluation_shown(judged.evaluation, load_track(settings.track))
    return Result(document, shown, judged.exit_code or (0 if summary.succeeded else 1))


def usage_shown(summary: RunSummary, settings: Settings, retries: int) -> list[Shown]:
    """Return the seconds of the steps, and what each prompt asked of models."""
    shown: list[Shown] = []
    if seconds := summary.seconds():
        spent = ", ".join(f"{step} {time:.1f}" for step, time in seconds.items())
        shown.append(f"Seconds per step, added up over topics: {spent}.")
    usage = summary.usage()
    if not usage:
        return shown
    rows = [
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
    ]
    total, cost = sum(usage.values(), PromptUsage()), run_cost(settings, usage)
    return [
        *shown,
        PlainTable(
            ("prompt", "calls", "cached", "tokens read", "written", "s per call", "no use"), rows
        ),
        f"{counted(total.calls, 'call')}, {total.cached} of them from the cache; "
        f"{counted(total.prompt_tokens, 'token')} "
        f"read, {total.completion_tokens} written; {total.failures.total()} replies of no use, "
        f"{counted(retries, 'call')} made again by the client"
        + (f"; cost {cost:.2f}." if cost is not None else "."),
    ]


def _shown(sums: PromptUsage) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(sums.failures.items())) or "-"


def _document(summary: RunSummary, settings: Settings, retries: int) -> dict[str, Any]:
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


def estimate_shown(estimate: RunEstimate) -> list[Shown]:
    """Return what a run would come to, per prompt and in all, and what that rests on."""
    shown: list[Shown] = []
    if estimate.unknown:
        shown.append(
            warning(
                "not counted, because their performers do not say what they ask: "
                f"{', '.join(estimate.unknown)}"
            )
        )
    elif not estimate.prompts:
        return ["No role asks a model: 0 calls."]
    from sidelight.llm.base import TOKENS_PER_SECOND
    from sidelight.wiring.estimate import LATENCY_S

    rows = [_row(name, one) for name, one in estimate.prompts.items()]
    rows.append(_row("in all", estimate.total))
    return [
        *shown,
        PlainTable(("prompt", "calls", "tokens read", "written", "cost"), rows),
        (
            "If every round that is allowed is made; what a server's prefix cache saves is not "
            f"taken off.\n{estimate.hours:.2f} hours one call at a time, at {LATENCY_S:g} s a call "
            f"and {TOKENS_PER_SECOND} tokens a second; no less than {estimate.hours_at_once:.2f} "
            "with all slots of the servers full."
        ),
    ]


def _row(name: str, one: PromptEstimate) -> tuple[str, ...]:
    cost = "-" if one.cost is None else f"{one.cost:.2f}"
    return (
        name,
        f"{one.calls:,}",
        f"{one.prompt_tokens:,}",
        f"{one.completion_tokens:,}",
        cost,
    )


class Judged(NamedTuple):
    """What judging a finished run came to.

    Attributes:
        evaluation: What `sidelight evaluate` says; None if there is nothing.
        exit_code: The code with which it ended.
    """

    evaluation: dict[str, Any] | None = None
    exit_code: int = 0


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

    def evaluate(self, run: Path, index: Path, passed_on: Sequence[str]) -> Judged:
        """Judge a finished run; what fails or is interrupted has said so itself.

        Args:
            run: Run directory.
            index: The index it was made with.
            passed_on: Options of `sidelight run` that `sidelight evaluate` has, too.
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
        try:
            with without_lines():  # it has its own
                done = subprocess.run(  # noqa: S603 - this program, with options it has checked
                    command, stdout=subprocess.PIPE, check=False
                )
        except KeyboardInterrupt:
            return Judged(exit_code=INTERRUPTED)
        evaluation = None if done.returncode else orjson.loads(done.stdout)
        return Judged(evaluation, done.returncode)
