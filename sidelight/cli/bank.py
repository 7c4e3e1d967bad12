"""Commands `bank` and `nuggets`: make, merge, edit, compare and show banks of items."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli import console, options
from sidelight.cli.judge import estimate_result
from sidelight.cli.progress import progress_bar
from sidelight.errors import InputError, ReplyError, UsageError
from sidelight.evaluation.labelling.asking import PromptCounter
from sidelight.formats.banks.exams import drafted_from, read_exams, read_query_texts, write_exams
from sidelight.formats.banks.nuggets import read_nuggets, write_nuggets
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.verdict import read_topics
from sidelight.llm.prompted import PromptedModel
from sidelight.schemas.grading.rubric import ExamBank, NuggetBank, Style, bank_version
from sidelight.schemas.topic import Narrative
from sidelight.text import counted
from sidelight.tracks import load_track
from sidelight.wiring.models import ModelAccess, answered, ask, models_by_name

if TYPE_CHECKING:
    from sidelight.evaluation.exams.banks import DraftedQuery, Drafts

_MOST_ITEMS = 50
_NO_FACT = "no document holds a fact that bears on it"


@options.takes_groups
@console.interrupted(console.IF_ASKED)
def draft(  # long: half of it are options
    *,
    queries: Annotated[
        Path,
        options.queries_option(
            "One JSON object of texts by id, or lines `id<TAB>text`; a subtopic is "
            "`query/subtopic<TAB>title / subtopic`."
        ),
    ],
    output: Annotated[Path, options.output_option("The bank to write; packed if it ends in .gz.")],
    style: Annotated[
        Style,
        typer.Option(
            "--style",
            help="Questions that break a query down (dl), questions on "
            "a subtopic (car), or key facts.",
        ),
    ] = Style.DL,
    count: Annotated[int, options.count_option("Items for each query.", max=_MOST_ITEMS)] = 10,
    model: Annotated[str | None, options.model_option("Ask this model.")] = None,
    passages: Annotated[
        Path | None,
        typer.Option(
            "--passages",
            help="Without a model: take key facts of these passages, laid out as graded ones.",
        ),
    ] = None,
    calls: options.ModelCalls,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
    cache: options.Cache = None,
    estimate: options.Estimate = False,
) -> console.Result:
    """Draft a bank for people to refine: by a model, or from what passages have in common."""
    if (model is None) is (passages is None):
        raise UsageError(
            "expected --model, which drafts, or --passages, from which facts are taken",
            remedy="Give one of the two.",
        )
    texts = read_query_texts(queries)
    failed: tuple[tuple[str, str], ...] = ()
    if estimate:
        return _cost(texts, style, count, at_once)
    if model is not None:
        access = calls.access(cache or output.with_name(f"{output.name}.{options.REPLIES}"))
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
    told = f"{output}: {counted(len(banks), 'query')}, {counted(items, 'item')}, version {version}"
    return console.Result(
        {
            "written": str(output) if banks else None,
            "queries": len(banks),
            "items": items,
            "version": version,
            "failed": dict(failed),
        },
        [*([told] if banks else []), *console.failures(failed, "bank")],
        exit_code=1 if failed or not banks else 0,
    )


def _ask(
    model: str, access: ModelAccess, at_once: int, texts: dict[str, str], style: Style, count: int
) -> Drafts:
    from sidelight.evaluation.exams.banks import draft_banks

    queries = _queries(texts, style)
    with progress_bar("banks", total=len(queries)) as advance:
        return asyncio.run(
            ask(
                models_by_name([model], at_once),
                access,
                lambda models: draft_banks(models[model], queries, style, count, advance),
            )
        )


def _cost(texts: dict[str, str], style: Style, count: int, at_once: int) -> console.Result:
    from sidelight.evaluation.exams.banks import draft_banks

    counter, queries = PromptCounter(), _queries(texts, style)
    asyncio.run(draft_banks(counter, queries, style, count))
    return estimate_result(counter.estimate(count * len(queries), at_once), at_once)


def _queries(texts: dict[str, str], style: Style) -> list[DraftedQuery]:
    """Return what to draft for; an id before the last slash is the query's, after it a subtopic."""
    from sidelight.evaluation.exams.banks import DraftedQuery

    found = []
    for query_id, text in texts.items():
        topic_id, _, subtopic_id = query_id.rpartition("/") if style is Style.CAR else ("", "", "")
        found.append(DraftedQuery(topic_id or query_id, subtopic_id if topic_id else "", text))
    return found


