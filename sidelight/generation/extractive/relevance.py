"""How well sentences speak to angles: the one measure that selecting and writing share."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.reading.names import mentions
from sidelight.text import content_words
from sidelight.wording import stems

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
_IN_CONTEXT = 0.9
_PER_WORD, _MOST_WORDS = 0.04, 3


def relevance(
    sentences: Sequence[str],
    pages: Sequence[str],
    angles: Sequence[Angle],
    profile: ArticleProfile,
    vectors: TextVectors,
) -> npt.NDArray[np.float64]:
    """Return `(n_sentences, n_angles)` scores in [0, 1]; 0 means that it does not speak to it.

    A sentence speaks to an angle about somebody only if it names them, and to any other angle only
    if it shares the subject or at least two keywords with the article: closeness in meaning alone
    would let any page on a neighbouring matter in. Where its page does so and the sentence does
    not, it counts for less.

    Args:
        sentences: What is weighed.
        pages: For each, the window it stands in, with the page's title.
        angles: What it may speak to.
        profile: The article.
        vectors: Encodes sentences.
    """
    cosines = np.maximum(
        vectors.similarity(sentences, [angle.question for angle in angles]),
        vectors.similarity(sentences, [angle.query for angle in angles]),
    )
    cosines = cosines + np.array([_wanted_words(angle, sentences) for angle in angles]).T
    scores = np.clip((cosines - _FLOOR) / (_CEILING - _FLOOR), 0.0, 1.0)
    is_on_subject = cache(partial(_is_on_subject, profile=profile))
    for column, angle in enumerate(angles):
        names = angle.must_mention
        speaks = cache(partial(mentions, forms=names)) if names else is_on_subject
        scores[:, column] *= [
            1.0 if speaks(sentence) else _IN_CONTEXT if speaks(page) else 0.0
            for sentence, page in zip(sentences, pages, strict=True)
        ]
    return np.asarray(np.round(scores, 4))


def _wanted_words(angle: Angle, sentences: Sequence[str]) -> list[float]:
    """Return for each sentence what the words of the search add, beyond whom it is about."""
    about = stems(" ".join(angle.must_mention))
    wanted = stems(angle.query) - about
    return [_PER_WORD * min(_MOST_WORDS, len(stems(text) & wanted)) for text in sentences]


def _is_on_subject(sentence: str, *, profile: ArticleProfile) -> bool:
    words = set(content_words(sentence))
    parts = [set(content_words(part)) for part in profile.subject.split(" and ")]
    if any(part and part <= words for part in parts):
        return True
    return len(words.intersection(profile.keywords)) >= _SHARED_KEYWORDS
