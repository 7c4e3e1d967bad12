"""The judge that needs no model server: features, a small calibrated classifier, and rules.

It learns how much agreement people ask for from examples they labelled, and says how well it
agrees with them on topics it was not fitted on. With too few examples it goes by thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.checks.compound_rules import compound_reason
from sidelight.evaluation.labelling.comparison import Comparison
from sidelight.evaluation.labelling.learning import (
    SIMILARITY_LEVELS,
    SUPPORT_LEVELS,
    learn_similarity,
    learn_support,
)
from sidelight.evaluation.labelling.ordinal import LevelModel, Thresholds
from sidelight.evaluation.labelling.pair_features import (
    ANSWER_FEATURES,
    QUESTION_FEATURES,
    answer_evidence,
    places_in,
    question_features,
    report_sentences,
)
from sidelight.evaluation.labelling.report_answers.contradiction import contradicting
from sidelight.schemas.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
    Unjudged,
)
from sidelight.text import one_line
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidelight.evaluation.labelling.base import Agreement, JudgeKind
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.ordinal import Features
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import SubmittedQuestion, SubmittedReport
    from sidelight.text_vectors import Encode

_SCALES = load_track().scales

# Without examples: the least share of common words of each level above the lowest. Words alone,
# because a cosine means something else with every encoder. Chosen on the labels of the mini web.
_QUESTION_THRESHOLDS = Thresholds(
    QUESTION_FEATURES.index("common words with answers"), (0.1, 0.25, 0.4)
)
_ANSWER_THRESHOLDS = Thresholds(ANSWER_FEATURES.index("words"), (0.3, 0.5))

_MAX_QUOTED = 160


class EmbeddedJudge:
    """Judges by comparing words, figures, names and vectors; see `Judge`.

    Args:
        rubrics: Topic id -> rubric, of all topics to be judged; word weights come from them, so
            they do not depend on what is judged.
        examples: Labelled submissions to learn from; None for thresholds.
        encode: Texts to L2-normalised vectors (n, dim) float32; None compares words only.
        encoder_name: The model behind `encode`, which becomes part of the version.
        min_confidence: Labels less likely than this, in [0, 1], are withheld as unjudged; those by
            rule, compound verdicts and contradictions, are not. Thresholds have no confidence.
    """

    name: ClassVar[str] = "embedded"
    kind: ClassVar[JudgeKind] = "embedded"

    def __init__(
        self,
        rubrics: Mapping[str, Rubric],
        examples: Examples | None = None,
        encode: Encode | None = None,
        encoder_name: str = "",
        *,
        min_confidence: float = 0.0,
    ) -> None:
        withheld = f", from {min_confidence:g}" if min_confidence else ""
        self.version = f"2 ({encoder_name or 'words only'}{withheld})"
        self._min_confidence = min_confidence
        self.instrument = None
        self.example_run_tags = examples.run_tags if examples else frozenset()
        self.agreement: dict[str, Agreement] = {}
        known = {**(examples.rubrics if examples else {}), **rubrics}
        self._comparison = Comparison(_texts(known), encode)
        self._question_model: LevelModel = _QUESTION_THRESHOLDS
        self._answer_model: LevelModel = _ANSWER_THRESHOLDS
        if examples:
            similarity = learn_similarity(self._comparison, examples, _QUESTION_THRESHOLDS)
            if similarity:
                self._question_model, self.agreement["questions"] = similarity
            support = learn_support(self._comparison, examples, _ANSWER_THRESHOLDS)
            if support:
                self._answer_model, self.agreement["answers"] = support

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Read reports that will be assessed, all at once, which is quicker than one by one."""
        self._comparison.prepare(
            place for report in reports for place in places_in(report_sentences(report))
        )

    async def assess_compound(
        self, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[CompoundAssessment]:
        """Return one verdict for each question, in order."""
        scale = _SCALES["compound"]
        verdicts = []
        for question in questions:
            reason = compound_reason(question.text)
            verdicts.append(
                CompoundAssessment(
                    topic_id=question.topic_id,
                    run_tag=run_tag,
                    run_question_rank=question.rank,
                    run_question_text=question.text,
                    label=scale.highest if reason else scale.lowest,
                    rationale=reason or "no second question was found",
                )
            )
        return verdicts

    async def assess_questions(
        self, rubric: Rubric, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[QuestionAssessment]:
        """Return one label for each pair, by rubric question, then submitted question."""
        if not questions:
            return []
        features = question_features(self._comparison, rubric, [item.text for item in questions])
        flat = features.reshape(-1, features.shape[-1])
        labels = self._labels(self._question_model, flat, SIMILARITY_LEVELS)
        return [
            QuestionAssessment(
                topic_id=rubric.topic_id,
                rubric_question_rank=wanted.rank,
                run_tag=run_tag,
                run_question_rank=submitted.rank,
                label=labels[i * len(questions) + j],
                rationale=_described(QUESTION_FEATURES, features[i, j]),
            )
            for i, wanted in enumerate(rubric.questions)
            for j, submitted in enumerate(questions)
        ]

    async def assess_report(
        self, rubric: Rubric, run_tag: str, report: SubmittedReport
    ) -> list[AnswerAssessment]:
        """Return one label for each answer of the rubric, in its order."""
        answers = [answer for question in rubric.questions for answer in question.answers]
        sentences = report_sentences(report)
        evidence = answer_evidence(self._comparison, [answer.text for answer in answers], sentences)
        features = np.array([item.features for item in evidence])
        labels = self._labels(self._answer_model, features, SUPPORT_LEVELS)
        opposes = _SCALES["answers"].opposite or _SCALES["answers"].lowest
        assessments = []
        for answer, found, likely in zip(answers, evidence, labels, strict=True):
            opposite = contradicting(self._comparison, answer.text, sentences)
            label = likely if opposite is None else opposes
            quotation = one_line(opposite or found.text)[:_MAX_QUOTED]
            assessments.append(
                AnswerAssessment(
                    topic_id=rubric.topic_id,
                    run_tag=run_tag,
                    answer_id=answer.answer_id,
                    label=label,
                    rationale=f"{_described(ANSWER_FEATURES, found.features)}: {quotation}",
                )
            )
        return assessments

    def _labels(
        self, model: LevelModel, features: Features, scale: Sequence[str]
    ) -> list[str | Unjudged]:
        return [
            scale[level]
            if confidence >= self._min_confidence
            else Unjudged(reason=f"confidence {confidence:.2f}, below {self._min_confidence:g}")
            for level, confidence in zip(
                model.predict(features), model.confidence(features), strict=True
            )
        ]


def _texts(rubrics: Mapping[str, Rubric]) -> list[str]:
    questions = [question for rubric in rubrics.values() for question in rubric.questions]
    answers = [answer.text for question in questions for answer in question.answers]
    return sorted({*(question.text for question in questions), *answers})


def _described(names: Sequence[str], values: Sequence[float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(names, values, strict=True))
