"""Base of all measures: the record of a run on a topic, and the protocol of a computation.

A computation is a class. Its constructor takes the parameters of a `Measure`; called, it returns
the value of one run on one topic. The parameters of its call name the fields that it needs of a
`TopicRecord`; a parameter with a default is left out where its field is not known.

Share of the required labels of a topic that could not be had.

U = 1 - J / N.

N: the labels that the topic asks for, J: those that were given. What was not judged earns nothing,
so a score is to be read beside it. Edge case: what was not submitted, and a report that cites
nothing, ask for no labels; U is then 0. Lower is better.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

from sidelight.errors import UsageError
from sidelight.registry import did_you_mean, load
from sidelight.schemas.grading.judgment import JudgedSentence, Measure, Scales, Unjudged
from sidelight.schemas.grading.rubric import Bank, Rubric
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.task import MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRecord:
    """Data of one run on one topic; None stands for what was not judged or measured.

    Attributes:
        scales: The labels there are, by what is labelled.
        bank: What the topic is graded by.
        n_questions: How many questions the run submitted for the topic.
        pairs: Labels of (rank of a rubric question, rank of a submitted one).
        compound: Ranks of the submitted questions that ask several things.
        answers: Labels of rubric answers, by answer id: what the report says of each.
        nuggets: Labels of the nuggets of the bank, in their order: what the answer says of each.
        sentences: The report's sentences held against what they cite, in order.
        report: The report as it was submitted, in order.
        hosts: By segment id, the host of the page it is from.
        grades: By rank of a submitted question, its label of quality.
        redundant: By rank of a submitted question, whether an earlier one answers it.
        stages: By stage of the funnel, the share of the topic's credit that got so far.
    """

    scales: Scales
    bank: Bank | None = None
    n_questions: int | None = None
    pairs: Mapping[tuple[int, int], str | Unjudged] | None = None
    compound: Collection[int] | None = None
    answers: Mapping[str, str | Unjudged] | None = None
    nuggets: Sequence[str | Unjudged] | None = None
    sentences: Sequence[JudgedSentence] | None = None
    report: Sequence[CitedSentence] | None = None
    hosts: Mapping[str, str] | None = None
    grades: Mapping[int, str | Unjudged] | None = None
    redundant: Mapping[int, bool] | None = None
    stages: Mapping[str, float] | None = None

    @property
    def known(self) -> frozenset[str]:
        """Return the names of what is known."""
        return frozenset(name for name in RECORDED if getattr(self, name) is not None)

    @property
    def unlabelled(self) -> bool:
        """Tell whether pairs, answers or questions are to be labelled and none has a label."""
        asked = (self.pairs, self.answers, self.grades)
        labels = next((one for one in asked if one is not None), None)
        return labels is not None and not _judged(labels.values())


RECORDED = tuple(field.name for field in fields(TopicRecord))


class Computation(Protocol):
    """Computes a measure of one run on one topic.

    Attributes:
        measure: How the computation is called and shown where nothing else says so.
    """

    measure: ClassVar[Measure]

    def __call__(self, *args: Any, **known: Any) -> float | None:
        """Return the value, from what the parameters name; see `TopicRecord`.

        None says that the measure is undefined on the topic, whatever the run.
        """
        ...


def declared(computation: str, name: str = "") -> Measure:
    """Return the measure that a computation says it is.

    `computation` is a registered name, that of an entry point, or `module:Class`. An empty `name`
    stands for the name of the computation.
    """
    measure = getattr(load("measure", computation), "measure", None)
    if not isinstance(measure, Measure):
        raise UsageError(
            f"measure {computation!r}: expected a class attribute `measure`, a Measure",
            remedy="sidelight.plugins.Measure says what it holds.",
        )
    return measure.model_copy(update={"name": name or computation, "computes": computation})


def checked_depth(depth: int) -> int:
    """Return how many questions a computation looks at, a parameter that a file may hold.

    Raises:
        ValueError: It is no whole number from 1 to `MOST`.
    """
    if type(depth) is not int or not 1 <= depth <= MOST:
        raise ValueError(f"wants a whole number from 1 to {MOST} for depth; found {depth!r}")
    return depth


class Computed:
    """A measure ready to be computed."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        part = load("measure", measure.computes)
        try:
            inspect.signature(part).bind(**measure.parameters)
            self._compute: Computation = part(**measure.parameters)
        except (TypeError, ValueError) as error:
            raise UsageError(f"measure {measure.name}: {measure.computes} {error}") from error
        parameters = inspect.signature(self._compute).parameters
        for name in parameters:
            if name not in RECORDED:
                raise UsageError(
                    f"measure {measure.name}: {measure.computes} asks for {name!r}; on offer are "
                    f"{', '.join(RECORDED)}" + did_you_mean(name, RECORDED)
                )
        self._takes = tuple(parameters)
        self.needs = frozenset(
            name for name, one in parameters.items() if one.default is inspect.Parameter.empty
        )

    def __call__(self, record: TopicRecord) -> float | None:
        """Return the value, None where it is undefined; all that the measure needs is known."""
        known = ((name, getattr(record, name)) for name in self._takes)
        value = self._compute(**{name: value for name, value in known if value is not None})
        return None if value is None else float(value)


_UNJUDGED = Measure(
    title="share of what could not be judged, which earns nothing", direction="lower", format=".1%"
)


class UnjudgedPairs:
    """Unjudged share of the pairs of a rubric question and a submitted one."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(
        self, bank: Rubric, pairs: Mapping[tuple[int, int], str | Unjudged], n_questions: int
    ) -> float:
        """Return the share of one run on one topic."""
        asked_for = len(bank.questions) * n_questions
        return 1 - _judged(pairs.values()) / asked_for if asked_for else 0.0


class UnjudgedAnswers:
    """Unjudged share of the answers of the rubric."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, bank: Rubric, answers: Mapping[str, str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        n_answers = sum(len(question.answers) for question in bank.questions)
        return 1 - _judged(answers.values()) / n_answers if answers else 0.0


class UnjudgedNuggets:
    """Unjudged share of the nuggets of the bank."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, nuggets: Sequence[str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        return 1 - _judged(nuggets) / len(nuggets)


class UnjudgedSentences:
    """Unjudged share of the sentences that cite, by their first citation or by all."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __call__(self, sentences: Sequence[JudgedSentence]) -> float:
        """Return the share of one run on one topic."""
        cited = [item for item in sentences if item.first is not None]
        n_unjudged = sum(
            isinstance(item.first, Unjudged) or isinstance(item.all, Unjudged) for item in cited
        )
        return n_unjudged / len(cited) if cited else 0.0


class UnjudgedQuestions:
    """Unjudged share of the first `depth` questions of a run."""

    measure: ClassVar[Measure] = _UNJUDGED

    def __init__(self, depth: int = 10) -> None:
        self._depth = checked_depth(depth)

    def __call__(self, grades: Mapping[int, str | Unjudged]) -> float:
        """Return the share of one run on one topic."""
        asked = [label for rank, label in grades.items() if rank <= self._depth]
        return 1 - _judged(asked) / len(asked) if asked else 0.0


def _judged(labels: Iterable[str | Unjudged]) -> int:
    return sum(not isinstance(label, Unjudged) for label in labels)
