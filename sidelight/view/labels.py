"""Labels of a folder, given by people, by a judge, or by the run's self-evaluation.

```text
[human_|auto_]question_assessments.csv    [human_|auto_]report_assessments.csv
[auto_]compound_question_check.csv        auto_support_sentences.csv
funnel.csv
```

Any of them may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import InputError
from sidelight.evaluation.labelling.judged_runs import read_manifest_beside
from sidelight.evaluation.scoring.table import label_source
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
    read_merged_assessments,
)
from sidelight.formats.table import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from sidelight.schemas.grading.judgment import (
        AnswerAssessment,
        CompoundAssessment,
        QuestionAssessment,
        Scales,
    )


@dataclass(frozen=True, slots=True)
class Labels:
    """One source of labels.

    Attributes:
        name: Who gave them.
        questions: On questions, of any number of runs.
        compound: Which submitted questions ask several things; None where nobody looked.
        answers: On reports, of any number of runs.
        support: By run tag, topic id and number of a sentence (as text), how far its citations
            support it, and why.
        lost_at: By topic and answer id, the stage at which the run lost most credit for it.
    """

    name: str
    questions: tuple[QuestionAssessment, ...]
    compound: tuple[CompoundAssessment, ...] | None
    answers: tuple[AnswerAssessment, ...]
    support: Mapping[tuple[str, str, str], tuple[str, str]]
    lost_at: Mapping[tuple[str, str], str]


def read_labels(folder: Path, scales: Scales) -> Labels:
    """Read every file of labels in a folder.

    Args:
        folder: Of labels.
        scales: The track's, which say what labels there are.

    Raises:
        InputError: There is none, or two of a kind, or one cannot be read.
        InvalidFileError: One is not what its name says.
    """
    questions = _find(folder, "question_assessments.csv")
    compound = _find(folder, "compound_question_check.csv")
    answers = _find(folder, "report_assessments.csv")
    support = _find(folder, "support_sentences.csv")
    funnel = _find(folder, "funnel.csv")
    known = questions or answers
    if known is None:
        raise InputError(
            f"{folder}: expected question_assessments.csv or report_assessments.csv; found neither",
            remedy="Give a folder of labels: the organizers', or one `sidelight judge` wrote.",
        )
    manifest = read_manifest_beside(known)
    return Labels(
        name=manifest.label if manifest else f"{label_source(known)} labels",
        questions=(
            tuple(read_assessments(questions, QUESTION_ASSESSMENTS, scales)) if questions else ()
        ),
        compound=(
            tuple(read_assessments(compound, COMPOUND_ASSESSMENTS, scales)) if compound else None
        ),
        answers=(
            tuple(read_merged_assessments(answers, ANSWER_ASSESSMENTS, scales)) if answers else ()
        ),
        support=_read_support(support) if support else {},
        lost_at=_read_funnel(funnel) if funnel else {},
    )


def _find(folder: Path, name: str) -> Path | None:
    found = sorted(path for path in folder.glob(f"*{name}") if not path.name.startswith("."))
    if len(found) > 1:
        raise InputError(
            f"{folder}: expected one {name}; found {', '.join(path.name for path in found)}",
            remedy="Keep the labels of each source in a folder of their own.",
        )
    return found[0] if found else None


def _read_support(path: Path) -> dict[tuple[str, str, str], tuple[str, str]]:
    return {
        (run_tag, topic_id, sentence): (label or "unjudged", reason)
        for run_tag, topic_id, sentence, label, reason in _columns(
            path, "run_tag", "topic_id", "sentence", "all", "reason"
        )
    }


def _read_funnel(path: Path) -> dict[tuple[str, str], str]:
    return {
        (topic_id, answer_id): stage
        for topic_id, answer_id, stage in _columns(path, "topic_id", "answer_id", "lost_at")
        if stage
    }


def _columns(path: Path, *names: str) -> Iterator[tuple[str, ...]]:
    """Yield the cells of some columns, row by row."""
    header, rows = read_table(path)
    if not set(names) <= set(header):
        raise InputError(
            f"{path}: expected the columns {', '.join(names)}; found {', '.join(header)}",
            remedy="Let sidelight write the file anew.",
        )
    for row in rows:
        yield tuple(row.cells[name] for name in names)
