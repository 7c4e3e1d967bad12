"""Evidence selection by a model, which reads page by page for all questions at once.

A long page is split into parts that fit one prompt; no text is read twice. Coverage is assessed
from what was read; no further call is made.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from math import log1p, sqrt
from pathlib import Path
from statistics import median
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from sidelight.english.neutrality import half_fault
from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.generation.concurrent_answers import answers
from sidelight.generation.pages import page_date
from sidelight.generation.prompted.findings import (
    CHANCES,
    MAX_CITED,
    Answered,
    shown_questions,
    told_once,
)
from sidelight.generation.roles import SelectEvidence
from sidelight.generation.stopping import CoverageAssessor
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, FoundClaim, Selection
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import one_line, stems

_WINDOW_CHARACTERS = 2_400
# Of the text beside a window a reader, and later a check, is shown so many words.
_BESIDE_WORDS = 40
# Rules, article and questions are read with each part again, so that small parts cost more; in
# large ones models overlook things.
_PART_CHARACTERS = 25_000
# A page shares less than this part of what the closest pages share: it is on another matter. Of 110
# pages that gave claims in three topics answered by hand, one shares less; of 252 others, 153.
_CLOSEST, _LEAST_SHARED = 10, 0.4


class Window(NamedTuple):
    """A segment as it is shown.

    Attributes:
        text: What of it was not read before.
        follows: Whether the window before, of the same page, leads up to it.
        before: Of what leads up to it and was read in an earlier round, the last words.
    """

    segment: Segment
    text: str
    follows: bool
    before: str = ""


def choose(by_angle: Iterable[Sequence[Segment]], max_characters: int) -> list[Segment]:
    """Return the best of every angle, then the second best of every one, and so on.

    Candidates are ranked, and the angles that matter most come first. Choice ends at the first text
    that does not fit into `max_characters`.
    """
    chosen: dict[str, Segment] = {}
    texts: set[str] = set()
    room = max_characters
    for rank in zip_longest(*by_angle):
        for segment in rank:
            if segment is None or segment.segment_id in chosen or segment.text in texts:
                continue  # copies of a page share its windows
            room -= min(len(segment.text), _WINDOW_CHARACTERS)
            if room < 0:
                return list(chosen.values())
            chosen[segment.segment_id] = segment
            texts.add(segment.text)
    return list(chosen.values())


def strays(segments: Iterable[Segment], about: AbstractSet[str]) -> set[str]:
    """Return the documents that are on another matter: they share few words with what is asked.

    A shared word counts the more the fewer of the documents have it. What is few is told by the
    documents that share most, so that none is left out where all are on the matter. Of few
    documents none is a stray. `about` are the stems of the article and of what is asked about it.
    """
    words: dict[str, frozenset[str]] = {}
    for one in segments:
        page = document_id_of(one.segment_id)
        words[page] = words.get(page, frozenset()) | stems(f"{one.title}\n{one.text}")
    if len(words) < _CLOSEST:
        return set()
    pages_with = Counter(word for of_page in words.values() for word in of_page)
    shared = {
        page: sum(log1p(len(words) / pages_with[word]) for word in sorted(of_page & about))
        / max(1.0, sqrt(len(of_page)))
        for page, of_page in words.items()
    }
    least = _LEAST_SHARED * median(sorted(shared.values())[-_CLOSEST:])
    return {page for page, value in shared.items() if value < least}


def parts(
    segments: Iterable[Segment], read: Mapping[str, Mapping[str, Segment]]
) -> list[list[Window]]:
    """Return segments in parts for one prompt each, about equally long.

    The best pages go to different parts, because a part may give only so many claims. A page stays
    whole, unless it is longer than a part. What earlier rounds `read`, by document id, then by
    segment id, is not shown again.
    """
    by_page: dict[str, list[Segment]] = {}
    for segment in segments:
        by_page.setdefault(document_id_of(segment.segment_id), []).append(segment)
    blocks: list[list[Window]] = []
    for document_id, page in by_page.items():
        room = 0
        for window in _without_overlap(page, read.get(document_id, {})):
            if len(window.text) > room:
                blocks.append([])
                room = _PART_CHARACTERS
            blocks[-1].append(window)
            room -= len(window.text)
    sizes = [sum(len(window.text) for window in block) for block in blocks]
    filled: list[list[Window]] = [[] for _ in range(-(-sum(sizes) // _PART_CHARACTERS))]
    taken = [0] * len(filled)
    for block, size in zip(blocks, sizes, strict=True):
        emptiest = min(range(len(filled)), key=taken.__getitem__)
        filled[emptiest] += block
        taken[emptiest] += size
    return [part for part in filled if part]


def _in_order(page: Iterable[Segment]) -> list[Segment]:
    return sorted(page, key=lambda one: (one.start_char, one.segment_id))


def _is_placed(segment: Segment) -> bool:
    """Tell whether its places tell what a window shares with others."""
    return segment.end_char - segment.start_char == len(segment.text)


def _without_overlap(page: Sequence[Segment], read: Mapping[str, Segment]) -> list[Window]:
    """Return the windows of a page in its order, each without what another one holds."""
    windows: list[Window] = []
    starts = sorted(one.start_char for one in read.values())
    before = ""
    end = 0
    for segment in _in_order((*page, *read.values())):
        shared = max(0, end - segment.start_char) if _is_placed(segment) else 0
        end = max(end, segment.end_char)
        if segment.segment_id in read:
            before = " ".join(segment.text.split()[-_BESIDE_WORDS:])
            continue
        following = starts[bisect_right(starts, segment.start_char) :][:1]
        stop = following[0] - segment.start_char if following and _is_placed(segment) else None
        text = segment.text[shared:stop].strip()[:_WINDOW_CHARACTERS]
        if text:
            windows.append(Window(segment, text, shared > 0, before if shared else ""))
        before = ""
    return windows


READ_PROMPT = load_prompt(Path(__file__).with_name("read.prompt.md"))

# Of the first round, and of each later one, whose searches are few and pointed.
_FIRST_CHARACTERS, _LATER_CHARACTERS = 80_000, 16_000
_CLAIM_WORDS = 45
_CLAIMS_PER_PART, _ANGLES_PER_CLAIM, _KEYS_PER_CLAIM = 36, 4, 6
_AGAINST, _FOR, _LEFT_OUT = "against", "for", "left out"
# "The article does not mention it" is no statement that a claim could contradict.
_NO_STATEMENT = re.compile(
    r"(?:that )?(?:(?:the |this )?(?:article|headline|author|it) )?"
    r"(?:(?:does not|doesn['’]t|did not|never|fails to) (?:mention|say|state|name|tell|give|report"
    r"|disclose|include|explain)|omits\b|leaves .{0,40}\bout\b"
    r"|(?:left out|omitted|not mentioned|no mention|none|nothing)\W*$)",
    re.IGNORECASE,
)


class ReadClaim(Value):
    """A statement of the pages; the prompt says what each field means."""

    text: str = Field(max_length=500, description=f"at most {_CLAIM_WORDS} words")
    keys: tuple[Annotated[str, IdOf("keys")], ...] = Field(max_length=_KEYS_PER_CLAIM)
    speaker: str = Field(max_length=160)
    stance: Annotated[str, OneOf((_AGAINST, _FOR, _LEFT_OUT))]
    statement: str = Field(max_length=300)
    answers: tuple[Answered, ...] = Field(max_length=_ANGLES_PER_CLAIM)


class ReadClaims(Value):
    """What pages state that helps to answer the questions."""

    claims: tuple[ReadClaim, ...] = Field(max_length=_CLAIMS_PER_PART)


class ShownWindow(NamedTuple):
    """A window as the prompt shows it."""

    key: str
    source: str
    text: str


class PromptedReader:
    """The role `select_evidence` with a model: whatever states a claim is evidence.

    No window is read twice in a topic, and no text twice. Parts are read at the same time. Evidence
    of a part without a usable claim is selected without a model, and where the first round's parts
    give no claim at all, that of all parts. `instead` is told why, and returns who selects it.
    """

    asks = (Asked(READ_PROMPT, calls=4.2, more=1.1, characters=26_000, written=1_650, usual=4),)

    def __init__(
        self, writer: PromptedModel, instead: Callable[[ReplyError], SelectEvidence]
    ) -> None:
        self._model = writer
        self._instead = instead
        self._pages: dict[str, dict[str, Segment]] = {}
        self._cited: set[str] = set()
        self._dates: dict[str, str] = {}

    async def __call__(  # long: what is read and how it is asked belong together
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        candidates: Mapping[str, Sequence[Segment]],
    ) -> Selection:
        """Return the claims that were found, and what they rest on.

        ReplyError is raised if no part gave a usable answer, or the first round gave no claim.
        """
        heaviest = sorted(angles, key=lambda angle: -angle.weight)
        ranked = [candidates.get(angle.angle_id, ()) for angle in heaviest]
        every = {one.segment_id: one for found in ranked for one in found}
        for segment in every.values():
            date = page_date(segment.url, "" if segment.start_char else segment.text)
            known = self._dates.get(document_id_of(segment.segment_id), "")
            self._dates[document_id_of(segment.segment_id)] = date or known
        asked = (angle.question for angle in angles)
        about = "\n".join((profile.title, *profile.outlet, profile.body, *asked))
        pages_read = (one for page in self._pages.values() for one in page.values())
        off = strays([*every.values(), *pages_read], stems(about))
        far = {one for one in every if document_id_of(one) in off}
        unread = [
            [one for one in found if one.segment_id not in far and not self._was_read(one)]
            for found in ranked
        ]
        chosen = choose(unread, _LATER_CHARACTERS if self._pages else _FIRST_CHARACTERS)
        read = parts(chosen, self._pages)
        outcomes = await answers(self._claims(profile, heaviest, part) for part in read)
        dropped = {
            one: "read before" if self._was_read(segment) else "no room to read it"
            for one, segment in every.items()
        }
        dropped |= dict.fromkeys(far, "its page is on another matter")
        dropped |= {one.segment_id: "states nothing that is asked" for one in chosen}
        claims: list[FoundClaim] = []
        selected = EvidenceSet()
        stated = any(isinstance(one, _PartRead) and one.claims for one in outcomes)
        if not self._pages and outcomes and not stated:
            raise StructuredOutputError(f"no claim was found in {len(chosen)} passages")
        for part, outcome in zip(read, outcomes, strict=True):
            ids = {window.segment.segment_id for window in part}
            for window in part:
                page = self._pages.setdefault(document_id_of(window.segment.segment_id), {})
                page[window.segment.segment_id] = window.segment
            if isinstance(outcome, ReplyError):
                dropped |= dict.fromkeys(ids, f"no usable answer: {type(outcome).__name__}")
                unclaimed = {
                    angle_id: [one for one in found if one.segment_id in ids]
                    for angle_id, found in candidates.items()
                }
                plain = await self._instead(outcome)(profile, angles, unclaimed)
                selected = EvidenceSet.merge(selected, plain.evidence)
            else:
                claims += outcome.claims
                if len(outcome.claims) + len(outcome.faults) >= _CLAIMS_PER_PART:
                    dropped |= dict.fromkeys(ids, "its part gave as many claims as it may")
                dropped |= outcome.invented
        items = [
            Evidence(
                segment=every[segment_id],
                relevance=claim.answers,
                published=self._dates[document_id_of(segment_id)],
                **self._beside(every[segment_id]),
            )
            for claim in claims
            for segment_id in claim.segment_ids
        ]
        evidence = EvidenceSet.merge(
            *(EvidenceSet(items=(item,)) for item in items),
            EvidenceSet(claims=tuple(claims)),
            selected,
        )
        self._cited.update(item.segment.segment_id for item in evidence.items)
        return Selection(
            evidence=evidence,
            dropped={one: dropped[one] for one in sorted(dropped) if one not in self._cited},
        )

    def _was_read(self, segment: Segment) -> bool:
        """Tell whether a window was read, or those around it that hold all of it."""
        place = segment.start_char
        page = self._pages.get(document_id_of(segment.segment_id), {})
        for one in _in_order(page.values()):
            # A space lies between.
            place = max(place, one.end_char) if one.start_char <= place + 1 else place
        return place >= segment.end_char > segment.start_char or segment.segment_id in page

    def _beside(self, segment: Segment) -> dict[str, str]:
        """Return what leads up to a segment on its page and what follows it, as far as was read."""
        page = self._pages[document_id_of(segment.segment_id)]
        before = after = ""
        for one in _in_order(page.values()):
            if not (_is_placed(one) and _is_placed(segment)):
                continue
            if one.start_char < segment.start_char <= one.end_char + 1:
                before = one.text[: segment.start_char - one.start_char]
            elif one.start_char <= segment.end_char + 1 < one.end_char and not after:
                after = one.text[max(0, segment.end_char - one.start_char) :]
        return {
            "before": " ".join(before.split()[-_BESIDE_WORDS:]),
            "after": " ".join(after.split()[:_BESIDE_WORDS]),
        }

    async def _claims(
        self, profile: ArticleProfile, angles: Sequence[Angle], part: Sequence[Window]
    ) -> _PartRead:
        by_key = {f"E{number}": window for number, window in enumerate(part, start=1)}
        known = {angle.angle_id for angle in angles}
        read: list[_PartRead] = []

        def check(answer: ReadClaims) -> None:
            read.append(_usable(answer, by_key, known, one_line(profile.body)))
            if 2 * len(read[-1].claims) < len(answer.claims):
                raise ValueError(told_once(read[-1].faults))

        try:
            await self._model.answer(
                READ_PROMPT,
                ReadClaims,
                check=check,
                ids={"keys": by_key, "angles": [angle.angle_id for angle in angles]},
                profile=profile,
                angles=shown_questions(angles),
                windows=[self._shown(key, window) for key, window in by_key.items()],
                max_claims=_CLAIMS_PER_PART,
                max_words=_CLAIM_WORDS,
            )
        except ReplyError:
            if not read or not read[-1].claims:
                raise
        return read[-1]

    def _shown(self, key: str, window: Window) -> ShownWindow:
        segment = window.segment
        date = self._dates[document_id_of(segment.segment_id)]
        source = " | ".join(filter(None, (segment.host, segment.title, date)))
        if window.before:
            source += f"\n(read before: ... {window.before})"
        elif window.follows:
            source = "(the page goes on)"
        return ShownWindow(key, source, window.text)


class _PartRead(NamedTuple):
    """What was read in one part."""

    claims: list[FoundClaim]
    faults: list[str]
    invented: dict[str, str]


def _usable(
    answer: ReadClaims, by_key: Mapping[str, Window], angle_ids: AbstractSet[str], article: str
) -> _PartRead:
    """Return the claims that rest on passages, answer questions, and are said once."""
    part = list(by_key.values())
    claims: dict[str, FoundClaim] = {}
    faults: list[str] = []
    invented: dict[str, str] = {}
    for claim in answer.claims:
        names = [*claim.keys, *(one.angle_id for one in claim.answers)]
        stray = [one for one in names if one not in by_key and one not in angle_ids]
        invented |= {f"{part[0].segment.segment_id} {one}": "invented key" for one in stray}
        chances = {
            one.angle_id: CHANCES[one.label] for one in claim.answers if one.angle_id in angle_ids
        }
        text = one_line(claim.text)
        cited = dict.fromkeys(by_key[key].segment.segment_id for key in claim.keys if key in by_key)
        if fault := half_fault(text):
            faults.append(f"{fault}: {text}")
        elif not cited:
            faults.append(f"keys are E1 to E{len(part)}, and this rests on none of them: {text}")
        elif not chances:
            faults.append(f"this answers no question by the id that it has above: {text}")
        elif text.casefold() in claims:
            faults.append(f"this is said twice: {text}")
        elif text in article:
            faults.append(f"the article says this itself: {text}")
        else:
            claims[text.casefold()] = FoundClaim(
                text=text,
                segment_ids=tuple(cited)[:MAX_CITED],
                answers=dict(sorted(chances.items())),
                speaker=one_line(claim.speaker),
                **_stance(claim),
            )
    return _PartRead(list(claims.values()), faults, invented)


def _stance(claim: ReadClaim) -> dict[str, Any]:
    """Return what a claim is to the article, in the words of `FoundClaim`."""
    statement = one_line(claim.statement)
    if not statement or claim.stance == _LEFT_OUT or _NO_STATEMENT.match(statement):
        return {"left_out": claim.stance == _LEFT_OUT or bool(statement)}
    return {"against" if claim.stance == _AGAINST else "supports": statement}


class ReadAssessor(CoverageAssessor):
    """The role `assess_coverage` where evidence was read and labelled.

    An angle is covered as far as the best of its evidence answers it: ten pages that each help to
    judge an answer are no answer. So coverage is never complete, and whether a lead is left to
    follow is for the planner to say.
    """

    def chances(self, angles: Sequence[Angle], evidence: EvidenceSet) -> dict[str, float]:
        """Return for each angle how far the best of its evidence answers it."""
        return {
            angle.angle_id: max(
                (item.relevance.get(angle.angle_id, 0.0) for item in evidence.items), default=0.0
            )
            for angle in angles
        }
