"""What self-evaluation says: its JSON and its tables.

What judging would cost, as the commands that judge say it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.cli.console import err, out, print_json, print_table
from sidelight.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.evaluation.labelling.asking import Estimate
    from sidelight.runs.self_evaluation import FinishedRun, SelfEvaluation
    from sidelight.schemas.task import Task
    from sidelight.tracks import Track


def summarise(evaluation: SelfEvaluation, run: FinishedRun, folder: Path) -> dict[str, Any]:
    """Return what self-evaluation came to, JSON-ready.

    Args:
        evaluation: What it came to.
        run: What was judged.
        folder: Where its files are.
    """
    from sidelight.evaluation.scoring.funnel import stage_totals

    totals, rules = stage_totals(evaluation.funnel), run.track
    return {
        "judge": evaluation.manifest.label,
        "rubrics": "drafted" if run.drafted else "given",
        "n_topics": evaluation.manifest.n_topics,
        "topics_without_rubric": sorted(run.topics_without_rubric),
        rules.question_list.name: evaluation.scores.questions.runs[0].row,
        rules.cited_text.name: evaluation.scores.reports.runs[0].row,
        "funnel": [total._asdict() for total in totals],
        "folder": str(folder),
    }


def print_evaluation(outcome: dict[str, Any], rules: Track) -> None:
    """Print the scores and the funnel, with what a reader must know about them."""
    questions = partial(_shown, rules.question_list, outcome)
    reports = partial(_shown, rules.cited_text, outcome)
    out.print(
        f"Judged on {counted(outcome['n_topics'], 'topic')} by {outcome['judge']}: questions "
        f"{questions('question_coverage')}, reports {reports('report_support')} supportive, "
        f"{reports('report_contradiction')} contradictory; unjudged "
        f"{questions('unjudged_pairs')} and {reports('unjudged_answers')}.",
        markup=False,
    )
    print_table(
        ("credit of the reports", "share", "change", "answers unjudged"),
        (
            (
                total["stage"],
                f"{total['credit']:.4f}",
                f"{total['change']:+.4f}",
                str(total["unjudged"]),
            )
            for total in outcome["funnel"]
        ),
    )
    if outcome["rubrics"] == "drafted":
        out.print(
            "The rubrics are the run's own drafts: this says how far it did what it set out to do, "
            "not how good it is.",
            markup=False,
        )
    if without := outcome["topics_without_rubric"]:
        err.print(f"no rubric, not judged: {', '.join(without)}", style="yellow", markup=False)
    out.print(f"  {outcome['folder']}", markup=False)


def _shown(task: Task, outcome: dict[str, Any], computation: str) -> str:
    """Return the score of the run by the first measure of a task with a computation."""
    measure = next(one for one in task.measures if one.computes == computation)
    return measure.shown(outcome[task.name][measure.name])


def report_estimate(estimate: Estimate, at_once: int, *, as_json: bool) -> None:
    """Say what judging would come to, and what that rests on."""
    if as_json:
        print_json(estimate.model_dump())
        return
    from sidelight.evaluation.labelling.asking import TOKENS_PER_CALL, TOKENS_PER_LABEL
    from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND

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
