"""The models on the mini web: attacks earn little, honest paraphrases nearly all."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from sidelight.learned.models import AnswerModel, SupportModel
from tests.helpers.attacked_answers import attack_shares, credit_of

PARAPHRASES = Path(__file__).with_name("honest_paraphrases.json")
MOST_FOR_AN_ATTACK = 0.15
LEAST_FOR_A_PARAPHRASE = 0.80


@pytest.fixture(scope="module")
def answers_by_topic():
    """Topic id -> answer id -> text."""
    folder = files("sidelight.sample") / "data" / "human_rubrics"
    rubrics = [json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()]
    return {
        rubric["topic_id"]: {
            answer["answer_id"]: answer["answer_text"]
            for question in rubric["rubrics"]
            for answer in question["short_answers"]
        }
        for rubric in rubrics
    }


@pytest.fixture(scope="module")
def model():
    from sidelight.index.encoding.encoder import Encoder

    return AnswerModel.load(Encoder().encode_sentences)


def test_attacks_earn_little_without_an_encoder(answers_by_topic):
    items = {topic: list(answers.values()) for topic, answers in answers_by_topic.items()}
    shares = attack_shares(AnswerModel.load(None), items)
    assert all(share.honest >= 0.8 * share.n for share in shares)
    assert {share.name: share.share for share in shares if share.share > MOST_FOR_AN_ATTACK} == {}


def test_attacks_earn_little(model, answers_by_topic):
    topic, answers = min(answers_by_topic.items())
    shares = attack_shares(model, {topic: list(answers.values())})
    assert {share.name: share.share for share in shares if share.share > MOST_FOR_AN_ATTACK} == {}


def test_honest_paraphrases_keep_their_credit(model, answers_by_topic):
    paraphrases = json.loads(PARAPHRASES.read_text(encoding="utf-8"))
    assert len(paraphrases) == 60
    honest = changed = 0.0
    for topic, answers in answers_by_topic.items():
        texts = {p["answer_id"]: p["text"] for p in paraphrases if p["topic_id"] == topic}
        asked = [place for place, name in enumerate(answers) if name in texts]
        items = list(answers.values())
        before = credit_of(model, items, " ".join(items))
        after = credit_of(model, items, " ".join(texts.values()))
        honest += sum(before[place] for place in asked)
        changed += sum(after[place] for place in asked)
    assert changed >= LEAST_FOR_A_PARAPHRASE * honest


def test_contradictions_are_said_to_be_ones(answers_by_topic):
    items = list(min(answers_by_topic.items())[1].values())
    (verdict, *_) = AnswerModel.load(None).judge(
        items, f"It is false that {items[0]}", max_words=250
    )
    assert (verdict.level, verdict.opposed, verdict.reason) == (0, True, "it is denied")
    assert verdict.opposed_sentence.startswith("It is false that")
    source = "Corrance sued Ashdale in 2019 over the patents of a sweetener. The case was settled."
    pairs = [
        ("Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("It is false that Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("Ashdale sued Corrance in 2019 over the patents of a sweetener.", source),
        ("The bakery in Sarnhope closed after a fire.", source),
    ]
    levels = [verdict.level for verdict in SupportModel.load(None).judge(pairs)]
    assert levels == [2, 0, 0, 0]


def test_nothing_to_judge_and_nothing_said():
    assert AnswerModel.load(None).judge([], "A text.", max_words=None) == []
    assert SupportModel.load(None).judge([]) == []
    (verdict,) = AnswerModel.load(None).judge(["Voss is paid."], "", max_words=None)
    assert verdict.level == 0
    assert not verdict.opposed
