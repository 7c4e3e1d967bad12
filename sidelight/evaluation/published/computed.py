"""What each target computes from the published files it needs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.evaluation.agreement.coefficients.kendall import kendall
from sidelight.evaluation.agreement.labels import compare_labels, read_two_sides
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.labelling.relevance.ensemble import vote
from sidelight.evaluation.metrics.question_quality import QuestionDcg
from sidelight.evaluation.published.exams import (
    grade_tables,
    graded_passages,
    leaderboards,
    table_of_wins,
)
from sidelight.evaluation.scoring.graded.question_quality import score_question_quality
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.unit_weights import rubrics_from_answers
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.labels.question_grades import read_question_grades
from sidelight.formats.runs.cited_text import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.text import budget_words
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from sidelight.evaluation.agreement.categories import CategoryAgreement
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.tracks import Track

_SHOWN_TO_AUTO_JUDGE = frozenset(
    {
        "organizer-gpt-oss-t1",
        "dragun-organizers-starter-kit-task-1",
        "organizer-t1-perplex",
        "organizer-t1-chatgpt",
        "organizer-gpt-oss-t2",
        "dragun-organizers-starter-kit-task-2",
    }
)
"""Runs whose labels by people stood in the prompts of AutoJudge, which cannot be held against
them: https://github.com/trec-dragun/resources, README.md, Generate AutoJudge Assessments."""

_RELEVANT = 2
"""The lowest grade of a passage that answers a part of a narrative."""

Computed: TypeAlias = "Iterator[tuple[str, float | tuple[str, ...] | None]]"
"""Names of figures and what they are here: None where one is undefined, names where these are
counted."""


def _starter_kit(questions: Path, reports: Path) -> Computed:
    written = read_report_run(reports).reports
    words = [
        sum(budget_words(sentence.text) for sentence in report.responses) for report in written
    ]
    yield "questions", len(read_question_run(questions).questions)
    yield "reports", len(written)
    yield "words per report", sum(words) / len(words)


def _auto_judge_scores(assessments: Path) -> Computed:
    track = load_track()
    labels = read_assessments(assessments, ANSWER_ASSESSMENTS, track.scales)
    yield "labels", len(labels)
    for label in track.scales[ANSWER_ASSESSMENTS.scale].names:
        yield f"labels {label}", sum(item.label == label for item in labels)
    table = score_reports(track, rubrics_from_answers(labels), labels)
    yield from ((run.run_tag, run.values[table.main.name]) for run in table.runs)


def _sun(sun: Path, official: Path) -> Computed:
    found = compare_qrels(read_qrels(sun), read_qrels(official), (1, 2)).relevance
    assert found is not None  # noqa: S101 - thresholds were given
    cells = ("both relevant", "only Sun", "only NIST", "neither")
    yield from zip(cells, map(int, found.table.ravel()), strict=True)
    yield "Cohen kappa", found.coefficients["kappa"]


def _rag25(nist: Path, umbrela: Path, gpt: Path, ministral: Path, qwen: Path) -> Computed:
    people = read_qrels(nist)
    compared = compare_qrels(people, read_qrels(umbrela))
    yield "labels by both", compared.grades.n
    yield "exact agreement", compared.grades.coefficients["raw"]
    yield "Cohen kappa", compared.grades.coefficients["kappa"]
    yield from (compared.order.shares or {}).items()
    models = {path.stem: read_qrels(path) for path in (gpt, ministral, qwen)}
    for one, other in combinations(models, 2):
        grades = compare_qrels(models[one], models[other]).grades
        yield f"{one}, {other}: exact agreement", grades.coefficients["raw"]
        yield f"{one}, {other}: Cohen kappa", grades.coefficients["kappa"]
    votes = vote(models)
    agreeing = Counter(one.agreeing for passages in votes.values() for one in passages.values())
    yield "passages that all three grade alike", agreeing[3]
    yield "passages that two grade alike", agreeing[2]
    yield "passages that no two grade alike", agreeing[1]
    # Theirs are passages of another collection: only what topics are like can be compared.
    majority = {
        topic: {name: one.grade for name, one in passages.items() if one.grade is not None}
        for topic, passages in votes.items()
    }
    topics = sorted(majority.keys() & people.keys())
    yield "topics of NIST that the models graded", len(topics)
    yield (
        "passages of NIST that the models graded",
        sum(len(majority[topic].keys() & people[topic].keys()) for topic in topics),
    )
    shares = [
        np.array(
            [np.mean([grade >= _RELEVANT for grade in side[topic].values()]) for topic in topics]
        )
        for side in (people, majority)
    ]
    yield "share relevant, NIST, mean of topics", float(shares[0].mean())
    yield "share relevant, majority, mean of topics", float(shares[1].mean())
    yield "share relevant, topics: Kendall tau", kendall(*shares)


