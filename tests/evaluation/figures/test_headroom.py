from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sidelight.errors import MachineError
from sidelight.evaluation.figures import draw_headroom
from sidelight.evaluation.scoring.score import TopicHeadroom

TOPICS = [
    TopicHeadroom(f"msmarco_v2.1_doc_{n}_77", 1 - n / 100, 0.6, ("r",), 0.3, 0.02)
    for n in range(30)
]


def draw(folder: Path, topics: list[TopicHeadroom]) -> tuple[bytes, bytes]:
    folder.mkdir()
    paths = [folder / "figure.svg", folder / "figure.png"]
    draw_headroom(topics, "Reports", paths)
    svg, png = (path.read_bytes() for path in paths)
    return svg, png


def test_the_same_topics_give_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg, png = draw(tmp_path / "first", TOPICS)
    assert (svg, png) == draw(tmp_path / "second", TOPICS)
    assert svg.startswith(b"<?xml")
    assert png.startswith(b"\x89PNG")


def test_topics_and_series_are_named(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg, _ = draw(tmp_path / "reports", TOPICS)
    # The SVG writer puts the text of each label in a comment; ids lose their common beginning.
    for name in ("29_77", "all runs combined", "best run", "mean over runs", "mean contradiction"):
        assert f"<!-- {name} -->".encode() in svg
    questions = [topic._replace(mean_contradiction=None) for topic in TOPICS]
    svg, _ = draw(tmp_path / "questions", questions)
    assert b"mean contradiction" not in svg


def test_ids_without_a_common_beginning(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    svg, _ = draw(tmp_path / "x", [TOPICS[0]._replace(topic_id=name) for name in ("7", "a_8")])
    assert b"<!-- a_8 -->" in svg
    assert b"<!-- topic -->" in svg


def test_without_matplotlib_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MachineError, match=r"sidelight\[plots\]"):
        draw_headroom(TOPICS, "Reports", [tmp_path / "x.png"])
