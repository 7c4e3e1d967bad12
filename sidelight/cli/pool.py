"""Commands `pool`: pool questions of several groups, and write what people judge, as sheets."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli import options
from sidelight.cli.console import IF_ASKED, Commands, Note, Result, interrupted, out
from sidelight.errors import InputError, UsageError
from sidelight.formats.data_folder import DataPart, look_for
from sidelight.formats.labels import assessments as labelled
from sidelight.formats.lines import write_json_lines
from sidelight.formats.runs.cited_sentences import inert
from sidelight.formats.table import read_table, separator_of, write_table
from sidelight.formats.topics import read_pooled_questions, write_pooled_questions
from sidelight.formats.verdict import read_articles, read_runs
from sidelight.llm.prompted import PromptedModel
from sidelight.retrieval.rerank import CrossEncoder
from sidelight.schemas.grading.judgment import LabelScale
from sidelight.text import counted, first_of
from sidelight.tracks import DEFAULT_TRACK, load_track
from sidelight.wiring.models import ask, models_by_name

if TYPE_CHECKING:
    from sidelight.evaluation.pooling import Pool, Refused, Score

app = Commands(
    help="Pool questions, join them to articles, and write sheets for people who judge.",
    no_args_is_help=True,
)


@app.command()
@options.takes_groups
@interrupted(IF_ASKED)
def questions(  # long: half of it are options
    groups: Annotated[
        list[str], typer.Argument(help="One for each group: NAME=RUN,RUN with its best run first.")
    ],
    *,
    output: Annotated[Path, options.output_option("File of pooled questions, three columns.")],
    per_group: Annotated[
        int, typer.Option("--per-group", min=1, help="Questions of each group for a topic.")
    ] = 3,
    track: options.Track = DEFAULT_TRACK,
    topics: Annotated[
        Path | None, options.topics_option("With --model: the articles (JSONL).")
    ] = None,
    model: Annotated[
        str | None,
        options.model_option("Ask this model; rules and an encoder decide if none is named."),
    ] = None,
    calls: options.ModelCalls,
    cache: options.Cache = None,
    at_once: options.AtOnce = options.DEFAULT_AT_ONCE,
    seed: options.Seed = 0,
) -> Result:
    """Pool questions of several groups in turns, without unfit and repeated ones."""
    from sidelight.evaluation.pooling import Refused, check_by_model, check_by_rules, pool_questions
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.text_vectors import TextVectors

    task = load_track(track).question_list
    runs = {name: read_runs(paths, task) for name, paths in _named(groups).items()}
    articles = (
        {one.topic_id: f"{one.title}\n{one.body}" for one in read_articles(topics)}
        if topics
        else {}
    )

    if model:
        access = calls.access(cache or output.with_name(f"{output.name}.replies"))

        async def work(models: Mapping[str, PromptedModel]) -> Pool:
            check = partial(check_by_model, models[model], articles, task)
            return await pool_questions(runs, check, per_group=per_group, seed=seed)

        pool = asyncio.run(ask(models_by_name([model], at_once), access, work))
    else:
        vectors = TextVectors(Encoder().encode_sentences)
        rules = partial(check_by_rules, vectors, task)
        pool = asyncio.run(pool_questions(runs, rules, per_group=per_group, seed=seed))
    count = sum(map(len, pool.questions.values()))
    if not count:
        reason = pool.refused[0].reason if pool.refused else "the runs hold none"
        raise InputError(
            f"expected questions that can be pooled; found none: {reason}",
            remedy="Give runs of questions that make sense without the article. If replies of a "
            "model were unusable, the same command asks again.",
        )
    write_pooled_questions(output, pool.questions)
    left_out = output.with_name(f"{output.name}.left_out.csv")
    write_table(left_out, Refused._fields, pool.refused)
    return Result(
        {
            "topics": len(pool.questions),
            "questions": count,
            "refused": [one._asdict() for one in pool.refused],
            "short": pool.short,
            "output": str(output),
            "left_out": str(left_out),
        },
        [
            (
                f"{counted(count, 'question')} on {counted(len(pool.questions), 'topic')}; "
                f"left out {len(pool.refused):,} that were unfit or repeated\n"
                f"  {output}\n  {left_out}"
            ),
            *_by_reason(pool.refused),
            *(
                Note(f"{topic_id}: {lacking} too few: the groups have no more", "yellow")
                for topic_id, lacking in pool.short.items()
            ),
        ],
    )


def _by_reason(refused: Iterable[Refused]) -> Iterator[str]:
    """Say how many questions of which runs were left out for a reason, whatever it quotes."""
    runs: dict[str, Counter[str]] = defaultdict(Counter)
    for one in refused:
        runs[re.sub("'[^']*'", "...", one.reason.partition(":")[0])][one.run_tag] += 1
    for reason, of in sorted(runs.items(), key=lambda item: -item[1].total()):
        told = first_of([f"{number:,} of {tag}" for tag, number in of.most_common()])
        yield f"left out {of.total():,}: {reason} ({told})"


@app.command()
def topics(
    questions: Annotated[Path, typer.Argument(help="File of pooled questions, three columns.")],
    *,
    articles: Annotated[Path, typer.Option("--articles", help="The articles (JSONL).")],
    output: Annotated[Path, options.output_option("Topics file (JSONL) for `sidelight run`.")],
) -> None:
    """Join pooled questions to their articles, so that a run finds documents for them."""
    asked = read_pooled_questions(questions)
    known = {one.topic_id: one for one in read_articles(articles)}
    if lacking := sorted(asked.keys() - known.keys()):
        raise InputError(
            f"{articles}: expected the articles of all questions; found no {lacking[0]}",
            remedy="Give the articles that the questions were asked about.",
        )
    kept = {"url", "title", "headings", "body"}
    write_json_lines(
        output,
        (
            {"docid": name, **known[name].model_dump(include=kept), "questions": texts}
            for name, texts in asked.items()
        ),
    )
    out.print(f"{counted(len(asked), 'topic')}\n  {output}", markup=False)


def _named(groups: list[str]) -> dict[str, list[Path]]:
    """Return the runs of each group."""
    found: dict[str, list[Path]] = {}
    for text in groups:
        name, _, paths = text.partition("=")
        runs = [Path(path) for path in paths.split(",") if path]
        if not name or not runs or name in found:
            raise UsageError(
                f"expected NAME=RUN,RUN, each name once; found {text!r}",
                remedy="Try: sidelight pool questions one=a.tsv,b.tsv other=c.tsv -o pooled.tsv",
            )
        found[name] = runs
    return found


@app.command()
def pairs(  # long: a third of it are options
    runs: Annotated[list[Path], typer.Argument(help="Runs of questions.")],
    *,
    output: Annotated[Path, options.output_option("Sheet of pairs to write (CSV).")],
    embedder: Annotated[
        str | None,
        typer.Option(help="Name or path of a sentence-transformers model; the bundled one if not."),
    ] = None,
    reranker: Annotated[
        str | None, typer.Option(help="Name or path of a cross-encoder, as a second opinion.")
    ] = None,
    track: options.Track = DEFAULT_TRACK,
    data: options.Data = None,
    rubrics: options.Rubrics = None,
) -> Result:
    """Pool pairs to judge: of each run, the nearest question to each question of a rubric.

    The nearest by an embedder and by a reranker: one pair where they agree, else two. People fill
    in the last column of the sheet with a label that the column before it lists; `score` and
    `agree labels` read it.
    """
    from sidelight.evaluation.labelling.run_kinds import TaskRuns
    from sidelight.evaluation.pooling import PooledPair, pool_pairs
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER

    rules = load_track(track)
    known = options.known_rubrics(rubrics, data, rules)
    given = read_runs(runs, rules.question_list)
    # Refuses runs that have no topic of the rubrics.
    TaskRuns(rules.question_list, known, given).cases()
    models = {"embedder": _cosine(embedder or DEFAULT_ENCODER)}
    if reranker:
        models["reranker"] = CrossEncoder(reranker).score
    pool = pool_pairs(known, given, models)
    wanted = {(topic, one.rank): one.text for topic, its in known.items() for one in its.questions}
    asked = {
        (run.run_tag, one.topic_id, one.rank): one.text for run in given for one in run.questions
    }
    rows = (
        (
            *pair[:-1],
            "+".join(pair.chosen_by),
            wanted[pair.topic_id, pair.rubric_question_rank],
            inert(asked[pair.run_tag, pair.topic_id, pair.run_question_rank]),
        )
        for pair in pool.pairs
    )
    columns = (*PooledPair._fields, "rubric_question", "run_question")
    labels = _write_sheet(output, columns, rows, rules.scales[labelled.QUESTION_ASSESSMENTS.scale])
    more = len(pool.pairs) - pool.cells
    return Result(
        {
            "pairs": len(pool.pairs),
            "cells": pool.cells,
            "all_pairs": pool.all_pairs,
            "labels": labels,
            "output": str(output),
        },
        [
            (
                f"{counted(len(pool.pairs), 'pair')} to judge of {pool.all_pairs:,}: one for each "
                f"of {pool.cells:,} rubric questions and runs, and {more:,} more where the "
                f"models differ\n  {output}"
            ),
            _FILL_IN.format(", ".join(labels)),
        ],
    )


@app.command()
def answers(
    runs: Annotated[list[Path], typer.Argument(help="Runs of reports.")],
    *,
    output: Annotated[Path, options.output_option("Sheet of answers to write (CSV).")],
    track: options.Track = DEFAULT_TRACK,
    data: options.Data = None,
    rubrics: options.Rubrics = None,
) -> Result:
    """Write a sheet of each answer of a rubric beside each report, for people to label.

    Reports are cut at the limit of the task, as for a judge. People fill in the last column with a
    label that the column before it lists; `score` and `agree labels` read the sheet.
    """
    from sidelight.evaluation.labelling.run_kinds import read_task_runs

    rules = load_track(track)
    known = options.known_rubrics(rubrics, data, rules)
    cases = read_task_runs(rules.cited_text, runs, known).cases()
    rows = [
        (*place, answer.answer_id, question.text, answer.text, inert(case.submission.text))
        for place, case in cases.items()
        for question in case.rubric.questions
        for answer in question.answers
    ]
    columns = (*labelled.ANSWER_ASSESSMENTS.key, "question", "answer", "report")
    labels = _write_sheet(output, columns, rows, rules.scales[labelled.ANSWER_ASSESSMENTS.scale])
    people = look_for(data, DataPart.REPORT_ASSESSMENTS) if data else None
    kind = labelled.ANSWER_ASSESSMENTS
    given = labelled.read_merged_assessments(people, kind, rules.scales) if people else ()
    judged = {kind.key_of(one) for one in given if isinstance(one.label, str)}
    n_known = sum(row[:3] in judged for row in rows)
    told = f"{counted(len(rows), 'answer')} to label in {counted(len(cases), 'report')}"
    told += f"; {n_known} of them have labels in {people}" if n_known else ""
    document = {"answers": len(rows), "reports": len(cases), "labels": labels, "known": n_known}
    shown = [f"{told}\n  {output}", _FILL_IN.format(", ".join(labels))]
    return Result({**document, "output": str(output)}, shown)


_FILL_IN = f"Fill in {labelled.PEOPLE_LABELS}: one of {{}}, or nothing where nobody can judge."


def _write_sheet(
    path: Path, columns: Iterable[str], rows: Iterable[tuple[object, ...]], scale: LabelScale
) -> list[str]:
    """Write rows for people to label, with the labels that there are; return these.

    A row that the file has already keeps what people wrote there, and cells stay between what
    separated them. If a row of the file, or a note in a column of people's own, has no place in
    the new sheet, InputError is raised and the file stays as it is: somebody may be at work on it.
    """
    labels = [*scale.writings]
    header = (*columns, "labels", labelled.PEOPLE_LABELS)
    sheet = [(*map(str, row), ", ".join(labels)) for row in rows]
    exists = path.is_file() and path.stat().st_size > 0
    written = _written_by_people(path, header) if exists else {}
    if lost := written.keys() - set(sheet):
        raise InputError(
            f"{path}: expected no file, or a sheet whose rows all belong to the new one; found "
            f"{counted(len(lost), 'row')} that it does not have, or with cells of your own",
            remedy="Name the runs of that sheet, too; or write the new sheet under another name: "
            "give another --output.",
        )
    kept = ((*row, written.get(row, "")) for row in sheet)
    write_table(path, header, kept, separator_of(path) if exists else ",")
    return labels


def _written_by_people(path: Path, header: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return the label of each row in a sheet, which may be empty, by the row's other cells.

    Notes in columns of people's own count as cells, so that no new row is like theirs.
    """
    written = {}
    *judged, label = header
    for _, cells in read_table(path)[1]:
        notes = [text for name, text in cells.items() if name not in header and text.strip()]
        row = (*(cells.get(name, "") for name in judged), *notes)
        written[row] = cells.get(label, "")
    return written


def _cosine(name: str) -> Score:
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.text_vectors import TextVectors

    vectors = TextVectors(Encoder(name).encode_sentences)
    return lambda query, texts: vectors.similarity([query], list(texts))[0].tolist()
