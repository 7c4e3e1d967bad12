import gzip
import json
import re
import shutil
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.console import problem_notes
from sidelight.cli.main import app
from sidelight.cli.validate import _SCHEMAS
from sidelight.errors import InvalidFileError, Problem, UsageError
from sidelight.formats.banks.exams import write_exams
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.formats.runs.question_list import _FIELDS
from sidelight.sample import sample_path
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery
from sidelight.schemas.grading.rubric import ExamBank, new_item
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


def states(output):
    """Return kind and state of each file in the table at the end."""
    rows = [line.strip("│").split("│") for line in output.splitlines() if line.startswith("│")]
    return {Path(file.strip()): (kind.strip(), state.strip()) for file, kind, state in rows}


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


def test_copies_of_files_of_one_name_are_kept_apart(valid_run, tmp_path):
    teams = [tmp_path / "in" / name / "task1.tsv" for name in ("alder", "birch")]
    for path in teams:
        path.parent.mkdir(parents=True)
        path.write_text(Path(valid_run).read_text() + "\n")
    run(*teams, "--fix", tmp_path / "mended")
    copies = sorted((tmp_path / "mended").rglob("*.tsv"))
    assert copies == [tmp_path / "mended" / name / "task1.tsv" for name in ("alder", "birch")]
    # A file that is named twice is one file.
    run(teams[0], teams[0], "-o", tmp_path / "texts")
    assert [one.name for one in (tmp_path / "texts").iterdir()] == ["task1.tsv.txt"]


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
        twice = (
            f"run_ids for {valid_run} and {files[1]}; found '{RUN_ID}'. Leave out or rename one."
        )
        assert twice in output
    assert "run-id-twice" not in run(valid_run)[1]
    again.write_text(valid_run.read_text().replace(RUN_ID, "lamp-two"))
    output = run(valid_run, again)[1]
    assert "run-id-twice" not in output
    assert (
        f"[run-identical] expected other results than those of {valid_run}; found all topics equal"
        in output
    )
    again.write_text(again.read_text().replace("Who paid for study 3?", "Who saw study 3?"))
    assert "run-identical" not in run(valid_run, again)[1]


def test_runs_that_are_alike_are_named_with_the_run_that_they_are_like(tmp_path):
    """Reports with the same sentences in another order, or with other citations, are near twins."""
    runs = dict.fromkeys(("first", "turned", "cited", "other", "same"))
    for name in runs:
        cited = {"citations": ["msmarco_v2.1_doc_01_1#0_1"]}
        sentences = [{"text": one, **cited} for one in ("It burns.", "It dries.")]
        if name == "turned":
            sentences.reverse()
        if name == "cited":
            sentences[0]["citations"] = ["msmarco_v2.1_doc_01_1#0_2"]
        if name in ("other", "same"):
            sentences[0]["text"] = "Peat smokes."
        report = {"team_id": "t", "run_id": f"t-{name}", "topic_id": IDS[0]}
        runs[name] = tmp_path / f"t-{name}"
        line = {"metadata": report | {"type": "automatic", "use_starter_kit": 0}}
        runs[name].write_text(json.dumps(line | {"responses": sentences}) + "\n")
    topics = tmp_path / "topics.jsonl"
    topics.write_text(json.dumps({"docid": IDS[0], "title": "Peat", "body": "Peat burns."}) + "\n")
    output = run(*runs.values(), "--topics", topics)[1]
    near, equal = (line for line in output.splitlines() if " other results than those of " in line)
    assert near.startswith(f"{runs['turned']}: warning [run-near-twin] ")
    assert f"those of {runs['first']}; found the same texts on every topic, in another " in near
    assert near.endswith(f" (the same in 1 more place: {runs['cited']})")
    assert equal.startswith(f"{runs['same']}: warning [run-identical] ")
    assert f"those of {runs['other']}; found all topics equal." in equal


@pytest.mark.parametrize("damaged", ["two\tfields", "", "ID\tlamp\tlamp-one\t3\tN/A"])
def test_a_run_that_is_handed_in_again_is_noticed_though_it_is_damaged(
    valid_run, tmp_path, damaged
):
    again, lines = tmp_path / "again", valid_run.read_text().splitlines()
    lines[2] = damaged.replace("ID", load_track().topic_ids[0])
    again.write_text("".join(f"{line}\n" for line in lines))
    code, output = run(valid_run, again)
    assert code == 1
    assert f"run_ids for {valid_run} and {again}; found '{RUN_ID}'" in output
    assert f"those of {valid_run}; found the same texts on 29 of 30 topics. Leave out" in output
    lines[2:] = [line.replace("Who", "Why and who") for line in lines[2:]]
    again.write_text("".join(f"{line}\n" for line in lines))
    assert "run-near-twin" not in run(valid_run, again)[1]


def test_shows_three_problems_of_a_kind_and_names_the_lines_of_the_rest(valid_run, tmp_path):
    broken = tmp_path / "broken"
    broken.write_text(valid_run.read_text().replace("Who", "\x00ho"))
    _, output = run(broken)
    first, *shown, more, name = output.splitlines()
    assert first == f"{broken}: invalid Task 1 run"
    assert [line.partition(" error ")[0] for line in shown] == [
        f"  {broken}:{line}:" for line in (1, 2, 3)
    ]
    assert more.startswith(f"  {broken}: and 297 more [control-character]: line 4, line 5, ")
    assert more.endswith(", line 23 and 277 more; --json lists them all")
    assert "[file-name]" in name
    code, output = run(valid_run, broken, "--json")
    first, second = json.loads(output)["files"]
    assert code == 1
    assert first == {"file": str(valid_run), "kind": "task1", "valid": True, "problems": []}
    assert (second["kind"], second["valid"], len(second["problems"])) == ("task1", False, 302)
    fields = {"code", "file", "line", "expected", "found", "remedy", "severity"}
    assert set(second["problems"][0]) == fields


