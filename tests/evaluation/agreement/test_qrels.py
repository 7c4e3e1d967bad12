import pytest

from sidelight.errors import InputError
from sidelight.evaluation.agreement.qrels import PairOrder, compare_qrels
from sidelight.formats.labels.qrels import read_qrels

FIRST = {"q": {"a": 2, "b": 0, "c": 1}, "r": {"a": 1, "b": 0}, "s": {"a": 1}}
SECOND = {"q": {"a": 3, "b": 0, "d": 1}, "r": {"a": 0, "b": 1}}


def test_documents_that_both_sides_label():
    found = compare_qrels(FIRST, SECOND)
    # q: a and b; r: a and b; pairs are formed within a query only
    assert found.grades.categories == ("0", "1", "2", "3")
    assert found.grades.n == 4
    assert found.grades.table.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert found.order == PairOrder(concordant=1, tied=0, reversed=1)
    assert found.only == (2, 1)
    assert found.used == ([0, 1, 2], [0, 1, 3])
    assert found.relevance is None


def test_thresholds_are_those_of_each_side():
    found = compare_qrels(FIRST, SECOND, (1, 3))
    # relevant on the first side: q a, r a; on the second: q a
    assert found.relevance.table.tolist() == [[1, 1], [0, 2]]


def test_a_single_grade_says_nothing_beyond_raw_agreement():
    found = compare_qrels({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "b": 1}})
    assert found.grades.coefficients == {"raw": 1.0, "kappa": None, "ac1": None}


def test_scores_are_no_grades():
    with pytest.raises(InputError, match="at most 1000 grades; found labels from 0 to 1000000"):
        compare_qrels({"q": {"a": 0}}, {"q": {"a": 1_000_000}})


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="no document that both files label"):
        compare_qrels({"q": {"a": 1}}, {"q": {"b": 1}})


def test_nist_and_umbrela(shared_data):
    folder = shared_data / "rag-2025"
    found = compare_qrels(
        read_qrels(folder / "qrels.nist.txt"), read_qrels(folder / "qrels.umbrela2.txt")
    )
    assert found.grades.n == 10_284
    assert found.grades.coefficients["raw"] == pytest.approx(0.4412, abs=5e-5)
    assert found.grades.coefficients["kappa"] == pytest.approx(0.2333, abs=5e-5)
    assert found.order.shares == {
        "concordant": pytest.approx(0.373, abs=5e-4),
        "tied": pytest.approx(0.531, abs=5e-4),
        "reversed": pytest.approx(0.096, abs=5e-4),
    }


def test_sun_as_in_table_5_of_the_rubric_paper(shared_data):
    folder = shared_data / "rubric-dl20"
    found = compare_qrels(
        read_qrels(folder / "Sun.qrel"), read_qrels(folder / "qrels.official.txt"), (1, 2)
    )
    assert found.relevance.table.tolist() == [[1272, 3492], [394, 6228]]
    # 7500 of 11386 agree; by chance (4764 * 1666 + 6622 * 9720) / 11386^2
    assert found.relevance.coefficients["kappa"] == pytest.approx(0.228, abs=5e-4)
