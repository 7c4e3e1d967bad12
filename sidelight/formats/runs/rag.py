"""Answers to narratives (`rag_answers_jsonl` and two more): one a line, with its references.

Sentences cite the references of their line by place or, where metadata stand before them, by id.
The metadata of a line in `rag_answers_jsonl` say how the run was made; all its lines cite one way.
Those in `rag_described_answers_jsonl` describe the run. `rag_flat_answers_jsonl` names run and
topic beside the references. An id of a narrative may be a number, as the guidelines print it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, StrictInt, StrictStr

from sidelight.errors import InputError
from sidelight.formats.lines import COMPARE, Findings, parsed_lines, read_bytes, write_json_lines
from sidelight.formats.runs import cited_sentences, submission
from sidelight.schemas.run import (
    CitedSentence,
    ReportMetadata,
    ReportRun,
    RunIdentity,
    RunType,
    SubmittedReport,
)
from sidelight.schemas.task import CitedTextTask
from sidelight.schemas.topic import Narrative, Topic
from sidelight.text import budget_words, count_words, counted, one_line, quoted

_DESCRIPTION = "Searches for each part of the narrative, and sentences checked against their pages"


class _Sentence(BaseModel):
    text: str
    citations: tuple[StrictInt | StrictStr, ...] = ()


class _Answer(BaseModel):
    references: tuple[str, ...] = ()
    answer: tuple[_Sentence, ...]


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


_NarrativeId = Annotated[str, BeforeValidator(_as_text)]


class _Metadata(BaseModel):
    team_id: str = ""
    run_id: str
    narrative_id: _NarrativeId
    type: RunType | None = None


class _TypedMetadata(_Metadata):
    type: RunType = "automatic"


class _DescribedAnswer(_Answer):
    metadata: _Metadata

    def about(self) -> ReportMetadata:
        said = self.metadata
        return ReportMetadata(
            team_id=said.team_id, run_id=said.run_id, topic_id=said.narrative_id, type=said.type
        )


class _TypedAnswer(_DescribedAnswer):
    metadata: _TypedMetadata


class _FlatAnswer(_Answer):
    run_id: str
    topic_id: str

    def about(self) -> ReportMetadata:
        return ReportMetadata(team_id="", run_id=self.run_id, topic_id=self.topic_id, type=None)


_Place = Annotated[StrictInt, Field(ge=0)]
_M = TypeVar("_M", bound=BaseModel)
_Citation = TypeVar("_Citation")


class _ExactTypedMetadata(BaseModel):
    """What every line must say; makers may say more, such as their prompt."""

    team_id: str
    run_id: str
    type: RunType
    narrative_id: _NarrativeId
    narrative: str


class _ExactDescription(BaseModel):
    """What every line must say; makers may say more, such as their model."""

    team_id: str
    run_id: str
    narrative_id: str
    narrative: str
    run_desc: str


class _ExactAnswer(cited_sentences.ExactLine, Generic[_M, _Citation]):
    metadata: _M
    references: list[str]
    answer: list[cited_sentences.ExactSentence[_Citation]]


class _ExactFlatAnswer(cited_sentences.ExactLine):
    run_id: str
    topic_id: str
    topic: str
    references: list[str]
    response_length: StrictInt
    answer: list[cited_sentences.ExactSentence[_Place]]


_Exact: TypeAlias = _ExactAnswer[Any, Any] | _ExactFlatAnswer


@dataclass(frozen=True, slots=True)
class _Form:
    """One of the forms of answers.

    Attributes:
        parse: Reads a line.
        exact: What a strict check takes.
        topic_key: The key of the narrative's id.
        heading: Makes what a line says before its references, which may be `metadata`.
        constant: The key that has one value within a run; none where it is empty.
        one_way: Whether a file whose sentences cite by place has no citation by id.
        all_cited: Whether references that no sentence cites are told.
        counted: Whether a line has the number of its words.
    """

    parse: Callable[[dict[str, Any]], _DescribedAnswer | _FlatAnswer]
    exact: type[_Exact]
    topic_key: str
    heading: Callable[[RunIdentity, Narrative], dict[str, Any]]
    constant: str = ""
    one_way: bool = False
    all_cited: bool = False
    counted: bool = False


def _read(form: _Form, path: Path) -> ReportRun:
    findings = Findings(path)
    reports = _submitted(form, path, findings)
    return submission.report_run(path, cited_sentences.one_a_topic(reports, "an answer", findings))


def _submitted(
    form: _Form, path: Path, findings: Findings
) -> Iterator[tuple[int, SubmittedReport]]:
    for line, answer in parsed_lines(path, form.parse, "an answer", findings):
        references = answer.references
        cited = [one.citations for one in answer.answer]
        if _check_places(line, cited, references, findings):
            sentences = tuple(
                CitedSentence(text=one.text, citations=_resolved(one.citations, references))
                for one in answer.answer
            )
            yield line, SubmittedReport(metadata=answer.about(), responses=sentences)


def _check(form: _Form, run: submission.CheckedRun[CitedTextTask]) -> None:
    answers, first_lines = cited_sentences.strict_lines(
        run, form.exact, form.topic_key, "an answer"
    )
    submission.check_topics(run, first_lines)
    said = [(line, _said(answer)) for line, answer in answers]
    submission.check_ids(
        run, [submission.LineIds(line, one.get("team_id", ""), one["run_id"]) for line, one in said]
    )
    if form.constant:
        values = [(line, one[form.constant]) for line, one in said]
        cited_sentences.check_constant(form.constant, values, run.findings)
    if form.one_way:
        _check_one_way(answers, run.findings)
    for line, answer in answers:
        _check_answer(run, line, answer)
        if form.all_cited:
            _check_all_cited(line, answer, run.findings)
        if form.counted:
            _check_counted(line, answer, run.findings)


def _check_one_way(answers: Sequence[tuple[int, _Exact]], findings: Findings) -> None:
    """Check that all citations of a file are places, or all of them ids."""
    kinds = [
        (line, type(citation))
        for line, answer in answers
        for one in answer.answer
        for citation in one.citations
    ]
    other = next((line for line, kind in kinds if kind is not kinds[0][1]), None)
    if other is not None:
        findings.error(
            "citation-mixed",
            other,
            expected="citations that are all places in references, or all ids",
            found="both in one file",
            remedy="Use one way in the whole file; the track's validator must be told which.",
        )


def _said(answer: _Exact) -> dict[str, Any]:
    """Return what a line says of its run, in `metadata` or beside its references."""
    content = answer.model_dump(exclude={"references", "answer"})
    found: dict[str, Any] = content.get("metadata", content)
    return found


def _check_answer(run: submission.CheckedRun[CitedTextTask], line: int, answer: _Exact) -> None:
    texts = [one.text for one in answer.answer]
    cited = [one.citations for one in answer.answer]
    references, findings = answer.references, run.findings
    cited_sentences.check_length(run, line, texts)
    cited_sentences.check_uncited(run, line, cited)
    _check_places(line, cited, references, findings)
    for reference, count in Counter(references).items():
        submission.check_characters(reference, line, findings)
        if count > 1:
            told = f"{quoted(reference)} again"
            findings.again("reference-duplicate", line, "each reference once", told)
    most = run.task.max_references
    if most is not None and len(references) > most:
        findings.error(
            "reference-count",
            line,
            expected=f"at most {most} references",
            found=str(len(references)),
            remedy="Keep those that sentences cite.",
        )
    cited_sentences.check_segments(run, line, references)
    for text, citations in zip(texts, cited, strict=True):
        cited_sentences.check_text(line, text, findings, one_sentence=run.task.one_sentence)
        # A place and the id that stands there are one citation.
        cited_sentences.check_citations(run, line, _resolved(citations, references))


def _check_places(
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
            expected=f"positions in the list of {len(references)} references, counted from 0",
            found=", ".join(map(quoted, wrong)),
            remedy="Add the references, or remove the citations.",
        )
    return not wrong


def _check_all_cited(line: int, answer: _Exact, findings: Findings) -> None:
    """Tell of references that no sentence cites."""
    references = answer.references
    named = {name for one in answer.answer for name in _resolved(one.citations, references)}
    uncited = [name for name in references if name not in named]
    if uncited:
        findings.warning(
            "reference-uncited",
            line,
            expected="references that a sentence cites",
            found=f"{len(uncited)} that no sentence cites, such as {quoted(uncited[0])}",
            remedy="Leave them out.",
        )


def _check_counted(line: int, answer: _Exact, findings: Findings) -> None:
    said = _said(answer)["response_length"]
    # As it stands, or after NFKC, as the track's validator counts.
    words, most = (
        sum(count(one.text) for one in answer.answer) for count in (count_words, budget_words)
    )
    if said not in (words, most):
        findings.error(
            "response-length",
            line,
            expected=f"the words of the answer, {words}",
            found=str(said),
            remedy="Count the words of all texts, split on white space.",
        )


def _content(
    form: _Form,
    path: Path,
    identity: RunIdentity,
    narrative: Topic,
    sentences: tuple[CitedSentence, ...],
) -> dict[str, Any]:
    """Return a line, its references in the order in which they are cited; of a narrative only."""
    if not isinstance(narrative, Narrative):
        raise InputError(f"{path}: expected a narrative; {narrative.topic_id} is an article")
    cited = dict.fromkeys(name for one in sentences for name in one.citations)
    places = {name: place for place, name in enumerate(cited)}
    texts = [cited_sentences.inert(one_line(one.text)) for one in sentences]
    return {
        **form.heading(identity, narrative),
        "references": list(places),
        **({"response_length": sum(map(count_words, texts))} if form.counted else {}),
        "answer": [
            {"text": text, "citations": [places[name] for name in one.citations]}
            for text, one in zip(texts, sentences, strict=True)
        ],
    }


def _resolved(citations: Sequence[int | str], references: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that citations point at; of a place that is none, the place."""
    return tuple(
        one if isinstance(one, str) else references[one] if 0 <= one < len(references) else str(one)
        for one in citations
    )


