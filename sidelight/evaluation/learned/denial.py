"""Which words of a sentence its own frame takes back: denied, refuted, doubted, or only asked.

A rule, not a weight: "there is no evidence that" turns a sentence into its opposite however many
other words it shares with what it denies, which no sum of features learns from a few thousand
labels of honest answers. The rule knows English phrases; what it does not know stays asserted.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.learned.words import Sentence

_FALSE = (
    r"(?:false|untrue|incorrect|inaccurate|wrong|mistaken|unfounded|baseless|groundless|unproven|"
    r"unsubstantiated|unsupported|debunked|refuted|disproved|disproven|discredited|denied|disputed|"
    r"contradicted|rejected|invented|fabricated|fictitious|nonsense|misleading|doubtful|"
    r"questionable|(?:a |an |mere |pure |total |complete )*(?:myth|lie|falsehood|fiction|fabrication|"
    r"misconception|hoax|fallacy|error)s?|"
    r"(?:not|never|n't) (?:\w+ )?(?:true|correct|accurate|right|so|(?:the|a) (?:case|fact)|supported|"
    r"confirmed|proven|proved|established|borne out|what happened))"
)
_CLAIM = (
    r"(?:claim|idea|notion|belief|rumou?r|allegation|assertion|statement|suggestion|report|story|"
    r"theory|view|charge|argument|finding|contention|proposition|account|myth|accusation|fact|"
    r"conclusion|assumption)s?"
)
_SUPPORT = (
    r"(?:evidence|proof|indications?|signs?|support|basis|confirmation|truth|grounds?|records?|"
    r"reasons?|documents?|data|substance|suggestions?|trace)"
)
_EVIDENCE = r"(?:evidence|proof|indications?|signs?|confirmation|truth|suggestions?|trace|substance)"
_BE = r"(?:is|was|are|were|be|been|being|seems?|remains?|proved|proves|appears?|turns?|turned|'s)"
_DISPUTE = (
    r"(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed|ing)|refut(?:e|es|ed|ing)|rebut(?:s|ted|ting)?|"
    r"contradict(?:s|ed|ing)?|debunk(?:s|ed|ing)?|disprov(?:e|es|ed|en|ing)|"
    r"reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|contested|challenged|"
    r"questioned|doubt(?:s|ed|ing)?|retract(?:s|ed|ing)?|disown(?:s|ed)?|"
    r"disagree(?:s|d)? with|discredit(?:s|ed)?|rul(?:e|es|ed) out|object(?:s|ed)? to|"
    r"withdr(?:aw|aws|ew|awn)|repudiat(?:e|es|ed)|disavow(?:s|ed)?|renounc(?:e|es|ed))"
)
_SAY = (
    r"(?:show|shows|shown|prove|proves|proven|proved|demonstrate[sd]?|confirm(?:s|ed)?|find|finds|"
    r"found|say|says|said|believe[sd]?|establish(?:es|ed)?|state[sd]?|claim(?:s|ed)?|"
    r"support(?:s|ed)?|think|thinks|thought|suggest(?:s|ed)?|verif(?:y|ies|ied)|accept(?:s|ed)?|"
    r"agree[sd]?|conclude[sd]?|report(?:s|ed)?|indicate[sd]?|reveal(?:s|ed)?|mean|means|"
    r"imply|implies|know|knows|known|document(?:s|ed)?|hear|heard|see|seen|learned|argue[sd]?)"
)
_NOT = (
    r"(?:not|never|cannot|\w+n't|fail(?:s|ed)? to|failing to|unable to|refuse[sd]? to|declined? to|"
    r"no longer|hardly|nobody|no one|none|nowhere|neither)"
)
_ANAPHOR = rf"(?:this|that|it|these|those|them|(?:this|that|the|these|those|such|all) (?:\w+ )?{_CLAIM})"

_BEFORE = re.compile(
    "|".join(
        rf"\b{phrase}\b"
        for phrase in (
            # It is false that ...; it would be wrong to say that ...
            rf"(?:it|that|this) (?:\w+ ){{0,2}}{_BE} (?:\w+ ){{0,2}}{_FALSE} (?:to {_SAY} )?(?:that|how)",
            rf"(?:it|that|this) (?:isn't|wasn't|ain't) (?:\w+ ){{0,2}}(?:true|correct|so|accurate|right|"
            r"known|clear|proven|(?:the|a) (?:case|fact)) that",
            rf"(?:it|that) {_BE} (?:\w+ )?(?:impossible|unlikely|unclear|unknown|uncertain|debatable|"
            r"implausible|inconceivable|not (?:\w+ )?(?:clear|known|certain|likely|possible)) "
            r"(?:that|whether|if)",
            rf"{_FALSE} (?:that|to {_SAY}(?: that)?)",
            # There is no evidence that ...; nothing in the record shows that ...
            rf"(?:no|little|insufficient|scant|zero|without|lacks?|lacking|lack of|hardly any|any|"
            rf"not enough|none of the) (?:\w+ ){{0,3}}(?:{_SUPPORT} (?:\w+ ){{0,5}}?"
            rf"(?:that|to (?:\w+ )?{_SAY}(?: that)?)|{_EVIDENCE} (?:\w+ ){{0,5}}?(?:for|of|behind))",
            rf"(?:no|none of the) (?:\w+ ){{1,4}}?{_SAY} that",
            rf"(?:nothing|nobody|no one|none|neither|few) (?:\w+ ){{0,6}}?{_SAY} that",
            rf"{_NOT} (?:\w+ ){{0,2}}{_SAY} (?:\w+ ){{0,2}}(?:that|whether|any)",
            # Somebody denied that ...; rejects the claim that ...; denies having ...
            rf"{_DISPUTE} (?:\w+ ){{0,3}}?(?:that|whether|having|being|ever|any|"
            rf"(?:{_CLAIM} (?:that|of|by|about|made)))",
            r"(?:den(?:y|ies|ying)|denied(?! (?:\w+ )?(?:access|entry|service|the|permission|a|an)\b)|"
            r"refuted|debunk(?:s|ed)?)(?= (?:\w+ ){3})",
            rf"(?:denials?|rebuttal|refutation|retraction) (?:\w+ ){{0,3}}(?:that|of)",
            rf"(?:false|untrue|unfounded|baseless|debunked|discredited|mistaken|wrong|unproven|fake|"
            rf"unsupported|fabricated|bogus|popular|erroneous|incorrect) {_CLAIM} (?:that|of)",
            r"(?:myth|misconception|falsehood|lie|hoax|rumou?r|fallacy|fiction) that",
            rf"(?:falsely|wrongly|incorrectly|mistakenly|erroneously|dishonestly) (?:\w+ )?{_SAY}(?: that)?",
            r"contrary to",
            r"(?:far from|instead of) (?:it )?being (?:true|the case) that",
            # Supposed, not said.
            r"(?:imagine that|suppose that|supposing that|pretend that|pretending that|hypothetically|"
            r"if it (?:is|was|were) true|(?:asked?|asks|asking|wonders?|wondered) (?:\w+ )?"
            r"(?:whether|if))",
            rf"(?:whether or not|(?:is|was|are|remains?) (?:\w+ ){{0,2}}(?:unclear|unknown|uncertain|"
            r"disputed|questionable) (?:whether|if))",
        )
    )
)
_AFTER = re.compile(
    "|".join(
        rf"\b{phrase}\b"
        for phrase in (
            # ..., but critics dispute, and records refute, this.
            rf"{_DISPUTE} {_ANAPHOR}$",
            rf"(?:but|yet|though|although|however|and|which|while) (?:\w+ ){{0,6}}?{_ANAPHOR} {_BE} "
            rf"(?:\w+ ){{0,2}}{_FALSE}",
            rf"which {_BE} (?:\w+ ){{0,2}}{_FALSE}",
            rf"(?:which|but) (?:\w+ ){{1,5}}?{_DISPUTE}$",
            rf"{_NOT} (?:\w+ )?{_SAY} {_ANAPHOR}$",
            rf"(?:no|little|without|any) (?:\w+ ){{0,2}}{_SUPPORT} (?:\w+ ){{0,3}}{_ANAPHOR}$",
            rf"no (?:\w+ ){{0,2}}{_SUPPORT} {_SAY} {_ANAPHOR}$",
            r"(?:shows?|suggests?|says?|proves?|indicates?|found) (?:otherwise|the opposite)$",
            rf"(?:has|have|had) (?:since )?been (?:\w+ )?{_DISPUTE}$",
            rf"an? (?:\w+ ){{0,2}}{_CLAIM} (?:that|which|\w+ have|\w+ has) (?:\w+ ){{0,5}}?{_DISPUTE}$",
            r"or so (?:\w+ ){1,4}?(?:say|said|claim|claims|claimed)$",
        )
    )
)
_WITHIN = re.compile(
    rf"\b(?:the|any|his|her|their|this|that|such) (?:\w+ ){{0,2}}{_CLAIM} (?:that|of|about) .*"
    rf"(?:{_BE} (?:\w+ ){{0,2}}{_FALSE}|been (?:\w+ )?{_DISPUTE})$"
    r"|^whether .* (?:unknown|unclear|uncertain|disputed|doubtful|questionable|open|undecided)$"
)
_OPENS_WITH_ANAPHOR = re.compile(rf"(?:but |yet |however |in fact |actually |all of )?{_ANAPHOR}\b")
_SAYS_FALSE = re.compile(
    rf"\b(?:{_BE} (?:\w+ ){{0,2}}{_FALSE}|(?:isn't|wasn't|aren't|weren't) (?:\w+ )?(?:true|correct|so|the case)|"
    rf"been (?:\w+ )?{_DISPUTE}|{_DISPUTE})"
)
_WHOLE = re.compile(
    rf"\b(?:(?:none|nothing|no part) (?:of )?(?:\w+ ){{0,4}}{_BE} (?:\w+ )?(?:true|correct|accurate|"
    rf"supported|so|fact|factual|the case)|(?:the following|what follows|(?:all|everything) (?:of )?"
    rf"(?:\w+ ){{0,3}}(?:above|below|following|here|follows|report|text)|(?:the )?(?:above|preceding)) "
    rf"(?:\w+ ){{0,4}}?{_BE} (?:\w+ ){{0,2}}{_FALSE})"
)
_BACKWARD = re.compile(r"\b(?:above|preceding|previous|foregoing|this|these)\b")
_SHORT = 14  # words; a sentence that takes back the one before it says little else
_CONCEDES = frozenset({"while", "although", "though", "whereas"})
_OPENING = 4  # words in which a concession begins
_INVERTED = frozenset("is are was were does did do has have had can could will would should".split())
_SUBJECTS = frozenset(
    "it he she they the a an this that these those there any we you i its his her their".split()
)


class Frame(NamedTuple):
    """What a sentence does with its own words.

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
    """Return what a sentence does with its own words."""
    words = sentence.words
    joined = " ".join(words)
    taken = [False] * len(words)
    for match in _BEFORE.finditer(joined):
        first = joined.count(" ", 0, match.end()) + (1 if match.end() < len(joined) else 0)
        last = _end_of_concession(sentence, first)
        taken[first:last] = [True] * len(taken[first:last])
    for match in _AFTER.finditer(joined):
        last = joined.count(" ", 0, match.start())
        taken[:last] = [True] * len(taken[:last])
    if _WITHIN.search(joined):
        taken = [True] * len(words)
    whole = _WHOLE.search(joined)
    backward = whole is not None and _BACKWARD.search(joined) is not None
    short = len(words) <= _SHORT and _OPENS_WITH_ANAPHOR.match(joined) is not None
    return Frame(
        taken_back=tuple(taken),
        asks=sentence.asks or _inverted(words),
        before=short and _SAYS_FALSE.search(joined) is not None,
        all_after=whole is not None and not backward,
        all_before=backward,
    )


def frames(sentences: Sequence[Sentence]) -> list[Frame]:
    """Return the frame of each sentence of a text, with what its neighbours take back."""
    found = [frame(sentence) for sentence in sentences]
    after = next((place for place, item in enumerate(found) if item.all_after), len(found))
    before = max((place for place, item in enumerate(found) if item.all_before), default=-1)
    return [
        item._replace(taken_back=(True,) * len(item.taken_back))
        if place > after
        or place < before
        or (place + 1 < len(found) and found[place + 1].before)
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


def _inverted(words: Sequence[str]) -> bool:
    """Tell whether a sentence begins like a question: a verb, then a subject."""
    return len(words) > 2 and words[0] in _INVERTED and words[1] in _SUBJECTS
