"""The sentences of a page that can stand in a report, made to stand alone where that is safe.

A sentence is changed in six ways only, and all words of the change come from the page: a leading
connective goes, and so do "also" and "on Thursday"; a pronoun, "the company" or "the Board" becomes
the name that the page gives it; a sentence that points to the one before is joined to it by a
semicolon; one that means what its page is about is attributed to the page by its title, and "this
report" takes that title.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sidelight.generation.reading.injection import gives_orders
from sidelight.generation.statements.documents import of_document, titled
from sidelight.generation.statements.name_words import has_name
from sidelight.generation.statements.naming import Page
from sidelight.generation.statements.pointing import definites, points_out
from sidelight.generation.statements.quotable import is_quotable, without_label
from sidelight.generation.statements.telling import told
from sidelight.text import STOPWORDS, clean, count_words, one_line, sentences

_MAX_LINE_WORDS = 400
_MAX_JOINED_WORDS = 48
# No language has words of this length; patterns of names would be slow on them.
_NO_WORD = re.compile(r"\S{200,}")

_CONNECTIVE = re.compile(
    r"^(?:(?:However|Moreover|Furthermore|Meanwhile|Nevertheless|Nonetheless|Indeed|Also|In fact"
    r"|In addition|Additionally|Notably|Interestingly|Importantly|Of course|For example"
    r"|For instance|Still|Yet|Now|Today|By contrast|In contrast|Overall|In short|In turn),\s+"
    r"|(?:But|And|Yet|So)\s+(?=[^\W_a-z]|the\b|an?\b|in\b|at\b))"
)
# What leans on an earlier sentence and can go: "also", "therefore", "on Thursday", "(born 1950)".
_CAN_GO = re.compile(
    r"(?<!but )\balso (?=[a-z]+(?:ed|s)\b)|(?<=(?:is|as|re|ve|ad) )also |(?<=\w )therefore "
    r"|(?<=\b(?:has|had) )since (?=[a-z]+)|(?<=\bhave )since (?=[a-z]+)|\s\(born\s[^()]*\)"
    r"|\son\sthe\ssame\s(?:day|evening|morning|night)\b|\son\s(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
    r"(?=\s(?!and|or|to|in|at|morning|night|afternoon|evening)[a-z]|\.)"
)
# "An earlier version said": half of a story, which the next sentence tells to its end.
_EARLIER = re.compile(
    r"^(?:An\s+earlier|The\s+(?:earlier|original|first))\s+(?:version|article|text|wording|headline)"
)
# So is what somebody had meant to do, and what is popularly told.
_HALF = re.compile(
    rf"{_EARLIER.pattern}|^(?:Originally|Initially|Previously|At\s+first)\b"
    r"|^(?:(?!\b(?:that|which|who)\b)[^,;])*\bhad\s+(?:promised|planned|intended|hoped|expected|pledged|been\s+due|been\s+expected)\b"
    r"|^(?:(?:The|A)\s+)?[Pp]opular\s+(?:accounts?|belief|legend|tradition|story|wisdom)\b"
    r"|^(?:Legend|Tradition|Rumou?r|Folklore)\s+(?:has|holds|says)\b|^(?:It\s+is|Many|Some)\s+"
    r"(?:[a-z]+\s+)?(?:often|widely|commonly|popularly)\s+(?:said|believed?|claim(?:ed)?|told)\b"
)
# "780 jobs before support is counted": what is left after it, the same paragraph may tell.
_GROSS = re.compile(
    r"\bbefore\s+(?:any\s+|the\s+)?(?:[a-z]+\s+)?(?:support|help|aid|compensation|adjustments?|refunds?)\b"
)
_NET = re.compile(r"\bnet\b|\bafter\s+(?:adjust|allow|deduct|support|help|aid|compensation)")
_DATED_TITLE = re.compile(r"(?P<title>.+?) \((?:[^()]* )?(?:1[89]|20)\d\d\)\.?")
_CONTRAST = re.compile(r"^(?:But|However,?|Yet|Still,|By contrast,|In contrast,|Nevertheless,)\s+")
_PARTICULAR = re.compile(
    r"\b(?:was|were|had|did|gave|found|made|took|held|\w{2,}ed|will|would|must|shall)\b|\d"
)
_BEYOND = re.compile(
    r"\b(?:the\s+(?:former|latter)|as\s+(?:above|below))\b|\baccording\s+to\s+the\s+[a-z]+\.$"
)
_ENDS_SENTENCE = (".", "!", "?", '"', "”")


class Statement(NamedTuple):
    """Something a page says that can stand in a report.

    Attributes:
        text: One sentence.
        first: Number of the first sentence of the window that it is made of.
        last: Number of the last one; the same unless two were joined.
        loose: What it calls by its kind alone, such as "company", or all of it where it names
            nothing: it stands only for a reader who knows that from elsewhere.
    """

    text: str
    first: int
    last: int
    loose: tuple[str, ...] = ()


@lru_cache(maxsize=8192)  # a topic meets the same windows in every round
def statements(text: str, title: str) -> tuple[Statement, ...]:
    """Return what a window of a page says, in its order; joined sentences follow their first.

    A text that gives orders to software that reads it says nothing: its author writes for
    machines, not for readers.

    Args:
        text: The window.
        title: The title of its page, which may name whom "he" or "the company" means.
    """
    if gives_orders(text):
        return ()
    found: list[Statement] = []
    page, number = Page(_NO_WORD.sub(" ", title), _NO_WORD.sub(" ", text)), 0
    for line in clean(text).split("\n"):
        if count_words(line) > _MAX_LINE_WORDS or _NO_WORD.search(line):
            continue
        half, standing, gross = False, "", Statement("", 0, 0)
        page.new_paragraph()
        for sentence in map(one_line, sentences(line)):
            number += 1
            alone = _alone(_of_titled(sentence, page), page)
            loose = _loose(alone, page.known)
            is_half = _HALF.search(alone) is not None
            if net := _with_net(gross, sentence, number, page):
                found.append(net)
            if _is_gross(alone):
                gross, alone = Statement(alone, number, number), ""
            if alone and not is_half:
                found.append(Statement(alone, number, number, loose))
            if loose and not is_half and (framed := of_document(alone, loose, page)):
                found.append(Statement(framed, number, number))
            contrasts = _CONTRAST.match(sentence)
            if contrasts:  # what a page answers itself is not quoted without the answer
                found = [one for one in found if one.last != number - 1]
            follows = half or loose or contrasts or points_out(sentence, page.known)
            if standing and follows and (joined := _joined(standing, sentence, page)):
                found.append(Statement(joined, number - 1, number))
            half, standing = is_half, "" if loose and not is_half else alone
            page.move_on(sentence, alone or sentence)
        if not line.rstrip().endswith(_ENDS_SENTENCE):
            page.subject = ""  # a heading begins something else
    return tuple(found)


def _is_gross(sentence: str) -> bool:
    return _GROSS.search(sentence) is not None and _NET.search(sentence) is None


def _with_net(gross: Statement, sentence: str, number: int, page: Page) -> Statement | None:
    """Return a gross figure with the net one that a later sentence gives, if it does."""
    is_net = gross.text and _NET.search(sentence)
    joined = _joined(gross.text, sentence, page) if is_net else ""
    return Statement(joined, gross.first, number) if joined else None


def _of_titled(sentence: str, page: Page) -> str:
    """Return "an earlier version" as that of the article whose title and date stand before it.

    Nothing is returned where no title does: of what it is a version, nobody could tell.
    """
    match = _EARLIER.match(sentence)
    if match is None or sentence[match.end() :].startswith(" of "):
        return sentence
    titled = _DATED_TITLE.fullmatch(page.recent[-1]) if page.recent else None
    return f'{match.group()} of "{titled["title"]}"{sentence[match.end() :]}' if titled else ""


def _alone(sentence: str, page: Page) -> str:
    """Return a sentence, or else what it found, as it can stand alone, or nothing."""
    if text := _made_to_stand(sentence, page):
        return text
    finding = told(sentence)
    return _made_to_stand(finding, page) if finding != sentence else ""


def _made_to_stand(sentence: str, page: Page) -> str:
    begun = _CONNECTIVE.sub("", without_label(sentence))
    text = titled(page.named(_CAN_GO.sub("", begun[:1].upper() + begun[1:])), page)
    return "" if not text or not is_quotable(text) or points_out(text, page.known) else text


def _loose(sentence: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return what only a reader who knows it from elsewhere can place; all of it if it is nameless.

    A sentence that names nothing tells of something in particular if it is in the past or future
    tense or gives a figure.
    """
    found = tuple(definites(sentence, known))
    if not found and sentence and not has_name(sentence, known) and _PARTICULAR.search(sentence):
        return (sentence,)
    return found


