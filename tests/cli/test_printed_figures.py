"""What commands print, what they print as JSON, and what they write are the same figures."""

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.sample import sample_path
from tests.cli.test_tables import COMMANDS, ROOT, tables
from tests.helpers.prompted_runs import SHORT, write_inputs

PLAINLY = ("--set", "roles.default=extractive", "--set", "models.writer=null")
GRADER_COLUMNS = [f"{name} {side}" for name in ("nDCG@10", "AP", "RR") for side in "SK"]
CORRELATION_COLUMNS: dict[str, str | tuple[str, str]] = {
    "interval": ("interval_low", "interval_high"),
    "mean of topics": "topics_mean",
    "topics": ("topics_low", "topics_high"),
    "all pairs": "pairs",
}
REPORTS = sample_path() / "runs" / "report_generation_runs"
JUDGED = ("--task", "task2", "--data", str(sample_path()), "--words-only")
BOUNDS = {"95% interval": ("interval_low", "interval_high")}


def sidelight(*words):
    """Return what the program prints, run as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "sidelight.cli.main", *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "", "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_process(*words):
    """Return what the program prints, without the seconds that a process takes to begin."""
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exception is None, done.exception
    return done.stdout


def flat(record):
    """Return a record of JSON with the ends of its interval as CSV has them."""
    bounds = record.get("interval") or {}
    return record | {f"interval_{end}": bounds.get(end) for end in ("low", "high")}


def runs(document):
    return [flat(one) for one in document["runs"]]


def queries(document):
    (run,) = document["runs"]
    return [*run["per_query"].values(), run["mean"]]


def correlations(document):
    return [
        {
            "runs": document["runs"][name],
            "interval_low": document["intervals"][name]["low"],
            "interval_high": document["intervals"][name]["high"],
            **{f"topics_{key}": document["topics"][name][key] for key in ("mean", "low", "high")},
            "pairs": document["pairs"][name],
        }
        for name in ("tau_b", "spearman", "tau_ap", "tau_ap_b")
    ]


def battled(document):
    ends = ("interval_low", "interval_high")
    return [
        one | dict(zip(ends, one["interval"] or (None, None), strict=True))
        for one in document["runs"]
    ]


def held_against_people(document):
    return [
        flat({"value": document[name], "interval": document["intervals"].get(name)})
        for name in ("kappa", "accuracy", "tau")
    ]


def in_tables(name):
    return lambda document: document["tables"][name]


def listed(name):
    return lambda document: document[name]


class Case(NamedTuple):
    """One table of a command.

    `files` are what it writes of it, rows in the order of the table. `columns` leads from a heading
    to the key of its figure, or of both ends of an interval; other headings are keys once their
    blanks are underscores, and `words` stand above no figure. `place` says which table it is.
    """

    command: str
    files: tuple[str, ...] = ()
    records: Any = runs
    columns: Any = BOUNDS
    words: tuple[str, ...] = ("run",)
    place: int = 0


def norms(document):
    return [{"first": one, "second": other} for one, other in zip(*document["means"], strict=True)]


def arms(document):
    return [
        {one["measure"]: one["means"][arm["name"]]["mean"] for one in document["measures"]}
        for arm in document["arms"]
    ]


CORRELATED = ("supportive_score_correlations",), correlations, CORRELATION_COLUMNS, ("correlation",)
EFFECTS = {
    "95%": ("mean_low", "mean_high"),
    "Δ vs base": "difference",
    "95% again": ("difference_low", "difference_high"),
    "p": "p_value",
    "p (Holm)": "p_holm",
}
AGREED = {"AC1": "ac1"}
CASES = [
    Case("score task1", ("human_question_generation_per_run_results",)),
    Case("score task2", ("human_report_generation_per_run_results",)),
    Case("score nuggets", ("not_stated_nuggets_per_run_results",)),
    Case("score quality", ("not_stated_questions_per_run_results",)),
    Case("score usefulness", ("usefulness_per_run_results",), runs, {"questions": "n_topics"}),
    Case(
        "score retrieval",
        ("retrieval_per_topic_results", "retrieval_per_run_results"),
        *(queries, {}, ("run", "query")),
    ),
    Case(
        "score compare",
        ("supportive_score_run_pairs",),
        lambda document: [flat(one) for one in document["pairs"]],
        BOUNDS | {"p": "p_value", "p (Holm)": "p_holm"},
        ("pair",),
    ),
    *(
        Case(
            f"score headroom {task}",
            (f"human_{name}_generation_headroom",),
            listed("topics"),
            {"contradiction": "mean_contradiction"},
            ("topic", "best runs", *(["contradiction"] if task == "task1" else [])),
        )
        for task, name in (("task1", "question"), ("task2", "report"))
    ),
    Case("agree scores", *CORRELATED),
    Case(
        "agree labels",
        ("report_assessments_4_labels_agreement",),
        listed("schemes"),
        *(AGREED, ("4 categories", "kappa, 95%", "AC1, 95%")),
    ),
    Case(
        "agree grades",
        ("question_grades_agreement",),
        lambda document: [document],
        *(AGREED, ("6 categories",)),
    ),
    Case(
        "agree qrels",
        ("qrels_grades_agreement",),
        lambda document: [document["grades"]],
        *(AGREED, ("4 categories",)),
    ),
    Case("agree-people", (), held_against_people, words=("figure",)),
    Case("agree-people --segments", (), held_against_people, words=("figure",)),
    Case("agree norms", *CORRELATED),
    Case(
        *("agree norms", ("supportive_score_run_means",), norms),
        {"rubrics": "first", "nuggets": "second"},
        place=1,
    ),
    Case(
        *("agree norms", ("missed_questions",), listed("missed_questions")),
        {"asked": "questions", "no nugget answers": "missed"},
        ("experts' questions",),
        place=2,
    ),
    Case(
        *("audit", (), listed("probes")),
        {"credit": "credit_change", "left": "left", "share": "share_changed"}
        | {name: f"n_{name}" for name in "verdicts changed gained lost unjudged".split()},
        ("probe",),
    ),
    Case("score support", ("auto_support_per_run_results",)),
    Case("ablate", (), arms, {"R@5": "R@5", "nDCG@10": "nDCG@10"}, ("arm",)),
    *(
        Case(
            *("ablate", (f"effects_{name}",), in_tables(f"effects_{name}"), EFFECTS),
            (f"{measure}: arm",),
            place,
        )
        for place, (name, measure) in enumerate((("R_5", "R@5"), ("nDCG_10", "nDCG@10")), start=1)
    ),
    Case("score battles", (), battled),
    *(
        Case(f"score diff {task}", *((), listed("gaps"), {}, ("run", "topic", "measure", "causes")))
        for task in ("task1", "task2")
    ),
    Case("rubric leaderboard", ("leaderboard",), in_tables("leaderboard")),
    Case(
        *("rubric cover", ("exam_cover",), in_tables("exam_cover")),
        BOUNDS | {"EXAM": "exam", "n-EXAM": "n_exam"},
    ),
    Case(
        *("rubric correlations", ("correlations",), in_tables("correlations")),
        {"relevant from": "level"} | {name: name for name in GRADER_COLUMNS},
        ("grader",),
    ),
    Case(
        *("rubric tables", ("grades_by_judgments",), in_tables("grades_by_judgments"), {}),
        ("grades (rows), judgments",),
    ),
]


def cells(table):
    """Return the rows of a printed table, by heading."""
    header, *rows = (
        [cell.strip() for cell in re.split("[┃│]", line)[1:-1]] for line in table if line[0] in "┃│"
    )
    header = [f"{one} again" if one in header[:at] else one for at, one in enumerate(header)]
    return [dict(zip(header, row, strict=True)) for row in rows]


def is_shown(cell, value):
    """Tell whether a cell shows a value, as far as its digits go."""
    if value in {None, ""}:
        return cell in {"-", "undefined"}
    digits = re.fullmatch(r"[+]?(-?\d+(?:\.(\d+))?)(%?)(?:/\d+|\*)?", cell)
    assert digits, cell
    unit = 100 if digits[3] else 1
    half = 0.5 * 10.0 ** -len(digits[2] or "")
    return abs(float(digits[1]) - unit * float(value or 0)) <= half + 1e-9


def rows_of(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def as_written(records):
    return [{key: "" if one is None else str(one) for key, one in row.items()} for row in records]


def over_the_web(index):
    """Return the commands that search the sample's pages, or read its runs with the judge."""

    def ablate(folder, _):
        arms = {"bm25": {"retrieval.retriever": "bm25"}, "rm3": {"retrieval.retriever": "rm3"}}
        grid = {"dimensions": {"retriever": arms}, "measures": "R@5 nDCG@10", "hits": 10}
        (folder / "grid.yaml").write_text(json.dumps(grid))
        probes = sample_path() / "probes"
        given = ["--queries", probes / "queries.tsv", "--qrels", probes / "qrels.txt"]
        words = ["ablate", folder / "grid.yaml", "-o", folder / "out", "--samples", 200, *given]
        return [*map(str, words), "--index", str(index.path)]

    def support(*_):
        words = ["score", "support", *map(str, sorted(REPORTS.iterdir())), "--words-only"]
        return [*words, "--index", str(index.path)]

    def audit(folder, _):
        return ["audit", str(REPORTS / "tidepool-t2"), *JUDGED, "-o", str(folder / "out")]

    return {"ablate": ablate, "score support": support, "audit": audit}


