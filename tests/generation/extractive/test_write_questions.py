"""The questions without a model: exactly as many as wanted, all different, within the limit."""

import asyncio

import pytest

from sidelight.checks.questions import compound_reason
from sidelight.generation.extractive.write_questions import ExtractiveQuestionWriter
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, BODY, OTHER_MATTERS, PAGES, PROFILE, evidence, page

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


def test_a_statement_that_states_nothing_is_not_quoted(encoder):
    body = f"{BODY} The Marrow Ferry Workers' Union does not agree."
    told = PROFILE.model_copy(update={"body": body})
    assert not any("does not agree" in one for one in written(encoder, told, count=30))


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
