"""`sidelight ablate`: what each difference from a base does."""

from __future__ import annotations

import asyncio
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli.console import err, out, print_json, print_table, progress_bar
from sidelight.cli.model_options import BaseUrl, MaxCalls, MaxTokens, Offline  # noqa: TC001
from sidelight.cli.result_table import ResultTable, list_files, write_results
from sidelight.cli.score_options import Json, Samples, Seed, interval_cell
from sidelight.evaluation.sampling import DEFAULT_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.ablation.effects import MeasureEffects
    from sidelight.ablation.grid import Arm, Grid
    from sidelight.ablation.measures import ArmCost
    from sidelight.evaluation.score import TopicScore
    from sidelight.index.folder import IndexFolder

_INTERRUPTED = 130


def ablate(
    grid: Annotated[Path, typer.Argument(help="YAML file of the arms; see docs/ablation.md.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the experiment.")],
    index: Annotated[
        Path | None, typer.Option("--index", help="Index that all arms search.")
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", help="Shards to build the index from, if there is none yet."),
    ] = None,
    topics: Annotated[
        Path | None, typer.Option("--topics", help="Topics file: every arm is a run.")
    ] = None,
    rubrics: Annotated[
        Path | None,
        typer.Option("--rubrics", help="Rubrics to judge the runs by, read when all are done."),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="`id<TAB>text` lines: every arm searches.")
    ] = None,
    qrels: Annotated[
        Path | None, typer.Option("--qrels", help="Relevance labels for the queries.")
    ] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", min=1, help="Topics worked on at once, over all arms.")
    ] = 4,
    base_url: BaseUrl = None,
    offline: Offline = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the arms and what they cost; do nothing.")
    ] = False,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compare arms that differ from a base in a few settings, with intervals and tests.

    Interrupted at any moment, the same command goes on where it was; done once, it only scores.
    """
    from sidelight.ablation.effects import find_effects
    from sidelight.ablation.grid import arms_of, read_grid
    from sidelight.errors import UsageError

    plan = read_grid(grid)
    arms = arms_of(plan, grid)
    if (topics is None) == (queries is None) or (queries is None) != (qrels is None):
        raise UsageError(
            "expected --topics, and --rubrics where runs are to be judged; or --queries and --qrels"
        )
    if dry_run:
        _show_plan(arms, topics, as_json=as_json)
        return
    folder = _open(index, corpus, plan, output)
    costs: dict[str, ArmCost] = {}
    if topics:
        try:
            scores, costs = _run(
                arms,
                folder,
                topics,
                rubrics,
                output,
                {"base_url": base_url, "offline": offline},
                (max_calls, max_tokens),
                parallel,
            )
        except KeyboardInterrupt:
            err.print("Interrupted. The same command goes on from there.")
            raise typer.Exit(_INTERRUPTED) from None
    else:
        assert queries is not None and qrels is not None  # noqa: S101, PT018 - checked above
        scores = _search(arms, folder, plan, queries, qrels, output)
    effects = find_effects(scores, arms[0].name, samples=samples, seed=seed)
    tables = _tables(arms, effects, costs)
    written = write_results(output, tables) + _write_markdown(output, tables)
    if as_json:
        print_json(_as_json(arms, effects, costs, written))
        return
    for table in tables:
        table.show()
    _print_notes(arms, effects, costs)
    list_files(written)


def _open(
    index: Path | None, corpus: Sequence[Path] | None, grid: Grid, output: Path
) -> IndexFolder:
    from sidelight.errors import UsageError
    from sidelight.index.build import build_index
    from sidelight.index.corpus import CorpusFields
    from sidelight.index.encoder import Encoder
    from sidelight.index.folder import open_index

    if (index is None) == (not corpus):
        raise UsageError("expected --index, or --corpus to build one")
    if corpus:
        index = output / "index"
        fields = CorpusFields(id=grid.id_field, text=grid.text_field)
        build_index(corpus, index, Encoder(), fields, progress_bar)
    assert index is not None  # noqa: S101 - one of the two is given
    return open_index(index)


def _run(
    arms: Sequence[Arm],
    folder: IndexFolder,
    topics: Path,
    rubrics: Path | None,
    output: Path,
    access_options: Mapping[str, Any],
    budget: tuple[int | None, int | None],
    parallel: int,
) -> tuple[list[TopicScore], dict[str, ArmCost]]:
    from sidelight.ablation.judging import judge_arms
    from sidelight.ablation.measures import cost_of, measure_arm
    from sidelight.ablation.runs import run_arms
    from sidelight.ablation.shared import SharedSources
    from sidelight.build_models import ModelAccess
    from sidelight.errors import InputError
    from sidelight.formats.topics import read_topics
    from sidelight.llm.budget import Budget

    articles = read_topics(topics)
    own = [arm.name for arm in arms if arm.same_as is None]
    access = ModelAccess(
        cache=output / "cache",
        budget=Budget(max_calls=budget[0], max_tokens=budget[1]),
        on_progress=lambda line: err.print(line, markup=False),
        **access_options,
    )
    with progress_bar("topics of all arms", total=len(own) * len(articles)) as advance:
        summaries = asyncio.run(
            run_arms(
                arms,
                articles,
                SharedSources(folder),
                folder.manifest.fingerprint(),
                output,
                access,
                parallel=parallel,
                on_topic=lambda _: advance(1),
            )
        )
    failed = {name: one.failures for name, one in summaries.items() if one.failures}
    if failed:
        name, failures = next(iter(failed.items()))
        raise InputError(
            f"{len(failed)} arms have failed topics; the first, of {name}, is "
            f"{failures[0].topic_id}: {failures[0].message}",
            remedy="The same command tries them again; arms are compared on whole runs.",
        )
    if rubrics:
        with progress_bar("arms judged", total=len(own)) as advance:
            judge_arms(own, output, folder.path, rubrics, None, lambda _: advance(1))
    scores = [
        score for arm in arms for score in measure_arm(arm, output, judged=rubrics is not None)
    ]
    return scores, {arm.name: cost_of(arm, output) for arm in arms}


def _search(
    arms: Sequence[Arm], folder: IndexFolder, grid: Grid, queries: Path, qrels: Path, output: Path
) -> list[TopicScore]:
    from sidelight.ablation.searches import score_searches, search_arms
    from sidelight.ablation.shared import SharedSources
    from sidelight.formats.queries import read_queries

    with progress_bar("arms", total=len(arms)) as advance:
        search_arms(
            arms,
            read_queries(queries),
            grid.hits,
            SharedSources(folder),
            output,
            lambda _: advance(1),
        )
    return score_searches(arms, qrels, grid.measures, output)


def _show_plan(arms: Sequence[Arm], topics: Path | None, *, as_json: bool) -> None:
    """Say what each arm changes, and what it would ask of models."""
    from sidelight.estimate import estimate_run
    from sidelight.formats.topics import read_topics

    articles = read_topics(topics) if topics else ()
    costs = [estimate_run(arm.settings, articles).total for arm in arms]
    if as_json:
        print_json(
            {
                "arms": [
                    {
                        "name": arm.name,
                        "changes": arm.changes,
                        "same_as": arm.same_as,
                        "cost": cost.model_dump(),
                    }
                    for arm, cost in zip(arms, costs, strict=True)
                ]
            }
        )
        return
    print_table(
        ("arm", "changes", "calls", "tokens"),
        (
            (
                arm.name,
                f"the same as {arm.same_as}"
                if arm.same_as
                else ", ".join(f"{key}={value}" for key, value in arm.changes.items()) or "-",
                str(cost.calls),
                str(cost.prompt_tokens + cost.completion_tokens),
            )
            for arm, cost in zip(arms, costs, strict=True)
        ),
    )
    out.print(
        "Hits, vectors and replies that arms have in common are had once; calls are those of arms "
        "that share nothing."
    )


def _tables(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> list[ResultTable]:
    from functools import partial

    from sidelight.ablation.figures import draw_effects, draw_slopes

    base, names = arms[0].name, [arm.name for arm in arms]
    means = ResultTable(
        "means",
        ["arm", *(found.measure for found in effects), *(["calls", "tokens"] if costs else [])],
        [
            [
                name,
                *(f"{found.means[name].mean:.4f}" for found in effects),
                *(
                    [
                        str(costs[name].calls),
                        str(costs[name].prompt_tokens + costs[name].completion_tokens),
                    ]
                    if costs
                    else []
                ),
            ]
            for name in names
        ],
        [
            {
                "arm": name,
                "measure": found.measure,
                "mean": found.means[name].mean,
                "interval_low": (interval := found.means[name].interval) and interval.low,
                "interval_high": interval and interval.high,
            }
            for name in names
            for found in effects
        ],
    )
    tables = [means]
    for number, found in enumerate(effects):
        if found.effects:
            tables.append(
                ResultTable(
                    f"effects_{number + 1}_{_file_name(found.measure)}",
                    [
                        *(f"{found.measure}: arm", "mean", "95%", "less base", "95%"),
                        *("p", "p (Holm)", "won", "lost", "tied"),
                    ],
                    [
                        [
                            name,
                            f"{found.means[name].mean:.4f}",
                            interval_cell(found.means[name].interval),
                            f"{effect.difference:+.4f}",
                            interval_cell(effect.interval),
                            f"{effect.p_value:.4f}",
                            f"{effect.p_holm:.4f}",
                            str(effect.won),
                            str(effect.lost),
                            str(effect.tied),
                        ]
                        for name, effect in found.effects.items()
                    ],
                    [
                        {
                            "arm": name,
                            "difference": effect.difference,
                            "interval_low": effect.interval and effect.interval.low,
                            "interval_high": effect.interval and effect.interval.high,
                            "p_value": effect.p_value,
                            "p_holm": effect.p_holm,
                            "won": effect.won,
                            "lost": effect.lost,
                            "tied": effect.tied,
                        }
                        for name, effect in found.effects.items()
                    ],
                    partial(draw_effects, found, base),
                )
            )
    first = effects[0]
    if first.effects:
        slopes = [
            {"topic_id": topic_id, **{name: first.values.values[name][place] for name in names}}
            for place, topic_id in enumerate(first.values.topic_ids)
        ]
        tables.append(
            ResultTable(
                f"topics_{_file_name(first.measure)}",
                ["topic", *names],
                [[str(row["topic_id"]), *(f"{row[name]:.4f}" for name in names)] for row in slopes],
                slopes,
                partial(draw_slopes, first, base),
            )
        )
    return tables


def _file_name(measure: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in measure)


def _write_markdown(folder: Path, tables: Sequence[ResultTable]) -> list[Path]:
    from sidelight.formats.markdown import write_markdown_table

    paths = []
    for table in tables:
        paths.append(folder / f"{table.name}.md")
        write_markdown_table(paths[-1], table.header, table.rows)
    return paths


def _print_notes(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> None:
    base = arms[0].name
    out.print(
        f"note: base {base}; {len(effects[0].values.topic_ids)} topics; p: paired randomisation "
        "test, two-sided; Holm: corrected for the number of arms",
        markup=False,
    )
    for arm in arms:
        if arm.same_as:
            out.print(f"{arm.name} has the settings of {arm.same_as}.", markup=False)
        elif costs and arm.name != base and costs[arm.name].files == costs[base].files:
            out.print(f"{arm.name} made the same files as {base}, byte for byte.", markup=False)
        if costs and costs[arm.name].errors:
            err.print(f"{arm.name}: {costs[arm.name].errors} errors in its files.", style="red")


def _as_json(
    arms: Sequence[Arm],
    effects: Sequence[MeasureEffects],
    costs: Mapping[str, ArmCost],
    files: Sequence[Path],
) -> dict[str, Any]:
    return {
        "base": arms[0].name,
        "arms": [
            {
                "name": arm.name,
                "changes": arm.changes,
                "same_as": arm.same_as,
                "cost": costs[arm.name]._asdict() if costs else None,
            }
            for arm in arms
        ],
        "measures": [
            {
                "measure": found.measure,
                "n_topics": len(found.values.topic_ids),
                "means": {
                    name: {"mean": one.mean, "interval": one.interval and one.interval._asdict()}
                    for name, one in found.means.items()
                },
                "effects": {
                    name: effect._asdict()
                    | {"interval": effect.interval and effect.interval._asdict()}
                    for name, effect in found.effects.items()
                },
            }
            for found in effects
        ],
        "files": [str(path) for path in files],
    }
