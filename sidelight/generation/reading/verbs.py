"""Verb detection, which tells sentences from labels and captions, and figures with what they count.

A figure phrase is a number with its noun, as in "4,000 jobs".
"""

from __future__ import annotations

import re

from sidelight.text import line_before

_AUXILIARY = """
    is are was were be been am has have had does do did will would can could may might must shall
    should cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't
    wouldn't can't couldn't
"""
_IRREGULAR = """
    began became bought brought broke built came chose cost cut drew drove fell felt fought found
    gave got grew held hit hurt kept knew laid lay led left lent let lost made meant met paid put
    ran read rose said sat saw sold sent set shook shot shut showed shrank sang spent split spoke
    stood stole struck swore swam took taught thought told threw understood went woke won wore
    withdrew wrote underwent overcame forbade
"""
_PRESENT = """
    accept account acknowledge acquire act add adjust admit advise affect agree aim allege allow
    allude appear apply argue arise ask assert attract attribute belong blame bring call carry close
    cast caution cause challenge change cite claim combine come comment compare concede conclude
    confirm connect consist contain contend continue contradict control cost count cover create
    credit criticise criticize date deal declare define deny depend derive describe differ
    disagree discuss dispute document drive earn employ encourage end endorse equal estimate
    exceed exist expect explain express extend fail fall feature find focus follow force found
    fund give go grow happen help highlight hold identify imply include increase indicate inform
    insist invest involve issue keep know lack lead leave lie link list live look lose make mark
    mean measure mention name need note number occur offer operate oppose order organise organize
    own pay place play point portray praise present prevent print produce prohibit promise promote
    propose protect prove provide publish put question quote raise range rank rate reach read
    receive recognise recognize recommend record reduce refer reflect refuse regard reject relate
    release rely remain report represent require reserve respond rest restrict result return
    reveal rise rule run say see seek sell send serve set share show sign sit speak spend sponsor
    stand start state stem stress suggest supply support take tell tend test trace treat turn use
    value vary view visit voice warn weigh work write
"""


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


_FINITE = frozenset(
    [*_AUXILIARY.split(), *_IRREGULAR.split(), *map(_third_person, _PRESENT.split())]
)
_PLURAL_PRESENT = frozenset(_PRESENT.split())
# "scores the", "employs 540", "buys barley from": a form in -s and what only a verb has after it.
_TAKES_AN_OBJECT = re.compile(
    r"(?<=\w )[a-z]{2,}(?<![su])s\s+(?:a|an|the|no|that|only|its|his|her|their|more|less|almost"
    r"|nearly|around|up|between|one|two|three|four|five|six|ten|\d|T\d|[$£€]\d|[A-Z][a-z])"
)
_WORD = re.compile(r"[\w'’-]+")


def has_verb(sentence: str) -> bool:
    """Tell whether a sentence has a finite verb; see `first_verb`."""
    return first_verb(sentence) is not None


def first_verb(sentence: str) -> int | None:
    """Return where the first finite verb begins, as far as a list of common ones and forms tell.

    A form in `-ed` right after a comma, a hyphen or a preposition is taken for a participle.
    """
    before = ""
    for match in _WORD.finditer(sentence):
        word = match.group().replace("’", "'")
        if word[0].islower() and _is_finite(sentence, match, before):
            return match.start()
        if before and word.casefold().endswith("n't"):
            return match.start()
        if word.casefold() in _WITH_VERB:
            return match.start()
        before = word.casefold()
    return None


def states_something(text: str) -> bool:
    """Tell whether a text has a verb that cannot be a participle or a noun."""
    return any(
        match.group() in _FINITE or _TAKES_AN_OBJECT.match(text, match.start())
        for match in _WORD.finditer(text)
        if match.start() > 0
    )


def _is_finite(sentence: str, match: re.Match[str], before: str) -> bool:
    word = match.group()
    if word in _FINITE:
        return True
    if word in _PLURAL_PRESENT and before.endswith("s"):
        return True
    if _TAKES_AN_OBJECT.match(sentence, match.start()):
        return True
    return (
        word.endswith("ed")
        and (len(word) > 4 or word in {"used", "sued"})
        and before not in _NO_SUBJECT
        and not _BEFORE_LAST.match(sentence, match.start())
        and sentence[match.start() - 1 : match.start()] == " "
        and not sentence[: match.start()].rstrip().endswith((",", ";", ":", "-"))
    )