def test_a_text_on_each_file_is_written_as_for_it_alone(valid_run, tmp_path):
    files = [tmp_path / "in" / team / "run" for team in ("a", "b")]
    for path in files:
        path.parent.mkdir(parents=True)
        path.write_text(valid_run.read_text())
    files[1].write_text(valid_run.read_text().replace("Who paid for study 3?", "N/A"))
    texts = [tmp_path / "out" / team / "run.txt" for team in ("a", "b")]
    shown = told("validate", tmp_path / "in", "-o", tmp_path / "out", code=1)
    assert shown["texts"] == [*map(str, texts)]
    lines = texts[1].read_text().splitlines()
    assert lines[0] == f"{files[1]}: Task 1 run"
    stricter = "What follows is by stricter checks."
    assert lines[1:3] == [f"The track's own check: valid. {stricter}", "To be mended by you:"]
    assert f"{files[1]}:3: error [question-placeholder]" in lines[3]
    # A team is told what it sent twice; whom else it is like is the organizers' matter.
    assert "Advice:" in lines
    assert any(f"[run-id-twice] expected two run_ids for {files[0]} and" in one for one in lines)
    assert f"two run_ids for {files[1]} and {files[0]};" in texts[0].read_text()
    files[0].write_text(files[0].read_text().replace("\tlamp\t", "\tother\t"))
    told("validate", tmp_path / "in", "-o", tmp_path / "out", code=1)
    assert str(files[0]) not in texts[1].read_text()
    # A team has not the command, whose options the terminal speaks of.
    files[0].write_text(files[0].read_text() + "\n\t\n")
    shown, _ = run(tmp_path / "in", "--official", "-o", tmp_path / "out")
    lines = texts[0].read_text().splitlines()
    assert lines[1] == ("The track's own check: invalid, 1 error: line 302: 2 fields in place of 5")
    assert not any("--" in line for line in lines)


def test_a_text_is_on_the_given_file_and_in_full_though_it_was_mended(valid_run, tmp_path):
    (tmp_path / "in").mkdir()
    given = valid_run.rename(tmp_path / "in" / "run")
    lines = given.read_text().splitlines()
    lines[50:] = [one.replace("\t1\t", "\tone\t") for one in lines[50:]]
    # Line 3 cannot be read, line 14 goes up, line 25 is no question, and a topic has no rank 10.
    lines[2] = lines[2].replace("\t", " ", 1).replace("lamp", "lump")
    lines[13:15] = lines[14], lines[13]
    lines[24] = lines[24].rpartition("\t")[0] + "\tN/A"
    del lines[49]
    del lines[-10:]  # a whole topic
    given.write_text("".join(f"{line}\n" for line in lines))
    out = tmp_path / "out"
    shown = told("validate", tmp_path / "in", "--fix", tmp_path / "mended", "-o", out, code=1)
    assert shown["texts"] == [str(out / "run.txt")]
    first, track, *told_lines = (out / "run.txt").read_text().splitlines()
    assert first == f"{given}: Task 1 run"
    assert track.startswith("The track's own check: invalid, ")
    copy = tmp_path / "mended" / "run"
    mended, mine, advice = (
        told_lines.index(one)
        for one in (
            f"Mended in the copy {copy} (invalid by the track's own check):",
            "To be mended by you:",
            "Advice:",
        )
    )
    assert (mended, mine) == (0, 6)  # 24 ranks, of which three are shown, and an order
    assert "  and 21 more, rank" in told_lines
    codes = [re.sub(r"expected.*", "", line.replace(str(given), "")) for line in told_lines]
    assert codes[mine + 1 : advice] == [
        "  :3: line left out: ",
        "  : error [topic-missing] ",
        "  :25: error [question-placeholder] ",
        "  :49: error [rank-missing] ",
    ]
    assert codes[advice + 1 :] == ["  : warning [file-name] "]


def test_a_packed_run_is_mended_into_a_packed_one(valid_run, tmp_path):
    given = tmp_path / "in" / f"{valid_run.name}.gz"
    given.parent.mkdir()
    content = valid_run.read_text().replace("\t1\t", "\tone\t")
    given.write_bytes(gzip.compress(content.encode()))
    shown = told("validate", given.parent, "--fix", tmp_path / "mended", "-o", tmp_path / "out")
    copy = tmp_path / "mended" / given.name
    assert gzip.decompress(copy.read_bytes()) == valid_run.read_bytes()
    assert shown["texts"] == [str(tmp_path / "out" / f"{given.name}.txt")]


def test_official_is_more_lenient_and_names_what_the_validator_objects_to(valid_run):
    valid_run.write_text(valid_run.read_text().replace("Who paid for study 3?", "N/A"))
    assert run(valid_run)[0] == 1
    assert run(valid_run, "--official") == (0, f"{valid_run}: valid Task 1 run, 30 topics\n")
    valid_run.write_text(valid_run.read_text() + "\n\t\n")
    code, output = run(valid_run, "--official")
    assert code == 1
    assert "[official]" in output
    assert ":302: error [official] " in output
    assert "2 fields in place of 5" in output
    # A table with commas has one fault on all lines, and no topic of the track.
    rows = valid_run.read_text().replace(",", "").replace("\t", ",").splitlines()[:300]
    valid_run.write_text("\n".join(rows) + "\n")
    code, output = run(valid_run, "--official")
    assert code == 1
    assert "found 1 fields in place of 5" in output
    assert "(the same in 299 more places: line 2, line 3," in output
    assert "found 30 topics missing: msmarco" in output
    assert "the topics of the track, or a given file of topics. The same command" in output
    assert len(output.splitlines()) == 3


