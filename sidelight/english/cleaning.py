"""Cleaning of scraped articles: prose without site chrome and comments, and publisher and author.

Reader comments are out of scope by the track's guidelines, and scraped pages carry thousands of
words of menus and headlines. A line counts as prose when it is long enough and ends like a
sentence; everything after a comment marker is cut. What is removed is recorded. Prompts hold the
whole body, so no more of it is kept than a long article has. Publisher and author come from the
address and the lines above the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, compress, groupby, pairwise
from operator import itemgetter, not_
from typing import NamedTuple

from sidelight.english.names import CAPITAL, find_names, host_label, looks_personal, strip_title
from sidelight.english.vocabulary import MONTHS
from sidelight.schemas.investigation.angle import Cut
from sidelight.schemas.topic import Article
from sidelight.text import clean, count_words, one_line, tokens

_MIN_PROSE_WORDS = 8
_MIN_BODY_WORDS = 60
_MAX_BODY_WORDS = 3_000
_MAX_BODY_CHARACTERS = 40_000  # of words twice as long as those of any language, on the average
_OPENING_WORDS = 8

_COMMENTS = re.compile(
    r"(?:\d[\d,.]*\s+)?(?:reader\s+|view\s+|show\s+|post\s+a\s+)?comments?\s*(?:\(?\d*\)?)?:?"
    r"|(?:leave|post|add|write)\s+a\s+(?:comment|reply).*"
    r"|join\s+the\s+(?:discussion|conversation).*|\d+\s+(?:replies|responses)",
    re.IGNORECASE,
)
_END_MATTER = re.compile(
    r"(?:related|more\s+(?:stories|from|on|in)|read\s+(?:more|next)|you\s+(?:may|might)|recommended"
    r"|most\s+(?:read|popular|viewed)|trending|popular|latest|see\s+also|also\s+read|sign\s+up"
    r"|subscribe|newsletter|share\s+(?:this|on)|follow\s+us|tags?:|advertis|copyright|©"
    r"|about\s+the\s+author|around\s+the\s+web|sponsored|promoted)\b.{0,60}",
    re.IGNORECASE,
)
_SITE_CHROME = re.compile(
    r"\b(?:sign up (?:for|to)|(?:un)?subscribe|newsletter|we use cookies"
    r"|cookie (?:policy|notice|settings)|privacy policy|terms of (?:use|service)"
    r"|all rights reserved|click here|read more|article continues below|follow us on|getty images"
    r"|enable javascript|your email address|articles? (?:remaining|left)"
    r"|support (?:independent|our) (?:journalism|work)|have your say (?:below|in the comments)"
    r"|invalid e-?mail|we (?:may|might) (?:earn|receive) (?:an? )?(?:\w+ )?commission)\b"
    r"|^(?:follow us|(?:get|download) (?:the|our) (?:\w+ ){1,3}app)\b"
    r"|^(?:related|read (?:next|also)|see also|also read|more on this)\b[^:]{0,20}:",
    re.IGNORECASE,
)
# Of such words a menu, or what stands beside the buttons of a page, has two or more.
_MENU = re.compile(
    r"\b(?:menu|home|sign in|log in|search|podcasts?|newsletters?|share|copy link|e?mail|print"
    r"|comments?|skip to (?:main )?content)\b",
    re.IGNORECASE,
)
# So many names of sections are a menu, too.
_SECTIONS = re.compile(
    r"\b(?:news|politics|business|sports?|opinion|health|culture|life ?style|money|weather|travel"
    r"|entertainment|tech(?:nology)?|science|property|crossword|puzzles|jobs)\b",
    re.IGNORECASE,
)
_SHARING = re.compile(r"\b(?:share|copy link|e?mail|print|comments?)\b", re.IGNORECASE)
# What stands before a caption or an offer above the text.
_NOTICE = re.compile(
    r"\[?(?:image|photo(?:graph)?|pic(?:ture)?|graphic|caption|pictured|weather|trending)\s?[:\]]"
    r"|skip to ",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*$")
# A statement of three to seven words, which newspapers print as a paragraph of its own. A question
# or a quotation without a full stop is a heading.
_SHORT_PARAGRAPH = re.compile(r"[\"'“‘]?[A-Z0-9][^\s|•]*(?: [^\s|•]+){1,5} [^\s|•]+[.!][\"'”’]?")


def clean_article(body: str) -> tuple[str, tuple[Cut, ...]]:
    """Return the prose of an article body, one paragraph a line, and what was cut from it."""
    lines = [line for line in clean(body).split("\n") if line]
    lines, cuts = _find_prose(lines, find_masthead(body).standfirst)
    kept, beyond = _split(lines, _MAX_BODY_WORDS)
    if beyond:
        cuts.append(_cut(f"beyond {_MAX_BODY_WORDS:,} words", beyond))
    prose = "\n".join(kept)
    if len(prose) > _MAX_BODY_CHARACTERS:
        excess = [prose[_MAX_BODY_CHARACTERS:]]
        cuts.append(_cut(f"beyond {_MAX_BODY_CHARACTERS:,} characters", excess))
    return prose[:_MAX_BODY_CHARACTERS].rstrip(), tuple(cuts)


def _find_prose(lines: list[str], standfirst: str) -> tuple[list[str], list[Cut]]:
    cuts: list[Cut] = []
    for reason, find_start in (
        ("reader comments", _comments_start),
        ("end matter", _end_matter_start),
    ):
        end = find_start(lines)
        if end is not None:
            cuts.append(_cut(reason, lines[end:]))
            lines = lines[:end]
    kept: list[str] = []
    dropped: list[str] = []
    seen: set[str] = set()
    is_prose = [*map(_is_prose, lines), True]  # a short paragraph may be the last line
    is_service = [count_words(line) <= 40 and bool(_SITE_CHROME.search(line)) for line in lines]
    for number, line in enumerate(lines):
        is_short = number > 0 and is_prose[number - 1] and is_prose[number + 1]
        is_short = is_short and _SHORT_PARAGRAPH.fullmatch(line) is not None
        reads = is_prose[number] or is_short or line == standfirst
        wanted = reads and not is_service[number] and line not in seen
        (kept if wanted else dropped).append(line)
        if wanted:
            seen.add(line)
    if count_words(" ".join(kept)) < _MIN_BODY_WORDS and lines:
        # Transcripts and lists hold no prose by this measure; a poor body beats none.
        kept = list(dict.fromkeys(compress(lines, map(not_, is_service)))) or lines
        dropped = list(compress(lines, is_service))
    if dropped:
        cuts.append(_cut("site chrome", dropped))
    return kept, cuts


def _split(lines: list[str], max_words: int) -> tuple[list[str], list[str]]:
    """Return the first so many words, in their lines, and the lines of the rest."""
    room = max_words
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) > room:
            begun = [" ".join(words[:room])] if room else []
            return [*lines[:number], *begun], [" ".join(words[room:]), *lines[number + 1 :]]
        room -= len(words)
    return lines, []


def _is_prose(line: str) -> bool:
    return count_words(line) >= _MIN_PROSE_WORDS and _SENTENCE_END.search(line) is not None


def _comments_start(lines: list[str]) -> int | None:
    """Return where comments begin: a marker with at least a third of the prose before it."""
    prose = sum(_is_prose(line) for line in lines)
    before = 0
    for number, line in enumerate(lines):
        if _COMMENTS.fullmatch(line) and before * 3 >= prose and before >= 3:
            return number
        before += _is_prose(line)
    return None


def _end_matter_start(lines: list[str]) -> int | None:
    """Return where a tail begins that a marker opens and in which hardly anything is prose."""
    is_prose = [_is_prose(line) for line in lines]
    runs = (n for n, (one, next_one) in enumerate(pairwise(is_prose)) if one and next_one)
    last_run = max(runs, default=0)
    words = [count_words(line) for line in lines]
    left = sum(words)
    prose = sum(count for count, is_one in zip(words, is_prose, strict=True) if is_one)
    for number, line in enumerate(lines):
        hardly_any = prose * 4 < left and number > last_run
        if number and hardly_any and _END_MATTER.fullmatch(line):
            return number
        left -= words[number]
        prose -= words[number] * is_prose[number]
    return None


def _cut(reason: str, lines: list[str]) -> Cut:
    words = " ".join(lines).split()
    return Cut(reason=reason, words=len(words), opening=" ".join(words[:_OPENING_WORDS]))


_HEAD_LINES = 60
_MAX_BYLINE_WORDS = 25
_MIN_PREFIX = 8  # letters of a host that a longer name may continue
_BYLINE_NAME = (
    rf"(?:(?:Dr|Prof|DR|PROF)\.?\s+)?{CAPITAL}[\w'’.-]+"
    r"(?:\s+(?:[A-Z]\.|(?i:de|van|von|del|la|al)\b))*"
    rf"(?:\s+(?!(?:AND|FOR|IN|OF)\b){CAPITAL}[\w'’-]+){{1,2}}"
)
_PEOPLE = rf"{_BYLINE_NAME}(?:(?:,\s+(?i:and)\s+|,\s*|\s+(?i:and)\s+|\s*&\s*){_BYLINE_NAME})*"
_MONTHS = "|".join(MONTHS)
_BYLINES = (
    re.compile(
        rf"(?:^|[|•/—–-]\s*)(?i:(?:(?:written|reported|posted|words|text|story)\s+)?by|author:?)\s+"
        rf"(?P<names>{_PEOPLE})"
    ),
    re.compile(rf"^(?:{_MONTHS})\s+\d{{1,2}},\s+\d{{4}}\s+(?P<names>{_PEOPLE})$"),
    re.compile(rf"^(?P<names>{_PEOPLE})(?i:\s+(?:[|•·]\s+)?\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}})$"),
    re.compile(
        rf"^(?P<names>{_PEOPLE}),\s+(?i:(?:[\w-]+\s+){{0,3}}"
        r"(?:correspondent|reporter|editor|columnist|writer)s?)$"
    ),
)
# "By Jane Roe, City Hall Correspondent": what stands behind the comma looks like a name, too.
_OFFICE = re.compile(
    r",\s+(?:[\w-]+\s+){0,3}(?:correspondent|reporter|editor|columnist|writer)s?\b", re.IGNORECASE
)
# Words that follow a name in a byline, or stand where a name would.
_NOT_A_NAME = frozenset(
    f"""
    {" ".join(MONTHS)} staff published updated posted read share photo photographs
    photography full bio follow senior chief editor editors editorial director columnist
    correspondent reporter writer contributor analyst fellow founder professor special health
    science technology news political the associated press reuters
    """.casefold().split()
)
_GENERIC_LABELS = frozenset({"blog", "blogs", "news"})  # `news.com.au` is its own name
_SPLIT = re.compile(r",\s+and\s+|,\s*|(?<!\s)\s+and\s+|(?:(?<!\s)\s+)?&\s*", re.IGNORECASE)


# What stands in the name of an outlet and in few other short lines.
_OUTLET_WORD = re.compile(
    r"\b(?:times|post|gazette|herald|news|journal|tribune|review|observer|chronicle|courier|mail|daily"
    r"|weekly|monthly|standard|telegraph|today|monitor|magazine|dispatch|sentinel|press|wire"
    r"|bulletin|examiner|independent|globe|argus|record|star|echo|ledger|guardian|mirror|express|inquirer"
    r"|advertiser|spectator|economist)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[A-Z][\w-]{1,60}\.(?:com|org|net|news|co\.[a-z]{2})")
_SITE_WORD = re.compile(r"[A-Z]+[a-z]*[A-Z]\w*")  # such as BuzzFeed or WIRED
_SECTION_WORD = re.compile(
    r"\b(?:breaking|latest|top|stories|more|related|popular|chief)\b|:", re.IGNORECASE
)
_PATH = re.compile(r" [>›»/|] ")
_KICKER = re.compile(
    r"\b(?:breaking|latest|top|more|news|local|world|politics|opinion|exclusive|analysis|feature"
    r"|press release|live|update[sd]?|sports?|business|comment)\b|:",
    re.IGNORECASE,
)
_DEFINITE_PLACES = frozenset({"The Hague", "The Netherlands", "The Bahamas", "The Gambia"})
_BYLINE_PARTS = re.compile(
    r" ?[|•·,()] ?| [-–—] | (?:for|of|in|on)(?: the)? (?=The |[A-Z\d])| [Ss]taff(?: [Ww]riter)?$"
)
# "First published in X, 3 May 2024", "Copyright (c) 2024 X Ltd.", "LONDON, May 3 (X) - ".
_OUTLET = r"((?:The )?[A-Z][\w'’&-]*(?: (?:(?:of|and|the|&) )?[A-Z][\w'’&-]*){0,4}?)"
_STATED = re.compile(
    rf"(?:(?i:(?:this (?:article|story) was )?(?:(?:first|originally) )?published (?:by|in):?"
    rf"|(?:copyright|\(c\)|©)(?: (?:\(c\)|©))?(?: ?(?:19|20)\d\d(?:[-–]\d{{2,4}})?,?)?(?: by)?)"
    rf"|By {_BYLINE_NAME} for)"
    rf"(?: the)? {_OUTLET}(?P<form>,? (?:Ltd|Limited|Inc|LLC|plc)\b\.?)?"
    rf"(?:,? (?:on |in )?(?:(?:\d{{1,2}}|{_MONTHS}),? ){{0,2}}(?:19|20)\d\d)?"
    rf"(?:[.,]? ?(?i:all rights reserved))?(?:\.?$|(?<=\d)\. (?=[A-Z]))"
    rf"|[A-Z][A-Z.'’ -]{{2,30}}(?:, [A-Z][a-z]{{2,8}}\.? \d{{1,2}})? \({_OUTLET}\) ?[-–—]"
)
_COMPANY_WORD = re.compile(
    r"\b(?:media|group|publishing|publications|broadcasting|company)\b", re.IGNORECASE
)
# The company behind an outlet, as the foot of a page names it.
_BEHIND = re.compile(
    r"(?:(?i:copyright|\(c\)|©)\W{0,3}(?:(?:19|20)\d\d\W{1,3})?|\b(?:published|produced|owned) by )"
    rf"(?:the )?{_OUTLET},? (?:Ltd|Limited|plc|PLC|Inc|LLC|DAC|Pty|GmbH)\b"
    rf"|\b[Aa]n? {_OUTLET} (?:company|publication|title|brand|website)\b"
    rf"|\b[Pp]art of {_OUTLET}[.,]"
)
_FOOT, _MOST_COMPANIES = 8, 2  # lines
_PICTURES = re.compile(r"getty|shutterstock|alamy|istock", re.IGNORECASE)  # of photographs
_DATED = re.compile(rf"\b(?:{_MONTHS})\b.{{0,20}}\b\d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b", re.IGNORECASE)
_SHORT_DATE = re.compile(
    rf"\b(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\b.{{0,20}}\b\d{{4}}\b", re.IGNORECASE
)
_DATE_LINE = re.compile(
    rf"\W{{0,4}}(?:\w{{1,20}}[:,]? ){{0,3}}\d{{0,2}} ?(?:{_DATED.pattern})", re.IGNORECASE
)
# What a note or Markdown writes before a headline, byline or date.
_LABEL = re.compile(r"^(?:#+ |\*{1,2}(?=\w)|(?:title|headline): )", re.IGNORECASE)
_MASTHEAD_LINES, _KICKER_LINES, _MOST_SECTIONS = 8, 3, 2
_MENU_LINES, _MENU_WORDS, _MAX_DATE_WORDS = 4, 3, 12
_MIN_HEADLINE_WORDS, _MAX_HEADLINE_WORDS, _MIN_TITLE_WORDS, _MAX_OUTLET_WORDS = 4, 30, 3, 5
_MAX_HEADLINE_CHARACTERS = 400


def shows_date(lines: Sequence[str]) -> bool:
    """Tell whether a short line above an article's prose bears a date."""
    top = (line for line in lines[:_MASTHEAD_LINES] if len(line) <= _MAX_HEADLINE_CHARACTERS)
    return any(_DATED.search(line) for line in top if count_words(line) <= _MAX_BYLINE_WORDS)


