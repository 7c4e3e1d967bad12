from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation.labelling.judges import PromptedJudge, combined
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import SubmittedQuestion
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from tests.helpers.labels.asked import on_questions
from tests.helpers.labels.labelled import rubric
from tests.helpers.models.reading_model import ReadingModel

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
        ("- similar", None),
        ("- - similar", None),
        ("-", None),
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
