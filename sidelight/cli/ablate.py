"""Command `ablate`: runs or searches of arms that differ from a base in a few settings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sidelight.cli import console, options
from sidelight.cli.judge import check_judging
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring import DEFAULT_SAMPLES
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.table import to_frame, write_markdown_table
from sidelight.formats.topics import read_articles, read_queries
from sidelight.schemas.grading.judgment import Measure
from sidelight.text import counted
from sidelight.wiring.judges import judge_class
from sidelight.wiring.models import ModelAccess

if TYPE_CHECKING:
    from sidelight.ablation.measures import ArmCost, MeasureEffects
    from sidelight.ablation.runs import Arm, Grid
    from sidelight.evaluation.scoring.table import TopicScore
    from sidelight.index.folder import SearchIndex

_TABLES_SHOWN = 3  # all are written


@options.takes_groups
@console.interrupted(f"{console.WHERE_IT_WAS}; done once, it only scores")
def ablate(  # long: half of it are its options
    grid: Annotated[Path, typer.Argument(help="YAML file of the arms; see docs/ablation.md.")],
    output: Annotated[Path, options.output_option("Folder of the experiment.")],
    *,
    index: Annotated[Path | None, options.index_option("Index that all arms search.")] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", help="Shards to build the index from, if there is none yet."),
    ] = None,
    topics: Annotated[
        Path | None, options.topics_option("Topics file: every arm is a run.")
    ] = None,
    rubrics: Annotated[
        Path | None,
        options.rubrics_option("Rubrics to judge the runs by, read when all are done."),
    ] = None,
    judge: options.JudgeName = "embedded",
    queries: Annotated[
        Path | None,
        options.queries_option("`id<TAB>text` lines or irds:NAME; all arms search."),
    ] = None,
    qrels: Annotated[Path | None, options.QRELS] = None,
    parallel: Annotated[
        int, options.parallel_option("Maximum concurrent topics, over all arms.")
    ] = 4,
    calls: options.ModelCalls,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the arms and their estimated cost, and stop.")
    ] = False,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = 0,
    measures: options.MoreMeasures = None,
) -> console.Result:
    """Compare arms that differ from a base in a few settings, with intervals and tests."""
    from sidelight.ablation.runs import arms_of, read_grid
    from sidelight.cli.tables import (
        effects_table,
        experiment_json,
        means_table,
        notes,
        topics_table,
    )

    given = Inputs(topics, rubrics, queries, qrels)
    if dry_run:
        given.check()
        return _plan(arms_of(read_grid(grid), grid), topics)
    arms, twins, effects, costs = experiment(
        grid,
        output,
        index,
        given,
        corpus=corpus,
        judge=judge,
        access=calls.access(output / "cache"),
        parallel=parallel,
        samples=samples,
        seed=seed,
        further=options.find_measures(measures),
    )
    distinct = [arm for arm in arms if arm.name not in twins]
    tables = [means_table(distinct, effects, costs)]
    if len(distinct) > 1:
        tables += [effects_table(found, arms[0].name) for found in effects if found.effects]
        tables.append(topics_table(effects[0], arms[0].name))
    console.write_results(output, tables)
    _write_markdown(output, tables)
    return console.Result(
        experiment_json(arms, twins, effects, costs)
        | {"tables": {table.name: table.records for table in tables}},
        [
            *tables[:_TABLES_SHOWN],
            *notes(arms, twins, effects, costs),
            f"Tables of {counted(len(effects), 'measure')} and plots: {output}",
        ],
    )


class Inputs(NamedTuple):
    """What arms work on: topics, and perhaps rubrics for their runs; or labelled queries."""

    topics: Path | None = None
    rubrics: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None

    def check(self) -> None:
        """Refuse both, and a part of either.

        Raises:
            UsageError: They are neither.
        """
        searches = self.queries is not None
        if (self.topics is None) != searches or searches != (self.qrels is not None):
            raise UsageError(
                "expected --topics, and --rubrics where runs are to be judged; or --queries and "
                "--qrels"
            )


class Experiment(NamedTuple):
    """Results of an experiment.

    Attributes:
        arms: All arms, the base first.
        twins: By arm whose results an earlier arm has, the earlier arm.
        effects: By measure, means and differences from the base of all other arms.
        costs: Of arms that are runs, by name.
    """

    arms: Sequence[Arm]
    twins: dict[str, str]
    effects: Sequence[MeasureEffects]
    costs: dict[str, ArmCost]

    def __repr__(self) -> str:
        names = ", ".join(arm.name for arm in self.arms if arm.name not in self.twins)
        return f"<Experiment: {names}; {', '.join(one.measure.name for one in self.effects)}>"

    def to_frame(self) -> Any:
        """Return means and differences as a `pandas.DataFrame`, a row for each arm and measure."""
        from sidelight.cli.tables import effects_table, means_table

        distinct = [arm for arm in self.arms if arm.name not in self.twins]
        means = means_table(distinct, self.effects, {}).records
        tests = {
            (found.measure.name, row["arm"]): row
            for found in self.effects
            if found.effects
            for row in effects_table(found, self.arms[0].name).records
        }
        return to_frame(
            [{**row, **tests.get((str(row["measure"]), row["arm"]), {})} for row in means]
        )


def experiment(
    grid: Path,
    output: Path,
    index: Path | None,
    given: Inputs,
    *,
    corpus: Sequence[Path] | None = None,
    judge: str = "embedded",
    access: ModelAccess | None = None,
    parallel: int = 4,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    further: Sequence[Measure] = (),
) -> Experiment:
    """Carry out an experiment, or what is left of it.

    Args:
        grid: YAML file of the arms.
        output: Its folder.
        index: The index that all arms search; None builds one from the corpus.
        given: What the arms work on.
        corpus: Shards to build the index from.
        judge: The name of a judge that asks no model.
        access: How models may be used.
        parallel: Maximum concurrent topics, over all arms.
        samples: Bootstrap samples and random sign patterns.
        seed: Of both.
        further: Measures to compute besides.

    Raises:
        InputError: An input cannot be read, or a topic failed.
        UsageError: The grid is none, or the inputs are not what they should be.
    """
    from sidelight.ablation.measures import find_effects
    from sidelight.ablation.runs import arms_of, read_grid

    plan = read_grid(grid)
    arms = arms_of(plan, grid)
    given.check()
    folder = _open(index, corpus, plan, output)
    costs: dict[str, ArmCost] = {}
    if given.topics:
        access = access or ModelAccess(output / "cache")
        scores, twins, costs = _run(
            arms, folder, given.topics, given.rubrics, judge, output, access, parallel, further
        )
    else:
        assert given.queries is not None and given.qrels is not None  # noqa: S101, PT018 - checked
        scores, twins = _search(arms, folder, plan, given.queries, given.qrels, output)
    effects = find_effects(scores, arms[0].name, samples=samples, seed=seed)
    return Experiment(arms, twins, effects, costs)


def _open(
    index: Path | None, corpus: Sequence[Path] | None, grid: Grid, output: Path
) -> SearchIndex:
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import open_index
    from sidelight.index.text.corpus import CorpusFields

    if (index is None) == (not corpus):
        raise UsageError("expected --index, or --corpus to build one")
    if corpus:
        index = output / "index"
        fields = CorpusFields(id=grid.id_field, text=grid.text_field)
        build_index(corpus, index, Encoder(), fields, progress_bar)
    assert index is not None  # noqa: S101 - one of the two is given
    return open_index(index)


def _run(  # long: a list of what it is given, and of what it does
    arms: Sequence[Arm],
    folder: SearchIndex,
    topics: Path,
    rubrics: Path | None,
    judge: str,
    output: Path,
    access: ModelAccess,
    parallel: int,
    further: Sequence[Measure],
) -> tuple[list[TopicScore], dict[str, str], dict[str, ArmCost]]:
    from sidelight.ablation.measures import cost_of, find_twins, judge_arms, measure_arm
    from sidelight.ablation.runs import SharedSources, run_arms

    articles = read_articles(topics)
    if rubrics:
        # What judging lacks is found before arms are run.
        judge_class(judge, {"articles", "encoder"})
        check_judging(rubrics, [article.topic_id for article in articles])
    own = [arm.name for arm in arms if arm.same_as is None]
    with progress_bar("topics of all arms", total=len(own) * len(articles)) as advance:
        summaries = asyncio.run(
            run_arms(
                arms,
                articles,
                SharedSources(folder),
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
            f"failed topics in {counted(len(failed), 'arm')}; the first, of {name}, is "
            f"{failures[0].topic_id}: {failures[0].message}",
            remedy="The same command tries them again; arms are compared on whole runs.",
        )
    costs = {arm.name: cost_of(arm, output) for arm in arms}
    twins = find_twins(arms, {name: cost.files for name, cost in costs.items()})
    distinct = [arm for arm in arms if arm.name not in twins]
    if rubrics:
        with progress_bar("arms judged", total=len(distinct)) as advance:
            judge_arms(
                [arm.name for arm in distinct],
                output,
                folder.path,
                rubrics,
                judge,
                [name for arm in arms for name in arm.settings.plugins()],
                lambda _: advance(1),
            )
    scores = [
        score
        for arm in distinct
        for score in measure_arm(arm, output, judged=rubrics is not None, further=further)
    ]
    return scores, twins, costs


def _search(
    arms: Sequence[Arm], folder: SearchIndex, grid: Grid, queries: Path, qrels: Path, output: Path
) -> tuple[list[TopicScore], dict[str, str]]:
    from sidelight.ablation.measures import find_twins
    from sidelight.ablation.runs import SharedSources, hits_of, score_searches, search_arms
    from sidelight.evaluation.scoring.retrieval import parse_measures

    asked, labels = read_queries(queries), read_qrels(qrels)
    parse_measures(grid.measures)
    if not labels.keys() & {query.query_id for query in asked}:
        raise InputError(
            f"{qrels}: expected labels of the queries in {queries}; found none of them",
            remedy="Check that both files name the queries alike.",
        )
    with progress_bar("arms", total=len(arms)) as advance:
        search_arms(
            arms,
            asked,
            grid.hits,
            SharedSources(folder),
            output,
            lambda _: advance(1),
        )
    twins = find_twins(arms, {arm.name: hits_of(arm, output) for arm in arms})
    distinct = [arm for arm in arms if arm.name not in twins]
    return score_searches(distinct, qrels, grid.measures, output), twins


def _plan(arms: Sequence[Arm], topics: Path | None) -> console.Result:
    """Return what each arm changes, and what it would ask of models."""
    from sidelight.wiring.estimate import estimate_run

    articles = read_articles(topics) if topics else ()
    costs = [estimate_run(arm.settings, articles).total for arm in arms]
    return console.Result(
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
        },
        [
            console.PlainTable(
                ("arm", "changes", "calls", "tokens"),
                [
                    (
                        arm.name,
                        f"the same as {arm.same_as}"
                        if arm.same_as
                        else ", ".join(f"{key}={value}" for key, value in arm.changes.items())
                        or "-",
                        str(cost.calls),
                        str(cost.prompt_tokens + cost.completion_tokens),
                    )
                    for arm, cost in zip(arms, costs, strict=True)
                ],
            ),
            ("Arms share cached hits, vectors and replies; the counts above assume no sharing."),
        ],
    )


def _write_markdown(folder: Path, tables: Sequence[console.ResultTable]) -> None:
    for table in tables:
        write_markdown_table(folder / f"{table.name}.md", table.header, table.rows)
