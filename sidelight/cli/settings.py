"""`sidelight settings`: everything that a configuration can say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.cli.console import out, print_json
from sidelight.cli.options.results import Json

if TYPE_CHECKING:
    from sidelight.config.describe import SettingDescription


def settings(as_json: Json = False) -> None:
    """Print every setting of a run: type, default, range, unit, and what it does."""
    from sidelight.config.describe import describe_settings

    described = describe_settings()
    if as_json:
        print_json([one._asdict() for one in described])
        return
    for one in described:
        out.print(one.name, style="bold", markup=False)
        out.print(f"    {_kind(one)}\n    {one.description}", markup=False)


def _kind(one: SettingDescription) -> str:
    """Return the type, the unit, the range and the default, as far as there are any."""
    default = "must be given" if one.required else f"default {one.shown_default}"
    return "; ".join(filter(None, (one.type, one.unit, one.range, default)))
