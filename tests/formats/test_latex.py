from __future__ import annotations

from sidelight.formats.table import latex_table


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
