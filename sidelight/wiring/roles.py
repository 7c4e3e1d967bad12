"""Wiring of roles: the performer of each step, and its extractive fallback."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, get_type_hints

from sidelight.config.settings import ModelSettings, Settings
from sidelight.errors import InputError, UsageError
from sidelight.generation.compose import NOTHING_FOUND
from sidelight.generation.roles import Roles
from sidelight.llm.base import Model
from sidelight.llm.prompted import PromptedModel
from sidelight.parts import ROLES
from sidelight.registry import load, make, needs
from sidelight.runs.log import TopicLog, with_fallback
from sidelight.schemas.task import CitedTextTask
from sidelight.tracks import load_track
from sidelight.wiring.models import Models, sampling

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode


Offers = dict[str, Callable[[], object]]


PLAIN = "extractive"
"""Who steps in for a performer whose model gave no usable answer."""

_ASKING = frozenset({"writer", "checker"})


# Nobody performs them on a track that asks for no cited text.
_REPORT_ROLES = frozenset({"write_report", "check_report", "revise_report"})


def chosen_performers(settings: Settings) -> dict[str, type]:
    """Return the class that performs each role that the track calls for."""
    reports = load_track(settings.track).find(CitedTextTask) is not None
    used = [role for role in ROLES if reports or role not in _REPORT_ROLES]
    return {role: load(f"role.{role}", settings.roles.performer(role)) for role in used}


def models_asked(performer: type) -> frozenset[str]:
    """Return which models a performer asks, as its constructor says: `writer`, `checker`."""
    return _ASKING.intersection(needs(performer))


def model_named(settings: Settings, model: str) -> ModelSettings | None:
    """Return the settings of a model; the writer does what no other is named for."""
    named: ModelSettings | None = getattr(settings.models, model)
    return named or settings.models.writer


async def open_asked(
    settings: Settings, models: Models, names: Iterable[str], who_asks: str
) -> Callable[[TopicLog], dict[str, PromptedModel]]:
    """Return what makes models for one topic, whose log has each call; they are opened once.

    `names` are `writer`, `checker` or `ranker`. If the settings name no such model, UsageError is
    raised; its message begins with `who_asks`, a subject and its verb.
    """
    opened: list[tuple[str, Model, ModelSettings]] = []
    for name in sorted(names):
        found = model_named(settings, name)
        if found is None:
            named = "ranker" if name == "ranker" else "writer"
            raise UsageError(
                f"{who_asks} a model, but the settings name none",
                remedy=f"Name one: --set models.{named}.name=NAME, or take a configuration from "
                "configs/",
            )
        opened.append((name, await models.named(found), found))
    return lambda log: {
        name: PromptedModel(model, sampling(found), log.record, revision=found.revision)
        for name, model, found in opened
    }


async def open_roles(
    settings: Settings, models: Models, encode: Encode
) -> Callable[[TopicLog], Roles]:
    """Return what makes fresh roles for one topic; models are opened once for all of them."""
    performers = chosen_performers(settings)
    asked = {role: models_asked(performer) for role, performer in performers.items()}
    asking = ", ".join(sorted(role for role, names in asked.items() if names))
    asks = await open_asked(settings, models, set().union(*asked.values()), f"{asking} ask")

    def of_topic(log: TopicLog) -> Roles:
        offered = offers(settings, encode, asks(log))
        made: dict[str, Any] = dict.fromkeys(ROLES, _nobody)
        for role, performer in performers.items():
            work = _performs(role, performer, offered, log)
            if not performer.__module__.startswith("sidelight."):
                work = _returning(returned_by(role), work, performer)
            made[role] = log.timed(role, work)
        return Roles(**made)

    return of_topic


def _performs(role: str, performer: type, offered: Offers, log: TopicLog) -> Any:
    """Return what performs a role; one that asks a model has somebody to step in for it."""
    name = f"performer of {role}"
    if not models_asked(performer):
        return make(name, performer, offered)
    instead = log.instead(role, plain_performer(role, offered))
    return with_fallback(make(name, performer, offered | {"instead": lambda: instead}), instead)


def returned_by(role: str) -> Any:
    """Return the type of what performers of a role return."""
    return get_type_hints(get_type_hints(Roles)[role].__call__)["return"]


def _returning(kind: Any, work: Any, performer: type) -> Any:
    """Check what a performer of somebody's own returns, where its type is a class."""

    async def checked(*given: Any) -> Any:
        found = await work(*given)
        if isinstance(kind, type) and not isinstance(found, kind):
            raise UsageError(
                f"{performer.__module__}:{performer.__qualname__}: expected it to return a "
                f"{kind.__name__}; found a {type(found).__name__}",
                remedy="See docs/extending.md; `sidelight.plugins.roles` has the types.",
            )
        return found

    return checked


async def _nobody(*_: object) -> NoReturn:
    raise InputError("the track does not use this role")


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
