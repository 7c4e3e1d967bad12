"""Text lines, JSON lines and lines of columns, as every format reads and writes them.

Only LF ends a line here. Python's text mode also splits on a lone carriage return, and
`str.splitlines` on U+2028 and six more characters; either tears a question or a JSON string in two.

Problems of one file, collected so that a user sees all of them at once.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import orjson

from sidelight import files
from sidelight.errors import InputError, InvalidFileError, Problem, Severity, package_of
from sidelight.registry import check_path
from sidelight.text import first_of, quoted

if TYPE_CHECKING:
    from pydantic import ValidationError

# The names pydantic gives to kinds of errors, and ours.
_CODES = {
    "missing": "key-missing",
    "extra_forbidden": "key-unknown",
    "json_invalid": "json-syntax",
}
_MAX_NAMED, _NEAR = 8, 20

COMPARE = "Compare it with docs/formats.md."
"""What to do about a value that a format does not take."""
GIVE_TOPICS = ", or give a topics file that has it with --topics"
"""What else to do about an unknown topic, unless topics were given."""
OTHER_TOPICS = ", or name other topics with --topics"
"""What else to do about a missing one."""


class Findings:
    """Problems of one file, in the order they were found; each names the file as `path` has it."""

    def __init__(self, path: Path, problems: Iterable[Problem] = ()) -> None:
        self._file = str(path)
        self.problems = list(problems)

    def add(
        self,
        code: str,
        line: int | None,
        *,
        expected: str,
        found: str,
        remedy: str,
        severity: Severity,
    ) -> None:
        """Add a problem; the arguments are those of `Problem`."""
        self.problems.append(Problem(code, self._file, line, expected, found, remedy, severity))

    def error(self, code: str, line: int | None, *, expected: str, found: str, remedy: str) -> None:
        """Add a problem that makes the file invalid."""
        self.add(code, line, expected=expected, found=found, remedy=remedy, severity="error")

    def again(
        self, code: str, line: int | None, expected: str, found: str = "a second one"
    ) -> None:
        """Add an error on what may be there once only."""
        self.error(code, line, expected=expected, found=found, remedy="Keep one of them.")

    def label(self, line: int, writings: Iterable[str], where: str, found: str) -> None:
        """Add an error on a text that is none of the labels in `writings`."""
        expected, remedy = f"one of {', '.join(writings)} {where}", "Correct the label."
        self.error("label", line, expected=expected, found=quoted(found), remedy=remedy)

    def topics(self, given: Iterable[str], known: Collection[str], line: int | None = None) -> None:
        """Add a problem on topics that are none of the track's: an error where a line is on one."""
        if other := [quoted(one) for one in sorted(set(given).difference(known))]:
            told = {
                "expected": "a topic of the track",
                "found": first_of(other),
                "remedy": f"Correct or remove it{GIVE_TOPICS}.",
            }
            if line is None:
                self.warning("topics-other", None, **told)
            else:
                self.error("topic-unknown", line, **told)

    def warning(
        self, code: str, line: int | None, *, expected: str, found: str, remedy: str
    ) -> None:
        """Add a problem worth knowing that leaves the file valid."""
        self.add(code, line, expected=expected, found=found, remedy=remedy, severity="warning")

    def invalid(
        self, error: ValidationError, line: int | None, what: str, remedy: str = COMPARE
    ) -> InvalidFileError:
        """Add one error for each place where a value is not of the type a format asks for.

        `what` is the name of the value, with its article. Returns what to raise where reading ends.
        """
        from sidelight.schemas.base import fault  # which takes pydantic along

        details = error.errors(include_url=False)
        for detail in details:
            # A list whose items are all invalid is empty to pydantic, which then says so too.
            whole = detail["loc"]
            inside = (o["loc"] for o in details if len(o["loc"]) > len(whole))
            if not any(place[: len(whole)] == whole for place in inside):
                self.error(
                    _CODES.get(detail["type"], "value"),
                    line,
                    expected=what,
                    found=fault(detail),
                    remedy=remedy,
                )
        return InvalidFileError(self.problems)

    def raise_errors(self) -> None:
        """Raise `InvalidFileError` with all errors, if there are any."""
        errors = [problem for problem in self.problems if problem.severity == "error"]
        if errors:
            raise InvalidFileError(errors)


