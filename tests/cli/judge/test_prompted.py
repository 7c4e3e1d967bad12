import pytest

from sidelight.errors import InputError, OfflineError, UsageError
from sidelight.formats.runs.question_list import read_question_run
from sidelight.sample import sample_path
from tests.helpers.commands import call, said, told
from tests.helpers.kills import kill_and_go_on
from tests.helpers.models.fault_server import FaultServer

SAMPLE = sample_path()
RUN = SAMPLE / "runs" / "question_generation_runs" / "tidepool-t1"
REPORT = SAMPLE / "runs" / "report_generation_runs" / "tidepool-t2"
TOPICS = SAMPLE / "topics.jsonl"
EXAMPLES = ("--examples", SAMPLE, *("--example-run", "lantern-t1", "--example-run", "lantern-t2"))


def arguments(run, task, rubrics, *more):
    fixed = ("judge", run, "--task", task, "--rubrics", rubrics, "--judge", "prompted")
    return [*map(str, (*fixed, "--topics", TOPICS, *more))]


def judge(*given):
    return told(*arguments(*given))


def files(folder):
    """The files of a folder but for hidden ones, which a kill leaves half written."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.startswith(".")
    }


# 10 compound verdicts, and 8 x 10 pairs one by one, by rubric question, or all at once
@pytest.mark.parametrize(("mode", "n_calls"), [("pairwise", 90), ("listwise", 18), ("grid", 11)])
def test_runs_are_estimated_judged_replayed_and_scored(mode, n_calls, rubrics, server, tmp_path):
    asked = ("--model", "tiny", "--mode", mode, *EXAMPLES, "--cache", tmp_path / "cache")
    online = (*asked, "--base-url", server.base_url)
    made, again = tmp_path / "made", tmp_path / "again"
    before = server.stats().calls
    estimate = judge(RUN, "task1", rubrics, *asked, "-o", made, "--estimate")
    assert estimate["calls"] == n_calls
    assert estimate["completion_tokens"] == 100 * n_calls + 25 * 90
    two = judge(RUN, "task1", rubrics, *asked, "-o", made, "--estimate", "--model", "other")
    assert two["calls"] == 2 * n_calls
    assert two["prompt_tokens"] == pytest.approx(2 * estimate["prompt_tokens"], abs=1)
    shown = said(*arguments(RUN, "task1", rubrics, *asked, "-o", made, "--estimate"))
    assert f"{n_calls} calls" in shown
    assert "characters / 4" in shown
    assert not made.exists()
    assert server.stats().calls == before
    manifest = judge(RUN, "task1", rubrics, *online, "-o", made)
    # A repaired reply is one more call.
    assert n_calls <= server.stats().calls - before <= 2 * n_calls
    judge(REPORT, "task2", rubrics, *online, "-o", made)
    calls = server.stats().calls
    assert manifest["judge"] == "prompted"
    assert manifest["instrument"]["mode"] == mode
    assert manifest["instrument"]["models"] == ["tiny"]
    assert manifest["example_run_tags"] == ["lantern-t1", "lantern-t2"]
    scored = told(
        *("score", "task1", "--rubrics", rubrics),
        *("--assessments", made / "auto_question_assessments.csv"),
        *("--compound", made / "auto_compound_question_check.csv"),
    )
    assert scored["judge"] == f"prompted {manifest['version']}"
    judge(RUN, "task1", rubrics, *asked, "--offline", "-o", again)
    judge(REPORT, "task2", rubrics, *asked, "--offline", "-o", again)
    assert files(again) == files(made)
    assert server.stats().calls == calls
    with pytest.raises(OfflineError):
        judge(REPORT, "task2", rubrics, *asked, "--model", "huge", "--offline", "-o", tmp_path)


def test_a_faulty_server_costs_verdicts_but_no_run(rubrics, tmp_path):
    # Half of all requests fail: of those with a repair turn a quarter stays without a verdict.
    with FaultServer(faults=0.5, seed=3, kinds=("prose", "refusal", "truncated")) as server:
        where = ("--base-url", server.base_url, "-o", tmp_path)
        manifest = judge(RUN, "task1", rubrics, "--model", "tiny", *where)
    assert 0 < manifest["n_unjudged"]["task1"] < 45
    rows = (tmp_path / "auto_question_assessments.csv").read_text().splitlines()
    assert len(rows) == 1 + 80
    # Not one verdict is the model's failure, and said so.
    with FaultServer(faults=1.0, kinds=("refusal",)) as server:
        where = ("--base-url", server.base_url, "-o", tmp_path / "lost")
        lost = call(*arguments(RUN, "task1", rubrics, "--model", "tiny", *where), code=3)
    assert "some verdicts are missing: the same command asks" in lost.stderr


def test_wrong_usage(rubrics, tmp_path):
    given = (RUN, "task1", rubrics, "-o", tmp_path)
    with pytest.raises(UsageError, match="the judge prompted needs a model"):
        judge(*given)
    where = ("--task", "task1", "--rubrics", rubrics, "-o", tmp_path)
    with pytest.raises(UsageError, match="--judge prompted"):
        said("judge", RUN, *where, "--judge", "embedded", "--estimate")
    with pytest.raises(UsageError, match="names a model twice"):
        judge(*given, "--model", "tiny", "--model", "tiny")
    with pytest.raises(UsageError, match="no address is known"):
        judge(*given, "--model", "tiny")
    topics = tmp_path / "topics.jsonl"
    topics.write_text(TOPICS.read_text().splitlines()[-1] + "\n")
    prompted = ("--judge", "prompted", "--model", "tiny", "--topics", topics)
    with pytest.raises(InputError, match="expected the article of each rubric"):
        said("judge", RUN, *where, *prompted)
    with pytest.raises(UsageError, match="seen labels of lantern-t1"):
        judge(
            *(RUN.with_name("lantern-t1"), "task1", rubrics, "-o", tmp_path, *EXAMPLES),
            *("--model", "tiny", "--offline"),
        )


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_a_killed_judge_loses_no_verdict_and_repeats_none(kills, rubrics, server, tmp_path):
    given = (RUN, "task1", rubrics, "--model", "tiny")
    judge(*given, "--base-url", server.base_url, "-o", tmp_path / "undisturbed")
    undisturbed = files(tmp_path / "undisturbed")
    without = sorted({one.topic_id for one in read_question_run(RUN).questions})[1:]

    def check(out):
        assert files(out) == undisturbed

    kill_and_go_on(
        kills,
        lambda out: arguments(*given, "-o", out),
        tmp_path,
        n_calls=90,
        says=f"warning: run {RUN.name}: no rubric for {', '.join(without)}, not judged\n"
        "judged without examples: no folder of labelled runs was named (--examples)\n",
        check=check,
    )
