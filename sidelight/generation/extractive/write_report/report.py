"""Report writer without a model: ranks, chooses and orders statements.

Worth rises with how close the statement is to what the article is about, how many other hosts say
something similar, how many figures the article did not give, and whether it answers rather than
repeats. Repetition by other hosts counts most: facts that matter are told more than once.
Statements on the funding, ownership or employment of the outlet, the author or a cited study weigh
more. Statements on another matter than the article's are left out. The report groups statements by
speaker and puts the most important first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from sidelight.checks.support import SUPPORT_SCALE, LearnedSupportCheck
from sidelight.generation.extractive.select import relevance, single_sentences
from sidelight.generation.extractive.write_report.choose import Choices, choose
from sidelight.generation.extractive.write_report.knowledge import Reader
from sidelight.generation.extractive.write_report.quotes import (
    Quantities,
    cues_of_answer,
    find_quotes,
    tells_of_ties,
)
from sidelight.generation.extractive.write_report.voices import ATTRIBUTED
from sidelight.generation.reading.names import find_names, looks_like_place, mentions, name_forms
from sidelight.generation.reading.neutrality import sentence_fault
from sidelight.generation.reading.verbs import figure_phrases
from sidelight.generation.statements.pointing import has_name
from sidelight.generation.support_checker import without_attribution
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text import budget_words, figures, names, sentences, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from sidelight.generation.extractive.write_report.quotes import Quote
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile
    from sidelight.schemas.investigation.evidence import EvidenceSet
    from sidelight.text_vectors import TextVectors

    Floats = npt.NDArray[np.float64]


class ExtractiveReportWriter:
    """The role `write_report` without a model.

    Statements are quoted as `statements` makes them stand alone. One cites the segment it comes
    from, then, from other hosts, segments that say the same. What the article says itself is never
    used, unless the same sentence answers it. Where evidence covers next to nothing, the report
    says so: a stray fact would mislead.

    Args:
        sentences: Encodes sentences.
        max_report_words: The track's limit.
        max_citations: The track's limit per sentence.
        nothing_found: What to return where evidence covers next to nothing.
    """

    def __init__(
        self,
        sentences: TextVectors,
        max_report_words: int,
        max_citations: int,
        nothing_found: DraftReport,
    ) -> None:
        self._sentences = sentences
        self._max_words = max_report_words
        self._max_citations = max_citations
        self._nothing_found = nothing_found
        self._check = LearnedSupportCheck(sentences, strict=True)

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return the chosen statements, ordered by subject, then as they were chosen.

        The reserve is what another report of the same length would add, in the order of choosing.
        """
        reader = Reader(profile)
        quotes = find_quotes(profile, evidence, reader, self._sentences)
        if not quotes or not angles:
            return self._nothing_found
        texts = [quote.text for quote in quotes]
        windows = [quote.window for quote in quotes]
        topical, near = topicality(texts, profile, self._sentences)
        scores = relevance(texts, windows, angles, profile, self._sentences)
        about_nobody = np.array([not angle.must_mention for angle in angles])
        scores[np.ix_(topical < _ON_SUBJECT, about_nobody)] = 0.0
        speaks = (scores.max(axis=1) >= _MIN_RELEVANCE) | (topical >= _MIN_TOPICALITY)
        behind = np.array(leads_to_ties(texts, profile), dtype=bool)
        kept = np.flatnonzero(speaks & ~astray(texts, near, behind, reader))
        if not len(kept):
            return self._nothing_found
        quotes = [quotes[row] for row in kept]
        choices = self._choices(
            quotes,
            scores[kept],
            closeness(topical, near)[kept],
            behind[kept],
            angles,
            evidence,
            reader,
            profile,
        )
        chosen, barred = self._that_stand(choices, quotes, evidence, profile.asked)
        if _covered_share(choices, chosen) < _MIN_COVERED:
            return self._nothing_found
        reserve = choose(choices, 2 * self._max_words, standing=chosen, barred=barred)
        said = [self._sentence(row, quotes, choices, angles) for row in chosen]
        return DraftReport(
            sentences=by_subject(said, profile),
            reserve=tuple(self._sentence(row, quotes, choices, angles) for row in reserve),
        )

    def _that_stand(
        self, choices: Choices, quotes: Sequence[Quote], evidence: EvidenceSet, asked: str
    ) -> tuple[list[int], list[int]]:
        """Return the chosen rows, and the rows that were chosen first and then failed the check.

        Only what is chosen is held against its page, which is cheaper than holding everything.
        """
        pages = {item.segment.segment_id: item.segment for item in evidence.items}
        stands: dict[int, bool] = {}
        for _ in range(_CHOICES):
            barred = [row for row, does in stands.items() if not does]
            chosen = choose(choices, self._max_words, barred=barred)
            new = [row for row in chosen if row not in stands]
            cases = [(quotes[row].text, [pages[quotes[row].segment_id]]) for row in new]
            supports = self._check.check(
                [
                    (without_attribution(text, cited), [page.text for page in cited])
                    for text, cited in cases
                ],
                asked=asked,
            )
            for row, support in zip(new, supports, strict=True):
                is_sound = not sentence_fault(quotes[row].text)
                stands[row] = is_sound and support.label == SUPPORT_SCALE.highest
            if all(stands[row] for row in chosen):
                break
        return chosen, [row for row, does in stands.items() if not does]

    def _choices(
        self,
        quotes: Sequence[Quote],
        scores: npt.NDArray[np.float64],
        close: npt.NDArray[np.float64],
        behind: npt.NDArray[np.bool_],
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        reader: Reader,
        profile: ArticleProfile,
    ) -> Choices:
        texts = [quote.text for quote in quotes]
        weights = np.array([angle.weight for angle in angles])
        hosts = told_elsewhere(quotes, evidence, self._sentences)
        weight = weight_of(texts, hosts, reader, Quantities(profile), behind)
        likeness = self._sentences.similarity(texts, texts)
        return Choices(
            words=np.array([budget_words(text) for text in texts], dtype=np.int64),
            covers=1.0 - np.exp(-_PER_RELEVANCE * scores * weight[:, None]),
            weights=weights,
            worth=close * weight,
            likeness=likeness,
            concepts=_concepts([stems(text) for text in texts]),
            excludes=_share_a_sentence(quotes)
            | (likeness >= _SAME_STATEMENT)
            | ((likeness >= _ALIKE) & (_shared_particulars(texts) >= _SHARED))
            | ((likeness >= _AKIN) & _share_a_quantity(texts)),
        )

    def _sentence(
        self, row: int, quotes: Sequence[Quote], choices: Choices, angles: Sequence[Angle]
    ) -> DraftSentence:
        return DraftSentence(
            text=quotes[row].text,
            segment_ids=_support(row, quotes, choices.likeness[row], self._max_citations),
            covers={
                angle.angle_id: round(float(chance), 4)
                for angle, chance in zip(angles, choices.covers[row], strict=True)
                if chance > 0
            },
        )