def difference(old: str, new: str) -> str:
    """Say what a text was and is now, from a little before to a little after they part."""
    if new == old.strip():
        return "is now without white space around it"
    pairs = enumerate(zip(old, new, strict=False))
    parting = next((place for place, (a, b) in pairs if a != b), min(len(old), len(new)))
    start, end = max(0, parting - _NEAR), parting + _NEAR
    before, after = (
        f"{'...' * (start > 0)}{one[start:end]}{'...' * (end < len(one))}" for one in (old, new)
    )
    return f"{before!r} is now {after!r}"


J = TypeVar("J", dict[str, Any], list[Any])
V = TypeVar("V")

# The longest page of the collections is a tenth of this. A line of gigabytes fits in a `.gz` of two
# megabytes, as does a file of nothing but short lines.
MAX_LINE_BYTES = 16 << 20
_MAX_LINES = 10_000_000
_BEGINNING = 1_000  # bytes; of UTF-16 in a language of few letters nearly each second one is zero
_SAVE = "Save the file as UTF-8."


class Line(NamedTuple):
    """A 1-based line number, and the line without its ending; it may hold any character but LF."""

    number: int
    text: str


class TextFile(NamedTuple):
    """A decoded file.

    Attributes:
        lines: All lines that are UTF-8, blank ones included; the end of a final LF is no line.
        problems: One error for each line that is not UTF-8, or too long.
        has_bom: Whether the file began with a byte order mark, which is not in `lines`.
        crlf_lines: How many lines ended in CR LF; the CR is not in `lines`.
    """

    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]
    has_bom: bool
    crlf_lines: int


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn a failure to read a file into an `InputError` that names it."""
    try:
        yield
    except files.RefusedFileError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except IsADirectoryError as error:
        names = sorted(one.name for one in path.glob("[!.]*") if one.is_file())
        raise InputError(
            f"{path}: expected a file; found a folder{'' if names else ' without files'}",
            remedy=f"Name a file of this folder: {first_of(names, _MAX_NAMED)}."
            if names
            else "Name a file.",
        ) from error
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file", remedy=check_path(path)) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be read: {error}", remedy="Fetch or compress the file again."
        ) from error
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror or error}",
            remedy="Check the path and its permissions.",
        ) from error


def decode_line(raw: bytes, size: int, line: int, findings: Findings) -> str | None:
    """Return the text of a line of `size` bytes; None, with an error in `findings`, if it has none.

    It has none if it is longer than any line that is read, or not UTF-8.
    """
    if size > MAX_LINE_BYTES:
        findings.error(
            "line-long",
            line,
            expected=f"at most {MAX_LINE_BYTES} bytes in a line",
            found=str(size),
            remedy="Write one object or record on each line.",
        )
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{raw[error.start]:02x} at position {error.start + 1} of the line"
        findings.error("invalid-utf8", line, expected="UTF-8", found=place, remedy=_SAVE)
        return None


def read_bytes(path: Path) -> bytes:
    """Return the content of a plain or `.gz` file, byte order mark included."""
    with readable(path):
        return files.read_limited(path, files.MAX_TABLE_BYTES)


def open_text(path: Path) -> TextFile:
    """Decode a file and report the lines that cannot be decoded, without stopping at them."""
    content = read_bytes(path)
    findings = Findings(path)
    if 3 * content.count(b"\0", 0, _BEGINNING) > min(len(content), _BEGINNING):
        # Excel writes "Unicode text" so; read line by line, every letter would be damaged.
        findings.error("utf-16", None, expected="UTF-8", found="UTF-16", remedy=_SAVE)
        findings.raise_errors()
    if content.count(b"\n") > _MAX_LINES:
        raise InputError(f"{path}: expected at most {_MAX_LINES} lines; found more")
    raw_lines = content.removeprefix(BOM_UTF8).split(b"\n")
    if not raw_lines[-1]:
        raw_lines.pop()
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        text = decode_line(raw.removesuffix(b"\r"), len(raw), number, findings)
        if text is not None:
            lines.append(Line(number, text))
    return TextFile(
        lines=tuple(lines),
        problems=tuple(findings.problems),
        has_bom=content.startswith(BOM_UTF8),
        crlf_lines=sum(raw.endswith(b"\r") for raw in raw_lines),
    )


def stream_lines(path: Path) -> Iterator[Line]:
    """Yield the lines that are not blank, one in memory at a time.

    A line that is not UTF-8, or too long, raises InvalidFileError when it is reached.
    """
    findings = Findings(path)
    with readable(path), files.open_binary(path) as stream:
        for number in range(1, _MAX_LINES + 1):
            raw = stream.readline(MAX_LINE_BYTES + 2)
            if not raw:
                return
            raw = raw.removeprefix(BOM_UTF8) if number == 1 else raw
            raw = raw.removesuffix(b"\n").removesuffix(b"\r")
            text = decode_line(raw, len(raw), number, findings)
            findings.raise_errors()
            if text and text.strip():
                yield Line(number, text)
    raise InputError(f"{path}: expected at most {_MAX_LINES} lines; found more")


_DATASET = "irds:"


def is_dataset(path: Path) -> bool:
    """Tell whether a data set of the package ir_datasets is named, and no file."""
    return str(path).startswith(_DATASET)


def read_lines(path: Path, part: Literal["queries", "qrels"] | None = None) -> tuple[Line, ...]:
    """Return the lines of a file, blank ones left out.

    A path `irds:NAME` names a data set of ir_datasets, and `part` what is read of it, as the lines
    of a file of such. If `part` is None, `path` is always taken for a file.
    """
    if part is None or not is_dataset(path):
        file = open_text(path)
        Findings(path, file.problems).raise_errors()
        return tuple(line for line in file.lines if line.text.strip())
    with package_of(str(path), "Install it with: pip install ir_datasets; or name a file."):
        import ir_datasets
    try:
        found = ir_datasets.load(str(path).removeprefix(_DATASET))
    except KeyError:
        found = None
    if found is None or not hasattr(found, f"{part}_iter"):
        raise InputError(
            f"{path}: expected a data set of ir_datasets with {part}; found none of this name",
            remedy="Take the name from the catalogue of ir_datasets.",
        )
    if part == "qrels":
        texts = (f"{one.query_id} 0 {one.doc_id} {one.relevance}" for one in found.qrels_iter())
    else:
        texts = (
            f"{one.query_id}\t{' '.join(one.default_text().split())}"
            for one in found.queries_iter()
        )
    return tuple(starmap(Line, enumerate(texts, start=1)))


def parsed_lines(
    path: Path,
    parse: Callable[[dict[str, Any]], V],
    what: str,
    findings: Findings,
    remedy: str = COMPARE,
    mend: Callable[[str], str] = str,
) -> Iterator[tuple[int, V]]:
    """Yield the line number and the value of each object in a JSONL file that `parse` accepts.

    `mend` is applied to each line first. For any other object `parse` raises `ValidationError`;
    that, and what is wrong with a line that holds no object, is added to `findings`; see
    `Findings.invalid` for `what` and `remedy`.
    """
    from pydantic import ValidationError

    file = open_text(path)
    findings.problems += file.problems
    begun = (line.text.lstrip()[:9].casefold() for line in file.lines if line.text.strip())
    first = next(begun, "")
    is_page = first.startswith(("<!doctype", "<html"))
    others = [] if first.startswith("{") else [*begun]
    if is_page or (others and not any(one.startswith("{") for one in others)):
        told = {"expected": "JSON, one object a line", "found": "a web page" if is_page else "text"}
        remedy = "Name another file. `sidelight read` takes one article as a text or a web page."
        findings.error("json-syntax", file.lines[0].number, **told, remedy=remedy)
        return
    for line, text in file.lines:
        content = decode_unique(mend(text), line, findings) if text.strip() else None
        if content is None:
            continue
        try:
            value = parse(content)
        except ValidationError as error:
            findings.invalid(error, line, what, remedy)
        else:
            yield line, value


def write_json_lines(path: Path, objects: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object a line, keys in the order given."""
    with files.atomic_writer(path) as stream:
        for content in objects:
            stream.write(orjson.dumps(content).decode() + "\n")


