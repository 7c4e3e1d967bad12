"""The rubric answers of the mini web, and a stand-in for the encoder."""

import json
from importlib.resources import files

import pytest


@pytest.fixture(scope="session")
def answers_by_topic():
    """Topic id -> answer id -> text."""
    folder = files("sidelight.sample") / "data" / "human_rubrics"
    rubrics = [json.loads(path.read_text(encoding="utf-8")) for path in folder.iterdir()]
    return {
        rubric["topic_id"]: {
            answer["answer_id"]: answer["answer_text"]
            for question in rubric["rubrics"]
            for answer in question["short_answers"]
        }
        for rubric in rubrics
    }
