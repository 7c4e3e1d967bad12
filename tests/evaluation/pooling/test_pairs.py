"""Pairs to judge: one or two for each rubric question and run."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.pooling import Score, pool_pairs
from sidelight.schemas.run import QuestionRun, SubmittedQuestion
from tests.helpers.labels.toy import HAVE, rubric

TOPIC = "topic-1"


def run(tag: str, *questions: str, topic_id: str = TOPIC) -> QuestionRun:
    return QuestionRun(
        run_tag=tag,
        questions=tuple(
            SubmittedQuestion(topic_id=topic_id, team_id="t", run_id=tag, rank=rank, text=question)
            for rank, question in enumerate(questions, start=1)
        ),
    )


def by_table(scores: dict[tuple[str, str], float]) -> Score:
    def score(query: str, texts: Sequence[str]) -> list[float]:
        return [scores.get((query, text), 0.0) for text in texts]

    return score


def test_where_models_differ_there_are_two_pairs() -> None:
    wanted = {TOPIC: rubric(TOPIC, (HAVE, 1), (HAVE, 1))}
    runs = [run("b", "one?", "two?", "three?"), run("a", "one?")]
    embedder = by_table({("Question 1?", "two?"): 0.9, ("Question 2?", "three?"): 0.9})
    reranker = by_table({("Question 1?", "two?"): 4.0, ("Question 2?", "two?"): 4.0})
    pool = pool_pairs(wanted, runs, {"embedder": embedder, "reranker": reranker})
    both = ("embedder", "reranker")
    assert pool.pairs == (
        (TOPIC, 1, "a", 1, both),
        (TOPIC, 1, "b", 2, both),
        (TOPIC, 2, "a", 1, both),
        (TOPIC, 2, "b", 2, ("reranker",)),
        (TOPIC, 2, "b", 3, ("embedder",)),
    )
    assert (pool.cells, pool.all_pairs) == (4, 8)


@given(
    st.lists(st.integers(1, 10), min_size=1, max_size=4),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_every_cell_has_one_pair_or_two(sizes: list[int], n_wanted: int, random: object) -> None:
    """The paper's 12,733 judged pairs are its 8,732 cells and the 4,001 where two models differ."""
    wanted = {TOPIC: rubric(TOPIC, *[(HAVE, 1)] * n_wanted)}
    runs = [run(f"r{n}", *(f"{n} {k}?" for k in range(size))) for n, size in enumerate(sizes)]

    def guess(_: str, texts: Sequence[str]) -> list[float]:
        return [random.random() for _ in texts]  # type: ignore[attr-defined]

    pool = pool_pairs(wanted, runs, {"one": guess, "other": guess})
    assert pool.cells == n_wanted * len(sizes)
    assert pool.all_pairs == n_wanted * sum(sizes)
    two = sum(len(pair.chosen_by) == 1 for pair in pool.pairs) // 2
    assert len(pool.pairs) == pool.cells + two
    assert len({pair[:4] for pair in pool.pairs}) == len(pool.pairs)


def test_topics_without_a_rubric_do_not_count() -> None:
    pool = pool_pairs(
        {TOPIC: rubric(TOPIC, (HAVE, 1))}, [run("a", "x?", topic_id="other")], {"m": by_table({})}
    )
    assert pool == ((), 0, 0)
