"""`sidelight agree grades`: two sides' grades of the same questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.agree.tables import grade_tables, leaning
from sidelight.cli.console import out, print_json
from sidelight.cli.options.inputs import Track
from sidelight.cli.options.results import Json, Output
from sidelight.cli.result_table import list_files, write_results

if TYPE_CHECKING:
    from sidelight.schemas.grading.judgment import QuestionGrade


def grades(
    first: Annotated[Path, typer.Argument(help="Graded questions of the first side, of people.")],
    second: Annotated[Path, typer.Argument(help="Those of the second side.")],
    *,
    track: Track,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Compare two sides' grades of questions: how far they agree, and which side is generous."""
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.errors import InputError
    from sidelight.evaluation.agreement.categories import CategoryAgreement
    from sidelight.formats.labels.question_grades import read_question_grades

    scales = track_of_scale("question_quality", track).scales
    sides = [_by_key(read_question_grades(path, scales)) for path in (first, second)]
    both = sorted(sides[0].keys() & sides[1].keys())
    if not both:
        raise InputError(
            "there is no question that both files grade",
            remedy="Compare grades of the same runs.",
        )
    levels = scales["question_quality"].levels
    found = CategoryAgreement.of([(sides[0][key], sides[1][key]) for key in both], levels)
    tables = grade_tables(found, (first.name, second.name), "question_grades")
    if as_json:
        print_json(
            {"n": found.n, **found.coefficients, "lean": leaning(found), "shares": found.shares}
        )
        return
    for table in tables:
        table.show()
    only = [len(side) - len(both) for side in sides]
    out.print(f"graded by one side only: {only[0]} and {only[1]}; not compared", markup=False)
    list_files(write_results(output, tables))


def _by_key(found: list[QuestionGrade]) -> dict[tuple[str, str, int], str]:
    return {
        (one.topic_id, one.run_tag, one.run_question_rank): one.label
        for one in found
        if isinstance(one.label, str)
    }
