"""Names, bylines and outlets by capitals and the address; prose stays, site chrome goes."""

import json

import pytest

from sidelight.english.cleaning import (
    clean_article,
    find_authors,
    find_companies,
    find_masthead,
    find_publisher,
)
from sidelight.english.names import find_names, mentions, name_forms, search_words
from sidelight.schemas.topic import Article


def article(body, title="A title", url="https://www.daily-lark.example/a"):
    return Article(topic_id="t", url=url, title=title, body=body)


@pytest.mark.parametrize(
    ("foot", "companies"),
    [
        ("SCB News is produced by Strait Coast Ltd. Contact us", ("Strait Coast",)),
        (
            "© 2025 Meridian Newspapers DAC, a Corrib & Lee Media company.",
            ("Meridian Newspapers", "Corrib & Lee Media"),
        ),
        ("(c) Daily Lark Ltd. Part of Quayle Media.", ("Quayle Media",)),
        ("Copyright Daily Lark. All rights reserved", ()),
        ("He works for a Boston company and is part of history.", ()),
    ],
)
def test_the_foot_of_a_page_names_the_company_behind_its_outlet(foot, companies):
    assert find_companies(article(f"A title\nSome text.\n{foot}\n"), "Daily Lark") == companies


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("by Dana Orrin June 4, 2015", ("Dana Orrin",)),
        ("By Dana Orrin and Lee van Marsh", ("Dana Orrin", "Lee van Marsh")),
        ("Words by Dana Orrin | Photographs by Sol Reed", ("Dana Orrin",)),
        ("Medically reviewed by Tim J. Leck, Ph.D. — Written by Dana Orrin, MSN", ("Dana Orrin",)),
        ("November 26, 2017 Dana Orrin", ("Dana Orrin",)),
        ("By Dr. Maris Vell, Editorial Director", ("Dr. Maris Vell",)),
        ("BY DANA ORRIN AND LEE VAN MARSH", ("Dana Orrin", "Lee Van Marsh")),
        ("BY DANA ORRIN, SOL REED AND TIM LECK", ("Dana Orrin", "Sol Reed", "Tim Leck")),
        ("BY DANA ORRIN POLITICAL EDITOR", ("Dana Orrin",)),
        ("By Dana Orrin, North West reporter", ("Dana Orrin",)),
        ("By Dana Orrin, City Hall Correspondent", ("Dana Orrin",)),
        ("By Dana Orrin, Cook and Food Writer Health & Home", ("Dana Orrin",)),
        ("By Dana Orrin and Sol Reed, Health Editors", ("Dana Orrin", "Sol Reed")),
        ("BY DANA ORRIN FOR THE DAILY LARK", ("Dana Orrin",)),
        ("DANA ORRIN, POLITICAL EDITOR", ("Dana Orrin",)),
        ("DANA ORRIN AND SOL REED, POLITICAL EDITORS", ("Dana Orrin", "Sol Reed")),
        ("DANA ORRIN\nPOLITICAL EDITOR", ("Dana Orrin",)),
        ("DANA ORRIN | 14 MARCH 2021", ("Dana Orrin",)),
        ("SOUTH MARCHMONT\nA FIRE IN THE HARBOUR", ()),
        ("Announced By Company Behind Shoes", ()),
        ("By\nFull Bio", ()),
        ("The bill was rejected by Dana Orrin in a long session of the chamber that night.", ()),
    ],
)
def test_the_byline_names_the_authors(line, expected):
    assert find_authors(article(f"A title\n{line}\nSome text.")) == expected


def test_a_name_begins_with_a_capital_at_the_beginning_of_a_word():
    text = "Le barrage a été déclaré sûr. The cafés of São Paulo sold Škoda one iPhone in Évry."
    assert set(find_names(text)) == {"São Paulo", "Škoda", "Évry"}


