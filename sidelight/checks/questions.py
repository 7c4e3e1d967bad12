"""Checks of a question: does it ask more than one thing, and is it too general for an article?

A question is compound when genuinely separate questions are bundled: two question marks, or a
second interrogative clause after a conjunction, semicolon or comma. Lists and comparisons ("its
owner and funding"), alternatives ("or is it exaggerated"), consequences ("and how could that affect
it") and follow-ups on one subject ("who is she and what qualifies her", "and since when") are one
question: assessors write such questions themselves and grade them as answered by one page. A
question that can be answered yes or no stands alone, and whatever is joined to it is another one.
Rules decide by form; a prompt asks a model the same.

Source of the definition: DRAGUN resources paper, section 3.2, whose model flagged 11.3 % of the
field with a true positive rate of .989 and a false positive rate of .124. These rules flag 14 % of
the five public runs.

The track also wants questions that are not over-general in the context of the article, but its
judges have no label for those that are: a writer drops them, a judge lets them pass. A question is
too general when nothing is left of it without the words that fit any article: "Are there other
sources corroborating the article's claims?" leaves nothing, "... the claim that wildfires are
declining" names something.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.text import figures, names, one_line, pointing_at_article, stems

COMPOUND_PROMPT = load_prompt(Path(__file__).with_name("compound.prompt.md"))


class CompoundVerdict(Value):
    """A model's reading of a question, its reason first."""

    reason: str
    verdict: Literal["compound", "single"]


_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)"
    r"(?:n['’]t)?"
)
_QUESTION_WORD = r"(?:[Ww]hat|[Ww]hom?|[Ww]hose|[Ww]hen|[Ww]here|[Ww]hy|[Ww]hich|[Hh]ow)"
_PREPOSITION = r"(?:(?:at|by|for|from|in|on|to|under|with)\s+)?"
_AND = r"(?:and|but)(?:,?\s+(?:also|if\s+so|if\s+not|then))?,?\s+"

_ASIDE = re.compile(r' ?(?:"[^"]*"|“[^”]{0,1000}”|\([^()]*\))')
# "and how is", "and to what extent"; but "how and why did" asks about one thing, and "explain how
# it began and why it grew" asks for an explanation.
_JOINED_QUESTION_WORD = re.compile(
    rf"(?<![\w'’])(?P<before>[\w'’]++)[,;]?\s+(?:{_AND}|or\s+){_PREPOSITION}(?P<word>{_QUESTION_WORD})\b"
    rf"(?!\s+(?:it|they|he|she|the|this|these)\b)(?P<rest>.*)"
)
# After a comma an auxiliary opens a clause; without one ("is new and has grown") a subject must
# follow it.
_JOINED_AUXILIARY = re.compile(
    rf"(?:[,;]\s*{_AND}{_AUXILIARY}\s+(?P<rest>.*)"
    rf"|\s{_AND}{_AUXILIARY}\s+(?:the|an?|its|his|her|their|it|he|she|they|that|there|these|this"
    rf"|those|any|[A-Z])\b)"
)
# "who is she, what are her credentials": the words that also begin relative clauses are left out.
_LISTED_QUESTION = re.compile(
    rf"[,;:–—]\s*(?:what|when|where|why|how)(?:\s+(?:much|many|long|far|often|well))?\s+"
    rf"{_AUXILIARY}\b"
)
# "and how might that influence it", "and could this have shaped the coverage".
_CONSEQUENCE = re.compile(
    r"(?:\w+\s+){0,4}?(?:affect|bias|change|colou?r|explain|influence|matter|relate|shape)[a-z]*\b"
)
# What a follow-up names the first question's subject by.
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her)\b", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:the|that|this|these|those|such)\s+(?P<noun>\w+)", re.IGNORECASE)
_YES_OR_NO = re.compile(rf"\W*{_AUXILIARY}\b", re.IGNORECASE)
_STEM = 5
# Whoever is named anew is another subject.
_NAME = re.compile(r"\b[A-Z][\w'’-]*")
# "and why", "and from what date": a question that leaves its verb to the first one.
_WITHOUT_VERB = re.compile(r"(?:[Ww]hy|(?:[Ww]hen|[Ww]here|[Ww]hich|[Ww]hat|[Hh]ow)(?:\s+\w+)?)\W*")


