"""Report writer without a model: findings of the evidence, scored, chosen and put in order.

Each finding is worth so much, by a small model over features of its text, its page and the article
(`usefulness`). Findings are chosen greedily under the word budget; what says much the same as a
chosen one adds less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from sidelight.generation.compose import NOTHING_FOUND, nothing_told
from sidelight.generation.extractive import usefulness
from sidelight.generation.extractive.findings import Finding, find_findings
from sidelight.generation.extractive.known import Known, Page, outlet_name, read_pages
from sidelight.generation.extractive.select import relevance, window_of
from sidelight.generation.extractive.usefulness import Described, Features, Floats, Usefulness
from sidelight.generation.pages import (
    Origin,
    Origins,
    source_line,
    tells_decision,
    without_source,
)
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftReport, DraftSentence, Unused
from sidelight.schemas.segment import document_id_of
from sidelight.text import budget_words, numbers
from sidelight.text_vectors import TextVectors

# Cosines of all-MiniLM-L6-v2 between findings: from "on the same matter" to "the same fact".
_SIMILAR, _THE_SAME = 0.60, 0.80
# What is worth less is not told: a shorter report is the better one. On development webs, each left
# out of the fit, up to .30 would tell as much; a topic with few pages needs what is worth less.
_LEAST = 0.05
# An answer to a narrative has room for what is alike to some degree, and is to use it: of two
# findings of like worth the shorter goes first.
_SIMILAR_ANSWERS, _LENGTH_POWER_OF_ANSWER = 0.65, 0.6
_RESERVE = 12
_READ = 250  # sentences of a topic that are parsed, and those around them


class ExtractiveReportWriter:
    """The role `write_report` without a model."""

    def __init__(self, sentences: TextVectors, max_report_words: int, max_citations: int) -> None:
        self._vectors = sentences
        self._max_words = max_report_words
        self._max_citations = max_citations
        self._usefulness = Usefulness.load()

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the chosen findings in reading order; the next best are its reserve."""
        findings, found, speaks, unused = read_findings(profile, angles, evidence, self._vectors)
        stray = set(unused.values()) == {"elsewhere"}
        nothing = NOTHING_FOUND if stray else nothing_told(evidence)
        # A narrative without an answer is answered by whoever asked for one.
        words = sum(budget_words(sentence.text) for sentence in nothing.sentences)
        if not (profile.title or profile.body) or words > self._max_words:
            nothing = DraftReport(sentences=())
        if not findings:
            return nothing.model_copy(update={"unused": unused})
        answers = not profile.body
        worth = self._usefulness.worth(found, of_article=not answers)
        telling = {
            one.segment_id
            for finding, its_worth in zip(findings, worth, strict=True)
            if its_worth >= _LEAST
            for one in finding.page.segments
        }
        unused = {
            one: "little" if why == "outdone" and one not in telling else why
            for one, why in unused.items()
        }
        texts = [one.text for one in findings]
        alike = self._vectors.similarity(texts, texts)
        sources = [_source_before(one) * (not answers) for one in findings]
        chosen, waiting = choose(
            findings, worth, alike, self._max_words, sources, fills_room=answers
        )
        if not chosen:
            return nothing.model_copy(update={"unused": unused})
        drafts = {
            row: self._drafts(row, findings, alike, angles, speaks, worth)
            for row in (*chosen, *waiting)
        }
        # The page chosen first comes first, and its findings as they stand on it; what answers a
        # narrative follows its parts.
        pages = [findings[row].page for row in chosen]
        chosen.sort(
            key=lambda row: (
                int(speaks[row].argmax()) if answers else 0,
                pages.index(findings[row].page),
                not findings[row].decides,
                findings[row].units[0].number,
            )
        )
        told = {text for row in chosen for text in findings[row].texts}
        draft = DraftReport(
            sentences=tuple(draft for row in chosen for draft in drafts[row]),
            reserve=tuple(
                draft
                for row in waiting
                for draft in drafts[row]
                if len(drafts[row]) == 1 and draft.text not in told
            ),
            unused=unused,
        )
        return draft if answers else with_sources(draft, evidence, profile)

    def _drafts(
        self,
        row: int,
        findings: Sequence[Finding],
        alike: Floats,
        angles: Sequence[Angle],
        speaks: Floats,
        worth: Floats,
    ) -> list[DraftSentence]:
        cited = _citations(row, findings, alike, self._max_citations)
        covers = {
            angle.angle_id: round(float(covered), 4)
            for angle, share in zip(angles, speaks[row], strict=True)
            if (covered := share * worth[row]) > 0.01
        }
        return [
            DraftSentence(text=text, segment_ids=cited, covers=covers)
            for text in findings[row].texts
        ]


