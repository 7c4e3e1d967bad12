"""A page tells what goes beyond the article, in sentences that a reader can place."""

import pytest

from sidelight.generation.extractive.findings import find_findings
from sidelight.generation.extractive.known import Known, outlet_name, read_pages
from sidelight.generation.extractive.write_report import read_findings
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, BODY, OTHER_MATTERS, PROFILE, evidence, page

PAID = "The Marrow Sound Line paid the Sound Authority T40,000 for pier rights in 2019."


@pytest.fixture(scope="module")
def known(encoder):
    return Known(PROFILE, TextVectors(encoder.encode_sentences))


def told(known, segment):
    (one,) = read_pages(evidence(segment), PROFILE)
    ours = [line for line in one.lines if line not in OTHER_MATTERS]
    return [finding.texts for finding in find_findings(one, known, ours)]


def told_by(known, text, **fields):
    """What is told of a text that stands at the top of a page on other matters."""
    found = told(known, page(text + OTHER_MATTERS, **fields))  # type: ignore[arg-type]
    return [texts for texts in found if not any(one in OTHER_MATTERS for one in texts)]


SAID = "The Marrow Sound Line carried 12 percent fewer passengers in 2019 than in 2012"
CLAIM = "The Marrow Sound Line reported a loss of T3 million for 2019."
LIMIT = "However, the Sound Authority found that T2.5 million of the loss was a single repair."
COUNT = "The Marrow Sound Line asked 1,200 passengers of the Tollmere ferry in 2019."
OF_THEM = "More than 800 of them lived on the mainland."
AND_THEY = "They paid T40 each for a yearly ticket of the Marrow Sound Line."
UPHELD = "The Sound Authority upheld a complaint on the fares of the Marrow Sound Line in 2018."
DISMISSED = "The Sound Authority did not uphold a complaint of Petra Quill on the pier of Tollmere."
BOUGHT = "The Marrow Sound Line bought two ferries in 2015."
COMPLAINT = "Petra Quill complained in 2018 that the Marrow Sound Line had misled its passengers."
DAVID = "David Lund left Tollmere in 2012. David Lund ran the Marrow Sound Line for years."
BIRTH = "Petra Quill was born in Tollmere."
OF_OUTLET = (
    "The Sound Courier employs Jonas Brill.\nSound Courier: bias and factual record\n"
    "Factual reporting: MIXED\n"
)
OF_BOTH = "Jonas Brill wrote of the ferry in the Sound Courier."
HARBOUR_LIGHT = (
    "Harbour Light is an inn at the Tollmere pier. Sailors praise its beds. "
    "It received T9,000 from the Marrow Sound Line and the Sound Authority."
)
WE_CARRY = "We carry 900 people on each of the two Tollmere ferries in the summer of 2019."
TOLD_US = "Petra Quill of the Marrow Sound Line told us that we could see no accounts for 2018."


