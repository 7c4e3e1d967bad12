"""Without a model: what is read, and questions and a report within their limits."""

import asyncio
import re

import numpy as np
import pytest

from sidelight.agents.answer import read_narrative
from sidelight.checks.questions import compound_reason
from sidelight.english.parser import parse
from sidelight.generation.compose import NO_EVIDENCE
from sidelight.generation.extractive import write_report
from sidelight.generation.extractive.findings import Finding
from sidelight.generation.extractive.known import read_pages
from sidelight.generation.extractive.performers import ExtractiveReviser
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.select import ExtractiveSelector
from sidelight.generation.extractive.usefulness import Described, Usefulness
from sidelight.generation.extractive.write_questions import (
    ExtractiveQuestionWriter,
    _figures,
    subject_phrase,
)
from sidelight.generation.extractive.write_report import (
    ExtractiveReportWriter,
    choose,
    read_findings,
    with_sources,
)
from sidelight.generation.pages import without_source
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
)
from sidelight.schemas.segment import document_id_of
from sidelight.schemas.topic import Article, Narrative
from sidelight.text import budget_words, one_line, sentences
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, BODY, OTHER_MATTERS, PAGES, PROFILE, evidence, page


def test_an_angle_that_nothing_speaks_to_stays_open(encoder):
    """The next round words its search anew, though the search found windows of a page in use."""
    first, second = ANGLES[0], ANGLES[1].model_copy(update={"must_mention": ("Otto Nemec",)})
    told = [item.segment for item in PAGES.items]
    beside = [
        page(OTHER_MATTERS).model_copy(
            update={"segment_id": f"{document_id_of(one.segment_id)}#9_9"}
        )
        for one in told
    ]
    candidates = {first.angle_id: told, second.angle_id: beside}
    selector = ExtractiveSelector(TextVectors(encoder.encode_sentences), 3)
    found: EvidenceSet = asyncio.run(selector(PROFILE, (first, second), candidates)).evidence
    assert found.covers([first.angle_id, second.angle_id]) == {first.angle_id}


# Questions: exactly as many as wanted, all different, within the limit.


BARE = ArticleProfile(title="Mud", publisher="", host="", subject="mud", body="It is mud.")


def written(encoder, profile=PROFILE, *, count=10, characters=300, found=PAGES):
    write = ExtractiveQuestionWriter(TextVectors(encoder.encode_sentences), count, characters)
    return asyncio.run(write(profile, ANGLES, found)).questions


@pytest.mark.parametrize("profile", [PROFILE, BARE], ids=["ferry", "bare"])
@pytest.mark.parametrize(("count", "characters"), [(1, 300), (10, 300), (10, 75)])
def test_there_are_as_many_questions_as_wanted_each_within_the_limit(
    encoder, profile, count, characters
):
    questions = written(encoder, profile, count=count, characters=characters)
    assert len({one.casefold() for one in questions}) == len(questions) == count
    for one in questions:
        assert len(one) <= characters
        assert one.endswith("?")
        assert compound_reason(one) is None


def test_questions_name_what_the_article_names(encoder):
    questions = " ".join(written(encoder))
    assert questions == " ".join(written(encoder))  # every time
    for name in ("Sound Courier", "Jonas Brill", "Tollmere ferry"):
        assert name in questions


