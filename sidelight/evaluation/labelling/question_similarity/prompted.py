"""How alike submitted questions and rubric questions are, by a model's reading.

Three modes ask the same thing in prompts of different size:

| mode | one call for | calls for the track's 33 runs |
|---|---|---|
| `pairwise`, the published one | one pair | 77,880 |
| `listwise` | one rubric question, all questions of a run | 7,788 |
| `grid` | all rubric questions, all questions of a run | 990 |

Prompts of a topic begin alike: the article, then the rubric question or questions, then labelled
examples; candidates come last. A model that sees several candidates at once may judge them
differently, so the mode is part of a judge's version.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

from sidelight.evaluation.labelling.asking.assessor import NOTHING
from sidelight.evaluation.labelling.protocol import Judgment, RubricCase
from sidelight.evaluation.labelling.question_similarity.mode import Mode
from sidelight.evaluation.labelling.question_similarity.protocol import QUESTION_SIMILARITY
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.label_scale import OneOf
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sidelight.evaluation.labelling.asking.assessor import Assessor
    from sidelight.evaluation.labelling.asking.topic_material import TopicMaterial
    from sidelight.evaluation.labelling.question_similarity.protocol import Questions
    from sidelight.schemas.grading.rubric import Rubric, RubricQuestion

PAIRWISE = load_prompt(Path(__file__).with_name("pairwise.prompt.md"))
LISTWISE = load_prompt(Path(__file__).with_name("listwise.prompt.md"))
GRID = load_prompt(Path(__file__).with_name("grid.prompt.md"))

_SCALE = QUESTION_SIMILARITY.scale
_Label: TypeAlias = Annotated[str, OneOf(_SCALE.names)]

PROMPTS = {Mode.PAIRWISE: PAIRWISE, Mode.LISTWISE: LISTWISE, Mode.GRID: GRID}


class PairVerdict(Value):
    """The answer about one pair."""

    reason: str
    label: _Label


class CandidateVerdict(Value):
    """The answer about one of several candidates."""

    question_id: str
    reason: str
    label: _Label


class ListVerdict(Value):
    """The answer about several candidates and one target."""

    labels: tuple[CandidateVerdict, ...]


class TargetLabel(Value):
    """How like one of several targets a candidate is."""

    target_id: str
    label: _Label


class CandidateLabels(Value):
    """The answer about one candidate and all targets."""

    question_id: str
    reason: str
    labels: tuple[TargetLabel, ...]


class GridVerdict(Value):
    """The answer about all candidates and all targets."""

    candidates: tuple[CandidateLabels, ...]


class Line(NamedTuple):
    """One line of a list in a prompt: an example after its label, a question after its id."""

    name: str
    text: str


async def compare_pairwise(
    assessor: Assessor, topic: TopicMaterial, candidates: Sequence[str]
) -> list[list[Judgment]]:
    """Return the judgments by rubric question, then candidate; one call for each."""

    async def compared(target: RubricQuestion, candidate: str) -> Judgment:
        return await assessor.judgment(
            (topic.rubric.topic_id, str(target.rank)),
            PAIRWISE,
            PairVerdict,
            lambda answer: Judgment(answer.label, answer.reason),
            article=topic.article,
            target=target.text,
            examples=_labelled(topic, target),
            candidate=candidate,
        )

    async def row(target: RubricQuestion) -> list[Judgment]:
        return await asyncio.gather(*(compared(target, candidate) for candidate in candidates))

    return await asyncio.gather(*map(row, topic.rubric.questions))


async def compare_listwise(
    assessor: Assessor, topic: TopicMaterial, candidates: Sequence[str]
) -> list[list[Judgment]]:
    """Return the judgments by rubric question, then candidate; one call for each of the former."""
    lines = _numbered("q", candidates)

    async def row(target: RubricQuestion) -> list[Judgment]:
        return await assessor.judgments(
            (topic.rubric.topic_id, str(target.rank)),
            LISTWISE,
            ListVerdict,
            [line.name for line in lines],
            lambda answer: (
                (one.question_id, Judgment(one.label, one.reason)) for one in answer.labels
            ),
            article=topic.article,
            target=target.text,
            examples=_labelled(topic, target),
            candidates=lines,
        )

    return await asyncio.gather(*map(row, topic.rubric.questions))


async def compare_grid(
    assessor: Assessor, topic: TopicMaterial, candidates: Sequence[str]
) -> list[list[Judgment]]:
    """Return the judgments by rubric question, then candidate; one call for them all."""
    targets = _numbered("t", [question.text for question in topic.rubric.questions])
    lines = _numbered("q", candidates)
    judgments = await assessor.judgments(
        (topic.rubric.topic_id,),
        GRID,
        GridVerdict,
        [f"{target.name} {line.name}" for target in targets for line in lines],
        _cells,
        article=topic.article,
        targets=targets,
        examples=[
            Line(_near(targets, example.labels.values()), example.text)
            for example in topic.questions
        ],
        candidates=lines,
    )
    starts = range(0, len(judgments), len(lines))
    return [judgments[start : start + len(lines)] for start in starts]


COMPARE = {
    Mode.PAIRWISE: compare_pairwise,
    Mode.LISTWISE: compare_listwise,
    Mode.GRID: compare_grid,
}


class PromptedQuestionSimilarity:
    """Labels by asking a model about one or many pairs at a time.

    Args:
        assessor: Asks.
        material: What the prompts on a rubric's topic show.
        mode: About how many pairs.
    """

    def __init__(
        self, assessor: Assessor, material: Callable[[Rubric], TopicMaterial], mode: Mode
    ) -> None:
        self._assessor = assessor
        self._material = material
        self._compare = COMPARE[mode]

    async def __call__(self, case: RubricCase[Questions]) -> list[Judgment]:
        """Return one judgment for each pair, by rubric question, then submitted question."""
        texts = [one_line(question.text) for question in case.submission]
        readable = [text for text in texts if text]
        rows: list[list[Judgment]] = [[] for _ in case.rubric.questions]
        if readable:
            rows = await self._compare(self._assessor, self._material(case.rubric), readable)
        nothing = Judgment(_SCALE.lowest, NOTHING)
        return [next(given) if text else nothing for given in map(iter, rows) for text in texts]


def _cells(answer: GridVerdict) -> Iterable[tuple[str, Judgment]]:
    for candidate in answer.candidates:
        for one in candidate.labels:
            yield (
                f"{one.target_id} {candidate.question_id}",
                Judgment(one.label, candidate.reason),
            )


def _numbered(letter: str, texts: Iterable[str]) -> list[Line]:
    return [Line(f"{letter}{number}", text) for number, text in enumerate(texts, start=1)]


def _labelled(topic: TopicMaterial, target: RubricQuestion) -> list[Line]:
    return [Line(example.labels[target.rank], example.text) for example in topic.questions]


def _near(targets: Sequence[Line], labels: Iterable[str]) -> str:
    near = [
        f"{target.name} {label}"
        for target, label in zip(targets, labels, strict=True)
        if label != _SCALE.lowest
    ]
    return ", ".join(near) or "none"
