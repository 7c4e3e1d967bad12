"""Reports that cite the web: read, held against limits that warn, and made of reports of ours."""

import csv
import json

import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.metrics.rubric import SupportPerWord
from sidelight.formats.runs.linked_reports import LINKED_REPORTS, linked, read_linked_runs
from sidelight.schemas.run import CitedSentence
from sidelight.text import count_words
from sidelight.tracks import load_track
from tests.helpers.commands import said
from tests.helpers.labels.labelled import rubric

TASK = load_track("dragun2026testbed").cited_text
PAGE = "https://a.example/page"


def line(topic, *citations, model="m", text="It is so."):
    responses = [{"text": text, "citations": citations}]
    return json.dumps({"topic_id": topic, "model": model, "responses": responses}) + "\n"


def test_reports_become_linked_within_limits_and_models_runs(tmp_path):
    path = tmp_path / "m"
    path.write_text(line("t", PAGE, text="Two words. " * 400))
    (problem,) = LINKED_REPORTS.check(path, TASK, ["t"], None)
    assert (problem.code, problem.severity) == ("report-words", "warning")
    path = tmp_path / "reports.jsonl"
    path.write_text(line("t", PAGE) + line("t", model="n") + line("u", PAGE))
    runs = read_linked_runs(path)
    assert [(run.run_tag, len(run.reports)) for run in runs] == [("m", 2), ("n", 1)]
    path.write_text(line("t") + line("t"))
    with pytest.raises(InvalidFileError, match="a second one for 't'"):
        read_linked_runs(path)
    sentence = CitedSentence(text="So.", citations=("a#0", "a#2", "b#0", "c#0"))
    (found,) = linked([sentence], {"a#0": PAGE, "a#2": PAGE, "b#0": "", "c#0": "https://c/"})
    assert found.citations == (PAGE, "https://c/")
    bank = rubric("t1")
    answers = {one.answer_id: "supports" for item in bank.questions for one in item.answers}
    report = [CitedSentence(text="Four words of it.")]
    scales = load_track("dragun2026testbed").scales
    assert SupportPerWord()(bank, answers, report, scales) == 0.25
    assert SupportPerWord()(bank, answers, [], scales) == 0


def test_a_run_of_ours_is_written_in_that_form(tmp_path, small_index):
    cited = next(iter(small_index.docstore))
    report = {
        "metadata": {"team_id": "t", "run_id": "ours", "topic_id": "t"},
        "responses": [{"text": "It is so.", "citations": [cited.segment_id]}],
    }
    run, made = tmp_path / "ours", tmp_path / "linked"
    run.write_text(json.dumps(report) + "\n")
    command = ("link", run, "--index", small_index.path, "-o", made)
    said(*command)
    assert json.loads(made.read_text()) == {
        "topic_id": "t",
        "model": "ours",
        "responses": [{"text": "It is so.", "citations": [cited.url]}],
    }
    run.write_text(run.read_text().replace(cited.segment_id, "nowhere"))
    with pytest.raises(InputError, match="cites nowhere"):
        said(*command)


def test_the_public_reports_are_read(shared_data):
    folder = shared_data / "dragun-2026-testbed"
    runs = {run.run_tag: run for run in read_linked_runs(folder / "reports.jsonl.gz")}
    with (folder / "leaderboard.csv").open(newline="") as stream:
        board = {row["run_id"]: row for row in csv.DictReader(stream)}
    assert runs.keys() == board.keys()
    for tag, run in runs.items():
        words = sum(count_words(report.text) for report in run.reports)
        assert len(run.reports) == 30
        # The board counts words in another way.
        assert words == pytest.approx(int(board[tag]["total_report_word_count"]), rel=0.02)
    assert sum(len(report.responses) for run in runs.values() for report in run.reports) == 928