@pytest.mark.parametrize(
    ("title", "body", "subject"),
    [
        # The first word of a headline is no name, and "the" before another noun says nothing.
        (
            "Flea collar worn by pets kills",
            (
                "The flea collar worn by cats is sold by Lark. Flea and tick collars do no harm. "
                "Every flea dies of it. Lark says that fleas bite, and that a collar helps."
            ),
            "the flea collar",
        ),
        (
            "The quiet scandal of Tollmere",
            (
                "The Tollmere pier cost T4 million. The Tollmere ferry is late. In Tollmere, we "
                "pay. Nobody in Tollmere asked for a pier. We went to Tollmere."
            ),
            "Tollmere",
        ),
        # A place has no "the" for what is named after it, and a post has its holder.
        (
            "Ness Point will close to cars",
            (
                "The council says that Ness Point will close to cars. Walkers at Ness Point are "
                "glad. The Ness Point car park is full. Cars harm Ness Point."
            ),
            "Ness Point",
        ),
        (
            "Council leader resigns",
            (
                "The council leader resigned. The leader of Carrow council had been paid by a "
                "builder. The council leader denied it. A builder says the council leader did work."
            ),
            "the leader of Carrow council",
        ),
        (
            "Night buses catch fire",
            (
                "Night buses burn. The night buses of Lark burn twice a year. Night buses are new. "
                "Of all fires on roads, night buses have few."
            ),
            "night buses",
        ),
    ],
)
def test_the_subject_is_written_as_the_article_writes_it(title, body, subject):
    article = Article(topic_id="t", url="https://x.example/a", title=title, body=body)
    profile = asyncio.run(ExtractiveProfiler()(article))
    assert subject_phrase(profile, parse(sentences(body))) == subject


def test_a_figure_behind_what_it_is_a_part_of_is_asked_about():
    (one,) = parse(
        ["The line cost 210 million euros, of which the European Union paid 60 percent."]
    )
    assert list(_figures(one)) == ["210 million euros", "60 percent"]


def test_a_statement_that_states_nothing_is_not_quoted(encoder):
    body = f"{BODY} The Marrow Ferry Workers' Union does not agree."
    body += (
        ' Petra Quill, who has fished from Tollmere for 26 years, said the ferry was "a lifeline".'
    )
    told = PROFILE.model_copy(update={"body": body})
    asked = written(encoder, told, count=30)
    assert not any("does not agree" in one or "lifeline" in one for one in asked)
    body = body.replace('"a lifeline"', "a monopoly in 2019")
    asked = written(encoder, told.model_copy(update={"body": body}), count=30)
    assert any("a monopoly in 2019" in one for one in asked)


def test_nobody_is_asked_for_an_interest_in_a_part_of_its_own_name(encoder):
    told = PROFILE.model_copy(update={"subject": "Marrow Sound"})
    asked = written(encoder, told, count=30)
    assert not any("Line have in" in one or "behind the Marrow Sound" in one for one in asked)


def test_an_outlet_without_a_known_name_is_called_a_website(encoder):
    host = "larkly.example"
    nameless = PROFILE.model_copy(update={"publisher": host, "host": host, "authors": ()})
    about = [one for one in written(encoder, nameless) if host in one]
    assert about
    assert all(f"the website {host}" in one for one in about)


def test_what_other_pages_tell_of_an_article_decides_what_is_asked(encoder):
    body = (
        f"{BODY} Fares rose by 12 per cent in 2021. Dr Osmund Hale, a transport analyst, said that "
        "4,100 islanders would leave."
    )
    people = ("Petra Quill", "Osmund Hale")
    told = PROFILE.model_copy(update={"body": body, "people": people, "authors": ()})
    ruling = page(
        "A complaint that the Sound Courier had misled readers on the Tollmere ferry was upheld: "
        "the figure of 4,100 islanders counted day visitors." + OTHER_MATTERS,
        url="https://press.example/decision",
    )

    def place(asked, *words):
        return next((n for n, one in enumerate(asked) if any(map(one.count, words))), 99)

    asked = written(encoder, told, found=evidence(ruling))
    assert place(asked, "rulings", "ruled on") < 10
    assert place(asked, "Hale") < place(asked, "Quill")  # who knows the field comes first
    assert place(asked, f'headline "{PROFILE.title}"') < 10
    assert place(asked, "4,100 islanders") < 10
    assert place(asked, "figure of 12 per cent") == 99  # no page takes it up
    assert place(written(encoder, told), "rulings", "ruled on") == 99


# The report: within its budget, cited, and nothing that the article says.


def reported(encoder, max_words, found=PAGES):
    writer = ExtractiveReportWriter(TextVectors(encoder.encode_sentences), max_words, 3)
    return asyncio.run(writer(PROFILE, ANGLES, found))


