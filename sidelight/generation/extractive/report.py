"""Write the report without a model: statements of the evidence, chosen under the word budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.checks.wording import stems
from sidelight.generation.extractive.answering import cues_of_answer
from sidelight.generation.extractive.choose import Found, choose, words_of
from sidelight.generation.extractive.relevance import relevance
from sidelight.generation.extractive.select import single_sentences, window_of
from sidelight.generation.extractive.sentence_index import SentenceIndex
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.reading.knowledge import Reader
from sidelight.generation.reading.statements import statements
from sidelight.schemas.report import DraftReport, DraftSentence
from sidelight.text import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.schemas.angle import Angle
    from sidelight.schemas.evidence import EvidenceSet
    from sidelight.schemas.profile import ArticleProfile

_MIN_RELEVANCE = 0.15
_RESTATED = 0.82
_NEARLY_RESTATED = 0.7
_MUCH_NEWS = 2
_MIN_COVERED = 0.03
_SAME_FACT = 0.80
_MAX_SUPPORTERS = 3
BASE = (0.5, 0.5)
NEWS = (0.15, 0.05)
CUES = 0.05
ELSE = 2.0
LIKE = (0.55, 0.75)
MIN_TOPICAL = 0.45


class Quote(NamedTuple):
    """A statement of a segment that could go into a report."""

    text: str
    segment_id: str
    host: str
    first: int
    last: int
    page: str


class ExtractiveReportWriter:
    """The role `write_report` without a model.

    Statements are quoted as `statements` makes them stand alone. One cites the segment it comes
    from, then, from other hosts, segments that say the same. What the article says itself is never
    used, unless the same sentence answers it. Where evidence covers next to nothing, the report is
    one honest sentence: a stray fact would mislead.

    Args:
        index: Encodes sentences.
        max_words: The track's limit.
    """

    def __init__(self, index: SentenceIndex, max_words: int) -> None:
        self._index = index
        self._max_words = max_words

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the chosen statements, grouped by angle in the order of `angles`.

        The reserve is what another report of the same length would add, in the order of choosing.
        """
        quotes = self._quotes(profile, evidence)
        if not quotes:
            return NOTHING_FOUND
        texts = [quote.text for quote in quotes]
        scores = relevance(
            texts, [quote.page for quote in quotes], angles, profile, self._index
        )
        kept = np.flatnonzero(
            (scores.max(axis=1, initial=0.0) >= _MIN_RELEVANCE)
            | (self._topicality(profile, texts) >= MIN_TOPICAL)
        )
        quotes, scores = [quotes[row] for row in kept], scores[kept]
        if not quotes:
            return NOTHING_FOUND
        found = self._found(profile, angles, quotes, scores, evidence)
        excludes = self._excludes(quotes, found.likeness)
        chosen = choose(found, self._max_words, excludes)
        if _covered_share(found, chosen) < _MIN_COVERED:
            return NOTHING_FOUND
        reserve = choose(found, 2 * self._max_words, excludes, standing=chosen)
        chosen.sort(key=lambda row: (_main_angle(found, row), quotes[row].segment_id, quotes[row].first))
        return DraftReport(
            sentences=tuple(self._sentence(row, quotes, found, angles) for row in chosen),
            reserve=tuple(self._sentence(row, quotes, found, angles) for row in reserve),
        )

    def _quotes(self, profile: ArticleProfile, evidence: EvidenceSet) -> list[Quote]:
        reader = Reader(profile)
        quotes: dict[str, Quote] = {}
        for segment in (item.segment for item in evidence.items):
            page = window_of(segment)
            for one in statements(segment.text, segment.title):
                if (
                    reader.can_place(one, page)
                    and not reader.has_read(one.text)
                    and (
                        not reader.speaks_of_article(one.text)
                        or (reader.is_about(page) and cues_of_answer(one.text))
                    )
                    and not reader.means_another(one.text, page)
                ):
                    quotes.setdefault(
                        one.text,
                        Quote(one.text, segment.segment_id, segment.host, one.first, one.last, page),
                    )
        return self._without_restatements(profile, reader, list(quotes.values()))

    def _without_restatements(
        self, profile: ArticleProfile, reader: Reader, quotes: list[Quote]
    ) -> list[Quote]:
        """Leave out what the article says itself: repeating it is no context."""
        texts = [quote.text for quote in quotes]
        nearest = self._index.similarity(texts, sentences(profile.body)).max(axis=1, initial=0.0)
        return [
            quote
            for quote, likeness in zip(quotes, nearest, strict=True)
            if likeness < _NEARLY_RESTATED
            or (cues_of_answer(quote.text) and any(reader.news(quote.text)))
            or (likeness < _RESTATED and sum(map(len, reader.news(quote.text))) >= _MUCH_NEWS)
        ]

    def _found(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        quotes: Sequence[Quote],
        scores: npt.NDArray[np.float64],
        evidence: EvidenceSet,
    ) -> Found:
        reader = Reader(profile)
        texts = [quote.text for quote in quotes]
        likeness = self._index.similarity(texts, texts)
        weights = np.array([angle.weight for angle in angles])
        topical = self._topicality(profile, texts)
        spread = self._told_elsewhere(quotes, evidence)
        base = BASE[0] * (scores * weights).max(axis=1) / 4.0 + BASE[1] * topical
        factor = np.empty(len(quotes))
        for row, quote in enumerate(quotes):
            figures, names = reader.news(quote.text)
            factor[row] = 1.0 + NEWS[0] * min(3, len(figures)) + NEWS[1] * min(4, len(names))
            factor[row] *= 1.0 + CUES * min(3, cues_of_answer(quote.text))
        factor *= 1.0 + ELSE * spread
        return Found(
            words=words_of(texts),
            covers=np.clip(scores * factor[:, None] / 2, 0.0, 0.9),
            weights=weights,
            worth=base * factor,
            likeness=likeness,
            concepts=_concepts(texts),
        )

    def _topicality(
        self, profile: ArticleProfile, texts: Sequence[str]
    ) -> npt.NDArray[np.float64]:
        """Return how close each text is to what the article is about, in [0, 1]."""
        title = self._index.similarity(texts, [profile.title])[:, 0]
        body = np.sort(self._index.similarity(texts, sentences(profile.body)), axis=1)[:, -3:]
        return np.asarray(np.clip((title + body.mean(axis=1)) / 2, 0.0, 1.0))

    def _told_elsewhere(
        self, quotes: Sequence[Quote], evidence: EvidenceSet
    ) -> npt.NDArray[np.float64]:
        """Return how many other hosts say something like each quote, at most three."""
        witnesses = [
            (sentence, item.segment.host)
            for item in evidence.items
            for sentence in single_sentences(item.segment)
        ]
        hosts = np.array([host for _, host in witnesses])
        likeness = self._index.similarity(
            [quote.text for quote in quotes], [sentence for sentence, _ in witnesses]
        )
        counts = np.zeros(len(quotes))
        for host in sorted(set(hosts)):
            best = likeness[:, hosts == host].max(axis=1)
            degree = np.clip((best - LIKE[0]) / (LIKE[1] - LIKE[0]), 0.0, 1.0)
            counts += np.where(np.array([quote.host for quote in quotes]) == host, 0.0, degree)
        return np.minimum(counts, 3.0)

    def _excludes(
        self, quotes: Sequence[Quote], likeness: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.bool_]:
        """Return which quotes say the same or share a sentence."""
        segments = np.array([quote.segment_id for quote in quotes])
        first = np.array([quote.first for quote in quotes])
        last = np.array([quote.last for quote in quotes])
        shared = (
            (segments[:, None] == segments)
            & (first[:, None] <= last)
            & (first <= last[:, None])
        )
        return np.asarray(shared | (likeness >= _SAME_FACT))

    def _sentence(
        self, row: int, quotes: Sequence[Quote], found: Found, angles: Sequence[Angle]
    ) -> DraftSentence:
        return DraftSentence(
            text=quotes[row].text,
            segment_ids=_support(row, quotes, found.likeness[row]),
            covers={
                angle.angle_id: round(float(chance), 4)
                for angle, chance in zip(angles, found.covers[row], strict=True)
                if chance > 0
            },
        )


