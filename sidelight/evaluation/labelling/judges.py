"""The two judges: one learned, which needs no model server, and one that asks a model.

The learned one has features, small calibrated classifiers and rules. It calibrates on examples that
people labelled, and reports its agreement with them on topics that it was not fitted on.

The other asks a model as the track's AutoJudge does. Source: DRAGUN resources paper, section 4. The
prompts are this project's own; what they show, in which order, and which labels they offer is what
the paper describes. The label of an ensemble is the median of those given, in the order of the
scale, and the lower one of two middle labels. So a majority always wins, a lone model sways
nothing, and a tie gives no credit. A label that opposes has no place in that order: it wins if most
of those who gave a label say so, and otherwise counts as the lowest. Unless most models gave a
label, the result is unjudged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from sidelight.checks.questions import COMPOUND_PROMPT
from sidelight.checks.support import PromptedSupportCheck
from sidelight.checks.usefulness import NearestSentence, PromptedUsefulness
from sidelight.evaluation.labelling import rubric_labels
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import (
    Instrument,
    Judge,
    Judgment,
    Labeller,
    LabellingProtocol,
    Mode,
)
from sidelight.evaluation.labelling.question_quality import (
    QUESTION_QUALITY,
    QUESTION_REDUNDANCY,
    ask_about_questions,
    grade_questions,
    tell_redundant,
)
from sidelight.evaluation.labelling.relevance import USEFULNESS, label_usefulness
from sidelight.evaluation.labelling.rubric_cases import (
    COMPOUND_QUESTIONS,
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
    TopicMaterial,
    ask_whether_compound,
    label_by_form,
    topic_material,
)
from sidelight.evaluation.labelling.support import SUPPORT, EmbeddedSupport, ask_support
from sidelight.llm.prompted import PromptedModel
from sidelight.schemas.grading.judgment import LabelScale, Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedReport
from sidelight.schemas.topic import Article
from sidelight.text_vectors import SentenceEncoder


class EmbeddedJudge(Judge):
    """Judges by comparing words, figures, names and vectors; see `Judge`.

    Without an encoder only words are compared. Labels whose credit is less likely than
    `min_confidence`, in [0, 1], are withheld as unjudged; labels by rule, compound questions and
    contradictions, never are.
    """

    name: ClassVar[str] = "embedded"

    def __init__(
        self,
        examples: Examples | None = None,
        encoder: SentenceEncoder | None = None,
        min_confidence: float = 0.0,
    ) -> None:
        withheld = f", from {min_confidence:g}" if min_confidence else ""
        shown = f", examples {examples.fingerprint}" if examples else ""
        self.examples = examples
        encode = encoder and encoder.encode
        questions = rubric_labels.EmbeddedQuestionSimilarity(encode, examples, min_confidence)
        self._answers = rubric_labels.EmbeddedReportAnswers(encoder, examples, min_confidence)
        support = EmbeddedSupport()
        weights = f"weights {questions.weights}+{self._answers.weights}+{support.weights}"
        compares = f"{encoder.name if encoder else 'words only'}, {weights}"
        self.version = f"8 ({compares}{shown}{withheld})"
        self.labellers: dict[LabellingProtocol[Any], Labeller[Any]] = {
            QUESTION_SIMILARITY: questions,
            COMPOUND_QUESTIONS: label_by_form,
            REPORT_ANSWERS: self._answers,
            SUPPORT: support,
            QUESTION_QUALITY: grade_questions,
        }
        if encode:
            self.labellers[USEFULNESS] = partial(label_usefulness, NearestSentence(encode))
            self.labellers[QUESTION_REDUNDANCY] = partial(tell_redundant, encode)
        self.agreement = {
            what: labeller.agreement
            for what, labeller in (("questions", questions), ("answers", self._answers))
            if labeller.agreement
        }

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Read reports that will be labelled, all at once."""
        self._answers.prepare(reports)


C = TypeVar("C")


def rule(scale: LabelScale) -> str:
    """Return the rule by which labels become one, on a scale with a label that opposes."""
    return (
        f"median of the labels, the lower of two; {scale.opposite} where most say so, otherwise it "
        f"counts as {scale.lowest}; unjudged unless most gave a label"
    )


async def ask_all(
    labellers: Mapping[str, Labeller[C]], scale: LabelScale, case: C
) -> list[Judgment]:
    """Return the judgments that several labellers come to together, all asked the same.

    `labellers` are by the name of the model that each asks.
    """

    def together(votes: tuple[Judgment, ...]) -> Judgment:
        told = (f"{model}: {_told(vote)}" for model, vote in zip(labellers, votes, strict=True))
        return Judgment(combined([vote.label for vote in votes], scale), "; ".join(told))

    given = await asyncio.gather(*(labeller(case) for labeller in labellers.values()))
    return list(map(together, zip(*given, strict=True)))


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

    The version holds what labels against rubrics depend on, the names of models too. Support, and
    questions and documents by themselves, are labelled with the fingerprint of their prompt beside
    the labels.

    `models` are by the name under which each is served, at least one, and `articles` by topic id,
    of all topics to be judged. `examples` are labelled submissions to show.
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
        prompts = (
            COMPOUND_PROMPT,
            rubric_labels.SIMILARITY_PROMPTS[mode],
            rubric_labels.REPORT_ANSWERS_PROMPT,
        )
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

        def labellers(
            model: PromptedModel,
        ) -> dict[LabellingProtocol[Any], Labeller[Any]]:
            assessor = Assessor(model)
            return {
                COMPOUND_QUESTIONS: partial(ask_whether_compound, assessor),
                QUESTION_SIMILARITY: partial(
                    rubric_labels.ask_similarity, assessor, material, mode
                ),
                REPORT_ANSWERS: partial(rubric_labels.ask_answers, assessor, material),
                SUPPORT: partial(ask_support, PromptedSupportCheck(model)),
                QUESTION_QUALITY: partial(ask_about_questions, assessor, attrgetter("grade")),
                QUESTION_REDUNDANCY: partial(
                    ask_about_questions, assessor, attrgetter("redundant")
                ),
                USEFULNESS: partial(label_usefulness, PromptedUsefulness(model)),
            }

        by_model = {name: labellers(model) for name, model in models.items()}
        first, *others = by_model.values()
        self.labellers = first
        if others:
            self.labellers = {
                protocol: partial(
                    ask_all,
                    {name: given[protocol] for name, given in by_model.items()},
                    protocol.scale,
                )
                for protocol in first
            }
