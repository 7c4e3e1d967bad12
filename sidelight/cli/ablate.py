"""Command `ablate`: runs or searches of arms that differ from a base in a few settings."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from pathlib import Path
from platform import python_version
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sidelight.cli import console, options
from sidelight.cli.console import Column, ResultTable, table_of
from sidelight.cli.judge import WITHOUT_EXAMPLES, check_judging
from sidelight.cli.progress import progress_bar
from sidelight.cli.tables import decimal, judge_in_caption
from sidelight.config.load import codes_of
from sidelight.errors import InputError, MachineError, UsageError
from sidelight.files import as_json, atomic_write, read_json, read_limited
from sidelight.formats.labels.qrels import read_judge, read_qrels
from sidelight.formats.lines import read_bytes
from sidelight.formats.runs.submission import find_twins
from sidelight.formats.table import to_frame, write_markdown_table
from sidelight.formats.topics import read_queries
from sidelight.formats.verdict import read_articles
from sidelight.index.text.corpus import CorpusFields
from sidelight.registry import code_of
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.grading.judgment import Measure
from sidelight.schemas.topic import Topic
from sidelight.text import counted
from sidelight.versions import VERSION, commit, installed_versions
from sidelight.wiring.estimate import estimate_run
from sidelight.wiring.judges import judge_class
from sidelight.wiring.models import ModelAccess

if TYPE_CHECKING:
    from sidelight.ablation.measures import ArmCost, ArmMean, MeasureEffects
    from sidelight.ablation.runs import Arm, Grid
    from sidelight.evaluation.exams.grades import Qrels
    from sidelight.evaluation.scoring.compare import PairedComparison
    from sidelight.evaluation.scoring.table import Interval, TopicScore
    from sidelight.index.folder import SearchIndex
    from sidelight.schemas.investigation.evidence import Query

_TABLES_SHOWN = 3  # all are written
EXPERIMENT = "experiment.json"


@options.takes_groups
@console.interrupted(
    "Finished topics, searches and model replies are kept; the same command does the rest. Once "
    "all arms are finished, it only scores."
)
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
        Path | None, options.rubrics_option("Rubrics to judge the runs by, read when all are done.")
    ] = None,
    judge: options.JudgeName = "embedded",
    examples: options.ExampleFolder = None,
    queries: Annotated[
        Path | None, options.queries_option("`id<TAB>text` lines or irds:NAME; all arms search.")
    ] = None,
    qrels: Annotated[Path | None, options.QRELS] = None,
    parallel: Annotated[
        int, options.parallel_option("Maximum concurrent topics, over all arms.")
    ] = 4,
    calls: options.ModelCalls,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the arms and their estimated cost, and stop.")
    ] = False,
    sampling: options.Sampling,
    measures: options.MoreMeasures = None,
) -> console.Result:
    """Compare arms that differ from a base in a few settings, with intervals and tests."""
    from sidelight.ablation.runs import arms_of, read_grid

    given = Inputs(topics, rubrics, queries, qrels, examples)
    if dry_run:
        plan = read_grid(grid)
        arms = arms_of(plan, grid)
        if index is not None:
            _open(index, corpus, plan, output)
        return _plan(arms, given.read(plan, arms, judge).topics)
    found = experiment(
        grid,
        output,
        index,
        given,
        corpus=corpus,
        judge=judge,
        access=calls.access(output / "cache"),
        parallel=parallel,
        sampling=sampling,
        further=measures or (),
    )
    tables = found.tables()
    return console.Result(
        found.document() | {"tables": {table.name: table.records for table in tables}},
        [
            *tables[:_TABLES_SHOWN],
            *found.notes(),
            f"Tables of {counted(len(found.effects), 'measure')} and plots: {output}",
        ],
    )


class Inputs(NamedTuple):
    """What arms work on: topics, and perhaps rubrics for their runs; or labelled queries."""

    topics: Path | Sequence[Topic] | None = None
    rubrics: Path | None = None
    queries: Path | Sequence[Query] | None = None
    qrels: Path | Qrels | None = None
    examples: Path | None = None

    def read(self, grid: Grid, arms: Sequence[Arm], judge: str) -> Material:
        """Read all of it, and find what will be lacking before anything is run."""
        from sidelight.index.encoding.encoder import require_model

        rerankers = {arm.settings.retrieval.reranker: arm.name for arm in reversed(arms)}
        for reranker, arm in rerankers.items():
            if reranker:
                require_model(f"reranker of arm {arm}", reranker)
        searches = self.queries is not None
        if self.examples and self.rubrics is None:
            raise UsageError("--examples needs --rubrics: what the runs are judged by")
        if searches and self.topics is None and self.qrels is None:
            raise UsageError("--queries needs --qrels: the relevance labels of the queries")
        if (self.topics is None) != searches or searches != (self.qrels is not None):
            raise UsageError(
                "expected topics, and rubrics where runs are to be judged; or queries and qrels"
            )
        return self._searches(grid, arms) if searches else self._runs(judge)

    def _runs(self, judge: str) -> Material:
        if isinstance(self.topics, Path) and b"{" not in read_bytes(self.topics):
            raise InputError(
                f"{self.topics}: expected a topics file, on each line a JSON object with docid and "
                "body; found no such line",
                remedy="For a file of queries, use --queries and --qrels.",
            )
        topics = read_articles(self.topics) if isinstance(self.topics, Path) else self.topics or ()
        topic_ids = [topic.topic_id for topic in topics]
        if self.rubrics:
            judge_class(judge, {"articles", "encoder", *(["examples"] if self.examples else [])})
            if judge.startswith("__main__:"):  # a notebook or a script
                wanted = "expected a judge that another process, which judges, can import"
                raise UsageError(f"{wanted}; found {judge}", remedy="Put it in a module.")
            if lacking := check_judging(self.rubrics, topic_ids, self.examples):
                wanted = f"a rubric for each of {counted(len(topic_ids), 'topic')}"
                found = f"none for {len(lacking)}, the first {min(lacking)}"
                remedy = "Leave these topics out: arms are compared on topics that are all judged."
                raise InputError(f"{self.rubrics}: expected {wanted}; found {found}", remedy=remedy)
        return Material(topic_ids, topics, (), {}, "")

    def _searches(self, grid: Grid, arms: Sequence[Arm]) -> Material:
        from sidelight.evaluation.scoring.retrieval import parse_measures

        for name, found in ((arm.name, arm.settings.retrieval) for arm in arms):
            if "depth" in found.model_fields_set and found.depth < grid.hits:
                raise UsageError(
                    f"arm {name}: expected retrieval.depth of at least the hits of a query, "
                    f"{grid.hits}; found {found.depth}",
                    remedy=f"Ask for fewer in the grid (hits: {found.depth}), or set more depth.",
                )
        asked, given, labels = self.queries or (), self.qrels or {}, "the labels given"
        if isinstance(asked, Path):
            asked = read_queries(asked)
        if isinstance(given, Path):
            judge = read_judge(given)
            labels = f"the labels of {given.name}" + (f", by {judge}" if judge else "")
            given = read_qrels(given)
        parse_measures(grid.measures)
        ids = {query.query_id for query in asked}
        counting = {name: grades for name, grades in given.items() if name in ids}
        if not counting:
            raise InputError(
                f"{labels}: expected labels of the queries; found none of them",
                remedy="Check that both name the queries alike.",
            )
        left, bare = len(given) - len(counting), len(ids) - len(counting)
        told = f"{counted(grid.hits, 'hit')} a query"
        if left or bare:
            told += f"; not counted: {counted(left, 'query')} without a text, {bare} without labels"
        return Material(list(counting), (), asked, counting, labels, told)


class Material(NamedTuple):
    """What was read: ids of topics or queries that count, and topics, or queries and labels.

    Labels of queries are named, with who gave them where something says so; `told` is to be noted.
    """

    ids: Sequence[str]
    topics: Sequence[Topic]
    queries: Sequence[Query]
    qrels: Qrels
    labels: str
    told: str = ""


class Experiment(NamedTuple):
    """Results of an experiment; the first arm is the base.

    Attributes:
        twins: Name of an arm -> name of the earlier arm that made the same results for all tasks.
        costs: Name of an arm -> its cost, for arms that are runs.
        judges: Measure -> who gave the labels that it goes by, if it needs any.
        made_with: What a paper needs besides: the index, packages and rubrics.
        told: What else is to be noted of searches: hits a query, and queries that do not count.
        learned: Whether the judge learned from labelled examples.
        shared: Name of an arm that is a run -> by what it makes, such as sentences, how many of its
            own the base has in the same words, and how many it has.
    """

    grid: Grid
    arms: Sequence[Arm]
    twins: dict[str, str]
    effects: Sequence[MeasureEffects]
    costs: dict[str, ArmCost]
    judges: dict[str, str]
    sampling: options.Sampling
    made_with: Mapping[str, Any]
    told: str = ""
    learned: bool = False
    shared: Mapping[str, dict[str, tuple[int, int]]] = MappingProxyType({})

    def __repr__(self) -> str:
        table = self.means_table()
        shown = console.PlainTable(*(table.latex or (table.header, table.rows)))
        return "\n".join([f"<Experiment. {table.caption}>", *console.lines_of(shown)])

    def to_frame(self) -> Any:
        """Return means and differences as a `pandas.DataFrame`, a row for each arm and measure."""
        tests: dict[tuple[object, object], Mapping[str, object]] = {
            (found.measure.name, row["arm"]): row
            for found in self.effects
            for row in self.effects_table(found).records
        }
        means = self.means_table().records
        return to_frame([{**row, **tests.get((row["measure"], row["arm"]), {})} for row in means])

    @property
    def topic_ids(self) -> Sequence[str]:
        """Topics or queries that the means are over."""
        return self.effects[0].values.topic_ids

    @property
    def _n_topics(self) -> str:
        return counted(len(self.topic_ids), "topic")

    @property
    def _made(self) -> str:
        return "results" if self.costs else "hits"

    def _known(self, *measures: str) -> str:
        """Return what a reader must know of a table: who judged, and which arms are equal."""
        alike: dict[str, list[str]] = {}
        for one, other in self.twins.items():
            alike.setdefault(other, []).append(one)
        same = [f"{', '.join(alike[one])} made the same {self._made} as {one}" for one in alike]
        for arm in self.arms:
            for told, names in self._of_a_task(arm.name).items():
                if tabled := [name for name in names if name in measures]:
                    same.append(f"{told}: {', '.join(tabled)}")
        judged = map(judge_in_caption, self._judged(measures))
        return "".join(f" {told}." for told in [*judged, *same])

    def _of_a_task(self, arm: str) -> dict[str, list[str]]:
        """Return what an arm that is no twin made as others did, and the measures of that."""
        shared: dict[str, list[str]] = {}
        for found in self.effects:
            if arm not in self.twins and (other := found.same.get(arm)):
                told = f"{arm} made the same {self._made} of a task as {other}"
                shared.setdefault(told, []).append(found.measure.name)
        return shared

    @property
    def _corrected(self) -> str:
        tested = counted(sum(bool(found.effects) for found in self.effects), "measure")
        told = f"Holm's correction for the number of arms, each of {tested} by itself"
        return f"{told}; intervals are not corrected"

    def _judged(self, measures: Iterable[str]) -> list[str]:
        by: dict[str, list[str]] = {}
        for name in measures:
            if name in self.judges:
                by.setdefault(self.judges[name], []).append(name)
        told = [f"{', '.join(names)}: judged by {who}" for who, names in by.items()]
        return [*told, WITHOUT_EXAMPLES] if told and self.costs and not self.learned else told

    def tables(self) -> list[ResultTable]:
        """Return the means, and what arms do by each measure and on each topic."""
        tested = [found for found in self.effects if found.effects]
        of_effects, of_topics = map(self.effects_table, tested), map(self.topics_table, tested)
        return [self.means_table(), *of_effects, *of_topics]

    def means_table(self) -> ResultTable:
        """Return every arm's means by every measure, with what it asked of models if any did.

        An arm with the results of an earlier one has its figures, but for stages that differ.
        """
        asked = any(cost.tokens for cost in self.costs.values())
        header = ["arm", *(found.measure.name for found in self.effects)]
        rows, records = [], []
        for name, folder in ((arm.name, arm.folder_name) for arm in self.arms):
            twin = self.twins.get(name)
            row = [f"{name} (= {twin})" if twin else name]
            for found in self.effects:
                same = found.same.get(folder)
                mean, interval = found.means.get(same or folder) or found.means[twin or name]
                low, high = interval or (None, None)
                row.append(found.measure.shown(mean))
                record = {"arm": name, "same_as": twin or same, "measure": found.measure.name}
                record["judge"] = self.judges.get(found.measure.name)
                records.append({**record, "mean": mean, "mean_low": low, "mean_high": high})
            costs = [self.costs[name].calls, self.costs[name].tokens] if asked else []
            rows.append([*row, *map(str, costs)])
        header += ["calls", "tokens"] if asked else []
        _, *others = zip(header, *rows, strict=True)
        caption = f"Means over {self._n_topics}.{self._known(*header)}"
        # A page is higher than wide.
        heads = ("arm", *(arm.name for arm in self.arms))
        turned = (heads, others) if len(others) > len(rows) else None
        return ResultTable("means", header, rows, records, caption=caption, latex=turned)

    def effects_table(self, found: MeasureEffects) -> ResultTable:
        """Return each arm's mean by one measure, and what it does to that of the base arm."""
        from sidelight.ablation.measures import draw_effects

        def interval(ends: Interval | None) -> str:
            return f"[{', '.join(map(found.measure.shown, ends))}]" if ends else "-"

        def beside_interval(figure: str, one: ArmMean | PairedComparison) -> str:
            return f"{figure} {interval(one.interval)}" if one.interval else figure

        def of_effect(heading: str, key: str, spec: str) -> Column:
            shown = partial(decimal, spec=spec, lacking="-")
            return Column(heading, key, lambda row: getattr(row[1], key, None), shown)

        base, signed = self.arms[0].name, f"+{found.measure.format}"
        ends = ("mean_low", "mean_high"), ("difference_low", "difference_high")
        columns = [
            Column(f"{found.measure.name}: arm", "arm", itemgetter(0)),
            Column("mean", "mean", lambda row: found.means[row[0]].mean, found.measure.shown),
            Column("95%", ends[0], lambda row: found.means[row[0]].interval, interval),
            of_effect("Δ vs base", "difference", signed),
            Column("95%", ends[1], lambda row: row[1] and row[1].interval, interval),
            of_effect("p", "p_value", ".4f"),
            of_effect("p (Holm)", "p_holm", ".4f"),
            *(of_effect(name, name, "d") for name in ("won", "lost", "tied")),
        ]
        arms = [(arm, found.effects.get(arm)) for arm in found.means]
        name = f"effects_{_file_name(found.measure.name)}"
        table = table_of(name, arms, columns, partial(draw_effects, found, base))
        rows = []
        for arm, effect in arms:
            mean = found.means[arm]
            rows.append([arm, beside_interval(found.measure.shown(mean.mean), mean), "", ""])
            if effect:
                mark = "**" if effect.p_holm < 0.01 else "*" if effect.p_holm < 0.05 else ""
                difference = f"{effect.difference:{signed}}{mark}"
                rows[-1][2:] = [beside_interval(difference, effect), f"{effect.p_holm:.4f}"]
        unprovable = _unprovable(len(self.topic_ids), len(found.effects))
        return table._replace(
            caption=f"{found.measure.name} over {self._n_topics}, and its difference from {base}"
            f"{'; lower is better' * found.measure.lower_is_better}. "
            f"{self.sampling.intervals}. * p < .05, ** p < .01: two-sided paired randomisation "
            f"test, {self._corrected}.{unprovable and f' {unprovable.capitalize()}.'}"
            f"{self._known(found.measure.name)}",
            latex=(["arm", found.measure.name, f"minus {base}", "p (Holm)"], rows),
        )

    def topics_table(self, found: MeasureEffects) -> ResultTable:
        """Return every arm's value on every topic by one measure, drawn for the first one."""
        from sidelight.ablation.measures import draw_slopes

        values = found.values

        def value_of(arm: str, item: tuple[int, str]) -> float | None:
            place, topic_id = item
            return None if topic_id in values.undefined else values.values[arm][place]

        shown, is_first = found.measure.shown, found is self.effects[0]
        draw = partial(draw_slopes, found, self.arms[0].name) if is_first else None
        columns = [Column(arm, arm, partial(value_of, arm), shown) for arm in values.values]
        columns.insert(0, Column("topic", "topic_id", itemgetter(1)))
        name = f"topics_{_file_name(found.measure.name)}"
        table = table_of(name, enumerate(values.topic_ids), columns, draw)
        measure = found.measure.name
        return table._replace(caption=f"{measure} on each topic.{self._known(measure)}")

    def notes(self) -> list[str | console.Note]:
        """Return how to read the tables, and which arms changed nothing or made invalid files."""
        undefined = {
            found.measure.name: found.values.undefined
            for found in self.effects
            if found.values.undefined
        }
        lines: list[str | console.Note] = [
            (
                f"note: base arm: {self.arms[0].name}; {self._n_topics}; p: two-sided paired "
                f"randomisation test; p (Holm): {self._corrected}"
            ),
            f"note: {self.sampling.intervals}",
            *(f"note: {told}" for told in self._judged(one.measure.name for one in self.effects)),
            *([f"note: {self.told}"] if self.told else []),
            *console.undefined_warnings(undefined, len(self.topic_ids), "topic"),
            *console.few_warnings(len(self.topic_ids), "topic"),
        ]
        unprovable: dict[str, list[str]] = {}
        for found in self.effects:
            unprovable.setdefault(_unprovable(len(self.topic_ids), len(found.effects)), []).append(
                found.measure.name
            )
        for told, names in unprovable.items():
            by = f"{', '.join(names)}: " if len(unprovable) > 1 else ""
            lines += [f"note: {by}{told}"] if told else []
        for arm in self.arms:
            if same := self.twins.get(arm.name):
                own = ", ".join(one.measure.name for one in self.effects if arm.name in one.means)
                does = "has the settings of" if arm.same_as else f"made the same {self._made} as"
                but = f" but by {own}" if own else ""
                lines.append(f"{arm.name} {does} {same}: not tested or counted again{but}.")
            elif kept := self.shared.get(arm.name):
                of = " and ".join(
                    f"{same} of {counted(all_of, noun)}" for noun, (same, all_of) in kept.items()
                )
                lines.append(f"{arm.name} has {of} in the words of {self.arms[0].name}.")
            lines += [
                f"{told}: not tested or counted again by {', '.join(names)}."
                for told, names in self._of_a_task(arm.name).items()
            ]
            if self.costs and self.costs[arm.name].errors:
                said = f"{arm.name}: {counted(self.costs[arm.name].errors, 'error')} in its files."
                lines.append(console.Note(said, "red", on_stderr=True))
        return lines

    def about(self) -> dict[str, Any]:
        """Return the arms, JSON-ready."""
        arms = [
            {
                "name": arm.name,
                "changes": arm.changes,
                "same_as": self.twins.get(arm.name),
                "cost": self.costs[arm.name]._asdict() if self.costs else None,
                "shared": self.shared.get(arm.name),
            }
            for arm in self.arms
        ]
        return {"base_arm": self.arms[0].name, "arms": arms, "judges": self.judges}

    def document(self) -> dict[str, Any]:
        """Return the arms and all figures, JSON-ready."""

        def row(one: ArmMean | PairedComparison) -> dict[str, Any]:
            return one._asdict() | {"interval": one.interval and one.interval._asdict()}

        measures = [
            {
                "measure": found.measure.name,
                "n_topics": len(found.values.topic_ids),
                "undefined": list(found.values.undefined),
                "means": {name: row(one) for name, one in found.means.items()},
                "effects": {name: row(one) for name, one in found.effects.items()},
            }
            for found in self.effects
        ]
        return self.about() | {"measures": measures}

    def write(self, folder: Path) -> None:
        """Write all tables, plots and a record of the experiment."""
        tables = self.tables()
        console.write_results(folder, tables)
        for table in tables:
            path = folder / f"{table.name}.md"
            write_markdown_table(path, table.header, table.rows, table.caption)
        notes = [one.text if isinstance(one, console.Note) else one for one in self.notes()]
        record = {
            "sidelight": VERSION,
            **self.made_with,
            # Measures and hits are those of searches.
            "grid": self.grid.model_dump(exclude={"measures", "hits"} if self.costs else None),
            "settings": self.arms[0].settings.of_results(),
            **self.about(),
            "topics": self.topic_ids,
            **self.sampling._asdict(),
            "notes": [str(one) for one in notes],
        }
        # The order of the grid stays: the first choice of each dimension makes the base arm.
        atomic_write(folder / EXPERIMENT, as_json(record, sort=False))


