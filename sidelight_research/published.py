"""Published figures, and the same figures computed from the published data.

A target is one source: what it printed is data (`figures.yaml`), and one function here computes it
from the files that the source released. Among them are the figures of RUBRIC (Farzi and Dietz,
ICTIR 2024) and its workbench. A figure agrees when it is the printed one at the printed precision,
or within a tolerance that its target states.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from sidelight.errors import InputError
from sidelight.evaluation.agreement.coefficients import kendall, spearman
from sidelight.evaluation.agreement.labels import compare_labels, read_two_sides
from sidelight.evaluation.agreement.qrels import compare_qrels
from sidelight.evaluation.agreement.ranks import compare_scores
from sidelight.evaluation.exams.grades import collect, exam_qrels
from sidelight.evaluation.exams.leaderboard import correlate_graders, exam_cover, wins
from sidelight.evaluation.labelling.relevance import vote
from sidelight.evaluation.metrics.rubric import QuestionDcg
from sidelight.evaluation.scoring.graded import score_question_quality
from sidelight.evaluation.scoring.score import rubrics_from_answers, score_questions, score_reports
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, look_for
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.formats.labels.qrels import read_qrels, read_question_grades
from sidelight.formats.lines import read_lines
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.plain_yaml import read_yaml
from sidelight.schemas.base import Value
from sidelight.text import budget_words
from sidelight.tracks import load_track
from sidelight_research.trained_figures import TRAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.text_vectors import SentenceEncoder
    from sidelight.tracks import Track

Computed: TypeAlias = "Iterator[tuple[str, float | tuple[str, ...] | None]]"
"""Names of figures and what they are here: None where one is undefined, names where these are
counted."""

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_RELEVANT_GRADE, _RELEVANT_JUDGMENT = 4, 2
_ANSWERED, _FIRST_PASSAGES = 3, 20  # as the published leaderboard of cover has them
# Columns of table 3: collection, measure, coefficient.
_TABLE_3 = (
    ("dl20", "ndcg_cut.10", 0),
    ("dl20", "ndcg_cut.10", 1),
    ("dl20", "map", 0),
    ("dl20", "recip_rank", 0),
    ("dl19", "ndcg_cut.10", 0),
    ("dl19", "ndcg_cut.10", 1),
    ("dl19", "map", 0),
    ("dl19", "recip_rank", 0),
    ("car", "map", 0),
    ("car", "map", 1),
    ("car", "ndcg_cut.20", 0),
    ("car", "Rprec", 0),
)


def graded_passages(graded: Path, _questions: Path, cover: Path) -> Computed:
    """Compute labels, leaderboards and cover of the passages of TREC DL 2019."""
    found = collect(read_graded(graded))
    exam = found.exam()
    qrels = exam_qrels(exam)
    yield "passages labelled", sum(map(len, qrels.values()))
    (row,) = correlate_graders(
        found.rankings.places,
        {"": qrels},
        found.rankings.judged,
        "nDCG@10",
        levels=[_RELEVANT_GRADE],
        official_level=_RELEVANT_JUDGMENT,
    )
    yield "nDCG@10 against judgments: Spearman", row.values["nDCG@10 S"]
    yield "nDCG@10 against judgments: Kendall", row.values["nDCG@10 K"]
    covered = exam_cover(exam, found.rankings, min_rating=_ANSWERED, depth=_FIRST_PASSAGES)
    scores = {run.run_tag: run.values for run in covered.table.runs}
    ranks = _official_ranks(cover)
    runs = sorted(scores.keys() & ranks.keys())
    official = np.array([-ranks[run] for run in runs])
    for measure, title in (("exam", "EXAM"), ("n_exam", "n-EXAM")):
        ours = np.array([scores[run][measure] for run in runs])
        yield f"{title} against official ranks: Spearman", spearman(official, ours)
        yield f"{title} against official ranks: Kendall", kendall(official, ours)
    everything = covered.everything.values()
    yield "EXAM of all passages", sum(everything) / len(everything)
    for run, values in scores.items():
        yield f"{run}: EXAM", values["exam"]
        yield f"{run}: n-EXAM", values["n_exam"]


def grade_tables(grades: Path, official: Path) -> Computed:
    """Count the released labels against those of assessors."""
    levels = _RELEVANT_GRADE, _RELEVANT_JUDGMENT
    found = compare_qrels(read_qrels(grades), read_qrels(official), levels)
    place = {name: at for at, name in enumerate(found.grades.categories)}
    for grade in reversed(found.used[0]):
        for judgment in reversed(found.used[1]):
            count = int(found.grades.table[place[str(grade)], place[str(judgment)]])
            yield f"grade {grade}, judgment {judgment}", count
    if found.relevance:
        cells = ("both relevant", "only by grades", "only by judgments", "neither")
        yield from zip(cells, map(int, found.relevance.table.ravel()), strict=True)
        yield "Cohen kappa", found.relevance.coefficients["kappa"]


def leaderboards(*tables: Path) -> Computed:
    """Correlate each column of printed leaderboards with their last one, the official ranks."""
    for path in tables:
        rows = [row for row in _printed_rows(path) if row[-1] is not None]
        columns = list(zip(*rows, strict=True))
        official = np.array([-(rank or 0.0) for rank in columns[-1]])
        yield f"{path.stem}: runs", len(rows)
        for place, column in enumerate(columns[:-1], start=1):
            scores = np.array([value or 0.0 for value in column])
            yield f"{path.stem}, column {place}: Spearman", spearman(official, scores)
            yield f"{path.stem}, column {place}: Kendall", kendall(official, scores)


def table_of_wins(*correlations: Path) -> Computed:
    """Count wins from the correlations that were released for each collection."""
    cells: dict[tuple[str, str], dict[tuple[str, str, int], float | None]] = {}
    for path in correlations:
        collection = path.name.partition("-")[0]
        for _, text in read_lines(path):
            labels, level, measure, *values = (*text.split("\t"), "", "", "")[:5]
            if labels.endswith(".qrel"):
                name = labels.rpartition("/")[2].removesuffix(".qrel")
                for place, value in enumerate(values):
                    number = float(value) if _NUMBER.fullmatch(value) else None
                    cells.setdefault((name, level), {})[collection, measure, place] = number
    # Binary graders have one level, and that of 0 to 2 is given one in the paper.
    by_items = ("QuestionSelfRatedUnanswerablePromptWithChoices", "NuggetSelfRatedPrompt")
    rows = {
        f"{name} {level}": [row.get(column) for column in _TABLE_3]
        for (name, level), row in cells.items()
        if level == "1" or (name in by_items and level != "3")
    }
    for name, won in wins(rows).items():
        yield f"wins of {name}", won


def _official_ranks(path: Path) -> dict[str, float]:
    """Return the official rank of each run that has one, by the next to last column."""
    lines = [text.split("\t") for _, text in read_lines(path)]
    header = next((cells for cells in lines if cells[0] == "method"), [])
    name = "orig_TREC_leaderboard_rank"
    if name not in header:
        raise InputError(f"{path}: expected a column {name}; found none")
    at = header.index(name)
    return {
        cells[0]: float(cells[at])
        for cells in lines
        if len(cells) > at and _NUMBER.fullmatch(cells[at].strip())
    }


def _printed_rows(path: Path) -> Iterator[list[float | None]]:
    """Yield the scores of each run of a Markdown table, without standard errors, then its rank."""
    width = 0
    for _, text in read_lines(path):
        cells = [cell.strip(" *") for cell in text.strip().strip("|").split("|")]
        if cells[-1] == "official rank":
            width = len(cells)
            keep = [at for at, cell in enumerate(cells) if at and cell not in {"+/-", "std-err"}]
        elif width and len(cells) == width and not cells[0].startswith("\\_overall"):
            found = [float(cells[at]) if _NUMBER.fullmatch(cells[at]) else None for at in keep]
            if None not in found:
                yield found
    if not width:
        raise InputError(f"{path}: expected a table with a column 'official rank'; found none")


_SHOWN_TO_AUTO_JUDGE = frozenset(
    {
        "organizer-gpt-oss-t1",
        "dragun-organizers-starter-kit-task-1",
        "organizer-t1-perplex",
        "organizer-t1-chatgpt",
        "organizer-gpt-oss-t2",
        "dragun-organizers-starter-kit-task-2",
    }
)
"""Runs whose labels by people stood in the prompts of AutoJudge, which cannot be held against
them: https://github.com/trec-dragun/resources, README.md, Generate AutoJudge Assessments."""

