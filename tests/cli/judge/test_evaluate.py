"""Self-evaluation: what may judge, that figures are those of `judge` and `score`, and its cost."""

import csv
import shlex

import pytest

from sidelight.cli.judge import evaluation_shown
from sidelight.config.load import load_settings
from sidelight.errors import BudgetExhaustedError, InputError, UsageError
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.runs.directory import RunDirectory
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.commands import told
from tests.helpers.models.fault_server import FaultServer
from tests.helpers.prompted_runs import SHORT, files, run, write_inputs

SCALES = load_track().scales

SAMPLE = sample_path()
PLAINLY = ("--set", "roles.default=extractive", "--set", "models.writer=null")
JUDGED = ("--judge", "prompted", "--judge-model", "critic")


@pytest.fixture(scope="module")
def inputs(mini_web_index, tmp_path_factory):
    options = write_inputs(tmp_path_factory.mktemp("inputs"), 1)
    return (*options, *SHORT, "--index", mini_web_index.path)


@pytest.fixture(scope="module")
def plain_run(inputs, tmp_path_factory):
    """A run without a model on one topic."""
    out = tmp_path_factory.mktemp("plain") / "run"
    run(*inputs, *PLAINLY, "--output", out)
    return out


def funnel(folder):
    with (folder / "funnel.csv").open() as stream:
        return list(csv.DictReader(stream))


def test_the_figures_are_those_of_judge_and_score(plain_run, rubrics, mini_web_index, tmp_path):
    given = ("--rubrics", rubrics, "--words-only")
    scores, apart = tmp_path / "scores", tmp_path / "apart"
    shown = told("evaluate", plain_run, "--index", mini_web_index.path, *given, "-o", scores)
    for task, name in (("task1", "task1.tsv"), ("task2", "task2.jsonl")):
        told("judge", plain_run / name, "--task", task, *given, "-o", apart)
    made = {path.name: path.read_bytes() for path in apart.iterdir()}
    assert {name: (scores / name).read_bytes() for name in made} == made
    common = ("--rubrics", rubrics, "-o", apart, "--assessments")
    labels, compound = apart / "auto_question_assessments.csv", "auto_compound_question_check.csv"
    told("score", "task1", *common, labels, "--compound", apart / compound)
    (reports,) = told("score", "task2", *common, apart / "auto_report_assessments.csv")["runs"]
    for name in ("question", "report"):
        for per in ("run", "topic"):
            result = f"auto_{name}_generation_per_{per}_results.csv"
            assert (scores / result).read_bytes() == (apart / result).read_bytes()
    retrieved, selected, written, judged = (total["credit"] for total in shown["funnel"])
    assert judged == pytest.approx(reports["supportive_score"])
    assert 1 >= retrieved >= selected > 0
    assert written >= judged
    # Without examples, questions and answers are labelled by other means.
    assert shown["judge"].startswith("embedded 8 (words only, weights ")
    rows = funnel(scores)
    said, table, *_ = evaluation_shown(shown, load_track())
    assert f"questions {shown['task1']['score']:.4f}, reports {judged:.4f} supportive, " in said
    for stage, (name, share, _, _) in zip(shown["funnel"], table.rows, strict=True):
        credit = sum(float(row["weight"]) * float(row[name] or 0) for row in rows)
        assert credit == pytest.approx(stage["credit"])
        assert share == f"{credit:.4f}"
    assert sum(float(row["weight"]) for row in rows) == pytest.approx(1)
    assert all(row["lost_at"] or row["judged"] == "1.0" for row in rows)
    assert sorted(path.name for path in plain_run.iterdir() if path.name == "scores") == []


