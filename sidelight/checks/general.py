"""Whether a question is too general to be worth asking about one article.

The track wants questions that are not over-general in the context of the article, and its judges
have no label for those that are: a writer drops them, a judge lets them pass. What is left of
"Are there other sources corroborating the article's claims?" without the words that fit any
article is nothing; "... the claim that wildfires are declining" names something.
"""

from __future__ import annotations

from sidelight.wording import figures, names, stems

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
