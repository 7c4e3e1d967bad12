"""Question similarity: labels for pairs of rubric and submitted questions.

The learned labeller was trained on labels by assessors and is calibrated on examples, as that of
report answers is (below). The prompted labeller has three modes, which ask the same in prompts of
different size:

| mode | one call for | calls for the track's 33 runs |
|---|---|---|
| `pairwise`, the published one | one pair | 77,880 |
| `listwise` | one rubric question, all questions of a run | 7,788 |
| `grid` | all rubric questions, all questions of a run | 990 |

Prompts of a topic begin alike: the article, then the rubric question or questions, then labelled
examples; candidates come last. A model that sees several candidates at once may judge them
differently, so the mode is part of a judge's version.

Report answers: labels for how far a report gives each answer that a rubric expects.

A learned labeller is trained on people's labels, and its levels are calibrated on examples; see
`calibration`. The prompted one asks a language model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from sidelight.evaluation.labelling import calibration
from sidelight.evaluation.labelling.asking import NOTHING, Assessor
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import JudgeAgreement, Judgment, Mode, RubricCase
from sidelight.evaluation.labelling.rubric_cases import (
    QUESTION_SIMILARITY,
    REPORT_ANSWERS,
    Questions,
    TopicMaterial,
)
from sidelight.learned.models import AnswerModel, Looked
from sidelight.learned.ordinal_model import Values
from sidelight.learned.similarity import Expected, SimilarityModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import OneOf
from sidelight.schemas.grading.rubric import Rubric, RubricQuestion
from sidelight.schemas.run import SubmittedReport
from sidelight.text import one_line
from sidelight.text_vectors import Encode, SentenceEncoder

_SIMILARITY_SCALE = QUESTION_SIMILARITY.scale

# The labels of the model's levels: it does not tell kinds of difference, which earn nothing, apart.
_SIMILARITIES = (_SIMILARITY_SCALE.lowest, *_SIMILARITY_SCALE.levels[-2:])


class EmbeddedQuestionSimilarity:
    """Labels by `SimilarityModel`; examples tell how much people of this kind ask for.

    Without examples the model stays as it is, and without `encode` it goes by words alone. Labels
    less likely than `min_confidence` are withheld; see `level_labels`.

    Attributes:
        agreement: With people, on topics it was not calibrated on; None without examples.
        weights: A short hash of what the model learned.
    """

    def __init__(
        self, encode: Encode | None, examples: Examples | None, min_confidence: float
    ) -> None:
        self._model = SimilarityModel(encode)
        self.weights = self._model.weights
        self._untaught = calibration.ShiftedLevels(cuts=self._model.cuts)
        levels, self.agreement = self._learn(examples) if examples else (self._untaught, None)
        self._labels_of = partial(
            calibration.level_labels, levels, _SIMILARITY_SCALE, _SIMILARITIES, min_confidence
        )

    async def __call__(self, case: RubricCase[Questions]) -> list[Judgment]:
        """Return one judgment for each pair, by rubric question, then submitted question."""
        texts = [question.text for question in case.submission]
        if not texts:
            return []
        features, logits = self._look(case.rubric, texts)
        rows = features.reshape(-1, features.shape[-1])
        named = [list(zip(self._model.names, row, strict=True)) for row in rows]
        told = [", ".join(f"{name} {value:.2f}" for name, value in row) for row in named]
        return list(map(Judgment, self._labels_of(_open_rows(logits)), told))

    def _look(self, rubric: Rubric, texts: Sequence[str]) -> tuple[Values, Values]:
        expected = [
            Expected(question.text, tuple(answer.text for answer in question.answers))
            for question in rubric.questions
        ]
        return self._model.look(expected, texts)

    def _learn(self, examples: Examples) -> tuple[calibration.ShiftedLevels, JudgeAgreement | None]:
        """Fit the shifts of the levels to labels of question pairs."""
        rows: list[calibration.Features] = []
        labels, topics, runs = [], [], []
        for (run_tag, topic_id), items in calibration.by_submission(examples.question_labels):
            rubric = examples.rubrics[topic_id]
            places = {question.rank: place for place, question in enumerate(rubric.questions)}
            ranks = sorted({item.run_question_rank for item in items})
            texts = [examples.questions[run_tag, topic_id, rank].text for rank in ranks]
            _, logits = self._look(rubric, texts)
            chosen = [
                places[item.rubric_question_rank] * len(ranks) + ranks.index(item.run_question_rank)
                for item in items
            ]
            rows.append(_open_rows(logits)[chosen])
            labels += [_SIMILARITY_SCALE.coarse(str(item.label)) for item in items]
            topics += [topic_id] * len(items)
            runs += [run_tag] * len(items)
        if not rows:
            return self._untaught, None
        # Labels without credit count as one, as in the agreement the track published.
        names = [_SIMILARITY_SCALE.coarse(name) for name in _SIMILARITIES]
        levels = np.array([names.index(label) for label in labels])

        def labels_of(found: calibration.Levels) -> list[str]:
            return [names[level] for level in found]

        fit, x = partial(calibration.ShiftedLevels.fit, cuts=self._model.cuts), np.vstack(rows)
        return calibration.learn(fit, x, levels, labels, topics, runs, labels_of, self._untaught)


def _open_rows(logits: Values) -> calibration.Features:
    """Return rows for `calibration.ShiftedLevels`, `(n, 3)`, of which no rule limits the level."""
    flat = logits.reshape(-1, 2)
    return np.column_stack([flat, np.full(len(flat), 2.0)])


PAIRWISE = load_prompt(Path(__file__).with_name("pairwise.prompt.md"))
LISTWISE = load_prompt(Path(__file__).with_name("listwise.prompt.md"))
GRID = load_prompt(Path(__file__).with_name("grid.prompt.md"))

_Label: TypeAlias = Annotated[str, OneOf(_SIMILARITY_SCALE.names)]

SIMILARITY_PROMPTS = {Mode.PAIRWISE: PAIRWISE, Mode.LISTWISE: LISTWISE, Mode.GRID: GRID}


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


async def ask_similarity(
    assessor: Assessor,
    material: Callable[[Rubric], TopicMaterial],
    mode: Mode,
    case: RubricCase[Questions],
) -> list[Judgment]:
    """Return a model's judgment on each pair, by rubric question, then submitted question."""
    texts = [one_line(question.text) for question in case.submission]
    readable = [text for text in texts if text]
    rows: list[list[Judgment]] = [[] for _ in case.rubric.questions]
    if readable:
        rows = await COMPARE[mode](assessor, material(case.rubric), readable)
    nothing = Judgment(_SIMILARITY_SCALE.lowest, NOTHING)
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
        if label != _SIMILARITY_SCALE.lowest
    ]
    return ", ".join(near) or "none"


