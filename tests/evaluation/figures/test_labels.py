from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sidelight.evaluation.agreement.labels import CategoryAgreement
from sidelight.evaluation.figures import draw_confusion, draw_label_shares, short_name

pytest.importorskip("matplotlib")

Draw = Callable[[CategoryAgreement, tuple[str, str], Sequence[Path]], None]

SIDES = ("people.csv", "judge.csv")
# 4 supports (3 kept, 1 none), 6 none (1 supports, 5 kept), no contradicts.
FOUND = CategoryAgreement.of(
    [("supports", "supports")] * 3
    + [("supports", "none"), ("none", "supports")]
    + [("none", "none")] * 5,
    ["supports", "contradicts", "none"],
)


def texts(draw: Draw, found: CategoryAgreement, path: Path) -> str:
    draw(found, SIDES, [path])
    ET.parse(path)
    return path.read_text()


def test_the_matrix_shows_counts_and_shares_of_rows(tmp_path: Path) -> None:
    svg = texts(draw_confusion, FOUND, tmp_path / "f.svg")
    # supports: 3 of 4 and 1 of 4; none: 1 of 6 and 5 of 6
    for text in ("75.0%", "25.0%", "16.7%", "83.3%", "n = 4", "n = 6", *SIDES):
        assert f"<!-- {text} -->" in svg


def test_shares_and_what_the_second_side_gives_too_often(tmp_path: Path) -> None:
    found = CategoryAgreement.of(
        [("none", "none")] * 4 + [("none", "supports")] * 5 + [("supports", "supports")],
        ["supports", "none"],
    )
    svg = texts(draw_label_shares, found, tmp_path / "f.svg")
    # supports 1 against 6 of 10, none 9 against 4
    for text in ("10.0", "60.0", "90.0", "40.0", "+50.0 (×6.00)", "-50.0 (×0.44)", *SIDES):
        assert f"<!-- {text} -->" in svg


def test_a_label_the_first_side_never_gives_has_no_ratio(tmp_path: Path) -> None:
    assert FOUND.share_ratios == {"supports": 1, "contradicts": None, "none": 1}
    assert "<!-- +0.0 -->" in texts(draw_label_shares, FOUND, tmp_path / "f.svg")


@pytest.mark.parametrize("draw", [draw_confusion, draw_label_shares])
def test_the_same_labels_give_the_same_bytes(tmp_path: Path, draw: Draw) -> None:
    paths = [tmp_path / name for name in ("a.svg", "a.png", "b.svg", "b.png")]
    draw(FOUND, SIDES, paths[:2])
    draw(FOUND, SIDES, paths[2:])
    svg, png, svg_again, png_again = (path.read_bytes() for path in paths)
    assert (svg, png) == (svg_again, png_again)


def test_a_long_name_keeps_both_ends() -> None:
    assert short_name("people.csv") == "people.csv"
    name = short_name("human/" + "x" * 50 + "/labels.csv")
    assert len(name) == 49
    assert name.startswith("human/")
    assert name.endswith("/labels.csv")
