"""The first screen of a topic, out of its report and what a run recorded on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.article import Article
from sidelight.schemas.investigation.trace import Trace
from sidelight.view.digest.answers import answers
from sidelight.view.digest.article import angles_of
from sidelight.view.digest.likeness import Likeness
from sidelight.view.digest.model import Digest, Paragraph
from sidelight.view.digest.origin import Origins
from sidelight.view.digest.subjects import Subjects, paragraphs
from sidelight.view.digest.table import Table
from sidelight.view.report import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sidelight.schemas.segment import Segment
    from sidelight.view.cited import Sentence, Source
    from sidelight.view.digest.article import Told
    from sidelight.view.shown_run import Made


def digest(
    made: Made, told: Told | None, sentences: Sequence[Sentence], sources: Iterable[Source]
) -> Digest:
    """Return the first screen of a topic.

    Args:
        made: What the run made of it.
        told: The article; None where the topic is none.
        sentences: The report.
        sources: What it cites.
    """
    trace = made.trace or Trace()
    angles = angles_of(trace)
    covers = _covers(trace)
    texts = [sentence.text for sentence in sentences]
    found = answers(made.questions, texts, angles, covers)
    if told is None:
        return Digest(None, (), (Paragraph("", tuple(sentences)),) if sentences else (), found)
    likeness = Likeness(
        [*told.sentences, told.title], ignored=" ".join([told.publisher, *told.authors])
    )
    subjects = Subjects(told, angles, covers, likeness).of(texts)
    table = Table(told, sentences, subjects, angles, covers, likeness)
    claims = {
        claim.model_dump_json(): claim
        for round_ in trace.rounds.values()
        if round_.selected is not None
        for claim in round_.selected.claims
    }
    lead, rows = table.make(list(claims.values()), _finder(made, sources))
    return Digest(lead, rows, paragraphs(sentences, subjects), found)


def _covers(trace: Trace) -> dict[str, Mapping[str, float]]:
    return {
        sentence.text: sentence.covers for draft in trace.drafts() for sentence in draft.sentences
    }


def _finder(made: Made, sources: Iterable[Source]) -> Callable[[str], Source | None]:
    """Return what finds a source by segment id, also one that the report does not cite."""
    cited = {source.segment_id: source for source in sources}
    known: dict[str, Segment] = {segment.segment_id: segment for segment in made.evidence}
    host = made.topic.host if isinstance(made.topic, Article) else ""
    origins = Origins(made.evidence, host)

    def find(segment_id: str) -> Source | None:
        if segment_id in cited:
            return cited[segment_id]
        segment = known.get(segment_id)
        return None if segment is None else source_of(segment, origins, 0, ())

    return find
