"""Relevance grades of passages for a narrative, by a model, with calibration and an ensemble.

The model names the sub-narratives of a narrative that a passage answers, then its grade. Source:
TREC 2025 RAG track overview, section 3.1 and figure 5.

Calibration puts a judge's grades on the scale of a reference judge, in their order. Of all rising
maps from the judge's grades to the reference's, the one is taken that maximises agreement beyond
chance (Cohen's kappa) on passages that both graded; of equals the one that changes least. A mean or
median in place of kappa would pull every grade to the commonest. A grade that the judge never gave
among those passages is mapped like the nearest one it gave, the lower of two.

The ensemble's grade is the one that most judges gave, if more gave it than any other; of equally
frequent ones it is the median of all grades given, the lower of two middle ones, and none where
labels stand in no order. A pair that not most judges graded has no grade. Who said what is recorded
beside it.

Usefulness of documents for a reader of an article who has a question.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.checks.usefulness import Document, UsefulnessCheck
from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients import cohen_kappa
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judge import Judgment, LabellingProtocol
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import USEFULNESS_SCALE, Unjudged
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.topic import Narrative
from sidelight.text import one_line

Grades = Mapping[str, Mapping[str, int]]
Key = TypeVar("Key", bound=Hashable)


HIGHEST = 4
_DOWN = {"none": 0, "some": 1, "much": 2}

Beside = Literal["none", "some", "much"]
"""How much of a passage is beside the narrative."""


def grade_of(covered: int, beside: Beside, *, related: bool = True) -> int:
    """Return the grade of a passage by how many sub-narratives it answers.

    `covered` is how many it answers in detail, and `beside` how much of it is beside the narrative.
    A passage that is not `related` is not about the narrative's subject at all.
    """
    if not related and not covered:
        return 0
    reached = {0: 1, 1: 2, 2: 3, 3: 3}.get(covered, HIGHEST)
    return max(0, reached - _DOWN[beside])


RELEVANCE_PROMPT = load_prompt(Path(__file__).with_name("relevance.prompt.md"))


class RelevanceVerdict(Value):
    """What a passage answers, and the grade that it gets."""

    covered: tuple[int, ...]
    beside: Beside
    grade: Literal["0", "1", "2", "3", "4"]

    def judgment(self) -> Judgment:
        """Return the grade; the rationale tells where it is not the one that its count gives."""
        counted = grade_of(len(set(self.covered)), self.beside, related=self.grade != "0")
        told = f"sub-narratives {', '.join(map(str, sorted(set(self.covered)))) or 'none'}"
        differs = "" if str(counted) == self.grade else f"; by their number {counted}"
        return Judgment(self.grade, f"{told}; beside: {self.beside}{differs}")


async def ask_relevance(assessor: Assessor, narrative: Narrative, passage: str) -> Judgment:
    """Return the grade of one passage, as text; unjudged where no reply could be used."""
    return await assessor.judgment(
        (narrative.topic_id,),
        RELEVANCE_PROMPT,
        RelevanceVerdict,
        RelevanceVerdict.judgment,
        narrative=narrative.narrative,
        sub_narratives=list(narrative.sub_questions),
        passage=passage,
    )


# Every rising map is tried: of seven grades there are 1,716.
_MAX_MAPPED_GRADES = 7


class Calibration:
    """A rising map of grades.

    It is learned from pairs of a judge's grade and the reference's, of passages that both graded.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        if not pairs:
            raise InputError(
                "there is no passage that both the judge and the reference graded",
                remedy="Have the judge grade passages that the reference judge graded.",
            )
        given, wanted = (np.array(side) for side in zip(*pairs, strict=True))
        known, row = np.unique(given, return_inverse=True)
        scale, column = np.unique(wanted, return_inverse=True)
        if max(len(known), len(scale)) > _MAX_MAPPED_GRADES:
            raise InputError(f"expected at most {_MAX_MAPPED_GRADES} grades; found {len(known)}")
        table = np.zeros((len(known), len(scale)), dtype=np.int64)
        np.add.at(table, (row, column), 1)
        maps = combinations_with_replacement(range(len(scale)), len(known))
        best = max(
            maps, key=lambda map_: (_kappa(table, map_), -np.abs(scale[[*map_]] - known).sum())
        )
        self._map: dict[int, int] = dict(zip(known.tolist(), scale[[*best]].tolist(), strict=True))

    def __call__(self, grade: int) -> int:
        """Return what the reference judge would say where this one says `grade`."""
        nearest = min(self._map, key=lambda known: (abs(known - grade), known))
        return self._map[nearest]

    def all(self, grades: Grades) -> dict[str, dict[str, int]]:
        """Return grades by query and passage, calibrated."""
        return {
            query_id: {name: self(grade) for name, grade in passages.items()}
            for query_id, passages in grades.items()
        }


