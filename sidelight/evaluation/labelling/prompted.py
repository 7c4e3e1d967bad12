"""The judge that asks a model, as the track's AutoJudge does.

Source: DRAGUN resources paper, section 4. The prompts are this project's own; what they show, in
which order, and which labels they offer is what the paper describes.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from sidelight.checks.compound import COMPOUND_PROMPT
from sidelight.checks.usefulness import PromptedUsefulness
from sidelight.evaluation.labelling.asking.assessor import Assessor
from sidelight.evaluation.labelling.asking.topic_material import topic_material
from sidelight.evaluation.labelling.compound.prompted import PromptedCompoundQuestions
from sidelight.evaluation.labelling.compound.protocol import COMPOUND_QUESTIONS
from sidelight.evaluation.labelling.ensemble import Ensemble, rule
from sidelight.evaluation.labelling.judge import Instrument, Judge
from sidelight.evaluation.labelling.question_quality.prompted import PromptedQuestionList
from sidelight.evaluation.labelling.question_quality.protocol import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
)
from sidelight.evaluation.labelling.question_similarity.mode import Mode
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
from sidelight.evaluation.labelling.usefulness.labeller import UsefulnessLabeller
from sidelight.evaluation.labelling.usefulness.protocol import USEFULNESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.labelling.asking.topic_material import TopicMaterial
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.protocol import Labeller, LabellingProtocol
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.article import Article
    from sidelight.schemas.grading.rubric import Rubric

VERSION = 2
"""Changes with whatever changes labels and is neither a prompt, nor the mode, nor a model."""


class PromptedJudge(Judge):
    """Judges by asking a model, or several that vote; see `Judge`.

    Only labels that were offered count, and only for what was asked about. What a model does not
    label, after one repair, is unjudged. Where a submission holds nothing to read no model is
    asked: such a text earns no credit.

    The version holds what labels against rubrics depend on. Support, and questions and documents by
    themselves, are labelled with the fingerprint of their prompt beside the labels.

    Args:
        models: Who is asked, at least one, by the name under which it is served; names become part
            of the version.
        articles: Topic id -> article, of all topics to be judged.
        examples: Labelled submissions to show; None for none.
        mode: How many pairs of questions one call is asked about.
    """

    name: ClassVar[str] = "prompted"
    words_at_once: ClassVar[int] = 1500

    def __init__(
        self,
        models: Mapping[str, PromptedModel],
        articles: Mapping[str, Article],
        examples: Examples | None = None,
        mode: Mode = Mode.PAIRWISE,
    ) -> None:
        prompts = (COMPOUND_PROMPT, PROMPTS[mode], REPORT_ANSWERS_PROMPT)
        instrument = Instrument(
            models=tuple(models),
            mode=mode,
            prompts={prompt.id: prompt.fingerprint for prompt in prompts},
        )
        if len(models) > 1:
            instrument = instrument.model_copy(update={"rule": rule(REPORT_ANSWERS.scale)})
        self.instrument = instrument
        shown = f", examples {examples.fingerprint}" if examples else ""
        self.version = f"{VERSION} ({instrument.summary}{shown})"
        self.examples = examples

        @cache
        def material(rubric: Rubric) -> TopicMaterial:
            return topic_material(articles[rubric.topic_id], rubric, examples)

        def labellers(model: PromptedModel) -> dict[LabellingProtocol[Any], Labeller[Any]]:
            assessor = Assessor(model)
            return {
                COMPOUND_QUESTIONS: PromptedCompoundQuestions(assessor),
                QUESTION_SIMILARITY: PromptedQuestionSimilarity(assessor, material, mode),
                REPORT_ANSWERS: PromptedReportAnswers(assessor, material),
                SUPPORT: PromptedSupport(model),
                QUESTION_QUALITY: PromptedQuestionList(assessor, attrgetter("grade")),
                QUESTION_REDUNDANCY: PromptedQuestionList(assessor, attrgetter("redundant")),
                USEFULNESS: UsefulnessLabeller(PromptedUsefulness(model)),
            }

        by_model = {name: labellers(model) for name, model in models.items()}
        first, *others = by_model.values()
        self.labellers = first
        if others:
            self.labellers = {
                protocol: Ensemble(
                    {name: given[protocol] for name, given in by_model.items()}, protocol.scale
                )
                for protocol in first
            }
