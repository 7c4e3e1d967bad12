"""Negation scope: which words of a sentence are denied, refuted, doubted, or only asked about.

A rule, not a weight: "there is no evidence that" turns a sentence into its opposite however many
other words it shares with what it denies, which no sum of features learns from a few thousand
labels of honest answers. The rule knows English phrases; what it does not know stays asserted.

Phrases are patterns over a sentence's words, one a line. `(a|b)` is either; `~2` stands for up to
two words; a name in capitals stands for one of its list below. The words of a sentence are
case-folded, one space between two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.learned.reading.words import Sentence

_LISTS = {
    "BE": "is|was|are|were|be|been|being|seems?|remains?|proved|proves|appears?|turns?|turned|'s",
    "CLAIM": "claims?|ideas?|notions?|beliefs?|rumou?rs?|allegations?|assertions?|statements?|"
    "suggestions?|reports?|story|theory|views?|charges?|arguments?|findings?|contentions?|"
    "propositions?|accounts?|myths?|accusations?|facts?|conclusions?|assumptions?",
    "FALSE": "false|untrue|incorrect|inaccurate|wrong|mistaken|unfounded|baseless|groundless|"
    "unproven|unsubstantiated|unsupported|debunked|refuted|disproved|disproven|discredited|denied|"
    "disputed|contradicted|rejected|invented|fabricated|fictitious|nonsense|misleading|doubtful|"
    "questionable|((a|an|mere|pure|total|complete) ){0,4}(myth|lie|falsehood|fiction|fabrication|"
    "misconception|hoax|fallacy|error)s?|(not|never|n't) ~1 ?(true|correct|accurate|right|so|"
    "(the|a) (case|fact)|supported|confirmed|proven|proved|established|borne out|what happened)",
    "EVIDENCE": "evidence|proof|indications?|signs?|confirmation|truth|suggestions?|trace|"
    "substance",
    "SUPPORT": "evidence|proof|indications?|signs?|support|basis|confirmation|truth|grounds?|"
    "records?|reasons?|documents?|data|substance|suggestions?|trace",
    "DISPUTE": "den(y|ies|ied|ying)|disput(e|es|ed|ing)|refut(e|es|ed|ing)|rebut(s|ted|ting)?|"
    "contradict(s|ed|ing)?|debunk(s|ed|ing)?|disprov(e|es|ed|en|ing)|reject(s|ed|ing)?|"
    "dismiss(es|ed|ing)?|contested|challenged|questioned|doubt(s|ed|ing)?|retract(s|ed|ing)?|"
    "disown(s|ed)?|disagree(s|d)? with|discredit(s|ed)?|rul(e|es|ed) out|object(s|ed)? to|"
    "withdr(aw|aws|ew|awn)|repudiat(e|es|ed)|disavow(s|ed)?|renounc(e|es|ed)",
    "SAY": "shows?|shown|proves?|proven|proved|demonstrate[sd]?|confirm(s|ed)?|finds?|found|says?|"
    "said|believe[sd]?|establish(es|ed)?|state[sd]?|claim(s|ed)?|support(s|ed)?|thinks?|thought|"
    "suggest(s|ed)?|verif(y|ies|ied)|accept(s|ed)?|agree[sd]?|conclude[sd]?|report(s|ed)?|"
    "indicate[sd]?|reveal(s|ed)?|means?|imply|implies|knows?|known|document(s|ed)?|hear|heard|see|"
    "seen|learned|argue[sd]?",
    "NO": "no|little|insufficient|scant|zero|without|lacks?|lacking|lack of|any|not enough|"
    "none of the",
    "NOT": r"not|never|cannot|\w+n't|fail(s|ed)? to|failing to|unable to|refuse[sd]? to|"
    "declined? to|no longer|hardly|nobody|no one|none|nowhere|neither",
    "ANAPHOR": "this|that|it|these|those|them|(this|that|the|these|those|such|all) ~1 ?(CLAIM)",
}

_BEFORE = """
(it|that|this) ~2 ?BE ~2 ?FALSE (to SAY )?(that|how)
(it|that|this) (isn't|wasn't|ain't) ~2 ?(true|correct|so|accurate|right|known|clear|proven) that
(it|that|this) (isn't|wasn't|ain't) ~2 ?(the|a) (case|fact) that
(it|that) BE ~1 ?(impossible|unlikely|unclear|unknown|uncertain|debatable) (that|whether|if)
(it|that) BE ~1 ?(implausible|inconceivable) that
(it|that) BE not ~1 ?(clear|known|certain|likely|possible) (that|whether|if)
FALSE (that|to SAY( that)?)
NO ~3 ?SUPPORT ~5 ?(that|to ~1 ?SAY( that)?)
NO ~3 ?EVIDENCE ~5 ?(for|of|behind)
(no|none of the) \\w+ ~3 ?SAY that
(nothing|nobody|no one|none|neither|few) ~6 ?SAY that
NOT ~2 ?SAY ~2 ?(that|whether|any)
DISPUTE ~3 ?(that|whether|having|being|ever|any|CLAIM (that|of|by|about|made))
(deny|denies|denying|refuted|debunks?|debunked)(?= (\\w+ ){3})
denied(?! (\\w+ )?(access|entry|service|the|permission|a|an)\\b)(?= (\\w+ ){3})
(denials?|rebuttal|refutation|retraction) ~3 ?(that|of)
(false|untrue|unfounded|baseless|debunked|discredited|mistaken|wrong|unproven) CLAIM (that|of)
(fake|unsupported|fabricated|bogus|popular|erroneous|incorrect) CLAIM (that|of)
(myth|misconception|falsehood|lie|hoax|rumou?r|fallacy|fiction) that
(falsely|wrongly|incorrectly|mistakenly|erroneously|dishonestly) ~1 ?SAY( that)?
contrary to
(far from|instead of) (it )?being (true|the case) that
(imagine|suppose|supposing|pretend|pretending) that
(hypothetically|if it (is|was|were) true)
(asked?|asks|asking|wonders?|wondered) ~1 ?(whether|if)
whether or not
(is|was|are|remains?) ~2 ?(unclear|unknown|uncertain|disputed|questionable) (whether|if)
"""
_LIST_NAME = re.compile(rf"\b(?:{'|'.join(_LISTS)})\b")

_AFTER = """
DISPUTE ANAPHOR$
(but|yet|though|although|however|and|which|while) ~6 ?ANAPHOR BE ~2 ?FALSE
which BE ~2 ?FALSE
(which|but) \\w+ ~4 ?DISPUTE$
NOT ~1 ?SAY ANAPHOR$
(no|little|without|any) ~2 ?SUPPORT ~3 ?ANAPHOR$
(shows?|suggests?|says?|proves?|indicates?|found) (otherwise|the opposite)$
(has|have|had) (since )?been ~1 ?DISPUTE$
an? ~2 ?CLAIM (that|which|\\w+ have|\\w+ has) ~5 ?DISPUTE$
or so \\w+ ~3 ?(say|said|claim|claims|claimed)$
"""

_WITHIN = """
(the|any|his|her|their|this|that|such) ~2 ?CLAIM (that|of|about) .{0,600}BE ~2 ?FALSE$
(the|any|his|her|their|this|that|such) ~2 ?CLAIM (that|of|about) .{0,600}been ~1 ?DISPUTE$
^whether .* (unknown|unclear|uncertain|disputed|doubtful|questionable|open|undecided)$
"""

_ABOUT_ANOTHER = """
BE ~2 ?FALSE
(isn't|wasn't|aren't|weren't) ~1 ?(true|correct|so|the case)
DISPUTE
"""

_ABOUT_ALL = """
(none|nothing|no part) (of )?~4 ?BE ~1 ?(true|correct|accurate|supported|so|fact|factual|the case)
(the following|what follows|(the )?(above|preceding)) ~4 ?BE ~2 ?FALSE
(all|everything) (of )?~3 ?(above|below|following|here|follows|report|text) ~4 ?BE ~2 ?FALSE
"""


def _expanded(phrase: str) -> str:
    """Return a phrase as a regular expression without groups to capture."""
    for _ in range(2):  # lists name lists
        phrase = _LIST_NAME.sub(lambda found: f"({_LISTS[found.group()]})", phrase)
    phrase = re.sub(r"~(\d) \?", r"(\\w+ ){0,\1}?", phrase)
    return re.sub(r"\((?!\?)", "(?:", phrase)


def _any_of(phrases: str) -> re.Pattern[str]:
    lines = [line for line in phrases.splitlines() if line]
    starts = ["" if line.startswith("^") else r"\b" for line in lines]
    return re.compile(
        "|".join(
            f"(?:{start}{_expanded(line)}(?!\\w))"
            for start, line in zip(starts, lines, strict=True)
        )
    )


TAKES_BACK_REST = _any_of(_BEFORE)
"""After this, the rest of the sentence is taken back: "there is no evidence that"."""

TAKES_BACK_START = _any_of(_AFTER)
"""Before this, the sentence is taken back: "but records refute this"."""

TAKES_BACK_ITSELF = _any_of(_WITHIN)
"""A sentence that takes back what it mentions: "the claim that ... is false"."""

TAKES_BACK_ANOTHER = _any_of(_ABOUT_ANOTHER)
"""In a short sentence on "this" or "that claim": takes back the sentence before it."""

TAKES_BACK_ALL = _any_of(_ABOUT_ALL)
"""Takes back all that follows or precedes: "none of the following is true"."""

POINTS_AT_ANOTHER = re.compile(
    _expanded(r"(but|yet|however|in fact|actually|all of)? ?ANAPHOR\b").replace("^", "")
)
"""How a sentence begins that is about another one."""

POINTS_BACK = re.compile(r"\b(?:above|preceding|previous|foregoing|this|these)\b")
"""Whether what is taken back precedes."""


_SHORT = 14  # words; a sentence that takes back the one before it says little else
_CONCEDES = frozenset({"while", "although", "though", "whereas"})
_OPENING = 4  # words in which a concession begins
_INVERTED = frozenset(
    "is are was were does did do has have had can could will would should".split()
)
_SUBJECTS = frozenset(
    "it he she they the a an this that these those there any we you i its his her their".split()
)


class Frame(NamedTuple):
    """Which words of a sentence its frame denies or questions.

    Attributes:
        taken_back: Whether each word is denied, refuted, doubted or only supposed.
        asks: Whether the sentence is a question, so that it says nothing.
        before: Whether it takes back the sentence before it, as "This is false" does.
        all_after: Whether it takes back all that follows.
        all_before: Whether it takes back all before it.
    """

    taken_back: tuple[bool, ...]
    asks: bool
    before: bool
    all_after: bool
    all_before: bool


@lru_cache(maxsize=16_384)
def frame(sentence: Sentence) -> Frame:
    """Return which words of a sentence its frame denies or questions."""
    words = sentence.words
    joined = " ".join(words)
    taken = [False] * len(words)
    for match in TAKES_BACK_REST.finditer(joined):
        first = joined.count(" ", 0, match.end()) + (1 if match.end() < len(joined) else 0)
        last = _end_of_concession(sentence, first)
        taken[first:last] = [True] * len(taken[first:last])
    for match in TAKES_BACK_START.finditer(joined):
        last = joined.count(" ", 0, match.start())
        taken[:last] = [True] * len(taken[:last])
    if TAKES_BACK_ITSELF.search(joined):
        taken = [True] * len(words)
    whole = TAKES_BACK_ALL.search(joined)
    backward = whole is not None and POINTS_BACK.search(joined) is not None
    short = len(words) <= _SHORT and POINTS_AT_ANOTHER.match(joined) is not None
    # A sentence that begins like a question: a verb, then a subject.
    is_inverted = len(words) > 2 and words[0] in _INVERTED and words[1] in _SUBJECTS
    return Frame(
        taken_back=tuple(taken),
        asks=sentence.asks or is_inverted,
        before=short and TAKES_BACK_ANOTHER.search(joined) is not None,
        all_after=whole is not None and not backward,
        all_before=backward,
    )


def frames(sentences: Sequence[Sentence]) -> list[Frame]:
    """Return the frame of each sentence of a text, denials by neighbouring sentences included."""
    found = [frame(sentence) for sentence in sentences]
    after = next((place for place, item in enumerate(found) if item.all_after), len(found))
    before = max((place for place, item in enumerate(found) if item.all_before), default=-1)
    return [
        item._replace(taken_back=(True,) * len(item.taken_back))
        if place > after or place < before or (place + 1 < len(found) and found[place + 1].before)
        else item
        for place, item in enumerate(found)
    ]


def _end_of_concession(sentence: Sentence, start: int) -> int:
    """Return where a clause ends that a main clause follows, as in "While no ..., they ..."."""
    if not _CONCEDES & set(sentence.words[:_OPENING]):
        return len(sentence.words)
    place = 0
    for shape in sentence.shapes:
        if shape == "," and place > start:
            return place
        place += shape[0].isalnum()
    return place
