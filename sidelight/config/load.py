"""Reading, merging, checking, describing and writing of settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from sidelight.config.settings import Settings, Unit, performers_of_all
from sidelight.errors import UsageError
from sidelight.files import bundled, read_limited
from sidelight.parts import ROLES
from sidelight.plain_yaml import MAX_DEPTH, read_yaml
from sidelight.registry import check_path, code_of, did_you_mean, names, title
from sidelight.schemas.base import fault
from sidelight.text import first_of
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

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
    kinds, metadata = _kinds(field.annotation), list(field.metadata)
    for one in get_args(field.annotation):  # a unit, where None is allowed
        metadata += getattr(one, "__metadata__", ())
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


def load_settings(
    path: str | Path | None = None, overrides: Sequence[str] = (), option: str = "--set"
) -> Settings:
    """Return the defaults, changed by a YAML file, changed by `key.sub=value` overrides.

    `option` is what they were given by, for messages; empty where nobody typed any.

    UsageError is raised for what is no setting, or out of range, and for whatever names a rubric: a
    system that writes must not see what it is judged by.
    """
    tree = {} if path is None else read_yaml_file(Path(path), "configuration")
    if not isinstance(tree, dict):
        raise UsageError(f"{path}: expected a mapping of settings, found {type(tree).__name__}")
    for override in overrides:
        _apply(tree, override, option)
    _refuse_rubrics(tree, "")
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        names = {override.partition("=")[0] for override in overrides}
        found = [
            (option if _is_in(one, names) else path or "settings", _explain_one(one))
            for one in error.errors()
        ]
        # The caller names a place that is empty.
        told = (f"{place}: {said}" if place else said for place, said in found)
        raise UsageError("; ".join(told)) from None
    if not settings.submission.run_id.startswith(settings.submission.team_id):
        raise UsageError(
            f"submission.run_id {settings.submission.run_id!r} must begin with the team id "
            f"{settings.submission.team_id!r}: the track finds a team's runs by their prefix",
            remedy="Set both: --set submission.team_id=TEAM --set submission.run_id=TEAM-NAME"
            if option
            else "Set both, submission.team_id and submission.run_id.",
        )
    return settings


_FACT = "\n# "


def dump_settings(settings: Settings, facts: Mapping[str, str] | None = None) -> str:
    """Return the resolved tree of all that results depend on as YAML, in a fixed order.

    Comments after it give the hash of the code of each part that is not sidelight's, and `facts`.
    """
    tree = yaml.safe_dump(settings.of_results(), sort_keys=True, allow_unicode=True)
    known = {f"code of {part}": code for part, code in codes_of(settings).items()}
    known |= {name: fact for name, fact in (facts or {}).items() if fact}
    return tree.rstrip("\n") + "".join(f"{_FACT}{one}: {known[one]}" for one in known) + "\n"


def codes_of(settings: Settings) -> dict[str, str]:
    """Return the hash of the code of each part that is not sidelight's, by its kind and name."""
    # What the file of a track says is part of every topic's hash; its graph is code.
    parts = settings.parts() | {"track": ("graph", load_track(settings.track).graph)}
    codes = {f"{title(kind)} {name}": code_of(kind, name) for kind, name in parts.values()}
    return {part: code for part, code in codes.items() if code}


def changed_code(recorded: Path, settings: Settings) -> list[str]:
    """Return the parts, by kind and name, whose code is another than that of a file of settings."""
    facts = read_limited(recorded).decode().removesuffix("\n").split(_FACT)[1:]
    known = dict(fact.rpartition(": ")[::2] for fact in facts)
    codes = codes_of(settings).items()
    return [part for part, code in codes if known.get(f"code of {part}", code) != code]


def check_same(recorded: Path, wanted: str, what: str) -> None:
    """Refuse a folder that was made with other settings, code or inputs, and say which differ.

    `recorded` is the file in it with what `dump_settings` returned then, `wanted` what it returns
    now; `what` says what the folder holds, for the message.
    """
    found = read_limited(recorded).decode()
    if found == wanted:
        return
    tree, *facts = wanted.removesuffix("\n").split(_FACT)
    before, *known = found.removesuffix("\n").split(_FACT)
    changed = [fact.rpartition(":")[0] for fact in facts if fact not in known]
    if tree == before and changed:
        other = " and ".join(changed)
    else:
        other = f"settings{_differences(before, tree)}"
    replies = recorded.parent / "cache"
    kept = f"; with --cache {replies} the replies of its models serve again" * replies.is_dir()
    raise UsageError(
        f"{recorded.parent} holds {what} with other {other} (see {recorded})",
        remedy=f"Choose another folder with --output, or delete {recorded.parent}{kept}",
    )


