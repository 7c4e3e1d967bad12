"""How fast passages are graded by items, and how much of its prompts a server has to compute.

Run with: python -m benchmarks.bench_passage_grading

The public data `rubric-dl19` hold `graded.jsonl.gz` and `questions.jsonl.gz`, as the RUBRIC
workbench published them.

1. Ten thousand cells, a thousand passages by ten questions each, against a server that answers
   after 200 ms; and one call after the other, as the workbench asks. One item a call, then ten.
2. What a server with a prefix cache computes of the same prompts with the passage first and with
   the items first. It keeps blocks of 16 tokens, the least recently used one making place, up to
   262,144 tokens. A token is four characters here.
"""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.asked import SimulatedServer, ask_one_by_one, noted
from benchmarks.data import shared_data
from benchmarks.interleaved import Comparison
from benchmarks.record import write_results
from sidelight.evaluation.exams.cells import banks_by_query, grade_cells
from sidelight.evaluation.labelling.passage_grade import PromptedPassageGrades
from sidelight.formats.banks.exams import read_exams
from sidelight.formats.labels.graded_passages import read_graded
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery
from tests.helpers.models.fault_server import FaultServer

if TYPE_CHECKING:
    from sidelight.llm.base import Request
    from sidelight.schemas.grading.rubric import ExamBank

LATENCY_S, AT_ONCE = 0.2, 128
N_CELLS, N_SEQUENTIAL, ROUNDS = 10_000, 50, 2

Banks = dict[str, list["ExamBank"]]


def read_material(data: Path) -> tuple[list[GradedQuery], Banks]:
    """Return passages without their grades, and their banks: ten thousand cells."""
    banks = banks_by_query(read_exams(data / "questions.jsonl.gz"))
    left, pool = N_CELLS, []
    for query in read_graded(data / "graded.jsonl.gz"):
        items = sum(len(bank.tests) for bank in banks[query.query_id])
        passages = tuple(
            GradedPassage(query.query_id, one.passage_id, one.text)
            for one in islice(query.passages, left // items)
        )
        left -= items * len(passages)
        pool.append(GradedQuery(query.query_id, passages))
        if not left:
            break
    return pool, banks


async def grade(
    pool: list[GradedQuery], banks: Banks, base_url: str, items_at_once: int
) -> list[Request]:
    """Grade all cells, and return what was asked."""
    async with noted(base_url, AT_ONCE) as (asked, requests):
        grader = PromptedPassageGrades(asked, "tiny", at_once=items_at_once)
        graded = await grade_cells(pool, banks, grader)
    cells = [
        item
        for query in graded
        for passage in query.passages
        for grading in passage.gradings
        for item in grading.items
    ]
    assert len(cells) == N_CELLS
    assert all(isinstance(item.rating, int) for item in cells)
    return requests


def compare_speed(pool: list[GradedQuery], banks: Banks) -> list[Comparison | str]:
    own = []
    single, batched, peer = [], [], []
    with FaultServer(latency_s=LATENCY_S) as server:
        for _ in range(ROUNDS):
            started, before = time.perf_counter(), time.process_time()
            requests = asyncio.run(grade(pool, banks, server.base_url, 1))
            single.append(time.perf_counter() - started)
            own.append(time.process_time() - before)
            started = time.perf_counter()
            asyncio.run(grade(pool, banks, server.base_url, 10))
            batched.append(time.perf_counter() - started)
            started = time.perf_counter()
            ask_one_by_one(requests[:N_SEQUENTIAL], server.base_url)
            peer.append((time.perf_counter() - started) * N_CELLS / N_SEQUENTIAL)
    scaled = f"the peer's time, one item a call, is scaled from {N_SEQUENTIAL}"
    return [
        Comparison(f"{N_CELLS} cells, one item a call; {scaled}", single, peer),
        f"  processor time of the grading process: {min(own):.1f} s",
        Comparison(f"{N_CELLS} cells, ten items a call; {scaled}", batched, peer),
    ]


def _item_first(user: str) -> str:
    """Put the items before the passage, as in no prompt of ours."""
    passage, _, rest = user.partition("<<<END passage>>>")
    return f"{rest}\n{passage}<<<END passage>>>"


def simulate(pool: list[GradedQuery], banks: Banks) -> list[str]:
    lines = ["order            M tokens   M computed"]
    orders = {
        "passage first": SimulatedServer(AT_ONCE),
        "item first": SimulatedServer(AT_ONCE, _item_first),
    }
    for name, server in orders.items():
        asyncio.run(grade_cells(pool, banks, PromptedPassageGrades(server, "none")))
        tokens, computed = server.tokens.total(), server.computed.total()
        lines.append(f"{name:15} {tokens / 1e6:9.2f} {computed / 1e6:12.2f}")
    print(*lines, sep="\n", flush=True)
    return lines


def main() -> None:
    pool, banks = read_material(shared_data("rubric-dl19") / "rubric-dl19")
    speed = compare_speed(pool, banks)
    print(*speed, sep="\n", flush=True)
    n_passages = sum(len(query.passages) for query in pool)
    workload = (
        f"{n_passages} public passages of {len(pool)} queries, ten questions each; server latency "
        f"{LATENCY_S} s, {AT_ONCE} at once"
    )
    write_results("passage_grading", workload, [*speed, *simulate(pool, banks)])


if __name__ == "__main__":
    main()