@pytest.mark.slow
def test_generation_never_reads_the_rubrics(inputs, rubrics, server, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a rubric was read by the process that generates")

    monkeypatch.setattr("sidelight.formats.banks.rubrics.read_bytes", refuse)
    out = tmp_path / "run"
    given = (*inputs, *PLAINLY, *JUDGED, "--base-url", server.base_url, "--output", out)
    shown = run(*given, "--rubrics", rubrics)["evaluation"]
    assert (shown["rubrics"], shown["n_topics"]) == ("given", 1)
    assert shown["judge"].startswith("prompted")
    assert len(funnel(out / "scores")) == len(
        (out / "scores" / "auto_report_assessments.csv").read_text().splitlines()[1:]
    )
    assert "rubric" not in (out / "config.yaml").read_text().replace("draft_rubric", "")


def test_a_run_is_judged_by_what_it_drafted_and_pays_once(inputs, mini_web_index, tmp_path):
    out = tmp_path / "run"
    drafting = ("--set", "roles.default=extractive", "--set", "roles.draft_rubric=prompted")
    with FaultServer() as server:
        made = (*inputs, *drafting, "--base-url", server.base_url, "--output", out)
        undisturbed = run(*made)
        assert "evaluation" not in undisturbed
        before = files(out)
        n_calls = server.stats().calls
        given = ("evaluate", out, "--index", mini_web_index.path, *JUDGED)
        estimate = told(*given, "--estimate")
        assert server.stats().calls == n_calls
        with pytest.raises(BudgetExhaustedError):
            told(*given, "--base-url", server.base_url, "--max-calls", 20)
        shown = run(*made, *JUDGED)["evaluation"]
        stats = server.stats()
        assert stats.answered_twice() == {}
        # Repaired replies come on top.
        assert estimate["calls"] <= stats.calls - n_calls <= 2 * estimate["calls"]
        assert told(*given, "--base-url", server.base_url) == shown
        assert server.stats().calls == stats.calls
    # Judging changes nothing of the run itself.
    assert {name: files(out)[name] for name in before} == before
    (result,) = (RunDirectory(out).result(path.stem) for path in (out / "traces").iterdir())
    (rubric,) = read_rubrics(out / "scores" / "rubrics", SCALES).values()
    assert shown["rubrics"] == "drafted"
    assert [(one.text, one.weight) for one in rubric.questions] == [
        (angle.question, angle.weight) for angle in result.trace.rubric or ()
    ]
    assert len(funnel(out / "scores")) == len(rubric.questions)
    with pytest.raises(UsageError, match="rubrics that the run drafted"):
        told(*given, "--rubrics", SAMPLE / "human_rubrics", "--offline")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--judge", "prompted", "--judge-model", "tiny"), "would judge itself"),
        (("--judge", "prompted"), "needs a model"),
        ((*PLAINLY, "--judge", "embedded"), "drafts none.*--rubrics"),
        (("--rubrics", SAMPLE / "human_rubrics"), "no judge.*--judge embedded"),
        ((*JUDGED, "--rubrics", "nowhere"), "nowhere"),
        (("--judge", "oracle"), "oracle"),
    ],
    ids=["self-judging", "model", "rubrics", "judge", "folder", "name"],
)
def test_what_judging_lacks_is_said_before_generation(options, message, inputs, tmp_path):
    with pytest.raises((UsageError, InputError), match=f"(?s){message}"):
        run(*inputs, *options, "--output", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_writer_may_judge_itself_when_told_so(inputs, tmp_path):
    given = (*inputs, "--judge", "prompted", "--judge-model", "tiny", "--allow-self-judging")
    assert run(*given, "--estimate", "--output", tmp_path / "run")["total"]["calls"] > 0


def test_another_index_or_an_unfinished_run_is_refused(
    plain_run, rubrics, small_index, mini_web_index, tmp_path
):
    given = ("--index", small_index.path, "--rubrics", rubrics, "--words-only")
    with pytest.raises(InputError, match="another index"):
        told("evaluate", plain_run, *given)
    with pytest.raises(InputError, match="expected a finished run"):
        told("evaluate", tmp_path, *given)
    with pytest.raises(
        InputError, match=r"(?s)expected a finished run.*`view`, `judge` and.*organizer keep"
    ):
        told("evaluate", plain_run / "task2.jsonl", *given)
    with pytest.raises(UsageError, match=r"(?s)drafts none.*--rubrics.*score support") as caught:
        told("evaluate", plain_run, "--index", tmp_path / "nowhere")  # before it is opened
    # What it names works, without rubrics.
    words = shlex.split(caught.value.remedy.partition(": sidelight ")[2])
    named = {"RUN": plain_run / "task2.jsonl", "INDEX": mini_web_index.path}
    assert told(*(named.get(word, word) for word in words))["runs"]
    judge = ("judge", plain_run / "task2.jsonl", "--task", "task2", "-o", tmp_path)
    with pytest.raises(UsageError, match=r"(?s)expected --rubrics.*score support"):
        told(*judge)


def test_the_judge_is_no_part_of_what_makes_a_run():
    judged = load_settings(None, ["models.judge.name=critic"])
    assert judged.fingerprint() == load_settings(None).fingerprint()
    assert judged.models.judge is not None
