"""What the README and the documents say to type works."""

import ast
import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import traceback
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from ir_measures import AP, RR, Qrel, R, ScoredDoc, calc_aggregate, nDCG

import sidelight
from sidelight.errors import InputError, SidelightError, UsageError
from sidelight.sample import sample_path
from tests.helpers.commands import ROOT as COMMAND
from tests.helpers.commands import said, subcommands
from tests.helpers.indexes.small_corpus import write_shard
from tests.helpers.labels.plain_judge import PlainJudge

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_api_in_twenty_lines(mini_web_index, tmp_path, monkeypatch, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text(), re.DOTALL)
    assert len(list(filter(str.strip, code.splitlines()))) <= 20
    (tmp_path / "sidelight-demo").mkdir()
    (tmp_path / "sidelight-demo" / "index").symlink_to(mini_web_index.path)
    (tmp_path / "sidelight" / "sample").mkdir(parents=True)
    (tmp_path / "sidelight" / "sample" / "data").symlink_to(sample_path())
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "api.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    questions, rest = lines[:10], lines[10:]
    sentences = [line for line in rest if "msmarco_v2.1_doc_" in line]
    scores = [line.split() for line in rest[len(sentences) :]]
    assert [line.split()[0] for line in questions] == [str(rank) for rank in range(1, 11)]
    assert all(line.endswith("?") for line in questions)
    assert len(sentences) > 3
    assert {tag for tag, _ in scores} == {"lantern-t2", "quillmark-t2"}
    assert all(0 <= float(score) <= 1 for _, score in scores)


