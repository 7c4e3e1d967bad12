"""Write the report without a model: whole sentences of the evidence, composed under the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.generation.compose import Candidate, chances_missed, compose
from sidelight.generation.extractive.quotable import quotable_sentences
from sidelight.generation.extractive.relevance import relevance
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text import sentences, shingles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.schemas.investigation.profile import ArticleProfile
    from sidelight.text_vectors import TextVectors

_MIN_RELEVANCE = 0.15
_RESTATED = 0.82
_MIN_COVERED = 0.03
_SAME_FACT = 0.80
_COPIED = 0.5


class ExtractiveReportWriter:
    """The role `write_report` without a model.

    Sentences are quoted as they stand. A sentence cites the segment it comes from, then, from other
    hosts, segments that say the same. What the article says itself is never used. Where evidence
    covers next to nothing, the report says so: a stray fact would mislead.

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
        """Return the composed sentences, grouped by angle in the order of `angles`.

        The reserve is what another report of the same length would add, in composing order.
        """
        candidates = self._candidates(profile, angles, evidence)
        weights = {angle.angle_id: angle.weight for angle in angles}
        chosen = compose(candidates, weights, self._max_words, self._say_the_same)
        if _covered_share(chosen, weights) < _MIN_COVERED:
            return self._nothing_found
        rest = [item for item in candidates if item not in chosen]
        reserve = compose(rest, weights, 2 * self._max_words, self._say_the_same, standing=chosen)
        place = {angle.angle_id: number for number, angle in enumerate(angles)}
        chosen.sort(key=lambda item: place[_main_angle(item, weights)])
        return DraftReport(
            sentences=tuple(self._sentence(item, candidates) for item in chosen),
            reserve=tuple(self._sentence(item, candidates) for item in reserve),
        )

    def _sentence(self, chosen: Candidate, candidates: Sequence[Candidate]) -> DraftSentence:
        return DraftSentence(
            text=chosen.text,
            segment_ids=self._support(chosen, candidates),
            covers=dict(chosen.covers),
        )

    def _candidates(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> list[Candidate]:
        copied = shingles(profile.body)
        sources: dict[str, tuple[str, str]] = {}
        for segment in (item.segment for item in evidence.items):
            for sentence in quotable_sentences(segment.text):
                own = shingles(sentence)
                if len(own & copied) < _COPIED * len(own):
                    sources.setdefault(sentence, (segment.segment_id, segment.host))
        texts = self._without_restatements(profile, list(sources))
        scores = relevance(texts, angles, profile, self._sentences)
        return [
            Candidate(
                text=text, covers=covers, host=sources[text][1], segment_ids=sources[text][:1]
            )
            for text, row in zip(texts, scores, strict=True)
            if (
                covers := {
                    angle.angle_id: float(score)
                    for angle, score in zip(angles, row, strict=True)
                    if score >= _MIN_RELEVANCE
                }
            )
        ]

    def _without_restatements(self, profile: ArticleProfile, texts: list[str]) -> list[str]:
        """Leave out what the article says itself: repeating it is no context."""
        likeness = self._sentences.similarity(texts, sentences(profile.body))
        return [
            text for text, row in zip(texts, likeness, strict=True) if not (row >= _RESTATED).any()
        ]

    def _say_the_same(self, first: Candidate, second: Candidate) -> bool:
        return bool(self._sentences.similarity([first.text], [second.text])[0, 0] >= _SAME_FACT)

    def _support(self, chosen: Candidate, candidates: Sequence[Candidate]) -> tuple[str, ...]:
        """Return the candidate's own segment, then one per other host that says the same."""
        cited, hosts = list(chosen.segment_ids), {chosen.host}
        others = [item for item in candidates if item.host != chosen.host]
        likeness = self._sentences.similarity([chosen.text], [item.text for item in others])[0]
        for distance, item in sorted(
            zip(-likeness, others, strict=True), key=lambda pair: (float(pair[0]), pair[1].text)
        ):
            if len(cited) == self._max_citations or -distance < _SAME_FACT:
                break
            if item.host not in hosts:
                cited.extend(item.segment_ids)
                hosts.add(item.host)
        return tuple(cited)


def _covered_share(chosen: Sequence[Candidate], weights: dict[str, float]) -> float:
    missed = chances_missed(weights, (item.covers for item in chosen))
    covered = sum(weight * (1.0 - missed[angle]) for angle, weight in weights.items())
    return covered / sum(weights.values())


def _main_angle(candidate: Candidate, weights: dict[str, float]) -> str:
    return max(
        candidate.covers, key=lambda angle: (candidate.covers[angle] * weights[angle], angle)
    )
