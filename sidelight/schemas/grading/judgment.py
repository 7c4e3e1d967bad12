"""Labels, assessments and measures: label scales, what was labelled, and how measures are declared.

A label is the name of one entry of a `LabelScale`: an order, the credit of each label, and which
label wins where two are given. A scale is data of a track or of an instrument. Judges, assessments,
agreement, audits and figures take a scale; none of them knows a label by name. Assessments are
plain dataclasses: files hold a hundred thousand, and their reader checks each cell. A `Measure` is
declared apart from its computation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator
from pydantic_core import core_schema

from sidelight.schemas.base import Value
from sidelight.schemas.run import CitedSentence

Scales = Mapping[str, "LabelScale"]
"""The scales of a track, by what is labelled; see `Track.scales`."""


class Unjudged(Value):
    """A verdict that could not be had; never a grade, always counted."""

    reason: str


@dataclass(frozen=True, slots=True)
class QuestionAssessment:
    """One rubric question against one submitted question."""

    topic_id: str
    rubric_question_rank: int
    run_tag: str
    run_question_rank: int
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class AnswerAssessment:
    """One rubric answer against one report."""

    topic_id: str
    run_tag: str
    answer_id: str
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class CompoundAssessment:
    """One submitted question, compound or not."""

    topic_id: str
    run_tag: str
    run_question_rank: int
    run_question_text: str
    label: str | Unjudged
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class QuestionGrade:
    """Grade of one submitted question.

    `redundant` tells whether an earlier question of its list answers it; None if nobody said.
    """

    topic_id: str
    run_tag: str
    run_question_rank: int
    run_question_text: str
    label: str | Unjudged
    redundant: bool | None = None
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """One sentence of a report against what it cites.

    Attributes:
        number: 1-based place in the report.
        first: Its support by the first citation; None where it cites nothing.
        all: Its support by all citations together; None where it cites nothing.
        reason: Why `all` is what it is.
    """

    run_tag: str
    topic_id: str
    number: int
    first: str | Unjudged | None
    all: str | Unjudged | None
    reason: str
    sentence: CitedSentence


HIGHEST_CREDIT = 1_000_000
"""More than any label or weight counts, and little enough for exact sums."""


class Label(Value):
    """One label of a scale.

    Attributes:
        name: What code, prompts and tables call it.
        credit: What it earns, as a share of the most that can be earned or as a weight.
        title: As a heading; the name where it is empty.
        written: As files write it; the name where it is empty.
        opposes: Whether it says the opposite of what was asked for, rather than less of it.
        merged: The name of what it counts as, with others, where agreement is measured on fewer
            labels; itself where it is empty.
    """

    name: str
    credit: float = Field(0.0, ge=0, le=HIGHEST_CREDIT)
    title: str = ""
    written: str = ""
    opposes: bool = False
    merged: str = ""


class LabelScale(Value):
    """Labels in order.

    Attributes:
        name: What is labelled, for messages and figures.
        labels: What was looked for first, what says nothing of it last. A label that opposes has
            no place in that order; where it stands counts for lists and tables alone.
        precedence: Label names, the one that wins first, where one thing was given several labels;
            the order of `labels` where it is empty.
    """

    name: str
    labels: tuple[Label, ...] = Field(min_length=2)
    precedence: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = self.names
        if len(set(names)) < len(names):
            raise ValueError(f"scale {self.name}: a label occurs twice")
        if self.precedence and sorted(self.precedence) != sorted(names):
            raise ValueError(f"scale {self.name}: precedence must name every label once")
        if self.labels[-1].opposes:
            raise ValueError(f"scale {self.name}: the last label is that of what says nothing")
        return self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Label names in order."""
        return tuple(label.name for label in self.labels)

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Label names from the lowest up, one that opposes left out: what a model predicts."""
        return tuple(label.name for label in reversed(self.labels) if not label.opposes)

    @property
    def writings(self) -> tuple[str, ...]:
        """Spellings of the labels in files, in order."""
        return tuple(self._by_writing)

    @property
    def highest(self) -> str:
        """The label of what is just what was looked for."""
        return self.levels[-1]

    @property
    def lowest(self) -> str:
        """The label of what says nothing."""
        return self.levels[0]

    @property
    def opposite(self) -> str | None:
        """The label of what says the opposite; None on a scale without one."""
        return next((label.name for label in self.labels if label.opposes), None)

    def label(self, name: str) -> Label:
        """Return a label of the scale by its name.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name]

    def credit(self, name: str) -> float:
        """Return what a label earns.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name].credit

    def first(self, names: Iterable[str]) -> str:
        """Return the label that wins among some that were given to one thing."""
        return min(names, key=(self.precedence or self.names).index)

    def coarse(self, name: str) -> str:
        """Return what a label counts as on fewer labels, which may be itself.

        Raises:
            KeyError: It is not on the scale.
        """
        return self._by_name[name].merged or name

    def read(self, text: str) -> Label | None:
        """Return the label that a file writes so, or None."""
        return self._by_writing.get(text)

    @cached_property
    def _by_name(self) -> dict[str, Label]:
        return {label.name: label for label in self.labels}

    @cached_property
    def _by_writing(self) -> dict[str, Label]:
        return {label.written or label.name: label for label in self.labels}


class OneOf(NamedTuple):
    """Says of a field that it holds one of some labels: `label: Annotated[str, OneOf(names)]`.

    The schema of the field lists them, so that a model is offered these and no others.
    """

    names: tuple[str, ...]

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> core_schema.CoreSchema:
        """Return the schema of a choice, as pydantic asks for it."""
        return core_schema.literal_schema(list(self.names))


Parameter = bool | int | float | str


class Measure(Value):
    """A measure of a run on a topic: how it is called, read and shown.

    Attributes:
        name: As tables, files and commands have it; unique within a task. Empty in what a
            computation says of itself: its measure is called as it was asked for.
        computes: The registered computation behind it, or the place of one, `module:Class`; empty
            there, and for a measure whose values are only read.
        parameters: What the computation is made with, by the names its constructor gives them.
        title: A line for people: what is counted.
        direction: Which values are better; `none` for one that describes.
        unit: What a value counts: a `share` in [0, 1], or `count`.
        format: How a value is printed, as a format specification of Python: digits behind the
            point, and `f`, or `%` for a share.
        among_tasks: What it is called where measures of all tasks of a track stand side by side;
            empty for one that is not shown there.
    """

    name: str = ""
    computes: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    title: str
    direction: Literal["higher", "lower", "none"] = "higher"
    unit: Literal["share", "count"] = "share"
    format: str = Field(".4f", pattern=r"^\.[0-9][f%]$")
    among_tasks: str = ""

    @property
    def lower_is_better(self) -> bool:
        """Tell whether the best run is the one with the lowest value."""
        return self.direction == "lower"

    @property
    def sign(self) -> int:
        """Return 1, or -1 where lower is better: a value times it is higher for the better run."""
        return -1 if self.lower_is_better else 1

    @property
    def description(self) -> str:
        """Return the title, with what it does not say by itself."""
        return f"{self.title}; lower is better" if self.lower_is_better else self.title

    def shown(self, value: float | None) -> str:
        """Return a value as tables show it; None is one that is undefined."""
        return "undefined" if value is None else format(value, self.format)


USEFULNESS_SCALE = LabelScale(
    name="usefulness",
    labels=(
        Label(name="2", credit=2, title="Very Useful"),
        Label(name="1", credit=1, title="Useful"),
        Label(name="0", title="Not Useful"),
    ),
)
"""How useful a document is for answering a question: the labels of the TREC 2024 Lateral Reading
overview, section 2.4.3."""


class Usefulness(Value):
    """A label and its reason; no label where a model gave none that could be used."""

    reason: str
    label: str | None

    @property
    def credit(self) -> float:
        """Return what the label counts; 0 where there is none."""
        return 0.0 if self.label is None else USEFULNESS_SCALE.credit(self.label)
