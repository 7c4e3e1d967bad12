"""Files broken, or merely bent: run files in ways that readers disagree about, and any others."""

import json
import random
import re
from typing import Any

from tests.helpers.formats.sample_runs import (
    TOPICS,
    task1_bytes,
    task1_rows,
    task2_bytes,
    task2_objects,
)

SNIPPETS = [
    *(b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x1f"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"'", b"\\", b"\\ud800", b","),
    *(piece.encode() for piece in ["\x85", "\xa0", "\u2028", "\u2029", "\u200b", "²", "٣", "é"]),
    *(b"{", b"}", b"[", b"]", b"NaN", b"null", b"true", b"1e999", b"-0", b"0", b"x" * 301),
]
RANKS = [
    *("0", "01", "001", "10", "11", "1.0", "+1", "-1", "", " 1", "1 ", "1e1", "x", "9" * 5000),
    *("٣", "１", "²", "①", "३", "1٠", "10\r", "1_0", "𝟏"),
]
QUESTIONS = [
    *("", "N/A", "None", '"', '"Who?', '"Who?"', "Why?\r", "Why?\rHow?", "a\u2028b", "a\x85b"),
    *("x" * 300, "x" * 301, "é" * 300, "e\u0301" * 150, "𝟏" * 300, "\ufeffWho?", "a\tb"),
]
VALUES = [
    *(None, True, False, 0, 1, 2, -1, 1.0, 0.5, 10**30, "", "0", "1", "Automatic", "manual"),
    *("automatic", "lamp", TOPICS[0], TOPICS[7], "msmarco_v2.1_doc_99_1", [], {}, [TOPICS[0]]),
    *([None], ["a", "b", "c"], ["a", "b", "c", "d"], [["a"]], {"text": "a"}, "\ud800"),
    *("w " * 250, "w " * 251, "w\u00a0" * 251, "w\u200b" * 251, "w\u2003" * 251, "w\x1c" * 251),
]
RAW_VALUES = [
    *("NaN", "-Infinity", "1E400", "9" * 4300, "9" * 4301, "[" * 50 + "]" * 50, "01", "0x1"),
    *("[" * 100_000 + "]" * 100_000, '{"a":1,"a":2}', "'a'", '"\\u0000"', '"\x01"', '"\t"', "1 "),
]


def mutated_task1(seed):
    rng = random.Random(f"task1 {seed}")
    return _mutate(rng, task1_bytes(task1_rows()), [*_BYTES, *_LINES, *_FIELDS])


def mutated_task2(seed):
    rng = random.Random(f"task2 {seed}")
    return _mutate(rng, task2_bytes(task2_objects()), [*_BYTES, *_LINES, *_JSON])


def mutated_answers(seed, lines):
    """Return answers to narratives, of either year, broken or bent."""
    rng = random.Random(f"answers {seed}")
    return _mutate(rng, task2_bytes(lines), [*_BYTES, *_LINES, *_JSON])


def _mutate(rng, content, mutations):
    for mutation in rng.choices(mutations, k=rng.choice([1, 1, 1, 2, 3])):
        content = mutation(rng, content)
    return content


def _insert(rng, content):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(SNIPPETS) + content[at:]


def _insert_at_an_edge(rng, content):
    """Put something at the beginning or the end of the file, of a line, or beside a tab."""
    edges = [0, len(content), *(match.end() for match in re.finditer(rb"[\n\t]", content))]
    at = rng.choice(edges)
    return content[:at] + rng.choice(SNIPPETS) + content[at:]


def _delete(rng, content):
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.choice([1, 1, 2, 50]) :]


def _truncate(rng, content):
    return content[: rng.choice([0, 1, -1, rng.randrange(len(content) + 1)])]


def _other_line_ends(rng, content):
    return content.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\n\r", b"\xe2\x80\xa8"]))


def _encode_otherwise(rng, content):
    encoding = rng.choice(["utf-8-sig", "utf-16", "latin-1"])
    return content.decode("utf-8", "replace").encode(encoding, "replace")