@pytest.mark.parametrize("official", [[], ["--official"]])
def test_topics_come_from_the_file_that_is_named(tmp_path, official):
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"docid": "my-topic", "body": "text"}\n')
    path = write_run(tmp_path / RUN_ID, ("my-topic",))
    assert run(path, "--topics", topics, *official) == (0, f"{path}: valid Task 1 run, 1 topic\n")
    assert run(path, *official)[0] == 1


@pytest.mark.parametrize("official", [[], ["--official"]])
def test_the_files_of_a_folder_are_held_against_the_topics_in_it(tmp_path, official):
    folder = tmp_path / "pilot"
    path = write_run(folder / RUN_ID, ("my-topic",))
    assert run(folder, *official)[0] == 1
    (tmp_path / "others.jsonl").write_text('{"docid": "other", "body": "text"}\n')
    topics = folder / "topics.jsonl"
    topics.write_text('{"docid": "my-topic", "body": "text"}\n')
    if not official:  # which is for runs alone
        code, output = run(folder)
        assert (code, states(output)[path]) == (0, ("Task 1 run", "valid, 1 topic"))
        assert f"\nTopics of the files in {folder}: {topics}; --topics names others.\n" in output
        assert run(folder, "--topics", tmp_path / "others.jsonl")[0] == 1
    topics.write_text('{"docid": "my-topic", "body": 3}\n')
    assert f"{topics}:1: error [value]" in run(folder)[1]


def test_the_nearest_topics_above_a_file_count(valid_run, tmp_path):
    pilot = tmp_path / "out" / "pilot"
    (pilot / "runs").mkdir(parents=True)
    path = valid_run.rename(pilot / "runs" / valid_run.name)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:10]))
    known = load_track().topic_ids
    for folder, topic_ids in ((pilot, known[:1]), (pilot.parent, known[:2])):
        lines = (json.dumps({"docid": one, "title": "Peat", "body": "It."}) for one in topic_ids)
        (folder / "topics.jsonl").write_text("".join(f"{line}\n" for line in lines))
    code, output = run(pilot.parent)
    assert code == 0
    told = [line for line in output.splitlines() if line.startswith("Topics of the files in ")]
    assert [line.split()[5] for line in told] == [f"{pilot.parent}:", f"{pilot}:"]


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
    nowhere = f"{tmp_path / 'nowhere'}: error [unreadable] expected a file that can be read; found "
    assert output.startswith(f"{nowhere}no such file. Check the path.\n")
    assert states(output) == {
        tmp_path / "nowhere": ("file that cannot be read", "invalid"),
        valid_run: ("Task 1 run", "valid, 30 topics"),
    }
    assert output.endswith("\n1 valid, 1 invalid\n")
    output = run(tmp_path / "lampone")[1]
    near = tmp_path / "lamp-one"
    assert f"found no such file. Check the path; did you mean {near}?\n" in output
    (tmp_path / "empty").mkdir()
    output = run(tmp_path / "empty")[1]
    assert "[unreadable] expected a file; found a folder without files. Name a file.\n" in output
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
    assert f"{cut}: error [unreadable]" in output
    mended = tmp_path / "mended" / valid_run.name
    assert states(output)[mended] == ("Task 1 run", "valid, 30 topics")
    assert mended.read_bytes() == valid_run.read_bytes()


def test_nuggets_and_their_assignments_are_files_of_the_tracks_that_have_them(tmp_path):
    path = tmp_path / "nuggets.jsonl"
    topic = load_track("rag2025").topic_ids[0]
    line = f'{{"qid": "{topic}", "nuggets": [{{"text": "x", "importance": "vital"}}]}}\n'
    path.write_text(line)
    assert run(path, "--track", "rag2025") == (0, f"{path}: valid nuggets file, 1 topic\n")
    assert "--track rag2025 or --track rag2026, or their topics by --topics." in run(path)[1]
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


