import json
from functools import partial

import pytest

from sidelight.errors import UsageError
from sidelight.formats.topics import read_narratives
from sidelight.schemas.topic import Narrative
from sidelight.wiring import run
from tests.helpers.asking.conversation import scripted
from tests.helpers.commands import call, said

split = partial(said, "split")


def test_narratives_get_what_they_come_down_to(tmp_path, monkeypatch):
    def listed(*texts):
        rows = [{"text": text, "importance": "vital"} for text in texts]
        return json.dumps({"sub_narratives": rows})

    asked = scripted(listed("Who?", "Why?"), listed("Who pays?"), *["No list."] * 2)

    async def ask(_, __, work):
        return await work({"one": asked.model})

    monkeypatch.setattr(run, "ask", ask)
    topics, made = tmp_path / "topics.tsv", tmp_path / "topics.jsonl"
    topics.write_text("1\tWho pays for it, and why?\n")
    given = ("--topics", topics, "--track", "rag2026", "--cache", tmp_path, "-o", made)
    assert "1 sub-narrative of 1 narrative" in split(*given, "--model", "one")
    narrative = Narrative(
        topic_id="1", narrative="Who pays for it, and why?", sub_questions=("Who pays?",)
    )
    assert read_narratives(made) == (narrative,)
    # One that no reply could be read for stays as it was, and is named.
    assert "1: no sub-narratives" in "".join(call("split", *given, "--model", "one", code=1))
    assert read_narratives(made) == (narrative.model_copy(update={"sub_questions": ()}),)
    with pytest.raises(UsageError, match="one that drafts and one that revises"):
        split(*given, *("--model", "a", "--model", "b", "--model", "c"))
