"""Where the organizers' script differs from the formulas; its figures were computed with it."""

from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.scoring.organizers import (
    ScoreDiff,
    compat_question_scores,
    compat_report_scores,
    diff_question_scores,
    diff_report_scores,
)
from sidelight.evaluation.scoring.score import score_reports
from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, rubric, write_csv

TRACK = load_track()
SCALES = TRACK.scales

RUBRICS = {"a": rubric("a", (HAVE, 2), (NICE, 1)), "b": rubric("b", (HAVE, 1))}
ANSWERS = "topic_id,run_tag,answer_id,auto_assessment,auto_rationale"
PAIRS = "topic_id,rubric_question_rank,run_tag,run_question_rank,auto_assessment,auto_rationale"
VERDICTS = (
    "topic_id,run_tag,run_question_rank,run_question_text,"
    "auto_compound_question_assessment,auto_assessment_rationale"
)
FULL = (
    ("a", "r", "na-1", "supports", "x"),
    ("a", "r", "na-2", "none", "x"),
    ("a", "r", "na-3", "supports", "x"),
    ("b", "r", "na-1", "supports", "x"),
)


def test_what_theirs_reads_is_scored_alike(tmp_path):
    file = write_csv(tmp_path / "a.csv", ANSWERS, ("b", "r", "na-1", "contradicts", "x"))
    values = compat_report_scores(TRACK, RUBRICS, file).runs[0].values
    assert values == {"supportive_score": 0.0, "contradictory_score": 1.0}
    # Ten topics of 0.1: a plain running sum is off in the last digit, pandas' mean is not.
    assert reduce(add, [0.1] * 10) / 10 != 0.1
    rubrics = {f"t{i}": rubric(f"t{i}", (NICE, 10)) for i in range(10)}
    rows = [
        (f"t{i}", "r", f"na-{k}", "supports" if k == 1 else "none", "x")
        for i in range(10)
        for k in range(1, 11)
    ]
    file = write_csv(tmp_path / "a.csv", ANSWERS, *rows)
    assert compat_report_scores(TRACK, rubrics, file).runs[0].values["supportive_score"] == 0.1
    file = write_csv(tmp_path / "p.csv", PAIRS, ("b", 1, "r", 1, "similar", "x"))
    compound = write_csv(tmp_path / "c.csv", VERDICTS, ("b", "r", 1, "Who?", "compound", "x"))
    assert compat_question_scores(TRACK, RUBRICS, file, compound).runs[0].values["score"] == 0
    # A ghost row turns a column of ranks into floats in pandas; its CSV then holds 1.0.
    file = tmp_path / "p.csv"
    file.write_bytes(
        b"\xef\xbb\xbf" + PAIRS.encode() + b'\r\nb,1.0,r,1.0,similar,"says ""yes"", N/A"\r\n'
    )
    compound = write_csv(
        tmp_path / "c.csv", VERDICTS, ("b", "r", 1, 'Is "it", N/A?', "not-compound", "")
    )
    assert compat_question_scores(TRACK, RUBRICS, file, compound).runs[0].values["score"] == 0.5
    rows = (("a", "N/A", "na-1", "supports", "None"), ("b", "N/A", "na-1", "Supports", ""))
    file = write_csv(tmp_path / "a.csv", ANSWERS, *rows)
    table = score_reports(TRACK, RUBRICS, read_assessments(file, ANSWER_ASSESSMENTS, SCALES))
    # By hand: a has 4 / 2 / 5 = 0.4, b has 1.
    assert table.runs[0].run_tag == "N/A"
    assert table.runs[0].values["supportive_score"] == pytest.approx(0.7)


def test_what_is_no_file_of_labels_is_refused(tmp_path):
    with pytest.raises(InputError, match="no row"):
        compat_report_scores(TRACK, RUBRICS, write_csv(tmp_path / "a.csv", ANSWERS))
    with pytest.raises(InputError, match="expected the columns"):
        compat_report_scores(TRACK, RUBRICS, write_csv(tmp_path / "b.csv", "topic_id,label"))
    (tmp_path / "c.csv").write_text(f"{ANSWERS}\na,r\n")
    with pytest.raises(InputError, match="csv-cells"):
        diff_report_scores(TRACK, RUBRICS, tmp_path / "c.csv")


