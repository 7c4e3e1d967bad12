"""Unresolved references of a sentence: words that its reader could not resolve without the page.

Everything goes by form. The rules prefer to refuse: a sentence with an unresolved reference costs a
report more than one that is left out. Includes the recognition of named entities by form.
"""

from __future__ import annotations

import re

from sidelight.generation.reading.verbs import first_verb
from sidelight.text import STOPWORDS

BODIES = (
    r"(?:Board|Tribunal|Institute|Council|Commission|Agency|Company|Fund|Trust|Bureau|Court"
    r"|Ministry|Committee|University|Foundation|Society|Panel|Group|Office|Centre|Center"
    r"|Department|Authority|Association|Directorate|Union|College|Museum|Register|Assembly|Alliance"
    r"|Federation|League|Guild)"
)
CALENDAR = frozenset(
    """
    january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday
    """.split()
)
_HOST = re.compile(
    r"\b[a-z0-9-]{1,63}(?:\.[a-z]{2,63})?\."
    r"(?:com|org|net|co|example|gov|edu|info|au|uk)\b"
)
_CAPITALISED = re.compile(r"(?<!\w)[^\W\d_a-z][\w'’-]*")


def has_name(text: str, known: frozenset[str] = frozenset()) -> bool:
    """Tell whether a text holds a capitalised word that is no date and no ordinary opening.

    Args:
        text: The beginning of a sentence or all of it.
        known: Words that are names even where they open it.
    """
    if _HOST.search(text):
        return True
    for match in _CAPITALISED.finditer(text):
        word = match.group().casefold().replace("’", "'").removesuffix("'s")
        is_acronym = len(word) > 1 and match.group().isupper()
        if word in CALENDAR or (word in STOPWORDS and not is_acronym):
            continue
        if match.start() > 0 or match.group() in known or _opens_as_name(text):
            return True
    return False


def _opens_as_name(text: str) -> bool:
    """Tell whether the first word of a text is a name: another follows, or a capital inside."""
    words = text.split()
    return (
        (len(words) > 1 and words[1][:1].isupper())
        or any(letter.isupper() for letter in words[0][1:])
        or any(letter.isdigit() for letter in words[0])
        or not words[0].isalpha()
        or words[0].endswith(("'s", "’s"))
        or (len(words) > 1 and words[1] in _AFTER_A_NAME)
    )


_AFTER_A_NAME = frozenset(
    """
    is was has had says said wrote writes told found finds holds held owns owned joined received
    rates rated belongs published publishes sells sold makes made argues argued reported reports
    also became denies denied describes described
    """.split()
)


def names_body(text: str) -> bool:
    """Tell whether a text holds a name that is not a person's alone."""
    return has_name(_TWO_WORDS.sub(" ", text)) or CUE.search(text) is not None


_TWO_WORDS = re.compile(r"(?:[A-Z][\w’'-]{1,60}\s+){1,2}[A-Z][a-z’'-]+(?!\s+[A-Z])")
CUE = re.compile(
    rf"\b(?:{BODIES}|Ltd|Inc|plc|LLC|Corporation|Corp|Media|News|Daily|Times|Post|Journal|Review"
    r"|Press|Magazine|Systems|Technologies|Ventures|Partners|Holdings|Labs?|Naturals"
    r"|Ingredients|Communications|Services|Studios|Records|Entertainment|Industries)\b"
)


def page_names(page: str) -> frozenset[str]:
    """Return the words that stand capitalised inside a sentence of a page."""
    return frozenset(
        word for word in _INSIDE.findall(page) if word.casefold() not in CALENDAR | STOPWORDS
    )


_INSIDE = re.compile(r"(?<=[a-z,;] )[^\W\d_a-z][\w’'-]*")


