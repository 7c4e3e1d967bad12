"""Whether a sentence of a page is a statement fit for a report, as far as its form tells."""

from __future__ import annotations

import re

from sidelight.generation.reading.neutrality import passes_verdict
from sidelight.generation.reading.verbs import first_verb, has_verb
from sidelight.text import count_words

_MIN_WORDS, _MAX_WORDS = 6, 80
_MIN_OWN_WORDS = 4  # outside quotation marks
_MAX_LABEL = 4
# Also in single quotes, as headlines and titles of songs are.
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|‘[^‘’]*’|(?<![\w])\'[^\']*\'(?!\w)')

_BEGINS = re.compile(r"(?!\d+, \d+ )[\"“'‘]?[^\W_a-z]")
_ENDS = re.compile(r"(?<!\.\.)\.[\"”'’]?$")
_MARKUP = re.compile(r"[<>{}\[\]|\\^`=]|~(?!\s?[\d$£€])|https?://|www\.|\w@\w|&[a-z]+;")
_FIRST_OR_SECOND_PERSON = re.compile(
    r"\b(?:I|I'm|I’m|I've|me|my|mine|we|us|ours?|we're|you|yours?|you're"
    r"|(?:Me|My|Mine|We|Ours?|We're|You|Yours?|You're)(?!\s+[A-Z]))\b"  # not "Know Your Meme"
)
_SERVICE = re.compile(
    r"\b(?:cookies?|subscribe|(?:our|free|daily|weekly|email) newsletters?|sign up|log in|click"
    r"|read more|all rights reserved|copyright (?:\d|©|\(c\)|notice|holders?)"
    r"|comments? (?:are|is)|share this|advertisement"
    r"|related (?:stories|articles)"
    r"|(?:please|should be) (?:cite|quote|credit|contact|note|write|see|use|check)|cite(?:d)? as"
    r"|interviews? (?:with|can|are|may)\b.*\b(?:arranged|available|requests?)|press (?:contact"
    r"|office|enquir\w+|inquir\w+)|for (?:more|further) (?:information|details)|upon request"
    r"|on request|available (?:from|at|to) the press|terms (?:of use|and conditions)|opening times"
    r"|opening hours|free of charge|out of stock|gift card|discount code|delivery takes|returns"
    r" are|page (?:was )?(?:last )?(?:updated|edited|reviewed)|retrieved (?:on|from)|archived from"
    r"|is (?:useful|helpful) for|photograph(?:s|y)? by|image (?:credit|caption|copyright)"
    r"|version of the (?:conversation|interview)|in this (?:article|section|story|guide)"
    r"|valued member|not to be confused|no relation|did not (?:answer|respond|reply)"
    r"|declined to comment|(?:questions|comments|enquiries)\b.*\bmay be (?:addressed|sent)"
    r"|previous bulletin|in this series|died (?:at home|peacefully)|survived by)\b"
    r"|\b(?:follows|below)\.$|\b(?:is|has) (?:entry|number|reference|item) [A-Z]*-?\d+\.$",
    re.IGNORECASE,
)
# "For the potter, see ..." is a signpost.
_NO_STATEMENT = re.compile(
    r"^For\s.*\bsee\b|^See\s|^The\s\w+\s(?:approached|contacted|interviewed|spoke\sto|visited)\s"
    r"|^(?:To|Asked|Speaking|Born|Based|Written|Posted|Published|Updated)\s"
)
_ORDER = re.compile(
    r"^(?:Read|See|Watch|Check|Visit|Follow|Add|Use|Take|Try|Keep|Make|Let|Avoid|Remember|Consider"
    r"|Find|Get|Learn|Listen|Look|Note|Order|Press|Put|Send|Share|Start|Stop|Tell|Choose|Contact"
    r"|Beware|Please|Do|Don't|Never|Always|Ask|Buy|Call|Come|Download|Enter|Go|Join|Select|Sort"
    r"|Store|Turn|Write)\s+(?!and\b)[a-z]"
)
# What only says that something is told elsewhere: "The report sets out three scenarios."
_ANNOUNCES = re.compile(
    r"(?:sets? out|outlines?|deals? with|looks? (?:at|into)|introduces?|lists?|asks?|asked"
    r"|discuss\w+)\s(?!.*(?:\d|\b(?:not|no|but|only|because)\b))"
)
_WRITING = re.compile(
    r"\b(?:report|study|paper|article|page|chapter|document|book|survey|review|assessment|bulletin"
    r"|column|series|website|section)\b[^,.;]*$",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"^[\"“'‘(]?(?:He|She|It|They|We|This|That|These|Those|Such|His|Her|Its|Their|But|And|Or|So|Yet"
    r"|Then|However|Instead|Meanwhile|Nevertheless|Nonetheless|Moreover|Furthermore|Also|Still"
    r"|Therefore|Thus|Indeed|Here|Now|Nor|Again|As a result|In (?:addition|contrast|fact|turn))\b"
)


def is_quotable(sentence: str, *, leaning: bool = False) -> bool:
    """Tell whether a sentence is a statement fit for a report.

    It is not if it is a fragment, a question, an instruction, in the first or second person,
    markup, a service of the site, a verdict or next to nothing but a quotation.

    Args:
        sentence: On one line.
        leaning: Whether it may be short and lean on a sentence before it, to which it will be
            joined.
    """
    return (
        (leaning or count_words(sentence) >= _MIN_WORDS)
        and count_words(sentence) <= _MAX_WORDS
        and _BEGINS.match(sentence) is not None
        and _ENDS.search(sentence) is not None
        and sentence.count('"') % 2 == 0
        and sentence.count("“") == sentence.count("”")
        and sentence.count("(") == sentence.count(")")
        and not _FIRST_OR_SECOND_PERSON.search(_QUOTED.sub(" ", sentence))
        and not any(
            pattern.search(sentence) for pattern in (_MARKUP, _SERVICE, _NO_STATEMENT, _ORDER)
        )
        and (leaning or _LEANS.match(sentence) is None)
        and not passes_verdict(sentence)
        and (leaning or count_words(_QUOTED.sub("", sentence)) >= _MIN_OWN_WORDS)
        and has_verb(sentence)
        and not _is_label(sentence)
        and not _announces(sentence)
    )


def _announces(sentence: str) -> bool:
    """Tell whether a sentence says of a writing only what it is about."""
    verb = first_verb(sentence)
    return (
        verb is not None
        and _ANNOUNCES.match(sentence, verb) is not None
        and _WRITING.search(sentence[:verb]) is not None
    )


def without_label(sentence: str) -> str:
    """Return a sentence without a label before it, as in "Missing context: ..."."""
    label, colon, rest = sentence.partition(": ")
    is_label = colon and count_words(label) <= _MAX_LABEL and not has_verb(label)
    return rest if is_label and label.count('"') % 2 == 0 and has_verb(rest) else sentence


def _is_label(sentence: str) -> bool:
    """Tell whether a sentence opens with a label, as in "Author of the study: ..."."""
    label, colon, rest = sentence.partition(": ")
    if not colon or has_verb(label) or label.count('"') % 2:
        return False
    return count_words(label) <= _MAX_LABEL or not has_verb(rest)