def _shuffle_lines(rng, content):
    lines = content.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def _repeat_line(rng, content):
    lines = content.splitlines(keepends=True) or [b""]
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def _drop_line(rng, content):
    lines = content.splitlines(keepends=True) or [b""]
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _blank_line(rng, content):
    lines = content.splitlines(keepends=True)
    blank = rng.choice([b"\n", b"\n", b" \n", b"\t\t\t\t\n", "\u2003\n".encode(), b"\x0c\n"])
    lines.insert(rng.randrange(len(lines) + 1), blank)
    return b"".join(lines)


def _change_field(rng, content):
    """Change one field of one line, or of all lines alike."""
    column = rng.choice([0, 1, 2, 3, 3, 3, 4, 4])
    values = {3: RANKS, 4: QUESTIONS}.get(column, ["", "lamp", TOPICS[3], "a b", " ", "\ufeff"])
    value = rng.choice(values).encode()
    lines = content.split(b"\n")
    chosen = range(len(lines)) if rng.random() < 0.2 else [rng.randrange(len(lines))]
    for number in chosen:
        fields = lines[number].split(b"\t")
        if column < len(fields):
            fields[column] = value
        lines[number] = b"\t".join(fields)
    return b"\n".join(lines)


def _respell_rank(rng, content):
    """Write one rank in other digits that Python's `int` takes for the same number."""
    lines = content.split(b"\n")
    number = rng.randrange(len(lines))
    fields = lines[number].split(b"\t")
    if len(fields) > 3 and fields[3].isdigit():
        rank = fields[3].decode()
        zero = rng.choice("0٠०０")
        digits = "".join(chr(ord(zero) + int(digit)) for digit in rank)
        fields[3] = (rng.choice(["", zero]) + digits).encode()
    lines[number] = b"\t".join(fields)
    return b"\n".join(lines)


def _change_json(change):
    def mutation(rng, content):
        lines = content.split(b"\n")
        everywhere = rng.random() < 0.2
        state = rng.getstate()
        for number in range(len(lines)) if everywhere else [rng.randrange(len(lines))]:
            try:
                item = json.loads(lines[number])
            except (ValueError, RecursionError):
                continue
            if everywhere:
                rng.setstate(state)  # the same change in every line
            if isinstance(item, dict) and isinstance(item.get("metadata", {}), dict):
                change(rng, item)
                lines[number] = json.dumps(item, ensure_ascii=rng.random() < 0.5).encode(
                    "utf-8", "surrogatepass"
                )
        return b"\n".join(lines)

    return mutation


def _places(item):
    """Return every (container, key) in a JSON value."""
    if isinstance(item, dict):
        return [(item, key) for key in item] + [
            p for value in item.values() for p in _places(value)
        ]
    if isinstance(item, list):
        return [(item, i) for i in range(len(item))] + [p for value in item for p in _places(value)]
    return []


def _set_value(rng, item):
    container, key = rng.choice(_places(item))
    container[key] = rng.choice(VALUES)


def _set_metadata(rng, item):
    key = rng.choice(["team_id", "run_id", "topic_id", "type", "use_starter_kit"])
    item.get("metadata", item)[key] = rng.choice(VALUES)


def _set_flag(rng, item):
    item.get("metadata", item)["use_starter_kit"] = rng.choice([True, False, 1, 0, 1.0, "0"])


def _remove_key(rng, item):
    container, key = rng.choice(_places(item))
    del container[key]


def _add_key(rng, item):
    containers = [
        item,
        item.get("metadata", item),
        *[c for c, _ in _places(item) if isinstance(c, dict)],
    ]
    rng.choice(containers)[rng.choice(["notes", "TEXT", ""])] = rng.choice(VALUES)


def _set_responses(rng, item):
    sentence = {"text": rng.choice(VALUES), "citations": rng.choice(VALUES)}
    key = "responses" if "responses" in item else "answer"
    item[key] = rng.choice([[], [sentence], [sentence, sentence], sentence, [[]], None])


