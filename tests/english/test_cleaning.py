"""Site chrome and reader comments go, prose stays, and what went is on record."""

import json

import pytest

from sidelight.english.cleaning import clean_article, find_publisher
from sidelight.schemas.topic import Article

PROSE = [
    f"Sentence number {number} of the article says something long enough." for number in range(9)
]


def test_menus_comments_and_end_matter_are_cut():
    after = ["Related stories", "Ten hats you need", "Comments (2)"]
    comments = ["I think that this whole article is wrong and I say so.", "Reply"]
    kept, cuts = clean_article("\n".join(["Home", "News", *PROSE, *after, *comments]))
    assert kept == "\n".join(PROSE)
    words = {"reader comments": 15, "end matter": 6, "site chrome": 2}
    assert {cut.reason: cut.words for cut in cuts} == words


@pytest.mark.parametrize(
    "lines",
    [["12 Comments", *PROSE], [*PROSE[:5], "Related", "Other headline", *PROSE[5:]]],
    ids=["comments early on", "a related box inside"],
)
def test_what_looks_like_an_end_cuts_nothing_after_it(lines):
    assert clean_article("\n".join(lines))[0] == "\n".join(PROSE)


def test_a_page_without_prose_keeps_its_lines():
    kept, cuts = clean_article("one\ntwo\ntwo")
    assert (kept, cuts) == ("one\ntwo", ())


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
    lines = [*PROSE[:4], "He is not alone.", *PROSE[4:6], "Is it fair?", *PROSE[6:], short]
    kept, cuts = clean_article("\n".join(lines))
    assert kept == "\n".join(line for line in lines if line != "Is it fair?")
    assert [(cut.reason, cut.words) for cut in cuts] == [("site chrome", 3)]


@pytest.mark.parametrize(
    ("url", "title", "body", "outlet"),
    [
        ("https://www.pennockcourier.example/news/1", "Levy", "Pennock Bay Courier", None),
        ("https://www.atlasobscura.com/1", "Pizza", "Atlas Obscura Trips", "Atlas Obscura"),
    ],
    ids=["the masthead before the host", "a part of the outlet"],
)
def test_an_outlet_has_the_name_above_the_text_or_the_host(url, title, body, outlet):
    article = Article(topic_id="x", url=url, title=title, body="\n".join([body, *PROSE, body]))
    assert find_publisher(article) == (outlet or body)