WE_READ = "We counted all 2,200 ferries of the Marrow Sound Line for the Sound Authority in 2018."


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        # A pronoun at the beginning, or a body called by its kind, becomes the name in brackets.
        (
            f"{BIRTH} She sat on the board of the Marrow Sound Line.",
            {},
            ("[Petra Quill] sat on the board of the Marrow Sound Line.",),
        ),
        (
            f"{BOUGHT} The company borrowed T12 million from the Sound Authority.",
            {},
            ("[The Marrow Sound Line] borrowed T12 million from the Sound Authority.",),
        ),
        # The surname of several people is nobody's name.
        (
            f"{BIRTH} The Quill brothers sold the Tollmere pier to the Marrow Sound Line.",
            {},
            ("The Quill brothers sold the Tollmere pier to the Marrow Sound Line.",),
        ),
        # Of somebody whom the page names in full twice, the first name will do.
        (
            f"{DAVID} In 2018 David sold the pier to the Sound Authority.",
            {},
            ("In 2018 [David Lund] sold the pier to the Sound Authority.",),
        ),
        (
            HARBOUR_LIGHT,
            {"title": "Harbour Light"},
            (HARBOUR_LIGHT[HARBOUR_LIGHT.index("It") :].replace("It", "[Harbour Light]", 1),),
        ),
        (
            f"{PAID} {BOUGHT} {CLAIM} {COUNT} {OF_THEM} {TOLD_US}",
            {"url": "https://tollmeregazette.example/a", "title": "Tollmere Gazette"},
            (TOLD_US.replace("us", "[Tollmere Gazette]").replace("we", "[it]"),),
        ),
        (
            f"{PAID} {BOUGHT} {CLAIM} {COUNT} {OF_THEM} {WE_CARRY}",
            {"url": "https://tollmeregazette.example/a", "title": "Tollmere Gazette"},
            (WE_CARRY.replace("We carry", "[Tollmere Gazette carries]"),),
        ),
        (
            f"{PAID} {BOUGHT} {CLAIM} {COUNT} {OF_THEM} {WE_READ}",
            {"url": "https://jsm.example/4", "title": "Ferry counts | Journal of Sound Matters"},
            (WE_READ.replace("We", "[The study's authors]"),),
        ),
        # "We" of a paper are its authors, not its journal.
        (
            f"Abstract\nMethods\n{WE_READ}\nResults\n{COUNT}\nConclusion\n{LIMIT}",
            {"url": "https://sound-journal.example/4", "title": "Sound Journal"},
            (WE_READ.replace("We", "[The study's authors]"),),
        ),
        # A claim is told with the sentence that qualifies it, and what points back behind its like.
        (f"{CLAIM} {LIMIT}", {}, (CLAIM, LIMIT)),
        (f"{COUNT} {OF_THEM}", {}, (COUNT, OF_THEM)),
        (f"{COUNT} {OF_THEM} {AND_THEY}", {}, (COUNT, OF_THEM, AND_THEY)),
        # A date that only readers of the page understood is followed by when it was written.
        (
            f"{PAID} The Sound Authority sold two Tollmere ferries last week.",
            {"url": "https://registry.example/2019/10/a"},
            ("The Sound Authority sold two Tollmere ferries last week [written October 2019].",),
        ),
        (
            f"{PAID} The Sound Authority sold a Tollmere ferry on Tuesday night.",
            {"url": "https://registry.example/2019/10/a"},
            ("The Sound Authority sold a Tollmere ferry on Tuesday night [written October 2019].",),
        ),
        (
            f"{PAID} The Sound Authority sold two Tollmere ferries yesterday.",
            {"url": "https://registry.example/2019/10/a"},
            ("The Sound Authority sold two Tollmere ferries [in October 2019].",),
        ),
        # Posts of the author are listed.
        (
            "Jonas Brill\nPress officer, Marrow Sound Line, 2014 to 2018\n",
            {"title": "Jonas Brill"},
            ("A profile of Jonas Brill lists “Press officer, Marrow Sound Line, 2014 to 2018”.",),
        ),
    ],
)
def test_what_goes_beyond_the_article_is_told_so_that_a_reader_can_place_it(
    known, text, fields, told
):
    assert told in told_by(known, text, **fields)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("We have counted", "[Tollmere Gazette has] counted"),
        ("We do not publish", "[Tollmere Gazette does] not publish"),
        ("Nor do we publish", None),
    ],
)
def test_what_we_do_is_told_in_the_singular(known, said, told):
    rest = "all 2,200 ferries of the Marrow Sound Line for the Sound Authority."
    text = f"{PAID} {BOUGHT} {CLAIM} {COUNT} {OF_THEM} {said} {rest}"
    fields = {"url": "https://tollmeregazette.example/a", "title": "Tollmere Gazette"}
    found = [one for texts in told_by(known, text, **fields) for one in texts if rest in one]
    assert (f"{told} {rest}" in found) if told else not found


