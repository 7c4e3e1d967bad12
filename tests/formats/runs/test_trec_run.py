from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.runs.trec_run import BY_TOPIC, read_trec_run, write_trec_run
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.task import RankingTask
from sidelight.tracks import load_track


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.trec"
    path.write_text(text)
    return path


def test_reads_hits_by_score_and_ignores_the_rank(tmp_path: Path) -> None:
    path = write(
        tmp_path, "q2 Q0 a 1 0.5 x\nq2\tQ0\tb\t2\t1e1\tx\n\nq1 Q0 d 1 .5 x\nq1 Q0 c 2 .5 x"
    )
    results = read_trec_run(path)
    assert list(results) == ["q2", "q1"]
    assert results["q2"] == [Hit("b", 10.0), Hit("a", 0.5)]
    assert results["q1"] == [Hit("c", 0.5), Hit("d", 0.5)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("q Q0 a 1 0.5", "column-count"),
        ("q Q0 a b 1 0.5 x", "column-count"),
        ("q Q0 a 1 nan x", "score"),
        ("q Q0 a 1 inf x", "score"),
        ("q Q0 a 1 1e999 x", "score"),
        ("q Q0 a 1 1e308 x", "score"),
        ("q Q0 a 1 1_0 x", "score"),
        ("q Q0 a 1 ٣ x", "score"),
        ("q Q0 first 1 0.1 x", "segment-duplicate"),
    ],
)
def test_a_line_that_is_no_hit_is_an_error(tmp_path: Path, line: str, code: str) -> None:
    path = write(tmp_path, f"q Q0 first 1 2 x\n{line}\n")
    with pytest.raises(InvalidFileError) as caught:
        read_trec_run(path)
    assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]


def test_what_was_found_before_a_line_is_refused_is_told_too(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeffq Q0 a 1 2 x\n\nq Q0 b 2 high x\n")
    task = load_track("rag2025").of_kind(RankingTask)
    problems = BY_TOPIC.check(path, task, ["q"], None)
    assert [(one.code, one.line) for one in problems] == [
        ("byte-order-mark", 1),
        ("blank-line", 2),
        ("score", 3),
    ]


def test_writes_six_columns_and_lowers_ties_by_one_step(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    write_trec_run(path, {"q": [Hit("a", 1.5), Hit("b", 1.5), Hit("c", 0.25)]}, "tag")
    # Below 1.5 a single-precision number has steps of 2**-23 = 0.00000012.
    assert path.read_text() == ("q Q0 a 1 1.5 tag\nq Q0 b 2 1.4999999 tag\nq Q0 c 3 0.25 tag\n")


@pytest.mark.parametrize(
    ("query_id", "segment_id", "tag"),
    [
        ("q 1", "a", "t"),
        ("q", "a\u00a0b", "t"),
        ("q", "a", "my run"),
        ("q", "a", ""),
        ("", "a", "t"),
    ],
)
def test_refuses_ids_that_would_shift_the_columns(
    tmp_path: Path, query_id: str, segment_id: str, tag: str
) -> None:
    with pytest.raises(InputError, match="white space"):
        write_trec_run(tmp_path / "run", {query_id: [Hit(segment_id, 1.0)]}, tag)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e39, -1e39])
def test_refuses_a_score_that_single_precision_cannot_hold(tmp_path: Path, score: float) -> None:
    with pytest.raises(InputError, match="no score"):
        write_trec_run(tmp_path / "run", {"q": [Hit("a", score)]}, "t")


segment_ids = st.text(alphabet="abcdef#_0123456789", min_size=1, max_size=12)
# Close together, so that many are ties in single precision.
scores = st.floats(-1e30, 1e30) | st.sampled_from(
    [0.0, -0.0, 1.0, 1.0 + 1e-12, 16777216.0, 16777217.0]
)
hits = st.dictionaries(segment_ids, scores, min_size=1, max_size=30).map(
    lambda found: sorted((Hit(*item) for item in found.items()), key=lambda hit: -hit.score)
)
results = st.dictionaries(st.text(alphabet="q0123", min_size=1), hits, min_size=1, max_size=4)


@given(results=results)
def test_order_survives_reading_whatever_breaks_ties(
    tmp_path_factory: pytest.TempPathFactory, results: dict[str, list[Hit]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "run.trec"
    write_trec_run(path, results, "tag")
    read = read_trec_run(path)
    assert list(read) == list(results)
    for query_id, hits in results.items():
        assert [hit.segment_id for hit in read[query_id]] == [hit.segment_id for hit in hits]
        single = [np.float32(hit.score) for hit in read[query_id]]
        assert all(left > right for left, right in pairwise(single))
    first = path.read_bytes()
    write_trec_run(path, read, "tag")
    assert path.read_bytes() == first


def test_trec_eval_ranks_ties_as_given(tmp_path: Path) -> None:
    """Only rank 1 is relevant; with equal scores trec_eval would put `z` before `a`."""
    hits = [Hit("a", 1.0), Hit("z", 1.0), Hit("y", 1.0)]
    path = tmp_path / "run.trec"
    write_trec_run(path, {"q": hits}, "tag")

    def reciprocal_rank(run: object) -> float:
        qrels = [ir_measures.Qrel("q", "a", 1)]
        return ir_measures.calc_aggregate([ir_measures.RR], qrels, run)[ir_measures.RR]

    tied = [ir_measures.ScoredDoc("q", hit.segment_id, hit.score) for hit in hits]
    assert reciprocal_rank(tied) == pytest.approx(1 / 3)
    assert reciprocal_rank(ir_measures.read_trec_run(str(path))) == 1.0
