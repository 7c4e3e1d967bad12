"""What the prompted judge asks, in which order, and what it makes of the answers of its models."""

import asyncio
import json
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import FailedCallError, ModelUnavailableError
from sidelight.evaluation.labelling import asking
from sidelight.evaluation.labelling.asking import PrefixOrder
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import Mode, RubricCase
from sidelight.evaluation.labelling.judges import PromptedJudge, combined
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY, REPORT_ANSWERS
from sidelight.evaluation.labelling.rubric_labels import SIMILARITY_PROMPTS
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedQuestion
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from tests.helpers.asking.conversation import scripted
from tests.helpers.labels.asked import on_compound, on_questions, on_report
from tests.helpers.labels.labelled import question, report, rubric
from tests.helpers.labels.toy import answer
from tests.helpers.labels.toy import pair as pair_label
from tests.helpers.models.reading_model import FENCED, ReadingModel
from tests.helpers.models.scripted_model import ScriptedModel

ARTICLE = Article(topic_id="t1", url="https://a.example/1", title="A title", body="The body.")
RUBRIC = Rubric(topic_id="t1", questions=rubric("t1").questions[:2])
QUESTIONS = [question("t1", rank, "mine") for rank in (1, 2, 3)]
EXAMPLES = Examples(
    rubrics={"t1": RUBRIC},
    questions={
        ("shown", "t1", 1): question("t1", 4, "shown").model_copy(update={"text": "Who\n is it?"}),
        ("shown", "t1", 2): question("t1", 5, "shown").model_copy(update={"text": "Why so?"}),
    },
    reports={("shown", "t1"): report("t1", "shown")},
    question_labels=(pair_label("t1", 2, "shown", 1, "similar"),),
    answer_labels=(answer("t1", "shown", "na-2", "partial"),),
)


class Bench:
    """A prompted judge with a script, and what it asked."""

    def __init__(self, *replies, mode=Mode.PAIRWISE, examples=None):
        asked, self.model, self.records = scripted(*replies)
        self.judge = PromptedJudge({"scripted": asked}, {"t1": ARTICLE}, examples, mode)

    def questions(self, *texts):
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

    def answers(self):
        found = on_report(self.judge, RUBRIC, report("t1", "mine"))
        self.model.assert_finished()
        return [item.label for item in found]

    def sections(self, place=0):
        return dict(FENCED.findall(self.model.requests[place].messages[-1].content))


def pair(label):
    return json.dumps({"reason": "so it is", "label": label})


def listed(*labels, names="q1 q2 q3", key="question_id"):
    return json.dumps(
        {
            "labels": [
                {key: name, "reason": "so it is", "label": label}
                for name, label in zip(names.split(), labels, strict=True)
            ]
        }
    )


def told(*labels, names="na-1 na-2"):
    return listed(*labels, names=names, key="answer_id")


def grid(**labels):
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


def test_pairs_are_asked_about_one_by_one_by_list_and_as_a_grid():
    bench = Bench(*map(pair, ["very-similar", "similar", "different"] * 2))
    assert bench.questions() == [["very-similar", "similar", "different"]] * 2
    asked = {
        (sections["target"], sections["candidate"]) for sections in map(bench.sections, range(6))
    }
    assert asked == {(wanted.text, one.text) for wanted in RUBRIC.questions for one in QUESTIONS}
    bench = Bench(
        listed("similar", "different", "very-similar"),
        listed("different", "similar", "very-different", names="q3 q1 q2"),
        mode=Mode.LISTWISE,
    )
    assert bench.questions() == [
        ["similar", "different", "very-similar"],
        ["similar", "very-different", "different"],
    ]
    bench = Bench(
        grid(q2="similar very-different", q1="very-similar different", q3="different similar"),
        mode=Mode.GRID,
    )
    assert bench.questions() == [
        ["very-similar", "similar", "different"],
        ["different", "very-different", "similar"],
    ]


def test_a_report_is_judged_in_one_call_and_so_is_a_compound_question():
    bench = Bench(told("contradicts", "partial", names="na-2 na-1"))
    assert bench.answers() == ["partial", "contradicts"]
    assert bench.sections()["report"] == report("t1").text
    bench = Bench(
        json.dumps({"reason": "two things", "verdict": "compound"}),
        json.dumps({"reason": "one thing", "verdict": "single"}),
    )
    found = on_compound(bench.judge, RUBRIC, QUESTIONS[:2])
    bench.model.assert_finished()
    seen = [(item.label, item.rationale) for item in found]
    assert seen == [("compound", "two things"), ("not-compound", "one thing")]
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
    bench = Bench(*[listed("similar", "different", names="q1 q2")] * 2, mode=Mode.LISTWISE)
    assert bench.questions("Who?", " ", "Why?") == [["similar", "very-different", "different"]] * 2


