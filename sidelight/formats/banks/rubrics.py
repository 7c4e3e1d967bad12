"""Rubrics in the track's JSON: one file a topic, questions with importance and short answers."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import orjson
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.files import atomic_write
from sidelight.formats.lines import Findings, decode_unique, read_bytes
from sidelight.registry import check_path
from sidelight.schemas.grading.judgment import Label, LabelScale, Scales
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion

_QUESTION_ID = r"^.+-0*[1-9][0-9]{0,5}$"
_Url = Annotated[
    str, BeforeValidator(lambda value: value.get("url") if isinstance(value, dict) else value)
]


def _importance(value: object, info: ValidationInfo) -> Label:
    scale: LabelScale = (info.context or {})["importance"]
    label = scale.read(value) if isinstance(value, str) else None
    if label is None:
        raise ValueError(f"Input should be one of {', '.join(map(repr, scale.writings))}")
    return label


class _AnswerFile(BaseModel):
    """The key of the answer's text is not documented, so the likely ones are all read."""

    answer_id: str = Field(min_length=1)
    text: str = Field(
        validation_alias=AliasChoices("answer_text", "short_answer", "answer", "text")
    )
    references: tuple[_Url, ...] = ()


class _QuestionFile(BaseModel):
    question_id: str = Field(pattern=_QUESTION_ID)
    question_text: str = Field(min_length=1)
    importance: Annotated[
        Label, BeforeValidator(_importance), WithJsonSchema({"type": "string", "minLength": 1})
    ]
    short_answers: tuple[_AnswerFile, ...] = Field(min_length=1)

    def to_question(self) -> RubricQuestion:
        return RubricQuestion(
            question_id=self.question_id,
            rank=int(self.question_id.rpartition("-")[2]),
            text=self.question_text,
            importance=self.importance,
            answers=tuple(RubricAnswer(**answer.model_dump()) for answer in self.short_answers),
        )


class _RubricFile(BaseModel):
    topic_id: str = Field(min_length=1)
    rubrics: tuple[_QuestionFile, ...] = Field(min_length=1)


def read_rubric(path: Path, scales: Scales) -> Rubric:
    """Read one rubric from a JSON file; keys it does not need are ignored.

    The scale `importance` says what a question weighs. No rank, answer id or key may occur twice.
    """
    findings = Findings(path)
    content = read_bytes(path).removeprefix(BOM_UTF8)
    try:
        file = _RubricFile.model_validate_json(
            content, strict=True, context={"importance": scales["importance"]}
        )
        decode_unique(content.decode(), None, findings)
        findings.raise_errors()
        return Rubric(
            topic_id=file.topic_id,
            questions=tuple(question.to_question() for question in file.rubrics),
        )
    except ValidationError as error:
        raise findings.invalid(error, None, "a rubric") from error


def check_rubric(path: Path, scales: Scales, topic_ids: Collection[str]) -> list[Problem]:
    """Return what is wrong with a rubric, a topic that is none of `topic_ids` among it.

    A file may have any name but that of another topic.
    """
    findings = Findings(path)
    try:
        topic_id = read_rubric(path, scales).topic_id
    except InvalidFileError as error:
        return list(error.problems)
    findings.topics([topic_id], topic_ids)
    if topic_id in topic_ids and path.stem != topic_id and path.stem in topic_ids:
        findings.warning(
            "rubric-name",
            None,
            expected=f"the topic_id that the file is named after, {path.stem}",
            found=topic_id,
            remedy="Correct the topic_id, or rename the file.",
        )
    return findings.problems


def read_rubrics(folder: Path, scales: Scales) -> dict[str, Rubric]:
    """Read every `*.json` in a folder, sorted by topic id; each topic may have one rubric."""
    if not folder.exists():
        raise InputError(f"{folder}: no such folder", remedy=check_path(folder))
    rubrics: dict[str, Rubric] = {}
    for path in sorted(folder.glob("*.json")):
        rubric = read_rubric(path, scales)
        if rubric.topic_id in rubrics:
            raise InputError(f"{path}: topic {rubric.topic_id} has a second rubric in this folder")
        rubrics[rubric.topic_id] = rubric
    if not rubrics:
        raise InputError(
            f"{folder}: expected a folder with one rubric (*.json) a topic; found none",
            remedy="Give the folder that holds the rubric files.",
        )
    return dict(sorted(rubrics.items()))


def write_rubric(path: Path, rubric: Rubric) -> None:
    """Write one rubric in the track's JSON."""
    content = {
        "topic_id": rubric.topic_id,
        "rubrics": [
            {
                "question_id": question.question_id,
                "question_text": question.text,
                "importance": question.importance.written,
                "short_answers": [
                    {
                        "answer_id": answer.answer_id,
                        "answer_text": answer.text,
                        "references": answer.references,
                    }
                    for answer in question.answers
                ],
            }
            for question in rubric.questions
        ],
    }
    atomic_write(path, orjson.dumps(content, option=orjson.OPT_INDENT_2).decode() + "\n")
