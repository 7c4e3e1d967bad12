from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.checks.questions import general_reason
from sidelight.formats.runs.question_list import read_question_run


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Is the article credible?",
        "Are there other sources corroborating the article's claims?",
        "Is the inform\u200bation in this story accurate?",
        "What do experts say about this topic?",
    ],
)
def test_what_fits_any_article_is_too_general(question: str) -> None:
    assert general_reason(question) is not None


@pytest.mark.parametrize(
    "question",
    [
        "Have other sources corroborated the claim that wildfires are declining?",
        "Is the Spectator credible?",
        "Is the publisher of this article known for bias?",
        "What is the author's professional background?",
        "Is the figure of 38% correct?",
        "What do scientific studies say about PM2.5?",
    ],
)
def test_what_names_something_is_not(question: str) -> None:
    assert general_reason(question) is None


def test_no_question_of_the_public_runs_is_dropped_for_it(public_runs: Path) -> None:
    questions = [
        question.text
        for path in sorted((public_runs / "task1").iterdir())
        for question in read_question_run(path, quoting="csv").questions
    ]
    assert len(questions) == 1500
    assert [text for text in questions if general_reason(text)] == []