def test_examples_are_shown_with_a_label_for_every_pair_and_every_answer():
    bench = Bench(*map(pair, ["similar"] * 2), examples=EXAMPLES)
    bench.questions("Who?")
    found = bench.sections(0)["examples"]
    assert found == "- very-different: Who is it?\n- very-different: Why so?"
    assert bench.sections(1)["examples"] == "- similar: Who is it?\n- very-different: Why so?"
    bench = Bench(grid(q1="similar different"), examples=EXAMPLES, mode=Mode.GRID)
    bench.questions("Who?")
    assert bench.sections()["examples"] == "- t2 similar: Who is it?\n- none: Why so?"
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


def kept_of(labels):
    """Name the labels that were kept; those that are unjudged are `-`."""
    return " ".join("-" if isinstance(label, Unjudged) else label for label in labels)


@pytest.mark.parametrize(
    ("mode", "bad", "kept"),
    [
        *(
            (Mode.LISTWISE, listed(*labels.split(), names=names), kept)
            for labels, names, kept in [
                ("similar similar", "q1 q2", "similar similar -"),
                ("similar different similar different", "q1 q1 q2 q3", "- similar different"),
                ("similar similar similar", "q1 q2 q4", "similar similar -"),
                ("similar similar same", "q1 q2 q3", "- - -"),
            ]
        ),
        (Mode.LISTWISE, "similar", "- - -"),
        (
            Mode.GRID,
            grid(q1="similar similar", q2="similar similar", q3="similar similar similar"),
            "similar similar similar",
        ),
        (Mode.GRID, grid(q1="similar similar", q2="different similar"), "similar different -"),
    ],
)
def test_what_a_reply_does_not_cover_is_repaired_once_then_unjudged(mode, bad, kept):
    n_calls = 2 if mode is Mode.LISTWISE else 1
    bench = Bench(*[bad] * 2 * n_calls, mode=mode)
    row = bench.questions()[0]
    assert kept_of(row) == kept
    assert sum(record.repair for record in bench.records) == n_calls
    assert all("does not fit" in one.reason for one in row if isinstance(one, Unjudged))


def test_a_repaired_reply_counts_in_full_and_what_cannot_be_read_is_unjudged():
    bench = Bench(told("supports", names="na-2"), told("supports", "none"))
    assert bench.answers() == ["supports", "none"]
    note = bench.model.requests[1].messages[-1].content
    assert "missing: na-1" in note
    bench = Bench(pair("similar"), pair("identical"), pair("identical"))
    (first,), (second,) = bench.questions("Who?")
    assert first == "similar"
    assert isinstance(second, Unjudged)
    with pytest.raises(ModelUnavailableError):
        Bench(ModelUnavailableError("gone")).answers()
    for bad, kept in [
        (told("supports", "partial", "supports", names="na-1 na-2 na-3"), "supports partial"),
        (told("supports", "supports", names="na-1 na-1"), "- -"),
        (told("fully-supports", "none"), "- -"),
        (FailedCallError("the line went dead"), "- -"),
    ]:
        assert kept_of(Bench(bad, bad).answers()) == kept


def test_of_prompts_that_begin_alike_one_goes_ahead():
    peaks = []

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


def test_the_version_holds_the_model_the_mode_the_prompts_and_the_examples():
    versions = {mode: Bench(mode=mode).judge.version for mode in Mode}
    assert len(set(versions.values())) == 3
    for mode, version in versions.items():
        assert version.startswith(f"2 (scripted, {mode}, prompts ")
    instrument = Bench(mode=Mode.GRID).judge.instrument
    assert instrument.prompts["question_grid"] == SIMILARITY_PROMPTS[Mode.GRID].fingerprint
    assert set(instrument.prompts) == {"compound", "question_grid", "report_answers"}
    changed = instrument.model_copy(update={"prompts": instrument.prompts | {"compound": "x"}})
    assert changed.summary != instrument.summary
    assert "examples" not in Bench().judge.version
    assert Bench(examples=EXAMPLES).judge.version.endswith(f"examples {EXAMPLES.fingerprint})")


class Server:
    """Takes note of who comes in; lets all of them out together, when told."""

    def __init__(self):
        self.order = PrefixOrder()
        self.inside = []
        self._out = asyncio.Event()

    async def visit(self, *prefix, name, fails=False):
        async with self.order.turn(*prefix):
            self.inside.append(name)
            await self._out.wait()
            if fails:
                raise EOFError

    async def let_out(self):
        """Return who is inside, and let them go."""
        for _ in range(20):
            await asyncio.sleep(0)
        inside, self.inside = self.inside, []
        self._out.set()
        self._out = asyncio.Event()
        return inside


