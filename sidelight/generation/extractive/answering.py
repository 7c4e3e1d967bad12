"""Whether a statement answers what an article says, or only says it again.

An answer says of the same matter something else: another figure, a correction, what was measured,
who paid, what was left out. It goes by cue words and figures; who is right is nobody's concern.
"""

from __future__ import annotations

import re

_ANSWERS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|cannot|neither|without|only|just|fewer than|less than"
    r"|rather than|instead of|in place of|compared with|against the|contrary|however|but|although"
    r"|though|whereas|yet|despite|corrected|correction|corrections|clarif\w+|retract\w*|withdr\w+"
    r"|amended|revised|removed|overstat\w+|understat\w+|exaggerat\w+|inflat\w+|mislead\w*"
    r"|misquot\w+|misattribut\w+|inaccura\w+|incorrect\w*|wrong\w*|error|mistake|flaw\w*"
    r"|disput\w+|den(?:y|ied|ies)|reject\w*|dismiss\w*|contradict\w*|refut\w+|rebut\w*|criti\w+"
    r"|question(?:ed|s)|doubt\w*|uncertain\w*|unverified|unsupported|unproven|unfounded|limited"
    r"|insufficient|inconclusive|small sample|of which|on average|in fact|actually|upheld|ruled"
    r"|ruling|complain\w+|fined|penalty|lawsuit|sued|settled|disclos\w+|undisclosed|omit\w+"
    r"|commissioned|funded|financed|sponsored|paid for|paid by|owned by|owns|controls|belongs to"
    r"|shares (?:in|of)|stake|adviser|advisory|consultan\w+|conflict\w? of interest|rates?"
    r"|rated|rating|bias\w*|slant|leaning|failed|independent\w*|measured|tested|replicat\w+"
    r"|corroborat\w+|supported by|consistent with|match(?:es|ed)|accura\w+|missing context"
    r"|outdated|confirm\w+|verif\w+|insolven\w+|bankrupt\w*)\b|n['’]t\b",
    re.IGNORECASE,
)


def cues_of_answer(text: str) -> int:
    """Count the different cues that a statement answers rather than repeats."""
    return len({match.group().casefold() for match in _ANSWERS.finditer(text)})
