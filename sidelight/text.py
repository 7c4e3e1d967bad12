"""Text primitives: words and sentences as tracks count them, stems, names, safe printing.

Text is never taken for instructions: only its words count, after invisible characters have been
removed. `stems` is the base of all stemming in the package.
"""

from __future__ import annotations

import html
import re
import reprlib
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf, isfinite
from typing import Literal

INSERTED = re.compile(r"\[[^\[\]]*\]")  # a name put in, or the date of a page
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*%?")
_FINITE_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

# A closing mark, then white space, then something a sentence may begin with. Only the first of
# several marks begins a match, or thousands of them would be looked at thousands of times.
_BOUNDARY = re.compile(
    r"""(?<![.!?…])(?P<mark>[.!?…]++)(?P<close>["'”’»)\]]*)\s+(?=["'“‘«(\[]*[^\W_a-z])""",
    re.VERBOSE,
)
_SHINGLE = 5
_MAX_QUOTED = 80
# The built-in repr recurses as deep as the value goes, and writes megabytes to keep 80 characters.
_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _MAX_QUOTED
_NOWHERE = (sys.maxsize, sys.maxsize)
_QUOTED = re.compile('“[^“”]{1,300}”|"[^"]{1,300}"')
_LAST_WORD = re.compile(r"(?:[\w'’.-]{0,39}\w|)$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[]*([\w'’]+)")
_ABBREVIATIONS = frozenset(
    """
    adm al apr art assn aug ave bros ca capt cf ch cmdr co col corp dec dept dr ed eds est etc
    feb fig figs fr gen gov govt hon inc jan jr jul jun lt ltd maj mar messrs mfg mr mrs ms mt
    no nos nov oct op p para pp pres prof pt rep reps rev sec sen sens sep sept sgt sr st vol
    vols vs
    """.split()
)
# The name of a company, and what goes on behind it: its form, or who of it is meant.
_COMPANY = re.compile(r"[A-Z&][^\s,]{0,30}(?i: co| corp|,? inc|,? ltd)$")
_NEW_NAME = re.compile(
    r"[\"'“‘]?(?!(?:LL[CP]|PLC|Ltd|Limited|Inc|C[EFOT]O|Chief|Chair\w*|Class|Co-\w+|Directors?|Executive"
    r"|Founder|General|Manag\w+|Presidents?|Rev|Senior|Spokes\w+|Vice)\b)[A-Z][\w’'-]"
)
_STARTERS = frozenset(
    """
    a an and as at but by for he her his i if in it its no on she some that the their there
    these they this those we what when where while who why you
    """.split()
)

STOPWORDS = frozenset(
    """
    a about above after again against all also am among an and another any are aren't as at be
    because been before being below between both but by can can't cannot could couldn't did didn't
    do does doesn't doing don't down during each either even ever every few for from further get
    gets got had hadn't has hasn't have haven't having he he's her here hers herself him himself
    his how however i i'm i've if in into is isn't it it's its itself just least less let like
    made make many may me might more most much must my myself neither never no nor not now of off
    often on once one only or other others our ours ourselves out over own per rather really said
    same say says she she's should shouldn't since so some still such than that that's the their
    theirs them themselves then there there's these they they're this those though through thus to
    told too under until up upon us used using very was wasn't we we're well were weren't what
    what's when where whether which while who whom whose why will with within without won't would
    wouldn't yet you you're your yours yourself
    """.split()
)

# C0 and C1 controls (but not tab and newline), zero-width and bidirectional marks, line and
# paragraph separators, the byte order mark, interlinear marks, tags and lone surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"[^\S\n]+")
# Leading zeros, then what may be more digits than Python reads as one number.
_NUMBERED = re.compile(r"&#(?=[0-9])0*+([0-9]*);?")
# Where many combining marks may stand one after another, among other signs that are no letters.
_MAX_MARKS = 60
_LONG_RUN = re.compile(rf"(?:[^\w\x00-\u02ff]|[\uff9e\uff9f]){{{_MAX_MARKS + 1},}}")


