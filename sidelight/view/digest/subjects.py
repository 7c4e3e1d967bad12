"""Which subject each sentence of a report is on, and the report in paragraphs by subject."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.schemas.investigation.angle import Aspect
from sidelight.view.digest.model import Paragraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle
    from sidelight.view.cited import Sentence
    from sidelight.view.digest.article import Told
    from sidelight.view.digest.likeness import Likeness

PUBLISHER, AUTHOR = "Who publishes it", "Who wrote it"
CLAIMS, RELIED_ON, AROUND = "What it claims", "Whom it relies on", "The wider picture"
_BY_ASPECT = {
    Aspect.PUBLISHER: PUBLISHER,
    Aspect.AUTHOR: AUTHOR,
    Aspect.CLAIM: CLAIMS,
    Aspect.FIGURE: CLAIMS,
    Aspect.SOURCE: RELIED_ON,
    Aspect.CONTEXT: AROUND,
    Aspect.VIEWPOINT: AROUND,
}
_ORDER = (PUBLISHER, AUTHOR, CLAIMS, RELIED_ON, AROUND)
# What begins so is about what the sentence before it is about.
_GOES_ON = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those)\b")
_LEAST_CHANCE = 0.1
_LEAST_ALIKE = 1.0


class Subjects:
    """Says what a sentence of a report is on.

    Args:
        told: The article.
        angles: What was asked, by id.
        covers: By the text of a sentence, the chance that it answers each angle.
        likeness: Compares it with sentences of the article where nobody knows what it answers.
    """

    def __init__(
        self,
        told: Told,
        angles: Mapping[str, Angle],
        covers: Mapping[str, Mapping[str, float]],
        likeness: Likeness,
    ) -> None:
        self._told = told
        self._likeness = likeness
        self._angles = angles
        self._covers = covers

    def of(self, texts: Iterable[str]) -> list[str]:
        """Return the subject of each sentence of a report."""
        found: list[str] = []
        for text in texts:
            before = found[-1] if found else AROUND
            found.append(before if _GOES_ON.match(text) and found else self._subject(text, before))
        return found

    def _subject(self, text: str, before: str) -> str:
        named = {
            PUBLISHER: self._told.names_publisher(text),
            AUTHOR: self._told.names_author(text),
        }
        places = {subject: place for subject, place in named.items() if place is not None}
        if places:
            return min(places, key=lambda subject: places[subject])
        chances: dict[str, float] = {}
        for angle_id, chance in self._covers.get(text, {}).items():
            if angle_id in self._angles and chance >= _LEAST_CHANCE:
                subject = _BY_ASPECT[self._angles[angle_id].aspect]
                chances[subject] = max(chance, chances.get(subject, 0.0))
        if not chances and self._covers:
            return before
        if not chances:
            alike = (self._likeness.between(text, said) for said in self._told.sentences)
            return CLAIMS if max(alike, default=0.0) >= _LEAST_ALIKE else AROUND
        return max(chances, key=lambda subject: (chances[subject], -_ORDER.index(subject)))


def paragraphs(sentences: Sequence[Sentence], subjects: Sequence[str]) -> tuple[Paragraph, ...]:
    """Return a report by subject; a subject has the place of its first sentence."""
    grouped: dict[str, list[Sentence]] = {}
    for sentence, subject in zip(sentences, subjects, strict=True):
        grouped.setdefault(subject, []).append(sentence)
    return tuple(Paragraph(subject, tuple(group)) for subject, group in grouped.items())
