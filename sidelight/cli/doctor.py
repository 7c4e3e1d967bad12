"""`sidelight doctor`: what this machine can do, and the line that fixes what it cannot."""

from __future__ import annotations

from typing import Annotated

import typer

from sidelight.cli.console import out, print_json


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check Java, packages, models, memory and disk; exit with 3 if something is missing."""
    from sidelight.index.machine import check_machine

    checks = check_machine()
    healthy = all(check.ok for check in checks)
    if as_json:
        print_json(
            {"ok": healthy, "checks": [{**check._asdict(), "ok": check.ok} for check in checks]}
        )
    else:
        for check in checks:
            mark, style = ("ok", "green") if check.ok else ("missing", "red")
            out.print(f"{mark:8}{check.name:22}{check.found}", style=style, markup=False)
            if check.remedy:
                out.print(f"{'':30}{check.remedy}", markup=False)
    if not healthy:
        raise typer.Exit(3)
