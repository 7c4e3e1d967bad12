"""The judge that asks a model, as the track's AutoJudge does.

Source: DRAGUN resources paper, section 4. The prompts are this project's own; what they show, in
which order, and which labels they offer is what the paper describes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from sidelight.checks.compound import COMPOUND_PROMPT
from sidelight.evaluation.labelling.asking.assessor import Assessor
from sidelight.evaluation.labelling.asking.topic_material import topic_material
from sidelight.evaluation.labelling.compound.prompted import PromptedCompoundQuestions
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.ensemble import Ensemble, rule
from sidelight.evaluation.labelling.judge import Instrument, Judge, Need
from sidelight.evaluation.labelling.question_similarity.prompted import (
    PROMPTS,
    PromptedQuestionSimilarity,
)
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.report_answers.prompted import (
    REPORT_ANSWERS_PROMPT,
    PromptedReportAnswers,
)
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.evaluation.labelling.support.prompted import PromptedSupport
from sidelight.evaluation.labelling.support.protocol import SUPPORT

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking.topic_material import TopicMaterial
    from sidelight.evaluation.labelling.judge import JudgeInputs
    from sidelight.evaluation.labelling.protocol import Labeller, LabellingProtocol
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.rubric import Rubric

VERSION = 1
"""Changes with whatever changes labels and is neither a prompt, nor the mode, nor a model."""


class PromptedJudge(Judge):
    """Judges by asking a model, or several that vote; see `Judge`.

    Only labels that were offered count, and only for what was asked about. What a model does not
    label, after one repair, is unjudged. Where a submission holds nothing to read no model is
    asked: such a text earns no credit.

    The version holds what labels against rubrics depend on. Support is scored by itself, with the
    fingerprint of its prompt beside the scores.
    """

    name: ClassVar[str] = "prompted"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.MODEL, Need.ARTICLES})
    words_at_once: ClassVar[int] = 1500

    def __init__(self, inputs: JudgeInputs) -> None:
        super().__init__(inputs)
        prompts = (COMPOUND_PROMPT, PROMPTS[inputs.mode], REPORT_ANSWERS_PROMPT)
        instrument = Instrument(
            models=tuple(inputs.models),
            mode=inputs.mode,
            prompts={prompt.id: prompt.fingerprint for prompt in prompts},
        )
        if len(inputs.models) > 1:
            instrument = instrument.model_copy(update={"rule": rule(REPORT_ANSWERS.scale)})
        self.instrument = instrument
        self.version = f"{VERSION} ({instrument.summary})"
        self.example_run_tags = inputs.examples.run_tags if inputs.examples else frozenset()

        @cache
        def material(rubric: Rubric) -> TopicMaterial:
            return topic_material(inputs.articles[rubric.topic_id], rubric, inputs.examples)

        def labellers(model: PromptedModel) -> dict[LabellingProtocol[Any], Labeller[Any]]:
            assessor = Assessor(model)
            return {
                COMPOUND_QUESTIONS: PromptedCompoundQuestions(assessor),
                QUESTION_SIMILARITY: PromptedQuestionSimilarity(assessor, material, inputs.mode),
                REPORT_ANSWERS: PromptedReportAnswers(assessor, material),
                SUPPORT: PromptedSupport(model),
            }

        by_model = {name: labellers(model) for name, model in inputs.models.items()}
        first, *others = by_model.values()
        self.labellers = first
        if others:
            self.labellers = {
                protocol: Ensemble(
                    {name: given[protocol] for name, given in by_model.items()}, protocol.scale
                )
                for protocol in first
            }
