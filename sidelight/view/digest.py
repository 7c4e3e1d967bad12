"""Digest of a topic, shown first: publisher and author, claims, and what others found.

Sentences of the report are matched with questions and grouped by subject, and claims of the article
are matched with what others say. Word similarity weighs words by how few sentences of an article
hold them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sidelight.english.names import CAPITAL
from sidelight.english.quantities import canonical
from sidelight.english.vocabulary import TIES
from sidelight.generation.pages import CORRECTION_PAGE, headline, tells_decision, without_source
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.schemas.investigation.evidence import FoundClaim
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import figures, sentences, stems, tokens
from sidelight.view.report import ShownSentence, Source, Told, source_of

if TYPE_CHECKING:
    from sidelight.view.shown_run import Made

Covers = Mapping[str, Mapping[str, float]]
"""By the text of a sentence, the chance that it answers each angle, by id."""


class Finding(NamedTuple):
    """A statement of others, and its sources.

    `number` is that of the report's sentence that says it; None where none does. `speaker` is who
    asserts it; empty where the sources state it as a fact.
    """

    text: str
    number: int | None
    speaker: str
    sources: tuple[Source, ...]


class ComparedClaim(NamedTuple):
    """A claim of an article, and what others say about it.

    `about` is the subject of the row; `says` is the claim, or what the article tells of itself.
    """

    about: str
    says: str
    findings: tuple[Finding, ...]


class Lead(NamedTuple):
    """Opening of the digest: who published the article, when, and who wrote it.

    `behind` is what others found about them, `claim` what they found about what it says first of
    all; None where they found nothing.
    """

    origin: str
    behind: Finding | None
    claim: Finding | None


class Paragraph(NamedTuple):
    """Sentences of a report on one subject, in the order of the report."""

    title: str
    sentences: tuple[ShownSentence, ...]


class Digest(NamedTuple):
    """The first screen; `lead` is None for a topic that is no article.

    `answers` has, for each question, the numbers of the sentences that answer it, the best first.
    """

    lead: Lead | None
    rows: tuple[ComparedClaim, ...]
    paragraphs: tuple[Paragraph, ...]
    answers: tuple[tuple[int, ...], ...]


_NAME = re.compile(rf"(?<!\w){CAPITAL}[\w'’-]*")
_OF_A_NAME, _OF_A_FIGURE = 0.5, 1.5  # what such words count for, beside 1 for any other


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    """Return the words of a text that occur in it with a capital only."""
    return stems(" ".join(_NAME.findall(text))) - stems(_NAME.sub(" ", text))


class Likeness:
    """Compares sentences: those on one figure are more alike than those that name one person.

    A word counts the more, the fewer of the `texts` have it; words of `ignored` say nothing here,
    such as the names of those who publish the article.
    """

    def __init__(self, texts: Iterable[str], ignored: str = "") -> None:
        bags = [stems(text) for text in texts]
        self._ignored = stems(ignored)
        self._holding = Counter(word for bag in bags for word in bag)
        self._n_texts = len(bags)

    def share(self, asked: str, text: str) -> float:
        """Return the weighted share of a question's words that a text mentions, in [0, 1]."""
        wanted = stems(asked)
        return self._weight(wanted & stems(text)) / (self._weight(wanted) or 1.0)

    def between(self, first: str, second: str) -> float:
        """Return how alike two sentences are, at least 0; nothing counts for one shared word."""
        one, other = stems(first), stems(second)
        shared = (one & other) - self._ignored
        if len(shared) < 2:
            return 0.0
        names = _names(first) & _names(second)
        return self._weight(shared, names) / sqrt(self._weight(other) or 1.0)

    def _weight(self, words: Iterable[str], names: Container[str] = ()) -> float:
        # Sorted, because a sum of floats depends on its order.
        return sum(
            log((self._n_texts + 1) / (self._holding[word] + 0.5))
            * (_OF_A_NAME if word in names else _OF_A_FIGURE if word[:1].isdigit() else 1.0)
            for word in sorted(words)
        )