def test_of_two_things_that_we_do_none_is_told_as_done_by_one(known):
    both = WE_CARRY.replace("carry", "sell no tickets and carry")
    text = f"{PAID} {BOUGHT} {CLAIM} {COUNT} {OF_THEM} {both}"
    fields = {"url": "https://tollmeregazette.example/a", "title": "Tollmere Gazette"}
    assert not any("tickets" in one for texts in told_by(known, text, **fields) for one in texts)


def test_a_lady_is_not_taken_for_a_man_of_her_name(known):
    ran = "Rory Quill ran the Marrow Sound Line. Dame Quill owned the pier of the Sound Authority."
    told = told_by(known, f"{ran} She borrowed T12 million from the Sound Authority.")
    assert told
    assert not any(text.startswith("[Rory Quill] borrowed") for texts in told for text in texts)


@pytest.mark.parametrize("name", ["Ferry Workers' Union", "Pilots and Ferry Workers' Union"])
def test_half_of_a_name_stands_for_nothing(known, name):
    met = f"The {name} met the Marrow Sound Line in 2018."
    took = "union took T9,000 from the Sound Authority for the Tollmere ferry."
    firsts = [texts[0] for texts in told_by(known, f"{PAID} {met} The {took}")]
    assert (f"[The {name}] {took.removeprefix('union ')}" in firsts) == ("Pilots" not in name)
    assert not any(text.startswith("[") for text in firsts if "Pilots" in name)


def test_whoever_asks_may_be_told_what_is_theirs_and_not_what_to_do(known, encoder):
    asked = PROFILE.model_copy(update={"title": "", "body": "", "asked": "Who runs the ferry?"})
    answering = Known(asked, TextVectors(encoder.encode_sentences))
    yours = "The Sound Authority takes T40 for the Tollmere ferry from your pension."
    orders = "You take the Tollmere ferry of the Sound Authority for T40."
    firsts = [texts[0] for texts in told_by(answering, f"{yours} {orders}")]
    assert f"{yours.removesuffix('.')}, according to registry.example." in firsts
    assert not any(text.startswith("You take") for text in firsts)
    assert told_by(known, yours) == []


