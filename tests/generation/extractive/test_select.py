"""Evidence without a model: what of the pages that a search found is read."""

import asyncio

from sidelight.generation.extractive.select import ExtractiveSelector
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.segment import document_id_of
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, OTHER_MATTERS, PAGES, PROFILE, page


def test_an_angle_that_nothing_speaks_to_stays_open(encoder):
    """The next round words its search anew, though the search found windows of a page in use."""
    first, second = ANGLES[0], ANGLES[1].model_copy(update={"must_mention": ("Otto Nemec",)})
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
