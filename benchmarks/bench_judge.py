"""How fast runs are judged, and how much of its prompts a server with a prefix cache computes.

Run with: python -m benchmarks.bench_judge

The public data `dragun-2025` hold `topics.jsonl`, `runs/task1` and `runs/task2` as the track's
organizers publish them. Their rubrics are not public here: eight or seven questions of a run, 236
in all, stand in for the questions, and 25 words of the article for each answer.

1. A thousand pairs of questions against a server that answers after 200 ms, and the organizers'
   way of asking: one call after the other.
2. What a server computes of all prompts of a whole judging: 33 runs of ten questions and 26 reports
   on 30 topics, 256 calls at once. It keeps blocks of 16 tokens, the least recently used one making
   place, up to 262,144 tokens. A token is four characters here. What several requests have in
   common is computed by each of them if none was finished before they came.
"""

from __future__ import annotations

import asyncio
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.asked import SimulatedServer, ask_one_by_one, noted
from benchmarks.data import shared_data
from benchmarks.interleaved import Comparison
from benchmarks.record import write_results
from sidelight.evaluation.labelling.examples import Examples
from sidelight.evaluation.labelling.judge import Mode, RubricCase
from sidelight.evaluation.labelling.judged_runs import assess_runs
from sidelight.evaluation.labelling.judges import PromptedJudge
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.formats.topics import read_articles
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import QuestionRun, ReportRun, SubmittedQuestion
from sidelight.tracks import load_track
from tests.helpers.models.fault_server import FaultServer

SCALES = load_track().scales

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.llm.base import Request
    from sidelight.schemas.topic import Article

LATENCY_S, AT_ONCE = 0.2, 256
N_PAIRS, N_SEQUENTIAL, ROUNDS = 1000, 50, 3
N_QUESTION_RUNS, N_REPORT_RUNS = 33, 26
STAND_IN = "feedbackintheloop"
REPORT_EXAMPLES = ("organizer-gpt-oss-t2", "dragun-organizers-starter-kit-task-2")


class Material:
    """The public data, with stand-ins for what is not public."""

    def __init__(self, data: Path) -> None:
        self.articles = {one.topic_id: one for one in read_articles(data / "topics.jsonl")}
        task1 = {path.name: read_question_run(path) for path in (data / "runs/task1").iterdir()}
        task2 = {path.name: read_report_run(path) for path in (data / "runs/task2").iterdir()}
        asked = _by_topic(task1.pop(STAND_IN).questions)
        self.rubrics = {
            topic_id: _rubric(self.articles[topic_id], asked[topic_id][: 8 if place < 26 else 7])
            for place, topic_id in enumerate(sorted(self.articles))
        }
        self.examples = Examples(
            rubrics=self.rubrics,
            questions={
                (tag, question.topic_id, question.rank): question
                for tag, run in task1.items()
                for question in run.questions
            },
            reports={
                (tag, report.metadata.topic_id): report
                for tag in REPORT_EXAMPLES
                for report in task2[tag].reports
            },
            question_labels=(),
            answer_labels=(),
        )
        # Other words for every run, so that no two prompts are the same.
        self.question_runs = [
            QuestionRun(
                run_tag=f"run-{number}",
                questions=tuple(
                    question.model_copy(update={"text": f"{question.text} ({number})"})
                    for run in [list(task1.values())[number % len(task1)]]
                    for question in run.questions
                ),
            )
            for number in range(N_QUESTION_RUNS)
        ]
        self.report_runs = [
            ReportRun(
                run_tag=f"run-{number}",
                reports=tuple(
                    report.model_copy(update={"responses": report.responses[number % 5 :]})
                    for report in task2["garag_rubric"].reports
                ),
            )
            for number in range(N_REPORT_RUNS)
        ]