def test_nuggets_of_unknown_topics_and_nuggets_that_occur_twice_are_named(tmp_path):
    path, topics = tmp_path / "nuggets.jsonl", tmp_path / "narratives.jsonl"
    topics.write_text('{"id": "peat", "title": "Who sells it?"}\n')
    nuggets = [{"text": text, "importance": "vital"} for text in ("Peat burns.", "peat  burns.")]
    lines = [{"qid": topic, "nuggets": nuggets} for topic in ("peat", "bog")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = (path, "--track", "rag2025", "--topics", topics)
    code, output = run(*given)
    assert code == 1
    assert f"{path}:2: error [topic-unknown] expected a topic of the track; found 'bog'." in output
    twice = "warning [nugget-duplicate] expected each nugget of a topic once; found 'peat burns.' 2"
    told = f"{path}:1: {twice} times. Keep one of them: each counts. "
    assert f"{told}(the same in 1 more place: line 2)" in output
    path.write_text(json.dumps(lines[0]) + "\n")
    assert run(*given)[0] == 0


def test_nuggets_of_articles_are_checked_with_the_articles_alone(tmp_path):
    path, topics = tmp_path / "nuggets.jsonl", tmp_path / "articles.jsonl"
    topics.write_text('{"docid": "a", "title": "Peat", "body": "Peat burns."}\n')
    nuggets = [{"text": "Peat burns.", "importance": "vital"}]
    lines = [json.dumps({"qid": topic, "nuggets": nuggets}) + "\n" for topic in ("a", "b")]
    path.write_text(lines[0])
    assert run(path, "--topics", topics) == (0, f"{path}: valid nuggets file, 1 topic\n")
    path.write_text("".join(lines))
    code, output = run(path, "--topics", topics)
    assert code == 1
    unknown = f"{path}:2: error [topic-unknown] expected a topic of the track; found 'b'."
    assert f"{unknown} Correct or remove it.\n" in output


def spoilt(change):
    """Two reports, of which a change spoils how they are written."""
    metadata = {"team_id": "lamp", "run_id": "lamp-t2", "type": "automatic", "use_starter_kit": 0}
    cited = [{"text": "Peat, ] is dug here.", "citations": ["msmarco_v2.1_doc_90_31420#0_63124"]}]
    lines = []
    for topic_id in IDS[:2]:
        about = {**metadata, "topic_id": topic_id}
        lines.append(change({"metadata": about, "responses": cited}))
    return "".join(f"{line}\n" for line in lines)


def renamed(old, new, part=None):
    def change(report):
        held = report[part] if part else report
        held[new] = held.pop(old)
        return json.dumps(report)

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda one: json.dumps(one) + ",", "comma removed"),
        (lambda one: json.dumps(one).replace('"]}', '", ],}'), "comma removed"),
        (renamed("responses", "answer"), "'answer' renamed to 'responses'"),
        (renamed("topic_id", "topic", "metadata"), "'topic' renamed to 'topic_id' in metadata"),
        (renamed("use_starter_kit", "starter_kit", "metadata"), "'starter_kit' renamed to 'use_s"),
        (renamed("type", "typ", "metadata"), "'typ' renamed to 'type' in metadata"),
        (lambda one: json.dumps(one).replace('"text"', '"txt"'), "to 'text' in sentence 1"),
        (lambda one: json.dumps(one).replace("automatic", " Auto"), "' Auto' is now 'automatic'"),
    ],
    ids=["behind", "within", "responses", "topic", "kit", "type", "text", "auto"],
)
def test_spare_commas_and_misspelt_keys_are_mended(tmp_path, change, told):
    (tmp_path / "topics.jsonl").write_text(
        "".join(json.dumps({"docid": one, "body": "x"}) + "\n" for one in IDS[:2])
    )
    path, folder = tmp_path / "lamp-t2", tmp_path / "fixed"
    path.write_text(spoilt(change))
    code, output = run(path, "--topics", tmp_path / "topics.jsonl")
    assert (code, "Task 2 run" in output.splitlines()[0]) == (1, True)
    code, output = run(path, "--fix", folder, "--topics", tmp_path / "topics.jsonl")
    assert f"valid Task 2 run, 2 topics\n  mended: {path}:1: " in output
    assert told in output
    mended = [json.loads(line) for line in (folder / "lamp-t2").read_text().splitlines()]
    assert [one["metadata"]["topic_id"] for one in mended] == IDS[:2]
    assert [one["responses"][0]["text"] for one in mended] == ["Peat, ] is dug here."] * 2


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "found an empty file"),
        ("[{}]", "found a JSON array; a run has one object a line. Write each object of the array"),
        ("t lamp lamp-t1 1 Who owns it?\n", "invalid Task 1 run"),
        ("t lamp lamp-t1 1 Who owns it?\n", "found no tab in the file. Separate fields by one tab"),
        ('t,lamp,lamp-t1,1,"Why, and by whom?"\n', "invalid Task 1 run"),
        ('{"metadata": {"team_id": "t", "run_id": "t-1"}}\n', "Task 2 run"),
        ('{"metadata": {"team_id": "t", "run_id": "t-1"}}\n', "found no responses"),
    ],
)
def test_what_a_broken_file_was_meant_to_be_is_named(tmp_path, content, found):
    (tmp_path / "lamp-t2").write_text(content)
    assert found in " ".join(run(tmp_path / "lamp-t2")[1].split())


def test_banks_and_graded_passages_are_files_of_all_tracks(tmp_path):
    items = (new_item("q1", "Who cuts peat?"),)
    bank = ExamBank(topic_id="q1", query_text="peat", kind="question", tests=items)
    write_exams(tmp_path / "bank.jsonl.gz", [bank])
    graded = GradedQuery("q1", (GradedPassage("q1", "p1", "Peat is cut by hand."),))
    write_graded(tmp_path / "graded.jsonl", [graded])
    _, output = run(*tmp_path.iterdir())
    assert states(output) == {
        tmp_path / "bank.jsonl.gz": ("bank of questions or nuggets", "valid, 1 query"),
        tmp_path / "graded.jsonl": ("graded passages file", "valid, 1 query"),
    }
    (tmp_path / "graded.jsonl").write_text('["q1", [{"paragraph_id": 7}]]\n')
    code, output = run(tmp_path / "graded.jsonl")
    assert code == 1
    assert "graded.jsonl:1: error" in " ".join(output.split())