def compound_reason(question: str, *, follow_ups: bool = True) -> str | None:
    """Return why a question, with its follow-ups or without, is compound, or None if it is not."""
    text = _ASIDE.sub("", one_line(question))
    if text.count("?") > 1 and re.search(r"\?\s*\S", text.rstrip("? ")):
        return "a second question follows a question mark"
    for match in _JOINED_QUESTION_WORD.finditer(text):
        side_by_side = re.fullmatch(_QUESTION_WORD, match["before"])
        follows_up = _WITHOUT_VERB.fullmatch(match["word"] + match["rest"]) or _follows_up(
            text[: match.end("before")], match["rest"]
        )
        leads_on = follows_up or _CONSEQUENCE.match(match["rest"].lstrip())
        if not (side_by_side or (follow_ups and leads_on)):
            return f"a second question begins at {match['word'].casefold()!r} after a conjunction"
    for match in _JOINED_AUXILIARY.finditer(text):
        consequence = match["rest"] is not None and _CONSEQUENCE.match(match["rest"])
        follows_up = consequence or _follows_up(text[: match.start()], text[match.start() :])
        if not (follow_ups and follows_up):
            return "a second question begins at an auxiliary verb after a conjunction"
    if _LISTED_QUESTION.search(text):
        return "a second question is added after a comma"
    return None


def _follows_up(first: str, second: str) -> bool:
    """Tell whether the second of two clauses is a follow-up on the subject of the first."""
    named = first.casefold()
    if _YES_OR_NO.match(first) or any(
        name.casefold() not in named for name in _NAME.findall(second)
    ):
        return False
    return bool(_PRONOUN.search(second)) or any(
        match["noun"].casefold()[:_STEM] in named for match in _DEFINITE.finditer(second)
    )


def unfit_reason(question: str) -> str | None:
    """Return why nobody could be asked a question as it stands, or None."""
    return unasked_reason(question) or general_reason(question) or pointing_reason(question)


def pointing_reason(question: str) -> str | None:
    """Return why only a reader of the article knows whom a question means, or None."""
    words = pointing_at_article(question)
    return f"it says {words!r} in the place of a name" if words else None


_ASKS = re.compile(rf"\b{_QUESTION_WORD}\b")
_LISTED = re.compile(r"[\[\]{}|<>]")


def unasked_reason(question: str) -> str | None:
    """Return why a text with a question mark asks nothing, or None.

    A question has a question word or begins with its verb, and is no piece of a list or a sentence.
    """
    if _LISTED.search(question):
        return "it is a piece of a list"
    if _YES_OR_NO.match(question) or _ASKS.match(question):
        return None
    if question[:1].islower():
        return "it begins in the middle of a sentence"
    return None if _ASKS.search(question) else "it asks nothing"


# Words that fit a question about any article. A publisher or an author is one in particular.
_FITS_ANY_WORDS = """
    accuracy accurate additional agree answer article aspect assertion background balance balanced
    believable believe bias biased check claim conclusion confirm consensus context
    contradict correct corroborate credibility credible data detail different
    discuss evidence exist expert fact factual fair false find general give good help important
    independent information issue key know light main material matter mention misleading missing
    news objective opinion original overall particular perspective piece point position present
    proof prove provide quality question read reader reliable reliability
    report reputable research review right sound source statement story study subject
    support take text thing topic true trust trustworthiness trustworthy truth
    validity verify view viewpoint worth write written
""".split()
_FITS_ANY = stems(" ".join(f"{word} {word}s" for word in _FITS_ANY_WORDS))


def general_reason(question: str) -> str | None:
    """Return why a question is too general, or None when it names what it is about."""
    # The first word is capitalised whatever it is, and asks rather than names.
    _, _, rest = question.partition(" ")
    if names(rest) or figures(question) or stems(rest) - _FITS_ANY:
        return None
    return "it would fit any article: it names no person, outlet, event or claim"
