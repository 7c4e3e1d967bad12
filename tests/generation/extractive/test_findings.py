"""A page tells what goes beyond the article, in sentences that a reader can place."""

from __future__ import annotations

import pytest

from sidelight.generation.extractive.findings import find_findings
from sidelight.generation.extractive.known import Known, read_pages
from sidelight.index.encoding.encoder import Encoder
from sidelight.schemas.segment import Segment
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import BODY, OTHER_MATTERS, PROFILE, evidence, page

PAID = "The Marrow Sound Line paid the Sound Authority T40,000 for pier rights in 2019."


@pytest.fixture(scope="module")
def known(encoder: Encoder) -> Known:
    return Known(PROFILE, TextVectors(encoder.encode_sentences))


def told(known: Known, segment: Segment) -> list[tuple[str, ...]]:
    (one,) = read_pages(evidence(segment), PROFILE.host)
    ours = [line for line in one.lines if line not in OTHER_MATTERS]
    return [finding.texts for finding in find_findings(one, known, ours)]


def told_by(known: Known, text: str, **fields: str) -> list[tuple[str, ...]]:
    """What is told of a text that stands at the top of a page on other matters."""
    found = told(known, page(text + OTHER_MATTERS, **fields))  # type: ignore[arg-type]
    return [texts for texts in found if not any(one in OTHER_MATTERS for one in texts)]


def test_a_pronoun_at_the_beginning_becomes_the_name_in_brackets(known: Known) -> None:
    text = "Petra Quill was born in Tollmere. She sat on the board of the Marrow Sound Line."
    assert ("[Petra Quill] sat on the board of the Marrow Sound Line.",) in told_by(known, text)


def test_a_body_called_by_its_kind_becomes_the_name_in_brackets(known: Known) -> None:
    text = (
        "The Marrow Sound Line bought two ferries in 2015. "
        "The company borrowed T12 million from the Sound Authority."
    )
    found = told_by(known, text)
    assert ("[The Marrow Sound Line] borrowed T12 million from the Sound Authority.",) in found


def test_a_sentence_whose_pronoun_stays_open_is_left_out(known: Known) -> None:
    text = f"They paid T9,000 to the Sound Authority for the pier at Tollmere in 2018. {PAID}"
    assert told_by(known, text) == [(PAID,)]


def test_words_that_tie_a_sentence_to_the_one_before_go(known: Known) -> None:
    assert told_by(known, f"Moreover, the {PAID.removeprefix('The ')}") == [(PAID,)]


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        (
            "The only link to the island goes in June when the ferry at Tollmere closes. Last year "
            "the Marrow Sound Line carried 90,000 people. The closure means the end of the "
            "school run, "
            "islanders of Tollmere say. Shop owner Petra Quill thinks she will close by August."
        ),
    ],
    ids=["copy", "rewrite"],
)
def test_the_article_on_another_page_tells_nothing(known: Known, text: str) -> None:
    assert told(known, page(text)) == []


def test_a_page_on_a_namesake_elsewhere_tells_nothing(known: Known) -> None:
    text = "Petra Quill won the regional chess title in Brisbane in 2016."
    assert told_by(known, text, title="Chess in Brisbane") == []


def test_a_claim_is_only_told_with_the_sentence_that_qualifies_it(known: Known) -> None:
    claim = "The Marrow Sound Line reported a loss of T3 million for 2019."
    limit = "However, the Sound Authority found that T2.5 million of the loss was a single repair."
    found = told_by(known, f"{claim} {limit}")
    assert (claim, limit) in found
    assert (claim,) not in found


def test_a_sentence_that_points_at_the_one_before_is_told_behind_it(known: Known) -> None:
    count = "The Marrow Sound Line asked 1,200 passengers of the Tollmere ferry in 2019."
    of_them = "More than 800 of them lived on the mainland."
    assert (count, of_them) in told_by(known, f"{count} {of_them}")
    nobody = "Petra Quill was born in Tollmere."
    assert (nobody, of_them) not in told_by(known, f"{nobody} {of_them}")


def test_a_date_that_only_readers_of_the_page_understood_gets_its_month(known: Known) -> None:
    text = f"{PAID} The Sound Authority sold two Tollmere ferries last week."
    found = told_by(known, text, url="https://registry.example/2019/10/a")
    assert ("The Sound Authority sold two Tollmere ferries last week [October 2019].",) in found


def test_a_rating_of_the_outlet_and_the_posts_of_its_author_are_listed(known: Known) -> None:
    url = "https://mediabiasfactcheck.example/sound-courier"
    rating = "The Sound Courier employs Jonas Brill.\nFactual reporting: MIXED\n"
    found = told_by(known, rating, url=url, title="Sound Courier")
    assert any("says of Sound Courier: “Factual reporting: MIXED”" in text for (text,) in found)
    posts = "Jonas Brill\nPress officer, Marrow Sound Line, 2014 to 2018\n"
    found = told_by(known, posts, title="Jonas Brill")
    told = "A profile of Jonas Brill lists “Press officer, Marrow Sound Line, 2014 to 2018”."
    assert (told,) in found


def test_what_a_page_says_in_its_own_cause_is_attributed(known: Known) -> None:
    said = "The Marrow Sound Line carried 12 percent fewer passengers in 2019 than in 2012"
    address = "https://marrowsoundline.example/press-releases/a"
    found = told_by(known, f"Press release. {said}.", title="Marrow Sound Line", url=address)
    assert (f"{said}, by its own account.",) in found


def test_note_marks_go(known: Known) -> None:
    assert told_by(known, f"{PAID}[3]") == [(PAID,)]


def test_forum_posts_verdicts_and_orders_to_the_reader_are_not_told(known: Known) -> None:
    assert told_by(known, PAID, url="https://reddit.example/forum/a") == []
    assert told_by(known, "The claim that the Tollmere ferry loses money is false.") == []
    assert told_by(known, "Book your seat on the Tollmere ferry at the pier today.") == []
