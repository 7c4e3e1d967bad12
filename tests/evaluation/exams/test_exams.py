"""Exams: labels, leaderboards and upkeep from graded cells, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients import cohen_kappa, kappa_of_cell
from sidelight.evaluation.exams.grades import (
    WHOLE,
    Hole,
    ItemUse,
    Uncovered,
    collect,
    exam_qrels,
    holes,
    read_labels,
    relevance_label,
    spurious_items,
    suggested_item,
    uncovered_passages,
    write_qrels,
)
from sidelight.evaluation.exams.leaderboard import (
    average_ranks,
    correlate_graders,
    exam_cover,
    judged_runs,
    leaderboard,
    places_of,
    standings,
    wins,
)
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.schemas.grading.graded_passage import DirectGrade, GradedPassage, GradedQuery, Grader
from tests.helpers.graded import example, passage

RATINGS = st.lists(st.integers(0, 5), max_size=12)


@pytest.mark.parametrize(
    ("ratings", "at_least", "label"),
    [
        ([0, 4, 5, 4, 1], 1, 5),
        ([0, 4, 5, 4, 1], 2, 4),
        ([0, 4, 5, 4, 1], 3, 4),
        ([0, 4, 5, 4, 1], 4, 1),
        ([0, 4, 5, 4, 1], 6, 0),
        ([], 1, 0),
    ],
)
def test_a_label_is_the_mth_largest_grade(ratings, at_least, label):
    assert relevance_label(ratings, at_least) == label


@given(ratings=RATINGS.filter(bool))
def test_with_one_item_the_label_is_the_best_grade(ratings):
    assert relevance_label(ratings) == max(ratings)


@given(ratings=RATINGS, at_least=st.integers(1, 12), more=st.integers(0, 5))
def test_labels_fall_with_the_items_asked_for_and_rise_with_what_is_graded(ratings, at_least, more):
    label = relevance_label(ratings, at_least)
    assert relevance_label(ratings, at_least + 1) <= label
    assert relevance_label([*ratings, more], at_least) >= label
    assert label == 0 or sum(rating >= label for rating in ratings) >= at_least


def test_cells_that_were_not_judged_are_counted_and_left_out():
    exam = collect(example()).exam()
    assert exam.unjudged == 1
    assert exam.items("q") == {"q/1", "q/2", "q/3"}
    assert exam_qrels(exam) == {"q": {"a": 5, "b": 4, "c": 1, "m": 4}, "r": {"d": 3, "e": 5}}
    assert exam_qrels(exam, 2)["q"] == {"a": 2, "b": 4, "c": 0, "m": 4}


def test_a_passage_without_any_grade_has_no_label():
    query = GradedQuery(
        "q", (passage("a", {"q/1": 2}), passage("b", {"q/1": None}), passage("c", {}))
    )
    exam = collect([query]).exam()
    assert exam_qrels(exam) == {"q": {"a": 2}}
    assert exam.unjudged == 1


def test_graders_are_kept_apart_and_found_by_name():
    whole = GradedPassage("q", "a", "", direct=(DirectGrade(Grader("Sun", "tiny"), 1),))
    one = passage("b", {"q/1": 3})
    other = passage("c", {"q/1": 2}, grader=Grader("Asks", "big"))
    found = collect([GradedQuery("q", (whole, one, other))])
    assert found.exam("Sun").cells == {"q": {"a": {WHOLE: 1}}}
    assert found.exam("Asks@big").cells == {"q": {"c": {"q/1": 2}}}
    with pytest.raises(UsageError, match="2 graders fit: Asks@tiny, Asks@big"):
        found.exam("Asks")
    with pytest.raises(UsageError, match="3 graders fit"):
        found.exam()
    with pytest.raises(UsageError, match="did you mean"):
        found.exam("Sum@tiny")
    with pytest.raises(InputError, match="no rating"):
        collect([]).exam()


def test_labels_are_written_and_read_back(tmp_path):
    qrels = exam_qrels(collect(example()).exam())
    assert write_qrels(tmp_path / "x.qrels", qrels) == 6
    assert read_qrels(tmp_path / "x.qrels") == qrels == read_labels(tmp_path / "x.qrels")
    write_graded(tmp_path / "graded.jsonl", example())
    assert read_labels(tmp_path / "graded.jsonl") == qrels
    with pytest.raises(InputError, match="white space"):
        write_qrels(tmp_path / "y.qrels", {"q": {"a b": 1}})


# Leaderboards and cover, worked out by hand.
FILE = collect(example())
EXAM, PLACES = FILE.exam(), FILE.rankings.places
QRELS = exam_qrels(EXAM)


def test_places_count_from_one_in_every_run():
    assert PLACES["zero"] == {"q": {"a": 1, "b": 2}, "r": {"d": 1}}
    assert PLACES["one"] == {"q": {"a": 2, "b": 1}, "r": {"e": 1}}


def test_cover_by_hand():
    """Of q, a answers 1, b 1 and 2, m all three items; of r, d answers 1 and 2, e answers 2."""
    cover = exam_cover(EXAM, FILE.rankings, min_rating=3, depth=20)
    scores = {run.run_tag: run.values for run in cover.table.runs}
    assert scores["zero"]["exam"] == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert scores["zero"]["n_exam"] == pytest.approx((2 / 3 + 2 / 2) / 2)
    assert scores["one"]["exam"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert scores["made"] == {"exam": pytest.approx(1 / 2), "n_exam": pytest.approx(1 / 2)}
    assert [run.run_tag for run in cover.table.runs] == ["zero", "made", "one", "two"]
    assert cover.everything == {"q": 1.0, "r": pytest.approx(2 / 3)}
    assert cover.missing["zero"] == 40 - 3


def test_only_the_first_passages_count_and_only_items_of_the_bank():
    first = exam_cover(EXAM, FILE.rankings, min_rating=3, depth=1)
    assert next(one for one in first.table.runs if one.run_tag == "zero").values[
        "exam"
    ] == pytest.approx((1 / 3 + 2 / 3) / 2)
    bank = {"q": ["q/1", "q/9"], "r": ["r/3"]}
    asked = exam_cover(EXAM, FILE.rankings, min_rating=3, depth=20, items=bank)
    assert asked.everything == {"q": 0.5, "r": 0.0}
    assert all(0 <= run.values["n_exam"] <= 1 for run in asked.table.runs)


@given(low=st.integers(1, 5), depth=st.integers(1, 20))
def test_cover_falls_with_the_rating_asked_for_and_rises_with_depth(low, depth):
    def scores(rating, deep):
        table = exam_cover(EXAM, FILE.rankings, min_rating=rating, depth=deep).table
        return {run.run_tag: run.values["exam"] for run in table.runs}

    here, higher, deeper = scores(low, depth), scores(low + 1, depth), scores(low, depth + 1)
    assert all(higher[run] <= here[run] <= deeper[run] for run in here)


def test_a_leaderboard_by_hand():
    """Relevant from 4: zero has a, b and not d; a query without results is 0."""
    table = leaderboard(PLACES, QRELS, "nDCG@10 AP RR", 4)
    scores = {run.run_tag: run.values for run in table.runs}
    ideal = 5 + 4 / math.log2(3) + 4 / math.log2(4) + 1 / math.log2(5)
    zero = (5 + 4 / math.log2(3)) / ideal
    assert scores["zero"]["RR"] == pytest.approx((1 + 0) / 2)
    assert scores["zero"]["AP"] == pytest.approx((2 / 3 + 0) / 2)
    assert scores["zero"]["nDCG@10"] == pytest.approx((zero + 3 / (5 + 3 / math.log2(3))) / 2)
    assert scores["made"]["RR"] == pytest.approx(1 / 2)
    assert scores["two"]["AP"] == 0


def test_ndcg_knows_no_level_and_a_level_that_is_given_stays():
    low, high = (leaderboard(PLACES, QRELS, "nDCG@10 AP(rel=5)", level) for level in (1, 5))
    assert low.runs == high.runs
    with pytest.raises(UsageError, match="two are the same"):
        leaderboard(PLACES, QRELS, "AP AP", 1)


def test_a_place_without_a_passage_stays_a_place():
    table = leaderboard({"x": {"q": {"a": 3}}}, QRELS, "RR", 4)
    assert table.runs[0].values["RR"] == pytest.approx((1 / 3) / 2)


def test_a_far_place_costs_no_memory_and_shared_places_lose_nobody():
    far = leaderboard({"x": {"q": {"a": 10**9, "b": 1}}}, QRELS, "AP", 4)
    assert far.runs[0].values["AP"] == pytest.approx((1 + 2 / 1000) / 3 / 2)
    shared = leaderboard({"x": {"q": {"a": 1, "b": 1}}}, QRELS, "AP", 4)
    assert shared.runs[0].values["AP"] == pytest.approx(2 / 3 / 2)


def test_a_run_that_nobody_judged_is_placed_without_an_official_rank():
    ours = leaderboard(PLACES, QRELS, "RR", 4)
    theirs = leaderboard(PLACES, FILE.rankings.judged, "RR", 2)
    found = {one.run_tag: one for one in standings(ours, theirs, PLACES, FILE.rankings.judged)}
    assert found["made"].official is None
    assert found["made"].judged == 0
    assert found["one"].rank == 1
    assert sorted(one.official for one in found.values() if one.official) == [1, 2.5, 2.5]
    assert judged_runs(PLACES, FILE.rankings.judged).keys() == {"zero", "one", "two"}


def test_tied_runs_share_the_mean_of_their_ranks():
    assert average_ranks({"a": 1.0, "b": 2.0, "c": 1.0, "d": 1.0}) == {
        "b": 1.0,
        "a": 3.0,
        "c": 3.0,
        "d": 3.0,
    }
    assert average_ranks({"a": 1.0, "b": 1.0}) == {"a": 1.5, "b": 1.5}


def test_equal_scores_are_in_the_order_of_trec_eval(tmp_path):
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2.0 x\nq Q0 b 2 2.0 x\nq Q0 c 3 9.0 x\n")
    assert places_of(path) == {"q": {"c": 1, "b": 2, "a": 3}}


def test_wins_count_what_is_within_a_twentieth_of_the_best():
    assert wins({"a": [0.9, None], "b": [0.85, 0.2], "c": [0.849, 0.15]}) == {
        "a": 1,
        "b": 2,
        "c": 1,
    }
    assert wins({"a": [None]}) == {"a": 0}


def test_graders_are_correlated_with_assessors():
    judged = FILE.rankings.judged
    rows = correlate_graders(
        PLACES, {"same": judged, "ours": QRELS}, judged, "nDCG@10", levels=[1, 5], official_level=2
    )
    assert [(row.grader, row.level) for row in rows] == [("same", 1), ("ours", 1), ("ours", 5)]
    assert rows[0].values == {"nDCG@10 S": pytest.approx(1), "nDCG@10 K": pytest.approx(1)}
    assert rows[0].wins == 2
    with pytest.raises(InputError, match="no grader"):
        correlate_graders(PLACES, {"x": judged}, judged, "AP", levels=[9], official_level=2)
    with pytest.raises(InputError, match="at least 3 runs"):
        correlate_graders({"one": PLACES["one"]}, {}, judged, "AP", levels=[1], official_level=2)


def test_kappa_of_cells_is_that_of_the_printed_tables():
    """RUBRIC, tables 5 and 6: printed counts, and the kappa they give."""
    table_5 = np.array(
        [
            [64, 87, 80, 276],
            [325, 522, 720, 1301],
            [23, 35, 61, 255],
            [14, 54, 120, 299],
            [4, 14, 17, 75],
            [216, 308, 942, 5574],
        ]
    )
    square = np.pad(table_5, ((0, 0), (0, 2)))
    assert kappa_of_cell(square, 5, 3) == pytest.approx(0.294, abs=5e-4)
    assert kappa_of_cell(square, 0, 0) == pytest.approx(0.1, abs=0.05)
    assert cohen_kappa(np.array([[1910, 1117], [880, 2445]])) == pytest.approx(0.368, abs=5e-4)


# Spurious items, uncovered passages and holes.
JUDGED = FILE.rankings.judged
BANK = {"q": ["q/1", "q/2", "q/3"], "r": ["r/1", "r/2", "r/3", "r/4"]}


def test_an_item_is_spurious_where_irrelevant_passages_answer_it():
    found = spurious_items(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [ItemUse("q", "q/1", 1, 1), ItemUse("q", "q/2", 1, 0)]
    assert spurious_items(EXAM, JUDGED, min_grade=3, min_judgment=2)[-1] == ItemUse(
        "r", "r/2", 1, 1
    )


def test_a_relevant_passage_that_answers_nothing_is_uncovered():
    found = uncovered_passages(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [Uncovered("q", "c", 2, 1)]


def test_holes_are_what_nobody_graded():
    assert holes(EXAM, FILE.rankings, {"q": BANK["q"]}) == [Hole("q", "c", 1, in_file=True)]
    found = holes(EXAM, FILE.rankings, BANK, [{"q": ["a", "new"], "unknown": ["x"]}])
    assert Hole("q", "new", 3, in_file=False) in found
    assert [one for one in found if one.query_id == "r"] == [
        Hole("r", "d", 1, in_file=True),
        Hole("r", "e", 1, in_file=True),
    ]


def test_a_suggestion_is_about_the_query_and_new():
    text = "Welcome. Peat is burnt for heat in Ireland. Peat is sold to gardeners as a potting mix."
    assert "Ireland" in suggested_item("peat burnt where", text)
    known = ["Peat is burnt for heat in Ireland"]
    assert "gardeners" in suggested_item("peat", text, known)
    assert suggested_item("peat", "") == ""
    assert suggested_item("peat", "Peat burns.") == "Peat burns."


@given(query=st.text(max_size=20), text=st.text(max_size=200))
def test_any_text_gives_a_line(query, text):
    assert "\n" not in suggested_item(query, text)
