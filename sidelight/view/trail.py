"""Search trail of a topic: its queries, and what became of their hits, from the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.schemas.segment import document_id_of
from sidelight.view.report import WebPage, web_page
from sidelight.view.trail_model import AngleTrail, Left, Removed, Search, Taken, Trail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle, PlannedQuery
    from sidelight.schemas.investigation.evidence import Hit
    from sidelight.schemas.investigation.trace import Round, Trace

_LABELS = {"none": "not supported", "partial": "supported in part", "unfit": "unfit for a report"}
_ELSEWHERE = "taken for another question"


def follow(trace: Trace, sources: Mapping[str, int]) -> Trail:
    """Return the trail of a topic.

    Args:
        trace: What was done.
        sources: By segment id, its number among the sources of the report.
    """
    rounds = _Rounds(trace.rounds.values(), sources)
    angles: dict[str, Angle] = {angle.angle_id: angle for angle in trace.rubric or ()}
    searches: dict[str, list[Search]] = {}
    for round_ in trace.rounds.values():
        if round_.plan is not None:
            angles |= {angle.angle_id: angle for angle in round_.plan.angles}
            for query in round_.plan.queries:
                searches.setdefault(query.angle_id, []).append(rounds.search(round_, query))
    coverages = [one.coverage for one in trace.rounds.values() if one.coverage is not None]
    chances = coverages[-1].by_angle if coverages else {}
    return Trail(
        rounds=tuple(coverage.score for coverage in coverages),
        angles=tuple(
            AngleTrail(
                question=angle.question,
                aspect=angle.aspect,
                weight=angle.weight,
                chance=chances.get(angle.angle_id),
                searches=tuple(searches.get(angle.angle_id, ())),
            )
            for angle in sorted(angles.values(), key=lambda angle: -angle.weight)
        ),
        removed=tuple(
            Removed(
                removal.sentence.text,
                f"{_LABELS.get(removal.label, removal.label)}: {removal.reason}",
            )
            for removed in trace.checks.values()
            for removal in removed
        ),
        refused=tuple(sorted(rounds.refused.items())),
    )


class _Rounds:
    """What became of the hits of each search, with what all rounds know about pages."""

    def __init__(self, rounds: Iterable[Round], sources: Mapping[str, int]) -> None:
        self.refused: dict[str, str] = {}
        self._pages: dict[str, WebPage] = {}
        self._sources = sources
        for selected in (one.selected for one in rounds if one.selected is not None):
            self.refused |= selected.refused
            self._pages |= {
                document_id: web_page(page.url, page.title)
                for document_id, page in selected.pages.items()
            }

    def search(self, round_: Round, query: PlannedQuery) -> Search:
        taken: list[Taken] = []
        left: dict[str, list[str]] = {}
        for rank, hit in enumerate(_hits(round_, query.query_id), start=1):
            document_id = document_id_of(hit.segment_id)
            relevance = round_.selected.taken.get(hit.segment_id, {}) if round_.selected else {}
            if query.angle_id in relevance:
                page, source = self._page(document_id), self._sources.get(hit.segment_id)
                taken.append(Taken(rank, page, relevance[query.angle_id], source))
            else:
                dropped = round_.selected.dropped if round_.selected else {}
                reason = (
                    self.refused.get(document_id)
                    or (_ELSEWHERE if relevance else None)
                    or dropped.get(hit.segment_id, "not read")
                )
                left.setdefault(reason, []).append(document_id)
        return Search(
            round_number=query.round_number,
            query=query.text,
            taken=tuple(taken),
            left=tuple(
                Left(reason, len(found), tuple(self._page(one) for one in dict.fromkeys(found)))
                for reason, found in left.items()
            ),
        )

    def _page(self, document_id: str) -> WebPage:
        return self._pages.get(document_id, WebPage(document_id, "", ""))


def _hits(round_: Round, query_id: str) -> Sequence[Hit]:
    """Return what a search of a round brought, best first."""
    found = (one.hits[query_id] for one in round_.searched.values() if query_id in one.hits)
    return next(found, ())
