"""Commands `reproduce` and `agree-people`: published figures again, and judges beside people."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import PlainTable, Result, Shown, few_warnings
from sidelight.cli.options import WordsOnly, data_option, output_option
from sidelight.cli.progress import progress_bar
from sidelight.registry import did_you_mean
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight_research.people import Agreed
    from sidelight_research.published import Figure, Target, Training


def reproduce(
    target: Annotated[
        str | None,
        typer.Argument(
            help="What to compute; without it, all whose files DATA holds. Without DATA, the list."
        ),
    ] = None,
    data: Annotated[Path | None, data_option("Folder that holds the published files.")] = None,
    output: Annotated[
        Path | None,
        output_option(
            "For targets that train: folder for weights or scores; without it none are kept."
        ),
    ] = None,
) -> Result:
    """Compare published figures with what this software makes of the same data."""
    from sidelight.errors import InputError, UsageError
    from sidelight_research.published import targets, trains

    known = targets()
    if target is not None and target not in known:
        told = f"there is no target {target!r}{did_you_mean(target, known)}"
        raise UsageError(told, remedy=f"One of: {', '.join(known)}")
    if data is None:
        if target is None:
            return _list(known)
        raise UsageError(
            f"{target} needs {', '.join(known[target].needs)}",
            remedy="\n".join(
                ("Name their folder with --data.", *known[target].sources(known[target].needs))
            ),
        )
    if not data.is_dir():
        raise InputError(
            f"{data}: expected a folder; found {'a file' if data.exists() else 'nothing'}",
            remedy="Name the folder that holds the published files.",
        )
    if target is None:
        return _reproduce_all(known, data, output)
    if output and not trains(target):
        raise UsageError(f"{target} trains nothing, so there is nothing for {output}")
    figures = _figures(target, data, output)
    shown = _shown(known[target].title, figures)
    return Result(_as_dict(target, figures), shown, exit_code=_exit_code(figures))


def _exit_code(figures: Iterable[Figure]) -> int:
    return 0 if all(figure.stands for figure in figures) else 1


def _list(known: Mapping[str, Target]) -> Result:
    return Result(
        [
            {"target": name, **item.model_dump(include={"title", "needs"})}
            for name, item in known.items()
        ],
        [
            "\n  ".join((name, item.title, *item.sources(item.needs)))
            for name, item in known.items()
        ],
    )


def _reproduce_all(known: Mapping[str, Target], data: Path, output: Path | None) -> Result:
    """Compute every target whose files are there, those that train last."""
    from sidelight.errors import InputError
    from sidelight_research.published import find_files, trains

    lacking: dict[str, str] = {}
    for name in known:
        try:
            find_files(name, data)
        except InputError as error:
            lacking[name] = error.message
    possible = sorted(known.keys() - lacking.keys(), key=lambda name: (trains(name), name))
    if not possible:
        raise InputError(
            f"{data}: expected files of published figures; found those of none",
            remedy="Without --data, `sidelight reproduce` lists what each needs.",
        )
    computed: dict[str, list[Figure]] = {}
    with progress_bar("targets", total=len(possible)) as advance:
        for name in possible:
            computed[name] = _figures(name, data, output / name if output else None)
            advance(1)
    return Result(
        {
            "targets": [_as_dict(name, figures) for name, figures in computed.items()],
            "left_out": lacking,
        },
        [
            *(
                one
                for name, figures in computed.items()
                for one in _shown(f"{name}: {known[name].title}", figures)
            ),
            *(f"left out, {name}: {reason}" for name, reason in lacking.items()),
        ],
        exit_code=_exit_code(chain.from_iterable(computed.values())),
    )


def _figures(target: str, data: Path, output: Path | None) -> list[Figure]:
    from sidelight_research.published import figures_of, trains

    return figures_of(target, data, _training(output) if trains(target) else None)


def _as_dict(target: str, figures: Sequence[Figure]) -> dict[str, object]:
    return {
        "target": target,
        "figures": [
            {
                "name": figure.name,
                "expected": figure.expected,
                "by": _whose(figure),
                "here": figure.here,
                "agrees": figure.agrees,
                "misprint": figure.misprint,
                "names": figure.names,
            }
            for figure in figures
        ],
    }


def _shown(title: str, figures: Sequence[Figure]) -> list[Shown]:
    rows = [
        (figure.name, figure.expected, _whose(figure), figure.shown, _verdict(figure))
        for figure in figures
    ]
    header = ("figure", "expected", "printed by", "here", "agrees")
    shown: list[Shown] = [title, PlainTable(header, rows)]
    for figure in figures:
        if figure.misprint and not figure.agrees:
            shown.append(f"{figure.name}: a misprint: {figure.misprint}")
        if figure.names:
            shown.append(f"{figure.name}: {', '.join(figure.names)}")
    return shown


def _whose(figure: Figure) -> str:
    return "sidelight" if figure.ours else "the source"


def _verdict(figure: Figure) -> str:
    if figure.agrees:
        return (
            "yes" if float(figure.shown) == float(figure.expected) else f"within {figure.within:g}"
        )
    return "misprint" if figure.misprint else "NO"


def _training(output: Path | None) -> Training:
    """Return what it takes to train; the figures were measured in single precision."""
    from sidelight.files import make_folder
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.encoding.onnx_model import Arithmetic
    from sidelight_research.published import Training

    if output:
        make_folder(output)
    return Training(Encoder().in_arithmetic(Arithmetic.FP32).sentence_encoder(), output)


_LEVELS = ("none", "partial", "full")


def agree_people(
    labels: Annotated[
        Path,
        typer.Argument(
            help="Answers with people's labels, JSON lines as the RAG track's nugget assignments "
            "or, with --segments, its support judgments; plain or gzip."
        ),
    ],
    *,
    segments: Annotated[
        Path | None,
        typer.Option(
            "--segments",
            help="Labels of support: texts of the cited segments, JSON lines with `references`.",
        ),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            "--max-words", min=1, help="Nuggets: words of an answer that count; all by default."
        ),
    ] = None,
    words_only: WordsOnly = False,
) -> Result:
    """Compare the judge of answers, or of support, with people's labels; nothing is learned."""
    from sidelight.errors import UsageError
    from sidelight.index.encoding.encoder import Encoder
    from sidelight_research.people import agree_on_answers, agree_on_support

    if segments is None:
        encoder = None if words_only else Encoder().sentence_encoder()
        return _result(agree_on_answers(labels, encoder, max_words=max_words))
    if max_words is not None or words_only:
        raise UsageError(
            "--max-words and --words-only are for labels of nuggets, and --segments for support, "
            "which is judged by words in any case"
        )
    return _result(agree_on_support(labels, segments))


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