def _set_raw_value(rng, content):
    """Put text that a JSON library would not write in the place of a value."""
    values = list(re.finditer(rb'(?<=: )(?:"[^"]*"|[0-9]+)', content))
    if not values:
        return content
    match = rng.choice(values)
    return content[: match.start()] + rng.choice(RAW_VALUES).encode() + content[match.end() :]


def _pad_lines(rng, content):
    padding = rng.choice([" ", "\t", "\u2003", "\xa0", "\x1c", "\x85", "\x0b"]).encode()
    lines = content.split(b"\n")
    number = rng.randrange(len(lines))
    lines[number] = padding + lines[number] + padding
    return b"\n".join(lines)


_BYTES = [*(_insert, _insert_at_an_edge, _delete, _truncate, _other_line_ends, _encode_otherwise)]
_LINES = [_shuffle_lines, _repeat_line, _drop_line, _blank_line, _pad_lines]
_FIELDS = [
    _change_field,
    _change_field,
    _change_field,
    _respell_rank,
    _respell_rank,
]
_JSON = [
    *map(_change_json, [_set_value, _set_value, _set_metadata, _set_flag, _remove_key]),
    *map(_change_json, [_add_key, _add_key, _set_responses, _set_responses]),
    _set_raw_value,
]


WORDS = (
    *("", " ", "0", "1", "-1", "1.5", "nan", "inf", "-inf", "1e999", "9" * 5000, "x" * 300, "\x00"),
    *("../../x", "/etc/passwd", "=cmd|'x'!A0", "a,b", '"', "é\u0301", "\u202e", "None", "true"),
    "#",
)
MORE_VALUES: tuple[Any, ...] = (
    *VALUES,
    *(10**40, -(10**40), 1e308, -0.0, "../x", "/x", "a\x00b", "x" * 5000, {"a": {"b": []}}),
    *([[], {}], 2**63, 2**31, "2024-99-99", {"0": 1}, ["x"] * 50, "a:b", "os:system"),
    "msmarco_v2.1_doc_1_1#0_1",
)


def damaged(content, rng):
    """Return a file with some damage, whatever it holds; most of it is still what it was."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice(_DAMAGE)(rng, content)
    return content


def _change_bytes(rng, content):
    changed = bytearray(content)
    for _ in range(rng.choice((1, 3, 10)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _insert_value(rng, content):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(RAW_VALUES).encode() + content[at:]


def _other_content(rng, _):
    return rng.choice((b"", b"{}", b"[]", b"null", b"7", b'"x"', b"\n", b"\xff\xfe", b"- - -"))


def _change_line(rng, content):
    lines = content.split(b"\n")
    lines[rng.randrange(len(lines))] = rng.choice(WORDS).encode()
    return b"\n".join(lines)


def _change_cell(rng, content):
    """Change a cell of a table, or a word."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    parted_by = next((mark for mark in (b"\t", b",", b": ", b" ") if mark in lines[at]), b" ")
    cells = lines[at].split(parted_by)
    cells[rng.randrange(len(cells))] = rng.choice(WORDS).encode()
    lines[at] = parted_by.join(cells)
    return b"\n".join(lines)


def _change_value(rng, content):
    """Change, remove or add a value of a JSON file, or of one of its lines."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    for text, indent in ((content, 2), (lines[at], None)):
        try:
            tree = _changed(rng, json.loads(text))
            made = json.dumps(tree, ensure_ascii=False, indent=indent)
        except (ValueError, RecursionError):
            continue
        lines[at] = made.encode("utf-8", "surrogatepass")
        return lines[at] if text is content else b"\n".join(lines)
    return _insert_value(rng, content)


def _changed(rng, tree):
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
            container[key] = json.loads(json.dumps(other[place]))
        case 3 if isinstance(container, dict):
            container[rng.choice(WORDS)] = container.pop(key)
        case _:
            container[key] = rng.choice(MORE_VALUES)
    return tree


_DAMAGE = [
    *(_insert, _truncate, _delete, _change_bytes, _insert_value, _other_content),
    *(_drop_line, _repeat_line, _shuffle_lines, _change_line),
    *[_change_cell] * 3,
    *[_change_value] * 9,
]
