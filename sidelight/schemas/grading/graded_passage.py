"""Graded passages: the grades of each passage, item by item.

Plain dataclasses: files hold hundreds of thousands of cells, and their reader checks each one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamKind

HIGHEST_RATING = 5
"""The best rating of a passage, by an item or as a whole; 0 is the lowest."""

LOWEST_RELEVANCE = -2
"""What collections give junk and spam; trec_eval takes no lower grade for a judgment."""

HIGHEST_RELEVANCE = 100
"""The best grade of the longest scale in use. trec_eval takes memory for each grade up to it."""


@dataclass(frozen=True, slots=True)
class Grader:
    """Identity of a grader: the same one grades the same things the same way.

    Attributes:
        prompt: What the model was asked with, or the method of a grader that asks none.
    """

    prompt: str
    model: str


@dataclass(frozen=True, slots=True)
class ItemGrade:
    """One item against one passage.

    Attributes:
        rating: How well the passage answers or covers it, from 0 to `HIGHEST_RATING`; None where
            the grader only answers and rates nothing.
        answer: What the passage answers, in its words or in the grader's; empty where it says
            nothing.
        correct: Whether the answer counts as one, by whatever the grader checks it by.
    """

    item_id: str
    rating: int | Unjudged | None
    answer: str = ""
    correct: bool = False


@dataclass(frozen=True, slots=True)
class Grading:
    """One grader's work on one passage.

    Attributes:
        kind: What the items are; empty where the file does not say.
        items: One for each item, each item once.
        source: The object it was read from, whose other keys are written back; None for new work.
    """

    grader: Grader
    kind: ExamKind | None
    items: tuple[ItemGrade, ...]
    source: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class DirectGrade:
    """A grade of the passage for the query as a whole, without items.

    Attributes:
        rating: From 0 to `HIGHEST_RATING`; None where the grader rates nothing.
        correct: Whether the passage counts as relevant.
        source: As in `Grading`.
    """

    grader: Grader
    rating: int | Unjudged | None
    answer: str = ""
    correct: bool = False
    source: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A place in a run.

    Attributes:
        rank: As the run counts, from 0 or from 1.
        source: As in `Grading`.
    """

    run: str
    rank: int
    score: float
    source: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class OfficialJudgment:
    """Judgment of a passage by an assessor, on the scale of the collection.

    `relevance` goes from `LOWEST_RELEVANCE` to `HIGHEST_RELEVANCE`; `source` is as in `Grading`.
    """

    relevance: int
    source: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class GradedPassage:
    """A passage that some systems returned for a query, and all that is known of it.

    Attributes:
        passage_id: Unique within the query.
        gradings: By items, one for each grader.
        direct: Without items, one for each grader.
        source: As in `Grading`.
    """

    query_id: str
    passage_id: str
    text: str
    gradings: tuple[Grading, ...] = ()
    direct: tuple[DirectGrade, ...] = ()
    rankings: tuple[Ranked, ...] = ()
    judgments: tuple[OfficialJudgment, ...] = ()
    source: Mapping[str, Any] | None = field(default=None, repr=False)

    def grading(self, grader: Grader) -> Grading | None:
        """Return what a grader made of it, or None."""
        return next((one for one in self.gradings if one.grader == grader), None)

    def items_by(self, grader: Grader) -> tuple[ItemGrade, ...]:
        """Return a grader's grades of items; none where it graded none."""
        grading = self.grading(grader)
        return grading.items if grading else ()

    def graded(self, grading: Grading) -> GradedPassage:
        """Return the passage with more work of a grader, which replaces that on the same items."""
        old = self.grading(grading.grader)
        if old is None:
            return replace(self, gradings=(*self.gradings, grading))
        items = {item.item_id: item for item in (*old.items, *grading.items)}
        merged = replace(old, items=tuple(items.values()))
        return replace(self, gradings=tuple(merged if one is old else one for one in self.gradings))

    @property
    def relevance(self) -> int | None:
        """The highest relevance an assessor gave it; None where none judged it."""
        return max((judgment.relevance for judgment in self.judgments), default=None)


@dataclass(frozen=True, slots=True)
class GradedQuery:
    """All passages of one query, each once."""

    query_id: str
    passages: tuple[GradedPassage, ...]
