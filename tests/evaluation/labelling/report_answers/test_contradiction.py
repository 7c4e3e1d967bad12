from __future__ import annotations

import pytest

from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
from sidelight.evaluation.labelling.report_answers.contradiction import contradicting

ANSWERS = [
    "Voss's fellowship pays a stipend of T96,000 a year.",
    "The regulator approved the licence in 2019.",
    "Sales of the bottle rose after the article.",
    "MistWell Devices was dissolved in February 2017 with debts of T388,000.",
]
LONG = (
    "The licence was not mentioned, although the regulator approved it in 2019 after long "
    "hearings with bottlers, doctors and two universities."
)
FOUNDER = (
    "Founder Jorrin Vask earlier directed MistWell Devices, which took T612,000, delivered "
    "nothing and was dissolved in February 2017 with debts of T388,000."
)
COMPARISON = TextComparison(ANSWERS)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ANSWERS[0], "Voss's fellowship pays a stipend of T69,000 a year."),
        (ANSWERS[1], "The regulator never approved the licence in 2019."),
        (ANSWERS[1], "The regulator didn’t approve the licence."),
        (ANSWERS[2], "Sales of the bottle fell after the article."),
    ],
)
def test_plain_contradictions(answer: str, sentence: str) -> None:
    report = ["Something else.", sentence]
    assert contradicting(COMPARISON, answer, report) == sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ANSWERS[0], ANSWERS[0]),
        (ANSWERS[0], "Voss's fellowship pays a stipend."),
        (ANSWERS[1], "The regulator approved a rival in 2012."),
        (ANSWERS[1], LONG),
        (ANSWERS[3], FOUNDER),
        (ANSWERS[2], ""),
    ],
)
def test_anything_less_certain_is_left_alone(answer: str, sentence: str) -> None:
    assert contradicting(COMPARISON, answer, [sentence]) is None