class Masthead(NamedTuple):
    """Headline, standfirst and outlet as the lines above an article's prose show them; else empty.

    A standfirst is a line of eight words or more, without a full stop, between headline and byline
    or prose.
    """

    headline: str
    outlet: str
    standfirst: str


def find_masthead(body: str) -> Masthead:
    """Return what stands above the prose of a text, which may have been pasted without its title.

    A headline is a line of several words that ends like none; bylines, dates, captions and menus
    are none. A line above a menu, such as a motto, is it only if there is none below the menu.
    Without one, the first line is it, whatever its form, if a byline or date follows. The name of
    an outlet has a word such as `Gazette`, or begins with "The", or is not that of an author and
    stands behind a bar after the headline, in capitals on a line above it, or on a line of its own
    where it also ends a headline or somebody "told" it something.
    """
    found = tail = bylines = ""
    outlets: list[str] = []
    lines = _without_menu(_top_lines(body, _HEAD_LINES))[:_MASTHEAD_LINES]
    is_above = False  # whether what was found stands above a menu
    is_lead = len(lines) > 1 and _is_credit(lines[1]) and _may_be_title(lines[0])
    lead = lines[0] if is_lead else ""
    for line in lines:
        words = count_words(line) if len(line) <= _MAX_HEADLINE_CHARACTERS else len(line)
        if words > _MAX_HEADLINE_WORDS or (_is_prose(line) and line[-1] not in "?!"):
            if line != lead:
                break
            found = lead
            continue
        is_byline = any(pattern.search(line) for pattern in (*_BYLINES, _DATED))
        if is_byline or line == tail:
            pieces = _BYLINE_PARTS.split(line)
            bylines += line
        else:
            pieces = _parts(line)
            title = max(pieces, key=count_words)
            is_headline = words >= _MIN_HEADLINE_WORDS and count_words(title) >= _MIN_TITLE_WORDS
            if _is_menu(line):
                is_above |= found != "" and not bylines and not _SHARING.search(line)
            elif is_headline and title[-1] not in ".,;:" and not _NOTICE.match(line):
                tail = tail or ("" if pieces[-1] == title else line.rpartition(" | ")[2])
                if not found or is_above:
                    found, is_above = title, False
                    pieces.remove(title)
        outlets += () if _SHARING.search(line) else filter(_is_name, map(str.strip, pieces))
    found = found or lead
    place = max((n for n, line in enumerate(lines) if found and found in line), default=0)
    _, below, further = [*lines, "", "", ""][place : place + 3]
    named = _named_above(lines, place) or _named_again(lines, body)
    if named and named.casefold() not in bylines.casefold():
        outlets = outlets or [named]
    if outlets:
        outlet = next(filter(_OUTLET_WORD.search, outlets), outlets[0])
    else:
        is_site = _is_capitalised(tail) or _SITE_WORD.fullmatch(tail)
        outlet = tail if is_site and tail not in bylines else ""
    if outlet.isupper():  # perhaps in capitals here alone
        written = re.findall(rf"\b{re.escape(outlet)}\b", body, re.IGNORECASE)
        outlet = next((one for one in written if not one.isupper()), outlet)
    return Masthead(found, outlet, below if found and _is_standfirst(below, found, further) else "")


