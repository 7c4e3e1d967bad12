"""Kind, date and publisher of a source, as far as its page tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sidelight.english.names import find_names, host_label
from sidelight.english.vocabulary import MONTHS
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.text import count_words, one_line, tokens

_TOP_CHARACTERS = 400
_LINE_WORDS = 15  # of a dateline or byline at most
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
    rf"|{'|'.join(map(str.upper, MONTHS))}|{'|'.join(month[:3].upper() for month in MONTHS)})\.?"
)
_YEAR = r"(?:19|20)\d\d"
# "In June 1998", "appointed 11 January 2021", "2022 to present": days of what a page tells.
_TOLD = frozenset(
    "in to and between from since until appointed born died ended ending founded"
    " incorporated".split()
)
_OWN = frozenset("published checked posted issued updated date dated reviewed".split())
_OF_OTHERS = re.compile(r"\W*(?:source|claim|statement|claimed|said)\b.{0,40}:", re.IGNORECASE)
_DATE = re.compile(
    r"(?:(?<![A-Za-z])(?P<before>[A-Za-z]{1,20})[\s:]{1,3})?\b"
    rf"(?P<date>\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+{_YEAR}|{_YEAR}-\d\d-\d\d"
    rf"|\d{{1,2}}[/.]\d{{1,2}}[/.]{_YEAR}"
    rf"|(?<!\d )(?<!\d[snrt][tdh] ){_MONTH}\s+{_YEAR})\b"
    rf"(?! ?(?:to|until|[-–—]) ?(?:{_MONTH}|\d+ {_MONTH}|{_YEAR}|[Pp]res|now|today|date))"
)
# "WEXLEY, Ohio, Feb. 12, 2024 (Ohio Valley Wire) - ", as a release begins.
_RELEASED = re.compile(rf"[A-Z]{{2,}}[\w ,.'’-]{{1,50}}?\b{_YEAR}(?= ?[(/–—])")
_PATH_DATE = re.compile(rf"/(?P<year>{_YEAR})/(?P<month>0[1-9]|1[0-2])(?:/(?P<day>[0-3]\d))?/")
# An archive holds the pages of others, under the day of its copy or with a title that says so.
_ARCHIVED = re.compile(r"/\d{8}(?:\d{6})?/|\n.*\barchived\b", re.IGNORECASE)


def _rule(kind: str, *, address: str = r"(?!)", head: str = r"(?!)", line: str = r"(?!)") -> _Rule:
    return _Rule(kind, *(re.compile(one, re.IGNORECASE) for one in (address, head, line)))


class _Rule(NamedTuple):
    """A kind of page, what is in the address of such pages, and what stands at their top.

    A `line` there is its title or a short line, as a letterhead is: prose names others.
    """

    kind: str
    address: re.Pattern[str]
    head: re.Pattern[str]
    line: re.Pattern[str]


CORRECTION_PAGE = "corrections"
# The first one that holds counts: what a page is comes before who publishes it.
_RULES = (
    _rule(
        "media rating",
        address=r"//[^/]*(?:mediabiasfactcheck|allsides|newsguard|adfontes)|/(?:outlets|ratings?|media-bias)/",
        head=r"\b(?:slant|bias) (?:and|rating)\b|\bfactual (?:record|reporting)\b",
    ),
    _rule(CORRECTION_PAGE, address=r"/(?:corrections|clarifications)\b"),
    _rule(
        "fact check",
        address=r"//[^/]*(?:fact-?check|snopes|politifact|fullfact)|/fact-?checks?/|/checks/",
        head=r"\bfact[- ]check\b",
        line=r"(?:the )?claims?(?: checked| examined)?:?$|claim: |what was said:?$",
    ),
    _rule(
        "press release",
        address=r"/(?:press|media|news)[-_]?releases?/",
        head=r"\bfor immediate release\b|(?<!\ba )(?<!\bthe )\b(?:press|media|news) release\b"
        r"|\bnotes? (?:to|for) (?:the )?editors\b",
    ),
    _rule("encyclopedia", address=r"//[^/]*(?:wiki|pedia|britannica)|/wiki/", head=r"\bencyclop"),
    _rule(
        "forum",
        address=r"//(?:forums?\.|[^/]*(?:reddit|quora|stackexchange))|/(?:forums?|threads?)/",
    ),
    _rule("opinion", address=r"/(?:opinion|commentary|editorials?|op-?ed|columns?)/"),
    _rule(
        "public body",
        address=r"//[^/]*\.(?:gov|mil|int)(?:[./:]|$)|//[^/]*(?:europa\.eu|parliament|council)",
        line=r"(?!.{0,200}\b(?:universit|institut|college|school))"
        r"(?:(?:the )?(?:[\w.'’-]{1,30} (?:of [\w.'’-]{1,30}, )?){0,3}"
        r"(?:ministry|department|bureau) of\b"
        r"|(?:the )?(?:[\w.'’-]{1,30} ){0,3}(?:city|town|county|standards) council$"
        r"|(?:the )?(?:civic|national) regist(?:er|ry)\b)",
    ),
    _rule(
        "research",
        address=r"//[^/]*\.(?:edu|ac)(?:[./:]|$)|//[^/]*(?:univers|journal|pubmed|doi\.org|arxiv)"
        r"|//[^/]*(?:ncbi\.nlm|sciencedirect|springer|plos)",
        head=r"\bpublished in\b[^.]{0,60}\bjournal\b|\buniversity of\b",
    ),
    _rule("shop", address=r"/(?:shop|store|product|basket)/", head=r"\badd to (?:basket|cart)\b"),
    _rule(
        "blog",
        address=r"//[^/]*(?:blog|medium\.com|substack|wordpress|tumblr)|/blogs?/",
        # In the name of the site: a headline may be about a blog.
        head=r"[-–—|] (?:[\w&'’.]+ ){1,5}(?<!\bof )(?<!\ba )blog\b|(?<!\bof )(?<!\ba )\bblog [-–—|]"
        r"|[-–—|,:] a blog (?:about|by|for|of|on)\b",
    ),
    _rule(
        "news",
        address=r"//[^/]*(?:news|times|herald|courier|gazette|tribune|guardian|reuters|wire)"
        rf"|/news/|/{_YEAR}/[01]\d/",
    ),
)
# "slow_oven: It was about 20 degrees.", as users' names go.
_POST = re.compile(
    r"^(?P<user>(?!\d+:)(?=[a-z]|\w+[a-z][A-Z]|\w*[_\d])[\w.-]{3,24}):\s+\S", re.MULTILINE
)
_SPEAKERS = 2
_THREAD = re.compile(
    r"\b(?:posted by|original poster|reply|replies|replied|upvotes?|forum|thread|joined:)\b",
    re.IGNORECASE,
)


_SITE = re.compile(r"\s[-–—|]\s")
_NAMED_LAST = re.compile(r"\S [-–—|] (?P<site>[A-Z][\w.&'’-]*(?: [\w.&'’-]+){0,5})$")
_MOST_TITLE_WORDS, _MOST_ASKED = 8, 18
_CHECK = re.compile(r"^fact[- ]check(?:ed|ing)?\s?[-:–—|]\s", re.IGNORECASE)
_SOURCE = re.compile(r"(?:[^“”]{1,100}, )?“[^“”]{1,200}”: ")

_MIN_PREFIX = 8  # letters of a host that a longer name may hold
_MASTHEAD, _MASTHEAD_WORDS = 3, 8  # lines at the top that may name a site, and their words
_MIN_WORD = 4  # letters of a word of a site's name that its host has, too
OWN = "the article's own site"


class Origin(NamedTuple):
    """Publisher (or host), kind and date of a page; empty where the page does not tell."""

    name: str
    kind: str
    date: str


class Origins:
    """Knows where segments come from; windows of one page tell of each other.

    Args:
        host: Of the article, whose own pages are called so, but for its corrections.
        publisher: Of an article without a host; a host with the same letters is its own.
    """

    def __init__(self, segments: Iterable[Segment], host: str = "", publisher: str = "") -> None:
        known = sorted(segments, key=lambda one: (one.start_char, one.segment_id))
        self._host = host
        self._letters = "" if host else _letters(publisher)
        self._names: Mapping[str, str] = publishers(known)
        self._tops: dict[str, Segment] = {}
        for segment in known:
            self._tops.setdefault(document_id_of(segment.segment_id), segment)

    def of(self, segment: Segment) -> Origin:
        """Return where a segment comes from."""
        top = self._tops.get(document_id_of(segment.segment_id), segment)
        # Of a page without an address, the name of its site stands last in its title.
        named = None if segment.host else _NAMED_LAST.search(top.title)
        site = named["site"] if named else ""
        if self._host:
            is_own = segment.host == self._host
        else:
            letters = _letters(host_label(segment.host) or site)
            is_own = self._letters != "" and self._letters == letters
        kind = source_kind(segment.url, top)
        is_copy = _ARCHIVED.search(f"{segment.url}\n{top.title}")
        name = self._name(segment.host) or site
        name = name.title() if name.isupper() and " " in name else name
        return Origin(
            "" if is_copy else name,
            OWN if is_own and kind != CORRECTION_PAGE else kind,
            page_date(segment.url, "" if top.start_char else top.text),
        )

    def _name(self, host: str) -> str:
        """Return what the pages of a host call it; a part of a larger site is not the whole."""
        is_part = host_label(host) != "".join(tokens(host.partition(".")[0]))
        return host if is_part else self._names.get(host, host)


def source_kind(url: str, top: Segment) -> str:
    """Return the kind of a page by its address and its top; empty where neither shows it."""
    users = {match["user"] for match in _POST.finditer(top.text)}
    cues = {match.group().casefold() for match in _THREAD.finditer(top.text)}
    if len(users) >= _SPEAKERS or len(cues) > _SPEAKERS:
        return "forum"
    begin = "" if top.start_char else top.text[:_TOP_CHARACTERS]
    head = one_line(f"{top.title} {begin}")
    lines = [one for one in (top.title, *begin.split("\n")) if count_words(one) <= _LINE_WORDS]
    for rule in _RULES:
        if rule.address.search(url) or rule.head.search(head) or any(map(rule.line.match, lines)):
            return rule.kind
    return ""


def page_date(url: str, top: str, characters: int = _TOP_CHARACTERS) -> str:
    """Return the date at the top of a page as it stands there, or else the one in its address.

    The top is so many characters: a menu may stand above the date of an article.

    A date that the page calls its own goes before the first one; one in a line on its source, such
    as the article that a fact check examines, is none.
    """
    first, lines = "", top[:characters].split("\n")
    begins = [found.group() for found in map(_RELEASED.match, lines) if found]
    if len(top) > characters:  # half a line may hold half a period of time
        lines.pop()
    for line in (*lines, *begins):
        if count_words(line) > _LINE_WORDS:  # prose speaks of other dates
            continue
        for found in _DATE.finditer(one_line(line)):
            before = (found["before"] or "").casefold()
            if before in _TOLD or _OF_OTHERS.match(line):
                continue
            if before in _OWN:
                return found["date"]
            first = first or found["date"]
    if first:
        return first
    if in_path := _PATH_DATE.search(url):
        month = MONTHS[int(in_path["month"]) - 1]
        day = f"{int(in_path['day'])} " if in_path["day"] else ""
        return f"{day}{month} {in_path['year']}"
    return ""


def headline(title: str) -> str:
    """Return the title of a page without the name of its site behind it."""
    return _SITE.split(title, maxsplit=1)[0].strip()


def source_title(title: str) -> str:
    """Return a page's title, in quotation marks and cut where it is long."""
    words = headline(title).replace("“", '"').replace("”", '"').split()
    return f"“{' '.join(words[:_MOST_TITLE_WORDS])}{' ...' * (len(words) > _MOST_TITLE_WORDS)}”"


