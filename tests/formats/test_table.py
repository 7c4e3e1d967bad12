from __future__ import annotations

from pathlib import Path

from sidelight.formats.table import latex_table, read_table, write_table


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "table.csv"
    write_table(path, ["run", "score"], [['a,"b"', 0.1 + 0.2], ["N/A", None], ["c\rd", 1 / 3]])
    header, rows = read_table(path)
    assert header == ("run", "score")
    cells = [row.cells for row in rows]
    assert [row["run"] for row in cells] == ['a,"b"', "N/A", "c\nd"]
    assert [row["score"] for row in cells] == [repr(0.1 + 0.2), "", repr(1 / 3)]


def test_a_table_has_booktabs_rules_and_escaped_cells() -> None:
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
