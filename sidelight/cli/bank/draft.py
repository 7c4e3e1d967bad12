"""`sidelight bank draft`: a first bank, by a model or from the passages themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err, out, print_json
from sidelight.cli.options.inputs import count_option, queries_option
from sidelight.cli.options.models import (
    DEFAULT_AT_ONCE,
    REPLIES,
    AtOnce,
    Cache,
    Estimate,
    ModelCalls,
    asks_models,
    model_option,
)
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.errors import UsageError
from sidelight.evaluation.banks.style import Style
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.build.models import ModelAccess
    from sidelight.evaluation.banks.prompted import DraftedQuery, Drafts
    from sidelight.schemas.grading.exam_bank import ExamBank

_MOST_ITEMS = 50


@asks_models
def draft(  # long: half of it are options
    *,
    queries: Annotated[
        Path,
        queries_option(
            "One JSON object of texts by id, or lines `id<TAB>text`; a subtopic is "
            "`query/subtopic<TAB>title / subtopic`."
        ),
    ],
    output: Annotated[Path, output_option("The bank to write; packed if it ends in .gz.")],
    style: Annotated[
        Style,
        typer.Option(
            "--style",
            help="Questions that break a query down (dl), questions on "
            "a subtopic (car), or key facts.",
        ),
    ] = Style.DL,
    count: Annotated[int, count_option("Items for each query.", _MOST_ITEMS)] = 10,
    model: Annotated[str | None, model_option("Ask this model.")] = None,
    passages: Annotated[
        Path | None,
        typer.Option(
            "--passages",
            help="Without a model: take key facts of these passages, laid out as graded ones.",
        ),
    ] = None,
    calls: ModelCalls,
    at_once: AtOnce = DEFAULT_AT_ONCE,
    cache: Cache = None,
    estimate: Estimate = False,
    as_json: Json = False,
) -> None:
    """Draft a bank for people to refine: by a model, or from what passages have in common.

    Interrupted, the same command goes on with the replies it has.
    """
    from sidelight.formats.banks.exams import write_exams
    from sidelight.formats.banks.query_texts import read_query_texts
    from sidelight.schemas.grading.exam_bank import bank_version

    if (model is None) is (passages is None):
        raise UsageError(
            "expected --model, which drafts, or --passages, from which facts are taken",
            remedy="Give one of the two.",
        )
    texts = read_query_texts(queries)
    failed: tuple[tuple[str, str], ...] = ()
    if estimate:
        _report_cost(texts, style, count, at_once, as_json=as_json)
        return
    if model is not None:
        access = calls.access(cache or output.with_name(f"{output.name}.{REPLIES}"))
        banks, failed = _ask(model, access, at_once, texts, style, count)
    else:
        if style is not Style.NUGGETS:
            raise UsageError(
                "without a model only key facts can be drafted",
                remedy="Give --style nuggets, or a model with --model.",
            )
        banks = _extract(passages or Path(), texts, count)
    if banks:
        write_exams(output, banks)
    items, version = sum(len(bank.items) for bank in banks), bank_version(banks)
    if as_json:
        print_json(
            {
                "written": str(output) if banks else None,
                "queries": len(banks),
                "items": items,
                "version": version,
                "failed": dict(failed),
            }
        )
    elif banks:
        out.print(
            f"{output}: {counted(len(banks), 'query')}, {counted(items, 'item')}, version "
            f"{version}",
            markup=False,
        )
    for query_id, reason in failed:
        err.print(f"{query_id}: no bank: {reason}", style="yellow", markup=False)
    if failed or not banks:
        raise typer.Exit(1)


def _ask(
    model: str, access: ModelAccess, at_once: int, texts: dict[str, str], style: Style, count: int
) -> Drafts:
    from sidelight.build.models import ask, models_by_name
    from sidelight.evaluation.banks.prompted import draft_banks

    queries = _queries(texts, style)
    with progress_bar("banks", total=len(queries)) as advance:
        return asyncio.run(
            ask(
                models_by_name([model], at_once),
                access,
                lambda models: draft_banks(models[model], queries, style, count, advance),
            )
        )


def _report_cost(
    texts: dict[str, str], style: Style, count: int, at_once: int, *, as_json: bool
) -> None:
    from sidelight.cli.judge.estimate import report_estimate
    from sidelight.evaluation.banks.prompted import draft_banks
    from sidelight.evaluation.labelling.asking.estimate import PromptCounter

    counter, queries = PromptCounter(), _queries(texts, style)
    asyncio.run(draft_banks(counter, queries, style, count))
    cost = counter.estimate(count * len(queries), at_once)
    report_estimate(cost, at_once, as_json=as_json)


def _queries(texts: dict[str, str], style: Style) -> list[DraftedQuery]:
    """Return what to draft for; an id before the last slash is the query's, after it a subtopic."""
    from sidelight.evaluation.banks.prompted import DraftedQuery

    found = []
    for query_id, text in texts.items():
        topic_id, _, subtopic_id = query_id.rpartition("/") if style is Style.CAR else ("", "", "")
        found.append(DraftedQuery(topic_id or query_id, subtopic_id if topic_id else "", text))
    return found


def _extract(passages: Path, texts: dict[str, str], count: int) -> tuple[ExamBank, ...]:
    from sidelight.evaluation.banks.extractive import extract_bank
    from sidelight.formats.labels.graded_passages import read_graded

    return tuple(
        extract_bank(
            query.query_id,
            texts[query.query_id],
            (passage.text for passage in query.passages),
            count,
        )
        for query in read_graded(passages)
        if query.query_id in texts
    )