# Kinds of things a page names once and then calls by their kind.
PERSON_KINDS = (
    r"author|columnist|journalist|writer|reporter|editor|founder|director|professor|scientist"
    r"|researcher|engineer|actor|actress|singer|rapper|artist|chairman|minister|judge|lawyer"
    r"|historian|economist|doctor|lodger|baker"
)
ORGANISATION_KINDS = (
    r"company|firm|agency|outlet|site|website|magazine|newspaper|paper|group|organi[sz]ation"
    r"|institute|foundation|journal|board|commission|council|ministry|university|bank|charity"
    r"|trust|club|committee|department|regulator|maker|publisher|start-?up|publication|platform"
    r"|network|broadcaster|business|body|society|association|museum|school|college|court"
)
_THING_KINDS = (
    r"study|report|survey|trial|experiment|test|tests|article|column|review|poll|programme|program"
    r"|project|campaign|film|documentary|book|bill|law|rule|ruling|decision|agreement|contract"
    r"|deal|case|complaint|investigation|statement|interview|letter|notice|note|page|entry|list"
    r"|table|figure|figures|result|results|number|total|sample|plots?|method|measurements?|data"
    r"|authors|researchers|scientists|team|device|machine|product|prototype|claim|claims|fund"
    r"|grant|archive|register|record|file|correction|amount|sum|difference|change|effect|rest"
    r"|remainder|event|incident|accident|victim|man|woman|boy|girl|child|house|building|street"
    r"|panel|tribunal|respondent|complaint|complainant|ratio|group|groups|experiment|average"
    r"|median|error|mistake|editors|editor|scheme|shares|arrangement|letter|founder|owner|wells"
    r"|model|scenario|authors|witness|invoice|site|recipe|service|subjects|order|plan|proposal"
    r"|offer|loan|sale|purchase|series|episode|show|song|video|post|photo|image|message|speech"
    r"|summit|conference|forum|petition|announcement|operator|aircraft|bottle|factory|plant|shop|store|restaurant|chamber|room|laboratory"
)
_NOUN_KINDS = rf"(?:{PERSON_KINDS}|{ORGANISATION_KINDS}|{_THING_KINDS})"

