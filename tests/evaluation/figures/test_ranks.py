from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sidelight.evaluation.agreement.ranks import ScoreComparison, compare_scores
from sidelight.evaluation.figures import draw_run_means, draw_topic_cloud
from sidelight.evaluation.scoring.table import TopicScore

pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"


def comparison(first: list[float], second: list[float]) -> ScoreComparison:
    sides = [
        [TopicScore(f"run$_{place}$", "t", {"score": value}) for place, value in enumerate(values)]
        for values in (first, second)
    ]
    return compare_scores(sides[0], sides[1], "score", n_samples=100)


def draw(path: Path, found: ScoreComparison) -> ET.Element:
    draw_run_means(found, ("people.csv", "judge.csv"), [path])
    return ET.parse(path).getroot()


def group(root: ET.Element, name: str) -> ET.Element | None:
    return root.find(f".//{SVG}g[@id='{name}']")


@pytest.mark.parametrize("n_runs", [3, 12, 30])
def test_every_run_has_a_point_and_few_have_names(tmp_path: Path, n_runs: int) -> None:
    scores = [place / n_runs for place in range(n_runs)]
    root = draw(tmp_path / "f.svg", comparison(scores, scores[::-1]))
    runs = group(root, "runs")
    assert runs is not None
    points = {(use.get("x"), use.get("y")) for use in runs.iter(f"{SVG}use")}
    assert len(points) == n_runs
    assert group(root, "trend") is not None
    # The SVG writer puts each text in a comment; a `$` of a run tag is no mathematics.
    text = (tmp_path / "f.svg").read_text()
    assert ("<!-- run$_2$ -->" in text) == (n_runs <= 12)
    assert "Kendall's τ-b -1.000" in text
    assert ("95% interval -1.000 to -1.000" in text) == (n_runs >= 5)
    assert f"{n_runs} runs, means over 1 topic" in text


def test_points_stand_where_the_scores_say(tmp_path: Path) -> None:
    root = draw(tmp_path / "f.svg", comparison([0.1, 0.2, 0.4], [0.6, 0.9, 0.3]))
    runs = group(root, "runs")
    assert runs is not None
    x, y = ([float(use.get(name, "")) for use in runs.iter(f"{SVG}use")] for name in ("x", "y"))
    assert (x[2] - x[1]) / (x[1] - x[0]) == pytest.approx(2, rel=1e-3)
    # SVG counts downwards.
    assert (y[1] - y[0]) / (y[2] - y[0]) == pytest.approx(-1, rel=1e-3)
    assert y[1] < y[0]


def test_equal_runs_have_no_trend_and_no_tau(tmp_path: Path) -> None:
    root = draw(tmp_path / "f.svg", comparison([0.5, 0.5, 0.5], [0.1, 0.2, 0.2]))
    assert group(root, "trend") is None
    assert "Kendall's τ-b undefined" in (tmp_path / "f.svg").read_text()


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    found = comparison([0.1, 0.2, 0.4], [0.6, 0.9, 0.3])
    paths = [tmp_path / name for name in ("a.svg", "a.png", "b.svg", "b.png")]
    for pair in (paths[:2], paths[2:]):
        draw_run_means(found, ("people.csv", "judge.csv"), pair)
    svg, png, svg_again, png_again = (path.read_bytes() for path in paths)
    assert (svg, png) == (svg_again, png_again)
    assert png.startswith(b"\x89PNG")


def test_topics_stand_behind_the_means(tmp_path: Path) -> None:
    def side(values: dict[str, tuple[float, float]]) -> list[TopicScore]:
        return [
            TopicScore(run, topic, {"score": value})
            for run, both in values.items()
            for topic, value in zip("tu", both, strict=True)
        ]

    first = side({"a": (0.0, 0.2), "b": (0.4, 0.6), "c": (0.6, 1.0)})
    second = side({"a": (0.1, 0.1), "b": (0.7, 0.3), "c": (0.5, 0.9)})
    found = compare_scores(first, second, "score", n_samples=100)
    assert found.scores[1] == ((0.1, 0.1), (0.7, 0.3), (0.5, 0.9))
    draw_topic_cloud(found, ("people.csv", "judge.csv"), [tmp_path / "f.svg"])
    root = ET.parse(tmp_path / "f.svg").getroot()
    counts = {}
    for name in ("topics", "runs", "identity"):
        drawn = group(root, name)
        assert drawn is not None
        counts[name] = len(list(drawn.iter(f"{SVG}use")))
    assert counts == {"topics": 6, "runs": 3, "identity": 0}
    text = (tmp_path / "f.svg").read_text()
    assert "Kendall's τ-b: means of runs 1.000, mean of topics 0.667, all pairs" in text
