"""Names as strings: those that capitals show, the forms of one, mentions, hosts, and search words.

Entities with their kinds come from `parser`; what is here needs no parse. Search keywords are the
content words of a text, with numbers and names as they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import dropwhile

from sidelight.english.vocabulary import CALENDAR
from sidelight.text import STOPWORDS, sentences, tokens

_SMALL_LETTERS = "".join(filter(str.islower, map(chr, range(0x80, 0x600))))
CAPITAL = rf"[^\W\d_a-z{_SMALL_LETTERS}]"
"""A letter that is no small one, of any script; `é`, too, is a small one."""
_CAPITALISED_WORD = rf"(?<!\w){CAPITAL}[\w'’&-]*(?:\.{CAPITAL}\.?)*"
_JOINER = r"(?:of|for|and|the|de|van|von|del|la|al|&)"
_NAME = re.compile(rf"(?:{_CAPITALISED_WORD}\.?)(?:\s(?:{_JOINER}\s){{0,2}}{_CAPITALISED_WORD})*")
_PERSONAL_WORD = re.compile(rf"{CAPITAL}(?:[^\W\d_]|['’.-])*|de|van|von|del|la|al")
TITLES = frozenset(
    """
    dr mr mrs ms prof professor sir dame lord lady president senator minister chancellor judge
    justice captain general sergeant officer ceo director rep sen gov governor mayor councillor cllr
    alderman mp msp rev reverend professors doctor
    """.split()
)
_ORGANISATION = frozenset(
    """
    academy agency association authority bank board bureau center centre charity church club
    college commission committee company consortium corporation corp council court department
    desk federation foundation fund group guild hospital inc institute institution journal
    laboratory labs league ltd magazine ministry museum network office organisation
    organization party press research review school service services society systems
    television tribunal trust union university
    """.split()
)
_NO_NAME = STOPWORDS | CALENDAR | {"today", "yesterday"}
_PLACE = frozenset(
    """
    bay beach bridge canyon cape city coast county desert east forest fort harbor harbour hill
    hills island islands lake mount mountain new north ocean park point port quay republic ridge
    river road row sea south square st states street town valley village west
    """.split()
)
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})
_MIN_LABEL = 7  # shorter labels are words that any text may hold


def find_names(text: str) -> Counter[str]:
    """Count the capitalised names in a text.

    A single word counts only where it is capitalised inside a sentence, because every sentence
    begins with a capital.
    """
    counts: Counter[str] = Counter()
    opening: Counter[str] = Counter()
    for sentence in sentences(text):
        begins = re.search(r"\w", sentence)
        for match in _NAME.finditer(sentence):
            name = _trim(match.group())
            if not name:
                continue
            starts_sentence = begins is None or begins.start() >= match.start()
            bucket = opening if starts_sentence and " " not in name else counts
            bucket[name] += 1
    for name, count in opening.items():
        if name in counts:
            counts[name] += count
    return counts


def strip_title(name: str) -> str:
    """Return a personal name without leading titles such as `Dr.`."""
    words = name.split()
    last = words[-1:]
    named = dropwhile(lambda word: word.casefold().strip(".") in TITLES, words[:-1])
    return " ".join([*named, *last])


def name_forms(name: str) -> tuple[str, ...]:
    """Return the forms under which a text may mention a name: in full, surname, acronym.

    A name with "The" is mentioned without it, too, and by "the" and its last word.

    A host such as `curioatlas.example` is mentioned by its address or by its main label, which
    `mentions` finds written in several words too.
    """
    if "." in name and " " not in name:
        label = host_label(name)
        return (name, label) if len(label) >= _MIN_LABEL else (name,)
    plain = strip_title(name)
    words = plain.split()
    forms = [plain]
    capitals = [word for word in words if word[:1].isupper()]
    if words[:1] == ["The"] and len(words) > 2:
        forms = [" ".join(words[1:]), f"The {words[-1]}"]
    elif looks_personal(plain):
        forms.append(words[-1])
    elif len(capitals) >= 3:
        forms.append("".join(word[0] for word in capitals))
    return tuple(dict.fromkeys(forms))


def mentions(text: str, forms: Iterable[str]) -> bool:
    """Tell whether a text contains one of the forms as whole words.

    An acronym keeps its case; a lower-case label may have spaces between its letters.
    """
    return any(_form_pattern(form).search(text) for form in forms)


def definite(name: str, body: str) -> str:
    """Return a name or noun phrase with "the" where a text mostly writes it so, a place always.

    "The Notre Dame fire" says nothing of Notre Dame: uses of a name before another word of content
    count only where there are no others.
    """
    if name.casefold().startswith("the "):
        return name
    case = re.IGNORECASE if name.islower() else re.NOFLAG
    uses = re.findall(rf"(?<!\w)([Tt]he\s+)?{re.escape(name)}(?!\w)(?:\s+([\w-]+))?", body, case)
    alone = [use for use in uses if use[1].casefold() in {"", *STOPWORDS}]
    the = [the != "" for the, _ in (uses if name.islower() or not alone else alone)]
    often = sum(the) if looks_like_place(name) else 2 * sum(the)
    return f"the {name}" if the and often >= len(the) else name


def host_label(host: str) -> str:
    """Return the registered name in a host: `atlasobscura` for `www.atlasobscura.com`."""
    labels = host.split(".")[:-1]
    while len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels.pop()
    return "".join(tokens(labels[-1])) if labels else ""


@cache
def _form_pattern(form: str) -> re.Pattern[str]:
    spaced = form.islower() and form.isalpha() and len(form) >= _MIN_LABEL
    body = r"\s?".join(form) if spaced else re.escape(form)
    keeps_case = form.isupper()
    if form.startswith("The ") and len(form.split()) == 2:
        body, keeps_case = rf"[Tt]he\s+{re.escape(form.split()[1])}", True
    return re.compile(rf"(?<!\w){body}(?!\w)", 0 if keeps_case else re.IGNORECASE)


def _trim(name: str) -> str:
    words = name.replace("’s", "").replace("'s", "").strip(" .&").split()
    kept = [place for place, word in enumerate(words) if word.casefold() not in _NO_NAME]
    return " ".join(words[kept[0] : kept[-1] + 1]) if kept else ""


def looks_like_place(name: str) -> bool:
    """Tell whether a name holds a word such as `Valley` or `North`."""
    return any(word.strip(".").lower() in _PLACE for word in name.split() if word[0].isupper())


def looks_like_organisation(name: str) -> bool:
    """Tell whether a name holds a word such as `Institute`."""
    return bool(_ORGANISATION.intersection(word.casefold().strip(".") for word in name.split()))


def looks_personal(name: str) -> bool:
    """Tell whether a name is two to four plain capitalised words, none of a place or body."""
    words = strip_title(name).split()
    return (
        2 <= len(words) <= 4
        and not looks_like_place(name)
        and not looks_like_organisation(name)
        and all(_PERSONAL_WORD.fullmatch(word) and not word.isupper() for word in words)
    )


_HYPHENATED_CODE = r"[A-Z0-9]+(?:[-/][A-Z0-9]+)+"
_NUMBER = r"[$£€]?\d+(?:[.,]\d+)*%?(?![^\W_])"
_SEARCH_WORD = r"[^\W_]+(?:['’-][^\W_]+)*"
_PIECE = re.compile(rf"{_HYPHENATED_CODE}|{_NUMBER}|{_SEARCH_WORD}")
_POSSESSIVE = re.compile(r"['’]s$")


def search_words(text: str, most: int) -> list[str]:
    """Return the first so many different words of a text that carry meaning, in order.

    A number such as `4,000` or `98.6%`, a code such as `TE-947` and the capitals of a name stay
    whole, because an index would not find their parts.
    """
    found: dict[str, str] = {}
    for match in _PIECE.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        if word.casefold() not in STOPWORDS and (len(word) > 1 or word.isdigit()):
            found.setdefault(word.casefold(), word)
    return list(found.values())[:most]
