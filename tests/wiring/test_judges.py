"""Judges are made from what they ask for, and what they lack is found before anything is opened."""

import numpy as np
import pytest

from sidelight.errors import UsageError
from sidelight.evaluation.labelling.judge import Judge
from sidelight.learned.ordinal_model import weights_hash
from sidelight.text_vectors import SentenceEncoder
from sidelight.wiring.judges import JudgeInputs, judge_class, make_judge, set_up_judge
from sidelight.wiring.models import models_by_name
from tests.helpers.labels.labelled import examples, rubric
from tests.helpers.vectors import words_of

RUBRICS = {"t1": rubric("t1")}
PLAIN = "tests.helpers.labels.plain_judge:PlainJudge"


class TaughtJudge(Judge):
    """A judge that cannot do without examples."""

    name, version = "taught", "1"

    def __init__(self, examples):
        self.examples = examples
        self.labellers = {}


class MindfulJudge(Judge):
    """A judge that asks one model and wants no articles."""

    name, version = "mindful", "1"

    def __init__(self, models):
        self.labellers = {}
        self.models = models


TAUGHT, MINDFUL = (
    f"tests.wiring.test_judges:{one.__name__}" for one in (TaughtJudge, MindfulJudge)
)


def unwanted():
    raise AssertionError("nobody asked for it")


def test_what_a_judge_does_not_ask_for_is_not_made():
    judge = make_judge(PLAIN, JudgeInputs(RUBRICS, encoder=unwanted, articles=unwanted))
    assert (judge.name, judge.kind, judge.example_run_tags) == ("plain", "embedded", frozenset())
    assert set_up_judge("embedded", JudgeInputs(RUBRICS, encoder=unwanted)).asked.models == ()


def test_what_it_asks_for_it_gets():
    def encode(texts):
        return np.ones((len(texts), 384), dtype=np.float32)

    encoder = SentenceEncoder("toy", encode, words_of(encode))
    inputs = JudgeInputs(RUBRICS, examples(), encoder=lambda: encoder, min_confidence=0.5)
    judge = make_judge("embedded", inputs)
    learned = "weights " + "+".join(
        map(weights_hash, ("similarity", "answers", "framing", "support"))
    )
    shown = f"examples {examples().fingerprint}"
    assert judge.version == f"8 (toy, {learned}, {shown}, from 0.5)"
    assert judge.example_run_tags == {"example-t1", "example-t2"}
    by_words = "+".join(
        map(weights_hash, ("similarity-words", "answers-words", "framing-words", "support"))
    )
    version = make_judge("embedded", JudgeInputs(RUBRICS, encoder=None)).version
    assert version == f"8 (words only, weights {by_words})"


def test_what_it_lacks_is_named_with_its_option():
    for name, lacking, option in (
        ("prompted", "a model and the articles", r"--model NAME.*--topics FILE"),
        (TAUGHT, "labelled examples", "--examples FOLDER"),
        (MINDFUL, "a model", "--model NAME"),
    ):
        with pytest.raises(UsageError, match=f"(?s)needs {lacking}\n.*{option}"):
            make_judge(name, JudgeInputs(RUBRICS))
    assert make_judge(TAUGHT, JudgeInputs(examples=examples())).examples == examples()
    assert judge_class(TAUGHT, {"examples"}) is not None


def test_a_model_for_a_judge_that_asks_none_is_refused():
    with pytest.raises(UsageError, match="--model needs a judge that asks"):
        set_up_judge(PLAIN, JudgeInputs(RUBRICS), models_by_name(["tiny"], 4))
    with pytest.raises(UsageError, match="--estimate needs a judge that asks"):
        set_up_judge(PLAIN, JudgeInputs(RUBRICS)).estimate(unwanted, 1)