_NAME_WORD = r"(?:[^\W\d_a-z][\w'’&-]{0,60})"
# "the company", "The new agency", unless "of the Harrow Lane Institute" or the like says which.
_BY_KIND = re.compile(
    rf"\b(?P<the>[Tt]he)\s+(?P<phrase>(?:[a-z\d][\w-]*,?\s+){{0,2}}?{_NOUN_KINDS})\b(?!\s+[\"“]?{_NAME_WORD})"
    r"(?!\s+(?:of|for|on|by|at|from|in(?!\s+(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December|\d{4}))|about|behind|to|with|between|into|against|over|that|which|who|whose"
    r"|called|named|known)\b)(?!,\s+(?:which|who|called|named)\b)"
)
# "Articles appear first in": whose?
_BARE_PLURAL = re.compile(
    r"(?:Articles|Members|Entries|Pages|Copies|Samples|Applicants|Holders|Visitors|Readers|Staff)"
    r"(?=\s+(?!who\b|that\b|of\b|in\b|from\b|with\b)[a-z])"
)
_SHARES = re.compile(r"percent\s+of\s+the\s+(?:shares|stock|company|firm)\b(?!\s+(?:of|in)\b)")
# "The Institute", which the page has named in full before.
_SHORT_NAME = re.compile(
    rf"\b(?P<the>[Tt]he)\s+(?P<body>{BODIES})(?P<own>['’]s)?(?!\s+(?:{_NAME_WORD}|of\b|for\b))(?!\w)"
)
_OF_A_BODY = frozenset(f"{ORGANISATION_KINDS}|shares|founder|owner".split("|"))
_POINTS_BACK = re.compile(
    r"\b(?:(?:that|this|the\s+same|the\s+previous|the\s+following|the\s+next)\s+"
    r"(?:year|month|week|day|morning|evening|night|time|date|period|point|season|spring|summer"
    r"|autumn|winter|decade|stage|moment|way|kind|reason|level|amount|size|sum|area|place)"
    r"|th(?:is|ese)\s+(?-i:[a-z]\w*\s+)?(?:newspaper|report|study|page|article|column|survey|website|site"
    r"|book|paper|note|statement|office|claims?|figures?|data|results?|findings?|allegations?)"
    r"|(?:that|those|these|such)\s+(?:figures?|claims?|stud(?:y|ies)|reports?|numbers?|totals?"
    r"|decisions?|cases?|samples?|results?|findings?|compan(?:y|ies)|changes?|files?|pages?"
    r"|records?|statements?|accounts|payments?|tests?|rules?|words|letters?)"
    r"|such\s+an?\s+[a-z]+|(?:those|these|such)\s+(?:people|men|women|groups?|players|users)"
    r"|the\s+(?:former|latter|remaining|remainder|rest)|one\s+of\s+(?:them|these|those)"
    r"|(?:of|to|for|with|by|from|between|among)\s+(?:both|these|those)\b(?!\s+(?:who|that|in|the|of|[A-Z]|\w+s\b))"
    r"|as\s+(?:above|below|noted|mentioned|described|before|follows)|see\s+(?:above|below)"
    r"|the\s+(?:two|three|four|five)\s+(?:men|women|people|authors|compan(?:y|ies)|firms|studies)"
    r"|(?:until|since|than|after|before|of|in|on|for|from|by|to|at|with|during)\s+that\s+[a-z]+"
    r"|(?:chapter|table|figure|section|page|appendix|annex|note|paragraph)\s+[A-Z]?\d+"
    r"|(?<!over )there(?!\s+(?:is|are|was|were|has|have|had|will|would|may|might|must|can|could"
    r"|should|remains?|seems?|appears?|exists?)\b)(?!['’])|today|yesterday|tomorrow|tonight"
    r"|this\s+(?:week|month|year|morning|country|city|town|region|area)|(?:last|next)\s+(?:week"
    r"|month|year|night|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
    r"|on\s+(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?!,?\s+(?:\d|(?-i:[A-Z])))"
    r"|(?:holds?|owns?|held|owned)\s+\d+\s+percent(?!\s+(?:of|in)\b)"
    r"|(?:appointed|became|named)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:director|chairman|chair|editor"
    r"|president|secretary|partner|fellow)(?=\s+(?:on|in\s+\d+|by|from)\b|\.$)"
    r"|(?:resigned|stepped\s+down|retired|served|serves)\s+as\s+(?:an?\s+|the\s+)?(?:director|chairman"
    r"|chair|editor|president|secretary)(?!\s+of\b)|the\s+same\s+[a-z]+(?=[.,;]|$)"
    r"|share\s+(?:came|amounted)\s+to|(?:nothing|anything|everything|nobody|no\s+one)\s+else"
    r"|(?<=\s)(?:that|this)\s+(?:paper|document|trial|event|contract|deal|company|firm)"
    r"|the\s+others?|did\s+so|does\s+so|do\s+so|said\s+so|that\s+(?:it|they)\s+\w+(?=\.$)"
    r"|so\s+(?:little|much|many|few)(?=[.,;]|$)"
    r"|this(?=[.,;]|\s+(?:when|and|but|because|as|to|is|was|by)\b))\b",
    re.IGNORECASE,
)
_LEADING_POINTER = re.compile(
    r"^[\"“'‘(]?(?:This|That|These|Those|Such|Both|Neither|Either|Another|Others?(?!\s+[a-z]+,\s+including\s+[A-Z])|The\s+other"
    r"|Each|None|Here|There(?!\s+(?:is|are|was|were|has|have)\b(?!\s+(?:another|other)\b))|Not|Nor|Only|Even|Again"
    r"|Similarly|Likewise|So|Then|Instead|Yet|Still|Therefore|Thus|Perhaps|Later|Earlier"
    r"|Afterwards?|Soon|Eventually|Elsewhere|Otherwise|Hence|Accordingly|Consequently)\b"
    r"|^[\"“'‘(]?(?:(?:After|At|By|For|From|In|On|Under|With|Since|Before|During|Of)\s+(?:this|that|these|those"
    r"|such|both|doing)\b|As\s+a\s+result|The\s+(?:first|second|third|last|next|best|worst|latest"
    r"|same|former|latter|following|above|rest|results?|figures?|numbers?|one|ones|idea|reason"
    r"|difference|answer|question|problem|point|aim|goal|move|news|latter|pair|trio|duo)\b"
    r"\b(?![.]\w|\s+of\b)|(?:Two|Three|Four|Five|Six|Several|Some|Most|Many|All|A\s+few|One)\s+of\s+"
    r"(?:the|its|his|her|their|them)\b|(?:A\s+)?(?:second|third|fourth|further)\b)"
)
_PRONOUN = re.compile(
    r"\b(?P<word>he|she|him|her|his|hers|himself|herself|it|its|itself|they|them|their|theirs"
    r"|themselves)\b",
    re.IGNORECASE,
)
_PERSONAL_PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})
_IMPERSONAL_IT = re.compile(
    r"\bit\s+(?:is|was|has\s+been|will\s+be|would\s+be|may\s+be|remains|seems|appears|takes|took)\b",
    re.IGNORECASE,
)
_THING_BEFORE = re.compile(
    r"\b(?:a|an|the|every|each|no|some|many|most|few|all)\s+[a-z]", re.IGNORECASE
)
# "This affects coverage": what does?
_DEMONSTRATIVE = re.compile(
    r"\b(?:this\s+(?=[a-z])|(?P<many>th[eo]se)\s+(?:are|were|have|had|do|did|will|would|can|could)\b)",
    re.IGNORECASE,
)


# Characters beside a word in which its antecedent or its verb is looked for: more than any sentence
# that can be quoted has, so that a text without end takes no square of its length.
_REACH = 1_000


def points_out(sentence: str, known: frozenset[str] = frozenset()) -> str:
    """Return the words of a sentence that refer to something outside it, or nothing.

    Args:
        sentence: On one line.
        known: Words that are names on its page, wherever they stand.
    """
    if match := _LEADING_POINTER.search(sentence):
        return match.group()
    for match in _DEMONSTRATIVE.finditer(sentence):
        if match["many"] or first_verb(sentence[match.end() : match.end() + _REACH]) == 0:
            return match.group()
    for match in _POINTS_BACK.finditer(sentence):
        if not _is_before(match, sentence):
            return match.group()
    if pronoun := loose_pronoun(sentence, known):
        return pronoun.group()
    return ""