def _collection(rubrics: Path, pairs: Path, answers: Path, compound: Path) -> Computed:
    track = load_track()
    scales = track.scales
    known = read_rubrics(rubrics, scales)
    questions = [question for rubric in known.values() for question in rubric.questions]
    yield "topics", len(known)
    yield "rubric questions", len(questions)
    yield "rubric answers", sum(len(question.answers) for question in questions)
    flags = read_assessments(compound, COMPOUND_ASSESSMENTS, scales)
    yield f"{track.question_list.title} runs", len({item.run_tag for item in flags})
    yield f"{track.question_list.title} questions", len(flags)
    yield from _shares(scales[COMPOUND_ASSESSMENTS.scale].names, [item.label for item in flags])
    compared = read_assessments(pairs, QUESTION_ASSESSMENTS, scales)
    yield "assessed pairs", len(compared)
    yield from _shares(scales[QUESTION_ASSESSMENTS.scale].names, [item.label for item in compared])
    told = read_assessments(answers, ANSWER_ASSESSMENTS, scales)
    yield f"{track.cited_text.title} runs", len({item.run_tag for item in told})
    yield "assessed answers", len(told)
    yield from _shares(scales[ANSWER_ASSESSMENTS.scale].names, [item.label for item in told])


def _judge(
    rubrics: Path,
    pairs: Path,
    answers: Path,
    compound: Path,
    auto_pairs: Path,
    auto_answers: Path,
) -> Computed:
    track = load_track()
    known, flags = (
        read_rubrics(rubrics, track.scales),
        read_assessments(compound, COMPOUND_ASSESSMENTS, track.scales),
    )
    kind, human, auto = _two_judges(pairs, auto_pairs, track)
    # Classes that earn the same are one class in the paper.
    merged = compare_labels(kind, track.scales, human, auto).schemes[-1].overall
    yield from _agreement(track.question_list.title, merged)
    scored = (score_questions(track, known, labels, flags) for labels in (human, auto))
    yield from _order_of_runs(track.question_list.title, *scored)
    kind, human, auto = _two_judges(answers, auto_answers, track)
    found = compare_labels(kind, track.scales, human, auto).schemes[0].overall
    yield from _agreement(track.cited_text.title, found)
    scored = (score_reports(track, known, labels) for labels in (human, auto))
    yield from _order_of_runs(track.cited_text.title, *scored)


def _two_judges(people: Path, judge: Path, track: Track) -> tuple[Any, list[Any], list[Any]]:
    """Read both sides' labels; of the judge's, not those of runs that it was shown."""
    kind, human, auto = read_two_sides(people, judge, track.scales)
    return kind, human, [item for item in auto if item.run_tag not in _SHOWN_TO_AUTO_JUDGE]


def _agreement(task: str, found: CategoryAgreement) -> Computed:
    raw = found.coefficients["raw"]
    yield f"{task}: agreement, %", None if raw is None else 100 * raw
    yield f"{task}: Cohen kappa", found.coefficients["kappa"]
    yield f"{task}: Gwet AC1", found.coefficients["ac1"]


def _order_of_runs(task: str, human: ScoreTable, auto: ScoreTable) -> Computed:
    found = compare_scores(human.topics, auto.topics, human.main.name)
    yield f"{task}: runs that both judged", len(found.run_tags)
    yield f"{task}: runs left out", (*found.only_runs[0], *found.only_runs[1])
    yield f"{task}: Kendall tau of runs", found.runs["tau_b"]


def _question_quality(graded: Path) -> Computed:
    track = load_track("lateral2024")
    grades = read_question_grades(graded, track.scales)
    yield "graded questions", len(grades)
    depth = track.question_list.count
    best = dict.fromkeys(range(1, depth + 1), track.scales["question_quality"].highest)
    yield "ideal DCG@10", QuestionDcg(depth)(best, track.scales)
    for run in score_question_quality(track, grades).runs:
        yield from ((f"{run.run_tag}: {name}", value) for name, value in run.values.items())


def _shares(names: Iterable[str], labels: list[object]) -> Computed:
    for name in names:
        yield f"{name}, %", 100 * labels.count(name) / len(labels)


COMPUTE: Mapping[str, Callable[..., Computed]] = {
    "starter-kit": _starter_kit,
    "autojudge-scores": _auto_judge_scores,
    "dragun-collection": _collection,
    "dragun-judge": _judge,
    "rubric-sun": _sun,
    "rubric-dl19": graded_passages,
    "rubric-tables": grade_tables,
    "rubric-leaderboards": leaderboards,
    "rubric-wins": table_of_wins,
    "lateral2024-table1": _question_quality,
    "rag25-agreement": _rag25,
}
"""What each target computes from the files it needs, in their order."""
