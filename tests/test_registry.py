"""Parts are found by name, by entry point and by place, and what is wrong with one is said."""

import os
import subprocess
import sys
from importlib.metadata import DistributionFinder
from textwrap import dedent
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight import registry
from sidelight.errors import MachineError, UsageError
from sidelight.parts import KINDS
from sidelight.registry import code_of, load, locate, make, names
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
def site(tmp_path, monkeypatch):
    """A folder of packages, one of them installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    offers = {"retriever nothing": "other_parts:Nothing", "retriever bm25": "other_parts:Nothing"}
    install(tmp_path, "other-parts", {"other_parts": MODULE}, offers)
    return tmp_path


def test_an_installed_part_is_a_name_like_any_other(site):
    assert names("retriever")[-1] == "nothing"
    assert load("retriever", "nothing").name == "nothing"
    assert load("retriever", "other_parts:Nothing") is load("retriever", "nothing")
    # Nobody takes a name of sidelight's own.
    assert names("retriever").count("bm25") == 1
    assert locate("retriever", "bm25") == "sidelight.retrieval.first_stage:Bm25Retriever"


def test_installed_packages_are_looked_through_once(site, monkeypatch):
    class Counted(DistributionFinder):
        searches = 0

        @classmethod
        def find_distributions(cls, context=None):
            cls.searches += 1
            return iter(())

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Counted])
    found = [names(kind) for kind in KINDS for _ in range(2)]
    assert any("nothing" in one for one in found)
    assert Counted.searches == 1


def test_a_name_that_two_packages_offer_is_refused(site):
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
def test_what_is_wrong_with_a_part_is_said(site, kind, name, says):
    with pytest.raises(UsageError, match=says):
        load(kind, name)


def test_the_form_of_a_part_is_shown_where_it_is_no_class(site):
    with pytest.raises(UsageError) as caught:
        load("role.write_questions", "other_parts:function")
    form = "`async def __call__(self, profile, angles, evidence)`"
    assert caught.value.remedy == f"Write a class with {form}: docs/extending.md has examples."


def test_a_package_that_a_part_needs_is_named(site):
    (site / "needing.py").write_text("import no_such_package\n", encoding="utf-8")
    with pytest.raises(MachineError, match="'no_such_package', which is not installed") as caught:
        load("retriever", "needing:Anything")
    assert caught.value.remedy == "Install it with: pip install no_such_package"


def test_a_change_of_somebodys_code_is_noticed_and_nothing_of_it_is_run(site, monkeypatch):
    monkeypatch.delitem(sys.modules, "other_parts", raising=False)
    files = {
        "mine.py": "import near\nraise AssertionError\n",
        "near.py": "from tools.words import split\n",
        "tools/words.py": "",
        "mine.prompt.md": "",
        "group/__init__.py": "",
        "group/deep/own.py": "",
        "folder/own.py": "",  # without __init__.py, as a folder of experiments is
        "folder/other.py": "",
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)

    def noticed(place):
        for name in ("other_parts.py", *files):
            before = code_of("retriever", place)
            (site / name).write_text((site / name).read_text() + "# changed\n")
            if code_of("retriever", place) != before:
                yield name

    assert next(noticed("nothing")) == "other_parts.py"
    assert list(noticed("mine:Own")) == ["mine.py", "near.py", "tools/words.py", "mine.prompt.md"]
    assert list(noticed("group.deep.own:Own")) == ["group/__init__.py", "group/deep/own.py"]
    assert list(noticed("folder.own:Own")) == ["folder/own.py"]
    assert code_of("retriever", "bm25") == ""
    with pytest.raises(UsageError, match="there is no module 'other_part'"):
        code_of("retriever", "other_part:Nothing")


PARTS = """
def shelf(queries):
    return {}[queries]

class Searches:
    name = "searches"

    def search(self, queries, k):
        return [shelf(one) for one in queries]

class Reads:
    name = "reads"

    def search(self, queries, k):
        return dict((one, one.text) for one in queries)
