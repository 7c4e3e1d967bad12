from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.scoring.measures import score_judged_support, score_nuggets
from sidelight.evaluation.scoring.table import ScoreTable
from sidelight.formats.banks.nuggets import read_nugget_assignments, write_nugget_assignments
from sidelight.formats.labels.assessments import read_sentences
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from sidelight_research.published import targets
from tests.helpers.public_data import PublicData

SCALES = load_track("rag2025").scales


def line(run: str, topic: str, *labels: str, text: str = "fact") -> bytes:
    nuggets = [
        {"text": f"{text} {place}", "importance": "vital", "assignment": label}
        for place, label in enumerate(labels)
    ]
    content = {"qid": topic, "query": "why?", "run_id": run, "answer_text": "Two words."}
    return orjson.dumps({**content, "nuggets": nuggets}) + b"\n"


def test_a_missing_answer_scores_nothing_and_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "assigned.jsonl"
    path.write_bytes(
        line("a", "1", "support", "failed")
        + line("a", "2", "support", "support")
        + line("b", "1", "support", "partial_support")
    )
    assigned = read_nugget_assignments(path, SCALES)
    assert assigned[0].labels == ("support", Unjudged(reason="the assigner failed"))
    table = score_nuggets(assigned, SCALES)
    assert [run.run_tag for run in table.runs] == ["a", "b"]
    assert table.runs[0].values["strict_vital_score"] == 0.75
    assert table.runs[1].values == {
        "strict_vital_score": 0.25,
        "vital_score": 0.375,
        "strict_all_score": 0.25,
        "all_score": 0.375,
        "unjudged": 0.5,
    }
    assert table.runs[0].values["unjudged"] == 0.25
    assert table.omitted == {"b": ("2",)}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path, again = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl"
    path.write_bytes(gzip.compress(line("a", "1", "not_support", "failed")))
    assigned = read_nugget_assignments(path, SCALES)
    write_nugget_assignments(again, assigned)
    assert read_nugget_assignments(again, SCALES) == assigned
    written = orjson.loads(again.read_bytes())
    assert written["response_length"] == 2
    assert [one["assignment"] for one in written["nuggets"]] == ["not_support", "failed"]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (line("a", "1", "supports"), "partial_support, not_support, failed as assignment"),
        (line("a", "1", "support") * 2, "one line for run a and topic 1"),
        (b'{"qid": "1", "run_id": "a"}\n', "no nuggets"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, lines: bytes, says: str) -> None:
    path = tmp_path / "assigned.jsonl"
    path.write_bytes(lines)
    with pytest.raises(InvalidFileError, match=says):
        read_nugget_assignments(path, SCALES)


def test_runs_are_judged_by_the_same_nuggets(tmp_path: Path) -> None:
    path = tmp_path / "assigned.jsonl"
    path.write_bytes(line("a", "1", "support") + line("b", "1", "support", text="other"))
    with pytest.raises(InputError, match="run a, topic 1: judged by 1 nugget"):
        score_nuggets(read_nugget_assignments(path, SCALES), SCALES)


def test_the_public_assignments_are_scored(shared_data: PublicData) -> None:
    path = shared_data / "rag-2024" / "nugget-assignments.jsonl.gz"
    table = score_nuggets(read_nugget_assignments(path, SCALES), SCALES)
    best = table.runs[0]
    assert len(table.runs) == 45
    assert (best.run_tag, round(best.values["strict_vital_score"], 4)) == (
        "listgalore_gpt4o_ragnarokv4_top20",
        0.6808,
    )


def test_the_figures_by_people_are_the_printed_ones(shared_data: PublicData) -> None:
    """Those by the judge take minutes of training: `sidelight reproduce rag24-strict-vital`."""
    folder, printed = shared_data / "rag-2024", targets()["rag24-strict-vital"].printed

    def mean(table: ScoreTable, name: str) -> str:
        return f"{sum(run.values[name] for run in table.runs) / len(table.runs):.3f}"

    assigned = read_nugget_assignments(folder / "nugget-assignments.jsonl.gz", SCALES)
    table = score_nuggets(assigned, SCALES)
    for measure in table.measures:
        name = measure.name
        if name != "unjudged":
            assert mean(table, name) == printed[f"{name}: mean of runs, people"]
    for title, file in (("web", "web"), ("edited", "postedited")):
        path = folder / f"support-judgments.{file}.jsonl.gz"
        support = score_judged_support(read_sentences(path, SCALES["support"]), SCALES)
        for name in ("weighted_precision", "weighted_recall"):
            assert mean(support, name) == printed[f"support, {title}: {name}, mean of runs"]
        assert all(
            run.values["weighted_precision"] >= run.values["weighted_recall"]
            for run in support.runs
        )
