"""`sidelight prompt` shows what is sent, and sends nothing."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from sidelight.errors import UsageError
from sidelight.prompting import find_prompts
from tests.helpers.commands import said

run = partial(said, "prompt")


def test_every_prompt_is_listed() -> None:
    lines = run("list").splitlines()
    for prompt in find_prompts():
        assert any(prompt.id in line and prompt.fingerprint[:12] in line for line in lines)


def test_the_source_is_shown_with_its_includes() -> None:
    shown = run("show", "rubric")
    assert "{% include" not in shown
    assert "{{ profile.body }}" in shown


def test_a_prompt_is_rendered_with_examples_or_values(tmp_path: Path) -> None:
    assert "<<<BEGIN source 1>>>" in run("render", "support")
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"sources": ["[red]A[/red]"], "sentence": "B"}), encoding="utf-8")
    assert "<<<BEGIN source 1>>>\n[red]A[/red]\n" in run("render", "support", "--values", values)


def test_an_unknown_prompt_is_named() -> None:
    with pytest.raises(UsageError, match="there is no prompt nonsense"):
        run("render", "nonsense")