_RELEVANT = 2
"""The lowest grade of a passage that answers a part of a narrative."""


def _starter_kit(questions: Path, reports: Path) -> Computed:
    written = read_report_run(reports).reports
    words = [
        sum(budget_words(sentence.text) for sentence in report.responses) for report in written
    ]
    yield "questions", len(read_question_run(questions).questions)
    yield "reports", len(written)
    yield "words per report", sum(words) / len(words)


def _auto_judge_scores(assessments: Path) -> Computed:
    track = load_track()
    labels = read_assessments(assessments, ANSWER_ASSESSMENTS, track.scales)
    yield "labels", len(labels)
    for label in track.scales[ANSWER_ASSESSMENTS.scale].names:
        yield f"labels {label}", sum(item.label == label for item in labels)
    table = score_reports(track, rubrics_from_answers(labels), labels)
    yield from ((run.run_tag, run.values[table.main.name]) for run in table.runs)


def _sun(sun: Path, official: Path) -> Computed:
    found = compare_qrels(read_qrels(sun), read_qrels(official), (1, 2)).relevance
    assert found is not None  # noqa: S101 - thresholds were given
    cells = ("both relevant", "only Sun", "only NIST", "neither")
    yield from zip(cells, map(int, found.table.ravel()), strict=True)
    yield "Cohen kappa", found.coefficients["kappa"]