FUND = "The Sound Authority set up a ferry fund in 2018."
HUSBAND = "husband signed for the Marrow Sound Line."
HE_PAID = "He paid T9,000 to the Sound Authority for the pier in 2018."
AT_CHESS = "Petra Quill wrote of 12 games of chess for Courier and Board in 2016."
OF_TWO = "Dame Quill is the wife of Rory Quill, who led the Marrow Sound Line."
OF_A_WOMAN = "Petra Quill sold her shop at the pier. She left Tollmere in her boat."


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        # A sentence whose pronoun stays open is left out; ties to the one before and marks go.
        (f"They paid T9,000 to the Sound Authority for the pier in 2018. {PAID}", {}, [(PAID,)]),
        (f"Moreover, the {PAID.removeprefix('The ')}", {}, [(PAID,)]),
        (f"Fourth, the {PAID.removeprefix('The ')}", {}, [(PAID,)]),
        (f"{PAID}[3]", {}, [(PAID,)]),
        # Posts in a forum, a namesake elsewhere, verdicts and orders to the reader are not told.
        (PAID, {"url": "https://reddit.example/forum/a"}, []),
        (
            "Petra Quill won the regional chess title in Brisbane in 2016.",
            {"title": "Chess in Brisbane"},
            [],
        ),
        # Headlines shout in capitals where they exaggerate; a name has them in the text, too.
        (PAID, {"title": "Ferry firm PAYS T40,000 for a pier - Sound Talk"}, []),
        (PAID, {"title": "FERRY NEWS: Ferry firm bought a pier"}, [(PAID,)]),
        (
            f"{PAID} The EAST pier trial ended.",
            {"title": "Ferry firm and EAST pier - Sound Talk"},
            [(PAID,), (PAID, "The EAST pier trial ended."), ("The EAST pier trial ended.",)],
        ),
        # Whoever has the name of somebody of the article, and nothing else of it, may be another.
        (
            f"{AT_CHESS} She won 12 of her 19 games in 2016. Then she became a coach.",
            {"title": "Petra Quill - Players - Chess Base"},
            [],
        ),
        (AT_CHESS, {"title": "Petra Quill - Players - Chess Base"}, [(AT_CHESS,)]),
        (
            f"{OF_A_WOMAN} He paid T9,000 to the Sound Authority for the pier in 2018.",
            {"title": "Petra Quill"},
            [
                ("Petra Quill sold her shop at the pier.",),
                ("Petra Quill sold her shop at the pier.", "She left Tollmere in her boat."),
                ("[Petra Quill] left Tollmere in her boat.",),
            ],
        ),
        # A complaint is told with what came of it.
        (
            f"{COMPLAINT} The Sound Authority upheld it.",
            {},
            [(COMPLAINT, "The Sound Authority upheld it."), ("The Sound Authority upheld it.",)],
        ),
        # Whoever has a first name of the article on a page without the last name may be another.
        ("Jonas paid T9,000 to the Marrow Sound Line and the Sound Authority in 2018.", {}, []),
        # Of a ruling no point that was dismissed is told without one that was upheld.
        (
            f"{UPHELD} {DISMISSED}",
            {},
            [
                (UPHELD,),
                (UPHELD, DISMISSED),
            ],
        ),
        (DISMISSED, {}, [(DISMISSED,)]),
        # A correction tells what is so, and not what was printed alone.
        (
            f"We said that {SAID[0].lower()}{SAID[1:]}. {COUNT}",
            {"url": "https://soundcourier.example/corrections/2020"},
            [(COUNT,)],
        ),
        # What was shared may be what the body made, and not the body.
        (
            f"{BOUGHT} It was shared with the Sound Authority for T12 million.",
            {},
            [(BOUGHT,), (BOUGHT, "It was shared with the Sound Authority for T12 million.")],
        ),
        # Neither the last person named nor the last body is meant for certain.
        (
            f"{BIRTH} Her husband signed for the Marrow Sound Line. {HE_PAID}",
            {},
            [
                (BIRTH,),
                (BIRTH, f"Her {HUSBAND}"),
                (BIRTH, f"Her {HUSBAND}", HE_PAID),
                (f"[Petra Quill's] {HUSBAND}",),
            ],
        ),
        # Two people of one name in a sentence are not taken for each other.
        (
            f"{OF_TWO} She borrowed T12 million from the Sound Authority.",
            {},
            [(OF_TWO,), (OF_TWO, "She borrowed T12 million from the Sound Authority.")],
        ),
        (
            f"{FUND} Its accounts give income of T4,000.",
            {"title": "Marrow Sound Line"},
            [(FUND,), (FUND, "Its accounts give income of T4,000.")],
        ),
        (
            f"{FUND} Its accounts give income of T4,000.",
            {},
            [(FUND,), (FUND, "Its accounts give income of T4,000.")],
        ),
        # What a check examines is not what it says.
        (f"The claim\n{PAID}\nWhat was found\n{BOUGHT}", {}, [(BOUGHT,)]),
        (f"Claim: {PAID}\n{BOUGHT}", {}, [(BOUGHT,)]),
        ("The claim that the Tollmere ferry loses money is false.", {}, []),
        ("The Sound Authority found that claim (b) lacked figures for the ferry.", {}, []),
        (
            f"We read the accounts of the Marrow Sound Line and the Sound Authority. {PAID}",
            {"url": "https://tollmeregazette.example/a", "title": "Tollmere Gazette"},
            [(PAID,)],
        ),
        ("The Tollmere ferry lost T9,000 to the Sound Authority...", {}, []),
        ("Book your seat on the Tollmere ferry at the pier today.", {}, []),
    ],
)
def test_all_that_is_told(known, text, fields, told):
    assert told_by(known, text, **fields) == told


REWRITE = (
    "The only link to the island goes in June when the ferry at Tollmere closes. Last year "
    "the Marrow Sound Line carried 90,000 people. The closure means the end of the school run, "
    "islanders of Tollmere say. Shop owner Petra Quill thinks she will close by August."
)