def count_words(text: str) -> int:
    """Count white-space separated words."""
    return len(text.split())


def budget_words(text: str) -> int:
    """Count words for a limit: the larger of the plain and the NFKC count.

    Some validators split the text as it is, others after NFKC (where `a´b` becomes two words).
    Obeying the larger satisfies both.
    """
    return max(count_words(text), count_words(normalized("NFKC", text)))


def normalized(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form of Unicode.

    A letter may carry 60 combining marks; no script uses ten. More are dropped, since Python sorts
    the marks of a letter in a time that grows with the square of their number.
    """
    return unicodedata.normalize(form, _LONG_RUN.sub(_few_marks, text))


def tokens(text: str) -> list[str]:
    """Return the case-folded words and numbers of a text, in order."""
    return [word.casefold() for word in _TOKEN.findall(text.replace("’", "'"))]


def content_words(text: str) -> list[str]:
    """Return the tokens that carry meaning: no stop words, no single letters."""
    return [word for word in tokens(text) if word not in STOPWORDS and len(word) > 1]


def numbers(text: str) -> set[str]:
    """Return the figures in a text, thousands separators removed: `1,200` and `1200` are one."""
    return {
        re.sub(r",(?=\d{3}(?!\d))", "", match.group()).rstrip(".,")
        for match in _NUMBER.finditer(text)
    }


def printable(text: str) -> str:
    """Drop what cannot be printed, or would reorder or hide what can."""
    return _UNPRINTABLE.sub("", text)


def unescaped(text: str) -> str:
    """Return a text with the character references of HTML replaced, however long they are."""
    return html.unescape(_NUMBERED.sub(lambda found: f"&#{found[1][:8] or 0};", text))


def clean(text: str) -> str:
    """Drop what cannot be printed, fold runs of white space, and normalise to NFC.

    Newlines stay; a carriage return or Unicode line separator becomes one.
    """
    text = re.sub("\r\n?|[\u2028\u2029\x0b\x0c\x85]", "\n", text)
    text = _SPACES.sub(" ", printable(text))
    return normalized("NFC", "\n".join(line.strip() for line in text.split("\n")))


def one_line(text: str) -> str:
    """Return `clean` text on a single line."""
    return " ".join(clean(text).split())


def sentence_spans(text: str, *, newline_ends: bool = True) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) character offsets of each sentence.

    `text[start:end]` has no white space at either end. Abbreviations, initials, decimal points and
    full stops inside a short quotation do not end a sentence. A newline ends one if `newline_ends`;
    else it is white space, and "Ltd." ends none before a name, so that windows keep their ids.
    """
    line_start = 0
    for line in text.split("\n") if newline_ends else [text]:
        start = 0
        quotes = (match.span() for match in _QUOTED.finditer(line))
        left, right = next(quotes, _NOWHERE)
        for match in _BOUNDARY.finditer(line):
            while right <= match.end("close"):
                left, right = next(quotes, _NOWHERE)
            if match.start() <= left and _ends_sentence(line, match, newline_ends):
                yield from _trimmed(line, start, match.end("close"), line_start)
                start = match.end()
        yield from _trimmed(line, start, len(line), line_start)
        line_start += len(line) + 1


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; see `sentence_spans`."""
    return [text[start:end] for start, end in sentence_spans(text)]


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the set of runs of five consecutive tokens (the whole text when it is shorter)."""
    words = tokens(text)
    if len(words) <= _SHINGLE:
        return frozenset([tuple(words)]) if words else frozenset()
    return frozenset(tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1))


def _few_marks(run: re.Match[str]) -> str:
    """Return some signs without the combining marks that are too many in a row."""
    kept, marks = [], 0
    for sign in run.group():
        is_mark = sign in "\uff9e\uff9f" or unicodedata.category(sign)[0] == "M"
        marks = marks + 1 if is_mark else 0
        if marks <= _MAX_MARKS:
            kept.append(sign)
    return "".join(kept)


