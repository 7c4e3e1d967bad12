"""What the prompted judge asks, and what it makes of the answers."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from sidelight.errors import FailedCallError, ModelUnavailableError
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import Mode, RubricCase
from sidelight.evaluation.labelling.judges import PromptedJudge
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY, REPORT_ANSWERS
from sidelight.evaluation.labelling.rubric_labels import SIMILARITY_PROMPTS
from sidelight.llm.prompted import CallRecord, PromptedModel, Sampling
from sidelight.schemas.grading.judgment import AnswerAssessment, QuestionAssessment, Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.topic import Article
from tests.helpers.labels.asked import on_compound, on_questions, on_report
from tests.helpers.labels.labelled import question, report, rubric
from tests.helpers.models.reading_model import FENCED
from tests.helpers.models.scripted_model import Line, ScriptedModel

ARTICLE = Article(topic_id="t1", url="https://a.example/1", title="A title", body="The body.")
RUBRIC = Rubric(topic_id="t1", questions=rubric("t1").questions[:2])
ANSWERS = ["na-1", "na-2"]
QUESTIONS = [question("t1", rank, "mine") for rank in (1, 2, 3)]
EXAMPLES = Examples(
    rubrics={"t1": RUBRIC},
    questions={
        ("shown", "t1", 1): question("t1", 4, "shown").model_copy(update={"text": "Who\n is it?"}),
        ("shown", "t1", 2): question("t1", 5, "shown").model_copy(update={"text": "Why so?"}),
    },
    reports={("shown", "t1"): report("t1", "shown")},
    question_labels=(
        QuestionAssessment(
            topic_id="t1",
            rubric_question_rank=2,
            run_tag="shown",
            run_question_rank=1,
            label="similar",
        ),
    ),
    answer_labels=(
        AnswerAssessment(topic_id="t1", run_tag="shown", answer_id="na-2", label="partial"),
    ),
)


class Bench:
    """A prompted judge with a script, and what it asked."""

    def __init__(
        self, *replies: Line | Any, mode: Mode = Mode.PAIRWISE, examples: Examples | None = None
    ) -> None:
        self.model = ScriptedModel(replies)
        self.records: list[CallRecord] = []
        asked = PromptedModel(self.model, Sampling(), self.records.append)
        self.judge = PromptedJudge({"scripted": asked}, {"t1": ARTICLE}, examples, mode)

    def questions(self, *texts: str) -> list[list[Any]]:
        """Return the labels by rubric question, then submitted question."""
        submitted = [
            given.model_copy(update={"text": text})
            for given, text in zip(QUESTIONS, texts, strict=False)
        ] or QUESTIONS
        found = on_questions(self.judge, RUBRIC, submitted)
        self.model.assert_finished()
        labels = [item.label for item in found]
        width = len(submitted)
        return [labels[start : start + width] for start in range(0, len(labels), width)]

    def answers(self) -> list[Any]:
        found = on_report(self.judge, RUBRIC, report("t1", "mine"))
        self.model.assert_finished()
        return [item.label for item in found]

    def sections(self, place: int = 0) -> dict[str, str]:
        return dict(FENCED.findall(self.model.requests[place].messages[-1].content))


def pair(label: str) -> str:
    return json.dumps({"reason": "so it is", "label": label})


def listed(*labels: str, names: str = "q1 q2 q3", key: str = "question_id") -> str:
    return json.dumps(
        {
            "labels": [
                {key: name, "reason": "so it is", "label": label}
                for name, label in zip(names.split(), labels, strict=True)
            ]
        }
    )


def told(*labels: str, names: str = "na-1 na-2") -> str:
    return listed(*labels, names=names, key="answer_id")


def grid(**labels: str) -> str:
    return json.dumps(
        {
            "candidates": [
                {
                    "question_id": name,
                    "reason": "so it is",
                    "labels": [
                        {"target_id": f"t{number}", "label": label}
                        for number, label in enumerate(row.split(), start=1)
                    ],
                }
                for name, row in labels.items()
            ]
        }
    )


def test_pairwise_asks_once_for_every_pair():
    bench = Bench(*map(pair, ["very-similar", "similar", "different"] * 2))
    assert bench.questions() == [["very-similar", "similar", "different"]] * 2
    asked = {
        (sections["target"], sections["candidate"]) for sections in map(bench.sections, range(6))
    }
    assert asked == {(wanted.text, one.text) for wanted in RUBRIC.questions for one in QUESTIONS}


def test_listwise_asks_once_for_every_rubric_question():
    bench = Bench(
        listed("similar", "different", "very-similar"),
        listed("different", "similar", "very-different", names="q3 q1 q2"),
        mode=Mode.LISTWISE,
    )
    assert bench.questions() == [
        ["similar", "different", "very-similar"],
        ["similar", "very-different", "different"],
    ]


def test_grid_asks_once():
    bench = Bench(
        grid(q2="similar very-different", q1="very-similar different", q3="different similar"),
        mode=Mode.GRID,
    )
    assert bench.questions() == [
        ["very-similar", "similar", "different"],
        ["different", "very-different", "similar"],
    ]


def test_a_report_is_judged_in_one_call():
    bench = Bench(told("contradicts", "partial", names="na-2 na-1"))
    assert bench.answers() == ["partial", "contradicts"]
    assert bench.sections()["report"] == report("t1").text


def test_a_compound_verdict_takes_one_call():
    bench = Bench(
        json.dumps({"reason": "two things", "verdict": "compound"}),
        json.dumps({"reason": "one thing", "verdict": "single"}),
    )
    found = on_compound(bench.judge, RUBRIC, QUESTIONS[:2])
    bench.model.assert_finished()
    assert [(item.label, item.rationale) for item in found] == [
        ("compound", "two things"),
        ("not-compound", "one thing"),
    ]


def test_a_reason_is_one_printable_line():
    bench = Bench(json.dumps({"reason": "two\r\n\x1b[31mthings\u202e", "verdict": "single"}))
    (found,) = on_compound(bench.judge, RUBRIC, QUESTIONS[:1])
    assert found.rationale == "two [31mthings"


def test_nobody_is_asked_about_nothing():
    for mode in Mode:
        assert Bench(mode=mode).questions(" \u200b", "", "\ufeff") == [["very-different"] * 3] * 2
    bench = Bench()
    empty = report("t1").model_copy(update={"responses": ()})
    found = on_report(bench.judge, RUBRIC, empty)
    assert [item.label for item in found] == ["none", "none"]
    blank = [QUESTIONS[0].model_copy(update={"text": "\u200b"})]
    (verdict,) = on_compound(bench.judge, RUBRIC, blank)
    assert verdict.label == "not-compound"


def test_a_blank_question_leaves_the_labels_of_others_in_place():
    bench = Bench(*[listed("similar", "different", names="q1 q2")] * 2, mode=Mode.LISTWISE)
    assert bench.questions("Who?", " ", "Why?") == [["similar", "very-different", "different"]] * 2


def test_pairs_that_people_were_not_asked_about_are_shown_as_very_different():
    bench = Bench(*map(pair, ["similar"] * 2), examples=EXAMPLES)
    bench.questions("Who?")
    assert bench.sections(0)["examples"] == (
        "- very-different: Who is it?\n- very-different: Why so?"
    )
    assert bench.sections(1)["examples"] == "- similar: Who is it?\n- very-different: Why so?"
    bench = Bench(grid(q1="similar different"), examples=EXAMPLES, mode=Mode.GRID)
    bench.questions("Who?")
    assert bench.sections()["examples"] == "- t2 similar: Who is it?\n- none: Why so?"


def test_example_reports_are_shown_with_a_label_for_every_answer():
    bench = Bench(told("none", "none"), examples=EXAMPLES)
    bench.answers()
    assert bench.sections()["example 1"] == report("t1").text
    assert bench.sections()["labels 1"] == "- na-1: none\n- na-2: partial"


@pytest.mark.parametrize("mode", Mode)
def test_prompts_of_a_topic_differ_only_behind_what_they_share(mode):
    def told_before(request):
        return request.messages[-1].content.split("<<<BEGIN candidate")[0]

    answer = {
        Mode.PAIRWISE: [pair("similar")] * 2,
        Mode.LISTWISE: [listed("similar", names="q1")] * 2,
        Mode.GRID: [grid(q1="similar similar")],
    }[mode]
    asked = []
    for text in ("Who?", "Why?"):
        bench = Bench(*answer, mode=mode, examples=EXAMPLES)
        bench.questions(text)
        asked.append([told_before(request) for request in bench.model.requests])
        order = [
            bench.model.requests[0].messages[-1].content.index(f"<<<BEGIN {name}")
            for name in ("article", "target", "examples", "candidate")
        ]
        assert order == sorted(order)
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == len(answer)


@pytest.mark.parametrize(
    ("mode", "bad", "kept"),
    [
        (Mode.LISTWISE, listed("similar", "similar", names="q1 q2"), ["similar", "similar", None]),
        (
            Mode.LISTWISE,
            listed("similar", "different", "similar", "different", names="q1 q1 q2 q3"),
            [None, "similar", "different"],
        ),
        (
            Mode.LISTWISE,
            listed("similar", "similar", "similar", names="q1 q2 q4"),
            ["similar", "similar", None],
        ),
        (Mode.LISTWISE, listed("similar", "similar", "same"), [None, None, None]),
        (Mode.LISTWISE, "similar", [None, None, None]),
        (
            Mode.GRID,
            grid(q1="similar similar", q2="similar similar", q3="similar similar similar"),
            ["similar", "similar", "similar"],
        ),
        (
            Mode.GRID,
            grid(q1="similar similar", q2="different similar"),
            ["similar", "different", None],
        ),
    ],
)
def test_what_a_reply_does_not_cover_is_repaired_once_then_unjudged(mode, bad, kept):
    n_calls = 2 if mode is Mode.LISTWISE else 1
    bench = Bench(*[bad] * 2 * n_calls, mode=mode)
    row = bench.questions()[0]
    assert [None if isinstance(label, Unjudged) else str(label) for label in row] == kept
    assert sum(record.repair for record in bench.records) == n_calls
    for label in row:
        if isinstance(label, Unjudged):
            assert "no valid" in label.reason


def test_a_repaired_reply_counts_in_full():
    bench = Bench(told("supports", names="na-2"), told("supports", "none"))
    assert bench.answers() == ["supports", "none"]
    note = bench.model.requests[1].messages[-1].content
    assert "missing: na-1" in note


@pytest.mark.parametrize(
    ("bad", "kept"),
    [
        (told("supports", "partial", "supports", names="na-1 na-2 na-3"), ["supports", "partial"]),
        (told("supports", "supports", names="na-1 na-1"), [None, None]),
        (told("fully-supports", "none"), [None, None]),
        (FailedCallError("the line went dead"), [None, None]),
    ],
)
def test_answers_that_cannot_be_read_are_unjudged(bad, kept):
    labels = Bench(bad, bad).answers()
    assert [None if isinstance(label, Unjudged) else str(label) for label in labels] == kept


def test_a_pair_that_cannot_be_read_is_unjudged():
    bench = Bench(pair("similar"), pair("identical"), pair("identical"))
    (first,), (second,) = bench.questions("Who?")
    assert first == "similar"
    assert isinstance(second, Unjudged)


def test_of_prompts_that_begin_alike_one_goes_ahead():
    peaks: list[int] = []

    class Slow(ScriptedModel):
        under_way = 0

        async def complete(self, request):
            self.under_way += 1
            peaks.append(self.under_way)
            await asyncio.sleep(0.01)
            self.under_way -= 1
            return await super().complete(request)

    model = Slow([grid(q1="similar similar")] + [told("none", "none")] * 3)
    asked = PromptedModel(model, Sampling(), lambda _: None)
    judge = PromptedJudge({"slow": asked}, {"t1": ARTICLE}, mode=Mode.GRID)
    reports = [report("t1", tag) for tag in ("one", "two", "three")]

    async def work():
        await judge.label(QUESTION_SIMILARITY, RubricCase(RUBRIC, QUESTIONS[:1]))
        asked = (judge.label(REPORT_ANSWERS, RubricCase(RUBRIC, item)) for item in reports)
        await asyncio.gather(*asked)

    asyncio.run(work())
    # The rules of the two prompts differ, so the first report computes them for the others.
    assert peaks == [1, 1, 1, 2]


def test_a_model_that_is_gone_ends_the_work():
    with pytest.raises(ModelUnavailableError):
        Bench(ModelUnavailableError("gone")).answers()


def test_the_version_holds_the_model_the_mode_and_the_prompts():
    versions = {mode: Bench(mode=mode).judge.version for mode in Mode}
    assert len(set(versions.values())) == 3
    for mode, version in versions.items():
        assert version.startswith(f"2 (scripted, {mode}, prompts ")
    instrument = Bench(mode=Mode.GRID).judge.instrument
    assert instrument.prompts["question_grid"] == SIMILARITY_PROMPTS[Mode.GRID].fingerprint
    assert set(instrument.prompts) == {"compound", "question_grid", "report_answers"}
    changed = instrument.model_copy(update={"prompts": instrument.prompts | {"compound": "x"}})
    assert changed.summary != instrument.summary


def test_the_version_holds_the_examples():
    relabelled = replace(
        EXAMPLES, answer_labels=(replace(EXAMPLES.answer_labels[0], label="supports"),)
    )
    versions = {Bench(examples=shown).judge.version for shown in (None, EXAMPLES, relabelled)}
    assert len(versions) == 3
    assert Bench(examples=EXAMPLES).judge.version.endswith(f"examples {EXAMPLES.fingerprint})")
