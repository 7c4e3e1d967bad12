"""Support check of a report by a model, which reads the whole report beside its sources."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from sidelight.checks.support import SUPPORT_SCALE, Support
from sidelight.english.neutrality import half_fault, sentence_fault
from sidelight.english.parser import parse
from sidelight.errors import ReplyError
from sidelight.generation.compose import covered, within
from sidelight.generation.concurrent_answers import answers, computed
from sidelight.generation.prompted.findings import (
    CHANCES,
    Answered,
    KeyedSegments,
    shown_questions,
    told_once,
)
from sidelight.generation.support_checker import ReadSupport, SupportChecker, foreign_figures
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.llm.structured import IdOf, check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import CheckedReport, DraftReport, DraftSentence
from sidelight.text import budget_words, one_line, quoted

CHECK_PROMPT = load_prompt(Path(__file__).with_name("check.prompt.md"))
UNCLEAR_PROMPT = load_prompt(Path(__file__).with_name("unclear.prompt.md"))

_CHECKER_SEGMENT_WORDS = 300
# Sentences that stood: those of a hundred topics at work at once, and no more for a server's life.
_REMEMBERED = 2_000


_MEND = "mend"
_FULL, *_, _NONE = SUPPORT_SCALE.names


_ANSWERS_PER_SENTENCE = 3


class CheckedSentence(Value):
    """Whether its sources say a sentence, or say it mended, and what it tells; the reason first."""

    sentence_id: Annotated[str, IdOf("sentences")]
    reason: str = Field(max_length=600)
    label: Annotated[str, OneOf((_FULL, _MEND, _NONE))]
    text: str = Field(max_length=1_000)
    answers: tuple[Answered, ...] = Field(max_length=_ANSWERS_PER_SENTENCE)

    def tells(self, angles: Container[str]) -> dict[str, float]:
        """Return the probability that it answers each of some angles, by id."""
        named = ((one.angle_id, CHANCES[one.label]) for one in self.answers)
        return {angle_id: chance for angle_id, chance in named if angle_id in angles}

    def support(self, covers: dict[str, float] | None) -> ReadSupport:
        """Return the support that the label stands for, of a sentence that covers angles."""
        text = one_line(self.text) if self.label == _MEND else ""
        label = _FULL if self.label == _FULL or text else _NONE
        return ReadSupport(reason=self.reason, label=label, text=text, covers=covers)


class CheckedSentences(Value):
    """A label for every sentence that has an id."""

    sentences: tuple[CheckedSentence, ...]


class Unclear(Value):
    """What somebody who reads one sentence beside the article has to ask."""

    sentence_id: Annotated[str, IdOf("sentences")]
    asks: tuple[Annotated[str, Field(max_length=120)], ...] = Field(max_length=3)


class UnclearSentences(Value):
    """The sentences that are not understood at once."""

    sentences: tuple[Unclear, ...]


class ShownSentence(NamedTuple):
    """A sentence in its place; without an id, it is there to be read and not to be checked.

    `leans_on` are its words that may stand for something that it does not name itself; `asks` is
    what a reader asks who has seen the article and not its sources.
    """

    sentence_id: str
    keys: str
    words: int
    text: str
    leans_on: tuple[str, ...]
    asks: tuple[str, ...] = ()


class PromptedChecker:
    """The role `check_report` with a model.

    One call shows the report beside the article alone, as its reader will see it: who knows the
    sources does not notice what is missing. The next shows every source once, with its host, title
    and date and what stands beside it on its page, and the whole report in order with what its
    reader asked. A fault of a few words is mended at once; where the mended sentence still makes a
    reader ask, both calls are made once more for it. What a sentence tells of the questions is what
    it is credited with. What stood an earlier check is shown and not checked again.

    Of drafts written apart the one stays of which more stands, by the weight of the questions that
    it covers.
    """

    asks = (
        Asked(UNCLEAR_PROMPT, 3, 1_600, written=150, more=0.4, model="checker", usual=2),
        Asked(CHECK_PROMPT, 3.5, 30_000, written=720, more=0.4, model="checker", usual=1.5),
    )

    def __init__(self, checker: PromptedModel, max_report_words: int) -> None:
        self._model = checker
        self._max_words = max_report_words
        self._stood: OrderedDict[DraftSentenceKey, None] = OrderedDict()

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        draft: DraftReport,
        evidence: EvidenceSet,
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason."""

        async def read(one: DraftReport) -> CheckedReport:
            known = {said.text for said in one.sentences if _key(said) in self._stood}
            reading = _Reading(self._model, profile, angles, one, evidence, known, self._max_words)
            checked = await SupportChecker(reading)(profile, angles, one, evidence)
            self._stood.update(dict.fromkeys(map(_key, checked.draft.sentences)))
            while len(self._stood) > _REMEMBERED:
                self._stood.popitem(last=False)
            return checked

        def covers(one: CheckedReport) -> float:
            return covered(within(one.draft, self._max_words, stood).sentences, angles)

        stood = {one.text for one in draft.sentences if _key(one) in self._stood}
        rivals = (draft.model_copy(update={"rivals": ()}), *draft.rivals)
        outcomes = await answers(map(read, rivals))
        stands = [one for one in outcomes if not isinstance(one, ReplyError)]
        best = max(stands, key=covers)
        spare = [one for other in stands if other is not best for one in other.draft.sentences]
        draft = best.draft.model_copy(update={"reserve": (*spare, *best.draft.reserve)})
        said = dict.fromkeys(one for some in (best, *stands) for one in some.stood)
        return best.model_copy(
            update={"draft": within(draft, self._max_words, stood), "stood": tuple(said)}
        )


