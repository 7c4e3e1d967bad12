"""`sidelight doctor`: what this machine can do, and the line that fixes what it cannot."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations
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
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Check what a run with this configuration needs."),
    ] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="The index of that run, to be checked, too.")
    ] = None,
    api_key_variable: Annotated[
        str, typer.Option("--api-key-variable", help="Environment variable with its key.")
    ] = "OPENAI_API_KEY",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check Java, packages, models, memory and disk; exit with 3 if something is missing.

    With --model, ask a model server one tiny question and report what it can do. With --config,
    look at all that a run would need, without loading or asking anything.
    """
    if config or index:
        if model:
            raise UsageError(
                "--model asks a server, and --config and --index ask nothing",
                remedy="Call doctor once with each.",
            )
        checks = _check_config(config, index, base_url)
    else:
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


def _check_config(config: Path | None, index: Path | None, base_url: str) -> list[Check]:
    from sidelight.build.check import check_settings
    from sidelight.config.load import load_settings

    return check_settings(load_settings(config), index, base_url)


def _check(model: str, base_url: str, api_key_variable: str) -> list[Check]:
    if bool(model) != bool(base_url):
        raise UsageError("--model and --base-url need each other")
    if not model:
        from sidelight.index.machine import check_machine

        return check_machine()
    import asyncio

    from sidelight.llm.probe import probe

    return asyncio.run(probe(model, base_url, api_key_variable))
