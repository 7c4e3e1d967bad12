"""Agreement of two sides on the labels of assessment files, with intervals and direction of bias.

Only items that both sides judged are compared. Items that one side left unjudged, or lacks, are
counted and reported separately; they never count as a label. Intervals come from bootstrap samples
of topics, not of labels, because labels of one topic are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.agreement.coefficients import (
    Confusion,
    cohen_kappa,
    confusion_table,
    gwet_ac1,
    nominal_alpha,
    ordinal_alpha,
    raw_agreement,
    weighted_kappa,
)
from sidelight.evaluation.labelling.relevance import Vote, majority, vote_each
from sidelight.evaluation.scoring.table import MIN_TOPICS, Interval, expanded_tail
from sidelight.formats.labels.assessments import (
    ASSESSMENT_KINDS,
    COMPOUND_ASSESSMENTS,
    AssessmentKind,
    read_assessments,
)
from sidelight.formats.lines import read_bytes
from sidelight.formats.verdict import detect_format
from sidelight.schemas.grading.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    LabelScale,
    QuestionAssessment,
    QuestionGrade,
    Scales,
    Unjudged,
)
from sidelight.schemas.grading.rubric import Rubric
from sidelight.text import counted

Assessment = QuestionAssessment | AnswerAssessment | CompoundAssessment


COEFFICIENTS = {"kappa": cohen_kappa, "ac1": gwet_ac1}


def agreement_intervals(
    tables: npt.NDArray[np.int64], *, samples: int, seed: int
) -> dict[str, Interval | None]:
    """Return the 95% bootstrap interval of each coefficient, by its name.

    The percentiles are those of `scoring.table.bootstrap_intervals`. Samples in which a coefficient
    is undefined are left out. `tables` are `(n_topics, K, K)` counts, a row for each category of
    the first side. A coefficient that no sample defines is None, and so are all with fewer than 3
    topics.
    """
    n_topics = len(tables)
    if n_topics < MIN_TOPICS:
        return dict.fromkeys(COEFFICIENTS)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(n_topics, np.full(n_topics, 1 / n_topics), samples)
    resampled = np.einsum("st,tij->sij", counts, tables)
    tail = expanded_tail(n_topics)
    intervals: dict[str, Interval | None] = {}
    for name, coefficient in COEFFICIENTS.items():
        values = [value for table in resampled if (value := coefficient(table)) is not None]
        intervals[name] = (
            Interval(*np.quantile(values, (tail, 1 - tail)).tolist()) if values else None
        )
    return intervals


class Judged(NamedTuple):
    """Both sides' labels of one thing, its topic, and how important it is; "" if nobody asks."""

    first: str
    second: str
    topic_id: str
    importance: str = ""


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """Two sides' labels of the same things, of which there is at least one.

    Attributes:
        categories: All K categories of the scheme, used or not.
        ordered: Whether the categories stand in order, from one end of a scale to the other.
        table: `(K, K)` counts, a row for each category of the first side.
        intervals: 95%, of kappa and AC1, by name, as another draw of topics could have them; None
            where too little defines one. Empty where nothing was drawn.
    """

    categories: tuple[str, ...]
    table: Confusion
    ordered: bool
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    n_topics: int = 0

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], categories: Sequence[str]) -> CategoryAgreement:
        """Count pairs of the first and the second side's label; the categories stand in order."""
        first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return cls(tuple(categories), confusion_table(first, second, categories), ordered=True)

    @classmethod
    def drawn(
        cls,
        judged: Sequence[Judged],
        categories: Sequence[str],
        samples: int,
        seed: int,
        *,
        ordered: bool,
    ) -> CategoryAgreement:
        """Count labels, and draw their topics anew."""
        topics: dict[str, list[Judged]] = {}
        for item in judged:
            topics.setdefault(item.topic_id, []).append(item)
        tables = np.array(
            [
                confusion_table(
                    [item.first for item in items], [item.second for item in items], categories
                )
                for _, items in sorted(topics.items())
            ]
        )
        return cls(
            tuple(categories),
            tables.sum(axis=0),
            ordered,
            agreement_intervals(tables, samples=samples, seed=seed),
            len(tables),
        )

    @property
    def n(self) -> int:
        """Return how many things both sides judged."""
        return int(self.table.sum())

    @property
    def coefficients(self) -> dict[str, float | None]:
        """Return raw agreement, kappas, AC1 and alpha; None where one is undefined.

        Weighted kappa and ordinal alpha are there for three and more categories in order.
        """
        computed = {"raw": raw_agreement, **COEFFICIENTS, "nominal_alpha": nominal_alpha}
        if self.ordered and len(self.categories) > 2:
            del computed["nominal_alpha"]
            computed |= {"weighted_kappa": weighted_kappa, "ordinal_alpha": ordinal_alpha}
        return {name: coefficient(self.table) for name, coefficient in computed.items()}

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

    `overall` is on everything both sides judged, `by_importance` on the parts of the rubrics by
    their importance, the most important first; it is empty without rubrics.
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
        only_runs: Runs of which only the first and only the second file holds anything.
        other_rubrics: Topics of which one file labels a question or answer of the rubric that the
            other never does. Which runs and which pairs a side labels is its own choice.
        judged: What both sides hold a label for, as each has it.
    """

    schemes: tuple[SchemeAgreement, ...]
    unjudged: tuple[int, int]
    only: tuple[int, int]
    n_runs: int
    only_runs: tuple[tuple[str, ...], tuple[str, ...]]
    other_rubrics: tuple[str, ...]
    judged: tuple[tuple[Assessment, Assessment], ...]

    @property
    def n_topics(self) -> int:
        """Return how many topics were compared."""
        return self.schemes[0].overall.n_topics


def assessment_kind(path: Path) -> str:
    """Return which kind of assessments a file holds, as `detect_format` names it."""
    name = detect_format(path)
    if name is None or name not in ASSESSMENT_KINDS:
        unknown = "a file of unknown kind" if read_bytes(path).strip() else "an empty file"
        raise InputError(
            f"{path}: expected an assessment file; found {name or unknown}",
            remedy="`agree scores` compares score files, `agree qrels` relevance labels.",
        )
    return name


def read_two_sides(
    first: Path, second: Path, scales: Scales
) -> tuple[AssessmentKind[Any], list[Assessment], list[Assessment]]:
    """Read two assessment files, of the kind that their columns say."""
    names = [assessment_kind(path) for path in (first, second)]
    if names[0] != names[1]:
        raise InputError(
            f"{first} holds {names[0]}, {second} {names[1]}",
            remedy="Compare two files of one kind.",
        )
    kind = ASSESSMENT_KINDS[names[0]]
    one, other = (read_assessments(path, kind, scales) for path in (first, second))
    for path, side in ((first, one), (second, other)):
        if all(isinstance(item.label, Unjudged) for item in side):
            raise InputError(
                f"{path}: expected labels; found none in {counted(len(side), 'row')}",
                remedy="Fill in the labels, or give a file that has some.",
            )
    return kind, one, other


def compare_labels(
    kind: AssessmentKind[Any],
    scales: Scales,
    first: Iterable[Assessment],
    second: Iterable[Assessment],
    rubrics: Mapping[str, Rubric] | None = None,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> LabelComparison:
    """Compare two sides' assessments, thing by thing.

    Either side has at most one label for each thing. `rubrics` break agreement down by importance,
    but not of compound verdicts, which belong to no rubric question.
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
    importances = [""] * len(judged)
    if rubrics is not None:
        importances = _importances([one for one, _ in judged], rubrics)
    labels = [
        Judged(str(one.label), str(other.label), one.topic_id, its)
        for (one, other), its in zip(judged, importances, strict=True)
    ]
    schemes = _schemes(labels, scales[kind.scale], scales["importance"], samples, seed)
    runs = [{item.run_tag for item in side.values()} for side in (left, right)]
    sides = () if kind is COMPOUND_ASSESSMENTS else (left, right)  # which belongs to no rubric
    places = [{(one.topic_id, _rubric_place(one)) for one in side.values()} for side in sides]
    alone = places[0] ^ places[1] if places else set()
    both = set.intersection(*({one.topic_id for one in side.values()} for side in (left, right)))
    return LabelComparison(
        schemes=schemes,
        unjudged=(
            sum(one for one, _ in unjudged),
            sum(other for _, other in unjudged),
        ),
        only=(len(left) - len(shared), len(right) - len(shared)),
        n_runs=len({one.run_tag for one, _ in judged}),
        only_runs=(tuple(sorted(runs[0] - runs[1])), tuple(sorted(runs[1] - runs[0]))),
        other_rubrics=tuple(sorted(both & {topic_id for topic_id, _ in alone})),
        judged=tuple(judged),
    )