def source_line(origin: Origin, title: str) -> str:
    """Return what stands before the first sentence that is told from a page: `Name, “Title”: `.

    A page whose publisher is not known has its title alone, and one without a title has none.
    """
    line = f"{origin.name}{', ' * bool(origin.name)}{source_title(title)}: "
    return line if _SOURCE.fullmatch(line) else ""


def claim_checked(title: str) -> str:
    """Return what a check is on: its headline, in single quotation marks."""
    asked = re.sub(r"[“”\"]", "", _CHECK.sub("", headline(title))).strip(" ‘’'").split()
    told = f"{' '.join(asked[:_MOST_ASKED])}{' ...' * (len(asked) > _MOST_ASKED)}"
    return f"‘{told}’" if told else "the claim"


def without_source(text: str) -> str:
    """Return a sentence without the `source_line` before it."""
    match = _SOURCE.match(text)
    return text[match.end() :] if match else text


LISTS, SAYS_OF = "A profile of {} lists", "{} says of {}:"
VERDICT, DECIDED = "{} checked {} and found:", "{} decided{} on a complaint about {}:"
"""What stands before lines of a page that are no sentences, and are quoted for this."""
_BEFORE = f"{LISTS}|{SAYS_OF}|{VERDICT}|{DECIDED}".replace("{}", "[^“”]{0,200}")
_QUOTING = re.compile(rf"(?:{_BEFORE}) “(?P<quoted>[^“”]+)”\.")
_DECIDING = re.compile(f"(?:{VERDICT}|{DECIDED}) “".replace("{}", "[^“”]{0,200}"))