def rows_of(looked: Looked) -> calibration.Features:
    """Return the features of each item, `(n, 3)`."""
    return np.column_stack([looked.logits, np.array(looked.most, dtype=np.float64)])


_ANSWER_SCALE = REPORT_ANSWERS.scale
_LEVELS = _ANSWER_SCALE.levels  # none, partial, full, as those of the model

_MAX_QUOTED = 160  # characters


class EmbeddedReportAnswers:
    """Labels by `AnswerModel`, as `EmbeddedQuestionSimilarity` does by its model."""

    def __init__(
        self, encoder: SentenceEncoder | None, examples: Examples | None, min_confidence: float
    ) -> None:
        self._model = AnswerModel(encoder)
        self.weights = self._model.weights
        self._levels, self.agreement = (
            self._learn(examples) if examples else (calibration.ShiftedLevels(), None)
        )
        self._labels_of = partial(
            calibration.level_labels, self._levels, _ANSWER_SCALE, _LEVELS, min_confidence
        )

    def prepare(self, reports: Iterable[SubmittedReport]) -> None:
        """Encode reports that will be labelled, all at once, which is quicker than one by one."""
        self._model.prepare((((), report.text) for report in reports), max_words=None)

    async def __call__(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        """Return one judgment for each expected answer, in the rubric's order."""
        looked = self._look(case.rubric, case.submission)
        judgments = []
        verdicts = looked.verdicts(self._levels.shift)
        for verdict, likely in zip(verdicts, self._labels_of(rows_of(looked)), strict=True):
            label, told = likely, verdict.sentence
            if verdict.opposed:
                label, told = (
                    _ANSWER_SCALE.opposite or _ANSWER_SCALE.lowest,
                    verdict.opposed_sentence,
                )
            reason = verdict.reason or f"as likely as {max(verdict.probabilities):.2f}"
            judgments.append(Judgment(label, one_line(f"{reason}: {told[:_MAX_QUOTED]}")))
        return judgments

    def _look(self, rubric: Rubric, report: SubmittedReport) -> Looked:
        """Compare all answers of a rubric with a report, which was cut to its limit before."""
        answers = [answer.text for answer in rubric.answers]
        return self._model.look(answers, report.text, max_words=None)

    def _learn(self, examples: Examples) -> tuple[calibration.ShiftedLevels, JudgeAgreement | None]:
        """Fit the shifts of the levels to labels of rubric answers.

        Contradictions are left to rules, so they do not take part in the fit, but in the agreement.
        """
        rows: list[calibration.Features] = []
        opposed, labels, topics, runs = [], [], [], []
        for (run_tag, topic_id), items in calibration.by_submission(examples.answer_labels):
            rubric = examples.rubrics[topic_id]
            looked = self._look(rubric, examples.reports[run_tag, topic_id])
            place = {one.answer_id: row for row, one in enumerate(rubric.answers)}
            chosen = [place[item.answer_id] for item in items]
            rows.append(rows_of(looked)[chosen])
            opposed += [bool(looked.found.evidence[row].opposed) for row in chosen]
            labels += [str(item.label) for item in items]
            topics += [topic_id] * len(items)
            runs += [run_tag] * len(items)
        if not rows:
            return calibration.ShiftedLevels(), None
        x = np.vstack(rows)
        y = np.array(
            [
                calibration.UNFITTED if label == _ANSWER_SCALE.opposite else _LEVELS.index(label)
                for label in labels
            ]
        )
        labels_of = partial(_judged, opposed)
        fit, plain = calibration.ShiftedLevels.fit, calibration.ShiftedLevels()
        return calibration.learn(fit, x, y, labels, topics, runs, labels_of, plain)


def _judged(opposed: list[bool], levels: calibration.Levels) -> list[str]:
    """Return labels; what is said elsewhere in a report outweighs a sentence against it."""
    return [
        _ANSWER_SCALE.opposite
        if against and not level and _ANSWER_SCALE.opposite
        else _LEVELS[level]
        for level, against in zip(levels, opposed, strict=True)
    ]


REPORT_ANSWERS_PROMPT = load_prompt(Path(__file__).with_name("report_answers.prompt.md"))


class AnswerVerdict(Value):
    """What a report tells about one expected answer."""

    answer_id: str
    reason: str
    label: Annotated[str, OneOf(REPORT_ANSWERS.scale.names)]


class ReportVerdict(Value):
    """What a report tells about a rubric."""

    labels: tuple[AnswerVerdict, ...]


async def ask_answers(
    assessor: Assessor,
    material: Callable[[Rubric], TopicMaterial],
    case: RubricCase[SubmittedReport],
) -> list[Judgment]:
    """Return a model's judgment on each expected answer, in the rubric's order, by one call."""
    rubric, report = case
    answer_ids = [answer.answer_id for answer in rubric.answers]
    if not one_line(report.text):
        return [Judgment(REPORT_ANSWERS.scale.lowest, NOTHING)] * len(answer_ids)
    topic = material(rubric)
    return await assessor.judgments(
        (rubric.topic_id,),
        REPORT_ANSWERS_PROMPT,
        ReportVerdict,
        answer_ids,
        lambda answer: ((one.answer_id, Judgment(one.label, one.reason)) for one in answer.labels),
        article=topic.article,
        rubric=rubric,
        examples=topic.reports,
        report=report.text,
    )