def _extract(passages: Path, texts: dict[str, str], count: int) -> tuple[ExamBank, ...]:
    from sidelight.evaluation.exams.banks import extract_bank

    return tuple(
        drafted_from(
            extract_bank(
                query.query_id,
                texts[query.query_id],
                (passage.text for passage in query.passages),
                count,
            ),
            [passage.passage_id for passage in query.passages],
        )
        for query in read_graded(passages)
        if query.query_id in texts
    )


app = console.Commands(
    help="Banks of test questions or nuggets that passages are graded by.", no_args_is_help=True
)
app.command()(draft)

BankFile = Annotated[
    Path, options.output_option("The bank to write; packed if its name ends in .gz.")
]


@app.command()
def merge(
    banks: Annotated[list[Path], typer.Argument(metavar="BANK...", help="Banks of one kind.")],
    *,
    output: BankFile,
) -> console.Result:
    """Put the items of several banks together; the same words are one item."""
    from sidelight.evaluation.exams.banks import merge_banks

    return _written(output, merge_banks(map(read_exams, banks)))


@app.command()
def edit(
    bank: options.BankPath,
    *,
    output: BankFile,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", help="QUERY=TEXT, or QUERY/SUBTOPIC=TEXT: one more item; repeat."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option("--drop", help="Id of an item to leave out; repeat.")
    ] = None,
    reword: Annotated[
        list[str] | None,
        typer.Option("--reword", help="ITEM=TEXT: other words for an item; repeat."),
    ] = None,
) -> console.Result:
    """Add, leave out and reword items; a reworded item is new and is graded again."""
    from sidelight.evaluation.exams.banks import edit_banks

    changed = edit_banks(
        read_exams(bank),
        add=[_pair("--add", text) for text in add or ()],
        drop=drop or (),
        reword=dict(_pair("--reword", text) for text in reword or ()),
    )
    return _written(output, changed)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A bank.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another, such as a later version.")],
) -> console.Result:
    """List the items that only one of two banks has."""
    from dataclasses import asdict

    from sidelight.evaluation.exams.banks import diff_banks

    sides = read_exams(old), read_exams(new)
    changes, versions = diff_banks(*sides), [bank_version(one) for one in sides]
    return console.Result(
        {"versions": versions, "changes": [asdict(one) for one in changes]},
        [
            *(
                f"{'+' if one.what == 'added' else '-'} {one.item_id}  {one.text}"
                for one in changes
            ),
            f"{counted(len(changes), 'item')} in one bank only; versions {' and '.join(versions)}",
        ],
    )


@app.command()
def show(
    bank: options.BankPath,
    *,
    query: Annotated[str | None, options.query_option("Show the items of this query.")] = None,
) -> console.Result:
    """Show the version of a bank and its queries, or the items of one."""
    banks = read_exams(bank)
    shown = [one for one in banks if query in {None, one.topic_id}]
    if not shown:
        raise UsageError(f"{bank}: no query {query}")
    document = {
        "version": bank_version(banks),
        "queries": [
            {
                "query_id": one.topic_id,
                "subtopic_id": one.subtopic_id,
                "query": one.query_text,
                "kind": one.kind,
                "items": [{"item_id": item.item_id, "text": item.text} for item in one.items],
            }
            for one in shown
        ],
    }
    if query is None:
        rows = [
            (one.topic_id, one.subtopic_id, one.kind, str(len(one.items)), one.query_text)
            for one in banks
        ]
        table = console.PlainTable(("query", "subtopic", "kind", "items", "text"), rows)
        return console.Result(document, [table, _summary(banks)])
    lines = [
        line
        for one in shown
        for line in (one.query_text, *(f"  {item.item_id}  {item.text}" for item in one.items))
    ]
    return console.Result(document, [*lines, _summary(banks)])


def _written(path: Path, banks: tuple[ExamBank, ...]) -> console.Result:
    write_exams(path, banks)
    document = {"written": str(path), "version": bank_version(banks)}
    return console.Result(document, [f"{path}: {_summary(banks)}"])


def _summary(banks: tuple[ExamBank, ...]) -> str:
    items = sum(len(one.items) for one in banks)
    return (
        f"queries or subtopics: {len(banks)}, {counted(items, 'item')}, version "
        f"{bank_version(banks)}"
    )


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise UsageError(f"{option}: expected NAME=TEXT; found {text!r}")
    return name.strip(), value.strip()


