"""Files of scores and labels, credit by stage, and measures found by their names."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError, UsageError
from sidelight.evaluation.metrics.base import Computed
from sidelight.evaluation.metrics.rubric import report_support
from sidelight.evaluation.scoring.measures import (
    Stage,
    find_measure,
    funnel_rows,
    measure_called,
    read_stage_credit,
    stage_totals,
    write_funnel,
)
from sidelight.evaluation.scoring.organizers import compat_report_scores
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.table import label_source, write_score_files
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.parts import KINDS
from sidelight.registry import names
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from tests.helpers.commands import told
from tests.helpers.installed import install
from tests.helpers.labels import toy

TRACK = load_track()
SCALES = TRACK.scales

TWO_TOPICS = {"b": toy.rubric("b", (toy.HAVE, 1)), "a": toy.rubric("a", (toy.HAVE, 3))}


def test_files_have_the_columns_of_the_organizers(tmp_path):
    labels = toy.answers_of("a r supports", "b r contradicts")
    per_topic, per_run = write_score_files(
        score_reports(TRACK, TWO_TOPICS, labels), tmp_path, "auto_report_generation"
    )
    assert per_topic.name == "auto_report_generation_per_topic_results.csv"
    assert per_run.name == "auto_report_generation_per_run_results.csv"
    # a: 1 / 3 supported; b contradicted; floats are written so that they read back the same
    assert per_topic.read_text() == (
        "run_tag,topic_id,supportive_score,contradictory_score,unjudged\n"
        "r,a,0.3333333333333333,0.0,0.6666666666666667\n"
        "r,b,0.0,1.0,0.0\n"
    )
    assert per_run.read_text() == (
        "run_tag,supportive_score,contradictory_score,unjudged,n_topics\n"
        "r,0.16666666666666666,0.5,0.33333333333333337,2\n"
    )
    table = score_questions(
        TRACK,
        TWO_TOPICS,
        [toy.pair("a", 1, "r", 1, "similar")],
        [toy.verdict("a", "r", 1, "not-compound")],
    )
    _, per_run = write_score_files(table, tmp_path, "human_question_generation")
    found = per_run.read_text().splitlines()[0]
    assert found == "run_tag,score,unjudged,score_unfiltered,credit_lost,n_topics"
    file = toy.write_csv(
        tmp_path / "a.csv", "topic_id,run_tag,answer_id,annotation", ("b", "r", "na-1", "partial")
    )
    per_topic, per_run = write_score_files(
        compat_report_scores(TRACK, TWO_TOPICS, file), tmp_path, "human_report_generation"
    )
    seen = per_topic.read_text()
    assert seen == "run_tag,topic_id,supportive_score,contradictory_score\nr,b,0.5,0.0\n"
    assert per_run.read_text() == "run_tag,supportive_score,contradictory_score\nr,0.5,0.0\n"
    for column, source in [("annotation", "human"), ("auto_assessment", "auto")]:
        file = toy.write_csv(tmp_path / "a.csv", f"topic_id,run_tag,answer_id,{column}")
        assert label_source(file) == source


# How a file of labels is spelled changes no score.
# pandas takes these run tags for missing values.
RUN_TAGS = ("N/A", "nan", "NULL", "None", 'say "so", twice')
RUBRICS = {"t": toy.rubric("t", (toy.HAVE, 2), (toy.NICE, 1))}
ANSWER_HEADER = ("topic_id", "run_tag", "answer_id", "annotation", "rationale")
PAIR_HEADER = (
    *("topic_id", "rubric_question_rank", "run_tag", "run_question_rank"),
    *("annotation", "rationale"),
)
REASONS = st.sampled_from(["", "N/A", "two\nlines", 'a "word", and more', "\ufeff"])


def rows_of(labels, *key):
    about = st.tuples(st.just("t"), *map(st.sampled_from, key))
    return st.dictionaries(about, st.tuples(st.sampled_from(labels), REASONS), min_size=1)


FILES = st.tuples(
    st.just(ANSWER_HEADER),
    rows_of(["supports", "partial", "contradicts", "none"], RUN_TAGS, ["na-1", "na-2", "na-3"]),
) | st.tuples(
    st.just(PAIR_HEADER), rows_of(["very-similar", "similar", "different"], "12", RUN_TAGS, "12")
)
# Byte order mark, line ending, quoting, blank lines, the same rows again, and what pandas writes
# where a lone carriage return gave it one row too many: a row of empty cells, and ranks as floats.
spellings = st.tuples(
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
PLAIN = (False, "\n", csv.QUOTE_MINIMAL, False, False, False)


def spelled(header, rows, spelling):
    mark, ending, quoting, blank, again, ghost = spelling
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=ending, quoting=quoting)
    writer.writerow(header)
    for key, value in [*rows.items()] * (2 if again else 1):
        writer.writerow(
            f"{cell}.0" if ghost and cell in {"1", "2"} else cell for cell in (*key, *value)
        )
        if ghost:
            writer.writerow([""] * len(header))
        if blank:
            text.write(ending)
    return text.getvalue().encode("utf-8-sig" if mark else "utf-8")


def scored(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        path.write_bytes(content)
        if b"answer_id" in content:
            return score_reports(TRACK, RUBRICS, read_assessments(path, ANSWER_ASSESSMENTS, SCALES))
        return score_questions(
            TRACK, RUBRICS, read_assessments(path, QUESTION_ASSESSMENTS, SCALES), None
        )


@given(FILES, spellings)
def test_no_spelling_changes_a_score(file, spelling):
    header, rows = file
    table = scored(spelled(header, rows, spelling))
    assert table == scored(spelled(header, rows, PLAIN))
    assert {run.run_tag for run in table.runs} == {key[header.index("run_tag")] for key in rows}


UNKNOWN = Unjudged(reason="no reply")


FUNNEL = toy.rubric("t", (toy.HAVE, 2), (toy.NICE, 1))


def label(stage, number, label):
    return toy.answer("t", stage, f"na-{number}", label)


def funnel(*labels):
    return funnel_rows({"t": FUNNEL}, labels, SCALES["answers"])


def test_credit_is_followed_from_stage_to_stage():
    rows = funnel(
        *(label(Stage.RETRIEVED, 1, "none"), label(Stage.SELECTED, 1, "supports")),
        *(label(Stage.WRITTEN, 1, "partial"), label(Stage.JUDGED, 1, "partial")),
        *(label(Stage.RETRIEVED, 2, "supports"), label(Stage.SELECTED, 2, "partial")),
        *(label(Stage.SELECTED, 2, "contradicts"), label(Stage.JUDGED, 2, "contradicts")),
        *(label(Stage.SELECTED, 3, UNKNOWN), label(Stage.JUDGED, 3, "supports")),
    )
    # What was selected was retrieved, what stands in the report was written.
    found = [list(row.credit.values()) for row in rows]
    assert found == [[1, 1, 0.5, 0.5], [1, 0.5, 0, 0], [None, None, 1, 1]]
    # Of the second as much is lost in selecting as in writing: the first counts.
    assert [row.lost_at for row in rows] == [Stage.WRITTEN, Stage.SELECTED, None]
    # Weights 4/5 in halves and 1/5.
    assert [row.weight for row in rows] == pytest.approx([0.4, 0.4, 0.2])
    totals = stage_totals(rows)
    assert [total.credit for total in totals] == pytest.approx([0.8, 0.6, 0.4, 0.4])
    assert [total.change for total in totals] == pytest.approx([-0.2, -0.2, -0.2, 0])
    assert [total.unjudged for total in totals] == [1, 1, 0, 0]
    (row, *_) = funnel()
    assert (list(row.credit.values()), row.lost_at) == ([0, 0, 0, 0], Stage.RETRIEVED)


LABELS = st.sampled_from([*SCALES["answers"].names, UNKNOWN])


@given(st.lists(st.builds(label, st.sampled_from(Stage), st.sampled_from([1, 2, 3]), LABELS)))
def test_no_step_that_only_chooses_gains_credit(labels):
    for row in funnel(*labels):
        for wide, narrow in ((Stage.RETRIEVED, Stage.SELECTED), (Stage.WRITTEN, Stage.JUDGED)):
            more, less = row.credit[wide], row.credit[narrow]
            assert more is None or less is None or more >= less


@given(st.dictionaries(st.sampled_from([1, 2, 3]), LABELS))
def test_the_last_stage_is_the_score(labels):
    rows = funnel(*(label(Stage.JUDGED, *item) for item in labels.items()))
    named = {f"na-{number}": label for number, label in labels.items()}
    score = report_support(FUNNEL, named, SCALES["answers"])
    assert stage_totals(rows)[-1].credit == pytest.approx(score)


def test_the_file_leaves_unknown_credit_empty_and_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "funnel.csv"
    write_funnel(path, funnel(label(Stage.SELECTED, 1, UNKNOWN)))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["answer_id"] for row in rows] == ["na-1", "na-2", "na-3"]
    assert (rows[0]["selected"], rows[0]["judged"], rows[0]["lost_at"]) == ("", "0.0", "")
    assert (rows[1]["importance"], rows[1]["lost_at"]) == ("4", "retrieved")
    rows = funnel()
    rows[0].credit[Stage.WRITTEN] = 0.5
    rows[1].credit[Stage.WRITTEN] = None
    write_funnel(tmp_path / "funnel.csv", rows)
    found = read_stage_credit(tmp_path / "funnel.csv")
    assert found["t"][Stage.WRITTEN] == pytest.approx(rows[0].weight / 2)
    assert found["t"][Stage.JUDGED] == 0


def test_a_damaged_weight_is_refused_by_its_line(tmp_path):
    path, says = tmp_path / "funnel.csv", r"funnel\.csv:4: .*a number from 0 to 1 in weight"
    for damaged in ("half", "1_0", "nan", "2", ""):
        rows = funnel()
        write_funnel(path, rows)
        path.write_text(path.read_text().replace(f",{rows[-1].weight},", f",{damaged},"))
        with pytest.raises(InvalidFileError, match=says):
            read_stage_credit(path)


# Measures are found by name, wherever they come from.


MODULE = """
    from sidelight.schemas.grading.judgment import Measure

    class Hedges:
        measure = Measure(title="small words", direction="lower", unit="count", format=".1f")

        def __init__(self, words="the a of"):
            self._words = set(words.split())

        def __call__(self, report):
            told = (word for sentence in report for word in sentence.text.lower().split())
            return sum(word in self._words for word in told)