def test_the_rows_of_a_sheet_that_are_judged_are_counted(tmp_path):
    header, sheet = "topic_id,run_tag,answer_id,annotation\n", tmp_path / "sheet.csv"
    t = load_track().topic_ids[0]
    sheet.write_text(header + f"{t},r,na-1,none\n{t},r,na-2,\n{t},r,na-3,\n")
    assert run(sheet) == (0, f"{sheet}: valid report assessment file, 1 of 3 rows judged\n")
    found = told("validate", sheet)["files"][0]
    assert (found["judged"], found["rows"], found["problems"]) == (1, 3, [])
    blank = tmp_path / "blank.csv"
    blank.write_text(header + f"{t},r,na-1,\n{t},r,na-2,\n")
    grades = tmp_path / "grades.tsv"
    grades.write_text("1\td\t1\tr\t1\t\t\tWho pays?\n")
    code, output = run(blank)
    assert (code, output.splitlines()) == (
        0,
        [
            f"{blank}: valid report assessment file, 0 of 2 rows judged",
            (
                f"  {blank}: warning [unjudged] expected rows that are judged; found none of 2 "
                "rows. Fill in the labels: one of supports, partial, contradicts, none."
            ),
        ],
    )
    output = run("--track", "lateral2024", grades)[1]
    assert "found none of 1 row. " in output
    # Another track's topic: a warning, which the file of their topics takes away.
    assert "warning [topics-other] expected a topic of the track; found 'd'. Correct" in output
    assert " or remove it, or give a topics file that has it with --topics." in output
    sheet.write_text(header + f"{t},r,na-1,none\n{t},r,na-2,none\n")
    assert run(sheet) == (0, f"{sheet}: valid report assessment file, 2 labels\n")


def test_a_sheet_with_another_name_for_its_labels_is_told_the_columns(tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("topic_id,run_tag,answer_id,label\nt,r,na-1,none\n")
    code, output = run(sheet)
    assert (code, output.splitlines()[0]) == (1, f"{sheet}: invalid report assessment file")
    assert "[csv-columns] expected topic_id, run_tag, answer_id and exactly one of " in output
    assert "auto_assessment, annotation; found topic_id, run_tag, answer_id, label. " in output


def test_a_rubric_of_another_topic_is_named(tmp_path):
    one, other, *_ = sorted((sample_path() / "human_rubrics").iterdir())
    topics, copy = ("--topics", sample_path() / "topics.jsonl"), tmp_path / one.name
    assert run(one, *topics) == (0, f"{one}: valid rubric, 8 questions\n")
    copy.write_bytes(other.read_bytes())
    code, output = run(copy, *topics)
    assert code == 0
    expected = f"expected the topic_id that the file is named after, {one.stem}; found {other.stem}"
    assert f"warning [rubric-name] {expected}. Correct" in output
    copy.write_text(other.read_text().replace(other.stem, "elsewhere"))
    code, output = run(copy, *topics)
    assert code == 0
    assert "warning [topics-other] expected a topic of the track; found 'elsewhere'. " in output
    copy.write_text("{}")
    assert run(copy, *topics)[0] == 1


def test_what_other_commands_write_is_known(tmp_path):
    runs, labels = (sample_path() / name for name in ("runs", "human_assessments"))
    questions = runs / "question_generation_runs" / "lantern-t1"
    said("pool", "questions", f"one={questions}", "-o", tmp_path / "pooled.tsv")
    answers = labels / "report_assessments.csv"
    for name in ("a.csv", "b.csv"):
        shutil.copy(answers, tmp_path / name)
    said("agree", "vote", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / "vote")
    said("score", "task2", "--data", sample_path(), "-o", tmp_path / "scores")
    (tmp_path / "references.jsonl").write_text(
        '{"references_ids": ["d#1"], "references_texts": ["Peat is cut by hand."]}\n'
    )
    report = runs / "report_generation_runs" / "lantern-t2"
    rubrics = ("--data", sample_path(), "--words-only", "--task", "task2")
    said("judge", report, *rubrics, "-o", tmp_path / "judged")
    code, output = run(tmp_path)
    found = {path.relative_to(tmp_path): its for path, (its, _) in states(output).items()}
    scores = Path("scores") / "human_report_generation_per"
    assert (code, found) == (
        0,
        {
            Path("a.csv"): "report assessment file",
            Path("b.csv"): "report assessment file",
            Path("judged") / "auto_report_assessments.csv": "report assessment file",
            Path("pooled.tsv"): "pooled questions",
            Path("pooled.tsv.left_out.csv"): "questions left out of a pool",
            Path("references.jsonl"): "segments file",
            scores.with_name(f"{scores.name}_run_results.csv"): "table of results",
            scores.with_name(f"{scores.name}_topic_results.csv"): "table of results",
            Path("vote") / "majority_report_assessments.csv": "report assessment file",
            Path("vote") / "votes_report_assessments.csv": "votes file",
        },
    )
    (tmp_path / "pooled.tsv").write_text("t-Q01\tt\tWho?\nt-Q03\tt\tWhy?\n")
    assert "[question-order] expected t-Q02; found 't-Q03'" in run(tmp_path / "pooled.tsv")[1]


def test_a_folder_that_is_no_run_directory_stands_for_the_files_in_it(valid_run, tmp_path):
    (tmp_path / ".hidden").write_text("?")
    (tmp_path / "below").mkdir()
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "runs.html").write_text("<p>What `sidelight view` made.</p>\n")
    code, output = run(tmp_path)
    assert (code, output.splitlines()[-1]) == (0, "2 valid, 0 invalid")
    assert states(output) == {
        valid_run: ("Task 1 run", "valid, 30 topics"),
        tmp_path / "qrels": ("qrels file", "valid, 1 query"),
    }
    code, output = run(tmp_path / "below", valid_run)
    assert code == 1
    empty = "[unreadable] expected a file; found a folder without files. Name a file."
    assert output.splitlines()[0].endswith(empty)


