"""How relevant a passage is to a query, on the scale of a method; and the methods there are.

Sources: the prompts that Farzi and Dietz (Pencils Down!, ICTIR 2024, section 6.2) hold RUBRIC
against, and UMBRELA (Upadhyay et al., 2024). What each asks and on which scale is theirs; the words
are this project's own.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.labelling.protocol import LabellingProtocol
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import Label, LabelScale

if TYPE_CHECKING:
    from sidelight.prompting import Prompt

_HERE = Path(__file__).parent
_YES_OR_NO = {"yes": 1, "no": 0}


class DirectCase(NamedTuple):
    """A query and a passage."""

    query: str
    passage: str


class DirectMethod(Value):
    """One way to ask for a grade.

    Attributes:
        name: As the command line and the paper call it.
        verdicts: What the model may say, in small letters, and the grade it stands for.
        relevant: The grade from which a passage counts as relevant.
    """

    name: str
    verdicts: dict[str, int]
    relevant: int

    @property
    def prompt(self) -> Prompt:
        """What is asked."""
        name = self.name.lower().replace("faggiolib", "faggioli_b")
        return load_prompt(_HERE / f"direct_{name}.prompt.md")

    @cached_property
    def protocol(self) -> LabellingProtocol[DirectCase]:
        """What it labels, with its scale."""
        grades = sorted(set(self.verdicts.values()), reverse=True)
        scale = LabelScale(
            name=f"grades by {self.name}",
            labels=tuple(Label(name=str(grade), credit=grade) for grade in grades),
        )
        return LabellingProtocol(
            name=f"grades by {self.name}", scale=scale, units=lambda case: [case.query]
        )


def _numbers(highest: int) -> dict[str, int]:
    return {str(grade): grade for grade in range(highest + 1)}


DIRECT_METHODS = {
    method.name: method
    for method in (
        DirectMethod(name="Thomas", verdicts=_numbers(2), relevant=1),
        DirectMethod(name="FaggioliB", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="FaggioliB_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="HELM", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="UMBRELA", verdicts=_numbers(3), relevant=2),
    )
}
"""By name."""
