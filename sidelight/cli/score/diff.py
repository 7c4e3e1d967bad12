"""`sidelight score diff`: why our scores and the organizers' differ on the same files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.inputs import Commands, Data, Rubrics, Track
from sidelight.cli.options.results import Json
from sidelight.cli.options.scores import Assessments, Compound, Merge, required
from sidelight.formats.data_folder import DataPart
from sidelight.tracks import DEFAULT_TRACK, load_track

if TYPE_CHECKING:
    from sidelight.evaluation.scoring.organizers.diff import Causes, ScoreDiff

app = Commands(
    help="Explain how our scores differ from the organizers' script.", no_args_is_help=True
)

_MAX_NAMED = 3


@app.command(load_track().question_list.name)
def questions(
    *,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    compound: Compound = None,
    track: Track = DEFAULT_TRACK,
    as_json: Json = False,
) -> None:
    """Explain the differences in scores of question runs."""
    from sidelight.evaluation.scoring.organizers.diff import diff_question_scores
    from sidelight.formats.banks.rubrics import read_rubrics

    rules = load_track(track)
    diff = diff_question_scores(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        required(assessments, data, DataPart.QUESTION_ASSESSMENTS, "--assessments"),
        required(compound, data, DataPart.COMPOUND_CHECK, "--compound"),
    )
    _show(diff, as_json=as_json)


@app.command(load_track().cited_text.name)
def reports(
    *,
    data: Data = None,
    rubrics: Rubrics = None,
    assessments: Assessments = None,
    merge: Merge = False,
    track: Track = DEFAULT_TRACK,
    as_json: Json = False,
) -> None:
    """Explain the differences in scores of reports."""
    from sidelight.evaluation.scoring.organizers.diff import diff_report_scores
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.tracks import load_track

    rules = load_track(track)
    diff = diff_report_scores(
        rules,
        read_rubrics(required(rubrics, data, DataPart.RUBRICS, "--rubrics"), rules.scales),
        required(assessments, data, DataPart.REPORT_ASSESSMENTS, "--assessments"),
        merge=merge,
    )
    _show(diff, as_json=as_json)


def _show(diff: ScoreDiff, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_dict(diff))
        return
    for stop in diff.stops:
        out.print(f"{stop.place}: [{stop.handling.cause}] {stop.found}", markup=False)
    if diff.stops:
        out.print("The organizers' script stops there and gives no score.", markup=False)
    if diff.our_error:
        out.print(f"sidelight gives no score: {diff.our_error}", markup=False)
    if diff.gaps:
        print_table(
            ["run", "topic", "measure", "theirs", "ours", "causes"],
            [
                [
                    gap.run_tag,
                    gap.topic_id or "mean",
                    gap.measure.replace("_", " "),
                    "-" if gap.theirs is None else f"{gap.theirs:.4f}",
                    f"{gap.ours:.4f}",
                    _causes_cell(gap.causes),
                ]
                for gap in diff.gaps
            ],
        )
    handlings = dict.fromkeys(stop.handling for stop in diff.stops)
    handlings |= dict.fromkeys(handling for gap in diff.gaps for handling in gap.causes)
    for handling in handlings:
        out.print(
            f"{handling.cause}: the organizers' script {handling.theirs}; "
            f"sidelight {handling.ours}",
            markup=False,
        )
    if diff.agrees:
        out.print("no difference", markup=False)


def _as_dict(diff: ScoreDiff) -> dict[str, Any]:
    return {
        "stops": [
            {**stop.handling._asdict(), "place": stop.place, "found": stop.found}
            for stop in diff.stops
        ],
        "our_error": diff.our_error,
        "gaps": [
            gap._asdict()
            | {
                "causes": [
                    {**handling._asdict(), "ids": ids} for handling, ids in gap.causes.items()
                ]
            }
            for gap in diff.gaps
        ],
    }


def _causes_cell(causes: Causes) -> str:
    """Name the causes, and of what each is about the first few."""
    cells = []
    for handling, ids in causes.items():
        more = len(ids) - _MAX_NAMED
        named = ", ".join(ids[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        cells.append(f"{handling.cause} ({named})")
    return "; ".join(cells)