def _trimmed(line: str, start: int, end: int, offset: int) -> Iterator[tuple[int, int]]:
    piece = line[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if right > left:
        yield offset + start + left, offset + start + right


def _ends_sentence(line: str, match: re.Match[str], after_companies: bool) -> bool:  # noqa: FBT001
    if match.group("mark") != "." or match.group("close"):
        return True
    # Looking back no further than any abbreviation reaches keeps a long text linear.
    word_match = _LAST_WORD.search(line, max(0, match.start() - 40), match.start())
    word = word_match.group().lstrip("'’") if word_match else ""
    following = _NEXT_WORD.match(line, match.end())
    starts_plainly = following is not None and following.group(1).casefold() in _STARTERS
    if after_companies and _COMPANY.search(line, max(0, match.start() - 40), match.start()):
        starts_plainly |= _NEW_NAME.match(line, match.end()) is not None
    if after_companies and word == "No" and following is not None:
        before = line[max(0, match.start() - 40) : match.start() - 2].rstrip()
        if before[-1:] in {"", ".", "?", "!"} and not following.group(1)[0].isdigit():
            return True  # an answer
    if word.casefold() in _ABBREVIATIONS:
        # "No." and "art." are also words; a plain opener after them begins a new sentence.
        return starts_plainly and word.casefold() not in {"dr", "mr", "mrs", "ms", "prof", "st"}
    if re.fullmatch(r"[^\W\d_]", word) or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", word):
        return starts_plainly  # an initial or "U.S."
    return True


def finite_number(text: str) -> float | None:
    """Return the finite number that a text is, in ASCII digits alone; None where it is none.

    Unlike `float`, this takes no underscores, blanks, digits of other scripts, `inf` or `nan`.
    """
    value = float(text) if _FINITE_NUMBER.fullmatch(text) else inf
    return value if isfinite(value) else None


def quoted(value: object) -> str:
    """Return a value as Python would write it, shortened to fit a message."""
    text = _repr.repr(value)
    return text if len(text) <= _MAX_QUOTED else f"{text[: _MAX_QUOTED - 4]}...{text[-1]}"


def first_of(names: Sequence[str], most: int = 10) -> str:
    """Return the first of some names for a message, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def counted(number: int, noun: str) -> str:
    """Return a number, with commas, and what is counted, a regular noun given in the singular."""
    if number == 1:
        return f"1 {noun}"
    regular = re.sub("([^aeiou])y$", r"\1ie", noun)
    return f"{number:,} {regular}s"


_WORD = re.compile(r"[^\W\d_]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|edly|ed|ies|es|s|ly)$")
_STEM_LENGTH = 6
_NEGATIONS = frozenset({"no", "not", "never", "neither", "nor", "none", "nobody", "nothing"})
_POINTS_AT_ARTICLE = re.compile(
    r"\b(?:this|the)\s+(?:(?:news|same)\s+)?"
    r"(?:article|authors?|piece|sources?|story|text|writer)\b"
    r"(?!\s+(?:of|for|on|about|behind|by)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=65_536)  # a text is compared with many others
def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words: no inflectional ending, six letters at most."""
    return frozenset(
        _ENDING.sub("", word.removesuffix("'s"))[:_STEM_LENGTH]
        for word in content_words(one_line(text))
    )


def names(text: str) -> frozenset[str]:
    """Return the capitalised words of a text, case-folded, stop words left out."""
    words = (match.group() for match in _WORD.finditer(one_line(text)))
    return frozenset(
        word.casefold() for word in words if word[0].isupper() and word.casefold() not in STOPWORDS
    )


def figures(text: str) -> set[str]:
    """Return the figures of a text."""
    return numbers(one_line(text))


def is_negated(text: str) -> bool:
    """Tell whether a text holds a word such as "not"."""
    words = set(tokens(one_line(text)))
    return bool(words & _NEGATIONS) or any(word.endswith("n't") for word in words)


def pointing_at_article(question: str) -> str:
    """Return the words by which a question points at an article unnamed, or nothing.

    "The author of the novel" says whose author; "the author" does not.
    """
    match = _POINTS_AT_ARTICLE.search(question)
    return match.group() if match else ""
