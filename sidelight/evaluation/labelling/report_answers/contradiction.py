"""Whether a sentence says the opposite of an expected answer, where form alone can tell.

Most contradictions need understanding. This finds the plain ones: two sentences that otherwise
say the same, but give different figures, or of which one is negated or uses the opposite word.
Anything less certain is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.text import one_line, tokens
from sidelight.wording import figures, is_negated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison

_ANSWER_WORDS = 0.75  # least share of the answer's words, figures left out, in the sentence
_SENTENCE_WORDS = 0.35  # and of the sentence's in the answer: the sentence says little else
_SENTENCE_WORDS_NEGATED = 0.6  # a "not" may belong to whatever else it says

_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in (
        "increased/decreased rose/fell higher/lower more/fewer more/less above/below "
        "confirmed/denied accepted/rejected approved/rejected supports/opposes changed/unchanged "
        "true/false public/private lawful/unlawful legal/illegal reliable/unreliable"
    ).split()
)


def contradicting(comparison: TextComparison, answer: str, report: Sequence[str]) -> str | None:
    """Return the first sentence of a report that plainly contradicts an answer, if any.

    Args:
        comparison: How texts are compared.
        answer: A rubric answer.
        report: `report_sentences`.
    """
    answer = one_line(answer)
    words = _without_figures(answer)
    near = (text for text in report if comparison.overlap(words, text) >= _ANSWER_WORDS)
    return next((text for text in near if _contradicts(comparison, answer, text)), None)


def _contradicts(comparison: TextComparison, answer: str, sentence: str) -> bool:
    shared = comparison.overlap(_without_figures(sentence), answer)
    wanted, given = figures(answer), figures(sentence)
    if wanted and given and not wanted & given:
        return shared >= _SENTENCE_WORDS
    left, right = set(tokens(answer)), set(tokens(sentence))
    opposed = is_negated(answer) != is_negated(sentence) or any(
        len(pair & left) == len(pair & right) == 1 and pair & left != pair & right
        for pair in _OPPOSITES
    )
    return opposed and shared >= _SENTENCE_WORDS_NEGATED


def _without_figures(text: str) -> str:
    return " ".join(word for word in text.split() if not any(letter.isdigit() for letter in word))
