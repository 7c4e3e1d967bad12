"""What a text says somebody is, as in "Ines Corvane, a hydrologist at the University of Orrin"."""

from __future__ import annotations

import re

_KIND = (
    r"(?:scientist|researcher|professor|director|founder|co-founder|chief|executive|ceo|cto"
    r"|minister|lawyer|attorney|spokes(?:man|woman|person)|author|expert|analyst|economist"
    r"|doctor|physician|oncologist|nutritionist|dietitian|psychologist|psychiatrist|president"
    r"|chair(?:man|woman)?|owner|engineer|editor|historian|specialist|manager|officer|head|fellow"
    r"|hydrologist|biologist|physicist|chemist|neuroscientist|geologist|ecologist|astronomer"
    r"|epidemiologist|toxicologist|bioengineer|bioethicist|ethicist|sociologist|folklorist"
    r"|journalist|columnist|investor|partner|consultant|senator|judge|prosecutor|sheriff|actor"
    r"|actress|singer|rapper|musician|influencer|activist|whistleblower|cryptographer|lecturer"
    r"|nurse|surgeon|pulmonologist|cardiologist|gastroenterologist|entrepreneur|leader|secretary)"
)
_MAX_WORDS = 9
_AFTER = (
    r",?\s+(?:who\s+is\s+|is\s+)?(?P<role>(?:(?:the|a|an)\s+)?(?:[a-z][\w’'-]*\s+){{0,4}}{kind}"
    r"\b[^,.;:()\"“”]*)"
)
_BEFORE = r"\b(?P<role>(?:[a-z][\w’'-]*\s+){{0,2}}{kind}),?\s+(?:(?:Dr|Prof)\.?\s+)?$"
_TITLE = re.compile(r"\b(?P<role>Dr|Professor|Prof|Senator|Judge|Sheriff)\.?\s+$")
_CUT = re.compile(
    r"(?<!\s)\s+(?:who|which|that|said|says|told|but|when|where|while"
    rf"|and(?!\s+(?:[a-z]+\s+){{0,2}}{_KIND}))\b.*$"
)

_BROKEN = re.compile(r"\s(?:at|of|in|for|with)(?:\sthe)?\s[A-Z]$")  # "at the U" of "U.S."
_ENDS_IN_A_NAME = re.compile(r"[a-z]\s[A-Z][a-z]+\s[A-Z][a-z]+$")


def role_of(name: str, text: str) -> str:
    """Return what a text says a person is, in at most nine words; empty when it does not say."""
    after = re.compile(_AFTER.format(kind=_KIND))
    before = re.compile(_BEFORE.format(kind=_KIND))
    titled = ""
    for match in re.finditer(rf"\b{re.escape(name)}\b", text):
        if found := after.match(text, match.end()):
            role = _BROKEN.sub("", _CUT.sub("", found["role"]).strip())
            named = _ENDS_IN_A_NAME.search(role)  # "senior analyst Ines Corvane" after a firm
            if text[match.end()] in ", " and len(role.split()) <= _MAX_WORDS and not named:
                return role
        line = text[: match.start()].rsplit("\n", maxsplit=1)[-1]
        if found := before.search(line):
            return _trimmed(found["role"])
        if found := _TITLE.search(line):
            titled = {"Dr": "a doctor", "Prof": "a professor"}.get(
                found["role"], f"a {found['role'].casefold()}"
            )
    return titled


def _trimmed(role: str) -> str:
    """Return a role before a name without what is no part of it: "says lead scientist"."""
    words = role.split()
    while words and words[0] in _NO_PART:
        words = words[1:]
    return " ".join(words)


_NO_PART = frozenset(
    """
    a an the to by with from for of as and or but says said told tells according its his her their
    former-time that when while where is was
    """.split()
)
