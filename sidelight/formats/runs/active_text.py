"""Text that a program which opens a run file might act on: markup, script addresses, formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidelight.formats.findings import quoted

if TYPE_CHECKING:
    from sidelight.formats.findings import Findings

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT = re.compile(r"\b((?:java|vb)script)\s*:|\b(data):(?=\w+/)", re.IGNORECASE)
_QUOTES = str.maketrans("<>", "‹›")
# What a spreadsheet computes when a cell begins with it; numbers and dashes before words it shows.
_FORMULA = re.compile(r"^\s*+(?:(?:[=@]++|[+-]++(?=[A-Za-z(]++[(|!]))\s*+)++")


def inert(text: str) -> str:
    """Return a text that shows the same words and that nothing acts on; it is never longer."""
    text = _FORMULA.sub("", text)
    text = _SCRIPT.sub(lambda match: f"{match[1] or match[2]};", text)
    return text.translate(_QUOTES) if _TAG.search(text) else text


def check_active(text: str, line: int, findings: Findings) -> None:
    """Warn of a text that is not inert."""
    if inert(text) != text:
        findings.warning(
            "active-text",
            line,
            expected="plain words",
            found=quoted(text),
            remedy="Remove markup, script addresses and what makes a spreadsheet compute.",
        )
