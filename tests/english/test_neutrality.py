"""Verdicts are recognised; context about ratings is not a verdict."""

import pytest

from sidelight.english.neutrality import passes_verdict


@pytest.mark.parametrize(
    "text",
    [
        "The article is completely trustworthy.",
        "The claim is false.",
        "Reporters debunked the story.",
        "It was rated false by the desk.",
        "The outlet spreads misinformation.",
        "Their statements were mostly untrue.",
        "Garrick Voss called the bill a mistake, and the claim is false.",
        "ClaimBench rated the claim as false, and the other claim is true.",
    ],
)
def test_a_verdict_is_recognised(text):
    assert passes_verdict(text)


@pytest.mark.parametrize(
    "text",
    [
        "Press Balance Review rates the outlet as leaning right with a mixed factual record.",
        "The trial found no difference between the two groups.",
        "A true copy of the register is kept in the archive.",
        "ClaimBench rated the claim about wells as false and traced it to a fan page.",
        "ClaimBench reported that the rumour began as a hoax on a fan page.",
    ],
)
def test_context_is_no_verdict(text):
    assert not passes_verdict(text)