def test_what_is_wrong_with_several_files_is_told_once(tmp_path):
    for name in "abc":
        write_run(tmp_path / name, load_track().topic_ids[1:])
    (tmp_path / "empty").mkdir()
    (tmp_path / "e").mkdir()
    (tmp_path / "e" / "d").write_text("Once upon a time\n")
    (tmp_path / "e" / "again").symlink_to(tmp_path)
    code, output = run(tmp_path)
    assert "--official gives the track's own verdict" in output
    missing = [line for line in output.splitlines() if "[topic-missing]" in line]
    assert code == 1
    also = ", ".join(str(tmp_path / name) for name in "bc")
    (line,) = missing
    assert line.startswith(f"{tmp_path / 'a'}: error [topic-missing] expected all 30 topics")
    assert line.endswith(f" (the same in 2 more places: {also})")
    assert states(output) == {
        **{tmp_path / name: ("Task 1 run", "invalid") for name in "abc"},
        tmp_path / "e" / "d": ("file of unknown kind", "invalid"),
    }


def test_a_run_directory_is_checked_with_all_its_files(tmp_path):
    scripted_run(tmp_path / "run")
    folder = tmp_path / "run"
    tasks = {"task1.tsv": "Task 1", "task2.jsonl": "Task 2"}
    valid = {folder / name: (f"{task} run", "valid, 5 topics") for name, task in tasks.items()}
    code, output = run(folder)
    assert code == 0
    assert "warning [topics-other] expected the 30 topics of TREC 2025 DRAGUN; found 5" in output
    assert "--index INDEX looks them up" in output
    assert states(output) == {folder: ("run directory", "valid, 5 topics"), **valid}
    # The track's own validator takes a file as it is wherever it lies, and knows 30 topics.
    shutil.copy(folder / "task1.tsv", tmp_path / "copy")
    for file in (folder / "task1.tsv", tmp_path / "copy"):
        code, output = run(file, "--official")
        assert (code, "topics missing: " in output) == (1, True)
    assert run(folder, "--official")[0] == 1
    questions = folder / "task1.tsv"
    questions.write_text(questions.read_text().replace("Who 1", "Who one"))
    code, output = run(folder)
    assert code == 0
    assert "[run-edited] expected files as the run made them; found task1.tsv changed" in output
    (folder / "task2.jsonl").unlink()
    code, output = run(folder)
    assert code == 1
    assert f"{folder}/task2.jsonl: error [unreadable]" in output
    assert states(output)[folder / "task2.jsonl"] == ("file that cannot be read", "invalid")


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
    found = problem_notes([*map(warning, range(1, 31)), error, error, other, warning(9, "other")])
    (problem, first), *others = found
    assert (problem.line, first.style) == (1, "yellow")
    assert first.text == (
        "run.jsonl:1: warning [words-many] expected 250 words; found 251. Cut. "
        "(similar in 29 more places: line 2, line 3, line 4, line 5, line 6, line 7, "
        "line 8, line 9, line 10, line 11 and 19 more)"
    )
    assert [note.style for _, note in others] == ["red", "red", "yellow"]


def test_what_can_be_mended_is_mended_and_each_change_is_listed(tmp_path):
    topic, one = IDS[0], "msmarco_v2.1_doc_01_1#0_1"
    metadata = {"team_id": "t", "run_id": "t-r", "topic_id": topic, "type": "automatic"}
    sentence = {"text": " ".join(["word"] * 120) + ".", "citations": [one, one]}
    misspelt = {"text": sentence["text"], "citation": sentence["citations"]}
    report = {
        "metadata": {**metadata, "use_starter_kit": 0},
        "responses": [{**sentence, "score": 1}, misspelt, sentence],
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
        f"  mended: {file}:1: field 'citation' renamed to 'citations' in sentence 2",
        f"  mended: {file}:1: unknown field 'note' removed",
        f"  mended: {file}:1: unknown field 'score' removed from sentence 1",
    ]
    assert f"{file}:1: citations of sentence 1 are now {one}" in shown
    assert f"{file}:1: sentence left out, beyond 250 words: 'word word" in shown
    shown = said("validate", tmp_path / "task1.tsv", *options, code=1)  # three questions of ten
    assert asked_in(fixed / "task1.tsv") == ["1 Who owns it?", "3 Who pays?", "4 Who wrote it?"]
    assert f"{tmp_path}/task1.tsv:1: questions sorted by rank: topic {topic}" in shown
    assert f"{tmp_path}/task1.tsv:3: question left out, asked before" in shown
    assert "no rank 2, 5, 6, 7, 8, 9, 10" in shown
    # Of a run directory both files are mended.
    (tmp_path / "config.yaml").write_text("submission: {run_id: lamp}\n")
    both = said("validate", tmp_path, "--fix", tmp_path / "both", *options[:2], code=1)
    assert f"{tmp_path}/task1.tsv:3: question left out, asked before" in both
    assert sorted(one.name for one in (tmp_path / "both").iterdir()) == ["task1.tsv", "task2.jsonl"]
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
    changes = shown["files"][0]["changes"]
    assert asked_in(tmp_path / ("new/run" if changes else "run")) == expected
    assert (tmp_path / "new/run").exists() == bool(changes)
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
        f"{tmp_path}/run:3: topic_id is now without white space around it",
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


