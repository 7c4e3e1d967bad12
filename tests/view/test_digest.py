"""The first screen: who is behind an article, what it says, what others say, who and when."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.pages import Origins, is_before, page_date, source_kind, source_line
from sidelight.schemas.investigation.angle import Angle, ArticleFacts, Aspect, Plan
from sidelight.schemas.investigation.evidence import FoundClaim
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.schemas.investigation.trace import Round, Selected, Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from sidelight.view.collect import collect_page
from sidelight.view.digest import _counts_otherwise, answers, digest
from sidelight.view.page import render_page
from sidelight.view.report import Told, cite
from sidelight.view.shown_run import Made, ShownRun

BODY = """\
Home | News | Sport
Marsh Frogs Will Vanish by 2030
By Nora Quill
4 May 2022
The frogs of the eastern marsh will vanish by 2030 unless the pumping stations are closed.
A survey by the Fen Trust counted 1,200 frogs in 2019 and only 300 in 2021, a loss of 75 percent.
Nora Quill has written about wetlands and their animals for more than twenty years now.
Farmers who live beside the marsh say that they have seen no change in the water at all.
The regional water board refused to answer the questions that this newspaper sent to it.
The pumping stations were built in 1961, when the marsh was still twice as large as it is.
Nobody has counted the frogs since, but walkers in the reserve say that the nights are silent.
Subscribe to our newsletter
"""
ARTICLE = Article(
    topic_id="a_doc_00_1",
    url="https://reedpost.example/2022/frogs",
    title="Marsh Frogs Will Vanish by 2030 - Reed Post",
    body=BODY,
)
SURVEY = (
    "The survey counted 1,200 frogs in 2019 and 300 in 2021, but in 2021 only one pond in four "
)
TEXTS = {
    "b_doc_00_1#0_0": (
        "https://openpedia.example/wiki/Reed_Post",
        "Reed Post\nFrom Openpedia, the open encyclopedia\nReed Post belongs to Marsh Hotels Ltd.",
    ),
    "b_doc_00_2#0_9": (
        "https://fentrust.example/report",
        f"Frog survey\nFen Trust\n3 March 2022\n{SURVEY}was visited.",
    ),
    "b_doc_00_3#0_18": (
        "https://who.example/quill",
        "Nora Quill is the press officer of Marsh Hotels Ltd.",
    ),
}
SEGMENTS = tuple(
    Segment(segment_id=one, url=url, title=text.split("\n")[0], text=text)
    for one, (url, text) in TEXTS.items()
)
ONE, TWO, THREE = TEXTS
REPORT = (
    CitedSentence(text="Reed Post belongs to Marsh Hotels Ltd.", citations=(ONE,)),
    CitedSentence(
        text="The survey counted 1,200 frogs in 2019 and 300 in 2021, but visited one pond in four "
        "in 2021.",
        citations=(TWO,),
    ),
    CitedSentence(text="It has five members.", citations=(TWO,)),
    CitedSentence(
        text="Quill is the press officer of the company that owns it.", citations=(THREE,)
    ),
)
QUESTIONS = (
    "Who owns Reed Post?",
    "How many frogs did the survey count?",
    "What is known about badgers?",
)


def made(trace=None, article=ARTICLE, report=REPORT):
    return Made(article, QUESTIONS, report, SEGMENTS, trace=trace)


def digested(one):
    assert isinstance(one.topic, Article)
    sentences, sources = cite(
        one.report, {segment.segment_id: segment for segment in one.evidence}, {}, one.origins()
    )
    told = Told.of(one.topic, one.trace or Trace(), one.evidence)
    return digest(one, told, sentences, sources)


def test_the_lead_says_who_when_and_what_others_found():
    lead = digested(made()).lead
    assert lead
    assert lead.origin == "Published by Reed Post on 4 May 2022; written by Nora Quill."
    assert lead.behind
    assert lead.behind.text == REPORT[0].text
    assert lead.claim
    assert (lead.claim.text, lead.claim.number) == (f"{REPORT[1].text} {REPORT[2].text}", 2)


def test_the_table_holds_a_claim_against_what_was_found_by_whom_and_when():
    rows = {row.about: row for row in digested(made()).rows}
    publisher, author, claim = (
        rows[name] for name in ("Who publishes it", "Who wrote it", "About its claims")
    )
    assert publisher.says == "Reed Post"
    assert author.says.startswith("Nora Quill has written about wetlands")
    assert author.findings[0].text == REPORT[3].text
    assert claim.says.startswith("A survey by the Fen Trust counted 1,200 frogs")
    (finding,) = claim.findings
    (source,) = finding.sources
    assert (source.name, source.date) == ("Fen Trust", "3 March 2022")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("But the survey of 2021 counted 300 frogs in one pond.", "The survey of 2021 counted"),
        # Words that both have pair by chance where they have no figure and no name in common.
        ("The water of the mill is as large a change to farmers as walkers at the marsh say.", ""),
        ("The marsh was drained in 2019 for a road.", ""),
    ],
)
def test_a_claim_has_beside_it_what_shares_a_figure_or_name_without_what_joins_it(text, shown):
    found = digested(made(report=(CitedSentence(text=text, citations=(TWO,)),)))
    texts = [one.text for row in found.rows for one in row.findings]
    assert [one[: len(shown)] for one in texts] == [shown] * bool(shown)


def test_who_is_behind_it_is_told_only_by_what_names_publisher_or_author():
    paid = "Kestrel Dredging paid Marsh Hotels Ltd $2 million and owns a third of its shares."
    report = (*REPORT[1:3], CitedSentence(text=paid, citations=(THREE,)))
    found = digested(made(report=report))
    assert found.lead
    assert found.lead.behind is None
    rows = {row.about: row for row in found.rows}
    assert paid not in [one.text for about in ("Who publishes it", "Who wrote it") if about in rows
                        for one in rows[about].findings]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "page", "shown"),
    [
        ("He is paid by Marsh Hotels Ltd.", TWO, 2),
        ("While 40 frogs had rings, only 17 of them were seen again.", TWO, 2),
        # It goes on from another page, tells more of the article, or is on something else.
        ("He is paid by Marsh Hotels Ltd.", THREE, 0),
        ("It also said that only 300 frogs were left in 2021, a loss of 75 percent.", TWO, 0),
        ("The Fen Trust is in Fenton.", TWO, 0),
    ],
)
def test_what_retells_the_article_is_shown_with_what_answers_it_or_not_at_all(second, page, shown):
    first = "A story of 4 Feb. 2022 described a survey that counted 1,200 frogs in 2019."
    cited = zip((first, second), (TWO, page), strict=True)
    report = tuple(CitedSentence(text=text, citations=(one,)) for text, one in cited)
    texts = [one.text for row in digested(made(report=report)).rows for one in row.findings]
    assert (f"{first} {second}" in texts) == bool(shown)
    assert first not in texts


def test_what_was_printed_is_shown_with_its_correction():
    fixed = "https://reedpost.example/corrections/2022"
    source = Segment(segment_id="b_doc_00_4#0_9", url=fixed, title="Corrections", text="So.")
    printed = "The article also said that not one of the 1,200 frogs was left in 2021."
    texts = (printed, "The survey of 2021 counted 300.")
    report = tuple(CitedSentence(text=text, citations=(source.segment_id,)) for text in texts)
    rows = digested(Made(ARTICLE, (), report, (*SEGMENTS, source))).rows
    shown = [one.text for row in rows for one in row.findings]
    assert " ".join(texts) in shown
    assert printed not in shown


def test_the_record_shows_a_correction_before_a_figure_of_something_else():
    fixed = "https://reedpost.example/corrections/2022"
    source = Segment(segment_id="b_doc_00_4#0_9", url=fixed, title="Corrections", text="So.")
    texts = {
        "Walkers saw 17 nights of silence in the marsh by 2021, none with frogs.": TWO,
        "The survey of 2019 saw 387 of the frogs and worked out the rest.": source.segment_id,
    }
    report = tuple(CitedSentence(text=text, citations=(one,)) for text, one in texts.items())
    lead = digested(Made(ARTICLE, (), report, (*SEGMENTS, source))).lead
    assert lead
    assert lead.claim
    assert lead.claim.number == 2


def test_a_press_release_is_no_record():
    release = "https://peat.example/press-releases/frogs"
    source = Segment(segment_id="b_doc_00_4#0_9", url=release, title="Frogs", text="So.")
    denied = "The survey of 2021 did not count 1,200 frogs."
    report = (CitedSentence(text=denied, citations=(source.segment_id,)),)
    lead = digested(Made(ARTICLE, (), report, (*SEGMENTS, source))).lead
    assert lead
    assert lead.claim is None


def test_the_record_shows_what_was_decided_before_what_only_denies():
    texts = (
        "The survey of 2021 did not count 1,200 frogs; nobody saw more than 300, none of them old.",
        "Fen Check checked ‘Were there frogs?’ and found: “Half true. There were frogs”.",
    )
    report = tuple(CitedSentence(text=text, citations=(TWO,)) for text in texts)
    for order in (report, report[::-1]):
        lead = digested(made(report=order)).lead
        assert lead
        assert lead.claim
        assert lead.claim.text == texts[1]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("Holm Mutual holds 29 per cent of the Post's parent.",), 1),
        (("Ada Bee and Carl Dee own 52 percent of the shares of Reed Post.",), 1),
        (("Holm Mutual bought the magazine in 2019.",), 1),
        # What goes on is told with what it goes on from.
        (("Reed Post tells of two snacks.", "It omits that its parent company sells both."), 2),
        (("Reed Post recommended two snacks to buy instead.",), 0),
        (("A widely shared story in Reed Post was found to be wrong.",), 0),
        (("In Reed Post's own test the pump ran for eleven hours.",), 0),
        (("Reed Post told owners of dogs to keep away from the marsh.",), 0),
        (("The publisher has been a member of the Press Board since 2019.",), 0),
    ],
)  # fmt: skip
def test_who_is_behind_it_is_who_owns_pays_or_employs(texts, told):
    report = tuple(CitedSentence(text=one, citations=(ONE,)) for one in texts)
    lead = digested(made(report=report)).lead
    assert lead
    found = (lead.behind.text, lead.behind.number) if lead.behind else ("", None)
    assert found == (" ".join(texts[:told]), 1 if told else None)


def test_the_magazine_of_a_source_that_does_not_name_this_one_is_another():
    told = "Holm Mutual bought the magazine in 2019."
    source = Segment(segment_id="b_doc_00_4#0_9", url="https://a.example", title="So", text=told)
    report = (CitedSentence(text=told, citations=(source.segment_id,)),)
    lead = digested(Made(ARTICLE, (), report, (*SEGMENTS, source))).lead
    assert lead
    assert lead.behind is None


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("The article said that a survey counted 1,200 frogs in 2019 and 300 in 2021.", False),
        ("According to the newspaper's story, a survey counted 1,200 frogs in 2019.", False),
        ("Reed Post reported that the marsh frogs will vanish by 2030.", False),
        ("Nora Quill wrote that the pumping stations were built in 1961.", False),
        ("The article said that a survey counted 1,200 frogs in 2019, but nobody did.", True),
        ("The article said that a survey counted 90 frogs in 2019.", True),
        ("Reed Post said that Marsh Hotels Ltd paid for its office.", True),
        ("It also found that 900 frogs lived in the marsh in 2021.", False),
    ],
)
def test_what_retells_the_article_or_needs_the_sentence_before_it_is_no_answer(text, is_shown):
    report = (CitedSentence(text=text, citations=(TWO,)),)
    found = digested(Made(ARTICLE, (), report, SEGMENTS))
    assert found.lead
    shown = [one.text for row in found.rows for one in row.findings]
    shown += [one.text for one in (found.lead.behind, found.lead.claim) if one]
    assert (text in shown) == is_shown
    assert [one.text for part in found.paragraphs for one in part.sentences] == [text]


def test_a_report_is_told_by_subject_and_what_goes_on_stays_where_it_is():
    found = digested(made()).paragraphs
    assert [(one.title, [each.number for each in one.sentences]) for one in found] == [
        ("Who publishes it", [1]),
        ("About its claims", [2, 3]),
        ("Who wrote it", [4]),
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Why were 1,200 frogs counted in 2019, and why are so few in the marsh now?",
        "Look for a survey that counted 1,200 frogs in 2019 and 300 in 2021.",
    ],
)
def test_a_question_or_an_order_is_no_claim(prompt):
    article = ARTICLE.model_copy(update={"body": f"{BODY}{prompt}\n"})
    assert prompt in Told.of(article, Trace()).sentences
    profile = asyncio.run(ExtractiveProfiler()(article))
    says = [row.says for row in digested(made(Trace(profile=profile.facts()), article)).rows]
    assert prompt not in says
    assert "counted 1,200 frogs" in says[-1]
    assert prompt not in [claim.text for claim in profile.claims]


def test_sentences_in_a_row_from_one_page_stay_together():
    report = (
        REPORT[1],
        CitedSentence(text="Marsh Hotels Ltd, of Fenton, runs the pumps.", citations=(THREE,)),
        CitedSentence(text="Reed Post published a letter on the pumps.", citations=(ONE, TWO)),
        CitedSentence(text="Marsh Hotels Ltd, of Fenton, owns both.", citations=(ONE,)),
        CitedSentence(text="It has a seat in Fenton.", citations=(THREE,)),
        CitedSentence(text="Its survey of 2021 was repeated by Nora Quill.", citations=(TWO,)),
        CitedSentence(text="Nora Quill counted 300 frogs in 2021.", citations=(TWO,)),
    )
    found = digested(made(report=report)).paragraphs
    assert [(one.title, [each.number for each in one.sentences]) for one in found] == [
        ("About its claims", [1]),
        ("The wider picture", [2]),
        ("Who publishes it", [3, 4, 5, 6, 7]),
    ]


def test_questions_lead_to_the_sentences_that_answer_them():
    owner, count, badgers = digested(made()).answers
    assert (owner[0], count[0], badgers) == (1, 2, ())
    # What the writer took a sentence to answer counts.
    question = "Who pays for the Reed Post newspaper?"
    angle = Angle(angle_id="x", aspect=Aspect.PUBLISHER, question=question, query="q", weight=4)
    said = "A hotel chain does."
    asked = ["Who pays for the Reed Post?"]
    assert answers(asked, [said], {}, {}) == ((),)
    assert answers(asked, [said], {"x": angle}, {said: {"x": 0.9}}) == ((1,),)
    # Questions of one form are alike, so that what is less sure counts only with shared words.
    assert answers(asked, [said], {"x": angle}, {said: {"x": 0.7}}) == ((),)
    # A question where a figure comes from is answered by what has that figure, and by nothing else.
    asked = ["Where does the figure of 31 percent in reports on the Reed frogs come from?"]
    counted = ["Reports on the Reed frogs come from Ada Bee.", "Bee put it at 31 percent in June."]
    assert answers(asked, counted, {}, {}) == ((2,),)
    # A question about rulings shares no word with what was ruled.
    asked = ["How have regulators ruled on the Reed Post's article?", "Who owns the hotel chain?"]
    ruled = ["The council finds that Clause 6 was breached.", "Frogs were counted at night."]
    assert answers(asked, ruled, {}, {}) == ((1,), ())


def test_a_question_on_two_people_is_answered_by_what_tells_of_either():
    asked = ["Who pays Nora Quill, and who pays Tom Reed?"]
    told = ["Quill is paid by the mill.", "Reed is paid by the bank.", "Frogs are green."]
    about = {"Nora Quill": {1: True}, "Tom Reed": {2: True}}
    assert answers(asked, told, {}, {}, about) == ((1, 2),)


def test_a_question_on_somebody_leads_to_what_names_them_or_goes_on_from_it():
    noted = "A publisher should let its readers know about changes."
    report = (
        CitedSentence(text="Reed Post is read in the reserve.", citations=(ONE,)),
        CitedSentence(text=noted, citations=(ONE,)),
        CitedSentence(text=noted, citations=(TWO,)),
    )
    asked = "What should readers know about the publisher, Reed Post?"
    quoting = 'Is it so that "readers should know about the publisher, Reed Post"?'
    found = digested(Made(ARTICLE, (asked, quoting), report, SEGMENTS)).answers
    assert [set(one) for one in found] == [{1, 2}, {1, 2, 3}]


def test_what_a_page_on_the_publisher_or_a_correction_says_needs_no_name():
    stake = "Since 2021 a 58 per cent stake in Marsh Hotels has been held by Kestrel Dredging."
    report = (
        CitedSentence(
            text="Counts fell by 5 per cent at another place.", citations=("b_doc_00_4#0_0",)
        ),
        CitedSentence(text=stake, citations=(ONE,)),
        CitedSentence(text="The publisher is Marsh Hotels Ltd.", citations=(ONE,)),
        CitedSentence(text="Only 5% of all ponds were seen.", citations=(TWO,)),
    )
    correction = Segment(
        segment_id=report[0].citations[0],
        url="https://keeper.example/20220601/reedpost/frogs",
        title="Correction: frogs - Keeper",
        text=report[0].text,
    )
    questions = (
        "What should readers know about the publisher, Reed Post?",
        "What corrections, complaints or rulings followed Reed Post's article on frogs?",
        "What is the basis for the figure of 5 per cent in reports on frogs?",
    )
    found = digested(Made(ARTICLE, questions, report, (*SEGMENTS, correction)))
    assert [set(one) for one in found.answers] == [{2, 3}, {1}, {1, 4}]
    assert found.lead
    assert found.lead.behind
    assert found.lead.behind.text == report[2].text
    titles = [(one.title, [each.number for each in one.sentences]) for one in found.paragraphs]
    assert ("Who publishes it", [2, 3]) in titles
    # The archive is not who says so.
    assert found.paragraphs[0].sentences[0].citations[0].source.name == "Correction: frogs"


def test_what_was_read_to_speak_against_the_article_is_in_the_table():
    claim = FoundClaim(
        text="Only one pond in four was visited in 2021.",
        segment_ids=(TWO,),
        answers={"x": 0.9},
        speaker="the Fen Trust",
        against="A survey counted 1,200 frogs in 2019 and only 300 in 2021.",
    )
    selected = Selected(taken={}, dropped={}, refused={}, pages={}, claims=(claim,))
    trace = Trace(rounds={1: Round(plan=Plan(angles=(), queries=()), selected=selected)})
    one = Made(ARTICLE, (), (), SEGMENTS, trace=trace)
    (row,) = digested(one).rows
    (finding,) = row.findings
    assert (finding.number, finding.speaker) == (None, "the Fen Trust")
    assert finding.sources[0].name == "Fen Trust"


def test_a_profile_and_a_draft_go_before_rules():
    facts = ArticleFacts(
        title="Frogs",
        publisher="The Reed",
        host="",
        authors=("A. Bee",),
        people=("C. Dee",),
        subject="",
    )
    draft = DraftReport(
        sentences=tuple(
            DraftSentence(text=one.text, segment_ids=one.citations, covers={"x": 0.9})
            for one in REPORT
        )
    )
    angle = Angle(angle_id="x", aspect=Aspect.SOURCE, question="Q?", query="q", weight=4)
    found = digested(made(Trace(profile=facts, rubric=(angle,), draft=draft)))
    assert found.lead
    assert found.lead.origin == "Published by The Reed on 4 May 2022; written by A. Bee."
    assert "Whom it relies on" in {one.title for one in found.paragraphs}


def test_the_date_of_an_article_may_stand_below_a_menu():
    body = "Home | Pond | Marsh\n" * 25 + "4 May 2022 | 5 min read\nFrogs are loud."
    shown = digested(Made(Article(topic_id="a_doc_00_1", body=body), QUESTIONS, (), ()))
    assert shown.lead
    assert "published on 4 May 2022" in shown.lead.origin
    dated = Article(topic_id="a_doc_00_1", url="https://reed.example/2022/05/frogs", body="Frogs.")
    shown = digested(Made(dated, QUESTIONS, (), ()))
    assert shown.lead
    assert "in May 2022" in shown.lead.origin


def test_nothing_is_made_up_where_nothing_is_known():
    bare = Article(topic_id="a_doc_00_1", body="")
    found = digested(Made(bare, QUESTIONS, (), ()))
    assert found.lead
    assert found.lead.origin == "Publisher not identified; no author named."
    assert (found.lead.behind, found.lead.claim, found.rows) == (None, None, ())
    assert found.paragraphs == ()


def test_real_articles_are_shown_without_what_stands_around_them():
    told = Told.of(ARTICLE, Trace())
    assert told.title == "Marsh Frogs Will Vanish by 2030"
    assert told.authors == ("Nora Quill",)
    shown = "\n".join(told.paragraphs)
    assert "Home |" not in shown
    assert "newsletter" not in shown
    assert told.n_left_out > 8


@pytest.mark.parametrize(
    ("url", "text", "kind"),
    [
        ("https://openpedia.example/wiki/Frog", "", "encyclopedia"),
        ("https://www.gov.uk/x", "", "public body"),
        ("https://environment.data.gov/x", "", "public body"),
        ("https://x.example/y", "Ministry of the Marsh\nReport", "public body"),
        ("https://x.example/y", "City of Carrow, Department of Roads\nReport", "public body"),
        ("https://x.example/y", "Department of Law, University of Carrow\nAbstract", "research"),
        ("https://x.example/y", f"{'The vote was close. ' * 4}The city council met.", ""),
        ("https://bio.stanford.edu/frogs", "", "research"),
        ("https://x.example/opinion/frogs", "", "opinion"),
        ("https://x.example/press/frogs", "For immediate release\nFrogs.", "press release"),
        ("https://x.example/frogs", "Background note for editors\nFrogs.", "press release"),
        ("https://x.example/frogs", "Frog Office\nIt had a media release of 2 May.", ""),
        ("https://x.example/a", "Fact check: Frogs\nA press release says so.", "fact check"),
        ("https://snopes.com/frogs", "", "fact check"),
        ("https://mediabiasfactcheck.com/reed", "", "media rating"),
        ("https://reedtimes.example/frogs", "", "news"),
        ("https://x.example/2021/05/frogs", "", "news"),
        ("https://x.example/blog/frogs", "", "blog"),
        ("https://x.example/a", "Frogs - The Reed Post blog\nFrogs.", "blog"),
        ("https://x.example/a", "Pond Life Blog | Frogs", "blog"),
        ("https://x.example/a", "Frogs\nPond Life, a blog about ponds", "blog"),
        ("https://x.example/2021/05/frogs", "Hotel Chairs Owner of Blog That Hailed Frogs", "news"),
        ("https://x.example/a", "Frogs\nIn May a blog told its readers of frogs.", ""),
        ("https://x.example/frogs", "", ""),
        ("", "", ""),
    ],
)
def test_the_kind_of_a_source_is_said_where_it_shows(url, text, kind):
    assert source_kind(url, Segment(segment_id="x_doc_00_1#0_0", url=url, text=text)) == kind


@pytest.mark.parametrize(
    ("url", "top", "date"),
    [
        ("", "Frogs\nBy A Bee\n3 March 2022\nText", "3 March 2022"),
        ("", "Frogs\nMarch 3, 2022 by A Bee", "March 3, 2022"),
        ("", "2022-03-03", "2022-03-03"),
        ("https://x.example/2022/03/14/frogs", "", "14 March 2022"),
        ("https://x.example/2022/03/frogs", "", "March 2022"),
        ("https://x.example/2022/13/frogs", "", ""),
        # Prose speaks of other days than its own.
        ("", f"{'The pump that was built long ago ' * 2} broke in the flood of 3 March 1961.", ""),
        # Days of a hearing, a post, an event.
        ("", "Hearing held on May 20 and June 17, 2025\nDecision of 3 July 2025", "3 July 2025"),
        ("", "Editor, September 2022 to present", ""),
        ("", "Director, appointed: 11 January 2021\nFiled 3 July 2025", "3 July 2025"),
        ("", f"{'Frogs. ' * 51}\nEditor, Reed Times (February 2020 to November 2022)", ""),
        ("", "In June 1998 the pump broke, as it had since 3rd May 1961", ""),
        ("", "The Frog | 24 March 2024 - 3 min read", "24 March 2024"),
        ("", "COUNCIL TO CLOSE POOLS\n12 MARCH 2024", "12 MARCH 2024"),
        ("", "06:03, 14 MAR 2024 | Updated 11:47, 14 MAR 2024", "14 MAR 2024"),
        ("", "The Frog\nMarch 12th, 2024", "March 12th, 2024"),
        ("", "The Frog\n12th of March 2024", "12th of March 2024"),
        ("", "The Frog\n03/12/2024", "03/12/2024"),
        # As a release begins; the line may end behind what is looked at.
        ("", f"Frogs\nFENTON, Ohio, Feb. 12, 2022 (Wire) - {'They sing. ' * 40}", "Feb. 12, 2022"),
        # The day of what a check examines is not its own.
        ("", "Source: Reed Post, 31 August 2025\nChecked: 12 September 2025", "12 September 2025"),
        ("", "Source: Reed Post, 31 August 2025", ""),
        ("", "Received 3 May 2021, published 9 June 2021", "9 June 2021"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_a_date_is_said_where_the_page_bears_one(url, top, date):
    assert page_date(url, top) == date


@pytest.mark.parametrize(
    ("date", "other", "found"),
    [
        ("January 14, 2025", "February 2025", True),
        ("12 MARCH 2024", "2024-03-13", True),
        ("3rd of Sept. 2024", "4 September 2024", True),
        ("2024-12-31", "1 January 2025", True),
        ("14 February 2025", "February 2025", False),  # nobody knows
        ("03/12/2024", "1 April 2024", False),
        ("4 May 2022", "4 May 2022", False),
        ("4 May 2022", "", False),
        ("", "4 May 2022", False),
    ],
)
def test_a_date_is_before_another_where_both_tell(date, other, found):
    assert is_before(date, other) == found


def test_what_the_article_may_rest_on_is_no_retelling():
    trace = Trace(draft=DraftReport(sentences=(), unused={TWO: "retold", THREE: "retold"}))
    told = made(trace, report=())
    run = ShownRun("r", "r", load_track(), {}, (ARTICLE.topic_id,), lambda _: told)
    (topic,) = collect_page(run, {}, ()).topics
    assert topic.trail
    assert [one.unused for one in topic.trail.pages] == ["retold by it", "retold"]
    assert "which came later and may rest on it" in render_page(collect_page(run, {}, ()))


def test_a_window_is_as_old_as_the_top_of_its_page():
    later = Segment(
        segment_id="b_doc_00_2#1_30", url=TEXTS[TWO][0], text="It is.", start_char=90, end_char=96
    )
    own = Segment(segment_id="c_doc_00_1#0_0", url="https://reedpost.example/x", text="So.")
    origins = Origins([*SEGMENTS, later, own], "reedpost.example")
    assert origins.of(later).date == "3 March 2022"
    assert origins.of(own).kind == "the article's own site"
    corrects = own.model_copy(update={"url": "https://reedpost.example/corrections/2021"})
    assert origins.of(corrects).kind == "corrections"
    assert Origins([later]).of(later).date == ""


def test_an_archive_is_not_the_publisher_of_what_it_keeps():
    def line(url, title):
        page = Segment(segment_id="d_doc_00_1#0_0", url=url, title=title, text="It is.")
        return source_line(Origins([page]).of(page), page.title)

    copies = "https://pagevault.example"
    assert line(f"{copies}/20241005/post/red", "Correction: jackets") == "“Correction: jackets”: "
    assert line(f"{copies}/red", "[Archived] Correction") == "“[Archived] Correction”: "
    assert line(f"{copies}/about", "How it works") == "pagevault.example, “How it works”: "


@pytest.mark.parametrize(
    ("host", "title", "site"),
    [
        ("iesp.example", "Decision 4 | ", "Independent Editorial Standards Panel"),
        ("psb-marrow.example", "31: Quill - ", "Press Standards Board"),
        ("pressboard.example", "Quill v Reed Post - ", "Marrow Press Board"),
        ("univ-sele.example", "Coastal water – ", "University of Sele"),
        # What stands there may be a section, or another site.
        ("lampsandmore.example", "Vases for all | ", "Homes"),
        ("ps-marrow.example", "31: Quill - ", "Panel of Standards"),
    ],
)
def test_the_end_of_a_title_names_the_site_if_it_has_a_word_or_the_initials_of_the_host(
    host, title, site
):
    page = Segment(segment_id="c#0_0", url=f"https://{host}/1", title=title + site, text="So.")
    is_named = site not in {"Homes", "Panel of Standards"}
    assert Origins([page]).of(page).name == (site if is_named else host)


def test_a_line_at_the_top_with_the_initials_of_the_host_names_the_site():
    text = "Decisions\nRegional Press Standards Panel 2024\nQuill complained."
    page = Segment(segment_id="c#0_0", url="https://rpsp.example/1", title="Quill", text=text)
    assert Origins([page]).of(page).name == "Regional Press Standards Panel"
    later = page.model_copy(update={"text": f"One.\nTwo.\nThree.\n{text}"})
    assert Origins([later]).of(later).name == "rpsp.example"


@pytest.mark.parametrize(
    ("host", "publisher", "is_own"),
    [
        ("", "The Reed Post", True),
        ("", "Reed Post", True),
        ("", "Reed", False),
        ("", "", False),
        # Another place may have a paper of the same name.
        ("reedpost.test", "The Reed Post", False),
    ],
)
def test_an_article_without_an_address_knows_its_site_by_the_name(host, publisher, is_own):
    page = Segment(segment_id="c_doc_00_1#0_0", url="https://www.reedpost.example/x", text="So.")
    saved = page.model_copy(update={"url": "", "title": "Who we are | The Reed Post"})
    nowhere = Segment(segment_id="c_doc_00_2#0_0", url="", text="So.")
    origins = Origins([page, nowhere], host, publisher)
    assert (origins.of(page).kind == "the article's own site") == is_own
    known = Origins([saved], host, publisher).of(saved)
    assert known.name == "The Reed Post"
    assert (known.kind == "the article's own site") == is_own
    assert origins.of(nowhere).kind != "the article's own site"


WORDS = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)


@settings(max_examples=40)
@given(body=WORDS, sentences=st.lists(WORDS, max_size=4), text=WORDS, url=WORDS, question=WORDS)
def test_any_words_give_a_first_screen(body, sentences, text, url, question):
    article = Article(topic_id="a", url=url, title=text, body=body)
    segment = Segment(segment_id=ONE, url=url, title=text, text=text)
    report = tuple(CitedSentence(text=one, citations=(ONE,)) for one in sentences)
    one = Made(article, (question,), report, (segment,))
    found = digested(one)
    shown = [each.number for paragraph in found.paragraphs for each in paragraph.sentences]
    assert sorted(shown) == list(range(1, len(sentences) + 1))
    assert set(found.answers[0]) <= set(shown)
    assert sum(len(row.findings) for row in found.rows) <= 6
    again = cite(report, {ONE: segment}, {})[1]
    assert all("".join(part for part, _ in one.passages) == one.text for one in again)


def test_other_figures_for_the_same_thing_are_told_apart():
    assert _counts_otherwise("between 540 and 780 jobs", ["It will cost 4,000 jobs."])
    assert _counts_otherwise("recorded 1,312 peat jobs nationwide", ["Will Cost 4,000 Jobs"])
    for same in ("the 4,000 jobs", "40 percent", "40 wells in 1999"):
        assert not _counts_otherwise(same, ["It will cost 4,000 jobs, or 60 percent."])
