"""Which pairs of rubric question and submitted question are worth an assessor's time.

Of each run, for each question of the rubric, only those that a model finds nearest: the best by
each of some models, such as an embedder and a reranker. Where they agree there is one pair to
judge. A run's other questions count as very different.

Source: DRAGUN resources paper, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import QuestionRun

Score = Callable[[str, Sequence[str]], Sequence[float]]
"""A question and some others to how near each of them is, higher for nearer."""


class PooledPair(NamedTuple):
    """A pair to judge.

    Attributes:
        topic_id: The topic.
        rubric_question_rank: The question of the rubric.
        run_tag: The run.
        run_question_rank: The submitted question.
        chosen_by: The models that find it the nearest.
    """

    topic_id: str
    rubric_question_rank: int
    run_tag: str
    run_question_rank: int
    chosen_by: tuple[str, ...]


class PairPool(NamedTuple):
    """The pairs to judge, and how many there would be without pooling.

    Attributes:
        pairs: By topic, rank in the rubric, and run.
        cells: Rubric questions times runs: each gives one pair, or more where models differ.
        all_pairs: Rubric questions times submitted questions.
    """

    pairs: tuple[PooledPair, ...]
    cells: int
    all_pairs: int


def pool_pairs(
    rubrics: Mapping[str, Rubric], runs: Iterable[QuestionRun], models: Mapping[str, Score]
) -> PairPool:
    """Return the pairs that some models choose.

    Of two submitted questions that a model finds equally near, the one of better rank is chosen.

    Args:
        rubrics: Topic id -> rubric; other topics do not count.
        runs: Each with a tag of its own.
        models: By name.
    """
    pairs: list[PooledPair] = []
    cells = all_pairs = 0
    for run in sorted(runs, key=lambda one: one.run_tag):
        asked: dict[str, dict[int, str]] = {}
        for question in sorted(run.questions, key=lambda one: one.rank):
            asked.setdefault(question.topic_id, {})[question.rank] = question.text
        for topic_id in sorted(rubrics.keys() & asked.keys()):
            ranks, texts = list(asked[topic_id]), list(asked[topic_id].values())
            for wanted in rubrics[topic_id].questions:
                cells += 1
                all_pairs += len(texts)
                chosen: dict[int, list[str]] = {}
                for name, score in models.items():
                    scores = list(score(wanted.text, texts))
                    best = max(range(len(texts)), key=scores.__getitem__)
                    chosen.setdefault(ranks[best], []).append(name)
                pairs += [
                    PooledPair(topic_id, wanted.rank, run.run_tag, rank, tuple(names))
                    for rank, names in sorted(chosen.items())
                ]
    return PairPool(tuple(sorted(pairs)), cells, all_pairs)
