"""Published figures, and the same ones computed here from the published data.

Each target is one source. A figure agrees when it is the printed one at the printed precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sidelight.errors import InputError
from sidelight.evaluation.agreement.labels import compare_labels, read_two_sides
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.evaluation.scoring.unit_weights import rubrics_from_answers
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.cited_text import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.text import budget_words
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.scoring.score import ScoreTable

HUMAN_RUBRICS = "human_rubrics"
QUESTIONS, REPORTS, COMPOUND = (
    "question_assessments.csv",
    "report_assessments.csv",
    "compound_question_check.csv",
)
AUTO_QUESTIONS, AUTO_REPORTS = f"auto_{QUESTIONS}", f"auto_{REPORTS}"
KIT_QUESTIONS, KIT_REPORTS = (f"dragun-organizers-starter-kit-task-{task}" for task in (1, 2))


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was printed, and what it is here.

    Attributes:
        name: What is counted or measured.
        published: As it is printed.
        here: The same, unrounded; None where it is undefined.
    """

    name: str
    published: str
    here: float | None

    @property
    def shown(self) -> str:
        """Return the number here at the printed precision."""
        return "undefined" if self.here is None else f"{self.here:.{self._decimals}f}"

    @property
    def agrees(self) -> bool:
        """Tell whether both are the same at the printed precision."""
        return self.here is not None and float(self.shown) == float(self.published)

    @property
    def _decimals(self) -> int:
        return len(self.published.partition(".")[2])


