"""Trains the shipped models from the public labels, and measures them again.

All is deterministic: the solver, the order of rows, the attacks. With the same files, encoder and
arithmetic the figures come out the same; another processor changes the last digits of cosines,
and so single labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.training.crossvalidation import (
    Figures,
    Recipe,
    figures,
    fit,
    predict_held_out,
)
from sidelight.evaluation.training.datasets import Rows, answer_rows, support_rows
from sidelight.evaluation.training.label_files import (
    read_answers,
    read_citations,
    read_segments,
)
from sidelight.files import sha256_file
from sidelight.learned.features import COPYING, COSINES, FEATURES, LENGTHS
from sidelight.learned.models import ANSWERS, SUPPORT, WORDS_ONLY, model_name
from sidelight.learned.ordinal_model import about_model, save_model
from sidelight.schemas.base import Value
from sidelight.text_vectors import TextVectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from sidelight.learned.ordinal_model import OrdinalModel
    from sidelight.text_vectors import Encode

TOPICS, TOPICS_AND_RUNS = "topics held out", "topics and runs held out"
NO_QUERY = "no query known"
_SEED = 0


class Trained(Value):
    """What a training run found.

    Attributes:
        name: The model, such as `answers`.
        figures: What was held out -> agreement with people.
        shipped: The same as the file of weights in this package says; empty if there is none.
    """

    name: str
    figures: dict[str, Figures]
    shipped: dict[str, Figures]


def train_answers(labels: Path, encode: Encode | None, *, save_in: Path | None = None) -> Trained:
    """Train and measure the model of whether a text says an item.

    Args:
        labels: A file with lines like those of `nugget-assignments.jsonl.gz`.
        encode: The default encoder, in single precision; None for the words-only model.
        save_in: Folder for the weights; None keeps them nowhere.
    """
    rows = answer_rows(read_answers(labels), encode)
    return _trained(
        model_name(ANSWERS, words_only=encode is None), rows, [labels], {}, save_in=save_in
    )


def train_support(
    labels: Sequence[Path], segments: Path, encode: Encode | None, *, save_in: Path | None = None
) -> Trained:
    """Train and measure the model of whether a source supports a sentence.

    Args:
        labels: Files with lines like those of `support-judgments.*.jsonl.gz`.
        segments: A file with lines like those of `references.jsonl.gz`.
        encode: The default encoder, in single precision; None for the words-only model.
        save_in: Folder for the weights; None keeps them nowhere.
    """
    texts = read_segments(segments)
    by_file = {path: read_citations(path) for path in labels}
    citations = [citation for found in by_file.values() for citation in found]
    vectors = TextVectors(encode) if encode else None
    rows = support_rows(citations, texts, vectors)
    unasked = support_rows(citations, texts._replace(queries={}), vectors)
    topics = {
        f"{path.name}, {TOPICS}": sorted({citation.topic for citation in found})
        for path, found in by_file.items()
    }
    name = model_name(SUPPORT, words_only=encode is None)
    return _trained(name, rows, [*labels, segments], topics, unasked=unasked, save_in=save_in)


def shipped_figures(name: str) -> dict[str, Figures]:
    """Return the figures in the file of a shipped model; empty if there is none."""
    try:
        about = about_model(name)
    except FileNotFoundError:
        return {}
    return {held: Figures.model_validate(found) for held, found in about["figures"].items()}


def _trained(
    name: str,
    rows: Rows,
    files: Sequence[Path],
    parts: dict[str, list[str]],
    *,
    unasked: Rows | None = None,
    save_in: Path | None,
) -> Trained:
    """Measure and fit on rows.

    Args:
        name: The model.
        rows: What to fit on.
        files: Where the rows come from.
        parts: What to measure besides: a name -> the topics.
        unasked: The same rows where nobody knows what was asked, to measure besides.
        save_in: Folder for the weights; None keeps them nowhere.
    """
    recipe = recipe_of(name)
    alone = predict_held_out(rows, recipe, hold_out_runs=False)
    both = predict_held_out(rows, recipe, hold_out_runs=True)
    found = {
        TOPICS: _figures(rows, alone, rows.people),
        TOPICS_AND_RUNS: _figures(rows, both, rows.people),
    }
    for part, topics in parts.items():
        found[part] = _figures(rows, alone, rows.people & np.isin(rows.topics, topics))
    if unasked is not None:
        for title, hold_out_runs in ((TOPICS, False), (TOPICS_AND_RUNS, True)):
            predicted = predict_held_out(rows, recipe, hold_out_runs=hold_out_runs, shown=unasked)
            found[f"{title}, {NO_QUERY}"] = _figures(rows, predicted, rows.people)
    shipped = shipped_figures(name)
    if save_in:
        model = fit(rows, np.full(len(rows.levels), fill_value=True), recipe)
        _save(name, model, rows, files, found, save_in)
    return Trained(name=name, figures=found, shipped=shipped)


def recipe_of(name: str) -> Recipe:
    """Return how a model is made.

    People accept an answer in quite other words, its length earns it nothing, and rules see to
    order, negation and names; a sentence is supported more often by what it copies.
    """
    unused = (
        {*COPYING, *LENGTHS, "order", "polarity", "names"}
        if name.startswith(ANSWERS)
        else set[str]()
    )
    if name.endswith(WORDS_ONLY):
        unused |= {*COSINES}
    names = tuple(feature for feature in FEATURES if feature not in unused)
    return Recipe(
        names=names,
        columns=tuple(FEATURES.index(feature) for feature in names),
        by_topic=name.startswith(SUPPORT),
        needs_figures=name.startswith(ANSWERS),
        strength=0.1 if name.startswith(ANSWERS) else 3.0,
    )


def _figures(
    rows: Rows, predicted: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
) -> Figures:
    return figures(
        rows.levels[chosen],
        predicted[chosen],
        rows.topics[chosen].tolist(),
        rows.runs[chosen].tolist(),
    )


def _save(
    name: str,
    model: OrdinalModel,
    rows: Rows,
    files: Sequence[Path],
    found: dict[str, Figures],
    folder: Path,
) -> None:
    about = {
        "what": "two cumulative logistic regressions on standardised features; levels 0 none, "
        "1 partial, 2 full",
        "data": {path.name: sha256_file(path) for path in files},
        "labels by people": int(rows.people.sum()),
        "rows made by code": int((~rows.people).sum()),
        "topics": len(set(rows.topics.tolist())),
        "split": "each topic predicted by a model fitted on the others; topics and runs: on the "
        "others' labels of the other four fifths of the runs",
        "seed": _SEED,
        "figures": {held: part.model_dump() for held, part in found.items()},
    }
    save_model(folder, name, model, about)