def test_lines_that_cannot_be_read_and_headings_are_left_out_and_named(tmp_path):
    question, report = f"{IDS[0]}\tt\tr\t1\tWho?\n".encode(), tmp_path / "report"
    heading = b"topic_id\tteam\trun_id\trank\tquestion\n"
    broken = heading + question + b"\xff\n" + question[5:].replace(b"\t1", b" 2")
    (tmp_path / "broken").write_bytes(broken)
    metadata = {"team_id": "t", "run_id": "r", "topic_id": IDS[0], "type": "automatic"}
    good = {"metadata": metadata | {"use_starter_kit": 0}, "responses": [], "more": 1}
    report.write_text(f"{json.dumps(good)}\n{{\n[1]\n{{}}\n")
    found = told("validate", tmp_path / "broken", report, "--fix", tmp_path / "new", code=1)
    assert asked_in(tmp_path / "new" / "broken") == ["1 Who?"]
    assert json.loads((tmp_path / "new" / "report").read_text())["metadata"]["topic_id"] == IDS[0]
    questions, reports = (
        [one.removeprefix(f"{tmp_path}/").partition("; found ")[0] for one in file["changes"]]
        for file in found["files"]
    )
    assert questions == [
        "broken:1: headings left out: expected no header: the format has none",
        "broken:3: line left out: expected UTF-8",
        f"broken:4: line left out: expected 5 tab-separated fields, {', '.join(_FIELDS)}",
    ]
    assert reports == [
        "report:1: unknown field 'more' removed",
        "report:2: line left out: expected a JSON object",
        "report:3: line left out: expected a JSON object",
        "report:4: line left out: expected a report",
    ]
    printed = run(report, "--fix", tmp_path / "new")[1].splitlines()
    assert printed[1].startswith(f"  not mended: {report}:2: line left out: expected a JSON object")
    assert printed[4] == f"  mended: {report}:1: unknown field 'more' removed"
    (tmp_path / "none").write_bytes(b"\xff\tt\tr\t1\tWho?\n")
    assert f"not mended: {tmp_path}/none" in run(tmp_path / "none", "--fix", tmp_path / "new")[1]
    assert not (tmp_path / "new" / "none").exists()


def test_a_report_without_a_change_keeps_its_bytes(tmp_path):
    metadata = {"team_id": "t", "run_id": "r", "type": "automatic", "use_starter_kit": 0}
    reports = [{"metadata": metadata | {"topic_id": one}, "responses": []} for one in IDS[:2]]
    kept, changed = (json.dumps(report) for report in reports)
    (tmp_path / "r").write_text(f"{kept}\n{changed},")
    run(tmp_path / "r", "--fix", tmp_path / "new")
    lines = (tmp_path / "new" / "r").read_text().split("\n")
    assert (lines[0], lines[2]) == (kept, "")
    assert json.loads(lines[1]) == reports[1]


@pytest.mark.parametrize(
    ("spoilt", "is_mended"),
    [
        ("ID lamp\tRUN\t3\tWho pays?", True),
        ("ID lamp RUN 3 Who  pays?", True),
        ("ID lamp RUN\t3\tWho\tpays?", False),  # it might be another line's question
        ("ID lamp RUN Who 3 pays?", False),
        ("elsewhere lamp\tRUN\t3\tWho pays?", False),
        ("ID lamp\tanother\t3\tWho pays?", False),
    ],
)
def test_spaces_for_tabs_are_mended_where_only_one_reading_is_possible(
    valid_run, tmp_path, spoilt, is_mended
):
    lines = valid_run.read_text().splitlines()
    lines[2] = spoilt.replace("ID", lines[0].partition("\t")[0]).replace("RUN", RUN_ID)
    valid_run.write_text("".join(f"{line}\n" for line in lines))
    code, output = run(valid_run, "--fix", tmp_path / "new")
    assert (code, f"  mended: {valid_run}:3: fields '" in output) == (1 - is_mended, is_mended)
    assert (f"not mended: {valid_run}:3: line left out" in output) is not is_mended


@pytest.mark.parametrize("mark", [",", '","'], ids=["plain", "quoted"])
def test_a_run_separated_by_commas_is_told_so_once(valid_run, mark):
    given = ("\t".join(_FIELDS) + "\n" + valid_run.read_text()).replace("\t", mark)
    quote = mark.partition(",")[0]
    valid_run.write_text("".join(f"{quote}{line}{quote}\n" for line in given.splitlines()))
    (problem,) = told("validate", valid_run, code=1)["files"][0]["problems"]
    assert (problem["code"], problem["line"]) == ("field-separator", None)
    assert problem["found"] == "commas between them"


def test_a_header_is_told_once_and_taken_off(valid_run, tmp_path):
    given = valid_run.read_text()
    valid_run.write_text("\t".join(_FIELDS) + "\n" + given)
    (problem,) = told("validate", valid_run, code=1)["files"][0]["problems"]
    assert (problem["code"], problem["line"]) == ("header-line", 1)
    assert run(valid_run, "--fix", tmp_path / "new")[0] == 0
    assert (tmp_path / "new" / RUN_ID).read_text() == given
    named = given.replace("\tlamp\t", "\trank\t").replace("Who paid for study 3?", "question")
    valid_run.write_text(named)
    assert "header-line" not in run(valid_run)[1]


def test_a_valid_run_is_copied_as_it_is_but_for_warnings_that_can_be_mended(valid_run, tmp_path):
    copy = tmp_path / "new" / RUN_ID
    given = valid_run.read_text().replace("Who paid", "Who  paid")
    valid_run.write_text(given)
    assert told("validate", valid_run, "--fix", tmp_path / "new")["files"][0]["changes"] == []
    assert copy.read_text() == given
    quoted = given.replace("Who  paid", '"Who" paid').replace("\n", "\r\n")
    valid_run.write_bytes(quoted.encode())
    found = told("validate", valid_run, "--fix", tmp_path / "new")["files"][0]
    assert found["problems"] == []
    assert any("CR LF is now LF" in one for one in found["changes"])
    assert copy.read_bytes() == quoted.replace('"Who"', "“Who”").replace("\r", "").encode()