def by_subject(
    sentences: Iterable[DraftSentence], profile: ArticleProfile
) -> tuple[DraftSentence, ...]:
    """Return sentences on the outlet, then on the author, then all others, each as they come.

    Args:
        sentences: What a report says, what matters most first.
        profile: The article.
    """
    authors = tuple(form for author in profile.authors for form in name_forms(author))

    def place(sentence: DraftSentence) -> int:
        subjects = (profile.outlet, authors)
        named = (at for at, names in enumerate(subjects) if mentions(sentence.text, names))
        return next(named, len(subjects))

    return tuple(sorted(sentences, key=place))


def leads_to_ties(texts: Sequence[str], profile: ArticleProfile) -> list[bool]:
    """Tell of each statement whether it is on who pays or owns the article's outlet or sources.

    Whoever one statement ties to the outlet, an author or a cited study is behind the article, and
    what another says of their ties leads there.
    """
    behind = [
        form
        for name in filter(None, (profile.publisher, *profile.authors, *profile.studies))
        for form in name_forms(name)
    ]
    telling = [text for text in texts if tells_of_ties(text)]
    tied = {
        name
        for text in telling
        if mentions(text, behind)
        for name in find_names(text)
        if " " in name and not looks_like_place(name)
    }
    behind += [form for name in sorted(tied) for form in name_forms(name)[:1]]
    leading = {text for text in telling if mentions(text, behind)}
    return [text in leading for text in texts]


# The cosine of all-MiniLM-L6-v2 with the nearest sentence of the article that next to nothing on
# the same matter stays below.
_ASTRAY, _GENERAL = 0.37, 0.5


