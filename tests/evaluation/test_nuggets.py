"""Nuggets made from documents, held against answers, and scored."""

import asyncio
import gzip
import json
from functools import partial

import orjson
import pytest

from sidelight.errors import InputError, StructuredOutputError
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.nuggets.create import (
    assign_learned,
    assign_prompted,
    assign_runs,
    create_nuggets,
    documents_to_read,
)
from sidelight.evaluation.scoring.measures import score_nuggets
from sidelight.formats.banks.nuggets import read_nugget_assignments, write_nugget_assignments
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetBank
from sidelight.tracks import load_track
from sidelight_research.people_labels import read_sentences
from sidelight_research.published import targets
from sidelight_research.trained_figures import score_judged_support
from tests.helpers.asking.conversation import scripted
from tests.helpers.labels.toy import report_run

IMPORTANCE = load_track("rag2025").scales["nugget_importance"]


def listed(*texts):
    return json.dumps({"nuggets": texts})


def weighed(*labels, first=1):
    numbered = enumerate(labels, start=first)
    return json.dumps({"labels": [{"number": n, "label": label} for n, label in numbered]})


def test_nuggets_are_listed_weighed_and_merged_in_windows():
    assert documents_to_read({"a": 1, "b": 0, "c": 3, "d": 1}) == ["c", "a", "d"]
    asked = scripted(listed())
    assert asyncio.run(create_nuggets("t", "?", ["Text."], [asked.model], IMPORTANCE)) is None
    documents = [f"Document {n}." for n in range(12)]
    asked = scripted(listed("One fact"), listed("One fact", "Two facts"), weighed("vital", "okay"))
    bank = asyncio.run(create_nuggets("t", "why?", documents, [asked.model], IMPORTANCE))
    found = [(one.text, one.importance.name) for one in bank.nuggets]
    assert found == [("One fact", "vital"), ("Two facts", "okay")]
    assert "Document 9." in asked.user(0)
    assert "Document 10." not in asked.user(0)
    assert "- One fact" in asked.user(1)
    facts = [f"Fact number {n}" for n in range(11)]
    asked = scripted(listed(*facts), weighed(*["okay"] * 10), weighed("vital"))
    bank = asyncio.run(create_nuggets("t", "why?", ["Text."], [asked.model], IMPORTANCE))
    assert [one.importance.name for one in bank.nuggets] == ["okay"] * 10 + ["vital"]
    first = scripted(listed("A fact"), listed("A fact", "B fact"), weighed("vital", "vital"))
    second = scripted(listed("B fact"))
    models = [first.model, second.model]
    bank = asyncio.run(create_nuggets("t", "why?", ["Text."], models, IMPORTANCE))
    assert len(bank.nuggets) == 2
    assert "BEGIN list 2" in first.user(1)
    first.script.assert_finished()


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        ([f"Fact {n}" for n in range(31)], "a length of at most 30"),
        (["a b c d e f g h i j k l m"], "13 words; expected 1 to 12"),
        (["A fact", "a  Fact"], "says what an earlier one does"),
        ([""], "0 words"),
    ],
)
def test_what_is_no_list_of_nuggets_is_refused(texts, says):
    asked = scripted(listed(*texts), listed(*texts))
    with pytest.raises(StructuredOutputError, match=says):
        asyncio.run(create_nuggets("t", "why?", ["Text."], [asked.model], IMPORTANCE))


# Nuggets held against answers: windows of ten, a label for each, the rest unjudged.
VITAL = load_track("rag2025").scales["nugget_importance"].label("vital")


def bank(*texts):
    return NuggetBank(
        topic_id="1", nuggets=tuple(Nugget(text=text, importance=VITAL) for text in texts)
    )


def labels(*given):
    rows = [
        {"number": number, "reason": "It says so.", "label": label}
        for number, label in enumerate(given, start=1)
    ]
    return json.dumps({"labels": rows})


def test_nuggets_are_assigned_with_and_without_a_model():
    asked = scripted(labels(*["support"] * 10), labels("not_support", "partial_support"))
    assigner = partial(assign_prompted, Assessor(asked.model))
    found = asyncio.run(assigner(bank(*(f"fact {n}" for n in range(12))), "why?", "An answer."))
    assert [one.label for one in found] == ["support"] * 10 + ["not_support", "partial_support"]
    assert "1. fact 10\n2. fact 11" in asked.user(1)
    asked = scripted(labels("support"), labels("support"))
    assigner = partial(assign_prompted, Assessor(asked.model))
    first, second = asyncio.run(assigner(bank("a fact", "b fact"), "why?", "An answer."))
    assert first.label == "support"
    assert isinstance(second.label, Unjudged)
    assert "missing: 2" in second.label.reason
    found = asyncio.run(assign_prompted(Assessor(scripted().model), bank("a fact"), "why?", " "))
    assert [one.label for one in found] == ["not_support"]
    text = "The Peat Association pays half of the journal's budget."
    run = report_run("r", **{"1": [text], "2": [text]})
    nuggets = bank("Peat Association pays half of the budget", "The moon is made of cheese")
    (found,) = asyncio.run(
        assign_runs(
            [run],
            {"1": nuggets},
            {"1": "who pays?"},
            partial(assign_learned, AnswerModel(None)),
        )
    )
    assert found.labels == ("support", "not_support")
    assert (found.run_tag, found.query, found.answer) == ("r", "who pays?", text)


SCALES = load_track("rag2025").scales


def line(run, topic, *labels, text="fact"):
    nuggets = [
        {"text": f"{text} {place}", "importance": "vital", "assignment": label}
        for place, label in enumerate(labels)
    ]
    content = {"qid": topic, "query": "why?", "run_id": run, "answer_text": "Two words."}
    return orjson.dumps({**content, "nuggets": nuggets}) + b"\n"


def test_assignments_are_scored_and_written_again(tmp_path):
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
        "unjudged": 0.0,  # what it did not submit is told as that
    }
    assert table.runs[0].values["unjudged"] == 0.25
    assert table.omitted == {"b": ("2",)}
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
        (
            line("a", "1", "support") + line("b", "1", "support", text="other"),
            "run a, topic 1: judged by 1 nugget",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, lines, says):
    path = tmp_path / "assigned.jsonl"
    path.write_bytes(lines)
    with pytest.raises(InputError, match=says):
        score_nuggets(read_nugget_assignments(path, SCALES), SCALES)


def test_the_figures_by_people_are_the_printed_ones(shared_data):
    """Those by the judge take minutes of training: `sidelight reproduce rag24-strict-vital`."""
    folder, printed = shared_data / "rag-2024", targets()["rag24-strict-vital"].printed

    def mean(table, name):
        return f"{sum(run.values[name] for run in table.runs) / len(table.runs):.3f}"

    assigned = read_nugget_assignments(folder / "nugget-assignments.jsonl.gz", SCALES)
    table = score_nuggets(assigned, SCALES)
    assert len(table.runs) == 45
    assert table.runs[0].run_tag == "listgalore_gpt4o_ragnarokv4_top20"
    assert table.runs[0].values["strict_vital_score"] == pytest.approx(0.6808, abs=5e-5)
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