def _as_source(item: Evidence) -> str:
    """Return what the prompt shows of a passage and its page."""
    page = item.segment
    return f"{page.host}\n{page.title}\n{item.published}\n{page.text}"


DraftSentenceKey = tuple[str, tuple[str, ...]]


def _key(sentence: DraftSentence) -> DraftSentenceKey:
    return sentence.text, sentence.segment_ids


@dataclass
class _Reading:
    """One reading of a report, which answers for each of its sentences."""

    model: PromptedModel
    profile: ArticleProfile
    angles: Sequence[Angle]
    draft: DraftReport
    evidence: EvidenceSet
    stood: AbstractSet[str]
    max_words: int
    labels: asyncio.Task[dict[str, Support]] | None = None

    async def __call__(self, sentence: str, sources: Sequence[str]) -> Support:
        """Return how much of a sentence of the report its sources say."""
        if sentence in self.stood:
            return Support(reason="it stood an earlier check", label=SUPPORT_SCALE.highest)
        if self.labels is None:  # so that a report nobody has to read costs no call
            self.labels = asyncio.create_task(self._read())
        return (await self.labels)[sentence]

    async def _read(self) -> dict[str, Support]:
        """Return what is said of each sentence; one whose mend raises a question is asked twice."""
        drafted = self.draft.sentences
        asked = {one.text for one in drafted} - self.stood
        said = await self._labels(drafted, await self._asks(drafted, asked), asked)
        mended = {text: support.text for text, support in said.items() if support.text}
        falls = {text for text, support in said.items() if support.label == _NONE}
        now = [
            one.model_copy(update={"text": mended.get(one.text, one.text)})
            for one in drafted
            if one.text not in falls
        ]
        asks = await self._asks(now, mended.values()) if mended else {}
        try:
            again = await self._labels(now, asks, asks) if asks else {}
        except ReplyError:
            again = {}
        for drafted_text, text in mended.items():
            if support := again.get(text):
                kept = support.model_copy(update={"text": support.text or text})
                said[drafted_text] = kept
        return dict(said)

    async def _labels(
        self,
        sentences: Sequence[DraftSentence],
        asks: Mapping[str, tuple[str, ...]],
        asked: Collection[str],
    ) -> dict[str, ReadSupport]:
        """Return what a model says of those sentences whose texts are asked for."""
        angles = {angle.angle_id: angle for angle in self.angles}
        items = self._cited(one for one in sentences if one.text in asked)
        keyed = KeyedSegments([one.segment for one in items], _CHECKER_SEGMENT_WORDS, items)
        named = zip(items, keyed.shown, strict=True)
        key_of = {one.segment.segment_id: shown.key for one, shown in named}
        shown = await _as_shown(sentences, asked, key_of, asks)
        given = {
            one.sentence_id: said
            for one, said in zip(shown, sentences, strict=True)
            if one.sentence_id
        }
        article = [self.profile.title, self.profile.body]
        may_tell = {
            sentence_id: "\n".join([*map(_as_source, self._cited([said])), *article])
            for sentence_id, said in given.items()
        }
        usable: list[CheckedSentences] = []

        def check(answer: CheckedSentences) -> None:
            check_each_once(list(given), [one.sentence_id for one in answer.sentences])
            usable.append(answer)
            mends = ((one, may_tell[one.sentence_id]) for one in answer.sentences)
            if faults := [fault for mend in mends if (fault := _mend_fault(*mend))]:
                raise ValueError(told_once(faults))

        answering = self.model.answer(
            CHECK_PROMPT,
            CheckedSentences,
            check=check,
            ids={"sentences": given, "angles": angles},
            profile=self.profile,
            questions=shown_questions(self.angles),
            segments=keyed.shown,
            sentences=shown,
            max_words=self.max_words,
            words=sum(one.words for one in shown),
        )
        try:
            answer = await answering
        except ReplyError:  # only of mends: they fall, one by one
            if not usable:
                raise
            answer = usable[-1]
        # Where it names no question, the labels of the claims stay.
        return {
            given[one.sentence_id].text: one.support(one.tells(angles) or None)
            for one in answer.sentences
        }

    def _cited(self, sentences: Iterable[DraftSentence]) -> list[Evidence]:
        """Return the evidence that some sentences cite, in the order of their citations."""
        cited = dict.fromkeys(one for sentence in sentences for one in sentence.segment_ids)
        return [self._by_id[one] for one in cited if one in self._by_id]

    @cached_property
    def _by_id(self) -> dict[str, Evidence]:
        return {item.segment.segment_id: item for item in self.evidence.items}

    async def _asks(
        self, sentences: Sequence[DraftSentence], asked: Collection[str]
    ) -> dict[str, tuple[str, ...]]:
        """Return what a reader asks at the sentences; nothing without a usable answer."""
        cited = {one: one for sentence in sentences for one in sentence.segment_ids}
        shown = await _as_shown(sentences, asked, cited, {})
        texts = {one.sentence_id: one.text for one in shown if one.sentence_id}
        asking = self.model.answer(
            UNCLEAR_PROMPT,
            UnclearSentences,
            ids={"sentences": texts},
            profile=self.profile,
            sentences=shown,
        )
        try:
            unclear = (await asking).sentences
        except ReplyError:
            return {}
        return {
            texts[one.sentence_id]: one.asks
            for one in unclear
            if one.asks and one.sentence_id in texts
        }