def held_out(judge: Grades, reference: Grades) -> dict[str, dict[str, int]]:
    """Return a judge's grades, those of each query calibrated on the other queries alone."""
    found: dict[str, dict[str, int]] = {}
    for query_id in judge:
        others = [
            (grade, reference[other][name])
            for other, passages in judge.items()
            if other != query_id and other in reference
            for name, grade in passages.items()
            if name in reference[other]
        ]
        found |= Calibration(others).all({query_id: judge[query_id]})
    return found


def _kappa(table: npt.NDArray[np.int64], map_: Sequence[int]) -> float:
    """Return the agreement of mapped grades; 0 where both sides use one grade throughout."""
    mapped = np.zeros((table.shape[1], table.shape[1]), dtype=np.int64)
    np.add.at(mapped, [*map_], table)
    found = cohen_kappa(mapped)
    return 0.0 if found is None else round(found, 12)


class Vote(NamedTuple):
    """Grades of one passage by several judges.

    Attributes:
        grade: Theirs together; None where too few gave one.
        given: Each judge's own, in the order of the judges; None where one gave none.
        asked: How many of the judges could have given one.
    """

    grade: int | None
    given: tuple[int | None, ...]
    asked: int

    @property
    def judges(self) -> int:
        """Return how many judges gave a grade."""
        return sum(grade is not None for grade in self.given)

    @property
    def agreeing(self) -> int:
        """Return how many judges gave the most frequent grade."""
        told = [grade for grade in self.given if grade is not None]
        return max(Counter(told).values(), default=0)

    @property
    def is_tied(self) -> bool:
        """Tell whether several grades are the most frequent."""
        told = Counter(grade for grade in self.given if grade is not None)
        return [*told.values()].count(self.agreeing) > 1

    @property
    def lacking(self) -> str:
        """Return why there is no grade."""
        if 2 * self.judges > self.asked:
            return "undecided"
        return "too few judges" if self.judges else "no judge"


