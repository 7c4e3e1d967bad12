"""Parts are found by name, by entry point and by place, and what is wrong with one is said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import registry
from sidelight.errors import MachineError, UsageError
from sidelight.parts import KINDS
from sidelight.registry import load, locate, make, names
from tests.helpers.installed import install

MODULE = """
    class Nothing:
        name = "nothing"

        def search(self, queries, k):
            return {query.query_id: [] for query in queries}

    class Lacking:
        name = "lacking"

    class Slow:
        def __call__(self, profile):
            return ()

    def function(queries, k):
        return {}
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, one of them installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    offers = {"retriever nothing": "other_parts:Nothing", "retriever bm25": "other_parts:Nothing"}
    install(tmp_path, "other-parts", {"other_parts": MODULE}, offers)
    return tmp_path


def test_an_installed_part_is_a_name_like_any_other(site: Path) -> None:
    assert names("retriever")[-1] == "nothing"
    assert load("retriever", "nothing").name == "nothing"
    assert load("retriever", "other_parts:Nothing") is load("retriever", "nothing")


def test_installed_packages_are_looked_through_once(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Counted(DistributionFinder):
        searches = 0

        @classmethod
        def find_distributions(cls, context: object = None) -> Iterator[Distribution]:
            cls.searches += 1
            return iter(())

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Counted])
    found = [names(kind) for kind in KINDS for _ in range(2)]
    assert any("nothing" in one for one in found)
    assert Counted.searches == 1


def test_nobody_takes_a_name_of_sidelights_own(site: Path) -> None:
    assert names("retriever").count("bm25") == 1
    assert locate("retriever", "bm25") == "sidelight.retrieval.first_stage:Bm25Retriever"


def test_a_name_that_two_packages_offer_is_refused(site: Path) -> None:
    install(site, "more-parts", {"more_parts": MODULE}, {"retriever nothing": "more_parts:Nothing"})
    with pytest.raises(UsageError, match="2 installed packages offer a retriever") as caught:
        load("retriever", "nothing")
    assert caught.value.remedy.endswith("more_parts:Nothing or other_parts:Nothing")


@pytest.mark.parametrize(
    ("kind", "name", "says"),
    [
        ("retriever", "bm52", "did you mean bm25?"),
        ("role.write_report", "promted", "unknown performer of write_report 'promted'"),
        ("retriever", "other_part:Nothing", "there is no module 'other_part'"),
        ("retriever", "other_parts.sub:Nothing", "there is no module 'other_parts.sub'"),
        ("retriever", "other_parts:Nothin", "other_parts has no Nothin; did you mean Nothing?"),
        ("retriever", "other_parts:Lacking", "has no method search, which every Retriever has"),
        ("retriever", "other_parts:function", "expected a class; other_parts:function is a func"),
        ("role.draft_rubric", "other_parts:Slow", "expected `async def __call__`"),
        ("retriever", "./other_parts.py:Nothing", "paths are not read"),
        ("retriever", "parts/mine", "paths are not read"),
        ("retriever", "..other_parts:Nothing", "paths are not read"),
        ("engine", "locale", "did you mean local?"),
    ],
)
def test_what_is_wrong_with_a_part_is_said(site: Path, kind: str, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load(kind, name)


def test_a_package_that_a_part_needs_is_named(site: Path) -> None:
    (site / "needing.py").write_text("import no_such_package\n", encoding="utf-8")
    with pytest.raises(MachineError, match="'no_such_package', which is not installed") as caught:
        load("retriever", "needing:Anything")
    assert caught.value.remedy == "Install it with: pip install no_such_package"


def test_a_part_gets_what_its_constructor_names_and_nothing_else_is_made() -> None:
    class Part:
        def __init__(self, words: int, *, depth: int = 7, **others: int) -> None:
            self.given = words, depth, others

    def unwanted() -> None:
        raise AssertionError

    offered = {"words": lambda: 250, "index": unwanted}
    assert make("part", Part, offered).given == (250, 7, {})
    assert make("part", Part, {**offered, "depth": lambda: 9}).given == (250, 9, {})
    with pytest.raises(UsageError, match=r"part: .* asks for 'words'; .*did you mean word\?"):
        make("part", Part, {"word": lambda: 1})


@given(st.text(max_size=40))
@settings(deadline=None)
def test_no_name_makes_python_read_a_path(name: str) -> None:
    try:
        place = locate("retriever", name)
    except UsageError:
        return
    assert not {"/", "\\", " ", "-"} & set(place.partition(":")[0])
    assert place.count(":") == 1
    assert place.startswith("sidelight.") or registry._PLACE.fullmatch(place)
