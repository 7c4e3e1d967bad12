"""Usefulness of documents: which questions count, and the spread of their scores."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.scoring.graded import (
    MEASURES,
    boxes,
    by_group,
    filter_questions,
    read_groups,
    sparsely_judged,
    tabulate_kept,
)
from sidelight.evaluation.scoring.retrieval import RetrievalScores, score_retrieval

TABLE2 = Path(__file__).resolve().parents[2] / "fixtures" / "lateral2024_table2.tsv"


def scored(run: str, **ndcg: float) -> RetrievalScores:
    per_query = {name: {"nDCG@10": value, "RR": value} for name, value in ndcg.items()}
    return RetrievalScores(run, {"nDCG@10": 0.0, "RR": 0.0}, per_query, ())


QRELS = {
    "kept": {"a": 2, "b": 1, "c": 1, "d": 0},
    "few": {"a": 2, "b": 2, "c": 0},
    "perfect": {"a": 2, "b": 1, "c": 1},
    "nearly": {"a": 1, "b": 1, "c": 1},
}


def test_a_question_needs_three_useful_documents_and_a_run_that_is_not_perfect():
    runs = [
        scored("one", kept=0.5, few=0.2, perfect=1.0, nearly=1.0),
        scored("two", kept=1.0, few=1.0, perfect=1.0, nearly=0.9999),
    ]
    found = filter_questions(QRELS, runs)
    assert found.kept == ("kept", "nearly")
    assert found.few_useful == ("few",)
    assert found.all_perfect == ("perfect",)
    table = tabulate_kept(runs, found.kept)
    assert [run.run_tag for run in table.runs] == ["two", "one"]
    # run one has .5 and 1 on the two that count
    assert table.runs[1].values["nDCG@10"] == pytest.approx(0.75)


def test_no_question_left_is_said():
    with pytest.raises(InputError, match="no question can tell runs apart"):
        tabulate_kept([scored("one", few=0.1)], ())


def test_articles_with_too_few_judged_questions_are_listed():
    names = [f"a-Q{number:02d}" for number in range(1, 6)] + ["b-Q01", "b-Q03", "loose"]
    assert sparsely_judged(dict.fromkeys(names)) == {"b": 2}


@pytest.fixture
def files(tmp_path):
    qrels, best, other = (tmp_path / name for name in ("qrels", "best", "other"))
    lines, first, second = [], [], []
    for number in range(1, 4):
        name = f"topic-Q{number:02d}"
        lines += [f"{name} 0 d{document} {grade}" for document, grade in enumerate((2, 1, 1, 0))]
        first += [f"{name} Q0 d{place} {place + 1} {9 - place} best" for place in range(4)]
        # d3 is of no use: two of three useful documents follow, and the best is left out
        second += [
            f"{name} Q0 d{document} {place} {9 - place} other"
            for place, document in enumerate((3, 1, 2), start=1)
        ]
    for path, content in ((qrels, lines), (best, first), (other, second)):
        path.write_text("\n".join(content) + "\n")
    return qrels, best, other


def test_ndcg_and_reciprocal_rank_are_those_of_trec_eval(files):
    qrels, best, other = files
    scores = score_retrieval(qrels, [best, other], MEASURES)
    assert scores[0].mean == pytest.approx({"nDCG@10": 1.0, "RR": 1.0})
    # gains 0, 1, 1 at log2 of 2, 3, 4 over 2, 1, 1 at the same: (.6309 + .5) / (2 + .6309 + .5)
    assert scores[1].mean == pytest.approx({"nDCG@10": 1.1309 / 3.1309, "RR": 0.5}, abs=1e-4)


def test_the_command_tells_what_counts(files, tmp_path):
    qrels, best, other = files
    assessors = tmp_path / "assessors.csv"
    assessors.write_text("topic_id,assessor\ntopic,A1\n")
    command = ["score", "usefulness", "--qrels", qrels, "--run", best, "--run", other]
    command += ["-o", tmp_path / "out", "--assessors", assessors]
    result = CliRunner().invoke(app, list(map(str, command)))
    assert result.exit_code == 0, result.output
    assert "3 questions judged, 3 of them count" in result.output
    assert "topic (3)" in result.output
    boxes = (tmp_path / "out" / "usefulness_boxes_by_topic.csv").read_text().splitlines()
    assert boxes[0] == "name,group,n,min,p25,median,p75,max"
    assert boxes[1].startswith("topic-Q01,A1,2,")
    assert (tmp_path / "out" / "usefulness_boxes_by_assessor.svg").exists()


def test_table_2_is_sorted_as_the_track_sorts_it():
    """The labels behind it are not public; its rows are kept to be compared with."""
    rows = [line.split("\t") for line in TABLE2.read_text().splitlines()]
    assert len(rows) == 11
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    figures = {row[0]: (row[2], row[3]) for row in rows}
    assert figures["Organizers-Baseline-BM25RM3"] == ("0.511", "0.735")
    assert figures["Organizers-LLM-Assessor"] == ("0.651", "0.876")
    assert rows[0][2:] == ["0.700", "0.890"]


# Five numbers, in order.
SCORES = st.dictionaries(
    st.text("abc", min_size=1),
    st.lists(st.floats(0, 20), min_size=1, max_size=30),
    min_size=1,
    max_size=8,
)


def test_five_numbers_by_hand():
    low, high = boxes({"high": [4.0, 8.0], "low": [3.0, 1.0, 2.0, 4.0, 5.0]}, {"low": "A"})
    assert low == ("low", "A", 5, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert high.five == (4.0, 5.0, 6.0, 7.0, 8.0)


@given(SCORES)
def test_boxes_stand_in_order_of_medians(scores):
    found = boxes(scores)
    assert [box.median for box in found] == sorted(box.median for box in found)
    for box in found:
        assert list(box.five) == sorted(box.five)
        assert box.median == pytest.approx(np.median(scores[box.name]))
    assert boxes(dict(reversed(scores.items()))) == found


def test_topics_of_no_group_are_left_out():
    assert by_group({"a": [1.0], "b": [2.0], "c": [3.0]}, {"a": "x", "c": "x"}) == {"x": [1.0, 3.0]}


def test_two_assessors_of_a_topic_are_an_error(tmp_path):
    path = tmp_path / "assessors.csv"
    path.write_text("topic_id,assessor\nt,A\nt,B\n")
    with pytest.raises(InvalidFileError, match="one assessor for t, A"):
        read_groups(path)
