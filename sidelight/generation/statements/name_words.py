"""Which words of a sentence are names, as far as their form tells."""

from __future__ import annotations

import re

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