async def _as_shown(
    sentences: Sequence[DraftSentence],
    asked: Collection[str],
    key_of: Mapping[str, str],
    asks: Mapping[str, tuple[str, ...]],
) -> list[ShownSentence]:
    """Return the sentences; those have an id that are asked for and cite what has a key."""
    shown: list[ShownSentence] = []
    count = 0
    texts = [sentence.text for sentence in sentences]
    for sentence, parsed in zip(sentences, await computed(parse, texts), strict=True):
        keys = ", ".join(key_of[one] for one in sentence.segment_ids if one in key_of)
        checked = bool(keys) and sentence.text in asked
        count += checked
        shown.append(
            ShownSentence(
                sentence_id=f"S{count}" * checked,
                keys=keys,
                words=budget_words(sentence.text),
                text=sentence.text,
                leans_on=tuple(map(str, parsed.leaning)) if checked else (),
                asks=asks.get(sentence.text, ()),
            )
        )
    return shown


def _mend_fault(one: CheckedSentence, sources: str) -> str:
    """Return why a mended sentence cannot stand, or nothing; `sources` is what it may tell of."""
    text = one_line(one.text) if one.label == _MEND else ""
    fault = text and (sentence_fault(text) or half_fault(text))
    if text and not fault and (lacks := foreign_figures(text, sources)):
        fault = f"neither its passages nor the article give {', '.join(lacks)}"
    return f"{fault}: {quoted(text)}" if fault else ""
