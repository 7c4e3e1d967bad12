"""How long judging a run of the official size takes without a model, and how much memory.

Thirty answers of TREC RAG 2024, each cut at 250 words and held against the nuggets of its topic,
551 in all as the rubrics of TREC 2025 DRAGUN have answers. The command is a process of its own, as
a person runs it: start, loading the encoder, reading and writing count.

Run with: python -m benchmarks.bench_embedded_judge
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import orjson

from benchmarks.data import shared_data
from benchmarks.record import Figure, write_results
from sidelight.formats.banks.rubrics import write_rubric
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.tracks import load_track
from sidelight_research.people_labels import read_answers

REPORTS, ANSWERS, MAX_WORDS = 30, 551, 250
TASK = "task2"


def write_data(labels: Path, folder: Path) -> Path:
    """Write rubrics and a run; return the run's file."""
    task = load_track().task(TASK)
    given = list(islice(cycle(read_answers(labels)), REPORTS))
    per_topic = [ANSWERS // REPORTS + (place < ANSWERS % REPORTS) for place in range(REPORTS)]
    importance = load_track().scales["importance"].labels[0]
    lines = []
    for place, answer in enumerate(given):
        topic_id = f"msmarco_v2.1_doc_{place:02}_1"
        items = enumerate(islice(cycle(answer.items), per_topic[place]))
        question = RubricQuestion(
            question_id=f"{topic_id}-1",
            rank=1,
            text="What?",
            importance=importance,
            answers=tuple(RubricAnswer(answer_id=f"na-{i}", text=text) for i, text in items),
        )
        rubric = Rubric(topic_id=topic_id, questions=(question,))
        write_rubric(folder / "rubrics" / f"{topic_id}.json", rubric)
        words = " ".join(answer.text.split()[:MAX_WORDS])
        metadata = {"team_id": "x", "run_id": "x-t2", "topic_id": topic_id}
        responses = [{"text": words, "citations": []}]
        lines.append(orjson.dumps({"metadata": metadata, "responses": responses}))
    run = folder / task.file_name
    run.write_bytes(b"\n".join(lines) + b"\n")
    return run


def main() -> None:
    """Judge with and without the encoder, and write what it took."""
    labels = shared_data("rag-2024") / "rag-2024" / "nugget-assignments.jsonl.gz"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rubrics").mkdir()
        run = write_data(labels, folder)
        lines, figures = [], []
        for options in ((), ("--words-only",)):
            started = time.perf_counter()
            subprocess.run(
                [
                    *(sys.executable, "-m", "sidelight.cli.main", "judge", str(run)),
                    *("--task", TASK, "--rubrics", str(folder / "rubrics")),
                    *("-o", str(folder / f"judged{len(lines)}"), *options),
                ],
                check=True,
            )
            seconds = time.perf_counter() - started
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            what = " ".join(options) or "with the encoder"
            lines.append(f"{what}: {seconds:.1f} s; most memory of a command so far {most:.0f} MB")
            figures.append(Figure(what, round(seconds, 1), "s"))
    workload = f"{REPORTS} reports of {MAX_WORDS} words at most, {ANSWERS} expected answers"
    write_results("embedded_judge", workload, lines, figures)


if __name__ == "__main__":
    main()
