"""YAML that means harm is refused in an instant, wherever YAML is read."""

import re
import time

import pytest
import yaml

from sidelight.ablation.runs import read_grid
from sidelight.config.load import load_settings
from sidelight.errors import UsageError
from sidelight.plain_yaml import read_yaml
from sidelight.tracks import load_track
from tests.helpers.commands import said


def bomb(levels=25):
    """Lists of nine references each: 9 to the power of the levels."""
    lines = ["a0: &a0 [x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join([*lines, f"retrieval: {{k: *a{levels - 1}}}"])


HOSTILE = {
    "bomb": bomb(),
    "mappings": "a: &a {b: c}\nretrieval: {<<: *a}",
    "holds itself": "retrieval: &a [*a]",
    "is its own setting": "retrieval: &a {k: *a}",
    "levels": "retrieval: " + "[" * 600 + "]" * 600,
    "many levels": "retrieval: " + "[" * 100_000,
    "nested mappings": "{a: " * 600 + "1" + "}" * 600,
    "no such date": "retrieval: {k: 2024-99-99}",
    "a long number": "retrieval: {k: " + "9" * 5000 + "}",
    "a number to the base of 60": "retrieval: {k: 1" + ":1" * 200_000 + "}",
    "a long float": "retrieval: {k: 0." + "9" * 5000 + "}",
    "infinite": "models: {writer: {name: m, temperature: .inf}}",
    "not a number": "models: {writer: {name: m, temperature: .nan}}",
    "keys twice": "retrieval: {k: 5}\nretrieval: {k: 6}",
    "a list as a key": "? [a, b]\n: 1",
    "a key that is no text": "1: 2",
    "a tag": "retrieval: !!python/object/apply:os.system [true]",
    "bytes": "retrieval: {k: !!binary aGVsbG8=}",
    "long": "# " + "x" * 1_000_001,
    "two documents": "a: 1\n---\nb: 2",
    "nul": "retrieval: \x00",
    "half of a character": 'retrieval: {reranker: "a\\udcff"}',
    "nothing closed": "retrieval: {k: [",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_is_hostile_is_refused_at_once(text, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(text, encoding="utf-8")
    begin = time.process_time()
    for read in (load_settings, read_grid, lambda path: load_track(str(path))):
        with pytest.raises(UsageError, match=r"c\.yaml"):
            read(path)
    assert time.process_time() - begin < 5


def test_overrides_are_yaml_too(tmp_path):
    for value in ("retrieval.k=" + "9" * 5000, "retrieval.k=2024-99-99", "retrieval=&a [*a]"):
        with pytest.raises(UsageError):
            load_settings(None, [value])
    with pytest.raises(UsageError, match="at most"):
        load_settings(None, [".".join("a" * 5000) + "=1"])
    path = tmp_path / "c.yaml"
    path.write_text(bomb(), encoding="utf-8")
    with pytest.raises(UsageError, match=r"reference \*a0"):
        said("doctor", "--config", path)


@pytest.mark.parametrize("key", ["off", "On", "yes", "NO", "true"])
def test_a_key_that_yaml_takes_for_a_truth_value_is_named(key, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(f"retrieval:\n  {key}: 1\n")
    told = f"c.yaml is not valid YAML: line 2, column 3: expected text as a key, such as '{key}'; "
    with pytest.raises(UsageError, match=re.escape(f"{told}found {key}, which YAML reads as")):
        load_settings(path)
    assert read_yaml(f"'{key}': {key}").keys() == {key}


@pytest.mark.parametrize("last", ["k 20", 'k: "20'])
def test_a_line_that_does_not_end_is_named_and_not_the_next_one(last):
    with pytest.raises(yaml.YAMLError, match="line 3, column"):
        read_yaml(f"retrieval:\n  depth: 50\n  {last}\n")


def test_values_may_be_written_once():
    assert read_yaml("a: &name x\nb: *name") == {"a": "x", "b": "x"}
    plain = "a: 0x1F\nb: 1.5e+3\nc: 2024-02-03"
    assert read_yaml(plain) == yaml.safe_load(plain)
