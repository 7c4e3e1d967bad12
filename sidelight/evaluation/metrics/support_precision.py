"""Weighted precision: how far the sentences of a report that cite are supported by what they cite.

wP = 1 / |C| * sum over i in C of s(l_i).

C: the sentences with at least one citation; l_i: the label of sentence i against its first citation
(as at TREC), or against all of them together; s: full 1, partial 0.5, none 0.

Source: TREC 2025 RAG track overview, section 3.3. Edge cases: without any citation C is empty and
wP is undefined; it is given as 0, and the caller flags it. A label that could not be had earns
nothing, and the caller counts it. Higher is better; never below weighted recall.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.schemas.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Sequence

SentenceSupport: TypeAlias = str | Unjudged | None
"""Of one sentence; None where it cites nothing."""


def support_precision(sentences: Sequence[SentenceSupport]) -> float:
    """Return weighted precision, in [0, 1].

    Args:
        sentences: The support of each sentence of a report.
    """
    n_cited = sum(support is not None for support in sentences)
    return total_support(sentences) / n_cited if n_cited else 0.0


def total_support(sentences: Sequence[SentenceSupport]) -> float:
    """Return the sum of s over all sentences; those that cite nothing have none."""
    return fsum(SUPPORT_SCALE.credit(support) for support in sentences if isinstance(support, str))
