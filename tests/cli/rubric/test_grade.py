"""`sidelight grade` from the command line: any origin, by items or directly, killed and gone on."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, UsageError
from sidelight.formats.banks.exams import write_exams
from sidelight.formats.labels.graded_passages import read_graded, write_graded
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery
from sidelight.schemas.grading.rubric import ExamBank, new_item
from tests.helpers.models.fault_server import FaultServer

AT_ONCE = 4
TEXTS = {
    "d1": "In a bog the wet ground keeps plants from rotting, because no air reaches them.",
    "d2": "Bogs hold a third of all carbon in the world's soils.",
    "d3": "The library opens at nine and closes at six.",
}
ASKED = (
    "What keeps plants in a bog from rotting?",
    "How much of the carbon in soils do bogs hold?",
    "Who digs peat?",
)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


def sidelight(*given: object) -> Any:
    result = CliRunner().invoke(app, [*map(str, given), "--json"])
    if result.exception is not None:
        raise result.exception
    return json.loads(result.stdout)


def write_bank(path: Path, *texts: str, query: str = "q1") -> Path:
    tests = tuple(new_item(query, text) for text in texts)
    bank = ExamBank(
        topic_id=query, query_text="why do bogs store carbon", kind="question", tests=tests
    )
    write_exams(path, [bank])
    return path


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return write_bank(tmp_path / "bank.jsonl", *ASKED)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    lines = [json.dumps({"docid": name, "segment": text}) for name, text in TEXTS.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_ranking(path: Path, *names: str) -> Path:
    lines = [
        f"q1 Q0 {name} {rank} {10 - rank} {path.stem}" for rank, name in enumerate(names, start=1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def grades(path: Path) -> dict[str, list[object]]:
    return {
        passage.passage_id: [item.rating for item in passage.gradings[0].items]
        for query in read_graded(path)
        for passage in query.passages
    }


def test_a_run_and_an_item_more_cost_what_they_add(tmp_path: Path, texts: Path) -> None:
    first = write_ranking(tmp_path / "first.trec", "d1", "d2")
    second = write_ranking(tmp_path / "second.trec", "d2", "d3")
    small = write_bank(tmp_path / "small.jsonl", *ASKED[:2])
    large = write_bank(tmp_path / "large.jsonl", *ASKED)
    out, at_once = tmp_path / "out.jsonl.gz", tmp_path / "at-once.jsonl.gz"
    found = sidelight("grade", first, "--bank", small, "--texts", texts, "-o", out)
    assert (found["cells"], found["new"], found["unjudged"]) == (4, 4, 0)
    assert found["graders"][0].endswith("@calibrated-on-TREC-DL-2019")
    assert sidelight("grade", second, "--bank", small, "--texts", texts, "-o", out)["new"] == 2
    assert sidelight("grade", out, "--bank", large, "-o", out)["new"] == 3
    both = (first, second, "--bank", large, "--texts", texts)
    assert sidelight("grade", *both, "-o", at_once)["new"] == 9
    assert sidelight("grade", *both, "-o", out)["new"] == 0
    assert grades(out) == grades(at_once)
    by_passage = grades(at_once)
    assert by_passage["d1"][0] in {4, 5}
    assert by_passage["d2"][1] in {4, 5}
    assert by_passage["d3"] == [0, 0, 0]


def answers(path: Path) -> Path:
    answer = {
        "metadata": {"team_id": "t", "run_id": "r", "narrative_id": "q1", "type": "automatic"},
        "references": ["d2", "d1"],
        "answer": [
            {"text": TEXTS["d2"], "citations": [0]},
            {"text": "And so on.", "citations": [1]},
        ],
    }
    answer["metadata"] |= {"narrative": "why"}  # type: ignore[operator]
    path.write_text(json.dumps(answer) + "\n")
    return path


def test_answers_are_graded_for_what_they_say_or_cite(
    tmp_path: Path, bank: Path, texts: Path
) -> None:
    run, out = answers(tmp_path / "answers.jsonl"), tmp_path / "out.jsonl"
    sidelight("grade", run, "--bank", bank, "-o", out)
    (passage,) = next(iter(read_graded(out))).passages
    assert passage.passage_id == "r/q1/1"
    assert passage.text == f"{TEXTS['d2']} And so on."
    cited = tmp_path / "cited.jsonl"
    sidelight("grade", run, "--part", "cited", "--texts", texts, "--bank", bank, "-o", cited)
    assert list(grades(cited)) == ["d2", "d1"]
    with pytest.raises(UsageError, match="do not hold their texts"):
        sidelight("grade", run, "--part", "cited", "--bank", bank, "-o", tmp_path / "no.jsonl")


def test_direct_grades_join_the_same_file(
    tmp_path: Path, bank: Path, texts: Path, server: FaultServer
) -> None:
    run, out = write_ranking(tmp_path / "r.trec", *TEXTS), tmp_path / "out.jsonl"
    given = ("--texts", texts, "-o", out)
    sidelight("grade", run, "--bank", bank, *given)
    assert sidelight("grade", run, "--direct", "pool", *given)["cells"] == 3
    asked = ("--direct", "UMBRELA", "--bank", bank, "--model", "tiny")
    found = sidelight("grade", run, *asked, "--base-url", server.base_url, *given)
    # The server writes sentences where a verdict is wanted: off the scale, so no grade.
    assert (found["cells"], found["unjudged"]) == (0, 3)
    passage = next(iter(read_graded(out))).passages[0]
    assert len(passage.gradings) == 1
    assert len(passage.direct) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "nothing to grade by"),
        (("--direct", "Nobody"), "no direct grader"),
        (("--direct", "Sun"), "needs a model"),
        (("--direct", "Sun", "--model", "m"), "nothing has their texts"),
        (("--direct", "pool", "--model", "m"), "--model is for"),
        (("--judge", "prompted", "--bank", "bank"), "needs a model"),
        (("--judge", "nobody", "--bank", "bank"), "no judge"),
        (("--bank", "bank", "--estimate"), "--estimate is for"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, bank: Path, texts: Path, options: tuple[str, ...], says: str
) -> None:
    run = write_ranking(tmp_path / "r.trec", *TEXTS)
    named = [bank if one == "bank" else one for one in options]
    with pytest.raises(UsageError, match=says):
        sidelight("grade", run, *named, "--texts", texts, "-o", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_what_is_no_passage_is_refused(tmp_path: Path, bank: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("Some prose.\n")
    with pytest.raises(InputError, match="expected graded passages, a ranking or a run"):
        sidelight("grade", path, "--bank", bank, "-o", tmp_path / "out.jsonl")


def test_an_estimate_counts_the_calls_and_makes_none(
    tmp_path: Path, bank: Path, texts: Path
) -> None:
    run, out = write_ranking(tmp_path / "r.trec", *TEXTS), tmp_path / "out.jsonl"
    asked = ("--judge", "prompted", "--model", "tiny", "--estimate", "--texts", texts, "-o", out)
    assert sidelight("grade", run, "--bank", bank, *asked)["calls"] == 9
    assert sidelight("grade", run, "--bank", bank, *asked, "--items-at-once", 3)["calls"] == 3
    assert not out.exists()


def write_pool(path: Path, count: int) -> Path:
    passages = tuple(
        GradedPassage("q1", f"p{number}", f"Passage {number} is about bogs.")
        for number in range(count)
    )
    write_graded(path, [GradedQuery("q1", passages)])
    return path


def n_kept(folder: Path) -> int:
    path = folder / "replies.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=60)) as database:
        try:
            found: int = database.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:  # the table is not there yet
            return 0
        return found


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_killed_grader_loses_no_grade_and_repeats_none(
    kills: int, bank: Path, server: FaultServer, tmp_path: Path
) -> None:
    pool = write_pool(tmp_path / "pool.jsonl", 30)
    given = ("--judge", "prompted", "--model", "tiny", "--bank", bank, "--at-once", AT_ONCE)
    whole = tmp_path / "whole" / "out.jsonl"
    sidelight("grade", pool, *given, "--base-url", server.base_url, "-o", whole)

    def start(out: Path, base_url: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "sidelight.cli.main", "grade", pool, *given]
        command += ["--base-url", base_url, "-o", out]
        return subprocess.Popen(
            [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    rng = random.Random(kills)
    killed = 0
    with FaultServer(latency_s=0.03) as slow:
        while killed < kills:
            out = tmp_path / f"after-{killed}" / "out.jsonl"
            while True:
                kept, asked = n_kept(out.parent / "replies"), slow.stats().calls
                process = start(out, slow.base_url)
                try:
                    # It needs a second to begin, and 90 / 4 x 0.03 s or more to ask.
                    process.wait(rng.uniform(0.6, 2.0) if killed < kills else None)
                except subprocess.TimeoutExpired:
                    process.kill()
                _, errors = process.communicate()
                new_asked = slow.stats().calls - asked
                if process.returncode != -signal.SIGKILL:
                    break
                killed += 1
                # Only calls under way were made in vain.
                assert new_asked - (n_kept(out.parent / "replies") - kept) <= AT_ONCE
            assert (process.returncode, errors) == (0, "")
            assert new_asked == 90 - kept
            assert out.read_bytes() == whole.read_bytes()


def test_a_page_and_its_corrections(tmp_path: Path, bank: Path) -> None:
    graded, page = tmp_path / "graded.jsonl", tmp_path / "page.html"
    sidelight("grade", write_pool(tmp_path / "pool.jsonl", 2), "--bank", bank, "-o", graded)
    options = ("--bank", bank, "-o", page)
    result = CliRunner().invoke(app, [*map(str, ("rubric", "verify", graded, *options))])
    assert result.exit_code == 0, result.output
    assert ASKED[0] in page.read_text()
    about = json.loads(
        page.read_text().partition('data-about="')[2].partition('"')[0].replace("&#34;", '"')
    )
    item = new_item("q1", ASKED[0]).item_id
    verdict = {"query_id": "q1", "passage_id": "p0", "item_id": item, "grade": 5}
    saved = tmp_path / "corrections.json"
    saved.write_text(json.dumps({**about, "verdicts": [verdict]}))
    checked = tmp_path / "checked.jsonl"
    found = sidelight("rubric", "corrections", graded, saved, "-o", checked)
    assert (found["checked"], found["accepted"], found["too_low"]) == (1, 0, 1)
    first = next(iter(read_graded(checked))).passages[0]
    assert [one.items[0].rating for one in first.gradings] == [0, 5]
    with pytest.raises(InputError, match="another file or version"):
        sidelight("rubric", "corrections", checked, saved)
    with pytest.raises(InputError, match="no such query"):
        CliRunner().invoke(
            app,
            [*map(str, ("rubric", "verify", graded, "--query", "q9", *options))],
            catch_exceptions=False,
        )
