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
_SHARED_KEYWORDS, _SOME_KEYWORDS, _MANY_KEYWORDS = 2, 3, 7
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

    A sentence speaks to an angle about somebody only if it or its page names them, and to any other
    angle only if its page is about the article's subject: closeness in meaning alone would let any
    page on a neighbouring matter in. Where the sentence itself does not, it counts for less.

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
    is_about_it = cache(partial(_is_about_subject, profile=profile))
    for column, angle in enumerate(angles):
        names = angle.must_mention
        names_them = cache(partial(mentions, forms=names))
        speaks, places = (names_them, names_them) if names else (is_on_subject, is_about_it)
        scores[:, column] *= [
            (1.0 if speaks(sentence) else _IN_CONTEXT)
            if places(page) or (names and speaks(sentence))
            else 0.0
            for sentence, page in zip(sentences, pages, strict=True)
        ]
    return np.asarray(np.round(scores, 4))


def _wanted_words(angle: Angle, sentences: Sequence[str]) -> list[float]:
    """Return for each sentence what the words of the search add, beyond whom it is about."""
    about = stems(" ".join(angle.must_mention))
    wanted = stems(angle.query) - about
    return [_PER_WORD * min(_MOST_WORDS, len(stems(text) & wanted)) for text in sentences]


def _is_on_subject(sentence: str, *, profile: ArticleProfile) -> bool:
    """Tell whether a sentence names the subject, or has several of the article's keywords."""
    words = set(content_words(sentence))
    shared = len(words.intersection(profile.keywords))
    return shared >= _SHARED_KEYWORDS or _names_subject(words, profile)


def _is_about_subject(page: str, *, profile: ArticleProfile) -> bool:
    """Tell the same of a page, which has many words and so needs more of them.

    A narrative has too few words of its own to ask so much: one of them has to be there.
    """
    words = set(content_words(page))
    if not profile.body:
        return not words.isdisjoint(profile.keywords)
    shared = len(words.intersection(profile.keywords))
    names_it = _names_subject(words, profile) or mentions(page, profile.outlet)
    return shared >= _MANY_KEYWORDS or (shared >= _SOME_KEYWORDS and names_it)


def _names_subject(words: set[str], profile: ArticleProfile) -> bool:
    parts = [set(content_words(part)) for part in profile.subject.split(" and ")]
    return any(part and part <= words for part in parts)
