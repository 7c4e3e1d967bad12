"""What one grader made of one passage, as the RUBRIC workbench writes it in graded passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from sidelight.schemas.grading.graded_passage import (
    HIGHEST_RATING,
    DirectGrade,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.schemas.grading.exam_bank import ExamKind

_Rating = Annotated[int, Field(strict=True, ge=0, le=HIGHEST_RATING)]
_Id = Annotated[str, Field(min_length=1)]
_NEW: dict[str, Any] = {
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

    def grader(self) -> Grader:
        return Grader((self.prompt_info or _PromptInfo()).prompt_class, self.llm)


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

    def to_grading(self, source: Mapping[str, Any]) -> Grading:
        """Return the grading; an item is there if any of the lists names it."""
        return Grading(self.grader(), self._kind(), self._items(), source)

    def _items(self) -> tuple[ItemGrade, ...]:
        ratings: dict[str, int | Unjudged] = {
            one.item_id(): one.self_rating for one in self.self_ratings or ()
        }
        ratings |= {name: Unjudged(reason=reason) for name, reason in self.unjudged.items()}
        answers = {name: text or "" for name, text in self.answers}
        correct = set(self.correct)
        named = dict.fromkeys([*ratings, *answers, *self.correct, *self.wrong])
        return tuple(
            ItemGrade(name, ratings.get(name), answers.get(name, ""), name in correct)
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

    correct: bool = Field(default=False, validation_alias="correctAnswered")
    answer: str | None = None
    rating: _Rating | None = Field(default=None, validation_alias="self_ratings")
    unjudged: str | None = None

    def to_grade(self, source: Mapping[str, Any]) -> DirectGrade:
        """Return the grade."""
        rating = self.rating if self.unjudged is None else Unjudged(reason=self.unjudged)
        return DirectGrade(self.grader(), rating, self.answer or "", self.correct, source)


def grading_object(grading: Grading) -> dict[str, Any]:
    """Return the object of a grading: that which was read, unless it changed."""
    source = grading.source
    if source is not None and GradingObject.model_validate(source).to_grading(source) == grading:
        return dict(source)
    judged = [item for item in grading.items if not isinstance(item.rating, Unjudged)]
    correct = [item.item_id for item in judged if item.correct]
    key = "nugget_id" if grading.kind == "nugget" else "question_id"
    changed = {
        **(_NEW if source is None else source),
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


def direct_object(grade: DirectGrade) -> dict[str, Any]:
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
    source: Mapping[str, Any] | None, grader: Grader, *, rated: bool
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