def quoted_line(text: str) -> str:
    """Return the lines of a page that a text only quotes, or else the text."""
    match = _QUOTING.fullmatch(text)
    return match["quoted"] if match else text


def tells_decision(text: str) -> bool:
    """Tell whether a text quotes the verdict on a claim or the outcome of a complaint."""
    return _DECIDING.match(text) is not None


def is_before(date: str, other: str) -> bool:
    """Tell whether a date of `page_date` is before another, as far as both tell."""
    one, two = _parts(date), _parts(other)
    known = min(len(one), len(two))
    return one[:known] < two[:known]


def _parts(date: str) -> list[int]:
    """Return year, month and day, as far as a date tells; 3/4/2025 may be in March or April."""
    if re.fullmatch(rf"{_YEAR}-\d\d-\d\d", date):
        return [int(part) for part in date.split("-")]
    year, day = re.search(_YEAR, date), re.search(r"\b\d{1,2}(?!\d)", date)
    found = (n for n, name in enumerate(MONTHS, start=1) if name[:3].casefold() in date.casefold())
    month = next(found, None)
    if year is None or month is None:
        return [int(year.group())] if year else []
    return [int(year.group()), month, *([int(day.group())] if day else [])]


def publishers(segments: Iterable[Segment]) -> dict[str, str]:
    """Return by host the name of its site, or else the host.

    It is the name on its pages that has the letters of the host, or else the last part of a title
    if that has a word or the initials of the host, or a line at the top with these initials. Of 180
    pages of webs that this was not written from, 24 are left without a name, and 58 were by the
    letters alone.
    """
    found: dict[str, set[str]] = {}
    shown: dict[str, set[str]] = {}
    for segment in segments:
        label = host_label(segment.host)
        found.setdefault(segment.host, set()).update(
            name
            for name in find_names(f"{segment.title}\n{segment.text}")
            if label and _names(label, name)
        )
        last = _NAMED_LAST.search(segment.title)
        if last and label and _is_of(label, last["site"]):
            shown.setdefault(segment.host, set()).add(last["site"])
        top = segment.text[:_TOP_CHARACTERS].split("\n")[:_MASTHEAD]
        for line in top if label and not segment.start_char else ():
            name = re.split(r"\s\W*\d", line.strip(), maxsplit=1)[0].rstrip(",")
            if count_words(line) <= _MASTHEAD_WORDS and _initials(name) == label:
                shown.setdefault(segment.host, set()).add(name)
    return {
        host: min(names or shown.get(host, set()), key=lambda name: (len(name), name), default=host)
        for host, names in found.items()
    }


def _is_of(label: str, site: str) -> bool:
    """Tell whether the name of a site has a word or the initials of a host's label."""
    initials = _initials(site)
    is_short = len(initials) > 2 and label.startswith(initials)
    return is_short or any(len(word) >= _MIN_WORD and word in label for word in tokens(site))


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper()).casefold()


def _names(label: str, name: str) -> bool:
    """Tell whether a name is that of a host's label, or a longer one that holds it."""
    letters = _letters(name)
    return letters == label or (len(label) >= _MIN_PREFIX and label in letters)


def _letters(name: str) -> str:
    return "".join(tokens(name)).removeprefix("the")
