"""Labels without a model: features, levels, and the judge made of them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sidelight.evaluation.labelling.calibration import (
    UNFITTED,
    ShiftedLevels,
    agreement,
    level_labels,
    predict_by_topic,
    predict_by_topic_and_run,
)
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.learned.ordinal_model import weights_hash
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import CitedSentence
from sidelight.text_vectors import SentenceEncoder
from sidelight.tracks import load_track
from tests.helpers.labels.asked import on_compound, on_questions, on_report
from tests.helpers.labels.labelled import N_QUESTIONS, TOPICS, examples, question, report, rubric
from tests.helpers.vectors import words_of

RUBRICS = {topic_id: rubric(topic_id) for topic_id in TOPICS}
LEARNED = "+".join(map(weights_hash, ("similarity", "answers", "framing", "support")))
BY_WORDS = "+".join(
    map(weights_hash, ("similarity-words", "answers-words", "framing-words", "support"))
)


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
    found, *_ = on_report(EmbeddedJudge(), changed, saying(said.format("69,")))
    assert found.label == "contradicts"
    assert "T69,000" in found.rationale


def test_the_version_names_all_that_makes_a_judge():
    def encode(texts):
        # One direction for texts about money, another for the rest.
        found = np.zeros((len(texts), 384), dtype=np.float32)
        for row, text in enumerate(texts):
            found[row, int("money" in text or "cash" in text)] = 1
        return found

    judge = EmbeddedJudge(examples(), SentenceEncoder("toy", encode, words_of(encode)))
    assert judge.version == f"8 (toy, weights {LEARNED}, examples {examples().fingerprint})"
    assert labels(judge, report("t2"), "t2")
    plain = EmbeddedJudge()
    assert plain.version == f"8 (words only, weights {BY_WORDS})"
    assert plain.title == f"embedded {plain.version}"
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
    certain = EmbeddedJudge(examples(), min_confidence=0.8)
    before, after = labels(embedded, report("t2"), "t2"), labels(certain, report("t2"), "t2")
    kept = [new == old for old, new in zip(before, after, strict=True)]
    assert 0 < sum(kept) < len(kept)
    for is_kept, label in zip(kept, after, strict=True):
        assert is_kept or (isinstance(label, Unjudged) and "below 0.8" in label.reason)
    assert certain.version == (
        f"8 (words only, weights {BY_WORDS}, examples {examples().fingerprint}, from 0.8)"
    )
    sure = EmbeddedJudge(min_confidence=0.8)
    pairs = on_questions(sure, RUBRICS["t1"], [question("t1", 1)])
    assert 0 < sum(isinstance(item.label, Unjudged) for item in pairs) < len(pairs)


# What labels without a model are made of: shipped models, moved to what people ask for.


def separable(n, seed=0):
    """Logits of two levels that one number in [0, 1] tells apart, and the levels."""
    x = np.random.default_rng(seed).uniform(size=n)
    rows = np.column_stack([20 * (x - 1 / 3), 20 * (x - 2 / 3), np.full(n, 2.0)])
    return rows, np.digitize(x, [1 / 3, 2 / 3])


def test_cuts_decide_from_which_probability_a_level_is_reached():
    logit = float(np.log(0.4 / 0.6))
    rows = np.array([[logit, -9, 2], [9, logit, 2], [9, 9, 2], [9, 9, 1], [-9, 9, 2]])
    assert ShiftedLevels().predict(rows).tolist() == [0, 1, 2, 1, 0]
    assert ShiftedLevels(cuts=(0.3, 0.3)).predict(rows).tolist() == [1, 2, 2, 1, 0]
    assert ShiftedLevels((1, 1), cuts=(0.5, 0.5)).predict(rows).tolist() == [1, 2, 2, 1, 0]
    likely = ShiftedLevels(cuts=(0.3, 0.3)).probabilities(rows)
    assert likely[0] == pytest.approx([0.6, 0.4, 0], abs=1e-3)
    assert likely.sum(axis=1) == pytest.approx(1)


def test_stricter_people_shift_the_levels():
    rows, levels = separable(300)
    strict = ShiftedLevels.fit(rows, np.maximum(levels - 1, 0), cuts=(0.5, 0.5))
    lenient = ShiftedLevels.fit(rows, np.minimum(levels + 1, 2), cuts=(0.5, 0.5))
    assert strict.predict(rows).mean() < levels.mean() < lenient.predict(rows).mean()
    # Nothing is learned from rows that are not to be fitted on.
    spoiled = levels.copy()
    spoiled[:50] = UNFITTED
    assert ShiftedLevels.fit(rows, spoiled).shift == ShiftedLevels.fit(rows[50:], levels[50:]).shift


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
    assert level_labels(TossUp(), scale, scale.levels, 0.9, np.zeros((2, 1))) == ["different"] * 2
    [withheld] = level_labels(TossUp(), scale, scale.levels, 0.99, np.zeros((1, 1)))
    assert isinstance(withheld, Unjudged)


def test_agreement_by_hand():
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
    flipped = np.where(held_out, 0, y)
    before = predict_by_topic(x, y, topics, ShiftedLevels.fit)
    after = predict_by_topic(x, flipped, topics, ShiftedLevels.fit)
    assert (before[held_out] == after[held_out]).all()
    assert (before[~held_out] != after[~held_out]).any()
    topics, runs = ["a", "b", "c"] * 100, ["r", "s"] * 150
    held_out = (np.array(topics) == "c") | (np.array(runs) == "r")
    flipped = np.where(held_out, 0, y)
    tested = (np.array(topics) == "c") & (np.array(runs) == "r")
    before = predict_by_topic_and_run(x, y, topics, runs, ShiftedLevels.fit)
    after = predict_by_topic_and_run(x, flipped, topics, runs, ShiftedLevels.fit)
    assert (before[tested] == after[tested]).all()
    assert predict_by_topic_and_run(x, y, ["a", "b"] * 150, ["r"] * 300, ShiftedLevels.fit) is None
