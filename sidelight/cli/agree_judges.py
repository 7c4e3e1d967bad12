"""Commands `agree norms`, `answers` and `support`: hold learned judges against people's labels."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import (
    Files,
    PlainTable,
    Result,
    ResultTable,
    few_runs_warnings,
    few_warnings,
    write_results,
)
from sidelight.cli.options import (
    Data,
    Output,
    Rubrics,
    Samples,
    Seed,
    Track,
    WordsOnly,
    nuggets_option,
    required,
    track_of_scale,
)
from sidelight.cli.tables import correlation_table, run_means_table
from sidelight.formats.data_folder import DataPart
from sidelight.text import counted
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sidelight.evaluation.agreement.people import Agreed, NormComparison
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.text_vectors import Encode

_SIDES = "rubrics", "nuggets"
_IMPORTANCE = "nugget_importance"


def norms(  # long: half of it are options
    reports: Annotated[list[Path], typer.Argument(help="Runs of cited texts, at least three.")],
    *,
    track: Track = DEFAULT_TRACK,
    data: Data = None,
    rubrics: Rubrics = None,
    nuggets: Annotated[
        Path | None, nuggets_option("Take these instead of pooling the reports (JSONL).")
    ] = None,
    words_only: WordsOnly = False,
    samples: Samples = 1000,
    seed: Seed = 0,
    output: Output = None,
) -> Result:
    """Rank runs by experts' rubrics and by nuggets from their own reports, and compare.

    The embedded judge labels both, so that only the norm differs. Says how far the two rankings
    agree, and which questions of the experts no nugget answers.
    """
    from dataclasses import asdict

    from sidelight.evaluation.agreement.people import compare_norms
    from sidelight.formats.banks.nuggets import read_nuggets, write_nuggets
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.runs.submission import run_format
    from sidelight.tracks import load_track
    from sidelight.wiring.judges import open_encoder

    rules = load_track(track)
    known = read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales)
    read = run_format(rules.cited_text).read
    importance = track_of_scale(_IMPORTANCE, None).scales[_IMPORTANCE]
    found = asyncio.run(
        compare_norms(
            rules,
            known,
            [read(path) for path in reports],
            importance,
            None if words_only else open_encoder(),
            nuggets=read_nuggets(nuggets, importance) if nuggets else None,
            n_samples=samples,
            seed=seed,
        )
    )
    tables = [
        correlation_table(found.ranks),
        run_means_table(found.ranks, _SIDES),
        _missed_table(known, found),
    ]
    pooled = None if output is None or nuggets else output / "pooled_nuggets.jsonl"

    def write() -> Iterator[Path]:
        yield from write_results(output, tables)
        if pooled is not None:
            write_nuggets(pooled, found.nuggets.values())
            yield pooled

    return Result(
        {
            "nuggets": {topic: len(bank.nuggets) for topic, bank in found.nuggets.items()},
            "missed": {
                topic_id: [
                    {"rank": one.rank, "importance": one.importance.name, "question": one.text}
                    for one in questions
                ]
                for topic_id, questions in found.missed.items()
            },
            tables[2].name: tables[2].records,
            **asdict(found.ranks),
        },
        [
            *tables,
            *(
                f"no nugget answers, {topic_id}, {one.importance.name}: {one.text}"
                for topic_id, questions in found.missed.items()
                for one in questions
            ),
            *few_runs_warnings(len(found.ranks.run_tags)),
            Files(write),
        ],
    )


def _missed_table(rubrics: Mapping[str, Rubric], found: NormComparison) -> ResultTable:
    """Return how many questions of each importance no nugget answers."""
    asked = Counter(one.importance for rubric in rubrics.values() for one in rubric.questions)
    missed = Counter(one.importance for questions in found.missed.values() for one in questions)
    rows = [
        (label.name, asked[label], missed[label])
        for label in sorted(asked, key=lambda label: -label.credit)
    ]
    return ResultTable(
        "missed_questions",
        ["experts' questions", "asked", "no nugget answers"],
        [[name, str(asked), str(missed)] for name, asked, missed in rows],
        [
            {"importance": name, "questions": asked, "missed": missed}
            for name, asked, missed in rows
        ],
    )


_LEVELS = ("none", "partial", "full")


def answers(
    labels: Annotated[
        Path,
        typer.Argument(
            help="Answers with people's labels of nuggets, JSON lines as the RAG track's "
            "nugget assignments; plain or gzip."
        ),
    ],
    max_words: Annotated[
        int | None,
        typer.Option("--max-words", min=1, help="Words of an answer that count; all by default."),
    ] = None,
    words_only: WordsOnly = False,
) -> Result:
    """Hold the judge of answers against people's labels, without learning from them."""
    from sidelight.evaluation.agreement.people import agree_on_answers

    return _result(agree_on_answers(labels, _encode(words_only), max_words=max_words))


def support(
    labels: Annotated[
        Path,
        typer.Argument(
            help="Answers with people's labels of support, JSON lines as the RAG track's "
            "support judgments; plain or gzip."
        ),
    ],
    segments: Annotated[
        Path,
        typer.Option(
            "--segments", help="Texts of the cited segments, JSON lines with `references`."
        ),
    ],
    words_only: WordsOnly = False,
) -> Result:
    """Hold the judge of support against people's labels, without learning from them."""
    from sidelight.evaluation.agreement.people import agree_on_support

    return _result(agree_on_support(labels, segments, _encode(words_only)))


def _encode(words_only: bool) -> Encode | None:
    if words_only:
        return None
    from sidelight.wiring.judges import open_encoder

    return open_encoder().encode


def _result(found: Agreed) -> Result:
    return Result(
        found.model_dump(),
        [
            (
                f"{counted(found.n, 'label')} of {counted(found.runs, 'run')} on "
                f"{counted(found.topics, 'topic')}; "
                f"{found.left_out:,} left out for want of a text"
            ),
            PlainTable(
                ("figure", "value", "95% interval"),
                [
                    _row("kappa", found.kappa, found),
                    _row("accuracy", found.accuracy, found),
                    _row("tau of the runs", found.tau, found, "tau"),
                ],
            ),
            PlainTable(
                ("people (rows), judge", *_LEVELS),
                [
                    (level, *map(str, counts))
                    for level, counts in zip(_LEVELS, found.confusion, strict=True)
                ],
            ),
            *few_warnings(found.topics, "topic"),
        ],
    )


def _row(title: str, value: float | None, found: Agreed, key: str = "") -> tuple[str, str, str]:
    interval = found.intervals.get(key or title)
    return (
        title,
        "undefined" if value is None else f"{value:.3f}",
        f"{interval.low:.3f} to {interval.high:.3f}" if interval else "-",
    )
