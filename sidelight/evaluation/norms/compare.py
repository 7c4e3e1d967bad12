"""The same reports graded by rubrics and by pooled nuggets, with one judge for both.

Source: DRAGUN resources paper, section 6, which asks how rankings change between the two and
whether nuggets from reports miss angles that experts find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.agreement.ranks import ScoreComparison, compare_scores
from sidelight.evaluation.labelling.assess import assess
from sidelight.evaluation.labelling.embedded import EmbeddedJudge
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.evaluation.norms.pooled import as_rubric, missed_questions, pool_nuggets
from sidelight.evaluation.scoring.score import score_reports
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.bank import NuggetBank  # noqa: TC001 - a NamedTuple reads them
from sidelight.schemas.grading.rubric import RubricQuestion  # noqa: TC001
from sidelight.text_vectors import TextVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder
    from sidelight.evaluation.scoring.table import TopicScore
    from sidelight.schemas.grading.label_scale import LabelScale
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import ReportRun
    from sidelight.tracks import Track


class NormComparison(NamedTuple):
    """How far two ways of grading agree.

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

    Args:
        track: Whose measure of cited texts counts, the first it has.
        rubrics: Topic id -> rubric; other topics do not count.
        runs: At least three.
        importance: Of pooled nuggets.
        encoder: For the judge, which labels both sides; None goes by words only.
        nuggets: Topic id -> nuggets to grade by; None pools them from the runs.
        n_samples: Bootstrap samples of runs.
        seed: Of the samples.

    Raises:
        InputError: There are fewer than three runs, or none on a topic with a rubric.
    """
    if encoder:  # pool and both judges read the same texts
        encoder = encoder._replace(encode=TextVectors(encoder.encode))
    model = AnswerModel.load(encoder and encoder.encode)
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
    judge = EmbeddedJudge(rubrics, encoder=encoder)
    cases = TaskRuns(track.cited_text, rubrics, runs).cases()
    found = await assess(
        judge, REPORT_ANSWERS, ((run_tag, case) for (_, run_tag), case in cases.items())
    )
    return score_reports(track, rubrics, found).topics
