"""Word lists of the writer without a model: classes of English verbs and nouns, as lemmas.

The words are in `vocabulary.txt`, under the names of the constants here and what each is for. They
were written by hand from general knowledge of English; no dictionary was copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
_LISTS: dict[str, str] = dict(re.findall(r"(?m)^([A-Z_]+): .*\n((?:  .*\n)+)", _TEXT))


def _words(name: str) -> frozenset[str]:
    """Return a list; words of a phrase are joined by `_` in the file."""
    return frozenset(word.replace("_", " ") for word in _LISTS[name].split())


def _opposites() -> Iterator[tuple[str, frozenset[str]]]:
    for pair in " ".join(_LISTS["OPPOSITES"].split()).split(" ; "):
        one, other = (
            frozenset(side.replace("_", " ") for side in half.split()) for half in pair.split("/")
        )
        yield from ((word, other) for word in one)
        yield from ((word, one) for word in other)


MONTHS = tuple(_LISTS["MONTHS"].split())
CALENDAR = _words("CALENDAR")
SAYING = _words("SAYING")
TIES = _words("TIES")
CORRECTS = _words("CORRECTS")
FINDS = _words("FINDS")
INQUIRES = _words("INQUIRES")
DECIDES = _words("DECIDES")
STUDY_PARTS = _words("STUDY_PARTS")
RATES = _words("RATES")
STUDIES = _words("STUDIES")
EXPERTS = _words("EXPERTS")
PEOPLE = _words("PEOPLE")
ROLES = _words("ROLES")
VAGUE = _words("VAGUE")
BODIES = _words("BODIES")
OUTLETS = _words("OUTLETS")
UNIQUE = _words("UNIQUE")
ASSERTS = _words("ASSERTS")
FACTIVE = _words("FACTIVE")
TRUE = _words("TRUE")
FALSE = _words("FALSE")
UNREAL = _words("UNREAL")
OPEN = _words("OPEN")
ESTIMATES = _words("ESTIMATES")
IMPLIES = _words("IMPLIES")
STOPS = _words("STOPS")
STATEMENTS = _words("STATEMENTS")
ALL_OF = _words("ALL_OF")
SOME_OF = _words("SOME_OF")
MUTUAL = _words("MUTUAL")

OPPOSITES: dict[str, frozenset[str]] = {}
"""Lemma -> lemmas that say the opposite."""
for _word, _others in _opposites():
    OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | _others
