"""The prompted judge of `sidelight judge`: who is asked, and what asking would cost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.ensemble import EnsembleJudge
from sidelight.evaluation.labelling.estimate import PromptCounter
from sidelight.formats.topics.articles import read_articles

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.base import Judge
    from sidelight.evaluation.labelling.estimate import Estimate
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.prompted import PromptedJudge
    from sidelight.evaluation.labelling.question_similarity.mode import Mode
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.article import Article
    from sidelight.schemas.rubric import Rubric


class Panel(NamedTuple):
    """One judge for each model, alike in all else.

    Attributes:
        judge_class: The judge.
        models: Names under which models are served.
        articles: Topic id -> article.
        examples: Labelled submissions to show.
        mode: How many pairs of questions one call is asked about.
    """

    judge_class: type[PromptedJudge]
    models: tuple[str, ...]
    articles: Mapping[str, Article]
    examples: Examples | None
    mode: Mode

    def judge(self, asked: Sequence[PromptedModel]) -> Judge:
        """Return the judge that asks these models."""
        judges = [
            self.judge_class(model, name, self.articles, self.examples, self.mode)
            for name, model in zip(self.models, asked, strict=True)
        ]
        return judges[0] if len(judges) == 1 else EnsembleJudge(judges)


def seat_panel(
    judge_class: type[PromptedJudge],
    models: Sequence[str],
    topics: Path | None,
    rubrics: Mapping[str, Rubric],
    examples: Examples | None,
    mode: Mode,
) -> Panel:
    """Check what a prompted judge needs.

    Raises:
        UsageError: No model or no articles were named, or a model twice.
        InputError: A rubric has no article.
    """
    if not models or topics is None:
        raise UsageError(
            "a prompted judge needs a model and the articles",
            remedy="Name them: --model NAME --topics FILE",
        )
    if len(set(models)) < len(models):
        raise UsageError("--model names a model twice; the votes of one model count once")
    articles = {article.topic_id: article for article in read_articles(topics)}
    if lacking := sorted(set(rubrics) - set(articles)):
        raise InputError(
            f"{topics}: expected the articles of all rubrics; {lacking[0]} is not there",
            remedy="Give the topics file that the rubrics were written for.",
        )
    return Panel(judge_class, tuple(models), articles, examples, mode)


def estimate_cost(
    panel: Panel, work: Callable[[Judge], Awaitable[object]], n_labels: int, at_once: int
) -> Estimate:
    """Do the work with models that only count what they are asked.

    Args:
        panel: Who would judge.
        work: What the judge would do.
        n_labels: Labels that one model would give.
        at_once: Calls that would be made at once.
    """
    counter = PromptCounter()

    async def counted() -> None:
        await work(panel.judge([counter] * len(panel.models)))

    asyncio.run(counted())
    return counter.estimate(n_labels * len(panel.models), at_once)
