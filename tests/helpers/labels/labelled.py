"""Labelled submissions whose labels follow from how much they share with the rubric."""

from __future__ import annotations

from sidelight.evaluation.labelling.examples import Examples
from sidelight.schemas.grading.judgment import AnswerAssessment, QuestionAssessment
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedQuestion, SubmittedReport
from sidelight.tracks import load_track

SCALES = load_track().scales

TOPICS = ("t1", "t2", "t3")
N_QUESTIONS = 24
_SUPPORT = ("supports", "partial", "none")  # by the rank of the question, modulo three
_THINGS = (
    "bridge harbour chapel lighthouse granary cinema library tunnel windmill stadium orchard "
    "brewery hospital quarry theatre museum aqueduct foundry market cemetery observatory tannery "
    "barracks reservoir"
).split()
_NAMES = ("Corrance", "Ashdale", "Tarrell", "Dunmoor")
_SIMILARITY = (("very-similar", 6), ("similar", 4), ("different", 2), ("very-different", 0))


def words(*parts: object) -> list[str]:
    """Return eight made-up words that occur nowhere else."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    stem = "".join(letters[int(part)] for part in parts)
    return [f"{letter}{stem}o" for letter in "bcdfghjk"]


def told(number: int, rank: int, label: str = "supports") -> str:
    """Return a sentence that says as much of an expected answer as a label says it does."""
    place = number * N_QUESTIONS + rank
    thing, builder = _THINGS[place % len(_THINGS)], _NAMES[place // len(_THINGS)]
    cost = 1_000 + 37 * place
    return {
        "supports": f"The {thing} of {builder} cost {cost} crowns when it was repaired.",
        "partial": f"The {thing} of {builder} cost many crowns when it was repaired.",
        "none": "Nobody has replied to any of our letters so far.",
    }[label]


def rubric(topic_id: str) -> Rubric:
    number = TOPICS.index(topic_id)
    return Rubric(
        topic_id=topic_id,
        questions=tuple(
            RubricQuestion(
                question_id=f"{topic_id}-{rank}",
                rank=rank,
                text=f"Who {' '.join(words(number, rank, 0))}?",
                importance=SCALES["importance"].label("good to know"),
                answers=(RubricAnswer(answer_id=f"na-{rank}", text=told(number, rank)),),
            )
            for rank in range(1, N_QUESTIONS + 1)
        ),
    )


def sharing(wanted: list[str], n_shared: int, *parts: object) -> str:
    """Return eight words, the first `n_shared` of them wanted."""
    return " ".join(wanted[:n_shared] + words(*parts)[n_shared:])


def report(topic_id: str, run_tag: str = "example-t2") -> SubmittedReport:
    number = TOPICS.index(topic_id)
    return SubmittedReport(
        metadata=ReportMetadata(team_id="x", run_id=run_tag, topic_id=topic_id),
        responses=tuple(
            CitedSentence(text=told(number, rank, _SUPPORT[rank % 3]))
            for rank in range(1, N_QUESTIONS + 1)
        ),
    )


def question(topic_id: str, rank: int, run_tag: str = "example-t1") -> SubmittedQuestion:
    number = TOPICS.index(topic_id)
    shared = _SIMILARITY[rank % 4][1]
    return SubmittedQuestion(
        topic_id=topic_id,
        team_id="x",
        run_id=run_tag,
        rank=rank,
        text=f"Who {sharing(words(number, rank, 0), shared, number, rank, 3)}?",
    )


def examples() -> Examples:
    ranks = range(1, N_QUESTIONS + 1)
    return Examples(
        rubrics={topic_id: rubric(topic_id) for topic_id in TOPICS},
        questions={
            ("example-t1", topic_id, rank): question(topic_id, rank)
            for topic_id in TOPICS
            for rank in ranks
        },
        reports={("example-t2", topic_id): report(topic_id) for topic_id in TOPICS},
        question_labels=tuple(
            QuestionAssessment(
                topic_id=topic_id,
                rubric_question_rank=rank,
                run_tag="example-t1",
                run_question_rank=rank,
                label=_SIMILARITY[rank % 4][0],
            )
            for topic_id in TOPICS
            for rank in ranks
        ),
        answer_labels=tuple(
            AnswerAssessment(
                topic_id=topic_id,
                run_tag="example-t2",
                answer_id=f"na-{rank}",
                label=_SUPPORT[rank % 3],
            )
            for topic_id in TOPICS
            for rank in ranks
        ),
    )
