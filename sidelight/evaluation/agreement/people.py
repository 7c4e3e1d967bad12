"""Runs ranked by two norms: the same reports by rubrics and by pooled nuggets, by one judge.

Source: section 6 of the DRAGUN resources paper, which asks how rankings change between the two and
whether nuggets from reports miss angles that experts find. Pooled nuggets come from the reports
that are to be graded by them, as in pooling instruments. A sentence of a report is a nugget unless
another nugget of the topic already tells it. A nugget that more than one report tells is vital.
What no report says can be no nugget: that is what pooling misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidelight.evaluation.agreement.ranks import ScoreComparison, compare_scores
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns, assess
from sidelight.evaluation.scoring.score import score_reports
from sidelight.evaluation.scoring.table import TopicScore
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.judgment import LabelScale
from sidelight.schemas.grading.rubric import (
    Nugget,
    NuggetBank,
    Rubric,
    RubricAnswer,
    RubricQuestion,
)
from sidelight.schemas.run import ReportRun
from sidelight.text_vectors import SentenceEncoder, TextVectors
from sidelight.tracks import Track

MOST = 30
"""Nuggets of a topic, as nuggetizer has by default."""

_FULL = 2
# Below, a sentence is a heading or a remark rather than a fact.
_MIN_WORDS = 5


def pool_nuggets(
    runs: Iterable[ReportRun], model: AnswerModel, importance: LabelScale, most: int = MOST
) -> dict[str, NuggetBank]:
    """Return the nuggets of every topic that has one, those that most reports tell first.

    The first label of `importance` is for what several reports tell, its last for the rest.
    """
    texts: dict[str, list[Sequence[str]]] = {}
    for run in runs:
        for report in run.reports:
            sentences = [one.text for one in report.responses]
            texts.setdefault(report.metadata.topic_id, []).append(sentences)
    return {
        topic_id: NuggetBank(topic_id=topic_id, nuggets=nuggets)
        for topic_id, reports in sorted(texts.items())
        if (nuggets := _of_topic(reports, model, importance, most))
    }


def as_rubric(bank: NuggetBank) -> Rubric:
    """Return nuggets as a rubric: each is the one answer of a question of its importance."""
    return Rubric(
        topic_id=bank.topic_id,
        questions=tuple(
            RubricQuestion(
                question_id=f"{bank.topic_id}-{rank}",
                rank=rank,
                text=nugget.text,
                importance=nugget.importance,
                answers=(RubricAnswer(answer_id=f"na-{rank}", text=nugget.text),),
            )
            for rank, nugget in enumerate(bank.nuggets, start=1)
        ),
    )


def missed_questions(
    rubrics: Mapping[str, Rubric], banks: Mapping[str, NuggetBank], model: AnswerModel
) -> dict[str, tuple[RubricQuestion, ...]]:
    """Return the questions of each rubric no answer of which any nugget tells, even in part."""
    missed = {}
    for topic_id, rubric in rubrics.items():
        bank = banks.get(topic_id)
        text = "" if bank is None else "\n".join(nugget.text for nugget in bank.nuggets)
        items = [answer.text for answer in rubric.answers]
        levels = iter([one.level for one in model.judge(items, text, max_words=None)])
        missed[topic_id] = tuple(
            question
            for question in rubric.questions
            if not max([next(levels) for _ in question.answers])
        )
    return missed


def _of_topic(
    reports: Sequence[Sequence[str]], model: AnswerModel, importance: LabelScale, most: int
) -> tuple[Nugget, ...]:
    sentences = list(
        dict.fromkeys(
            text for report in reports for text in report if len(text.split()) >= _MIN_WORDS
        )
    )
    if not sentences:
        return ()
    told_by = [0] * len(sentences)
    for report in reports:
        verdicts = model.judge(sentences, " ".join(report), max_words=None)
        for place, verdict in enumerate(verdicts):
            told_by[place] += verdict.level == _FULL or sentences[place] in report
    chosen: list[Nugget] = []
    left = sorted(range(len(sentences)), key=lambda place: -told_by[place])
    while left and len(chosen) < most:
        place, *left = left
        label = importance.labels[0 if told_by[place] > 1 else -1]
        chosen.append(Nugget(text=sentences[place], importance=label))
        others = [sentences[other] for other in left]
        told = model.judge(others, sentences[place], max_words=None)
        left = [other for other, one in zip(left, told, strict=True) if one.level < _FULL]
    return tuple(chosen)


class NormComparison(NamedTuple):
    """Agreement of two ways of grading.

    Attributes:
        ranks: Of the runs by rubrics, the reference, and by nuggets.
        nuggets: Topic id -> what the second side graded by.
        missed: Topic id -> questions of the rubric no answer of which a nugget tells.
    """

    ranks: ScoreComparison
    nuggets: dict[str, NuggetBank]
    missed: dict[str, tuple[RubricQuestion, ...]]


async def compare_norms(
    track: Track,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[ReportRun],
    importance: LabelScale,
    encoder: SentenceEncoder | None,
    *,
    nuggets: Mapping[str, NuggetBank] | None = None,
    n_samples: int = 1000,
    seed: int = 0,
) -> NormComparison:
    """Grade runs by rubrics and by nuggets, and compare the two rankings.

    The track's first measure of cited texts counts, on topics of `rubrics`, for at least three
    runs. One judge labels both sides; without an encoder it goes by words only. Without `nuggets`,
    by topic id, they are pooled from the runs; `importance` is the scale of such nuggets.
    """
    if encoder:  # pool and both judges read the same texts
        encoder = encoder._replace(encode=TextVectors(encoder.encode))
    model = AnswerModel(encoder)
    pooled = pool_nuggets(runs, model, importance) if nuggets is None else nuggets
    banks = {topic_id: bank for topic_id, bank in pooled.items() if topic_id in rubrics}
    as_rubrics = {topic_id: as_rubric(bank) for topic_id, bank in banks.items()}
    ranks = compare_scores(
        await _scores(track, rubrics, runs, encoder),
        await _scores(track, as_rubrics, runs, encoder),
        track.cited_text.measures[0].name,
        n_samples=n_samples,
        seed=seed,
    )
    return NormComparison(ranks, banks, missed_questions(rubrics, banks, model))


async def _scores(
    track: Track,
    rubrics: Mapping[str, Rubric],
    runs: Sequence[ReportRun],
    encoder: SentenceEncoder | None,
) -> Sequence[TopicScore]:
    judge = EmbeddedJudge(encoder=encoder)
    cases = TaskRuns(track.cited_text, rubrics, runs).cases()
    found = await assess(
        judge, REPORT_ANSWERS, ((run_tag, case) for (_, run_tag), case in cases.items())
    )
    return score_reports(track, rubrics, found).topics
