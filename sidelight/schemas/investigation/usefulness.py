"""Usefulness of a document for answering a question.

The three labels are those of the TREC 2024 Lateral Reading track overview, section 2.4.3.
"""

from __future__ import annotations

from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Label, LabelScale

USEFULNESS_SCALE = LabelScale(
    name="usefulness",
    labels=(
        Label(name="2", credit=2, title="Very Useful"),
        Label(name="1", credit=1, title="Useful"),
        Label(name="0", title="Not Useful"),
    ),
)
"""How useful a document is for answering a question."""


class Usefulness(Value):
    """A label and its reason; no label where a model gave none that could be used."""

    reason: str
    label: str | None

    @property
    def credit(self) -> float:
        """Return what the label counts; 0 where there is none."""
        return 0.0 if self.label is None else USEFULNESS_SCALE.credit(self.label)
