"""Graders of passages made from options: by items or directly, with a model or without."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.errors import UsageError
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from sidelight.evaluation.labelling.asking import Estimate
    from sidelight.evaluation.labelling.comparing import SentenceEncoder
    from sidelight.evaluation.labelling.passage_grade import PassageGrader, PromptedDirectGrades
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.grading.graded_passage import GradedQuery, Grader
    from sidelight.schemas.grading.rubric import ExamBank
    from sidelight.wiring.models import AskedModels, ModelAccess

    OnCells = Callable[[int], None]

POOL = "pool"
"""The direct grader that asks no model."""


class GradeRequest(Value):
    """What the command line asks for.

    Attributes:
        banks: Files of banks.
        direct: The name of a direct method, or None to grade by items.
        queries: A file with the texts of the queries.
        judge: `embedded` or `prompted`; direct methods go by their name.
        model: Who is asked.
        at_once: Calls under way at once.
        items_at_once: Items one call is asked about.
        workbench: See `self_rating`.
    """

    banks: tuple[Path, ...]
    direct: str | None
    queries: Path | None
    judge: str
    model: str | None
    at_once: int
    items_at_once: int = 1
    workbench: bool = False


class GradeSummary(Value):
    """What a file holds by the graders of this time.

    Attributes:
        queries: How many there are.
        passages: Likewise.
        cells: Grades by these graders.
        unjudged: Cells without one.
        by_grade: How often each grade was given.
        graders: Who they are.
    """

    queries: int
    passages: int
    cells: int
    unjudged: int
    by_grade: dict[str, int]
    graders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grades:
    """Somebody who grades, as soon as the model is open; `set_up_grades` returns one.

    Attributes:
        request: What was asked for.
        asked: The model; none where none is asked.
        banks: By query.
        texts: Of the queries.
    """

    request: GradeRequest
    asked: AskedModels
    banks: Mapping[str, Sequence[ExamBank]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def count(self, pool: Sequence[GradedQuery]) -> int:
        """Return how many grades are still to be given."""
        from sidelight.evaluation.grading.cells import missing_cells

        if self.request.direct is None:
            missing = missing_cells(pool, self.banks, self._by_items(None))
            return sum(len(one.items) for one in missing)
        ours = self.graders()
        every = [passage for query in pool for passage in query.passages]
        if self.request.direct == POOL:
            return len(every)
        return sum(
            passage.query_id in self.texts
            and not any(
                one.grader in ours and isinstance(one.rating, int) for one in passage.direct
            )
            for passage in every
        )

    async def perform(
        self, access: ModelAccess, pool: Sequence[GradedQuery], on_cells: OnCells
    ) -> list[GradedQuery]:
        """Grade what is missing and return all."""
        from sidelight.wiring.models import ask

        if not self.asked.models:
            return await self._grade(None, pool, on_cells)

        async def work(models: Mapping[str, PromptedModel]) -> list[GradedQuery]:
            (model,) = models.values()
            return await self._grade(model, pool, on_cells)

        return await ask(self.asked, access, work)

    def estimate(self, pool: Sequence[GradedQuery]) -> Estimate:
        """Return what it would cost: prompts are rendered and counted, and none is sent.

        Raises:
            UsageError: No model is asked.
        """
        from sidelight.evaluation.labelling.asking import PromptCounter

        if not self.asked.models:
            raise UsageError("--estimate is for a grader that asks: --judge prompted --model NAME")
        counter = PromptCounter()
        asyncio.run(self._grade(counter, pool, lambda _: None))
        return counter.estimate(self.count(pool), self.asked.at_once)

    def graders(self) -> set[Grader]:
        """Return who grades, as files name it."""
        from sidelight.evaluation.labelling.passage_grade import PoolGrades

        if self.request.direct == POOL:
            return {PoolGrades(_encode).grader}
        if self.request.direct:
            return {self._direct(None).grader}
        grader = self._by_items(None)
        return {grader.grader(bank.kind) for banks in self.banks.values() for bank in banks}

    def summary(self, graded: Sequence[GradedQuery]) -> GradeSummary:
        """Return what graded passages hold by these graders."""
        ours = self.graders()
        ratings = [rating for grader, rating in _ratings(graded) if grader in ours]
        given = Counter(rating for rating in ratings if isinstance(rating, int))
        return GradeSummary(
            queries=len(graded),
            passages=sum(len(query.passages) for query in graded),
            cells=given.total(),
            unjudged=sum(isinstance(rating, Unjudged) for rating in ratings),
            by_grade={str(grade): given[grade] for grade in sorted(given)},
            graders=tuple(sorted(f"{one.prompt}@{one.model}" for one in ours)),
        )

    async def _grade(
        self, model: PromptedModel | None, pool: Sequence[GradedQuery], on_cells: OnCells
    ) -> list[GradedQuery]:
        from sidelight.evaluation.grading.cells import grade_cells, grade_directly, grade_pools
        from sidelight.evaluation.labelling.passage_grade import POOL_RELEVANT, PoolGrades

        if self.request.direct is None:
            return await grade_cells(pool, self.banks, self._by_items(model), on_cells)
        if self.request.direct == POOL:
            found = grade_pools(pool, PoolGrades(_encode), POOL_RELEVANT)
            on_cells(self.count(pool))
            return found
        return await grade_directly(pool, self.texts, self._direct(model), on_cells)

    def _by_items(self, model: PromptedModel | None) -> PassageGrader:
        from sidelight.evaluation.labelling.asking import PromptCounter
        from sidelight.evaluation.labelling.passage_grade import (
            EmbeddedPassageGrades,
            PromptedPassageGrades,
        )

        if not self.asked.models:
            return EmbeddedPassageGrades(_encode)
        return PromptedPassageGrades(
            model or PromptCounter(),  # who is only named is never asked
            self.asked.models[0].name,
            at_once=self.request.items_at_once,
            workbench=self.request.workbench,
        )

    def _direct(self, model: PromptedModel | None) -> PromptedDirectGrades:
        from sidelight.evaluation.labelling.asking import PromptCounter
        from sidelight.evaluation.labelling.passage_grade import (
            DIRECT_METHODS,
            PromptedDirectGrades,
        )

        method = DIRECT_METHODS[self.request.direct or ""]
        return PromptedDirectGrades(method, model or PromptCounter(), self.asked.models[0].name)


def set_up_grades(request: GradeRequest) -> Grades:
    """Find what is lacking before anything is opened or asked.

    Raises:
        UsageError: There is no such grader, it needs what is not there, or what is there is not
            for it.
        InputError: A bank or the queries cannot be read, or two banks are for the same query.
    """
    from sidelight.evaluation.grading.cells import banks_by_query
    from sidelight.evaluation.labelling.passage_grade import DIRECT_METHODS
    from sidelight.formats.banks.exams import read_exams, read_query_texts
    from sidelight.wiring.models import AskedModels, models_by_name

    if request.judge not in {"embedded", "prompted"}:
        raise UsageError(
            f"there is no judge {request.judge!r} of passages", remedy="One of: embedded, prompted"
        )
    if request.direct not in {None, POOL, *DIRECT_METHODS}:
        raise UsageError(
            f"there is no direct grader {request.direct!r}",
            remedy=f"One of: {', '.join((*DIRECT_METHODS, POOL))}",
        )
    asks = request.judge == "prompted" if request.direct is None else request.direct != POOL
    if asks and not request.model:
        raise UsageError("a grader that asks needs a model", remedy="Give it: --model NAME.")
    if request.model and not asks:
        raise UsageError("--model is for a grader that asks: --judge prompted")
    if request.direct is None and not request.banks:
        raise UsageError(
            "there is nothing to grade by",
            remedy="Name a bank with --bank, or a direct grader with --direct.",
        )
    banks = [bank for path in request.banks for bank in read_exams(path)]
    texts = {bank.topic_id: bank.query_text for bank in banks}
    if request.queries:
        texts |= read_query_texts(request.queries)
    if request.direct in DIRECT_METHODS and not texts:
        raise UsageError(
            f"{request.direct} is shown the queries, and nothing has their texts",
            remedy="Name a file of queries with --queries, or a bank with --bank.",
        )
    asked = models_by_name([request.model], request.at_once) if request.model else AskedModels()
    return Grades(request, asked, banks_by_query(banks), texts)


def _ratings(graded: Sequence[GradedQuery]) -> Iterator[tuple[Grader, object]]:
    """Yield all grades, by items and direct, with who gave them."""
    for query in graded:
        for passage in query.passages:
            for grading in passage.gradings:
                yield from ((grading.grader, item.rating) for item in grading.items)
            yield from ((one.grader, one.rating) for one in passage.direct)


def _encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Encode by the default encoder, which is opened when there is something to encode."""
    return _encoder().encode(texts)


@cache
def _encoder() -> SentenceEncoder:
    from sidelight.wiring.judges import open_encoder

    return open_encoder()
