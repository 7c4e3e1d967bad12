"""What a model writes reaches no task file as markup, script address or formula."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.lines import Findings, read_json_lines
from sidelight.formats.runs.cited_sentences import check_active, inert
from sidelight.formats.runs.submission import Delivery, run_format
from sidelight.schemas.run import CitedSentence, RunIdentity
from sidelight.schemas.topic import Article
from sidelight.text import budget_words, one_line
from sidelight.tracks import load_track

ACTIVE = {
    "<script>alert(1)</script>": "‹script›alert(1)‹/script›",
    "See <img src=x onerror=alert(1)> there.": "See ‹img src=x onerror=alert(1)› there.",
    "<!-- hidden --> Shown.": "‹!-- hidden --› Shown.",
    "[Click](javascript:alert(1)) here.": "[Click](javascript;alert(1)) here.",
    "JavaScript :alert(1)": "JavaScript;alert(1)",
    "data:text/html;base64,PHM+": "data;text/html;base64,PHM+",
    "=cmd|'/C calc'!A0": "cmd|'/C calc'!A0",
    "@SUM(1+1)": "SUM(1+1)",
    "+cmd|' /C calc'!A0": "cmd|' /C calc'!A0",
    '=HYPERLINK("http://a")': 'HYPERLINK("http://a")',
}
PLAIN = (
    *("It was 5 < 7 and 9 > 3.", "The data: ten wells.", "- a dash", "-5 degrees.", "a=b", "a@b.c"),
    *('Who wrote "<3"?', "+44 20 is a prefix.", "JavaScript is a language."),
)


def test_what_is_active_is_made_inert_and_prose_stays():
    for text, shown in ACTIVE.items():
        assert inert(text) == shown
        findings = Findings(Path("run"))
        check_active(text, 3, findings)
        (problem,) = findings.problems
        assert (problem.code, problem.severity, problem.line) == ("active-text", "warning", 3)
    for text in PLAIN:
        assert inert(text) == text


@given(st.text(st.sampled_from("<>=@+-|!:;/ aJscript(\"'"), max_size=40))
def test_nothing_grows_and_once_is_enough(text):
    shown = inert(text)
    assert inert(shown) == shown
    assert len(shown) <= len(text)
    assert budget_words(shown) <= budget_words(text)


@pytest.mark.parametrize("text", ACTIVE)
def test_no_writer_lets_it_through(text, tmp_path):
    identity = RunIdentity(team_id="a", run_id="a-b", type="automatic")
    for task in load_track().tasks:
        result = (
            (text,) * 10
            if task == load_track().question_list
            else (CitedSentence(text=text, citations=()),)
        )
        path = tmp_path / task.file_name
        delivery = Delivery(Article(topic_id="t", body="x"), result)
        run_format(task).write(path, identity, [delivery])
        written = path.read_text(encoding="utf-8")
        assert one_line(text) not in written
        problems = run_format(task).check(path, task, ["t"], None)
        assert "active-text" not in {problem.code for problem in problems}


@pytest.mark.parametrize(
    "line", ['{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', '{"a": [{"b": 1, "\\u0062": 2}]}']
)
def test_a_repeated_key_is_an_error(line, tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n')
    with pytest.raises(InvalidFileError, match=r"run\.jsonl:2: error \[key-repeated\]"):
        read_json_lines(path)