def _rag25(nist: Path, umbrela: Path, gpt: Path, ministral: Path, qwen: Path) -> Computed:
    people = read_qrels(nist)
    compared = compare_qrels(people, read_qrels(umbrela))
    yield "labels by both", compared.grades.n
    yield "exact agreement", compared.grades.coefficients["raw"]
    yield "Cohen kappa", compared.grades.coefficients["kappa"]
    yield from (compared.order.shares or {}).items()
    models = {path.stem: read_qrels(path) for path in (gpt, ministral, qwen)}
    for one, other in combinations(models, 2):
        grades = compare_qrels(models[one], models[other]).grades
        yield f"{one}, {other}: exact agreement", grades.coefficients["raw"]
        yield f"{one}, {other}: Cohen kappa", grades.coefficients["kappa"]
    votes = vote(models)
    agreeing = Counter(one.agreeing for passages in votes.values() for one in passages.values())
    yield "passages that all three grade alike", agreeing[3]
    yield "passages that two grade alike", agreeing[2]
    yield "passages that no two grade alike", agreeing[1]
    # Theirs are passages of another collection: only what topics are like can be compared.
    majority = {
        topic: {name: one.grade for name, one in passages.items() if one.grade is not None}
        for topic, passages in votes.items()
    }
    topics = sorted(majority.keys() & people.keys())
    yield "topics of NIST that the models graded", len(topics)
    yield (
        "passages of NIST that the models graded",
        sum(len(majority[topic].keys() & people[topic].keys()) for topic in topics),
    )
    shares = [
        np.array(
            [np.mean([grade >= _RELEVANT for grade in side[topic].values()]) for topic in topics]
        )
        for side in (people, majority)
    ]
    yield "share relevant, NIST, mean of topics", float(shares[0].mean())
    yield "share relevant, majority, mean of topics", float(shares[1].mean())
    yield "share relevant, topics: Kendall tau", kendall(*shares)


def _collection(rubrics: Path, pairs: Path, answers: Path, compound: Path) -> Computed:
    track = load_track()
    scales = track.scales
    known = read_rubrics(rubrics, scales)
    questions = [question for rubric in known.values() for question in rubric.questions]
    yield "topics", len(known)
    yield "rubric questions", len(questions)
    yield "rubric answers", sum(len(question.answers) for question in questions)
    flags = read_assessments(compound, COMPOUND_ASSESSMENTS, scales)
    yield f"{track.question_list.title} runs", len({item.run_tag for item in flags})
    yield f"{track.question_list.title} questions", len(flags)
    yield from _shares(scales[COMPOUND_ASSESSMENTS.scale].names, [item.label for item in flags])
    compared = read_assessments(pairs, QUESTION_ASSESSMENTS, scales)
    yield "assessed pairs", len(compared)
    yield from _shares(scales[QUESTION_ASSESSMENTS.scale].names, [item.label for item in compared])
    told = read_assessments(answers, ANSWER_ASSESSMENTS, scales)
    yield f"{track.cited_text.title} runs", len({item.run_tag for item in told})
    yield "assessed answers", len(told)
    yield from _shares(scales[ANSWER_ASSESSMENTS.scale].names, [item.label for item in told])


