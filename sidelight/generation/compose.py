"""Composition of a report: choosing sentences under a word budget, refilling, and final citations.

Each candidate covers an angle with some probability; an angle's coverage is the chance that at
least one chosen sentence covers it, `1 - prod(1 - p)`. The weighted sum over angles is monotone
and submodular, for which choosing greedily by gain per word is the standard approximation under a
budget (Khuller, Moss and Naor, 1999). Free room in a report is filled with reserve sentences.
Citations of a draft become those that a run file holds. A report without evidence says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import (
    DraftReport,
    DraftSentence,
    DroppedCitation,
    Report,
)
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import document_id_of
from sidelight.schemas.task import CitedTextTask
from sidelight.text import budget_words, tokens

_REPEATED_SITE = 0.75
# More than all words of a report together: a sentence that stood goes before any others.
_STOOD = 10_000
NO_EVIDENCE = (
    "The collection that was searched holds no other page that speaks to this outlet, its author "
    "or the article's main statements, so no outside context can be offered here."
)
NOTHING_STANDS = (
    "Pages were found, but none of them gave a statement about this outlet, its author or the "
    "article's subject that could be told with its source, so no context is offered here."
)
SAYS_NOTHING = frozenset({NO_EVIDENCE, NOTHING_STANDS})
"""Sentences of ours that cite nothing."""
NO_ANSWER = DraftReport(
    sentences=(
        DraftSentence(
            text="The collection that was searched holds nothing that answers what was asked."
        ),
    )
)
NOTHING_FOUND = DraftReport(sentences=(DraftSentence(text=NO_EVIDENCE),))


def nothing_told(evidence: EvidenceSet) -> DraftReport:
    """Return a report without content: it says whether nothing was found or nothing stood."""
    if not evidence.items:
        return NOTHING_FOUND
    return DraftReport(sentences=(DraftSentence(text=NOTHING_STANDS),))


def chances_missed(
    angle_ids: Iterable[str], covering: Iterable[Mapping[str, float]]
) -> dict[str, float]:
    """Return by angle the probability that nothing of `covering` covers it, `prod(1 - p)`."""
    missed = dict.fromkeys(angle_ids, 1.0)
    for covers in covering:
        for angle_id, chance in covers.items():
            if angle_id in missed:
                missed[angle_id] *= 1.0 - chance
    return missed


def compose(
    candidates: Sequence[DraftSentence],
    weights: Mapping[str, float],
    max_words: int,
    sites: Mapping[str, str],
    *,
    standing: Sequence[DraftSentence] = (),
) -> list[int]:
    """Return the places of what is chosen, in the order of choice, never over `max_words`.

    Ties in gain go to the earlier candidate. A sentence whose first citation is from the same site
    (`sites`, by segment id) as an earlier one is worth less. `standing` is what the report holds
    already: it uses up words (`text.budget_words`) and covers angles like what is chosen, and stays
    whatever else there is. `weights` are the expected importance of angles.
    """
    words = [budget_words(one.text) for one in candidates]
    left = max_words - sum(budget_words(one.text) for one in standing)
    first = [sites.get(next(iter(one.segment_ids), ""), "") for one in (*candidates, *standing)]
    used = set(first[len(candidates) :])
    chosen: list[int] = []
    waiting = list(range(len(candidates)))
    while waiting := [place for place in waiting if words[place] <= left]:
        held = (*standing, *(candidates[place] for place in chosen))
        missed = chances_missed(weights, (one.covers for one in held))
        gains = {
            place: sum(
                weights[angle] * missed[angle] * chance
                for angle, chance in candidates[place].covers.items()
                if angle in weights
            )
            * (_REPEATED_SITE if first[place] in used else 1.0)
            for place in waiting
        }
        best = max(waiting, key=lambda place: gains[place] / words[place])
        if gains[best] <= 0:
            break
        chosen.append(best)
        waiting.remove(best)
        used.add(first[best])
        left -= words[best]
    return chosen


def refill(
    draft: DraftReport, angles: Sequence[Angle], evidence: EvidenceSet, max_words: int
) -> DraftReport:
    """Return the draft with reserve sentences, chosen by `compose`, added at its end.

    Nothing is taken away: what says the same as something chosen never gets into a reserve. A draft
    that stays empty says that nothing was found, or nothing stood.
    """
    weights = {angle.angle_id: angle.weight for angle in angles}
    sites = {item.segment.segment_id: item.segment.site for item in evidence.items}
    added = compose(draft.reserve, weights, max_words, sites, standing=draft.sentences)
    fresh = (draft.reserve[place] for place in added)
    waiting = (one for place, one in enumerate(draft.reserve) if place not in added)
    sentences = (*draft.sentences, *fresh) or nothing_told(evidence).sentences
    return draft.model_copy(update={"sentences": sentences, "reserve": tuple(waiting)})


def within(
    draft: DraftReport, max_words: int, first: AbstractSet[str] = frozenset()
) -> DraftReport:
    """Return a draft whose sentences keep the limit and fill it; what finds no room is reserve.

    Its sentences stand in their order of importance. A word of the first counts four times as much
    as one of the last, and those stay that make the most of the limit. The texts in `first` get
    room before the others: what stood is not cut for what a check lengthened.
    """
    words = [budget_words(one.text) for one in draft.sentences]
    # By how many words they have: the most that sentences are worth, and their places.
    fills: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for place, one in enumerate(draft.sentences):
        worth = words[place] * (4 * len(words) - 3 * place) * (_STOOD if one.text in first else 1)
        for held, (value, places) in sorted(fills.items(), reverse=True):
            total = held + words[place]
            if total <= max_words and value + worth > fills.get(total, (-1, ()))[0]:
                fills[total] = (value + worth, (*places, place))
    fits = max(fills.values())[1]
    kept = tuple(one for place, one in enumerate(draft.sentences) if place in fits)
    spare = tuple(one for place, one in enumerate(draft.sentences) if place not in fits)
    return draft.model_copy(update={"sentences": kept, "reserve": (*spare, *draft.reserve)})


def covered(sentences: Iterable[DraftSentence], angles: Iterable[Angle]) -> float:
    """Return how much expected weight some sentences cover."""
    weights = {angle.angle_id: angle.weight for angle in angles}
    missed = chances_missed(weights, (one.covers for one in sentences))
    return sum(weight * (1.0 - missed[angle_id]) for angle_id, weight in weights.items())


def resolve_report(
    topic_id: str, draft: DraftReport, evidence: EvidenceSet, task: CitedTextTask
) -> tuple[Report, tuple[DroppedCitation, ...]]:
    """Return the report within the track's rules for citations, and what was dropped for them.

    What is no evidence of this topic goes; so do whatever is beyond the limit, and a sentence
    without a word.
    """
    known = frozenset(evidence.segment_ids().values())
    dropped: list[DroppedCitation] = []
    sentences = []
    references: set[str] = set()
    for sentence in draft.sentences:
        if not tokens(sentence.text):
            continue
        cited: list[str] = []
        for segment_id in dict.fromkeys(sentence.segment_ids):
            if segment_id not in known:
                reason = "no such evidence"
            elif len(references | {segment_id}) > (task.max_references or len(known)):
                reason = "more references than a text may have"
            elif document_id_of(segment_id) == topic_id:
                reason = "the target article itself"
            elif len(cited) >= task.citations_written:
                reason = "more citations than a sentence may have"
            else:
                reason = ""
            if reason:
                dropped.append(DroppedCitation(segment_id=segment_id, reason=reason))
            else:
                cited.append(segment_id)
                references.add(segment_id)
        sentences.append(CitedSentence(text=sentence.text, citations=tuple(cited)))
    report = Report(
        topic_id=topic_id,
        sentences=tuple(sentences),
        evidence_ids=known,
        task=task,
    )
    return report, tuple(dropped)
