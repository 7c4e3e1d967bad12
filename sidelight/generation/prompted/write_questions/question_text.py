"""A question as a model writes it, made fit for one line of a run."""

from __future__ import annotations

from sidelight.text import one_line

_MARKS = "\"'“”‘’"


def clean_question(text: str) -> str:
    """Return a question on one clean line, without the quotation marks some models put around it.

    A tab would break the run's columns, and readers of quoted tables stumble over a double
    quotation mark; both go.
    """
    line = one_line(text)
    if len(line) > 1 and line[0] in _MARKS and line[-1] in _MARKS:
        line = line[1:-1]
    return one_line(line.replace('"', "'"))
