"""Judge that needs no model server: features, small calibrated classifiers, and rules.

It calibrates on examples that people labelled, and reports its agreement with them on topics that
it was not fitted on. With too few examples it uses fixed thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sidelight.checks.usefulness import NearestSentence
from sidelight.evaluation.labelling.comparing import TextComparison
from sidelight.evaluation.labelling.compound import COMPOUND_QUESTIONS, label_by_form
from sidelight.evaluation.labelling.judge import Judge
from sidelight.evaluation.labelling.question_quality import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
    LearnedQuestionQuality,
    LearnedQuestionRedundancy,
)
from sidelight.evaluation.labelling.question_similarity import EmbeddedQuestionSimilarity
from sidelight.evaluation.labelling.report_answers import EmbeddedReportAnswers
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY, REPORT_ANSWERS
from sidelight.evaluation.labelling.support import SUPPORT, EmbeddedSupport
from sidelight.evaluation.labelling.usefulness import USEFULNESS, UsefulnessLabeller

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidelight.evaluation.labelling.comparing import SentenceEncoder
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.protocol import Labeller, LabellingProtocol
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
        self.examples = examples
        known = {**(examples.rubrics if examples else {}), **rubrics}
        encode = encoder and encoder.encode
        comparison = TextComparison(_texts(known), encode)
        questions = EmbeddedQuestionSimilarity(comparison, examples, min_confidence)
        self._answers = EmbeddedReportAnswers(encode, examples, min_confidence)
        support = EmbeddedSupport(encode)
        weights = f"weights {self._answers.weights}+{support.weights}"
        compares = f"{encoder.name if encoder else 'words only'}, {weights}"
        self.version = f"5 ({compares}{shown}{withheld})"
        self.labellers: dict[LabellingProtocol[Any], Labeller[Any]] = {
            QUESTION_SIMILARITY: questions,
            COMPOUND_QUESTIONS: label_by_form,
            REPORT_ANSWERS: self._answers,
            SUPPORT: support,
            QUESTION_QUALITY: LearnedQuestionQuality(),
        }
        if encode:
            self.labellers[USEFULNESS] = UsefulnessLabeller(NearestSentence(encode))
            self.labellers[QUESTION_REDUNDANCY] = LearnedQuestionRedundancy(encode)
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
    answers = [answer.text for rubric in rubrics.values() for answer in rubric.answers]
    return sorted({*questions, *answers})