def _metadata(identity: RunIdentity, narrative: Narrative) -> dict[str, Any]:
    about = {"narrative_id": narrative.topic_id, "narrative": one_line(narrative.narrative)}
    return {"metadata": {**identity.model_dump(), **about}}


def _description(identity: RunIdentity, narrative: Narrative) -> dict[str, Any]:
    # The narrative stands there exactly as it was given.
    about = {"narrative": narrative.narrative, "run_desc": _DESCRIPTION}
    return {"metadata": _metadata(identity, narrative)["metadata"] | about}


def _names(identity: RunIdentity, narrative: Narrative) -> dict[str, Any]:
    return {
        "run_id": identity.run_id,
        "topic_id": narrative.topic_id,
        "topic": one_line(narrative.narrative),
    }


def _format(
    form: _Form, telling: str, as_manual: Callable[[Path], bytes] = cited_sentences.manual_lines
) -> submission.RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun]:
    """Return the format of a form, whose files are told from the others by a key."""
    return submission.RunFormat(
        kind="cited_text",
        write=lambda path, identity, delivered: write_json_lines(
            path, (_content(form, path, identity, *one) for one in delivered)
        ),
        read=partial(_read, form),
        check=submission.StrictCheck(partial(_check, form)),
        as_manual=as_manual,
        json_keys=("references", "answer", telling),
    )


