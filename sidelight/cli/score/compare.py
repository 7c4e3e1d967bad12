"""`sidelight score compare`: which runs differ by more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, warn_of_few, warn_of_undefined
from sidelight.cli.options.inputs import Data
from sidelight.cli.options.judges import TASK
from sidelight.cli.options.results import Json, Output, Samples, Seed
from sidelight.cli.options.scores import MeasureName, Sampling, interval_cell, score_by_people
from sidelight.cli.result_table import ResultTable, list_files, write_results
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES
from sidelight.text import counted
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.scoring.compare import PairedComparison


def compare(  # long: half of it are options
    per_topic: Annotated[
        Path | None, typer.Argument(help="Per-topic results file of `score`.")
    ] = None,
    data: Data = None,
    task: Annotated[str | None, TASK] = None,
    measure: MeasureName = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Compare the other runs with this one only.")
    ] = None,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Compare runs pair by pair: difference, chance of it, and what could have been seen."""
    from sidelight.evaluation.scoring.compare import compare_runs, topic_values
    from sidelight.evaluation.scoring.files import read_topic_scores

    if per_topic:
        scores = topic_values(read_topic_scores(per_topic), measure, per_topic)
    elif data and task:
        by_people = score_by_people(data, load_track().task(task), measure)
        scores = topic_values(by_people, measure, data)
    else:
        raise UsageError("expected a per-topic results file, or --data and --task")
    if not scores.defined:
        raise InputError(
            f"{per_topic or data}: expected a measure of which there are values; found "
            f"{scores.measure.name}, undefined on all of {counted(len(scores.topic_ids), 'topic')}",
            remedy="Choose another one with --measure.",
        )
    pairs = compare_runs(scores, baseline=baseline, samples=samples, seed=seed)
    sampling = Sampling(samples, seed)
    table = _pairs_table(pairs, f"{scores.measure.name}_run_pairs")
    if as_json:
        print_json(
            {
                "measure": scores.measure.name,
                "n_topics": len(scores.topic_ids),
                "sampling": sampling._asdict(),
                "undefined": list(scores.undefined),
                "pairs": [
                    pair._asdict() | {"interval": pair.interval and pair.interval._asdict()}
                    for pair in pairs
                ],
                "files": [str(path) for path in write_results(output, [table])],
            }
        )
        return
    table.show()
    n_pairs = counted(len(pairs), "pair")
    for note in (
        f"{scores.measure.name} on {counted(len(scores.topic_ids), 'topic')}; {sampling}",
        f"p: paired randomisation test, two-sided; Holm: corrected for {n_pairs}",
        "detectable: true difference that is shown with a power of 80% at the corrected 5% level",
        "detectable -: no test on so few topics could show one",
    ):
        out.print(f"note: {note}", markup=False)
    if scores.undefined:
        undefined = {scores.measure.name: scores.undefined}
        warn_of_undefined(undefined, len(scores.topic_ids), "topic")
    warn_of_few(len(scores.topic_ids), "topic")
    list_files(write_results(output, [table]))


def _pairs_table(pairs: Sequence[PairedComparison], name: str) -> ResultTable:
    return ResultTable(
        name,
        [
            "pair",
            "difference",
            "95% interval",
            "p",
            "p (Holm)",
            "won",
            "lost",
            "tied",
            "detectable",
        ],
        [
            [
                f"{pair.first} - {pair.second}",
                f"{pair.difference:+.4f}",
                interval_cell(pair.interval),
                f"{pair.p_value:.4f}",
                f"{pair.p_holm:.4f}",
                str(pair.won),
                str(pair.lost),
                str(pair.tied),
                "-" if pair.detectable is None else f"{pair.detectable:.4f}",
            ]
            for pair in pairs
        ],
        [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.difference,
                "interval_low": pair.interval and pair.interval.low,
                "interval_high": pair.interval and pair.interval.high,
                "p_value": pair.p_value,
                "p_holm": pair.p_holm,
                "won": pair.won,
                "lost": pair.lost,
                "tied": pair.tied,
                "detectable": pair.detectable,
            }
            for pair in pairs
        ],
    )
