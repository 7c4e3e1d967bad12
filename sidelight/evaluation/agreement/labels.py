"""How far two sides agree on the labels of assessment files.

Only what both sides judged is compared. What one of them left unjudged, or does not have at all,
is counted and shown beside, and is never taken for a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients.cohen_kappa import cohen_kappa
from sidelight.evaluation.agreement.coefficients.confusion import confusion_table
from sidelight.evaluation.agreement.coefficients.gwet_ac1 import gwet_ac1
from sidelight.evaluation.agreement.coefficients.raw_agreement import raw_agreement
from sidelight.formats.detect import detect_format
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.schemas.judgment import AnswerAssessment, QuestionAssessment, Unjudged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sidelight.evaluation.agreement.coefficients.confusion import Confusion
    from sidelight.formats.labels.assessments import AssessmentKind
    from sidelight.schemas.judgment import CompoundAssessment
    from sidelight.schemas.label_scale import LabelScale, Scales
    from sidelight.schemas.rubric import Rubric

    Assessment = QuestionAssessment | AnswerAssessment | CompoundAssessment

_KINDS: dict[str, AssessmentKind[Any]] = {
    kind.name: kind for kind in (QUESTION_ASSESSMENTS, ANSWER_ASSESSMENTS, COMPOUND_ASSESSMENTS)
}


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two sides' labels of the same things, of which there is at least one.

    Attributes:
        categories: All K categories of the scheme, used or not.
        table: `(K, K)` counts, a row for each category of the first side.
    """

    categories: tuple[str, ...]
    table: Confusion

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], categories: Sequence[str]) -> CategoryAgreement:
        """Count pairs of the first and the second side's label."""
        first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return cls(tuple(categories), confusion_table(first, second, categories))

    @property
    def n(self) -> int:
        """Return how many things both sides judged."""
        return int(self.table.sum())

    @property
    def coefficients(self) -> dict[str, float | None]:
        """Return raw agreement, kappa and AC1; None where one is undefined."""
        return {
            "raw": raw_agreement(self.table),
            "kappa": cohen_kappa(self.table),
            "ac1": gwet_ac1(self.table),
        }

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """Return the share of each category among the first and the second side's labels."""
        rows, columns = self.table.sum(axis=1), self.table.sum(axis=0)
        return {
            category: (int(rows[place]) / self.n, int(columns[place]) / self.n)
            for place, category in enumerate(self.categories)
        }

    @property
    def share_ratios(self) -> dict[str, float | None]:
        """Return how many times as often as the first the second side gives each category.

        None where the first side never does.
        """
        return {
            category: second / first if first else None
            for category, (first, second) in self.shares.items()
        }


@dataclass(frozen=True, slots=True)
class SchemeAgreement:
    """Agreement under one set of categories.

    Attributes:
        overall: On everything both sides judged.
        by_importance: On the parts of the rubrics by their importance, the most important first;
            empty without rubrics.
    """

    overall: CategoryAgreement
    by_importance: dict[str, CategoryAgreement]


@dataclass(frozen=True, slots=True)
class LabelComparison:
    """Two assessment files of one kind.

    Attributes:
        schemes: All labels of the scale; where it merges some, also those that are left then.
        unjudged: Of what both files hold, how much the first and the second left unjudged.
        only: How much only the first and only the second file holds.
    """

    schemes: tuple[SchemeAgreement, ...]
    unjudged: tuple[int, int]
    only: tuple[int, int]


def assessment_kind(path: Path) -> str:
    """Return which kind of assessments a file holds, as `formats.detect.detect_format` names it.

    Raises:
        InputError: The file cannot be read or holds no assessments.
    """
    name = detect_format(path)
    if name is None or name not in _KINDS:
        raise InputError(
            f"{path}: expected an assessment file; found {name or 'a file of unknown kind'}",
            remedy="`agree scores` compares score files, `agree qrels` relevance labels.",
        )
    return name