def _named_above(lines: Sequence[str], place: int) -> str:
    """Return the name in capitals by which a site is called above the headline at a place.

    It is the first line, above a menu, or the line on a headline that is among the first.
    """
    above = {0, place - 1} if place < _KICKER_LINES else {0}
    names = (
        lines[number]
        for number in sorted(above)
        if 0 <= number < place
        and lines[number].isupper()
        and _is_capitalised(lines[number])
        and not _KICKER.search(lines[number])
    )
    return next(names, "")


def _named_again(lines: Sequence[str], body: str) -> str:
    """Return a name on a line of its own that also ends a headline, or that was told things."""
    for name in filter(_is_capitalised, lines):
        if re.search(rf"(?m)^.+ [-–—|] {re.escape(name)}$|\btold {re.escape(name)}\b", body):
            return name
    return ""


def _is_standfirst(line: str, above: str, below: str) -> bool:
    """Tell whether a line under a headline goes on from it, and is no menu or second headline."""
    is_long = _MIN_PROSE_WORDS <= count_words(line) <= _MAX_BYLINE_WORDS
    is_other = _is_prose(line) or _is_credit(line) or _parts(line) != [line] or _MENU.search(line)
    same = 2 * len({*tokens(line)} & {*tokens(above)}) >= len({*tokens(above)})
    return is_long and not (is_other or same) and (_is_credit(below) or _is_prose(below))