def majority(given: Sequence[int | None], *, ordered: bool = True) -> int | None:
    """Return the grade that judges give together; the module says by which rule."""
    told = sorted(grade for grade in given if grade is not None)
    if 2 * len(told) <= len(given):
        return None
    (grade, most), *others = Counter(told).most_common(2)
    tied = bool(others) and others[0][1] == most
    if tied and not ordered:
        return None
    return told[(len(told) - 1) // 2] if tied else grade


def vote_each(
    judges: Sequence[Mapping[Key, int | None]],
    *,
    ordered: bool = True,
    asked: Callable[[Key], int] | None = None,
) -> dict[Key, Vote]:
    """Return what several judges make of all that any of them graded, in order of occurrence.

    `asked` returns how many of them could have graded a thing: all if None.
    """
    found = {}
    for key in dict.fromkeys(key for judge in judges for key in judge):
        given = tuple(one.get(key) for one in judges)
        among = asked(key) if asked else len(judges)
        told = sorted(given, key=lambda grade: grade is None)[:among]  # others give no grade
        found[key] = Vote(majority(told, ordered=ordered), given, among)
    return found


def vote(judges: Mapping[str, Grades]) -> dict[str, dict[str, Vote]]:
    """Return what several judges make of every passage that any of them graded, by query."""
    queries = dict.fromkeys(query_id for grades in judges.values() for query_id in grades)
    return {
        query_id: vote_each([grades.get(query_id, {}) for grades in judges.values()])
        for query_id in queries
    }


def decided(votes: Mapping[str, Mapping[str, Vote]]) -> dict[str, dict[str, int]]:
    """Return the grades of the passages that enough judges graded."""
    return {
        query_id: {name: one.grade for name, one in passages.items() if one.grade is not None}
        for query_id, passages in votes.items()
    }


def sure(votes: Mapping[str, Mapping[str, Vote]]) -> dict[str, dict[str, tuple[int, float]]]:
    """Return the grades that `decided` does, each with the share of judges that gave it."""
    return {
        query_id: {
            name: (one.grade, one.given.count(one.grade) / len(one.given))
            for name, one in passages.items()
            if one.grade is not None
        }
        for query_id, passages in votes.items()
    }


def vote_rows(votes: Mapping[str, Mapping[str, Vote]]) -> Iterator[tuple[str | int | None, ...]]:
    """Yield query, passage, grade, and each judge's own: rows of a table of votes."""
    for query_id, passages in votes.items():
        for name, one in passages.items():
            yield query_id, name, one.grade, *one.given


class Passages(NamedTuple):
    """A narrative, and texts of passages found for it, by passage id."""

    narrative: Narrative
    texts: Mapping[str, str]


def pool_passages(
    rankings: Iterable[Mapping[str, Sequence[Hit]]], depth: int
) -> dict[str, list[str]]:
    """Return the best passages of any ranking by topic, each once, in order of first occurrence.

    The first `depth` hits of each topic count.
    """
    found: dict[str, dict[str, None]] = {}
    for ranking in rankings:
        for topic_id, hits in ranking.items():
            known = found.setdefault(topic_id, {})
            known.update(dict.fromkeys(hit.segment_id for hit in hits[:depth]))
    return {topic_id: list(names) for topic_id, names in found.items()}


async def grade_passages(
    assessor: Assessor, found: Sequence[Passages], on_passage: Callable[[], object]
) -> dict[str, dict[str, int]]:
    """Return grades by topic and passage; a passage that nobody could judge has none."""

    async def grade(narrative: Narrative, text: str) -> int | None:
        judgment = await ask_relevance(assessor, narrative, text)
        on_passage()
        return None if isinstance(judgment.label, Unjudged) else int(judgment.label)

    async def of_topic(one: Passages) -> dict[str, int]:
        grades = await asyncio.gather(*(grade(one.narrative, text) for text in one.texts.values()))
        rows = zip(one.texts, grades, strict=True)
        return {name: given for name, given in rows if given is not None}

    graded = await asyncio.gather(*map(of_topic, found))
    return {one.narrative.topic_id: rows for one, rows in zip(found, graded, strict=True)}


class UsefulnessCase(NamedTuple):
    """A question, documents found for it, and title and text of the article that was read."""

    article: str
    question: str
    documents: Sequence[Document]


USEFULNESS = LabellingProtocol[UsefulnessCase](
    name="usefulness of documents",
    scale=USEFULNESS_SCALE,
    units=lambda case: [str(place) for place in range(1, len(case.documents) + 1)],
)
"""Labels by document, in order."""


async def label_usefulness(check: UsefulnessCheck, case: UsefulnessCase) -> list[Judgment]:
    """Return one judgment for each document, in order, as those label who rank documents."""
    found = await check(case.article, case.question, case.documents)
    return [
        Judgment(one.label or Unjudged(reason=one.reason), one_line(one.reason)) for one in found
    ]
