"""Exams: labels, leaderboards and upkeep by hand, and banks drafted, merged and edited."""

import asyncio
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients import cohen_kappa, kappa_of_cell
from sidelight.evaluation.exams import banks, grades
from sidelight.evaluation.exams import leaderboard as boards
from sidelight.evaluation.exams.leaderboard import exam_cover, leaderboard, wins
from sidelight.formats.labels.qrels import read_qrels, write_qrels
from sidelight.schemas.grading.graded_passage import DirectGrade, GradedPassage, GradedQuery, Grader
from sidelight.schemas.grading.rubric import ExamBank, Style, bank_version, exam_item_id, new_item
from tests.helpers.asking.conversation import scripted
from tests.helpers.graded import example, passage

RATINGS = st.lists(st.integers(0, 5), max_size=12)


def test_labels_places_and_ranks_by_hand(tmp_path):
    for ratings, at_least, label in [
        *(([0, 4, 5, 4, 1], 1, 5), ([0, 4, 5, 4, 1], 2, 4), ([0, 4, 5, 4, 1], 3, 4)),
        *(([0, 4, 5, 4, 1], 4, 1), ([0, 4, 5, 4, 1], 6, 0), ([], 1, 0)),
    ]:
        assert grades.relevance_label(ratings, at_least) == label
    assert PLACES["zero"] == {"q": {"a": 1, "b": 2}, "r": {"d": 1}}
    assert PLACES["one"] == {"q": {"a": 2, "b": 1}, "r": {"e": 1}}
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2.0 x\nq Q0 b 2 2.0 x\nq Q0 c 3 9.0 x\n")
    assert boards.places_of(path) == {"q": {"c": 1, "b": 2, "a": 3}}
    found = boards.average_ranks({"a": 1.0, "b": 2.0, "c": 1.0, "d": 1.0})
    assert found == {"b": 1.0, "a": 3.0, "c": 3.0, "d": 3.0}
    assert boards.average_ranks({"a": 1.0, "b": 1.0}) == {"a": 1.5, "b": 1.5}
    seen = wins({"a": [0.9, None], "b": [0.85, 0.2], "c": [0.849, 0.15]})
    assert seen == {"a": 1, "b": 2, "c": 1}
    assert wins({"a": [None]}) == {"a": 0}


@given(ratings=RATINGS, at_least=st.integers(1, 12), more=st.integers(0, 5))
def test_labels_fall_with_the_items_asked_for_and_rise_with_what_is_graded(ratings, at_least, more):
    assert not ratings or grades.relevance_label(ratings) == max(ratings)
    label = grades.relevance_label(ratings, at_least)
    assert grades.relevance_label(ratings, at_least + 1) <= label
    assert grades.relevance_label([*ratings, more], at_least) >= label
    assert label == 0 or sum(rating >= label for rating in ratings) >= at_least


def test_labels_are_those_of_the_grader_that_is_named(tmp_path):
    exam = grades.collect(example()).exam()
    assert exam.unjudged == 1
    assert exam.items("q") == {"q/1", "q/2", "q/3"}
    assert grades.exam_qrels(exam) == {"q": {"a": 5, "b": 4, "c": 1, "m": 4}, "r": {"d": 3, "e": 5}}
    assert grades.exam_qrels(exam, 2)["q"] == {"a": 2, "b": 4, "c": 0, "m": 4}
    query = GradedQuery(
        "q", (passage("a", {"q/1": 2}), passage("b", {"q/1": None}), passage("c", {}))
    )
    exam = grades.collect([query]).exam()
    assert grades.exam_qrels(exam) == {"q": {"a": 2}}
    assert exam.unjudged == 1
    whole = GradedPassage("q", "a", "", direct=(DirectGrade(Grader("Sun", "tiny"), 1),))
    one = passage("b", {"q/1": 3})
    other = passage("c", {"q/1": 2}, grader=Grader("Asks", "big"))
    found = grades.collect([GradedQuery("q", (whole, one, other))])
    assert found.exam("Sun").cells == {"q": {"a": {grades.WHOLE: 1}}}
    assert found.exam("Asks@big").cells == {"q": {"c": {"q/1": 2}}}
    with pytest.raises(UsageError, match="2 graders fit: Asks@tiny, Asks@big"):
        found.exam("Asks")
    with pytest.raises(UsageError, match="3 graders fit"):
        found.exam()
    with pytest.raises(UsageError, match="did you mean"):
        found.exam("Sum@tiny")
    with pytest.raises(InputError, match="no rating"):
        grades.collect([]).exam()
    qrels = grades.exam_qrels(grades.collect(example()).exam())
    write_qrels(tmp_path / "x.qrels", qrels)
    assert read_qrels(tmp_path / "x.qrels") == qrels


# Leaderboards and cover, worked out by hand.
FILE = grades.collect(example())
EXAM, PLACES = FILE.exam(), FILE.rankings.places
QRELS = grades.exam_qrels(EXAM)


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
    first = exam_cover(EXAM, FILE.rankings, min_rating=3, depth=1)
    found = next(one for one in first.table.runs if one.run_tag == "zero").values["exam"]
    assert found == pytest.approx((1 / 3 + 2 / 3) / 2)
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


