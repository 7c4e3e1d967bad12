"""Which pages are about something else than the article, for all that a search brought them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.extractive.select import single_sentences
from sidelight.schemas.segment import document_id_of
from sidelight.text import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.generation.extractive.write_report.knowledge import Reader
    from sidelight.generation.extractive.write_report.quotes import Quote
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

# The cosine of all-MiniLM-L6-v2 between the nearest sentences of a page and of the article that no
# page on the same matter stays below.
_ASTRAY = 0.38


def astray(
    quotes: Sequence[Quote],
    evidence: EvidenceSet,
    reader: Reader,
    profile: ArticleProfile,
    vectors: TextVectors,
) -> npt.NDArray[np.bool_]:
    """Tell of each quote whether it comes from a page about something else altogether.

    A page that names the outlet or an author may say of them what the article says nothing of; but
    if it then speaks of an article, it means another one. A narrative says too little to tell.
    """
    nearness = _nearness(evidence, profile, vectors)
    return np.array(
        [
            nearness[document_id_of(quote.segment_id)] < _ASTRAY
            and (not reader.is_about(quote.window) or reader.speaks_of_article(quote.text))
            for quote in quotes
        ],
        dtype=bool,
    )


def _nearness(
    evidence: EvidenceSet, profile: ArticleProfile, vectors: TextVectors
) -> dict[str, float]:
    """Return by document how close the closest of what it says comes to the article, in [0, 1]."""
    prose = sentences(profile.body)
    documents = [document_id_of(item.segment.segment_id) for item in evidence.items]
    if not prose:
        return dict.fromkeys(documents, 1.0)
    said = [
        (sentence, document)
        for item, document in zip(evidence.items, documents, strict=True)
        for sentence in single_sentences(item.segment)
    ]
    # All at once: a few sentences do not fill the encoder's batches.
    nearest = vectors.similarity([sentence for sentence, _ in said], prose).max(axis=1, initial=0.0)
    nearness = dict.fromkeys(documents, 0.0)
    for (_, document), cosine in zip(said, nearest, strict=True):
        nearness[document] = max(nearness[document], float(cosine))
    return nearness
