"""The models on the mini web: attacks earn little, honest paraphrases nearly all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sidelight.learned.models import AnswerModel, SupportModel
from tests.helpers.attacked_answers import attack_shares, credit_of

PARAPHRASES = Path(__file__).with_name("honest_paraphrases.json")
MOST_FOR_AN_ATTACK = 0.15
MOST_WITHOUT_AN_ENCODER = 0.20
LEAST_FOR_A_PARAPHRASE = 0.80


@pytest.fixture(scope="module")
def model() -> AnswerModel:
    from sidelight.index.encoding.encoder import Encoder

    return AnswerModel.load(Encoder().encode_sentences)


def test_attacks_earn_little_without_an_encoder(
    answers_by_topic: dict[str, dict[str, str]],
) -> None:
    items = {topic: list(answers.values()) for topic, answers in answers_by_topic.items()}
    shares = attack_shares(AnswerModel.load(None), items)
    assert all(share.honest >= 0.8 * share.n for share in shares)
    earning = {one.name: one.share for one in shares if one.share > MOST_WITHOUT_AN_ENCODER}
    assert earning == {}


def test_attacks_earn_little(
    model: AnswerModel, answers_by_topic: dict[str, dict[str, str]]
) -> None:
    topic, answers = min(answers_by_topic.items())
    shares = attack_shares(model, {topic: list(answers.values())})
    assert {share.name: share.share for share in shares if share.share > MOST_FOR_AN_ATTACK} == {}


def test_honest_paraphrases_keep_their_credit(
    model: AnswerModel, answers_by_topic: dict[str, dict[str, str]]
) -> None:
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


def test_a_contradiction_is_said_to_be_one(answers_by_topic: dict[str, dict[str, str]]) -> None:
    items = list(min(answers_by_topic.items())[1].values())
    (verdict, *_) = AnswerModel.load(None).judge(
        items, f"It is false that {items[0]}", max_words=250
    )
    assert (verdict.level, verdict.opposed, verdict.reason) == (0, True, "it is denied")
    assert verdict.opposed_sentence.startswith("It is false that")


def test_a_source_supports_what_it_says_and_not_its_denial() -> None:
    source = "Corrance sued Ashdale in 2019 over the patents of a sweetener. The case was settled."
    pairs = [
        ("Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("It is false that Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("Ashdale sued Corrance in 2019 over the patents of a sweetener.", source),
        ("The bakery in Sarnhope closed after a fire.", source),
    ]
    levels = [verdict.level for verdict in SupportModel.load(None).judge(pairs)]
    assert levels == [2, 0, 0, 0]


def test_nothing_to_judge_gives_no_verdict() -> None:
    assert AnswerModel.load(None).judge([], "A text.", max_words=None) == []
    assert SupportModel.load(None).judge([]) == []


def test_an_empty_text_says_nothing() -> None:
    (verdict,) = AnswerModel.load(None).judge(["Voss is paid."], "", max_words=None)
    assert verdict.level == 0
    assert not verdict.opposed
