"""`sidelight score headroom`: how far the best run of each topic is from all runs together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sidelight.cli.console import out, print_json
from sidelight.cli.options.inputs import Commands, Data, Rubrics, Track
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.options.scores import Assessments, Compound, from_data, required
from sidelight.cli.result_table import ResultTable, list_files, write_results
from sidelight.formats.data_folder import DataPart
from sidelight.tracks import DEFAULT_TRACK, load_track

if TYPE_CHECKING:
    from sidelight.evaluation.scoring.headroom import TopicHeadroom
    from sidelight.schemas.task import Task

app = Commands(help="Show each topic's best run below its ceiling.", no_args_is_help=True)

Output = Annotated[Path, output_option("Folder for the table and the figure.")]


@app.command(load_track().question_list.name)
def questions(
    *,
    output: Output,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    compound: Compound = None,
    track: Track = DEFAULT_TRACK,
    as_json: Json = False,
) -> None:
    """Show the headroom of question runs."""
    from sidelight.evaluation.scoring.headroom import question_headroom
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.labels.assessments import (
        COMPOUND_ASSESSMENTS,
        QUESTION_ASSESSMENTS,
        read_assessments,
    )

    assessments = required(assessments, data, DataPart.QUESTION_ASSESSMENTS, "--assessments")
    compound = from_data(compound, data, DataPart.COMPOUND_CHECK)
    rules = load_track(track)
    topics = question_headroom(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        read_assessments(assessments, QUESTION_ASSESSMENTS, rules.scales),
        read_assessments(compound, COMPOUND_ASSESSMENTS, rules.scales) if compound else None,
    )
    _deliver(topics, rules.question_list, assessments, output, as_json=as_json)


@app.command(load_track().cited_text.name)
def reports(
    *,
    output: Output,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    track: Track = DEFAULT_TRACK,
    as_json: Json = False,
) -> None:
    """Show the headroom of reports."""
    from sidelight.evaluation.scoring.headroom import report_headroom
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.labels.assessments import ANSWER_ASSESSMENTS, read_assessments
    from sidelight.tracks import load_track

    assessments = required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments")
    rules = load_track(track)
    topics = report_headroom(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        read_assessments(assessments, ANSWER_ASSESSMENTS, rules.scales),
    )
    _deliver(topics, rules.cited_text, assessments, output, as_json=as_json)


def _deliver(
    topics: list[TopicHeadroom], task: Task, assessments: Path, output: Path, *, as_json: bool
) -> None:
    """Print and write the numbers; then draw them, which needs matplotlib."""
    from sidelight.evaluation.figures.headroom import draw_headroom
    from sidelight.evaluation.scoring.files import label_source, score_prefix

    source = label_source(assessments)
    title = f"{task.scores_name.replace('_', ' ').capitalize()}, {source} labels"
    table = ResultTable(
        f"{score_prefix(source, task)}_headroom",
        ["topic", "ceiling", "best", "mean", "contradiction", "best runs"],
        [
            [
                topic.topic_id,
                f"{topic.ceiling:.4f}",
                f"{topic.best:.4f}",
                f"{topic.mean:.4f}",
                "-" if topic.mean_contradiction is None else f"{topic.mean_contradiction:.4f}",
                ", ".join(topic.best_runs),
            ]
            for topic in topics
        ],
        [_record(topic) for topic in topics],
        lambda paths: draw_headroom(topics, title, paths),
    )
    if as_json:
        print_json(
            {
                "labels": source,
                "topics": [topic._asdict() for topic in topics],
                "files": [str(path) for path in write_results(output, [table])],
            }
        )
        return
    table.show()
    out.print(f"labels: {source}", markup=False)
    list_files(write_results(output, [table]))


def _record(topic: TopicHeadroom) -> dict[str, object]:
    """Return a row of the CSV; `;` separates the best runs, and questions have one column less."""
    record = topic._asdict() | {"best_runs": ";".join(topic.best_runs)}
    if topic.mean_contradiction is None:
        del record["mean_contradiction"]
    return record
