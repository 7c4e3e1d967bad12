"""Whole runs graded one by one, by the embedded judge and by one that asks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

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
from sidelight.llm.base import Request
from sidelight.llm.cache import ScriptedModel
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import QuestionRun, SubmittedQuestion
from sidelight.schemas.topic import Article

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


def test_questions_get_a_grade_and_a_flag() -> None:
    reply = graded([("4", "0"), ("3", "1"), ("-1", "0")])
    found = asyncio.run(grade_question_runs(judge(reply, reply), [RUN], {"t": ARTICLE}))
    assert [(one.label, one.redundant) for one in found] == [
        ("4", False),
        ("3", True),
        ("-1", False),
    ]
    assert [one.run_question_text for one in found] == list(ASKED)


@pytest.mark.parametrize("bad", ["none", graded([("4", "0")]), graded([("5", "0")] * 3)])
def test_what_is_not_graded_is_unjudged(bad: str) -> None:
    found = asyncio.run(grade_question_runs(judge(*[bad] * 4), [RUN], {"t": ARTICLE}))
    assert isinstance(found[2].label, Unjudged)
    assert found[2].redundant is None


def test_an_article_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="that of t is not there"):
        asyncio.run(grade_question_runs(judge(), [RUN], {}))


def test_documents_get_grades_and_unjudged_ones_are_counted() -> None:
    labels = json.dumps({"labels": [{"key": "D1", "reason": "so", "label": "2"}]})
    documents = {"d": Document("", "It is owned by peat cutters.")}
    asked = [
        AskedDocuments("t-Q01", "An article", "Who owns the Courier?", documents),
        AskedDocuments("t-Q02", "An article", "Who is Ada?", documents),
    ]
    found = asyncio.run(grade_documents(judge(labels, "none", "none"), asked))
    assert found.grades == {"t-Q01": {"d": 2}, "t-Q02": {}}
    assert found.unjudged == 1


def test_a_judge_that_has_no_encoder_says_that_it_rates_no_documents() -> None:
    documents = {"d": Document("", "Words.")}
    with pytest.raises(UsageError, match="and not usefulness of documents"):
        asyncio.run(
            grade_documents(EmbeddedJudge({}), [AskedDocuments("q", "", "Who?", documents)])
        )
