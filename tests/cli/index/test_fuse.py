from __future__ import annotations

from pathlib import Path

from sidelight.formats.runs.trec_run import read_trec_run
from tests.helpers.commands import said


def test_runs_are_fused_by_rank(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 Q0 x 1 9 a\n1 Q0 y 2 8 a\n2 Q0 z 1 7 a\n")
    (tmp_path / "b.txt").write_text("1 Q0 y 1 0.3 b\n1 Q0 w 2 0.2 b\n")
    fused = tmp_path / "fused.txt"
    shown = said("fuse", tmp_path / "a.txt", tmp_path / "b.txt", "-o", fused, "--k", 2)
    assert shown == f"Fused 2 runs over 2 queries into {fused}\n"
    found = read_trec_run(fused)
    # y: 1/62 + 1/61, x: 1/61, w: 1/62, which is the third
    assert [hit.segment_id for hit in found["1"]] == ["y", "x"]
    assert abs(found["1"][0].score - (1 / 62 + 1 / 61)) < 1e-6
    assert [hit.segment_id for hit in found["2"]] == ["z"]
