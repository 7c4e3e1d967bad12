"""`rag_answers_jsonl`: an answer a line, whose sentences cite its `references` by their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_json_lines
from sidelight.formats.runs.active_text import inert
from sidelight.formats.runs.cited_lines import (
    check_constant,
    check_length,
    check_uncited,
    manual_lines,
    repeated_topic,
    strict_lines,
)
from sidelight.formats.runs.cited_sentence import (
    check_citations,
    check_known,
    check_pattern,
    check_text,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_characters,
    check_ids,
    check_topics,
    run_tag_of,
)
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, RunType, SubmittedReport
from sidelight.schemas.topic import Narrative
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
    from sidelight.schemas.task import CitedTextTask


class _Metadata(BaseModel):
    team_id: str = ""
    run_id: str
    narrative_id: str
    type: RunType = "automatic"


class _Sentence(BaseModel):
    text: str
    citations: tuple[StrictInt, ...] = ()


class _Answer(BaseModel):
    metadata: _Metadata
    references: tuple[str, ...] = ()
    answer: tuple[_Sentence, ...]


class _StrictMetadata(BaseModel):
    """What every line must say; makers may say more, such as their prompt."""

    team_id: str
    run_id: str
    type: RunType
    narrative_id: str
    narrative: str


class _StrictSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    citations: list[Annotated[StrictInt, Field(ge=0)]]


class _StrictAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metadata: _StrictMetadata
    references: list[str]
    answer: list[_StrictSentence]


def read_answer_run(path: Path) -> ReportRun:
    """Read a run, whatever the track would say to it; keys it does not need are ignored.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no answer, cites a reference that it does not have, or a
            narrative occurs twice.
    """
    findings = Findings(path)
    reports: dict[tuple[str, str], SubmittedReport] = {}
    for line, content in read_json_lines(path):
        try:
            answer = _Answer.model_validate(content)
        except ValidationError as error:
            findings.invalid(
                error, line, what="an answer", remedy="Compare the line with docs/formats.md."
            )
            continue
        if not _check_places(line, answer, findings):
            continue
        key = (answer.metadata.narrative_id, answer.metadata.run_id)
        if key in reports:
            repeated_topic(answer.metadata.narrative_id, line, "an answer", findings)
        reports[key] = _as_report(answer)
    findings.raise_errors()
    found = tuple(reports.values())
    return ReportRun(
        run_tag=run_tag_of(path, (report.metadata.run_id for report in found)), reports=found
    )


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
        check_length(line, [sentence.text for sentence in answer.answer], task, findings)
        check_uncited(line, [sentence.citations for sentence in answer.answer], task, findings)
        _check_references(line, answer, findings)
        check_pattern(line, answer.references, task, findings)
        check_known(line, answer.references, known_segments, findings)
        for sentence in answer.answer:
            check_text(line, sentence.text, findings)
            check_citations(line, list(map(str, sentence.citations)), task, findings)
    return findings.problems


def _check_places(line: int, answer: _Answer | _StrictAnswer, findings: Findings) -> bool:
    """Check that every citation is the place of a reference; tell whether all are."""
    cited = {place for sentence in answer.answer for place in sentence.citations}
    wrong = sorted(cited.difference(range(len(answer.references))))
    if wrong:
        findings.error(
            "citation-place",
            line,
            expected=f"citations that are places in {len(answer.references)} references, from 0",
            found=", ".join(map(quoted, wrong)),
            remedy="Add the references, or remove the citations.",
        )
    return not wrong


def _check_references(line: int, answer: _StrictAnswer, findings: Findings) -> None:
    _check_places(line, answer, findings)
    for reference in dict.fromkeys(answer.references):
        check_characters(reference, line, findings)
        if answer.references.count(reference) > 1:
            findings.error(
                "reference-duplicate",
                line,
                expected="each reference once",
                found=f"{quoted(reference)} again",
                remedy="Keep the first, and cite that.",
            )
    cited = {place for sentence in answer.answer for place in sentence.citations}
    uncited = [name for place, name in enumerate(answer.references) if place not in cited]
    if uncited:
        findings.warning(
            "reference-uncited",
            line,
            expected="references that a sentence cites",
            found=f"{len(uncited)} that none does, such as {quoted(uncited[0])}",
            remedy="Leave them out.",
        )


def _as_report(answer: _Answer) -> SubmittedReport:
    metadata = answer.metadata
    return SubmittedReport(
        metadata=ReportMetadata(
            team_id=metadata.team_id,
            run_id=metadata.run_id,
            topic_id=metadata.narrative_id,
            type=metadata.type,
        ),
        responses=tuple(
            CitedSentence(
                text=sentence.text,
                citations=tuple(answer.references[place] for place in sentence.citations),
            )
            for sentence in answer.answer
        ),
    )


def _write(
    path: Path, identity: RunIdentity, delivered: Iterable[Delivery[tuple[CitedSentence, ...]]]
) -> None:
    """Write one JSON line an answer; references stand in the order in which they are cited.

    Raises:
        InputError: A topic is no narrative.
    """
    with atomic_writer(path) as stream:
        for topic, sentences in delivered:
            if not isinstance(topic, Narrative):
                raise InputError(f"{path}: answers are to narratives; {topic.topic_id} is none")
            places = {
                name: place
                for place, name in enumerate(
                    dict.fromkeys(name for sentence in sentences for name in sentence.citations)
                )
            }
            content = {
                "metadata": {
                    **identity.model_dump(),
                    "narrative_id": topic.topic_id,
                    "narrative": one_line(topic.narrative),
                },
                "references": list(places),
                "answer": [
                    {
                        "text": inert(one_line(sentence.text)),
                        "citations": [places[name] for name in sentence.citations],
                    }
                    for sentence in sentences
                ],
            }
            stream.write(orjson.dumps(content).decode() + "\n")


FORMAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write,
    read=read_answer_run,
    check=check_answer_run,
    as_manual=manual_lines,
    json_keys=("references", "answer"),
)
