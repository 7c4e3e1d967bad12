"""Weighted recall: how far the sentences of a report are supported by what they cite.

wR = 1 / n * sum over i of s(l_i).

n: all sentences of the report; l_i and s as in `support_precision`. A sentence without citations
has no support.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: a report without sentences has 0. A
label that could not be had earns nothing, and the caller counts it. Higher is better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.evaluation.metrics.support_precision import total_support

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.metrics.support_precision import SentenceSupport


def support_recall(sentences: Sequence[SentenceSupport]) -> float:
    """Return weighted recall, in [0, 1].

    Args:
        sentences: The support of each sentence of a report.
    """
    return total_support(sentences) / len(sentences) if sentences else 0.0
