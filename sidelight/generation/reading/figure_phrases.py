"""The figures of an article with what they count, as in "4,000 jobs"."""

from __future__ import annotations

import re

from sidelight.generation.reading.verbs import first_verb

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
        if _NUMBERED.search(text[: match.start()]):
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
