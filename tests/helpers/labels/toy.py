"""Small rubrics and labels, by hand and for Hypothesis."""

from __future__ import annotations

import csv
from pathlib import Path

from hypothesis import strategies as st

from sidelight.formats.banks.rubrics import write_rubric
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
)
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track

SCALES = load_track().scales

HAVE, GOOD, NICE = "have to know", "good to know", "nice to know"


def rubric(topic_id: str, *questions: tuple[str, int]) -> Rubric:
    """Return a rubric from (importance, number of answers); answers are na-1, na-2, ..."""
    built, answer = [], 0
    for rank, (importance, n_answers) in enumerate(questions, start=1):
        answers = []
        for _ in range(n_answers):
            answer += 1
            answers.append(RubricAnswer(answer_id=f"na-{answer}", text=f"Answer {answer}."))
        built.append(
            RubricQuestion(
                question_id=f"{topic_id}-{rank}",
                rank=rank,
                text=f"Question {rank}?",
                importance=SCALES["importance"].label(importance),
                answers=tuple(answers),
            )
        )
    return Rubric(topic_id=topic_id, questions=tuple(built))


def answer(topic_id: str, run_tag: str, answer_id: str, label: str) -> AnswerAssessment:
    return AnswerAssessment(topic_id=topic_id, run_tag=run_tag, answer_id=answer_id, label=label)


def pair(
    topic_id: str, rubric_rank: int, run_tag: str, rank: int, label: str
) -> QuestionAssessment:
    return QuestionAssessment(
        topic_id=topic_id,
        rubric_question_rank=rubric_rank,
        run_tag=run_tag,
        run_question_rank=rank,
        label=label,
    )


def verdict(topic_id: str, run_tag: str, rank: int, label: str) -> CompoundAssessment:
    return CompoundAssessment(
        topic_id=topic_id,
        run_tag=run_tag,
        run_question_rank=rank,
        run_question_text="Who?",
        label=label,
    )


def write_csv(path: Path, header: str, *rows: tuple[object, ...]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


def write_rubrics(folder: Path, *rubrics: Rubric) -> Path:
    folder.mkdir(exist_ok=True)
    for item in rubrics:
        write_rubric(folder / f"{item.topic_id}.json", item)
    return folder


rubrics = st.lists(
    st.tuples(st.sampled_from(SCALES["importance"].names), st.integers(1, 4)),
    min_size=1,
    max_size=6,
).map(lambda questions: rubric("t", *questions))


def answer_ids(item: Rubric) -> list[str]:
    return [answer.answer_id for question in item.questions for answer in question.answers]


@st.composite
def labelled_answers(draw: st.DrawFn) -> tuple[Rubric, dict[str, str]]:
    """A rubric, and labels of some of its answers."""
    item = draw(rubrics)
    labels = st.dictionaries(
        st.sampled_from(answer_ids(item)), st.sampled_from(SCALES["answers"].names)
    )
    return item, draw(labels)


@st.composite
def labelled_pairs(draw: st.DrawFn) -> tuple[Rubric, dict[tuple[int, int], str]]:
    """A rubric, and labels of some pairs of its questions with three submitted ones."""
    item = draw(rubrics)
    pairs = st.tuples(st.integers(1, len(item.questions)), st.integers(1, 3))
    return item, draw(st.dictionaries(pairs, st.sampled_from(SCALES["similarity"].names)))
