"""Performers of somebody's own: what they return is checked, and named with their place."""

import asyncio

import pytest

from sidelight.errors import UsageError
from sidelight.generation.roles import ArticleProfile, DraftQuestions
from sidelight.wiring.roles import _returning, returned_by


class Mine:
    """Returns a list where questions are wanted."""

    async def __call__(self, profile, angles, evidence):
        return ["Who digs peat?"]


def test_the_types_are_those_of_the_roles():
    assert returned_by("write_questions") is DraftQuestions
    assert returned_by("profile_article") is ArticleProfile


def test_what_is_of_another_type_is_named_with_who_returned_it():
    work = _returning(returned_by("write_questions"), Mine(), Mine)
    with pytest.raises(UsageError, match=r"own_performer:Mine: .* a DraftQuestions; found a list"):
        asyncio.run(work(None, (), None))
    # What is no class, such as the angles of a rubric, is not looked at.
    rubric = _returning(returned_by("draft_rubric"), Mine(), Mine)
    assert asyncio.run(rubric(None, (), None)) == ["Who digs peat?"]