def test_the_public_articles_show_the_bylines_a_reader_sees(shared_data):
    lines = (shared_data / "dragun-2025" / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        fields = json.loads(line)
        found[fields["docid"]] = find_authors(
            Article(topic_id=fields["docid"], url=fields["url"], body=fields["body"])
        )
    assert found["msmarco_v2.1_doc_04_420132660"] == ("Dan Nosowitz",)
    assert sum(bool(authors) for authors in found.values()) == 22


@pytest.mark.parametrize(
    ("title", "body", "url", "expected"),
    [
        ("News", "Read it in Daily Lark today.", "https://www.daily-lark.example/a", "Daily Lark"),
        ("News - The Daily Lark", "", "https://daily-lark.example/a", "The Daily Lark"),
        ("News | Lark Health", "", "https://larkhealthonline.example/a", "Lark Health"),
        ("News", "", "https://news.com.au/a", "news.com.au"),
        ("News of bogs and fens | Lark Health", "", "", "Lark Health"),
        ("News of bogs and fens | LARK", "", "", "LARK"),
        ("News of bogs and fens | Politics", "", "", ""),
        ("News", "", "https://larkly.example/a", "larkly.example"),
        ("News", "", "", ""),
    ],
)
def test_the_outlet_is_named_as_the_page_writes_it(title, body, url, expected):
    assert find_publisher(article(body, title, url)) == expected


PROSE = "The bill would end extraction in every bog of the country within ten years of its passage."


@pytest.mark.parametrize(
    ("above", "headline", "outlet", "authors"),
    [
        ("The Fen Gazette\nBog Bill Rests on Bad Science\nBy Dana Orrin\n18 June 2021",
         "Bog Bill Rests on Bad Science", "The Fen Gazette", ("Dana Orrin",)),
        ("Does the Bog Bill Rest on Any Science at All?\nDana Orrin\n18 June 2021",
         "Does the Bog Bill Rest on Any Science at All?", "", ("Dana Orrin",)),
        ("Bog Bill Rests on Bad Science | Fen Gazette\nJune 18, 2021 - Fen Gazette",
         "Bog Bill Rests on Bad Science", "Fen Gazette", ()),
        ("Home\nBog Bill Rests on Bad Science\nBy Dana Orrin for The Fen Gazette, 18 June 2021",
         "Bog Bill Rests on Bad Science", "The Fen Gazette", ("Dana Orrin",)),
        ("Bog Bill Rests on Bad Science\nThe Thrifty Lark\nBy Dana Orrin\n18 June 2021",
         "Bog Bill Rests on Bad Science", "The Thrifty Lark", ("Dana Orrin",)),
        ("Bog Bill Rests on Bad Science\nBy Dana Orrin, The Thrifty Lark\nThe Hague, 18 June 2021",
         "Bog Bill Rests on Bad Science", "The Thrifty Lark", ("Dana Orrin",)),
        ("Bog Bill Rests on Bad Science\nBy Dana Orrin, Fens and Rain Reporter\n18 June 2021",
         "Bog Bill Rests on Bad Science", "", ("Dana Orrin",)),
        ("Menu | Deals | Savings | Cards\nBog Bill Rests on Bad Science - Fen Ledger\nBy Em Post",
         "Bog Bill Rests on Bad Science", "Fen Ledger", ("Em Post",)),
        ("Lark Health | Bog Bill Rests on Bad Science | Owen Reed\nBy Owen Reed",
         "Bog Bill Rests on Bad Science", "", ("Owen Reed",)),
        ("Bog Bill Rests on Bad Science | Fens.com\nBreaking News\nBy Owen Reed",
         "Bog Bill Rests on Bad Science", "Fens.com", ("Owen Reed",)),
        # A first line of any form, where a byline or a date follows.
        ("Bogs to close\nBy Dana Orrin\n18 June 2021", "Bogs to close", "", ("Dana Orrin",)),
        (f"{PROSE[:-1]} in June 2021.\n18 June 2021\nFen Gazette",
         f"{PROSE[:-1]} in June 2021.", "Fen Gazette", ()),
        ("Three Bogs to Close in June 2021, Says Council\nFriday, 18 June 2021",
         "Three Bogs to Close in June 2021, Says Council", "", ()),
        ("# Bog Bill Rests on Bad Science\n**By Dana Orrin**",
         "Bog Bill Rests on Bad Science", "", ("Dana Orrin",)),
        ("Title: Bog Bill Rests on Bad Science\n18 June 2021",
         "Bog Bill Rests on Bad Science", "", ()),
        ("FEN GAZETTE\nFree articles left: 2\nBog Bill Rests on Bad Science\n18 June 2021",
         "Bog Bill Rests on Bad Science", "FEN GAZETTE", ()),
        # In capitals above the headline stands an outlet, a section or an author.
        ("FEN TRADER\nBogs | Sign in | Rain\nBOG SPORTS\nBog Bill Rests on Bad Science\nDana Orrin",
         "Bog Bill Rests on Bad Science", "FEN TRADER", ()),
        ("WEXLEY COMMERCE\n\nBog Bill Rests on Bad Science\nBy Dana Orrin",
         "Bog Bill Rests on Bad Science", "WEXLEY COMMERCE", ("Dana Orrin",)),
        ("WEXLEY COMMERCE\nBog Bill Rests on Bad Science\nBy Dana Orrin\nWrite to Wexley Commerce",
         "Bog Bill Rests on Bad Science", "Wexley Commerce", ("Dana Orrin",)),
        # Behind a headline and on a line of its own, or told things, it is above who owns it.
        ("Bogs Close in a Year - Wexley Live\nWexley Live\nBogs Close in a Year\nBy Dana Orrin",
         "Bogs Close in a Year - Wexley Live", "Wexley Live", ("Dana Orrin",)),
        (f"Wexley Live\nBogs Close in a Year\nBy Dana Orrin\nHe told Wexley Live: {PROSE}",
         "Bogs Close in a Year", "Wexley Live", ("Dana Orrin",)),
        ("Wexley Valley\nBogs Close in a Year\nBy Dana Orrin",
         "Bogs Close in a Year", "", ("Dana Orrin",)),
        ("WORLD POLITICS\nBog Bill Rests on Bad Science", "Bog Bill Rests on Bad Science", "", ()),
        ("DANA ORRIN\nBog Bill Rests on Bad Science\nBy Dana Orrin",
         "Bog Bill Rests on Bad Science", "", ("Dana Orrin",)),
        # Where a page stands in its site is no headline.
        ("Home > Valley > Town planning\nSign in / Register\nBog Bill Rests on Bad Science",
         "Bog Bill Rests on Bad Science", "", ()),
        ("Politics | Justice | Land and Water | Opinion\nBog Bill Rests on Bad Science",
         "Bog Bill Rests on Bad Science", "", ()),
        # As people paste: a menu with an item a line, mottos, captions, and a name without "By".
        (("Home\nNews\nSport\nFens & Bogs\nPuzzles\nFens\nFREE IN JUNE\nBUY IT NOW AND SAVE:\n"
         "Bogs Close in a Year\nDana Orrin\n5am, Friday 18 June 2021\nShare   Copy link   Email"),
         "Bogs Close in a Year", "", ("Dana Orrin",)),
        (("FEN TRADER\nThe voice of the fens since 1871\nHome | Rain | Opinion\nShare | Email\n"
         "Bogs Close in a Year\nWhat this means for farmers\nDANA ORRIN\nReviewer, in Fenton\n"
         "18 Sep 2021"), "Bogs Close in a Year", "FEN TRADER", ("Dana Orrin",)),
        ("News Politics Rain Sport Opinion\nBogs Close in a Year\nBy Dana Orrin",
         "Bogs Close in a Year", "", ("Dana Orrin",)),
        ("News\nBy Dana Orrin\n18 June 2021\n[Image] The last bog on Friday. Picture: Fens",
         "", "", ("Dana Orrin",)),
        # Sections, places and who an article is about stand where a name would.
        ("Bogs Close, Says Orrin\nDana Orrin\nTuesday, 18 June 2021",
         "Bogs Close, Says Orrin", "", ()),
        ("Bogs Close in a Year\nFen Ellery\n5am, 18 June 2021\nThe rain in Fen Ellery fell.",
         "Bogs Close in a Year", "", ()),
        ("Dana Orrin\nTuesday, 18 June 2021", "", "", ()),
        ("Dana Orrin\n18 June 2021", "", "", ("Dana Orrin",)),
        ("Updated on Friday 18 June 2021\nBy Dana Orrin", "", "", ("Dana Orrin",)),
        (f"{PROSE}\nThe council met on 18 June 2021.", "", "", ()),
        ("", "", "", ()),
    ],
)  # fmt: skip
def test_what_stands_above_a_pasted_text(above, headline, outlet, authors):
    pasted = article(f"{above}\n{PROSE}\n{PROSE} Others disagree.", "", "")
    assert find_masthead(pasted.body).headline == headline
    assert (find_publisher(pasted), find_authors(pasted)) == (outlet, authors)
    if outlet:  # who has the rights may be its owner
        owned = article(f"{pasted.body}\n© 2024 Orrin Regional Media plc", "", "")
        assert find_publisher(owned) == outlet


@pytest.mark.parametrize(
    ("above", "below", "outlet"),
    [
        ("By Dana Orrin\nPublished by Northfold Life on 3 March 2024", "", "Northfold Life"),
        ("By Dana Orrin for Northfold Life", "", "Northfold Life"),
        ("By Dana Orrin, Fen Gazette staff writer", "", "Fen Gazette"),
        ("(Fen Gazette, 3 March 2024)", "", "Fen Gazette"),
        ("", "This article was first published in the Fen Gazette.", "Fen Gazette"),
        ("By Dana Orrin", "(c) 2024 Northfold Life", "Northfold Life"),
        ("", "Copyright © 2024 The Fen Gazette Ltd. All rights reserved.", "The Fen Gazette"),
        ("", f"MARROW, March 3 (Fen Gazette) - {PROSE}", "Fen Gazette"),
        ("", "(c) Northfold Life Ltd", "Northfold Life"),
        ("", "©2023-2024 Northfold Media Group plc. All rights reserved.", "Northfold Media Group"),
        ("", "Published by: Northfold Media", "Northfold Media"),
        ("", "© Getty Images", ""),
        # Who may as well be a person, a maker of books or of statistics is no outlet.
        ("Published by Dana Orrin\n3 March 2024", "", ""),
        ("By Dana Orrin", "(c) 2024 Dana Orrin", ""),
        ("By Dana Orrin", "Published by Lark, £12.99", ""),
        ("By Dana Orrin", "Published by Lark in 2019, the novel sold well and won a prize.", ""),
        ("Source: Office for Fens", "", ""),
    ],
)
def test_an_outlet_that_a_line_plainly_names(above, below, outlet):
    pasted = f"Bog Bill Rests on Bad Science\n{above}\n{PROSE}\n{PROSE} Others disagree.\n{below}"
    assert find_publisher(article(pasted, "", "")) == outlet


def test_a_name_is_mentioned_in_any_of_its_forms():
    assert mentions("Voss wrote it.", name_forms("Dr. Garrick Voss"))
    assert not mentions("Vosstown is far.", name_forms("Garrick Voss"))
    assert mentions("The NFB met.", name_forms("National Food Board"))
    assert not mentions("It is nfb.", name_forms("National Food Board"))
    assert mentions("He runs Curio Atlas.", name_forms("curioatlas.example"))
    assert not mentions("An atlas of curios.", name_forms("curioatlas.example"))


@pytest.mark.parametrize(
    ("text", "most", "words"),
    [
        ("It will cost 4,000 jobs.", 12, ["cost", "4,000", "jobs"]),
        ("98.6% of Harbourlane's parcels", 12, ["98.6%", "Harbourlane", "parcels"]),
        ("the additive TE-947 in T187 million", 12, ["additive", "TE-947", "T187", "million"]),
        ("licence TCAD-BV-2208, licence again", 12, ["licence", "TCAD-BV-2208"]),
        ("peat bog moss fen mire", 2, ["peat", "bog"]),
    ],
)
def test_numbers_codes_and_names_stay_whole_in_a_search(text, most, words):
    assert search_words(text, most) == words


# What of a scraped page stays, and what went is on record.


LINES_OF_PROSE = [
    f"Sentence number {number} of the article says something long enough." for number in range(9)
]


def test_menus_comments_and_end_matter_are_cut():
    after = ["Related stories", "Ten hats you need", "Comments (2)"]
    comments = ["I think that this whole article is wrong and I say so.", "Reply"]
    kept, cuts = clean_article("\n".join(["Home", "News", *LINES_OF_PROSE, *after, *comments]))
    assert kept == "\n".join(LINES_OF_PROSE)
    words = {"reader comments": 15, "end matter": 6, "site chrome": 2}
    assert {cut.reason: cut.words for cut in cuts} == words


@pytest.mark.parametrize(
    "lines",
    [
        ["12 Comments", *LINES_OF_PROSE],
        [*LINES_OF_PROSE[:5], "Related", "Other headline", *LINES_OF_PROSE[5:]],
    ],
    ids=["comments early on", "a related box inside"],
)
def test_what_looks_like_an_end_cuts_nothing_after_it(lines):
    assert clean_article("\n".join(lines))[0] == "\n".join(LINES_OF_PROSE)


def test_a_page_without_prose_keeps_its_lines():
    kept, cuts = clean_article("one\ntwo\ntwo")
    assert (kept, cuts) == ("one\ntwo", ())


@pytest.mark.parametrize("credit", ["By Ann Lee", ""], ids=["a byline", "no byline"])
def test_a_standfirst_is_a_paragraph_of_the_article(credit):
    headline = "Town library to close in March"
    standfirst = "Readers call it the last warm place within ten miles"
    body = "\n".join([headline, standfirst, credit, *LINES_OF_PROSE])
    assert find_masthead(body).headline == headline
    assert clean_article(body)[0].split("\n") == [standfirst, *LINES_OF_PROSE]
    # Neither a menu nor the headline in other words is one.
    menu, again = "Home News Sport Search for what you want", f"{headline}, says the council"
    for other in (menu, again):
        assert other not in clean_article(body.replace(standfirst, other))[0]


@pytest.mark.parametrize("n_lines", [2, 9], ids=["a short article", "a longer one"])
def test_what_a_site_offers_is_no_sentence_of_the_article(n_lines):
    offers = (
        "Sign up for our newsletter and get the best of the valley in your inbox every morning.",
        "The biggest stories from your patch, straight to your phone. Unsubscribe any time.",
        "The Cedar Loop is £18.99 for our readers. We may earn commission from links on this page.",
        "Read more: The budget gap of the council has doubled in a year to 4 million pounds.",
        "Related: How the town lost its swimming pool to a hedge fund in 2019.",
        "Follow us on Facebook and on X for more news from the whole of the valley.",
        "Get the Valley app to read all our stories first on your telephone.",
        "Support independent journalism by becoming a member of the Valley Post today.",
    )
    prose = LINES_OF_PROSE[:n_lines]
    kept, (cut,) = clean_article("\n".join([prose[0], *offers, *prose[1:]]))
    assert kept == "\n".join(prose)
    assert cut.words == len(" ".join(offers).split())


def test_the_longest_public_article_loses_its_comments(shared_data):
    lines = (shared_data / "dragun-2025" / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(line)["body"] for line in lines]
    for body in bodies:
        kept, cuts = clean_article(body)
        assert 300 < len(kept.split()) < 2400
        assert abs(len(kept.split()) + sum(cut.words for cut in cuts) - len(body.split())) < 100
    longest = max(bodies, key=len)
    reasons = {cut.reason: cut.words for cut in clean_article(longest)[1]}
    assert reasons["reader comments"] > 6000


def test_no_more_is_kept_than_a_long_article_has():
    line = " ".join(["Many words stand in this line of the article."] * 100)  # 900 words
    numbered = [f"{number} {line}" for number in range(5)]  # 901 words each
    kept, cuts = clean_article("\n".join(numbered))
    lines = kept.split("\n")
    assert lines[:3] == numbered[:3]
    assert len(kept.split()) == 3_000
    assert numbered[3].startswith(lines[3])
    (cut,) = cuts
    assert (cut.reason, cut.words) == ("beyond 3,000 words", 5 * 901 - 3_000)
    assert kept.split() + cut.opening.split() == " ".join(numbered).split()[:3_008]


def test_the_last_word_kept_may_end_a_line():
    lines = [f"{'word ' * 998}{number} ends." for number in range(4)]  # 1,000 words each
    kept, (cut,) = clean_article("\n".join(lines))
    assert kept == "\n".join(lines[:3])
    assert cut.words == 1_000


def test_a_short_statement_between_paragraphs_is_a_paragraph():
    short = "The levy starts on 1 June."
    lines = [
        *LINES_OF_PROSE[:4],
        "He is not alone.",
        *LINES_OF_PROSE[4:6],
        "Is it fair?",
        *LINES_OF_PROSE[6:],
        short,
    ]
    kept, cuts = clean_article("\n".join(lines))
    assert kept == "\n".join(line for line in lines if line != "Is it fair?")
    assert [(cut.reason, cut.words) for cut in cuts] == [("site chrome", 3)]


@pytest.mark.parametrize(
    ("url", "title", "body", "outlet"),
    [
        ("https://www.pennockcourier.example/news/1", "Levy", "Pennock Bay Courier", None),
        ("https://www.atlasobscura.com/1", "Pizza", "Atlas Obscura Trips", "Atlas Obscura"),
        ("https://sentinelpolicy.example/1", "Bogs", "Sentinel Policy Journal", None),
    ],
    ids=["the masthead before the host", "a part of the outlet", "a longer name"],
)
def test_an_outlet_has_the_name_above_the_text_or_the_host(url, title, body, outlet):
    found = find_publisher(article("\n".join([body, *LINES_OF_PROSE, body]), title, url))
    assert found == (outlet or body)
