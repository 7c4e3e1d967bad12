"""`sidelight agree`: how far two sides agree on labels, scores or relevance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.score_options import Json, Sampling, Seed

if TYPE_CHECKING:
    from sidelight.evaluation.agreement import CategoryAgreement, SchemeAgreement
    from sidelight.evaluation.rank_agreement import ScoreComparison

app = typer.Typer(
    help="Measure a judge: compare its labels or scores with those of people.", no_args_is_help=True
)

First = Annotated[Path, typer.Argument(help="One side, such as people: the reference.")]
Second = Annotated[Path, typer.Argument(help="The other side, such as a judge.")]
Samples = Annotated[int, typer.Option("--samples", min=100, help="How often runs are drawn anew.")]


@app.command()
def labels(
    first: First,
    second: Second,
    rubrics: Annotated[
        Path | None,
        typer.Option("--rubrics", help="Folder of rubrics; shows agreement by importance, too."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two assessment files of one kind, on what both sides judged."""
    from sidelight.evaluation.agreement import compare_labels, read_two_sides
    from sidelight.formats.rubrics import read_rubrics

    kind, one, other = read_two_sides(first, second)
    found = compare_labels(kind, one, other, read_rubrics(rubrics) if rubrics else None)
    names = _names(first, second)
    if as_json:
        print_json(
            {
                "files": [str(first), str(second)],
                "schemes": [
                    _as_dict(scheme.overall)
                    | {
                        "by_importance": {
                            _title(importance.name): {"n": part.n, **part.coefficients}
                            for importance, part in scheme.by_importance.items()
                        }
                    }
                    for scheme in found.schemes
                ],
                "unjudged": found.unjudged,
                "only": found.only,
            }
        )
        return
    for scheme in found.schemes:
        _show_scheme(scheme, names)
    for name, unjudged, only in zip(names, found.unjudged, found.only, strict=True):
        out.print(
            f"{name}: {unjudged} of the shared rows unjudged, {only} rows of its own; not compared",
            markup=False,
        )


