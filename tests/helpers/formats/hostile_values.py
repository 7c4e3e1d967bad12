"""Well-formed values that no honest file holds, for every field that a schema or a header names."""

from __future__ import annotations

import io
import json
import math
import pickle
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

K = TypeVar("K")

NUMBERS = (
    *("0", "-1", "-2", "-3", "6", "77", "0.5", "-0.0", "999999999", "1000000000000"),
    *("-1000000000000", "9223372036854775808", "9" * 5000, "-" + "9" * 5000),
    *("1e308", "-1e308", "5e-324", "1e999", "NaN", "-Infinity"),
)
WORDS = (
    *(
        "",
        " ",
        "5" * 5000,
        "x" * 20_000,
        "../../etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "os:system",
        "None",
    ),
    *("nan", "-inf", "1e308", "1_0", "²", "\x00", "\u202e", "a\u2028b", "<b>", "http://[", "%s"),
)
OTHERS = ("null", "true", "[]", "{}", "[[]]", '{"a": 1}')
_HERE = "@here@"
_AGAIN = 8
"""Ways in which a field is changed in a second place."""
_DIGITS = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
# YAML 1.1 wants a dot in a number with an exponent, and has other words for what is no number.
_AS_YAML = {"1e308": "1.0e+308", "-1e308": "-1.0e+308", "5e-324": "5.0e-324", "1e999": "1.0e+999"}
_AS_YAML |= {"NaN": ".nan", "-Infinity": "-.inf"}


_TYPES = (
    *("O", "<f8", ">f4", "<f2", "<c8", "<i4", "|b1", "|S0", "|S4", "|S2147483647", "<U4", "|V4"),
    *("<M8[s]", "f4,f4", "9" * 5000),
)
_SHAPES = (
    *("()", "(0,)", "(1,)", "(4,)", "(0, 4)", "(1, 0)", "(1, 3)", "(1, 5)", "(2, 4)", "(1, 1, 4)"),
    *("(-1, 4)", "(-1, -4)", "(True, 4)", "(1.0, 4.0)", "(1000000000000, 4)", "(1000000000000, 0)"),
    *("(9223372036854775808, 4)", "(0, 9223372036854775808)", f"({'9' * 4000}, 4)"),
    *("(" * 3000, "[1, 4]", "(1, 4)) or ((1, 4)", "__import__('os')"),
)
_VALUES = {
    "f": (math.nan, math.inf, -math.inf, 6e4, 1e-45, -0.0),
    "i": (-1, 1, 100, 127),
    "S": (b"", b"\xff", b" "),
}


class Change(NamedTuple):
    """One file that differs from an honest one in one place.

    Attributes:
        what: The place and the value, for messages.
        content: The file, or the line.
    """

    what: str
    content: str | bytes


def filled(value: Any, schema: dict[str, Any], whole: dict[str, Any] | None = None) -> Any:
    """Return a value with every field that its JSON schema names: by its default, or an example."""
    whole = schema if whole is None else whole
    schema = _branch(schema, value, whole)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        further = schema.get("additionalProperties")
        inner = further if isinstance(further, dict) else {}
        known = {
            name: filled(one, properties.get(name, inner), whole) for name, one in value.items()
        }
        return known | {
            name: _example(one, whole) for name, one in properties.items() if name not in value
        }
    if isinstance(value, list):
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {}
        places = schema.get("prefixItems", [])
        return [
            filled(one, places[at] if at < len(places) else inner, whole)
            for at, one in enumerate(value)
        ]
    return value


def json_changes(
    tree: Any, schema: dict[str, Any] | None = None, *, as_yaml: bool = False
) -> Iterator[Change]:
    """Yield a JSON value with each of its places changed in each way.

    A field that several values of a list or a mapping have is changed in each way in the first of
    them, and in a few ways, which its place decides, in the second.

    Args:
        tree: The value.
        schema: Says which of its objects are mappings, whose keys are no fields.
        as_yaml: Whether it is to be read as YAML.
    """
    numbers = [_AS_YAML.get(raw, raw) for raw in NUMBERS] if as_yaml else NUMBERS
    seen: set[tuple[str, ...]] = set()
    places = _fields(tree, schema or {}, schema or {})
    for path, field, value in places if isinstance(tree, dict | list) else [((), (), tree)]:
        raws = [*numbers, *map(json.dumps, WORDS), *OTHERS]
        if isinstance(value, str) and _DIGITS.search(value):
            raws.append(json.dumps(_DIGITS.sub("9" * 5000, value)))
        if isinstance(value, list) and value:
            raws.append(json.dumps([*value, value[0]]))
            raws += [json.dumps([*value, one]) for one in _other_numbers(value[0])]
        if not as_yaml and path and isinstance(path[-1], str):
            # The key a second time, with another value.
            raws.append(f"0, {json.dumps(path[-1])}: {json.dumps(value)}")
        if field in seen:
            raws = random.Random(repr(path)).sample(raws, _AGAIN)
        seen.add(field)
        text = json.dumps(_with(tree, path, _HERE))
        for raw in raws:
            place = ".".join(map(str, path))
            yield Change(f"{place} = {raw[:40]}", text.replace(json.dumps(_HERE), raw))


