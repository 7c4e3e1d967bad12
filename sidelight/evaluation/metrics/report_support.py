"""How much of a rubric's answers a report supports.

S = (1 / W) * sum over q of (w_q / |A_q|) * sum over a in A_q of v(l(a)), W = sum over q of w_q.

q: a rubric question, w_q its weight, A_q its expected answers; l(a): the label of the report for
answer a; v: the credit of a label, by the track's scale.

Source: DRAGUN resources paper (arXiv 2602.24277), section 3.3; the mean over topics ranks the
runs. Edge cases: an answer without a label earns nothing, and so does one that is `Unjudged`; the
caller counts them. |A_q| is taken from the rubric, never from the labels. Higher is better.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.metrics.weighted_mean import weighted_question_mean
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.measure import Measure
from sidelight.text import count_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sidelight.schemas.grading.label_scale import LabelScale, Scales
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import CitedSentence


def report_support(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], scale: LabelScale
) -> float:
    """Return the support a report gives to a rubric's answers, in [0, 1].

    Args:
        rubric: The rubric of the topic.
        labels: Answer id -> label.
        scale: What a label of an answer earns.
    """
    return answer_mean(rubric, labels, scale.credit)


def answer_mean(
    rubric: Rubric, labels: Mapping[str, str | Unjudged], value: Callable[[str], float]
) -> float:
    """Return the weighted mean over questions of the mean value of each question's answers.

    An answer without a label, or with one that could not be had, has the value 0.
    """

    def achieved(answer_id: str) -> float:
        label = labels.get(answer_id)
        return 0.0 if label is None or isinstance(label, Unjudged) else value(label)

    return weighted_question_mean(
        rubric,
        lambda question: (
            fsum(achieved(answer.answer_id) for answer in question.answers) / len(question.answers)
        ),
    )


class ReportSupport:
    """The support that a report gives to a rubric's answers."""

    measure: ClassVar[Measure] = Measure(
        title="rubric answers supported, weighted by importance",
    )

    def __call__(
        self, bank: Rubric, answers: Mapping[str, str | Unjudged], scales: Scales
    ) -> float:
        """Return the support of one run on one topic."""
        return report_support(bank, answers, scales["answers"])


class SupportPerWord:
    """The support that a report gives to a rubric's answers, over its words; 0 without words."""

    measure: ClassVar[Measure] = Measure(
        title="rubric answers supported, weighted by importance, for each word", format=".6f"
    )

    def __call__(
        self,
        bank: Rubric,
        answers: Mapping[str, str | Unjudged],
        report: Sequence[CitedSentence],
        scales: Scales,
    ) -> float:
        """Return the support for each word of one run on one topic."""
        words = sum(count_words(sentence.text) for sentence in report)
        return report_support(bank, answers, scales["answers"]) / words if words else 0.0