PUBLISHER, AUTHOR = "Who publishes it", "Who wrote it"
CLAIMS, RELIED_ON, AROUND = "About its claims", "Whom it relies on", "The wider picture"
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


def paragraphs(
    sentences: Sequence[ShownSentence], subjects: Sequence[str]
) -> tuple[Paragraph, ...]:
    """Return a report by subject; a subject has the place of its first sentence.

    Sentences that follow one another and cite the same page first stay together, as does what
    begins with a pronoun: a reader may need one to understand the next. They have the subject of
    the first of them. A report that is one sentence without a source says that nothing was found,
    and has no subject.
    """
    if len(sentences) == 1 and not sentences[0].citations:
        return (Paragraph("", tuple(sentences)),)
    grouped: dict[str, list[ShownSentence]] = {}
    place, page = "", ""
    for sentence, subject in zip(sentences, subjects, strict=True):
        before, page = page, _page(sentence)
        if not place or not (_GOES_ON.match(sentence.text) or (page and page == before)):
            place = subject
        grouped.setdefault(place, []).append(sentence)
    return tuple(Paragraph(subject, tuple(group)) for subject, group in grouped.items())


def _page(sentence: ShownSentence) -> str:
    """Return the page that a sentence cites first."""
    return "".join(document_id_of(one.source.segment_id) for one in sentence.citations[:1])


_MOST_ANSWERS = 3
_LEAST_SHARE = 0.3  # of a question's words, from which a sentence answers it
_LEAST_OVERLAP = 0.3  # from which an angle and a question count as alike
# What a sentence was written to answer is an estimate, and questions of one form are alike. Below
# this share of the question's words, only a writer who was so sure counts.
_SOME_SHARE, _SURE = 0.1, 0.65
_FIGURE_ASKED = "figure of "
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”')
_YEAR = re.compile(r"(?:19|20)\d\d")
_RULED = re.compile(r"\b(?:breach(?:ed)?|ruled|upheld|uphold)\b", re.IGNORECASE)
_ASKS_OF_RULINGS = re.compile(r"\b(?:ruled|rulings|corrections|complaints)\b", re.IGNORECASE)
_TELLS_OF_RULINGS = re.compile(
    rf"{_RULED.pattern}|\b(?:amended|changed the (?:wording|headline|text))\b", re.IGNORECASE
)
_MOST_GOING_ON = 2  # sentences of a finding after its first


def answers(
    questions: Sequence[str],
    report: Sequence[str],
    angles: Mapping[str, Angle],
    covers: Covers,
    about: Mapping[str, Mapping[int, bool]] = MappingProxyType({}),
    corrections: Container[int] = (),
) -> tuple[tuple[int, ...], ...]:
    """Return for each question the numbers of the sentences that answer it, the best first.

    A sentence answers a question if it mentions what the question is about, if the writer took it
    to answer something that was asked in much the same words, if it gives a figure of the question,
    or if it tells of a ruling or a change of the article where the question asks for such, as those
    of `corrections` do. To a question where a figure comes from, no sentence without that figure is
    an answer; to one on somebody, none but the sentences that `about` has under that name, and all
    of which it says that their page is on them.
    """
    likeness = Likeness([*questions, *report])
    found = []
    for question in questions:
        overlaps = {one: _overlap(question, angle.question) for one, angle in angles.items()}
        alike = {one: share for one, share in overlaps.items() if share >= _LEAST_OVERLAP}
        asks_of_rulings = _ASKS_OF_RULINGS.search(question) is not None
        figure = _figures(question.partition(_FIGURE_ASKED)[2])
        outside = _QUOTED.sub("", question)
        named = [] if figure or asks_of_rulings else [one for one in about if one in outside]
        scores = {}
        for number, text in enumerate(report, start=1):
            given = _figures(text)
            if (figure and not figure & given) or (
                named and not any(number in about[one] for one in named)
            ):
                continue
            share = likeness.share(question, text)
            chances = covers.get(text, {}).items()
            taken = max((chance * alike.get(one, 0.0) for one, chance in chances), default=0.0)
            counts = share >= 2 * _SOME_SHARE and _figures(question) & given
            rules = asks_of_rulings and (number in corrections or _TELLS_OF_RULINGS.search(text))
            is_on = any(about[one].get(number) for one in named)
            scores[number] = max(
                share,
                taken if share >= _SOME_SHARE or taken >= _SURE else 0.0,
                _LEAST_SHARE * bool(figure or counts or rules or is_on),
            )
        best = sorted(scores, key=lambda number: (-scores[number], number))
        found.append(tuple(one for one in best if scores[one] >= _LEAST_SHARE)[:_MOST_ANSWERS])
    return tuple(found)


