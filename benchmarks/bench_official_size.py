"""How long scoring and agreement take on complete labels of the official size.

Random labels of 37 question runs and 28 report runs for 30 topics, 236 rubric questions and 551
answers, laid out as the organizers do and written by pandas. Every step is a command in a process
of its own, as a person runs it: start, reading and printing count.

Run with: python -m benchmarks.bench_official_size
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.record import Figure, write_results
from sidelight.formats.banks.rubrics import write_rubric
from sidelight.formats.data_folder import DataPart
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track

SCALES = load_track().scales

TOPICS, QUESTIONS, ANSWERS = 30, 236, 551
QUESTION_RUNS, REPORT_RUNS, QUESTIONS_PER_TOPIC = 37, 28, 10
SAMPLES = 10_000
ROUNDS = 3


def rubrics(generator: np.random.Generator) -> list[Rubric]:
    """Deal questions to topics and answers to questions as evenly as they go."""
    per_topic = np.full(TOPICS, QUESTIONS // TOPICS) + (np.arange(TOPICS) < QUESTIONS % TOPICS)
    per_question = iter(
        np.full(QUESTIONS, ANSWERS // QUESTIONS) + (np.arange(QUESTIONS) < ANSWERS % QUESTIONS)
    )
    made = []
    for number, n_questions in enumerate(per_topic.tolist()):
        topic_id = f"msmarco_v2.1_doc_{number:02}_{generator.integers(10**9)}"
        n_answers = 0
        questions = []
        for rank in range(1, n_questions + 1):
            ids = range(n_answers, n_answers := n_answers + int(next(per_question)))
            questions.append(
                RubricQuestion(
                    question_id=f"{topic_id}-{rank}",
                    rank=rank,
                    text=f"Question {rank}?",
                    importance=SCALES["importance"].labels[int(generator.integers(3))],
                    answers=tuple(RubricAnswer(answer_id=f"na-{i}", text="Yes.") for i in ids),
                )
            )
        made.append(Rubric(topic_id=topic_id, questions=tuple(questions)))
    return made


def write_labels(folder: Path, known: list[Rubric], generator: np.random.Generator) -> None:
    """Write complete labels: pandas quotes what needs it; a run tag is `N/A`, lines end in CRLF."""
    tags = ["N/A", *(f"team-{number}" for number in range(1, QUESTION_RUNS))]
    pairs = pd.DataFrame(
        [
            (rubric.topic_id, question.rank, tag, rank)
            for rubric in known
            for question in rubric.questions
            for tag in tags
            for rank in range(1, QUESTIONS_PER_TOPIC + 1)
        ],
        columns=["topic_id", "rubric_question_rank", "run_tag", "run_question_rank"],
    )
    assert len(pairs) == 87_320
    questions = pairs[["topic_id", "run_tag", "run_question_rank"]].drop_duplicates()
    answers = pd.DataFrame(
        [
            (rubric.topic_id, tag, answer.answer_id)
            for rubric in known
            for tag in tags[:REPORT_RUNS]
            for question in rubric.questions
            for answer in question.answers
        ],
        columns=["topic_id", "run_tag", "answer_id"],
    )
    assert len(answers) == 15_428
    folder.mkdir(parents=True)
    similarity = generator.choice(
        (SCALES["similarity"].names), len(pairs), p=[0.05, 0.1, 0.25, 0.6]
    )
    found = generator.choice((SCALES["answers"].names), len(answers), p=[0.05, 0.07, 0.01, 0.87])
    compound = generator.choice((SCALES["compound"].names), len(questions), p=[0.11, 0.89])
    for name, table in {
        "question_assessments": pairs.assign(annotation=similarity),
        "report_assessments": answers.assign(annotation=found),
        "compound_question_check": questions.assign(
            run_question_text='Who says "no", and why?',
            auto_compound_question_assessment=compound,
            auto_assessment_rationale="it asks\ntwo things",
        ),
    }.items():
        table.to_csv(
            folder / f"{name}.csv", index=False, lineterminator="\r\n", encoding="utf-8-sig"
        )


class Seconds(NamedTuple):
    """What one process took; on a busy machine the wall clock says more than the work."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.cpu:.2f} s of CPU)"


def sidelight(*arguments: object) -> Seconds:
    """Run a command in a process of its own."""
    before, started = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "sidelight.cli.main", *map(str, arguments)],
        check=True,
        capture_output=True,
    )
    wall, after = time.perf_counter() - started, os.times()
    cpu = after.children_user + after.children_system
    return Seconds(wall, cpu - before.children_user - before.children_system)


def main() -> None:
    generator = np.random.default_rng(0)
    known = rubrics(generator)
    with tempfile.TemporaryDirectory() as name:
        sides = people, judge = Path(name, "people"), Path(name, "judge")
        for side in sides:
            write_labels(side / "human_assessments", known, generator)
            (side / DataPart.RUBRICS).mkdir()
            for rubric in known:
                write_rubric(side / DataPart.RUBRICS / f"{rubric.topic_id}.json", rubric)
        steps: dict[str, tuple[object, ...]] = {
            f"score both tasks, {side.name}": ("score", "--data", side, "-o", side / "scores")
            for side in sides
        }
        for kind, part in (
            ("question", DataPart.QUESTION_ASSESSMENTS),
            ("report", DataPart.REPORT_ASSESSMENTS),
        ):
            labels = judge / part, "--data", people
            file = f"human_{kind}_generation_per_topic_results.csv"
            scores = (side / "scores" / file for side in sides)
            steps[f"agree labels, {kind}s"] = ("agree", "labels", *labels)
            steps[f"agree scores, {kind}s"] = ("agree", "scores", *scores, "--samples", SAMPLES)
        seconds = {
            name: min(sidelight(*step) for _ in range(ROUNDS)) for name, step in steps.items()
        }
    total = Seconds(*map(sum, zip(*seconds.values(), strict=True)))
    figures = [f"{name}: {took}" for name, took in {**seconds, "all together": total}.items()]
    print("\n".join(figures))
    write_results(
        "official_size",
        f"{TOPICS} topics, {QUESTIONS} rubric questions, {ANSWERS} answers; {QUESTION_RUNS} "
        f"question runs (87,320 pairs) and {REPORT_RUNS} report runs (15,428 answers); random "
        "labels in CSV by pandas with CRLF, a byte order mark and a run called N/A; intervals "
        f"from {SAMPLES} samples; each step is a new process, the best of {ROUNDS}",
        figures,
        [Figure("all together", round(total.wall, 2), "s")],
    )


if __name__ == "__main__":
    main()
