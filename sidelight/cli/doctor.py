"""`sidelight doctor`: what this machine can do, and the line that fixes what it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.errors import UsageError

if TYPE_CHECKING:
    from sidelight.schemas.check import Check


def doctor(
    model: Annotated[
        str, typer.Option("--model", help="Check a model server instead; needs --base-url.")
    ] = "",
    base_url: Annotated[
        str, typer.Option("--base-url", help="Its API, e.g. http://localhost:8000/v1.")
    ] = "",
    api_key_variable: Annotated[
        str, typer.Option("--api-key-variable", help="Environment variable with its key.")
    ] = "OPENAI_API_KEY",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check Java, packages, models, memory and disk; exit with 3 if something is missing.

    With --model, ask a model server one tiny question and report what it can do.
    """
    checks = _check(model, base_url, api_key_variable)
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


def _check(model: str, base_url: str, api_key_variable: str) -> list[Check]:
    if bool(model) != bool(base_url):
        raise UsageError("--model and --base-url need each other")
    if not model:
        from sidelight.index.machine import check_machine

        return check_machine()
    import asyncio

    from sidelight.llm.probe import probe

    return asyncio.run(probe(model, base_url, api_key_variable))
