"""A judge that asks a model, as a judge of TREC AutoJudge's `auto-judge` command.

It does all three phases of the command: nuggets out of the documents that reports carry, relevance
of these documents, and a leaderboard by the nuggets that reports tell. The workflow is
`autojudge_model.yml` beside this file.

Every reply is kept under what was asked, without the address of the server: the same command with
the server switched off gives the same files, and a model on another port is not asked again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from autojudge_base import Qrels
from autojudge_base.nugget_data.nuggetizer import (
    NuggetizerNugget,
    NuggetizerNuggetBank,
    NuggetizerNuggetBanks,
)
from autojudge_base.qrels import QrelRow

from sidelight.build.models import ModelAccess, ask, models_by_name
from sidelight.cli.judge.autojudge import leaderboard, report_runs
from sidelight.cli.options.inputs import track_of_scale
from sidelight.cli.options.models import DEFAULT_AT_ONCE, REPLIES
from sidelight.errors import InputError, UsageError
from sidelight.evaluation.labelling.asking.assessor import Assessor
from sidelight.evaluation.labelling.direct_grade.prompted import PromptedDirectGrades
from sidelight.evaluation.labelling.direct_grade.protocol import DIRECT_METHODS, DirectCase
from sidelight.evaluation.nuggets.assign import PromptedAssigner
from sidelight.evaluation.nuggets.assigned_runs import assign_runs
from sidelight.evaluation.nuggets.create import create_nuggets
from sidelight.evaluation.nuggets.scores import score_nuggets
from sidelight.formats.labels.nugget_assignments import write_nugget_assignments
from sidelight.schemas.grading.bank import Nugget, NuggetBank
from sidelight.schemas.grading.judgment import Unjudged

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from typing import ClassVar, TypeVar

    from autojudge_base import Leaderboard, LlmConfigProtocol, Report, Request

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.grading.nugget_assignment import NuggetAssignment
    from sidelight.tracks import Track

    T = TypeVar("T")

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
        """Return nuggets for every topic, those that were given as they are.

        Args:
            rag_responses: Reports, whose documents are read.
            rag_topics: The topics.
            llm_config: The model.
            outdir: Where replies are kept, unless the configuration says.
            nugget_banks: Nuggets there are already.
            **_unused: What else the command hands every judge.

        Raises:
            InputError: No report on a topic carries a document, or none holds a fact that bears
                on it.
        """
        known = dict(nugget_banks.banks) if nugget_banks else {}
        texts = _documents(rag_responses)
        importance = _track().scales["nugget_importance"]
        missing = [topic for topic in rag_topics if topic.request_id not in known]

        async def work(model: PromptedModel) -> list[NuggetBank | None]:
            return await asyncio.gather(
                *(
                    create_nuggets(
                        topic.request_id,
                        _query(topic),
                        list(texts.get(topic.request_id, {}).values()),
                        [model],
                        importance,
                    )
                    for topic in missing
                )
            )

        found = _asked(llm_config, outdir, work) if missing else []
        for topic, bank in zip(missing, found, strict=True):
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
        """Return how relevant the documents of reports are, 0 to 3; what nobody could judge lacks.

        Args:
            rag_responses: Reports, whose documents are graded.
            rag_topics: The topics.
            llm_config: The model.
            outdir: Where replies are kept, unless the configuration says.
            **_unused: What else the command hands every judge.
        """
        texts = _documents(rag_responses)
        pairs = [
            (topic.request_id, name, DirectCase(_query(topic), text))
            for topic in rag_topics
            for name, text in texts.get(topic.request_id, {}).items()
        ]

        async def work(model: PromptedModel) -> list[QrelRow]:
            grade = PromptedDirectGrades(DIRECT_METHODS[_DIRECT], model, llm_config.model)
            judged = await asyncio.gather(*(grade(case) for _, _, case in pairs))
            return [
                QrelRow(topic_id, name, int(one.label))
                for (topic_id, name, _), (one,) in zip(pairs, judged, strict=True)
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
        """Return the scores of all runs by nuggets; write the labels behind them.

        Args:
            rag_responses: The reports of all runs.
            rag_topics: The topics that count; one on which a run has no report counts as 0.
            llm_config: The model.
            outdir: Where labels go, and replies unless the configuration says.
            nugget_banks: What reports should tell.
            **_unused: What else the command hands every judge.

        Raises:
            InputError: There are no nuggets for a topic.
        """
        track = _track()
        banks = {
            topic.request_id: _bank(topic.request_id, nugget_banks, track) for topic in rag_topics
        }
        queries = {topic.request_id: _query(topic) for topic in rag_topics}
        runs = report_runs(rag_responses)

        async def work(model: PromptedModel) -> list[NuggetAssignment]:
            return await assign_runs(runs, banks, queries, PromptedAssigner(Assessor(model)))

        found = _asked(llm_config, outdir, work)
        write_nugget_assignments(outdir / ASSIGNMENT_FILE, found)
        return leaderboard(score_nuggets(found, track.scales, banks))


def _track() -> Track:
    return track_of_scale("nuggets", None)


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
        cache=Path(config.cache_dir or outdir / REPLIES),
        base_url=getattr(config, "base_url", None),
    )

    async def with_model(models: Mapping[str, PromptedModel]) -> T:
        return await work(models[config.model])

    return asyncio.run(ask(models_by_name([config.model], DEFAULT_AT_ONCE), access, with_model))