def _top_lines(body: str, most: int) -> list[str]:
    """Return the first lines of a text, without what a note writes before a headline or byline."""
    return [_LABEL.sub("", line) for line in clean(body).split("\n") if line][:most]


def _is_menu(line: str) -> bool:
    """Tell whether a line is a menu, the place of a page among others, or buttons."""
    places = _PATH.split(line)  # "Home > City > Transport"
    is_path = len(places) > 1 + (" | " in line) and max(map(count_words, places)) < _MENU_WORDS + 2
    is_list = len(_MENU.findall(line)) > 1 or len(_SECTIONS.findall(line)) > _MOST_SECTIONS
    return is_path or is_list or _SITE_CHROME.search(line) is not None


def _without_menu(lines: Sequence[str]) -> list[str]:
    """Return lines without menus that have one item a line; an outlet may stand on the first."""
    is_item = [
        number > 0 and count_words(line) <= _MENU_WORDS and not (_is_credit(line) or _is_name(line))
        for number, line in enumerate(lines)
    ]
    kept: list[str] = []
    for are_items, group in groupby(zip(is_item, lines, strict=True), key=itemgetter(0)):
        run = [line for _, line in group]
        kept += [] if are_items and len(run) >= _MENU_LINES else run
    return kept


def _is_credit(line: str) -> bool:
    """Tell whether a line is a byline or a date, and no sentence that speaks of one."""
    is_short = count_words(line) <= _MAX_BYLINE_WORDS and not _is_prose(line)
    return is_short and any(one.match(line) for one in (*_BYLINES, _DATE_LINE))


