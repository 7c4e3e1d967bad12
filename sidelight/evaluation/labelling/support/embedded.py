"""Whether what a sentence cites says what it says, by a model that learned from people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.checks.support import LearnedSupportCheck
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.learned.models import SUPPORT, model_name
from sidelight.learned.ordinal_model import weights_hash
from sidelight.text import one_line

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.support.protocol import SupportCase
    from sidelight.text_vectors import Encode


class EmbeddedSupport:
    """Labels by the support model; what it says of a sentence hangs on no other sentence.

    Args:
        encode: Texts to vectors by the default encoder; None goes by words only.
    """

    def __init__(self, encode: Encode | None) -> None:
        self._check = LearnedSupportCheck(encode)
        self.weights = weights_hash(model_name(SUPPORT, words_only=encode is None))
        """A short hash of what it learned."""

    async def __call__(self, case: SupportCase) -> list[Judgment]:
        """Return the one judgment on a sentence."""
        (support,) = self._check.check([(case.sentence, case.sources)], asked=case.asked)
        return [Judgment(support.label, one_line(support.reason))]
