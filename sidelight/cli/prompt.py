"""Commands `prompt`: list, show and render prompts without asking a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import PlainTable, Result, out
from sidelight.cli.options.inputs import Commands

if TYPE_CHECKING:
    from sidelight.prompting import Prompt

app = Commands(help="List, show and render prompts, without a call.", no_args_is_help=True)

PromptId = Annotated[str, typer.Argument(metavar="ID", help="As `sidelight prompt list` has it.")]

_HASH_CHARS = 12


@app.command("list")
def list_prompts() -> Result:
    """List every prompt: id, version, hash and variables."""
    from sidelight.prompting import find_prompts

    prompts = find_prompts()
    return Result(
        [
            {
                "prompt": one.id,
                "version": one.version,
                "fingerprint": one.fingerprint,
                "variables": one.variables,
            }
            for one in prompts
        ],
        [
            PlainTable(
                ("prompt", "version", "hash", "variables"),
                [
                    (
                        one.id,
                        str(one.version),
                        one.fingerprint[:_HASH_CHARS],
                        ", ".join(one.variables),
                    )
                    for one in prompts
                ],
            )
        ],
    )


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
    from sidelight.prompting import read_values

    prompt = _find(prompt_id)
    rendered = prompt.render(**(read_values(values) if values else prompt.example()))
    out.print(str(rendered), markup=False)


def _find(prompt_id: str) -> Prompt:
    from sidelight.errors import UsageError
    from sidelight.prompting import find_prompts

    prompts = {prompt.id: prompt for prompt in find_prompts()}
    if prompt_id not in prompts:
        raise UsageError(
            f"there is no prompt {prompt_id}; expected one of {', '.join(prompts)}",
        )
    return prompts[prompt_id]