@pytest.mark.parametrize("max_words", [1, 12, 45, 250])
def test_a_report_never_passes_its_word_budget(encoder, max_words):
    report = reported(encoder, max_words)
    assert sum(budget_words(one.text) for one in report.sentences) <= max_words
    assert bool(report.sentences) is (max_words > 12)


def test_nothing_of_the_article_is_told_again(encoder):
    report = reported(encoder, 250)
    cited = {cited for one in report.sentences for cited in one.segment_ids}
    assert "m_doc_00_4#0_0" not in cited
    texts = [one.text for one in (*report.sentences, *report.reserve)]
    assert len(set(texts)) == len(texts)
    assert not {one.text for one in (*report.sentences, *report.reserve)} & {*sentences(BODY)}


def test_the_draft_says_why_evidence_is_not_used(encoder):
    inn = "The Marrow Sound Line of Ostrava, Czechia, runs trams. Prague has others."
    others = (
        page(f"ann_b: The Tollmere ferry closes.\nbo_c: It does.{OTHER_MATTERS}", number=5),
        page(inn + OTHER_MATTERS, number=6, title="Trams"),
        page("The Tollmere ferry: closure, pier, island, fuel, passengers.", number=7),
    )
    found = evidence(*(item.segment for item in PAGES.items), *others)
    unused = reported(encoder, 250, found).unused
    assert {document_id_of(key)[-1]: why for key, why in unused.items()} == {
        "1": "outdone",
        "2": "outdone",
        "3": "outdone",
        "4": "retold",
        "5": "forum",
        "6": "elsewhere",
        "7": "no statement",
    }


def test_the_draft_says_of_no_page_more_than_was_looked_at(encoder, monkeypatch):
    monkeypatch.setattr(write_report, "_READ", 4)  # the other sentences are not read
    assert {"outdone", "unread"} <= set(reported(encoder, 250).unused.values())
    monkeypatch.undo()
    monkeypatch.setattr(write_report, "_LEAST", 1.01)  # nothing is worth telling
    assert "little" in (unused := set(reported(encoder, 250).unused.values()))
    assert "outdone" not in unused
    monkeypatch.undo()
    selector = ExtractiveSelector(TextVectors(encoder.encode_sentences), 3)
    ferry = PAGES.items[0].segment
    away = page(OTHER_MATTERS, number=9)
    angle = ANGLES[0].angle_id
    found = asyncio.run(selector(PROFILE, ANGLES[:1], {angle: [ferry] * 30 + [away]}))
    assert found.dropped[away.segment_id] == "not read"
    closed = "The Tollmere ferry closes because of the costs of its fuel." + OTHER_MATTERS
    near = [page(closed, number=number) for number in (6, 7, 8)]
    found = asyncio.run(selector(PROFILE, ANGLES[:1], {angle: [*near, away]}))
    assert sorted(found.dropped.values()) == ["others say more", "too far"]
    # What is said elsewhere on a page of the evidence may be what was decided.
    first, *_ = found.evidence.items
    page_id = document_id_of(first.segment.segment_id)
    rest = away.model_copy(update={"segment_id": f"{page_id}#7_7000"})
    found = asyncio.run(selector(PROFILE, ANGLES[:1], {angle: [*near, away, rest]}))
    assert rest in [item.segment for item in found.evidence.items]
    assert away.segment_id in found.dropped


def test_nothing_was_found_where_no_page_is_about_the_article(encoder):
    common = tuple("people year work time public state company".split())
    profile = PROFILE.model_copy(update={"keywords": common})
    writer = ExtractiveReportWriter(TextVectors(encoder.encode_sentences), 250, 3)

    def told(*pages):
        return asyncio.run(writer(profile, ANGLES, evidence(*pages))).sentences

    stray = page(
        "The state paid the people of a company T40,000 for public work in 2019, a year and time "
        "of need." + OTHER_MATTERS,
        number=8,
        title="Work",
    )
    assert [one.text for one in told(stray)] == [NO_EVIDENCE]
    assert NO_EVIDENCE not in str(told(stray, *(one.segment for one in PAGES.items)))


