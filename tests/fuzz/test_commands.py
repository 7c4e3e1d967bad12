"""Whatever a file holds, a command ends with a message and an exit code.

`make fuzz` damages ten thousand files; the default tests a few of them. A failure names its seed:
`pytest -m fuzz -k "NAME and SEED"` repeats it.
"""

from __future__ import annotations

import random
import resource
import shutil
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click.testing
import orjson
import pytest
import typer

from sidelight.cli.main import app
from sidelight.errors import SidelightError
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import CONTENTS, BundledPrompt, Contents, describe_files
from sidelight.reproduction.bundle import Recording
from sidelight.sample import sample_path
from sidelight.versions import VERSION
from tests.helpers.formats.damage import damaged
from tests.helpers.graded import example
from tests.helpers.scripted_runs import TOPICS, run
from tests.helpers.viewed_runs import write_run

COMMAND = typer.main.get_command(app)
SLOWEST_S = 10
MOST_MB = 1024
ROUNDS, SEEDS = 20, 34


@dataclass(frozen=True)
class Case:
    """A command and the files it reads.

    Attributes:
        words: The command line; `{}` is the folder.
        files: Those that are damaged, one at a time, as patterns in the folder.
        make: Writes the folder.
    """

    words: str
    files: tuple[str, ...]
    make: Callable[[Path], object]


def sample(folder: Path) -> None:
    shutil.copytree(sample_path(), folder, dirs_exist_ok=True)
    (folder / "run.txt").write_text(
        "".join(f"q{n} Q0 d{k} {k} {9 - k}.5 tag\n" for n in range(3) for k in range(1, 8))
    )
    (folder / "qrels.txt").write_text(
        "".join(f"q{n} 0 d{k} {k % 3}\n" for n in range(3) for k in range(1, 8))
    )
    shutil.copyfile(folder / "qrels.txt", folder / "qrels2.txt")
    (folder / "settings.yaml").write_text(
        "retrieval: {k: 10, retriever: bm25}\nsubmission:\n  team_id: a\n  run_id: a-b\n"
        "models:\n  writer: {name: m, temperature: 0.5, server: s}\nservers:\n  s: {base_url: 'http://x/v1'}\n"
    )


def finished(folder: Path) -> None:
    write_run(folder / "run")


def scripted(folder: Path) -> None:
    run(folder / "run")
    topics = ({"docid": one.topic_id, "body": one.body} for one in TOPICS)
    (folder / "topics.jsonl").write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in topics))


def bundle(folder: Path) -> None:
    """What `bundle` would write of a run that read nothing, which its replay cannot repeat."""
    scripted(folder)
    Recording().write(folder / "evidence")
    (folder / "replies.jsonl").touch()
    seal(folder)


def seal(folder: Path) -> None:
    """Say of the files in a bundle that they are as they are."""
    prompts = {
        prompt.id: BundledPrompt(version=prompt.version, fingerprint=prompt.fingerprint)
        for prompt in find_prompts()
    }
    Contents(
        sidelight=VERSION,
        python="",
        platform="",
        packages={},
        models={},
        index="index",
        prompts=prompts,
        files=describe_files(folder),
    ).write(folder)


def graded(folder: Path) -> None:
    queries = example()
    write_graded(folder / "graded.jsonl", queries)
    items = {"q": ("q/1", "q/2", "q/3"), "r": ("r/1", "r/2", "r/3")}
    banks = [
        {
            "query_id": query,
            "query_text": "what is it",
            "items": [{"question_id": one, "question_text": f"Is it {one}?"} for one in ids],
        }
        for query, ids in items.items()
    ]
    (folder / "bank.jsonl").write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in banks))


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
        scripted,
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

    def __init__(self, case: Case, folder: Path) -> None:
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

    def damage(self, seed: int) -> list[Path]:
        rng = random.Random(seed)
        files = [rng.choice(self.files)]
        for file in files:
            (self.folder / file).write_bytes(damaged((self.whole / file).read_bytes(), rng))
        if self.case.words == "verify {}" and self.files[0].name != CONTENTS:
            seal(self.folder)
        return files

    def mend(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.whole, self.folder)

    def words(self, files: list[Path]) -> list[str]:
        """The command line; `validate` is given the damaged files alone."""
        if self.case.words == "validate {}":
            return ["validate", *(str(self.folder / file) for file in files)]
        return [word.replace("{}", str(self.folder)) for word in self.case.words.split(" ")]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Site]:
    made: dict[str, Site] = {}

    def site(name: str) -> Site:
        if name not in made:
            made[name] = Site(CASES[name], tmp_path_factory.mktemp("fuzz"))
        return made[name]

    return site


def check(site: Site, seed: int) -> None:
    files = site.damage(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()  # which other work on the machine does not lengthen
    try:
        result = click.testing.CliRunner().invoke(COMMAND, site.words(files))
    finally:
        taken = time.process_time() - begin
        site.mend()
    error = result.exception
    if error is not None and not isinstance(error, SidelightError | OSError | SystemExit):
        pytest.fail(f"seed {seed}: {files}\n{''.join(traceback.format_exception(error))}")
    assert "Traceback" not in result.output, seed
    assert taken < SLOWEST_S, f"seed {seed}: {files} takes {taken:.0f} s"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MOST_MB, f"seed {seed}: {files} takes {grown:.0f} MB"


def rounds() -> list[object]:
    found: list[object] = []
    for name in CASES:
        for number in range(ROUNDS):
            marks = () if number == 0 else (pytest.mark.fuzz,)
            found.append(pytest.param(name, number, marks=marks, id=f"{name}-{number}"))
    return found


@pytest.mark.parametrize(("name", "number"), rounds())
def test_damaged_files_end_in_a_message(
    name: str, number: int, sites: Callable[[str], Site]
) -> None:
    # The first round is the share of the default tests.
    for seed in range(2) if number == 0 else range(number * SEEDS, (number + 1) * SEEDS):
        check(sites(name), seed)
