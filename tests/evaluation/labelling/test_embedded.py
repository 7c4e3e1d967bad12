"""Labels without a model: features, levels, and the judge made of them."""

from collections import Counter
from dataclasses import replace
from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.evaluation.labelling.comparing import (
    UNFITTED,
    OrdinalClassifier,
    SentenceEncoder,
    TextComparison,
    Thresholds,
    agreement,
    fit_levels,
    level_labels,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.rubric_labels import QUESTION_FEATURES, question_features
from sidelight.evaluation.labelling.run_kinds import QUESTION_RUNS, REPORT_RUNS
from sidelight.learned.ordinal_model import weights_hash
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import CitedSentence
from sidelight.tracks import load_track
from tests.helpers.labels.asked import on_compound, on_questions, on_report
from tests.helpers.labels.labelled import N_QUESTIONS, TOPICS, examples, question, report, rubric

RUBRICS = {topic_id: rubric(topic_id) for topic_id in TOPICS}
LEARNED = f"{weights_hash('answers')}+{weights_hash('support')}"
BY_WORDS = f"{weights_hash('answers-words')}+{weights_hash('support')}"


def labels(judge, item, topic_id="t1"):
    return [one.label for one in on_report(judge, RUBRICS[topic_id], item)]


def saying(*texts):
    responses = tuple(CitedSentence(text=text) for text in texts)
    return report("t1").model_copy(update={"responses": responses})


def test_it_learns_what_people_want(embedded):
    agreement = embedded.agreement
    assert agreement["answers"].n_labels == agreement["questions"].n_labels == 72
    assert agreement["answers"].n_topics == 3
    assert agreement["answers"].kappa > 0.8
    assert agreement["questions"].kappa > 0.8
    found = Counter(labels(embedded, report("t2"), "t2"))
    assert found["supports"] == found["partial"] == 8
    # One run is all there is here, so nothing can be learned from another.
    assert agreement["answers"].kappa_new_runs is None
    assert agreement["answers"].n_runs == 1


def test_every_pair_once_and_every_verdict_in_order(embedded):
    submitted = [question("t1", rank) for rank in (1, 2, 3)]
    judged = on_questions(embedded, RUBRICS["t1"], submitted)
    keys = [(i, j) for i in range(1, N_QUESTIONS + 1) for j in (1, 2, 3)]
    label = {key: item.label for key, item in zip(keys, judged, strict=True)}
    # ranks modulo 4: 1 similar, 2 different, 3 very-different
    assert label[1, 1] == "similar"
    assert label[3, 3] == "very-different"
    assert label[1, 2] == "very-different"
    assert on_questions(embedded, RUBRICS["t1"], []) == []
    double = question("t1", 2).model_copy(update={"text": "Who is she and when did the bank fail?"})
    verdicts = on_compound(embedded, RUBRICS["t1"], [question("t1", 1), double])
    assert [item.label for item in verdicts] == ["not-compound", "compound"]
    assert verdicts[1].rationale.startswith("a second question")


def test_an_empty_report_a_list_of_words_and_invisible_marks_earn_nothing(embedded):
    assert set(labels(embedded, saying())) == {"none"}
    assert set(labels(embedded, saying("", " \u200b "))) == {"none"}
    # Each answer's words are spread over the list, as someone guessing them would spread them.
    answers = [one.text.rstrip(".").split() for q in RUBRICS["t1"].questions for one in q.answers]
    scattered = " ".join(word for column in zip(*answers, strict=True) for word in column)
    assert "supports" not in labels(embedded, saying(scattered))
    honest = report("t1")
    marked = honest.model_copy(
        update={
            "responses": tuple(
                CitedSentence(text="\u200b".join(sentence.text)) for sentence in honest.responses
            )
        }
    )
    assert labels(embedded, marked) == labels(embedded, honest)


def test_a_plain_contradiction_outranks_support():
    first, *others = RUBRICS["t1"].questions
    said = "Voss's fellowship pays a stipend of T{}000 a year."
    answer = first.answers[0].model_copy(update={"text": said.format("96,")})
    first = first.model_copy(update={"answers": (answer,)})
    changed = RUBRICS["t1"].model_copy(update={"questions": (first, *others)})
    found, *_ = on_report(EmbeddedJudge({"t1": changed}), changed, saying(said.format("69,")))
    assert found.label == "contradicts"
    assert "T69,000" in found.rationale


def test_the_version_names_all_that_makes_a_judge():
    def encode(texts):
        # One direction for texts about money, another for the rest.
        rows = [[1, 0] if "money" in text or "cash" in text else [0, 1] for text in texts]
        return np.array(rows, dtype=np.float32)

    judge = EmbeddedJudge(RUBRICS, examples(), SentenceEncoder("toy", encode))
    assert judge.version == f"6 (toy, weights {LEARNED}, examples {examples().fingerprint})"
    assert labels(judge, report("t2"), "t2")
    # Thresholds of questions go by words: one name, whatever else compares reports.
    plain = EmbeddedJudge(RUBRICS)
    encoding = EmbeddedJudge(RUBRICS, None, SentenceEncoder("t", encode))
    assert plain.version == f"6 (words only, weights {BY_WORDS})"
    asked = [question("t1", 1), question("t1", 2)]
    by_both = [on_questions(one, RUBRICS["t1"], asked) for one in (plain, encoding)]
    assert len({tuple(item.label for item in found) for found in by_both}) == 1
    titles = [one.title_of(QUESTION_RUNS.protocols) for one in (plain, encoding)]
    assert titles == ["embedded 6 (words only)"] * 2
    assert plain.title_of(REPORT_RUNS.protocols) != encoding.title_of(REPORT_RUNS.protocols)
    assert plain.agreement == {}
    assert plain.example_run_tags == frozenset()
    assert labels(plain, report("t1"))[2] == "supports"  # rank 3, word for word
    first, *others = examples().answer_labels
    relabelled = replace(examples(), answer_labels=(replace(first, label="supports"), *others))
    (key, text), *_ = examples().reports.items()
    rewritten = replace(examples(), reports={**examples().reports, key: saying("Something else.")})
    assert text.text != "Something else."
    fewer = replace(examples(), question_labels=())
    shuffled = replace(examples(), answer_labels=(*others, first))
    shown = (examples(), relabelled, rewritten, fewer)
    assert len({one.fingerprint for one in shown}) == len(shown)
    assert shuffled.fingerprint == examples().fingerprint


def test_labels_below_a_confidence_are_unjudged(embedded):
    certain = EmbeddedJudge(RUBRICS, examples(), min_confidence=0.8)
    before, after = labels(embedded, report("t2"), "t2"), labels(certain, report("t2"), "t2")
    kept = [new == old for old, new in zip(before, after, strict=True)]
    assert 0 < sum(kept) < len(kept)
    for is_kept, label in zip(kept, after, strict=True):
        assert is_kept or (isinstance(label, Unjudged) and "below 0.8" in label.reason)
    assert certain.version == (
        f"6 (words only, weights {BY_WORDS}, examples {examples().fingerprint}, from 0.8)"
    )
    # Thresholds have no confidence, so whoever asks for some gets no label of questions.
    by_thresholds = EmbeddedJudge(RUBRICS, min_confidence=0.8)
    pairs = on_questions(by_thresholds, RUBRICS["t1"], [question("t1", 1)])
    assert all(isinstance(item.label, Unjudged) for item in pairs)


# What labels without a model are made of: words in common, meaning, and levels.


def test_overlap_weighs_words_by_hand():
    comparison = TextComparison(["alpha beta", "alpha gamma", "alpha delta"])
    # n = 3: alpha has df 3, log(4 / 3.5); beta has df 1, log(4 / 1.5)
    common, rare = log(4 / 3.5), log(4 / 1.5)
    assert comparison.overlap("alpha beta", "the alpha") == pytest.approx(common / (common + rare))
    assert comparison.overlap("alpha beta", "Beta!") == pytest.approx(rare / (common + rare))
    comparison = TextComparison(["alpha beta"])
    # n = 1: alpha log(2 / 1.5), the unseen omega log(2 / 0.5)
    expected = log(2 / 1.5) / (log(2 / 1.5) + log(2 / 0.5))
    assert comparison.overlap("alpha and the omega", "alpha") == pytest.approx(expected)
    assert comparison.overlap("and the", "and the") == 0
    assert TextComparison([]).cosines(["a", "b"], ["c"]).tolist() == [[0], [0]]
    asked = []

    def encode(texts):
        asked.extend(texts)
        return np.array([[1, 0] if text == "a" else [0, 1] for text in texts], dtype=np.float32)

    comparison = TextComparison([], encode)
    assert comparison.cosines(["a", "b"], ["a", "a"]).tolist() == [[1, 1], [0, 0]]
    comparison.cosines(["b"], ["a"])
    assert asked == ["a", "b"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share(wanted, text):
    comparison = TextComparison(["some words of a rubric"])
    assert 0 <= comparison.overlap(wanted, text) <= 1 + 1e-12
    # More text never loses a word that was there.
    assert comparison.overlap(wanted, f"{text} {wanted}") >= comparison.overlap(wanted, text)


ZERO = Thresholds(0, (2.0, 3.0))  # never reached by features in [0, 1]
FIT = partial(fit_levels, n_levels=3, fallback=ZERO)


def separable(n, seed=0):
    """One feature in [0, 1] that tells three levels apart, and one of noise."""
    random = np.random.default_rng(seed)
    x = random.uniform(size=(n, 2))
    return x, np.digitize(x[:, 0], [1 / 3, 2 / 3])


def test_thresholds_and_few_examples():
    model = Thresholds(1, (0.25, 0.5))
    rows = np.array([[9, 0.2], [9, 0.25], [9, 0.6]])
    assert model.predict(rows).tolist() == [0, 1, 2]
    rows = np.array([[9, 0.2], [9, 0.6]])
    assert Thresholds(1, (0.25, 0.5)).probabilities(rows).tolist() == [[0, 0, 0], [0, 0, 0]]
    x, y = separable(300)
    few = np.concatenate([np.flatnonzero(y < 2), np.flatnonzero(y == 2)[:9]])
    assert fit_levels(x[few], y[few], 3, ZERO) is ZERO
    assert isinstance(fit_levels(x, y, 3, ZERO), OrdinalClassifier)
    spoiled = y.copy()
    spoiled[:50] = UNFITTED
    model = fit_levels(x, spoiled, 3, ZERO)
    reference = fit_levels(x[50:], y[50:], 3, ZERO)
    assert (model.predict(x) == reference.predict(x)).all()


def test_probabilities_say_how_sure_a_level_is():
    x, y = separable(300)
    model = OrdinalClassifier(x, y, 3)
    # Far from the limits at 1/3 and 2/3 the level is sure, on them it is a toss-up.
    sure = model.probabilities(np.array([[0.0, 0.5], [1.0, 0.5]]))
    unsure = model.probabilities(np.array([[0.33, 0.5], [0.67, 0.5]]))
    assert sure[[0, 1], [0, 2]].min() > 0.9
    assert unsure.max() < 0.75
    unseen, truth = separable(400, seed=1)
    likely = model.probabilities(unseen)
    assert likely.sum(axis=1) == pytest.approx(1)
    levels = model.predict(unseen)
    right, confidence = levels == truth, likely[np.arange(len(levels)), levels]
    assert right[confidence > 0.8].mean() > right[confidence <= 0.8].mean()


def test_labels_of_equal_credit_are_not_uncertain_of_each_other():
    class TossUp:
        """Knows that there is no credit, and not which of the labels without."""

        def predict(self, features):
            return np.ones(len(features), dtype=np.int64)

        def probabilities(self, features):
            # very-different, different, similar, very-similar
            return np.tile([0.48, 0.5, 0.02, 0.0], (len(features), 1))

    scale = load_track().scales["similarity"]
    assert scale.levels[:2] == ("very-different", "different")
    assert level_labels(TossUp(), scale, 0.9, np.zeros((2, 1))) == ["different"] * 2
    [withheld] = level_labels(TossUp(), scale, 0.99, np.zeros((1, 1)))
    assert isinstance(withheld, Unjudged)


def test_classifier_learns_levels_and_agreement_by_hand():
    x, y = separable(300)
    unseen, truth = separable(200, seed=1)
    first = OrdinalClassifier(x, y, 3).predict(unseen)
    assert np.mean(first == truth) > 0.9
    assert (OrdinalClassifier(x, y, 3).predict(unseen) == first).all()
    line = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    levels = OrdinalClassifier(x, y, 3).predict(line)
    assert (np.diff(levels) >= 0).all()
    assert set(levels.tolist()) == {0, 1, 2}
    people = ["x", "x", "x", "y", "y", "y", "y", "y", "y", "y"]
    judge = ["x", "x", "y", "x", "y", "y", "y", "y", "y", "y"]
    # raw 8 / 10; chance 0.3 * 0.3 + 0.7 * 0.7 = 0.58; kappa (0.8 - 0.58) / (1 - 0.58)
    found = agreement(people, judge, people, ["t"] * 10, ["r", "s"] * 5)
    assert (found.raw_new_runs, found.kappa_new_runs, found.n_runs) == (1, 1, 2)
    assert found.raw == 0.8
    assert found.kappa == pytest.approx(0.22 / 0.42)
    assert (found.n_labels, found.n_topics) == (10, 1)
    topics, runs = ["t"] * 3, ["r"] * 3
    assert agreement(["x"] * 3, ["x"] * 3, None, topics, runs).kappa is None
    assert agreement(["x"] * 3, ["y"] * 3, None, topics, runs).kappa == 0


def test_held_out_labels_do_not_matter():
    x, y = separable(300)
    topics = ["a", "b", "c"] * 100
    held_out = np.array(topics) == "c"
    flipped = np.where(held_out, 2 - y, y)
    before = predict_by_topic(x, y, topics, FIT)
    after = predict_by_topic(x, flipped, topics, FIT)
    assert (before[held_out] == after[held_out]).all()
    assert (before[~held_out] != after[~held_out]).any()
    topics, runs = ["a", "b", "c"] * 100, ["r", "s"] * 150
    held_out = (np.array(topics) == "c") | (np.array(runs) == "r")
    flipped = np.where(held_out, 2 - y, y)
    tested = (np.array(topics) == "c") & (np.array(runs) == "r")
    before = predict_by_topic_and_run(x, y, topics, runs, FIT)
    after = predict_by_topic_and_run(x, flipped, topics, runs, FIT)
    assert (before[tested] == after[tested]).all()
    assert predict_by_topic_and_run(x, y, ["a", "b"] * 150, ["r"] * 300, FIT) is None


RUBRIC = rubric("t1")
COMPARISON = TextComparison([q.text for q in RUBRIC.questions])


def test_features_by_hand():
    features = question_features(COMPARISON, RUBRIC, [RUBRIC.questions[0].text])
    assert features.shape == (N_QUESTIONS, 1, len(QUESTION_FEATURES))
    assert features[0, 0, :3] == pytest.approx([1, 1, 1])
    assert features[1, 0, :3] == pytest.approx([0, 0, 0])
    # One of the eight words, all of equal weight: 2 * (1/8) * 1 / (1/8 + 1) = 2 / 9
    word = RUBRIC.questions[0].text.split()[1]
    features = question_features(COMPARISON, RUBRIC, [f"What is {word}?"])
    assert features[0, 0, :3] == pytest.approx([1 / 8, 2 / 9, 2 / 9])

    def encode(texts):
        first = RUBRIC.questions[0].text
        return np.array([[1, 0] if text == first else [0.6, 0.8] for text in texts], np.float32)

    features = question_features(TextComparison([], encode), RUBRIC, [RUBRIC.questions[0].text])
    # cosine 1 with itself, 0.6 with every other
    assert features[0, 0, 3:5] == pytest.approx([1, 0.4])
    assert features[1, 0, 3:5] == pytest.approx([0.6, -0.4])
    # ranks 4, 1, 2, 3 share 6, 4, 2, 0 of the eight words of their rubric question
    values = [
        question_features(COMPARISON, RUBRIC, [question("t1", rank).text])[rank - 1, 0, 1]
        for rank in (4, 1, 2, 3)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1] > values[2] > values[3] == 0


@settings(max_examples=20)
@given(st.lists(st.text(max_size=80), max_size=4))
def test_features_are_bounded_for_any_text(texts):
    features = question_features(COMPARISON, RUBRIC, texts or ["?"])
    assert (np.abs(features) <= 1 + 1e-9).all()


def test_the_order_of_a_questions_answers_plays_no_part():
    def encode(texts):
        """A vector of its own for each text, whatever its words."""
        rows = np.array(
            [np.random.default_rng(list(text.encode())).standard_normal(16) for text in texts]
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    first, second = (RUBRIC.questions[place].answers[0] for place in (0, 1))
    one_way, other_way = (
        RUBRIC.model_copy(
            update={"questions": (RUBRIC.questions[0].model_copy(update={"answers": answers}),)}
        )
        for answers in ((first, second), (second, first))
    )
    comparison, asked = TextComparison([], encode), ["Who owns it?"]
    features = question_features(comparison, one_way, asked)
    assert np.array_equal(question_features(comparison, other_way, asked), features)
    assert not np.array_equal(question_features(comparison, RUBRIC, asked)[:1], features)
