"""`sidelight agree norms`: the same reports ranked by experts' rubrics and by pooled nuggets."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.agree.tables import correlation_table, run_means_table
from sidelight.cli.console import out, print_json, warn_of_few_runs
from sidelight.cli.options.inputs import Data, Rubrics, Track, nuggets_option, track_of_scale
from sidelight.cli.options.judges import WordsOnly
from sidelight.cli.options.results import Json, Output, Samples, Seed
from sidelight.cli.options.scores import required
from sidelight.cli.result_table import ResultTable, list_files, write_results
from sidelight.formats.data_folder import DataPart
from sidelight.tracks import DEFAULT_TRACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.norms.compare import NormComparison
    from sidelight.schemas.grading.rubric import Rubric

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
    as_json: Json = False,
) -> None:
    """Rank runs by experts' rubrics and by nuggets from their own reports, and compare.

    The embedded judge labels both, so that only the norm differs. Says how far the two rankings
    agree, and which questions of the experts no nugget answers.
    """
    from dataclasses import asdict

    from sidelight.build.judges import open_encoder
    from sidelight.evaluation.norms.compare import compare_norms
    from sidelight.formats.banks.nuggets import read_nuggets, write_nuggets
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.runs.run_format import run_format
    from sidelight.tracks import load_track

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
    written = write_results(output, tables)
    if output is not None and nuggets is None:
        written.append(output / "pooled_nuggets.jsonl")
        write_nuggets(written[-1], found.nuggets.values())
    if as_json:
        print_json(
            {
                "nuggets": {topic: len(bank.nuggets) for topic, bank in found.nuggets.items()},
                "missed": {
                    topic_id: [
                        {"rank": one.rank, "importance": one.importance.name, "question": one.text}
                        for one in questions
                    ]
                    for topic_id, questions in found.missed.items()
                },
                **asdict(found.ranks),
            }
        )
        return
    for table in tables:
        table.show()
    for topic_id, questions in found.missed.items():
        for question in questions:
            out.print(
                f"no nugget answers, {topic_id}, {question.importance.name}: {question.text}",
                markup=False,
            )
    warn_of_few_runs(len(found.ranks.run_tags))
    list_files(written)


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