@pytest.mark.parametrize(
    ("pair", "asked", "says"),
    [
        *(
            (("a", rank, "r", 1, "very-similar", "x"), 1, r"p\.csv:2: error \[compat-rank\]")
            for rank in ("inf", "nan")
        ),
        (("a", 1, "r", 4, "similar", "x"), 3, "compat-verdict.*run r, question 4"),
        (("b", 2, "r", 1, "similar", "x"), 1, "compat-unmatched.*rubric question 2"),
    ],
)
def test_questions_that_theirs_stops_at_are_named(tmp_path, pair, asked, says):
    file = write_csv(tmp_path / "p.csv", PAIRS, pair)
    verdict = (pair[0], "r", asked, "Who?", "not-compound", "x")
    compound = write_csv(tmp_path / "c.csv", VERDICTS, verdict)
    with pytest.raises(InvalidFileError, match=says):
        compat_question_scores(TRACK, RUBRICS, file, compound)


# What differs between both, by topic and over all, and the causes that are named for it.
FULL_PAIRS = (
    ("a", 1, "r", 1, "very-similar", "x"),
    ("a", 2, "r", 1, "different", "x"),
    ("b", 1, "r", 1, "similar", "x"),
)
ONE_EACH = tuple((topic, "r", 1, "Who?", "not-compound", "x") for topic in RUBRICS)


def reports(path, *rows, merge=False):
    return diff_report_scores(
        TRACK, RUBRICS, write_csv(path / "a.csv", ANSWERS, *rows), merge=merge
    )


def questions(path, *rows, verdicts=ONE_EACH):
    return diff_question_scores(
        TRACK,
        RUBRICS,
        write_csv(path / "p.csv", PAIRS, *rows),
        write_csv(path / "c.csv", VERDICTS, *verdicts),
    )


def explained(diff):
    return [
        (
            gap.topic_id,
            pytest.approx(gap.theirs),
            pytest.approx(gap.ours),
            {handling.cause: ids for handling, ids in gap.causes.items()},
        )
        for gap in diff.gaps
        if gap.measure != "contradictory_score"
    ]


def causes_of_stops(diff):
    return [stop.handling.cause for stop in diff.stops]


def test_gaps_by_hand(tmp_path):
    diff = reports(tmp_path, *(row for row in FULL if row[3] != "none"))
    # a: (4 / 1 + 1) / 5 in theirs, (4 / 2 + 1) / 5 in ours; b: 4 / 4.
    assert explained(diff) == [
        ("a", 1.0, 0.6, {"rows-missing": ("na-2",)}),
        (None, 1.0, 0.8, {"rows-missing": ("a",)}),
    ]
    assert not diff.agrees
    # a over one topic, or (0.6 + 0) / 2; and of questions (4 + 0) / 5
    assert explained(reports(tmp_path, *FULL[:3])) == [
        ("b", None, 0.0, {"topic-missing": ("b",)}),
        (None, 0.6, 0.3, {"topic-missing": ("b",)}),
    ]
    assert explained(questions(tmp_path, *FULL_PAIRS[:2])) == [
        ("b", None, 0.0, {"topic-missing": ("b",)}),
        (None, 0.8, 0.4, {"topic-missing": ("b",)}),
    ]
    # a: (2 / 3 * 4 + 1) / 5 = 11 / 15; (11 / 15 + 1) / 2 = 13 / 15
    assert explained(reports(tmp_path, *FULL, FULL[0])) == [
        ("a", 11 / 15, 0.6, {"rows-repeated": ("na-1",)}),
        (None, 13 / 15, 0.8, {"rows-repeated": ("a",)}),
    ]
    # a: 4 / 4 against 4 / 5; b: 0.5; means 0.75 and 0.65
    assert explained(questions(tmp_path, FULL_PAIRS[0], FULL_PAIRS[2])) == [
        ("a", 1.0, 0.8, {"question-unjudged": ("a-2",)}),
        (None, 0.75, 0.65, {"question-unjudged": ("a",)}),
    ]
    assert reports(tmp_path, *FULL) == ScoreDiff((), None, ())
    assert questions(tmp_path, *FULL_PAIRS).agrees


