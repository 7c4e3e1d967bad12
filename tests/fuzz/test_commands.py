"""Whatever a file holds, a command ends with a message and an exit code.

`make fuzz` damages ten thousand files; the default tests a few of them. A failure names its seed:
`pytest -m fuzz -k "NAME and SEED"` repeats it.
"""

import random
import resource
import shutil
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click.testing
import orjson
import pytest
import typer

from sidelight.cli.main import app
from sidelight.errors import SidelightError
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.reproduction.archive import CONTENTS
from sidelight.sample import sample_path
from tests.helpers.formats.mutations import damaged
from tests.helpers.graded import example
from tests.helpers.scripted_runs import bundle, seal, with_topics
from tests.helpers.viewed_runs import write_run

COMMAND = typer.main.get_command(app)
SLOWEST_S = 10
MOST_MB = 1024
ROUNDS, SEEDS = 20, 34


@dataclass(frozen=True)
class Case:
    """A command (`{}` is the folder), the files that are damaged one at a time, and their maker."""

    words: str
    files: tuple[str, ...]
    make: Callable[[Path], object]


def sample(folder):
    shutil.copytree(sample_path(), folder, dirs_exist_ok=True)
    places = [(n, k) for n in range(3) for k in range(1, 8)]
    hits = "".join(f"q{n} Q0 d{k} {k} {9 - k}.5 tag\n" for n, k in places)
    labels = "".join(f"q{n} 0 d{k} {k % 3}\n" for n, k in places)
    for name, text in (("run.txt", hits), ("qrels.txt", labels), ("qrels2.txt", labels)):
        (folder / name).write_text(text)
    (folder / "settings.yaml").write_text(
        "retrieval: {k: 10, retriever: bm25}\nsubmission:\n  team_id: a\n  run_id: a-b\n"
        "models:\n  writer: {name: m, temperature: 0.5, server: s}\nservers:\n  s: {base_url: 'http://x/v1'}\n"
    )


def finished(folder):
    write_run(folder / "run")


def graded(folder):
    queries = example()
    write_graded(folder / "graded.jsonl", queries)
    banks = b""
    for query in "qr":
        ids = (f"{query}/{number}" for number in (1, 2, 3))
        items = [{"question_id": one, "question_text": f"Is it {one}?"} for one in ids]
        bank = {"query_id": query, "query_text": "what is it", "items": items}
        banks += orjson.dumps(bank) + b"\n"
    (folder / "bank.jsonl").write_bytes(banks)


RUNS = "runs/*/*"
CASES = {
    "validate runs": Case("validate {}", (RUNS,), sample),
    "validate others": Case(
        "validate {}",
        ("topics.jsonl", "human_*/*", "run.txt", "qrels.txt", "narratives.jsonl", "probes/*"),
        sample,
    ),
    "view": Case("view {}/run", ("run/manifest.json", "run/traces/*", "run/*.yaml"), finished),
    "view files": Case("view {}/run", ("run/task*",), finished),
    "pack": Case(
        "pack {}/run -o {}/packed --topics {}/topics.jsonl --json",
        ("run/manifest.json", "run/task*", "run/*.yaml", "topics.jsonl", "run/traces/*"),
        with_topics,
    ),
    "agree qrels": Case("agree qrels {}/qrels.txt {}/qrels2.txt --json", ("qrels.txt",), sample),
    "agree labels": Case(
        "agree labels {}/human_assessments/report_assessments.csv "
        "{}/human_assessments/report_assessments.csv --json",
        ("human_assessments/report*",),
        sample,
    ),
    "score": Case("score --data {}", ("human_*/*",), sample),
    "score as organizers": Case(
        "score task1 --data {} --organizer-compat --json", ("human_*/*",), sample
    ),
    "score reports as organizers": Case(
        "score task2 --data {} --organizer-compat --json", ("human_*/*",), sample
    ),
    "score retrieval": Case(
        "score retrieval --qrels {}/qrels.txt --run {}/run.txt", ("qrels.txt", "run.txt"), sample
    ),
    "fuse": Case("fuse {}/run.txt {}/run.txt -o {}/fused.txt", ("run.txt",), sample),
    "segment": Case(
        "corpus segment {}/documents.jsonl -o {}/segments.jsonl", ("documents.jsonl",), sample
    ),
    "configuration": Case("doctor --config {}/settings.yaml", ("settings.yaml",), sample),
    "headroom": Case("score headroom task2 --data {} -o {}/out", ("human_*/*",), sample),
    "judge": Case(
        "judge {}/runs/report_generation_runs/lantern-t2 --task task2 --rubrics {}/human_rubrics "
        "-o {}/out --words-only",
        ("human_rubrics/*", "runs/report_generation_runs/lantern-t2"),
        sample,
    ),
    "leaderboard": Case("rubric leaderboard {}/graded.jsonl --json", ("graded.jsonl",), graded),
    "holes": Case("rubric holes {}/graded.jsonl --bank {}/bank.jsonl --json", ("*.jsonl",), graded),
    "bank": Case("bank merge {}/bank.jsonl {}/bank.jsonl -o {}/out", ("bank.jsonl",), graded),
    "diff": Case("score diff task1 --data {}", ("human_*/*",), sample),
    "contents of a bundle": Case("verify {}", ("bundle.json",), bundle),
    "verify": Case("verify {}", ("run/*", "run/traces/*", "*.jsonl", "evidence/*"), bundle),
}


