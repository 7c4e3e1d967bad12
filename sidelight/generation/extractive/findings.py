"""Findings: what pages tell beyond an article, in one to three sentences that stand alone.

The sentences of a page on the article's matter are read by the parser. What is shown stands as it
is written, but for four marks of an editor: words that only tie a sentence to the one before
("But", "However") go; a pronoun or "the company" is replaced by the name it stands for, in square
brackets; when the page was written follows a date such as "last week", in brackets, too; and what a
page says in its own cause is attributed to it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

from sidelight.english.names import definite, looks_personal, mentions, name_forms, strip_title
from sidelight.english.neutrality import passes_verdict
from sidelight.english.parser import FINITE, Sentence, parse
from sidelight.english.vocabulary import (
    BODIES,
    DECIDES,
    INQUIRES,
    OUTLETS,
    RATES,
    STUDY_PARTS,
    UNIQUE,
)
from sidelight.generation.extractive.known import MIN_WORDS, TOP, Known, Page
from sidelight.generation.pages import (
    CORRECTION_PAGE,
    DECIDED,
    LISTS,
    OWN,
    SAYS_OF,
    VERDICT,
    claim_checked,
    is_before,
    page_date,
)
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.text import count_words, tokens

_MIN_FOLLOWING, _MAX_WORDS = 3, 45
_MAX_TOLD, _MAX_TOLD_WORDS, _MAX_LISTED = 3, 75, 20
_LOOK_BACK = 3

# Openings that tie a sentence to the one before; without them it says the same.
_TIES = re.compile(
    r"^(?:(?:But|And|So|Yet|Or|Also|Still|However|Moreover|Furthermore|Meanwhile|Nevertheless"
    r"|Nonetheless|Instead|Indeed|Besides|Then|Now|In fact|In addition|By contrast|In contrast"
    r"|Even so|That said|At the same time|As a result|Of course|Additionally|Similarly"
    r"|Consequently|Therefore|Thus|Overall|Finally|In total|In all)(?:,\s+|\s+(?=[a-z]))"
    r"|(?:First|Second|Third|Fourth|Fifth)(?:ly)?,\s+)+"
)
# What opens a sentence that corrects or qualifies the one before it.
_QUALIFIES = re.compile(
    r"^(?:But|However|Yet|Nevertheless|Nonetheless|In fact|By contrast|In contrast|Even so"
    r"|That said|Instead|Later|It later|That (?:figure|number|claim|estimate|statement))\b"
)
_PRINTED = r"(?:said|wrote|stated|reported|described|gave|called|claimed|quoted|named)\b"
_WRONG = re.compile(
    rf"(?:\d{{1,2}} \w+\. )?(?:(?:[IO]n [^.]{{3,80}},? )?[Ww]e (?:also )?{_PRINTED}"
    r"|(?:An?|The|Our|This) (?:\w+ )?"
    r"(?:report|article|story|item|piece|headline|column|version)\b"
    rf"[^.]{{0,200}}?\b{_PRINTED})"
)
# What a ruling finds against somebody, and what it does not.
_UPHELD = re.compile(r"\b(?:uph[eo]ld\w*|breach(?:ed|es)|in breach|broke the)\b", re.IGNORECASE)
_CLEARED = re.compile(
    r"(?:\b(?:no|not|nor|neither)\b|n['’]t\b)[^.;]{0,60}\b(?:uph[eo]ld|breach\w*|fault|finding)\b"
    r"|\bfinds? no\b",
    re.IGNORECASE,
)
_MOST_QUOTED, _MOST_UNATTRIBUTED = 0.8, 0.4  # share of a sentence between quotation marks
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
_SECOND = frozenset({"you", "your", "yours", "yourself"})
# What stands under, or behind, such a heading is what a check examines.
_CLAIM = re.compile(r"(?:the )?(?:claim|statement)s?(?: checked| examined)?:?", re.IGNORECASE)
# Headings of a decision: what its parties said, and what was decided.
_HEARD, _DECIDED = (
    re.compile(
        rf"(?:\w{{1,2}}\. )?(?:the |summary of )*(?:\w+['’]s )?(?:{words})\b(?: \S+){{0,4}}",
        re.IGNORECASE,
    )
    for words in (
        "complaints?|promotion|ad|advertisement|issues?|responses?|reply|submissions|background",
        "adjudication|analysis|assessment|conclusions?|decision|discussion|findings?|order|outcome",
    )
)
_HEADING = 6  # words at most
# The cosine with a sentence of the article. Of the findings of pages of corrections that come so
# near, all 14 were marked useful on 15 webs for development, and 16 of 22 on webs marked since.
_CORRECTS = 0.45
_COMPLAIN, _PLEAD = frozenset({"complain"}), frozenset({"answer", "argue", "reply", "respond"})
# A check gives its verdict under or behind such a word, a decision what it comes to.
_VERDICT = re.compile(
    r"(?:(?:our|the) )?(?:conclusion|decision|finding|outcome|rating|ruling|verdict)"
    r"(?:\W*$|: (?=\S))",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"(?:the )?complaints?\b[^.]{0,80}\b(?:upheld|dismissed|rejected)\b"
    r"|(?:it is )?(?:not )?upheld\b",
    re.IGNORECASE,
)
_IN_FAVOUR = re.compile(r"(?<!\bnot )\bupheld\b", re.IGNORECASE)
_ON_GROUNDS = re.compile(
    r"(?:the )?complaints?\b|upheld (?:in part|under|as to|on)\b", re.IGNORECASE
)
_NAMES_A_RULING = re.compile(
    r"\b(?:adjudication|case|decision|determination|ruling|vs?)\b", re.IGNORECASE
)
_NO_VERDICT = re.compile(
    r"(?:updated?|published|corrections?|sources?|(?:check|edit|review)ed by|we(?! rate)|how we|our"
    r"|if|write)\b",
    re.IGNORECASE,
)
_RATED = re.compile(r"[A-Z]{4,}(?: [A-Z]{2,}){0,3}\.")  # "MOSTLY FALSE."
_OVERALL = re.compile(
    r"(?!previous|former)(?:\w+ )?(?:overall|score|rating|label|band)\b", re.IGNORECASE
)
_MAX_OUTCOME = 60  # words
# "Clause 1 (Accuracy)" where a decision cites what it rests on, and "Clauses 1(i) and 3" behind it.
_CLAUSE_NAMED = re.compile(r"\b(\d{1,2})(?:\([ivx]{1,4}\))? \(([A-Za-z][^()\d]{3,60})\)")
_CLAUSES = re.compile(r"\b(?:Article|Clause|Principle|Rule|Section|Standard)s? \d[^.]*")
_CLAUSE = re.compile(r"\b(?P<number>\d{1,2})(?:\([ivx]{1,4}\))?(?! ?\()(?=[,.;:]| and\b|\W*$)")
_TURN = re.compile(r"^[A-Z][A-Z .'’-]{2,30}: ", re.MULTILINE)  # of a transcript
# "(a)" and the like are told apart where the page lists them.
_ITEM = re.compile(r"\((?:[a-h]|[ivx]{1,4})\)")
_LEAST_STUDY_PARTS = 3
_AUTHORS = "the study's authors"
_JOURNAL = re.compile(r"\b(?:Journal|Annals|Archives|Proceedings|Transactions|Review) (?:of|for)\b")
_HIM, _HER = frozenset({"he", "him", "his"}), frozenset({"she", "her", "hers"})
_OF_A_SEX = frozenset("dame lady lord miss mr mrs ms sir".split())  # of a couple either
_ANAPHORIC = frozenset("before earlier later same previous following next then".split())
_SPOKESPEOPLE = frozenset({"representative", "spokesman", "spokesperson", "spokeswoman"})
_POLITE = frozenset({"glad", "grateful", "happy", "pleased", "sorry"})
_OF_ONE = {"are": "is", "have": "has"}
_DAYS = frozenset({"yesterday", "tomorrow", "tonight"})
_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})
_ITS = frozenset({"it", "its"})
_ARTICLES = frozenset({"article", "item", "piece", "report", "story"})
_JOINS = frozenset({"of", "and", "for", "the", "&", "de"})
_QUOTES = str.maketrans('“”"', "‘’'")
OWN_CAUSE = frozenset({OWN, "press release", "shop", "opinion", "blog"})


class Unit(NamedTuple):
    """A sentence of a page as it can be shown, its parse, and its `number` on the page."""

    text: str
    sentence: Sentence
    number: int


@dataclass(frozen=True, eq=False)
class Finding:
    """One to three sentences of a page that stand alone, and a segment that holds all of them.

    One that `decides` is the verdict of a check, the outcome of a complaint, an overall rating, or
    what a page of corrections has on what the article says.
    """

    texts: tuple[str, ...]
    units: tuple[Unit, ...]
    segment_id: str
    page: Page
    decides: bool = False

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(self.texts)

    @property
    def sentences(self) -> list[Finding]:
        """Each sentence as a finding of its own; a decision, told as one, is a single sentence."""
        if len(self.texts) == 1:
            return [self]
        return [replace(self, texts=(unit.text,), units=(unit,)) for unit in self.units]


def find_findings(page: Page, known: Known, wanted: Container[str]) -> Iterator[Finding]:
    """Yield what a page tells beyond the article.

    A finding begins with a sentence that stands alone. What follows on the page is told behind it,
    and may point at it. A sentence that the next one corrects is only told with it. Around the
    sentences that are wanted others are read with them.
    """
    if known.why_unused(page):
        return
    yield from _listed(page, known)
    yield from _decided(page, known)
    lines = list(page.lines)
    near = known.shared(page).near
    is_corrected = page.origin.kind == CORRECTION_PAGE
    of_others = _of_earlier(lines, known.profile.written) if is_corrected else set()
    upheld = {i for i, one in enumerate(lines) if _UPHELD.search(one) and not _CLEARED.search(one)}
    heard = _heard(lines, page)
    pleads = _COMPLAIN | (_PLEAD if _is_decision(page) else frozenset())
    reader = _Reader(page, known, {number for number, line in enumerate(lines) if line in wanted})
    for number, line in enumerate(lines):
        if number in heard:
            continue
        told: tuple[Unit, ...] = ()
        for place in range(number, min(number + _MAX_TOLD, len(lines))):
            if told and not page.holding(line, lines[place]):
                break
            unit = reader.unit(place, after=told)
            if unit is None:
                break
            told = (*told, unit)
            if sum(count_words(one.text) for one in told) > _MAX_TOLD_WORDS:
                break
            following = lines[place + 1] if place + 1 < len(lines) else ""
            if _QUALIFIES.match(following) and page.holding(line, following):
                continue
            if is_corrected and _WRONG.match(lines[place]):
                continue  # what was printed, without what is so
            if _is_half_decided(told, upheld, pleads):
                continue
            if not all(known.copies(one.text, near[one.number]) for one in told):
                (held, *_) = page.holding(line, lines[place])
                decides = is_corrected and any(
                    near[one.number] >= _CORRECTS and one.number not in of_others for one in told
                )
                yield Finding(tuple(one.text for one in told), told, held, page, decides)


def _of_earlier(lines: Sequence[str], written: str) -> set[int]:
    """Return the numbers of the lines that stand under a date before an article was written.

    What is corrected there is another article.
    """
    found: set[int] = set()
    above = ""
    for number, line in enumerate(lines):
        above = page_date("", line) or above
        if is_before(above, written):
            found.add(number)
    return found


def _listed(page: Page, known: Known) -> Iterator[Finding]:
    """Yield the lines of a rating of the outlet, and those of a biography, as what the page lists.

    They are no sentences: scores ("Reliability: 54/100") and posts ("Editor, the Courier · 2019").
    """
    title, label = _title_entity(page, parse(list(page.lines)[:TOP]), known)
    whose = (
        title if label == "PERSON" and title in known.profile.authors + known.profile.people else ""
    )
    rates = page.origin.kind == "media rating" and mentions(page.text, known.profile.outlet)
    if not whose and not rates:
        return
    lines = list(page.lines)
    for number, one in enumerate(parse(lines)):
        text = one.text.rstrip(" .;")
        if one.is_finite or not 3 <= count_words(text) <= _MAX_LISTED or '"' in text:
            continue
        is_rating = rates and not mentions(text, known.profile.outlet)  # as headings do
        if whose and one.years and one.named("ORG", "PERSON", "GPE", "FAC"):
            told = LISTS.format(whose)
        elif is_rating and one.label and any(t.lemma_.casefold() in RATES for t in one.doc):
            told = SAYS_OF.format(page.origin.name, known.profile.publisher)
        else:
            continue
        held = page.lines[lines[number]][0]
        decides = is_rating and _OVERALL.match(text) is not None
        shown = f"{told} “{text}”."
        yield Finding((shown,), (Unit(shown, one, number),), held, page, decides)


def _decided(page: Page, known: Known) -> Iterator[Finding]:
    """Yield the verdict of a page that checks a claim, or the outcome of a complaint.

    They are told in scraps: "MOSTLY FALSE." or "12. Upheld under Clause 1."
    """
    lines = list(page.lines)
    if page.origin.kind == "fact check":
        taken = _verdict(lines) if known.is_checked(page) else []
        told = VERDICT.format(page.origin.name or "The check", claim_checked(page.title))
    else:
        whom = _on_whom(page, known.profile)
        taken = _outcome(lines) if whom and _is_decision(page) else []
        day = f" in {page.month}" * bool(page.month)
        told = DECIDED.format(page.origin.name or "The page", day, whom)
    while taken and not page.holding(lines[taken[0]], lines[taken[-1]]):
        taken.pop()
    if taken:
        text = " ".join(_unlabelled(lines[number]) for number in taken)
        text = _clauses_named(text.translate(_QUOTES).rstrip("."), page)
        shown = f"{told} “{text}”."
        parsed = parse([lines[number] for number in taken])
        units = tuple(Unit(shown, one, number) for one, number in zip(parsed, taken, strict=True))
        (held, *_) = page.holding(lines[taken[0]], lines[taken[-1]])
        yield Finding((shown,), units, held, page, decides=True)


def _verdict(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the sentences with which a check gives its verdict."""
    for number in reversed(range(len(lines))):
        heading = _VERDICT.match(lines[number])
        is_alone = heading is not None and heading.end() == len(lines[number])
        if heading or _RATED.fullmatch(lines[number]):
            first = number + is_alone
            break
    else:
        return []
    taken: list[int] = []
    for number in range(first, min(first + _MAX_TOLD, len(lines))):
        words = sum(count_words(lines[one]) for one in (*taken, number))
        is_heading = bool(taken) and lines[number][-1].isalnum()
        if words > _MAX_OUTCOME or is_heading or _NO_VERDICT.match(lines[number]):
            break
        taken.append(number)
    # "It is right that ...", without the "But" that follows, would mislead.
    after = taken[-1] + 1 if taken else 0
    if len(taken) > 1 and after < len(lines) and _QUALIFIES.match(lines[after]):
        taken.pop()
    return taken


