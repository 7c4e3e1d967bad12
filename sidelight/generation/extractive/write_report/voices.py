"""Attribution by speaker: who speaks on a page, and whether a statement needs attribution.

A report states in its own voice only what a page says about others. What a press release, an
advertisement, a column or a page about itself says is attributed to its publisher. Talk among users
is not quoted at all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sidelight.generation.reading.names import find_names, host_label
from sidelight.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.schemas.segment import Segment

_OWN_VOICE = 2  # so many lines in the first person are a manner, one is a slip
_SPEAKERS = 2
_MIN_PREFIX = 8  # letters of a host that a longer name may continue

ATTRIBUTED = re.compile(r"\b[Aa]ccording to\b|\bby its own account\b")
"""Says in a sentence whose word it is."""

_QUOTED_SPEECH = re.compile(r'"[^"\n]*"|“[^“”\n]*”')
_FIRST_PERSON = re.compile(
    r"\b(?:I|I['’](?:m|ve|ll|d)|[Ww]e|[Ww]e['’](?:re|ve|ll|d)|[Mm]y|[Oo]ur|us|me)\b"
)
# What a release opens a line with; a page that speaks of one is none.
_RELEASE = re.compile(
    r"\bfor immediate release\b"
    r"|^[^\w\n]{0,9}(?:press release|notes? (?:to|for) editors|media (?:contact|enquir\w+)"
    r"|press (?:contact|office))\b",
    re.IGNORECASE | re.MULTILINE,
)
_OFFER = re.compile(
    r"\b(?:add to (?:basket|cart)|buy now|order (?:now|today|online)|in stock|our customers"
    r"|free (?:delivery|shipping)|money[- ]back guarantee|satisfied customers)\b",
    re.IGNORECASE,
)
# "slow_oven: It was about 20 degrees.", as users' names go.
_POST = re.compile(r"^(?P<user>(?=[a-z]|\w+[a-z][A-Z]|\w*[_\d])[\w.-]{3,24}):\s+\S", re.MULTILINE)
_THREAD = re.compile(
    r"\b(?:posted by|original poster|reply|replies|replied|upvotes?|forum|thread|joined:)\b",
    re.IGNORECASE,
)


def is_talk(segment: Segment) -> bool:
    """Tell whether a window is a forum discussion."""
    users = {match["user"] for match in _POST.finditer(segment.text)}
    cues = {match.group().casefold() for match in _THREAD.finditer(segment.text)}
    return len(users) >= _SPEAKERS or len(cues) > _SPEAKERS


@lru_cache(maxsize=8192)
def speaks_for_itself(text: str) -> bool:
    """Tell whether a window speaks for whoever publishes it: in the first person, or to sell."""
    if _RELEASE.search(text) or _OFFER.search(text):
        return True
    own = [
        sentence
        for sentence in re.split(r"(?<=[.!?])\s|\n", _QUOTED_SPEECH.sub(" ", text))
        if _FIRST_PERSON.search(sentence)
    ]
    return len(own) >= _OWN_VOICE


def attributed(sentence: str, speaker: str, role: str = "") -> str:
    """Return a sentence as what somebody says of themselves or others; nothing if that is unknown.

    Args:
        sentence: What their page says.
        speaker: Their name, or the host of their page.
        role: What they are to the matter; see `role_of`.
    """
    if ATTRIBUTED.search(sentence):
        return sentence
    if not speaker or not sentence.endswith("."):
        return ""
    body = sentence.removesuffix(".")
    if speaker in sentence:
        return f"{body}, by its own account." if sentence.startswith((speaker, "The ")) else ""
    return f"{body}, according to {f'{role}, {speaker}' if role else speaker}."


_ROLE = (
    r"(?:manufacturer|maker|producer|developer|owner|operator|publisher|sponsor|supplier"
    r"|distributor|seller|founder)"
)


def role_of(speaker: str, texts: Iterable[str]) -> str:
    """Return what texts call somebody, as in "the manufacturer"; nothing where none does.

    Whoever makes or sells a thing has an interest in what is said of it.
    """
    name = re.escape(speaker)
    before = re.compile(rf"\b(?:[Ii]ts|[Tt]he)\s+({_ROLE}),\s+{name}\b")
    after = re.compile(rf"\b{name}(?:\s(?:plc|Ltd|Inc))?,\s+the\s+({_ROLE}(?:\s+of\s+[a-z]+)?)\b")
    for text in texts:
        if match := after.search(text) or before.search(text):
            return f"the {match[1]}"
    return ""


def publishers(segments: Iterable[Segment]) -> dict[str, str]:
    """Return by host the name that its pages give whose letters are those of the host.

    A host that no page names stands for itself.
    """
    found: dict[str, set[str]] = {}
    for segment in segments:
        label = host_label(segment.host)
        found.setdefault(segment.host, set()).update(
            name
            for name in find_names(f"{segment.title}\n{segment.text}")
            if label and _names(label, name)
        )
    return {
        host: min(names, key=lambda name: (len(name), name), default=host)
        for host, names in found.items()
    }


def _names(label: str, name: str) -> bool:
    """Tell whether a name is that of a host's label, or a longer one that begins with it."""
    letters = "".join(tokens(name)).removeprefix("the")
    return letters == label or (len(label) >= _MIN_PREFIX and letters.startswith(label))
