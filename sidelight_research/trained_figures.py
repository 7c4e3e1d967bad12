"""Figures of the shipped models, which are trained again on the public labels.

A target trains with the encoder and by words only, holds out topics, and topics and runs, and says
how well labels that were held out agree with people's. `run_scores` scores the runs of TREC RAG
2024 by people's labels and by models fitted on the other topics (`training.predict_held_out`).
`build_tables` counts the two tables of `learned.reading.tables` in the segments that TREC RAG 2024
published.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.metrics.base import TopicRecord
from sidelight.evaluation.scoring.measures import (
    SUPPORT_MEASURES,
    score_nuggets,
    sentences_by_report,
)
from sidelight.evaluation.scoring.table import tabulate, write_score_files
from sidelight.files import atomic_write, sha256_file
from sidelight.formats.banks.nuggets import read_nugget_assignments
from sidelight.formats.labels.assessments import ANSWER_LEVELS
from sidelight.learned.models import ANSWERS
from sidelight.learned.reading.tables import FREQUENCIES_FILE, NEUTRAL, TRANSITIONS_FILE, kind_of
from sidelight.learned.reading.words import read, split
from sidelight.text import STOPWORDS
from sidelight.tracks import load_track
from sidelight_research.passages import item_grades
from sidelight_research.people_labels import read_answers, read_segments, read_sentences
from sidelight_research.question_figures import question_grades
from sidelight_research.relevance import relevance
from sidelight_research.training import (
    answer_rows,
    development_webs,
    predict_held_out,
    recipe_of,
    train_answers,
    train_support,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.learned.reading.words import Sentence
    from sidelight.schemas.grading.judgment import JudgedSentence, Measure, Scales
    from sidelight.schemas.grading.rubric import NuggetAssignment
    from sidelight.text_vectors import SentenceEncoder
    from sidelight_research.training import Trained

_LABELLED_TRACK = "rag2025"  # the labels of 2024 are those of 2025
_FIRST = ("weighted_precision", "weighted_recall")
_ALL = ("weighted_precision_all", "weighted_recall_all")


def run_scores(
    assigned: Path, web: Path, edited: Path, *, encoder: SentenceEncoder, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Score runs by nuggets and by support; returns names of figures and what they are.

    `web` are labels of support that people gave, of all citations of a sentence; `edited` are those
    that they corrected, of the first citation alone. Score files are written where there is a
    folder for them.
    """
    scales = load_track(_LABELLED_TRACK).scales
    by_people = read_nugget_assignments(assigned, scales)
    people = score_nuggets(by_people, scales)
    judge = score_nuggets(_by_judge(assigned, by_people, encoder), scales)
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


def score_judged_support(
    verdicts: Sequence[JudgedSentence],
    scales: Scales,
    measures: Sequence[Measure] = SUPPORT_MEASURES,
) -> ScoreTable:
    """Score runs of which nothing is at hand but the support of their sentences.

    The topics that count are those of the verdicts, of which there must be one; the first measure
    ranks runs.
    """
    by_report = sentences_by_report(verdicts)

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        return TopicRecord(scales=scales, sentences=by_report.get((run_tag, topic_id), []))

    topic_ids = {topic_id for _, topic_id in by_report}
    return tabulate(topic_ids, {run for run, _ in by_report}, by_report.keys(), record, measures)


def _by_judge(
    path: Path, by_people: list[NuggetAssignment], encoder: SentenceEncoder
) -> list[NuggetAssignment]:
    """Return the same answers with the labels of models that did not see their topics."""
    rows = answer_rows(read_answers(path), encoder, development_webs())
    predicted = predict_held_out(rows, recipe_of(ANSWERS), hold_out_runs=False)
    labels = iter(ANSWER_LEVELS[level] for level in predicted[rows.people])
    return [
        item.model_copy(update={"labels": tuple(next(labels) for _ in item.labels)})
        for item in by_people
    ]


def _mean(table: ScoreTable, name: str) -> float:
    return sum(run.values[name] for run in table.runs) / len(table.runs)


