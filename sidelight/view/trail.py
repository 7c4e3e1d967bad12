"""What a topic's trace says about its searches and what became of their hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidelight.schemas.angle import Angle, Coverage, Plan
from sidelight.schemas.segment import document_id_of
from sidelight.view.model import AngleTrail, Left, Removed, Search, Taken, Trail, WebPage
from sidelight.view.report import web_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ELSEWHERE = "taken for another question"


def follow(trace: Mapping[str, Any], sources: Mapping[str, int]) -> Trail:
    """Return the trail of a topic.

    Args:
        trace: By step, as nodes write it.
        sources: By segment id, its number among the sources of the report.
    """
    rounds = _Rounds(trace, sources)
    angles: dict[str, Angle] = {
        angle.angle_id: angle
        for angle in map(Angle.model_validate, trace.get("rubric", {}).get("angles", ()))
    }
    searches: dict[str, list[Search]] = {}
    for number, plan in enumerate(rounds.plans, start=1):
        angles |= {angle.angle_id: angle for angle in plan.angles}
        for query in plan.queries:
            found = rounds.search(number, query.query_id, query.angle_id, query.text)
            searches.setdefault(query.angle_id, []).append(found)
    chances = rounds.coverages[-1].by_angle if rounds.coverages else {}
    return Trail(
        rounds=tuple((coverage.score, coverage.reason) for coverage in rounds.coverages),
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
            Removed(removal["sentence"]["text"], f"{removal['label']}: {removal['reason']}")
            for step in sorted(trace)
            if step.startswith("check-")
            for removal in trace[step]["removed"]
        ),
        refused=tuple(sorted(rounds.refused.items())),
    )


class _Rounds:
    """A trace, round by round."""

    def __init__(self, trace: Mapping[str, Any], sources: Mapping[str, int]) -> None:
        self.plans: list[Plan] = []
        self.coverages: list[Coverage] = []
        self.refused: dict[str, str] = {}
        self._selected: list[dict[str, Any]] = []
        self._hits: dict[str, Sequence[Sequence[Any]]] = {}
        self._pages: dict[str, WebPage] = {}
        self._sources = sources
        number = 1
        while f"round-{number}.plan" in trace:
            self.plans.append(Plan.model_validate(trace[f"round-{number}.plan"]))
            if f"round-{number}.coverage" in trace:
                self.coverages.append(Coverage.model_validate(trace[f"round-{number}.coverage"]))
            selected = trace.get(f"round-{number}.select", {})
            self._selected.append(selected)
            self.refused |= selected.get("refused", {})
            for document_id, page in selected.get("pages", {}).items():
                self._pages[document_id] = web_page(page["url"], page["title"])
            number += 1
        for step, shown in trace.items():
            if ".investigate." in step:
                self._hits |= shown["hits"]

    def search(self, number: int, query_id: str, angle_id: str, text: str) -> Search:
        selected = self._selected[number - 1]
        taken: list[Taken] = []
        left: dict[str, list[str]] = {}
        for rank, (segment_id, _) in enumerate(self._hits.get(query_id, ()), start=1):
            document_id = document_id_of(segment_id)
            relevance = selected.get("taken", {}).get(segment_id, {})
            if angle_id in relevance:
                page, source = self._page(document_id), self._sources.get(segment_id)
                taken.append(Taken(rank, page, relevance[angle_id], source))
            else:
                reason = (
                    self.refused.get(document_id)
                    or (_ELSEWHERE if relevance else None)
                    or selected.get("dropped", {}).get(segment_id, "not read")
                )
                left.setdefault(reason, []).append(document_id)
        return Search(
            round_number=number,
            query=text,
            taken=tuple(taken),
            left=tuple(
                Left(reason, len(found), tuple(self._page(one) for one in dict.fromkeys(found)))
                for reason, found in left.items()
            ),
        )

    def _page(self, document_id: str) -> WebPage:
        return self._pages.get(document_id, WebPage(document_id, "", ""))
