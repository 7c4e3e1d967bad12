"""Descriptions of all settings, for `sidelight settings` and to correct a misspelt name."""

from __future__ import annotations

from functools import partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from sidelight.config.settings import Settings, Unit, performers_of_all
from sidelight.parts import ROLES
from sidelight.registry import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pydantic.fields import FieldInfo

ANY_KEY = "NAME"
"""Stands for a key that the configuration chooses itself, such as the name of a server."""

_CHOICES: dict[str, Callable[[], Iterable[str]]] = {
    "track": partial(names, "track"),
    "retrieval.retriever": partial(names, "retriever"),
    "roles.default": performers_of_all,
    **{f"roles.{role}": partial(names, f"role.{role}") for role in ROLES},
}
_BOUNDS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}


class SettingDescription(NamedTuple):
    """One setting.

    Attributes:
        name: As `--set` takes it.
        type: `str`, `int`, `float`, `bool` or a list; `or none` where it may be left empty.
        default: JSON-ready; None where there is none.
        required: Whether it must be given where its group is.
        range: What is accepted, for people; empty where the type says it all.
        unit: Of a number; empty where it is none of anything.
        description: What it does.
    """

    name: str
    type: str
    default: Any
    required: bool
    range: str
    unit: str
    description: str

    @property
    def shown_default(self) -> str:
        """The default as people read it."""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        return (
            "none" if self.default is None or self.default == () else str(self.default) or "empty"
        )


def describe_settings() -> tuple[SettingDescription, ...]:
    """Return every setting, in the order of the tree."""
    return tuple(_describe(Settings, ""))


def _describe(group: type[BaseModel], prefix: str) -> Iterator[SettingDescription]:
    for key, field in group.model_fields.items():
        name = f"{prefix}{key}"
        inner = _group_in(field.annotation)
        if inner is None:
            yield _setting(name, field)
        elif get_origin(field.annotation) is dict:
            yield from _describe(inner, f"{name}.{ANY_KEY}.")
        else:
            yield from _describe(inner, f"{name}.")


def _group_in(annotation: Any) -> type[BaseModel] | None:
    """Return the group of settings that a field holds: itself, an optional one, or many by name."""
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def _setting(name: str, field: FieldInfo) -> SettingDescription:
    kinds, metadata = _kinds(field.annotation), [*field.metadata, *_metadata(field.annotation)]
    return SettingDescription(
        name=name,
        type=" or ".join(kinds),
        default=None if field.is_required() else field.get_default(call_default_factory=True),
        required=field.is_required(),
        range=", ".join(_range(name, field.annotation, metadata)),
        unit=next((one.name for one in metadata if isinstance(one, Unit)), ""),
        description=field.description or "",
    )


def _kinds(annotation: Any) -> list[str]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        return [kind for one in inner for kind in _kinds(one)]
    if origin is Annotated:
        return _kinds(inner[0])
    if origin is Literal:
        return ["str"]
    if origin is tuple:
        return [f"list of {inner[0].__name__}"]
    return ["none" if annotation is NoneType else annotation.__name__]


def _metadata(annotation: Any) -> list[Any]:
    """Return what stands beside the types within a type, such as a unit where None is allowed."""
    return [note for one in get_args(annotation) for note in getattr(one, "__metadata__", ())]


def _range(name: str, annotation: Any, metadata: list[Any]) -> Iterator[str]:
    """Yield what is accepted: registered names, the values of a Literal, bounds, or a pattern."""
    if name in _CHOICES:
        yield from _CHOICES[name]()
        if name != "roles.default":
            yield "or package:file" if name == "track" else "or module:Class"
    for one in (annotation, *get_args(annotation)):
        if get_origin(one) is Literal:
            yield from get_args(one)
    for one in metadata:
        for attribute, sign in _BOUNDS.items():
            if (bound := getattr(one, attribute, None)) is not None:
                yield f"{sign} {bound}"
        if pattern := getattr(one, "pattern", None):
            yield f"matches {pattern}"