class Carried(NamedTuple):
    """What a command printed, as text and as JSON, and the folder of what it wrote."""

    shown: list[list[str]]
    document: Any
    out: Path


@pytest.fixture(scope="module")
def carried_out(mini_web_index, tmp_path_factory):
    """Carries a command out, once for all of its tables."""
    commands = COMMANDS | over_the_web(mini_web_index)

    @cache
    def carry_out(name):
        folder = tmp_path_factory.mktemp("carried")
        out = folder / "out"
        with pytest.MonkeyPatch.context() as patched:
            words = commands[name](folder, patched)
            writes = any(case.files for case in CASES if case.command == name)
            words += ["-o", str(out)] if writes and str(out) not in words else []
            # Once as a process of its own.
            call = sidelight if name == "score task1" else in_process
            shown = tables(call(*words))
            return Carried(shown, json.loads(in_process(*words, "--json")), out)

    return carry_out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_what_is_printed_is_what_is_written(case, carried_out):
    pytest.importorskip("matplotlib")
    shown, document, out = carried_out(case.command)
    printed = cells(shown[case.place])
    records = case.records(document)
    written = [row for name in case.files for row in rows_of(out / f"{name}.csv")] or as_written(
        records
    )
    for name, table in document.get("tables", {}).items():
        assert not out.exists() or rows_of(out / f"{name}.csv") == as_written(table)
    assert len(printed) == len(written) == len(records) > 0
    for line, row, record in zip(printed, written, records, strict=True):
        for heading in line.keys() - set(case.words):
            key = case.columns.get(heading, heading.replace(" ", "_"))
            keys, figures = (key,) if isinstance(key, str) else key, [line[heading]]
            if not isinstance(key, str) and line[heading] != "-":
                figures = re.findall(r"-?[\d.]+", line[heading])
            for figure, name in zip(figures * (1 + len(keys) - len(figures)), keys, strict=True):
                assert is_shown(figure, record[name]), (heading, figure, record[name])
                assert is_shown(figure, row[name])
                assert row[name] == ("" if record[name] is None else str(record[name]))


