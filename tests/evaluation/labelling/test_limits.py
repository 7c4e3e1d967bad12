from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.evaluation.labelling.run_kinds import fit_questions, fit_report
from sidelight.sample import sample_path
from sidelight.schemas.run import CitedSentence
from sidelight.tracks import load_track
from tests.helpers.labels.labelled import question, report

TRACK = load_track()
QUESTIONS, REPORTS = TRACK.question_list, TRACK.cited_text
SAMPLE = sample_path()


def saying(*n_words: int):
    sentences = tuple(CitedSentence(text=" ".join(["word"] * count)) for count in n_words)
    return report("t1").model_copy(update={"responses": sentences})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((100, 150), [100, 150]),
        ((100, 151), [100, 150]),
        ((250, 1), [250]),
        ((240, 20, 5), [240, 10]),
        ((12_479,), [250]),
        ((), []),
    ],
)
def test_a_report_is_cut_at_the_limit(given: tuple[int, ...], kept: list[int]) -> None:
    found = fit_report(saying(*given), REPORTS)
    assert [len(one.text.split()) for one in found.submission.responses] == kept
    assert bool(found.over) is (sum(given) > 250)
    if found.over:
        assert found.over == f"{sum(given)} words; at most 250"


def test_what_is_within_the_limit_is_left_as_it_is() -> None:
    spaced = report("t1").model_copy(update={"responses": (CitedSentence(text="two  words "),)})
    assert fit_report(spaced, REPORTS) == (spaced, "")
    asked = [question("t1", rank) for rank in range(1, 11)]
    assert fit_questions(asked, QUESTIONS) == (asked, "")


def test_questions_are_cut_and_those_past_the_last_rank_left_out() -> None:
    asked = [question("t1", rank) for rank in range(1, 13)]
    asked[2] = asked[2].model_copy(update={"text": "é" * 301})
    asked[3] = asked[3].model_copy(update={"text": "e\u0301" * 300})  # 300 once composed
    found = fit_questions(asked, QUESTIONS)
    assert [one.rank for one in found.submission] == list(range(1, 11))
    assert found.submission[2].text == "é" * 300
    assert found.submission[3] == asked[3]
    assert found.over == (
        "question 3 has 301 characters, question 11 of 10, question 12 of 10; "
        "at most 10 questions of 300 characters"
    )


def test_the_judge_says_so_and_gives_no_credit_for_the_rest(tmp_path: Path) -> None:
    """A report that repeats a good one behind 250 words of nothing earns nothing by it."""
    lines = (SAMPLE / "runs/report_generation_runs/lantern-t2").read_text().splitlines()
    padded = []
    for line in lines:
        one = json.loads(line)
        one["responses"].insert(0, {"text": " ".join(["Hm"] * 250) + ".", "citations": []})
        padded.append(json.dumps(one))
    run = tmp_path / "padded"
    run.write_text("\n".join(padded) + "\n")
    out = tmp_path / "out"
    shown = CliRunner().invoke(
        app,
        [
            *("judge", str(run), "--task", "task2", "--data", str(SAMPLE), "--words-only"),
            *("-o", str(out)),
        ],
    )
    assert shown.exit_code == 0
    topic = json.loads(lines[0])["metadata"]["topic_id"]
    assert f"warning: run padded, topic {topic}: " in shown.stderr
    over = json.loads((out / "manifest.json").read_text())["over_limits"]["task2"]
    assert set(over) == {"padded"}
    assert len(over["padded"]) == len(lines)
    labels = (out / "auto_report_assessments.csv").read_text()
    assert "supports" not in labels
    assert "partial" not in labels