def _schemes(
    labels: Sequence[Judged], scale: LabelScale, importance: LabelScale, samples: int, seed: int
) -> tuple[SchemeAgreement, ...]:
    drawn = partial(
        CategoryAgreement.drawn, samples=samples, seed=seed, ordered=scale.opposite is None
    )
    schemes = [_compare(labels, scale.names, importance, drawn)]
    classes = tuple(dict.fromkeys(map(scale.coarse, scale.names)))
    if len(classes) < len(scale.names):
        merged = [
            item._replace(first=scale.coarse(item.first), second=scale.coarse(item.second))
            for item in labels
        ]
        schemes.append(_compare(merged, classes, importance, drawn))
    return tuple(schemes)


def _compare(
    judged: Sequence[Judged],
    categories: Sequence[str],
    importance: LabelScale,
    drawn: Callable[[Sequence[Judged], Sequence[str]], CategoryAgreement],
) -> SchemeAgreement:
    parts = {
        name: [item for item in judged if item.importance == name] for name in importance.names
    }
    return SchemeAgreement(
        overall=drawn(judged, categories),
        by_importance={name: drawn(part, categories) for name, part in parts.items() if part},
    )


Labelled = TypeVar(
    "Labelled", QuestionAssessment, AnswerAssessment, CompoundAssessment, QuestionGrade
)