def astray(
    texts: Sequence[str],
    near: npt.NDArray[np.float64],
    behind: npt.NDArray[np.bool_],
    reader: Reader,
) -> npt.NDArray[np.bool_]:
    """Tell of each statement whether it is off topic.

    What is said of the outlet, an author or whoever is behind them may be far from all that the
    article says; but if it then speaks of an article, it means another one. What names nothing and
    gives no figure has to be nearer: any page holds general truths.

    Args:
        texts: The statements.
        near: How close each is to the nearest sentence of the article, in [0, 1].
        behind: See `leads_to_ties`.
        reader: Somebody who has read the article.
    """
    may_be_far = [
        (is_behind or reader.is_about(text)) and not reader.speaks_of_article(text)
        for text, is_behind in zip(texts, behind, strict=True)
    ]
    least = [_ASTRAY if has_name(text) or figures(text) else _GENERAL for text in texts]
    return np.asarray((near < np.array(least)) & ~np.array(may_be_far, dtype=bool))


_PER_HOST, _MOST_HOSTS = 2.75, 3.0
_PER_FIGURE, _MOST_FIGURES = 0.5, 3
_DATED = 0.4
_ANOTHER_FIGURE, _TIES, _PRINCIPAL = 1.0, 0.25, 0.5
_PER_CUE, _MOST_CUES = 0.4, 3
_OWNERSHIP_FACTOR = 2.0  # for statements on who pays, owns or employs outlet, author or study
_TOPICAL_SHARE, _NEAREST_SHARE = 0.25, 0.75
_YEAR_SINCE_1800 = re.compile(r"\b(?:1[89]|20)\d\d\b")
# Cosines of all-MiniLM-L6-v2 between sentences: from "on the same matter" to "the same fact".
_SIMILAR, _THE_SAME = 0.55, 0.75
_NEAREST, _UNKNOWN = 3, 0.4
_NEAR_THE_FACT, _ON_THE_FACT = 0.6, 0.85
_CLOSENESS_POWER = 1.5


def weight_of(
    texts: Sequence[str],
    hosts: Floats,
    reader: Reader,
    quantities: Quantities,
    behind: npt.NDArray[np.bool_],
) -> Floats:
    """Return the factor by which each statement is worth more than its closeness to a subject.

    Args:
        texts: The statements.
        hosts: See `told_elsewhere`.
        reader: Somebody who has read the article.
        quantities: The article's figures.
        behind: See `leads_to_ties`.
    """
    own = np.array([_own_weight(text, reader, quantities) for text in texts])
    own = own * np.where(behind, _OWNERSHIP_FACTOR, 1.0)
    return np.asarray(own * (1.0 + _PER_HOST * hosts))


def _own_weight(text: str, reader: Reader, quantities: Quantities) -> float:
    news = _PER_FIGURE * min(_MOST_FIGURES, len(reader.news(text)[0]))
    answers = _PER_CUE * min(_MOST_CUES, cues_of_answer(text))
    answers += _ANOTHER_FIGURE * quantities.has_another_figure(text) + _TIES * tells_of_ties(text)
    return (1.0 + news + _DATED * (_YEAR_SINCE_1800.search(text) is not None)) * (
        1.0 + answers + _PRINCIPAL * reader.is_about(text)
    )


def topicality(
    texts: Sequence[str], profile: ArticleProfile, vectors: TextVectors
) -> tuple[Floats, Floats]:
    """Return how close each text is to title and nearest sentences of the article, in [0, 1].

    The second is how close it is to the nearest sentence alone.
    """
    prose = sentences(profile.body)
    if not prose:
        unknown = np.full(len(texts), _UNKNOWN)
        return unknown, unknown  # a narrative: its angles say what it is about
    title = vectors.similarity(texts, [profile.title])[:, 0]
    body = np.sort(vectors.similarity(texts, prose), axis=1)[:, -_NEAREST:]
    return (
        np.asarray(np.clip((title + body.mean(axis=1)) / 2, 0.0, 1.0)),
        np.asarray(np.clip(body[:, -1], 0.0, 1.0)),
    )


