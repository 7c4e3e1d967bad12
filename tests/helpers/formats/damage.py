"""Files damaged in seeded ways, whatever they hold: bytes, and values of JSON, YAML and tables."""

import json
from typing import Any

from tests.helpers.formats.mutations import RAW_VALUES, SNIPPETS, VALUES

WORDS = (
    *("", " ", "0", "1", "-1", "1.5", "nan", "inf", "-inf", "1e999", "9" * 5000, "x" * 300, "\x00"),
    *("../../x", "/etc/passwd", "=cmd|'x'!A0", "a,b", '"', "é\u0301", "\u202e", "None", "true"),
    "#",
)
MORE_VALUES: tuple[Any, ...] = (
    *VALUES,
    *(
        *(10**40, -(10**40), 1e308, -0.0, "../x", "/x", "a\x00b", "x" * 5000, {"a": {"b": []}}),
        [[], {}],
    ),
    *(
        *(2**63, 2**31, "2024-99-99", {"0": 1}, ["x"] * 50, "a:b", "os:system"),
        "msmarco_v2.1_doc_1_1#0_1",
    ),
)


def damaged(content, rng):
    """Return a file with some damage; most of it is still what it was."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice((_bytes, _bytes, _cells, _json, _json, _json, _lines))(content, rng)
    return content


def _bytes(content, rng):
    at = rng.randrange(len(content) + 1)
    match rng.randrange(6):
        case 0:
            return content[:at] + rng.choice(SNIPPETS) + content[at:]
        case 1:
            return content[:at]
        case 2:
            return content[:at] + content[at + rng.choice((1, 2, 50)) :]
        case 3:
            changed = bytearray(content)
            for _ in range(rng.choice((1, 3, 10))):
                if changed:
                    changed[rng.randrange(len(changed))] = rng.randrange(256)
            return bytes(changed)
        case 4:
            return rng.choice(
                (b"", b"{}", b"[]", b"null", b"7", b'"x"', b"\n", b"\xff\xfe", b"- - -")
            )
        case _:
            return content[:at] + rng.choice(RAW_VALUES).encode() + content[at:]


def _lines(content, rng):
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 2:
            rng.shuffle(lines)
        case _:
            lines[at] = rng.choice(WORDS).encode()
    return b"\n".join(lines)


def _cells(content, rng):
    """Change a cell of a table, or a word."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    parted_by = next((mark for mark in (b"\t", b",", b": ", b" ") if mark in lines[at]), b" ")
    cells = lines[at].split(parted_by)
    cells[rng.randrange(len(cells))] = rng.choice(WORDS).encode()
    lines[at] = parted_by.join(cells)
    return b"\n".join(lines)


def _json(content, rng):
    """Change, remove or add a value of a JSON file, or of one of its lines."""
    try:
        return _dumped(_changed(json.loads(content), rng))
    except (ValueError, RecursionError):
        lines = content.split(b"\n")
        at = rng.randrange(len(lines))
        try:
            lines[at] = _dumped(_changed(json.loads(lines[at]), rng), indent=None)
        except (ValueError, RecursionError):
            return _bytes(content, rng)
        return b"\n".join(lines)


def _dumped(value, indent=2):
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass")


def _changed(tree, rng):
    places = _places(tree)
    if not places:
        return rng.choice(MORE_VALUES)
    container, key = rng.choice(places)
    match rng.randrange(5):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[rng.choice(WORDS)] = rng.choice(MORE_VALUES)
        case 2:
            other, place = rng.choice(places)
            container[key] = json.loads(json.dumps(other[place] if _has(other, place) else None))
        case 3 if isinstance(container, dict):
            container[rng.choice(WORDS)] = container.pop(key)
        case _:
            container[key] = rng.choice(MORE_VALUES)
    return tree


def _has(container, key):
    return key in container if isinstance(container, dict) else key < len(container)


def _places(tree):
    """Return every (container, key) in a JSON value."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict | list):
            keys = list(item) if isinstance(item, dict) else list(range(len(item)))
            found += [(item, key) for key in keys]
            waiting += [item[key] for key in keys]
    return found
