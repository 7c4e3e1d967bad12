"""Files are judged by reading them, and tables are written so that they read back."""

import pytest

from sidelight.errors import UsageError
from sidelight.formats.table import latex_table, read_table, write_table
from sidelight.formats.verdict import judge_file
from tests.helpers.formats.mutations import mutated_task1, mutated_task2
from tests.helpers.formats.official_oracle import task1_is_valid, task2_is_valid
from tests.helpers.formats.sample_runs import (
    TOPICS,
    TRACK,
    task1_rows,
    task2_objects,
    write_task1,
    write_task2,
)


def test_a_valid_run_is_counted_and_an_invalid_one_counts_nothing(tmp_path):
    verdict = judge_file(write_task1(tmp_path, task1_rows()), TRACK, TOPICS)
    assert (verdict.kind and verdict.kind.name, verdict.valid, verdict.size) == ("task1", True, 30)
    objects = task2_objects()
    objects[0]["responses"] = []
    verdict = judge_file(write_task2(tmp_path, objects), TRACK, TOPICS)
    assert (verdict.valid, len(verdict.problems), verdict.size) == (True, 1, 30)
    rows = task1_rows()
    rows[1][3] = "1"
    verdict = judge_file(write_task1(tmp_path, rows), TRACK, TOPICS)
    assert (verdict.valid, verdict.size) == (False, 0)
    assert [item.code for item in verdict.problems] == ["rank-duplicate", "rank-missing"]


def test_a_file_of_another_kind_is_judged_by_reading_it(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b x\n1 0 a 2\n2 0 a 1\n3 0 a 1\n")
    verdict = judge_file(path, TRACK, TOPICS)
    assert (verdict.kind and verdict.kind.name, verdict.valid) == ("qrels", False)
    assert [(item.code, item.line) for item in verdict.problems] == [
        ("grade", 2),
        ("grade-conflict", 3),
    ]
    path.write_text("1 0 a 1\n")
    with pytest.raises(UsageError, match="this is a qrels file"):
        judge_file(path, TRACK, TOPICS, official=True)
    for unreadable in (tmp_path / "nowhere", tmp_path):
        verdict = judge_file(unreadable, TRACK, TOPICS)
        assert (verdict.kind, verdict.valid) == (None, False)
        assert [item.code for item in verdict.problems] == ["unreadable"]


@pytest.mark.parametrize(
    ("mutated", "is_valid"), [(mutated_task1, task1_is_valid), (mutated_task2, task2_is_valid)]
)
def test_detection_never_turns_an_official_verdict(tmp_path, mutated, is_valid):
    path = tmp_path / "run"
    for seed in range(100):
        content = mutated(seed)
        path.write_bytes(content)
        try:
            valid = judge_file(path, TRACK, TOPICS, official=True).valid
        except UsageError:  # so broken that it looks like another kind of file
            valid = False
        assert valid == is_valid(content, TOPICS), f"seed {seed}"


def test_what_is_written_reads_back(tmp_path):
    path = tmp_path / "new" / "table.csv"
    write_table(path, ["run", "score"], [['a,"b"', 0.1 + 0.2], ["N/A", None], ["c\rd", 1 / 3]])
    header, rows = read_table(path)
    assert header == ("run", "score")
    cells = [row.cells for row in rows]
    assert [row["run"] for row in cells] == ['a,"b"', "N/A", "c\nd"]
    assert [row["score"] for row in cells] == [repr(0.1 + 0.2), "", repr(1 / 3)]


def test_a_table_has_booktabs_rules_and_escaped_cells():
    assert latex_table(["run", "score"], [["a_b&c", "50%"], ["[x]", "\\~^"]]) == (
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "run & score \\\\\n"
        "\\midrule\n"
        "a\\_b\\&c & 50\\% \\\\\n"
        "{[}x{]} & \\textbackslash{}\\textasciitilde{}\\textasciicircum{} \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )
