"""What the forms of answers have in common: references, and citations that point at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_json_lines
from sidelight.formats.runs.active_text import inert
from sidelight.formats.runs.cited_lines import check_length, check_uncited, repeated_topic
from sidelight.formats.runs.cited_sentence import (
    check_citations,
    check_known,
    check_pattern,
    check_text,
)
from sidelight.formats.runs.submission import check_characters, report_run
from sidelight.schemas.run import CitedSentence, ReportMetadata, RunType, SubmittedReport
from sidelight.schemas.topic import Narrative
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from pathlib import Path

    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import ReportRun
    from sidelight.schemas.task import CitedTextTask

Place = Annotated[StrictInt, Field(ge=0)]
"""Of a reference, from 0."""


class Sentence(BaseModel):
    """A sentence with places of references, or their ids."""

    text: str
    citations: tuple[StrictInt | StrictStr, ...] = ()


class StrictSentence(BaseModel):
    """A sentence as a form that has places only wants it."""

    model_config = ConfigDict(extra="forbid")

    text: str
    citations: list[Place]


class Answer(BaseModel):
    """What all forms hold; who it is from stands elsewhere in each."""

    references: tuple[str, ...] = ()
    answer: tuple[Sentence, ...]


class Metadata(BaseModel):
    """Who an answer is from, and to what, in the forms that say so in `metadata`."""

    team_id: str = ""
    run_id: str
    narrative_id: str
    type: RunType | None = None


class NarrativeAnswer(Answer):
    """An answer whose metadata name its narrative."""

    metadata: Metadata


A = TypeVar("A", bound=Answer)


def read_run(path: Path, model: type[A], metadata: Callable[[A], ReportMetadata]) -> ReportRun:
    """Read a run, whatever a track would say to it; keys it does not need are ignored.

    Args:
        path: The file.
        model: What a line must hold.
        metadata: Who a line is from, and on what.

    Raises:
        InputError: The file cannot be read.
        InvalidFileError: A line is no answer, cites a reference that it does not have, or a
            narrative occurs twice.
    """
    findings = Findings(path)
    reports: dict[tuple[str, str], SubmittedReport] = {}
    for line, content in read_json_lines(path):
        try:
            answer = model.model_validate(content)
        except ValidationError as error:
            findings.invalid(
                error, line, what="an answer", remedy="Compare the line with docs/formats.md."
            )
            continue
        cited = [sentence.citations for sentence in answer.answer]
        if not check_places(line, cited, answer.references, findings):
            continue
        about = metadata(answer)
        key = (about.topic_id, about.run_id)
        if key in reports:
            repeated_topic(about.topic_id, line, "an answer", findings)
        sentences = tuple(
            CitedSentence(
                text=sentence.text, citations=_resolved(sentence.citations, answer.references)
            )
            for sentence in answer.answer
        )
        reports[key] = SubmittedReport(metadata=about, responses=sentences)
    findings.raise_errors()
    return report_run(path, reports.values())


def read_narrative_run(path: Path, model: type[NarrativeAnswer]) -> ReportRun:
    """Read a run whose metadata name the narratives; see `read_run`."""
    return read_run(
        path,
        model,
        lambda answer: ReportMetadata(
            team_id=answer.metadata.team_id,
            run_id=answer.metadata.run_id,
            topic_id=answer.metadata.narrative_id,
            type=answer.metadata.type,
        ),
    )


def check_answer(
    line: int,
    texts: Sequence[str],
    cited: Sequence[Sequence[int | str]],
    references: Sequence[str],
    task: CitedTextTask,
    known_segments: Container[str] | None,
    findings: Findings,
) -> None:
    """Check an answer by the limits of its task.

    Args:
        line: Where it stands.
        texts: Its sentences.
        cited: The citations of each.
        references: What they point at.
        task: Whose limits to apply.
        known_segments: The ids that exist, if an index is at hand.
        findings: Where problems go.
    """
    check_length(line, texts, task, findings)
    check_uncited(line, cited, task, findings)
    check_places(line, cited, references, findings)
    for reference in dict.fromkeys(references):
        check_characters(reference, line, findings)
        if references.count(reference) > 1:
            findings.error(
                "reference-duplicate",
                line,
                expected="each reference once",
                found=f"{quoted(reference)} again",
                remedy="Keep the first, and cite that.",
            )
    check_pattern(line, references, task, findings)
    check_known(line, references, known_segments, findings)
    for text, citations in zip(texts, cited, strict=True):
        check_text(line, text, findings, one_sentence=task.one_sentence)
        # A place and the id that stands there are one citation.
        check_citations(line, list(map(str, _resolved(citations, references))), task, findings)


def check_places(
    line: int,
    cited: Sequence[Sequence[int | str]],
    references: Sequence[str],
    findings: Findings,
) -> bool:
    """Check that every citation is a reference or the place of one; tell whether all are."""
    known = set(references)
    wrong = [
        one
        for one in dict.fromkeys(one for citations in cited for one in citations)
        if not (one in known if isinstance(one, str) else 0 <= one < len(references))
    ]
    if wrong:
        findings.error(
            "citation-place",
            line,
            expected=f"citations that are places in {len(references)} references, from 0",
            found=", ".join(map(quoted, wrong)),
            remedy="Add the references, or remove the citations.",
        )
    return not wrong


def check_all_cited(
    line: int,
    cited: Sequence[Sequence[int | str]],
    references: Sequence[str],
    findings: Findings,
) -> None:
    """Tell of references that no sentence cites."""
    named = {one for citations in cited for one in _resolved(citations, references)}
    uncited = [name for name in references if name not in named]
    if uncited:
        findings.warning(
            "reference-uncited",
            line,
            expected="references that a sentence cites",
            found=f"{len(uncited)} that none does, such as {quoted(uncited[0])}",
            remedy="Leave them out.",
        )


def write_answers(
    path: Path,
    delivered: Iterable[Delivery[tuple[CitedSentence, ...]]],
    content: Callable[[Narrative, list[str], list[dict[str, object]]], dict[str, object]],
) -> None:
    """Write one JSON line an answer.

    Args:
        path: The file.
        delivered: What was written on each topic.
        content: Makes a line of a narrative, its references in the order in which they are cited,
            and sentences that cite them by their place.

    Raises:
        InputError: A topic is no narrative.
    """
    with atomic_writer(path) as stream:
        for topic, sentences in delivered:
            if not isinstance(topic, Narrative):
                raise InputError(f"{path}: answers are to narratives; {topic.topic_id} is none")
            line = content(topic, *_cited_places(sentences))
            stream.write(orjson.dumps(line).decode() + "\n")


def _cited_places(sentences: Sequence[CitedSentence]) -> tuple[list[str], list[dict[str, object]]]:
    """Return references in the order in which they are cited, and sentences that cite them."""
    cited = (name for sentence in sentences for name in sentence.citations)
    places = {name: place for place, name in enumerate(dict.fromkeys(cited))}
    return list(places), [
        {
            "text": inert(one_line(sentence.text)),
            "citations": [places[name] for name in sentence.citations],
        }
        for sentence in sentences
    ]


def _resolved(citations: Sequence[int | str], references: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that citations point at; of a place that is none, the place."""
    return tuple(
        one if isinstance(one, str) else references[one] if 0 <= one < len(references) else str(one)
        for one in citations
    )
