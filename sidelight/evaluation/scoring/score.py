"""Scores of runs against rubrics, from assessments or from the labels of a data folder.

The rubrics say which topics, questions and answers there are; assessments only say how each one was
met. A topic on which a run has no label scores 0 and is listed; one on which no run has any is
undefined, and means count it as 0. A run without any label is left out and listed. A pair or answer
without a label earns nothing and is counted as unjudged. Assessments of unknown topics, questions
or answers are an error. Rubrics can be replaced by ones in which every answer of a topic weighs the
same, also where no rubric is at hand.

Headroom: per topic, the score of all runs together above that of the best single run.

The ceiling of a topic is the score of a run that would have, for each element of the rubric (a
question, or an answer of a report), the strongest label that any run has. As many questions as are
wanted could reach it where the rubric has no more; the answers need not fit into one report.
Source: DRAGUN resources paper (arXiv 2602.24277), section 3.4.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.metrics.base import TopicRecord
from sidelight.evaluation.metrics.rubric import question_coverage, report_support
from sidelight.evaluation.scoring.table import ScoreTable, tabulate
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, run_files
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.submission import reports_by_topic
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    Label,
    Measure,
    QuestionAssessment,
    Scales,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import CitedSentence
from sidelight.text import first_of
from sidelight.tracks import Track


def score_questions(
    track: Track,
    rubrics: Mapping[str, Rubric],
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
    further: Sequence[Measure] = (),
) -> ScoreTable:
    """Score runs of questions by the rubric questions they cover.

    The topics of `rubrics` are those that count. `compound` has a verdict on every question that
    occurs in `assessments`; with None there is no filter, nor the measures that tell what a filter
    does. A run that has verdicts and no labels, such as one that the judge was shown, is not
    scored. `further` measures are computed besides the track's.
    """
    task = track.question_list
    unknown = _unknown_pairs(rubrics, assessments, task.count)
    _require_known(unknown, "rubric and submitted questions", rubrics, assessments)
    asked = Counter((item.run_tag, item.topic_id) for item in compound or ())
    flagged: dict[tuple[str, str], set[int]] = defaultdict(set)
    for run_tag, topic_id, rank in compound_questions(assessments, compound, track.scales):
        flagged[run_tag, topic_id].add(rank)
    labels: dict[tuple[str, str], dict[tuple[int, int], str | Unjudged]] = defaultdict(dict)
    for item in assessments:
        pair = (item.rubric_question_rank, item.run_question_rank)
        labels[item.run_tag, item.topic_id][pair] = item.label

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        known = labels.get((run_tag, topic_id), {})
        # Without verdicts nobody knows how many were submitted, if any were.
        n_questions = task.count if known else 0
        return TopicRecord(
            scales=track.scales,
            bank=rubrics[topic_id],
            n_questions=n_questions if compound is None else asked[run_tag, topic_id],
            pairs=known,
            compound=None if compound is None else flagged.get((run_tag, topic_id), set()),
        )

    run_tags = {item.run_tag for item in assessments}
    return tabulate(rubrics, run_tags, labels.keys(), record, task.measures, further)


def score_reports(
    track: Track,
    rubrics: Mapping[str, Rubric],
    assessments: Sequence[AnswerAssessment],
    further: Sequence[Measure] = (),
    reports: Mapping[tuple[str, str], Sequence[CitedSentence]] | None = None,
) -> ScoreTable:
    """Score runs of reports by the rubric answers that they support.

    The topics of `rubrics` are those that count. `further` measures are computed besides the
    track's; those that need the reports read them in `reports`, by run tag and topic id.
    """
    unknown = _unknown_answers(rubrics, assessments)
    _require_known(unknown, "rubric answers", rubrics, assessments)
    labels: dict[tuple[str, str], dict[str, str | Unjudged]] = defaultdict(dict)
    for item in assessments:
        labels[item.run_tag, item.topic_id][item.answer_id] = item.label

    def record(run_tag: str, topic_id: str) -> TopicRecord:
        return TopicRecord(
            scales=track.scales,
            bank=rubrics[topic_id],
            answers=labels.get((run_tag, topic_id), {}),
            report=None if reports is None else reports.get((run_tag, topic_id), ()),
        )

    run_tags = {item.run_tag for item in assessments}
    return tabulate(rubrics, run_tags, labels.keys(), record, track.cited_text.measures, further)


def compound_questions(
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
    scales: Scales,
) -> set[tuple[str, str, int]]:
    """Return (run tag, topic id, rank) of the compound questions; none without verdicts."""
    if compound is None:
        return set()
    verdicts = {
        (item.run_tag, item.topic_id, item.run_question_rank): item.label
        for item in compound
        if not isinstance(item.label, Unjudged)
    }
    needed = {(item.run_tag, item.topic_id, item.run_question_rank) for item in assessments}
    lacking = sorted(needed - verdicts.keys())
    if lacking:
        names = [f"run {run}, topic {topic}, question {rank}" for run, topic, rank in lacking]
        raise InputError(
            f"no verdict whether these assessed questions are compound: {first_of(names)}",
            remedy="Complete the compound check, or leave it out to score without the filter.",
        )
    compound_label = scales["compound"].highest
    return {key for key, label in verdicts.items() if label == compound_label}


def _unknown_pairs(
    rubrics: Mapping[str, Rubric],
    assessments: Iterable[QuestionAssessment],
    questions_per_topic: int,
) -> list[str]:
    ranks = {
        topic_id: {question.rank for question in rubric.questions}
        for topic_id, rubric in rubrics.items()
    }
    return [
        f"run {item.run_tag}, topic {item.topic_id}, rubric question {item.rubric_question_rank}, "
        f"submitted question {item.run_question_rank}"
        for item in assessments
        if item.rubric_question_rank not in ranks.get(item.topic_id, ())
        or not 1 <= item.run_question_rank <= questions_per_topic
    ]


def _unknown_answers(
    rubrics: Mapping[str, Rubric], assessments: Iterable[AnswerAssessment]
) -> list[str]:
    answer_ids = {
        topic_id: {answer.answer_id for answer in rubric.answers}
        for topic_id, rubric in rubrics.items()
    }
    return [
        f"run {item.run_tag}, topic {item.topic_id}, answer {item.answer_id}"
        for item in assessments
        if item.answer_id not in answer_ids.get(item.topic_id, ())
    ]


def _require_known(
    unknown: Sequence[str], what: str, rubrics: Mapping[str, Rubric], assessments: Iterable[Any]
) -> None:
    if unknown:
        told = f"the assessments name {what} that do not exist: {first_of(unknown)}"
        if lacking := sorted({one.topic_id for one in assessments} - rubrics.keys()):
            told = f"the assessments have topics without a rubric: {first_of(lacking)}"
        remedy = "Use all rubrics that the assessments were made with, and their track."
        raise InputError(told, remedy=remedy)


def people_question_scores(track: Track, data: Path, further: Sequence[Measure] = ()) -> ScoreTable:
    """Score the question runs, without compound questions; see `score_questions`.

    `data` is laid out as in `formats.data_folder`.
    """
    return score_questions(
        track,
        read_rubrics(find_part(data, DataPart.RUBRICS), track.scales),
        read_assessments(
            find_part(data, DataPart.QUESTION_ASSESSMENTS), QUESTION_ASSESSMENTS, track.scales
        ),
        read_assessments(
            find_part(data, DataPart.COMPOUND_CHECK), COMPOUND_ASSESSMENTS, track.scales
        ),
        further,
    )


def people_report_scores(
    track: Track, data: str | Path, further: Sequence[Measure] = ()
) -> ScoreTable:
    """Score the reports; see `score_reports`.

    `data` is laid out as in `formats.data_folder`.
    """
    data = Path(data)
    return score_reports(
        track,
        read_rubrics(find_part(data, DataPart.RUBRICS), track.scales),
        read_assessments(
            find_part(data, DataPart.REPORT_ASSESSMENTS), ANSWER_ASSESSMENTS, track.scales
        ),
        further,
        submitted_reports(data) if further else None,
    )


def submitted_reports(data: Path) -> dict[tuple[str, str], tuple[CitedSentence, ...]] | None:
    """Return the reports of a data folder, by run tag and topic id; None where it has none."""
    paths = run_files(data, DataPart.REPORT_RUNS)
    return reports_by_topic([read_report_run(path) for path in paths]) if paths else None


def with_unit_weights(rubrics: Mapping[str, Rubric]) -> dict[str, Rubric]:
    """Return rubrics in which every answer of a topic weighs the same.

    All answers are put under a single question, so that a score is the mean over the answers.
    """
    return {
        topic_id: _one_question(topic_id, rubric.answers) for topic_id, rubric in rubrics.items()
    }


def rubrics_from_answers(assessments: Iterable[AnswerAssessment]) -> dict[str, Rubric]:
    """Return stand-in rubrics: for each topic every answer id that any run was judged on.

    For assessments whose rubrics are not at hand. All answers weigh the same, their texts are
    empty, and a topic or answer that no run was judged on is not missed.
    """
    answer_ids: dict[str, set[str]] = defaultdict(set)
    for item in assessments:
        answer_ids[item.topic_id].add(item.answer_id)
    return {
        topic_id: _one_question(
            topic_id, [RubricAnswer(answer_id=name, text="") for name in sorted(names)]
        )
        for topic_id, names in sorted(answer_ids.items())
    }


def _one_question(topic_id: str, answers: Sequence[RubricAnswer]) -> Rubric:
    question = RubricQuestion(
        question_id="all-1",
        rank=1,
        text="",
        importance=Label(name="", credit=1),
        answers=tuple(answers),
    )
    return Rubric(topic_id=topic_id, questions=(question,))


class TopicHeadroom(NamedTuple):
    """One topic; always `ceiling >= best >= mean`.

    Attributes:
        ceiling: Score with the strongest label of any run for each element of the rubric.
        best_runs: The runs that have the best score, sorted.
        mean: Mean over all runs; one without a judgment counts as 0.
        mean_contradiction: Mean contradictory score over all runs; None of questions.
    """

    topic_id: str
    ceiling: float
    best: float
    best_runs: tuple[str, ...]
    mean: float
    mean_contradiction: float | None


def question_headroom(
    track: Track,
    rubrics: Mapping[str, Rubric],
    assessments: Sequence[QuestionAssessment],
    compound: Sequence[CompoundAssessment] | None,
) -> list[TopicHeadroom]:
    """Return the headroom of each topic in questions, the highest ceiling first.

    The arguments, and what they raise, are those of `score_questions`.
    """
    table = score_questions(track, rubrics, assessments, compound)
    flagged = compound_questions(assessments, compound, track.scales)
    # All runs' questions as if one run had submitted them, under numbers of their own.
    pooled: dict[str, dict[tuple[int, int], str | Unjudged]] = defaultdict(dict)
    for item in assessments:
        if (item.run_tag, item.topic_id, item.run_question_rank) not in flagged:
            pairs = pooled[item.topic_id]
            pairs[item.rubric_question_rank, len(pairs)] = item.label
    ceilings = {
        topic_id: question_coverage(rubric, pooled[topic_id], track.scales["similarity"])
        for topic_id, rubric in rubrics.items()
    }
    return _headroom(table, ceilings)


def report_headroom(
    track: Track, rubrics: Mapping[str, Rubric], assessments: Sequence[AnswerAssessment]
) -> list[TopicHeadroom]:
    """Return the headroom of each topic in reports, the highest ceiling first.

    The arguments, and what they raise, are those of `score_reports`.
    """
    table = score_reports(track, rubrics, assessments)
    scale = track.scales["answers"]
    strongest: dict[str, dict[str, str]] = defaultdict(dict)
    for item in assessments:
        if not isinstance(item.label, Unjudged):
            other = strongest[item.topic_id].get(item.answer_id, scale.lowest)
            strongest[item.topic_id][item.answer_id] = max(item.label, other, key=scale.credit)
    ceilings = {
        topic_id: report_support(rubric, strongest[topic_id], scale)
        for topic_id, rubric in rubrics.items()
    }
    return _headroom(table, ceilings)


def _headroom(table: ScoreTable, ceilings: Mapping[str, float]) -> list[TopicHeadroom]:
    """Combine scores and ceilings; the main measure of the table is the one that counts."""
    measure, contradiction = table.main.name, table.computed_by("report_contradiction")
    topics = []
    for topic_id, ceiling in ceilings.items():
        rows = [topic for topic in table.topics if topic.topic_id == topic_id]
        best = max(row.values[measure] for row in rows)
        topics.append(
            TopicHeadroom(
                topic_id,
                ceiling,
                best,
                tuple(sorted(row.run_tag for row in rows if row.values[measure] == best)),
                # Rounded once, so that equal scores have just this mean.
                mean(row.values[measure] for row in rows),
                mean(row.values[contradiction.name] for row in rows) if contradiction else None,
            )
        )
    return sorted(topics, key=lambda topic: (-topic.ceiling, -topic.best, topic.topic_id))
