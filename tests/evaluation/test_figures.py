"""Figures: what is drawn, and the same bytes for the same figures."""

import sys
from xml.etree import ElementTree as ET

import pytest

from sidelight import errors
from sidelight.errors import MachineError
from sidelight.evaluation import figures
from sidelight.evaluation.agreement.labels import CategoryAgreement
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.scoring.score import TopicHeadroom
from sidelight.evaluation.scoring.table import TopicScore

pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"
SIDES = ("people.csv", "judge.csv")


def comparison(first, second):
    sides = [
        [TopicScore(f"run$_{place}$", "t", {"score": value}) for place, value in enumerate(values)]
        for values in (first, second)
    ]
    return compare_scores(sides[0], sides[1], "score", n_samples=100)


def draw(path, found):
    figures.draw_run_means(found, SIDES, [path])
    return ET.parse(path).getroot()


def group(root, name):
    return root.find(f".//{SVG}g[@id='{name}']")


@pytest.mark.parametrize("n_runs", [3, 12, 30])
def test_every_run_has_a_point_and_few_have_names(tmp_path, n_runs):
    scores = [place / n_runs for place in range(n_runs)]
    root = draw(tmp_path / "f.svg", comparison(scores, scores[::-1]))
    runs = group(root, "runs")
    points = {(use.get("x"), use.get("y")) for use in runs.iter(f"{SVG}use")}
    assert len(points) == n_runs
    assert group(root, "trend") is not None
    # The SVG writer puts each text in a comment; a `$` of a run tag is no mathematics.
    text = (tmp_path / "f.svg").read_text()
    assert ("<!-- run$_2$ -->" in text) == (n_runs <= 12)
    assert "Kendall's τ-b -1.000" in text
    assert ("95% interval -1.000 to -1.000" in text) == (n_runs >= 5)
    assert f"{n_runs} runs, means over 1 topic" in text


def test_points_stand_where_the_scores_say_and_topics_behind(tmp_path):
    root = draw(tmp_path / "f.svg", comparison([0.1, 0.2, 0.4], [0.6, 0.9, 0.3]))
    runs = group(root, "runs")
    x, y = ([float(use.get(name, "")) for use in runs.iter(f"{SVG}use")] for name in ("x", "y"))
    assert (x[2] - x[1]) / (x[1] - x[0]) == pytest.approx(2, rel=1e-3)
    # SVG counts downwards.
    assert (y[1] - y[0]) / (y[2] - y[0]) == pytest.approx(-1, rel=1e-3)
    assert y[1] < y[0]
    root = draw(tmp_path / "f.svg", comparison([0.5, 0.5, 0.5], [0.1, 0.2, 0.2]))
    assert group(root, "trend") is None
    assert "Kendall's τ-b undefined" in (tmp_path / "f.svg").read_text()

    def side(values):
        return [
            TopicScore(run, topic, {"score": value})
            for run, both in values.items()
            for topic, value in zip("tu", both, strict=True)
        ]

    first = side({"a": (0.0, 0.2), "b": (0.4, 0.6), "c": (0.6, 1.0)})
    second = side({"a": (0.1, 0.1), "b": (0.7, 0.3), "c": (0.5, 0.9)})
    found = compare_scores(first, second, "score", n_samples=100)
    assert found.scores[1] == ((0.1, 0.1), (0.7, 0.3), (0.5, 0.9))
    figures.draw_topic_cloud(found, SIDES, [tmp_path / "f.svg"])
    root = ET.parse(tmp_path / "f.svg").getroot()
    counts = {}
    for name in ("topics", "runs", "identity"):
        drawn = group(root, name)
        counts[name] = len(list(drawn.iter(f"{SVG}use")))
    assert counts == {"topics": 6, "runs": 3, "identity": 0}
    text = (tmp_path / "f.svg").read_text()
    assert "Kendall's τ-b: means of runs 1.000, mean of topics 0.667, all pairs" in text


