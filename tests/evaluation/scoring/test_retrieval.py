from math import log2

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring.retrieval import parse_measures, score_retrieval


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    return path


def test_a_query_without_results_counts_as_zero(tmp_path, qrels):
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n9 Q0 a 1 1.0 x\n")
    (scores,) = score_retrieval(qrels, [run], "nDCG@10 RR")
    # query 1: the relevant segment is second, 1 / log2(3) and 1 / 2; query 2 is missing
    assert scores.per_query["1"] == pytest.approx({"nDCG@10": 1 / log2(3), "RR": 0.5})
    assert scores.per_query["2"] == {"nDCG@10": 0, "RR": 0}
    assert scores.mean == pytest.approx({"nDCG@10": 1 / log2(3) / 2, "RR": 0.25})
    assert scores.omitted == ("2",)
    assert set(scores.per_query) == {"1", "2"}


def test_a_run_of_other_queries_is_an_error(tmp_path, qrels):
    run = tmp_path / "run.txt"
    run.write_text("9 Q0 a 1 1.0 x\n")
    with pytest.raises(InputError, match="found none of them"):
        score_retrieval(qrels, [run], "RR")


@pytest.mark.parametrize(
    "names", ["", "nothing@10", "nDCG@", "P", "nDCG@0", "P@-1", "alpha_nDCG@10", "nDCG@10 oops"]
)
def test_measures_that_cannot_be_computed(names):
    with pytest.raises(UsageError, match="--measures"):
        parse_measures(names)


def test_names_print_as_they_were_written():
    assert [str(item) for item in parse_measures("nDCG@10, AP(rel=2)  R@100")] == [
        "nDCG@10",
        "AP(rel=2)",
        "R@100",
    ]


def test_public_labels_against_themselves(tmp_path, shared_data):
    labels = shared_data / "cranfield" / "qrels.txt"
    perfect = tmp_path / "perfect.txt"
    with perfect.open("w") as stream:
        for line in labels.read_text().splitlines():
            query, _, segment, grade = line.split()
            stream.write(f"{query} Q0 {segment} 1 {float(grade)} ideal\n")
    (scores,) = score_retrieval(labels, [perfect], "nDCG@10")
    assert scores.mean["nDCG@10"] == pytest.approx(1)


def test_ties_are_broken_as_trec_eval_does_whatever_computes_a_measure(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d1 1\n")
    # trec_eval: of equal scores the id that sorts last comes first: d4, d3, d2, d1
    run.write_text("".join(f"q Q0 d{number} {number} 7.0 x\n" for number in (1, 2, 3, 4)))
    (scores,) = score_retrieval(qrels, [run], "RR RR@10 AP nDCG@10")
    assert scores.mean["RR"] == scores.mean["RR@10"] == scores.mean["AP"] == 0.25
    # differences that single precision does not see are ties, too
    run.write_text("q Q0 d1 1 1.00000000002 x\nq Q0 d2 2 1.00000000001 x\n")
    (scores,) = score_retrieval(qrels, [run], "RR RR@10")
    assert scores.mean["RR"] == scores.mean["RR@10"] == 0.5


def test_labels_of_junk_count_as_not_relevant(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a -2\n1 0 b -2\n2 0 a 1\n2 0 b -2\n")
    run.write_text("1 Q0 a 1 2.0 x\n2 Q0 b 1 2.0 x\n2 Q0 a 2 1.0 x\n")
    (scores,) = score_retrieval(qrels, [run], "RR AP P@1 Judged@10")
    assert scores.per_query["1"] == {"RR": 0, "AP": 0, "P@1": 0, "Judged@10": 1}
    assert scores.per_query["2"] == {"RR": 0.5, "AP": 0.5, "P@1": 0, "Judged@10": 1}


def test_a_measure_that_does_not_take_the_ids_of_queries_is_named(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\n")
    run.write_text("q1 Q0 a 1 2.0 x\n")
    with pytest.raises(UsageError, match="ERR@10 cannot be computed"):
        score_retrieval(qrels, [run], "ERR@10")
