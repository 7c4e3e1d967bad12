"""Questions graded without a model, and whole runs by any judge."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest

from sidelight.checks.usefulness import Document
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.judge import Judge
from sidelight.evaluation.labelling.judged_runs import (
    AskedDocuments,
    grade_documents,
    grade_question_runs,
)
from sidelight.evaluation.labelling.judges import EmbeddedJudge, PromptedJudge
from sidelight.evaluation.labelling.question_quality import (
    KnownGrade,
    LearnedQuestionQuality,
    LearnedQuestionRedundancy,
    grades,
)
from sidelight.llm.base import Request
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import QuestionRun, SubmittedQuestion
from sidelight.schemas.topic import Article
from tests.helpers.models.scripted_model import ScriptedModel

GOOD = "What is the professional background of {} in energy policy?"
VARIED = (
    "What is the professional background of Garrick Voss?",
    "Who publishes and finances Sentinel Policy Journal?",
    "What did the University of Orrin study examine and measure?",
    "What are the main criticisms of the bog bill?",
    "Does the article show any bias?",
)


class Asked(NamedTuple):
    questions: Sequence[str]


def mean(questions: Sequence[str]) -> float:
    labels = asyncio.run(LearnedQuestionQuality()(Asked(questions)))
    return sum(max(0, int(str(one.label))) for one in labels) / len(labels)


def test_labels_are_those_of_the_scale_and_tell_good_from_flawed():
    labels = [int(str(one.label)) for one in grades(VARIED)]
    assert labels[-1] == -1
    assert min(labels[:3]) >= 2
    assert grades(()) == []


def test_one_good_pattern_ten_times_gains_nothing():
    names = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ike", "Jo")
    repeated = [GOOD.format(f"{name} Marsh") for name in names]
    assert mean(repeated[:1]) >= 3
    assert mean(repeated) < mean(VARIED)
    assert {one.label for one in grades(repeated)[2:]} <= {"0", "-1"}


def test_other_names_get_the_same_labels():
    swapped = [one.replace("Garrick Voss", "Ilva Brandt") for one in VARIED]
    swapped = [one.replace("Sentinel Policy Journal", "Morrow Evening Post") for one in swapped]
    assert [one.label for one in grades(swapped)] == [one.label for one in grades(VARIED)]


def test_what_people_said_of_the_same_question_counts(lexical_encode):
    (question, *_) = VARIED
    known = [KnownGrade(question, -1)] * 3
    assert grades([question], known, lexical_encode)[0].label == "-1"
    assert grades([question], known)[0].label == grades([question])[0].label != "-1"


def test_a_question_is_redundant_after_a_near_one_only():
    def encode(texts):
        return np.array(
            [[1.0, 0.0] if "fund" in text else [0.0, 1.0] for text in texts], np.float32
        )

    asked = ["Who funds it?", "Who is Ada Marsh?", "By whom is it funded?"]
    found = asyncio.run(LearnedQuestionRedundancy(encode)(Asked(asked)))
    assert [one.label for one in found] == ["0", "0", "1"]
    assert asyncio.run(LearnedQuestionRedundancy(encode)(Asked([]))) == []


# Whole runs graded one by one, by the embedded judge and by one that asks.
ARTICLE = Article(topic_id="t", title="A title", body="Words.")
ASKED = ("Who owns the Courier?", "Who is the owner of the Courier?", "Is the article fair?")
RUN = QuestionRun(
    run_tag="run-a",
    questions=tuple(
        SubmittedQuestion(topic_id="t", team_id="", run_id="run-a", rank=rank, text=text)
        for rank, text in enumerate(ASKED, start=1)
    ),
)


def graded(grades: list[tuple[str, str]]) -> str:
    return json.dumps(
        {
            "grades": [
                {"rank": str(rank), "reason": "so", "grade": grade, "redundant": flag}
                for rank, (grade, flag) in enumerate(grades, start=1)
            ]
        }
    )


def judge(*replies: str | Callable[[Request], str]) -> Judge:
    model = PromptedModel(ScriptedModel(replies), Sampling(), lambda _: None)
    return PromptedJudge({"tiny": model}, {"t": ARTICLE})


def test_questions_get_a_grade_and_a_flag():
    reply = graded([("4", "0"), ("3", "1"), ("-1", "0")])
    found = asyncio.run(grade_question_runs(judge(reply, reply), [RUN], {"t": ARTICLE}))
    assert [(one.label, one.redundant) for one in found] == [
        ("4", False),
        ("3", True),
        ("-1", False),
    ]
    assert [one.run_question_text for one in found] == list(ASKED)


@pytest.mark.parametrize("bad", ["none", graded([("4", "0")]), graded([("5", "0")] * 3)])
def test_what_is_not_graded_is_unjudged(bad):
    found = asyncio.run(grade_question_runs(judge(*[bad] * 4), [RUN], {"t": ARTICLE}))
    assert isinstance(found[2].label, Unjudged)
    assert found[2].redundant is None


def test_an_article_that_is_not_there_is_named():
    with pytest.raises(InputError, match="that of t is not there"):
        asyncio.run(grade_question_runs(judge(), [RUN], {}))


def test_documents_get_grades_and_unjudged_ones_none():
    labels = json.dumps({"labels": [{"key": "D1", "reason": "so", "label": "2"}]})
    documents = {"d": Document("", "It is owned by peat cutters.")}
    asked = [
        AskedDocuments("t-Q01", "An article", "Who owns the Courier?", documents),
        AskedDocuments("t-Q02", "An article", "Who is Ada?", documents),
    ]
    found = asyncio.run(grade_documents(judge(labels, "none", "none"), asked))
    assert found == {"t-Q01": {"d": 2}, "t-Q02": {}}


def test_a_judge_that_has_no_encoder_says_that_it_rates_no_documents():
    documents = {"d": Document("", "Words.")}
    with pytest.raises(UsageError, match="and not usefulness of documents"):
        asyncio.run(
            grade_documents(EmbeddedJudge({}), [AskedDocuments("q", "", "Who?", documents)])
        )