def test_stops_of_both_sides_are_told_apart(tmp_path):
    for row, cause, found, ours_stops in [
        (("a", "r", "na-2", "Supports", "x"), "label-spelling", "'Supports'", False),
        (("a", "r", "na-2", "supports", ""), "value-missing", "a value in auto_rationale", False),
        (("a", "r", "na-2", "", "no reply"), "value-missing", "''", False),
        (("a", "r", "na-2", "None", "x"), "value-missing", "'None'", False),
        (("a", "N/A", "na-2", "none", "x"), "value-missing", "a value in run_tag", False),
        (("a", "r", "na-99", "none", "x"), "id-unknown", "na-99", True),
        (("z", "r", "na-1", "none", "x"), "id-unknown", "topic z", True),
    ]:
        diff = reports(tmp_path, FULL[0], row)
        assert causes_of_stops(diff) == [cause]
        assert diff.stops[0].place.endswith("a.csv:3")
        assert found in diff.stops[0].found
        assert (diff.our_error is not None) == ours_stops
        assert diff.gaps == ()
    diff = questions(tmp_path, *FULL_PAIRS, verdicts=ONE_EACH[:1])
    assert causes_of_stops(diff) == ["verdict-missing"]
    assert "run r, topic b, question 1" in str(diff.our_error)
    verdicts = (ONE_EACH[0], ("b", "r", 1, "Who?", "Compound", "x"))
    diff = questions(tmp_path, *FULL_PAIRS, verdicts=verdicts)
    assert causes_of_stops(diff) == ["verdict-missing"]
    assert diff.our_error is None
    rows = (*FULL, ("b", "r", "na-1", "contradicts", "x"))
    diff = reports(tmp_path, *rows)
    assert diff.stops == ()
    assert "label-conflict" in str(diff.our_error)
    # b: theirs counts supports and contradicts by halves, ours contradicts alone
    found = explained(reports(tmp_path, *rows, merge=True))[0]
    assert found == ("b", 0.5, 0.0, {"rows-repeated": ("na-1",)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for all examples of a property."""
    return tmp_path_factory.mktemp("labels")


@given(
    labels=st.lists(
        st.sampled_from(["supports", "partial", "contradicts", "none"]), min_size=8, max_size=8
    ),
    copies=st.lists(st.integers(0, 2), min_size=8, max_size=8).filter(any),
)
def test_every_gap_in_reports_has_a_cause(folder, labels, copies):
    things = [(*row[:1], run, row[2]) for run in "rs" for row in FULL]
    rows = [
        (*thing, label, "x")
        for thing, label, n in zip(things, labels, copies, strict=True)
        for _ in range(n)
    ]
    diff = reports(folder, *rows)
    assert all(gap.causes for gap in diff.gaps)
    runs = {row[1] for row in rows}
    wanted = [n for thing, n in zip(things, copies, strict=True) if thing[1] in runs]
    assert diff.agrees or wanted != [1] * len(wanted)


@given(
    labels=st.lists(
        st.sampled_from(["very-similar", "similar", "different"]), min_size=6, max_size=6
    ),
    kept=st.lists(st.booleans(), min_size=6, max_size=6).filter(any),
)
def test_every_gap_in_questions_has_a_cause(folder, labels, kept):
    things = [(topic, rank, run, 1) for run in "rs" for topic, rank, *_ in FULL_PAIRS]
    rows = [
        (*thing, label, "x")
        for thing, label, keep in zip(things, labels, kept, strict=True)
        if keep
    ]
    verdicts = tuple((*row[:1], run, *row[2:]) for run in "rs" for row in ONE_EACH)
    diff = questions(folder, *rows, verdicts=verdicts)
    assert all(gap.causes for gap in diff.gaps)
    assert diff.agrees or not all(kept)
