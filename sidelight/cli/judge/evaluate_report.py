"""What self-evaluation says: its JSON and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.cli.console import err, out, print_table
from sidelight.text import counted

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.runs.self_evaluation.evaluate import SelfEvaluation
    from sidelight.runs.self_evaluation.finished import FinishedRun
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
    questions, reports = outcome[rules.question_list.name], outcome[rules.cited_text.name]
    (covered, *_), (supportive, contradictory, *_) = questions.values(), reports.values()
    out.print(
        f"Judged on {counted(outcome['n_topics'], 'topic')} by {outcome['judge']}: questions "
        f"{covered:.4f}, reports {supportive:.4f} supportive, {contradictory:.4f} contradictory; "
        "unjudged "
        f"{questions['unjudged']:.1%} and {reports['unjudged']:.1%}.",
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