def _may_be_title(line: str) -> bool:
    """Tell whether a line of any form may be a headline: it is no name, credit or section."""
    least = _MIN_HEADLINE_WORDS if _DATED.search(line) else 1  # more than "Updated on Friday"
    is_credit = any(one.search(line) for one in _BYLINES) or looks_personal(line)
    is_longer = len(tokens(_DATED.sub("", line))) > least
    is_name = _is_name(line) or _SECTION_WORD.fullmatch(line.split(maxsplit=1)[0])
    return is_longer and len(line) <= _MAX_HEADLINE_CHARACTERS and not (is_credit or is_name)


def _parts(line: str) -> list[str]:
    """Return what bars separate in a line above the prose, and an outlet behind a dash."""
    *parts, last = re.split(r" [|•·›»] ", line)
    dashed = re.fullmatch(r"(.+)\s[-–—]\s(.+)", last)
    return [*parts, *dashed.groups()] if dashed and _is_name(dashed[2]) else [*parts, last]


def _is_name(name: str) -> bool:
    """Tell whether a few words are the name of an outlet; places have "The" before them, too."""
    if _ADDRESS.fullmatch(name):
        return True
    is_definite = name.startswith("The ") and name not in _DEFINITE_PLACES
    is_menu = len(_SECTIONS.findall(name)) > _MOST_SECTIONS
    is_marked = not is_menu and (is_definite or _OUTLET_WORD.search(name) is not None)
    return is_marked and _is_capitalised(name) and not _SECTION_WORD.search(name)