"""


@pytest.fixture
def hedges(tmp_path, monkeypatch):
    """A measure of an installed package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "hedging", {"hedging": MODULE}, {"measure hedges": "hedging:Hedges"})
    return "hedges"


def test_a_name_is_read_back_as_it_is_printed():
    tasks = [task for track in names("track") for task in load_track(track).tasks]
    listed = [measure.name for task in tasks for measure in task.measures]
    listed += [*KINDS["measure"].own, "nothing_cited", "weighted_precision", "retrieved"]
    for name in listed:
        measure = find_measure(name)
        assert measure.name == name
        if name != "stage_credit":  # which stage, its measures say
            assert Computed(measure).needs


def test_names_are_read_back_and_others_are_wrong_usage():
    measure = find_measure("support_recall(citations=first)")
    assert measure.name == "support_recall(citations=first)"
    assert measure.parameters == {"citations": "first"}
    assert measure_called("weighted_recall").computes == "support_recall"
    measure = measure_called("nDCG@10")
    assert (measure.name, measure.direction, measure.shown(0.5)) == ("nDCG@10", "higher", "0.5000")
    assert measure_called("question_score").computes == "question_coverage"
    for text, says in [
        ("supportive_scor", "did you mean supportive_score?"),
        ("support_recall(first)", "expected parameter=value"),
        ("nowhere:Thing", "there is no module 'nowhere'"),
    ]:
        with pytest.raises(UsageError, match=says.replace("?", r"\?")):
            find_measure(text)


def test_a_measure_of_another_package_is_used_by_name(hedges):
    data = sample_path()
    plain = told("score", "task2", "--data", data)["runs"]
    runs = told("score", "task2", "--data", data, "--measure", hedges)["runs"]
    assert [{**run, hedges: 0} for run in plain] == [{**run, hedges: 0} for run in runs]
    found = {run["run_tag"]: run[hedges] for run in runs}
    assert min(found.values()) < max(found.values())
    compared = told("score", "compare", "--data", data, "--task", "task2", "--measure", hedges)
    first, second = (compared["pairs"][0][side] for side in ("first", "second"))
    assert found[first] <= found[second]  # lower is better


def test_a_measure_that_does_not_fit_is_refused(hedges):
    labels, bank = [toy.answer("t", "r", "na-1", "none")], {"t": toy.rubric("t", (toy.HAVE, 1))}
    for name, says in [
        (hedges, "the measure hedges needs report; known here are answers"),
        ("supportive_score", "two measures are called supportive_score"),
    ]:
        with pytest.raises(UsageError, match=says):
            score_reports(TRACK, bank, labels, [find_measure(name)])