def _file_name(measure: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in measure)


def experiment(
    grid: Path | Mapping[str, Any],
    output: Path,
    index: str | Path | SearchIndex | None,
    given: Inputs,
    *,
    corpus: Sequence[Path] | None = None,
    judge: str = "embedded",
    access: ModelAccess | None = None,
    parallel: int = 4,
    sampling: options.Sampling,
    further: Sequence[str] = (),
) -> Experiment:
    """Carry out and write an experiment, or what is left; see `sidelight.library.ablate`.

    Without an `index` one is built from `corpus`. `parallel` is the maximum number of concurrent
    topics over all arms.
    """
    from sidelight.ablation.measures import check_judge, find_effects, shared_with
    from sidelight.ablation.runs import arms_of, read_grid

    if further and given.queries is not None:
        remedy = f"With --queries, measures stand in the grid: measures: {' '.join(further)}"
        raise UsageError("--measure is for judged runs; found --queries", remedy=remedy)
    measures = options.find_measures([*further])
    plan = read_grid(grid)
    arms = arms_of(plan, grid if isinstance(grid, Path) else Path("the grid"))
    material = given.read(plan, arms, judge)
    with RunDirectory(output).locked():
        _check_tables(output, arms, material.ids)
        if given.rubrics:
            check_judge(arms, output, given.rubrics, judge, given.examples)
        folder = _open(index, corpus, plan, output)
        costs: dict[str, ArmCost] = {}
        if given.topics is not None:
            access = access or ModelAccess(output / "cache")
            scores, twins, alike, costs, judges = _run(
                arms, folder, material.topics, given, judge, output, access, parallel, measures
            )
        else:
            scores, twins = _search(arms, folder, plan, material, output)
            alike = {}
            judges = dict.fromkeys(scores[0].values, material.labels)
        effects = find_effects(scores, arms[0].name, alike, **sampling._asdict())
        shared = {one.name: shared_with(arms[0], one, output) for one in arms[1:]} if costs else {}
        made = Experiment(
            plan,
            arms,
            twins,
            effects,
            costs,
            judges,
            sampling,
            _made_with(arms, folder, given, judge, output),
            material.told,
            given.examples is not None,
            shared,
        )
        made.write(output)
    return made