ANSWERS = _format(
    _Form(
        _TypedAnswer.model_validate,
        _ExactAnswer[_ExactTypedMetadata, _Place | StrictStr],
        "narrative_id",
        _metadata,
        constant="type",
        one_way=True,
    ),
    "metadata",
)
DESCRIBED_ANSWERS = _format(
    _Form(
        _DescribedAnswer.model_validate,
        _ExactAnswer[_ExactDescription, _Place | StrictStr],
        "narrative_id",
        _description,
        constant="run_desc",
        all_cited=True,
    ),
    "metadata.run_desc",
)
FLAT_ANSWERS = _format(
    _Form(_FlatAnswer.model_validate, _ExactFlatAnswer, "topic_id", _names, counted=True),
    "topic_id",
    as_manual=read_bytes,
)


class _Texts(BaseModel):
    docid: str = ""
    segment: str = ""
    references_ids: tuple[str, ...] = ()
    references_texts: tuple[str, ...] = ()


def read_cited_texts(path: Path) -> dict[str, str]:
    """Read the texts of segments by id, plain or `.gz`.

    A line holds a segment, or the references of a topic, as the files of RAG baselines have them.
    """
    findings = Findings(path)
    texts: dict[str, str] = {}
    what = "docid and segment, or as many references_ids as references_texts"
    for line, one in parsed_lines(path, _Texts.model_validate, what, findings):
        ids, told = [*one.references_ids], [*one.references_texts]
        if one.docid:
            ids, told = [one.docid], [one.segment]
        if not ids or len(ids) != len(told):
            counts = f"{counted(len(ids), 'id')} and {counted(len(told), 'text')}"
            findings.error("references", line, expected=what, found=counts, remedy=COMPARE)
        texts.update(zip(ids, told, strict=False))
    findings.raise_errors()
    return texts
