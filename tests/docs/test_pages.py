"""What pages of the documentation say is true: paths, imports, tables, figures and output."""

import re
from pathlib import Path

import pytest

from sidelight.formats.labels.qrels import read_qrels
from sidelight_research.published import targets
from tests.docs.test_site import DOCS, filled
from tests.helpers.commands import said
from tests.helpers.package import ROOT, imports, modules


def page(name):
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


# docs/architecture.md: its paths exist, and imports go the way it says.
PATHS = sorted(
    {
        span
        for span in re.findall(r"`([^`\s]+)`", page("architecture"))
        if "/" in span.rstrip("/") or span.endswith(("/", ".py"))
    }
)
DIRECTIONS = [
    [re.split(r", *", side.replace("/", ".")) for side in line.split(" <- ")]
    for block in re.findall(r"^```text\n(.*?)^```", page("architecture"), re.DOTALL | re.MULTILINE)
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


def test_every_path_named_exists():
    assert len(PATHS) > 50
    places = (ROOT, ROOT / "sidelight")
    assert [path for path in PATHS if not any((one / path).exists() for one in places)] == []


@pytest.mark.parametrize("sides", DIRECTIONS, ids=str)
def test_imports_go_the_way_that_the_page_says(sides):
    assert len(sides) > 1
    for place, left in enumerate(sides[:-1]):
        for right in sides[place + 1 :]:
            assert _imports(left, right) == []
        assert _imports(sides[place + 1], left), f"{sides[place + 1]} imports nothing of {left}"


# docs/reproduction.md: every target of `sidelight reproduce`, and the source of each file.
ROW = re.compile(r"^\| `([\w-]+)` \| (\d+): .* \| (sidelight|the source) \| (.*) \|$", re.MULTILINE)


def test_every_target_is_listed_with_its_figures_and_what_it_needs():
    listed = {name: rest for name, *rest in ROW.findall(page("reproduction"))}
    assert [*listed] == [*targets()]
    for name, (count, printed_by, needs) in listed.items():
        target = targets()[name]
        assert int(count) == len(target.printed), name
        assert printed_by == ("sidelight" if target.ours else "the source"), name
        assert needs == ", ".join(f"`{file}`" for file in target.needs)


def test_the_source_of_each_file_is_that_of_the_command():
    needed = dict.fromkeys(one for target in targets().values() for one in target.needs.items())
    rows = "\n".join(f"| `{file}` | {source} |" for file, source in needed)
    linked = re.sub(r"https://[^, ]+", r"<\g<0>>", rows)
    filled("reproduction.md", "| file | published at |\n|---|---|\n", linked, until="\n\n")


# docs/results.md: its tables are whole, and figures of a results file are those of the file.
TABLES = [
    table.splitlines() for table in re.findall(r"^(?:\|.*\n)+", page("results"), re.MULTILINE)
]
NUMBER = re.compile(r"(?<![\w.])(?:[0-9][0-9,]*)?(?:\.[0-9]+|[0-9])")


def cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]


def numbers(text):
    return [one.replace(",", "") for one in NUMBER.findall(re.sub("`[^`]*`", "", text))]


MEASURED = [
    pytest.param(figure, DOCS / file, id=f"{Path(file).stem}: {figure}")
    for table in TABLES
    for what, figure, *_, by in map(cells, table[2:])
    for file in re.findall(r"^\[[\w ]+\]\((\.\./benchmarks/results/[^)]+)\)", by)
]


def test_every_row_has_a_cell_for_each_column():
    for table in TABLES:
        assert {len(cells(row)) for row in table} == {len(cells(table[0]))}, table[2]
        assert all(cells(row)[-1] for row in table), table[2]


@pytest.mark.parametrize(("figure", "file"), MEASURED)
def test_a_figure_is_that_of_the_file_that_the_row_names(figure, file):
    found = [float(one) for one in numbers(file.read_text(encoding="utf-8"))]
    for number in numbers(figure):
        decimals = len(number.partition(".")[2])
        assert any(abs(one - float(number)) <= 0.51 * 10**-decimals for one in found), number
    assert numbers(figure)


def test_most_results_are_on_the_page():
    assert len(MEASURED) > 20


# docs/rubric.md: its example is what the commands print.
BLOCK = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
SESSIONS = re.findall(r"^\$ sidelight (.*)\n((?:.*\n)*?)^```", page("rubric"), re.MULTILINE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, content in BLOCK.findall(page("rubric")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "output"), SESSIONS)
def test_output_is_what_the_command_prints(arguments, output):
    assert said(*arguments.split()) == output


def test_labels_are_those_of_the_page(folder):
    assert len(SESSIONS) > 4
    for at_least, labels in ((1, [5, 4, 3]), (2, [4, 0, 0])):
        said("rubric", "qrels", "graded.jsonl", "-o", "x", "--at-least", at_least)
        assert list(read_qrels(folder / "x")["peat"].values()) == labels
