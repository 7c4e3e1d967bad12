"""Two sentences state one fact only if their figures and their negations agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sidelight.generation.prompted.findings import SameFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from sidelight.text_vectors import Encode


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("In the harbour of Orrin, 420 boats were counted by the Orrin Harbour Trust.", True),
        ("The Orrin Harbour Trust counted 430 boats in the harbour of Orrin.", False),
        ("The Orrin Harbour Trust never counted 420 boats in the harbour of Orrin.", False),
        ("Lark Media bought the newspaper Orrin Post for 420 crowns.", False),
    ],
)
def test_one_fact_or_two(lexical_encode: Encode, other: str, same: bool) -> None:
    text = "The Orrin Harbour Trust counted 420 boats in the harbour of Orrin."
    facts = SameFact(lexical_encode, [text, other])
    assert facts(text, other) is facts(other, text) is same


def test_a_sentence_that_nothing_can_be_the_same_as_is_not_encoded(lexical_encode: Encode) -> None:
    encoded: list[str] = []

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encoded.extend(texts)
        return lexical_encode(texts)

    texts = ["Orrin counted 420 boats.", "Orrin counted 430 boats.", "In Orrin are 420 boats."]
    facts = SameFact(encode, texts)
    assert sorted(encoded) == sorted([texts[0], texts[2]])
    assert facts(texts[1], texts[1])
