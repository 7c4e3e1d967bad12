from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InputError, InvalidFileError, UsageError
from sidelight.evaluation.scoring.compare import PairedComparison, compare_runs, topic_values
from sidelight.evaluation.scoring.table import read_topic_scores
from tests.helpers.labels.toy import write_csv

HEADER = "run_tag,topic_id,supportive_score,contradictory_score"
ROWS = (
    ("x", "a", 0.5, 0.0),
    ("x", "b", 0.5, 0.0),
    ("x", "c", 1.0, 0.25),
    ("y", "a", 0.25, 0.5),
    ("y", "b", 0.5, 0.0),
    ("y", "c", 0.0, 0.0),
    ("z", "a", 1.0, 0.0),
    ("z", "b", 1.0, 0.0),
    ("z", "c", 1.0, 0.0),
)


def compare(
    path: Path, *rows: tuple[object, ...], measure: str | None = None, baseline: str | None = None
) -> list[PairedComparison]:
    file = write_csv(path / "t.csv", HEADER, *rows)
    scores = topic_values(read_topic_scores(file), measure, file)
    return compare_runs(scores, baseline=baseline, samples=1000, seed=0)


def test_a_pair_by_hand(tmp_path: Path) -> None:
    (pair,) = compare(tmp_path, *ROWS[:6])
    assert (pair.first, pair.second) == ("x", "y")
    # differences 0.25, 0, 1: mean 1.25 / 3; sums of 0.25 and 1 with signs: 1.25, 0.75 and mirrored
    assert pair.difference == pytest.approx(1.25 / 3)
    assert pair.p_value == 0.5
    assert pair.p_holm == 0.5
    assert (pair.won, pair.lost, pair.tied) == (2, 0, 1)
    # three topics: from the least to the largest mean of three draws
    assert pair.interval == pytest.approx((0, 1))
    # no difference on three topics gives a p below 2 / 2^3
    assert pair.detectable is None


def test_all_pairs_put_the_better_run_first(tmp_path: Path) -> None:
    pairs = compare(tmp_path, *ROWS)
    assert [(pair.first, pair.second) for pair in pairs] == [("z", "x"), ("z", "y"), ("x", "y")]
    assert all(pair.difference > 0 for pair in pairs)
    # z - x: 0.5, 0.5, 0: p 2 / 4; z - y: 0.75, 0.5, 1: p 2 / 8, times 3
    assert [pair.p_value for pair in pairs] == [0.5, 0.25, 0.5]
    assert [pair.p_holm for pair in pairs] == [1.0, 0.75, 1.0]


def test_lower_wins_where_lower_is_better(tmp_path: Path) -> None:
    pairs = compare(tmp_path, *ROWS, measure="contradictory_score", baseline="y")
    assert [(pair.first, pair.second) for pair in pairs] == [("z", "y"), ("x", "y")]
    # x - y: -0.5, 0, 0.25
    assert pairs[1].difference == pytest.approx(-0.25 / 3)
    assert (pairs[1].won, pairs[1].lost, pairs[1].tied) == (1, 1, 1)


def test_two_topics_have_no_interval(tmp_path: Path) -> None:
    (pair,) = compare(tmp_path, *(row for row in ROWS[:6] if row[1] != "c"))
    assert pair.interval is None
    assert pair.detectable is None


def test_a_topic_that_a_run_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run y has no score for topic c"):
        compare(tmp_path, *ROWS[:5])


def test_other_files_and_measures_are_refused(tmp_path: Path) -> None:
    per_run = write_csv(tmp_path / "r.csv", "run_tag,score", ("x", 0.5))
    with pytest.raises(InvalidFileError, match="csv-columns"):
        read_topic_scores(per_run)
    with pytest.raises(UsageError, match="it has supportive_score, contradictory_score"):
        compare(tmp_path, *ROWS, measure="score")
    with pytest.raises(UsageError, match="no run q"):
        compare(tmp_path, *ROWS, baseline="q")
    with pytest.raises(InputError, match="two runs"):
        compare(tmp_path, *ROWS[:3])