def test_what_is_not_told(known):
    for copy in (BODY, REWRITE):
        assert told(known, page(copy)) == []
    assert (CLAIM,) not in told_by(known, f"{CLAIM} {LIMIT}")
    assert (BIRTH, OF_THEM) not in told_by(known, f"{BIRTH} {OF_THEM}")
    # "The author" and "the magazine" of a page that names neither of the article's are others.
    for other in ("author", "magazine"):
        line = f"The {other} received T40,000 from the Marrow Sound Line for pier rights in 2019."
        assert (line,) not in told_by(known, line)
        assert (line,) in told_by(known, f"{line} {OF_BOTH}")
    url = "https://mediabiasfactcheck.example/sound-courier"
    found = told_by(known, OF_OUTLET, url=url, title="Sound Courier")
    (rated,) = [text for (text,) in found if "says of" in text]
    assert "says of Sound Courier: “Factual reporting: MIXED”" in rated


CHECK = (
    "Did the ferry at Tollmere lose half of its passengers?\nThe Marrow Sound Line says so. "
    "Petra Quill of Tollmere says it, too.\n{}Corrections\nWrite to us."
)
RULED = (
    "Petra Quill and the Sound Courier\n1. The Sound Courier printed that the ferry at Tollmere "
    "closes in June.\n2. The figure was wrong. Upheld.\n{}\n"
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Our verdict\nMOSTLY FALSE. It lost a tenth.\n", "MOSTLY FALSE. It lost a tenth"),
        ("Our verdict\nMOSTLY FALSE. Sources: accounts; emails.\n", "MOSTLY FALSE"),
        ("Our verdict\nMOSTLY FALSE. Checked by: J. Lund. It lost a tenth.\n", "MOSTLY FALSE"),
        ("Our verdict\nMOSTLY FALSE. How we rate: True / Mixed / False.\n", "MOSTLY FALSE"),
        ('Verdict: Half true. It lost a "tenth".\n', "Half true. It lost a 'tenth'"),
        ("MISLEADING.\nIt lost a tenth.\n", "MISLEADING. It lost a tenth"),
        (
            "Our ruling\nIt lost a tenth. We rate it MOSTLY FALSE.\n",
            "It lost a tenth. We rate it MOSTLY FALSE",
        ),
        ("Verdict\nUpdated in June.\n", None),
        ("It is misleading.\n", None),
    ],
)
def test_a_check_gives_its_verdict(known, given, shown):
    url = "https://plumbline.example/checks/ferry"
    found = [text for (text, *_) in told_by(known, CHECK.format(given), url=url)]
    rated = [text for text in found if "and found:" in text]
    told = f"plumbline.example checked ‘The Tollmere ferry’ and found: “{shown}”."
    assert rated == [told] * bool(shown)


def test_the_article_of_a_page_is_told_where_it_is_this_one(known):
    held = "The article left out that the Marrow Sound Line bought two ferries in 2015."
    assert not told_by(known, f"{held}\n", title="The Tollmere ferry")
    assert told_by(
        known, f"{held} The Sound Courier has said nothing.\n", title="The Tollmere ferry"
    )


def test_a_verdict_on_somebody_elses_article_is_none_on_this_one(known):
    url = "https://plumbline.example/checks/ferry"
    check = CHECK.format("Our verdict\nMOSTLY FALSE. It lost a tenth.\n")
    of_other = check.replace("Sound Courier", "Harbour Sentinel")

    def rated(**fields):
        return [
            text for text, *_ in told_by(known, of_other, url=url, **fields) if "and found:" in text
        ]

    assert not rated(title="Did the Marrow Sound Line lose T3 million in 2019?")
    # A check of the same claim says who else made it.
    assert rated(title="Will the closure of the Tollmere ferry cut off the island?")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            "9. Upheld under Clause 1. Not upheld under Clause 2.",
            "Upheld under Clause 1. Not upheld under Clause 2",
        ),
        ("Outcome: Upheld in part", "Upheld in part"),
        (
            "The complaint was upheld in part. An appeal may follow.",
            "The complaint was upheld in part",
        ),
        ("9. Not upheld under Clause 2.", None),
        ("9. The complaint was not upheld.", None),
        ("9. Upheld.", None),
    ],
)
def test_a_decision_says_what_was_upheld_of_the_whole_complaint(known, given, shown):
    fields = {"url": "https://panel.example/7", "title": "Quill v Sound Courier, 3 May 2024"}
    found = [text for (text, *_) in told_by(known, RULED.format(given), **fields)]
    decided = [text for text in found if " decided" in text]
    told_of = told_by(known, RULED.format(given), **fields | {"title": "Panel and Sound Courier"})
    assert not any(" decided" in text for text, *_ in told_of)  # who tells of it did not decide
    assert decided == [
        f"panel.example decided on a complaint about Sound Courier: “{shown}”."
    ] * bool(shown)