def _made_with(
    arms: Sequence[Arm], index: SearchIndex, given: Inputs, judge: str, output: Path
) -> dict[str, Any]:
    """Return what a paper names: versions, code of parts that are not sidelight's, and hashes."""
    from sidelight.ablation.measures import rubrics_of
    from sidelight.index.lucene.jvm import find_java

    java = None
    with suppress(MachineError):  # not every index needs it
        java = find_java().version
    codes = {part: code for arm in arms for part, code in codes_of(arm.settings).items()}
    if given.rubrics and (code := code_of("judge", judge)):
        codes[f"judge {judge}"] = code
    return {
        "commit": commit(),
        "python": python_version(),
        "java": java,
        "packages": installed_versions(),
        "code": codes,
        "index": index.fingerprint(),
        "encoder": _encoder_of(index),
        "rubrics": rubrics_of(arms[0], output) if given.rubrics else {},
    }


def _open(
    index: str | Path | SearchIndex | None,
    corpus: Sequence[Path] | None,
    grid: Grid,
    output: Path,
) -> SearchIndex:
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import open_index

    if (index is None) == (not corpus):
        raise UsageError("expected --index, or --corpus to build one")
    if corpus:
        index = output / "index"
        fields = CorpusFields(id=grid.id_field, text=grid.text_field)
        build_index(corpus, index, Encoder(), fields, progress_bar)
    assert index is not None  # noqa: S101 - one of the two is given
    return open_index(index)


