"""From a judge's name to a judge: the one place where judges are chosen, given what they need, made.

Every judge says what it needs (`Judge.needs`); whoever wants one made hands over what there is, and
is told what is lacking.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from sidelight.build.models import AskedModels, ask
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.judge import Need
from sidelight.registry import load

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping
    from pathlib import Path

    from sidelight.build.models import ModelAccess
    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.evaluation.labelling.asking.estimate import Estimate
    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder
    from sidelight.evaluation.labelling.judge import Judge, JudgeInputs
    from sidelight.llm.prompted import PromptedModel

T = TypeVar("T")

# How a user names what a judge may lack; an encoder there always is, where nobody spares it.
_OPTIONS = {
    Need.MODEL: "--model NAME (--judge-model NAME for a run)",
    Need.ARTICLES: "--topics FILE",
    Need.EXAMPLES: "--examples FOLDER",
}


def check_judge(name: str, given: Collection[Need]) -> type[Judge]:
    """Return the judge of a name.

    Args:
        name: As registered.
        given: What it may be given besides an encoder.

    Raises:
        UsageError: There is no such judge, or it needs what is not given.
    """
    judge_class: type[Judge] = load("judge", name)
    lacking = [need for need in _OPTIONS if need in judge_class.needs and need not in given]
    if lacking:
        raise UsageError(
            f"the judge {name} needs {' and '.join(lacking)}",
            remedy=f"Name what it needs: {', '.join(_OPTIONS[need] for need in lacking)}.",
        )
    return judge_class


def make_judge(name: str, inputs: JudgeInputs) -> Judge:
    """Return a judge made from what it is given.

    Args:
        name: As registered.
        inputs: All that the judge needs; more does no harm.

    Raises:
        UsageError: There is no such judge, or it needs what is not given.
        InputError: It needs the articles, and a rubric has none.
    """
    given = {Need.MODEL} if inputs.models else set()
    judge_class = check_judge(name, given | _given(inputs))
    if Need.ARTICLES in judge_class.needs:
        for topic_id in sorted(set(inputs.rubrics) - set(inputs.articles))[:1]:
            raise InputError(
                f"expected the articles of all rubrics; that of {topic_id} is not there",
                remedy="Give the topics file that the rubrics were written for.",
            )
    return judge_class(inputs)


@dataclass(frozen=True, slots=True)
class JudgeSetup:
    """A judge that can be made as soon as its models are open; `set_up_judge` returns one.

    Attributes:
        name: As registered.
        inputs: What is there to make it from.
        asked: The models it asks; none for a judge that asks none.
        opens_encoder: Whether it is to be given an encoder that is not there yet.
    """

    name: str
    inputs: JudgeInputs
    asked: AskedModels
    opens_encoder: bool

    async def perform(self, access: ModelAccess, work: Callable[[Judge], Awaitable[T]]) -> T:
        """Make the judge and do some work with it.

        Args:
            access: How its models may be used.
            work: What is done with it.
        """
        inputs = self.inputs
        if self.opens_encoder:
            inputs = replace(inputs, encoder=_open_encoder())

        async def judged(models: Mapping[str, PromptedModel]) -> T:
            return await work(make_judge(self.name, replace(inputs, models=models)))

        return await (ask(self.asked, access, judged) if self.asked.models else judged({}))

    def estimate(self, work: Callable[[Judge], Awaitable[object]], n_labels: int) -> Estimate:
        """Return what some work would cost: it is done with models that only count their prompts.

        Args:
            work: What would be done with the judge.
            n_labels: Labels that one model would give.

        Raises:
            UsageError: The judge asks no model.
        """
        from sidelight.evaluation.labelling.asking.estimate import PromptCounter

        if not self.asked.models:
            raise UsageError("--estimate is for a judge that asks: --judge prompted")
        counter = PromptCounter()
        models = {model.name: counter for model in self.asked.models}

        async def counted() -> None:
            await work(make_judge(self.name, replace(self.inputs, models=models)))

        asyncio.run(counted())
        return counter.estimate(n_labels * len(models), self.asked.at_once)


def set_up_judge(
    name: str,
    inputs: JudgeInputs,
    asked: AskedModels | None = None,
    *,
    words_only: bool = False,
    topics: Callable[[], Path | None] = lambda: None,
) -> JudgeSetup:
    """Give a judge what it needs, as far as it can be had before its models are opened.

    Args:
        name: As registered.
        inputs: What is there already.
        asked: The models that the user named, if any.
        words_only: Whether the user spares the judge its encoder.
        topics: Returns the file of the articles, if there is one; called where they are needed.

    Raises:
        UsageError: There is no such judge, it needs what is not there, or it asks no model, and
            there is one for it to ask.
        InputError: The articles cannot be read.
    """
    asked = asked or AskedModels()
    needs = check_judge(name, set(Need)).needs
    if asked.models and Need.MODEL not in needs:
        raise UsageError("--model is for a judge that asks: --judge prompted")
    if Need.ARTICLES in needs and not inputs.articles and (path := topics()):
        from sidelight.formats.topics.articles import read_topics

        inputs = replace(inputs, articles={one.topic_id: one for one in read_topics(path)})
    check_judge(name, {*_given(inputs), *([Need.MODEL] if asked.models else [])})
    opens_encoder = Need.ENCODER in needs and not words_only and inputs.encoder is None
    return JudgeSetup(name, inputs, asked, opens_encoder)


def judge_model(
    name: str,
    settings: Settings,
    writer: ModelSettings | None,
    *,
    examples: bool,
    allow_self: bool,
) -> ModelSettings | None:
    """Return the model that a judge of a run asks; None for a judge that asks none.

    Args:
        name: Of the judge, as registered.
        settings: Name the judge's model.
        writer: The model that writes the run.
        examples: Whether there are labelled examples.
        allow_self: Whether writer and judge may be the same model.

    Raises:
        UsageError: There is no such judge, it needs what is not there, or its model is the
            writer's.
    """
    model = settings.models.judge
    given = {Need.ARTICLES}  # a run holds them
    given |= {Need.EXAMPLES} if examples else set()
    given |= {Need.MODEL} if model else set()
    if Need.MODEL not in check_judge(name, given).needs or model is None:
        return None
    if writer is not None and writer.name == model.name and not allow_self:
        raise UsageError(
            f"{model.name} wrote the run and would judge itself; models favour their own texts",
            remedy="Name another with --judge-model, or add --allow-self-judging.",
        )
    return model


def _given(inputs: JudgeInputs) -> set[Need]:
    """Return what is there besides models and encoder; without rubrics no article is needed."""
    given = {Need.ARTICLES} if inputs.articles or not inputs.rubrics else set()
    return given | ({Need.EXAMPLES} if inputs.examples else set())


def _open_encoder() -> SentenceEncoder:
    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder
    from sidelight.index.encoding.encoder import Encoder

    encoder = Encoder()
    return SentenceEncoder(encoder.name, encoder.encode_sentences)
