"""`sidelight rubric verify` and `corrections`: people check grades on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.options.exams import (
    GradedPath,
    GraderName,
    MinGrade,
    bank_option,
    lowest_relevant,
)
from sidelight.cli.options.inputs import Track, queries_option, query_option
from sidelight.cli.options.results import Json, output_option
from sidelight.text import counted
from sidelight.tracks import EXAM_TRACK


def verify(
    graded: GradedPath,
    *,
    output: Annotated[Path, output_option("The page to write (.html).")],
    grader: GraderName = None,
    bank: Annotated[
        list[Path] | None, bank_option("Shows the texts of items and queries; repeat for more.")
    ] = None,
    queries: Annotated[
        Path | None, queries_option("Texts of the queries, where no bank has them.")
    ] = None,
    query: Annotated[list[str] | None, query_option("Only this query, by its id; repeat.")] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", min=1, help="Only so many passages of each query, best first."),
    ] = None,
    track: Track = EXAM_TRACK,
) -> None:
    """Write a page on which people accept or correct grades: passages by items, no network."""
    from sidelight.errors import InputError
    from sidelight.files import atomic_write, sha256_file
    from sidelight.formats.banks.exams import read_exams
    from sidelight.formats.banks.query_texts import read_query_texts
    from sidelight.formats.labels.graded_passages import read_graded
    from sidelight.tracks import load_track
    from sidelight.view.verification.grid import verification
    from sidelight.view.verification.page import render_verification

    banks = [one for path in bank or () for one in read_exams(path)]
    texts = {one.topic_id: one.query_text for one in banks}
    if queries:
        texts |= read_query_texts(queries)
    wanted = set(query or ())
    shown = [one for one in read_graded(graded) if not wanted or one.query_id in wanted]
    if unknown := sorted(wanted - {one.query_id for one in shown}):
        raise InputError(
            f"{graded}: expected the query {unknown[0]}; found no such query",
            remedy="Leave --query out to see all.",
        )
    page = verification(
        shown,
        int(load_track(track).scales["grades"].highest),
        grader,
        texts,
        {item.item_id: item.text for one in banks for item in one.items},
        top,
    )
    atomic_write(output, render_verification(page, graded.name, sha256_file(graded)))
    n_rows = sum(len(grid.rows) for grid in page.grids)
    out.print(
        f"{counted(n_rows, 'passage')} of {counted(len(page.grids), 'query')}, graded by "
        f"{page.title}",
        markup=False,
    )
    out.print(f"  {output}", markup=False)


def corrections(
    graded: GradedPath,
    saved: Annotated[
        Path, typer.Argument(metavar="CORRECTIONS", help="What the page saved (.json).")
    ],
    *,
    output: Annotated[
        Path | None,
        output_option("Write the passages with the corrected grades beside the given ones."),
    ] = None,
    min_grade: MinGrade = None,
    track: Track = EXAM_TRACK,
    as_json: Json = False,
) -> None:
    """Say how far people agree with the grades they checked, and keep what they corrected."""
    from sidelight.errors import InputError
    from sidelight.evaluation.grading.corrections import check_grades, corrected, read_corrections
    from sidelight.files import sha256_file
    from sidelight.formats.labels.graded_passages import read_graded, write_graded
    from sidelight.tracks import load_track

    said = read_corrections(saved)
    if said.sha256 != sha256_file(graded):
        raise InputError(
            f"{saved}: expected corrections of {graded}; found those of another file or version",
            remedy="Name the file that the page was made from.",
        )
    queries = list(read_graded(graded))
    found = check_grades(
        queries,
        said,
        int(load_track(track).scales["grades"].highest),
        lowest_relevant(track, "grades", min_grade),
    )
    if output:
        write_graded(output, corrected(queries, said))
    if as_json:
        print_json(found.model_dump())
        return
    shares = f"{found.accepted} of {found.checked} grades accepted"
    kappas = ", ".join(
        f"{what} {'undefined' if kappa is None else f'{kappa:.3f}'}"
        for what, kappa in (
            ("Cohen's kappa", found.kappa),
            ("on relevant or not", found.kappa_relevant),
        )
    )
    out.print(f"{shares}; {kappas}", markup=False)
    out.print(
        f"{found.too_high} were too high, {found.too_low} too low, {found.added} had no grade",
        markup=False,
    )
    if output:
        out.print(f"  {output}", markup=False)
