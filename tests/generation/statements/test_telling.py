"""What a page found is told without what it says of another text."""

from __future__ import annotations

import pytest

from sidelight.generation.statements.statements import told

FOUND = "The Civic Register lists Garrick Voss as a paid fellow since 2018."


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        (f"That framing is misleading: {FOUND[0].lower()}{FOUND[1:]}", FOUND),
        (f"This claim is inaccurate because {FOUND[0].lower()}{FOUND[1:]}", FOUND),
        (f"Bottom line: {FOUND[0].lower()}{FOUND[1:]}", FOUND),
        (f"Another important update is that {FOUND[0].lower()}{FOUND[1:]}", FOUND),
        (
            (
                "The claim about Voss is supported by the Civic Register, which lists Garrick "
                "Voss as a paid fellow since 2018."
            ),
            FOUND,
        ),
        (
            (
                "The Civic Register lists Garrick Voss as a paid fellow since 2018, confirming "
                "column's account of his work."
            ),
            FOUND,
        ),
    ],
)
def test_remarks_go_and_findings_stay(sentence: str, left: str) -> None:
    assert told(sentence) == left


@pytest.mark.parametrize(
    "sentence",
    [
        FOUND,
        "The figure is misleading because it is old.",  # what is left would be no sentence
        "Voss counted wells, confirming the claim, but the ministry found 14 of them.",
        "Voss counted wells, confirming the figure of 4,000 jobs.",
        "Voss is right: only wells were counted.",  # of no text
        'The claim is "misleading: a fellow of Harrow Lane counted the wells himself.',
    ],
)
def test_what_tells_more_than_a_remark_stays_whole(sentence: str) -> None:
    assert told(sentence) == sentence


def test_what_is_too_long_for_a_sentence_is_left_as_it_is() -> None:
    long = f"{FOUND[:-1]}, confirming the account of {'Voss ' * 20_000}."
    assert told(long) == long
