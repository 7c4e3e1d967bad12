import gzip
import json
import re

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.console import problem_lines
from sidelight.cli.main import app
from sidelight.cli.validate import _SCHEMAS
from sidelight.errors import InvalidFileError, Problem, UsageError
from sidelight.tracks import load_track
from tests.helpers.commands import said, told
from tests.helpers.scripted_runs import IDS, scripted
from tests.helpers.scripted_runs import run as scripted_run

RUN_ID = "lamp-one"


def run(*arguments):
    result = CliRunner().invoke(app, ["validate", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.fixture
def valid_run(tmp_path):
    return write_run(tmp_path / RUN_ID, load_track().topic_ids)


def write_run(path, topic_ids):
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "".join(
            f"{topic_id}\tlamp\t{RUN_ID}\t{rank}\tWho paid for study {rank}?\n"
            for topic_id in topic_ids
            for rank in range(1, 11)
        )
    )
    return path


def test_lists_the_problems_of_an_invalid_file_with_their_codes(valid_run):
    valid_run.write_bytes(b"\xef\xbb\xbf" + valid_run.read_bytes())
    code, output = run(valid_run)
    assert code == 1
    first, second = output.splitlines()
    assert first == f"{valid_run}: invalid Task 1 run"
    assert second.startswith(f"  {valid_run}:1: error [byte-order-mark] expected UTF-8")


def test_two_runs_of_a_task_with_one_run_id_are_named(valid_run, tmp_path):
    again = tmp_path / "again"
    again.write_text(valid_run.read_text())
    for files in ((valid_run, again), (valid_run, valid_run)):
        code, output = run(*files)
        assert code == 0
        assert f"found '{RUN_ID}', the run_id of {valid_run}. Leave out a run" in output
    assert "run-id-twice" not in run(valid_run)[1]
    again.write_text(valid_run.read_text().replace(RUN_ID, "lamp-two"))
    assert "run-id-twice" not in run(valid_run, again)[1]


def test_shows_twenty_problems_and_counts_the_rest(valid_run, tmp_path):
    broken = tmp_path / "broken"
    broken.write_text(valid_run.read_text().replace("Who", "\x00ho"))
    _, output = run(broken)
    assert len(output.splitlines()) == 22
    assert "... and 281 more; --json lists them all" in output
    code, output = run(valid_run, broken, "--json")
    first, second = json.loads(output)["files"]
    assert code == 1
    assert first == {"file": str(valid_run), "kind": "task1", "valid": True, "problems": []}
    assert (second["kind"], second["valid"], len(second["problems"])) == ("task1", False, 301)
    fields = {"code", "file", "line", "expected", "found", "remedy", "severity"}
    assert set(second["problems"][0]) == fields


def test_official_is_more_lenient_and_names_what_the_validator_objects_to(valid_run):
    valid_run.write_text(valid_run.read_text().replace("Who paid for study 3?", "N/A"))
    assert run(valid_run)[0] == 1
    assert run(valid_run, "--official") == (0, f"{valid_run}: valid Task 1 run, 30 topics\n")
    valid_run.write_text(valid_run.read_text() + "\n\t\n")
    code, output = run(valid_run, "--official")
    assert code == 1
    assert "[official]" in output
    assert "2 fields in place of 5" in output


@pytest.mark.parametrize("official", [[], ["--official"]])
def test_topics_come_from_the_file_that_is_named(tmp_path, official):
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"docid": "my-topic", "body": "text"}\n')
    path = write_run(tmp_path / RUN_ID, ("my-topic",))
    assert run(path, "--topics", topics, *official) == (0, f"{path}: valid Task 1 run, 1 topic\n")
    assert run(path, *official)[0] == 1


def test_wrong_usage(valid_run, tmp_path):
    qrels, topics = tmp_path / "qrels", tmp_path / "topics.jsonl"
    qrels.write_text("1 0 a 1\n")
    topics.write_text("{}")
    assert run()[0] == 2
    with pytest.raises(UsageError, match="unknown track"):
        run(valid_run, "--track", "nowhere")
    with pytest.raises(UsageError, match="qrels"):
        run(qrels, "--official")
    with pytest.raises(InvalidFileError):
        run(valid_run, "--topics", topics)
    code, output = run(tmp_path / "nowhere", valid_run)
    assert code == 1
    assert output.startswith(f"{tmp_path / 'nowhere'}: no such file. Check the path.\n")
    assert f"{valid_run}: valid Task 1 run, 30 topics" in output
    assert output.endswith("\n1 valid, 1 invalid\n")
    topics.write_text('{"id": "1", "title": "Peat", "narrative": "Who sells it?"}\n')
    shown = run(topics)[1]
    assert "a topics file of exam or rag2025. Add --track exam or --track rag2025." in shown
    (tmp_path / "traces").mkdir()
    code, output = run(tmp_path)
    assert code == 1
    assert "[run-unfinished] expected a finished run" in output


