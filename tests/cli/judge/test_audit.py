import json
from functools import partial

import pytest

from sidelight.errors import UsageError
from sidelight.evaluation.audit.text_attacks import ATTACKS
from sidelight.sample import sample_path
from tests.helpers.commands import said, told
from tests.helpers.models.fault_server import FaultServer

SAMPLE = sample_path()
ATTACKED = [attack.name for attack in ATTACKS if attack.name != "pasted"]
REPORTS = SAMPLE / "runs" / "report_generation_runs" / "tidepool-t2"
QUESTIONS = SAMPLE / "runs" / "question_generation_runs" / "tidepool-t1"


audit = partial(said, "audit")


@pytest.mark.parametrize(
    ("run", "task", "probes"),
    [
        (REPORTS, "task2", ["order", "length", "author", "instruction", *ATTACKED]),
        (QUESTIONS, "task1", ["order", "author", "instruction"]),
    ],
)
def test_the_embedded_judge(run, task, probes, rubrics, tmp_path):
    given = (run, "--task", task, "--rubrics", rubrics, "--words-only", "-o", tmp_path / "out")
    found = told("audit", *given)
    assert found["judge"].startswith("embedded 8 (words only")
    assert found["not_tried"] == (["pasted"] if task == "task2" else [])
    assert [probe["probe"] for probe in found["probes"]] == probes
    holds = {probe["probe"]: probe["holds"] for probe in found["probes"]}
    # By words alone, swapped names and attacks that no rule was written for get through.
    assert {name for name in probes if not holds[name]} <= {"names", "spoiled, held out"}
    assert all(
        one["verdict"].startswith("holds: " if one["holds"] else "FAILS: ")
        for one in found["probes"]
    )


def test_a_prompted_judge_without_a_mind_is_caught_and_replayed(rubrics, tmp_path):
    given = (REPORTS, "--task", "task2", "--rubrics", rubrics, "-o", tmp_path / "out", "--json")
    given += ("--judge", "prompted", "--model", "tiny", "--topics", SAMPLE / "topics.jsonl")
    with FaultServer() as server:
        found = json.loads(audit(*given, "--base-url", server.base_url))
        n_calls = server.stats().calls
        # The judge is shown no tag and no team, but a byline; so each probe is a call of its own.
        # The answers take three reports, and so does every attack that changes each of them.
        assert 5 + 2 * len(ATTACKS) < n_calls <= 5 + 3 * (len(ATTACKS) + 1)
        assert json.loads(audit(*given, "--offline")) == found
        assert server.stats().calls == n_calls
    # Its labels depend on nothing but the bytes of the request.
    assert "FAILS" in " ".join(probe["verdict"] for probe in found["probes"])


def test_options_of_the_judge_that_was_not_chosen_are_refused(rubrics, tmp_path):
    given = (REPORTS, "--task", "task2", "--rubrics", rubrics, "-o", tmp_path)
    with pytest.raises(UsageError, match="--judge prompted"):
        audit(*given, "--model", "tiny")
    with pytest.raises(UsageError, match="--example-run"):
        audit(*given, "--example-run", "lantern-t2")
