"""Verdicts are recognised; context about ratings is not a verdict."""

from __future__ import annotations

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
        "It found that the claim was false.",
        "A court ruled that the statement was false.",
        "The Press Council ruled on Monday, and the claim is false.",
    ],
)
def test_a_verdict_is_recognised(text: str) -> None:
    assert passes_verdict(text)


@pytest.mark.parametrize(
    "text",
    [
        "Press Balance Review rates the outlet as leaning right with a mixed factual record.",
        "The trial found no difference between the two groups.",
        "A true copy of the register is kept in the archive.",
        "ClaimBench rated the claim about wells as false and traced it to a fan page.",
        "ClaimBench reported that the rumour began as a hoax on a fan page.",
        "The Press Council ruled that the headline was false and asked for a correction.",
        "The statement on wells is mostly false, according to ClaimBench.",
    ],
)
def test_context_is_no_verdict(text: str) -> None:
    assert not passes_verdict(text)
