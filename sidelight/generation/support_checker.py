"""Support checker: compares every sentence of a report with its citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sidelight.checks.support import (
    SUPPORT_SCALE,
    LearnedSupportCheck,
    Support,
    SupportCheck,
    best_support,
)
from sidelight.english.names import host_label
from sidelight.english.neutrality import half_fault, sentence_fault
from sidelight.english.parser import parse
from sidelight.english.quantities import canonical
from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.generation.compose import SAYS_NOTHING
from sidelight.generation.concurrent_answers import answers, computed
from sidelight.generation.pages import quoted_line, source_title, without_source
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    CheckedReport,
    DraftReport,
    DraftSentence,
    Removal,
    SentenceSupport,
)
from sidelight.schemas.segment import Segment
from sidelight.text import figures, names, one_line, stems, tokens

_LEANS = "the sentence that it points at does not stand"
_SEVERAL = 3  # sentences of which a check lets some stand


class ReadSupport(Support):
    """Support of a sentence by a check that reads it as a reader would.

    Attributes:
        text: The sentence as it is supported, where the check has mended it; else empty.
        covers: Probability that it covers each angle, by what it tells; None where the check does
            not say.
    """

    text: str = ""
    covers: dict[str, float] | None = None


class SupportChecker:
    """The role `check_report`: with a model or without, as its support check is.

    Only a sentence that what it cites supports in full stands. Where a model is asked (`asked` is
    not None), it decides, and may mend a sentence. The check that learned from people decides for
    want of a usable answer, and where a sentence that it does not find supported has figures or
    names that none of its sources has. How far what stands is supported, the report says by what
    was learned from people, whoever decided. A sentence is credited with what it tells, where the
    model says that.
    """

    def __init__(self, asked: SupportCheck | None = None) -> None:
        self._learned = LearnedSupportCheck(strict=True)
        self._asked = asked

    async def __call__(  # long: a batch, its two checks and what they mend
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        draft: DraftReport,
        evidence: EvidenceSet,
    ) -> CheckedReport:
        """Return the sentences that stand, and those that do not with the reason.

        Raises:
            ReplyError: The model gave no usable answer on any sentence, or lets nothing stand
                though what learned from people does.
        """
        segments = {item.segment.segment_id: item.segment for item in evidence.items}
        texts = {one: segment.text for one, segment in segments.items()}
        article = one_line(profile.body)
        cited = [
            tuple(one for one in sentence.segment_ids if one in texts)
            for sentence in draft.sentences
        ]
        sources = [[texts[one] for one in segment_ids] for segment_ids in cited]
        removals = [
            _fault(sentence, found, article)
            for sentence, found in zip(draft.sentences, sources, strict=True)
        ]
        asked = [
            place
            for place, sentence in enumerate(draft.sentences)
            if removals[place] is None and sentence.text not in SAYS_NOTHING
        ]
        decided = await self._decided([(draft.sentences[one].text, sources[one]) for one in asked])
        sentences = list(draft.sentences)
        for place, support in zip(asked, decided, strict=True):
            if isinstance(support, ReadSupport):
                known = sentences[place]
                covers = known.covers if support.covers is None else support.covers
                read = {"text": support.text or known.text, "covers": covers}
                sentences[place] = known.model_copy(update=read)
                removals[place] = _fault(sentences[place], sources[place], article)
        learned = await computed(
            self._learned.by_source,
            [
                (
                    without_attribution(
                        sentences[place].text, [segments[one] for one in cited[place]]
                    ),
                    sources[place],
                )
                for place in asked
            ],
            asked=profile.asked,
        )
        dates = {item.segment.segment_id: item.published for item in evidence.items}
        said = "\n".join((*profile.outlet, *profile.authors, profile.title, article))
        for place, support, supports in zip(asked, decided, learned, strict=True):
            shown = [
                f"{segments[one].host}\n{segments[one].title}\n{dates[one]}\n{texts[one]}"
                for one in cited[place]
            ]
            removals[place] = removals[place] or _unsupported(
                sentences[place], support, best_support(supports), shown, said
            )
        told = [without_source(one.text) for one in sentences] if any(removals) else []
        for place, parsed in enumerate(await computed(parse, told)):
            before, own = removals[place - 1] if place else None, sentences[place]
            shares = before and not set(own.segment_ids).isdisjoint(before.sentence.segment_ids)
            if shares and removals[place] is None and parsed.pointer is not None:
                removals[place] = Removal(sentence=own, label="unfit", reason=_LEANS)
        stands = [place for place in range(len(sentences)) if removals[place] is None]
        full = sum(best_support(one).label == SUPPORT_SCALE.highest for one in learned)
        if self._asked and not stands and full and len(asked) >= _SEVERAL:
            raise StructuredOutputError(
                f"the check lets nothing stand, though sources say {full} of {len(asked)} sentences"
            )
        return CheckedReport(
            draft=draft.model_copy(
                update={"sentences": tuple(sentences[one] for one in stands), "rivals": ()}
            ),
            removed=tuple(removal for removal in removals if removal is not None),
            stood=tuple(
                _standing(sentences[place].text, cited[place], supports, draft.sentences[place])
                for place, supports in zip(asked, learned, strict=True)
                if removals[place] is None
            ),
        )

    async def _decided(
        self, cases: Sequence[tuple[str, Sequence[str]]]
    ) -> Sequence[Support | ReplyError | None]:
        """Return for each case what a model says; None where none is asked."""
        if self._asked is None:
            return [None] * len(cases)
        return await answers(self._asked(*case) for case in cases)


_ATTRIBUTION = re.compile(
    r"^(?P<said>.+), (?:according to (?:the [a-z ]+, )?(?P<speaker>\"[^\"]+\"|[^,\"]+)"
    r"|by its own account)\.$"
)


# "[Lark Media]", "[Lark Media's]", and "[Lark Media asks]" for "we ask".
_INSERTED = re.compile(
    r"\[[^\[\]]+?(?:(?P<owner>['’]s?)|(?<=\w)(?P<verb> (?!authors)[a-z]+s))?\](?P<owners>['’]s)?"
)


def without_attribution(sentence: str, pages: Sequence[Segment]) -> str:
    """Return a sentence without its source, or "according to" a page it cites.

    The page says so by being there. Of lines that are quoted as a verdict or a rating, these are
    left. A name in square brackets, which stands for a word of the page, is that word again.
    """
    if any(sentence.startswith(source_title(page.title), sentence.find("“")) for page in pages):
        sentence = without_source(sentence)
    sentence = _INSERTED.sub(_pronoun, quoted_line(sentence))
    match = _ATTRIBUTION.match(sentence)
    if match is None:
        return sentence
    speaker = (match["speaker"] or "").strip('"')
    letters = "".join(tokens(speaker))
    is_there = not speaker or any(
        speaker in page.title
        or speaker == page.host
        or letters.removeprefix("the").startswith(host_label(page.host) or " ")
        for page in pages
    )
    return f"{match['said']}." if is_there else sentence


def _pronoun(inserted: re.Match[str]) -> str:
    # A date or the name of a clause, which an editor put in.
    if inserted[0].startswith(("[written ", "[in ", "[on ")):
        return ""
    is_owner = inserted["owner"] or inserted["owners"]
    return "its" if is_owner else f"it{inserted['verb'] or ''}"


def _standing(
    text: str,
    segment_ids: tuple[str, ...],
    supports: Sequence[Support],
    drafted: DraftSentence,
) -> SentenceSupport:
    best = best_support(supports)
    return SentenceSupport(
        text=text,
        segment_ids=segment_ids,
        said_by=tuple(
            segment_id
            for segment_id, support in zip(segment_ids, supports, strict=True)
            if support.label == best.label
        ),
        label=best.label,
        reason=best.reason,
        before="" if drafted.text == text else drafted.text,
    )


def _fault(sentence: DraftSentence, sources: Sequence[str], article: str) -> Removal | None:
    """Return what no reading of the sources could mend."""
    said = without_source(sentence.text)
    fault = sentence_fault(said) or half_fault(said)
    if not fault and said in article:
        fault = "the article says it itself"
    if fault:
        return Removal(sentence=sentence, label="unfit", reason=fault)
    if not sources and sentence.text not in SAYS_NOTHING:
        return Removal(sentence=sentence, label="none", reason="it cites no evidence")
    return None


def _unsupported(
    sentence: DraftSentence,
    decided: Support | ReplyError | None,
    learned: Support,
    shown: Sequence[str],
    said: str,
) -> Removal | None:
    """Return why a sentence cannot stand, by who decides or by what its sources lack."""
    if isinstance(decided, ReplyError):
        reason = f"for want of an answer ({type(decided).__name__}): {learned.reason}"
        decided = learned.model_copy(update={"reason": reason})
    support = decided or learned
    if support.label != SUPPORT_SCALE.highest:
        return Removal(sentence=sentence, label=support.label, reason=support.reason)
    if learned.label == SUPPORT_SCALE.highest:
        return None
    in_part = learned.label != SUPPORT_SCALE.names[-1]
    lacks = _foreign(sentence.text, "\n".join(shown), said, in_part=in_part)
    reason = f"the sources lack {', '.join(lacks)}"
    return Removal(sentence=sentence, label="partial", reason=reason) if lacks else None


_YEARS = re.compile(r"\b(19|20)(\d\d)[-–/](\d\d)\b(?![-–/]\d)")
_NUMBERED = re.compile(r"\b[A-Z][\w'’-]{0,30} \d[\d.,]{0,15}\b")  # a name with a number


def _counted(text: str) -> set[str]:
    return {figure.rstrip("%") for figure in figures(text)}


def foreign_figures(sentence: str, text: str) -> list[str]:
    """Return the figures of a sentence that a text does not give.

    "Two thousand" gives 2,000, and 2024 gives the 24 of "2022-24".
    """
    sentence, text = (_YEARS.sub(r"\1\2 \1\3", one) for one in (sentence, text))
    said = figures(sentence)
    counted = _counted(text) if said else set()
    lacks = [figure for figure in said if figure.rstrip("%") not in counted]
    if lacks and _counted(canonical(sentence)) <= _counted(canonical(text)):
        return []
    return sorted(lacks)


def _foreign(sentence: str, shown: str, said: str, *, in_part: bool) -> list[str]:
    """Return the figures and names of a sentence that neither source nor article has.

    Of a sentence that sources say in part some names may be missing: they are put in other words.
    It may set a figure of the article against theirs; any other has figures of theirs alone, but
    for names that the article gives, such as "Polaris 8".
    """
    numbered = [name for name in _NUMBERED.findall(sentence) if name in said]
    lacks = foreign_figures(sentence, "\n".join((shown, said if in_part else "", *numbered)))
    known = stems(shown) | stems(said)
    # An ordinary word may be capitalised at the beginning.
    named = names(sentence.partition(" ")[2])
    foreign = [name for name in named if not stems(name) <= known]
    return sorted([*lacks, *foreign] if not in_part or 2 * len(foreign) > len(named) else lacks)