def test_the_notebook_is_what_its_cells_print(mini_web_index, tmp_path, monkeypatch):
    path = ROOT / "docs" / "notebook.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    (tmp_path / "sidelight-demo").mkdir()
    (tmp_path / "sidelight-demo" / "index").symlink_to(mini_web_index.path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    cells = [one for one in notebook["cells"] if one["cell_type"] == "code"]
    for number, cell in enumerate(cells, start=1):
        tree = ast.parse("".join(cell["source"]))
        shown = ast.Expression(tree.body.pop().value)  # every cell ends in what it shows
        exec(compile(tree, path.name, "exec"), names)
        said = repr(eval(compile(shown, path.name, "eval"), names))
        data = {"text/plain": said.splitlines(keepends=True)}
        output = {"data": data, "execution_count": number, "metadata": {}}
        made = {**cell, "execution_count": number}
        made["outputs"] = [{**output, "output_type": "execute_result"}]
        if os.environ.get("SIDELIGHT_UPDATE_GOLDEN") == "1":
            cell.update(made)
        assert cell == made
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# The recipes of extending.md are carried out; one of them adds a command.
CALLED = [path for path in DOCUMENTS if path.name != "extending.md"]


@pytest.mark.parametrize("document", CALLED, ids=lambda path: path.name)
def test_commands_and_options_exist(document):
    for block in re.findall(r"```(?:sh|bash)\n(.*?)```", document.read_text(), re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["sidelight"]:
                _check(COMMAND, words[1:])


def _check(command, words):
    known = {"-h", "--help"}
    for word in words:
        names = subcommands(command)
        if (name := word.split("|")[0]) in names:
            command = names[name]
        elif word.startswith("-"):
            known |= {option for parameter in command.params for option in parameter.opts}
            assert word.split("=")[0] in known, f"{command.name}: {word}"


def test_a_notebook_searches_runs_scores_judges_and_ablates(  # noqa: PLR0915 - one notebook
    mini_web_index, tmp_path
):
    index, data = mini_web_index.path, sample_path()
    hits = sidelight.search({"7": "peat extraction limits"}, index, k=3, retriever="bm25")
    assert list(hits.to_frame()["rank"]) == [1, 2, 3]
    first = hits[0]["segment_id"]
    assert (len(hits), [row["rank"] for row in hits]) == (3, [1, 2, 3])
    assert repr(hits).startswith(f"<3 hits>\n7:\n  1 {hits[0]['score']:.4f} {first} ")
    assert hits[0]["title"][:60] in repr(hits)
    asked = pd.DataFrame({"qid": ["7"], "query": ["peat extraction limits"]})
    assert sidelight.search(asked, index, k=3, retriever="bm25") == hits
    many = sidelight.search(["limits", "peat"], index, k=12, retriever="bm25")
    assert repr(many).splitlines()[-1] == f"... and {len(many) - 20} more"
    # Tools put ties in an order of their own.
    assert all(one["score"] > other["score"] for one, other in pairwise(many) if other["rank"] > 1)
    for queries, found in ((" ", "' '"), (7, "7"), (hits, "{'query_id'"), ({"7": None}, "None")):
        with pytest.raises(UsageError, match=f"expected words to search for; found {found}"):
            sidelight.search(queries, index)

    # The only relevant segment is the first hit, in whatever form run and labels come.
    (tmp_path / "qrels.txt").write_text(f"7 0 {first} 1\n")
    labels = hits.to_frame()[:1].rename(columns={"score": "relevance"}).assign(relevance=1)
    for run in (hits, hits.to_run(), {"mine": hits.to_frame()}):
        for qrels in (tmp_path / "qrels.txt", {"7": {first: 1}}, labels):
            scored = sidelight.score(run, qrels, ["RR"])
            assert scored.to_frame()["RR"].tolist() == [1.0]
    assert "mine: RR 1" in repr(scored)
    for wrong, found in (
        (labels, "expected a column called score"),
        (hits.to_frame().assign(score="x" * 999), "expected numbers as score; found 'xxx"),
        ({"7": {first: float("nan")}}, "query 7: expected numbers as score; found nan"),
        ([*range(999)], r"records of ir_measures; found \[0, 1"),
        ([], r"records of ir_measures; found \[\]"),
    ):
        with pytest.raises(InputError, match=found) as error:
            sidelight.score(wrong, {"7": {first: 1}})
        assert len(error.value.message.partition("found ")[2]) <= 80
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in files:
        path.write_text(f"7 Q0 {first} 1 2.0 x\n" + "8 Q0 x 1 2.0 x\n" * (path.stem == "b"))
    with pytest.warns(UserWarning, match=r"a: no results for 1 query \(counted as 0\): 8"):
        scored = sidelight.score([str(path) for path in files], {"7": {first: 1}, "8": {"x": 1}})
    assert [one.run_tag for one in scored.runs] == ["a", "b"]

    lines = (data / "topics.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "topics.jsonl").write_text(lines[0])

    async def in_a_kernel():  # of notebooks, where an event loop runs already
        topics, made = tmp_path / "topics.jsonl", tmp_path / "run"
        summary = sidelight.run(topics, index, made, settings=["retrieval.k=5"])
        judged = sidelight.judge(made, index, data / "human_rubrics", examples=data)
        assert judged.manifest.example_run_tags
        return summary, judged

    made, judged = asyncio.run(in_a_kernel())
    assert repr(made) == f"<run in {tmp_path / 'run'}: 1 topic done, 0 failed>"
    assert (made.to_frame()["task"] == "task1").sum() == 10
    frame = judged.to_frame().set_index("measure")
    assert frame["task"]["question_score"] == "task1"
    assert frame["task"]["supportive_score"] == "task2"
    assert not frame[["run", "topic", "judge"]].isna().any(axis=None)
    assert "  task1: question_score " in repr(judged)
    assert "  task2: supportive_score " in repr(judged)

    retrievers = {name: {"retrieval.retriever": name} for name in ("bm25", "rm3")}
    (tmp_path / "queries.tsv").write_text("7\tpeat extraction limits\n")
    grid = {"dimensions": {"k": retrievers}, "measures": "RR", "hits": 5}
    found = sidelight.ablate(
        grid,
        tmp_path / "grid",
        index,
        queries=tmp_path / "queries.tsv",
        qrels=tmp_path / "qrels.txt",
        samples=100,
    )
    assert (tmp_path / "grid" / "means.csv").read_text().startswith("arm,")
    assert "5 hits a query" in (tmp_path / "grid" / "experiment.json").read_text()
    # Of the base there is a mean and no difference.
    frame = found.to_frame()
    assert [*frame["arm"]] == ["bm25", "rm3"]
    assert [*frame["difference"].isna()] == [True, len(found.effects[0].means) == 1]
    assert ["bm25", "1.0000"] in [line.split() for line in repr(found).splitlines()]
    # Queries and labels in whatever form they come.
    asked = {"7": "peat extraction limits"}
    frame = labels.rename(columns={"query_id": "qid"})[["qid"]].assign(query=[*asked.values()])
    for number, (queries, qrels) in enumerate(((asked, {"7": {first: 1}}), (frame, labels))):
        folder = tmp_path / f"grid{number}"
        again = sidelight.ablate(grid, folder, index, queries=queries, qrels=qrels, samples=100)
        assert again.effects[0].means == found.effects[0].means
        assert "RR: judged by the labels given" in repr(again)
    with pytest.raises(InputError, match="expected labels of the queries; found none"):
        sidelight.ablate(
            grid, tmp_path / "none", index, queries={"8": "peat"}, qrels={"7": {first: 1}}
        )


def test_the_name_of_a_file_is_not_searched_for(mini_web_index, tmp_path):
    search = partial(sidelight.search, index=mini_web_index.path, k=3, retriever="bm25")
    path = tmp_path / "my queries.tsv"
    path.write_text("7\tpeat extraction limits\n")
    for given in (path, str(path)):
        assert search(given) == search({"7": "peat extraction limits"})
    with pytest.raises(InputError, match=r"query\.tsv: no such file"):
        search("query.tsv")
    path.write_text("peat extraction limits\n")
    with pytest.raises(InputError, match="expected an id, a tab and the text of the query"):
        search(str(path))
    assert search("what queries.tsv holds on peat")


def test_what_ir_measures_uses_is_taken(mini_web_index, tmp_path):
    docs = [ScoredDoc("1", "b", 2.0), ScoredDoc("1", "a", 1.0), ScoredDoc("2", "c", 1.0)]
    judged = [Qrel("1", "a", 1), Qrel("2", "c", 2)]
    frames = pd.DataFrame(docs), pd.DataFrame(judged)
    # nDCG(gains) writes commas and no spaces; people write both.
    measures = [nDCG @ 10, AP(rel=2), nDCG(gains={0: 0, 1: 5, 2: 1}) @ 5, R(rel=2) @ 5]
    theirs = calc_aggregate(measures, judged, docs)
    for run, qrels in (
        (docs, judged),
        (iter(docs), iter(judged)),
        ({"mine": docs}, judged),
        frames,
    ):
        scored = sidelight.score(run, qrels, measures)
        assert scored.runs[0].row == pytest.approx({str(k): v for k, v in theirs.items()})
    assert [*sidelight.score(docs, judged, nDCG @ 10).runs[0].row] == ["nDCG@10"]
    named = "AP(rel=2, judged_only=True), nDCG(gains={0: 0, 1: 5})@5"
    assert len(sidelight.score(docs, judged, named).measures) == 2
    for wrong, found in ((judged, "a column called score; found 'query_id"), ([7], "found \\[7")):
        with pytest.raises(InputError, match=found):
            sidelight.score(wrong, judged)
    grid = {"dimensions": {"k": {"bm25": {"retrieval.retriever": "bm25"}}}, "hits": 5}
    hits = sidelight.search("peat extraction limits", mini_web_index.path).to_frame()
    judged = [Qrel("1", hits["segment_id"][0], 1), Qrel("2", "c", 2)]
    ablated = sidelight.ablate(
        grid | {"measures": [RR, nDCG @ 10]},
        tmp_path / "grid",
        mini_web_index.path,
        queries={"1": "peat extraction limits", "2": "rural enterprise"},
        qrels=iter(judged),
    )
    assert {*ablated.to_frame()["measure"]} == {"RR", "nDCG@10"}


def test_runs_are_compared_as_by_the_command(tmp_path):
    qrels = {str(number): {"a": 1} for number in range(12)}
    first = {name: {"a": 2.0, "b": 1.0} for name in qrels}
    second = {name: {"a": 1.0, "b": 2.0} for name in qrels}
    runs = {"first": first, "second": second}
    found = sidelight.compare(sidelight.score(runs, qrels, [RR, nDCG @ 10]))
    (row,) = found.to_frame().to_dict("records")
    assert (row["first"], row["second"], row["difference"], row["won"]) == (
        "first",
        "second",
        0.5,
        12,
    )
    for told in (
        "first - second",
        "RR on 12 topics; 10000 samples, seed 0",
        "Holm: corrected for 1",
    ):
        assert told in repr(found)
    path = tmp_path / "retrieval_per_topic_results.csv"
    sidelight.score(runs, qrels, "RR").to_frame().rename(
        columns={"run": "run_tag", "topic": "topic_id"}
    ).to_csv(path, index=False)
    command = ("score", "compare", path, "--baseline", "second", "--samples", 200, "--seed", 3)
    lines = path.read_text().splitlines()
    for name in runs:  # a file for each run
        own = [lines[0], *(line for line in lines[1:] if line.startswith(name))]
        (tmp_path / f"{name}.csv").write_text("\n".join(own))
    files = [tmp_path / f"{name}.csv" for name in runs]
    scored = sidelight.score(runs, qrels, [R @ 1, RR])
    for given in ((scored, RR), (str(path),), (path, "RR"), (files,)):
        again = sidelight.compare(*given, baseline="second", samples=200, seed=3)
        assert again.document | {"files": []} == json.loads(said(*command, "--json"))
    with pytest.raises(UsageError, match=r"or files of scores per topic; found \{'first'"):
        sidelight.compare(runs)
    with pytest.raises(UsageError, match="the scores has no measure speed"):
        sidelight.compare(sidelight.score(runs, qrels, "RR"), measure="speed")


CELL = """
from sidelight.plugins import Hit, ranked

class Mine:
    name = "mine"

    def __init__(self, docstore):
        self.ids = sorted(one.segment_id for one in docstore)[:5]

    def search(self, queries, k):
        return {one.query_id: ranked([Hit(name, 1.0) for name in self.ids]) for one in queries}
"""


def test_a_class_that_a_notebook_defines_anew_reuses_no_results(
    mini_web_index, tmp_path, monkeypatch
):
    def run_cell(text):
        monkeypatch.setitem(sys.modules, "cells", ModuleType("cells"))
        exec(text, vars(sys.modules["cells"]))

    chosen = {"retrieval.retriever": "cells:Mine"}
    grid = {"dimensions": {"k": {"mine": chosen}}, "measures": "R@5", "hits": 5}
    index, topics = mini_web_index.path, sidelight.read_topics(sample_path() / "topics.jsonl")[:1]

    def search():
        qrels = {"1": dict.fromkeys([min(one.segment_id for one in mini_web_index.docstore)], 1)}
        found = sidelight.ablate(grid, tmp_path / "grid", index, queries={"1": "x"}, qrels=qrels)
        return found.effects[0].means["mine"].mean

    def run():
        settings = ["retrieval.retriever=cells:Mine", "investigation.max_rounds=1"]
        return sidelight.run(topics, index, tmp_path / "run", settings=settings)

    run_cell(CELL)
    assert (search(), len(run().done)) == (1.0, 1)
    mine = sys.modules["cells"].Mine
    assert sidelight.search("x", index, k=5, retriever=mine)[0]["score"] == 1.0
    chosen["retrieval.retriever"] = mine  # the class, in place of its name
    run_cell(f"# The same once more.\n{CELL}")
    assert (search(), len(run().done)) == (1.0, 0)
    run_cell(CELL.replace("[:5]", "[5:9]"))
    for work in (search, run):
        with pytest.raises(UsageError, match="other code of retriever cells:Mine"):
            work()
    monkeypatch.setattr(sys.modules["__main__"], "Judge", PlainJudge, raising=False)
    with pytest.raises(
        UsageError, match="that another process, which judges, can import; found __"
    ):
        sidelight.ablate(
            grid,
            tmp_path / "judged",
            index,
            topics=topics,
            rubrics=sample_path() / "human_rubrics",
            judge="__main__:Judge",
        )


def test_an_index_is_built_from_a_script_without_a_main_guard(small_corpus, tmp_path):
    some = write_shard(tmp_path / "some.jsonl", small_corpus[:20])
    rest = write_shard(tmp_path / "rest.jsonl", small_corpus[20:])
    code = f"""
        import sidelight
        index = sidelight.build_index(["{some}", "{rest}"], "index", profile="none")
        print(index)
        print(sidelight.build_index("{some}", "half", profile="none"))
        print(sidelight.search("bakery study", index.path, k=1).rows[0]["rank"])
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(code))
    command, environment = [sys.executable, "script.py"], os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    shown = ["<index in index: 40 segments, without vectors>"]
    shown += ["<index in half: 20 segments, without vectors>", "1"]
    assert (done.stdout.splitlines(), done.stderr) == (shown, "")
    for segments, says in (
        ([], "expected files of segments"),
        (str(tmp_path), "found a folder"),
        (tmp_path / "none", "found none"),
    ):
        with pytest.raises(SidelightError, match=says):
            sidelight.build_index(segments, tmp_path / "other")
    with pytest.raises(SidelightError, match="expected a profile of vectors") as caught:
        sidelight.build_index(some, tmp_path / "other", profile="x")
    shown = "".join(traceback.format_exception(caught.value))
    assert "no running event loop" not in shown


def test_paths_may_be_text(mini_web_index, tmp_path):
    data = str(sample_path())
    (tmp_path / "c.yaml").write_text("retrieval: {k: 7}\n")
    assert sidelight.load_settings(str(tmp_path / "c.yaml")).retrieval.k == 7
    assert len(sidelight.open_index(str(mini_web_index.path)).docstore) > 9
    assert sidelight.read_topics(f"{data}/topics.jsonl")
    runs = f"{data}/runs"
    assert sidelight.read_question_run(f"{runs}/question_generation_runs/lantern-t1").questions
    assert sidelight.read_report_run(f"{runs}/report_generation_runs/lantern-t2").reports
    assert sidelight.people_report_scores(sidelight.load_track(), data).runs


def test_errors_of_functions_name_parameters(mini_web_index, tmp_path):
    """Where a command would name an option; commands that are to be typed stay as they are."""
    topics, prompted = sample_path() / "topics.jsonl", "roles.write_report=prompted"
    model = "models.writer.name=tiny"
    for settings, says in (
        (["k"], "`settings` 'k': expected key"),
        (["submission.run_id=x"], 'settings=["submission.team_id=TEAM", "submission.run_id='),
        ([prompted], 'settings=["models.writer.name=NAME"], or take'),
        ([prompted, model], "Give one with `base_url` http://HOST:PORT/v1, or"),
        (["models.rubric=1"], "sidelight judge RUN --rubrics DIR"),
    ):
        with pytest.raises(SidelightError) as error:
            sidelight.run(topics, mini_web_index.path, tmp_path / "run", settings=settings)
        assert says in str(error.value)
    with pytest.raises(SidelightError, match=r"^`measures`: expected at least one"):
        sidelight.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, "")


def test_a_script_without_a_main_guard_compares_judged_runs(mini_web_index, tmp_path):
    code = f"""
        import sidelight
        data = "{sample_path()}"
        fast = {{"investigation.max_rounds": 1, "retrieval.retriever": "bm25", "retrieval.k": 5}}
        print(sidelight.ablate(
            {{"dimensions": {{"k": {{"five": fast}}}}}},
            "out",
            "{mini_web_index.path}",
            topics=sidelight.read_topics(data + "/topics.jsonl")[:1],
            rubrics=data + "/human_rubrics",
            judge="tests.helpers.labels.plain_judge:PlainJudge",
        ))
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(code))
    command, environment = [sys.executable, "script.py"], os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "BrokenProcessPool" not in done.stderr
    assert "question_score" in done.stdout