def array_changes(content: bytes) -> Iterator[Change]:
    """Yield a `.npy` file with what its header says, its first or its last element changed."""
    stream = io.BytesIO(content)
    np.lib.format.read_magic(stream)
    shape, order, dtype = np.lib.format.read_array_header_1_0(stream)
    data = content[stream.tell() :]
    honest = {"descr": repr(dtype.str), "fortran_order": str(order), "shape": str(shape)}
    others = [*NUMBERS, *map(repr, WORDS), "None", "[]", "{}", "True"]
    tried = {"descr": [*map(repr, _TYPES), *others], "fortran_order": others}
    tried["shape"] = [*_SHAPES, *others]
    for field, raws in tried.items():
        for raw in raws:
            yield Change(f"{field} = {raw[:40]}", _array(honest | {field: raw}, data))
        left = {name: raw for name, raw in honest.items() if name != field}
        yield Change(f"no {field}", _array(left, data))
        again = f"{honest[field]}, {field!r}: {raws[0]}"
        yield Change(f"{field} twice", _array(honest | {field: again}, data))
    for value in _VALUES[dtype.kind]:
        for at in (0, len(data) - dtype.itemsize):
            one = np.array(value, dtype).tobytes()
            changed = data[:at] + one + data[at + dtype.itemsize :]
            yield Change(f"byte {at} of its data = {value!r}", _array(honest, changed))
    for what, whole in {
        "an empty file": b"",
        "half a header": content[:40],
        "half a row": content[: -len(data) // 2],
        "more rows": content + data,
        "a pickle": pickle.dumps([1.0]),
        "an archive": b"PK\x03\x04" + content,
        "another version": content[:6] + b"\x09" + content[7:],
    }.items():
        yield Change(what, whole)


def _array(header: dict[str, str], data: bytes) -> bytes:
    text = ", ".join(f"{field!r}: {raw}" for field, raw in header.items())
    line = f"{{{text}, }}".encode("latin-1", "backslashreplace") + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + data


def numbers_as_text(tree: Any) -> Iterator[tuple[str, str, str]]:
    """Yield each place of a number or truth, and a JSON value with it as text, and as a list."""
    for path, value in _places(tree):
        if isinstance(value, int | float):
            as_text, as_list = (_with(tree, path, one) for one in (json.dumps(value), []))
            yield ".".join(map(str, path)), json.dumps(as_text), json.dumps(as_list)


def cell_changes(cells: list[str]) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield rows to put in the place of one: a cell changed, alone and beside the honest row."""
    for at, cell in enumerate(cells):
        words = [*NUMBERS, "\x00", "a\x00b", *(word for word in WORDS if word.isprintable())]
        if _DIGITS.search(cell):
            words.append(_DIGITS.sub("9" * 5000, cell))
        for word in words:
            changed = [*cells[:at], word, *cells[at + 1 :]]
            yield f"column {at + 1} = {word[:40]}", [changed]
            yield f"column {at + 1} = {word[:40]} in a second row", [cells, changed]


def _branch(schema: dict[str, Any], value: Any, whole: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a schema that is for a value, references followed."""
    while "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found = _branch(one, value, whole)
        wanted = {"object": dict, "array": list}.get(found.get("type", ""))
        if wanted is None or not isinstance(value, wanted):
            continue
        required = found.get("required", ())
        if not isinstance(value, dict) or all(name in value for name in required):
            return found
    return schema


def _example(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    while "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return _example(one, whole)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("type") == "object":
        return {name: _example(one, whole) for name, one in schema.get("properties", {}).items()}
    simple = {"string": "a", "integer": 1, "number": 1.0, "boolean": False, "array": []}
    return simple.get(schema.get("type", ""))


def _fields(
    tree: Any, schema: dict[str, Any], whole: dict[str, Any]
) -> Iterator[tuple[tuple[str | int, ...], tuple[str, ...], Any]]:
    """Yield each place in the fields of a value, with the name of its field, and what is there.

    Of a list or a mapping the first two values of each shape are looked into.
    """
    schema = _branch(schema, tree, whole)
    further = schema.get("additionalProperties")
    if isinstance(tree, list):
        places, items = schema.get("prefixItems", []), schema.get("items") or {}
        inner = [
            (at, _shape(tree[at]), places[at] if at < len(places) else items)
            for at in _two_of_each(dict(enumerate(tree)))
        ]
    elif isinstance(tree, dict) and isinstance(further, dict):
        inner = [(key, _shape(tree[key]), further) for key in _two_of_each(tree)]
    elif isinstance(tree, dict):
        known = schema.get("properties", {})
        inner = [(key, key, known.get(key, {})) for key in tree]
    else:
        return
    for key, name, one in inner:
        yield (key,), (name,), tree[key]
        for path, field, value in _fields(tree[key], one, whole):
            yield (key, *path), (name, *field), value


def _shape(value: Any) -> str:
    return str(sorted(value)) if isinstance(value, dict) else type(value).__name__


def _two_of_each(values: dict[K, Any]) -> Iterator[K]:
    """Yield the keys of the first two values of each shape."""
    seen: Counter[str] = Counter()
    for key, value in values.items():
        seen[_shape(value)] += 1
        if seen[_shape(value)] <= 2:
            yield key


def _places(tree: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Any]]:
    if path:
        yield path, tree
    if isinstance(tree, dict | list):
        for key in tree if isinstance(tree, dict) else range(min(len(tree), 2)):
            yield from _places(tree[key], (*path, key))


def _with(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = _with(tree[path[0]], path[1:], value)
    return copy


def _other_numbers(tree: Any) -> Iterator[Any]:
    """Yield a value with each of its numbers, those in text included, changed to another."""
    for path, value in _places(tree):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield _with(tree, path, value + 1)
        elif isinstance(value, str) and _NUMBER.fullmatch(value):
            yield _with(tree, path, str(int(float(value)) + 1))
