from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.commands import said
from tests.helpers.labels.toy import HAVE, rubric, write_rubrics

PAIR = "topic_id,rubric_question_rank,run_tag,run_question_rank,annotation\n"
VERDICT = (
    "topic_id,run_tag,run_question_rank,run_question_text,"
    "auto_compound_question_assessment,auto_assessment_rationale\n"
)
diff = partial(said, "score", "diff")


@pytest.fixture
def rubrics(tmp_path: Path) -> Path:
    return write_rubrics(tmp_path / "rubrics", rubric("a", (HAVE, 5)))


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text("topic_id,run_tag,answer_id,annotation\na,r,na-1,supports\n")
    return path


def test_gaps_and_what_either_side_does(rubrics: Path, labels: Path) -> None:
    shown = diff("task2", "--rubrics", rubrics, "--assessments", labels)
    # 1 of 1 against 1 of 5
    assert "1.0000" in shown
    assert "0.2000" in shown
    assert "rows-missing (na-2, na-3, na-4 and 1 more)" in shown
    assert "script divides by the rows that are present; sidelight takes a missing" in shown
    found = json.loads(diff("task2", "--rubrics", rubrics, "--assessments", labels, "--json"))
    assert found["stops"] == []
    assert found["gaps"][0]["causes"][0]["ids"] == ["na-2", "na-3", "na-4", "na-5"]


def test_stops(rubrics: Path, labels: Path) -> None:
    labels.write_text(labels.read_text().replace("na-1", "na-9"))
    shown = diff("task2", "--rubrics", rubrics, "--assessments", labels)
    assert "a.csv:2: [id-unknown]" in shown
    assert "The organizers' script stops there and gives no score." in shown
    assert "sidelight gives no score" in shown


def test_nothing_to_explain(tmp_path: Path, rubrics: Path) -> None:
    pairs, verdicts = tmp_path / "p.csv", tmp_path / "c.csv"
    pairs.write_text(PAIR + "a,1,r,1,similar\n")
    verdicts.write_text(VERDICT + "a,r,1,Who?,not-compound,x\n")
    common = ("task1", "--rubrics", rubrics, "--assessments", pairs, "--compound", verdicts)
    assert diff(*common) == "no difference\n"
