"""House rules that a reader would otherwise have to remember."""

import ast
import re
from dataclasses import fields
from typing import get_args

from pydantic import BaseModel

from sidelight.config.settings import RoleSettings, Settings
from sidelight.generation.roles import Roles
from sidelight.parts import KINDS, ROLES
from sidelight.registry import load
from sidelight.tracks import load_track
from tests.helpers.package import listed, modules


def settings_of(model):
    """Yield the name and the description of every setting."""
    for name, field in model.model_fields.items():
        kinds = [field.annotation, *get_args(field.annotation)]  # itself, optional, or many by name
        groups = [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]
        for group in groups:
            yield from settings_of(group)
        if not groups:
            yield name, field.description


def test_every_setting_is_read_somewhere_and_says_what_it_does():
    read = {
        node.attr
        for name, module in modules().items()
        if name == "runs.runner" or name.startswith(("wiring.", "cli."))
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
    }
    # Who performs a role is read by the role's name.
    read |= {role.name for role in fields(Roles)}
    described = dict(settings_of(Settings))
    assert set(described) <= read
    assert all(described.values())


def test_only_two_places_may_catch_everything():
    found = {
        name: module.at(node.lineno)
        for name, module in modules().items()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) == "Exception")
    }
    wrong = [at for name, at in found.items() if name not in {"runs.runner", "cli.main"}]
    assert not wrong, listed(wrong)


def test_every_registered_component_can_be_loaded():
    for kind in KINDS.keys() - {"track"}:  # which are files
        for name in KINDS[kind].own:
            found = load(kind, name)
            assert isinstance(found, type) == bool(KINDS[kind].protocol)
    assert all(load_track(name).name == name for name in KINDS["track"].own)


def test_every_role_is_listed_wherever_roles_are():
    assert tuple(role.name for role in fields(Roles)) == ROLES
    assert tuple(RoleSettings.model_fields) == ("default", *ROLES)


def test_no_function_is_longer_than_60_lines_without_a_reason():
    """`# long: <why>` on the line of its `def`, or on the line above, is a reason."""
    long = [
        f"{module.at(node.lineno)}: {node.name}: {lines} lines"
        for name, module in modules().items()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > 60
        and not _has_reason(module.path, node.lineno)
    ]
    assert not long, listed(long)


def _has_reason(path, line):
    beside = path.read_text(encoding="utf-8").splitlines()[max(line - 2, 0) : line]
    return any(re.search(r"# long: \w", text) for text in beside)