"""


def test_the_part_of_a_module_whose_call_failed_is_named(site):
    (site / "parts_of_one.py").write_text(PARTS)
    made = {one: load("retriever", f"parts_of_one:{one}")() for one in ("Searches", "Reads")}
    # A function beside the parts belongs to the one that called it.
    for name, at in (("Searches", "3 in shelf"), ("Reads", "15 in <genexpr>")):
        with pytest.raises((KeyError, AttributeError)) as raised:
            made[name].search(["q"], 1)
        found = registry.part_at_fault(raised.value)
        assert found == f"retriever 'parts_of_one:{name}' (parts_of_one.py:{at})"


CELLS = """
    WORDS, WEIGHTS = {"the", "of", "a"}, {"title": 1.5}

    def near(text):
        return [word for word in text.split() if word not in WORDS]

    class Base:
        depth = 7

    class Mine(Base):
        @staticmethod
        def gain(word):
            return len(word) * WEIGHTS["title"]

        @property
        def name(self):
            return "mine"

        def search(self, queries, k):
            found = {one.query_id: near(one.text) for one in queries}
            return {name: [w for w in words if w in {"p", "q"}] for name, words in found.items()}
"""
STABLE = """
import sys
from types import ModuleType
from sidelight.registry import code_of
sys.modules["cells"] = ModuleType("cells")
exec(compile(sys.argv[1], "cell", "exec"), vars(sys.modules["cells"]))
print(code_of("retriever", "cells:Mine"))
"""


def test_a_change_of_a_notebooks_code_is_noticed_and_nothing_else(monkeypatch):
    def code(cells):
        monkeypatch.setitem(sys.modules, "cells", ModuleType("cells"))
        exec(compile(cells, "cell", "exec"), vars(sys.modules["cells"]))
        return code_of("retriever", "cells:Mine")

    cells = dedent(CELLS)
    first = code(cells)
    for unused in ("# said\n", "text = word = queries = 7\n", "def unused(): ...\n"):
        assert code(unused + cells) == first
    for old, new in (
        ("len(word)", "1"),  # of a static method
        ('"mine"', '"yours"'),  # of a property
        ("depth = 7", "depth = 8"),  # of a base
        ('"q"}', '"r"}'),  # within a comprehension
        ("not in WORDS", "in WORDS"),  # of a function that is called
        ('"of", ', ""),
        ("1.5", "2.5"),
    ):
        assert old in cells
        assert code(cells.replace(old, new)) != first, old
    with pytest.raises(UsageError, match="has no Yours"):
        code_of("retriever", "cells:Yours")
    for seed in ("1", "2"):  # of the order of sets
        done = subprocess.run(
            [sys.executable, "-c", STABLE, cells],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == first


def test_a_part_gets_what_its_constructor_names_and_nothing_else_is_made():
    class Part:
        def __init__(self, words, *, depth=7, **others):
            self.given = words, depth, others

    def unwanted():
        raise AssertionError

    offered = {"words": lambda: 250, "index": unwanted}
    assert make("part", Part, offered).given == (250, 7, {})
    assert make("part", Part, {**offered, "depth": lambda: 9}).given == (250, 9, {})
    with pytest.raises(UsageError, match=r"part: .* asks for 'words'; .*did you mean word\?"):
        make("part", Part, {"word": lambda: 1})


@given(st.text(max_size=40))
@settings(deadline=None)
def test_no_name_makes_python_read_a_path(name):
    try:
        place = locate("retriever", name)
    except UsageError:
        return
    assert not {"/", "\\", " ", "-"} & set(place.partition(":")[0])
    assert place.count(":") == 1
    assert place.startswith("sidelight.") or registry._PLACE.fullmatch(place)


@pytest.mark.parametrize("kind", [kind for kind, one in KINDS.items() if one.protocol])
def test_sidelights_own_parts_have_what_their_protocol_asks_for(kind):
    for name in KINDS[kind].own:
        registry._check(name, locate(kind, name), load(kind, name), KINDS[kind].protocol)
