from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, Field, ValidationError

from sidelight.formats.lines import Findings


class Part(BaseModel):
    name: str


class Whole(BaseModel, extra="forbid"):
    parts: tuple[Part, ...] = Field(min_length=1)


def found(content: object) -> list[tuple[str, str]]:
    findings = Findings(Path("f"))
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate(content)
    findings.invalid(caught.value, 1, what="a whole", remedy="Mend it.")
    return [(problem.code, problem.found) for problem in findings.problems]


def test_a_list_of_invalid_items_is_not_called_empty_as_well() -> None:
    assert found({"parts": [{}]}) == [("key-missing", "no parts.0.name")]
    assert found({"parts": []}) == [("value", "parts = []: Input should not be empty")]


def test_says_nothing_of_python_classes() -> None:
    assert found({"parts": ["x"]}) == [("value", "parts.0 = 'x': Input should be an object")]


def test_names_every_fault_of_a_value() -> None:
    assert found({"parts": [{"name": 1}], "more": 2}) == [
        ("value", "parts.0.name = 1: Input should be a valid string"),
        ("key-unknown", "more = 2: Extra inputs are not permitted"),
    ]
