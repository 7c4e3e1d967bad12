"""A person is asked about by what the article says they are, or not at all."""

from __future__ import annotations

import pytest

from sidelight.generation.reading.names import role_of


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        (
            '"The network is thin," said Ines Corvane, a hydrologist at the University of Orrin.',
            "Ines Corvane",
            "a hydrologist at the University of Orrin",
        ),
        ("It works, lead scientist Ilse Tarnbrook said.", "Ilse Tarnbrook", "lead scientist"),
        ("Nelson Mandela died in 2013.", "Nelson Mandela", ""),
    ],
)
def test_a_role_is_taken_from_the_text(text: str, name: str, role: str) -> None:
    assert role_of(name, text) == role