def closeness(topical: Floats, near: Floats) -> Floats:
    """Return how much a text has to do with the article; see `topicality`.

    What speaks of the same fact as a sentence of the article is worth more than its cosine says.
    """
    of_the_fact = np.clip((near - _NEAR_THE_FACT) / (_ON_THE_FACT - _NEAR_THE_FACT), 0.0, 1.0)
    close = _TOPICAL_SHARE * topical + _NEAREST_SHARE * near
    return np.asarray(close**_CLOSENESS_POWER * (1.0 + of_the_fact))


def told_elsewhere(quotes: Sequence[Quote], evidence: EvidenceSet, vectors: TextVectors) -> Floats:
    """Return how many other hosts say something like each quote, at most three.

    A host whose nearest sentence is only a little alike counts in part.
    """
    said = [
        (sentence, item.segment.host)
        for item in evidence.items
        for sentence in single_sentences(item.segment)
    ]
    host_of = np.array([host for _, host in said])
    own = np.array([quote.host for quote in quotes])
    likeness = vectors.similarity([quote.text for quote in quotes], [text for text, _ in said])
    count = np.zeros(len(quotes))
    for host in sorted(set(host_of.tolist())):
        nearest = likeness[:, host_of == host].max(axis=1)
        degree = np.clip((nearest - _SIMILAR) / (_THE_SAME - _SIMILAR), 0.0, 1.0)
        count += np.where(own == host, 0.0, degree)
    return np.minimum(count, _MOST_HOSTS)


_MIN_RELEVANCE, _ON_SUBJECT, _MIN_TOPICALITY = 0.10, 0.30, 0.45
_MIN_COVERED = 0.03
_PER_RELEVANCE = 0.2
_SAME_FACT, _SAME_STATEMENT = 0.75, 0.75
# Where two statements are as alike as this, and share so much of their names and figures, the
# second tells little that the first has not told.
_ALIKE, _SHARED = 0.64, 0.5
_AKIN = 0.57  # less alike, they do so if both give one quantity, as in "0.2 litres"
_CHOICES = 6  # a report is chosen anew until all of it stands


def _concepts(held: Sequence[frozenset[str]]) -> npt.NDArray[np.bool_]:
    vocabulary = {word: place for place, word in enumerate(sorted(frozenset().union(*held)))}
    table = np.zeros((len(held), len(vocabulary)), dtype=bool)
    for row, words in enumerate(held):
        table[row, [vocabulary[word] for word in words]] = True
    return table


def _shared_particulars(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the shared names and figures of each two statements, over those of the smaller set."""
    bare = [ATTRIBUTED.split(text, maxsplit=1)[0] for text in texts]
    held = _concepts([names(text) | figures(text) for text in bare]).astype(np.float64)
    count = held.sum(axis=1)
    return np.asarray(held @ held.T / np.maximum(1.0, np.minimum(count[:, None], count)))


def _share_a_quantity(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return which statements give the same figure of the same thing, as in "0.2 litres"."""
    held = _concepts([frozenset(figure_phrases(text)) for text in texts]).astype(np.float64)
    return np.asarray(held @ held.T > 0)


def _share_a_sentence(quotes: Sequence[Quote]) -> npt.NDArray[np.bool_]:
    segments = np.array([quote.segment_id for quote in quotes])
    first = np.array([quote.first for quote in quotes])
    last = np.array([quote.last for quote in quotes])
    overlap = (first[:, None] <= last) & (first <= last[:, None])
    return np.asarray((segments[:, None] == segments) & overlap)


def _support(
    row: int, quotes: Sequence[Quote], likeness: npt.NDArray[np.float64], most: int
) -> tuple[str, ...]:
    """Return the quote's own segment, then one per other host that says the same, `most` in all.

    What is attributed to one page is said by no other.
    """
    cited, hosts = [quotes[row].segment_id], {quotes[row].host}
    if ATTRIBUTED.search(quotes[row].text):
        return tuple(cited)
    ranked = sorted(range(len(quotes)), key=lambda other: (-likeness[other], quotes[other].text))
    for other in ranked:
        if len(cited) == most or likeness[other] < _SAME_FACT:
            break
        if quotes[other].host not in hosts:
            cited.append(quotes[other].segment_id)
            hosts.add(quotes[other].host)
    return tuple(cited)


def _covered_share(choices: Choices, chosen: Sequence[int]) -> float:
    missed = np.prod(1.0 - choices.covers[list(chosen)], axis=0)
    return float((choices.weights * (1.0 - missed)).sum() / choices.weights.sum())
