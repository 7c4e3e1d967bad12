"""The shipped weights are what training on the public labels gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.learned.ordinal_model import WEIGHTS_FOLDER, about_model
from sidelight_research.training import TOPICS, TOPICS_AND_RUNS, shipped_figures, train_answers

MODELS = ("answers", "answers-words", "support", "support-words")
MOST_BYTES = 300_000


@pytest.mark.parametrize("name", MODELS)
def test_weights_say_where_they_come_from(name: str) -> None:
    about = about_model(name)
    assert all(len(digest) == 64 for digest in about["data"].values())
    assert about["labels by people"] > 5_000
    assert {TOPICS, TOPICS_AND_RUNS} <= set(shipped_figures(name))


def test_all_that_is_shipped_is_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS_FOLDER.iterdir()) < MOST_BYTES


def test_the_answer_model_agrees_with_people() -> None:
    shipped = shipped_figures("answers")
    assert (shipped[TOPICS].kappa or 0) >= 0.50
    assert (shipped[TOPICS_AND_RUNS].kappa or 0) >= 0.45


@pytest.mark.slow
def test_training_again_gives_the_shipped_figures(shared_data: Path) -> None:
    trained = train_answers(shared_data / "rag-2024" / "nugget-assignments.jsonl.gz", None)
    for held_out, found in trained.figures.items():
        shipped = trained.shipped[held_out]
        assert found.n == shipped.n
        assert found.kappa == pytest.approx(shipped.kappa, abs=0.01)
        assert found.accuracy == pytest.approx(shipped.accuracy, abs=0.01)
        assert found.tau == pytest.approx(shipped.tau, abs=0.01)