def _is_capitalised(name: str) -> bool:
    words = name.split()
    return (
        1 < len(words) <= _MAX_OUTLET_WORDS
        and words[0] != "By"
        and all(word[0].isupper() or word in {"of", "and", "the", "&"} for word in words)
    )


def find_authors(article: Article) -> tuple[str, ...]:
    """Return the names in the byline; empty when the page shows none.

    Only short lines near the top count: prose that says "by" is not a byline. A name may stand on a
    line of its own above the date, or above an office such as "Political editor". Where nothing
    else shows that it is a name, it stands below the headline, or a line below it.
    """
    lines = _top_lines(article.body, _HEAD_LINES)
    short = [line if len(line) <= _MAX_HEADLINE_CHARACTERS else "" for line in lines]
    outlet = find_masthead("\n".join(lines)).outlet.removeprefix("The ")
    joined = [f"{one}{'' if _DATED.search(two) else ','} {two}" for one, two in pairwise(short)]
    for line in (*lines, *joined):
        if len(line.split()) > _MAX_BYLINE_WORDS:
            continue
        texts = (_OFFICE.sub(" |", line), line)
        for match in (one for text in texts for by in _BYLINES for one in by.finditer(text)):
            found = dict.fromkeys(map(_cut_at_noise, _SPLIT.split(match["names"])))
            # Behind a comma may stand the outlet, or as much of its name as the pattern matches.
            authors = tuple(
                one
                for one in found
                if one and not (one.startswith("The ") or outlet.startswith(one))
            )
            if authors:
                return authors
    return _named_below(article, short, outlet)


