"""Tracks as data: tasks, limits, ids, labels and topics in one YAML file, read into one type."""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Self, TypeVar

import yaml
from pydantic import Field, ValidationError, model_validator

from sidelight.errors import UsageError
from sidelight.files import read_limited
from sidelight.plain_yaml import read_yaml
from sidelight.registry import locate, names
from sidelight.schemas.base import Value, faults
from sidelight.schemas.grading.judgment import LabelScale
from sidelight.schemas.task import (
    CitedTextTask,
    JudgmentsTask,
    Limit,
    QuestionListTask,
    QuestionRankingsTask,
    RankingTask,
    Task,
)

T = TypeVar("T", QuestionListTask, CitedTextTask, RankingTask, QuestionRankingsTask)

DEFAULT_TRACK = "dragun2025"
"""The track of a command that names none."""

EXAM_TRACK = "exam"
"""The track of a command about passages graded by banks that names none."""


class Track(Value):
    """The rules of one track.

    Attributes:
        topics: The registered format of its topics files, which says what a topic is.
        graph: The registered graph that works on a topic.
        usual_runs: How many runs of a task a team may hand in without asking; None where nobody
            counts.
        judgments: The task that asks for grades of relevance; None where there is none.
        scales: Labels, by what they are given to.
        topic_ids: The topics the track released; a file must cover them unless other topics are
            given.
    """

    name: str
    title: str
    topics: str
    graph: str
    usual_runs: Limit | None = None
    tasks: tuple[Task, ...] = Field(min_length=1)
    judgments: JudgmentsTask | None = None
    scales: dict[str, LabelScale] = Field(default_factory=dict)
    topic_ids: tuple[str, ...]

    @model_validator(mode="after")
    def _tells_tasks_apart(self) -> Self:
        for attribute in ("name", "file_name", "run_id_suffix"):
            values = [getattr(task, attribute) for task in self.tasks]
            if len(set(values)) < len(values):
                raise ValueError(f"two tasks have one {attribute}")
        return self

    def task(self, name: str) -> Task:
        """Return a task by its name; raise UsageError if the track has no such task."""
        for task in self.tasks:
            if task.name == name:
                return task
        raise UsageError(
            f"{self.title} has no task {name!r}; expected one of "
            + ", ".join(task.name for task in self.tasks)
        )

    def measured_by(self, names: Container[str]) -> Task:
        """Return the task whose main measure is in `names`; raise UsageError if there is none."""
        for task in self.tasks:
            if task.measures and task.measures[0].name in names:
                return task
        raise UsageError(f"{self.title} has no task with one of these measures")

    @property
    def question_list(self) -> QuestionListTask:
        """The task that asks for questions; raises UsageError if the track has none."""
        return self.of_kind(QuestionListTask)

    @property
    def cited_text(self) -> CitedTextTask:
        """The task that asks for a text with citations; raises UsageError if the track has none."""
        return self.of_kind(CitedTextTask)

    def of_kind(self, kind: type[T]) -> T:
        """Return the first task of a kind; raise UsageError if the track has none."""
        found = self.find(kind)
        if found is None:
            raise UsageError(f"{self.title} has no task of the kind {kind.__name__}")
        return found

    def find(self, kind: type[T]) -> T | None:
        """Return the first task of a kind, or None."""
        return next((task for task in self.tasks if isinstance(task, kind)), None)


@cache
def load_track(name: str = DEFAULT_TRACK) -> Track:
    """Read a track; raise UsageError if there is no such track, or its file is no track.

    `name` is one of sidelight's own or of an installed package, `package:file`, or the path of a
    YAML file.
    """
    if ":" not in name and name.endswith((".yaml", ".yml")):
        source: Traversable = Path(name)
    else:
        package, _, file = locate("track", name).partition(":")
        try:
            source = files(package).joinpath(file)
        except ModuleNotFoundError as error:
            raise UsageError(f"track {name!r}: there is no package {package}") from error
        except TypeError as error:
            raise UsageError(
                f"track {name!r}: expected package:file; {package} is a module, and holds no files"
            ) from error
    try:
        content = read_limited(source) if isinstance(source, Path) else source.read_bytes()
        return Track.model_validate(read_yaml(content.decode()))
    except ValidationError as error:
        raise UsageError(f"{source}: expected a track; {faults(error)}") from None
    except (OSError, ValueError, yaml.YAMLError) as error:  # no UTF-8, or a name with a null
        said = getattr(error, "strerror", None) or error
        raise UsageError(f"track {name!r}: {source} cannot be read: {said}") from None


@cache
def scale_named(name: str) -> LabelScale:
    """Return the scale of that name of the first track with one; raise UsageError if none has."""
    for track in map(load_track, names("track")):
        if name in track.scales:
            return track.scales[name]
    raise UsageError(f"no track has a scale called {name!r}")


@cache
def run_file_names() -> frozenset[str]:
    """Return what run directories call the files of tasks, of all tracks that are installed."""
    return frozenset(task.file_name for name in names("track") for task in load_track(name).tasks)
