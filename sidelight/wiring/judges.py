"""Wiring of judges by name: the one place where judges are made.

A judge is made from what the parameters of its constructor name, as listed in `JudgeInputs`. The
caller hands over what there is, and is told what is missing.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sidelight.config.settings import ModelSettings, Settings
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.asking import PromptCounter
from sidelight.evaluation.labelling.judge import Judge, Mode
from sidelight.llm.prompted import PromptedModel
from sidelight.registry import load, make, needs
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.topic import Article
from sidelight.wiring.models import AskedModels, ModelAccess, ask

if TYPE_CHECKING:
    from sidelight.evaluation.labelling.asking import Estimate
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.text_vectors import SentenceEncoder

T = TypeVar("T")

# What a user may have left out, and how to name it.
_OPTIONS = {
    "models": ("a model", "--model NAME, for a run --judge-model NAME"),
    "articles": ("the articles", "--topics FILE"),
    "examples": ("labelled examples", "--examples FOLDER"),
    "encoder": ("an encoder", "no --words-only"),
}


def open_encoder() -> SentenceEncoder:
    """Return the encoder that judges compare texts with."""
    from sidelight.index.encoding.encoder import Encoder, require_model

    encoder = Encoder()
    require_model("encoder", encoder.name)
    return encoder.sentence_encoder()


@dataclass(frozen=True, slots=True)
class JudgeInputs:
    """Inputs for making a judge, which gets those that its constructor names.

    Attributes:
        rubrics: Topic id -> rubric, of all topics to be judged.
        examples: Submissions labelled by people; None for none.
        encoder: Opens the encoder; None where the user spares it.
        articles: Returns topic id -> article, of all rubrics; None where there are none.
        models: Who is asked, by the name under which a model is served; None for nobody.
        mode: How many pairs of questions one call of a model is asked about.
        min_confidence: Labels less likely than this, in [0, 1], are to be withheld as unjudged, by
            a judge that knows how likely they are.
    """

    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    examples: Examples | None = None
    encoder: Callable[[], SentenceEncoder] | None = open_encoder
    articles: Callable[[], Mapping[str, Article]] | None = None
    models: Mapping[str, PromptedModel] | None = None
    mode: Mode = Mode.PAIRWISE
    min_confidence: float = 0.0

    def offered(self) -> dict[str, Callable[[], object]]:
        """Return what there is by name, each as something that returns it."""
        found: dict[str, Any] = {
            "rubrics": lambda: self.rubrics,
            "examples": self.examples and (lambda: self.examples),
            "encoder": self.encoder,
            "articles": self.articles,
            "models": self.models and (lambda: self.models),
            "mode": lambda: self.mode,
            "min_confidence": lambda: self.min_confidence,
        }
        return {name: get for name, get in found.items() if get is not None}


def judge_class(name: str, given: Collection[str]) -> type[Judge]:
    """Return the class of a registered judge, which may need no inputs but those `given`."""
    found: type[Judge] = load("judge", name)
    parameters = inspect.signature(found).parameters.values()
    required = {one.name for one in parameters if one.default is one.empty}
    lacking = [_OPTIONS[one] for one in _OPTIONS if one in required and one not in given]
    if lacking:
        raise UsageError(
            f"the judge {name} needs {' and '.join(what for what, _ in lacking)}",
            remedy=f"Give it: {'; '.join(option for _, option in lacking)}.",
        )
    return found


def make_judge(name: str, inputs: JudgeInputs) -> Judge:
    """Return a registered judge made from what there is."""
    offered = inputs.offered()
    made: Judge = make(f"judge {name!r}", judge_class(name, offered), offered)
    return made


@dataclass(frozen=True, slots=True)
class JudgeSetup:
    """A judge that can be made as soon as its models are open; `set_up_judge` returns one.

    `inputs` is what there is to make it from, but for the models that it asks: `asked`, empty for
    none. For `words_at_once` see `Judge`.
    """

    name: str
    inputs: JudgeInputs
    asked: AskedModels
    words_at_once: int

    async def perform(self, access: ModelAccess, work: Callable[[Judge], Awaitable[T]]) -> T:
        """Open its models as `access` allows, make the judge, and do some work with it."""

        async def judged(models: Mapping[str, PromptedModel]) -> T:
            return await work(make_judge(self.name, replace(self.inputs, models=models or None)))

        return await ask(self.asked, access, judged)

    def estimate(self, work: Callable[[Judge], Awaitable[object]], n_labels: int) -> Estimate:
        """Return what some work would cost: it is done with models that only count their prompts.

        One model would give `n_labels` labels. A judge that asks no model raises UsageError.
        """
        if not self.asked.models:
            raise UsageError("--estimate needs a judge that asks a model: --judge prompted")
        counter = PromptCounter()
        models = {model.name: counter for model in self.asked.models}

        async def counted() -> None:
            await work(make_judge(self.name, replace(self.inputs, models=models)))

        asyncio.run(counted())
        return counter.estimate(n_labels * len(models), self.asked.at_once)


def set_up_judge(name: str, inputs: JudgeInputs, asked: AskedModels | None = None) -> JudgeSetup:
    """Find what a judge lacks before its models are opened; `asked` are those the user named.

    UsageError is raised if the judge needs what is not there, or asks no model although one is
    named; InputError if it needs articles and a rubric has none.
    """
    asked = asked or AskedModels()
    given = {*inputs.offered(), *(["models"] if asked.models else [])}
    found = judge_class(name, given)
    if asked.models and "models" not in needs(found):
        raise UsageError("--model needs a judge that asks a model: --judge prompted")
    if inputs.articles and "articles" in needs(found):
        articles = inputs.articles()
        if lacking := sorted(set(inputs.rubrics) - set(articles)):
            raise InputError(
                f"expected the article of each rubric; found none for {lacking[0]}",
                remedy="Give the topics file that the rubrics were written for.",
            )
        inputs = replace(inputs, articles=lambda: articles)
    return JudgeSetup(name, inputs, asked, found.words_at_once)


def judge_model(
    name: str, settings: Settings, writer: ModelSettings | None, *, examples: bool, allow_self: bool
) -> ModelSettings | None:
    """Return the model that a judge of a run asks; None for a judge that asks none.

    `writer` is the model that writes the run; only with `allow_self` may the judge ask it, too.
    `examples` tells whether there are labelled examples.
    """
    model = settings.models.judge
    there = {"examples": examples, "models": model is not None, "articles": True, "encoder": True}
    found = judge_class(name, [what for what, is_there in there.items() if is_there])
    if "models" not in needs(found) or model is None:
        return None
    if writer is not None and writer.name == model.name and not allow_self:
        raise UsageError(
            f"{model.name} wrote the run and would judge itself; models favour their own texts",
            remedy="Name another with --judge-model, or add --allow-self-judging.",
        )
    return model