def test_an_archive_that_is_cut_off_keeps_no_other_file_from_being_mended(valid_run, tmp_path):
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(valid_run.read_bytes())[:-9])
    code, output = run(cut, valid_run, "--fix", tmp_path / "mended")
    assert code == 1
    assert f"{cut}: cannot be read" in output
    assert f"{tmp_path / 'mended' / valid_run.name}: valid Task 1 run" in output


def test_nuggets_and_their_assignments_are_files_of_the_tracks_that_have_them(tmp_path):
    path = tmp_path / "nuggets.jsonl"
    line = '{"qid": "t", "nuggets": [{"text": "x", "importance": "vital"}]}\n'
    path.write_text(line)
    assert run(path, "--track", "rag2025") == (0, f"{path}: valid nuggets file, 1 topic\n")
    assert "Add --track rag2024 or --track rag2025" in run(path)[1]
    path.write_text(line.replace("vital", "urgent"))
    code, output = run(path, "--track", "rag2025")
    assert code == 1
    assert "[label] expected one of vital, okay as importance; found 'urgent'" in output
    path.write_text(
        '{"qid": "t", "run_id": "r", "nuggets": '
        '[{"text": "x", "importance": "vital", "assignment": "support"}]}\n'
    )
    shown = f"{path}: valid nugget assignments file, 1 answer\n"
    assert run(path, "--track", "rag2025") == (0, shown)


def test_a_folder_that_is_no_run_directory_stands_for_the_files_in_it(valid_run, tmp_path):
    (tmp_path / ".hidden").write_text("?")
    (tmp_path / "below").mkdir()
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    shown = f"{valid_run}: valid Task 1 run, 30 topics\n"
    qrels = f"{tmp_path / 'qrels'}: valid qrels file, 1 query\n"
    assert run(tmp_path) == (0, f"{shown}{qrels}2 valid, 0 invalid\n")
    code, output = run(tmp_path / "below", valid_run)
    assert code == 1
    empty = "expected a file; found a folder without files. Name a file."
    assert output.splitlines()[0] == f"{tmp_path / 'below'}: {empty}"


def test_a_run_directory_is_checked_with_all_its_files(tmp_path):
    scripted_run(tmp_path / "run")
    folder = tmp_path / "run"
    tasks = {"task1.tsv": "Task 1", "task2.jsonl": "Task 2"}
    valid = [f"{folder}/{name}: valid {task} run, 5 topics" for name, task in tasks.items()]
    valid.insert(0, f"{folder}: valid run directory, 5 topics")
    assert run(folder) == (0, "".join(f"{line}\n" for line in valid))
    questions = folder / "task1.tsv"
    questions.write_text(questions.read_text().replace("Who 1", "Who one"))
    code, output = run(folder)
    assert code == 0
    assert "[run-edited] expected files as the run made them; found task1.tsv changed" in output
    (folder / "task2.jsonl").unlink()
    code, output = run(folder)
    assert code == 1
    assert f"{folder}/task2.jsonl: no such file. Check the path.\n" in output


def test_a_failed_topic_makes_a_run_directory_invalid(tmp_path):
    def fail_one(article):
        if article.topic_id == IDS[1]:
            raise ValueError("no such luck")
        return scripted(article)

    scripted_run(tmp_path / "run", fail_one)
    code, output = run(tmp_path / "run")
    assert code == 1
    assert f"[run-failed-topic] expected all topics finished; found {IDS[1]} failed" in output


