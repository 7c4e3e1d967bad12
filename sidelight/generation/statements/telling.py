"""What a sentence tells, without its remarks on another text.

Pages that check or discuss a text wrap what they found into remarks on it: "That framing is
misleading: ...", "... is supported by the register, which lists ...", "..., confirming the
article's account". Where such a sentence leans on the one before, what was found may still stand
alone. Only whole clauses go; what stays is in the page's own words and order.
"""

from __future__ import annotations

import re

from sidelight.generation.reading.verbs import first_verb
from sidelight.text import count_words

_MIN_WORDS, _MAX_CHARACTERS = 7, 1_000
_NEAR_BY, _NEAR_REASON = 12, 60  # characters between the judgment and what it rests on
_NOTED = r"(?:context|caveat|uncertainty|update|detail|nuance|point|fact|finding|limitation)"
_ON_A_TEXT = re.compile(
    r"\b(?:articles?|framing|claims?|headlines?|piece|coverage|stor(?:y|ies)|accounts?|assertions?"
    r"|characteri[sz]ation|statements?|reporting|description|premise|narrative|figures?|numbers?"
    r"|quotes?|points?|context|wording|rumou?rs?)\b"
)
_BEARS_ON = (
    r"(?:support|confirm|corroborat|match|reinforc|underscor|undercut|contradict|substantiat|verif"
    r"|back|echo|temper|weaken|strengthen|complicat|qualif|highlight|illustrat|reflect|bolster"
    r"|validat|align|correspond|track|mirror|rebut|refut|undermin)"
)
# Openings such as "Bottom line:", "Another important update is that" and "Updating the story,".
_OPENING = re.compile(
    r"^(?:(?:The\s+)?[Bb]ottom\s+line:"
    rf"|[^:;.,\"“]{{0,90}}\b{_NOTED}\b[^:;.,\"“]{{0,40}}:"
    rf"|[^:;\"“]{{0,90}}\b{_NOTED}\b(?:[^:;\"“]{{0,80}},)?[^:;,\"“]{{0,50}}?\s(?:is|was)\s+that"
    r"|(?:Further\s+)?(?:[Uu]pdating|[Aa]dding\s+to|[Ss]upporting|[Cc]omplicating|[Cc]onfirming)"
    r"\s[^,]{1,60},"
    r"|As\s+(?:noted|mentioned|stated)\s+in\s[^,]{1,60},)\s+(?=\S)"
)
_JUDGED = re.compile(
    r"\b(?:is|are|was|were)\s+(?:[a-z]+\s+){0,3}?(?:misleading|inaccurate|accurate|correct|wrong"
    r"|incorrect|overstated|exaggerated|imprecise|supported|corroborated|confirmed|consistent"
    r"|plausible|documented|right|reasonable|substantiated|contradicted|verified|undercut|credible"
    r"|contested|backed|borne\s+out)\b"
)
_REASON = re.compile(r"(?:[:;]|,\s+(?:because|since|as)|(?<!\s)\s+(?:because|since))\s+(?=\S)")
_BY_WHOM = re.compile(
    r"(?:by|with)\s+(?P<who>(?:(?!\band\s+(?:by|with)\b)[^,;:]){2,80}),\s+which\s+(?=\S)"
)
_TAIL = re.compile(
    rf",\s+(?:(?:thereby\s+|thus\s+|further\s+|directly\s+)?{_BEARS_ON}[a-z]*ing\b|consistent\s+with"
    rf"|an?\s+[a-z]+\s+[a-z]+ed\b|which\s+(?:[a-z]+\s+)?(?:{_BEARS_ON}[a-z]*s|is|are|was|gives|makes"
    r"|should|means)\b)(?P<rest>[^;]*)\.$"
)
_TELLS_MORE = re.compile(r"\d|\b(?:but|while|although|though|whereas)\b")


def told(sentence: str) -> str:
    """Return a sentence without remarks on another text; the same where nothing else would stand.

    Args:
        sentence: On one line.
    """
    if len(sentence) > _MAX_CHARACTERS:
        return sentence
    return _without_tail(_without_judgment(_without_opening(sentence)))


def _without_opening(sentence: str) -> str:
    match = _OPENING.match(sentence)
    return (_standing(sentence[match.end() :]) if match else "") or sentence


def _without_judgment(sentence: str) -> str:
    """Return the finding for which a sentence says that a text is right or wrong."""
    judged = _JUDGED.search(sentence)
    if judged is None or not _ON_A_TEXT.search(sentence[: judged.start()]):
        return sentence
    by_whom = _BY_WHOM.search(sentence, judged.end())
    if by_whom and by_whom.start() - judged.end() < _NEAR_BY:
        return _standing(f"{by_whom['who']} {sentence[by_whom.end() :]}") or sentence
    reason = _REASON.search(sentence, judged.end())
    if reason and reason.start() - judged.end() <= _NEAR_REASON:
        return _standing(sentence[reason.end() :]) or sentence
    return sentence


def _without_tail(sentence: str) -> str:
    tail = _TAIL.search(sentence)
    if tail is None or _TELLS_MORE.search(tail["rest"]) or not _ON_A_TEXT.search(tail["rest"]):
        return sentence
    return _standing(f"{sentence[: tail.start()]}.") or sentence


def _standing(text: str) -> str:
    """Return a text as a sentence if it can be one, else nothing."""
    is_balanced = (
        text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
        and text.count("(") == text.count(")")
    )
    has_subject = bool(first_verb(text))  # neither without a verb nor beginning with one
    is_sentence = is_balanced and has_subject and count_words(text) >= _MIN_WORDS
    return f"{text[0].upper()}{text[1:]}" if is_sentence else ""