def with_sources(draft: DraftReport, evidence: EvidenceSet, profile: ArticleProfile) -> DraftReport:
    """Return a report in which the first sentence of each page begins with its source.

    What follows is told from the same page, up to the next source: a reader can place it. Sentences
    in reserve each begin with theirs.
    """
    segments = {item.segment.segment_id: item.segment for item in evidence.items}
    origins = Origins(segments.values(), profile.host, profile.publisher)

    def led(one: DraftSentence, before: str) -> tuple[DraftSentence, str]:
        segment = segments.get(next(iter(one.segment_ids), ""))
        page = document_id_of(segment.segment_id) if segment else ""
        text = without_source(one.text)
        if segment and page != before:
            origin = origins.of(segment)
            line = source_line(origin, segment.title)
            text = text if _names_source(text, origin) else f"{line}{text}"
        return one.model_copy(update={"text": text}), page

    told, page = [], ""
    for one in draft.sentences:
        sentence, page = led(one, page)
        told.append(sentence)
    reserve = tuple(led(one, "")[0] for one in draft.reserve)
    return draft.model_copy(update={"sentences": tuple(told), "reserve": reserve})


def _source_before(one: Finding) -> str:
    """Return what stands before a finding that is the first of its page."""
    is_named = _names_source(one.text, one.page.origin)
    return "" if is_named else source_line(one.page.origin, one.page.title)


def _names_source(text: str, origin: Origin) -> bool:
    """Tell whether a text says itself who decided what."""
    return bool(origin.name) and tells_decision(text) and text.startswith(origin.name)


class Read(NamedTuple):
    """What was read for a topic; `speaks` is relevance to each angle, `(n, angles)`, in [0, 1].

    `unused` says by segment id why what is not told is not.
    """

    findings: list[Finding]
    features: Described
    speaks: Floats
    unused: dict[str, Unused]


# What was read last for a topic, which has its own vectors: questions and report rest on the same.
_LAST: WeakKeyDictionary[TextVectors, tuple[object, Read]] = WeakKeyDictionary()


def read_findings(
    profile: ArticleProfile,
    angles: Sequence[Angle],
    evidence: EvidenceSet,
    vectors: TextVectors,
) -> Read:
    """Return the findings of some evidence, their features, and how they speak to each angle."""
    asked = (profile, tuple(angles), tuple(evidence.segment_ids().values()))
    if (last := _LAST.get(vectors)) and last[0] == asked:
        return last[1]
    profile = profile.model_copy(update={"publisher": outlet_name(profile, evidence)})
    known = Known(profile, vectors)
    pages = read_pages(evidence, profile)
    wanted = _worth_reading(pages, angles, vectors)
    by_text: dict[str, Finding] = {}
    unused: dict[str, Unused] = dict.fromkeys(evidence.segment_ids().values(), "elsewhere")
    if known.sentences and not any(map(known.tells_of_it, pages)):
        pages = []  # the searches found whatever there is
    for page in pages:
        told = {one.text: one for one in find_findings(page, known, wanted)}
        why: Unused = "outdone" if told else known.why_unused(page) or "no statement"
        if why == "no statement" and wanted.isdisjoint(page.lines):
            why = "unread"
        unused |= dict.fromkeys((one.segment_id for one in page.segments), why)
        by_text |= told
    findings = list(by_text.values())
    window_by_id = {item.segment.segment_id: window_of(item.segment) for item in evidence.items}

    def describe(some: list[Finding]) -> tuple[list[Features], Floats]:
        windows = [window_by_id[one.segment_id] for one in some]
        speaks = relevance([one.text for one in some], windows, angles, profile, vectors)
        return usefulness.features(some, known, angles, speaks, pages, vectors), speaks

    read = Read([], Described([], [], []), np.zeros((0, len(angles))), unused)
    if findings:
        sentences = {part.text: part for one in findings for part in one.sentences}
        row_of = {text: row for row, text in enumerate(sentences)}
        of = [[row_of[part.text] for part in one.sentences] for one in findings]
        whole, speaks = describe(findings)
        each, _ = describe([*sentences.values()])
        read = Read(findings, Described(whole, each, of), speaks, unused)
    _LAST[vectors] = (asked, read)
    return read


