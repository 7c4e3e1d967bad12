"""From settings to roles: who performs each step, and who steps in where a model is no use."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.build.models import sampling
from sidelight.errors import UsageError
from sidelight.generation.roles import Roles
from sidelight.llm.prompted import PromptedModel
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidelight.build.models import Models
    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.generation.roles import Encode
    from sidelight.llm.base import Model
    from sidelight.runs.log import TopicLog

_PLAIN = "extractive"


async def open_roles(
    settings: Settings, models: Models, encode: Encode
) -> Callable[[TopicLog], Roles]:
    """Return what makes fresh roles for one topic; models are opened once for all of them.

    Raises:
        UsageError: A role asks a model that the settings do not name.
    """
    chosen = {
        role.name: getattr(settings.roles, role.name) or settings.roles.default
        for role in fields(Roles)
    }
    asking = sorted(role for role, performer in chosen.items() if performer != _PLAIN)
    if not asking:
        return partial(_timed, lambda _: extractive_roles(settings, encode))
    writer = settings.models.writer
    if writer is None:
        raise UsageError(
            f"{', '.join(asking)} ask a model, and the settings name none",
            remedy="Name one: --set models.writer.name=NAME, or take a configuration from configs/",
        )
    checker = settings.models.checker or writer
    writes, checks = await models.named(writer), await models.named(checker)

    def make(log: TopicLog) -> Roles:
        plain = extractive_roles(settings, encode)
        prompted = _prompted_roles(
            settings, encode, asked_model(writes, writer, log), asked_model(checks, checker, log)
        )
        performers: dict[str, Any] = {
            role: log.with_fallback(role, prompted[role, performer], getattr(plain, role))
            if performer != _PLAIN
            else getattr(plain, role)
            for role, performer in chosen.items()
        }
        return Roles(**performers)

    return partial(_timed, make)


def _timed(make: Callable[[TopicLog], Roles], log: TopicLog) -> Roles:
    roles = make(log)
    performers: dict[str, Any] = {
        role.name: log.timed(role.name, getattr(roles, role.name)) for role in fields(Roles)
    }
    return Roles(**performers)


def asked_model(model: Model, settings: ModelSettings, log: TopicLog) -> PromptedModel:
    """Return a model asked as its settings say, each call noted in a log."""
    return PromptedModel(model, sampling(settings), log.record, revision=settings.revision)


def extractive_roles(settings: Settings, encode: Encode) -> Roles:
    """Return fresh roles for one topic: they remember the sentences they have encoded."""
    from sidelight.checks.support import LexicalSupportCheck
    from sidelight.generation.extractive.coverage import ExtractiveAssessor
    from sidelight.generation.extractive.plan import ExtractivePlanner
    from sidelight.generation.extractive.profile import ExtractiveProfiler
    from sidelight.generation.extractive.questions import ExtractiveQuestionWriter
    from sidelight.generation.extractive.report import ExtractiveReportWriter
    from sidelight.generation.extractive.revise import ExtractiveReviser
    from sidelight.generation.extractive.rubric import ExtractiveRubricDrafter
    from sidelight.generation.extractive.select import ExtractiveSelector
    from sidelight.generation.extractive.sentence_index import SentenceIndex
    from sidelight.generation.support_checker import SupportChecker

    track = load_track(settings.track)
    investigation = settings.investigation
    index = SentenceIndex(encode)
    return Roles(
        profile_article=ExtractiveProfiler(),
        draft_rubric=ExtractiveRubricDrafter(),
        plan_queries=ExtractivePlanner(investigation.queries_per_round),
        select_evidence=ExtractiveSelector(index, investigation.segments_per_angle),
        assess_coverage=ExtractiveAssessor(investigation.max_rounds, investigation.min_gain),
        write_questions=ExtractiveQuestionWriter(
            index, track.question_list.count, track.question_list.max_characters
        ),
        write_report=ExtractiveReportWriter(index, track.cited_text.max_words),
        check_report=SupportChecker(LexicalSupportCheck()),
        revise_report=ExtractiveReviser(track.cited_text.max_words),
    )


def _prompted_roles(
    settings: Settings, encode: Encode, writer: PromptedModel, checker: PromptedModel
) -> dict[tuple[str, str], Any]:
    """Return every performer with a model, by role and name."""
    from sidelight.checks.compound import PromptedCompoundCheck
    from sidelight.checks.support import PromptedSupportCheck
    from sidelight.generation.extractive.sentence_index import SentenceIndex
    from sidelight.generation.prompted.assess_coverage.coverage import PromptedAssessor
    from sidelight.generation.prompted.draft_rubric.rubric import PromptedRubricDrafter
    from sidelight.generation.prompted.plan_queries.plan import PromptedPlanner
    from sidelight.generation.prompted.profile_article.profile import PromptedProfiler
    from sidelight.generation.prompted.revise_report.revise import PromptedReviser
    from sidelight.generation.prompted.select_evidence.select import PromptedSelector
    from sidelight.generation.prompted.write_questions.questions import PromptedQuestionWriter
    from sidelight.generation.prompted.write_questions.questions_2024 import (
        OrganizersQuestionWriter,
    )
    from sidelight.generation.prompted.write_report.report import PromptedReportWriter
    from sidelight.generation.support_checker import SupportChecker

    track = load_track(settings.track)
    investigation = settings.investigation
    count, max_characters = track.question_list.count, track.question_list.max_characters
    encode = SentenceIndex(encode).vectors  # a text that comes again is not encoded again
    return {
        ("profile_article", "prompted"): PromptedProfiler(writer),
        ("draft_rubric", "prompted"): PromptedRubricDrafter(writer, encode),
        ("plan_queries", "prompted"): PromptedPlanner(writer, investigation.queries_per_round),
        ("select_evidence", "prompted"): PromptedSelector(writer, investigation.segments_per_angle),
        ("assess_coverage", "prompted"): PromptedAssessor(
            writer, investigation.max_rounds, investigation.min_gain
        ),
        ("write_questions", "prompted"): PromptedQuestionWriter(
            writer, encode, PromptedCompoundCheck(checker), count, max_characters
        ),
        ("write_questions", "organizers-2024"): OrganizersQuestionWriter(
            writer, count, max_characters, example=False
        ),
        ("write_questions", "organizers-2024-example"): OrganizersQuestionWriter(
            writer, count, max_characters, example=True
        ),
        ("write_report", "prompted"): PromptedReportWriter(
            writer, encode, track.cited_text.max_words
        ),
        ("check_report", "prompted"): SupportChecker(PromptedSupportCheck(checker)),
        ("revise_report", "prompted"): PromptedReviser(writer, encode, track.cited_text.max_words),
    }