def _named_below(article: Article, lines: Sequence[str], outlet: str) -> tuple[str, ...]:
    """Return the person on a line between the headline and the date.

    Sections and places may stand there, too, and so may the person that an article is about: the
    text speaks of those, and of its author only in a line that begins with the name.
    """
    title = one_line(article.title) or find_masthead(article.body).headline
    for place, line in enumerate(lines):
        above, below = lines[max(0, place - 2) : place], lines[place + 1 : place + 3]
        is_below = any(
            count_words(one) >= _MIN_HEADLINE_WORDS and one.casefold() in title.casefold()
            for one in above
        )
        name = _cut_at_noise(line) if re.fullmatch(_BYLINE_NAME, line) else ""
        is_person = looks_personal(name) and not outlet.startswith(name)
        if not (is_below and is_person) or name.split()[-1] in title:
            continue
        told = (one for one in clean(article.body).split("\n") if name in one and one != line)
        is_dated = any(
            count_words(one) <= _MAX_DATE_WORDS and _SHORT_DATE.search(one) for one in below
        )
        if is_dated and all(one.startswith(name) for one in told):
            return (name,)
    return ()


def find_publisher(article: Article) -> str:
    """Return the outlet's name: as the page writes it, else the host name; empty without either.

    A capitalised name whose letters are those of the host's main label (or begin with them) is
    the outlet; so is a suffix of the page title that shares a word with the label.
    """
    if not article.host:
        above = find_masthead(f"{article.title}\n{article.body}").outlet
        return above or _stated_outlet(article)
    label = host_label(article.host)
    if not label or label in _GENERIC_LABELS:
        return article.host
    parts = re.split(r" [-–—|:] ", one_line(article.title))
    suffixes = [part.strip() for part in reversed(parts[1:]) if len(part.split()) <= 5]
    names = [
        *suffixes,
        *sorted(find_names(clean(article.body)), key=lambda name: (len(name), name)),
    ]
    exact = (name for name in names if _squash(name) == label)
    longer = (
        name for name in names if len(label) >= _MIN_PREFIX and _squash(name).startswith(label)
    )
    if (name := next(exact, None)) is not None:
        return name
    if (name := next(longer, None)) is not None:
        # "Atlas Obscura Trips" is a part of the outlet, "Sentinel Policy Journal" its whole name.
        begun = accumulate(name.split(), lambda words, word: f"{words} {word}")
        outlet = next((words for words in begun if _squash(words) == label), name)
        return name if _OUTLET_WORD.search(name.removeprefix(outlet)) else outlet
    for shown in (*suffixes, find_masthead(f"{article.title}\n{article.body}").outlet):
        if any(len(word) > 2 and word in label for word in tokens(shown)):
            return shown
    word = re.search(rf"\b(?=[A-Z])(?i:{re.escape(label)})\b", article.body)
    return word.group() if word else article.host


def _stated_outlet(article: Article) -> str:
    """Return the outlet that a line of an article plainly names; a person who publishes is none."""
    authors = find_authors(article)
    for line in clean(article.body).split("\n"):
        found = _STATED.match(line[:_MAX_HEADLINE_CHARACTERS])
        if not found or _PICTURES.search(name := found[1] or found[3]):
            continue
        is_company = found["form"] or _OUTLET_WORD.search(name) or _COMPANY_WORD.search(name)
        is_person = looks_personal(name) and not (authors or is_company)
        if name not in authors and not is_person:
            return name
    return ""


def find_companies(article: Article, publisher: str) -> tuple[str, ...]:
    """Return the companies that the foot of a page names as its publisher's or as its owner."""
    known = set(tokens(publisher)) - {"the"}
    lines = [line for line in clean(article.body).split("\n") if line.strip()]
    found = (match for line in lines[-_FOOT:] for match in _BEHIND.finditer(line))
    names = dict.fromkeys(filter(None, (name for match in found for name in match.groups())))
    fresh = [one for one in names if " " in one and not {*tokens(one)} <= known | {"the"}]
    return tuple(fresh[:_MOST_COMPANIES])


def headline(title: str, publisher: str) -> str:
    """Return the page title without the outlet's name behind a dash or bar."""
    parts = re.split(r" [-–—|] ", one_line(title))
    outlet = set(tokens(publisher))
    kept = [part for part in parts[1:] if not outlet.intersection(tokens(part))]
    return " - ".join([parts[0], *(part for part in kept if count_words(part) > 3)])


def _squash(name: str) -> str:
    return "".join(word for word in tokens(name) if word not in {"the", "www", "and"})


def _cut_at_noise(name: str) -> str:
    words: list[str] = []
    for word in name.split():
        if word.strip(".,").casefold() in _NOT_A_NAME:
            break
        words.append(word.strip(","))
    plain = " ".join(words)
    plain = plain.title() if plain.isupper() else plain
    return plain if len(strip_title(plain).split()) >= 2 else ""
