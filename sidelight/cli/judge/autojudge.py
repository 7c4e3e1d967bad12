"""The judges that need no model, as a judge of TREC AutoJudge's `auto-judge` command.

The command comes with the package autojudge-base, whose `LeaderboardJudgeProtocol` this follows;
`autojudge.yml` beside this file is the workflow it wants.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from autojudge_base import LeaderboardBuilder, LeaderboardSpec, MeasureSpec

from sidelight.build.judges import JudgeInputs, make_judge
from sidelight.errors import InputError
from sidelight.evaluation.labelling.judged_runs import judge_runs
from sidelight.evaluation.labelling.report_answers.protocol import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.evaluation.labelling.support.sentences import assess_support
from sidelight.evaluation.scoring.score import score_reports
from sidelight.evaluation.scoring.support import score_support
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import read_assessments
from sidelight.formats.labels.support_sentences import write_support_sentences
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from autojudge_base import Leaderboard, Report, Request

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.judgment import JudgedSentence

_JUDGE = "embedded"

SENTENCE_FILE = "auto_support_sentences.csv"


class SidelightJudge:
    """Scores reports by rubrics where they are given, else by the documents they carry.

    By rubrics the embedded judge decides as it was shipped, since it has no examples here.
    Without rubrics every sentence is held, by words, against what it cites.
    """

    def judge(
        self,
        rag_responses: Iterable[Report],
        rag_topics: Sequence[Request],
        *,
        outdir: Path,
        rubrics: str | None = None,
        **_unused: object,
    ) -> Leaderboard:
        """Return the scores of all runs; write the labels behind them.

        Args:
            rag_responses: The reports of all runs.
            rag_topics: The topics that count; one on which a run has no report counts as 0.
            outdir: Where the labels go.
            rubrics: The folder of the rubrics; None to score by support.
            **_unused: What else the command hands every judge, such as a model.

        Raises:
            InputError: A run has two reports for a topic; with rubrics, a topic lacks one; without
                them, a report is on none of the topics.
        """
        reports = list(rag_responses)
        topic_ids = [topic.request_id for topic in rag_topics]
        if rubrics is None:
            asked = {one.request_id: one.problem_statement or one.title or "" for one in rag_topics}
            return leaderboard(_by_support(reports, asked, outdir))
        return leaderboard(_by_rubrics(reports, topic_ids, Path(rubrics), outdir))


def _by_support(reports: Sequence[Report], asked: Mapping[str, str], outdir: Path) -> ScoreTable:
    by_words = make_judge(_JUDGE, JudgeInputs(encoder=None))

    async def verdicts_on(report: Report) -> list[JudgedSentence]:
        # Reports may quote different parts of a document, so each is held against its own.
        texts = {key: document.text for key, document in (report.documents or {}).items()}
        return await assess_support(by_words, report_runs([report]), lambda _: texts, asked)

    async def all_verdicts() -> list[JudgedSentence]:
        return list(chain.from_iterable(await asyncio.gather(*map(verdicts_on, reports))))

    verdicts = asyncio.run(all_verdicts())
    table = score_support(report_runs(reports), verdicts, asked.keys())
    write_support_sentences(outdir / SENTENCE_FILE, verdicts)
    return table


def _by_rubrics(
    reports: Sequence[Report], topic_ids: Sequence[str], folder: Path, outdir: Path
) -> ScoreTable:
    track = load_track()
    known = read_rubrics(folder, track.scales)
    if lacking := sorted(set(topic_ids) - known.keys()):
        raise InputError(
            f"{folder} holds no rubric for the topic {lacking[0]}",
            remedy="Name the topics that have rubrics with --topic.",
        )
    rubrics = {topic_id: known[topic_id] for topic_id in topic_ids}
    judge = make_judge(_JUDGE, JudgeInputs(rubrics, encoder=None))
    asyncio.run(
        judge_runs(judge, TaskRuns(track.cited_text, rubrics, report_runs(reports)), outdir)
    )
    labels = read_assessments(outdir / REPORT_ANSWERS.file_name, REPORT_ANSWERS.kind, track.scales)
    return score_reports(track, rubrics, labels)


def report_runs(reports: Iterable[Report]) -> list[ReportRun]:
    """Return reports by the run id inside, by which the command tells runs apart."""
    submitted: dict[str, list[SubmittedReport]] = defaultdict(list)
    for report in reports:
        metadata = ReportMetadata(
            team_id=report.metadata.team_id,
            run_id=report.metadata.run_id,
            topic_id=report.metadata.topic_id,
        )
        responses = tuple(
            CitedSentence(text=sentence.text, citations=tuple(sentence.citations or ()))
            for sentence in report.get_sentences_with_citations()
        )
        submitted[metadata.run_id].append(SubmittedReport(metadata=metadata, responses=responses))
    return [ReportRun(run_tag=run_id, reports=tuple(found)) for run_id, found in submitted.items()]


def leaderboard(table: ScoreTable) -> Leaderboard:
    """Return scores as the command wants them."""
    measures = tuple(
        MeasureSpec(measure.name, description=measure.description) for measure in table.measures
    )
    builder = LeaderboardBuilder(LeaderboardSpec(measures=measures))
    for score in table.topics:
        builder.add(run_id=score.run_tag, topic_id=score.topic_id, values=score.values)
    return builder.build()