def _differences(before: str, now: str) -> str:
    """Return how two trees of settings differ, for a message; nothing where one cannot be read."""
    try:
        known, wanted = leaves(read_yaml(before)), leaves(read_yaml(now))
    except yaml.YAMLError:
        return ""
    told = [
        f"{name} {known.get(name, 'not set')} there and {wanted.get(name, 'not set')} here"
        for name in sorted(known.keys() | wanted.keys())
        if known.get(name) != wanted.get(name)
    ]
    return f": {first_of(told)}" if told else ""


def leaves(tree: object, name: str = "") -> dict[str, object]:
    """Return the values of a tree of settings by their full names, as `--set` takes them."""
    if not isinstance(tree, dict):
        return {name: tree}
    return {
        full: leaf
        for key, value in tree.items()
        for full, leaf in leaves(value, f"{name}.{key}" if name else str(key)).items()
    }


def read_yaml_file(path: Path, what: str) -> Any:
    """Return what a YAML file holds; an empty mapping where it is empty.

    If there is no such file, the one of that name that came with sidelight is read. `what` says
    what it is, for messages.
    """
    try:
        tree = read_yaml(read_limited(bundled(path)).decode())
    except FileNotFoundError:
        raise UsageError(f"there is no {what} file {path}", remedy=check_path(path)) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid YAML: {error}") from None
    except (OSError, ValueError) as error:  # a name that holds a null character is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {reason}") from None
    return {} if tree is None else tree


def _apply(tree: dict[str, Any], override: str, option: str) -> None:
    given = f"{option} {override!r}".lstrip()
    key, separator, value = override.partition("=")
    if not separator or not key:
        raise UsageError(f"{given}: expected key.sub=value")
    *parents, last = key.split(".")
    if len(parents) > MAX_DEPTH:
        raise UsageError(f"{given[:50]}...: expected at most {MAX_DEPTH} groups in a name")
    for parent in parents:
        tree = tree.setdefault(parent, {})
        if not isinstance(tree, dict):
            raise UsageError(f"{given}: {parent!r} is a value, not a group of settings")
    try:
        tree[last] = read_yaml(value)
    except yaml.YAMLError as error:
        raise UsageError(f"{given}: {error}") from None


def _refuse_rubrics(tree: Mapping[str, Any], prefix: str) -> None:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        # One drafts a rubric of its own, and sees no other; the other is only what a run is called.
        if name in {"roles.draft_rubric", "submission.run_id"}:
            continue
        if "rubric" in f"{key} {value if isinstance(value, str) else ''}".casefold():
            raise UsageError(
                f"{name} names a rubric; a run that generates must not know what it is judged by",
                remedy="Judge the finished run with: sidelight judge RUN --rubrics DIR",
            )
        if isinstance(value, dict):
            _refuse_rubrics(value, f"{name}.")


def _is_in(entry: ErrorDetails, names: Collection[str]) -> bool:
    """Tell whether a setting is one of some settings, or one is a group and the other in it."""
    name = ".".join(map(str, entry["loc"])) + "."
    return any(name.startswith(one) or one.startswith(name) for one in (f"{one}." for one in names))


def _explain_one(entry: ErrorDetails) -> str:
    name = ".".join(map(str, entry["loc"]))
    if entry["type"] == "extra_forbidden":
        return f"unknown setting {name}{_nearest_setting(entry['loc'])}"
    return fault(entry)


def _nearest_setting(place: tuple[int | str, ...]) -> str:
    """Suggest the setting or group whose name is nearest, or name all that stand beside it.

    A key of the user's own is left as it is.
    """
    *parents, last = map(str, place)
    if parents and parents[0] == "servers":
        parents[1:2] = [ANY_KEY]
    known = [one.name.split(".") for one in describe_settings()]
    folded, depth = last.casefold(), len(parents)
    elsewhere = [".".join(name) for name in known if name[-1] == folded]
    beside = {name[depth] for name in known if name[:depth] == parents and len(name) > depth}
    if elsewhere and folded not in beside:
        return f"; did you mean {elsewhere[0]}?"
    near = did_you_mean(folded, beside, "".join(f"{one}." for one in place[:-1]))
    return near or f"; expected one of {', '.join(sorted(beside))} (see `sidelight settings`)"