def _judge(
    rubrics: Path,
    pairs: Path,
    answers: Path,
    compound: Path,
    auto_pairs: Path,
    auto_answers: Path,
) -> Computed:
    track = load_track()
    known = read_rubrics(rubrics, track.scales)
    flags = read_assessments(compound, COMPOUND_ASSESSMENTS, track.scales)
    kind, human, auto = _two_judges(pairs, auto_pairs, track)
    # Classes that earn the same are one class in the paper.
    merged = compare_labels(kind, track.scales, human, auto).schemes[-1].overall
    yield from _agreement(track.question_list.title, merged)
    scored = (score_questions(track, known, labels, flags) for labels in (human, auto))
    yield from _order_of_runs(track.question_list.title, *scored)
    kind, human, auto = _two_judges(answers, auto_answers, track)
    found = compare_labels(kind, track.scales, human, auto).schemes[0].overall
    yield from _agreement(track.cited_text.title, found)
    scored = (score_reports(track, known, labels) for labels in (human, auto))
    yield from _order_of_runs(track.cited_text.title, *scored)


def _two_judges(people: Path, judge: Path, track: Track) -> tuple[Any, list[Any], list[Any]]:
    """Read both sides' labels; of the judge's, not those of runs that it was shown."""
    kind, human, auto = read_two_sides(people, judge, track.scales)
    return kind, human, [item for item in auto if item.run_tag not in _SHOWN_TO_AUTO_JUDGE]


def _agreement(task: str, found: CategoryAgreement) -> Computed:
    raw = found.coefficients["raw"]
    yield f"{task}: agreement, %", None if raw is None else 100 * raw
    yield f"{task}: Cohen kappa", found.coefficients["kappa"]
    yield f"{task}: Gwet AC1", found.coefficients["ac1"]


def _order_of_runs(task: str, human: ScoreTable, auto: ScoreTable) -> Computed:
    found = compare_scores(human.topics, auto.topics, human.main.name)
    yield f"{task}: runs that both judged", len(found.run_tags)
    yield f"{task}: runs left out", (*found.only_runs[0], *found.only_runs[1])
    yield f"{task}: Kendall tau of runs", found.runs["tau_b"]


def _question_quality(graded: Path) -> Computed:
    track = load_track("lateral2024")
    grades = read_question_grades(graded, track.scales)
    yield "graded questions", len(grades)
    depth = track.question_list.count
    best = dict.fromkeys(range(1, depth + 1), track.scales["question_quality"].highest)
    yield "ideal DCG@10", QuestionDcg(depth)(best, track.scales)
    for run in score_question_quality(track, grades).runs:
        yield from ((f"{run.run_tag}: {name}", value) for name, value in run.values.items())


def _shares(names: Iterable[str], labels: list[object]) -> Computed:
    for name in names:
        yield f"{name}, %", 100 * labels.count(name) / len(labels)


COMPUTE: Mapping[str, Callable[..., Computed]] = {
    "starter-kit": _starter_kit,
    "autojudge-scores": _auto_judge_scores,
    "dragun-collection": _collection,
    "dragun-judge": _judge,
    "rubric-sun": _sun,
    "rubric-dl19": graded_passages,
    "rubric-tables": grade_tables,
    "rubric-leaderboards": leaderboards,
    "rubric-wins": table_of_wins,
    "lateral2024-table1": _question_quality,
    "rag25-agreement": _rag25,
}
"""What each target computes from the files it needs, in their order."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was printed or computed before, and what it is here.

    Attributes:
        expected: As it was printed.
        here: The same, unrounded; None where it is undefined.
        names: Of what is counted, where it is few enough to be named.
        within: How far both may be apart; 0 asks for the same at the printed precision.
        misprint: Why the source contradicts itself here; empty where it does not. What differs from
            such a figure is no failure.
        ours: Whether this software computed it first; the source prints no such figure.
    """

    name: str
    expected: str
    here: float | None
    names: tuple[str, ...] = ()
    within: float = 0.0
    misprint: str = ""
    ours: bool = False

    @property
    def shown(self) -> str:
        """Return the number here at the printed precision."""
        return "undefined" if self.here is None else f"{self.here:.{self._decimals}f}"

    @property
    def agrees(self) -> bool:
        """Tell whether both are the same, as far as they are printed or as they may differ."""
        if self.here is None:
            return False
        if self.within:
            return abs(self.here - float(self.expected)) <= self.within
        return float(self.shown) == float(self.expected)

    @property
    def stands(self) -> bool:
        """Tell whether nothing is wrong here: both agree, or what is printed cannot be right."""
        return self.agrees or bool(self.misprint)

    @property
    def _decimals(self) -> int:
        return len(self.expected.partition(".")[2])


