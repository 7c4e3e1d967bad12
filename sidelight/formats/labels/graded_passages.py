"""Graded passages of the RUBRIC workbench: `[query, [passage, ...]]`, a query a line.

A passage has the grades that each grader gave it. Every object that is read is written back with
all its keys, in their order, also those that mean nothing here; only what changed is written anew.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from sidelight.files import atomic_packer
from sidelight.formats.lines import Findings, decode_list, stream_lines
from sidelight.schemas.grading import graded_passage as graded
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamKind

_Rating = Annotated[int, Field(strict=True, ge=0, le=graded.HIGHEST_RATING)]
_Id = Annotated[str, Field(pattern=r"^[^\x00]+$")]
_NEW_GRADING: dict[str, Any] = {
    "correctAnswered": [],
    "wrongAnswered": [],
    "answers": [],
    "llm": "",
    "llm_options": {},
    "exam_ratio": 0.0,
    "prompt_info": {},
    "self_ratings": [],
}
# Our own key: the workbench knows no cell that could not be graded, and ignores keys.
_UNJUDGED = "unjudged"


class _PromptInfo(BaseModel):
    prompt_class: str = ""


class _RatingObject(BaseModel):
    question_id: _Id | None = None
    nugget_id: _Id | None = None
    self_rating: _Rating

    def item_id(self) -> str:
        return self.question_id or self.nugget_id or ""


class _GraderObject(BaseModel):
    llm: str = ""
    prompt_info: _PromptInfo | None = None
    prompt_type: str | None = None

    def grader(self) -> graded.Grader:
        return graded.Grader((self.prompt_info or _PromptInfo()).prompt_class, self.llm)


class GradingObject(_GraderObject):
    """One of `exam_grades`."""

    correct: list[_Id] = Field([], validation_alias="correctAnswered")
    wrong: list[_Id] = Field([], validation_alias="wrongAnswered")
    answers: list[tuple[_Id, str | None]] = []
    self_ratings: list[_RatingObject] | None = None
    unjudged: dict[_Id, str] = {}

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        names = [one.item_id() for one in self.self_ratings or ()]
        if "" in names or len(set(names)) < len(names):
            raise ValueError("self_ratings should name a question or nugget each, and none twice")
        answers: dict[str, str | None] = {}
        if any(answers.setdefault(name, text) != text for name, text in self.answers):
            raise ValueError("answers should give one answer to each question or nugget")
        if both := set(self.correct) & set(self.wrong):
            raise ValueError(f"{min(both)} should be in correctAnswered or wrongAnswered alone")
        return self

    def to_grading(self, source: Mapping[str, Any]) -> graded.Grading:
        """Return the grading; an item is there if any of the lists names it."""
        return graded.Grading(self.grader(), self._kind(), self._items(), source)

    def _items(self) -> tuple[graded.ItemGrade, ...]:
        ratings: dict[str, int | Unjudged] = {
            one.item_id(): one.self_rating for one in self.self_ratings or ()
        }
        ratings |= {name: Unjudged(reason=reason) for name, reason in self.unjudged.items()}
        answers = {name: text or "" for name, text in self.answers}
        correct = set(self.correct)
        named = dict.fromkeys([*ratings, *answers, *self.correct, *self.wrong])
        return tuple(
            graded.ItemGrade(name, ratings.get(name), answers.get(name, ""), name in correct)
            for name in named
        )

    def _kind(self) -> ExamKind | None:
        for rating in self.self_ratings or ():
            return "question" if rating.question_id else "nugget"
        if self.prompt_type == "question":
            return "question"
        return "nugget" if self.prompt_type == "nugget" else None


class DirectObject(_GraderObject):
    """One of `grades`."""

    correct: bool = Field(default=False, strict=True, validation_alias="correctAnswered")
    answer: str | None = None
    rating: _Rating | None = Field(default=None, validation_alias="self_ratings")
    unjudged: str | None = None

    def to_grade(self, source: Mapping[str, Any]) -> graded.DirectGrade:
        """Return the grade."""
        rating = self.rating if self.unjudged is None else Unjudged(reason=self.unjudged)
        return graded.DirectGrade(self.grader(), rating, self.answer or "", self.correct, source)


def grading_object(grading: graded.Grading) -> dict[str, Any]:
    """Return the object of a grading: that which was read, unless it changed."""
    source = grading.source
    if source is not None and GradingObject.model_validate(source).to_grading(source) == grading:
        return dict(source)
    judged = [item for item in grading.items if not isinstance(item.rating, Unjudged)]
    correct = [item.item_id for item in judged if item.correct]
    key = "nugget_id" if grading.kind == "nugget" else "question_id"
    changed = {
        **(_NEW_GRADING if source is None else source),
        "correctAnswered": correct,
        "wrongAnswered": [item.item_id for item in judged if not item.correct],
        "answers": [[item.item_id, item.answer] for item in judged],
        "llm": grading.grader.model,
        "exam_ratio": len(correct) / len(judged) if judged else 0.0,
        "prompt_info": _prompt_info(source, grading.grader, rated=True),
        "self_ratings": [
            {key: item.item_id, "self_rating": item.rating}
            for item in judged
            if item.rating is not None
        ],
        "prompt_type": grading.kind or (source or {}).get("prompt_type"),
        _UNJUDGED: {
            item.item_id: item.rating.reason
            for item in grading.items
            if isinstance(item.rating, Unjudged)
        },
    }
    return {name: value for name, value in changed.items() if value or name != _UNJUDGED}


def direct_object(grade: graded.DirectGrade) -> dict[str, Any]:
    """Return the object of a direct grade: that which was read, unless it changed."""
    source = grade.source
    if source is not None and DirectObject.model_validate(source).to_grade(source) == grade:
        return dict(source)
    unjudged = isinstance(grade.rating, Unjudged)
    changed = {
        **({"llm_options": {}} if source is None else source),
        "correctAnswered": grade.correct,
        "answer": grade.answer,
        "llm": grade.grader.model,
        "prompt_info": _prompt_info(source, grade.grader, rated=grade.rating is not None),
        "self_ratings": None if unjudged else grade.rating,
        "prompt_type": (source or {}).get("prompt_type", "direct_grading"),
        _UNJUDGED: grade.rating.reason if isinstance(grade.rating, Unjudged) else None,
    }
    return {name: value for name, value in changed.items() if value or name != _UNJUDGED}


def _prompt_info(
    source: Mapping[str, Any] | None, grader: graded.Grader, *, rated: bool
) -> dict[str, Any]:
    new = {
        "prompt_class": "",
        "prompt_style": "",
        "context_first": False,
        "check_unanswerable": True,
        "check_answer_key": False,
        "is_self_rated": rated,
    }
    return {**((source or {}).get("prompt_info") or new), "prompt_class": grader.prompt}


_DEEPEST = 1_000_000  # far below any place that runs hand in
_NEW: dict[str, Any] = {
    "paragraph_id": "",
    "text": "",
    "paragraph": {},
    "paragraph_data": {"judgments": [], "rankings": []},
    "exam_grades": [],
}


class _RankedObject(BaseModel):
    method: _Id
    rank: int = Field(strict=True, ge=0, le=_DEEPEST)
    score: float = Field(strict=True, allow_inf_nan=False)


class _JudgmentObject(BaseModel):
    relevance: int = Field(strict=True, ge=graded.LOWEST_RELEVANCE, le=graded.HIGHEST_RELEVANCE)


class _DataObject(BaseModel):
    rankings: list[_RankedObject] | None = None
    judgments: list[_JudgmentObject] | None = None


class _PassageObject(BaseModel):
    paragraph_id: _Id
    text: str
    paragraph_data: _DataObject | None = None
    exam_grades: list[GradingObject] | None = None
    grades: list[DirectObject] | None = None


_LINE: TypeAdapter[tuple[str, list[_PassageObject]]] = TypeAdapter(tuple[_Id, list[_PassageObject]])


def read_graded(path: Path) -> Iterator[graded.GradedQuery]:
    """Yield the queries of a file, plain or `.gz`, one in memory at a time.

    InvalidFileError is raised at the first line that is no query with passages, repeats a query or
    a passage, or contradicts itself on a passage's rank in a run, relevance, or rating by a grader.
    """
    seen: set[str] = set()
    for line, text in stream_lines(path):
        findings = Findings(path)
        content = decode_list(text, line, findings)
        findings.raise_errors()
        try:
            query_id, passages = _LINE.validate_python(content)
        except ValidationError as error:
            what = "a query and the list of its passages"
            raise findings.invalid(error, line, what) from error
        if query_id in seen:
            findings.again("graded-duplicate", line, "each query once", f"a second {query_id}")
        seen.add(query_id)
        for name, count in Counter(one.paragraph_id for one in passages).items():
            if count > 1:
                findings.again("graded-duplicate", line, "each passage once", f"a second {name}")
        findings.raise_errors()
        sources = (content or [])[1]
        query = graded.GradedQuery(
            query_id,
            tuple(_passage(query_id, *pair) for pair in zip(passages, sources, strict=True)),
        )
        for passage in query.passages:
            _refuse_contradictions(passage, line, findings)
        findings.raise_errors()
        yield query


def is_graded(path: Path) -> bool:
    """Tell whether the first line is a JSON list that begins with a text, as in no other file."""
    first = next(stream_lines(path), None)
    return first is not None and re.match(r'\s*\[\s*"', first.text) is not None


def write_graded(path: Path, queries: Iterable[graded.GradedQuery]) -> None:
    """Write queries as they come; a name that ends in `.gz` is packed."""
    with atomic_packer(path) as stream:
        for query in queries:
            passages = [_object(passage) for passage in query.passages]
            stream.write(json.dumps([query.query_id, passages]) + "\n")


def _refuse_contradictions(passage: graded.GradedPassage, line: int, findings: Findings) -> None:
    known: dict[tuple[object, ...], object] = {}
    for *what, value in _said(passage):
        if known.setdefault(tuple(what), value) != value:
            told = f"one {' '.join(map(str, what))} for passage {passage.passage_id}"
            expected = f"{told}, {known[tuple(what)]}"
            findings.again("grade-conflict", line, expected, str(value))


def _said(passage: graded.GradedPassage) -> Iterator[tuple[object, ...]]:
    """Yield what can be said once only of a passage: what it is, and the value at the end."""
    # A judgment and a place may be for a part of the query, which then has a name of its own.
    for judgment in passage.judgments:
        part = str((judgment.source or {}).get("query", passage.query_id))
        yield "relevance to", part, judgment.relevance
    for place in passage.rankings:
        part = str((place.source or {}).get("queryId", passage.query_id))
        yield "rank in run", place.run, "for", part, place.rank
    for direct in passage.direct:
        if isinstance(direct.rating, int):
            yield "rating by", _name(direct.grader), direct.rating
    if len({grading.grader for grading in passage.gradings}) == len(passage.gradings):
        return  # each names an item once, and there are hundreds of thousands
    for grading in passage.gradings:
        for item in grading.items:
            if not isinstance(item.rating, Unjudged):
                rating = int(item.correct) if item.rating is None else item.rating
                yield "rating of", item.item_id, "by", _name(grading.grader), rating


def _name(grader: graded.Grader) -> str:
    return f"{grader.prompt}@{grader.model}"


def _passage(query_id: str, one: _PassageObject, source: dict[str, Any]) -> graded.GradedPassage:
    data = one.paragraph_data or _DataObject()
    raw = source.get("paragraph_data") or {}
    return graded.GradedPassage(
        query_id=query_id,
        passage_id=one.paragraph_id,
        text=one.text,
        gradings=tuple(
            grading.to_grading(there)
            for grading, there in zip(
                one.exam_grades or (), source.get("exam_grades") or (), strict=True
            )
        ),
        direct=tuple(
            grade.to_grade(there)
            for grade, there in zip(one.grades or (), source.get("grades") or (), strict=True)
        ),
        rankings=tuple(
            graded.Ranked(ranked.method, ranked.rank, ranked.score, there)
            for ranked, there in zip(data.rankings or (), raw.get("rankings") or (), strict=True)
        ),
        judgments=tuple(
            graded.OfficialJudgment(judgment.relevance, there)
            for judgment, there in zip(
                data.judgments or (), raw.get("judgments") or (), strict=True
            )
        ),
        source=source,
    )


def _object(passage: graded.GradedPassage) -> dict[str, Any]:
    source = dict(_NEW if passage.source is None else passage.source)
    ids = {"paragraphId": passage.passage_id}
    data = _with_lists(
        source.get("paragraph_data") or {},
        judgments=[
            {
                **(one.source or {**ids, "query": passage.query_id}),
                "relevance": one.relevance,
            }
            for one in passage.judgments
        ],
        rankings=[
            {
                **(one.source or {"method": "", **ids, "queryId": passage.query_id}),
                "method": one.run,
                "rank": one.rank,
                "score": one.score,
            }
            for one in passage.rankings
        ],
    )
    if data:
        source["paragraph_data"] = data
    source |= {"paragraph_id": passage.passage_id, "text": passage.text}
    return _with_lists(
        source,
        exam_grades=[grading_object(one) for one in passage.gradings],
        grades=[direct_object(one) for one in passage.direct],
    )


def _with_lists(source: dict[str, Any], **lists: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a copy with some lists; one that is empty stays as it was written: null, or not."""
    return source | {name: found for name, found in lists.items() if found or source.get(name)}
