import json

import pytest

from sidelight.errors import InputError, ReplyError, UsageError
from sidelight.formats.topics import write_narratives
from sidelight.schemas.topic import Narrative
from tests.helpers.asking.conversation import scripted
from tests.helpers.commands import call, said

NAMES = ("small_doc_00_0#0_0", "small_doc_00_0#1_1")


def graded(grade):
    return json.dumps({"covered": [], "beside": "none", "grade": str(grade)})


def assess(folder, index, *arguments, parts=1):
    narrative = Narrative(
        topic_id="1", narrative="Who sold it?", sub_questions=("Who?", "What?")[:parts]
    )
    write_narratives(folder / "topics.jsonl", [narrative])
    given = (*arguments, "--topics", folder / "topics.jsonl", "--index", index.path)
    return "\n".join(call("assess", "relevance", *given, "-o", folder / "qrels"))


@pytest.fixture
def asked(monkeypatch):
    """Who is asked, by the name that a command gives."""
    asked = {
        "one": scripted(graded(3), graded(0)),
        "two": scripted(graded(3), graded(1)),
        "lost": scripted(graded(3), *["no grade"] * 6),
    }

    async def ask(named, _, work):
        return await work({one.name: asked[one.name].model for one in named.models})

    monkeypatch.setattr("sidelight.cli.assess.ask", ask)
    return asked


@pytest.fixture
def runs(tmp_path):
    """Two runs that share a passage; the last line is below the depth asked for."""
    paths = [tmp_path / "a.trec", tmp_path / "b.trec"]
    paths[0].write_text(f"1 Q0 {NAMES[0]} 1 2.0 a\n")
    paths[1].write_text(f"1 Q0 {NAMES[0]} 1 2.0 b\n1 Q0 {NAMES[1]} 2 1.5 b\n1 Q0 x 3 1.0 b\n")
    return paths


def test_each_passage_of_any_run_is_graded_once(tmp_path, small_index, asked, runs):
    shown = assess(tmp_path, small_index, *runs, "--depth", 2, "--model", "one")
    assert "2 passages of 1 narrative, 0 unjudged" in shown
    assert (tmp_path / "qrels").read_text() == f"1 0 {NAMES[0]} 3\n1 0 {NAMES[1]} 0\n"
    assert not (tmp_path / "qrels.votes.csv").exists()
    asked["one"].script.assert_finished()
    assert "1. Who?" in asked["one"].user()
    # What nobody could grade has no label.
    shown = assess(tmp_path, small_index, runs[1], "--depth", 2, "--model", "lost")
    assert "2 passages of 1 narrative, 1 unjudged" in shown
    assert f"without a usable answer: 1 {NAMES[1]}; the same command asks" in shown
    assert (tmp_path / "qrels").read_text() == f"1 0 {NAMES[0]} 3\n"
    # Nothing at all is an error, and no file: an empty one would be no qrels.
    (tmp_path / "qrels").unlink()
    with pytest.raises(ReplyError, match="2 passages: expected a usable answer to some"):
        assess(tmp_path, small_index, runs[1], "--depth", 2, "--model", "lost")
    assert not (tmp_path / "qrels").exists()


def test_several_models_vote(tmp_path, small_index, asked, runs):
    three = [part for name in asked for part in ("--model", name)]
    assess(tmp_path, small_index, runs[1], "--depth", 2, *three)
    assert (tmp_path / "qrels").read_text() == f"1 0 {NAMES[0]} 3\n1 0 {NAMES[1]} 0\n"
    rows = (tmp_path / "qrels.votes.csv").read_text().splitlines()
    assert rows[0] == "query,segment,majority,one,two,lost"
    assert rows[2] == f"1,{NAMES[1]},0,0,1,"


def test_what_cannot_be_graded_is_named(tmp_path, small_index, asked, runs):
    with pytest.raises(InputError, match="1 missing, the first x"):
        assess(tmp_path, small_index, runs[1], "--model", "one")
    with pytest.raises(InputError, match="narrative 1 of the runs with its sub-narratives"):
        assess(tmp_path, small_index, *runs, "--model", "one", parts=0)
    other = tmp_path / "other.trec"
    other.write_text(f"2 Q0 {NAMES[0]} 1 2.0 a\n")
    with pytest.raises(InputError, match="found no such narrative"):
        assess(tmp_path, small_index, other, "--model", "one")


def test_grades_are_handed_in_as_a_run(tmp_path, small_index, asked, runs):
    three = [part for name in asked for part in ("--model", name)]
    ours = ("--track", "rag2025", "--run-id", "lamp-rj")
    assess(tmp_path, small_index, runs[1], "--depth", 2, *three, *ours)
    handed_in = tmp_path / "qrels"
    assert handed_in.read_text() == (
        f"1 Q0 {NAMES[0]} 3 1 lamp-rj\n1 Q0 {NAMES[1]} 0 0.3333 lamp-rj\n"
    )
    with pytest.raises(UsageError, match=r"(?s)DRAGUN takes no judgments.*organizer keep"):
        said("pack", handed_in, "-o", tmp_path / "other")
    with pytest.raises(UsageError, match="takes no relevance judgments"):
        assess(
            tmp_path, small_index, *runs, "--model", "one", "--track", "rag2024", "--run-id", "x"
        )