def test_leaderboards_and_correlations_by_hand():
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
    low, high = (leaderboard(PLACES, QRELS, "nDCG@10 AP(rel=5)", level) for level in (1, 5))
    assert low.runs == high.runs
    with pytest.raises(UsageError, match="two are the same"):
        leaderboard(PLACES, QRELS, "AP AP", 1)
    table = leaderboard({"x": {"q": {"a": 3}}}, QRELS, "RR", 4)
    assert table.runs[0].values["RR"] == pytest.approx((1 / 3) / 2)
    far = leaderboard({"x": {"q": {"a": 10**9, "b": 1}}}, QRELS, "AP", 4)
    assert far.runs[0].values["AP"] == pytest.approx((1 + 2 / 1000) / 3 / 2)
    shared = leaderboard({"x": {"q": {"a": 1, "b": 1}}}, QRELS, "AP", 4)
    assert shared.runs[0].values["AP"] == pytest.approx(2 / 3 / 2)
    judged = FILE.rankings.judged
    ours, theirs = leaderboard(PLACES, QRELS, "RR", 4), leaderboard(PLACES, judged, "RR", 2)
    found = {one.run_tag: one for one in boards.standings(ours, theirs, PLACES, judged)}
    assert found["made"].official is None
    assert found["made"].judged == 0
    assert found["one"].rank == 1
    assert sorted(one.official for one in found.values() if one.official) == [1, 2.5, 2.5]
    assert boards.judged_runs(PLACES, judged).keys() == {"zero", "one", "two"}
    rows = boards.correlate_graders(
        PLACES, {"same": judged, "ours": QRELS}, judged, "nDCG@10", levels=[1, 5], official_level=2
    )
    assert [(row.grader, row.level) for row in rows] == [("same", 1), ("ours", 1), ("ours", 5)]
    assert rows[0].values == {"nDCG@10 S": pytest.approx(1), "nDCG@10 K": pytest.approx(1)}
    assert rows[0].wins == 2
    with pytest.raises(InputError, match="no grader"):
        boards.correlate_graders(PLACES, {"x": judged}, judged, "AP", levels=[9], official_level=2)
    one = {"one": PLACES["one"]}
    with pytest.raises(InputError, match="at least 3 runs"):
        boards.correlate_graders(one, {}, judged, "AP", levels=[1], official_level=2)


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


