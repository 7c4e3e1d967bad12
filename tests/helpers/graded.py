"""Graded passages small enough to work out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
    OfficialJudgment,
    Ranked,
)
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping

GRADER = Grader("Asks", "tiny")


def passage(
    name: str,
    ratings: Mapping[str, int | None],
    *,
    judged: int | None = None,
    ranks: Mapping[str, int] | None = None,
    query: str = "q",
    grader: Grader = GRADER,
    text: str = "",
) -> GradedPassage:
    """A passage with one grader's ratings by item, of which None was unjudged."""
    items = tuple(
        ItemGrade(item, Unjudged(reason="silence") if rating is None else rating)
        for item, rating in ratings.items()
    )
    return GradedPassage(
        query_id=query,
        passage_id=name,
        text=text or f"Passage {name}.",
        gradings=(Grading(grader, "question", items),) if items else (),
        rankings=tuple(Ranked(run, rank, -float(rank)) for run, rank in (ranks or {}).items()),
        judgments=() if judged is None else (OfficialJudgment(judged),),
    )


def example() -> list[GradedQuery]:
    """Two queries of three items each, and runs that count from 0 (`zero`) and from 1.

    Nobody judged what `made`, which writes its texts, returned.
    """
    first = (
        passage("a", {"q/1": 5, "q/2": 0, "q/3": 2}, judged=3, ranks={"zero": 0, "one": 2}),
        passage("b", {"q/1": 4, "q/2": 4, "q/3": 0}, judged=0, ranks={"zero": 1, "one": 1}),
        passage("c", {"q/1": 0, "q/2": 1, "q/3": None}, judged=2, ranks={"two": 1}),
        passage("m", {"q/1": 4, "q/2": 4, "q/3": 4}, ranks={"made": 1}),
    )
    second = (
        passage(
            "d", {"r/1": 3, "r/2": 3, "r/3": 0}, judged=1, ranks={"zero": 0, "two": 1}, query="r"
        ),
        passage("e", {"r/1": 0, "r/2": 5, "r/3": 0}, judged=2, ranks={"one": 1}, query="r"),
    )
    return [GradedQuery("q", first), GradedQuery("r", second)]
