"""`sidelight grade`: passages by test questions or key facts, or directly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import err, out, print_json
from sidelight.cli.options.exams import bank_option, depth_option
from sidelight.cli.options.inputs import index_option, queries_option
from sidelight.cli.options.judges import JUDGE
from sidelight.cli.options.models import (
    REPLIES,
    AtOnce,
    Cache,
    Estimate,
    ModelCalls,
    asks_models,
    model_option,
)
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.rubric.gathering import AnswerPart, gather
from sidelight.cli.terminal.progress import progress_bar
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.cli.rubric.graders import Grades
    from sidelight.schemas.grading.graded_passage import GradedQuery

_DEPTH = 20
# Replies are short: more connections than this cost more processor time than they save waiting.
_AT_ONCE = 128


@asks_models
def grade(  # long: half of it are options
    passages: Annotated[
        list[Path],
        typer.Argument(help="Graded passages, rankings, or runs of answers; several are one pool."),
    ],
    *,
    output: Annotated[
        Path, output_option("Graded passages (.jsonl or .gz); what it holds is not graded again.")
    ],
    bank: Annotated[list[Path] | None, bank_option("Grade by its items; repeat for more.")] = None,
    direct: Annotated[
        str | None,
        typer.Option(
            "--direct",
            help="Grade for the query as a whole instead: Thomas, FaggioliB, FaggioliB_few, HELM, "
            "Sun, Sun_few, UMBRELA, which ask a model, or pool, which does not.",
        ),
    ] = None,
    queries: Annotated[
        Path | None, queries_option("Texts of the queries, where no bank has them.")
    ] = None,
    judge: Annotated[str, JUDGE] = "embedded",
    model: Annotated[str | None, model_option("Prompted: ask this model.")] = None,
    items_at_once: Annotated[
        int,
        typer.Option("--items-at-once", min=1, help="Prompted: items one call is asked about."),
    ] = 1,
    workbench_compat: Annotated[
        bool,
        typer.Option(
            "--workbench-compat",
            help="Prompted: read replies that are no grade as the workbench's code does.",
        ),
    ] = False,
    part: Annotated[
        AnswerPart,
        typer.Option("--part", help="Of answers: grade what they say or what they cite."),
    ] = AnswerPart.WRITTEN,
    depth: Annotated[int, depth_option("Of rankings: passages of each query.")] = _DEPTH,
    index: Annotated[
        Path | None, index_option("Index folder that has the texts of ranked or cited passages.")
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", help="Segments (JSONL: docid, segment), in place of --index."),
    ] = None,
    calls: ModelCalls,
    cache: Cache = None,
    at_once: AtOnce = _AT_ONCE,
    estimate: Estimate = False,
    as_json: Json = False,
) -> None:
    """Grade passages by the items of a bank from 0 to 5, or directly for the query.

    Only cells that OUTPUT and PASSAGES do not hold are graded, so that a run more, or an item more,
    costs what it adds. Interrupted at any moment, the same command goes on with the replies it has.
    """
    from sidelight.cli.judge.estimate import report_estimate
    from sidelight.cli.rubric.graders import GradeRequest, set_up_grades
    from sidelight.evaluation.grading.passages import merged
    from sidelight.formats.labels.graded_passages import read_graded, write_graded

    setup = set_up_grades(
        GradeRequest(
            banks=tuple(bank or ()),
            direct=direct,
            queries=queries,
            judge=judge,
            model=model,
            at_once=at_once,
            items_at_once=items_at_once,
            workbench=workbench_compat,
        )
    )
    pool = gather(passages, part, depth, index, texts)
    if output.exists():
        pool = merged(read_graded(output), pool)
    n_missing = setup.count(pool)
    if estimate:
        report_estimate(setup.estimate(pool), at_once, as_json=as_json)
        return
    access = calls.access(cache or output.parent / REPLIES)
    with progress_bar("cells", total=n_missing) as advance:
        graded = asyncio.run(setup.perform(access, pool, advance))
    write_graded(output, graded)
    _report(setup, graded, n_missing, output, as_json=as_json)


def _report(
    setup: Grades, graded: list[GradedQuery], n_new: int, output: Path, *, as_json: bool
) -> None:
    found = setup.summary(graded)
    if as_json:
        print_json({**found.model_dump(), "new": n_new, "output": str(output)})
        return
    out.print(
        f"{counted(found.passages, 'passage')} of {counted(found.queries, 'query')}, "
        f"{counted(found.cells, 'cell')} by "
        f"{', '.join(found.graders)}; {n_new} of them new",
        markup=False,
    )
    if found.cells:
        shares = "  ".join(f"{grade}: {count}" for grade, count in found.by_grade.items())
        out.print(f"grades  {shares}", markup=False)
    if found.unjudged:
        err.print(
            f"warning: {counted(found.unjudged, 'cell')} could not be graded; the same command "
            "asks for them "
            "again",
            style="yellow",
            markup=False,
        )
    out.print(f"  {output}", markup=False)