def read_two_sides(
    first: Path, second: Path, scales: Scales
) -> tuple[AssessmentKind[Any], list[Assessment], list[Assessment]]:
    """Read two assessment files, of the kind that their columns say.

    Args:
        first: One side.
        second: The other.
        scales: The track's, which say what labels there are.

    Raises:
        InputError: A file cannot be read or holds no assessments, or their kinds differ.
        InvalidFileError: A file is not what it should be.
    """
    names = [assessment_kind(path) for path in (first, second)]
    if names[0] != names[1]:
        raise InputError(
            f"{first} holds {names[0]}, {second} {names[1]}",
            remedy="Compare two files of one kind.",
        )
    kind = _KINDS[names[0]]
    return kind, read_assessments(first, kind, scales), read_assessments(second, kind, scales)


def compare_labels(
    kind: AssessmentKind[Any],
    scales: Scales,
    first: Iterable[Assessment],
    second: Iterable[Assessment],
    rubrics: Mapping[str, Rubric] | None = None,
) -> LabelComparison:
    """Compare two sides' assessments, thing by thing.

    Args:
        kind: What both sides assessed.
        scales: The track's.
        first: At most one label for each thing, as the readers return them.
        second: The same.
        rubrics: Topic id -> rubric, to break agreement down by importance; not for compound
            verdicts, which belong to no rubric question.

    Raises:
        InputError: Nothing was judged by both, or the rubrics do not know what was judged.
        UsageError: Rubrics are given for compound verdicts.
    """
    key_of = kind.key_of
    left = {key_of(item): item for item in first}
    right = {key_of(item): item for item in second}
    shared = [(item, right[key]) for key, item in left.items() if key in right]
    unjudged = [
        (isinstance(one.label, Unjudged), isinstance(other.label, Unjudged))
        for one, other in shared
    ]
    judged = [pair for pair, lacking in zip(shared, unjudged, strict=True) if not any(lacking)]
    if not judged:
        raise InputError(
            "there is nothing that both files hold a label for",
            remedy="Compare labels of the same runs and topics; run tags must be spelled alike.",
        )
    labels = [(str(one.label), str(other.label)) for one, other in judged]
    importances = None
    if rubrics is not None:
        importances = _importances([one for one, _ in judged], rubrics)
    scale, importance = scales[kind.scale], scales["importance"]
    schemes = [_compare(labels, scale.names, importances, importance)]
    classes = tuple(dict.fromkeys(map(scale.coarse, scale.names)))
    if len(classes) < len(scale.names):
        merged = [(scale.coarse(one), scale.coarse(other)) for one, other in labels]
        schemes.append(_compare(merged, classes, importances, importance))
    return LabelComparison(
        schemes=tuple(schemes),
        unjudged=(
            sum(one for one, _ in unjudged),
            sum(other for _, other in unjudged),
        ),
        only=(len(left) - len(shared), len(right) - len(shared)),
    )


def _compare(
    labels: Sequence[tuple[str, str]],
    categories: Sequence[str],
    importances: Sequence[str] | None,
    importance: LabelScale,
) -> SchemeAgreement:
    return SchemeAgreement(
        overall=CategoryAgreement.of(labels, categories),
        by_importance={
            name: CategoryAgreement.of(
                [pair for pair, its in zip(labels, importances, strict=True) if its == name],
                categories,
            )
            for name in importance.names
            if name in importances
        }
        if importances is not None
        else {},
    )


def _importances(assessments: Sequence[Assessment], rubrics: Mapping[str, Rubric]) -> list[str]:
    """Return the importance of the rubric question that each assessment belongs to."""
    known: dict[tuple[str, int | str], str] = {}
    for topic_id, rubric in rubrics.items():
        for question in rubric.questions:
            known[topic_id, question.rank] = question.importance.name
            for answer in question.answers:
                known[topic_id, answer.answer_id] = question.importance.name
    places = [(item.topic_id, _rubric_place(item)) for item in assessments]
    unknown = sorted(
        {f"{topic_id} {place}" for topic_id, place in places if (topic_id, place) not in known}
    )
    if unknown:
        raise InputError(
            f"the rubrics do not hold {len(unknown)} questions or answers that were judged, "
            f"such as {unknown[0]}",
            remedy="Use the rubrics that the assessments were made with.",
        )
    return [known[place] for place in places]


def _rubric_place(item: Assessment) -> int | str:
    if isinstance(item, QuestionAssessment):
        return item.rubric_question_rank
    if isinstance(item, AnswerAssessment):
        return item.answer_id
    raise UsageError(
        "compound verdicts belong to no rubric question", remedy="Leave --rubrics out."
    )
