"""The judge that needs no model server: features, small calibrated classifiers, and rules.

It learns how much agreement people ask for from examples they labelled, and says how well it
agrees with them on topics it was not fitted on. With too few examples it goes by thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sidelight.evaluation.labelling.comparing.text_comparison import TextComparison
from sidelight.evaluation.labelling.compound.embedded import label_by_form
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.judge import Judge
from sidelight.evaluation.labelling.question_similarity.embedded import EmbeddedQuestionSimilarity
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.report_answers.embedded import EmbeddedReportAnswers
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS, expected_answers
from sidelight.evaluation.labelling.support.embedded import EmbeddedSupport
from sidelight.evaluation.labelling.support.protocol import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import SubmittedReport


class EmbeddedJudge(Judge):
    """Judges by comparing words, figures, names and vectors; see `Judge`.

    Word weights come from the rubrics, so they do not depend on what is judged. Labels by rule,
    compound questions and contradictions, are never withheld for want of confidence; thresholds
    have no confidence at all.

    Args:
        rubrics: Topic id -> rubric, of all topics to be judged.
        examples: Labelled submissions to learn from; None for thresholds.
        encoder: Tells how near texts are in meaning; None compares words only.
        min_confidence: Labels whose credit is less likely than this, in [0, 1], are withheld as
            unjudged.
    """

    name: ClassVar[str] = "embedded"

    def __init__(
        self,
        rubrics: Mapping[str, Rubric],
        examples: Examples | None = None,
        encoder: SentenceEncoder | None = None,
        min_confidence: float = 0.0,
    ) -> None:
        withheld = f", from {min_confidence:g}" if min_confidence else ""
        shown = f", examples {examples.fingerprint}" if examples else ""
        support = EmbeddedSupport(encoder and encoder.encode)
        shown = f", support {support.weights}{shown}"
        self.version = f"3 ({encoder.name if encoder else 'words only'}{shown}{withheld})"
        self.examples = examples
        known = {**(examples.rubrics if examples else {}), **rubrics}
        comparison = TextComparison(_texts(known), encoder and encoder.encode)
        questions = EmbeddedQuestionSimilarity(comparison, examples, min_confidence)
        self._answers = EmbeddedReportAnswers(comparison, examples, min_confidence)
        self.labellers = {
            QUESTION_SIMILARITY: questions,
            COMPOUND_QUESTIONS: label_by_form,
            REPORT_ANSWERS: self._answers,
            SUPPORT: support,
        }
        self.agreement = {
            what: labeller.agreement
            for what, labeller in (("questions", questions), ("answers", self._answers))
            if labeller.agreement
        }

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Read reports that will be labelled, all at once."""
        self._answers.prepare(reports)


def _texts(rubrics: Mapping[str, Rubric]) -> list[str]:
    questions = [question.text for rubric in rubrics.values() for question in rubric.questions]
    answers = [answer.text for rubric in rubrics.values() for answer in expected_answers(rubric)]
    return sorted({*questions, *answers})
