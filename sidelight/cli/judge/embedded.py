"""The embedded judge of `sidelight judge`: made with its encoder or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.labelling.embedded import EmbeddedJudge
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.rubric import Rubric


def make_embedded(
    judge_class: type[EmbeddedJudge],
    rubrics: Mapping[str, Rubric],
    examples: Examples | None,
    *,
    words_only: bool,
    min_confidence: float = 0.0,
) -> EmbeddedJudge:
    """Make the judge; `words_only` spares the encoder."""
    encode, encoder_name = None, ""
    if not words_only:
        from sidelight.index.encoding.encoder import Encoder

        encoder = Encoder()
        encode, encoder_name = encoder.encode_sentences, encoder.name
    return judge_class(rubrics, examples, encode, encoder_name, min_confidence=min_confidence)