_MIN_TOPICS = 4
_FUNCTION_WORDS = 130
_SMOOTHING = 5.0
_LIMIT = 3.0
_FROM_WORDS = 4
_START, _END = "^", "$"


def build_tables(references: Path, folder: Path) -> None:
    """Count both tables in a `references.jsonl` and write them into a folder."""
    source = {
        "source": "TREC RAG 2024, segments of MS MARCO V2.1 by topic (references.jsonl.gz)",
        "sha256": sha256_file(references),
    }
    segments = read_segments(references)
    read_once = {
        segment: [read(part) for part in split(text)] for segment, text in segments.texts.items()
    }
    sentences = {
        topic: [sentence for segment in ids for sentence in read_once[segment]]
        for topic, ids in segments.by_topic.items()
    }
    every = [sentence for parts in read_once.values() for sentence in parts]
    _write(folder / FREQUENCIES_FILE.name, source | _frequencies(sentences))
    _write(folder / TRANSITIONS_FILE.name, source | _order(every))


def _frequencies(sentences: Mapping[str, list[Sentence]]) -> dict[str, Any]:
    counts = Counter(
        stem
        for parts in sentences.values()
        for stem in set().union(*(sentence.content for sentence in parts))
        if not stem.isdigit()
    )
    by_count: dict[int, list[str]] = {}
    for stem, count in sorted(counts.items()):
        if count >= _MIN_TOPICS:
            by_count.setdefault(count, []).append(stem)
    return {
        "what": "in how many topics a stem occurs -> the stems",
        "topics": len(sentences),
        "stems": {str(count): " ".join(stems) for count, stems in sorted(by_count.items())},
    }


def _order(sentences: Iterable[Sentence]) -> dict[str, Any]:
    usable = [sentence for sentence in sentences if len(sentence.words) >= _FROM_WORDS]
    common = Counter(word for sentence in usable for word in sentence.words if word in STOPWORDS)
    alone = {
        word for word, _ in sorted(common.items(), key=lambda x: (-x[1], x[0]))[:_FUNCTION_WORDS]
    }
    pairs: Counter[tuple[str, str]] = Counter()
    for sentence in usable:
        pairs.update(pairwise([_START, *(_kind(shape, alone) for shape in sentence.shapes), _END]))
    inner = {kind for pair in pairs for kind in pair} - {_START, _END} | {NEUTRAL}
    kinds = [_START, *sorted(inner), _END]
    places = {kind: place for place, kind in enumerate(kinds)}
    seen = np.zeros((len(kinds), len(kinds)))
    for (left, right), count in pairs.items():
        seen[places[left], places[right]] = count
    chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / seen.sum()
    bonds = np.log((seen + _SMOOTHING) / (chance + _SMOOTHING)).clip(-_LIMIT, _LIMIT)
    return {
        "what": "how much more often a kind of word follows another than by chance, in tenths of "
        "a nat; a row for the first, a column for the second",
        "kinds": kinds,
        "bonds": [" ".join(str(round(10 * bond)) for bond in row) for row in bonds],
    }


def _kind(shape: str, alone: set[str]) -> str:
    word = shape.casefold().replace("’", "'")
    return word if word in alone else kind_of(shape)


def _write(path: Path, table: Mapping[str, Any]) -> None:
    atomic_write(path, json.dumps(table, ensure_ascii=False, indent=1) + "\n")


def nuggets(
    labels: Path, *, encoder: SentenceEncoder, weights: Path | None
) -> Iterator[tuple[str, float | None]]:
    """Train the models of answers; returns names of figures and what they are."""
    for title, used in (("", encoder), ("words only, ", None)):
        yield from _figures(title, train_answers(labels, used, save_in=weights))


def support(
    edited: Path, web: Path, segments: Path, *, weights: Path | None, **_: object
) -> Iterator[tuple[str, float | None]]:
    """Train the model of support; returns names of figures and what they are.

    The folder of weights also gets how often words of the segments occur, which both kinds of
    models build on.
    """
    if weights:
        build_tables(segments, weights)
    yield from _figures("", train_support([web, edited], segments, save_in=weights))


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
