"""Base class of immutable values without NaN or infinity, and names that are safe as file names.

What is wrong with a value is worded here alone, in words of JSON in place of pydantic's of Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from sidelight.text import quoted

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# The longest name of a topic is 255 bytes, and nothing lies deeper than a topic's files.
_MAX_NAME, _MAX_PARTS = 1000, 20
_MAX_FAULTS = 10


class Value(BaseModel):
    """A frozen value without unknown fields, whose numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _inside(name: str) -> str:
    parts = name.split("/")
    if not name.isprintable() or {"", ".", ".."} & set(parts) or "\\" in name:
        raise ValueError("expected the plain name of a file in the folder, as a/b.json")
    if len(parts) > _MAX_PARTS:
        raise ValueError(f"expected a name of at most {_MAX_PARTS} parts; found {len(parts)}")
    return name


FileName = Annotated[str, Field(max_length=_MAX_NAME), AfterValidator(_inside)]
"""Leads to a place in the folder that it is joined to, and nowhere else."""


# By pydantic's names for kinds of errors; it fills in the limits and choices of a type.
_EXPECTED = {
    "string_type": "text",
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "an object"),
    **dict.fromkeys(("list_type", "tuple_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "literal_error": "{expected}",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "at most {le}",
    **dict.fromkeys(("string_too_short", "too_short"), "a length of at least {min_length}"),
    **dict.fromkeys(("string_too_long", "too_long"), "a length of at most {max_length}"),
    "string_pattern_mismatch": "what matches {pattern}",
}


def fault(detail: ErrorDetails, *, with_value: bool = True) -> str:
    """Say what is wrong with a value at one place, which is named, and as a rule what it is."""
    place, kind = ".".join(map(str, detail["loc"])), detail["type"]
    if kind == "missing":
        return f"no {place}"
    if kind == "extra_forbidden":
        said = "there is no such field; remove it"
    elif kind in _EXPECTED:
        said = f"expected {_EXPECTED[kind].format(**detail.get('ctx', {}))}"
    else:  # ours, as a rule
        said = detail["msg"].removeprefix("Value error, ")
    if with_value:
        place = f"{place} = {quoted(detail['input'])}" if place else ""
    return f"{place}: {said}" if place else said


def faults(error: Exception, *, with_values: bool = True) -> str:
    """Say what is wrong with a value, place by place; of another error, what it says."""
    if not isinstance(error, ValidationError):
        return str(error)
    found = error.errors(include_url=False)[:_MAX_FAULTS]
    return "; ".join(fault(one, with_value=with_values) for one in found)
