"""Facts of a text that a question can ask about, recognised by form, and headline claims.

The claim of a headline is reworded so that it can follow "that" in a question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.reading.names import find_names, looks_personal
from sidelight.generation.reading.verbs import states_something
from sidelight.text import count_words

if TYPE_CHECKING:
    from sidelight.schemas.investigation.angle import ArticleProfile

_NAME_PHRASE = r"[A-Z][\w’'&-]*(?:\s+(?:of\s+)?[A-Z][\w’'&-]*){0,4}"
_CODED_DOCUMENT = re.compile(
    r"\b(?P<kind>(?:[a-z]+\s)?(?:entry|patent|file|case|order|resolution|permit|contract|licen[cs]e"
    r"|grant|regulation|directive))\s+(?P<code>[A-Z]{1,4}[ -]?\d[\w-]{2,12})\b"
)
_THINGS = (
    r"(?:schemes?|projects?|pilot|programmes?|app|platform|tool|start-?up|company|firm|service"
    r"|website|charity|think tank|lobby group|campaign group|manufacturer|maker|collective|agency)"
)
_SCHEME = re.compile(
    rf"\b(?P<name>{_NAME_PHRASE}),\s+(?P<role>(?:the|an?)\s+(?:[a-z-]+\s+){{0,3}}{_THINGS}\b[^,.;:()\"“”\n]*)"
)
# "The scheme that has run" goes on: what stands behind "that" says which one is meant.
_SCHEME_ENDS = re.compile(
    r"(?<!\sthat)(?<!\swhich)(?<!\swho)(?<!\s)\s+(?:with|and|but|says?|said|has|have)\s.*$"
)
_MAX_ROLE_WORDS, _MIN_ROLE_WORDS = 10, 3
_TESTED_AT = re.compile(
    rf"\b(?:tests?|tested|trials?|experiments?)\s+(?:[a-z]+\s+){{0,2}}(?:at|by)\s+(?:the\s+)?(?P<name>{_NAME_PHRASE})"
)
_FORECAST = re.compile(r"\b(?:by 20\d\d|[Ff]uture|[Pp]redict\w*|[Ff]orecast\w*)\b")
_LAW = re.compile(r"\b(?:bill|law|act|ban|tax|treaty|policy|referendum|vote)$", re.IGNORECASE)
_HEALTH = re.compile(
    r"\b(?:patients?|disease|cancer|kidneys?|diabetes|stroke|health|clinical|symptoms?|doctors?)\b"
)
_MANY_HEALTH_WORDS = 4
_LONG_AGO = re.compile(r"\b1[0-8]\d\d\b|\b19[0-7]\d\b")


class Named(NamedTuple):
    """A named entity that a text describes.

    Attributes:
        name: Its name.
        role: What it is, as in "the scheme on the coast".
    """

    name: str
    role: str


def documents(body: str) -> list[str]:
    """Return documents known by a number, as in "register entry TM 40817"."""
    found = (f"{one['kind'].strip()} {one['code']}" for one in _CODED_DOCUMENT.finditer(body))
    return list(dict.fromkeys(_without_article(text) for text in found))


def schemes(body: str) -> list[Named]:
    """Return companies, projects and the like that a text introduces, in order."""
    found: dict[str, Named] = {}
    for one in _SCHEME.finditer(body):
        role = _SCHEME_ENDS.sub("", " ".join(one["role"].split()))
        if _MIN_ROLE_WORDS <= len(role.split()) <= _MAX_ROLE_WORDS and not looks_personal(
            one["name"]
        ):
            found.setdefault(one["name"], Named(one["name"], role))
    return list(found.values())


def named_testers(body: str) -> list[str]:
    """Return who tested something, as a text says."""
    return list(dict.fromkeys(one["name"] for one in _TESTED_AT.finditer(body)))


def people_of_the_past(title: str, body: str) -> list[str]:
    """Return the main people of a historical story: those often called by surname alone."""
    if not _LONG_AGO.search(title):
        return []
    return [
        name
        for name, count in find_names(body).most_common()
        if looks_personal(name)
        and len(re.findall(rf"(?<!{re.escape(name.split()[0])} ){name.split()[-1]}\b", body)) > 1
        and count > 1
    ]


def is_forecast(title: str) -> bool:
    """Tell whether a headline is a forecast."""
    return bool(_FORECAST.search(title))


def is_law(subject: str) -> bool:
    """Tell whether a subject is something that parties argue over."""
    return bool(_LAW.search(subject))


def is_about_health(body: str) -> bool:
    """Tell whether a text is about what something does to people's health."""
    return len(_HEALTH.findall(body)) >= _MANY_HEALTH_WORDS