class Site:
    """Where the files of a case lie, as they are and as they are damaged."""

    def __init__(self, case, folder):
        self.case = case
        self.whole, self.folder = folder / "whole", folder / "damaged"
        self.whole.mkdir()
        case.make(self.whole)
        shutil.copytree(self.whole, self.folder)
        self.files = sorted(
            path.relative_to(self.whole)
            for pattern in case.files
            for path in self.whole.glob(pattern)
            if path.is_file()
        )

    def damage(self, seed):
        rng = random.Random(seed)
        file = rng.choice(self.files)
        (self.folder / file).write_bytes(damaged((self.whole / file).read_bytes(), rng))
        if self.case.words == "verify {}" and self.files[0].name != CONTENTS:
            seal(self.folder)
        return file

    def mend(self):
        shutil.rmtree(self.folder)
        shutil.copytree(self.whole, self.folder)

    def words(self, file):
        """The command line; `validate` is given the damaged file alone."""
        if self.case.words == "validate {}":
            return ["validate", str(self.folder / file)]
        return [word.replace("{}", str(self.folder)) for word in self.case.words.split(" ")]


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    return cache(lambda name: Site(CASES[name], tmp_path_factory.mktemp("fuzz")))


@contextmanager
def bounded(what, seconds, megabytes):
    """Fail where the block takes more time of the processor, or more memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()  # which other work on the machine does not lengthen
    yield
    taken = time.process_time() - begin
    assert taken < seconds, f"{what}: {taken:.0f} s"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < megabytes, f"{what}: {grown:.0f} MB"


def check(site, seed):
    file = site.damage(seed)
    try:
        with bounded(f"seed {seed}: {file}", SLOWEST_S, MOST_MB):
            result = click.testing.CliRunner().invoke(COMMAND, site.words(file))
    finally:
        site.mend()
    error = result.exception
    if error is not None and not isinstance(error, SidelightError | OSError | SystemExit):
        pytest.fail(f"seed {seed}: {file}\n{''.join(traceback.format_exception(error))}")
    assert "Traceback" not in result.output, seed


ROUNDS_OF_CASES = [
    # The first round is the share of the default tests.
    pytest.param(name, number, marks=[pytest.mark.fuzz] * (number > 0), id=f"{name}-{number}")
    for name in CASES
    for number in range(ROUNDS)
]


@pytest.mark.parametrize(("name", "number"), ROUNDS_OF_CASES)
def test_damaged_files_end_in_a_message(name, number, sites):
    for seed in range(2) if number == 0 else range(number * SEEDS, (number + 1) * SEEDS):
        check(sites(name), seed)
