"""The questions without a model: exactly as many as wanted, all different, within the limit."""

import asyncio

import pytest

from sidelight.checks.questions import compound_reason
from sidelight.generation.extractive.write_questions import ExtractiveQuestionWriter
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, PAGES, PROFILE

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
    for name in ("Sound Courier", "Jonas Brill", "Petra Quill"):
        assert name in questions


def test_a_body_that_the_evidence_says_looked_into_it_is_asked_about(encoder):
    asked = [one for one in written(encoder, count=30) if "Transport Tribunal" in one]
    assert len(asked) == 1
    assert "find" in asked[0]
    unfound = written(encoder, count=30, found=EvidenceSet())
    assert not any("Tribunal" in one for one in unfound)
