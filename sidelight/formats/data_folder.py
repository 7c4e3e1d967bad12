"""The track's data as its organizers lay them out in one folder.

```text
topics.jsonl
human_rubrics/*.json
human_assessments/question_assessments.csv        runs/question_generation_runs/<run_tag>
human_assessments/report_assessments.csv          runs/report_generation_runs/<run_tag>
human_assessments/compound_question_check.csv
```
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from sidelight.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


class DataPart(StrEnum):
    """A file or folder of the data folder, by its path there."""

    TOPICS = "topics.jsonl"
    RUBRICS = "human_rubrics"
    QUESTION_ASSESSMENTS = "human_assessments/question_assessments.csv"
    REPORT_ASSESSMENTS = "human_assessments/report_assessments.csv"
    COMPOUND_CHECK = "human_assessments/compound_question_check.csv"
    QUESTION_RUNS = "runs/question_generation_runs"
    REPORT_RUNS = "runs/report_generation_runs"


def find_part(folder: Path, part: DataPart) -> Path:
    """Return where a part lies.

    Raises:
        InputError: It is not there.
    """
    path = folder / part
    if not path.exists():
        raise InputError(
            f"{path}: expected this part of the data folder; it does not exist",
            remedy="Lay the folder out as docs/formats.md says, or name it by its own option.",
        )
    return path