def _by_topic(questions: Iterable[SubmittedQuestion]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for question in questions:
        texts.setdefault(question.topic_id, []).append(question.text)
    return texts


def _rubric(article: Article, texts: list[str]) -> Rubric:
    words = article.body.split()
    answers = [f"na-{number}" for number in range(1, round(len(texts) * 551 / 236) + 1)]
    return Rubric(
        topic_id=article.topic_id,
        questions=tuple(
            RubricQuestion(
                question_id=f"{article.topic_id}-{rank}",
                rank=rank,
                text=text,
                importance=SCALES["importance"].label("good to know"),
                answers=tuple(
                    RubricAnswer(answer_id=name, text=" ".join(words[place : place + 25]))
                    for place, name in enumerate(answers)
                    if place % len(texts) == rank - 1
                ),
            )
            for rank, text in enumerate(texts, start=1)
        ),
    )


async def ask_pairs(material: Material, base_url: str) -> list[Request]:
    """Judge ten questions of one run on each of thirteen topics: a thousand pairs, or nearly."""
    topic_ids = sorted(material.rubrics)[: N_PAIRS // 80 + 1]
    async with noted(base_url, AT_ONCE) as (asked, requests):
        judge = PromptedJudge({"tiny": asked}, material.articles, material.examples)
        run = material.question_runs[0]
        left = N_PAIRS
        work = []
        for topic_id in topic_ids:
            rubric = material.rubrics[topic_id]
            questions = [one for one in run.questions if one.topic_id == topic_id]
            questions = questions[: left // len(rubric.questions)]
            left -= len(questions) * len(rubric.questions)
            case = RubricCase(rubric, questions)
            work.append(judge.label(QUESTION_SIMILARITY, case))
        await asyncio.gather(*work)
    return requests


def compare_speed(material: Material) -> Comparison:
    ours, peer = [], []
    with FaultServer(latency_s=LATENCY_S) as server:
        base_url = server.base_url
        for _ in range(ROUNDS):
            started = time.perf_counter()
            requests = asyncio.run(ask_pairs(material, base_url))
            ours.append(time.perf_counter() - started)
            assert len(requests) == N_PAIRS, len(requests)
            started = time.perf_counter()
            ask_one_by_one(requests[:N_SEQUENTIAL], base_url)
            peer.append((time.perf_counter() - started) * N_PAIRS / N_SEQUENTIAL)
    return Comparison(f"{N_PAIRS} pairs; the peer's time is scaled from {N_SEQUENTIAL}", ours, peer)


def simulate(material: Material) -> list[str]:
    lines = ["prompt                calls   M tokens   M computed   of its own   of pairwise"]

    async def judged(mode: Mode) -> SimulatedServer:
        server = SimulatedServer(AT_ONCE)
        judge = PromptedJudge({"none": server}, material.articles, material.examples, mode)
        track = load_track()
        await assess_runs(
            judge, TaskRuns(track.question_list, material.rubrics, material.question_runs)
        )
        if mode is Mode.GRID:
            await assess_runs(
                judge, TaskRuns(track.cited_text, material.rubrics, material.report_runs)
            )
        return server

    servers = [asyncio.run(judged(mode)) for mode in Mode]
    pairwise = servers[0].tokens["question_pairwise"]
    figures = {name: (server, calls) for server in servers for name, calls in server.calls.items()}
    for name, (server, calls) in figures.items():
        tokens, computed = server.tokens[name], server.computed[name]
        of_pairwise = f"1/{pairwise / computed:.0f}" if name.startswith("question") else "-"
        lines.append(
            f"{name:18} {calls:8,} {tokens / 1e6:10.1f} {computed / 1e6:12.2f} "
            f"{f'1/{tokens / computed:.0f}':>12} {of_pairwise:>13}"
        )
    print(*lines, sep="\n", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [*lines, f"most memory of the judging process: {peak:.0f} MB"]


def main() -> None:
    material = Material(shared_data("dragun-2025") / "dragun-2025")
    speed = compare_speed(material)
    print(speed, flush=True)
    workload = (
        f"30 public topics, stand-in rubrics; server latency {LATENCY_S} s, {AT_ONCE} at once"
    )
    write_results("judge", workload, [speed, *simulate(material)])


if __name__ == "__main__":
    main()
