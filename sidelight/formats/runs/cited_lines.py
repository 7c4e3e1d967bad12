"""What the strict checks of files of cited texts have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from sidelight.formats.findings import quoted
from sidelight.formats.lines import decode_unique, open_text, read_bytes
from sidelight.formats.runs.cited_sentence import (
    check_citations,
    check_known,
    check_pattern,
    check_sources,
    check_text,
)
from sidelight.formats.runs.submission import (
    LineIds,
    check_characters,
    check_encoding,
    check_ids,
    check_topics,
)
from sidelight.text import budget_words, count_words

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence
    from pathlib import Path

    from sidelight.formats.findings import Findings
    from sidelight.schemas.run import SubmittedReport
    from sidelight.schemas.task import CitedTextTask

M = TypeVar("M", bound=BaseModel)


def strict_lines(
    path: Path, model: type[M], topic_key: str, what: str, findings: Findings
) -> tuple[list[tuple[int, M]], dict[str, int]]:
    """Read the lines that are what they should be, and find what is wrong with the others.

    Args:
        path: The file.
        model: What a line should be.
        topic_key: The key of the topic, in `metadata` where there is such an object.
        what: The name of what a line holds, with its article, for messages.
        findings: Where problems go.

    Returns:
        The line number and content of each good line; and the line on which each topic first
        occurs, in a good line or not.

    Raises:
        InputError: The file cannot be read.
    """
    file = open_text(path)
    findings.problems += file.problems
    check_encoding(file, findings)
    first_lines: dict[str, int] = {}
    good: list[tuple[int, M]] = []
    for line, text in file.lines:
        if "\r" in text:
            check_characters(text, line, findings)
        content = decode_unique(text, line, findings) if text.strip() else None
        if content is None:
            continue
        topic_id = _topic_id(content, topic_key)
        if topic_id in first_lines:
            repeated_topic(topic_id, line, what, findings)
        first_lines.setdefault(topic_id, line)
        try:
            good.append((line, model.model_validate(content)))
        except ValidationError as error:
            findings.invalid(
                error, line, what=what, remedy="Compare the line with docs/formats.md."
            )
    return good, first_lines


def repeated_topic(topic_id: str, line: int, what: str, findings: Findings) -> None:
    """Add the problem that a topic has a second text."""
    findings.error(
        "topic-duplicate",
        line,
        expected=f"one {what.partition(' ')[2]} for each topic",
        found=f"a second one for {quoted(topic_id)}",
        remedy="Keep one of them.",
    )


def check_constant(name: str, values: Sequence[tuple[int, object]], findings: Findings) -> None:
    """Check that a key of the metadata has one value within a run, given by line."""
    for line, value in values:
        if value != values[0][1]:
            findings.error(
                "metadata-inconsistent",
                line,
                expected=f"the {name} of line {values[0][0]}, {quoted(values[0][1])}",
                found=quoted(value),
                remedy="What a run says of itself is the same on all of its lines.",
            )


def check_reports(
    path: Path,
    reports: Sequence[tuple[SubmittedReport, Sequence[int]]],
    task: CitedTextTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None,
    findings: Findings,
    first_lines: Mapping[str, int] | None = None,
) -> None:
    """Check the reports of a run: topics, ids, and each sentence by the limits of the task.

    Args:
        path: The file.
        reports: Each with the lines of its sentences; one without sentences with its own line.
        task: Whose limits to apply.
        topic_ids: The topics to cover.
        known_segments: The ids that exist, if an index is at hand.
        findings: Where problems go.
        first_lines: The line on which each topic first occurs, where lines that could not be read
            count, too; by default, those of the reports.
    """
    abouts = [(report.metadata, lines[0]) for report, lines in reports]
    if first_lines is None:
        first_lines = {about.topic_id: line for about, line in reversed(abouts)}
    check_topics(first_lines, topic_ids, findings)
    ids = [LineIds(line, about.team_id, about.run_id) for about, line in abouts]
    check_ids(ids, path, task, findings)
    for report, lines in reports:
        sentences = report.responses
        check_length(lines[0], [one.text for one in sentences], task, findings)
        check_uncited(lines[0], [one.citations for one in sentences], task, findings)
        for one, line in zip(sentences, lines, strict=False):
            check_text(line, one.text, findings, one_sentence=task.one_sentence)
            check_citations(line, one.citations, task, findings)
            check_pattern(line, one.citations, task, findings)
            check_sources(line, one.citations, report.metadata.topic_id, findings)
            check_known(line, one.citations, known_segments, findings)


def check_length(line: int, texts: Sequence[str], task: CitedTextTask, findings: Findings) -> None:
    """Check that there is a text, and that it has no more words than the track allows."""
    if not texts:
        findings.warning(
            "report-empty",
            line,
            expected="at least one sentence",
            found="none",
            remedy="Say what is known, if only about the source.",
        )
    words = sum(map(budget_words if task.counts_nfkc else count_words, texts))
    if words > task.max_words:
        counted = ", plain and after NFKC" if task.counts_nfkc else ""
        findings.add(
            "report-words",
            line,
            expected=f"at most {task.max_words} words{counted}",
            found=str(words),
            remedy="Drop or shorten sentences.",
            severity="error" if task.hard_limit else "warning",
        )


def check_uncited(
    line: int, cited: Sequence[Sequence[object]], task: CitedTextTask, findings: Findings
) -> None:
    """Check that no more sentences than the track allows cite nothing."""
    uncited = sum(not citations for citations in cited)
    if uncited and task.max_uncited is not None:
        findings.add(
            "uncited-sentence",
            line,
            expected="citations for every sentence",
            found=f"{uncited} without; more than {task.max_uncited} is an error",
            remedy="Cite a segment, or drop what none supports.",
            severity="error" if uncited > task.max_uncited else "warning",
        )


def manual_lines(path: Path) -> bytes:
    """Return the content of a valid file with `manual` for the type of every line."""
    lines = [orjson.loads(line) for line in read_bytes(path).splitlines()]
    for content in lines:
        content["metadata"]["type"] = "manual"
    return b"".join(orjson.dumps(content) + b"\n" for content in lines)


def _topic_id(content: dict[str, Any], key: str) -> str:
    """Return the topic of a line whose other parts may be malformed."""
    metadata = content.get("metadata", content)
    topic_id = metadata.get(key) if isinstance(metadata, dict) else None
    return topic_id if isinstance(topic_id, str) else ""
