"""Verdict words and other faults of form for which a sentence cannot stand in a report.

The track asks for context, never for a ruling on the article.
"""

from __future__ import annotations

import re

from sidelight.formats.runs.cited_sentences import has_citation_marks
from sidelight.text import count_words, one_line, sentences, tokens

# What somebody who is named reports to be so is context.
_CALLED = re.compile(
    r"\bfake news\b|\bdebunk\w*|\bhoax(?:es)?\b|\bbogus\b|\b(?:dis|mis)information\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b[A-Z][\w’'-]*\b.{0,120}\b(?:said|says|say|told|confirm(?:s|ed)?|reports?|reported"
    r"|document(?:s|ed)|describe[sd]?|found|finds|concluded|wrote|calls|called|acknowledged"
    r"|admitted)\b|\b[Aa]ccording to (?:the )?[A-Z]"
)
# "Full Fact rated the claim as false" says who ruled, "it was rated false" does not. Only that
# ruling is context: what the sentence says beside it is held to the same rule as any other.
_RULING = (
    r"[\"“'‘]?(?:(?:completely|entirely|partly|mostly)\s+)?(?:true|false|untrue|pants on fire)\b"
)
_RATED = re.compile(
    r"\b(?!(?:It|This|That|They|He|She)\b)(?-i:[A-Z])[\w’'-]*\s+(?:later\s+|also\s+|[a-z]+ly\s+)?"
    rf"(?:(?:rated|rates|labell?ed|marked|called|calls)\s[^.;]{{0,200}}?\bas\s+{_RULING}"
    r"|(?:ruled|rules|found|finds|concluded|concludes|held|decided|determined|judged|said|says)\s"
    rf"[^.;,]{{0,200}}?\b(?:is|are|was|were|be)\s+{_RULING})"
    rf"|\b(?:is|are|was|were)\s+{_RULING},?\s+according\s+to\s+(?:the\s+)?(?-i:[A-Z])",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\b(?:un)?trustworth(?:y|iness)\b|\bpants on fire\b|\b(?:is|are|was|were|as)\s+"
    r"(?:(?:completely|entirely|simply|absolutely|partly|mostly)\s+)?"
    r"(?:true|false|untrue|a lie|lies)\b"
    r"|\bfalse(?:ly)?\s+(?:claim\w*|statement\w*|stor(?:y|ies))\b|\b(?:rated|rating|verdict)\W+"
    r"(?:\w+\s+)?(?:true|false)\b",
    re.IGNORECASE,
)


def passes_verdict(text: str) -> bool:
    """Tell whether a sentence rules on truth instead of giving context."""
    if _CALLED.search(text) and not _REPORTED.search(text):
        return True
    return _VERDICT.search(_RATED.sub(" ", text)) is not None


_MIN_WORDS = 3
# What a whole sentence does not end in, though a full stop may follow where a reply was cut short.
_LEADS_ON = frozenset(
    "a an the and or but nor than because although while whereas if when unless until of into"
    " through via per between among during who whose its their his our your my every".split()
)
_AUXILIARIES = frozenset(
    "is are was were be been has have had will would could should may might must".split()
)
# "As it was", "than the story had been", "whatever the reason is" end a sentence.
_ENDS_SO = frozenset("as than what whatever how whether who where which so like".split())
_PRONOUNS = frozenset("i it he she they we you there this that".split())
_LOOKED_BACK = 8  # words


def half_fault(text: str) -> str:
    """Return why a text is no whole sentence, or nothing."""
    line = one_line(text)
    ends = line.rstrip("\"'”’)]").endswith((".", "!", "?"))
    words = tokens(line)  # a dash is none, though it counts in a limit
    if not ends or min(len(words), count_words(line)) < _MIN_WORDS:
        return "this is no whole sentence"
    leads_on = words[-1] in _LEADS_ON or (
        words[-1] in _AUXILIARIES
        and words[-2] not in _PRONOUNS
        and _ENDS_SO.isdisjoint(words[-_LOOKED_BACK:])
        and not re.search(r"\bMay\W*$", line)  # the month
    )
    # So may the last word of a quotation.
    is_quoted = re.search(r"[\"”’]\W*$", line) is not None
    return "this is no whole sentence" if leads_on and not is_quoted else ""


# A segment id, or an evidence key that is marked as one: "E1" alone may be a street or a vitamin.
_ID = re.compile(
    r"\w_doc_\d|[\[(]\s*[CEP]\d+(?:\s*[,;]\s*[CEP]\d+)*\s*[\])]|\b[CEP]\d+[,;] [CEP]\d"
    r"|[\[(]\s*[CEP]\d+\s*[,;][^\])]{0,80}\bwords\b[^\])]{0,120}[\])]"  # as those to be checked
    r"|\[(?:have|good|nice) to know\]|<<<|>>>|^[CES]\d+ \[|\b(?:rubric|lead|claim)-\d",
    re.ASCII,
)


def sentence_fault(text: str) -> str:
    """Return what is wrong with a sentence, or nothing.

    It has to be one sentence on one clean line, no item of a list, without citation marks, segment
    ids or evidence keys, and without a verdict, and begin as a sentence does.
    """
    if not text or text != one_line(text) or text.startswith(("- ", "* ", "• ")):
        return "not a clean single line"
    first = text.split(maxsplit=1)[0]
    if first.islower() and "." not in first:  # "eBay" and a host are names, "do" is none
        return "it begins within a sentence"
    if has_citation_marks(text) or _ID.search(text):
        return "a citation or an id stands in the text"
    if len(sentences(text)) != 1:
        return "more than one sentence"
    if passes_verdict(text):
        return "a verdict instead of context"
    return ""