def _is_before(match: re.Match[str], sentence: str) -> bool:
    """Tell whether the antecedent of "such people" or "that year" is in the sentence."""
    noun = match.group().split()[-1].casefold()
    before = sentence[max(match.start() - _REACH, 0) : match.start()]
    if noun == "year":
        return _YEAR_SINCE_1500.search(before) is not None
    return re.search(rf"\b{re.escape(noun.rstrip('s'))}", before.casefold()) is not None


_YEAR_SINCE_1500 = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


def loose_pronoun(sentence: str, known: frozenset[str] = frozenset()) -> re.Match[str] | None:
    """Return the first pronoun without a possible antecedent in the sentence.

    He and she need a name before them; it and they a name or a noun with its article.
    """
    for match in _PRONOUN.finditer(sentence):
        word = match["word"].casefold()
        before = sentence[max(match.start() - _REACH, 0) : match.start()]
        if word == "it" and _IMPERSONAL_IT.match(sentence, match.start()):
            continue
        if has_name(
            _NOT_PERSONAL.sub(" ", before) if word in _PERSONAL_PRONOUNS else before, known
        ):
            continue
        opening = before.split(maxsplit=1)[:1]
        thing = _THING_BEFORE.search(before) or (opening and opening[0].casefold() not in _OPENERS)
        if word in _PERSONAL_PRONOUNS or not thing:
            return match
    return None


_NOT_PERSONAL = re.compile(
    rf"\b[Tt]he\s+{_NAME_WORD}(?:\s+(?:of\s+)?{_NAME_WORD})*|(?:{_NAME_WORD}\s+){{0,12}}{BODIES}(?:\s+of\s+{_NAME_WORD})*"
    rf"|(?:{_NAME_WORD}\s+){{0,12}}{CUE.pattern}|\"[^\"]*\"|“[^“”]*”"
)
_OPENERS = STOPWORDS | {"since", "according", "like", "unlike", "despite", "although", "besides"}


def definites(sentence: str, known: frozenset[str] = frozenset()) -> list[str]:
    """Return the definite descriptions without a name, as in "the company" or "the Board".

    What a noun with `a` before it in the same sentence may introduce is left out, and so is what a
    name before it may mean; but no person is a company.
    """
    found = []
    for match in (*_BY_KIND.finditer(sentence), *_SHORT_NAME.finditer(sentence)):
        phrase = match["phrase"] if match.re is _BY_KIND else match["body"]
        before = sentence[: match.start()]
        if re.search(r"\b[Aa]n?\s+[a-z]", before):
            continue
        if _is_object(before):
            found.append(phrase)
            continue
        needs_body = phrase.split()[-1].casefold() in _OF_A_BODY
        if not (names_body(before) if needs_body else has_name(before, known)):
            found.append(phrase)
    if plural := _BARE_PLURAL.match(sentence):
        found.append(plural.group().casefold())
    if _SHARES.search(sentence):
        found.append("shares")
    if not found and (subject := _nameless_subject(sentence)):
        found.append(subject)
    return found


def _is_object(before: str) -> bool:
    """Tell whether what follows is the object of the first verb, and so not its subject."""
    verb = first_verb(before)
    return verb is not None and len(before[verb:].split()) == 1


def _nameless_subject(sentence: str) -> str:
    """Return the subject of a sentence that begins with "the" and names nothing before its verb."""
    opening = re.match(r"^(?:In|On|At|For|With|By|Over|Above|During)\s[^,]*,\s+(?=the\b)", sentence)
    start = opening.end() if opening else 0
    verb = first_verb(sentence[start:])
    if verb is None or not sentence[start:].casefold().startswith("the "):
        return ""
    subject = sentence[start + 4 : start + verb].strip(" ,")
    if subject.endswith("ly"):
        return ""  # "the widely repeated figure": that was no verb
    if has_name(f"the {subject}"):
        return ""
    figure = _OF_A_FIGURE.match(subject)
    return figure.group() if figure else _HEAD.split(subject, maxsplit=1)[0].strip(" ,")


# "The figure of 4,000 jobs" can be placed by whoever knows that figure.
_OF_A_FIGURE = re.compile(r"(?:figure|number|total|estimate|claim|share|sum)\s+of\s+\S*\d\S*")
_HEAD = re.compile(r"(?<!\s)\s+(?:of|for|in|on|at|by|from|to|with|that|which|who|between|and)\s+|,")


def short_name(sentence: str) -> re.Match[str] | None:
    """Return where a sentence calls a body by the last word of its name; groups `the`, `body`."""
    return _SHORT_NAME.search(sentence)