# 4 supports (3 kept, 1 none), 6 none (1 supports, 5 kept), no contradicts.
FOUND = CategoryAgreement.of(
    [("supports", "supports")] * 3
    + [("supports", "none"), ("none", "supports")]
    + [("none", "none")] * 5,
    ["supports", "contradicts", "none"],
)


def texts(draw, found, path):
    draw(found, SIDES, [path])
    ET.parse(path)
    return path.read_text()


def test_labels_are_drawn_with_counts_and_shares(tmp_path):
    svg = texts(figures.draw_confusion, FOUND, tmp_path / "f.svg")
    # supports: 3 of 4 and 1 of 4; none: 1 of 6 and 5 of 6
    for text in ("75.0%", "25.0%", "16.7%", "83.3%", "n = 4", "n = 6", *SIDES):
        assert f"<!-- {text} -->" in svg
    found = CategoryAgreement.of(
        [("none", "none")] * 4 + [("none", "supports")] * 5 + [("supports", "supports")],
        ["supports", "none"],
    )
    svg = texts(figures.draw_label_shares, found, tmp_path / "f.svg")
    # supports 1 against 6 of 10, none 9 against 4
    for text in ("10.0", "60.0", "90.0", "40.0", "+50.0 (×6.00)", "-50.0 (×0.44)", *SIDES):
        assert f"<!-- {text} -->" in svg
    assert FOUND.share_ratios == {"supports": 1, "contradicts": None, "none": 1}
    assert "<!-- +0.0 -->" in texts(figures.draw_label_shares, FOUND, tmp_path / "f.svg")


def test_a_long_name_keeps_both_ends_and_without_matplotlib_the_remedy_is_named(
    tmp_path, monkeypatch
):
    assert figures.short_name("people.csv") == "people.csv"
    name = figures.short_name("human/" + "x" * 50 + "/labels.csv")
    assert len(name) == 49
    assert name.startswith("human/")
    assert name.endswith("/labels.csv")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for place, hint in (
        (errors.__file__, r"-e '\.\[plots\]'"),
        (tmp_path, r" 'sidelight\[plots\]'"),
    ):
        monkeypatch.setattr(errors, "__file__", str(place))  # in a clone, and in site-packages
        with pytest.raises(MachineError, match=hint):
            figures.draw_headroom(TOPICS, "Reports", [tmp_path / "x.png"])


TOPICS = [
    TopicHeadroom(f"msmarco_v2.1_doc_{n}_77", 1 - n / 100, 0.6, ("r",), 0.3, 0.02)
    for n in range(30)
]


def test_the_same_figures_give_the_same_bytes(tmp_path):
    svg, png, svg_again, png_again = paths = [
        tmp_path / name for name in ("a.svg", "a.png", "b.svg", "b.png")
    ]
    for given in (paths[:2], paths[2:]):
        figures.draw_run_means(comparison([0.1, 0.2, 0.4], [0.6, 0.9, 0.3]), SIDES, given)
    assert svg.read_bytes() == svg_again.read_bytes()
    assert png.read_bytes() == png_again.read_bytes()
    assert svg.read_bytes().startswith(b"<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")


def test_topics_and_series_are_named(tmp_path):
    def drawn(topics):
        figures.draw_headroom(topics, "Reports", [tmp_path / "f.svg"])
        return (tmp_path / "f.svg").read_text()

    # The SVG writer puts the text of each label in a comment; ids lose their common beginning.
    for name in ("29_77", "all runs combined", "best run", "mean over runs", "mean contradiction"):
        assert f"<!-- {name} -->" in drawn(TOPICS)
    assert "mean contradiction" not in drawn(
        [one._replace(mean_contradiction=None) for one in TOPICS]
    )
    without = drawn([TOPICS[0]._replace(topic_id=name) for name in ("7", "a_8")])
    assert "<!-- a_8 -->" in without
    assert "<!-- topic -->" in without
