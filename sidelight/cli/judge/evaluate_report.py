"""What self-evaluation says: its JSON and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.cli.console import err, out, print_table

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from sidelight.runs.self_evaluation.evaluate import SelfEvaluation


def summarise(
    evaluation: SelfEvaluation, folder: Path, *, drafted: bool, unjudged_topics: Collection[str]
) -> dict[str, Any]:
    """Return what self-evaluation came to, JSON-ready.

    Args:
        evaluation: What it came to.
        folder: Where its files are.
        drafted: Whether the run drafted its rubrics itself.
        unjudged_topics: Topics of the run that have no rubric.
    """
    from sidelight.evaluation.scoring.funnel import stage_totals

    totals = stage_totals(evaluation.funnel)
    return {
        "judge": evaluation.manifest.label,
        "rubrics": "drafted" if drafted else "given",
        "n_topics": evaluation.manifest.n_topics,
        "topics_without_rubric": sorted(unjudged_topics),
        "task1": evaluation.scores.questions.runs[0].row,
        "task2": evaluation.scores.reports.runs[0].row,
        "funnel": [total._asdict() for total in totals],
        "folder": str(folder),
    }


def print_evaluation(outcome: dict[str, Any]) -> None:
    """Print the scores and the funnel, with what a reader must know about them."""
    questions, reports = outcome["task1"], outcome["task2"]
    (covered, *_), (supportive, contradictory, *_) = questions.values(), reports.values()
    out.print(
        f"Judged on {outcome['n_topics']} topics by {outcome['judge']}: questions "
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
