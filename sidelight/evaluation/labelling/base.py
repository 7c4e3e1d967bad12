"""What every judge can do, whoever it asks."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, Protocol

from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.judgment import (
        AnswerAssessment,
        CompoundAssessment,
        QuestionAssessment,
    )
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import SubmittedQuestion, SubmittedReport

JudgeKind = Literal["embedded", "prompted"]


class Agreement(Value):
    """How well a judge agrees with people on labels it had not seen.

    Attributes:
        n_labels: Labels compared.
        n_topics: Topics they come from; each was judged with the others as examples.
        raw: Share of equal labels, in [0, 1].
        kappa: Cohen's kappa; None when it is undefined (both sides used one label throughout).
    """

    n_labels: int
    n_topics: int
    raw: float
    kappa: float | None


class Instrument(Value):
    """What a prompted judge asks, and whom.

    Attributes:
        models: The models, by the names under which they are served.
        mode: How many pairs of questions one call is asked about.
        prompts: The fingerprint of each prompt, by its id.
        rule: How the labels of several models become one.
    """

    models: tuple[str, ...]
    mode: str
    prompts: dict[str, str]
    rule: str = "one model"

    @property
    def summary(self) -> str:
        """Return what labels depend on, short enough for a table."""
        digest = hashlib.sha256("".join(self.prompts.values()).encode()).hexdigest()
        return f"{' + '.join(self.models)}, {self.mode}, prompts {digest[:8]}"


class Judge(Protocol):
    """Labels submissions against rubrics; asynchronous because some judges ask a model."""

    @property
    def name(self) -> str:
        """As registered."""

    @property
    def version(self) -> str:
        """Changes whenever a label may; labels of two versions never share a table."""

    @property
    def kind(self) -> JudgeKind:
        """Whether labels come from features and rules or from a prompted model."""

    @property
    def example_run_tags(self) -> frozenset[str]:
        """Runs the judge has seen labels of, and so may not judge."""

    @property
    def agreement(self) -> Mapping[str, Agreement]:
        """With people, by what was judged (`questions`, `answers`)."""

    @property
    def instrument(self) -> Instrument | None:
        """What it asks, and whom; None for a judge that asks no model."""

    async def assess_compound(
        self, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[CompoundAssessment]:
        """Return one verdict for each question, in order."""

    async def assess_questions(
        self, rubric: Rubric, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[QuestionAssessment]:
        """Return one label for each pair, by rubric question, then submitted question."""

    async def assess_report(
        self, rubric: Rubric, run_tag: str, report: SubmittedReport
    ) -> list[AnswerAssessment]:
        """Return one label for each answer of the rubric, in its order."""