def test_a_finding_begins_with_a_sentence_that_has_a_subject(known):
    begins = "True of the 41,000 passengers whom the Marrow Sound Line carries in a year."
    assert not any(texts[0] == begins for texts in told_by(known, f"{begins} {PAID}\n"))


def test_the_clauses_of_an_outcome_are_named_as_its_page_names_them(known):
    cited = "The line relied on Clause 1(i) (Accuracy), Clause 2 (Interests) and 12 (a child)."
    text = RULED.format("9. Upheld under Clauses 1 and 2(i). Not upheld under Clause 3.")
    found = told_by(
        known,
        f"{cited}\n{text}",
        url="https://panel.example/7",
        title="Quill v Sound Courier, 3 May 2024",
    )
    (shown,) = [text for text, *_ in found if " decided" in text]
    assert shown.partition(": ")[2] == (
        "“Upheld under Clauses 1 [on accuracy] and 2(i) [on interests]. Not upheld under Clause 3”."
    )


def test_what_a_party_answered_is_not_told_of_a_decision_without_what_was_decided(known):
    answered = "The Marrow Sound Line answered that it had carried 41,000 passengers in 2019."
    text = f"2. {answered}\n{PAID}\n"
    assert told_by(known, text, title="Quill v Marrow Sound Line") == [(PAID,)]
    assert (answered,) in told_by(known, text, title="The Tollmere ferry in 2019")
    decided = f"{answered} The Sound Authority upheld the complaint on this."
    both = told_by(known, f"{decided}\n", title="Quill v Marrow Sound Line")
    assert " ".join(both[0]) == decided


# Each sentence is near one of the article, and none says the same.
NOTICE = (
    "The Tollmere ferry will not close in June, the Sound Authority said. "
    "The Marrow Sound Line carried 41,000 passengers last year, not 90,000. "
    "Islanders in Tollmere will keep the school run by a bus. "
    "Petra Quill, who owns the shop at the pier, was paid T3,000 by the Marrow Sound Line. "
    "The Sound Authority says that fuel costs fell by 12 per cent."
)


def test_a_short_page_near_the_article_is_read_as_an_answer_to_it(known):
    found = told(known, page(NOTICE, title="A notice on the Tollmere ferry"))
    said = " ".join(text for texts in found for text in texts)
    assert "carried 41,000 passengers" in said
    assert "was paid T3,000" in said


def test_the_article_in_other_words_is_not_read(known):
    retelling = NOTICE + (
        " The Tollmere ferry closes in June, and the island loses its only link of 1931. "
        "The Marrow Sound Line had 90,000 passengers in a year of 12 months. "
        "The end of the ferry will end the school run of Tollmere, say 40 islanders. "
        "The owner of the shop at the pier, Petra Quill, expects to close in 2 months. "
        "Rising costs of fuel are why the ferry closes, says the Sound Authority of 1950. "
        "In June the last ferry leaves the pier of Tollmere, after 93 years. "
        "The island of Tollmere has no other link than its ferry of the Marrow Sound Line."
    )
    assert told(known, page(retelling, title="Ferry of Tollmere closes")) == []
    url = "https://press.example/corrections/june"
    (corrected,) = read_pages(evidence(page(retelling, title="Corrections", url=url)), PROFILE)
    found = [*find_findings(corrected, known, [*corrected.lines])]
    # What is corrected of the article is told before all else, and nothing else of such a page is.
    assert any(one.decides for one in found)
    assert not any(one.decides and one.text in OTHER_MATTERS for one in found)


