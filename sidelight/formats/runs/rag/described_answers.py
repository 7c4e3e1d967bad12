"""`rag_described_answers_jsonl`: answers whose metadata describe the run.

Sentences cite references by their place or by their id; references may hold more than is cited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, StrictStr

from sidelight.formats.findings import Findings
from sidelight.formats.runs.cited_lines import check_constant, manual_lines, strict_lines
from sidelight.formats.runs.rag.references import (
    NarrativeAnswer,
    Place,
    check_answer,
    read_narrative_run,
    write_answers,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import LineIds, check_ids, check_topics

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import CitedSentence, ReportRun, RunIdentity
    from sidelight.schemas.task import CitedTextTask

_DESCRIPTION = "Searches for each part of the narrative, and sentences checked against their pages"


class _StrictMetadata(BaseModel):
    """What every line must say; makers may say more, such as their model."""

    team_id: str
    run_id: str
    narrative_id: str
    narrative: str
    run_desc: str


class _StrictSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    citations: list[Place | StrictStr]


class _StrictAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metadata: _StrictMetadata
    references: list[str]
    answer: list[_StrictSentence]


def read_described_run(path: Path) -> ReportRun:
    """Read a run; see `read_run`."""
    return read_narrative_run(path, NarrativeAnswer)


def check_described_run(
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
    said = [(line, item.metadata.run_desc) for line, item in answers]
    check_constant("run_desc", said, findings)
    for line, answer in answers:
        texts = [sentence.text for sentence in answer.answer]
        cited = [sentence.citations for sentence in answer.answer]
        check_answer(line, texts, cited, answer.references, task, known_segments, findings)
    return findings.problems


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    """Write one JSON line an answer; the narrative stands there exactly as it was given."""
    write_answers(
        path,
        delivered,
        lambda narrative, references, answer: {
            "metadata": {
                **identity.model_dump(),
                "narrative_id": narrative.topic_id,
                "narrative": narrative.narrative,
                "run_desc": _DESCRIPTION,
            },
            "references": references,
            "answer": answer,
        },
    )


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_described_run,
    check=check_described_run,
    as_manual=manual_lines,
    json_keys=("references", "answer", "run_desc"),
)
