"""Judge: a named set of labellers, with a description of itself.

Labelling protocols: one for each kind of item that is labelled, shared by all labellers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from sidelight.errors import UsageError
from sidelight.evaluation.labelling.examples import Examples
from sidelight.formats.labels.assessments import AssessmentKind
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    LabelScale,
    QuestionAssessment,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedReport
from sidelight.text import counted

S = TypeVar("S")
A = TypeVar("A", QuestionAssessment, AnswerAssessment, CompoundAssessment)
C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)


class Judgment(NamedTuple):
    """A label with its reason.

    Attributes:
        label: On the scale of the protocol.
        rationale: For people, on one line.
    """

    label: str | Unjudged
    rationale: str = ""


class RubricCase(NamedTuple, Generic[S]):
    """A submission on a topic, a report or the questions of a run, beside the topic's rubric."""

    rubric: Rubric
    submission: S


class Labeller(Protocol[C_contra]):
    """Labels what a case asks about; asynchronous because some labellers ask a model."""

    async def __call__(self, case: C_contra) -> list[Judgment]:
        """Return one judgment for each of the protocol's units of a case, in their order."""
        ...


@dataclass(frozen=True, eq=False)
class LabellingProtocol(Generic[C]):
    """One kind of labelling; `units` returns names, unique within a case, of all it asks about."""

    name: str
    scale: LabelScale
    units: Callable[[C], Sequence[str]]


@dataclass(frozen=True, eq=False)
class AssessmentProtocol(LabellingProtocol[RubricCase[S]], Generic[S, A]):
    """A kind of labelling whose labels are kept in a file, with who submitted what.

    Attributes:
        about: By unit, what of an assessment says what was judged, beside its topic and its run.
    """

    kind: AssessmentKind[A]
    about: Callable[[RubricCase[S]], Sequence[dict[str, Any]]]
    order: Callable[[A], Any]
    file_name: str

    def record(self, run_tag: str, case: RubricCase[S], judgments: Sequence[Judgment]) -> list[A]:
        """Return the assessments of a run's case from the judgments on its units."""
        return [
            self.kind.value_type(
                topic_id=case.rubric.topic_id,
                run_tag=run_tag,
                label=judgment.label,
                rationale=judgment.rationale,
                **about,
            )
            for about, judgment in zip(self.about(case), judgments, strict=True)
        ]


class Mode(StrEnum):
    """Number of pairs per call; `question_similarity` says what each mode means."""

    PAIRWISE = "pairwise"
    LISTWISE = "listwise"
    GRID = "grid"


JudgeKind = Literal["embedded", "prompted"]


def title_of_judge(name: str, version: str, kind: JudgeKind) -> str:
    """Return a judge as score tables name it: its kind is told where its name does not tell it."""
    return f"{name} {version}" + (f", {kind}" if name != kind else "")


class JudgeAgreement(Value):
    """Agreement of a judge with people on labels it had not seen.

    Attributes:
        n_topics: Topics they come from; each was judged with the others as examples.
        raw: Share of equal labels, in [0, 1].
        kappa: Cohen's kappa; None when it is undefined (both sides used one label throughout).
        raw_new_runs: The share where the runs judged were no examples either, as runs to be judged
            are not; None where there is one run.
        kappa_new_runs: Cohen's kappa likewise.
        kappa_without: Cohen's kappa of the same judge without examples, on the same labels.
    """

    n_labels: int
    n_topics: int
    n_runs: int = 1
    raw: float
    kappa: float | None
    raw_new_runs: float | None = None
    kappa_new_runs: float | None = None
    kappa_without: float | None = None


class Instrument(Value):
    """Prompts and models of a judge that asks a model.

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


class Judge:
    """A named set of labellers; every judge derives from it and fills in what it has.

    What a judge is made from, the parameters of its constructor say by their names; all have it
    from `sidelight.wiring.judges`, where they are listed.

    Attributes:
        name: As registered.
        words_at_once: How many words of what a run has read it is shown at once; 0 for one segment
            at a time. A judge that goes by single sentences needs it: one that contradicts an
            answer would cost all others that are shown with it their credit.
        version: Changes whenever a label may; labels of two versions never share a table.
        labellers: Who labels, by protocol; a judge may lack any.
        examples: Labelled submissions that it was shown; None for none.
        agreement: With people, by what was judged (`questions`, `answers`).
        instrument: What it asks, and whom; None for a judge that asks no model.
    """

    name: ClassVar[str]
    words_at_once: ClassVar[int] = 0

    version: str
    labellers: Mapping[LabellingProtocol[Any], Labeller[Any]]
    examples: Examples | None = None
    agreement: Mapping[str, JudgeAgreement] = MappingProxyType({})
    instrument: Instrument | None = None

    @property
    def kind(self) -> JudgeKind:
        """Whether labels come from features and rules or from a prompted model."""
        return "prompted" if self.instrument else "embedded"

    @property
    def title(self) -> str:
        """The judge as score tables name it."""
        return title_of_judge(self.name, self.version, self.kind)

    @property
    def example_run_tags(self) -> frozenset[str]:
        """Runs the judge has seen labels of, and so may not judge."""
        return self.examples.run_tags if self.examples else frozenset()

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Read reports that will be labelled; for a judge that reads many at once more quickly."""

    async def label(self, protocol: LabellingProtocol[C], case: C) -> list[Judgment]:
        """Return one judgment for each of the protocol's units of a case, in their order."""
        if protocol not in self.labellers:
            able = ", ".join(one.name for one in self.labellers)
            raise UsageError(f"the judge {self.name} labels {able}, and not {protocol.name}")
        judgments = await self.labellers[protocol](case)
        n_units = len(protocol.units(case))
        given = {item.label for item in judgments if not isinstance(item.label, Unjudged)}
        if unknown := sorted(given - set(protocol.scale.names)):
            raise UsageError(
                f"the judge {self.name} gave {protocol.name} the label {unknown[0]!r}; "
                f"expected one of {', '.join(protocol.scale.names)}"
            )
        if len(judgments) != n_units:
            raise UsageError(
                f"the judge {self.name} gave {protocol.name} {counted(len(judgments), 'label')}; "
                f"expected {n_units}"
            )
        return judgments
