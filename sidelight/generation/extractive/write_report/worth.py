"""What a statement is worth to somebody who weighs an article up.

Worth rises with how close the statement is to what the article is about, how many other hosts say
something like it, how many figures the article did not give, and whether it answers rather than
repeats. That other hosts say it too counts most: facts that matter are told more than once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.extractive.select import single_sentences
from sidelight.generation.extractive.write_report.answering import cues_of_answer, tells_of_ties
from sidelight.text import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.generation.extractive.write_report.answering import Quantities
    from sidelight.generation.extractive.write_report.knowledge import Reader
    from sidelight.generation.extractive.write_report.quotes import Quote
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

    Floats = npt.NDArray[np.float64]

_PER_HOST, _MOST_HOSTS = 2.75, 3.0
_PER_FIGURE, _MOST_FIGURES = 0.5, 3
_DATED = 0.4
_ANOTHER_FIGURE, _TIES, _PRINCIPAL = 1.0, 0.25, 0.5
_PER_CUE, _MOST_CUES = 0.4, 3
_BEHIND = 2.0
_TOPICAL_SHARE, _NEAREST_SHARE = 0.25, 0.75
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
# Cosines of all-MiniLM-L6-v2 between sentences: from "on the same matter" to "the same fact".
_ALIKE, _THE_SAME = 0.55, 0.75
_NEAREST, _UNKNOWN = 3, 0.4
_NEAR_THE_FACT, _ON_THE_FACT = 0.6, 0.85
_CLOSENESS_POWER = 1.5


def weight_of(
    texts: Sequence[str],
    hosts: Floats,
    reader: Reader,
    quantities: Quantities,
    behind: npt.NDArray[np.bool_],
) -> Floats:
    """Return the factor by which each statement is worth more than its closeness to a subject.

    Args:
        texts: The statements.
        hosts: See `told_elsewhere`.
        reader: Somebody who has read the article.
        quantities: The article's figures.
        behind: See `leads_to_ties`.
    """
    own = np.array([_own_weight(text, reader, quantities) for text in texts])
    own = own * np.where(behind, _BEHIND, 1.0)
    return np.asarray(own * (1.0 + _PER_HOST * hosts))


def _own_weight(text: str, reader: Reader, quantities: Quantities) -> float:
    news = _PER_FIGURE * min(_MOST_FIGURES, len(reader.news(text)[0]))
    answers = _PER_CUE * min(_MOST_CUES, cues_of_answer(text))
    answers += _ANOTHER_FIGURE * quantities.has_another_figure(text) + _TIES * tells_of_ties(text)
    return (1.0 + news + _DATED * (_YEAR.search(text) is not None)) * (
        1.0 + answers + _PRINCIPAL * reader.is_about(text)
    )


def topicality(
    texts: Sequence[str], profile: ArticleProfile, vectors: TextVectors
) -> tuple[Floats, Floats]:
    """Return how close each text is to title and nearest sentences of the article, in [0, 1].

    The second is how close it is to the nearest sentence alone.
    """
    prose = sentences(profile.body)
    if not prose:
        unknown = np.full(len(texts), _UNKNOWN)
        return unknown, unknown  # a narrative: its angles say what it is about
    title = vectors.similarity(texts, [profile.title])[:, 0]
    body = np.sort(vectors.similarity(texts, prose), axis=1)[:, -_NEAREST:]
    return (
        np.asarray(np.clip((title + body.mean(axis=1)) / 2, 0.0, 1.0)),
        np.asarray(np.clip(body[:, -1], 0.0, 1.0)),
    )


def closeness(topical: Floats, near: Floats) -> Floats:
    """Return how much a text has to do with the article; see `topicality`.

    What speaks of the same fact as a sentence of the article is worth more than its cosine says.
    """
    of_the_fact = np.clip((near - _NEAR_THE_FACT) / (_ON_THE_FACT - _NEAR_THE_FACT), 0.0, 1.0)
    close = _TOPICAL_SHARE * topical + _NEAREST_SHARE * near
    return np.asarray(close**_CLOSENESS_POWER * (1.0 + of_the_fact))


def told_elsewhere(quotes: Sequence[Quote], evidence: EvidenceSet, vectors: TextVectors) -> Floats:
    """Return how many other hosts say something like each quote, at most three.

    A host whose nearest sentence is only a little alike counts in part.
    """
    said = [
        (sentence, item.segment.host)
        for item in evidence.items
        for sentence in single_sentences(item.segment)
    ]
    host_of = np.array([host for _, host in said])
    own = np.array([quote.host for quote in quotes])
    likeness = vectors.similarity([quote.text for quote in quotes], [text for text, _ in said])
    count = np.zeros(len(quotes))
    for host in sorted(set(host_of.tolist())):
        nearest = likeness[:, host_of == host].max(axis=1)
        degree = np.clip((nearest - _ALIKE) / (_THE_SAME - _ALIKE), 0.0, 1.0)
        count += np.where(own == host, 0.0, degree)
    return np.minimum(count, _MOST_HOSTS)
