"""What a headline states, as it goes on after "that" in a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.reading.verbs import states_something
from sidelight.text import count_words

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

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
_QUOTED = re.compile(r"[\"“][^\"“”\n]*[\"”]")


def headline_claim(profile: ArticleProfile) -> str:
    """Return what the headline states, as it goes on after "that"; empty if it states nothing."""
    title = re.split(r":\s+|\s+[-–—|]\s+|\?", profile.title)[-1 if ":" in profile.title else 0]
    title = _AND_MORE.split(title, maxsplit=1)[0]
    title = _SAYS_WHO.sub("", title.strip(" .!\"“”'‘’"))
    if not _MIN_WORDS <= count_words(title) <= _MAX_WORDS or "?" in profile.title:
        return ""
    title = _MOOD.sub("", _HOW.sub("", title))
    if _NO_CLAIM.match(title) or _OPINION.search(title):
        return ""
    title, is_relative = _RELATIVE.subn(r"\1 \2", title)  # "The Sweetener That Triples ..."
    claim = as_inside(title, profile.body)
    return claim if is_relative or states_something(_QUOTED.sub(" ", claim)) else ""


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
