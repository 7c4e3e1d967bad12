"""Evidence without a model: what of the pages that a search found is read."""

from __future__ import annotations

import asyncio

from sidelight.generation.extractive.select import ExtractiveSelector
from sidelight.index.encoding.encoder import Encoder
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.segment import document_id_of
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, OTHER_MATTERS, PAGES, PROFILE, page


def test_an_angle_that_nothing_speaks_to_stays_open(encoder: Encoder) -> None:
    """The next round words its search anew, though the search found windows of a page in use."""
    first, second = ANGLES[:2]
    told = [item.segment for item in PAGES.items]
    beside = [
        page(OTHER_MATTERS).model_copy(
            update={"segment_id": f"{document_id_of(one.segment_id)}#9_9"}
        )
        for one in told
    ]
    candidates = {first.angle_id: told, second.angle_id: beside}
    selector = ExtractiveSelector(TextVectors(encoder.encode_sentences), 3)
    found: EvidenceSet = asyncio.run(selector(PROFILE, (first, second), candidates)).evidence
    assert found.covers([first.angle_id, second.angle_id]) == {first.angle_id}
