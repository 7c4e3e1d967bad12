"""Reading, merging, checking and writing of settings."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from sidelight.config.describe import ANY_KEY, describe_settings
from sidelight.config.settings import Settings
from sidelight.errors import UsageError
from sidelight.files import read_limited
from sidelight.plain_yaml import MAX_DEPTH, read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic_core import ErrorDetails


def load_settings(path: Path | None = None, overrides: Sequence[str] = ()) -> Settings:
    """Return the defaults, changed by a YAML file, changed by `key.sub=value` overrides.

    Raises:
        UsageError: The file is missing or not YAML, a key is unknown, a value is out of range, or
            anything names a rubric: a system that writes must not see what it is judged by.
    """
    tree = _read(path) if path is not None else {}
    for override in overrides:
        _apply(tree, override)
    _refuse_rubrics(tree, "")
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise UsageError(_explain(error, path)) from None
    if not settings.submission.run_id.startswith(settings.submission.team_id):
        raise UsageError(
            f"submission.run_id {settings.submission.run_id!r} must begin with the team id "
            f"{settings.submission.team_id!r}: the track finds a team's runs by their prefix"
        )
    return settings


def dump_settings(settings: Settings) -> str:
    """Return the resolved tree of all that results depend on as YAML, in a fixed order."""
    return yaml.safe_dump(settings.of_results(), sort_keys=True, allow_unicode=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        tree = read_yaml(read_limited(path).decode())
    except FileNotFoundError:
        raise UsageError(f"there is no configuration file {path}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid YAML: {error}") from None
    except (OSError, ValueError) as error:  # a name that holds a null character is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {reason}") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise UsageError(f"{path}: expected a mapping of settings, found {type(tree).__name__}")
    return tree


def _apply(tree: dict[str, Any], override: str) -> None:
    key, separator, value = override.partition("=")
    if not separator or not key:
        raise UsageError(f"--set {override!r}: expected key.sub=value")
    *parents, last = key.split(".")
    if len(parents) > MAX_DEPTH:
        raise UsageError(f"--set {key[:40]}...: expected at most {MAX_DEPTH} groups in a name")
    for parent in parents:
        tree = tree.setdefault(parent, {})
        if not isinstance(tree, dict):
            raise UsageError(f"--set {override!r}: {parent!r} is a value, not a group of settings")
    try:
        tree[last] = read_yaml(value)
    except yaml.YAMLError as error:
        raise UsageError(f"--set {override!r}: {error}") from None


def _refuse_rubrics(tree: Mapping[str, Any], prefix: str) -> None:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if name == "roles.draft_rubric":  # drafts one of its own, and sees no other
            continue
        if "rubric" in f"{key} {value if isinstance(value, str) else ''}".casefold():
            raise UsageError(
                f"{name} names a rubric; a run that generates must not know what it is judged by",
                remedy="Judge the finished run with: sidelight judge RUN --rubrics DIR",
            )
        if isinstance(value, dict):
            _refuse_rubrics(value, f"{name}.")


def _explain(error: ValidationError, path: Path | None) -> str:
    return f"{path or 'settings'}: " + "; ".join(map(_explain_one, error.errors()))


def _explain_one(entry: ErrorDetails) -> str:
    name = ".".join(map(str, entry["loc"]))
    if entry["type"] == "extra_forbidden":
        return f"unknown setting {name}{_nearest_setting(entry['loc'])}"
    return f"{name}: {entry['msg'].removeprefix('Value error, ')}; found {entry['input']!r}"


def _nearest_setting(place: tuple[int | str, ...]) -> str:
    """Suggest the setting or group whose name is nearest, a key of the user's own left as it is."""
    *parents, last = map(str, place)
    if parents and parents[0] == "servers":
        parents[1:2] = [ANY_KEY]
    known = [one.name.split(".") for one in describe_settings()]
    depth = len(parents)
    beside = {name[depth] for name in known if name[:depth] == parents and len(name) > depth}
    if near := get_close_matches(last, beside, n=1):
        return f"; did you mean {'.'.join([*map(str, place[:-1]), *near])}?"
    elsewhere = [".".join(name) for name in known if name[-1] == last]
    return f"; did you mean {elsewhere[0]}?" if elsewhere else ""
