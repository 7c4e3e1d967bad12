"""Splitting of a narrative without a model: each of its sentences is a sub-narrative."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Aspect
from sidelight.text import content_words, one_line, sentences

if TYPE_CHECKING:
    from sidelight.schemas.topic import Narrative


class ReadNarrative(NamedTuple):
    """A narrative, taken apart.

    Attributes:
        profile: What tells sentences on its subject from others. It has no outlet and no prose:
            nothing that an answer says could be copied from it.
        angles: What somebody wants to know, all of one weight.
    """

    profile: ArticleProfile
    angles: tuple[Angle, ...]


def read_narrative(topic: Narrative) -> ReadNarrative:
    """Return the sub-questions of a narrative, or its sentences where it has none."""
    text = one_line(topic.narrative)
    parts = [part for one in topic.sub_questions if (part := one_line(one))]
    wanted = list(dict.fromkeys(parts or sentences(text) or [text]))
    profile = ArticleProfile(
        publisher="",
        host="",
        subject="",
        keywords=tuple(dict.fromkeys(content_words(" ".join([text, *parts])))),
        body="",
        asked=text,
    )
    angles = tuple(
        Angle(
            angle_id=f"part-{number}",
            aspect=Aspect.CONTEXT,
            question=part,
            query=part,
            weight=1.0,
        )
        for number, part in enumerate(wanted, start=1)
    )
    return ReadNarrative(profile, angles)
