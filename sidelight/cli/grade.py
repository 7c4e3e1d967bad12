"""Command `grade`: grade passages by test questions or key facts, or directly."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import Result, Shown, warning
from sidelight.cli.options.inputs import (
    WITH_REPLIES,
    index_option,
    interrupted,
    output_option,
    queries_option,
)
from sidelight.cli.options.judges import JUDGE, bank_option, depth_option
from sidelight.cli.options.models import (
    REPLIES,
    AtOnce,
    Cache,
    Estimate,
    ModelCalls,
    asks_models,
    model_option,
)
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, UsageError
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sidelight.cli.graders import Grades
    from sidelight.schemas.grading.graded_passage import GradedQuery

    TextsOf = Callable[[Collection[str]], Mapping[str, str]]


class AnswerPart(StrEnum):
    """What of a run of answers is graded."""

    WRITTEN = "written"
    CITED = "cited"


def gather(
    paths: Sequence[Path], part: AnswerPart, depth: int, index: Path | None, texts: Path | None
) -> list[GradedQuery]:
    """Read passages of any origin: graded files, rankings, runs of answers.

    Args:
        paths: The files; what each holds is seen from its content.
        part: What of answers is graded.
        depth: How many passages of a ranking, for each query.
        index: Folder that holds the texts of segments.
        texts: A file that holds them.

    Raises:
        InputError: A file cannot be read, is nothing of the kind, or a text is not known.
        UsageError: Texts are needed, and nothing says where they are.
    """
    from sidelight.evaluation.grading.cells import (
        cited_passages,
        merged,
        ranked_passages,
        written_passages,
    )
    from sidelight.formats.labels.graded_passages import read_graded
    from sidelight.formats.runs.submission import run_formats
    from sidelight.formats.runs.trec_run import read_ranking_run
    from sidelight.formats.verdict import detect_format

    texts_of = _texts_of(index, texts)
    found: list[GradedQuery] = []
    for path in paths:
        if _holds_lists(path):
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


def _holds_lists(path: Path) -> bool:
    """Tell whether a file is graded passages: every line of one is a list."""
    from sidelight.formats.lines import stream_lines

    return next((line.text.lstrip()[:1] == "[" for line in stream_lines(path)), False)


def _texts_of(index: Path | None, texts: Path | None) -> TextsOf:
    def look_up(wanted: Collection[str]) -> dict[str, str]:
        if texts:
            from sidelight.index.text.corpus import MS_MARCO, ShardReader

            asked = set(wanted)
            segments = ShardReader(texts, MS_MARCO, strict=True).segments()
            return {one.segment_id: one.text for one in segments if one.segment_id in asked}
        if index:
            from sidelight.index.folder import open_index

            store = open_index(index).docstore
            known = [one for one in wanted if one in store]
            return {one.segment_id: one.text for one in store.get_many(known)}
        raise UsageError(
            "rankings and citations name passages and do not hold their texts",
            remedy="Name an index with --index, or a file of segments (JSONL) with --texts.",
        )

    return look_up


_DEPTH = 20
# Replies are short: more connections than this cost more processor time than they save waiting.
_AT_ONCE = 128


@asks_models
@interrupted(WITH_REPLIES)
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
) -> Result:
    """Grade passages by the items of a bank from 0 to 5, or directly for the query.

    Only cells that OUTPUT and PASSAGES do not hold are graded, so that a run more, or an item more,
    costs what it adds.
    """
    from sidelight.cli.evaluation_report import estimate_result
    from sidelight.cli.graders import GradeRequest, set_up_grades
    from sidelight.evaluation.grading.cells import merged
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
        return estimate_result(setup.estimate(pool), at_once)
    access = calls.access(cache or output.parent / REPLIES)
    with progress_bar("cells", total=n_missing) as advance:
        graded = asyncio.run(setup.perform(access, pool, advance))
    write_graded(output, graded)
    return _result(setup, graded, n_missing, output)


def _result(setup: Grades, graded: list[GradedQuery], n_new: int, output: Path) -> Result:
    found = setup.summary(graded)
    shown: list[Shown] = [
        (
            f"{counted(found.passages, 'passage')} of {counted(found.queries, 'query')}, "
            f"{counted(found.cells, 'cell')} by {', '.join(found.graders)}; {n_new} of them new"
        )
    ]
    if found.cells:
        shares = "  ".join(f"{grade}: {count}" for grade, count in found.by_grade.items())
        shown.append(f"grades  {shares}")
    if found.unjudged:
        cells = counted(found.unjudged, "cell")
        shown.append(
            warning(f"warning: {cells} could not be graded; the same command asks for them again")
        )
    document = {**found.model_dump(), "new": n_new, "output": str(output)}
    return Result(document, [*shown, f"  {output}"])
