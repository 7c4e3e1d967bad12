"""Wiring of roles: the performer of each step, and its extractive fallback."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from sidelight.config.settings import ModelSettings, Settings
from sidelight.errors import InputError, UsageError
from sidelight.generation.no_evidence import NOTHING_FOUND
from sidelight.generation.roles import Roles
from sidelight.llm.base import Model
from sidelight.llm.prompted import PromptedModel
from sidelight.parts import ROLES
from sidelight.registry import load, make, needs
from sidelight.runs.log import TopicLog, with_fallback
from sidelight.schemas.task import CitedTextTask
from sidelight.tracks import Track, load_track
from sidelight.wiring.models import Models, sampling

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode


Offers = dict[str, Callable[[], object]]


PLAIN = "extractive"
"""Who steps in for a performer whose model gave no usable answer."""

_ASKING = frozenset({"writer", "checker"})


REPORT_ROLES = frozenset({"write_report", "check_report", "revise_report"})
"""Roles that nobody performs on a track that asks for no cited text."""


def roles_of(track: Track) -> tuple[str, ...]:
    """Return the roles that a track's tasks call for, in their order."""
    if track.find(CitedTextTask):
        return ROLES
    return tuple(role for role in ROLES if role not in REPORT_ROLES)


def chosen_performers(settings: Settings) -> dict[str, type]:
    """Return the class that performs each role that the track calls for.

    Raises:
        UsageError: A name stands for none, or its class cannot perform the role.
        MachineError: A package that one needs is not installed.
    """
    roles = roles_of(load_track(settings.track))
    return {role: load(f"role.{role}", settings.roles.performer(role)) for role in roles}


def models_asked(performer: type) -> frozenset[str]:
    """Return which models a performer asks, as its constructor says: `writer`, `checker`."""
    return _ASKING.intersection(needs(performer))


def model_named(settings: Settings, model: str) -> ModelSettings | None:
    """Return the settings of a model; the writer does what no other is named for."""
    named: ModelSettings | None = getattr(settings.models, model)
    return named or settings.models.writer


async def open_named(
    settings: Settings, models: Models, model: str, who_asks: str
) -> tuple[Model, ModelSettings]:
    """Return a model and its settings, opened.

    Args:
        settings: Name the models.
        models: Opens them.
        model: What it does: `writer`, `checker` or `ranker`.
        who_asks: Who asks it, and the verb, for the message.

    Raises:
        UsageError: The settings name none.
    """
    named = model_named(settings, model)
    if named is None:
        name = "ranker" if model == "ranker" else "writer"
        raise UsageError(
            f"{who_asks} a model, and the settings name none",
            remedy=f"Name one: --set models.{name}.name=NAME, or take a configuration from "
            "configs/",
        )
    return await models.named(named), named


async def open_roles(
    settings: Settings, models: Models, encode: Encode
) -> Callable[[TopicLog], Roles]:
    """Return what makes fresh roles for one topic; models are opened once for all of them.

    Raises:
        UsageError: A role asks a model that the settings do not name.
    """
    performers = chosen_performers(settings)
    asked = {role: models_asked(performer) for role, performer in performers.items()}
    asking = ", ".join(sorted(role for role, names in asked.items() if names))
    opened = {
        name: await open_named(settings, models, name, f"{asking} ask")
        for name in sorted(set().union(*asked.values()))
    }

    def of_topic(log: TopicLog) -> Roles:
        asks = {name: asked_model(*model, log) for name, model in opened.items()}
        offered = offers(settings, encode, asks)
        made: dict[str, Any] = dict.fromkeys(ROLES, _nobody)
        for role, performer in performers.items():
            made[role] = log.timed(role, _performs(role, performer, offered, log))
        return Roles(**made)

    return of_topic


def _performs(role: str, performer: type, offered: Offers, log: TopicLog) -> Any:
    """Return what performs a role; one that asks a model has somebody to step in for it."""
    name = f"performer of {role}"
    if not models_asked(performer):
        return make(name, performer, offered)
    instead = log.instead(role, plain_performer(role, offered))
    return with_fallback(make(name, performer, offered | {"instead": lambda: instead}), instead)


async def _nobody(*_: object) -> NoReturn:
    raise InputError("a role was to be performed that the track does not call for")


def asked_model(model: Model, settings: ModelSettings, log: TopicLog) -> PromptedModel:
    """Return a model asked as its settings say, each call noted in a log."""
    return PromptedModel(model, sampling(settings), log.record, revision=settings.revision)


def plain_performer(role: str, offered: Offers) -> Any:
    """Return what performs a role without a model."""
    return make(f"performer of {role}", load(f"role.{role}", PLAIN), offered)


def offers(settings: Settings, encode: Encode, asks: Mapping[str, PromptedModel]) -> Offers:
    """Return what the constructors of performers may ask for on one topic, by name.

    Those with a model and those without remember apart: what shares a batch of the encoder must not
    hang on when a reply comes.
    """
    from sidelight.text_vectors import TextVectors

    track, investigation = load_track(settings.track), settings.investigation
    sentences, vectors = TextVectors(encode), TextVectors(encode)
    return {
        "writer": lambda: asks["writer"],
        "checker": lambda: asks["checker"],
        "encode": lambda: vectors,
        "sentences": lambda: sentences,
        "max_rounds": lambda: investigation.max_rounds,
        "min_gain": lambda: investigation.min_gain,
        "queries_per_round": lambda: investigation.queries_per_round,
        "segments_per_angle": lambda: investigation.segments_per_angle,
        "drafts": lambda: investigation.drafts,
        "questions_per_topic": lambda: track.question_list.count,
        "max_question_characters": lambda: track.question_list.max_characters,
        "max_report_words": lambda: track.cited_text.max_words,
        "min_report_words": lambda: track.cited_text.thin_words,
        "max_citations": lambda: track.cited_text.citations_written,
        "nothing_found": lambda: NOTHING_FOUND,
    }
