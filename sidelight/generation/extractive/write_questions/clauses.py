"""What an article states, as it goes on after "that" in a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.statements.pointing import points_out
from sidelight.generation.statements.verbs import states_something
from sidelight.text import count_words

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

_MAX_CLAIM_WORDS = 15
_NO_CLAIM = re.compile(r"(?:How|Why|What|When|Where|Who|Here|Watch|The (?:Best|Untold))\b")
_HOW = re.compile(
    r"^How (?!(?:to|do|does|did|is|are|was|can|could|much|many|long|far|it)\b)", re.IGNORECASE
)
_RELATIVE = re.compile(r"^(The .{3,40}?) [Tt]hat (\w+s\b)")
_OPENS_WITH_LINK = re.compile(r"(?:And|But|So|Yet|Also|Then|Some|However)\b")


def headline_claim(profile: ArticleProfile) -> str:
    """Return what the headline states, as it goes on after "that"; empty if it states nothing.

    Words keep their capitals only where the article writes them so inside a sentence.
    """
    title = re.split(r":\s+|\s+[-–—|]\s+|\?", profile.title)[-1 if ":" in profile.title else 0]
    title = title.strip(" .!\"“”'‘’")
    if not 4 <= count_words(title) <= _MAX_CLAIM_WORDS or profile.title.rstrip().endswith("?"):
        return ""
    title = _HOW.sub("", title)
    if _NO_CLAIM.match(title):
        return ""
    title, is_relative = _RELATIVE.subn(r"\1 \2", title)  # "The Sweetener That Triples ..."
    claim = " ".join(_as_inside(word, profile.body) for word in title.split())
    return claim if is_relative or states_something(claim) else ""


def short_clause(sentence: str, body: str) -> str:
    """Return a short sentence as it goes on after "that"; empty if it is long or leans."""
    if count_words(sentence) > _MAX_CLAIM_WORDS or points_out(sentence) or '"' in sentence:
        return ""
    if _OPENS_WITH_LINK.match(sentence):
        return ""
    first, _, rest = sentence.rstrip(".").partition(" ")
    return f"{_as_inside(first, body)} {rest}"


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