@app.command()
def scores(
    first: First,
    second: Second,
    measure: Annotated[
        str | None, typer.Option("--measure", help="Column to compare; the first one by default.")
    ] = None,
    samples: Samples = 1000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compare how two per-topic score files order the runs."""
    from sidelight.evaluation.rank_agreement import compare_scores
    from sidelight.evaluation.score_files import read_topic_scores

    one, other = read_topic_scores(first), read_topic_scores(second)
    column = measure or next(iter(one[0].values))
    sampling = Sampling(samples, seed)
    found = compare_scores(one, other, column, n_samples=samples, seed=seed)
    if as_json:
        from dataclasses import asdict

        print_json(
            {
                "files": [str(first), str(second)],
                "sampling": sampling._asdict(),
                **asdict(found),
            }
        )
        return
    _show_scores(found, _names(first, second))
    out.print(
        f"intervals: 95%, bootstrap over runs, {sampling}; "
        f"{found.intervals['tau_b'].n_undefined} samples were undefined and left out",
        markup=False,
    )


@app.command()
def qrels(
    first: First,
    second: Second,
    min_first: Annotated[
        int | None, typer.Option("--min-first", help="Lowest relevant grade of the first side.")
    ] = None,
    min_second: Annotated[
        int | None, typer.Option("--min-second", help="Lowest relevant grade of the second side.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two sets of relevance labels, on the documents that both label."""
    from sidelight.errors import UsageError
    from sidelight.evaluation.qrels_agreement import compare_qrels
    from sidelight.formats.qrels import read_qrels

    thresholds = None
    if min_first is not None and min_second is not None:
        thresholds = min_first, min_second
    elif min_first is not None or min_second is not None:
        raise UsageError("--min-first and --min-second go together: each side has its own scale")
    found = compare_qrels(read_qrels(first), read_qrels(second), thresholds)
    names, shares = _names(first, second), found.order.shares
    if as_json:
        print_json(
            {
                "files": [str(first), str(second)],
                "grades": _as_dict(found.grades),
                "relevance": _as_dict(found.relevance) if found.relevance else None,
                "thresholds": thresholds,
                "pair_order": shares,
                "only": found.only,
            }
        )
        return
    _show_agreement(found.grades, names)
    if found.used[0] != found.used[1]:
        out.print(
            f"note: the grades used differ ({_listed(found.used[0])} and {_listed(found.used[1])});"
            " if the scales do, only --min-first and --min-second make them comparable",
            markup=False,
        )
    if found.relevance and thresholds:
        out.print(f"\nRelevant: from {thresholds[0]} and from {thresholds[1]}", markup=False)
        _show_agreement(found.relevance, names)
    ordered = ", ".join(f"{name} {share:.3f}" for name, share in (shares or {}).items())
    out.print(f"\ndocument pairs within queries: {ordered or 'undefined'}", markup=False)
    for name, only in zip(names, found.only, strict=True):
        out.print(f"{name}: {only} labels of its own; not compared", markup=False)


def _show_scheme(scheme: SchemeAgreement, names: tuple[str, str]) -> None:
    _show_agreement(scheme.overall, names)
    if scheme.by_importance:
        print_table(
            ["by importance", "n", "raw", "kappa", "AC1"],
            [
                [_title(importance.name), str(part.n), *map(_cell, part.coefficients.values())]
                for importance, part in scheme.by_importance.items()
            ],
        )


def _show_agreement(found: CategoryAgreement, names: tuple[str, str]) -> None:
    """Print coefficients, confusion matrix and label shares."""
    one, other = names
    print_table(
        [f"{len(found.categories)} categories", "n", "raw", "kappa", "AC1"],
        [["agreement", str(found.n), *map(_cell, found.coefficients.values())]],
    )
    print_table(
        [f"{one} (rows), {other}", *found.categories],
        [
            [category, *map(str, counts)]
            for category, counts in zip(found.categories, found.table.tolist(), strict=True)
        ],
    )
    print_table(
        ["share of labels", one, other, "difference"],
        [
            [category, f"{left:.1%}", f"{right:.1%}", f"{right - left:+.1%}"]
            for category, (left, right) in found.shares.items()
        ],
    )


def _show_scores(found: ScoreComparison, names: tuple[str, str]) -> None:
    out.print(
        f"{found.measure}: {len(found.run_tags)} runs, {len(found.topic_ids)} topics", markup=False
    )
    rows = []
    for name, value in found.runs.items():
        interval, topics = found.intervals[name], found.topics[name]
        rows.append(
            [
                name.replace("_", "-"),
                _cell(value),
                f"{_cell(interval.low)} to {_cell(interval.high)}",
                _cell(topics.mean),
                f"{_cell(topics.low)} to {_cell(topics.high)}",
                _cell(found.pairs[name]),
            ]
        )
    print_table(["correlation", "runs", "interval", "mean of topics", "topics", "all pairs"], rows)
    undefined = found.topics["tau_b"].undefined
    if undefined:
        out.print(
            f"undefined on {len(undefined)} topics, which a side scored all alike; not in the mean",
            markup=False,
        )
    for place, name in enumerate(names):
        for group in found.ties[place]:
            out.print(f"tied by {name}: {', '.join(group)}", markup=False)
        for what, only in (("runs", found.only_runs), ("topics", found.only_topics)):
            if only[place]:
                out.print(f"{what} only in {name}: {', '.join(only[place])}", markup=False)


def _as_dict(found: CategoryAgreement) -> dict[str, object]:
    return {
        "categories": found.categories,
        "n": found.n,
        **found.coefficients,
        "confusion": found.table.tolist(),
        "shares": found.shares,
    }


def _names(first: Path, second: Path) -> tuple[str, str]:
    """Return what to call the two sides: as much of the ends of their paths as tells them apart."""
    depth = 1
    while first.parts[-depth:] == second.parts[-depth:] and depth < len(first.parts):
        depth += 1
    return str(Path(*first.parts[-depth:])), str(Path(*second.parts[-depth:]))


def _title(name: str) -> str:
    return name.replace("_", " ").lower()


def _cell(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _listed(grades: list[int]) -> str:
    return " ".join(map(str, grades))
