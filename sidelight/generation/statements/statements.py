"""Statements of a page: sentences fit for a report, and their decontextualisation.

A sentence is changed in six ways only, and all words of the change come from the page: a leading
connective goes, and so do "also" and "on Thursday"; a pronoun, "the company" or "the Board" becomes
the name that the page gives it; a sentence that refers to the one before is joined to it by a
semicolon; one that refers to the subject of its page is attributed to the page by its title, and
"this report" takes that title.

Pages that check or discuss a text wrap their findings in remarks on it: "That framing is
misleading: ...", "... is supported by the register, which lists ...", "..., confirming the
article's account". Where such a sentence depends on the one before, its finding may still stand
alone. Only whole clauses are cut; the rest keeps the page's words and order.

A page that is a document, such as a ruling, a register or a study, says "this report" or "the
corrected ratio" and means what its title names. A reader of one sentence learns that from the
title.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sidelight.generation.reading.injection import gives_orders
from sidelight.generation.reading.neutrality import passes_verdict
from sidelight.generation.reading.verbs import first_verb, has_verb
from sidelight.generation.statements.naming import Page
from sidelight.generation.statements.pointing import (
    ORGANISATION_KINDS,
    PERSON_KINDS,
    definites,
    has_name,
    points_out,
)
from sidelight.text import STOPWORDS, clean, count_words, one_line, sentences

_MIN_WORDS, _MAX_WORDS = 6, 80
_MIN_OWN_WORDS = 4  # outside quotation marks
_MAX_LABEL = 4
# Also in single quotes, as headlines and titles of songs are.
_QUOTATION = re.compile(r'"[^"]*"|“[^“”]*”|‘[^‘’]*’|(?<![\w])\'[^\']*\'(?!\w)')

_BEGINS = re.compile(r"(?!\d+, \d+ )[\"“'‘]?[^\W_a-z]")
_ENDS = re.compile(r"(?<!\.\.)\.[\"”'’]?$")
_MARKUP_REMAINS = re.compile(r"[<>{}\[\]|\\^`=]|~(?!\s?[\d$£€])|https?://|www\.|\w@\w|&[a-z]+;")
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


class Statement(NamedTuple):
    """A sentence of a page that can stand in a report.

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
    """Return the statements of a window of a page, in order; joined sentences follow their first.

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
            contrasts = _CONTRAST_START.match(sentence)
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
        and not _FIRST_OR_SECOND_PERSON.search(_QUOTATION.sub(" ", sentence))
        and not any(
            pattern.search(sentence)
            for pattern in (_MARKUP_REMAINS, _SERVICE, _NO_STATEMENT, _ORDER)
        )
        and (leaning or _LEANS.match(sentence) is None)
        and not passes_verdict(sentence)
        and (leaning or count_words(_QUOTATION.sub("", sentence)) >= _MIN_OWN_WORDS)
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


_MIN_TOLD_WORDS, _MAX_CHARACTERS = 7, 1_000
_NEAR_BY, _NEAR_REASON = 12, 60  # characters between the judgment and what it rests on
_NOTED = r"(?:context|caveat|uncertainty|update|detail|nuance|point|fact|finding|limitation)"
_ON_A_TEXT = re.compile(
    r"\b(?:articles?|framing|claims?|headlines?|piece|coverage|stor(?:y|ies)|accounts?|assertions?"
    r"|characteri[sz]ation|statements?|reporting|description|premise|narrative|figures?|numbers?"
    r"|quotes?|points?|context|wording|rumou?rs?)\b"
)
_BEARS_ON = (
    r"(?:support|confirm|corroborat|match|reinforc|underscor|undercut|contradict|substantiat|verif"
    r"|back|echo|temper|weaken|strengthen|complicat|qualif|highlight|illustrat|reflect|bolster"
    r"|validat|align|correspond|track|mirror|rebut|refut|undermin)"
)
# Openings such as "Bottom line:", "Another important update is that" and "Updating the story,".
_REMARK_OPENING = re.compile(
    r"^(?:(?:The\s+)?[Bb]ottom\s+line:"
    rf"|[^:;.,\"“]{{0,90}}\b{_NOTED}\b[^:;.,\"“]{{0,40}}:"
    rf"|[^:;\"“]{{0,90}}\b{_NOTED}\b(?:[^:;\"“]{{0,80}},)?[^:;,\"“]{{0,50}}?\s(?:is|was)\s+that"
    r"|(?:Further\s+)?(?:[Uu]pdating|[Aa]dding\s+to|[Ss]upporting|[Cc]omplicating|[Cc]onfirming)"
    r"\s[^,]{1,60},"
    r"|As\s+(?:noted|mentioned|stated)\s+in\s[^,]{1,60},)\s+(?=\S)"
)
_JUDGED = re.compile(
    r"\b(?:is|are|was|were)\s+(?:[a-z]+\s+){0,3}?(?:misleading|inaccurate|accurate|correct|wrong"
    r"|incorrect|overstated|exaggerated|imprecise|supported|corroborated|confirmed|consistent"
    r"|plausible|documented|right|reasonable|substantiated|contradicted|verified|undercut|credible"
    r"|contested|backed|borne\s+out)\b"
)
_REASON = re.compile(r"(?:[:;]|,\s+(?:because|since|as)|(?<!\s)\s+(?:because|since))\s+(?=\S)")
_BY_WHOM = re.compile(
    r"(?:by|with)\s+(?P<who>(?:(?!\band\s+(?:by|with)\b)[^,;:]){2,80}),\s+which\s+(?=\S)"
)
_TAIL = re.compile(
    rf",\s+(?:(?:thereby\s+|thus\s+|further\s+|directly\s+)?{_BEARS_ON}[a-z]*ing\b|consistent\s+with"
    rf"|an?\s+[a-z]+\s+[a-z]+ed\b|which\s+(?:[a-z]+\s+)?(?:{_BEARS_ON}[a-z]*s|is|are|was|gives|makes"
    r"|should|means)\b)(?P<rest>[^;]*)\.$"
)
_TELLS_MORE = re.compile(r"\d|\b(?:but|while|although|though|whereas)\b")


def told(sentence: str) -> str:
    """Return a sentence without remarks on another text; the same where nothing else would stand.

    Args:
        sentence: On one line.
    """
    if len(sentence) > _MAX_CHARACTERS:
        return sentence
    return _without_tail(_without_judgment(_without_opening(sentence)))


def _without_opening(sentence: str) -> str:
    match = _REMARK_OPENING.match(sentence)
    return (_standing(sentence[match.end() :]) if match else "") or sentence


def _without_judgment(sentence: str) -> str:
    """Return the finding for which a sentence says that a text is right or wrong."""
    judged = _JUDGED.search(sentence)
    if judged is None or not _ON_A_TEXT.search(sentence[: judged.start()]):
        return sentence
    by_whom = _BY_WHOM.search(sentence, judged.end())
    if by_whom and by_whom.start() - judged.end() < _NEAR_BY:
        return _standing(f"{by_whom['who']} {sentence[by_whom.end() :]}") or sentence
    reason = _REASON.search(sentence, judged.end())
    if reason and reason.start() - judged.end() <= _NEAR_REASON:
        return _standing(sentence[reason.end() :]) or sentence
    return sentence


def _without_tail(sentence: str) -> str:
    tail = _TAIL.search(sentence)
    if tail is None or _TELLS_MORE.search(tail["rest"]) or not _ON_A_TEXT.search(tail["rest"]):
        return sentence
    return _standing(f"{sentence[: tail.start()]}.") or sentence


def _standing(text: str) -> str:
    """Return a text as a sentence if it can be one, else nothing."""
    is_balanced = (
        text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
        and text.count("(") == text.count(")")
    )
    has_subject = bool(first_verb(text))  # neither without a verb nor beginning with one
    is_sentence = is_balanced and has_subject and count_words(text) >= _MIN_TOLD_WORDS
    return f"{text[0].upper()}{text[1:]}" if is_sentence else ""


_MAX_TITLE_WORDS, _SHORT_TITLE = 14, 6

# A title such as "Correction notice C-17" or "Survey of growers, 2019" names a document.
_DOCUMENT_KINDS = (
    r"\b(?:notice|opinion|decision|ruling|report|study|survey|trial|test|filing|schedule|accounts"
    r"|statistics|assessment|evaluation|re-evaluation|analysis|audit|census|directory|register"
    r"|judg(?:e)?ment|complaint|inquiry|investigation|review|fact[- ]check|corrections?)\b"
)
_KIND_OR_CODE = re.compile(rf"{_DOCUMENT_KINDS}|\b[A-Z]{{2}}[A-Z0-9/-]{{0,60}}\d", re.IGNORECASE)
_ANOTHER = re.compile(
    rf"{_DOCUMENT_KINDS}|\b(?:bulletin|entry|patent|grants|results)\b", re.IGNORECASE
)
# "MA-2021-0417": the number under which a document is filed.
_REGISTER_NUMBER = re.compile(r"\b[A-Z]{1,6}(?:-[A-Z]{1,4}){0,20}-\d{3,}[\d/-]*")
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
    rf"^(?P<kind>[A-Z][a-z]+(?: paper)?) (?P<number>{_REGISTER_NUMBER.pattern}) (?=[a-z])"
)


def titled(sentence: str, page: Page) -> str:
    """Return a sentence with the title of its page after "this report", where it is one.

    "The survey" on a page whose title names a bulletin is another document.
    """
    if (own := _BY_NUMBER.match(sentence)) and own["number"] in page.title:
        sentence = f"This {own['kind'].lower()} {sentence[own.end() :]}"
    match = _ITSELF.match(sentence)
    if match is None or not (_REGISTER_NUMBER.search(page.title) or _is_study(page)):
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
    is_filed = subtitle is not None and _REGISTER_NUMBER.search(subtitle.group()) is not None
    name = (page.title if is_filed else _SUBTITLE.sub("", page.title)).strip('"“”')
    if not (is_filed or _KIND_OR_CODE.search(name) or _is_study(page)):
        return ""
    return "" if '"' in name or count_words(name) > _MAX_TITLE_WORDS else name


def _is_study(page: Page) -> bool:
    return len(_SECTION.findall(page.text)) >= _MIN_SECTIONS


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
_CONTRAST_START = re.compile(
    r"^(?:But|However,?|Yet|Still,|By contrast,|In contrast,|Nevertheless,)\s+"
)
_PARTICULAR = re.compile(
    r"\b(?:was|were|had|did|gave|found|made|took|held|\w{2,}ed|will|would|must|shall)\b|\d"
)
_BEYOND = re.compile(
    r"\b(?:the\s+(?:former|latter)|as\s+(?:above|below))\b|\baccording\s+to\s+the\s+[a-z]+\.$"
)
_ENDS_SENTENCE = (".", "!", "?", '"', "”")


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
    """Return a sentence, or else its finding, in a form that stands alone, or nothing."""
    if text := _made_to_stand(sentence, page):
        return text
    finding = told(sentence)
    return _made_to_stand(finding, page) if finding != sentence else ""


def _made_to_stand(sentence: str, page: Page) -> str:
    begun = _CONNECTIVE.sub("", without_label(sentence))
    text = titled(page.named(_CAN_GO.sub("", begun[:1].upper() + begun[1:])), page)
    return "" if not text or not is_quotable(text) or points_out(text, page.known) else text


def _loose(sentence: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return the unresolved references of a sentence; all of it if it names nothing.

    A sentence that names nothing tells of something in particular if it is in the past or future
    tense or gives a figure.
    """
    found = tuple(definites(sentence, known))
    if not found and sentence and not has_name(sentence, known) and _PARTICULAR.search(sentence):
        return (sentence,)
    return found


def _joined(standing: str, sentence: str, page: Page) -> str:
    """Return two sentences as one, where the second refers to the first or contrasts with it."""
    contrast = _CONTRAST_START.match(sentence)
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
