"""How many of the items a run answers with its first passages, whichever of them does it.

EXAM(run, q) = |items that some of the first k passages answers| / |items of q|
n-EXAM(run, q) = the same / |items that any graded passage answers|

A passage answers an item when it is rated at least so high. Source: Sander and Dietz, EXAM, DESIRES
2021; with self-ratings: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 5.2. Edge cases: on a
query that no passage answers n-EXAM is undefined, and on one without items EXAM, too; both count as
0 in means. A run without passages for a query has 0 there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.evaluation.scoring.table import ScoreTable, TopicScore, mean_scores
from sidelight.schemas.grading.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.evaluation.exams.grades import Exam, Rankings

EXAM = Measure(name="exam", title="share of the items that the first passages answer")
N_EXAM = Measure(name="n_exam", title="the same of the items that any passage answers")


@dataclass(frozen=True, slots=True)
class Cover:
    """How far runs cover the items.

    Attributes:
        table: The runs.
        everything: Share of the items that any graded passage answers, by query id.
        missing: Run -> places among its first that hold no graded passage of the file.
    """

    table: ScoreTable
    everything: dict[str, float]
    missing: dict[str, int]


def exam_cover(
    exam: Exam,
    rankings: Rankings,
    *,
    min_rating: int,
    depth: int,
    items: Mapping[str, Iterable[str]] | None = None,
) -> Cover:
    """Return how far each run covers the items of each query.

    Args:
        exam: The ratings.
        rankings: The runs.
        min_rating: From which on an item is answered.
        depth: How many passages of a run count, k.
        items: Query id -> items of its bank; without, those that any passage was graded by.
    """
    query_ids = sorted(exam.cells)
    answered = {
        query_id: {
            passage_id: {item for item, rating in cells.items() if rating >= min_rating}
            for passage_id, cells in exam.cells[query_id].items()
        }
        for query_id in query_ids
    }
    asked = {
        query_id: set(items[query_id]) if items and query_id in items else exam.items(query_id)
        for query_id in query_ids
    }
    answerable = {
        query_id: set[str]().union(*answered[query_id].values()) & asked[query_id]
        for query_id in query_ids
    }
    topics, missing = [], {}
    for run, places in sorted(rankings.places.items()):
        missing[run] = 0
        for query_id in query_ids:
            first = [one for one, at in places.get(query_id, {}).items() if at <= depth]
            graded = [answered[query_id][one] for one in first if one in answered[query_id]]
            missing[run] += depth - len(graded)
            covered = len(set[str]().union(*graded) & asked[query_id])
            values = {
                EXAM.name: _share(covered, len(asked[query_id])),
                N_EXAM.name: _share(covered, len(answerable[query_id])),
            }
            undefined = (
                *([] if asked[query_id] else [EXAM.name]),
                *([] if answerable[query_id] else [N_EXAM.name]),
            )
            topics.append(TopicScore(run, query_id, values, frozenset(undefined)))
    table = score_table((EXAM, N_EXAM), topics)
    everything = {
        query_id: _share(len(answerable[query_id]), len(asked[query_id])) for query_id in query_ids
    }
    return Cover(table, everything, missing)


def score_table(measures: tuple[Measure, ...], topics: list[TopicScore]) -> ScoreTable:
    """Return the table of some topics' scores: runs by their mean, the best first."""
    by_run: dict[str, list[TopicScore]] = {}
    for topic in topics:
        by_run.setdefault(topic.run_tag, []).append(topic)
    runs = [mean_scores(rows) for rows in by_run.values()]
    main = measures[0].name
    return ScoreTable(
        measures,
        tuple(sorted(topics, key=lambda topic: (topic.topic_id, topic.run_tag))),
        tuple(sorted(runs, key=lambda run: (-run.values[main], run.run_tag))),
    )


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0