def _outcome(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the sentences that say what was upheld of a complaint as a whole.

    What ends a paragraph on one point of it is no sentence of its own, and does not name it.
    """
    taken = [number for number in range(len(lines)) if _is_outcome(lines, number)][-1:]
    while taken and taken[-1] + 1 < len(lines) and _OUTCOME.match(lines[taken[-1] + 1]):
        taken.append(taken[-1] + 1)
    return taken


def _is_decision(page: Page) -> bool:
    """Tell whether a page is a decision itself: others report one that somebody else made."""
    return (
        page.origin.kind in {"", "public body"} and _NAMES_A_RULING.search(page.title) is not None
    )


def _is_outcome(lines: Sequence[str], number: int) -> bool:
    """Tell whether a sentence says what was upheld of a whole complaint."""
    text, before = _unlabelled(lines[number]), lines[number - 1] if number else ""
    if not _OUTCOME.match(text) or not _IN_FAVOUR.search(text):
        return False
    begins = not before or before.rstrip(".").isdigit() or before[-1].isalnum()
    is_whole = "omplaint" in text or begins  # a paragraph begins behind its number or a heading
    return text != lines[number] or (is_whole and _ON_GROUNDS.match(text) is not None)


def _clauses_named(text: str, page: Page) -> str:
    """Return an outcome with the names of its clauses: "Clause 1 [on accuracy]"."""
    names: dict[str, str] = {}
    for number, name in _CLAUSE_NAMED.findall(page.text):
        names.setdefault(number, name[0].lower() + name[1:])

    def named(clause: re.Match[str]) -> str:
        name = names.pop(clause["number"], "")
        return f"{clause.group()} [on {name}]" if name else clause.group()

    return _CLAUSES.sub(lambda cited: _CLAUSE.sub(named, cited.group()), text)


def _unlabelled(line: str) -> str:
    """Return a line without a label such as "Outcome: " before what it says."""
    match = _VERDICT.match(line)
    return line[match.end() :] if match else line


def _on_whom(page: Page, profile: ArticleProfile) -> str:
    """Return what a complaint is about: the article, whose title it has, or its outlet."""
    title, text = (" ".join(tokens(one)) for one in (profile.title, page.text))
    if title and title in text:
        return "the article"
    is_named = profile.publisher and mentions(page.title, name_forms(profile.publisher))
    return profile.publisher if is_named else ""


class _Reader:
    """Reads the sentences of a page one by one."""

    def __init__(self, page: Page, known: Known, wanted: set[int]) -> None:
        self._page = page
        self._known = known
        self._lines = list(page.lines)
        self._wanted = {near for number in wanted for near in range(number - 2, number + 3)}
        read = sorted({n - back for n in self._wanted for back in range(_LOOK_BACK + 1)})
        read = [number for number in read if 0 <= number < len(self._lines)]
        parsed = parse([self._lines[number] for number in read])
        self._parsed = dict(zip(read, parsed, strict=True))
        addressing = sum(one.addresses_somebody for one in parsed if one.is_finite)
        finite = sum(one.is_finite for one in parsed)
        is_own = page.origin.kind in OWN_CAUSE
        # What "we" did is told by a guest as often as by who publishes an interview.
        words = Counter(tokens(page.text))
        is_study = len(STUDY_PARTS & words.keys()) >= _LEAST_STUDY_PARTS
        if is_study or _JOURNAL.search(page.origin.name):
            self._we = _AUTHORS
        else:
            self._we = "" if len(_TURN.findall(page.text)) > 1 else page.origin.name
        self._own_voice = is_own or addressing * 4 > finite
        self._full_names = _full_names(parsed)
        self._definite = cache(partial(definite, body=page.text))
        self._title_entity = _title_entity(page, parsed, known)
        self._on_a_woman = words["she"] + words["her"] > words["he"] + words["his"] + words["him"]

    def unit(self, number: int, after: tuple[Unit, ...] = ()) -> Unit | None:
        """Return a sentence as it can be shown, or None where it cannot."""
        one = self._parsed.get(number) if number in self._wanted else None
        before, _, behind = self._lines[number].partition(": ")
        if (behind and _CLAIM.fullmatch(before)) or (
            number and _CLAIM.fullmatch(self._lines[number - 1])
        ):
            return None
        if one is None or not _is_statement(one, follows=bool(after)):
            return None
        text = one.text if after else _TIES.sub("", one.text)
        cut = len(one.text) - len(text)
        edits = self._for_first_person(one)
        named = self._in_full(number, [told.sentence for told in after])
        if edits is None or named is None:
            return None
        for start, end, name in sorted([*edits, *named, *self._dated(one)], reverse=True):
            if start >= cut:
                space = " " if start == end else ""
                text = f"{text[: start - cut]}{space}[{name}]{text[end - cut :]}"
        first = int(text.startswith("["))
        text = f"{text[:first]}{text[first].upper()}{text[first + 1 :]}"
        return Unit(self._attributed(text), one, number)

    def _for_first_person(self, one: Sentence) -> list[tuple[int, int, str]] | None:
        """Return the replacements of "we" by who publishes a page, of "I" by whom it is about.

        None where it is not known who that is, "you" is addressed, or all that "we" did is to
        inquire, or to be happy to make something clear.
        """
        edits: list[tuple[int, int, str]] = []
        for token in one.doc:
            word = token.lower_
            # Whoever asks may be told what is good for "your health".
            asks = word in _SECOND and not self._known.sentences and token != one.subject
            is_open = token.pos_ == "PRON" and word in _FIRST_PERSON | _SECOND
            if not is_open or asks or one.quoted[token.i]:
                continue
            title, kind = self._title_entity
            name = self._we if word in {"we", "us", "our"} else ""
            if word in {"i", "my"} and kind == "PERSON":
                name = title
            if not name or "." in name:
                return None
            if word == "i" and token.head.tag_ not in {"VBD", "VB", "VBN"}:
                return None  # "I look after" would become "Jane Roe look after"
            if not token.whitespace_ and one.text[token.idx + len(token) :][:1] in {"'", "’"}:
                return None  # "we've"
            if edits:
                they = {"our": "their", "us": "them", "we": "they"}
                its = {"our": "its", "us": "it", "we": "it"}
                name = (they if self._we == _AUTHORS else its).get(word, "")
                if not name:
                    return None
            elif word in {"my", "our"}:
                name = _possessive(name)
            end = token
            finite = next((v for v in (token.head, *token.head.lefts) if v.tag_ == "VBP"), None)
            if word == "we" and finite is not None and name not in {_AUTHORS, "they"}:
                end = finite
                joined = any(
                    one.dep_ == "conj" and one.tag_ in {"VB", "VBP"} for one in token.head.children
                )
                if joined or end.i != token.i + 1:  # "we carry adverts and take gifts"
                    return None
                name = f"{name} {_third_person(end.lower_)}"
            edits.append((token.idx, end.idx + len(end), name))
        clauses = {child.dep_ for child in one.root.children if child.pos_ in {"VERB", "AUX"}}
        finds = bool(one.figures or clauses & {"ccomp", "conj"})
        is_polite = any(child.lemma_ in _POLITE for child in one.root.children)
        says_nothing = one.root.lemma_ in INQUIRES or is_polite
        return None if edits and says_nothing and not finds else edits

    def _in_full(self, number: int, after: Sequence[Sentence]) -> list[tuple[int, int, str]] | None:
        """Return the replacements that make a sentence be understood; None where none would."""
        one = self._parsed[number]
        edits: list[tuple[int, int, str]] = []
        pointer = one.pointer
        if pointer is not None and not any(_is_meant(pointer, before) for before in after):
            name = self._antecedent(number, pointer)
            if one.text[pointer.idx + len(pointer) :][:1] in {"'", "’"}:  # "he's"
                return None
            is_opening = pointer.i <= 2 and pointer.dep_ in {"nsubj", "nsubjpass", "poss"}
            title = self._title_entity[0]
            if not name or not (is_opening or (title and name.endswith(title))):
                return None
            name = _possessive(name) if pointer.dep_ == "poss" else name
            edits.append((pointer.idx, pointer.idx + len(pointer), name))
        told = {token.lemma_.casefold() for before in after for token in before.doc}
        topic = set(one.subject.subtree)  # other nouns are mostly understood from it
        for noun in one.bare_definites:
            lemma = noun.lemma_.casefold()
            stands_for = lemma in BODIES and lemma not in told and noun in topic
            name = self._body(number, noun) if stands_for else ""
            if name:
                edits.append((noun.left_edge.idx, noun.idx + len(noun), name))
            elif not after and noun in topic and not self._is_of_the_article(noun):
                return None
        for entity in one.entities:
            if entity.label == "PERSON" and " " not in strip_title(entity.text):
                last = strip_title(entity.text).casefold()
                surname = one.doc[entity.end - 1]
                if surname.dep_ == "compound" and surname.head.tag_ == "NNS":
                    continue  # "the Quill brothers"
                acts = surname.dep_ in {"nsubj", "nsubjpass", "poss", "agent"}
                full = self._known.in_full(strip_title(entity.text))
                is_named = full != "" and mentions(self._page.text, full.split()[-1:])
                name = full if is_named else self._person(entity.text)
                if name and not any(name in before.text for before in after):
                    end = surname.idx + len(surname)
                    edits.append((one.doc[entity.start].idx, end, name))
                elif not name and last not in self._known.entities and acts:
                    return None
        return edits

    def _is_of_the_article(self, noun: Any) -> bool:
        """Tell whether a reader of the article knows what a noun, such as "the author", means."""
        lemma, profile = noun.lemma_.casefold(), self._known.profile
        if noun.lower_ in {"author", "writer"}:
            forms = [form for name in profile.authors for form in name_forms(name)]
            return mentions(self._page.text, forms)
        if lemma in _ARTICLES:  # of which the page may mean another
            return self._page.origin.kind == OWN or self._known.is_checked(self._page)
        if lemma in OUTLETS:
            return self._page.origin.kind == OWN or mentions(self._page.text, profile.outlet)
        if lemma in BODIES:
            meant = [name for name in profile.named if lemma in name.casefold().split()]
            if meant and not mentions(self._page.text, meant):
                return False
        return lemma in self._known.words or noun.lower_ in UNIQUE

    def _dated(self, one: Sentence) -> list[tuple[int, int, str]]:
        """Return an edit that puts the page's month behind "last week", or for "yesterday"."""
        if not self._page.month or not one.relative_dates or one.years:
            return []
        entity = one.relative_dates[0]
        first, last = one.doc[entity.start], one.doc[entity.end - 1]
        if last.i + 1 < len(one.doc) and one.doc[last.i + 1].lower_ in _PARTS_OF_DAY:
            last = one.doc[last.i + 1]  # "on Tuesday night"
        end = last.idx + len(last)
        is_possessive = one.text[end : end + 1] in {"'", "’"}  # "yesterday's"
        is_open = is_possessive or one.quoted[first.i]
        if is_open or not _ANAPHORIC.isdisjoint(entity.text.casefold().split()):
            return []
        if entity.text.casefold() in _DAYS:
            return [(first.idx, end, f"in {self._page.month}")]
        return [(end, end, f"written {self._page.month}")]

    def _antecedent(self, number: int, pointer: Any) -> str:
        """Return the name that a pronoun at the beginning stands for; empty where it is open."""
        pronoun = pointer.lower_
        if pronoun in {"he", "she", "his", "her"}:
            title, kind = self._title_entity
            found = {
                full
                for before in self._before(number)
                for name in before.named("PERSON")
                if (full := self._person(name))
            }
            if not self._acts_alone(number, found | {title}):
                found = set()
            elif not found and kind == "PERSON":
                found = {title}
            # Whom a page is about is whom most of its pronouns stand for.
            is_meant = found != {title} or (pronoun in {"she", "her"}) == self._on_a_woman
            return found.pop() if len(found) == 1 and is_meant else ""
        is_open = pronoun not in _ITS or self._may_be_object(number, pointer)
        return "" if is_open else self._body(number)

    def _acts_alone(self, number: int, names: Iterable[str]) -> bool:
        """Tell whether the subjects before a sentence are pronouns or one of some names.

        In "Mrs Smith met John Smith" the subject is not John Smith, nor may it be where the page
        has his name alone.
        """
        for one in self._before(number):
            if one.subject is None or one.subject.pos_ == "PRON":
                continue
            parts = [token.text for token in one.subject.lefts if token.dep_ == "compound"]
            said = " ".join([*parts, one.subject.text])
            said = said if said.split()[0].casefold().strip(".") in _OF_A_SEX else strip_title(said)
            if not any(
                said.endswith(name) or (said in name and name not in one.text)
                for name in filter(None, names)
            ):
                return False
        return True

    def _may_be_object(self, number: int, pointer: Any) -> bool:
        """Tell whether "it" may be the object of the sentence before, and not its subject.

        "It issued a report. It was read"; "It set up a board. Its first members were".
        """
        return any(
            child.dep_ == "dobj"
            and child.pos_ == "NOUN"
            and (pointer.dep_ == "nsubjpass" or (pointer.dep_ == "poss" and child.lemma_ in BODIES))
            for before in self._before(number)[-1:]
            for child in before.root.children
        )

    def _before(self, number: int) -> Sequence[Sentence]:
        return [
            self._parsed[place]
            for place in range(max(0, number - _LOOK_BACK), number)
            if self._page.holding(self._lines[place], self._lines[number])
        ]

    def _person(self, name: str) -> str:
        full = self._full_names.get(strip_title(name).split()[-1], set())
        return next(iter(full)) if len(full) == 1 else ""

    def _body(self, number: int, noun: Any = None) -> str:
        """Return the full name of the organisation that a word stands for; empty where unclear."""
        name = self._named_body(number, noun)
        if not name or name.casefold() in BODIES or self._is_half(name):
            return ""
        return self._definite(name.title() if name.isupper() and " " in name else name)

    def _is_half(self, name: str) -> bool:
        """Tell whether a page has a name only as a part of a longer: "the Road and Rail Union"."""
        before = re.findall(rf"(\b[A-Z][\w'’-]+ (?:and|&) )?{re.escape(name)}", self._page.text)
        return bool(before) and all(before)

    def _named_body(self, number: int, noun: Any) -> str:
        """Return the organisation that the last subject was; else the one that a page is about."""
        ending = f" {noun.lower_}" if noun is not None else None
        if ending:
            ends = {
                entity.text
                for one in self._parsed.values()
                for entity in one.entities
                if entity.label == "ORG" and entity.text.casefold().endswith(ending)
            }
            if len(ends) == 1:
                return ends.pop()
            if noun.pos_ == "PROPN":
                return ""
        title, label = self._title_entity
        for before in reversed(self._before(number)):
            subject = before.subject
            if subject is None or subject.pos_ == "PRON" or subject.tag_ in {"NNS", "NNPS"}:
                continue
            for entity in before.entities:
                if entity.start <= subject.i < entity.end:
                    if label == "ORG":  # of two bodies either may be meant
                        return title if mentions(title, name_forms(entity.text)) else ""
                    return entity.text if entity.label in {"ORG", "PRODUCT", "FAC"} else ""
            if subject.lemma_.casefold() not in BODIES:
                return ""
        return title if label == "ORG" else ""

    def _attributed(self, text: str) -> str:
        """Return a sentence with who says it, where a page speaks in its own cause.

        In a report on an article the source stands before it.
        """
        speaker = self._page.origin.name
        if (
            self._known.sentences
            or not self._own_voice
            or not speaker
            or "according to" in text.casefold()
        ):
            return text
        if mentions(text, name_forms(speaker)):
            return f"{text.removesuffix('.')}, by its own account."
        return f"{text.removesuffix('.')}, according to {speaker}."


def _third_person(verb: str) -> str:
    """Return what one does of whom a verb says what "we" do."""
    if verb in _OF_ONE:
        return _OF_ONE[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:[sxzo]|[cs]h)$", verb) else f"{verb}s"


def _heard(lines: Sequence[str], page: Page) -> set[int]:
    """Return the numbers of the sentences of a decision that tell what its parties said.

    They repeat a claim without what was decided about it. Where a part of the page is not known,
    what follows it may be under another heading.
    """
    heard: set[int] = set()
    is_heard, decides, end = False, False, 0
    of_id = {segment.segment_id: segment for segment in page.segments}
    for number, line in enumerate(lines):
        segments = [of_id[one] for one in page.lines[line]]
        is_heard &= min(one.start_char for one in segments) <= end + 1
        end = max(one.end_char for one in segments)
        if _DECIDED.fullmatch(line):
            is_heard, decides = False, True
        elif _HEARD.fullmatch(line):
            is_heard = True
        elif line[:1].isupper() and line[-1].isalnum() and count_words(line) <= _HEADING:
            is_heard = False
        elif is_heard:
            heard.add(number)
    return heard if decides else set()


def _is_half_decided(told: Sequence[Unit], upheld: set[int], pleads: Container[str]) -> bool:
    """Tell whether sentences tell of a complaint, or of a point of it, and leave the contrary out.

    `upheld` are the numbers of the page's sentences on points that were upheld, `pleads` verbs of
    what its parties said.
    """
    decided = any(token.lemma_ in DECIDES for one in told[1:] for token in one.sentence.doc)
    if not decided and any(one.sentence.root.lemma_ in pleads for one in told):
        return True
    clears = any(_CLEARED.search(one.text) for one in told)
    return bool(upheld) and clears and not any(one.number in upheld for one in told)


def _is_statement(one: Sentence, *, follows: bool) -> bool:
    """Tell whether a sentence says something that a report could hold."""
    return (
        (_MIN_FOLLOWING if follows else MIN_WORDS) <= count_words(one.text) <= _MAX_WORDS
        and one.text[0].isalnum()
        and re.search(r"[^.]\.[\"”’']*$", one.text) is not None
        and one.is_finite
        and (follows or (one.subject is not None and not _speaks_for_nobody(one.subject)))
        and not (one.doc[0].pos_ == "AUX" and one.doc[0].tag_ in FINITE)  # "Is a grant spending?"
        and not one.label
        and not one.is_conditional
        and not _ITEM.search(one.text)
        and not (one.doc[-1].is_punct and len(one.doc) > 1 and one.doc[-2].pos_ == "AUX")
        and one.quoted_share <= (_MOST_QUOTED if one.speaker else _MOST_UNATTRIBUTED)
        and not passes_verdict(one.text)
    )


def _speaks_for_nobody(subject: Any) -> bool:
    """Tell whether a subject is a spokesman, and nothing says of whom."""
    said = {child.dep_ for child in subject.children}
    is_bare = said.isdisjoint({"appos", "compound", "poss", "prep", "relcl"})
    return is_bare and subject.lemma_.casefold() in _SPOKESPEOPLE


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _is_meant(pointer: Any, told: Sentence) -> bool:
    """Tell whether the sentence told before says what a word stands for."""
    word, subject = pointer.lower_, told.subject
    people = told.named("PERSON")
    named = any(e.label != "PERSON" and e.start <= subject.i < e.end for e in told.entities)
    plural = "Plur" in subject.morph.get("Number")
    if word in _HIM | _HER:
        others = _HER if word in _HIM else _HIM
        meant = len(people) == 1 and not any(token.lower_ in others for token in told.doc)
    elif word in {"it", "its"}:
        meant = named or (pointer.dep_ in {"nsubj", "nsubjpass"} and not plural and not people)
    elif word in {"they", "them", "their", "theirs"}:
        meant = plural or named
    else:  # "this", "such a house", "all 23", "another": of what was told
        meant = True
    return meant


def _full_names(parsed: Iterable[Sentence]) -> dict[str, set[str]]:
    """Return by first and by last name the full names of the people on a page.

    By the first, whom at least two sentences name in full: "Obama Refutes" may be of a headline.
    """
    found: dict[str, set[str]] = {}
    named = Counter(strip_title(name) for one in parsed for name in set(one.named("PERSON")))
    for plain, count in named.items():
        words = plain.split()
        if 2 <= len(words) <= 4 and plain[0].isupper():
            found.setdefault(words[-1], set()).add(plain)
            if count > 1:
                found.setdefault(words[0], set()).add(plain)
    return found


def _title_entity(page: Page, parsed: Sequence[Sentence], known: Known) -> tuple[str, str]:
    """Return the name that the title of a page is, and whether it is of a `PERSON` or an `ORG`.

    Both are empty where the title is no name, or neither article nor page mentions it. What only
    looks like a person's name is one where sentences begin with "he" or "she" rather than "it".
    """
    title = re.split(r"(?<!\s)\s+[-–—|:]\s|:\s|(?<!\s)\s+\(", page.title, maxsplit=1)[0].strip()
    words = title.removeprefix("The ").split()
    is_name = 1 <= len(words) <= 6 and not any(character.isdigit() for character in title)
    if not is_name or not all(word[0].isupper() or word in _JOINS for word in words):
        return "", ""
    profile = known.profile
    is_mentioned = any(mentions(one.text, [" ".join(words)]) for one in parsed)
    if mentions(title, (*profile.authors, *profile.people)):
        kind = "PERSON"
    elif mentions(title, (*profile.outlet, *profile.organisations)):
        kind = "ORG"
    elif len(words) == 1 or not is_mentioned:
        return "", ""
    else:
        firsts = Counter(line.partition(" ")[0].casefold() for line in page.lines)
        of_people, of_things = (sum(firsts[word] for word in of) for of in (_HIM | _HER, _ITS))
        kind = "PERSON" if looks_personal(title) and of_people >= of_things else "ORG"
    return title, kind
