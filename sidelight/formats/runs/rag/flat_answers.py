"""`rag_flat_answers_jsonl`: an answer a line that names run and topic beside its references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from sidelight.formats.findings import Findings
from sidelight.formats.lines import read_bytes
from sidelight.formats.runs.cited_lines import strict_lines
from sidelight.formats.runs.rag.references import (
    Answer,
    StrictSentence,
    check_answer,
    read_run,
    write_answers,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import LineIds, check_ids, check_topics
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun
from sidelight.text import count_words, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _Answer(Answer):
    run_id: str
    topic_id: str


class _StrictAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    run_id: str
    topic_id: str
    topic: str
    references: list[str]
    response_length: int
    answer: list[StrictSentence]


def read_flat_run(path: Path) -> ReportRun:
    """Read a run; see `read_run`. The file says neither whose it is nor how it was made."""
    return read_run(
        path,
        _Answer,
        lambda answer: ReportMetadata(
            team_id="", run_id=answer.run_id, topic_id=answer.topic_id, type=None
        ),
    )


def check_flat_run(
    path: Path,
    task: CitedTextTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The topics to cover.
        known_segments: The ids that exist, if an index is at hand.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    answers, first_lines = strict_lines(path, _StrictAnswer, "topic_id", "an answer", findings)
    check_topics(first_lines, topic_ids, findings)
    check_ids([LineIds(line, "", item.run_id) for line, item in answers], path, task, findings)
    for line, answer in answers:
        texts = [sentence.text for sentence in answer.answer]
        cited = [sentence.citations for sentence in answer.answer]
        check_answer(line, texts, cited, answer.references, task, known_segments, findings)
        words = sum(map(count_words, texts))
        if answer.response_length != words:
            findings.error(
                "response-length",
                line,
                expected=f"the words of the answer, {words}",
                found=str(answer.response_length),
                remedy="Count the words of all texts, split on white space.",
            )
    return findings.problems


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    """Write one JSON line an answer; see `write_answers`."""
    write_answers(
        path,
        delivered,
        lambda narrative, references, answer: {
            "run_id": identity.run_id,
            "topic_id": narrative.topic_id,
            "topic": one_line(narrative.narrative),
            "references": references,
            "response_length": sum(count_words(str(one["text"])) for one in answer),
            "answer": answer,
        },
    )


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_flat_run,
    check=check_flat_run,
    as_manual=read_bytes,
    json_keys=("references", "answer", "response_length"),
)