def test_the_verdicts_of_an_audit_are_those_of_its_file(tmp_path):
    words = ("audit", REPORTS / "tidepool-t2", REPORTS / "lantern-t2", *JUDGED, "-o", tmp_path)
    probes = json.loads(in_process(*words, "--json"))["probes"]
    rows = rows_of(tmp_path / "audit_changes.csv")
    credit = {"supports": 1, "partial": 0.5}
    assert {one["most"] is None for one in probes} == {True, False}
    for probe in probes:
        found = [row for row in rows if row["probe"] == probe["probe"]]
        if probe["most"] is None:
            assert len(found) == probe["n_changed"]
        else:  # of an attack, the verdicts that still earn
            earned = sum(credit[row["after"]] for row in found)
            assert earned / probe["n_verdicts"] == pytest.approx(probe["left"])


def test_the_votes_are_those_of_the_written_labels(tmp_path):
    probes = (sample_path() / "probes" / "qrels.txt").read_text().splitlines()
    for name, kept in (("one", probes[:-2]), ("two", probes[3:]), ("three", probes[::2])):
        lines = (line.replace(" 1", " 2") if name == "three" else line for line in kept)
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    words = ("agree", "vote", *(tmp_path / name for name in ("one", "two", "three")))
    shown = in_process(*words, "-o", tmp_path / "out")
    document = json.loads(in_process(*words, "-o", tmp_path / "out", "--json"))
    rows = rows_of(tmp_path / "out" / "votes.csv")
    decided = [row for row in rows if row["majority"]]
    assert (len(rows), len(rows) - len(decided)) == (document["passages"], document["undecided"])
    assert len((tmp_path / "out" / "majority.qrels").read_text().splitlines()) == len(decided)
    votes = [Counter(row[one] for one in document["judges"] if row[one]) for row in rows]
    alike = Counter(str(max(found.values())) for found in votes)
    assert {number: alike[number] for number in document["agreeing"]} == document["agreeing"]
    assert len(alike) > 1
    told = [int(number) for number in re.findall(r"^(\d+) passage", shown, re.MULTILINE)]
    assert told == [document["agreeing"][number] for number in "321"]
    assert f"{document['undecided']} that too few judges graded" in shown


