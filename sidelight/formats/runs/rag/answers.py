"""`rag_answers_jsonl`: an answer a line, whose sentences cite its `references` by their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from sidelight.formats.findings import Findings
from sidelight.formats.runs.cited_lines import check_constant, manual_lines, strict_lines
from sidelight.formats.runs.rag.references import (
    Metadata,
    NarrativeAnswer,
    StrictSentence,
    check_all_cited,
    check_answer,
    read_narrative_run,
    write_answers,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import LineIds, check_ids, check_topics
from sidelight.schemas.run import CitedSentence, ReportRun, RunType
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _Metadata(Metadata):
    type: RunType = "automatic"


class _Answer(NarrativeAnswer):
    metadata: _Metadata


class _StrictMetadata(BaseModel):
    """What every line must say; makers may say more, such as their prompt."""

    team_id: str
    run_id: str
    type: RunType
    narrative_id: str
    narrative: str


class _StrictAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metadata: _StrictMetadata
    references: list[str]
    answer: list[StrictSentence]


def read_answer_run(path: Path) -> ReportRun:
    """Read a run; see `read_run`."""
    return read_narrative_run(path, _Answer)


def check_answer_run(
    path: Path,
    task: CitedTextTask,
    topic_ids: Collection[str],
    known_segments: Container[str] | None = None,
) -> list[Problem]:
    """Return all that is wrong with a run.

    Args:
        path: The file.
        task: Whose limits to apply.
        topic_ids: The narratives to cover.
        known_segments: The ids that exist, if an index is at hand.

    Raises:
        InputError: The file cannot be read.
    """
    findings = Findings(path)
    answers, first_lines = strict_lines(path, _StrictAnswer, "narrative_id", "an answer", findings)
    check_topics(first_lines, topic_ids, findings)
    ids = [LineIds(line, item.metadata.team_id, item.metadata.run_id) for line, item in answers]
    check_ids(ids, path, task, findings)
    check_constant("type", [(line, item.metadata.type) for line, item in answers], findings)
    for line, answer in answers:
        texts = [sentence.text for sentence in answer.answer]
        cited = [sentence.citations for sentence in answer.answer]
        check_answer(line, texts, cited, answer.references, task, known_segments, findings)
        check_all_cited(line, cited, answer.references, findings)
    return findings.problems


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    """Write one JSON line an answer; see `write_answers`."""
    write_answers(
        path,
        delivered,
        lambda narrative, references, answer: {
            "metadata": {
                **identity.model_dump(),
                "narrative_id": narrative.topic_id,
                "narrative": one_line(narrative.narrative),
            },
            "references": references,
            "answer": answer,
        },
    )


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_answer_run,
    check=check_answer_run,
    as_manual=manual_lines,
    json_keys=("references", "answer", "metadata"),
)