class Training(NamedTuple):
    """What it takes to train: the default encoder in single precision, and a folder for weights.

    Without a folder, nothing that is learned is kept.
    """

    encoder: SentenceEncoder
    weights: Path | None = None


class Target(Value):
    """Something published that can be computed again.

    Attributes:
        title: What it is and where it was published.
        needs: Where the files and folders that it is computed from are published, by their names.
        within: See `Figure`; for figures that another processor may change.
        misprints: By the name of a figure, why what is printed contradicts the source itself.
        printed: The figures, by name, as they are printed.
        ours: Whether this software computed them first; the source has the data alone.
    """

    ours: bool = False
    title: str
    needs: dict[str, str]
    within: float = 0.0
    misprints: dict[str, str] = Field(default_factory=dict)
    printed: dict[str, str]

    def sources(self, names: Iterable[str]) -> list[str]:
        """Return a line for each of some files it needs: its name, and where it is published."""
        return [f"{name}: {self.needs[name]}" for name in names]

    def figure(self, name: str, here: float | tuple[str, ...] | None) -> Figure:
        """Return a printed figure with what it is here: a number, or the names of the counted."""
        if isinstance(here, tuple):
            return Figure(name, self.printed[name], len(here), here, ours=self.ours)
        return Figure(
            name,
            self.printed[name],
            here,
            within=self.within,
            misprint=self.misprints.get(name, ""),
            ours=self.ours,
        )


@cache
def targets() -> dict[str, Target]:
    """Return all targets by the names that the command line has for them."""
    text = (files("sidelight_research") / "figures.yaml").read_text(encoding="utf-8")
    return {name: Target.model_validate(content) for name, content in read_yaml(text).items()}


def trains(name: str) -> bool:
    """Tell whether models are trained for a target."""
    return name in TRAIN


def figures_of(name: str, data: Path, training: Training | None = None) -> list[Figure]:
    """Return the figures of a target, in the order in which they are printed; see `find_files`.

    Those of a target that trains need `training`.
    """
    target = targets()[name]
    found = find_files(name, data)
    here: dict[str, Any] = dict(
        TRAIN[name](*found, encoder=training.encoder, weights=training.weights)
        if training
        else COMPUTE[name](*found)
    )
    return [target.figure(figure, here[figure]) for figure in target.printed]


def find_files(name: str, data: Path) -> list[Path]:
    """Return what a target needs, in its order, wherever it lies within a folder.

    Files that lie together go before others of their names. Where there is none of a name, parts of
    the track's data are known by what they hold.

    Raises:
        InputError: Something is missing, or there are two of it.
    """
    target = targets()[name]
    found = {need: sorted(data.rglob(need)) for need in target.needs}
    together = set.intersection(
        *(
            {path.parents[len(Path(need).parts) - 1] for path in paths}
            for need, paths in found.items()
        )
    )
    if len(together) == 1:  # other collections may hold files of the same names
        return [next(iter(together)) / need for need in target.needs]
    parts = {Path(part).name: part for part in DataPart}
    for need in parts.keys() & found.keys():
        if not found[need] and (part := look_for(data, parts[need])):
            found[need] = [part]
    missing = [need for need, paths in found.items() if not paths]
    if missing:
        raise InputError(
            f"{data}: {name} needs {', '.join(target.needs)}; found no {', '.join(missing)}",
            remedy="\n".join(target.sources(missing)),
        )
    for need, paths in found.items():
        if len(paths) > 1:
            raise InputError(
                f"{data}: expected one {need}; found {paths[0]} and {paths[1]}",
                remedy="Name the folder that holds the one to use with --data.",
            )
    return [paths[0] for paths in found.values()]
