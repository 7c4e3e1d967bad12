"""What the forms of answers have in common: references, and citations that point at them.

`rag_answers_jsonl`: an answer a line, whose sentences cite its `references` by their place.

`rag_described_answers_jsonl`: answers whose metadata describe the run.

Sentences cite references by their place or by their id; references may hold more than is cited.

`rag_flat_answers_jsonl`: an answer a line that names run and topic beside its references.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from sidelight.errors import InputError
from sidelight.files import atomic_writer
from sidelight.formats.findings import Findings, quoted
from sidelight.formats.lines import read_bytes, read_json_lines
from sidelight.formats.runs.cited_sentences import (
    check_citations,
    check_constant,
    check_known,
    check_length,
    check_pattern,
    check_text,
    check_uncited,
    inert,
    manual_lines,
    repeated_topic,
    strict_lines,
)
from sidelight.formats.runs.run_format import RunFormat
from sidelight.formats.runs.submission import (
    LineIds,
    check_characters,
    check_ids,
    check_topics,
    report_run,
)
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, RunType, SubmittedReport
from sidelight.schemas.topic import Narrative
from sidelight.text import count_words, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Sequence
    from pathlib import Path

    from sidelight.errors import Problem
    from sidelight.formats.runs.run_format import Delivery
    from sidelight.schemas.run import RunIdentity
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


class _Metadata(Metadata):
    type: RunType = "automatic"


class _NarrativeAnswer(NarrativeAnswer):
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
    return read_narrative_run(path, _NarrativeAnswer)


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


_DESCRIPTION = "Searches for each part of the narrative, and sentences checked against their pages"


class _StrictDescription(BaseModel):
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


class _StrictDescribedAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    metadata: _StrictDescription
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
    answers, first_lines = strict_lines(
        path, _StrictDescribedAnswer, "narrative_id", "an answer", findings
    )
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


def _write_described(
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


DESCRIBED: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write_described,
    read=read_described_run,
    check=check_described_run,
    as_manual=manual_lines,
    json_keys=("references", "answer", "run_desc"),
)


class _FlatAnswer(Answer):
    run_id: str
    topic_id: str


class _StrictFlatAnswer(BaseModel):
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
        _FlatAnswer,
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
    answers, first_lines = strict_lines(path, _StrictFlatAnswer, "topic_id", "an answer", findings)
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


def _write_flat(
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


FLAT: RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = RunFormat(
    kind="cited_text",
    write=_write_flat,
    read=read_flat_run,
    check=check_flat_run,
    as_manual=read_bytes,
    json_keys=("references", "answer", "response_length"),
)
