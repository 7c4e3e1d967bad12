"""What of a submission counts for a judge: only what fits the limits of its task.

A text over the limit could otherwise earn by its length what others leave out to keep to it.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from sidelight.text import count_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.run import CitedSentence, SubmittedQuestion, SubmittedReport
    from sidelight.schemas.task import CitedTextTask, QuestionListTask


class FittingQuestions(NamedTuple):
    """Questions within their limits, and what was over them; "" where nothing was."""

    submission: Sequence[SubmittedQuestion]
    over: str = ""


class FittingReport(NamedTuple):
    """A report within its limit, and what was over it; "" where nothing was."""

    submission: SubmittedReport
    over: str = ""


def fit_questions(
    questions: Sequence[SubmittedQuestion], task: QuestionListTask
) -> FittingQuestions:
    """Leave out questions past the last rank, and the end of those with too many characters.

    Args:
        questions: On one topic, by rank.
        task: Its limits count; characters are code points of the NFC text.
    """
    kept, over = [], []
    for question in questions:
        if question.rank > task.count:
            over.append(f"question {question.rank} of {task.count}")
            continue
        text = unicodedata.normalize("NFC", question.text)
        if len(text) > task.max_characters:
            over.append(f"question {question.rank} has {len(text)} characters")
            text = text[: task.max_characters]
            kept.append(question.model_copy(update={"text": text}))
        else:
            kept.append(question)
    if not over:
        return FittingQuestions(questions)
    limits = f"at most {task.count} questions of {task.max_characters} characters"
    return FittingQuestions(tuple(kept), f"{', '.join(over)}; {limits}")


def fit_report(report: SubmittedReport, task: CitedTextTask) -> FittingReport:
    """Cut a report after its last word within the limit, words being split on white space."""
    kept: list[CitedSentence] = []
    left = task.max_words
    for sentence in report.responses:
        n_words = count_words(sentence.text)
        if n_words > left:
            if left:
                words = sentence.text.split()[:left]
                kept.append(sentence.model_copy(update={"text": " ".join(words)}))
            break
        kept.append(sentence)
        left -= n_words
    else:
        return FittingReport(report)
    n_words = sum(count_words(sentence.text) for sentence in report.responses)
    return FittingReport(
        report.model_copy(update={"responses": tuple(kept)}),
        f"{n_words} words; at most {task.max_words}",
    )
