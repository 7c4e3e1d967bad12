"""Computations say what they need, and measures what they are."""

import re
from pathlib import Path

import pytest

from sidelight.errors import UsageError
from sidelight.evaluation.metrics.base import RECORDED, Computed, TopicRecord, declared
from sidelight.parts import KINDS
from sidelight.schemas.grading.judgment import Measure, Unjudged
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, NICE, rubric

TRACK = load_track()
OWN = {"stage_credit": {"stage": "written"}}  # what a computation cannot be made without
UNJUDGED = Unjudged(reason="no answer")


def test_the_docs_list_all_that_a_measure_may_ask_for():
    text = (Path(__file__).resolve().parents[3] / "docs" / "extending.md").read_text()
    (listed,) = re.findall(r"^- A measure may ask for: (.*?)\.$", text, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == list(RECORDED)


def record(**known: object) -> TopicRecord:
    return TopicRecord(scales=TRACK.scales, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", KINDS["measure"].own)
def test_every_computation_says_what_it_is_and_needs(name):
    measure = declared(name).model_copy(update={"parameters": OWN.get(name, {})})
    assert (measure.name, measure.computes) == (name, name)
    assert measure.title
    assert Computed(measure).needs <= set(RECORDED)


def test_what_is_not_known_and_not_needed_is_left_out():
    computed = Computed(declared("question_coverage"))
    assert computed.needs == {"bank", "pairs", "scales"}
    bank = rubric("t", (HAVE, 1), (NICE, 1))
    pairs = {(1, 1): "very-similar", (2, 2): "very-similar"}
    assert computed(record(bank=bank, pairs=pairs)) == 1
    # Of 4 + 1, the second question is compound.
    assert computed(record(bank=bank, pairs=pairs, compound={2})) == 0.8


def test_the_filter_costs_the_difference():
    bank, pairs = rubric("t", (HAVE, 1), (NICE, 1)), {(1, 1): "similar", (2, 2): "very-similar"}
    about = record(bank=bank, pairs=pairs, compound={1})
    names = ("question_coverage", "question_coverage_unfiltered", "credit_lost")
    kept, all_of_them, lost = (Computed(declared(name))(about) for name in names)
    # 1 of 5 weights; 4 * 0.5 + 1 of them.
    assert (kept, all_of_them) == (0.2, 0.6)
    assert lost == pytest.approx(0.4)


def test_the_unjudged_are_counted_over_all_that_was_asked():
    bank = rubric("t", (HAVE, 2), (NICE, 1))
    pairs = {(1, 1): "similar", (1, 2): UNJUDGED}
    answers = {"na-1": "none", "na-2": UNJUDGED}
    # One of 2 * 3 pairs; one of 3 answers.
    of_pairs = Computed(declared("unjudged_pairs"))(record(bank=bank, pairs=pairs, n_questions=3))
    assert of_pairs == pytest.approx(5 / 6)
    of_answers = Computed(declared("unjudged_answers"))(record(bank=bank, answers=answers))
    assert of_answers == pytest.approx(2 / 3)


class Asking:
    """Asks for what no record holds."""

    measure = Measure(title="never")

    def __call__(self, report, answer):
        return 0


class Silent:
    """Says of no measure what it is."""

    def __call__(self, report):
        return 0


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        (
            Measure(name="x", computes=f"{__name__}:Asking", title="x"),
            "asks for 'answer'; on offer",
        ),
        (Measure(name="x", computes="words", parameters={"depth": 3}, title="x"), "depth"),
    ],
)
def test_what_cannot_be_computed_is_refused(measure, says):
    with pytest.raises(UsageError, match=says):
        Computed(measure)


def test_a_computation_without_a_measure_is_refused():
    with pytest.raises(UsageError, match="expected a class attribute `measure`"):
        declared(f"{__name__}:Silent")


@pytest.mark.parametrize("depth", [0, 10**12, "ten", True])
@pytest.mark.parametrize("name", ["question_dcg", "unjudged_questions"])
def test_a_depth_that_is_none_is_refused(name, depth):
    measure = declared(name).model_copy(update={"parameters": {"depth": depth}})
    with pytest.raises(UsageError, match=f"{name} wants a whole number from 1 to"):
        Computed(measure)