def test_what_qualifies_a_claim_follows_it(encoder):
    claim = "The Marrow Sound Line reported a loss of T3 million for 2019."
    qualified = f"{claim} However, the Sound Authority found that T2.5 million was a single repair."
    found = evidence(
        page(f"{OTHER_MATTERS} {qualified}"), *(one.segment for one in PAGES.items[1:])
    )
    texts = [without_source(one.text) for one in reported(encoder, 250, found).sentences]
    assert texts[texts.index(claim) + 1].startswith("However, the Sound Authority found")


SOURCE = re.compile(r"[^“”]+, “[^“”]+”: ")


def test_the_first_sentence_of_each_page_begins_with_its_source(encoder):
    report = reported(encoder, 250)
    pages = [document_id_of(one.segment_ids[0]) for one in report.sentences]
    begins = [SOURCE.match(one.text) is not None for one in report.sentences]
    assert begins == [page != before for page, before in zip(pages, ["", *pages], strict=False)]
    assert len(set(pages)) == sum(begins) > 1
    ruling = "Transport Tribunal, “Ruling on the Sound"
    assert any(one.text.startswith(ruling) for one in report.sentences)


def test_a_verdict_that_names_its_source_and_what_it_checked_has_no_source_before_it():
    held = page("Our verdict\nMOSTLY FALSE.", title="Does the ferry close? - Fen Check", url="")
    verdict = "Fen Check checked ‘Does the ferry close?’ and found: “MOSTLY FALSE”."
    for text, shown in ((verdict, ""), ("It stays.", "Fen Check, “Does the ferry close?”: ")):
        draft = DraftReport(sentences=(DraftSentence(text=text, segment_ids=(held.segment_id,)),))
        assert with_sources(draft, evidence(held), PROFILE).sentences[0].text == shown + text


def test_what_a_page_decides_is_chosen_before_the_rest_of_it():
    (ruling,) = read_pages(evidence(page("Upheld in part.", title="Quill v Courier")), PROFILE)
    (other,) = read_pages(evidence(page("It is so.", number=2)), PROFILE)
    point = Finding(("The headline was fair.",), (), "a", ruling)
    outcome = Finding(("The panel decided: “Upheld in part”.",), (), "a", ruling, decides=True)
    fact = Finding(("The ferry lost T9,000 in June.",), (), "b", other)
    found, alike = [point, fact, outcome], np.eye(3)
    chosen, _ = choose(found, np.array([0.9, 0.8, 0.2]), alike, 250, [""] * 3, fills_room=False)
    assert chosen == [2, 0, 1]
    chosen, _ = choose(found, np.array([0.9, 0.8, 0.04]), alike, 250, [""] * 3, fills_room=False)
    assert chosen == [0, 1]  # an outcome that is hardly worth knowing
    # Of the corrections of a page the first is told first: it begins with what was printed.
    printed = Finding(("It said that it was free.", "It cost T9."), (), "a", ruling, decides=True)
    found = [printed, Finding(("It cost T9.",), (), "a", ruling, decides=True)]
    chosen, _ = choose(found, np.array([0.5, 0.9]), np.eye(2), 250, ["", ""], fills_room=False)
    assert chosen[0] == 0


def test_a_page_whose_decision_finds_no_room_is_not_told():
    (check,) = read_pages(evidence(page("The total is right.", title="Fen Check")), PROFILE)
    (other,) = read_pages(evidence(page("It is so.", number=2)), PROFILE)
    concession = Finding(("The total is right.",), (), "a", check)
    verdict = Finding(("Fen Check found: “" + "word " * 30 + "”.",), (), "a", check, decides=True)
    fact = Finding(("The ferry lost T9,000 in June.",), (), "b", other)
    found, worth = [concession, verdict, fact], np.array([0.5, 0.4, 0.3])
    for words, told, waits in ((30, [2], [1]), (60, [1, 0, 2], [])):
        chosen, waiting = choose(found, worth, np.eye(3), words, [""] * 3, fills_room=False)
        assert (chosen, waiting) == (told, waits)


