"""Searches scored as trec_eval does, and documents by what is useful."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.evaluation.scoring.graded import (
    MEASURES,
    boxes,
    by_group,
    filter_questions,
    read_groups,
    sparsely_judged,
    tabulate_kept,
)
from sidelight.evaluation.scoring.retrieval import RetrievalScores, parse_measures, score_retrieval
from sidelight.evaluation.scoring.table import TopicScore, mean_scores
from tests.helpers.commands import said


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    return path


def test_junk_and_missing_results_count_as_zero(tmp_path, qrels):
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n9 Q0 a 1 1.0 x\n")
    (scores,) = score_retrieval(qrels, [run], "nDCG@10 RR")
    # query 1: the relevant segment is second, 1 / log2(3) and 1 / 2; query 2 is missing
    assert scores.topics[0].values == pytest.approx({"nDCG@10": 1 / log2(3), "RR": 0.5})
    assert scores.topics[1].values == {"nDCG@10": 0, "RR": 0}
    assert scores.total.values == pytest.approx({"nDCG@10": 1 / log2(3) / 2, "RR": 0.25})
    assert scores.omitted == ("2",)
    assert [one.topic_id for one in scores.topics] == ["1", "2"]
    run.write_text("9 Q0 a 1 1.0 x\n")
    with pytest.raises(InputError, match="found none of them"):
        score_retrieval(qrels, [run], "RR")
    run.write_text("1 Q0 a#3 1 1.0 x\n2 Q0 c#1 1 1.0 x\n")
    other = tmp_path / "other"
    other.write_text("1 Q0 a 1 1.0 x\n2 Q0 z 1 1.0 x\n")
    strange, known = score_retrieval(qrels, [run, other], "RR")
    told = "expected hits with labels, such as a; found none, but a#3"
    assert (strange.warnings, known.warnings) == ([f"run: {told}"], [])
    with pytest.raises(InputError, match=told) as found:
        score_retrieval(qrels, [run], "RR")
    assert "sidelight search --queries Q --documents" in found.value.remedy
    run.write_text("1 Q0 y 1 1.0 x\n2 Q0 z 1 1.0 x\n")
    (scores,) = score_retrieval(qrels, [run], "RR")
    assert scores.total.values == {"RR": 0}
    assert scores.warnings == ["run: expected hits with labels, such as a; found none, but y"]
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a -2\n1 0 b -2\n2 0 a 1\n2 0 b -2\n")
    run.write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n2 Q0 a 2 1.0 x\n")
    (scores,) = score_retrieval(qrels, [run], "RR AP P@1 Judged@10")
    assert scores.topics[0].values == {"RR": 0, "AP": 0, "P@1": 0, "Judged@10": 1}
    assert scores.topics[1].values == {"RR": 0.5, "AP": 0.5, "P@1": 0, "Judged@10": 1}
    for path in (qrels, run):
        path.write_text("".join(f"q{line}\n" for line in path.read_text().splitlines()))
    with pytest.raises(UsageError, match="ERR@10 cannot be computed"):
        score_retrieval(qrels, [run], "ERR@10")


def test_measures_are_named_and_computed_as_trec_eval_does(tmp_path):
    refused = ",nothing@10,nDCG@,P,nDCG@0,P@-1,alpha_nDCG@10,nDCG@10 oops"
    for names in refused.split(","):
        with pytest.raises(UsageError, match="--measures"):
            parse_measures(names)
    found = [str(item) for item in parse_measures("nDCG@10, AP(rel=2)  R@100")]
    assert found == ["nDCG@10", "AP(rel=2)", "R@100"]
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d1 1\n")
    # trec_eval: of equal scores the id that sorts last comes first: d4, d3, d2, d1
    run.write_text("".join(f"q Q0 d{number} {number} 7.0 x\n" for number in (1, 2, 3, 4)))
    (scores,) = score_retrieval(qrels, [run], "RR RR@10 AP nDCG@10")
    assert (
        scores.total.values["RR"]
        == scores.total.values["RR@10"]
        == scores.total.values["AP"]
        == 0.25
    )
    # differences that single precision does not see are ties, too
    run.write_text("q Q0 d1 1 1.00000000002 x\nq Q0 d2 2 1.00000000001 x\n")
    (scores,) = score_retrieval(qrels, [run], "RR RR@10")
    assert scores.total.values["RR"] == scores.total.values["RR@10"] == 0.5


# Usefulness of documents: which questions count, and the spread of their scores.


def scored(run, **ndcg):
    topics = tuple(
        TopicScore(run, name, {"nDCG@10": value, "RR": value}) for name, value in ndcg.items()
    )
    return RetrievalScores(run, mean_scores(topics), topics, (), {})


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
    with pytest.raises(InputError, match="no question can tell runs apart"):
        tabulate_kept([scored("one", few=0.1)], ())
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


def test_ndcg_reciprocal_rank_and_five_numbers_by_hand(files, tmp_path):
    qrels, best, other = files
    scores = score_retrieval(qrels, [best, other], MEASURES)
    assert scores[0].total.values == pytest.approx({"nDCG@10": 1.0, "RR": 1.0})
    # gains 0, 1, 1 at log2 of 2, 3, 4 over 2, 1, 1 at the same: (.6309 + .5) / (2 + .6309 + .5)
    assert scores[1].total.values == pytest.approx(
        {"nDCG@10": 1.1309 / 3.1309, "RR": 0.5}, abs=1e-4
    )
    low, high = boxes({"high": [4.0, 8.0], "low": [3.0, 1.0, 2.0, 4.0, 5.0]}, {"low": "A"})
    assert low == ("low", "A", 5, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert high[3:] == (4.0, 5.0, 6.0, 7.0, 8.0)
    assert by_group({"a": [1.0], "b": [2.0], "c": [3.0]}, {"a": "x", "c": "x"}) == {"x": [1.0, 3.0]}
    path = tmp_path / "assessors.csv"
    path.write_text("topic_id,assessor\nt,A\nt,B\n")
    with pytest.raises(InvalidFileError, match="one assessor for t, A"):
        read_groups(path)


def test_the_command_tells_what_counts(files, tmp_path):
    qrels, best, other = files
    assessors = tmp_path / "assessors.csv"
    assessors.write_text("topic_id,assessor\ntopic,A1\n")
    command = ["score", "usefulness", "--qrels", qrels, "--run", best, "--run", other]
    command += ["-o", tmp_path / "out", "--assessors", assessors]
    shown = said(*command)
    assert "3 questions judged, 3 counted" in shown
    assert "topic (3)" in shown
    boxes = (tmp_path / "out" / "usefulness_boxes_by_topic.csv").read_text().splitlines()
    assert boxes[0] == "name,group,n,min,p25,median,p75,max"
    assert boxes[1].startswith("topic-Q01,A1,2,")
    assert (tmp_path / "out" / "usefulness_boxes_by_assessor.svg").exists()


# Five numbers, in order.
SCORES = st.dictionaries(
    st.text("abc", min_size=1),
    st.lists(st.floats(0, 20), min_size=1, max_size=30),
    min_size=1,
    max_size=8,
)


@given(SCORES)
def test_boxes_stand_in_order_of_medians(scores):
    found = boxes(scores)
    assert [box.median for box in found] == sorted(box.median for box in found)
    for box in found:
        assert list(box[3:]) == sorted(box[3:])
        assert box.median == pytest.approx(np.median(scores[box.name]))
    assert boxes(dict(reversed(scores.items()))) == found
