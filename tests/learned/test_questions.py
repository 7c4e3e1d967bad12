"""The model of good questions: what it prefers, what earns nothing, what its file says."""

import numpy as np
import pytest

from sidelight.learned.questions import (
    FLAWED,
    Outlook,
    closest_earlier,
    corrected,
    question_model,
    repeated_patterns,
    runs,
)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            "What is the track record of Ilva Brandt, president of Corrin Commodities?",
            "Are there any biases present in the ways the experts discussed the show?",
        ),
        (
            "What is Marten Oake's background as a chair of logistics?",
            "Is the part about moving the statue confirmed by other sources?",
        ),
        ("What expertise does Garrick Voss have in peat?", "Does the article cite sources?"),
    ],
)
def test_a_named_subject_beats_a_question_on_any_article(better, worse):
    model = question_model()
    assert model(better).worth > model(worse).worth + 1
    assert model(better).flawed < model(worse).flawed
    assert model.label(model(better)) > model.label(model(worse)) == FLAWED


def test_names_and_numbers_are_masked():
    assert runs("What did Ada Lovelace write in 1843?") == runs("What did Bo Ek write in 7?")
    model = question_model()
    for ours, theirs in (("Garrick Voss", "Ilva Brandt"), ("Sentinel Journal", "Morning Post")):
        question = "What is the reputation of {} among people who study peat?"
        first, second = model(question.format(ours)), model(question.format(theirs))
        assert first.worth == pytest.approx(second.worth, abs=0.15)
        assert model.label(first) == model.label(second)
    assert model("Who pays Bo Ek?") == model("Who pays Maximilian Oberhausen?")


def test_one_pattern_ten_times_is_used_up_after_two():
    names = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ike", "Jo")
    asked = [f"What are the qualifications of {name} Marsh in energy policy?" for name in names]
    assert repeated_patterns(asked) == [False, False] + [True] * 8
    others = ["Who owns the Courier?", "What did the Ostrey study find?", asked[0]]
    assert repeated_patterns(others) == [False] * 3
    assert closest_earlier(np.array([[1.0, 0.9], [0.9, 1.0]])) == [0.0, 0.9]


def test_what_people_said_of_a_like_question_moves_the_outlook():
    plain, other = Outlook(2.0, 0.2), Outlook(2.0, 0.2)
    (near, far) = corrected([plain, other], np.array([[1.0], [0.2]]), [Outlook(2.0, 0.2)], [-1])
    assert near.worth < 0.6
    assert near.flawed > 0.7
    assert far.worth == pytest.approx(2.0, abs=0.02)
    assert corrected([plain], np.zeros((1, 0)), [], []) == [plain]


def test_long_and_empty_questions_are_looked_at():
    model = question_model()
    for text in ("", "?", "a" * 100_000, "Why " * 50_000):
        assert np.isfinite(model(text)).all()


def test_the_weights_say_where_they_come_from():
    about = question_model().about
    assert about["questions"] == 9500
    assert len(str(about["sha256"])) == 64
    figures = about["figures"]
    assert isinstance(figures, dict)
    assert figures["articles held out: Kendall tau of runs"] > 0.92
    for worse in ("length alone", "readability alone", "opening alone"):
        for measure in ("Kendall tau of runs", "Spearman rho of questions", "AUC of grade -1"):
            name = f"articles held out: {measure}"
            assert figures[name] > figures[f"{worse}, {name}"] + 0.1