@options.takes_groups
@console.interrupted(console.REPLIES_KEPT)
def nuggets(  # long: half of it are options
    *,
    topics: Annotated[
        Path | None,
        options.topics_option("The narratives: the track's topics file, or what `split` makes."),
    ] = None,
    rubrics: Annotated[
        Path | None,
        options.rubrics_option("Folder of rubrics (*.json): each of their answers is a nugget."),
    ] = None,
    qrels: Annotated[Path | None, options.QRELS] = None,
    index: Annotated[Path | None, options.index_option("Folder that holds the documents.")] = None,
    nuggets: Annotated[
        Path | None,
        options.nuggets_option("Existing nuggets (JSONL): only assign them to sub-narratives."),
    ] = None,
    models: Annotated[
        list[str] | None,
        options.model_option("Ask this model; repeat. The first one merges and weighs all lists."),
    ] = None,
    output: Annotated[Path, options.output_option("File of nuggets to write (JSONL).")],
    cache: Annotated[Path | None, options.cache_option("Folder of the models' replies.")] = None,
    track: options.TrackWithNuggets = None,
    calls: options.ModelCalls,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
) -> console.Result:
    """Make nuggets: at most 30 facts a topic, vital or okay, from documents graded 1 or higher.

    Where a topic has sub-narratives, each nugget gets the one that it belongs to. Of --rubrics, and
    without a model, the answers are the nuggets, vital where their question is most important.
    """
    from sidelight.evaluation.nuggets import create
    from sidelight.index.folder import open_index

    rules = options.track_of_scale("nuggets", track)
    importance = rules.scales["nugget_importance"]
    if rubrics and not (topics or qrels or index or nuggets or models):
        scales = load_track().scales
        known = read_rubrics(rubrics, scales).values()
        of_rubrics = [create.nuggets_of(one, scales["importance"], importance) for one in known]
        return _made(output, of_rubrics, {}, {})
    if rubrics or topics is None or not models or cache is None:
        told = (
            "expected --topics, --model and --cache, or --rubrics alone, whose answers are nuggets"
        )
        raise UsageError(told)
    narratives = {
        one.topic_id: one for one in read_topics(topics, rules) if isinstance(one, Narrative)
    }
    if nuggets is None and (qrels is None or index is None):
        raise UsageError(
            "nuggets are made of graded documents: expected --qrels and --index",
            remedy="Give both, or --nuggets, a file of nuggets that there are.",
        )
    made_of = read_nuggets(nuggets, importance) if nuggets else {}
    grades = read_qrels(qrels) if qrels else {}
    docstore = open_index(index).docstore if index else None
    judged = [topic_id for topic_id in narratives if topic_id in (made_of or grades)]
    if not judged:
        raise InputError(
            f"{nuggets or qrels}: expected those of the topics in {topics}; found none",
            remedy="Give the nuggets or grades of these topics.",
        )

    async def one(topic_id: str, asked: Mapping[str, PromptedModel]) -> NuggetBank | None:
        narrative, bank = narratives[topic_id], made_of.get(topic_id)
        try:
            if docstore is not None and bank is None:
                wanted = create.documents_to_read(grades[topic_id])
                known = docstore.find(wanted)
                bank = await create.create_nuggets(
                    topic_id,
                    narrative.narrative,
                    [known[name].text for name in wanted if name in known],
                    list(asked.values()),
                    importance,
                )
            if bank is not None and narrative.sub_questions:
                parts, model = narrative.sub_questions, next(iter(asked.values()))
                bank = await create.sort_nuggets(bank, narrative.narrative, parts, model)
        finally:
            advance(1)
        return bank

    async def work(
        asked: Mapping[str, PromptedModel],
    ) -> tuple[dict[str, NuggetBank | None], dict[str, ReplyError]]:
        return await answered({topic_id: one(topic_id, asked) for topic_id in judged})

    access = calls.access(cache)
    with progress_bar("topics", total=len(judged)) as advance:
        made, errors = asyncio.run(ask(models_by_name(models, at_once), access, work))
    banks = [bank for bank in made.values() if bank is not None]
    failed = {topic_id: error.message for topic_id, error in errors.items()}
    failed |= dict.fromkeys((name for name, bank in made.items() if bank is None), _NO_FACT)
    queries = {name: one.narrative for name, one in narratives.items()}
    found = _made(output, banks, queries, failed)
    return found._replace(exit_code=1) if errors else found


def _made(
    output: Path, banks: list[NuggetBank], queries: Mapping[str, str], failed: Mapping[str, str]
) -> console.Result:
    """Write nuggets, and return how many there are and which topics have none."""
    if banks:
        write_nuggets(output, banks, queries)
    total = sum(len(bank.nuggets) for bank in banks)
    told = f"{counted(total, 'nugget')} of {counted(len(banks), 'topic')}: {output}"
    return console.Result(
        {
            "written": str(output) if banks else None,
            "topics": len(banks),
            "nuggets": total,
            "failed": failed,
        },
        [*([told] if banks else []), *console.failures(failed.items(), "nuggets")],
        exit_code=0 if banks else 1,
    )