def vote_labels(
    key_of: Callable[[Labelled], Hashable],
    scale: LabelScale,
    judges: Sequence[Iterable[Labelled]],
) -> list[tuple[Labelled, Vote]]:
    """Return what several judges make of each thing that any of them labelled.

    A thing has the label that `majority` finds, or none: only a scale that no label opposes is in
    order. Grades of a vote are places on the scale, the lowest 0. Things stand in the order in
    which they first occur. A judge without any label of a run on a topic has no vote on it.
    """
    place = {name: level for level, name in enumerate(scale.names[::-1])}
    sides = [{key_of(item): item for item in judge} for judge in judges]
    about = {key: (one.topic_id, one.run_tag) for side in sides for key, one in side.items()}
    given = [{key: place.get(str(one.label)) for key, one in side.items()} for side in sides]
    labelled = ({about[key] for key, level in side.items() if level is not None} for side in given)
    asked = Counter(one for side in labelled for one in side)
    votes = vote_each(
        given,
        ordered=scale.opposite is None,
        asked=lambda key: asked[about[key]],
    )
    found = []
    for key, its in votes.items():
        rows = [side[key] for side in sides if key in side]
        label = Unjudged(reason=its.lacking) if its.grade is None else scale.names[::-1][its.grade]
        voted = replace(rows[0], label=label, rationale="")
        if isinstance(voted, QuestionGrade):
            flag = majority([one.redundant for one in rows if isinstance(one, QuestionGrade)])
            voted = replace(voted, redundant=None if flag is None else bool(flag))
        found.append((voted, its))
    return found


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
            f"the rubrics do not hold {counted(len(unknown), 'question or answer')} judged, "
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


_EVEN = 0.05
"""Mean differences below it are nobody's leaning."""


class Lean(NamedTuple):
    """Direction of disagreement: how grades of the second side differ from those of the first.

    Attributes:
        higher: How many things it grades higher.
        lower: How many lower.
        mean: Mean of the second side's grade less the first's, in steps of the scale.
    """

    higher: int
    lower: int
    mean: float

    @property
    def words(self) -> str:
        """Return which way the second side leans."""
        if abs(self.mean) < _EVEN:
            return "neither side is more generous"
        return f"the second side is {'more' if self.mean > 0 else 'less'} generous"


def lean(found: CategoryAgreement) -> Lean:
    """Return which way the second side leans; categories stand from the lowest grade up."""
    steps = np.subtract.outer(np.arange(len(found.categories)), np.arange(len(found.categories)))
    difference = -steps  # column less row
    return Lean(
        higher=int(found.table[difference > 0].sum()),
        lower=int(found.table[difference < 0].sum()),
        mean=float((found.table * difference).sum() / found.n),
    )