def _figures(text: str) -> set[str]:
    """Return the figures of a text that are no years, in one notation."""
    return {one for one in figures(canonical(text)) if not _YEAR.fullmatch(one)}


def _measured(text: str) -> set[str]:
    """Return the figures of a text that count more than two, percentages apart from all others."""
    shares = {one.split()[0] for one in re.findall(r"\d[\d,.]* percent", canonical(text))}
    found = _figures(text) - {"1", "2"}
    return {f"{one}%" if one in shares else one for one in found}


def _overlap(first: str, second: str) -> float:
    one, other = stems(first), stems(second)
    return len(one & other) / (len(one | other) or 1)


def _about(
    names: Iterable[str], sentences: Sequence[ShownSentence]
) -> Mapping[str, Mapping[int, bool]]:
    """Return by name the sentences that tell of it, each with whether its page is on that name."""
    found = {}
    for name in filter(str.strip, names):
        word = re.compile(rf"\b{re.escape(name.split()[-1])}\b")
        found[name] = {
            last.number: _is_of_page_on(name, last)
            for place, last in enumerate(sentences)
            if _is_of_page_on(name, last)
            or any(
                _page(one) == _page(last) and word.search(one.text)
                for one in sentences[max(0, place - _MOST_GOING_ON) : place + 1]
            )
        }
    return found


def _is_of_page_on(name: str, sentence: ShownSentence) -> bool:
    """Tell whether the page that a sentence cites first has a name for its headline."""
    titles = [headline(one.source.page.title) for one in sentence.citations[:1]]
    return name != "" and name.removeprefix("The ") in [one.removeprefix("The ") for one in titles]


_MOST_FINDINGS = 6  # in the table: it has to fit on a screen
_MOST_ON_PEOPLE = 2
_LEAST_CHANCE = 0.1  # from which a sentence is taken to be on what an angle is about
_LEAST_LIKENESS = 1.0  # from which a sentence is taken to be on a statement of the article
_LEAST_PAIRED = 1.3
# Without a figure or two names that both have, sentences pair by chance below. Of 50 rows of webs
# for development it takes 11: 6 of the 8 on another matter, 3 that said little, 2 that were right.
_ON_WORDS_ALONE = 2.0
_JOINS = re.compile(r"^(?:But|And|Yet|So|However,|Still,) ")  # to a sentence that is not shown
_HEADLINE = "headline"
_ADDRESS = re.compile(r"[\w-]+\.\w")  # "fencheck.example checked ..."