def test_a_run_in_which_nothing_can_be_mended_is_told_so(valid_run, tmp_path):
    said_so = "--fix mended nothing, as it adds no content and guesses nothing"
    assert said_so not in run(valid_run, "--fix", tmp_path / "new")[1]
    valid_run.write_text("".join(valid_run.read_text().splitlines(keepends=True)[:-1]))
    code, shown = run(valid_run, "--fix", tmp_path / "new")
    assert code == 1
    assert said_so in shown
    assert shown.count(f"what to do: {valid_run}\n") == 1
    assert not (tmp_path / "new" / RUN_ID).exists()
    valid_run.write_text("\n" + valid_run.read_text().replace("\t9\t", "\t09\t"))
    assert said_so not in run(valid_run, "--fix", tmp_path / "new")[1]


def test_changes_of_one_kind_are_told_by_three_examples_and_their_number(valid_run, tmp_path):
    given = valid_run.read_text().replace("Who paid", '"Who" paid')
    valid_run.write_text(given.replace("\t9\t", "\t09\t"))
    shown = run(valid_run, "--fix", tmp_path / "new")[1].splitlines()
    changes = [line.removeprefix(f"  mended: {valid_run}:") for line in shown if "mended" in line]
    assert [one.partition(" '")[0] for one in changes] == [
        *("1: question", "2: question", "3: question"),
        "  mended: and 297 more, question; --json lists them all",
        *("9: rank", "19: rank", "29: rank"),
        "  mended: and 27 more, rank; --json lists them all",
    ]
    found = told("validate", valid_run, "--fix", tmp_path / "new")["files"][0]
    assert len(found["changes"]) == 330


def test_an_overlong_sentence_takes_no_other_along(tmp_path):
    sentences = [" ".join(["word"] * 260), "One\u202fsource  says so.", "Another one denies it."]
    metadata = {"team_id": "t", "run_id": "t-r", "topic_id": IDS[0], "type": "automatic"}
    responses = [{"text": one, "citations": []} for one in [*sentences, "Or\xa0n\u200bot."]]
    content = {"metadata": metadata | {"use_starter_kit": 0}, "responses": responses}
    (tmp_path / "run").write_text(json.dumps(content) + "\n")
    run(tmp_path / "run", "--fix", tmp_path / "new")
    kept = json.loads((tmp_path / "new" / "run").read_text())["responses"]
    assert [one["text"] for one in kept] == [*sentences[1:], "Or not."]


@pytest.fixture
def mend(tmp_path):
    """Return what mends a report of some sentences: the sentences then, and what is printed."""

    def mended(*texts, citations=("msmarco_v2.1_doc_90_31420#0_63124",)):
        metadata = {"team_id": "t", "run_id": "run", "topic_id": IDS[0], "type": "automatic"}
        responses = [{"text": one, "citations": [*citations]} for one in texts]
        content = {"metadata": metadata | {"use_starter_kit": 0}, "responses": responses}
        (tmp_path / "run").write_text(json.dumps(content) + "\n")
        (tmp_path / "topics").write_text(json.dumps({"docid": IDS[0], "body": "x"}) + "\n")
        options = ("--topics", tmp_path / "topics", "--fix", tmp_path / "new")
        printed = run(tmp_path / "run", *options)[1]
        kept = json.loads((tmp_path / "new" / "run").read_text())["responses"]
        return [one["text"] for one in kept], printed

    return mended


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("It was dug [1, 2].", "It was dug."),
        ("It was dug. [1][2]", "It was dug."),
        ("It was dug.<|im_end|> </s>", "It was dug."),
        ("It was dug [3]<|eot_id|>", "It was dug"),
        ("It [1] was dug.", "It [1] was dug."),
    ],
)
def test_leftovers_at_the_end_of_a_sentence_are_taken_off(mend, text, now):
    texts, printed = mend(text, "Peat burns.")
    assert texts == [now, "Peat burns."]
    assert ("mended: " in printed) == (text != now)
    assert ("[model-leftovers]" in printed) == (text == now)


def test_a_mark_stays_where_a_sentence_cites_nothing_else(mend):
    assert mend("It was dug [1].", citations=())[0] == ["It was dug [1]."]


@pytest.mark.parametrize("mark", ["<think>", "</think>", "<|im_start|>assistant", "[INST]"])
def test_thoughts_of_a_model_never_become_text_of_a_report(mend, mark, tmp_path):
    given = ["word " * 200 + "ends.", f"{mark} The user wants a report.", "word " * 90 + "ends."]
    texts, printed = mend(*given)
    assert texts == given
    found = mark.removesuffix("assistant")
    assert f"not mended: {tmp_path}/run:1: sentences left as they are: only a person" in printed
    assert f"can tell what '{found}' leaves of them" in printed
    assert "error [report-words]" in printed
    assert "[model-leftovers]" in printed


def test_thoughts_of_a_model_are_not_disguised_in_a_question(tmp_path):
    question = "<think> Who \u202f owns it?"
    (tmp_path / "run").write_text(f"{IDS[0]}\tt\tr\t1\t{question}\n")
    printed = run(tmp_path / "run", "--fix", tmp_path / "new")[1]
    assert not (tmp_path / "new" / "run").exists()
    assert "[active-text]" in printed


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
