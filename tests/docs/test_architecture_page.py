"""docs/architecture.md is true: its paths exist, and imports go the way it says."""

import re

import pytest

from tests.helpers.package import ROOT, imports, modules

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATHS = sorted(
    {
        span
        for span in re.findall(r"`([^`\s]+)`", PAGE)
        if "/" in span.rstrip("/") or span.endswith(("/", ".py"))
    }
)
DIRECTIONS = [
    [re.split(r", *", side.replace("/", ".")) for side in line.split(" <- ")]
    for block in re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


def _lies_in(name, places):
    return any(name == place or name.startswith(f"{place}.") for place in places)


def _imports(users, used):
    """Imports of modules in `used` by modules in `users` alone."""
    return [
        f"{module.at(one.line)}: imports {one.target}"
        for name, module in modules().items()
        if _lies_in(name, users) and not _lies_in(name, used)
        for one in imports(name)
        if one.own and _lies_in(one.target, used)
    ]


@pytest.mark.parametrize("path", PATHS)
def test_every_path_named_exists(path):
    assert any((root / path).exists() for root in (ROOT, ROOT / "sidelight"))


@pytest.mark.parametrize("sides", DIRECTIONS, ids=str)
def test_imports_go_the_way_that_the_page_says(sides):
    assert len(sides) > 1
    for place, left in enumerate(sides[:-1]):
        for right in sides[place + 1 :]:
            assert _imports(left, right) == []
        assert _imports(sides[place + 1], left), f"{sides[place + 1]} imports nothing of {left}"
