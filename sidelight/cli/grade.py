"""Command `grade`: grade passages by test questions or key facts, or directly.

Graders of passages made from options: by items or directly, with a model or without.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from sidelight.cli import options
from sidelight.cli.console import ASKS_AGAIN, IF_ASKED, Result, Shown, interrupted, warning
from sidelight.cli.judge import estimate_result
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, ReplyError, UsageError
from sidelight.evaluation.labelling.asking import PromptCounter
from sidelight.formats.banks.exams import passages_behind, read_exams, read_query_texts
from sidelight.formats.labels.graded_passages import is_graded, read_graded, write_graded
from sidelight.formats.runs.submission import run_formats
from sidelight.formats.runs.trec_run import read_ranking_run
from sidelight.formats.verdict import detect_format
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.llm.prompted import PromptedModel
from sidelight.schemas.grading.graded_passage import GradedQuery, Grader
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank
from sidelight.text import counted
from sidelight.wiring.judges import open_encoder
from sidelight.wiring.models import AskedModels, ModelAccess, ask, models_by_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sidelight.evaluation.labelling.asking import Estimate as CostEstimate
    from sidelight.evaluation.labelling.passage_grade import PassageGrader, PromptedDirectGrades
    from sidelight.text_vectors import SentenceEncoder


OnCells = Callable[[int], None]

POOL = "pool"
"""The direct grader that asks no model."""

# Replies are short: more connections than this cost more processor time than they save waiting.
_AT_ONCE = 128


class GradeRequest(NamedTuple):
    """Who grades, by what, and how it is asked; direct methods go by their name."""

    bank: Annotated[
        list[Path] | None, options.bank_option("Grade by its items; repeat for more.")
    ] = None
    direct: Annotated[
        str | None,
        typer.Option(
            "--direct",
            help="Grade for the query as a whole instead: Thomas, FaggioliB, FaggioliB_few, HELM, "
            "Sun, Sun_few, UMBRELA, which ask a model, or pool, which does not.",
        ),
    ] = None
    template: Annotated[
        Path | None,
        typer.Option(
            "--template",
            help="With --direct: ask in the words of this file, which has {query} and {passage}.",
        ),
    ] = None
    queries: Annotated[
        Path | None, options.queries_option("Texts of the queries, where no bank has them.")
    ] = None
    judge: Annotated[str, options.JUDGE] = "embedded"
    model: Annotated[str | None, options.model_option("Prompted: ask this model.")] = None
    items_at_once: Annotated[
        int, typer.Option("--items-at-once", min=1, help="Prompted: items per call.")
    ] = 1
    workbench_compat: Annotated[
        bool,
        typer.Option(
            "--workbench-compat",
            help="Prompted: read replies that are no grade as the workbench's code does.",
        ),
    ] = False
    at_once: options.AtOnce = _AT_ONCE


@dataclass(frozen=True, slots=True)
class Grades:
    """Somebody who grades passages; `set_up_grades` returns one.

    A model is opened only when it is asked. `banks` and `texts`, those of the queries, are by query
    id.
    """

    request: GradeRequest
    asked: AskedModels
    banks: Mapping[str, Sequence[ExamBank]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def count(self, pool: Sequence[GradedQuery]) -> int:
        """Return how many grades are still to be given."""
        from sidelight.evaluation.exams.cells import missing_cells

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

        async def work(models: Mapping[str, PromptedModel]) -> list[GradedQuery]:
            return await self._grade(next(iter(models.values()), None), pool, on_cells)

        return await ask(self.asked, access, work)

    def estimate(self, pool: Sequence[GradedQuery]) -> CostEstimate:
        """Return what it would cost: prompts are rendered and counted, and none is sent."""
        if not self.asked.models:
            cells = counted(self.count(pool), "cell")
            raise UsageError(
                f"--estimate counts what a model is asked; this grader asks none for the {cells}",
                remedy="Grade without it, or name a model: --judge prompted --model NAME",
            )
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

    async def _grade(
        self, model: PromptedModel | None, pool: Sequence[GradedQuery], on_cells: OnCells
    ) -> list[GradedQuery]:
        from sidelight.evaluation.exams.cells import grade_cells, grade_directly, grade_pools
        from sidelight.evaluation.labelling.passage_grade import POOL_RELEVANT, PoolGrades

        if self.request.direct is None:
            return await grade_cells(pool, self.banks, self._by_items(model), on_cells)
        if self.request.direct == POOL:
            found = grade_pools(pool, PoolGrades(_encode), POOL_RELEVANT)
            on_cells(self.count(pool))
            return found
        return await grade_directly(pool, self.texts, self._direct(model), on_cells)

    def _by_items(self, model: PromptedModel | None) -> PassageGrader:
        from sidelight.evaluation.labelling import passage_grade as graders

        if not self.asked.models:
            return graders.EmbeddedPassageGrades(_encode)
        return graders.PromptedPassageGrades(
            model or PromptCounter(),  # who is only named is never asked
            self.asked.models[0].name,
            at_once=self.request.items_at_once,
            workbench=self.request.workbench_compat,
        )

    def _direct(self, model: PromptedModel | None) -> PromptedDirectGrades:
        from sidelight.evaluation.labelling import passage_grade as graders

        method = graders.DIRECT_METHODS[self.request.direct or ""]
        method = method.model_copy(update={"template": self.request.template})
        name = self.asked.models[0].name
        return graders.PromptedDirectGrades(method, model or PromptCounter(), name)


def set_up_grades(request: GradeRequest) -> Grades:
    """Return who grades; what is lacking is found here, before a model is opened or asked."""
    from sidelight.evaluation.exams.cells import banks_by_query
    from sidelight.evaluation.labelling.passage_grade import DIRECT_METHODS

    if request.judge not in {"embedded", "prompted"}:
        raise UsageError(
            f"there is no judge {request.judge!r} of passages", remedy="One of: embedded, prompted"
        )
    if request.direct not in {None, POOL, *DIRECT_METHODS}:
        raise UsageError(
            f"there is no direct grader {request.direct!r}",
            remedy=f"One of: {', '.join((*DIRECT_METHODS, POOL))}",
        )
    if request.template and request.direct not in DIRECT_METHODS:
        raise UsageError("--template needs a grader that asks a model: --direct UMBRELA")
    asks = request.judge == "prompted" if request.direct is None else request.direct != POOL
    if asks and not request.model:
        raise UsageError("this grader asks a model: none is named", remedy="Give --model NAME.")
    if request.model and not asks:
        raise UsageError("--model needs a grader that asks a model: --judge prompted")
    if request.direct is None and not request.bank:
        raise UsageError(
            "there is nothing to grade by",
            remedy="Name a bank with --bank, or a direct grader with --direct.",
        )
    banks = [bank for path in request.bank or () for bank in read_exams(path)]
    texts = {bank.topic_id: bank.query_text for bank in banks}
    if request.queries:
        texts |= read_query_texts(request.queries)
    if request.direct in DIRECT_METHODS and not texts:
        raise UsageError(
            f"{request.direct} reads the queries; expected their texts, found none",
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
    return open_encoder()


class AnswerPart(StrEnum):
    """What of a run of answers is graded."""

    WRITTEN = "written"
    CITED = "cited"


def gather(
    paths: Sequence[Path], part: AnswerPart, depth: int, index: Path | None, texts: Path | None
) -> list[GradedQuery]:
    """Read passages from graded files, rankings and runs of answers, told by their content.

    The first `depth` passages of a ranking count for each query; `part` says what of an answer is
    graded. The folder `index` or the file `texts` has the texts of segments.
    """
    from sidelight.evaluation.exams.cells import (
        cited_passages,
        merged,
        ranked_passages,
        written_passages,
    )

    texts_of = partial(_texts_of, index, texts)
    found: list[GradedQuery] = []
    for path in paths:
        if is_graded(path):
            more = list(read_graded(path))
        else:
            name = detect_format(path) or ""
            kept = run_formats().get(name)
            if kept is None or kept.kind not in {"ranking", "cited_text"}:
                raise InputError(
                    f"{path}: expected graded passages, a ranking or a run of answers; found "
                    f"{name or 'none of them'}",
                    remedy="See docs/formats.md.",
                )
            if kept.kind == "ranking":
                more = ranked_passages([read_ranking_run(path)], depth, texts_of)
            elif part is AnswerPart.CITED:
                more = cited_passages([kept.read(path)], texts_of)  # type: ignore[list-item]
            else:
                more = written_passages([kept.read(path)])  # type: ignore[list-item]
        found = merged(found, more)
    return found


def _texts_of(index: Path | None, texts: Path | None, wanted: Collection[str]) -> dict[str, str]:
    if texts:
        asked = set(wanted)
        segments = ShardReader(texts, MS_MARCO, strict=True).segments()
        return {one.segment_id: one.text for one in segments if one.segment_id in asked}
    if index:
        from sidelight.index.folder import open_index

        found = open_index(index).docstore.find(list(wanted))
        return {name: one.text for name, one in found.items()}
    raise UsageError(
        "rankings and citations name passages and do not hold their texts",
        remedy="Name an index with --index, or a file of segments (JSONL) with --texts.",
    )


_DEPTH = 20


@options.takes_groups
@interrupted(IF_ASKED)
def grade(  # long: half of it are options
    passages: Annotated[
        list[Path],
        typer.Argument(help="Graded passages, rankings or runs of answers; pooled if several."),
    ],
    *,
    output: Annotated[
        Path,
        options.output_option(
            "Graded passages (.jsonl or .gz); what it holds is not graded again."
        ),
    ],
    by: GradeRequest,
    part: Annotated[
        AnswerPart,
        typer.Option("--part", help="For answers: grade what they say or what they cite."),
    ] = AnswerPart.WRITTEN,
    depth: Annotated[int, options.depth_option("For rankings: passages per query.")] = _DEPTH,
    index: Annotated[
        Path | None,
        options.index_option("Index folder that has the texts of ranked or cited passages."),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", help="Segments (JSONL: docid, segment), in place of --index."),
    ] = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    estimate: options.Estimate = False,
) -> Result:
    """Grade passages by the items of a bank from 0 to 5, or directly for the query.

    Only cells missing from OUTPUT and PASSAGES are graded: another run or item costs only what it
    adds.
    """
    from sidelight.evaluation.exams.cells import merged

    setup = set_up_grades(by)
    pool = gather(passages, part, depth, index, texts)
    if output.exists():
        pool = merged(read_graded(output), pool)
    n_missing = setup.count(pool)
    if estimate:
        return estimate_result(setup.estimate(pool), by.at_once)
    access = calls.access(cache or output.parent / options.REPLIES)
    with progress_bar("cells", total=n_missing) as advance:
        graded = asyncio.run(setup.perform(access, pool, advance))
    write_graded(output, graded)
    return _result(setup, graded, n_missing, output)


def _circular(setup: Grades, graded: Sequence[GradedQuery]) -> int:
    """Return how many passages are graded by items that were drafted from them."""
    behind = {
        query_id: {name for bank in banks for name in passages_behind(bank)}
        for query_id, banks in setup.banks.items()
    }
    return sum(
        passage.passage_id in behind.get(query.query_id, ())
        for query in graded
        for passage in query.passages
    )


def _result(setup: Grades, graded: list[GradedQuery], n_new: int, output: Path) -> Result:
    from sidelight.evaluation.labelling.passage_grade import CALIBRATED_ON

    ours = setup.graders()
    ratings = [rating for grader, rating in _ratings(graded) if grader in ours]
    given = Counter(rating for rating in ratings if isinstance(rating, int))
    found = {
        "queries": len(graded),
        "passages": sum(len(query.passages) for query in graded),
        "cells": given.total(),
        "unjudged": sum(isinstance(rating, Unjudged) for rating in ratings),
    }
    by_grade = {str(grade): given[grade] for grade in sorted(given)}
    graders = sorted(f"{one.prompt}@{one.model}" for one in ours)
    shown: list[Shown] = [
        (
            f"{counted(found['passages'], 'passage')} of {counted(found['queries'], 'query')}, "
            f"{counted(found['cells'], 'cell')} by {', '.join(graders)}; {n_new} of them new"
        )
    ]
    if given:
        shares = "  ".join(f"{grade}: {count}" for grade, count in by_grade.items())
        shown.append(f"grades  {shares}")
    if any(grader.model == CALIBRATED_ON for grader in ours):
        shown.append(
            "note: this grader was fitted on the passages of TREC DL 2019; how well it grades, "
            "only others show"
        )
    if found["unjudged"]:
        cells = counted(found["unjudged"], "cell")
        shown.append(warning(f"warning: {cells} could not be graded; {ASKS_AGAIN}"))
    if circular := _circular(setup, graded):
        shown.append(
            warning(
                f"warning: the bank was drafted from {circular} of these passages, so "
                "their grades and EXAM are high whatever they are worth; draft it from other "
                "passages or with a model"
            )
        )
    document = {
        **found,
        "by_grade": by_grade,
        "graders": graders,
        "new": n_new,
        "drafted_from": circular,
        "output": str(output),
    }
    # What people graded and what earlier calls did stays in the file, whatever this one came to.
    none = found["unjudged"] and not given
    return Result(document, [*shown, f"  {output}"], exit_code=ReplyError.exit_code if none else 0)