def test_exams_are_kept_up_by_hand():
    found = grades.spurious_items(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [grades.ItemUse("q", "q/1", 1, 1), grades.ItemUse("q", "q/2", 1, 0)]
    shown = grades.spurious_items(EXAM, JUDGED, min_grade=3, min_judgment=2)[-1]
    assert shown == grades.ItemUse("r", "r/2", 1, 1)
    found = grades.uncovered_passages(EXAM, JUDGED, min_grade=4, min_judgment=2)
    assert found == [grades.Uncovered("q", "c", 2, 1)]
    assert grades.holes(EXAM, FILE.rankings, {"q": BANK["q"]}) == [
        grades.Hole("q", "c", 1, in_file=True)
    ]
    found = grades.holes(EXAM, FILE.rankings, BANK, [{"q": ["a", "new"], "unknown": ["x"]}])
    assert grades.Hole("q", "new", 3, in_file=False) in found
    seen = [one for one in found if one.query_id == "r"]
    assert seen == [grades.Hole("r", "d", 1, in_file=True), grades.Hole("r", "e", 1, in_file=True)]
    text = "Welcome. Peat is burnt for heat in Ireland. Peat is sold to gardeners as a potting mix."
    assert "Ireland" in grades.suggested_item("peat burnt where", text)
    known = ["Peat is burnt for heat in Ireland"]
    assert "gardeners" in grades.suggested_item("peat", text, known)
    assert grades.suggested_item("peat", "") == ""
    assert grades.suggested_item("peat", "Peat burns.") == "Peat burns."


@given(query=st.text(max_size=20), text=st.text(max_size=200))
def test_any_text_gives_a_line(query, text):
    assert "\n" not in grades.suggested_item(query, text)


# Banks drafted, merged, edited and compared.


PEAT = banks.DraftedQuery("q", "", "what is peat used for")
WETLANDS = banks.DraftedQuery("q", "s", "Wetlands / How peat forms")


def reply(*items):
    return json.dumps({"items": items})


def draft(style, *replies, query=PEAT, count=2):
    asked = scripted(*replies)
    drafts = asyncio.run(banks.draft_banks(asked.model, [query], style, count))
    asked.script.assert_finished()
    return drafts, asked.script


def test_drafts_are_of_queries_and_what_is_no_bank_is_refused():
    drafts, model = draft(Style.DL, reply(" Who burns  peat?", "What grows on peat?"))
    (bank,) = drafts.banks
    assert bank.kind == "question"
    assert [item.text for item in bank.items] == ["Who burns peat?", "What grows on peat?"]
    assert bank.items[0].item_id == exam_item_id("q", "Who burns peat?")
    assert "what is peat used for" in model.requests[0].messages[-1].content
    drafts, model = draft(Style.CAR, reply("How does peat form?", "Where?"), query=WETLANDS)
    assert drafts.banks[0].key == ("q", "s")
    asked = model.requests[0].messages[-1].content
    assert "<<<BEGIN subject>>>\nWetlands\n<<<END subject>>>" in asked
    assert "<<<BEGIN heading>>>\nHow peat forms\n<<<END heading>>>" in asked
    good = reply("Peat is burnt for heat.", "Peat is mixed into soil.")
    drafts, model = draft(Style.NUGGETS, reply("One fact alone."), good)
    assert drafts.banks[0].kind == "nugget"
    assert "expected 2 items; found 1" in model.requests[1].messages[-1].content
    drafts, _ = draft(Style.DL, "no", "never")
    assert not drafts.banks
    assert drafts.failed[0][0] == "q"
    for style, items, says in [
        (Style.DL, ["Who?"], "expected 2 items; found 1"),
        (Style.DL, ["Who?", "who?"], "occurs twice"),
        (Style.DL, ["Who?", "It is so."], "expected a question"),
        (Style.NUGGETS, ["It is.", "Is it?"], "expected a fact"),
        (Style.DL, ["Who?", "..."], "is empty"),
        (Style.NUGGETS, ["a" * 401, "b"], "more than 400"),
    ]:
        with pytest.raises(ValueError, match=says):
            banks.check_draft(banks.ExamDraft(items=tuple(items)), style=style, count=2)


PASSAGES = [
    "Peat is burnt for heat in Irish homes. The site uses cookies for its own ends.",
    "In Ireland peat is burnt for heat and power. Gardeners mix peat into the soil of their pots.",
    "Gardeners mix peat into soil for their pots. Visit us again for more of this every day.",
]


def test_facts_that_passages_share_come_first_whatever_their_order():
    bank = banks.extract_bank("q", "what is peat used for", PASSAGES, 2)
    texts = [item.text for item in bank.items]
    assert any("burnt" in text for text in texts)
    assert any("Gardeners" in text for text in texts)
    assert bank.kind == "nugget"
    one, other = (banks.extract_bank("q", "peat", order, 5) for order in (PASSAGES, PASSAGES[::-1]))
    assert one.items == other.items


@given(passages=st.lists(st.text(max_size=120), max_size=4), count=st.integers(1, 5))
def test_any_passages_give_at_most_so_many_different_facts(passages, count):
    items = banks.extract_bank("q", "peat", passages, count).items
    assert len(items) <= count
    assert len({item.item_id for item in items}) == len(items)


# Banks merged, edited and compared.
def bank(*texts, topic_id="q", kind="question"):
    items = tuple(new_item(topic_id, text) for text in texts)
    return ExamBank(topic_id=topic_id, query_text="peat", kind=kind, tests=items)


def texts(found):
    return [[item.text for item in one.items] for one in found]


def test_merging_and_comparing_keep_ids_and_order():
    merged = banks.merge_banks([(bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))])
    assert texts(merged) == [["A?", "B?", "C?"], ["D?"]]
    assert merged[0].items[1] == bank("B?").items[0]
    one = (bank("A?", "B?"),)
    assert bank_version(banks.merge_banks([one, one])) == bank_version(one)
    with pytest.raises(UsageError, match="one bank has questions, another nuggets"):
        banks.merge_banks([(bank("A?"),), (bank("A.", kind="nugget"),)])
    old, new = (bank("A?", "B?"),), (bank("B?", "C?"), bank("D?", topic_id="r"))
    changes = banks.diff_banks(old, new)
    found = [(one.query, one.what, one.text) for one in changes]
    assert found == [("q", "dropped", "A?"), ("q", "added", "C?"), ("r", "added", "D?")]
    assert banks.diff_banks(old, old) == []


def test_editing_adds_drops_and_rewords():
    a, b = (exam_item_id("q", text) for text in ("A?", "B?"))
    (edited,) = banks.edit_banks(
        (bank("A?", "B?", "C?"),), add=[("q", "D?")], drop=[a], reword={b: "Why B?"}
    )
    assert [item.text for item in edited.items] == ["Why B?", "C?", "D?"]
    assert edited.items[0].item_id == exam_item_id("q", "Why B?")
    assert edited.items[0].source["info"] == {"replaces": b}
    for change, says in [
        ({"drop": ["q/x"]}, "no item q/x"),
        ({"reword": {"q/x": "Y?"}}, "no item q/x"),
        ({"add": [("r", "Y?")]}, "no query r"),
        ({"add": [("q", "A?")]}, "already"),
    ]:
        with pytest.raises(UsageError, match=says):
            banks.edit_banks((bank("A?"),), **change)