def test_one_goes_ahead_for_each_part_of_a_prefix():
    async def run():
        server = Server()
        async with asyncio.TaskGroup() as group:
            prefixes = ("t1 q1", "t1 q1", "t1 q2", "t2 q1", "t1 q2", "t2 q1")
            for number, prefix in enumerate(prefixes):
                group.create_task(server.visit(*prefix.split(), name=f"{prefix} #{number}"))
            return [await server.let_out() for _ in range(3)]

    first, second, third = asyncio.run(run())
    assert first == ["t1 q1 #0", "t2 q1 #3"]  # one for each topic
    # The prefix `t1 q1` is there by now; one goes ahead for `t1 q2`.
    assert sorted(second) == ["t1 q1 #1", "t1 q2 #2", "t2 q1 #5"]
    assert third == ["t1 q2 #4"]


def test_who_goes_ahead_may_fail_and_prompts_in_memory_are_bounded(monkeypatch):
    async def run():
        server = Server()
        ahead = asyncio.create_task(server.visit("t1", name="ahead", fails=True))
        behind = asyncio.create_task(server.visit("t1", name="behind"))
        assert await server.let_out() == ["ahead"]
        with pytest.raises(EOFError):
            await ahead
        inside = await server.let_out()
        await behind
        return inside

    assert asyncio.run(run()) == ["behind"]
    monkeypatch.setattr(asking, "_ADMITTED", 2)

    async def run():
        server = Server()
        async with asyncio.TaskGroup() as group:
            for name in "abcd":
                group.create_task(server.visit(name, name=name))
            return [await server.let_out() for _ in range(2)]

    assert asyncio.run(run()) == [["a", "b"], ["c", "d"]]


SCALES = load_track().scales

NONE = Unjudged(reason="no answer")


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        ("similar", "similar"),
        ("similar similar very-different", "similar"),  # most say so
        ("very-similar different very-different", "different"),  # the median of three
        ("very-similar very-different", "very-different"),  # the lower of two
        ("very-similar similar different very-different", "different"),
        ("supports supports none", "supports"),
        ("supports none", "none"),
        ("contradicts contradicts supports", "contradicts"),  # two of three
        ("contradicts supports supports", "supports"),  # none, supports, supports
        ("contradicts supports partial", "partial"),  # none, partial, supports
        ("contradicts contradicts supports supports", "none"),  # half is not most
        ("contradicts none", "none"),
        ("compound not-compound", "not-compound"),
        ("compound compound not-compound", "compound"),
        ("- similar similar", "similar"),
        ("- contradicts contradicts", "contradicts"),
        *(("- similar", None), ("- - similar", None), ("-", None)),
    ],
)
def test_labels_of_several_models_become_one(votes, label):
    given = votes.split()
    named = next((vote for vote in given if vote != "-"), "similar")
    scale = next(scale for scale in SCALES.values() if named in scale.names)
    for order in permutations(NONE if vote == "-" else vote for vote in given):
        found = combined(order, scale)
        assert isinstance(found, Unjudged) if label is None else found == label


@given(st.lists(st.sampled_from(SCALES["answers"].names), min_size=1, max_size=7))
def test_a_majority_always_wins(votes):
    most = [label for label in SCALES["answers"].names if 2 * votes.count(label) > len(votes)]
    assert combined(votes, SCALES["answers"]) in (most or SCALES["answers"].names)


def test_the_instrument_and_the_rationale_name_all_models():
    class Contrary(ReadingModel):
        def PairVerdict(self, sections, order):  # noqa: N802
            return {"reason": "just so", "label": "very-different"}

    article = Article(topic_id="t1", body="The body.")
    models = [ReadingModel("one"), ReadingModel("two"), Contrary("three")]
    asked = {model.name: PromptedModel(model, Sampling(), lambda _: None) for model in models}
    judge = PromptedJudge(asked, {"t1": article})
    wanted = rubric("t1")
    text = wanted.questions[0].text
    same = SubmittedQuestion(topic_id="t1", team_id="x", run_id="x", rank=1, text=text)
    found = on_questions(judge, wanted, [same])[0]
    assert found.label == "very-similar"
    assert found.rationale == (
        "one: very-similar (words); two: very-similar (words); three: very-different (just so)"
    )
    assert judge.instrument.models == ("one", "two", "three")
    assert judge.instrument.rule == (
        "median of the labels, the lower of two; contradicts where most say so, otherwise it "
        "counts as none; unjudged unless most gave a label"
    )
    assert PromptedJudge({"one": asked["one"]}, {}).instrument.rule == "one model"
    assert judge.version.startswith("2 (one + two + three, pairwise, prompts ")
