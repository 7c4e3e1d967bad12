"""Reports that cite segments: read, checked, made inert and written."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.lines import Findings
from sidelight.formats.runs import cited_sentences
from sidelight.formats.runs.submission import CheckedRun, Delivery, official_reports, run_format
from sidelight.schemas.run import CitedSentence, ReportMetadata, RunIdentity, SubmittedReport
from sidelight.schemas.topic import Article
from sidelight.text import budget_words, one_line
from tests.helpers.formats.sample_runs import (
    RUN_ID,
    TASK1,
    TASK2,
    TOPICS,
    task2_bytes,
    task2_objects,
    write_task2,
)

CITATION = "msmarco_v2.1_doc_61_0#2_100"


def check(path):
    return cited_sentences.check_report_run(path, TASK2, TOPICS)


def found_in(path):
    return [(problem.code, problem.line) for problem in check(path)]


def changed(tmp_path, change):
    """Write a valid run of which the second report is changed."""
    objects = task2_objects()
    change(objects[1])
    return write_task2(tmp_path, objects)


def submitted(team_id, topic_id, *texts):
    return SubmittedReport(
        metadata=ReportMetadata(team_id=team_id, run_id=RUN_ID, topic_id=topic_id),
        responses=tuple(CitedSentence(text=text, citations=(CITATION,)) for text in texts),
    )


def text(value):
    return lambda item: item["responses"][0].update(text=value)


def citations(*values):
    return lambda item: item["responses"][0].update(citations=[*values])


def metadata(**values):
    return lambda item: item["metadata"].update(values)


# A change of the second report, and the codes of all that the strict check finds in that line.
FOUND = {
    "nothing changed": (lambda item: None, []),
    # What the track's validator passes.
    "no sentences": (lambda item: item.update(responses=[]), ["report-empty"]),
    "citations of nothing": (
        citations("garbage", "garbage", ""),
        ["citation-duplicate", "citation-pattern", "citation-pattern"],
    ),
    "a citation of a document": (citations("msmarco_v2.1_doc_61_0"), ["citation-pattern"]),
    "a citation with a line end": (citations(CITATION + "\n"), ["citation-pattern"]),
    "other digits": (citations("msmarco_v2.1_doc_٦١_0#2_100"), ["citation-pattern"]),
    "a repeated citation": (citations(CITATION, CITATION), ["citation-duplicate"]),
    **{
        f"the starter kit {flag!r}": (metadata(use_starter_kit=flag), ["value"])
        for flag in (True, False, 1.0, "0", None, 2, -1)
    },
    "a key of the report": (lambda item: item.update(notes=1), ["key-unknown"]),
    "an unknown key, and too many citations": (
        lambda item: (
            item.update(notes=1),
            item["responses"][0].update(citations=[f"{CITATION}{n}" for n in range(4)]),
        ),
        ["key-unknown", "citation-count"],
    ),
    "a sentence without a text, and another as a citation mark": (
        lambda item: (item["responses"][1].pop("text"), text("【1】 it is.")(item)),
        ["key-missing", "citation-mark"],
    ),
    "a key of the metadata": (metadata(notes=1), ["key-unknown"]),
    "a key of a sentence": (lambda item: item["responses"][1].update(notes=1), ["key-unknown"]),
    **{
        value: (text(value), ["hidden-words"])
        for value in (
            "word\u200bword is one word to a program.",
            "zero\u2060width joins.",
            "one—two—three—four hide behind dashes.",
            "one–two–three hide too.",
        )
    },
    **{
        value: (text(value), [])
        for value in (
            *("In 2019–2021 it grew.", "It grew—slowly.", "One — two — three."),
            # Narrow spaces and hyphens of gpt-oss.
            "On 30\u202fSeptember\u202f2020 the non\u2011profit “Lamp” said it paid 5\u202f%.",
        )
    },
    "a citation mark": (text(f"The paper belongs to a trust【{CITATION}】."), ["citation-mark"]),
    # The other sentence of the report has 8 words; the larger count, plain or after NFKC, counts.
    **{
        f"{times} times {word}": (text(" ".join([word] * times)), [] if fits else ["report-words"])
        for word, times, fits in (
            *(("word", 242, True), ("word", 243, False)),
            *(("a´b", 121, True), ("a´b", 122, False)),  # two words each after NFKC
            *(("ﷺ", 60, True), ("ﷺ", 61, False)),  # four words each after NFKC
        )
    },
    "the article itself": (citations(f"{TOPICS[1]}#3_77"), ["citation-own-article"]),
    "two sentences": (text("It is. Dr. Lamp of the U.S. Senate did it."), ["sentence-count"]),
    **{
        f"the text {value!r}": (text(value), ["sentence-empty"])
        for value in ("", "  ", "...", '""')
    },
    "overlapping windows": (
        citations(CITATION, "msmarco_v2.1_doc_61_0#3_150"),
        ["citation-adjacent"],
    ),
    "overlapping windows in two sentences": (
        lambda item: (
            item["responses"][0].update(citations=[CITATION]),
            item["responses"][1].update(citations=["msmarco_v2.1_doc_61_0#3_150"]),
        ),
        [],
    ),
    "no citations": (
        lambda item: [one.update(citations=[]) for one in item["responses"]],
        ["uncited-sentence"],
    ),
    "a sentence without citations": (citations(), ["uncited-sentence"]),
    "another team": (metadata(team_id="lamp-other"), ["team-id-inconsistent"]),
    "another run": (metadata(run_id="lamp-other"), ["run-id-inconsistent"]),
    "another type": (metadata(type="manual"), ["metadata-inconsistent"]),
    "another starter kit": (metadata(use_starter_kit=1), ["metadata-inconsistent"]),
    "a type in capitals": (metadata(type="Automatic"), ["value"]),
    "a number as a team": (metadata(team_id=5), ["value"]),
}
WARNINGS = {"citation-adjacent", "report-empty", "hidden-words"}


@pytest.mark.parametrize("name", FOUND)
def test_a_report_has_these_problems(tmp_path, name):
    change, codes = FOUND[name]
    path = changed(tmp_path, change)
    problems = check(path)
    assert [(one.code, one.line) for one in problems] == [(code, 2) for code in codes]
    warns = name == "a sentence without citations" or WARNINGS.issuperset(codes)
    assert {one.severity for one in problems} <= {"warning" if warns else "error"}
    if "key-unknown" in codes:
        assert len(cited_sentences.read_report_run(path).reports) == 30


def test_a_track_may_allow_several_sentences_and_lines_of_their_own(tmp_path):
    path = changed(tmp_path, text("It is so. It was so before."))
    assert found_in(path) == [("sentence-count", 2)]
    several = TASK2.model_copy(update={"one_sentence": False})
    assert cited_sentences.check_report_run(path, several, TOPICS) == []
    path, findings = tmp_path / RUN_ID, Findings(tmp_path / RUN_ID)
    report = submitted("", TOPICS[0], "It is.", "A. But. C.")
    run = CheckedRun(path, TASK2, TOPICS[:1], None, findings)
    cited_sentences.check_reports(run, [(report, (7, 9))])
    assert [(one.code, one.line) for one in findings.problems] == [("sentence-count", 9)]


# Severity, code and count in the public runs, all three of which the track's validator passes. What
# a split on full stops takes for a second sentence there is a name, an abbreviation or a quotation;
# the one text of two sentences has a blank line between them.
PUBLIC_PROBLEMS = {
    "dragun-organizers-starter-kit-task-2": {
        ("warning", "citation-adjacent"): 18,
        ("error", "uncited-sentence"): 5,
        ("warning", "uncited-sentence"): 4,
    },
    "garag_rubric": {
        ("warning", "citation-adjacent"): 25,
        ("error", "citation-own-article"): 46,
        ("error", "control-character"): 2,
        ("error", "sentence-count"): 1,
        ("error", "sentence-empty"): 10,
        ("warning", "file-name"): 1,
        ("warning", "run-id-prefix"): 1,
    },
    "organizer-gpt-oss-t2": {
        ("warning", "citation-adjacent"): 7,
        ("error", "citation-mark"): 12,
        ("error", "uncited-sentence"): 1,
        ("warning", "uncited-sentence"): 8,
        ("warning", "file-name"): 1,
        ("warning", "run-id-prefix"): 1,
    },
}


def test_public_runs_read_with_these_problems(public_runs):
    for name, expected in PUBLIC_PROBLEMS.items():
        problems = check(public_runs / "task2" / name)
        assert Counter((item.severity, item.code) for item in problems) == expected
    runs = [
        cited_sentences.read_report_run(path) for path in sorted((public_runs / "task2").iterdir())
    ]
    assert [len(run.reports) for run in runs] == [30, 30, 30]
    citations = [c for run in runs for r in run.reports for s in r.responses for c in s.citations]
    assert len(citations) == 1_067


# What readers of run files get wrong.


def test_c29_c210_c220_name_blank_lines_and_line_ends(tmp_path):
    path = write_task2(tmp_path, task2_objects()).rename(tmp_path / "submitted-name")
    run = cited_sentences.read_report_run(path)
    assert (run.run_tag, run.reports[0].metadata.run_id) == ("submitted-name", RUN_ID)
    assert found_in(path) == [("file-name", None)]
    path = tmp_path / RUN_ID
    path.write_bytes(b"\n" + task2_bytes(task2_objects()) + b" \n")
    assert len(cited_sentences.read_report_run(path).reports) == 30
    assert found_in(path) == [("blank-line", 1), ("blank-line", 32)]
    whole = task2_bytes(task2_objects())
    for content, found, valid in (
        (b"\xef\xbb\xbf" + whole, ("byte-order-mark", 1), False),
        (whole.replace(b"\n", b"\r\n"), ("crlf", None), True),
        (whole.replace(b'"responses"', b'\r"responses"', 1), ("control-character", 1), False),
    ):
        path.write_bytes(content)
        assert len(cited_sentences.read_report_run(path).reports) == 30
        assert found_in(path) == [found]
        assert (official_reports(path, TASK2, TOPICS) == []) is valid
    for character in ["\u2028", "\u2029", "\x85", "\x00", "\n", "\r"]:
        path = changed(tmp_path, text(f"The paper{character}belongs to a trust."))
        assert ("control-character", 2) in found_in(path)
        assert len(cited_sentences.read_report_run(path).reports) == 30


def test_c3_topics_and_segments_that_do_not_fit_are_named(tmp_path):
    path = write_task2(tmp_path, task2_objects([*TOPICS[1:], TOPICS[5], "extra-topic"]))
    [repeated, unknown, missing] = check(path)
    assert (repeated.code, repeated.line) == ("topic-duplicate", 30)
    assert TOPICS[5] in repeated.found
    assert (unknown.code, unknown.line, unknown.found) == ("topic-unknown", 31, "'extra-topic'")
    assert missing.code == "topic-missing"
    assert missing.found.endswith(TOPICS[0])
    with pytest.raises(InvalidFileError, match="topic-duplicate"):
        cited_sentences.read_report_run(path)
    for topic_id in [["t"], None, 7]:
        path = changed(tmp_path, metadata(topic_id=topic_id))
        assert ("value", 2) in found_in(path)
        assert ("topic-missing", None) in found_in(path)
    objects = task2_objects()
    known = {c for item in objects for s in item["responses"] for c in s["citations"]}
    path = write_task2(tmp_path, objects)
    assert cited_sentences.check_report_run(path, TASK2, TOPICS, known) == []
    [problem] = cited_sentences.check_report_run(path, TASK2, TOPICS, known - {CITATION})
    assert (problem.code, problem.line, problem.found) == ("citation-unknown", 1, f"'{CITATION}'")
    # What is no segment id cannot be in the index: that is said once.
    objects[0]["responses"][0]["citations"] = ["doc-1"]
    path = write_task2(tmp_path, objects)
    found = cited_sentences.check_report_run(path, TASK2, TOPICS, known)
    assert [one.code for one in found if one.found == "'doc-1'"] == ["citation-pattern"]


def test_missing_keys_and_citations_without_end_are_errors(tmp_path):
    for cited in ["msmarco_v2.1_doc_61_0#{}_1", "msmarco_v2.1_doc_61_0#1_{}"]:
        begin = time.process_time()
        problems = found_in(changed(tmp_path, citations(*map(cited.format, range(10_000)))))
        assert time.process_time() - begin < 5
        assert ("citation-count", 2) in problems
        assert problems.count(("citation-adjacent", 2)) == (9_999 if "#{}" in cited else 0)
    for key in ["team_id", "run_id", "topic_id", "type", "use_starter_kit"]:
        path = changed(tmp_path, lambda item, key=key: item["metadata"].pop(key))
        assert ("key-missing", 2) in found_in(path)


def test_what_scoring_needs_is_read_and_what_is_active_made_inert(tmp_path):
    path = tmp_path / "run"
    line = {"metadata": {"run_id": "r", "topic_id": "t"}, "responses": [{"text": "A."}]}
    path.write_text(json.dumps(line))
    [report] = cited_sentences.read_report_run(path).reports
    assert report.metadata == ReportMetadata(team_id="", run_id="r", topic_id="t")
    assert report.responses == (CitedSentence(text="A."),)
    assert not cited_sentences.has_citation_marks("It closed [1] in 2019.")
    for mark in (f"【{CITATION}】", "【】", f"【{CITATION}", "】"):
        assert cited_sentences.has_citation_marks(f"It closed{mark}.")
    for text, shown in ACTIVE.items():
        assert cited_sentences.inert(text) == shown
        findings = Findings(Path("run"))
        cited_sentences.check_active(text, 3, findings)
        (problem,) = findings.problems
        assert (problem.code, problem.severity, problem.line) == ("active-text", "warning", 3)
    for text in PLAIN:
        assert cited_sentences.inert(text) == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        *(("It closed. <think>", "thoughts"), ("</Thinking> It closed.", "thoughts")),
        *(("It closed.<|im_end|>", "tokens"), ("It closed. [/INST]", "tokens")),
        *(("It closed [1, 2] in May.", "marks"), ("It closed [3–5].", "marks")),
        *((f"{begins} It closed.", "markdown") for begins in ("#", "-", "*", "```")),
        *(("It **closed** in May.", "markdown"), ("[It](https://a.b) closed.", "markdown")),
    ],
)
def test_what_a_model_left_beside_its_text_is_named(text, what):
    findings = Findings(Path("run"))
    cited_sentences.check_text(3, text, findings)
    (problem,) = (one for one in findings.problems if one.code != "active-text")
    severity = "error" if what in {"thoughts", "tokens"} else "warning"
    assert (problem.code, problem.severity, problem.line) == ("model-leftovers", severity, 3)
    assert what in problem.expected


@pytest.mark.parametrize(
    "text", ["It [the mill] closed in [1998].", "#1 of 2 - a * b [sic].", "-5 degrees is <5 <|."]
)
def test_brackets_dashes_and_stars_of_a_text_are_no_leftovers(text):
    findings = Findings(Path("run"))
    cited_sentences.check_text(3, text, findings)
    assert findings.problems == []


def test_what_is_written_passes_both_checks(tmp_path):
    path = tmp_path / RUN_ID
    objects = task2_objects()
    objects[0]["responses"][0]["text"] = "  It is “called”\u2028 Lamp\x00,\tsays a\r\ntrust. "
    for item in objects:  # which the writer says itself
        del item["metadata"]["use_starter_kit"]
    reports = [SubmittedReport.model_validate(item) for item in objects]
    cited_sentences.write_report_run(path, reports)
    assert check(path) == []
    assert official_reports(path, TASK2, TOPICS) == []
    first = path.read_bytes().split(b"\n")[0].decode()
    assert '"text":"It is “called” Lamp, says a trust."' in first
    found = list(json.loads(first)["metadata"])
    assert found == ["team_id", "run_id", "topic_id", "type", "use_starter_kit"]


@given(texts=st.lists(st.text(), max_size=5))
def test_what_is_written_reads_back(tmp_path_factory, texts):
    path = tmp_path_factory.getbasetemp() / RUN_ID
    report = submitted("lamp", "t", *texts)
    cited_sentences.write_report_run(path, [report])
    [read] = cited_sentences.read_report_run(path).reports
    written = [cited_sentences.inert(one_line(text)) for text in texts]
    assert [sentence.text for sentence in read.responses] == written
    assert read.metadata == report.metadata
    assert all(sentence.citations == (CITATION,) for sentence in read.responses)


# What a model writes reaches no task file as markup, script address or formula.


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


@given(st.text(st.sampled_from("<>=@+-|!:;/ aJscript(\"'"), max_size=40))
def test_nothing_grows_and_once_is_enough(text):
    shown = cited_sentences.inert(text)
    assert cited_sentences.inert(shown) == shown
    assert len(shown) <= len(text)
    assert budget_words(shown) <= budget_words(text)


def test_no_writer_lets_it_through(tmp_path):
    for text in ACTIVE:
        identity = RunIdentity(team_id="a", run_id="a-b", type="automatic")
        for task in (TASK1, TASK2):
            result = (text,) * 10 if task is TASK1 else (CitedSentence(text=text),)
            path = tmp_path / task.file_name
            delivery = Delivery(Article(topic_id="t", body="x"), result)
            run_format(task).write(path, identity, [delivery])
            written = path.read_text(encoding="utf-8")
            assert one_line(text) not in written
            problems = run_format(task).check(path, task, ["t"], None)
            assert "active-text" not in {problem.code for problem in problems}
