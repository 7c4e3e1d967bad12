"""Command `serve`: serve the local web app."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli.console import err
from sidelight.cli.options.inputs import Config, Overrides, index_option, output_option
from sidelight.cli.options.models import BaseUrl, ModelCalls, parallel_option
from sidelight.cli.progress import without_lines

_TOKEN = "SIDELIGHT_SERVE_TOKEN"  # the name of a variable  # noqa: S105
_MIN_TOKEN = 16
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(  # long: one list of options
    index: Annotated[Path, index_option()],
    config: Config = None,
    output: Annotated[Path, output_option("Folder of the investigations.")] = Path("runs/served"),
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")
    ] = 8765,
    parallel: Annotated[int, parallel_option("Investigations at once.")] = 2,
    places: Annotated[int, typer.Option("--queue", min=1, help="Investigations that wait.")] = 20,
    per_minute: Annotated[
        int, typer.Option("--per-minute", min=1, help="Articles a client may submit in a minute.")
    ] = 6,
    kept: Annotated[
        int, typer.Option("--keep", min=1, help="Finished investigations that stay.")
    ] = 200,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", help="Name of this machine in addresses, where --host is its own."),
    ] = None,
    limit_s: Annotated[
        int, typer.Option("--limit", min=1, help="Seconds that an investigation may take.")
    ] = 1800,
    base_url: BaseUrl = None,
    overrides: Overrides = None,
) -> None:
    """Offer investigations in a browser: paste an article, watch, read the page.

    Nothing leaves this machine but what a configured model server is asked.
    """
    from sidelight.config.load import load_settings
    from sidelight.index.folder import open_index
    from sidelight.serve.app import make_app, serve_app
    from sidelight.serve.desk import Desk, Worker, claim_folder
    from sidelight.wiring.run import open_investigation, open_sources

    settings = load_settings(config, overrides or ())
    _check_track(settings.track)
    claim_folder(output)
    folder = open_index(index)
    hosts, token = _who_may_ask(host, names or ())
    access = ModelCalls(base_url=base_url).access(output / "cache")
    sources = open_sources(settings.retrieval, folder)
    with Worker(lambda: open_investigation(settings, sources, access)) as worker:
        desk = Desk(
            worker,
            settings,
            folder.fingerprint(),
            output,
            at_once=parallel,
            places=places,
            kept=kept,
            limit_s=limit_s,
        )
        app = make_app(desk, hosts=hosts, per_minute=per_minute, token=token)
        with without_lines():
            serve_app(app, host, port)


def _who_may_ask(host: str, names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the names under which the app may be addressed, and the token that it asks for.

    Raises:
        UsageError: Others can reach this machine there, and there is no name or no token.
    """
    from sidelight.errors import UsageError

    token = os.environ.get(_TOKEN, "")
    if host not in _LOOPBACK and not names:
        raise UsageError(
            f"others can reach {host}: expected the names by which they will",
            remedy="Give each with --name, such as --name server.example.org",
        )
    if (token or host not in _LOOPBACK) and len(token) < _MIN_TOKEN:
        raise UsageError(
            f"expected a token of {_MIN_TOKEN} characters or more in {_TOKEN}; found {len(token)}",
            remedy=f"Make one: export {_TOKEN}=$(openssl rand -hex 16)",
        )
    if host not in _LOOPBACK:
        err.print(
            f"Listening on {host}: who shows the token of {_TOKEN} can use it. Nothing is "
            "encrypted; put a proxy with TLS in front.",
            style="yellow",
            markup=False,
        )
    local = (*_LOOPBACK, "[::1]") if host in _LOOPBACK else ()
    return (*local, *names), token


def _check_track(name: str) -> None:
    """Refuse a track whose topics are no articles.

    Raises:
        UsageError: It is one.
    """
    from sidelight.errors import UsageError
    from sidelight.formats.topics import topic_format
    from sidelight.tracks import load_track

    track = load_track(name)
    if topic_format(track).noun != "article":
        raise UsageError(f"articles can be pasted; {track.title} has no task on them")
