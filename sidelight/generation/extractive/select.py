"""Evidence selection without a model: the segments whose sentences are most relevant to an angle.

Selecting and writing share one measure of a sentence's relevance to an angle. Selected segments are
diversified over pages and sites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from sidelight.english.names import mentions, name_forms
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Selection
from sidelight.schemas.segment import Segment, document_id_of, overlapping
from sidelight.text import content_words, count_words, sentences, stems
from sidelight.text_vectors import TextVectors

# Cosines of all-MiniLM-L6-v2 between a question and a sentence: below the first they share at most
# a field, above the second they are about the same fact.
_FLOOR, _CEILING = 0.38, 0.80
_SHARED_KEYWORDS = 2
# Of keywords that a window shares with the article, plus twice the names that it shares. Most
# windows on other matters have fewer, on the seven development webs on which this was chosen.
_NEEDED = 5
_IN_CONTEXT = 0.9
_MIN_WORDS = 5
_PER_WORD, _MOST_WORDS = 0.04, 3
_READ_PER_ANGLE = 20
_MANY_SEARCHES = 4
_ON_ITS_PAGE = 0.01  # relevance of a segment that speaks to no angle itself


class ExtractiveSelector:
    """The role `select_evidence` without a model."""

    def __init__(self, sentences: TextVectors, segments_per_angle: int) -> None:
        self._sentences = sentences
        self._keep = segments_per_angle

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return each angle's best segments, two per site, and those that many searches brought.

        They are scored by their best sentence. What many searches bring is about the article, even
        where other segments speak to each single angle better.
        """
        brought = Counter(
            segment.segment_id for segments in candidates.values() for segment in segments
        )
        n_read = max(_READ_PER_ANGLE, self._keep)
        first = {one.segment_id: one for found in candidates.values() for one in found[:n_read]}
        read = [(one, said) for one in first.values() if (said := single_sentences(one))]
        # All at once, because an encoder is quickest with full batches.
        self._sentences.remember(
            [
                *(text for _, said in read for text in said),
                *(text for angle in angles for text in (angle.question, angle.query)),
            ]
        )
        spoken = self._spoken(profile, angles, read)
        evidence = EvidenceSet.merge(*(self._best(*one, brought) for one in spoken.items()))
        evidence = EvidenceSet.merge(evidence, _rest_of_pages(evidence, candidates, spoken))
        taken = {item.segment.segment_id for item in evidence.items}
        near = {segment.segment_id for found in spoken.values() for segment, _ in found}
        seen = {segment.segment_id for segments in candidates.values() for segment in segments}
        dropped = {
            one: "others say more" if one in near else "too far" if one in first else "not read"
            for one in sorted(seen - taken)
        }
        return Selection(evidence=evidence, dropped=dropped)

    def _spoken(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        read: Sequence[tuple[Segment, list[str]]],
    ) -> dict[str, list[tuple[Segment, float]]]:
        """Return by angle the segments that speak to it and how well, the best first."""
        flat = [(text, window_of(segment)) for segment, said in read for text in said]
        if not flat:
            return {}
        texts, pages = zip(*flat, strict=True)
        scores = relevance(texts, pages, angles, profile, self._sentences)
        starts = np.cumsum([0, *(len(said) for _, said in read[:-1])])
        best = np.maximum.reduceat(scores, starts, axis=0)
        spoken = {}
        for column, angle in enumerate(angles):
            found = [
                (segment, float(score))
                for (segment, _), score in zip(read, best[:, column], strict=True)
                if score > 0
            ]
            spoken[angle.angle_id] = sorted(found, key=lambda one: (-one[1], one[0].segment_id))
        return spoken

    def _best(
        self,
        angle_id: str,
        speaking: Sequence[tuple[Segment, float]],
        brought: Mapping[str, int],
    ) -> EvidenceSet:
        taken = spread((segment for segment, _ in speaking), self._keep)
        chosen = {segment.segment_id for segment in taken}
        return EvidenceSet(
            items=tuple(
                Evidence(segment=segment, relevance={angle_id: score})
                for segment, score in speaking
                if segment.segment_id in chosen or brought[segment.segment_id] >= _MANY_SEARCHES
            )
        )


