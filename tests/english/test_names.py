"""Names, bylines and outlets are found by capitals and the address."""

import json

import pytest

from sidelight.english.cleaning import find_authors, find_masthead, find_publisher
from sidelight.english.names import mentions, name_forms, search_words
from sidelight.schemas.topic import Article


def article(body, title="A title", url="https://www.daily-lark.example/a"):
    return Article(topic_id="t", url=url, title=title, body=body)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("by Dana Orrin June 4, 2015", ("Dana Orrin",)),
        ("By Dana Orrin and Lee van Marsh", ("Dana Orrin", "Lee van Marsh")),
        ("Words by Dana Orrin | Photographs by Sol Reed", ("Dana Orrin",)),
        ("Medically reviewed by Tim J. Leck, Ph.D. — Written by Dana Orrin, MSN", ("Dana Orrin",)),
        ("November 26, 2017 Dana Orrin", ("Dana Orrin",)),
        ("By Dr. Maris Vell, Editorial Director", ("Dr. Maris Vell",)),
        ("Announced By Company Behind Shoes", ()),
        ("By\nFull Bio", ()),
        ("The bill was rejected by Dana Orrin in a long session of the chamber that night.", ()),
    ],
)
def test_the_byline_names_the_authors(line, expected):
    assert find_authors(article(f"A title\n{line}\nSome text.")) == expected


def test_the_public_articles_show_the_bylines_a_reader_sees(shared_data):
    lines = (shared_data / "dragun-2025" / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        fields = json.loads(line)
        found[fields["docid"]] = find_authors(
            Article(topic_id=fields["docid"], url=fields["url"], body=fields["body"])
        )
    assert found["msmarco_v2.1_doc_04_420132660"] == ("Dan Nosowitz",)
    assert sum(bool(authors) for authors in found.values()) == 21


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
        ("Menu | Deals | Savings | Cards\nBog Bill Rests on Bad Science - Fen Ledger\nBy Em Post",
         "Bog Bill Rests on Bad Science", "Fen Ledger", ("Em Post",)),
        ("Lark Health | Bog Bill Rests on Bad Science | Owen Reed\nBy Owen Reed",
         "Bog Bill Rests on Bad Science", "", ("Owen Reed",)),
        ("Bog Bill Rests on Bad Science | Fens.com\nBreaking News\nBy Owen Reed",
         "Bog Bill Rests on Bad Science", "Fens.com", ("Owen Reed",)),
        ("", "", "", ()),
    ],
)  # fmt: skip
def test_what_stands_above_a_pasted_text(above, headline, outlet, authors):
    pasted = article(f"{above}\n{PROSE}\n{PROSE} Others disagree.", "", "")
    assert find_masthead(pasted.body).headline == headline
    assert (find_publisher(pasted), find_authors(pasted)) == (outlet, authors)


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
