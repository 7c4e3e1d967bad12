"""Labelled submissions whose labels follow from how much they share with the rubric."""

from sidelight.evaluation.labelling.examples import Examples
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedQuestion, SubmittedReport
from sidelight.tracks import load_track
from tests.helpers.labels.toy import answer, pair

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


def words(*parts):
    """Return eight made-up words that occur nowhere else."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    stem = "".join(letters[int(part)] for part in parts)
    return [f"{letter}{stem}o" for letter in "bcdfghjk"]


def told(number, rank, label="supports"):
    """Return a sentence that says as much of an expected answer as a label says it does."""
    place = number * N_QUESTIONS + rank
    thing, builder = _THINGS[place % len(_THINGS)], _NAMES[place // len(_THINGS)]
    cost = 1_000 + 37 * place
    return {
        "supports": f"The {thing} of {builder} cost {cost} crowns when it was repaired.",
        "partial": f"The {thing} of {builder} cost many crowns when it was repaired.",
        "none": "It rained on most days of that month.",
    }[label]


def rubric(topic_id):
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


def sharing(wanted, n_shared, *parts):
    """Return eight words, the first `n_shared` of them wanted."""
    return " ".join(wanted[:n_shared] + words(*parts)[n_shared:])


def report(topic_id, run_tag="example-t2"):
    number = TOPICS.index(topic_id)
    return SubmittedReport(
        metadata=ReportMetadata(team_id="x", run_id=run_tag, topic_id=topic_id),
        responses=tuple(
            CitedSentence(text=told(number, rank, _SUPPORT[rank % 3]))
            for rank in range(1, N_QUESTIONS + 1)
        ),
    )


def question(topic_id, rank, run_tag="example-t1"):
    number = TOPICS.index(topic_id)
    shared = _SIMILARITY[rank % 4][1]
    return SubmittedQuestion(
        topic_id=topic_id,
        team_id="x",
        run_id=run_tag,
        rank=rank,
        text=f"Who {sharing(words(number, rank, 0), shared, number, rank, 3)}?",
    )


def examples():
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
            pair(topic_id, rank, "example-t1", rank, _SIMILARITY[rank % 4][0])
            for topic_id in TOPICS
            for rank in ranks
        ),
        answer_labels=tuple(
            answer(topic_id, "example-t2", f"na-{rank}", _SUPPORT[rank % 3])
            for topic_id in TOPICS
            for rank in ranks
        ),
    )
