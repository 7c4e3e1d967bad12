"""The verdict of the track's own validator, which is more lenient than ours.

An independent implementation of its rules, written to agree with it on every file: what it takes
for a line, a rank or a string is taken here, oddities included. It reads with Python's universal
newlines, keeps a byte order mark, takes any `str.isdigit` text for a rank and `True` for 1, and
never looks at what a citation says.

Whether very deeply nested JSON can be parsed depends on Python's version and stack, in both.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sidelight.files import open_regular
from sidelight.formats.findings import quoted
from sidelight.formats.lines import readable

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from sidelight.schemas.task import CitedTextTask, QuestionListTask

_FIELD_COUNT = 5
_METADATA_KEYS = frozenset({"team_id", "run_id", "topic_id", "type", "use_starter_kit"})


def official_questions(path: Path, task: QuestionListTask, topic_ids: Collection[str]) -> list[str]:
    """Return what the track's validator objects to in a Task 1 file; empty means VALID.

    Raises:
        InputError: The file cannot be read.
    """
    lines, errors = _universal_lines(path)
    teams: set[str] = set()
    runs: set[str] = set()
    ranks: defaultdict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != _FIELD_COUNT:
            errors.append(f"line {number}: {len(fields)} fields in place of {_FIELD_COUNT}")
            continue
        topic_id, team_id, run_id, rank, question = fields
        teams.add(team_id)
        runs.add(run_id)
        ranks[topic_id] |= _ranks_in(rank)
        if len(question) > task.max_characters:
            errors.append(f"line {number}: a question of {len(question)} characters")
    if len(teams) > 1:
        errors.append(f"{len(teams)} team ids in one file")
    if len(runs) > 1:
        errors.append(f"{len(runs)} run ids in one file")
    errors += [
        f"topic {topic_id}: ranks other than 1 to {task.count}, each at least once"
        for topic_id, found in ranks.items()
        if found != set(range(1, task.count + 1))
    ]
    return errors + _coverage(set(ranks), topic_ids)


def official_reports(path: Path, task: CitedTextTask, topic_ids: Collection[str]) -> list[str]:
    """Return what the track's validator objects to in a Task 2 file; empty means VALID.

    Raises:
        InputError: The file cannot be read.
    """
    lines, errors = _universal_lines(path)
    topics: set[str] = set()
    constants: dict[str, Any] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            content = json.loads(line.strip())
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
            errors.append(f"line {number}: not JSON: {error}")
            continue
        objections, metadata = _metadata(content)
        errors += [f"line {number}: {objection}" for objection in objections]
        if objections:
            continue
        if metadata["topic_id"] in topics:
            errors.append(f"line {number}: a second report for {quoted(metadata['topic_id'])}")
        topics.add(metadata["topic_id"])
        errors += [
            f"line {number}: another {key} than before"
            for key in sorted(_METADATA_KEYS - {"topic_id"})
            if constants.setdefault(key, metadata[key]) != metadata[key]
        ]
        errors += [
            f"line {number}: {objection}" for objection in _responses(content["responses"], task)
        ]
    return errors + _coverage(topics, topic_ids)


def _universal_lines(path: Path) -> tuple[list[str], list[str]]:
    """Return the lines as Python's text mode splits them, and an error where it cannot decode."""
    with readable(path), open_regular(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [], [f"not UTF-8: byte {error.start + 1}"]
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), []


def _ranks_in(field: str) -> set[int]:
    """Return the rank in a field, or 0, which no topic may have, where there is none."""
    try:
        return {int(field) if field.isdigit() else 0}
    except ValueError:  # a superscript is a digit to isdigit but not to int
        return {0}


def _coverage(found: set[str], topic_ids: Collection[str]) -> list[str]:
    return [f"topic {topic_id} is missing" for topic_id in topic_ids if topic_id not in found] + [
        f"topic {quoted(topic_id)} is not one of the track's"
        for topic_id in sorted(found - set(topic_ids))
    ]


def _metadata(content: Any) -> tuple[list[str], dict[str, Any]]:
    """Return objections to the outer shape of a line, and its metadata if there are none."""
    if not isinstance(content, dict) or not {"metadata", "responses"} <= content.keys():
        return ["not an object with metadata and responses"], {}
    metadata = content["metadata"]
    if not isinstance(metadata, dict) or metadata.keys() != _METADATA_KEYS:
        return ["metadata other than its five keys"], {}
    objections = [
        f"{key} is not a string"
        for key in ("team_id", "run_id", "topic_id", "type")
        if not isinstance(metadata[key], str)
    ]
    if metadata["type"] not in ("automatic", "manual"):
        objections.append(f"type {quoted(metadata['type'])}")
    flag = metadata["use_starter_kit"]
    if not isinstance(flag, int) or flag not in (0, 1):
        objections.append(f"use_starter_kit {quoted(flag)}")
    return objections, metadata


def _responses(responses: Any, task: CitedTextTask) -> list[str]:
    if not isinstance(responses, list):
        return ["responses is not a list"]
    objections = []
    words = 0
    for number, response in enumerate(responses, start=1):
        if not isinstance(response, dict) or not {"text", "citations"} <= response.keys():
            objections.append(f"response {number} is not an object with text and citations")
            continue
        text, citations = response["text"], response["citations"]
        if isinstance(text, str):
            words += len(text.split())
        else:
            objections.append(f"the text of response {number} is not a string")
        if not isinstance(citations, list) or not all(isinstance(item, str) for item in citations):
            objections.append(f"the citations of response {number} are not a list of strings")
        elif len(citations) > task.max_citations:
            objections.append(f"response {number} has {len(citations)} citations")
    if words > task.max_words:
        objections.append(f"{words} words")
    return objections
