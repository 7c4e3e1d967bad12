"""The model of good questions: what it was fitted on, what it prefers, and that a fit repeats."""

from __future__ import annotations

import pytest

from sidelight.generation.question_worth.features import runs
from sidelight.generation.question_worth.fit import fit, held_out, read_graded
from sidelight.generation.question_worth.model import fitted_question_worth
from tests.helpers.public_data import PublicData


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            "What is the track record of Adam Sinn, president of Aspire Commodities?",
            "Are there any biases present in the ways the experts discussed the show?",
        ),
        (
            "What is Steven Browne's background as a chair of Cal Maritime?",
            "Is the part about moving the casket confirmed by other sources?",
        ),
        ("What expertise does Garrick Voss have in peat?", "Does the article cite sources?"),
    ],
)
def test_a_named_subject_beats_a_question_on_any_article(better: str, worse: str) -> None:
    worth = fitted_question_worth()
    assert worth(better) > worth(worse) + 1


def test_names_and_numbers_are_masked() -> None:
    assert runs("What did Ada Lovelace write in 1843?") == runs("What did Bo Ek write in 7?")


def test_the_weights_say_where_they_come_from() -> None:
    provenance = fitted_question_worth().provenance
    assert provenance["questions"] == 9500
    assert len(str(provenance["sha256"])) == 64
    assert float(provenance["articles_held_out.kendall_tau_of_run_means"]) > 0.9
    assert float(provenance["articles_held_out.auc_of_grade_minus_1"]) > 0.8


def test_the_weights_are_those_of_the_data(shared_data: PublicData) -> None:
    graded = read_graded(shared_data / "lateral-2024" / "question-assessments.tsv")
    again, shipped = fit(graded), fitted_question_worth()
    assert again.runs == pytest.approx(shipped.runs, abs=2e-4)
    assert again.counts == pytest.approx(shipped.counts, abs=2e-4)
    halves = held_out(graded, [one.article for one in graded], 2)
    assert halves["kendall_tau_of_run_means"] > 0.85