def _worth_reading(
    pages: Sequence[Page], angles: Sequence[Angle], vectors: TextVectors
) -> frozenset[str]:
    """Return the sentences that come nearest to some angle: parsing is what takes time."""
    lines = list(dict.fromkeys(line for page in pages for line in page.lines))
    asked = [text for angle in angles for text in (angle.question, angle.query)]
    if not lines or not asked:
        return frozenset()
    nearest = vectors.similarity(lines, asked).max(axis=1)
    ranked = sorted(range(len(lines)), key=lambda row: (-nearest[row], row))
    return frozenset(lines[row] for row in ranked[:_READ])


def choose(
    findings: Sequence[Finding],
    worth: Floats,
    alike: Floats,
    max_words: int,
    sources: Sequence[str],
    *,
    fills_room: bool,
) -> tuple[list[int], list[int]]:
    """Return the rows chosen within the budget by their worth, and the next best, in that order.

    `sources` stand before the first sentence of a page, and take room, too. A budget that
    `fills_room` is there to be used: what is short counts yet more, and what is alike to several
    chosen ones, by the cosines of the findings with each other, no less than what is alike to one.
    """
    words = np.array([sum(map(budget_words, one.texts)) for one in findings])
    similar = _SIMILAR_ANSWERS if fills_room else _SIMILAR
    costs = words**_LENGTH_POWER_OF_ANSWER if fills_room else np.ones(len(findings))
    same = np.clip((alike - similar) / (_THE_SAME - similar), 0.0, 1.0)
    # What a page decides is told before the rest of it: one point of a ruling alone would mislead.
    # Of several corrections the first begins with what was printed.
    decisions = {one.page: row for row, one in [*enumerate(findings)][::-1] if one.decides}
    left, new = max_words, np.ones(len(findings))
    open_ = worth >= _LEAST
    chosen: list[int] = []
    waiting: list[int] = []
    while open_.any() and len(waiting) < _RESERVE:
        adds = worth * new
        gains = np.where(open_, np.round(adds / costs, 9), -1.0)
        row = int(np.argmax(gains))
        decision = decisions.get(findings[row].page)
        row = row if decision is None or not open_[decision] else decision
        open_[row] = False
        if adds[row] < _LEAST / 2:
            continue
        is_begun = any(findings[row].page is findings[one].page for one in chosen)
        length = int(words[row]) + (0 if is_begun else budget_words(sources[row]))
        if length > left:
            waiting.append(row)
            if row == decision:  # what such a page concedes would stand alone
                open_ &= [one.page is not findings[row].page for one in findings]
            continue
        chosen.append(row)
        left -= length
        new = np.minimum(new, 1.0 - same[row]) if fills_room else new * (1.0 - same[row])
        for other, finding in enumerate(findings):
            if _overlap(finding, findings[row]):
                open_[other] = False
    return chosen, waiting


def _overlap(one: Finding, other: Finding) -> bool:
    """Tell whether two findings, of one page or of two, hold the same sentence."""
    said, again = ({unit.sentence.text for unit in each.units} for each in (one, other))
    return not said.isdisjoint(again)


def _citations(row: int, findings: Sequence[Finding], alike: Floats, most: int) -> tuple[str, ...]:
    """Return the finding's own segment and, unless it is attributed, one per site that agrees."""
    own = findings[row]
    cited, sites = [own.segment_id], {own.page.site}
    if "according to" in own.text:
        return tuple(cited)
    for other in sorted(range(len(findings)), key=lambda place: (-alike[row, place], place)):
        if len(cited) == most or alike[row, other] < _THE_SAME:
            break
        finding = findings[other]
        if finding.page.site not in sites and numbers(own.text) <= numbers(finding.text):
            cited.append(finding.segment_id)
            sites.add(finding.page.site)
    return tuple(cited)
