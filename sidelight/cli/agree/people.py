"""`sidelight agree answers|support`: the learned judges against people's labels in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table, warn_of_few
from sidelight.cli.options.judges import WordsOnly
from sidelight.cli.options.results import Json
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.evaluation.training.held_against_people import Agreed
    from sidelight.text_vectors import Encode

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
    as_json: Json = False,
) -> None:
    """Hold the judge of answers against people's labels, without learning from them."""
    from sidelight.evaluation.training.held_against_people import agree_on_answers

    _report(agree_on_answers(labels, _encode(words_only), max_words=max_words), as_json=as_json)


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
    as_json: Json = False,
) -> None:
    """Hold the judge of support against people's labels, without learning from them."""
    from sidelight.evaluation.training.held_against_people import agree_on_support

    _report(agree_on_support(labels, segments, _encode(words_only)), as_json=as_json)


def _encode(words_only: bool) -> Encode | None:
    if words_only:
        return None
    from sidelight.build.judges import open_encoder

    return open_encoder().encode


def _report(found: Agreed, *, as_json: bool) -> None:
    if as_json:
        print_json(found.model_dump())
        return
    out.print(
        f"{counted(found.n, 'label')} of {counted(found.runs, 'run')} on "
        f"{counted(found.topics, 'topic')}; "
        f"{found.left_out:,} left out for want of a text"
    )
    print_table(
        ("figure", "value", "95% interval"),
        [
            _row("kappa", found.kappa, found),
            _row("accuracy", found.accuracy, found),
            _row("tau of the runs", found.tau, found, "tau"),
        ],
    )
    print_table(
        ("people (rows), judge", *_LEVELS),
        (
            (level, *map(str, counts))
            for level, counts in zip(_LEVELS, found.confusion, strict=True)
        ),
    )
    warn_of_few(found.topics, "topic")


def _row(title: str, value: float | None, found: Agreed, key: str = "") -> tuple[str, str, str]:
    interval = found.intervals.get(key or title)
    return (
        title,
        "undefined" if value is None else f"{value:.3f}",
        f"{interval.low:.3f} to {interval.high:.3f}" if interval else "-",
    )