def test_a_correction_of_before_the_article_decides_nothing(encoder):
    url = "https://press.example/corrections"
    right = "The ferry of the Marrow Sound Line had 41,000 passengers and not 90,000."
    profile = PROFILE.model_copy(update={"written": "2 June 2020"})
    known = Known(profile, TextVectors(encoder.encode_sentences))
    for date, decides in (("9 June 2020", True), ("9 May 2020", False)):
        text = f"{date}\n{right}\n{OTHER_MATTERS}"
        (corrected,) = read_pages(evidence(page(text, title="Corrections", url=url)), profile)
        first, *_ = find_findings(corrected, known, [right])
        assert (first.texts, first.decides) == ((right,), decides)


def test_a_spokesman_of_nobody_opens_no_finding(known):
    said = "said that the Tollmere ferry of the Marrow Sound Line would close in 2020."
    assert told_by(known, f"A spokesman {said}") == []
    assert told_by(known, f"A spokesman for the Sound Authority {said}")


def test_what_was_printed_wrong_is_told_with_what_is_so(known):
    url = "https://press.example/corrections"
    right = "The ferry of the Marrow Sound Line had 41,000."
    text = f"On 27 June we reported that the Marrow Sound Line had 90,000 passengers. {right}\n"
    shown = "On 27 June [Fen Press] reported that the Marrow Sound Line had 90,000 passengers."
    of_day = told_by(known, text, title="Corrections - Fen Press", url=url)
    assert (shown, right) in of_day
    assert (shown,) not in of_day


def test_of_a_decision_what_was_decided_is_told_not_what_its_parties_said(known):
    said = f"{CLAIM} {BOUGHT}"
    text = f"The promotion\n{said}\nThe board's reply\n{PAID}\nDecision\n{UPHELD}\n"
    (finding,) = told_by(known, text)
    assert finding == (UPHELD,)
    # Another heading ends what they said.
    under_another = text.replace("\nThe board's reply\n", "\nClause 6 on fares\n")
    assert told_by(known, under_another) == [(PAID,), (UPHELD,)]
    # Without a heading of what was decided the page is no decision.
    without = told_by(known, text.replace("\nDecision\n", "\nLater\n"))
    assert {(CLAIM,), (UPHELD,)} <= set(without)


@pytest.mark.parametrize(
    ("credit", "is_told"),
    [
        ("Source: Sound Courier", False),
        ("via the Sound Courier", False),
        ("The Sound Courier reports that the pier is old.", False),
        ("According to the island daily Sound Courier, the pier is old.", False),
        ("A skipper told the Sound Courier that the pier is old.", False),
        ("The Sound Courier reported in May that the pier is old.", True),
        ("Source: the harbour's yearbook", True),
    ],
)
def test_a_page_that_credits_the_outlet_tells_its_news_once_more(known, credit, is_told):
    segment = page(f"{PAID}\n{credit}\n{OTHER_MATTERS}")
    (one,) = read_pages(evidence(segment), PROFILE)
    assert known.why_unused(one) == (None if is_told else "retold")
    assert ((PAID,) in told(known, segment)) is is_told


def test_pages_tell_the_name_of_an_outlet_that_shows_its_address_alone(encoder):
    retelling = page(f"{PAID}\n{OTHER_MATTERS}\nSource: Sound Courier")
    profile = PROFILE.model_copy(update={"publisher": PROFILE.host})
    vectors = TextVectors(encoder.encode_sentences)
    assert outlet_name(profile, evidence(retelling)) == "Sound Courier"
    unused = read_findings(profile, ANGLES, evidence(retelling), vectors).unused
    assert list(unused.values()) == ["retold"]
