"""What commands print, what they print as JSON, and what they write are the same figures."""

import csv
import json
import re
from operator import itemgetter
from typing import Any, NamedTuple

import pytest

from sidelight.cli.console import Column, table_of, write_results
from sidelight.sample import sample_path
from tests.cli.test_tables import tables
from tests.helpers.commands import said, told

REPORTS = sample_path() / "runs" / "report_generation_runs"
JUDGED = ("--task", "task2", "--data", str(sample_path()), "--words-only")
BOUNDS = {"95% interval": ("interval_low", "interval_high")}


def flat(record):
    """Return a record of JSON with the ends of its interval as CSV has them."""
    bounds = record.get("interval") or {}
    return record | {f"interval_{end}": bounds.get(end) for end in ("low", "high")}


def runs(document):
    return [flat(one) for one in document["runs"]]


def queries(document):
    (run,) = document["runs"]
    return [*run["per_query"].values(), run["mean"]]


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


def arms(document):
    return [
        {one["measure"]: one["means"][arm["name"]]["mean"] for one in document["measures"]}
        for arm in document["arms"]
    ]


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
    Case(
        *("agree norms", ("missed_questions",), listed("missed_questions")),
        {"asked": "questions", "no nugget answers": "missed"},
        ("experts' questions",),
        place=2,
    ),
    Case(
        *("audit", (), lambda document: [flat(one) for one in document["probes"]]),
        BOUNDS
        | {"credit": "credit_change", "left": "left", "share": "share_changed"}
        | {name: f"n_{name}" for name in "verdicts changed gained lost unjudged".split()},
        ("probe",),
    ),
    Case("score support", ("auto_support_per_run_results",)),
    Case("ablate", (), arms, {"R@5": "R@5", "nDCG@10": "nDCG@10"}, ("arm",)),
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


def audit(folder, _):
    runs = [str(REPORTS / f"{name}-t2") for name in ("tidepool", "lantern")]
    return ["audit", *runs, *JUDGED, "-o", str(folder / "out")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_what_is_printed_is_what_is_written(case, carried_out):
    pytest.importorskip("matplotlib")
    shown, _, document, out = carried_out(case.command)
    printed = cells(tables(shown)[case.place])
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
                figures = re.findall(r"-?[\d.]+%?", line[heading])
            for figure, name in zip(figures * (1 + len(keys) - len(figures)), keys, strict=True):
                assert is_shown(figure, record[name]), (heading, figure, record[name])
                assert is_shown(figure, row[name])
                assert row[name] == ("" if record[name] is None else str(record[name]))


def test_a_table_of_columns_is_written_in_full_and_shown_rounded(tmp_path):
    """What holds of all tables that are made of columns."""
    columns = [
        Column("run", "run_tag", itemgetter(0)),
        Column("score", "score", itemgetter(1), "{:.2f}".format),
        Column("95%", ("low", "high"), itemgetter(2), lambda ends: "known" if ends else "-"),
        Column("", "reason", itemgetter(3)),
        Column("best", "", itemgetter(0)),
    ]
    rows = [("a", 0.375, (0.1, 0.9), None), ("b", 0.5, None, "x, y")]
    table = table_of("made", rows, columns)
    write_results(tmp_path, [table])
    written = (tmp_path / "made.csv").read_text().splitlines()
    assert written == ["run_tag,score,low,high,reason", "a,0.375,0.1,0.9,", 'b,0.5,,,"x, y"']
    assert table.header == ["run", "score", "95%", "best"]
    assert table.rows == [["a", "0.38", "known", "a"], ["b", "0.50", "-", "b"]]


def test_the_verdicts_of_an_audit_are_those_of_its_file(carried_out):
    _, _, document, out = carried_out("audit")
    probes, rows = document["probes"], rows_of(out / "task2_audit_changes.csv")
    credit = {"supports": 1, "partial": 0.5}
    assert {one["most"] is None for one in probes} == {True, False}
    for probe in probes:
        found = [row for row in rows if row["probe"] == probe["probe"]]
        if probe["most"] is None:
            assert len(found) == probe["n_changed"]
        else:  # of an attack, the verdicts that still earn
            earned = sum(credit[row["after"]] for row in found)
            # Of what the answers themselves earn, which is nearly all there is.
            assert 0.9 * probe["left"] <= earned / probe["n_verdicts"] <= probe["left"]


def test_what_a_judge_says_is_in_its_manifest_and_its_labels(tmp_path):
    examples = ("--examples", sample_path(), "--example-run", "lantern-t2")
    runs = (REPORTS / "quillmark-t2", REPORTS / "tidepool-t2")
    words = ("judge", *runs, *JUDGED, *examples, "--min-confidence", 0.8, "-o", tmp_path)
    shown = said(*words)
    document = told(*words)
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
