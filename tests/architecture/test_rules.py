"""House rules that a reader would otherwise have to remember."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel

from sidelight.config.settings import RoleSettings, Settings
from sidelight.generation.roles import Roles
from sidelight.registry import KINDS, ROLES, load
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[2] / "sidelight"
READERS = [
    *sorted((PACKAGE / "build").glob("*.py")),
    PACKAGE / "runs" / "runner.py",
    *sorted((PACKAGE / "cli").rglob("*.py")),
]


def groups_in(kind: object) -> list[type[BaseModel]]:
    """The groups of settings a field may hold: itself, an optional one, or many by name."""
    kinds = [kind, *get_args(kind)]
    return [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]


def settings_of(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        groups = groups_in(field.annotation)
        for group in groups:
            yield from settings_of(group)
        if not groups:
            yield name


def test_every_setting_is_read_somewhere() -> None:
    read = {
        node.attr
        for path in READERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    # Who performs a role is read by the role's name.
    read |= {role.name for role in fields(Roles)}
    assert set(settings_of(Settings)) <= read


def test_every_setting_says_what_it_does() -> None:
    def check(model: type[BaseModel]) -> None:
        for name, field in model.model_fields.items():
            groups = groups_in(field.annotation)
            for group in groups:
                check(group)
            if not groups:
                assert field.description, f"{model.__name__}.{name}"

    check(Settings)


def test_only_two_places_may_catch_everything() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) == "Exception")
    }
    assert found <= {"runs/runner.py", "cli/main.py"}


def test_every_registered_component_can_be_loaded() -> None:
    for kind in KINDS.keys() - {"track"}:  # which are files
        for name in KINDS[kind].own:
            assert isinstance(load(kind, name), type)
    assert all(load_track(name).name == name for name in KINDS["track"].own)


def test_every_role_is_listed_wherever_roles_are() -> None:
    assert tuple(role.name for role in fields(Roles)) == ROLES
    assert tuple(RoleSettings.model_fields) == ("default", *ROLES)
