"""A track profile is data: limits, ids and topics in one YAML file, read into one type."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

import yaml
from pydantic import Field

from sidelight.errors import UsageError
from sidelight.registry import locate
from sidelight.schemas.base import Value
from sidelight.schemas.label_scale import LabelScale
from sidelight.schemas.task import CitedTextTask, QuestionListTask, RankingTask, Task

T = TypeVar("T", QuestionListTask, CitedTextTask)


class Track(Value):
    """The rules of one track.

    Attributes:
        name: What `--track` takes.
        title: For people.
        topic: What a topic is.
        graph: The graph that works on a topic.
        segment_id_pattern: Regular expression every citation must match in full.
        run_id_pattern: Regular expression every run id must match in full in a strict check.
        tasks: What is handed in, each task with its limits, file and measures.
        scales: Labels, by what they are given to.
        topic_ids: The topics the track released; a file must cover them unless other topics are
            given.
    """

    name: str
    title: str
    topic: Literal["article", "narrative"]
    graph: str
    segment_id_pattern: str
    run_id_pattern: str
    tasks: tuple[Task, ...] = Field(min_length=1)
    scales: dict[str, LabelScale] = Field(default_factory=dict)
    topic_ids: tuple[str, ...]

    def task(self, name: str) -> QuestionListTask | CitedTextTask | RankingTask:
        """Return a task by its name.

        Raises:
            UsageError: The track has no such task.
        """
        for task in self.tasks:
            if task.name == name:
                return task
        raise UsageError(
            f"{self.title} has no task {name!r}; expected one of "
            + ", ".join(task.name for task in self.tasks)
        )

    @property
    def question_list(self) -> QuestionListTask:
        """The task that asks for questions.

        Raises:
            UsageError: The track has none.
        """
        return self._of_kind(QuestionListTask)

    @property
    def cited_text(self) -> CitedTextTask:
        """The task that asks for a text with citations.

        Raises:
            UsageError: The track has none.
        """
        return self._of_kind(CitedTextTask)

    def _of_kind(self, kind: type[T]) -> T:
        for task in self.tasks:
            if isinstance(task, kind):
                return task
        raise UsageError(f"{self.title} has no task of the kind {kind.__name__}")


@cache
def load_track(name: str = "dragun2025") -> Track:
    """Read a profile: one of sidelight's own, of an installed package, or `package:file`.

    Raises:
        UsageError: There is no profile of that name.
    """
    package, _, file = locate("track", name).partition(":")
    try:
        text = files(package).joinpath(file).read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise UsageError(f"track {name!r}: there is no {file} in {package}") from error
    return Track.model_validate(yaml.safe_load(text))
