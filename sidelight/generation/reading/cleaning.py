"""The prose of a scraped article: site chrome and reader comments out, with a record of both.

Reader comments are out of scope by the track's guidelines, and scraped pages carry thousands of
words of menus and headlines. A line counts as prose when it is long enough and ends like a
sentence; what follows a comment marker is cut whatever it looks like. Prompts hold the whole body,
so no more of it is kept than a long article has.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sidelight.schemas.investigation.profile import Cut
from sidelight.text import clean, count_words

_MIN_PROSE_WORDS = 8
_MIN_BODY_WORDS = 60
_MAX_BODY_WORDS = 3_000
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
_SERVICE = re.compile(
    r"\b(?:sign up (?:for|to)|subscribe|newsletter|we use cookies|cookie (?:policy|notice|settings)"
    r"|privacy policy|terms of (?:use|service)|all rights reserved|click here|read more"
    r"|article continues below|follow us on|getty images|enable javascript|your email address)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*$")


def clean_article(body: str) -> tuple[str, tuple[Cut, ...]]:
    """Return the prose of an article body, one paragraph a line, and what was cut from it."""
    lines, cuts = _find_prose([line for line in clean(body).split("\n") if line])
    kept, beyond = _split(lines, _MAX_BODY_WORDS)
    if beyond:
        cuts.append(_cut(f"beyond {_MAX_BODY_WORDS:,} words", beyond))
    return "\n".join(kept), tuple(cuts)


def _find_prose(lines: list[str]) -> tuple[list[str], list[Cut]]:
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
    for line in lines:
        wanted = _is_prose(line) and not _is_service(line) and line not in kept
        (kept if wanted else dropped).append(line)
    if count_words(" ".join(kept)) < _MIN_BODY_WORDS and lines:
        # Transcripts and lists hold no prose by this measure; a poor body beats none.
        return list(dict.fromkeys(lines)), cuts
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


def _is_service(line: str) -> bool:
    return count_words(line) <= 40 and _SERVICE.search(line) is not None


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
    for number, line in enumerate(lines):
        if number and _END_MATTER.fullmatch(line):
            tail = lines[number:]
            prose = sum(count_words(entry) for entry in tail if _is_prose(entry))
            if prose * 4 < sum(map(count_words, tail)) and not _has_run_of_prose(tail):
                return number
    return None


def _has_run_of_prose(lines: list[str]) -> bool:
    return any(_is_prose(first) and _is_prose(second) for first, second in pairwise(lines))


def _cut(reason: str, lines: list[str]) -> Cut:
    words = " ".join(lines).split()
    return Cut(reason=reason, words=len(words), opening=" ".join(words[:_OPENING_WORDS]))