# Without words that mostly say something else: "its own test", "a widely shared story".
_NO_TIES = set(
    "board buy contract found income member own owner parent partner publish publisher purchase "
    "receive revenue sell share".split()
)
_TIES = {
    *(f"{tie}{end}" for tie in TIES - _NO_TIES for end in ("", "s", "es", "d", "ed", "ing")),
    *"bought founded owned owner owns paid sold".split(),
}
_HOLDS = re.compile(
    r"\bparent company\b|\b[Pp]ublisher is\b|\b(?:shares|stake)\b[^.;]{0,40}?\bheld\b"
    r"|\b(?:h[eo]ld(?:s|ing)?|own)\b[^.;]{0,40}?(?:\bper ?cent\b|%|\bshares\b|\bstake\b)"
)
_MOST_TIES, _NAMED = 3, 4.0  # naming publisher or author counts for more than all ties
_LONGEST_SENTENCE = 1_000  # characters; what follows is not looked at
_MONEY = re.compile(
    r"\b[A-Z]{0,3}[$£€]?\d{1,12}(?:[,.]\d{1,3}){0,4}\s(?:million|billion)\b|[$£€]\s?\d"
    r"|\b[A-Z]\d[\d,]{3,12}"
)
_CORRECTING = re.compile(
    r"\b(?:not|no|never|none|neither|nobody|false|wrong|misleading|incorrect|unproven|overstate[sd]?"
    r"|correct(?:ed|ion)|retract(?:ed|ion)|withdr[ae]w[n]?|exaggerate[sd]?)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"\b(?:correction|clarification|retraction)s?\b", re.IGNORECASE)
_SAYS = (
    r"(?:said|says|told|wrote|writes|claim|claims|claimed|state[sd]?|argue[sd]?|assert(?:s|ed)|put|puts"
    r"|report(?:s|ed)|warn(?:s|ed)|predict(?:s|ed)|quote[sd]|repeat(?:s|ed)|call(?:s|ed)"
    r"|describe[sd])\b"
)
_ARTICLE = (
    r"(?:[Tt]he|[Aa]n?|[Tt]hat|[Tt]his|[Ii]ts|[Hh]is|[Hh]er|[Tt]heir)\s(?:[\w'’-]{1,20}\s){0,2}"
    r"(?:article|story|column|piece|headline|feature|editorial|op-ed|essay)\b"
)
_MADE_IT = (
    "author|columnist|reporter|writer|blog|journal|magazine|newspaper|outlet|publisher|website"
)
_CONTRAST = re.compile(
    r";|\b(?:but|however|although|though|while|whereas|yet|instead|despite|without|nothing)\b",
    re.IGNORECASE,
)


def _opposes(text: str) -> bool:
    """Tell whether a text denies something, or sets it against something else."""
    return bool(_CORRECTING.search(text) or _CONTRAST.search(text))


# "between 540 and 780 jobs", "1,312 peat jobs"; not percentages, sums and times.
_COUNTED = re.compile(
    r"\b(?P<first>\d[\d,]{0,15})(?![\d,])(?:\s+(?:and|to|or)\s+(?P<second>\d[\d,]{0,15}))?\s+"
    r"(?:[a-z]+\s+)?(?P<what>[A-Za-z]{3,})"
)
_NO_COUNT = stems("percent cent per million billion thousand year month week day hour minute")


def _counts(text: str) -> dict[str, set[str]]:
    """Return the figures of a text by the noun that they count."""
    found: dict[str, set[str]] = {}
    for match in _COUNTED.finditer(text[:_LONGEST_SENTENCE]):
        for what in stems(match["what"]) - _NO_COUNT:
            figures = filter(None, (match["first"], match["second"]))
            found.setdefault(what, set()).update(one.rstrip(",") for one in figures)
    return found


def _counts_otherwise(text: str, others: Iterable[str]) -> bool:
    """Tell whether a text has other figures than all that others have for the same thing."""
    counted = _counts(text)
    known: dict[str, set[str]] = {}
    for other in others:
        for what, counts in _counts(other).items():
            known.setdefault(what, set()).update(counts)
    return any(what in known and not counts & known[what] for what, counts in counted.items())


class _Pair(NamedTuple):
    """A finding, the sentence of the article that it is about, and how sure that is."""

    says: str
    finding: Finding
    score: float


class Reading:
    """A report beside the article that it is on: what each sentence is on, and what it answers.

    `subjects` has what each sentence is on. `covers` is of angles that `angles` has; where it is
    empty, a sentence is compared with those of the article.
    """

    def __init__(
        self,
        told: Told,
        sentences: Sequence[ShownSentence],
        angles: Mapping[str, Angle],
        covers: Covers,
    ) -> None:
        self._told = told
        self._said = told.sentences
        self._angles = angles
        self._covers = dict(covers)
        ignored = " ".join([told.publisher, *told.authors])
        self._likeness = Likeness([*told.sentences, told.title], ignored)
        names = [re.escape(name) for name in (told.publisher, *told.surnames) if name]
        who = "|".join([_ARTICLE, *(rf"(?:[\w.'’-]{{1,20}}\s){{0,3}}{name}\b" for name in names)])
        # "A story published on Feb. 11 described ..."; what goes on from it may say more of it.
        self._tells = re.compile(
            rf"(?:{who})(?:[^.;:]|\b[A-Z][a-z]{{2,3}}\.){{0,40}}?\s{_SAYS}"
            rf"|According to (?:{who})|(?:He|She|It|They)(?:\salso)?\s{_SAYS}"
        )
        # "The Beacon" of the "Marrowick Beacon".
        short = map(re.escape, told.publisher.split()[1:][-1:])
        self._made_it = re.compile(rf"\b[Tt]he (?:{'|'.join([_MADE_IT, *short])})\b")
        self.subjects: list[str] = []
        for sentence in sentences:
            before = self.subjects[-1] if self.subjects else AROUND
            self.subjects.append(self._subject(sentence, before))
        self._by_subject: dict[str, list[ShownSentence]] = {}
        goes_on = False
        for sentence, after, subject in zip(
            sentences, (*sentences, None)[1:], self.subjects, strict=True
        ):
            # Away from the sentence before it, "It also found ..." cannot be understood.
            is_part = goes_on or _GOES_ON.match(sentence.text) is not None
            goes_on = not is_part and after is not None and self._goes_on(sentence, after)
            whole = self._joined(sentence, after) if goes_on and after else sentence
            if whole.citations and not (is_part or self._retells(whole.text)):
                self._by_subject.setdefault(subject, []).append(whole)

    def table(
        self, claims: Iterable[FoundClaim], known: Mapping[str, Source]
    ) -> tuple[Lead, tuple[ComparedClaim, ...]]:
        """Return the lead, and what the article says beside what others say.

        `claims` are statements that a reader found in the sources; `known` are sources by segment
        id, those that the report does not cite included.
        """
        pairs = self._pairs()
        lead = Lead(self._origin(), self._behind(), self._main(pairs))
        pairs += self._against(claims, known)
        rows = self._who_rows(lead)
        left = _MOST_FINDINGS - sum(len(row.findings) for row in rows)
        # Each sentence of the article with its surest finding; that of the lead is on top.
        best: dict[str, Finding] = {}
        for pair in sorted(pairs, key=lambda pair: (pair.finding != lead.claim, -pair.score)):
            best.setdefault(pair.says, pair.finding)
        claimed = [ComparedClaim(CLAIMS, says, (finding,)) for says, finding in best.items()]
        return lead, (*rows, *claimed[:left])

    def _subject(self, sentence: ShownSentence, before: str) -> str:
        """Return what a sentence is on, if need be what the one before it is on."""
        text = sentence.text
        if places := self._named(sentence):
            return min(places, key=lambda subject: places[subject])
        chances = [
            (chance, -_ORDER.index(_BY_ASPECT[self._angles[angle_id].aspect]))
            for angle_id, chance in self._covers.get(text, {}).items()
            if chance >= _LEAST_CHANCE
        ]
        if chances:
            return _ORDER[-max(chances)[1]]
        if self._covers:
            return before
        alike = (self._likeness.between(text, one) for one in self._said)
        return CLAIMS if max(alike, default=0.0) >= _LEAST_LIKENESS else AROUND

    def _named(self, sentence: ShownSentence) -> dict[str, int]:
        """Return where a sentence names publisher and author; at its end where its page does."""
        told, text = self._told, sentence.text
        places = {PUBLISHER: told.names_publisher(text), AUTHOR: told.names_author(text)}
        on = {PUBLISHER: (told.publisher,), AUTHOR: told.authors}
        return {
            subject: len(text) if place is None else place
            for subject, place in places.items()
            if place is not None or any(_is_of_page_on(one, sentence) for one in on[subject])
        }

    def _goes_on(self, one: ShownSentence, two: ShownSentence) -> bool:
        """Tell whether a sentence goes on from another of its page, or answers what it retells.

        A correction follows what was printed.
        """
        corrects = _corrects(one) > 1 and self._tells.match(one.text)
        answers = corrects or (_opposes(two.text) and self._retells(one.text))
        follows = answers or _GOES_ON.match(two.text)
        return bool(follows) and _page(one) != "" and _page(one) == _page(two)

    def _joined(self, one: ShownSentence, two: ShownSentence) -> ShownSentence:
        """Return two sentences as one finding, which answers what either does."""
        text = f"{one.text} {two.text}"
        first, second = (self._covers.get(each.text, {}) for each in (one, two))
        self._covers[text] = {
            angle_id: max(first.get(angle_id, 0.0), second.get(angle_id, 0.0))
            for angle_id in {**first, **second}
        }
        return one._replace(text=text, citations=one.citations + two.citations)

    def _retells(self, text: str) -> bool:
        """Tell whether a text says only what the article says, and nothing that was found on it.

        What the publisher or an author said counts as the article's if the article has it, too.
        """
        return (
            not _opposes(text)
            and all(map(self._tells.match, sentences(text)))
            and self._nearest(text, {})[1] >= _LEAST_LIKENESS
            and not _counts_otherwise(text, self._said)
        )

    def _origin(self) -> str:
        outlet, date, names = self._told.publisher, self._told.date, _listed(self._told.authors)
        on = "on" if re.search(r"\b\d{1,2}\b", date) else "in"  # a day, or a month
        when = f" {on} {date}" if date else ""
        named = f"Published by {outlet}{when}"
        published = named if outlet else f"Publisher not identified{when and f'; published{when}'}"
        origin = f"{published}; {f'written by {names}' if names else 'no author named'}."
        return f"{self._told.notice} {origin}".lstrip()

    def _behind(self) -> Finding | None:
        """Return what was found about who owns, pays or employs publisher or author."""
        found = [one for group in self._by_subject.values() for one in group]
        found = [
            one for one in found if self._tie(one)[0] >= _NAMED + 1 and not tells_decision(one.text)
        ]
        return _finding(max(found, key=self._tie_said)) if found else None

    def _tie_said(self, sentence: ShownSentence) -> tuple[bool, tuple[float, float]]:
        """Return whether a sentence says itself whose tie it is, then what `_tie` does."""
        named = any(place < len(sentence.text) for place in self._named(sentence).values())
        return named or self._means_maker(sentence), self._tie(sentence)

    def _means_maker(self, sentence: ShownSentence) -> bool:
        """Tell whether a sentence says "the magazine" or the like, where its source names it."""
        if not self._made_it.search(sentence.text):
            return False
        told = " ".join(text for one in sentence.citations for text, _ in one.source.passages)
        return self._told.names_maker(told)

    def _tie(self, sentence: ShownSentence) -> tuple[float, float]:
        """Return how much a sentence tells of owners and money, then what it answers."""
        text = sentence.text[:_LONGEST_SENTENCE]
        ties = len(_TIES.intersection(tokens(text))) + bool(_HOLDS.search(text))
        told = min(_MOST_TIES, ties) + 0.5 * bool(_MONEY.search(text))
        is_named = bool(self._named(sentence)) or self._means_maker(sentence)
        chances = self._covers.get(sentence.text, {}).items()
        worth = max((chance * self._angles[one].weight for one, chance in chances), default=0.0)
        return told + _NAMED * is_named, worth

    def _main(self, pairs: Sequence[_Pair]) -> Finding | None:
        """Return the finding that says most plainly what the article's main statements leave out.

        Decisions and corrections come first, then rulings, denials and other figures for what the
        headline or the article counts; of these, what is most like both.
        """
        best = {pair.finding.number: pair for pair in sorted(pairs, key=lambda pair: pair.score)}
        found = list(self._by_subject.get(CLAIMS, ()))
        around = self._by_subject.get(AROUND, ())
        found += [one for one in around if one.number in best and _corrects(one)]
        found += [one for one in self._by_subject.get(PUBLISHER, ()) if _corrects(one)]
        found = [one for one in found if not (self._repeats(one.text) or _is_plea(one))]
        others = (*self._by_subject.get(RELIED_ON, ()), *around)
        found += [one for one in others if tells_decision(one.text) and one not in found]

        def against(sentence: ShownSentence) -> int:
            text, title = sentence.text, self._told.title
            parts = sentences(text)
            return (
                _corrects(sentence)
                + bool(_RULED.search(text))
                + any(_counts_otherwise(one, [title]) for one in parts)
                + any(_counts_otherwise(one, self._said) for one in parts)
            )

        def speaks(sentence: ShownSentence) -> float:
            text, title = sentence.text, self._told.title
            pair = best.get(sentence.number)
            like = self._likeness.between(text, title)
            like += pair.score + self._likeness.between(pair.says, title) if pair else 0.0
            like += self._covers.get(text, {}).get(_HEADLINE, 0.0)
            return like + 3.0 * against(sentence)

        # What only describes the matter, without a figure of its own, is no record of it.
        known = _figures(" ".join(self._said))
        found = [one for one in found if against(one) or _figures(one.text) - known]
        found = [one for one in found if _corrects(one) > 1] or found
        return _finding(max(found, key=speaks)) if found else None

    def _repeats(self, text: str) -> bool:
        """Tell whether a text gives the headline's figure again, and nothing against it."""
        same = figures(text) & figures(self._told.title)
        against = _opposes(text) or _RULED.search(text) or _counts_otherwise(text, self._said)
        return bool(same) and not against

    def _who_rows(self, lead: Lead) -> list[ComparedClaim]:
        """Return a row on the publisher and one on the author, without what the lead says."""
        rows = []
        for subject, says in ((PUBLISHER, self._told.publisher), (AUTHOR, self._about_author())):
            on_it = sorted(self._by_subject.get(subject, ()), key=self._tie, reverse=True)
            found = [_finding(one) for one in on_it if self._tie(one)[0] >= _NAMED]
            fresh = [one for one in found if one != lead.behind] or found
            if says and fresh:
                rows.append(ComparedClaim(subject, says, tuple(fresh[:_MOST_ON_PEOPLE])))
        return rows

    def _about_author(self) -> str:
        """Return how the article presents its author, or the name."""
        for text in (*self._said[::-1], *self._said):
            if self._told.names_author(text) is not None:
                return text
        return f"By {_listed(self._told.authors)}" if self._told.authors else ""

    def _pairs(self) -> list[_Pair]:
        """Return each finding with the sentence of the article that it has most in common with."""
        pairs = []
        for subject, group in self._by_subject.items():
            for sentence in group if subject not in {PUBLISHER, AUTHOR} else ():
                text = sentence.text
                says, score = self._nearest(text, self._covers.get(text, {}))
                counted = _measured(text) & _measured(says)
                alike = counted or len(_names(text) & _names(says)) > 1
                if score >= (_LEAST_PAIRED if alike else _ON_WORDS_ALONE):
                    pairs.append(_Pair(says, _finding(sentence), score))
        return pairs

    def _nearest(self, text: str, covers: Mapping[str, float]) -> tuple[str, float]:
        """Return the statement of the article most like a text, and how alike they are."""
        best, most = "", 0.0
        asked = [(self._angles[one].question, chance) for one, chance in covers.items()]
        for said in self._said:
            alike = self._likeness.between(text, said)
            if alike:
                # A question may quote the sentence that it asks about.
                alike += max((chance for one, chance in asked if said in one), default=0.0) / 2
            if alike > most and said not in self._told.prompts:
                best, most = said, alike
        return best, most

    def _against(self, claims: Iterable[FoundClaim], known: Mapping[str, Source]) -> list[_Pair]:
        """Return what sources were read to say against the article."""
        pairs = []
        for claim in claims:
            says, score = self._nearest(claim.against, {}) if claim.against else ("", 0.0)
            sources = tuple(known[one] for one in claim.segment_ids if one in known)
            if score >= _LEAST_LIKENESS and sources and not self._retells(claim.text):
                finding = Finding(claim.text, None, claim.speaker, sources)
                pairs.append(_Pair(says, finding, score))
        return pairs


def _is_plea(sentence: ShownSentence) -> bool:
    """Tell whether a sentence rests on press releases alone: what a party says is no record."""
    kinds = {one.source.kind for one in sentence.citations}
    return kinds == {"press release"}


def ties_told(told: Told, evidence: Iterable[Segment]) -> dict[str, int]:
    """Return by document id how many words of owners, money and posts one sentence of it has.

    It names publisher or author itself, or with one word less the title of its page does.
    """
    found: dict[str, int] = {}
    for segment in evidence:
        page = document_id_of(segment.segment_id)
        is_on_it = told.names_maker(segment.title)
        for text in sentences(segment.text):
            words = len(_TIES.intersection(tokens(text))) + bool(_HOLDS.search(text))
            if words > found.get(page, 0):
                ties = words if told.names_maker(text) else (words - 1) * is_on_it
                found[page] = max(found.get(page, 0), ties)
    return found


def _corrects(sentence: ShownSentence) -> int:
    """Return 2 for decisions and pages of corrections, 1 for what denies something, else 0."""
    pages = (one.source for one in sentence.citations)
    if tells_decision(sentence.text) or any(
        one.kind == CORRECTION_PAGE or _CORRECTION.search(one.page.title) for one in pages
    ):
        return 2
    return int(_CORRECTING.search(sentence.text) is not None)


def _finding(sentence: ShownSentence) -> Finding:
    named = {one.source.segment_id: one.source for one in sentence.citations if one.supports}
    text = _JOINS.sub("", sentence.text)
    if not _ADDRESS.match(text):
        text = f"{text[:1].upper()}{text[1:]}"
    return Finding(text, sentence.number, "", tuple(named.values()))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def digest(
    made: Made, told: Told | None, sentences: Sequence[ShownSentence], sources: Iterable[Source]
) -> Digest:
    """Return the first screen of a topic; `told` is None where the topic is no article."""
    trace = made.trace or Trace()
    angles = trace.angles()
    plain = [one._replace(text=without_source(one.text)) for one in sentences]
    covers = {
        without_source(one.text): {
            angle_id: chance for angle_id, chance in one.covers.items() if angle_id in angles
        }
        for draft in trace.drafts()
        for one in draft.sentences
    }
    people = trace.profile.people if trace.profile else ()
    about = _about((told.publisher, *told.authors, *people) if told else (), plain)
    texts, corrections = [one.text for one in plain], [n.number for n in plain if _corrects(n) > 1]
    found = answers(made.questions, texts, angles, covers, about, corrections)
    if told is None:
        return Digest(None, (), (Paragraph("", tuple(sentences)),) if sentences else (), found)
    reading = Reading(told, plain, angles, covers)
    claims = {
        claim.model_dump_json(): claim
        for selected in trace.selections()
        for claim in selected.claims
    }
    origins = made.origins()
    known = {one.segment_id: source_of(one, origins, 0, ()) for one in made.evidence}
    known |= {source.segment_id: source for source in sources}
    lead, rows = reading.table(claims.values(), known)
    return Digest(lead, rows, paragraphs(sentences, reading.subjects), found)
