"""Whether a statement answers what an article says, or only says it again.

An answer says of the same matter something else: another figure, a correction, what was measured,
who paid, what was left out. It goes by cue words and figures; who is right is nobody's concern.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.generation.reading.figure_phrases import figure_phrases
from sidelight.text import sentences
from sidelight.wording import figures, stems

if TYPE_CHECKING:
    from sidelight.schemas.investigation.profile import ArticleProfile

_ANSWERS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|cannot|neither|without|only|just|fewer than|less than"
    r"|rather than|instead of|in place of|compared with|against the|contrary|however|but|although"
    r"|though|whereas|yet|despite|corrected|correction|corrections|clarif\w+|retract\w*|withdr\w+"
    r"|amended|revised|removed|now (?:says|reads|gives|states)|overstat\w+|understat\w+"
    r"|exaggerat\w+|inflat\w+|mislead\w*"
    r"|misquot\w+|misattribut\w+|inaccura\w+|incorrect\w*|wrong\w*|error|mistake|flaw\w*"
    r"|disput\w+|den(?:y|ied|ies)|reject\w*|dismiss\w*|contradict\w*|refut\w+|rebut\w*|criti\w+"
    r"|question(?:ed|s)|doubt\w*|uncertain\w*|unverified|unsupported|unproven|unfounded|limited"
    r"|insufficient|inconclusive|small sample|of which|on average|in fact|actually|upheld|ruled"
    r"|ruling|complain\w+|fined|penalty|lawsuit|sued|settled|disclos\w+|undisclosed|omit\w+"
    r"|commissioned|funded|financed|sponsored|paid for|paid by|owned by|owns|controls|belongs to"
    r"|shares (?:in|of)|stake|adviser|advisory|consultan\w+|conflict\w? of interest|rates?"
    r"|rated|rating|bias\w*|slant|leaning|failed|independent\w*|measured|tested|replicat\w+"
    r"|corroborat\w+|well[- ]\w+ed|borne out|plausible|undercut\w*|undermin\w+|supported by"
    r"|consistent with|match(?:es|ed)|accura\w+|missing context"
    r"|outdated|confirm\w+|verif\w+|insolven\w+|bankrupt\w*)\b|n['’]t\b",
    re.IGNORECASE,
)


def cues_of_answer(text: str) -> int:
    """Count the different cues that a statement answers rather than repeats."""
    return len({match.group().casefold() for match in _ANSWERS.finditer(text)})


_TIES = re.compile(
    r"\b(?:paid|pays|fellow\w*|board|owns?|owned|controls?|controlled|fund\w*|financ\w+|invoice\w*"
    r"|employed|advis\w+|director|shares?|shareholder|grants?|donat\w+|donors?|sponsor\w*|belongs?"
    r"|commission(?:ed)?|consult\w+|stake|options|parent|subsidiary|fees?|income|revenue|bonus"
    r"|received)\b",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"\b(?:married|children|divorced|amateur|hobby|hobbies|keen|lives (?:in|with|near)|grew up"
    r"|schoolboy|childhood|collects|enjoys|nickname\w*)\b",
    re.IGNORECASE,
)
_SHARED_WORDS = 3


def tells_of_ties(text: str) -> bool:
    """Tell whether a statement says who pays, owns, employs or advises whom."""
    return _TIES.search(text) is not None


def is_private(text: str) -> bool:
    """Tell whether a statement is about somebody's life rather than their work."""
    return _PRIVATE.search(text) is not None


class Quantities:
    """The figures of an article with what they count.

    Args:
        profile: The article.
    """

    def __init__(self, profile: ArticleProfile) -> None:
        self._figures = figures(profile.body)
        self._counted = [
            (stems(" ".join(phrases)), stems(sentence))
            for sentence in sentences(profile.body)
            if (phrases := figure_phrases(sentence))
        ]

    def has_another_figure(self, text: str) -> bool:
        """Tell whether a text gives another figure for a quantity that the article gives."""
        phrases = [phrase for phrase in figure_phrases(text) if figures(phrase) - self._figures]
        if not phrases:
            return False
        counted, words = stems(" ".join(phrases)), stems(text)
        return any(
            (counted & nouns - _UNITS) or len(words & said) >= _SHARED_WORDS
            for nouns, said in self._counted
        )


_UNITS = stems("percent per cent million billion thousand people total")
