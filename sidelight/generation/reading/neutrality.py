"""Words that pass a verdict. The track asks for context, never for a ruling on the article."""

from __future__ import annotations

import re

_VERDICT = re.compile(
    r"\b(?:un)?trustworth(?:y|iness)\b|\bfake news\b|\bdebunk\w*|\bhoax(?:es)?\b|\bbogus\b"
    r"|\b(?:dis|mis)information\b|\bpants on fire\b|\b(?:is|are|was|were|as)\s+(?:completely\s+"
    r"|entirely\s+|simply\s+|absolutely\s+|partly\s+|mostly\s+)?(?:true|false|untrue|a lie|lies)\b"
    r"|\bfalse(?:ly)?\s+(?:claim\w*|statement\w*|stor(?:y|ies))\b|\b(?:rated|rating|verdict)\W+"
    r"(?:\w+\s+)?(?:true|false)\b",
    re.IGNORECASE,
)


def passes_verdict(text: str) -> bool:
    """Tell whether a sentence rules on truth instead of giving context."""
    return _VERDICT.search(text) is not None
