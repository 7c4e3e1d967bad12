"""The rubrics a run is judged by: given ones, or those it drafted itself."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from sidelight.errors import InputError
from sidelight.formats.banks.rubrics import read_rubrics, write_rubric
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from sidelight.runs.directory import TopicResult
    from sidelight.schemas.investigation.angle import Angle

DRAFTED = "rubrics"
"""Folder of drafted rubrics within the folder of the scores that they lead to."""


def given_rubrics(folder: Path, topic_ids: Iterable[str]) -> dict[str, Rubric]:
    """Return the rubrics in a folder for some topics.

    Raises:
        InputError: There are none, or they cannot be read.
    """
    wanted = set(topic_ids)
    found = {
        topic_id: rubric
        for topic_id, rubric in read_rubrics(folder, load_track().scales).items()
        if topic_id in wanted
    }
    if not found:
        raise InputError(f"{folder} holds no rubric for any topic of the run")
    return found


def drafted_rubrics(results: Iterable[TopicResult | None]) -> dict[str, Rubric]:
    """Return what a run expected to be asked before it searched, as rubrics.

    A draft has questions and weights and no answers. What is then asked of a report is whether it
    tells the answer at all, so every question gets one answer that says so.

    Raises:
        InputError: Nothing was drafted.
    """
    rubrics = {}
    for result in results:
        if result and (angles := result.trace.rubric):
            rubrics[result.topic_id] = Rubric(
                topic_id=result.topic_id,
                questions=tuple(
                    _drafted_question(result.topic_id, rank, angle)
                    for rank, angle in enumerate(angles, start=1)
                ),
            )
    if not rubrics:
        raise InputError("the run drafted no rubric", remedy="Give rubrics with --rubrics DIR.")
    return rubrics


def write_drafted(folder: Path, rubrics: Mapping[str, Rubric]) -> None:
    """Write rubrics in the track's JSON, one file a topic."""
    for topic_id, rubric in rubrics.items():
        write_rubric(folder / f"{quote(topic_id, safe='')}.json", rubric)


def _drafted_question(topic_id: str, rank: int, angle: Angle) -> RubricQuestion:
    scale = load_track().scales["importance"]
    importance = min(scale.labels, key=lambda label: abs(label.credit - angle.weight))
    return RubricQuestion(
        question_id=f"{topic_id}-{rank}",
        rank=rank,
        text=angle.question,
        importance=importance,
        answers=(RubricAnswer(answer_id=f"da-{rank}", text=f"The answer to: {angle.question}"),),
    )
