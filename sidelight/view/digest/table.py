"""What an article says beside what others say, and the three lines that lead to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.view.digest.model import Finding, Lead, Row
from sidelight.view.digest.subjects import AUTHOR, CLAIMS, PUBLISHER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.schemas.investigation.evidence import FoundClaim
    from sidelight.view.cited import Sentence, Source
    from sidelight.view.digest.article import Told
    from sidelight.view.digest.likeness import Likeness

_MOST_FINDINGS = 6  # in the table: it has to fit on a screen
_MOST_ON_PEOPLE = 2
_LEAST_ALIKE = 1.3
_STATED_ALIKE = 1.0  # where somebody read that a source speaks against a statement
_HEADLINE = "headline"


class _Pair(NamedTuple):
    """A finding, the sentence of the article that it is about, and how sure that is."""

    says: str
    finding: Finding
    score: float


class Table:
    """Makes the table and the lead of an article.

    Args:
        told: The article.
        sentences: The report.
        subjects: Of each of its sentences.
        angles: What was asked, by id.
        covers: By the text of a sentence, the chance that it answers each angle.
        likeness: Compares findings with sentences of the article.
    """

    def __init__(
        self,
        told: Told,
        sentences: Sequence[Sentence],
        subjects: Sequence[str],
        angles: Mapping[str, Angle],
        covers: Mapping[str, Mapping[str, float]],
        likeness: Likeness,
    ) -> None:
        self._told = told
        self._said = told.sentences
        self._by_subject: dict[str, list[Sentence]] = {}
        for sentence, subject in zip(sentences, subjects, strict=True):
            if sentence.citations:
                self._by_subject.setdefault(subject, []).append(sentence)
        self._angles = angles
        self._covers = covers
        self._likeness = likeness

    def make(
        self, claims: Sequence[FoundClaim], find: Callable[[str], Source | None]
    ) -> tuple[Lead, tuple[Row, ...]]:
        """Return lead and table.

        Args:
            claims: What somebody who read the sources found stated in them.
            find: Returns the source of a segment id, if it is known.
        """
        pairs = self._pairs()
        lead = Lead(self._origin(), self._behind(), self._main(pairs))
        pairs += self._against(claims, find)
        rows = self._who_rows(lead)
        left = _MOST_FINDINGS - sum(len(row.findings) for row in rows)
        return lead, (*rows, *_claim_rows(pairs, lead.claim)[:left])

    def _origin(self) -> str:
        outlet = self._told.publisher or "An unnamed publisher"
        when = f" on {self._told.date}" if self._told.date else ""
        names = _listed(self._told.authors)
        wrote = f"{names} wrote it" if names else "it names no author"
        return f"{outlet} published this{when}; {wrote}."

    def _behind(self) -> Finding | None:
        """Return what was found about publisher or author that answers the weightiest question."""
        found = [*self._by_subject.get(PUBLISHER, ()), *self._by_subject.get(AUTHOR, ())]
        return _finding(max(found, key=self._worth)) if found else None

    def _worth(self, sentence: Sentence) -> float:
        return max(
            (
                chance * self._angles[angle_id].weight
                for angle_id, chance in self._covers.get(sentence.text, {}).items()
                if angle_id in self._angles
            ),
            default=0.0,
        )

    def _main(self, pairs: Sequence[_Pair]) -> Finding | None:
        """Return the finding that speaks most plainly to the headline."""
        scores = {
            pair.finding.text: pair.score
            + self._likeness.between(pair.finding.text, self._told.title)
            + self._likeness.between(pair.says, self._told.title)
            + self._covers.get(pair.finding.text, {}).get(_HEADLINE, 0.0)
            for pair in pairs
            if pair.finding.number in {one.number for one in self._by_subject.get(CLAIMS, ())}
        }
        by_text = {pair.finding.text: pair.finding for pair in pairs}
        if scores:
            return by_text[max(scores, key=lambda text: scores[text])]
        found = self._by_subject.get(CLAIMS)
        return _finding(found[0]) if found else None

    def _who_rows(self, lead: Lead) -> list[Row]:
        """Return a row on the publisher and one on the author, without what the lead says."""
        told = {lead.behind.number} if lead.behind else set()
        rows = []
        for subject, says in ((PUBLISHER, self._told.publisher), (AUTHOR, self._about_author())):
            found = [_finding(one) for one in self._by_subject.get(subject, ())]
            fresh = [one for one in found if one.number not in told] or found
            if says and fresh:
                rows.append(Row(subject, says, tuple(fresh[:_MOST_ON_PEOPLE])))
        return rows

    def _about_author(self) -> str:
        """Return how the article presents its author, or the name."""
        for text in (*self._said[::-1], *self._said):
            if self._told.names_author(text) is not None:
                return text
        return f"By {_listed(self._told.authors)}" if self._told.authors else ""

    def _pairs(self) -> list[_Pair]:
        """Return each finding with the sentence of the article that it has most in common with."""
        pairs = []
        for subject, sentences in self._by_subject.items():
            for sentence in sentences if subject not in {PUBLISHER, AUTHOR} else ():
                says, score = self._nearest(sentence.text, self._covers.get(sentence.text, {}))
                if score >= _LEAST_ALIKE:
                    pairs.append(_Pair(says, _finding(sentence), score))
        return pairs

    def _nearest(self, text: str, covers: Mapping[str, float]) -> tuple[str, float]:
        asked = {
            self._angles[angle_id].question: chance
            for angle_id, chance in covers.items()
            if angle_id in self._angles
        }
        best, most = "", 0.0
        for said in self._said:
            alike = self._likeness.between(text, said)
            if alike:
                # A question may quote the sentence that it asks about.
                alike += (
                    max((chance for one, chance in asked.items() if said in one), default=0.0) / 2
                )
            if alike > most:
                best, most = said, alike
        return best, most

    def _against(
        self, claims: Sequence[FoundClaim], find: Callable[[str], Source | None]
    ) -> list[_Pair]:
        """Return what sources were read to say against the article."""
        pairs = []
        for claim in claims:
            says, score = self._nearest(claim.against, {}) if claim.against else ("", 0.0)
            sources = tuple(one for one in map(find, claim.segment_ids) if one is not None)
            if score >= _STATED_ALIKE and sources:
                finding = Finding(claim.text, None, claim.speaker, sources)
                pairs.append(_Pair(says, finding, score))
        return pairs


def _claim_rows(pairs: Sequence[_Pair], first: Finding | None) -> list[Row]:
    """Return a row for each sentence of the article, with its surest finding.

    Args:
        pairs: Findings and what they are about.
        first: The finding whose row comes first; the surest one comes next.
    """
    best: dict[str, _Pair] = {}
    for pair in sorted(pairs, key=lambda pair: (pair.finding != first, -pair.score)):
        best.setdefault(pair.says, pair)
    return [Row(CLAIMS, pair.says, (pair.finding,)) for pair in best.values()]


def _finding(sentence: Sentence) -> Finding:
    named = {one.source.segment_id: one.source for one in sentence.citations if one.supports}
    return Finding(sentence.text, sentence.number, "", tuple(named.values()))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