_BEFORE_LAST = re.compile(r"[a-z]+ed [a-z]+\.$")  # "occupation retired engineer."
_WITH_VERB = frozenset("it's that's there's he's she's they're they've who's".split())
_NO_SUBJECT = frozenset(
    "a an the of by with in on at for from to and or as its his her about into over under between"
    " among against without within through during than like".split()
)


_PHRASE = re.compile(
    r"(?<![\w.,:#-])(?P<number>[$£€T]?\d+(?:[.,]\d+)*(?:\s(?i:percent|per\s+cent|million|billion"
    r"|thousand))?%?)(?P<rest>(?:\s+of(?:\s+(?:all|the|their|its))?)?"
    r"(?:\s+[a-z][a-z’'-]+){0,3})"
)
_STOP = re.compile(
    r"(?<!\s)\s+(?:a|an|the|in|on|at|by|for|from|to|with|per|within|over|under|up|down|as|if|or|and|but"
    r"|that|which|who|when|while|because|since|after|before|between|against|more|less|than|is|are"
    r"|was|were|has|have|had|will|would|could|can|may|do|does|did|took|came|went|said|says|would"
    r"|lower|higher|ago|old|now|then|last|later|earlier|today|daily|every|each|only|alone|could"
    r"|said|had|came|works?|rose|fell|arrived|stood|climbed|receive|drank|swallow|those|given)\b.*$"
)
_TIME = re.compile(r"\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|am|pm|a\.m|p\.m)\b")
# A figure worth asking about is large, a share or a sum: "2 diabetes" is an accident of words.
_WHOLE = re.compile(
    r"(?:[$£€T]\d|\d[\d,.]*\s?(?:%|(?i:percent|per\s+cent|million|billion|thousand))|\d{2,3}(?![\d.])"
    r"|\d{1,3}(?:,\d{3})+(?!\d)|\d{4,}(?!\d)|\d+\.\d+(?![.\d]))(?!\s*(?:th|st|nd|rd|local)\b)"
)
_NUMBERED = re.compile(r"(?<=\w)\s+[A-Z][a-z]+\s$|#\s*$")  # "the Area 51 gates"
_PLURAL_AND_VERB = re.compile(r"(\b[a-z]+[^s\W]s) [a-z]+[^s\W]s$")  # "centimetres powers"
_COUNT_ONLY = re.compile(r"^[$£€T]?[\d.,]+$")


def figure_phrases(text: str) -> list[str]:
    """Return the figures of a text with the nouns after them, in order.

    Years, times of day and spans of time are left out, and so are figures that count nothing named.
    """
    found = []
    for match in _PHRASE.finditer(text):
        number, rest = match["number"], _STOP.sub("", f" {match['rest'].strip()}").strip()
        if (verb := first_verb(f"It {rest}")) is not None:
            rest = rest[: verb - len("It ")].strip()
        rest = _PLURAL_AND_VERB.sub(r"\1", rest)
        phrase = " ".join(f"{number} {rest}".split())
        if _NUMBERED.search(line_before(text, match.start())):
            continue
        if not _WHOLE.match(phrase) or rest.endswith(" of") or rest == "of":
            continue
        if re.fullmatch(r"(?:1[5-9]|20)\d\d", number) or _TIME.search(phrase):
            continue
        if _COUNT_ONLY.match(phrase) and number[0].isdigit():
            continue
        found.append(phrase)
    return list(dict.fromkeys(found))


_TREND = re.compile(
    r"(?P<what>[A-Z][a-z]+(?:\s(?:for|of|in|to|from|among|[a-z]{3,})){0,5}?)\s+(?:(?:have|has|had)\s+)?"
    r"(?:climbed|risen|rose|fallen|fell|dropped|grown|grew|increased|doubled|tripled|soared|surged"
    r"|plunged|declined|shrunk|shrank)\b[^.]{0,40}\d"
)


def rising_or_falling(sentence: str) -> str:
    """Return what a sentence says went up or down by a figure; empty if nothing.

    "Admissions for asthma have climbed by 12 percent" gives "admissions for asthma".
    """
    found = _TREND.match(sentence)
    what = found["what"] if found else ""
    return what[:1].lower() + what[1:] if " " in what else ""
