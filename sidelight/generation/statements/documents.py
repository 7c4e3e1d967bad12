"""Pages that are documents: what a ruling, a register or a study says of its own matter.

Such a page says "this report" or "the corrected ratio" and means what its title names. A reader of
one sentence learns from that title what is meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.statements.pointing import ORGANISATION_KINDS, PERSON_KINDS
from sidelight.text import count_words

if TYPE_CHECKING:
    from sidelight.generation.statements.naming import Page

_MAX_TITLE_WORDS, _SHORT_TITLE = 14, 6

# A title such as "Correction notice C-17" or "Survey of growers, 2019" names a document.
_KINDS = (
    r"\b(?:notice|opinion|decision|ruling|report|study|survey|trial|test|filing|schedule|accounts"
    r"|statistics|assessment|evaluation|re-evaluation|analysis|audit|census|directory|register"
    r"|judg(?:e)?ment|complaint|inquiry|investigation|review|fact[- ]check|corrections?)\b"
)
_DOCUMENT = re.compile(rf"{_KINDS}|\b[A-Z]{{2}}[A-Z0-9/-]{{0,60}}\d", re.IGNORECASE)
_ANOTHER = re.compile(rf"{_KINDS}|\b(?:bulletin|entry|patent|grants|results)\b", re.IGNORECASE)
# "MA-2021-0417": the number under which a document is filed.
_FILED = re.compile(r"\b[A-Z]{1,6}(?:-[A-Z]{1,4}){0,20}-\d{3,}[\d/-]*")
_SUBTITLE = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)$|(?<!\s)\s+[|–—-]\s+[^|–—-]*$")
# Headings and fields that only a study has.
_SECTION = re.compile(
    r"^(?:abstract|plain summary|methods?|design|results|findings|conclusions?|limitations?|limits"
    r"|funding|declarations?|questions?|sources|publication record"
    r"|(?:published in|data set|doi): .*"
    r"|(?:research|study) summary\b.*|.*\bvolume \d+, (?:number|issue) \d+.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_MIN_SECTIONS = 2
_NOT_ITS_MATTER = re.compile(
    rf"(?:{ORGANISATION_KINDS}|{PERSON_KINDS}|letter|man|woman|boy|girl|child|house|street"
    r"|arrangement|invoice|witness|fund|shop|store|owner|editors?|page|list|note|panel|tribunal"
    r"|chamber|laboratory|team)"
)
_ITSELF = re.compile(
    r"^(?P<the>The|This)\s+(?P<kind>(?:working\s+)?paper|report|study|survey|trial|experiment|analysis"
    r"|assessment|evaluation|audit|inquiry|investigation|application|ruling|notice)\s+"
    r"(?=[a-z])(?!(?:of|for|on|that|which|who|in|at|from|by|group|found by|also)\b)"
)


# "Assessment RIA-2021-047 estimates": a number that only its own page explains.
_BY_NUMBER = re.compile(
    rf"^(?P<kind>[A-Z][a-z]+(?: paper)?) (?P<number>{_FILED.pattern}) (?=[a-z])"
)


def titled(sentence: str, page: Page) -> str:
    """Return a sentence with the title of its page after "this report", where it is one.

    "The survey" on a page whose title names a bulletin is another document.
    """
    if (own := _BY_NUMBER.match(sentence)) and own["number"] in page.title:
        sentence = f"This {own['kind'].lower()} {sentence[own.end() :]}"
    match = _ITSELF.match(sentence)
    if match is None or not (_FILED.search(page.title) or _is_study(page)):
        return sentence
    name, kind = _name_of(page), match["kind"]
    is_another = match["the"] == "The" and kind not in name.casefold() and _ANOTHER.search(name)
    if not name or is_another:
        return sentence
    says_kind = kind in name.casefold() and count_words(name) <= _SHORT_TITLE
    called = name if says_kind else f'The {kind} "{name}"'
    return f"{called} {sentence[match.end() :]}"


def of_document(sentence: str, loose: tuple[str, ...], page: Page) -> str:
    """Return a sentence as what a document says, where it means that document's own matter.

    Args:
        sentence: On one line.
        loose: What it calls by its kind alone.
        page: Where it stands.
    """
    name = _name_of(page)
    if not name or not sentence.endswith("."):
        return ""
    if any(_NOT_ITS_MATTER.fullmatch(phrase.split()[-1].casefold()) for phrase in loose):
        return ""
    return f'{sentence.removesuffix(".")}, according to "{name}".'


def _name_of(page: Page) -> str:
    """Return the title of a page if it names a document, else nothing."""
    subtitle = _SUBTITLE.search(page.title)
    is_filed = subtitle is not None and _FILED.search(subtitle.group()) is not None
    name = (page.title if is_filed else _SUBTITLE.sub("", page.title)).strip('"“”')
    if not (is_filed or _DOCUMENT.search(name) or _is_study(page)):
        return ""
    return "" if '"' in name or count_words(name) > _MAX_TITLE_WORDS else name


def _is_study(page: Page) -> bool:
    return len(_SECTION.findall(page.text)) >= _MIN_SECTIONS