class Target(NamedTuple):
    """Something published that can be computed again.

    Attributes:
        name: What the command line calls it.
        title: What it is and where it was published.
        needs: Names of the files and folders it is computed from.
        source: Where they come from.
        figures: Computes the figures from those files, by name.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    source: str
    figures: Callable[[Mapping[str, Path]], Iterator[Figure]]


def find_files(target: Target, data: Path) -> dict[str, Path]:
    """Return what a target needs, wherever it lies within a folder.

    Files that lie together go before others of their names.

    Raises:
        InputError: Something is missing, or there are two of it.
    """
    found = {name: sorted(data.rglob(name)) for name in target.needs}
    together = set.intersection(*({path.parent for path in paths} for paths in found.values()))
    if len(together) == 1:  # other collections may hold files of the same names
        return {name: next(iter(together)) / name for name in target.needs}
    missing = [name for name, paths in found.items() if not paths]
    if missing:
        raise InputError(
            f"{data}: {target.name} needs {', '.join(target.needs)}; found no {', '.join(missing)}",
            remedy=f"They are published at {target.source}",
        )
    for name, paths in found.items():
        if len(paths) > 1:
            raise InputError(
                f"{data}: expected one {name}; found {paths[0]} and {paths[1]}",
                remedy="Name the folder that holds the one to use with --data.",
            )
    return {name: paths[0] for name, paths in found.items()}


def _starter_kit(files: Mapping[str, Path]) -> Iterator[Figure]:
    questions = read_question_run(files[KIT_QUESTIONS]).questions
    reports = read_report_run(files[KIT_REPORTS]).reports
    words = [
        sum(budget_words(sentence.text) for sentence in report.responses) for report in reports
    ]
    yield Figure("questions", "300", len(questions))
    yield Figure("reports", "30", len(reports))
    yield Figure("words per report", "199", sum(words) / len(words))


def _auto_judge_scores(files: Mapping[str, Path]) -> Iterator[Figure]:
    track = load_track()
    labels = read_assessments(files[AUTO_REPORTS], ANSWER_ASSESSMENTS, track.scales)
    yield Figure("labels", "14326", len(labels))
    for label, published in (
        ("none", "11841"),
        ("supports", "1126"),
        ("partial", "1126"),
        ("contradicts", "233"),
    ):
        yield Figure(f"labels {label}", published, sum(item.label == label for item in labels))
    table = score_reports(track, rubrics_from_answers(labels), labels)
    scores = {run.run_tag: run.values["supportive_score"] for run in table.runs}
    yield Figure("garag_rubric", "0.1424", scores.get("garag_rubric"))
    yield Figure("03_01_Baseline", "0.0766", scores.get("03_01_Baseline"))


def _sun(files: Mapping[str, Path]) -> Iterator[Figure]:
    found = compare_qrels(
        read_qrels(files["Sun.qrel"]), read_qrels(files["qrels.official.txt"]), (1, 2)
    ).relevance
    assert found is not None  # noqa: S101 - thresholds were given
    cells = ("both relevant", "only Sun", "only NIST", "neither")
    printed = ("1272", "3492", "394", "6228")
    for name, published, count in zip(cells, printed, found.table.ravel(), strict=True):
        yield Figure(name, published, int(count))
    yield Figure("Cohen kappa", "0.228", found.coefficients["kappa"])


def _rag25(files: Mapping[str, Path]) -> Iterator[Figure]:
    grades = compare_qrels(
        read_qrels(files["qrels.nist.txt"]), read_qrels(files["qrels.umbrela2.txt"])
    ).grades
    yield Figure("labels by both", "10284", grades.n)
    yield Figure("exact agreement", "0.4412", grades.coefficients["raw"])
    yield Figure("Cohen kappa", "0.2333", grades.coefficients["kappa"])


def _collection(files: Mapping[str, Path]) -> Iterator[Figure]:
    track = load_track()
    rubrics = read_rubrics(files[HUMAN_RUBRICS], track.scales)
    questions = [question for rubric in rubrics.values() for question in rubric.questions]
    yield Figure("topics", "30", len(rubrics))
    yield Figure("rubric questions", "236", len(questions))
    yield Figure("rubric answers", "551", sum(len(question.answers) for question in questions))
    flags = read_assessments(files[COMPOUND], COMPOUND_ASSESSMENTS, track.scales)
    yield Figure("Task 1 runs", "37", len({item.run_tag for item in flags}))
    yield Figure("Task 1 questions", "11100", len(flags))
    yield Figure(
        "compound, %",
        "11.3",
        _percent(item.label == track.scales["compound"].highest for item in flags),
    )
    pairs = read_assessments(files[QUESTIONS], QUESTION_ASSESSMENTS, track.scales)
    yield Figure("assessed pairs", "12733", len(pairs))
    for label, published in (
        ("very-similar", "8.7"),
        ("similar", "12.9"),
        ("different", "16.9"),
        ("very-different", "61.5"),
    ):
        yield Figure(f"{label}, %", published, _percent(item.label == label for item in pairs))
    answers = read_assessments(files[REPORTS], ANSWER_ASSESSMENTS, track.scales)
    yield Figure("Task 2 runs", "28", len({item.run_tag for item in answers}))
    yield Figure("assessed answers", "15428", len(answers))
    for label, published in (
        ("supports", "5.0"),
        ("partial", "7.8"),
        ("contradicts", "0.8"),
        ("none", "86.4"),
    ):
        yield Figure(f"{label}, %", published, _percent(item.label == label for item in answers))


def _judge(files: Mapping[str, Path]) -> Iterator[Figure]:
    track = load_track()
    rubrics = read_rubrics(files[HUMAN_RUBRICS], track.scales)
    kind, human, auto = read_two_sides(files[QUESTIONS], files[AUTO_QUESTIONS], track.scales)
    # Classes that earn the same are one class in the paper.
    yield from _agreement(
        "Task 1",
        ("82.1", "0.472", "0.785"),
        compare_labels(kind, track.scales, human, auto).schemes[-1].overall,
    )
    tables = [
        score_questions(
            track,
            rubrics,
            read_assessments(files[labels], QUESTION_ASSESSMENTS, track.scales),
            read_assessments(files[COMPOUND], COMPOUND_ASSESSMENTS, track.scales),
        )
        for labels in (QUESTIONS, AUTO_QUESTIONS)
    ]
    yield _tau("Task 1", "0.678", tables, "score")
    kind, human, auto = read_two_sides(files[REPORTS], files[AUTO_REPORTS], track.scales)
    yield from _agreement(
        "Task 2",
        ("86.7", "0.50", "0.85"),
        compare_labels(kind, track.scales, human, auto).schemes[0].overall,
    )
    tables = [
        score_reports(
            track, rubrics, read_assessments(files[labels], ANSWER_ASSESSMENTS, track.scales)
        )
        for labels in (REPORTS, AUTO_REPORTS)
    ]
    yield _tau("Task 2", "0.872", tables, "supportive_score")


def _agreement(
    task: str, published: tuple[str, str, str], found: CategoryAgreement
) -> Iterator[Figure]:
    raw = found.coefficients["raw"]
    yield Figure(f"{task}: agreement, %", published[0], None if raw is None else 100 * raw)
    yield Figure(f"{task}: Cohen kappa", published[1], found.coefficients["kappa"])
    yield Figure(f"{task}: Gwet AC1", published[2], found.coefficients["ac1"])


def _tau(task: str, published: str, tables: Iterable[ScoreTable], measure: str) -> Figure:
    human, auto = tables
    found = compare_scores(human.topics, auto.topics, measure)
    return Figure(f"{task}: Kendall tau of runs", published, found.runs["tau_b"])


def _percent(found: Iterable[bool]) -> float:
    values = list(found)
    return 100 * sum(values) / len(values)


_ORGANIZERS = "https://github.com/trec-dragun/resources"
_NIST = "https://trec.nist.gov/data/dragun/DRAGUN.zip"

TARGETS = (
    Target(
        "starter-kit",
        "The organizers' public baseline runs. To make such a run: sidelight run --config "
        "configs/organizers-baseline.yaml, with an index of MS MARCO V2.1 and a model",
        (KIT_QUESTIONS, KIT_REPORTS),
        _ORGANIZERS,
        _starter_kit,
    ),
    Target(
        "autojudge-scores",
        "The published AutoJudge labels of 26 runs, and two runs' scores by them, all answers of "
        "a topic weighing the same",
        (AUTO_REPORTS,),
        _ORGANIZERS,
        _auto_judge_scores,
    ),
    Target(
        "dragun-collection",
        "TREC 2025 DRAGUN resources, table 2: the collection",
        (HUMAN_RUBRICS, QUESTIONS, REPORTS, COMPOUND),
        _NIST,
        _collection,
    ),
    Target(
        "dragun-judge",
        "TREC 2025 DRAGUN resources, section 4: AutoJudge against people",
        (HUMAN_RUBRICS, QUESTIONS, REPORTS, COMPOUND, AUTO_QUESTIONS, AUTO_REPORTS),
        f"{_NIST} and {_ORGANIZERS}",
        _judge,
    ),
    Target(
        "rubric-sun",
        "RUBRIC (ICTIR 2024), table 5, row Sun: TREC DL 2020",
        ("Sun.qrel", "qrels.official.txt"),
        "https://github.com/TREMA-UNH/rubric-evaluation",
        _sun,
    ),
    Target(
        "rag25-labels",
        "TREC 2025 RAG: NIST's labels against UMBRELA's",
        ("qrels.nist.txt", "qrels.umbrela2.txt"),
        "https://trec-rag.github.io, the data of 2025",
        _rag25,
    ),
)