def decode_unique(text: str, number: int | None, findings: Findings) -> dict[str, Any] | None:
    """Return the JSON object in a text that has each key once; see `decode_object`.

    Of a repeated key, readers take the first value or the last one, and so two files.
    """
    value = decode_object(text, number, findings)
    if value is None:
        return None
    try:
        json.loads(text, object_pairs_hook=_once)
    except _RepeatedKeyError as error:
        findings.again("key-repeated", number, "each key once in an object", quoted(str(error)))
        return None
    except (RecursionError, ValueError):  # beyond any value that passes the checks to come
        pass
    return value


def decode_list(text: str, number: int, findings: Findings) -> list[Any] | None:
    """Return the JSON list in a text, numbers kept whole, each key of an object once; or None."""
    if _decode(text, number, findings, list, "list") is None:
        return None
    try:
        value: list[Any] = json.loads(text, object_pairs_hook=_once)
    except _RepeatedKeyError as error:
        findings.again("key-repeated", number, "each key once in an object", quoted(str(error)))
    except (RecursionError, ValueError) as error:
        findings.error(
            "json-syntax",
            number,
            expected="a JSON list without deep nesting or very long numbers",
            found=quoted(str(error)),
            remedy="Write it with fewer levels and digits.",
        )
    else:
        return value
    return None


