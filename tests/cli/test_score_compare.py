from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import UsageError


def compare(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["score", "compare", *map(str, arguments)])
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.fixture
def per_topic(tmp_path: Path) -> Path:
    path = tmp_path / "per_topic.csv"
    path.write_text(
        "run_tag,topic_id,score,unjudged\n"
        "x,a,0.5,0\nx,b,0.5,0\nx,c,1.0,0\ny,a,0.25,0\ny,b,0.5,0\ny,c,0.0,0.5\n"
    )
    return path


def test_a_table_says_what_its_figures_are(per_topic: Path) -> None:
    shown = compare(per_topic, "--samples", 200, "--seed", 3)
    # differences 0.25, 0, 1
    assert "x - y" in shown
    assert "+0.4167" in shown
    assert "[0.0000, 1.0000]" in shown
    assert "note: score on 3 topics; 200 samples, seed 3" in shown
    assert "corrected for 1 pairs" in shown


def test_json_has_the_same(per_topic: Path) -> None:
    found = json.loads(compare(per_topic, "--measure", "unjudged", "--baseline", "x", "--json"))
    assert found["measure"] == "unjudged"
    assert found["n_topics"] == 3
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"]) == ("y", "x")
    # y has more unjudged, which is worse
    assert (pair["won"], pair["lost"], pair["tied"]) == (0, 1, 2)
    assert pair["p_value"] == 1.0
    assert pair["interval"] == {"low": 0.0, "high": 0.5}


def test_two_topics_show_no_interval(per_topic: Path) -> None:
    lines = [line for line in per_topic.read_text().splitlines() if ",c," not in line]
    per_topic.write_text("\n".join(lines) + "\n")
    assert "[" not in compare(per_topic)


def test_an_unknown_measure_is_wrong_usage(per_topic: Path) -> None:
    with pytest.raises(UsageError, match="no measure speed"):
        compare(per_topic, "--measure", "speed")