def test_thirty_equal_warnings_are_one_line_with_a_count():
    def warning(line, code="words-many"):
        return Problem(code, "run.jsonl", line, "250 words", f"{250 + line}", "Cut.", "warning")

    error = Problem("value", "run.jsonl", 1, "a word", "none", "Write.")
    other = Problem("value", "run.jsonl", 2, "a word", "a number", "Write.")
    lines = problem_lines([*map(warning, range(1, 31)), error, error, other, warning(9, "other")])
    (first, style), *others = lines
    assert style == "yellow"
    assert first == (
        "run.jsonl:1: warning [words-many] expected 250 words; found 251. Cut. "
        "(30 times, also on lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 19 more)"
    )
    assert [style for _, style in others] == ["red", "red", "yellow"]


def test_what_can_be_mended_is_mended_and_each_change_is_listed(tmp_path):
    topic, one = IDS[0], "msmarco_v2.1_doc_01_1#0_1"
    metadata = {"team_id": "t", "run_id": "t-r", "topic_id": topic, "type": "automatic"}
    sentence = {"text": " ".join(["word"] * 120) + ".", "citations": [one, one]}
    report = {
        "metadata": {**metadata, "use_starter_kit": 0},
        "responses": [{**sentence, "score": 1}, sentence, sentence],
        "note": "mine",
    }
    (tmp_path / "task2.jsonl").write_bytes(orjson.dumps(report) + b"\n")
    rows = [(3, "Who pays?"), (1, "Who owns it?"), (2, "who OWNS it?"), (4, "Who wrote it?")]
    lines = [f"{topic}\tt\tt-r\t{rank}\t{text}\n" for rank, text in rows]
    (tmp_path / "task1.tsv").write_text("".join(lines))
    (tmp_path / "topics.jsonl").write_bytes(
        orjson.dumps({"docid": topic, "url": "", "title": "T", "headings": "", "body": "B"})
    )
    fixed = tmp_path / "fixed"
    options = ("--topics", tmp_path / "topics.jsonl", "--fix", fixed)
    shown = said("validate", tmp_path / "task2.jsonl", *options)
    file = tmp_path / "task2.jsonl"
    assert shown.splitlines()[:4] == [
        f"{fixed}/task2.jsonl: valid Task 2 run, 1 topic",
        f"  mended: {file}:1: unknown field 'note' removed",
        f"  mended: {file}:1: sentence 1: unknown field 'score' removed",
        f"  mended: {file}:1: sentence 1: citations are now {one}",
    ]
    assert f"{file}:1: sentence 3: left out, beyond 250 words" in shown
    shown = said("validate", tmp_path / "task1.tsv", *options, code=1)  # three questions of ten
    assert asked_in(fixed / "task1.tsv") == ["1 Who owns it?", "3 Who pays?", "4 Who wrote it?"]
    assert f"{tmp_path}/task1.tsv:1: questions of topic {topic} sorted by rank" in shown
    assert f"{tmp_path}/task1.tsv:3: question left out, asked before" in shown
    assert "no rank 2, 5, 6, 7, 8, 9, 10" in shown
    topics = tmp_path / "topics.jsonl"
    shown = said("validate", topics, *options)
    assert f"--fix mends run files that can be read; not mended: {topics}" in shown
    with pytest.raises(UsageError, match="expected another folder"):
        said("validate", tmp_path / "task1.tsv", "--fix", tmp_path)


def asked_in(path):
    """Return the ranks and questions of a run."""
    return [" ".join(line.split("\t")[3:]) for line in path.read_text().splitlines()]


# Ranks of a file, what they are in its mended copy, and the lines whose rank changed.
RANKS = {
    "a missing rank stays missing": ("1 2 4", "1 2 4", []),
    "a rank that occurs twice moves up": ("1 2 2 5", "1 2 3 5", [3]),
    "ranks are counted from 0": ("0 1 2", "1 2 3", [1, 2, 3]),
    "what is no number stands where it stands": ("1 x 4", "1 2 4", [2]),
    "the rank of ten questions can only be their place": (
        "1 2 4 5 6 7 8 9 10 11",
        "1 2 3 4 5 6 7 8 9 10",
        [3, 4, 5, 6, 7, 8, 9, 10],
    ),
}


