"""A finished run as it is judged: what is stored about its topics, its files, its rubrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.labelling.run_kinds import TaskRuns, read_task_runs
from sidelight.runs.directory import RunDirectory, TopicResult  # noqa: TC001 - a NamedTuple
from sidelight.runs.self_evaluation.rubrics import drafted_rubrics, given_rubrics
from sidelight.schemas.article import Article
from sidelight.schemas.grading.rubric import Rubric  # noqa: TC001 - reads them

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sidelight.tracks import Track


class FinishedRun(NamedTuple):
    """A run and the rubrics it is judged by.

    Attributes:
        directory: Where it is.
        results: What is stored about each topic; None for one that failed.
        rubrics: Topic id -> rubric, of the run's topics that have one.
        drafted: Whether the run drafted the rubrics itself.
    """

    directory: RunDirectory
    results: Mapping[str, TopicResult | None]
    rubrics: Mapping[str, Rubric]
    drafted: bool

    @property
    def track(self) -> Track:
        """The track of the run."""
        return self.directory.read_track()

    @property
    def topics_without_rubric(self) -> set[str]:
        """Topics that are not judged."""
        return set(self.results) - set(self.rubrics)

    def articles(self) -> dict[str, Article]:
        """Return topic id -> article, of the topics that are articles and did not fail."""
        return {
            topic_id: result.topic
            for topic_id, result in self.results.items()
            if result is not None and isinstance(result.topic, Article)
        }

    def files(self) -> list[TaskRuns]:
        """Return the run's files, each as the one run of its task."""
        track, directory = self.track, self.directory
        return [
            read_task_runs(task, [directory.file(task)], self.rubrics)
            for task in (track.question_list, track.cited_text)
        ]


def read_finished(
    directory: RunDirectory, index_fingerprint: str, rubrics: Path | None
) -> FinishedRun:
    """Read a finished run.

    Args:
        directory: Where it is.
        index_fingerprint: Of the index it was made with.
        rubrics: Folder of rubrics; None for those the run drafted.

    Raises:
        InputError: The run is not finished, was made with another index, or has no rubric.
    """
    manifest = directory.manifest_with(index_fingerprint)
    results = {
        **dict.fromkeys(manifest.failed_topics),
        **{topic_id: directory.result(topic_id) for topic_id in manifest.topics},
    }
    known = given_rubrics(rubrics, results) if rubrics else drafted_rubrics(results.values())
    return FinishedRun(directory, results, known, drafted=rubrics is None)
