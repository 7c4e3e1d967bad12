"""Write the report without a model: statements of the evidence, chosen under the word budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sidelight.generation.extractive.relevance import relevance
from sidelight.generation.extractive.write_report.answering import Quantities
from sidelight.generation.extractive.write_report.choose import Choices, choose
from sidelight.generation.extractive.write_report.knowledge import Reader
from sidelight.generation.extractive.write_report.quotes import find_quotes
from sidelight.generation.extractive.write_report.worth import told_elsewhere, topicality, weight_of
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text import budget_words
from sidelight.wording import stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.generation.extractive.write_report.quotes import Quote
    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

_MIN_RELEVANCE, _ON_SUBJECT, _MIN_TOPICALITY = 0.15, 0.30, 0.45
_MIN_COVERED = 0.03
_PER_RELEVANCE, _RELEVANCE_POWER = 0.5, 1.5
_SAME_FACT = 0.75


class ExtractiveReportWriter:
    """The role `write_report` without a model.

    Statements are quoted as `statements` makes them stand alone. One cites the segment it comes
    from, then, from other hosts, segments that say the same. What the article says itself is never
    used, unless the same sentence answers it. Where evidence covers next to nothing, the report
    says so: a stray fact would mislead.

    Args:
        sentences: Encodes sentences.
        max_report_words: The track's limit.
        max_citations: The track's limit per sentence.
        nothing_found: What to return where evidence covers next to nothing.
    """

    def __init__(
        self,
        sentences: TextVectors,
        max_report_words: int,
        max_citations: int,
        nothing_found: DraftReport,
    ) -> None:
        self._sentences = sentences
        self._max_words = max_report_words
        self._max_citations = max_citations
        self._nothing_found = nothing_found

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the chosen statements, grouped by angle in the order of `angles`.

        The reserve is what another report of the same length would add, in the order of choosing.
        """
        reader = Reader(profile)
        quotes = find_quotes(profile, evidence, reader, self._sentences)
        if not quotes or not angles:
            return self._nothing_found
        texts = [quote.text for quote in quotes]
        windows = [quote.window for quote in quotes]
        topical = topicality(texts, profile, self._sentences)
        scores = relevance(texts, windows, angles, profile, self._sentences)
        about_nobody = np.array([not angle.must_mention for angle in angles])
        scores[np.ix_(topical < _ON_SUBJECT, about_nobody)] = 0.0
        kept = np.flatnonzero((scores.max(axis=1) >= _MIN_RELEVANCE) | (topical >= _MIN_TOPICALITY))
        if not len(kept):
            return self._nothing_found
        quotes = [quotes[row] for row in kept]
        choices = self._choices(
            quotes, scores[kept], topical[kept], angles, evidence, reader, Quantities(profile)
        )
        chosen = choose(choices, self._max_words)
        if _covered_share(choices, chosen) < _MIN_COVERED:
            return self._nothing_found
        reserve = choose(choices, 2 * self._max_words, standing=chosen)
        chosen.sort(key=lambda row: (_main_angle(choices, row), *quotes[row][1:4]))
        return DraftReport(
            sentences=tuple(self._sentence(row, quotes, choices, angles) for row in chosen),
            reserve=tuple(self._sentence(row, quotes, choices, angles) for row in reserve),
        )

    def _choices(
        self,
        quotes: Sequence[Quote],
        scores: npt.NDArray[np.float64],
        topical: npt.NDArray[np.float64],
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        reader: Reader,
        quantities: Quantities,
    ) -> Choices:
        texts = [quote.text for quote in quotes]
        weights = np.array([angle.weight for angle in angles])
        hosts = told_elsewhere(quotes, evidence, self._sentences)
        weight = weight_of(texts, hosts, reader, quantities)
        likeness = self._sentences.similarity(texts, texts)
        return Choices(
            words=np.array([budget_words(text) for text in texts], dtype=np.int64),
            covers=1.0 - np.exp(-_PER_RELEVANCE * scores**_RELEVANCE_POWER * weight[:, None]),
            weights=weights,
            worth=topical * weight,
            likeness=likeness,
            concepts=_concepts(texts),
            excludes=_share_a_sentence(quotes) | (likeness >= _SAME_FACT),
        )

    def _sentence(
        self, row: int, quotes: Sequence[Quote], choices: Choices, angles: Sequence[Angle]
    ) -> DraftSentence:
        return DraftSentence(
            text=quotes[row].text,
            segment_ids=_support(row, quotes, choices.likeness[row], self._max_citations),
            covers={
                angle.angle_id: round(float(chance), 4)
                for angle, chance in zip(angles, choices.covers[row], strict=True)
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


def _share_a_sentence(quotes: Sequence[Quote]) -> npt.NDArray[np.bool_]:
    segments = np.array([quote.segment_id for quote in quotes])
    first = np.array([quote.first for quote in quotes])
    last = np.array([quote.last for quote in quotes])
    overlap = (first[:, None] <= last) & (first <= last[:, None])
    return np.asarray((segments[:, None] == segments) & overlap)


def _support(
    row: int, quotes: Sequence[Quote], likeness: npt.NDArray[np.float64], most: int
) -> tuple[str, ...]:
    """Return the quote's own segment, then one per other host that says the same, `most` in all."""
    cited, hosts = [quotes[row].segment_id], {quotes[row].host}
    ranked = sorted(range(len(quotes)), key=lambda other: (-likeness[other], quotes[other].text))
    for other in ranked:
        if len(cited) == most or likeness[other] < _SAME_FACT:
            break
        if quotes[other].host not in hosts:
            cited.append(quotes[other].segment_id)
            hosts.add(quotes[other].host)
    return tuple(cited)


def _covered_share(choices: Choices, chosen: Sequence[int]) -> float:
    missed = np.prod(1.0 - choices.covers[list(chosen)], axis=0)
    return float((choices.weights * (1.0 - missed)).sum() / choices.weights.sum())


def _main_angle(choices: Choices, row: int) -> int:
    return int(np.argmax(np.round(choices.covers[row] * choices.weights, 9)))
