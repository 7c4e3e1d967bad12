"""Registry of measures by name: those of tracks, of instruments, and of installed packages."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from sidelight.errors import UsageError
from sidelight.evaluation.metrics.base import declared
from sidelight.evaluation.scoring.funnel import STAGE_MEASURES
from sidelight.evaluation.scoring.support import SUPPORT_MEASURES
from sidelight.registry import did_you_mean, names
from sidelight.schemas.grading.judgment import Measure
from sidelight.text import finite_number
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sidelight.schemas.grading.judgment import Parameter

# `support_recall(citations=first)`: a computation and what it is made with.
_CALL = re.compile(r"(?P<name>[\w.:-]+)\((?P<parameters>[^()]*)\)")


def find_measure(text: str) -> Measure:
    """Return the measure that a name means, ready to be computed.

    Args:
        text: The name of a measure; of a computation, as registered, by an entry point or as
            `module:Class`; or of one with parameters, as in `support_recall(citations=first)`,
            which is then the name of the measure, too.

    Raises:
        UsageError: There is no such measure.
        MachineError: A package that it needs is not installed.
    """
    for measure in _listed():
        if text == measure.name:
            return measure
    call = _CALL.fullmatch(text)
    name = call["name"] if call else text
    if name not in names("measure") and ":" not in name:
        known = list(dict.fromkeys((*(one.name for one in _listed()), *names("measure"))))
        raise UsageError(
            f"unknown measure {name!r}; there are {', '.join(known)}" + did_you_mean(name, known),
            remedy="A measure of your own is named module:Class, or by its package's entry point.",
        )
    found = declared(name)
    if call:
        given = dict(map(_parameter, filter(None, call["parameters"].split(","))))
        found = found.model_copy(update={"name": text, "parameters": given})
    return found


def measure_called(name: str) -> Measure:
    """Return how a column of a score file is to be read; one that nobody knows is a plain score.

    What a measure is called among the tasks of a track is known, too.
    """
    for measure in _listed():
        if name in {measure.name, measure.among_tasks}:
            return measure.model_copy(update={"name": name})
    return declared(name) if name in names("measure") else Measure(name=name, title=name)


def _listed() -> Iterator[Measure]:
    """Yield the measures that have a name of their own."""
    tracks = map(load_track, names("track"))
    yield from chain.from_iterable(task.measures for track in tracks for task in track.tasks)
    yield from SUPPORT_MEASURES
    yield from STAGE_MEASURES


def _parameter(text: str) -> tuple[str, Parameter]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"expected parameter=value; found {text.strip()!r}")
    number = finite_number(value)
    if number is not None:
        return name, int(value) if value.lstrip("+-").isdecimal() else number
    return name, {"true": True, "false": False}.get(value, value)
