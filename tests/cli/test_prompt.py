"""`sidelight prompt` shows what is sent, and sends nothing."""

import json
from functools import partial

import pytest

from sidelight.errors import UsageError
from sidelight.prompting import find_prompts
from tests.helpers.commands import said

run = partial(said, "prompt")


def test_prompts_are_listed_shown_with_includes_and_rendered(tmp_path):
    lines = run("list").splitlines()
    for prompt in find_prompts():
        assert any(prompt.id in line and prompt.fingerprint[:12] in line for line in lines)
    shown = run("show", "rubric")
    assert "{% include" not in shown
    assert "{{ profile.body }}" in shown
    assert "<<<BEGIN source 1>>>" in run("render", "support")
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"sources": ["[red]A[/red]"], "sentence": "B"}), encoding="utf-8")
    assert "<<<BEGIN source 1>>>\n[red]A[/red]\n" in run("render", "support", "--values", values)
    with pytest.raises(UsageError, match="there is no prompt nonsense"):
        run("render", "nonsense")
