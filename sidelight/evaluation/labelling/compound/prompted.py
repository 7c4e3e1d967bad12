"""Whether a submitted question asks more than one thing, by a model's reading.

The question is put with the prompt with which a writer of questions checks its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.compound import COMPOUND_PROMPT, CompoundVerdict
from sidelight.evaluation.labelling.asking import Verdict
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking import Assessor

_SCALE = load_track().scales["compound"]


async def label_compound(assessor: Assessor, question: str) -> Verdict:
    """Return whether a question is compound."""
    return await assessor.verdict(
        (),
        COMPOUND_PROMPT,
        CompoundVerdict,
        lambda answer: Verdict(
            _SCALE.lowest if answer.verdict == "single" else _SCALE.highest, answer.reason
        ),
        question=question,
    )