def _joined(standing: str, sentence: str, page: Page) -> str:
    """Return two sentences as one, where the second points to the first or speaks against it."""
    contrast = _CONTRAST.match(sentence)
    rest = sentence[contrast.end() :] if contrast else sentence
    second = _lower_first(rest, page)
    if not second or ";" in standing or _BEYOND.search(rest):
        return ""
    end = "" if standing.endswith(".") else standing[-1]
    first = standing.removesuffix(end).removesuffix(".") + end
    text = f"{first}; {'but ' if contrast else ''}{second}"
    if count_words(text) > _MAX_JOINED_WORDS or not is_quotable(text):
        return ""
    return text if is_quotable(rest[:1].upper() + rest[1:], leaning=True) else ""


def _lower_first(text: str, page: Page) -> str:
    """Return a sentence as it goes on after other words, or nothing if that is not known."""
    match = re.match(r"[\w’'-]+", text)
    if match is None:
        return ""
    first = match.group()
    plain = first[0].lower() + first[1:]
    whole = f"{page.title}\n{page.text}"
    if plain in STOPWORDS or re.search(rf"(?<![\w-]){re.escape(plain)}(?![\w-])", whole):
        return text[0].lower() + text[1:]
    inside = rf"(?<=[a-z,;:] ){re.escape(first)}(?![\w-])"
    is_name = any(c.isupper() or c.isdigit() for c in first[1:]) or re.search(inside, whole)
    return text if is_name else ""
