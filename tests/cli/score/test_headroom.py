from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.commands import said
from tests.helpers.labels.toy import HAVE, rubric, write_rubrics

pytest.importorskip("matplotlib")


headroom = partial(said, "score", "headroom")


@pytest.fixture
def rubrics(tmp_path: Path) -> Path:
    return write_rubrics(tmp_path / "rubrics", rubric("a", (HAVE, 2)))


def test_reports(tmp_path: Path, rubrics: Path) -> None:
    labels = tmp_path / "a.csv"
    labels.write_text(
        "topic_id,run_tag,answer_id,annotation\na,r,na-1,supports\na,s,na-2,partial\n"
    )
    common = ("task2", "--rubrics", rubrics, "--assessments", labels, "-o", tmp_path / "out")
    shown = headroom(*common)
    # r 1 / 2, s 0.5 / 2, together 1.5 / 2; mean 0.375
    for figure in ("0.7500", "0.5000", "0.3750", "labels: human"):
        assert figure in shown
    stem = "human_report_generation_headroom"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"{stem}.csv",
        f"{stem}.tex",
        f"{stem}.svg",
        f"{stem}.png",
    }
    (topic,) = json.loads(headroom(*common, "--json"))["topics"]
    assert topic["best_runs"] == ["r"]
    assert (tmp_path / "out" / f"{stem}.csv").read_text() == (
        "topic_id,ceiling,best,best_runs,mean,mean_contradiction\na,0.75,0.5,r,0.375,0.0\n"
    )
