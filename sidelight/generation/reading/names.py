"""Named entities and occupations in running text, by capitals and cue words, and search keywords.

An occupation is an apposition, as in "Ines Corvane, a hydrologist at the University of Orrin".
Search keywords are the content words of a text, with numbers and names as they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import dropwhile
from typing import TYPE_CHECKING

from sidelight.text import STOPWORDS, line_before, sentences, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

_CAPITALISED_WORD = r"[^\W\d_a-z][\w'’&-]*(?:\.[^\W\d_a-z]\.?)*"
_JOINER = r"(?:of|for|and|the|de|van|von|del|la|al|&)"
_NAME = re.compile(rf"(?:{_CAPITALISED_WORD}\.?)(?:\s(?:{_JOINER}\s){{0,2}}{_CAPITALISED_WORD})*")
_PERSONAL_WORD = re.compile(r"[^\W\d_a-z](?:[^\W\d_]|['’.-])*|de|van|von|del|la|al")
_TITLES = frozenset(
    """
    dr mr mrs ms prof professor sir dame lord lady president senator minister chancellor judge
    justice captain general sergeant officer ceo director rep sen gov governor mayor
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
_CALENDAR = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec today yesterday
    """.split()
)
_NO_NAME = STOPWORDS | _CALENDAR
_PLACE = frozenset(
    """
    bay beach bridge canyon cape city coast county desert east forest fort harbor harbour hill
    hills island islands lake mount mountain new north ocean park port quay republic ridge river
    road sea south square st states street town valley village west
    """.split()
)
# Acronyms that name no organisation a reader would look up.
_COMMON_ACRONYMS = frozenset(
    """
    AEST AM ATP BMI CCTV CEO CFO CT DC DIY DNA DVD EDT EST ET ETA FAQ FREE GMT GPS GST HD HOME
    HTML ID IQ IT LED MBA MD MPH MRI NDA NSFW NYC OK OS PDF PG PHD PM PR PST RN RNA RSVP STD
    TM TV UFO UK UN URL US USA USB VIP
    """.split()
)
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})
_STUDY = (
    r"(?i:stud(?:y|ies)|reports?|survey|trial|poll|analysis|paper|data|figures|research|researchers"
    r"|scientists|estimates?)"
)
# A whole text is searched for each name; so many are in none that people write.
_MAX_DIFFERENT_NAMES = 400
_MIN_LABEL = 7  # shorter labels are words that any text may hold
_VERB = (
    r"(?:said|says|told|tells|argued|argues|wrote|writes|warned|warns|added|adds|explained"
    r"|explains|claimed|claims|noted|notes|insisted|insists|recalled|recalls|estimates|estimated"
    r"|predicts|predicted|admits|admitted|believes|suggested|suggests|called|calls)"
)
_SPEAKS_AFTER = re.compile(rf"(?:,[^.,]{{3,90}},)?\s+(?:also\s+|has\s+|who\s+)?{_VERB}\b")
_SPEAKS_BEFORE = re.compile(rf"\b(?:{_VERB}|according to)\s+$", re.IGNORECASE)


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


def people_and_organisations(text: str) -> tuple[list[str], list[str]]:
    """Return (people, organisations) named in a text, most mentioned first, ties alphabetical.

    A person has two to four plain capitalised words, and a title before the name or a verb of
    saying beside it; an organisation has a cue word such as `Institute` or is an acronym that
    occurs more than once.
    """
    people: Counter[str] = Counter()
    organisations: Counter[str] = Counter()
    for name, count in find_names(text).most_common(_MAX_DIFFERENT_NAMES):
        if looks_like_organisation(name) or (count > 1 and _is_acronym(name)):
            organisations[name] += count
        elif looks_personal(name) and _speaks(name, text):
            people[strip_title(name)] += count
    return _by_count(people), _by_count(organisations)


def cited_studies(text: str) -> list[str]:
    """Return the names a text ties a study or report to, most often tied first.

    A name that is a part of another one (`Ostrey` of `Ostrey Institute`) is left out.
    """
    counts: Counter[str] = Counter()
    for name, _ in find_names(text).most_common(_MAX_DIFFERENT_NAMES):
        plain = re.escape(name)
        ties = re.findall(
            rf"{plain}(?:['’]s)?\s+{_STUDY}\b"
            rf"|\b{_STUDY}\s+(?:[a-z]+\s+){{0,3}}(?:by|from|at|of)\s+(?:the\s+)?(?:[a-z]+\s+)?{plain}(?!\w)",
            text,
        )
        if ties and not re.fullmatch(_STUDY, name, re.IGNORECASE):
            counts[name] += len(ties)
    words = {name: set(name.split()) for name in counts}
    return [
        name
        for name in _by_count(counts)
        if not any(words[name] < words[other] for other in counts)
    ]


def strip_title(name: str) -> str:
    """Return a personal name without leading titles such as `Dr.`."""
    words = name.split()
    last = words[-1:]
    named = dropwhile(lambda word: word.casefold().strip(".") in _TITLES, words[:-1])
    return " ".join([*named, *last])


def name_forms(name: str) -> tuple[str, ...]:
    """Return the forms under which a text may mention a name: in full, surname, acronym.

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
    if looks_personal(plain):
        forms.append(words[-1])
    elif len(capitals) >= 3:
        forms.append("".join(word[0] for word in capitals))
    return tuple(dict.fromkeys(forms))


