from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.labels.qrels import read_qrels, write_qrels
from tests.helpers.commands import said
from tests.helpers.public_data import PublicData

vote = partial(said, "agree", "vote")


def test_the_majority_is_written_with_what_each_said(tmp_path: Path) -> None:
    for name, lines in {"a": "1 0 x 3\n1 0 y 0\n", "b": "1 0 x 3\n", "c": "1 0 x 1\n"}.items():
        (tmp_path / name).write_text(lines)
    out = tmp_path / "out"
    shown = vote(tmp_path / "a", tmp_path / "b", tmp_path / "c", "-o", out)
    assert (out / "majority.qrels").read_text() == "1 0 x 3\n"
    assert (
        out / "votes.csv"
    ).read_text() == "query,segment,majority,a,b,c\n1,x,3,3,3,1\n1,y,,0,,\n"
    assert "1 passage that 2 judges grade alike" in shown
    assert "1 that too few judges graded" in shown
    with pytest.raises(UsageError, match="two files have one name"):
        vote(tmp_path / "a", tmp_path / "a", "-o", out)


def test_an_id_with_white_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write 'a b'"):
        write_qrels(tmp_path / "q", {"1": {"a b": 0}})


def test_three_public_models(shared_data: PublicData, tmp_path: Path) -> None:
    judges = sorted((shared_data / "rag-2025" / "umbrela-2026").iterdir())
    found = json.loads(vote(*judges, "-o", tmp_path, "--json"))
    assert found["agreeing"] == {"3": 6888, "2": 16753, "1": 2700}
    assert found["undecided"] == 0
    labels = read_qrels(tmp_path / "majority.qrels")
    assert sum(map(len, labels.values())) == found["passages"] == 26341
    calibrated = (*judges, "-o", tmp_path / "calibrated", "--reference", judges[0], "--json")
    assert json.loads(vote(*calibrated))["passages"] == 26341