class _RepeatedKeyError(Exception):
    """An object has a key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _RepeatedKeyError(next(key for key, count in counts.items() if count > 1))
    return found


def decode_object(text: str, number: int | None, findings: Findings) -> dict[str, Any] | None:
    """Return the JSON object in a text; None, with an error in `findings`, if there is none."""
    return _decode(text, number, findings, dict, "object")


def _decode(
    text: str, number: int | None, findings: Findings, kind: type[J], name: str
) -> J | None:
    try:
        value = files.read_json(text)
    except orjson.JSONDecodeError as error:
        findings.error(
            "json-syntax",
            number,
            expected=f"a JSON {name}",
            found=f"{error.msg} at column {error.colno}: {quoted(text)}",
            remedy=f"Write each {name} on one line, with a JSON library.",
        )
        return None
    if not isinstance(value, kind):
        findings.error(
            "json-type",
            number,
            expected=f"a JSON {name}",
            found=quoted(value),
            remedy=f"Put one {name} on each line.",
        )
        return None
    return value


# `str.split` would also split on the no-break spaces an id may hold.
_SPACES = re.compile("[ \t\r\f\v]+")
_LABELS, _RUN = "relevance labels (qrels)", "search results (a TREC run)"
_OF_COLUMNS = {4: _LABELS, 6: _RUN}


def read_columns(
    path: Path, names: tuple[str, ...], part: Literal["qrels"] | None = None
) -> list[tuple[int, list[str]]]:
    """Return the line number and the cells of every line that is not blank; see `read_lines`.

    A line with more or fewer cells than `names` is an error, and so is a null character. A file of
    the other kind, labels or search results, is one error.
    """
    findings = Findings(path)
    rows: list[tuple[int, list[str]]] = []
    for line, text in read_lines(path, part):
        cells = _SPACES.split(text.strip(" \t\r\f\v"))
        if len(cells) != len(names):
            findings.error(
                "column-count",
                line,
                expected=f"{len(names)} columns, {' '.join(names)}",
                found=f"{len(cells)}: {quoted(text)}",
                remedy="Separate columns by spaces or tabs.",
            )
        elif "\x00" in text:  # where trec_eval's code would cut an id
            findings.error(
                "null-character",
                line,
                expected="text without null characters",
                found=quoted(text),
                remedy="Remove them.",
            )
        rows.append((line, cells))
    wanted = _LABELS if "grade" in names else _RUN
    kinds = {_OF_COLUMNS.get(len(cells)) for _, cells in rows}
    if findings.problems and kinds == {*_OF_COLUMNS.values()} - {wanted}:
        first, *_ = findings.problems
        told = f"{kinds.pop()}, {first.found}"
        remedy = f"Give a file of {wanted}."
        findings.problems = [
            replace(first, expected=f"{wanted}, {first.expected}", found=told, remedy=remedy)
        ]
    findings.raise_errors()
    return rows


def write_columns(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write a line for each row, cells separated by a space; a cell must be one word, not empty."""
    with files.atomic_writer(path) as stream:
        for row in rows:
            cells = [str(cell) for cell in row]
            for cell in cells:
                if cell.split() != [cell]:
                    raise InputError(
                        f"{path}: cannot write {cell!r} in a file whose columns are separated by "
                        "white space"
                    )
            stream.write(" ".join(cells) + "\n")
