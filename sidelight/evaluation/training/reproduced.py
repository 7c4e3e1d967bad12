"""The figures of the shipped models, from training them anew on the public labels.

Each target trains with the encoder and by words only, holds topics out, and topics and runs, and
says how well what is held out agrees with people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.training.build_tables import build_tables
from sidelight.evaluation.training.passages.item_grades import item_grades
from sidelight.evaluation.training.passages.relevance import relevance
from sidelight.evaluation.training.questions.question_figures import question_grades
from sidelight.evaluation.training.run_scores import run_scores
from sidelight.evaluation.training.training import train_answers, train_support

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from sidelight.evaluation.training.training import Trained
    from sidelight.text_vectors import Encode


def nuggets(
    labels: Path, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the models of answers; returns names of figures and what they are.

    Args:
        labels: Nuggets that people held against answers.
        encode: The default encoder, in single precision.
        weights: Folder for what is learned; None keeps nothing.
    """
    for title, encoder in (("", encode), ("words only, ", None)):
        yield from _figures(title, train_answers(labels, encoder, save_in=weights))


def support(
    edited: Path, web: Path, segments: Path, *, encode: Encode, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the models of support; returns names of figures and what they are.

    Args:
        edited: Labels of support that people corrected.
        web: Labels of support that people gave.
        segments: The texts that are cited.
        encode: The default encoder, in single precision.
        weights: Folder for what is learned, and for how often words of the segments occur, which
            both kinds of models build on; None keeps nothing.
    """
    if weights:
        build_tables(segments, weights)
    for title, encoder in (("", encode), ("words only, ", None)):
        yield from _figures(title, train_support([web, edited], segments, encoder, save_in=weights))


def _figures(title: str, trained: Trained) -> Iterator[tuple[str, float | None]]:
    for held_out, found in trained.figures.items():
        yield f"{title}{held_out}: Cohen kappa", found.kappa
        yield f"{title}{held_out}: accuracy", found.accuracy
        yield f"{title}{held_out}: Kendall tau of runs", found.tau


TRAIN: Mapping[str, Callable[..., Iterator[tuple[str, float | None]]]] = {
    "rag24-nuggets": nuggets,
    "rag24-support": support,
    "llmjudge-embedded": relevance,
    "llmjudge-queries": relevance,
    "rubric-grades": item_grades,
    "rag24-strict-vital": run_scores,
    "lateral2024-questions": question_grades,
}
"""What each target that trains does with the files it needs, in their order."""
