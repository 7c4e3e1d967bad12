"""Quantities and dates in one notation, so that equal ones are written alike.

"T1.8 million" becomes "T1800000", "a fifth" "20 percent", "200 millilitres" "0.2 litres", "a
fortnight" "14 days", "3rd of May, 1967" "3 May 1967", "6.30 p.m." "18:30". What is no quantity
stays as it is written.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import log10

from sidelight.english.vocabulary import MONTHS


def _numbered(words: str, first: int = 1) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split(), start=first)}


_SMALL = _numbered(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = {
    word: 10 * number
    for word, number in _numbered(
        "twenty thirty forty fifty sixty seventy eighty ninety", 2
    ).items()
}
_SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "dozen": 12.0,
    "k": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "bn": 1e9,
    "tn": 1e12,
}
_PARTS = _numbered("half third quarter fifth sixth seventh eighth ninth tenth", 2)
# A unit, what it is told in, and how many of that it is.
_UNITS = {
    unit: (base, float(factor))
    for base, units in {
        "litres": "millilitre:.001 ml:.001 centilitre:.01 cl:.01 litre:1 milliliter:.001 liter:1",
        "metres": "millimetre:.001 mm:.001 centimetre:.01 cm:.01 metre:1 meter:1 kilometre:1000 "
        "kilometer:1000 km:1000 mile:1609 foot:.3048 feet:.3048 inch:.0254 inche:.0254 yard:.9144",
        "grams": "milligram:.001 mg:.001 gram:1 kilogram:1000 kilo:1000 kg:1000 tonne:1e6 ton:1e6 "
        "ounce:28.35 kilotonne:1e9 megatonne:1e12",
        "minutes": "second:.016666667 minute:1 hour:60",
        "days": "day:1 week:7 fortnight:14",
        "watts": "watt:1 kilowatt:1000 megawatt:1e6 gigawatt:1e9",
        "years": "year:1 decade:10 century:100 centurie:100 month:.083333333",
        "hectares": "hectare:1 acre:.4047",
        "percent": "percent:1 %:1",
    }.items()
    for unit, factor in (one.split(":") for one in units.split())
}


_MONTH_NAMES = {month[:3].casefold(): month for month in MONTHS}

_NUMBER_WORDS = "|".join((*_SMALL, *_TENS))
_SCALE_WORDS = "hundred|thousand|million|billion|trillion|dozen"
# A version such as 1.2.3 is no number.
_ANY_NUMBER = (
    rf"(?:(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\.?\d)|\b(?:{_NUMBER_WORDS})\b)"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})"
    rf"|(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,? (?P<year>\d{{4}})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>[12]\d{3})-(?P<month>[01]\d)-(?P<day>[0-3]\d)\b")
_FRACTION = re.compile(
    r"\b(?P<times>an?|one|two|three|four|five|six|seven|nine)[ -]"
    r"(?P<part>half|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth)s?\b(?= of\b| |[.,;]|$)"
    r"|\b(?:one|1) (?:in|out of) (?P<of>two|three|four|five|six|eight|ten|2|3|4|5|6|8|10)\b"
    r"|\b(?P<half>half)\b(?= of\b| the\b| its\b| their\b| an?\b)",
    re.IGNORECASE,
)
_UNIT = (
    "million|billion|century|decade|year|hour|minute|litre|liter|metre|kilometre|mile|tonne|kilo"
)
_PART_OF_UNIT = re.compile(
    rf"\b(?:(?P<times>an?|one|two|three) )?(?P<part>half|quarter|third)s?(?: of)? an? "
    rf"(?P<unit>{_UNIT})\b",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(
    rf"\b(?P<times>an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{{1,3}}) "
    rf"(?:(?P<unit>{_UNIT})s? )?and a half\b",
    re.IGNORECASE,
)
_ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
)
_ORDINAL = re.compile(
    rf"\b(?P<word>{'|'.join(reversed(_ORDINALS))})(?= of {_MONTH}\b|[ -]century\b)", re.IGNORECASE
)
_TIME_OF_DAY = re.compile(
    r"\b(?P<hour>\d{1,2})(?:[.:](?P<minute>[0-5]\d))? ?(?P<half>[ap])(?:\.m\.?|m\b)", re.IGNORECASE
)
# What "two hours and eleven minutes" has become when each unit is told in minutes.
_HOURS_AND_MINUTES = re.compile(r"\b(\d{1,6}) minutes(?:,? and|,)? (\d{1,6}) minutes\b")
_QUANTITY = re.compile(
    rf"(?<![\w.,-])(?P<sign>[A-Z]{{0,3}}[$£€¥]|[A-Z]{{1,3}}(?=\d))? ?"
    rf"(?P<first>{_ANY_NUMBER}|\ban?(?= (?:{_SCALE_WORDS}|fortnight|decade|century)\b))"
    r"(?P<rest>(?:bn|tn|mn|k|m)\b(?!\.\d)"
    rf"|(?:[ -]?(?:and )?(?:{_NUMBER_WORDS}|{_SCALE_WORDS})\b){{0,6}})"
    r"(?P<unit>[ -]?(?:%|per ?cent\b|(?!in\b)[a-z]{2,11}\b))?",
    re.IGNORECASE,
)
_MOST = 1e15  # what is more is no quantity, and a float does not hold each of its digits
_DIGITS = 4  # of a value that a conversion gives
_PLACES = 6  # behind the point, of any value


@lru_cache(maxsize=16_384)
def canonical(text: str) -> str:
    """Return a text with its quantities and dates in one notation."""
    text = _ISO.sub(_iso_date, text)
    text = _ORDINAL.sub(lambda match: f"{_ORDINALS[match['word'].casefold()]}th", text)
    text = _TIME_OF_DAY.sub(_time_of_day, text)
    text = _DATE.sub(_date, text)
    text = _PART_OF_UNIT.sub(_part_of_unit, text)
    text = _AND_A_HALF.sub(_and_a_half, text)
    text = _FRACTION.sub(_fraction, text)
    text = _QUANTITY.sub(_quantity, text)
    return _HOURS_AND_MINUTES.sub(lambda match: f"{int(match[1]) + int(match[2])} minutes", text)


def _time_of_day(match: re.Match[str]) -> str:
    hour = int(match["hour"]) % 12 + 12 * (match["half"].casefold() == "p")
    return f"{hour}:{match['minute'] or '00'}"


def _iso_date(match: re.Match[str]) -> str:
    months = list(_MONTH_NAMES.values())
    month = int(match["month"])
    if not 1 <= month <= len(months):
        return match.group()
    return f"{int(match['day'])} {months[month - 1]} {match['year']}"


def _date(match: re.Match[str]) -> str:
    day, month = match["day"] or match["day2"], match["month"] or match["month2"]
    name = _MONTH_NAMES[month[:3].casefold()]
    if not name.casefold().startswith(month.rstrip(".").casefold()) and month[:4] != "Sept":
        return match.group()
    return f"{int(day)} {name}" + (f" {match['year']}" if match["year"] else "")


def _part_of_unit(match: re.Match[str]) -> str:
    share = _one((match["times"] or "a").casefold()) / _PARTS[match["part"].casefold()]
    return f"{_shown(share)} {match['unit']}"


def _and_a_half(match: re.Match[str]) -> str:
    return f"{_shown(_one(match['times'].casefold()) + 0.5)} {match['unit'] or ''}".rstrip()


def _fraction(match: re.Match[str]) -> str:
    if match["half"] or match["of"]:
        parts = _one(match["of"].casefold()) if match["of"] else 2
        follows = match.string.startswith(" of", match.end())
        return f"{_shown(round(100 / parts, 1))} percent{'' if follows else ' of'}"
    times = 1 if match["times"].casefold() in {"a", "an"} else _SMALL[match["times"].casefold()]
    share = times / _PARTS[match["part"].casefold()]
    return match.group() if share >= 1 else f"{_shown(round(100 * share, 1))} percent"


def _quantity(match: re.Match[str]) -> str:
    whole, unit = match.group(), (match["unit"] or "").strip(" -").casefold().replace(" ", "")
    value = _value(match["first"].casefold(), (match["rest"] or "").casefold())
    if value is None or not value <= _MOST:
        return whole
    known = _UNITS.get(unit) or _UNITS.get(unit.rstrip("s")) if unit else None
    if match["first"].casefold() == "one" and not match["rest"] and known is None:
        return whole
    lead = whole[: match.start("first") - match.start()]
    if known is None:
        return f"{lead}{_shown(value)}{match['unit'] or ''}"
    base, factor = known
    if factor != 1:
        value = _rounded(value * factor)
    return f"{lead}{_shown(value)} {base}"


def _value(first: str, rest: str) -> float | None:
    """Return the number that a run of figures and number words stands for; None if for several."""
    total, current = 0.0, _one(first)
    for word in re.findall(r"[a-z]+", rest):
        if word in _SCALES:
            current *= _SCALES[word]
            if word not in {"hundred", "dozen"}:
                total, current = total + current, 0.0
        elif word != "and":
            added = _one(word)
            if current % (10 if added < 10 else 100):
                return None
            current += added
    return round(total + current, _PLACES)


def _one(word: str) -> float:
    if word in {"a", "an"}:
        return 1.0
    return float(_SMALL.get(word) or _TENS.get(word) or word.replace(",", ""))


def _rounded(value: float) -> float:
    digits = _DIGITS - 1 - int(log10(value)) if value > 0 else 0
    return round(value, digits)


def _shown(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.{_PLACES}f}".rstrip("0")
