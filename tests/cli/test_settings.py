"""`sidelight settings` shows all that a configuration can say, and `prompt` what is sent."""

import json

import pytest
import yaml

from sidelight.config.load import load_settings
from sidelight.config.settings import Settings
from sidelight.errors import UsageError
from sidelight.prompting import find_prompts
from tests.helpers.commands import said, told


def test_what_is_printed_for_people():
    text = said("settings")
    assert "retrieval.k\n    int; segments; >= 1, <= 1000; default 20\n    Segments kept" in text
    assert "models.writer.name\n    str; must be given\n" in text
    assert "roles.write_questions\n    str or none; extractive, prompted, organizers-2024" in text


def test_every_default_is_what_a_run_without_configuration_uses_and_can_be_set():
    tree = Settings().model_dump(mode="json")
    described = {one["name"]: one for one in told("settings")}
    for name, one in described.items():
        value: object = tree
        for key in name.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if not name.startswith(("models.", "servers.")):  # of which there is none by default
            assert one["default"] == value, name
        assert one["description"]
        assert one["type"]
        if not one["required"]:
            named = name.replace("NAME", "default")
            group, _, _ = named.rpartition(".")
            others = [f"{group}.name=m"] if group.startswith("models") else []
            load_settings(None, [*others, f"{named}={yaml.safe_dump(one['default'])}"])


def test_prompts_are_listed_shown_with_includes_and_rendered(tmp_path):
    lines = said("prompt", "list").splitlines()
    for prompt in find_prompts():
        assert any(prompt.id in line and prompt.fingerprint[:12] in line for line in lines)
    shown = said("prompt", "show", "rubric")
    assert "{% include" not in shown
    assert "{{ profile.body }}" in shown
    assert "<<<BEGIN source 1>>>" in said("prompt", "render", "support")
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"sources": ["[red]A[/red]"], "sentence": "B"}), encoding="utf-8")
    assert "<<<BEGIN source 1>>>\n[red]A[/red]\n" in said(
        "prompt", "render", "support", "--values", values
    )
    with pytest.raises(UsageError, match="there is no prompt nonsense"):
        said("prompt", "render", "nonsense")
