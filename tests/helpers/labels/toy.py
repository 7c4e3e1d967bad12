"""Small rubrics and labels, by hand and for Hypothesis."""

import csv

from hypothesis import strategies as st

from sidelight.formats.banks.rubrics import write_rubric
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
)
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import (
    CitedSentence,
    QuestionRun,
    ReportMetadata,
    ReportRun,
    SubmittedQuestion,
    SubmittedReport,
)
from sidelight.tracks import load_track

SCALES = load_track().scales

HAVE, GOOD, NICE = "have to know", "good to know", "nice to know"


def rubric(topic_id, *questions):
    """Return a rubric from (importance, text of an answer or number of answers na-1, na-2, ...)."""
    built, answer = [], 0
    for rank, (importance, said) in enumerate(questions, start=1):
        answers = []
        for _ in range(1 if isinstance(said, str) else said):
            answer += 1
            text = said if isinstance(said, str) else f"Answer {answer}."
            answers.append(RubricAnswer(answer_id=f"na-{answer}", text=text))
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


def answer(topic_id, run_tag, answer_id, label):
    return AnswerAssessment(topic_id, run_tag, answer_id, label)


def pair(topic_id, rubric_rank, run_tag, rank, label):
    return QuestionAssessment(topic_id, rubric_rank, run_tag, rank, label)


def verdict(topic_id, run_tag, rank, label):
    return CompoundAssessment(topic_id, run_tag, rank, "Who?", label)


def answers_of(*rows):
    """Return labels from rows of topic, run and the labels of na-1, na-2, ..., or `-` for none."""
    split = [row.split() for row in rows]
    return [
        answer(topic, run, f"na-{number}", label)
        for topic, run, *labels in split
        for number, label in enumerate(labels, start=1)
        if label != "-"
    ]


def pairs_of(*rows):
    """Return labels from rows of topic, run and what is like `1.2:similar`, in that order."""
    split = [row.replace(".", " ").replace(":", " ").split() for row in rows]
    return [
        pair(topic, int(wanted), run, int(rank), label)
        for topic, run, *rest in split
        for wanted, rank, label in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    ]


def verdicts_of(*rows):
    """Return verdicts from rows of topic, run and the labels of its first questions."""
    split = [row.split() for row in rows]
    return [
        verdict(topic, run, rank, label)
        for topic, run, *labels in split
        for rank, label in enumerate(labels, start=1)
    ]


def report_run(run_tag, **reports):
    """Return a run of reports from topic -> sentences, which may be texts that cite nothing."""
    return ReportRun(
        run_tag=run_tag,
        reports=tuple(
            SubmittedReport(
                metadata=ReportMetadata(team_id="t", run_id=run_tag, topic_id=topic_id),
                responses=tuple(
                    CitedSentence(text=one) if isinstance(one, str) else one for one in sentences
                ),
            )
            for topic_id, sentences in reports.items()
        ),
    )


def question_run(run_tag, **asked):
    """Return a run of questions from topic -> texts in the order of their ranks."""
    return QuestionRun(
        run_tag=run_tag,
        questions=tuple(
            SubmittedQuestion(topic_id=topic_id, team_id="t", run_id=run_tag, rank=rank, text=text)
            for topic_id, texts in asked.items()
            for rank, text in enumerate(texts, start=1)
        ),
    )


def write_csv(path, header, *rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


def write_rubrics(folder, *rubrics):
    folder.mkdir(exist_ok=True)
    for item in rubrics:
        write_rubric(folder / f"{item.topic_id}.json", item)
    return folder


rubrics = st.lists(
    st.tuples(st.sampled_from(SCALES["importance"].names), st.integers(1, 4)),
    min_size=1,
    max_size=6,
).map(lambda questions: rubric("t", *questions))


def answer_ids(item):
    return [answer.answer_id for question in item.questions for answer in question.answers]


@st.composite
def labelled_answers(draw):
    """A rubric, and labels of some of its answers."""
    item = draw(rubrics)
    labels = st.dictionaries(
        st.sampled_from(answer_ids(item)), st.sampled_from(SCALES["answers"].names)
    )
    return item, draw(labels)


@st.composite
def labelled_pairs(draw):
    """A rubric, and labels of some pairs of its questions with three submitted ones."""
    item = draw(rubrics)
    pairs = st.tuples(st.integers(1, len(item.questions)), st.integers(1, 3))
    return item, draw(st.dictionaries(pairs, st.sampled_from(SCALES["similarity"].names)))