def _concepts(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    held = [stems(text) for text in texts]
    vocabulary = {stem: place for place, stem in enumerate(sorted(frozenset().union(*held)))}
    table = np.zeros((len(texts), len(vocabulary)), dtype=bool)
    for row, words in enumerate(held):
        table[row, [vocabulary[word] for word in words]] = True
    return table


def _support(
    row: int, quotes: Sequence[Quote], likeness: npt.NDArray[np.float64]
) -> tuple[str, ...]:
    """Return the quote's own segment, then one per other host that says the same."""
    cited, hosts = [quotes[row].segment_id], {quotes[row].host}
    for other in sorted(range(len(quotes)), key=lambda place: (-likeness[place], quotes[place].text)):
        if len(cited) == _MAX_SUPPORTERS or likeness[other] < _SAME_FACT:
            break
        if quotes[other].host not in hosts:
            cited.append(quotes[other].segment_id)
            hosts.add(quotes[other].host)
    return tuple(cited)


def _covered_share(found: Found, chosen: Sequence[int]) -> float:
    missed = np.prod(1.0 - found.covers[list(chosen)], axis=0)
    return float((found.weights * (1.0 - missed)).sum() / found.weights.sum())


def _main_angle(found: Found, row: int) -> int:
    return int(np.argmax(np.round(found.covers[row] * found.weights, 9)))
