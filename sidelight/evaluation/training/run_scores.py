"""Scores of the runs of TREC RAG 2024 by people's labels, and by the judge that learned from them.

The judge's labels of a topic are by a model fitted on the other topics, as in `crossvalidation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.nuggets.scores import score_nuggets
from sidelight.evaluation.scoring.files import write_score_files
from sidelight.evaluation.scoring.support import SUPPORT_MEASURES, score_judged_support
from sidelight.evaluation.training.crossvalidation import predict_held_out
from sidelight.evaluation.training.datasets import answer_rows
from sidelight.evaluation.training.label_files import ANSWER_LEVELS, read_answers, read_sentences
from sidelight.evaluation.training.training import recipe_of
from sidelight.formats.labels.nugget_assignments import read_nugget_assignments
from sidelight.learned.models import ANSWERS
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.nugget_assignment import NuggetAssignment
    from sidelight.text_vectors import Encode

_TRACK = "rag2025"  # the labels of 2024 are those of 2025
_FIRST = ("weighted_precision", "weighted_recall")
_ALL = ("weighted_precision_all", "weighted_recall_all")


def run_scores(
    assigned: Path, web: Path, edited: Path, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Score runs by nuggets and by support; returns names of figures and what they are.

    Args:
        assigned: Nuggets that people held against answers.
        web: Labels of support that people gave, of all citations of a sentence.
        edited: Labels of support that people corrected, of the first citation alone.
        encode: The default encoder, in single precision.
        weights: Folder for score files; None keeps none.
    """
    scales = load_track(_TRACK).scales
    by_people = read_nugget_assignments(assigned, scales)
    people = score_nuggets(by_people, scales)
    judge = score_nuggets(_by_judge(assigned, by_people, encode), scales)
    yield "runs", len(people.runs)
    yield "answers", len(by_people)
    for name in (one.name for one in people.measures if one.computes == "nugget_recall"):
        yield f"{name}: mean of runs, people", _mean(people, name)
        yield f"{name}: mean of runs, judge", _mean(judge, name)
        found = compare_scores(people.topics, judge.topics, name)
        yield f"{name}: Kendall tau of runs", found.runs["tau_b"]
        yield f"{name}: mean tau within topics", found.topics["tau_b"].mean
        yield f"{name}: tau of all answers", found.pairs["tau_b"]
    tables = {"people_nuggets": people, "judge_nuggets": judge}
    for title, path, names in (("web", web, (*_FIRST, *_ALL)), ("edited", edited, _FIRST)):
        measures = [measure for measure in SUPPORT_MEASURES if measure.name in names]
        verdicts = read_sentences(path, scales["support"])
        table = tables[f"people_support_{title}"] = score_judged_support(verdicts, scales, measures)
        yield f"support, {title}: answers", len({(one.run_tag, one.topic_id) for one in verdicts})
        for name in names:
            yield f"support, {title}: {name}, mean of runs", _mean(table, name)
    if weights:
        for prefix, table in tables.items():
            write_score_files(table, weights, prefix)


def _by_judge(
    path: Path, by_people: list[NuggetAssignment], encode: Encode
) -> list[NuggetAssignment]:
    """Return the same answers with the labels of models that did not see their topics."""
    rows = answer_rows(read_answers(path), encode)
    predicted = predict_held_out(rows, recipe_of(ANSWERS), hold_out_runs=False)
    labels = iter(ANSWER_LEVELS[level] for level in predicted[rows.people])
    return [
        item.model_copy(update={"labels": tuple(next(labels) for _ in item.labels)})
        for item in by_people
    ]


def _mean(table: ScoreTable, name: str) -> float:
    return sum(run.values[name] for run in table.runs) / len(table.runs)