def mentions(text: str, forms: Iterable[str]) -> bool:
    """Tell whether a text contains one of the forms as whole words.

    An acronym keeps its case; a lower-case label may have spaces between its letters.
    """
    return any(_form_pattern(form).search(text) for form in forms)


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
    return re.compile(rf"(?<!\w){body}(?!\w)", 0 if form.isupper() else re.IGNORECASE)


def _trim(name: str) -> str:
    words = name.replace("’s", "").replace("'s", "").strip(" .&").split()
    kept = [place for place, word in enumerate(words) if word.casefold() not in _NO_NAME]
    return " ".join(words[kept[0] : kept[-1] + 1]) if kept else ""


def _is_acronym(name: str) -> bool:
    return re.fullmatch(r"[A-Z]{3,6}", name) is not None and name not in _COMMON_ACRONYMS


def looks_like_place(name: str) -> bool:
    """Tell whether a name holds a word such as `Valley` or `North`."""
    return bool(_PLACE.intersection(word.casefold().strip(".") for word in name.split()))


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


def _speaks(name: str, text: str) -> bool:
    if name != strip_title(name):
        return True
    for match in re.finditer(re.escape(name), text):
        before = line_before(text, match.start())
        titled = before.split()[-1:] and before.split()[-1].casefold().strip(".") in _TITLES
        if titled or _SPEAKS_BEFORE.search(before) or _SPEAKS_AFTER.match(text, match.end()):
            return True
    return False


def _by_count(counts: Counter[str]) -> list[str]:
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


_OCCUPATION = (
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
_MAX_ROLE_WORDS = 9
_AFTER = (
    r",?\s+(?:who\s+is\s+|is\s+)?(?P<role>(?:(?:the|a|an)\s+)?(?:[a-z][\w’'-]*\s+){{0,4}}{kind}"
    r"\b[^,.;:()\"“”]{{0,300}})"
)
_BEFORE = r"\b(?P<role>(?:[a-z][\w’'-]*\s+){{0,2}}{kind}),?\s+(?:(?:Dr|Prof)\.?\s+)?$"
_TITLE = re.compile(r"\b(?P<role>Dr|Professor|Prof|Senator|Judge|Sheriff)\.?\s+$")
_CUT = re.compile(
    r"(?<!\s)\s+(?:who|which|that|said|says|told|but|when|where|while"
    rf"|and(?!\s+(?:[a-z]+\s+){{0,2}}{_OCCUPATION}))\b.*$"
)

_BROKEN = re.compile(r"\s(?:at|of|in|for|with)(?:\sthe)?\s[A-Z]$")  # "at the U" of "U.S."
_ENDS_IN_A_NAME = re.compile(r"[a-z]\s[A-Z][a-z]+\s[A-Z][a-z]+$")


def role_of(name: str, text: str) -> str:
    """Return what a text says a person is, in at most nine words; empty when it does not say."""
    after = re.compile(_AFTER.format(kind=_OCCUPATION))
    before = re.compile(_BEFORE.format(kind=_OCCUPATION))
    titled = ""
    for match in re.finditer(rf"\b{re.escape(name)}\b", text):
        if found := after.match(text, match.end()):
            role = _BROKEN.sub("", _CUT.sub("", found["role"]).strip())
            named = _ENDS_IN_A_NAME.search(role)  # "senior analyst Ines Corvane" after a firm
            if text[match.end()] in ", " and len(role.split()) <= _MAX_ROLE_WORDS and not named:
                return role
        line = line_before(text, match.start())
        if found := before.search(line):
            return _trimmed(found["role"])
        if found := _TITLE.search(line):
            titled = {"Dr": "a doctor", "Prof": "a professor"}.get(
                found["role"], f"a {found['role'].casefold()}"
            )
    return titled


def _trimmed(role: str) -> str:
    """Return a role before a name without what is no part of it: "says lead scientist"."""
    return " ".join(dropwhile(_NO_PART.__contains__, role.split()))


_NO_PART = frozenset(
    """
    a an the to by with from for of as and or but says said told tells according its his her their
    former-time that when while where is was
    """.split()
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
