import ast
from importlib import import_module
from pathlib import Path

import orjson
import pytest

from benchmarks.__main__ import main, names_of
from benchmarks.bench_unseen import scores
from benchmarks.data import NO_DATA, VARIABLE, shared_data
from benchmarks.interleaved import Comparison
from benchmarks.record import Figure
from benchmarks.unseen import lay_out, read_webs

FAILS = "raise SystemExit('out of order')"
LACKS_DATA = f"print('data not found: /nowhere/cranfield')\nraise SystemExit({NO_DATA})"
WRITES = """
import json, pathlib
figures = [{"name": "words read", "value": 7.25, "unit": "ms"}]
pathlib.Path("benchmarks/results/writes.json").write_text(json.dumps({"figures": figures}))
"""


REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    """A checkout with three stand-ins for benchmarks, and a figure of an earlier day."""
    results = tmp_path / "benchmarks" / "results"
    results.mkdir(parents=True)
    (tmp_path / "benchmarks" / "__init__.py").touch()
    for name, source in {"fails": FAILS, "lacks_data": LACKS_DATA, "writes": WRITES}.items():
        (tmp_path / "benchmarks" / f"bench_{name}.py").write_text(source)
    earlier = [Figure("words read", 9.5, "ms"), Figure("words written", 3, "ms")]
    (results / "writes.json").write_bytes(
        orjson.dumps({"figures": [figure._asdict() for figure in earlier]})
    )
    return tmp_path


def test_no_benchmark_stops_the_others_and_one_table_says_what_came_of_all(root, capfd):
    assert main(root, []) == 1
    printed = capfd.readouterr().out
    table, *_ = printed[printed.index("benchmark  ") :].split("fails:")
    assert [line.split() for line in table.strip().splitlines()] == [
        ["benchmark", "figure", "today", "last", "unit"],
        ["writes", "words", "read", "7.25", "9.5", "ms"],
        ["writes", "words", "written", "-", "3", "ms"],
    ]
    assert "fails: failed with exit status 1: out of order" in printed
    assert "lacks_data: data not found: /nowhere/cranfield" in printed
    assert main(root, ["lacks_data"]) == 0  # data that is not there is no failure


def test_data_is_found_by_the_variable_or_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (tmp_path / "rag-2024").mkdir()
    assert shared_data("rag-2024") == tmp_path
    with pytest.raises(SystemExit) as caught:
        shared_data("rag-2024", "cranfield")
    assert caught.value.code == NO_DATA
    assert str(tmp_path / "cranfield") in capsys.readouterr().out


def test_a_ratio_is_that_of_the_best_rounds():
    assert Comparison("search", ours=[2.0, 4.0], peer=[3.0, 9.0]).ratio() == pytest.approx(1.5)


@pytest.mark.parametrize("name", names_of(REPOSITORY))
def test_every_benchmark_finds_what_it_takes_from_this_repository(name):
    source = (REPOSITORY / "benchmarks" / f"bench_{name}.py").read_text(encoding="utf-8")
    ours = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if node.module.partition(".")[0] in {"benchmarks", "sidelight", "tests"}
    ]
    for module, taken in ours:
        found = import_module(module)
        assert hasattr(found, taken) or import_module(f"{module}.{taken}")


@pytest.mark.slow
def test_the_benchmark_of_webs_tells_how_far_it_is(tmp_path, capsys):
    webs = read_webs("development")[:1]
    lay_out(webs, tmp_path)
    (figures,) = scores(tmp_path, [], {web.topic_id: web.name for web in webs}).values()
    assert {"questions", "supportive_score"} <= figures.keys()
    steps = ["building an index of 1 webs", f"{webs[0].name}: done", "judging Task 1"]
    assert [line for line in capsys.readouterr().err.splitlines() if line in steps] == steps
