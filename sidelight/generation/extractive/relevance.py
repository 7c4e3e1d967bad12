"""How well sentences speak to angles: the one measure that selecting and writing share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.reading.names import mentions
from sidelight.text import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

# Cosines of all-MiniLM-L6-v2 between a question and a sentence: below the first they share at most
# a field, above the second they are about the same fact.
_FLOOR, _CEILING = 0.38, 0.80
_SHARED_KEYWORDS = 2


def relevance(
    sentences: Sequence[str],
    angles: Sequence[Angle],
    profile: ArticleProfile,
    vectors: TextVectors,
) -> npt.NDArray[np.float64]:
    """Return `(n_sentences, n_angles)` scores in [0, 1]; 0 means that it does not speak to it.

    A sentence speaks to an angle about somebody only if it names them, and to any other angle only
    if it shares the subject or at least two keywords with the article: closeness in meaning alone
    would let any page on a neighbouring matter in.
    """
    cosines = vectors.similarity(sentences, [angle.question for angle in angles])
    scores = np.clip((cosines - _FLOOR) / (_CEILING - _FLOOR), 0.0, 1.0)
    on_subject = np.array([_is_on_subject(sentence, profile) for sentence in sentences], dtype=bool)
    for column, angle in enumerate(angles):
        if angle.must_mention:
            allowed = np.array([mentions(text, angle.must_mention) for text in sentences], bool)
        else:
            allowed = on_subject
        scores[~allowed, column] = 0.0
    return np.asarray(np.round(scores, 4))


def _is_on_subject(sentence: str, profile: ArticleProfile) -> bool:
    words = set(content_words(sentence))
    subject = set(content_words(profile.subject))
    if subject and subject <= words:
        return True
    return len(words.intersection(profile.keywords)) >= _SHARED_KEYWORDS
