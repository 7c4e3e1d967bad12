import json
from functools import partial

import pytest

from sidelight.agents.answer import read_narrative
from sidelight.errors import UsageError
from sidelight.formats.topics import read_narratives
from sidelight.schemas.topic import Narrative
from sidelight.wiring import run
from tests.helpers.asking.conversation import scripted
from tests.helpers.commands import call, said

split = partial(said, "split")


@pytest.fixture
def asked(monkeypatch):
    """Make the model that every command asks, by its replies."""

    def make(*replies):
        made = scripted(*replies)

        async def ask(_, __, work):
            return await work({"one": made.model})

        monkeypatch.setattr(run, "ask", ask)
        return made

    return make


def listed(**importance):
    rows = [{"text": f"{text}?", "importance": said} for text, said in importance.items()]
    return json.dumps({"sub_narratives": rows})


def test_narratives_get_what_they_come_down_to(tmp_path, asked):
    model = asked(listed(Who="vital", Why="vital"), listed(Who="vital", When="okay"))
    topics, made, queries = (tmp_path / name for name in ("topics.tsv", "made.jsonl", "q.jsonl"))
    topics.write_text("1\tWho pays for it, and why?\n")
    queries.write_text('{"id": "1", "queries": ["peat journal funding"]}\n')
    given = ("--topics", topics, "--track", "rag2026", "--cache", tmp_path, "-o", made)
    shown = split(*given, "--model", "one", "--queries", queries)
    assert "2 sub-narratives of 1 narrative" in shown
    assert "- peat journal funding" in model.user(0)
    narrative = Narrative(
        topic_id="1",
        narrative="Who pays for it, and why?",
        sub_questions=("Who?", "When?"),
        importance=("vital", "okay"),
    )
    assert read_narratives(made) == (narrative,)
    assert [one.weight for one in read_narrative(narrative).angles] == [1.0, 0.5]
    # One that no reply could be read for stays as it was, and is named.
    asked(*["No list."] * 2)
    assert "1: no sub-narratives" in "".join(call("split", *given, "--model", "one", code=1))
    assert [one.sub_questions for one in read_narratives(made)] == [()]
    with pytest.raises(UsageError, match="one that drafts and one that revises"):
        split(*given, *("--model", "a", "--model", "b", "--model", "c"))
    with pytest.raises(UsageError, match="nothing to split"):
        split("--model", "a", "--cache", tmp_path, "-o", made)


def test_narratives_are_written_from_searches(tmp_path, asked):
    text = "I want to know who pays. I also ask why."
    model = asked(json.dumps({"narrative": text}), listed(Who="vital"), listed(Who="vital"))
    queries, made = tmp_path / "q.jsonl", tmp_path / "made.jsonl"
    queries.write_text('{"id": "7", "queries": ["who pays journal", "why journal"]}\n')
    split("--queries", queries, "--model", "one", "--cache", tmp_path, "-o", made)
    model.script.assert_finished()
    (found,) = read_narratives(made)
    assert (found.topic_id, found.narrative, found.sub_questions) == ("7", text, ("Who?",))