def test_of_answers_of_like_worth_the_shorter_is_chosen_first():
    (held,) = read_pages(evidence(page("It is so.")), PROFILE)
    fact, more = "The ferry lost T9,000 in June.", "The harbour has three quays and a tall crane."
    found = [Finding((more, fact), (), "a", held), Finding((fact,), (), "b", held)]
    for worth, first in ((0.5, 1), (0.52, 1), (0.99, 0)):
        chosen, _ = choose(found, np.array([worth, 0.4]), np.eye(2), 250, ["", ""], fills_room=True)
        assert chosen[0] == first


def test_a_sentence_gets_the_source_that_stood_before_a_removed_one(encoder):
    report = reported(encoder, 250)
    first, second = report.sentences[:2]
    assert document_id_of(first.segment_ids[0]) == document_id_of(second.segment_ids[0])
    (source,) = SOURCE.findall(first.text)
    kept = CheckedReport(
        draft=report.model_copy(update={"sentences": report.sentences[1:], "reserve": ()}),
        removed=(Removal(sentence=first, label="none", reason="for the test"),),
    )
    revise = ExtractiveReviser(250)
    revised = asyncio.run(revise(PROFILE, ANGLES, PAGES, kept, {})).draft.sentences
    assert revised[0].text == source + second.text
    assert revised[1:] == report.sentences[2:]


def test_the_features_of_findings_are_those_of_the_model_and_give_their_worth(encoder):
    vectors = TextVectors(encoder.encode_sentences)
    read = read_findings(PROFILE, ANGLES, PAGES, vectors)
    model, found = Usefulness.load(), read.features
    assert (model.scale > 0).all()
    assert all(set(row) == set(model.names) for row in (*found.whole, *found.sentences))
    assert read.speaks.shape == (len(read.findings), len(ANGLES))
    worth = model.worth(found)
    assert ((worth > 0) & (worth < 1)).all()
    assert len(set(worth.tolist())) > 1
    assert model.worth(Described([], [], [])).shape == (0,)
    near = [row["near, rank"] for row in found.whole]
    assert max(near) == 1.0
    assert near[0] == np.mean([row["near"] <= found.whole[0]["near"] for row in found.whole])


def test_a_finding_is_worth_the_mean_of_the_whole_and_of_its_sentences():
    one = {"near": 0.0}
    model = Usefulness(("near",), np.zeros(1), np.ones(1), np.ones(1), 0.0)
    poor, fair, good = ({"near": np.log(p / (1 - p))} for p in (0.2, 0.4, 0.8))
    found = Described([one] * 3, [good, fair, poor], [[0], [0, 1], [0, 2]])
    alone, with_fair, with_poor = model.worth(found)
    assert alone == pytest.approx((0.5 * 0.8) ** 0.5, abs=1e-6)
    assert with_fair == pytest.approx((0.5 * 0.6) ** 0.5 * 2**0.25, abs=1e-6)
    assert with_poor == pytest.approx((0.5 * 0.5) ** 0.5 * 2**0.25 / 2, abs=1e-6)


FACTS = """
    was built in Dunbeck in 1961; carried 90,000 passengers in 2018; burns heavy fuel oil;
    needs a crew of seven in winter; was painted green after a vote of the islanders;
    is insured by a mutual in Carrow;
    carries mail under a contract of 1975; was repaired at the yard of Holm in 2016;
    is inspected by the Sound Authority each May
""".split(";")


def test_an_answer_tells_all_that_is_new_as_long_as_there_is_room(encoder):
    told = [f"The Tollmere ferry {one_line(fact)}." for fact in FACTS]
    pages = evidence(*(page(text, number=n, title="") for n, text in enumerate(told)))
    read = read_narrative(Narrative(topic_id="1", narrative="What is the Tollmere ferry like?"))
    writer = ExtractiveReportWriter(TextVectors(encoder.encode_sentences), 400, 3)
    assert {one.text for one in asyncio.run(writer(*read, pages)).sentences} == set(told)
