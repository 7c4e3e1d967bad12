"""Judges for the command `auto-judge` of TREC AutoJudge, one without a model and one that asks it.

The command comes with the package autojudge-base, whose `LeaderboardJudgeProtocol` both follow.
Their workflows are `autojudge.yml` and `autojudge_model.yml` beside this file. The judge that asks
a model does all three phases: nuggets from the documents that reports carry, relevance of these
documents, and a leaderboard by the nuggets that reports tell.

Every reply is kept under what was asked, without the address of the server: the same command with
the server switched off gives the same files, and a model on another port is not asked again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from autojudge_base import LeaderboardBuilder, LeaderboardSpec, MeasureSpec, Qrels
from autojudge_base.nugget_data.nuggetizer import (
    NuggetizerNugget,
    NuggetizerNuggetBank,
    NuggetizerNuggetBanks,
)
from autojudge_base.qrels import QrelRow

from sidelight.cli.options import DEFAULT_AT_ONCE, REPLIES, track_of_scale
from sidelight.errors import InputError, ReplyError, UsageError
from sidelight.evaluation.labelling.asking import Assessor
from sidelight.evaluation.labelling.judged_runs import judge_runs
from sidelight.evaluation.labelling.passage_grade import DIRECT_METHODS, PromptedDirectGrades
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.evaluation.labelling.support import assess_support
from sidelight.evaluation.nuggets.create import assign_prompted, assign_runs, create_nuggets
from sidelight.evaluation.scoring.measures import score_nuggets, score_support
from sidelight.evaluation.scoring.score import score_reports
from sidelight.evaluation.scoring.table import ScoreTable
from sidelight.formats.banks.nuggets import write_nugget_assignments
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import read_assessments, write_support_sentences
from sidelight.llm.prompted import PromptedModel
from sidelight.schemas.grading.judgment import JudgedSentence, Unjudged
from sidelight.schemas.grading.rubric import Nugget, NuggetAssignment, NuggetBank
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from sidelight.tracks import Track, load_track
from sidelight.wiring.judges import JudgeInputs, make_judge
from sidelight.wiring.models import ModelAccess, answered, ask, models_by_name

if TYPE_CHECKING:
    from autojudge_base import Leaderboard, LlmConfigProtocol, Report, Request

    T = TypeVar("T")

_EMBEDDED = "embedded"

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
        """Return the scores of all runs; write the labels behind them into `outdir`.

        A topic on which a run has no report counts as 0. `rubrics` is a folder; without it, reports
        are scored by support.
        """
        reports = list(rag_responses)
        topic_ids = [topic.request_id for topic in rag_topics]
        if rubrics is None:
            asked = {one.request_id: one.problem_statement or one.title or "" for one in rag_topics}
            return leaderboard(_by_support(reports, asked, outdir))
        return leaderboard(_by_rubrics(reports, topic_ids, Path(rubrics), outdir))


def _by_support(reports: Sequence[Report], asked: Mapping[str, str], outdir: Path) -> ScoreTable:
    by_words = make_judge(_EMBEDDED, JudgeInputs(encoder=None))

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
    judge = make_judge(_EMBEDDED, JudgeInputs(rubrics, encoder=None))
    asyncio.run(
        judge_runs(judge, TaskRuns(track.cited_text, rubrics, report_runs(reports)), outdir)
    )
    labels = read_assessments(outdir / REPORT_ANSWERS.file_name, REPORT_ANSWERS.kind, track.scales)
    tags = {report.metadata.run_id for report in reports}  # the folder may hold others
    return score_reports(track, rubrics, [one for one in labels if one.run_tag in tags])


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


ASSIGNMENT_FILE = "nugget_assignments.jsonl"

_DIRECT = "UMBRELA"


class SidelightModelJudge:
    """Makes nuggets, grades documents and scores reports by asking a model."""

    nugget_banks_type: ClassVar[type] = NuggetizerNuggetBanks

    def create_nuggets(  # long: a third of it tells what it is given
        self,
        rag_responses: Iterable[Report],
        rag_topics: Sequence[Request],
        llm_config: LlmConfigProtocol,
        *,
        outdir: Path,
        nugget_banks: NuggetizerNuggetBanks | None = None,
        **_unused: object,
    ) -> NuggetizerNuggetBanks:
        """Return nuggets for every topic; those in `nugget_banks` stay as they are.

        Model replies are kept in `outdir`, unless `llm_config` names a folder.

        Raises:
            InputError: No report on a topic carries a document, or none holds a fact that bears
                on it.
            ReplyError: The model gave no usable answer on a topic; the others were asked about.
        """
        known = dict(nugget_banks.banks) if nugget_banks else {}
        texts = _documents(rag_responses)
        importance = track_of_scale("nuggets", None).scales["nugget_importance"]
        missing = [topic for topic in rag_topics if topic.request_id not in known]

        async def work(
            model: PromptedModel,
        ) -> tuple[dict[str, NuggetBank | None], dict[str, ReplyError]]:
            made = {
                topic.request_id: create_nuggets(
                    topic.request_id,
                    _query(topic),
                    list(texts.get(topic.request_id, {}).values()),
                    [model],
                    importance,
                )
                for topic in missing
            }
            return await answered(made)

        # The workflow goes on with nuggets of all topics or of none; replies are kept.
        found, failed = _asked(llm_config, outdir, work) if missing else ({}, {})
        for error in failed.values():
            raise error
        for topic in missing:
            bank = found[topic.request_id]
            if bank is None:
                raise InputError(
                    f"the documents of reports on the topic {topic.request_id} hold no fact "
                    "that bears on it",
                    remedy="Give reports with their documents, or nuggets (--nugget-banks).",
                )
            known[topic.request_id] = NuggetizerNuggetBank(
                query=_query(topic),
                qid=topic.request_id,
                nuggets=[
                    NuggetizerNugget(text=one.text, importance=one.importance.name)
                    for one in bank.nuggets
                ],
            )
        return NuggetizerNuggetBanks.from_banks_list(
            [known[topic.request_id] for topic in rag_topics]
        )

    def create_qrels(
        self,
        rag_responses: Iterable[Report],
        rag_topics: Sequence[Request],
        llm_config: LlmConfigProtocol,
        *,
        outdir: Path,
        **_unused: object,
    ) -> Qrels:
        """Return how relevant each document of a report is, 0 to 3; unjudged ones are left out."""
        texts = _documents(rag_responses)
        pairs = [
            (topic.request_id, name, _query(topic), text)
            for topic in rag_topics
            for name, text in texts.get(topic.request_id, {}).items()
        ]

        async def work(model: PromptedModel) -> list[QrelRow]:
            grade = PromptedDirectGrades(DIRECT_METHODS[_DIRECT], model, llm_config.model)
            judged = await asyncio.gather(*(grade(query, text) for _, _, query, text in pairs))
            return [
                QrelRow(topic_id, name, int(one.label))
                for (topic_id, name, *_), one in zip(pairs, judged, strict=True)
                if not isinstance(one.label, Unjudged)
            ]

        return Qrels(rows=_asked(llm_config, outdir, work) if pairs else [])

    def judge(
        self,
        rag_responses: Iterable[Report],
        rag_topics: Sequence[Request],
        llm_config: LlmConfigProtocol,
        *,
        outdir: Path,
        nugget_banks: NuggetizerNuggetBanks | None = None,
        **_unused: object,
    ) -> Leaderboard:
        """Return the scores of all runs by nuggets; write the labels behind them into `outdir`.

        A topic on which a run has no report counts as 0; a topic without nuggets raises InputError.
        """
        track = track_of_scale("nuggets", None)
        banks = {
            topic.request_id: _bank(topic.request_id, nugget_banks, track) for topic in rag_topics
        }
        queries = {topic.request_id: _query(topic) for topic in rag_topics}
        runs = report_runs(rag_responses)

        async def work(model: PromptedModel) -> list[NuggetAssignment]:
            assigner = partial(assign_prompted, Assessor(model))
            return await assign_runs(runs, banks, queries, assigner)

        found = _asked(llm_config, outdir, work)
        write_nugget_assignments(outdir / ASSIGNMENT_FILE, found)
        return leaderboard(score_nuggets(found, track.scales, banks))


def _query(topic: Request) -> str:
    """Return all that a topic says of what is wanted."""
    said = (topic.title, topic.problem_statement, topic.background)
    return "\n".join(dict.fromkeys(part for part in said if part))


def _documents(reports: Iterable[Report]) -> dict[str, dict[str, str]]:
    """Return topic id -> document id -> text, of all documents that reports carry."""
    found: dict[str, dict[str, str]] = {}
    for report in reports:
        for name, document in sorted((report.documents or {}).items()):
            found.setdefault(report.metadata.topic_id, {}).setdefault(name, document.text)
    return {topic_id: dict(sorted(texts.items())) for topic_id, texts in found.items()}


def _bank(topic_id: str, given: NuggetizerNuggetBanks | None, track: Track) -> NuggetBank:
    nuggets = given.banks[topic_id].nuggets if given and topic_id in given.banks else []
    importance = track.scales["nugget_importance"]
    labels = {label.name: label for label in importance.labels}
    known = tuple(
        Nugget(text=one.text, importance=labels[one.importance])
        for one in nuggets
        if one.importance in labels
    )
    if not known:
        raise InputError(
            f"there are no nuggets for the topic {topic_id}",
            remedy="Let the workflow make them (create_nuggets), or give them (--nugget-banks).",
        )
    return NuggetBank(topic_id=topic_id, nuggets=known)


def _asked(
    config: LlmConfigProtocol, outdir: Path, work: Callable[[PromptedModel], Awaitable[T]]
) -> T:
    """Do some work with the configured model; its replies are kept."""
    if not config.model:
        raise UsageError("the judge asks a model, and none is named", remedy="Set OPENAI_MODEL.")
    access = ModelAccess(
        cache=Path(config.cache_dir or outdir / REPLIES), base_url=getattr(config, "base_url", None)
    )

    async def with_model(models: Mapping[str, PromptedModel]) -> T:
        return await work(models[config.model])

    return asyncio.run(ask(models_by_name([config.model], DEFAULT_AT_ONCE), access, with_model))