def test_what_a_judge_says_is_in_its_manifest_and_its_labels(tmp_path):
    examples = ("--examples", sample_path(), "--example-run", "lantern-t2")
    runs = (REPORTS / "quillmark-t2", REPORTS / "tidepool-t2")
    words = ("judge", *runs, *JUDGED, *examples, "--min-confidence", 0.8, "-o", tmp_path)
    shown = in_process(*words)
    document = json.loads(in_process(*words, "--json"))
    assert document == json.loads((tmp_path / "manifest.json").read_text())
    rows = rows_of(tmp_path / "auto_report_assessments.csv")
    unjudged = sum(not row["auto_assessment"] for row in rows)
    assert 0 < unjudged == document["n_unjudged"]["task2"] < len(rows)
    assert {row["run_tag"] for row in rows} == document["runs"]["task2"].keys()
    assert len({row["topic_id"] for row in rows}) == document["n_topics"]
    assert f"2 runs judged on {document['n_topics']} topics by embedded " in shown
    assert f"; {unjudged} verdicts could not be judged." in shown
    agreement = document["agreement"]["answers"]
    assert f"on answers: raw {agreement['raw']:.3f}, kappa {agreement['kappa']:.3f} " in shown
    assert f"({agreement['n_labels']} labels, {agreement['n_topics']} topics, " in shown


@pytest.fixture(scope="module")
def judged(mini_web_index, tmp_path_factory):
    """A run of one topic, judged as soon as it was made, and what was printed."""
    folder = tmp_path_factory.mktemp("judged")
    topics = (*write_inputs(folder, 1), *SHORT, *PLAINLY, "--index", mini_web_index.path)
    rubrics = sample_path() / "human_rubrics"
    judge = ("--judge", "embedded", "--rubrics", rubrics, "--output", folder / "run")
    return folder / "run", in_process("run", *topics, *judge)


def test_the_scores_of_a_run_are_those_of_its_files(judged, mini_web_index):
    run, shown = judged
    given = ("--rubrics", sample_path() / "human_rubrics", "--index", mini_web_index.path)
    again = in_process("evaluate", run, *given)
    document = json.loads(in_process("evaluate", run, *given, "--json"))
    scores = []
    for task, name in (("task1", "question"), ("task2", "report")):
        with (run / "scores" / f"auto_{name}_generation_per_run_results.csv").open() as stream:
            (row,) = csv.DictReader(stream)
        assert {key: str(value) for key, value in document[task].items()} == {
            key: row[key] for key in document[task]
        }
        scores.append(row)
    questions, reports = scores
    assert float(questions["score"]) > float(questions["credit_lost"])
    said = (
        f"questions {float(questions['score']):.4f}, "
        f"reports {float(reports['supportive_score']):.4f} supportive, "
        f"{float(reports['contradictory_score']):.4f} contradictory; unjudged "
        f"{float(questions['unjudged']):.1%} and {float(reports['unjudged']):.1%}."
    )
    with (run / "scores" / "funnel.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    for text in (shown, again):
        assert said in text
        for stage, total in zip(cells(tables(text)[-1]), document["funnel"], strict=True):
            credit = sum(float(row["weight"]) * float(row[total["stage"]] or 0) for row in rows)
            assert credit == pytest.approx(total["credit"])
            assert is_shown(stage["share"], total["credit"])
            assert is_shown(stage["change"], total["change"])
