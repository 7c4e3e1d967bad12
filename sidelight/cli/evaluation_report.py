"""Results of self-evaluation and estimates of what judging costs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.cli.console import PlainTable, Result, Shown, warning
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
    from sidelight.evaluation.scoring.measures import stage_totals

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


def evaluation_shown(outcome: dict[str, Any], rules: Track) -> list[Shown]:
    """Return the scores and the funnel, with what a reader must know about them."""
    questions = partial(_shown, rules.question_list, outcome)
    reports = partial(_shown, rules.cited_text, outcome)
    rows = [
        (
            total["stage"],
            f"{total['credit']:.4f}",
            f"{total['change']:+.4f}",
            str(total["unjudged"]),
        )
        for total in outcome["funnel"]
    ]
    shown: list[Shown] = [
        (
            f"Judged on {counted(outcome['n_topics'], 'topic')} by {outcome['judge']}: questions "
            f"{questions('question_coverage')}, reports {reports('report_support')} supportive, "
            f"{reports('report_contradiction')} contradictory; unjudged "
            f"{questions('unjudged_pairs')} and {reports('unjudged_answers')}."
        ),
        PlainTable(("credit of the reports", "share", "change", "answers unjudged"), rows),
    ]
    if outcome["rubrics"] == "drafted":
        shown.append(
            "The rubrics are the run's own drafts: this says how far it did what it set out to do, "
            "not how good it is."
        )
    if without := outcome["topics_without_rubric"]:
        shown.append(warning(f"no rubric, not judged: {', '.join(without)}"))
    return [*shown, f"  {outcome['folder']}"]


def _shown(task: Task, outcome: dict[str, Any], computation: str) -> str:
    """Return the score of the run by the first measure of a task with a computation."""
    measure = next(one for one in task.measures if one.computes == computation)
    return measure.shown(outcome[task.name][measure.name])


def estimate_result(estimate: Estimate, at_once: int) -> Result:
    """Return what judging would come to, and what that rests on."""
    from sidelight.evaluation.labelling.asking import TOKENS_PER_CALL, TOKENS_PER_LABEL
    from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND

    return Result(
        estimate.model_dump(),
        [
            counted(estimate.calls, "call"),
            (
                f"{counted(estimate.prompt_tokens, 'token')} read (characters / "
                f"{CHARACTERS_PER_TOKEN}; a server's prefix cache computes a fraction of them)"
            ),
            (
                f"{counted(estimate.completion_tokens, 'token')} written "
                f"({TOKENS_PER_CALL} a call and {TOKENS_PER_LABEL} a label)"
            ),
            (
                f"{estimate.hours:.2f} hours one call at a time, "
                f"at {TOKENS_PER_SECOND} tokens a second; "
                f"no less than {estimate.hours_at_once:.2f} with {at_once} at once"
            ),
        ],
    )