def _encoder_of(index: SearchIndex) -> dict[str, str | None]:
    """Return the name of an index's encoder and its number format, None if it encoded nothing."""
    from sidelight.index.folder import IndexFolder

    if not isinstance(index, IndexFolder):  # the server knows
        return {}
    made = index.manifest
    number_format = made.encoding.arithmetic if made.encoding else None
    return {"name": made.plan.encoder.name, "number_format": number_format}


def _run(  # long: a list of what it is given, and of what it does
    arms: Sequence[Arm],
    folder: SearchIndex,
    topics: Sequence[Topic],
    given: Inputs,
    judge: str,
    output: Path,
    access: ModelAccess,
    parallel: int,
    further: Sequence[Measure],
) -> tuple[
    list[TopicScore], dict[str, str], dict[str, dict[str, str]], dict[str, ArmCost], dict[str, str]
]:
    from sidelight.ablation.measures import (
        cost_of,
        judge_arms,
        judges_of,
        measure_arm,
        results_of,
        tasks_of,
    )
    from sidelight.ablation.runs import ARMS, SharedSources, run_arms

    own = [RunDirectory(output / ARMS / arm.name) for arm in arms if arm.same_as is None]
    with progress_bar("topics of all arms", total=len(own) * len(topics)) as advance:
        advance.keep(sum(run.n_finished(topics) for run in own))
        summaries = asyncio.run(
            run_arms(
                arms,
                topics,
                SharedSources(folder),
                output,
                access,
                parallel=parallel,
                on_topic=lambda _: advance(1),
                on_step=advance.begin,
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
    results = {arm.name: results_of(arm, output) for arm in arms}
    twins = find_twins(results)
    # An arm may write the results of another and yet have retrieved or selected other segments.
    measured = [arm for arm in arms if arm.same_as is None]
    if given.rubrics:
        with progress_bar("arms judged", total=len(measured)) as advance:
            judge_arms(
                [arm.name for arm in measured],
                output,
                folder.path,
                given.rubrics,
                judge,
                given.examples,
                [name for arm in arms for name in arm.settings.plugins()],
                advance.keep,
                lambda _: advance(1),
            )
    scores = [
        score
        for arm in measured
        for score in measure_arm(arm, output, judged=given.rubrics is not None, further=further)
    ]
    tasks, reports = tasks_of(arms[0], output)
    alike = {
        measure: find_twins(
            {one.name: results[one.name][tasks.get(measure, reports)] for one in measured}
        )
        for measure in scores[0].values
    }
    return scores, twins, alike, costs, judges_of(scores[0].values, arms[0], output, further)


def _check_tables(folder: Path, arms: Sequence[Arm], topic_ids: Iterable[str]) -> None:
    """Refuse a folder whose tables are over further topics, which new tables would lose.

    Arms that they will lose, whose runs stay, are named.
    """
    from sidelight.ablation.runs import ARMS

    there = {path.name for path in (folder / ARMS).glob("[!.]*") if path.is_dir()}
    if lost := sorted(there.difference(arm.folder_name for arm in arms)):
        told = f"arms in {folder / ARMS} that are not in the grid, and so not in the tables"
        console.err.print(f"{told}: {', '.join(lost)}", style="yellow", markup=False)
    path = folder / EXPERIMENT
    if not path.exists():
        return
    try:
        before = set(read_json(read_limited(path))["topics"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: expected what `sidelight ablate` wrote; found something else",
            remedy="Delete the file; the tables beside it are then replaced.",
        ) from error
    if lacking := before.difference(topic_ids):
        raise UsageError(
            f"{folder} holds tables over {counted(len(before), 'topic')}; expected all of them "
            f"again; found {len(before) - len(lacking)}",
            remedy=f"Choose another folder with --output, or delete {path} to replace the tables.",
        )


def _search(
    arms: Sequence[Arm], folder: SearchIndex, grid: Grid, given: Material, output: Path
) -> tuple[list[TopicScore], dict[str, str]]:
    from sidelight.ablation.runs import SharedSources, hits_of, score_searches, search_arms

    with progress_bar("arms", total=len(arms)) as advance:
        sources = SharedSources(folder)
        search_arms(arms, given.queries, grid.hits, sources, output, lambda _: advance(1))
    twins = find_twins({arm.name: hits_of(arm, output) for arm in arms})
    distinct = [arm for arm in arms if arm.name not in twins]
    return score_searches(distinct, given.qrels, grid.measures, output), twins


def _unprovable(n_topics: int, n_arms: int) -> str:
    """Return that no test could show a difference, where that is so."""
    from sidelight.evaluation.scoring.table import CONFIDENCE, smallest_p_value

    least = smallest_p_value(n_topics) * n_arms
    if not n_arms or least <= 1 - CONFIDENCE:
        return ""
    told = f"a test on {counted(n_topics, 'topic')}, corrected for {counted(n_arms, 'arm')}"
    return f"{told}, can show no difference: its least p-value is {min(least, 1):.2g}"


def _plan(arms: Sequence[Arm], topics: Sequence[Topic]) -> console.Result:
    """Return what each arm changes, what it would ask of models, and what tests can show."""
    cannot = _unprovable(len(topics), sum(arm.same_as is None for arm in arms[1:]))
    arms_json, rows = [], []
    for arm in arms:
        cost = estimate_run(arm.settings, topics).total
        same, changes = arm.same_as, ", ".join(f"{key}={arm.changes[key]}" for key in arm.changes)
        about = {"name": arm.name, "changes": arm.changes, "same_as": same}
        arms_json.append({**about, "cost": cost.model_dump()})
        does = f"the same as {same}" if same else changes or "-"
        asks = cost.calls, cost.prompt_tokens + cost.completion_tokens
        rows.append((arm.name, does, *map(str, asks)))
    return console.Result(
        {"arms": arms_json},
        [
            console.PlainTable(("arm", "changes", "calls", "tokens"), rows),
            "Arms share cached hits, vectors and replies; the counts above assume no sharing.",
            *([f"note: {cannot}"] if cannot else ()),
        ],
    )