@pytest.mark.parametrize("name", RANKS)
def test_a_question_keeps_its_rank_where_it_can(name, tmp_path):
    given, mended, changed = RANKS[name]
    (tmp_path / "run").write_text(
        "".join(f"{IDS[0]}\tt\tr\t{rank}\tWho is {i}?\n" for i, rank in enumerate(given.split()))
    )
    shown = told("validate", tmp_path / "run", "--fix", tmp_path / "new", code=1)
    expected = [f"{rank} Who is {i}?" for i, rank in enumerate(mended.split())]
    assert asked_in(tmp_path / "new" / "run") == expected
    changes = shown["files"][0]["changes"]
    assert [one for one in changes if "rank '" in one] == [
        f"{tmp_path}/run:{line}: rank '{given.split()[line - 1]}' is now {mended.split()[line - 1]}"
        for line in changed
    ]
    renumbered = any("labels of the old ranks no longer fit" in one for one in changes)
    assert renumbered == bool(changed and "x" not in given)


def test_every_change_of_a_mended_copy_is_listed(tmp_path):
    lines = [
        f'\ufeff{IDS[0]}\tt\tr\t1\t"Who" owns it?\r\n',
        "\r\n",
        f"{IDS[0]} \tt\tr\t02\tWho \u202f pays, and why does nobody else pay\x07 for it?\r\n",
        f'{IDS[0]}\tt\tr\t3\t"Have ""suicide game"" reports \u202f been checked?"\n',
        f"{IDS[0]}\tt\tr\t4\tWhat  is\u202fold?",
    ]
    (tmp_path / "run").write_bytes("".join(lines).encode())
    shown = told("validate", tmp_path / "run", "--fix", tmp_path / "new", code=1)
    now, given = "'Who pays, and why does n...'", '\'"Have ""suicide game...\''
    assert shown["files"][0]["changes"] == [
        f"{tmp_path}/run: byte order mark removed",
        f"{tmp_path}/run: CR LF is now LF at the end of 3 lines",
        f"{tmp_path}/run: final newline added",
        f"{tmp_path}/run:1: question '\"Who\" owns it?' is now '“Who” owns it?'",
        f"{tmp_path}/run:2: blank line removed",
        f"{tmp_path}/run:3: topic_id '{IDS[0]} ' is now '{IDS[0]}'",
        f"{tmp_path}/run:3: question 'Who \\u202f pays, and why does...' is now {now}",
        f"{tmp_path}/run:3: rank '02' is now 2",
        f"{tmp_path}/run:4: question {given} is now 'Have \"suicide game\" ...'",
    ]
    assert asked_in(tmp_path / "new" / "run") == [
        "1 “Who” owns it?",
        "2 Who pays, and why does nobody else pay for it?",
        '3 Have "suicide game" reports \u202f been checked?',
        "4 What  is\u202fold?",
    ]


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_mended(tmp_path):
    (tmp_path / "broken").write_bytes(f"{IDS[0]}\tt\tr\t1\tWho?\n".encode() + b"\xff\n")
    (tmp_path / "run").write_text(f"{IDS[0]}\tt\tr\t02\tWho pays?\n")
    code, shown = run(tmp_path / "broken", tmp_path / "run", "--fix", tmp_path / "new")
    assert code == 1
    assert asked_in(tmp_path / "new" / "run") == ["2 Who pays?"]
    assert f"not mended: {tmp_path}/broken" in shown
    assert "invalid-utf8" in shown
    assert not (tmp_path / "new" / "broken").exists()


def test_an_overlong_sentence_takes_no_other_along(tmp_path):
    sentences = [" ".join(["word"] * 260), "One\u202fsource  says so.", "Another one denies it."]
    metadata = {"team_id": "t", "run_id": "t-r", "topic_id": IDS[0], "type": "automatic"}
    responses = [{"text": one, "citations": []} for one in [*sentences, "Or\xa0n\u200bot."]]
    content = {"metadata": metadata | {"use_starter_kit": 0}, "responses": responses}
    (tmp_path / "run").write_text(json.dumps(content) + "\n")
    run(tmp_path / "run", "--fix", tmp_path / "new")
    kept = json.loads((tmp_path / "new" / "run").read_text())["responses"]
    assert [one["text"] for one in kept] == [*sentences[1:], "Or not."]


def test_every_schema_is_one():
    for name in _SCHEMAS:
        shown = said("schema", name)
        assert json.loads(shown)["type"] == "object", name
        assert not re.search(r'"title": "(?:_|[^"]*\[)', shown), name
    assert json.loads(said("schema", "reports"))["title"] == "Report"
    importance = json.loads(said("schema", "rubric"))["$defs"]["_QuestionFile"]["properties"]
    assert importance["importance"]["type"] == "string"
    with pytest.raises(UsageError, match="did you mean rubric"):
        said("schema", "rubrik")