def _rest_of_pages(
    evidence: EvidenceSet,
    candidates: Mapping[str, Sequence[Segment]],
    spoken: Mapping[str, Sequence[tuple[Segment, float]]],
) -> EvidenceSet:
    """Return the other segments found on the pages of the evidence.

    What was decided may stand on another segment than the one that speaks to an angle.
    """
    speaks: dict[str, dict[str, float]] = {}
    for angle_id, segments in spoken.items():
        for segment, score in segments:
            speaks.setdefault(segment.segment_id, {})[angle_id] = score
    angles = {document_id_of(one.segment.segment_id): one.relevance for one in evidence.items}
    taken = {item.segment.segment_id for item in evidence.items}
    found = {one.segment_id: one for segments in candidates.values() for one in segments}
    return EvidenceSet(
        items=tuple(
            Evidence(
                segment=one,
                relevance=speaks.get(segment_id) or dict.fromkeys(angles[page], _ON_ITS_PAGE),
            )
            for segment_id, one in sorted(found.items())
            if (page := document_id_of(segment_id)) in angles and segment_id not in taken
        )
    )


def window_of(segment: Segment) -> str:
    """Return a window with the title of its page, which may say whom it is about."""
    return f"{segment.title}\n{segment.text}"


def single_sentences(segment: Segment) -> list[str]:
    """Return what a segment says, sentence by sentence, without headings and scraps."""
    return [
        text
        for text in sentences(segment.text)
        if count_words(text) >= _MIN_WORDS and text.rstrip("\"'”’)").endswith((".", "!", "?"))
    ]


def relevance(
    texts: Sequence[str],
    pages: Sequence[str],
    angles: Sequence[Angle],
    profile: ArticleProfile,
    vectors: TextVectors,
) -> npt.NDArray[np.float64]:
    """Return `(n_texts, n_angles)` scores in [0, 1]; 0 means that it does not speak to it.

    A sentence speaks to an angle about somebody only if it or its page names them, and to any other
    angle only if its page is about the article's subject: closeness in meaning alone would let any
    page on a neighbouring matter in. Where only the page does, the sentence counts for less.
    `texts` are sentences; `pages` are the windows they stand in, with the title of the page.
    """
    cosines = np.maximum(
        vectors.similarity(texts, [angle.question for angle in angles]),
        vectors.similarity(texts, [angle.query for angle in angles]),
    )
    cosines = cosines + np.array([_wanted_words(angle, texts) for angle in angles]).T
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
            for sentence, page in zip(texts, pages, strict=True)
        ]
    return np.asarray(np.round(scores, 4))


def _wanted_words(angle: Angle, texts: Sequence[str]) -> list[float]:
    """Return for each sentence what the words of the search add, beyond whom it is about."""
    about = stems(" ".join(angle.must_mention))
    wanted = stems(angle.query) - about
    return [_PER_WORD * min(_MOST_WORDS, len(stems(text) & wanted)) for text in texts]


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
    named = sum(mentions(page, name_forms(name)) for name in profile.named)
    return shared + 2 * named + 2 * _names_subject(words, profile) >= _NEEDED


def _names_subject(words: set[str], profile: ArticleProfile) -> bool:
    parts = [set(content_words(part)) for part in profile.subject.split(" and ")]
    return any(part and part <= words for part in parts)


_KEPT_PER_SITE = 2


def spread(ranked: Iterable[Segment], keep: int) -> list[Segment]:
    """Return the best segments, two per site at most, without overlapping windows."""
    taken: list[Segment] = []
    for segment in ranked:
        if len(taken) == keep:
            break
        of_site = sum(other.site == segment.site for other in taken)
        if of_site < _KEPT_PER_SITE and not overlapping(
            segment.segment_id, (other.segment_id for other in taken)
        ):
            taken.append(segment)
    return taken
