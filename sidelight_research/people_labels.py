"""Files of people's labels, as TREC RAG 2024 published them, read line by line.

Plain or gzip. Whatever is wrong with a line is an `InvalidFileError` that names file and line.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sized
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.files import open_binary
from sidelight.formats.labels.assessments import ANSWER_LEVELS
from sidelight.schemas.grading.judgment import (
    JudgedSentence,
    LabelScale,
    Unjudged,
)
from sidelight.schemas.run import CitedSentence

SUPPORT_LEVELS = ("0", "1", "2")
"""Labels of a segment for a sentence, from the lowest: none, partial, full."""

_NOT_JUDGED = "-1"
_MAX_LINE = 16_000_000  # characters; a longer line is no answer
_MAX_FOUND = 60


class JudgedAnswer(NamedTuple):
    """One run's answer to a topic, with people's labels.

    The query may be empty. The items are nuggets; `vital` says whether each is, and `levels` the
    place of each label in `ANSWER_LEVELS`.
    """

    topic: str
    run: str
    query: str
    text: str
    items: tuple[str, ...]
    vital: tuple[bool, ...]
    levels: tuple[int, ...]


class JudgedCitation(NamedTuple):
    """One sentence and one segment that it cites, with people's label.

    `segment` is an id; `level` is 0 none, 1 partial, 2 full support.
    """

    topic: str
    run: str
    sentence: str
    segment: str
    level: int


class Segments(NamedTuple):
    """Texts by segment id, and by topic id what was asked and the ids of its segments."""

    texts: dict[str, str]
    queries: dict[str, str]
    by_topic: dict[str, tuple[str, ...]]


def read_answers(path: Path) -> list[JudgedAnswer]:
    """Read a file with lines like those of `nugget-assignments.jsonl.gz`; it must not be empty."""
    answers = []
    for place in _places(path):
        nuggets = place.objects("nuggets")
        answers.append(
            JudgedAnswer(
                topic=place.string("qid"),
                run=place.string("run_id"),
                query=place.string("query", default=""),
                text=place.string("answer_text"),
                items=tuple(nugget.string("text") for nugget in nuggets),
                vital=tuple(
                    nugget.string("importance", default="vital") == "vital" for nugget in nuggets
                ),
                levels=tuple(nugget.level("assignment", ANSWER_LEVELS) for nugget in nuggets),
            )
        )
    _check_not_empty(path, answers)
    return answers


def read_citations(path: Path) -> list[JudgedCitation]:
    """Read a file with lines like those of `support-judgments.*.jsonl.gz`; it must not be empty.

    Citations labelled -1 (not judged) and sentences whose text is missing are left out. The keys of
    the sentence's number and of joint labels, which differ between the files, are not read.
    """
    citations = []
    for place in _places(path):
        topic, run = place.string("topic_id"), place.string("run_id")
        for sentence in place.objects("sentences"):
            if not isinstance(sentence.value.get("text"), str):
                continue
            text = sentence.string("text")
            for citation in sentence.objects("citations"):
                if str(citation.value.get("support")) == _NOT_JUDGED:
                    continue
                level = citation.level("support", SUPPORT_LEVELS)
                segment = citation.string("reference")
                citations.append(JudgedCitation(topic, run, text, segment, level))
    _check_not_empty(path, citations)
    return citations


def read_sentences(path: Path, scale: LabelScale) -> list[JudgedSentence]:
    """Read the same files sentence by sentence, with those that cite nothing.

    The label of the first citation decides, and that of all together; of a single citation it is
    the same. What is labelled -1 or not labelled is unjudged. The labels of the scale of support
    are those of the file.
    """
    found: list[JudgedSentence] = []
    for place in _places(path):
        topic, run = place.string("topic_id"), place.string("run_id")
        for position, sentence in enumerate(place.objects("sentences"), start=1):
            cited = sentence.objects("citations")
            labels = [one.label("support", scale) for one in cited]
            # The key is spelt so in the published file; the other file has no such label.
            together = [sentence.label("citationsCombibed", scale)] if len(labels) > 1 else labels
            text = sentence.value.get("text")
            found.append(
                JudgedSentence(
                    run_tag=run,
                    topic_id=topic,
                    number=position,
                    first=labels[0] if labels else None,
                    all=together[0] if together else None,
                    reason="",
                    sentence=CitedSentence(
                        text=text if isinstance(text, str) else "",
                        citations=tuple(one.string("reference") for one in cited),
                    ),
                )
            )
    _check_not_empty(path, found)
    return found


def read_segments(path: Path) -> Segments:
    """Read a file with lines like those of `references.jsonl.gz`; it must not be empty."""
    segments = Segments({}, {}, {})
    for place in _places(path):
        topic = place.string("topic")
        ids, texts = place.strings("references_ids"), place.strings("references_texts")
        if len(ids) != len(texts):
            place.fail(f"as many references_texts as references_ids ({len(ids)})", len(texts))
        segments.texts.update(zip(ids, texts, strict=True))
        segments.queries[topic] = place.string("query", default="")
        segments.by_topic[topic] = tuple(ids)
    _check_not_empty(path, segments.texts)
    return segments


class _Place:
    """One object of a line, read with complaints that name file and line."""

    def __init__(self, path: Path, number: int, value: Mapping[str, Any]) -> None:
        self.value = value
        self._path = path
        self._number = number

    def string(self, key: str, default: str | None = None) -> str:
        value = self.value.get(key, default)
        if not isinstance(value, str):
            self.fail(f"a text under {key!r}", value)
        return value

    def strings(self, key: str) -> list[str]:
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            self.fail(f"texts under {key!r}", values)
        return values

    def objects(self, key: str) -> list[_Place]:
        values = self._list(key)
        if not all(isinstance(value, dict) for value in values):
            self.fail(f"objects under {key!r}", values)
        return [_Place(self._path, self._number, value) for value in values]

    def level(self, key: str, labels: tuple[str, ...]) -> int:
        label = str(self.value.get(key))
        if label not in labels:
            self.fail(f"one of {', '.join(labels)} under {key!r}", self.value.get(key))
        return labels.index(label)

    def label(self, key: str, scale: LabelScale) -> str | Unjudged:
        label = str(self.value.get(key, _NOT_JUDGED))
        if label == _NOT_JUDGED:
            return Unjudged(reason="not judged")
        if scale.read(label) is None:
            self.fail(f"one of {', '.join(scale.writings)} under {key!r}", self.value.get(key))
        return label

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key)
        if not isinstance(value, list):
            self.fail(f"a list under {key!r}", value)
        return value

    def fail(self, expected: str, found: object) -> NoReturn:
        raise _invalid(self._path, self._number, expected, repr(found)[:_MAX_FOUND])


def _places(path: Path) -> Iterator[_Place]:
    """Yield each line that is not empty, as a JSON object."""
    try:
        with (
            open_binary(path) as stream,
            io.TextIOWrapper(stream, encoding="utf-8") as lines,
        ):
            number = 0
            while line := lines.readline(_MAX_LINE):
                number += 1
                if len(line) == _MAX_LINE:
                    raise _invalid(path, number, f"fewer than {_MAX_LINE:,} characters", "more")
                if line.strip():
                    yield _Place(path, number, _object(path, number, line))
    except UnicodeDecodeError as error:
        raise _invalid(path, None, "UTF-8", f"bytes that are not: {error.reason}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be read: {error}", remedy="Give a text file of JSON lines, or its .gz."
        ) from error


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        found = line.strip()[:_MAX_FOUND]
        raise _invalid(path, number, "a JSON object", repr(found)) from error
    if not isinstance(value, dict):
        raise _invalid(path, number, "a JSON object", repr(value)[:_MAX_FOUND])
    return value


def _check_not_empty(path: Path, found: Sized) -> None:
    if not found:
        raise _invalid(path, None, "at least one label or text", "none")


def _invalid(path: Path, number: int | None, expected: str, found: str) -> InvalidFileError:
    remedy = "The files of TREC RAG 2024 show the form."
    return InvalidFileError([Problem("label-line", str(path), number, expected, found, remedy)])
