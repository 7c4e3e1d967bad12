"""Judge that asks a model, as the track's AutoJudge does, and ensembles of several models.

Source: DRAGUN resources paper, section 4. The prompts are this project's own; what they show, in
which order, and which labels they offer is what the paper describes.

The label of an ensemble is the median of those given, in the order of the scale, and the lower one
of two middle labels. So a majority always wins, a lone model sways nothing, and a tie gives no
credit. A label that opposes has no place in that order: it wins if most of those who gave a label
say so, and otherwise counts as the lowest. Unless most models gave a label, the result is unjudged.
"""

from __future__ import annotations

import asyncio
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from sidelight.checks.questions import COMPOUND_PROMPT
from sidelight.checks.usefulness import PromptedUsefulness
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.compound import COMPOUND_QUESTIONS, PromptedCompoundQuestions
from sidelight.evaluation.labelling.judge import Instrument, Judge
from sidelight.evaluation.labelling.protocol import Judgment, Mode
from sidelight.evaluation.labelling.question_quality import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
    PromptedQuestionList,
)
from sidelight.evaluation.labelling.question_similarity import (
    SIMILARITY_PROMPTS,
    PromptedQuestionSimilarity,
)
from sidelight.evaluation.labelling.report_answers import (
    REPORT_ANSWERS_PROMPT,
    PromptedReportAnswers,
)
from sidelight.evaluation.labelling.rubric_cases import (
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
    topic_material,
)
from sidelight.evaluation.labelling.support import SUPPORT, PromptedSupport
from sidelight.evaluation.labelling.usefulness import USEFULNESS, UsefulnessLabeller
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.protocol import Labeller, LabellingProtocol
    from sidelight.evaluation.labelling.rubric_cases import TopicMaterial
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.grading.judgment import LabelScale
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.topic import Article

C = TypeVar("C")


def rule(scale: LabelScale) -> str:
    """Return the rule by which labels become one, on a scale with a label that opposes."""
    return (
        f"median of the labels, the lower of two; {scale.opposite} where most say so, otherwise it "
        f"counts as {scale.lowest}; unjudged unless most gave a label"
    )


class Ensemble(Generic[C]):
    """Labels by asking several labellers the same.

    Args:
        labellers: By the name of the model that each asks.
        scale: Of the labels that they give.
    """

    def __init__(self, labellers: Mapping[str, Labeller[C]], scale: LabelScale) -> None:
        self._labellers = labellers
        self._scale = scale

    async def __call__(self, case: C) -> list[Judgment]:
        """Return the judgments that all come to together."""
        given = await asyncio.gather(*(labeller(case) for labeller in self._labellers.values()))
        return [self._one(votes) for votes in zip(*given, strict=True)]

    def _one(self, votes: tuple[Judgment, ...]) -> Judgment:
        told = (
            f"{model}: {_told(vote)}" for model, vote in zip(self._labellers, votes, strict=True)
        )
        return Judgment(combined([vote.label for vote in votes], self._scale), "; ".join(told))


def combined(votes: Sequence[str | Unjudged], scale: LabelScale) -> str | Unjudged:
    """Return the label that several models give together; the module says by which rule."""
    labels = [vote for vote in votes if not isinstance(vote, Unjudged)]
    if 2 * len(labels) <= len(votes):
        return Unjudged(reason=f"only {len(labels)} of {len(votes)} models gave a label")
    opposite = scale.opposite
    if opposite is not None and 2 * labels.count(opposite) > len(labels):
        return opposite
    levels = sorted(
        (scale.lowest if label == opposite else label for label in labels),
        key=scale.levels.index,
    )
    return levels[(len(levels) - 1) // 2]


def _told(vote: Judgment) -> str:
    if isinstance(vote.label, Unjudged):
        return f"unjudged ({vote.label.reason})"
    return f"{vote.label} ({vote.rationale})"


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
        prompts = (COMPOUND_PROMPT, SIMILARITY_PROMPTS[mode], REPORT_ANSWERS_PROMPT)
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
