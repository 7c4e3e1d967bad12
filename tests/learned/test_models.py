"""What a text asserts, and what the models learned from people make of it."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.evaluation.audit.text_attacks import keywords, shuffle
from sidelight.learned import questions
from sidelight.learned.models import AnswerModel, SupportModel
from sidelight.learned.reading.opposition import conflict, said_of
from sidelight.learned.reading.tables import word_order
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import MAX_WORDS, read, split, stem
from sidelight_research.people import CREDIT
from sidelight_research.question_figures import corrected
from sidelight_research.training import TEXT_ATTACKS

PARAPHRASES = Path(__file__).with_name("honest_paraphrases.json")
MOST_FOR_AN_ATTACK = 0.20
LEAST_FOR_A_PARAPHRASE = LEAST_OF_HONEST_TEXT = 0.80


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
def model(encoder):
    return AnswerModel(encoder.sentence_encoder())


def credit_of(model, items, text):
    """Return what a text earns for each item: 1 in full, .5 in part."""
    return [CREDIT[verdict.level] for verdict in model.judge(items, text, max_words=None)]


def shares_left(model, items_by_topic):
    """Return what each attack leaves of the credit of honest texts, the items as sentences.

    Only items whose own sentence an attack changes are counted: where there is no second name,
    nothing can be swapped.
    """
    shares = {}
    told = [(items, credit_of(model, items, " ".join(items))) for items in items_by_topic.values()]
    for attack in TEXT_ATTACKS:
        earned = []
        for items, before in told:
            attacked = [attack.change(item) for item in items]
            after = credit_of(model, items, " ".join(attacked))
            earned += [
                (old, new)
                for item, other, old, new in zip(items, attacked, before, after, strict=True)
                if other.rstrip(".") != item.rstrip(".")
            ]
        honest, changed = (sum(side) for side in zip((0.0, 0.0), *earned, strict=True))
        assert honest >= LEAST_OF_HONEST_TEXT * len(earned), attack.name
        shares[attack.name] = changed / honest if honest else 0.0
    return shares


@pytest.mark.parametrize(
    ("n_topics", "n_answers"), [(1, 12), pytest.param(5, None, marks=pytest.mark.slow)]
)
def test_attacks_earn_little(n_topics, n_answers, answers_by_topic, model):
    chosen = sorted(answers_by_topic.items())[:n_topics]
    items = {topic: list(answers.values())[:n_answers] for topic, answers in chosen}
    topic, answers = min(answers_by_topic.items())
    few = {topic: list(answers.values())[:8]}
    for shares in (shares_left(AnswerModel(None), items), shares_left(model, few)):
        assert {name: one for name, one in shares.items() if one > MOST_FOR_AN_ATTACK} == {}


@pytest.mark.parametrize("n_topics", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_honest_paraphrases_keep_their_credit(n_topics, model, answers_by_topic):
    paraphrases = json.loads(PARAPHRASES.read_text(encoding="utf-8"))
    assert len(paraphrases) == 60
    honest = changed = 0.0
    for topic, answers in sorted(answers_by_topic.items())[:n_topics]:
        texts = {p["answer_id"]: p["text"] for p in paraphrases if p["topic_id"] == topic}
        asked = [place for place, name in enumerate(answers) if name in texts]
        items = list(answers.values())
        before = credit_of(model, items, " ".join(items))
        after = credit_of(model, items, " ".join(texts.values()))
        honest += sum(before[place] for place in asked)
        changed += sum(after[place] for place in asked)
    assert changed >= LEAST_FOR_A_PARAPHRASE * honest


def test_contradictions_and_nothing_to_judge(answers_by_topic):
    items = list(min(answers_by_topic.items())[1].values())
    (verdict, *_) = AnswerModel(None).judge(items, f"It is false that {items[0]}", max_words=250)
    assert (verdict.level, verdict.opposed, verdict.reason) == (0, True, "it is denied")
    assert verdict.opposed_sentence.startswith("It is false that")
    source = "Corrance sued Ashdale in 2019 over the patents of a sweetener. The case was settled."
    pairs = [
        ("Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("It is false that Corrance sued Ashdale in 2019 over the patents of a sweetener.", source),
        ("Ashdale sued Corrance in 2019 over the patents of a sweetener.", source),
        ("The bakery in Sarnhope closed after a fire.", source),
    ]
    levels = [verdict.level for verdict in SupportModel().judge(pairs)]
    assert levels == [2, 0, 0, 0]
    assert AnswerModel(None).judge([], "A text.", max_words=None) == []
    assert SupportModel().judge([]) == []
    (verdict,) = AnswerModel(None).judge(["Voss is paid."], "", max_words=None)
    assert verdict.level == 0
    assert not verdict.opposed


def test_a_name_in_brackets_lets_no_other_sentence_deny_a_quotation():
    sentence = "The foundation has no say in [Plumbline's] checks."
    paid = "{} is paid for by a grant of the Holm Foundation, which belongs to an insurer. "
    sources = [
        f"{paid.format('Plumbline')}The foundation has no say in our checks.",
        f"{paid.format('Plumbline')}The foundation has a say in our checks.",
        f"{paid.format('The Beacon')}The foundation has no say in our checks.",
    ]
    found = SupportModel().judge([(sentence, source) for source in sources])
    assert [verdict.level for verdict in found[:2]] == [2, 0]
    assert found[0].sentence == "The foundation has no say in our checks."
    # The name counts where the source does not have it.
    assert found[2].probabilities[2] < 0.7 < found[0].probabilities[2]


# What a text asserts, takes back and opposes, and that nothing makes reading it fail.


TEXT = (
    "The institute was founded in 1990 by a retired judge. It publishes a journal twice a year, "
    "and most of its income comes from a foundation. The journal never had an editor of its own."
)


def test_prose_within_the_limit_is_asserted_and_keywords_are_not():
    assert read_text(TEXT).asserted == (0, 1, 2)
    fluent = word_order().fluency(read(split(TEXT)[1]).shapes)
    shuffled = word_order().fluency(read(shuffle(split(TEXT)[1])).shapes)
    assert fluent > 0.3
    assert shuffled < 0
    assert not read_text(keywords(TEXT)).asserted
    assert read_text(f"{TEXT} Voss is paid.", 34).sentences[-1].text != "Voss is paid."
    assert read_text("red green blue grey", 2).sentences[0].words == ("red", "green")
    assert not read_text(TEXT, 0).sentences
    assert stem("11,270") == "270"
    assert stem("well-known") == "known"
    assert stem("mid-term") == "term"
    assert stem("the") == ""


@given(st.text(max_size=400), st.integers(min_value=0, max_value=50) | st.none())
def test_any_text_can_be_read(text, limit):
    reading = read_text(text, limit)
    assert all(len(sentence.words) <= 10 * MAX_WORDS for sentence in reading.sentences)
    assert set(reading.asserted) <= set(range(len(reading.sentences)))
    assert limit is None or sum(len(s.text.split()) for s in reading.sentences) <= limit


@settings(max_examples=20)
@given(st.text(alphabet="abAB19 .,?!'“”\n-", max_size=200))
def test_attacks_change_the_same_text_the_same_way(text):
    for attack in TEXT_ATTACKS:
        assert attack.change(text) == attack.change(text)


# Sentences that use an item's words and say the opposite.


ALL_WORDS = 1.0


def found(item, sentence):
    (ours,), (theirs,) = said_of((read(item),)), said_of((read(sentence),))
    return conflict(ours, theirs, ALL_WORDS, theirs.sentence.content)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("Corrance sued Ashdale.", "Ashdale sued Corrance."),
        ("In May, Corrance sued Ashdale for it.", "In May, Ashdale sued Corrance for it."),
        ("Skelvane paid T145,000 for the report.", "Skelvane paid T245,000 for the report."),
        ("It gave 2.4 million, 59 percent of all.", "It gave 59 million, 2.4 percent of all."),
        ("Maris Quell is a registered physician.", "Maris Quell is not a registered physician."),
        ("Maris Quell is not a registered physician.", "Maris Quell is a registered physician."),
        ("Parcel prices rose sharply in the valley.", "Parcel prices fell sharply in the valley."),
        ("All of the farms use the seed.", "Some of the farms use the seed."),
        ("The thieves stole the crown.", "The thieves tried to steal the crown."),
        ("The theatre in Mill Street burned down.", "The school in Mill Street burned down."),
        ("The court fined the club.", "Court, club, fine."),
        ("The court upheld the ban.", "The court struck down the ban."),
        ("The clinic refused to pay the nurses.", "The clinic agreed to pay the nurses."),
        ("The island's population has grown.", "The island's population has shrunk."),
        ("The team climbed the north face.", "The team set out to climb the north face."),
        ("The board confirms that the levy is legal.", "The board denies that the levy is legal."),
        ("The board denies that the levy is legal.", "The board confirms that the levy is legal."),
        ("The bank estimates that 400 jobs go.", "The bank does not expect that 400 jobs go."),
        ("The bank estimates that 400 jobs go.", "The bank hopes that 400 jobs go."),
        ("The bank found that 400 jobs go.", "The bank expects that 400 jobs go."),
        (
            "The court in Tessel upheld the ban on flights.",
            "The court in Tessel upheld the ban on fireworks.",
        ),
    ],
)
def test_the_opposite_is_seen(item, sentence):
    assert found(item, sentence)


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ("Corrance sued Ashdale.", "Corrance sued Ashdale."),
        ("Corrance sued Ashdale.", "Ashdale was sued by Corrance."),
        ("On 2 April 2021 the magazine changed it.", "The magazine changed it on April 2, 2021."),
        ("Quell is not a registered physician.", "Quell was never registered as a physician."),
        ("The saving is 80 percent.", "The saving is 80%."),
        ("The repair cost T1.8 million.", "The repair cost T1,800,000."),
        ("Each child drank 200 millilitres.", "Each child drank 0.2 litres."),
        ("The study had no control group.", "There was no control group in the study."),
        ("There is no evidence that it harms people.", "Nobody has shown that it harms people."),
        ("The museum bought the horse from Zauner.", "Zauner sold the horse to the museum."),
        ("The school has no teacher.", "The school is without a teacher."),
        ("Half of the homes lost power.", "Half of all homes lost power."),
        ("President Bush signed the bill.", "President George W. Bush signed the bill."),
        ("The bank estimates that 400 jobs will go.", "The bank expects that 400 jobs will go."),
        ("The bank estimates growth of 2 percent.", "The bank predicts growth of 2 percent."),
    ],
)
def test_the_same_in_other_words_is_not_the_opposite(item, sentence):
    assert found(item, sentence) is None


def test_verbs_that_are_only_different_are_no_opposites():
    item = "The council banned the sale of collars in shops."
    assert found(item, "The council allowed the sale of collars in shops.").contradicts
    other = found(item, "The council required the sale of collars in shops.")
    assert other is None or not other.contradicts
    required = "The council required collars for dogs in the park."
    assert found(required, "The council prohibited collars for dogs in the park.").contradicts


def test_another_figure_contradicts_and_a_mere_doubt_does_not():
    item = "Skelvane Aerial paid T145,000 for the report."
    other = found(item, item.replace("145", "245"))
    doubted = found(item, f"She dreamt that {item}")
    assert other
    assert other.contradicts
    assert doubted
    assert not doubted.contradicts


# The model of good questions: what it prefers, what earns nothing, what its file says.


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            "What is the track record of Ilva Brandt, president of Corrin Commodities?",
            "Are there any biases present in the ways the experts discussed the show?",
        ),
        (
            "What is Marten Oake's background as a chair of logistics?",
            "Is the part about moving the statue confirmed by other sources?",
        ),
        ("What expertise does Garrick Voss have in peat?", "Does the article cite sources?"),
    ],
)
def test_a_named_subject_beats_a_question_on_any_article(better, worse):
    model = questions.question_model()
    assert model(better).worth > model(worse).worth + 1
    assert model(better).flawed < model(worse).flawed
    assert model.label(model(better)) > model.label(model(worse)) == questions.FLAWED


def test_names_and_numbers_are_masked():
    assert questions.runs("What did Ada Lovelace write in 1843?") == questions.runs(
        "What did Bo Ek write in 7?"
    )
    model = questions.question_model()
    for ours, theirs in (("Garrick Voss", "Ilva Brandt"), ("Sentinel Journal", "Morning Post")):
        question = "What is the reputation of {} among people who study peat?"
        first, second = model(question.format(ours)), model(question.format(theirs))
        assert first.worth == pytest.approx(second.worth, abs=0.15)
        assert model.label(first) == model.label(second)
    assert model("Who pays Bo Ek?") == model("Who pays Maximilian Oberhausen?")


def test_one_pattern_ten_times_is_used_up_after_two():
    names = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ike", "Jo")
    asked = [f"What are the qualifications of {name} Marsh in energy policy?" for name in names]
    assert questions.repeated_patterns(asked) == [False, False] + [True] * 8
    others = ["Who owns the Courier?", "What did the Ostrey study find?", asked[0]]
    assert questions.repeated_patterns(others) == [False] * 3
    assert questions.closest_earlier(np.array([[1.0, 0.9], [0.9, 1.0]])) == [0.0, 0.9]


def test_what_people_said_and_odd_texts_are_looked_at():
    plain, other = questions.Outlook(2.0, 0.2), questions.Outlook(2.0, 0.2)
    (near, far) = corrected(
        [plain, other], np.array([[1.0], [0.2]]), [questions.Outlook(2.0, 0.2)], [-1]
    )
    assert near.worth < 0.6
    assert near.flawed > 0.7
    assert far.worth == pytest.approx(2.0, abs=0.02)
    assert corrected([plain], np.zeros((1, 0)), [], []) == [plain]
    model = questions.question_model()
    for text in ("", "?", "a" * 100_000, "Why " * 50_000):
        assert np.isfinite(model(text)).all()


def test_the_weights_say_where_they_come_from():
    about = questions.question_model().about
    assert about["questions"] == 9500
    assert len(str(about["sha256"])) == 64
    figures = about["figures"]
    assert isinstance(figures, dict)
    assert figures["articles held out: Kendall tau of runs"] > 0.92
    for worse in ("length alone", "readability alone", "opening alone"):
        for measure in ("Kendall tau of runs", "Spearman rho of questions", "AUC of grade -1"):
            name = f"articles held out: {measure}"
            assert figures[name] > figures[f"{worse}, {name}"] + 0.1
