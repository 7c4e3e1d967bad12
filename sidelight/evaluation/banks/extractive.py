"""Banks drafted without a model: the key facts of the passages that systems returned for a query.

A stem that many passages share matters, and one of the query matters twice as much. Sentence by
sentence, what adds most that no chosen one has is taken; its length counts against it. Facts that
one passage alone has come last, as nobody confirms them.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from math import sqrt
from typing import TYPE_CHECKING

from sidelight.schemas.grading.exam_bank import ExamBank, new_item
from sidelight.text import one_line, sentences, tokens
from sidelight.wording import stems

if TYPE_CHECKING:
    from collections.abc import Iterable

_FEWEST_WORDS, _MOST_WORDS = 6, 30
_MOST_SENTENCES = 5000
_OF_THE_QUERY = 2.0


def extract_bank(topic_id: str, query: str, passages: Iterable[str], count: int) -> ExamBank:
    """Return a bank of the key facts of some passages, the most important first.

    Args:
        topic_id: The query.
        query: Its words.
        passages: Texts that systems returned; which come first counts for nothing but time.
        count: At most so many facts.
    """
    by_sentence: dict[str, frozenset[str]] = {}
    shared: Counter[str] = Counter()
    for passage in passages:
        found = {
            one_line(sentence): stems(sentence)
            for sentence in sentences(passage)
            if _FEWEST_WORDS <= len(tokens(sentence)) <= _MOST_WORDS
        }
        by_sentence |= islice(found.items(), max(_MOST_SENTENCES - len(by_sentence), 0))
        shared.update(frozenset[str]().union(*found.values()))
    asked = stems(query)
    worth = {
        stem: (number - 1) * (_OF_THE_QUERY if stem in asked else 1.0)
        for stem, number in shared.items()
    }
    chosen: list[str] = []
    taken: set[str] = set()
    left = dict(by_sentence)
    while left and len(chosen) < count:
        # Ties go to the sentence that sorts first, whatever the order of the passages.
        best = min(left, key=lambda one: (-_gain(left[one], taken, worth), one))
        words = left.pop(best)
        if chosen and not words - taken:
            continue
        chosen.append(best)
        taken |= words
    return ExamBank(
        topic_id=topic_id,
        query_text=query,
        kind="nugget",
        tests=tuple(new_item(topic_id, text) for text in chosen),
    )


def _gain(words: frozenset[str], taken: set[str], worth: dict[str, float]) -> float:
    return sum(worth[stem] for stem in sorted(words - taken)) / sqrt(len(words) or 1)
