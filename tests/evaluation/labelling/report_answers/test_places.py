from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
from sidelight.evaluation.labelling.report_answers.places import (
    ANSWER_FEATURES,
    nearest_places,
    report_sentences,
)
from sidelight.schemas.run import CitedSentence
from tests.helpers.labels.labelled import report, rubric

RUBRIC = rubric("t1")
COMPARISON = TextComparison([q.text for q in RUBRIC.questions])


def saying(*texts: str):
    return report("t1").model_copy(
        update={"responses": tuple(CitedSentence(text=text) for text in texts)}
    )


def test_sentences_are_told_apart_and_long_ones_cut() -> None:
    long = " ".join(f"word{number}" for number in range(130))
    sentences = report_sentences(saying("One thing. Another thing.", long, ""))
    assert sentences[:2] == ["One thing.", "Another thing."]
    assert [len(text.split()) for text in sentences[2:]] == [60, 60, 10]


def test_an_answer_told_in_two_sentences_is_found() -> None:
    comparison = TextComparison(["Maris Quell owns 6 percent of the publisher."])
    (found,) = nearest_places(
        comparison,
        ["Maris Quell owns 6 percent of the publisher."],
        ["Nothing here.", "Maris Quell wrote it.", "She owns 6 percent of the publisher."],
    )
    assert found.text == "Maris Quell wrote it. She owns 6 percent of the publisher."
    assert found.features == pytest.approx((1, 1, 1, 0))


@given(st.lists(st.text(max_size=80), max_size=4))
def test_features_are_bounded_for_any_text(texts: list[str]) -> None:
    sentences = report_sentences(saying(*texts))
    answers = [answer.text for q in RUBRIC.questions for answer in q.answers]
    for found in nearest_places(COMPARISON, answers, sentences):
        assert len(found.features) == len(ANSWER_FEATURES)
        assert all(-1 <= value <= 1 + 1e-9 for value in found.features)