def _without_article(text: str) -> str:
    return re.sub(r"^(?:the|a|an|in|of|for|to|by|under|this|that)\s", "", text)


_MIN_WORDS, _MAX_WORDS = 4, 15
_NO_CLAIM = re.compile(
    r"(?:How|Why|What|When|Where|Who|Here|Watch|It|He|She|They|We|You|I|It['’]s"
    r"|The (?:Best|Untold|Pros)|An? (?:Look|Guide|Deep))\b",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"^How (?!(?:to|do|does|did|is|are|was|can|could|much|many|long|far|it)\b)", re.IGNORECASE
)
_RELATIVE = re.compile(r"^(The .{3,40}?) [Tt]hat (\w+s\b)")
_SAYS_WHO = re.compile(r",\s+[^,]{3,40}\s(?:says?|claims?|warns?)$")
_OPINION = re.compile(r"\bthe (?:worst|best|greatest|coolest|funniest)\b", re.IGNORECASE)
_MOOD = re.compile(r"\b(?:sadly|finally|really|officially|just|apparently) ", re.IGNORECASE)
_AND_MORE = re.compile(r"[—;]|,\s+(?=(?:they|he|she|it|but|here)\b)", re.IGNORECASE)
_DOUBLE_QUOTED = re.compile(r"[\"“][^\"“”\n]*[\"”]")


def headline_claim(profile: ArticleProfile) -> str:
    """Return what the headline states, as it goes on after "that"; empty if it states nothing."""
    parts = re.split(r":\s+|(?<!\s)\s+[-–—|]\s+|\?", profile.title)
    title = parts[-1 if ":" in profile.title else 0]
    title = _AND_MORE.split(title, maxsplit=1)[0]
    title = _SAYS_WHO.sub("", title.strip(" .!\"“”'‘’"))
    if not _MIN_WORDS <= count_words(title) <= _MAX_WORDS or "?" in profile.title:
        return ""
    title = _MOOD.sub("", _HOW.sub("", title))
    if _NO_CLAIM.match(title) or _OPINION.search(title):
        return ""
    title, is_relative = _RELATIVE.subn(r"\1 \2", title)  # "The Sweetener That Triples ..."
    claim = as_inside(title, profile.body)
    return claim if is_relative or states_something(_DOUBLE_QUOTED.sub(" ", claim)) else ""


def as_inside(title: str, body: str) -> str:
    """Return a title with capitals only where a text mostly writes them inside sentences."""
    return " ".join(_as_inside(word, body) for word in title.split())


def _as_inside(word: str, body: str) -> str:
    """Return a word with a capital only if the body mostly writes it so inside a sentence."""
    plain = re.sub(r"['’]s$", "", word.strip(",;:\"“”'‘’()"))
    if not plain[:1].isupper() or _is_code(plain):
        return word
    lower = plain[0].lower() + plain[1:]
    small = len(re.findall(rf"(?<![\w-]){re.escape(lower)}(?![\w-])", body))
    large = len(re.findall(rf"(?<=[a-z,;] ){re.escape(plain)}(?![\w-])", body))
    return word if large > small else word.replace(plain, lower, 1)


def _is_code(word: str) -> bool:
    return any(letter.isupper() for letter in word[1:]) or any(letter.isdigit() for letter in word)
