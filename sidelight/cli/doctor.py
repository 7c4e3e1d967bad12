"""Commands `doctor` and `prompt`: look at this machine, at model servers and at prompts."""

from __future__ import annotations

import asyncio
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import Column, Commands, Note, Result, Shown, out, table_of
from sidelight.cli.options import BaseUrl, Config, index_option, model_option
from sidelight.config.load import load_settings
from sidelight.errors import UsageError
from sidelight.llm.server.openai_compat import probe
from sidelight.prompting import Prompt, find_prompts, read_values
from sidelight.wiring.estimate import check_settings


def doctor(
    context: typer.Context,
    model: Annotated[
        str | None, model_option("Check a model server instead; needs --base-url.")
    ] = None,
    base_url: BaseUrl = None,
    config: Config = None,
    index: Annotated[
        Path | None, index_option("The index of that run, to be checked, too.")
    ] = None,
    api_key_variable: Annotated[
        str, typer.Option("--api-key-variable", help="Environment variable with its key.")
    ] = "OPENAI_API_KEY",
) -> Result:
    """Check Java, packages, models, memory and disk; exit with 3 if something is missing.

    With --model, ask a model server one tiny question and report what it can do. With --config,
    look at all that a run would need, loading nothing and asking only the server of --base-url.
    """
    typed = context.get_parameter_source("base_url")  # it may stand in the environment alone
    if config or index:
        if model:
            raise UsageError(
                "--model tests a server; --config and --index test files",
                remedy="Run doctor once with --model, and once with the others.",
            )
        checks = check_settings(load_settings(config), index, base_url or "")
    elif model and base_url:
        checks = asyncio.run(probe(model, base_url, api_key_variable))
    elif model or (typed is not None and typed.name == "COMMANDLINE"):
        raise UsageError("--model and --base-url need each other")
    else:
        from sidelight.index.machine import check_machine

        checks = check_machine()
    healthy = all(check.ok for check in checks)
    shown: list[Shown] = []
    for check in checks:
        mark, style = ("ok", "green") if check.ok else ("missing", "red")
        shown.append(Note(f"{mark:8}{check.name:21} {check.found}", style))
        if check.remedy:
            shown.append(f"{'':30}{check.remedy}")
    return Result(
        {"ok": healthy, "checks": [{**check._asdict(), "ok": check.ok} for check in checks]},
        shown,
        exit_code=0 if healthy else 3,
    )


app = Commands(help="List, show and render prompts, without a call.", no_args_is_help=True)

PromptId = Annotated[str, typer.Argument(metavar="ID", help="As `sidelight prompt list` has it.")]

_HASH_CHARS = 12


@app.command("list")
def list_prompts() -> Result:
    """List every prompt: id, version, hash and variables."""
    columns = [
        Column("prompt", "prompt", attrgetter("id")),
        Column("version", "version", attrgetter("version")),
        Column("hash", "fingerprint", attrgetter("fingerprint"), lambda one: one[:_HASH_CHARS]),
        Column("variables", "variables", attrgetter("variables"), ", ".join),
    ]
    table = table_of("prompts", find_prompts(), columns)
    return Result(table.records, [table])


@app.command()
def show(prompt_id: PromptId) -> None:
    """Show the source of a prompt, its includes in place."""
    out.print(_find(prompt_id).source, end="", markup=False)


@app.command()
def render(
    prompt_id: PromptId,
    values: Annotated[
        Path | None,
        typer.Option("--values", help="JSON object: variables to values. Examples by default."),
    ] = None,
) -> None:
    """Show what a model would be sent."""
    prompt = _find(prompt_id)
    rendered = prompt.render(**(read_values(values) if values else prompt.example()))
    out.print(str(rendered), markup=False)


def _find(prompt_id: str) -> Prompt:
    prompts = {prompt.id: prompt for prompt in find_prompts()}
    if prompt_id not in prompts:
        raise UsageError(f"there is no prompt {prompt_id}; expected one of {', '.join(prompts)}")
    return prompts[prompt_id]
