from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.retrieval.base import TrecRunRetriever
from sidelight.retrieval.first_stage import FusionRetriever, reciprocal_rank_fusion
from sidelight.schemas.investigation.evidence import Hit, Query, ranked


def test_by_hand() -> None:
    first = [Hit("a", 9.0), Hit("b", 8.0), Hit("c", 7.0)]
    second = [Hit("c", 0.3), Hit("a", 0.2)]
    # a: 1/61 + 1/62 = 0.0163934 + 0.0161290 = 0.0325225
    # b: 1/62 alone is 0.0161290
    # c: 1/63 + 1/61 = 0.0158730 + 0.0163934 = 0.0322665
    fused = reciprocal_rank_fusion([first, second])
    assert [hit.segment_id for hit in fused] == ["a", "c", "b"]
    assert [hit.score for hit in fused] == pytest.approx(
        [0.0325225, 0.0322665, 0.0161290], abs=1e-7
    )


def test_depth_cuts_each_run_before_fusing_and_k_after() -> None:
    query = Query(query_id="q", text="")
    first = TrecRunRetriever({"q": [Hit("a", 3.0), Hit("b", 2.0), Hit("c", 1.0)]})
    second = TrecRunRetriever({"q": [Hit("d", 3.0), Hit("c", 2.0), Hit("b", 1.0)]})
    ids = lambda hits: [hit.segment_id for hit in hits]  # noqa: E731
    # At depth 2: a and d 1/61, b and c 1/62.  At depth 3: b and c 1/62 + 1/63, which is more.
    assert ids(FusionRetriever([first, second], depth=2).search([query], 2)["q"]) == ["a", "d"]
    assert ids(FusionRetriever([first, second], depth=3).search([query], 2)["q"]) == ["b", "c"]
    # Never fewer than k are fused.
    assert len(FusionRetriever([first, second], depth=1).search([query], 4)["q"]) == 4


runs = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True).map(
        lambda ids: [Hit(segment_id, -float(rank)) for rank, segment_id in enumerate(ids)]
    ),
    max_size=6,
)


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(hits: list[list[Hit]], shuffler: random.Random) -> None:
    shuffled = list(hits)
    shuffler.shuffle(shuffled)
    fused = reciprocal_rank_fusion(hits)
    assert reciprocal_rank_fusion(shuffled) == fused
    assert fused == ranked(fused)
    assert {hit.segment_id for hit in fused} == {hit.segment_id for run in hits for hit in run}
    # The most a segment can get is the first rank in every run, up to rounding.
    assert all(0 < hit.score < len(hits) / 61 + 1e-12 for hit in fused)
