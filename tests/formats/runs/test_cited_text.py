from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError, Problem
from sidelight.formats.lines import Findings
from sidelight.formats.runs.cited_sentences import (
    check_report_run,
    check_reports,
    inert,
    read_report_run,
    write_report_run,
)
from sidelight.formats.runs.submission import CheckedRun, official_reports
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedReport
from sidelight.text import one_line
from tests.helpers.formats.sample_runs import (
    RUN_ID,
    TASK2,
    TOPICS,
    task2_bytes,
    task2_objects,
    write_task2,
)

CITATION = "msmarco_v2.1_doc_61_0#2_100"


def check(path: Path) -> list[Problem]:
    return check_report_run(path, TASK2, TOPICS)


def found_in(path: Path) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in check(path)]


def changed(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Write a valid run of which the second line is changed."""
    objects = task2_objects()
    change(objects[1])
    return write_task2(tmp_path, objects)


Change = Callable[[dict[str, Any]], object]


def text(value: object) -> Change:
    return lambda item: item["responses"][0].update(text=value)


def citations(*values: object) -> Change:
    return lambda item: item["responses"][0].update(citations=[*values])


def metadata(**values: object) -> Change:
    return lambda item: item["metadata"].update(values)


# A change of the second report, and the codes of all that the strict check finds in that line.
FOUND: dict[str, tuple[Change, list[str]]] = {
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
    "four citations": (
        citations(*(f"msmarco_v2.1_doc_6{n}_0#2_100" for n in range(4))),
        ["citation-count"],
    ),
    **{
        f"the starter kit {flag!r}": (metadata(use_starter_kit=flag), ["value"])
        for flag in (True, False, 1.0, "0", None, 2, -1)
    },
    "a key of the report": (lambda item: item.update(notes=1), ["key-unknown"]),
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
            "In 2019–2021 it grew.",
            "It grew—slowly.",
            "One — two — three.",
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
    "two sentences": (
        text("A trust owns it. Dr. Lamp of the U.S. Senate founded it."),
        ["sentence-count"],
    ),
    **{
        f"the text {value!r}": (text(value), ["sentence-empty"])
        for value in ("", "  ", "...", '""')
    },
    "overlapping windows": (
        citations(CITATION, "msmarco_v2.1_doc_61_0#3_150"),
        ["citation-adjacent"],
    ),
    "overlapping windows in two sentences": (
        lambda item: [
            one.update(citations=[cited])
            for one, cited in zip(
                item["responses"], (CITATION, "msmarco_v2.1_doc_61_0#3_150"), strict=True
            )
        ],
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
WARNINGS = {"report-empty", "hidden-words"}


@pytest.mark.parametrize("name", FOUND)
def test_a_report_has_these_problems(tmp_path: Path, name: str) -> None:
    change, codes = FOUND[name]
    path = changed(tmp_path, change)
    problems = check(path)
    assert [(one.code, one.line) for one in problems] == [(code, 2) for code in codes]
    warns = name == "a sentence without citations" or WARNINGS.issuperset(codes)
    assert {one.severity for one in problems} <= {"warning" if warns else "error"}
    if "key-unknown" in codes:
        assert len(read_report_run(path).reports) == 30


def test_a_track_may_allow_several_sentences_in_a_text(tmp_path: Path) -> None:
    path = changed(tmp_path, text("It is so. It was so before."))
    assert found_in(path) == [("sentence-count", 2)]
    several = TASK2.model_copy(update={"one_sentence": False})
    assert check_report_run(path, several, TOPICS) == []


def test_a_sentence_with_a_line_of_its_own_is_told_with_it(tmp_path: Path) -> None:
    path, findings = tmp_path / RUN_ID, Findings(tmp_path / RUN_ID)
    about = ReportMetadata(team_id="", run_id=RUN_ID, topic_id=TOPICS[0])
    said = tuple(
        CitedSentence(text=text, citations=(CITATION,)) for text in ("It is.", "A. But. C.")
    )
    report = SubmittedReport(metadata=about, responses=said)
    run = CheckedRun(path, TASK2, TOPICS[:1], None, findings)
    check_reports(run, [(report, (7, 9))])
    assert [(one.code, one.line) for one in findings.problems] == [("sentence-count", 9)]


# Severity, code and count in the public runs, all three of which the track's validator passes. What
# a split on full stops takes for a second sentence there is a name, an abbreviation or a quotation;
# the one text of two sentences has a blank line between them.
PUBLIC_PROBLEMS = {
    "dragun-organizers-starter-kit-task-2": {
        ("error", "citation-adjacent"): 18,
        ("error", "uncited-sentence"): 5,
        ("warning", "uncited-sentence"): 4,
    },
    "garag_rubric": {
        ("error", "citation-adjacent"): 25,
        ("error", "citation-own-article"): 46,
        ("error", "control-character"): 2,
        ("error", "sentence-count"): 1,
        ("error", "sentence-empty"): 10,
        ("warning", "file-name"): 1,
        ("warning", "run-id-prefix"): 1,
    },
    "organizer-gpt-oss-t2": {
        ("error", "citation-adjacent"): 7,
        ("error", "citation-mark"): 12,
        ("error", "uncited-sentence"): 1,
        ("warning", "uncited-sentence"): 8,
        ("warning", "file-name"): 1,
        ("warning", "run-id-prefix"): 1,
    },
}


@pytest.mark.parametrize("name", PUBLIC_PROBLEMS)
def test_a_public_run_has_these_problems(public_runs: Path, name: str) -> None:
    problems = check(public_runs / "task2" / name)
    assert Counter((item.severity, item.code) for item in problems) == PUBLIC_PROBLEMS[name]


def test_the_public_runs_read(public_runs: Path) -> None:
    runs = [read_report_run(path) for path in sorted((public_runs / "task2").iterdir())]
    assert [len(run.reports) for run in runs] == [30, 30, 30]
    citations = [c for run in runs for r in run.reports for s in r.responses for c in s.citations]
    assert len(citations) == 1_067


# What readers of run files get wrong.


def test_c29_the_run_tag_is_the_file_name_and_the_inner_id_is_kept(tmp_path: Path) -> None:
    path = write_task2(tmp_path, task2_objects()).rename(tmp_path / "submitted-name")
    run = read_report_run(path)
    assert (run.run_tag, run.reports[0].metadata.run_id) == ("submitted-name", RUN_ID)
    assert found_in(path) == [("file-name", None)]


def test_c210_a_blank_line_is_read_over_but_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(b"\n" + task2_bytes(task2_objects()) + b" \n")
    assert len(read_report_run(path).reports) == 30
    assert found_in(path) == [("blank-line", 1), ("blank-line", 32)]


def test_c220_a_byte_order_mark_is_read_over_but_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(b"\xef\xbb\xbf" + task2_bytes(task2_objects()))
    assert len(read_report_run(path).reports) == 30
    assert found_in(path) == [("byte-order-mark", 1)]


def test_c220_crlf_is_accepted_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(task2_bytes(task2_objects()).replace(b"\n", b"\r\n"))
    assert [(item.code, item.severity) for item in check(path)] == [("crlf", "warning")]
    assert official_reports(path, TASK2, TOPICS) == []


def test_c220_a_lone_carriage_return_between_keys_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(task2_bytes(task2_objects()).replace(b'"responses"', b'\r"responses"', 1))
    assert len(read_report_run(path).reports) == 30
    assert found_in(path) == [("control-character", 1)]
    assert official_reports(path, TASK2, TOPICS)


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x00", "\n", "\r"])
def test_c220_a_line_end_inside_a_text_is_an_error(tmp_path: Path, character: str) -> None:
    path = changed(tmp_path, text(f"The paper{character}belongs to a trust."))
    assert ("control-character", 2) in found_in(path)
    assert len(read_report_run(path).reports) == 30


def test_c3_an_extra_a_missing_and_a_repeated_topic_are_named(tmp_path: Path) -> None:
    path = write_task2(tmp_path, task2_objects([*TOPICS[1:], TOPICS[5], "extra-topic"]))
    [repeated, unknown, missing] = check(path)
    assert (repeated.code, repeated.line) == ("topic-duplicate", 30)
    assert TOPICS[5] in repeated.found
    assert (unknown.code, unknown.line, unknown.found) == ("topic-unknown", 31, "'extra-topic'")
    assert missing.code == "topic-missing"
    assert missing.found.endswith(TOPICS[0])
    with pytest.raises(InvalidFileError, match="topic-duplicate"):
        read_report_run(path)


@pytest.mark.parametrize("topic_id", [["t"], None, 7])
def test_c3_a_topic_id_that_is_no_text_stops_nothing(tmp_path: Path, topic_id: object) -> None:
    path = changed(tmp_path, lambda item: item["metadata"].update(topic_id=topic_id))
    assert ("value", 2) in found_in(path)
    assert ("topic-missing", None) in found_in(path)


def test_c3_a_segment_that_does_not_exist_is_an_error_where_segments_are_known(
    tmp_path: Path,
) -> None:
    objects = task2_objects()
    known = {c for item in objects for s in item["responses"] for c in s["citations"]}
    path = write_task2(tmp_path, objects)
    assert check_report_run(path, TASK2, TOPICS, known) == []
    [problem] = check_report_run(path, TASK2, TOPICS, known - {CITATION})
    assert (problem.code, problem.line, problem.found) == ("citation-unknown", 1, f"'{CITATION}'")


@pytest.mark.parametrize("cited", ["msmarco_v2.1_doc_61_0#{}_1", "msmarco_v2.1_doc_61_0#1_{}"])
def test_ten_thousand_citations_of_one_sentence_are_checked_in_seconds(
    tmp_path: Path, cited: str
) -> None:
    begin = time.process_time()
    problems = found_in(changed(tmp_path, citations(*map(cited.format, range(10_000)))))
    assert time.process_time() - begin < 5
    assert ("citation-count", 2) in problems
    assert problems.count(("citation-adjacent", 2)) == (9_999 if "#{}" in cited else 0)


@pytest.mark.parametrize("key", ["team_id", "run_id", "topic_id", "type", "use_starter_kit"])
def test_a_missing_metadata_key_is_an_error(tmp_path: Path, key: str) -> None:
    assert ("key-missing", 2) in found_in(changed(tmp_path, lambda item: item["metadata"].pop(key)))


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.update(responses={}),
        lambda item: item.update(responses=["text"]),
        lambda item: item["responses"][0].update(text=None),
        lambda item: item["responses"][0].update(citations=None),
        lambda item: item["responses"][0].update(citations=[1]),
        lambda item: item.update(metadata=[]),
    ],
)
def test_a_value_of_another_type_is_an_error(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    path = changed(tmp_path, change)
    assert "value" in {code for code, line in found_in(path) if line == 2}
    with pytest.raises(InvalidFileError):
        read_report_run(path)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "json-syntax"),
        (b"[1]", "json-type"),
        (b"NaN", "json-syntax"),
        (b"[" * 100_000, "json-syntax"),
        (b'{"metadata": ' + b"[" * 900 + b"]" * 900 + b', "responses": []}', "json-syntax"),
        (b'{"a": "\\ud800"}', "json-syntax"),
        (b'{"a": \xff}', "invalid-utf8"),
    ],
)
def test_a_line_that_is_no_object_is_an_error(tmp_path: Path, line: bytes, code: str) -> None:
    path = tmp_path / RUN_ID
    path.write_bytes(line + b"\n" + task2_bytes(task2_objects()))
    assert found_in(path) == [(code, 1)]
    with pytest.raises(InvalidFileError):
        read_report_run(path)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        check(tmp_path / "nowhere")


def test_reads_the_fields_that_scoring_needs_alone(tmp_path: Path) -> None:
    path = tmp_path / "run"
    line = {"metadata": {"run_id": "r", "topic_id": "t"}, "responses": [{"text": "A."}]}
    path.write_text(json.dumps(line))
    [report] = read_report_run(path).reports
    assert report.metadata == ReportMetadata(team_id="", run_id="r", topic_id="t")
    assert report.responses == (CitedSentence(text="A."),)


def test_what_is_written_passes_both_checks(tmp_path: Path) -> None:
    path = tmp_path / RUN_ID
    objects = task2_objects()
    objects[0]["responses"][0]["text"] = "  It is “called”\u2028 Lamp\x00,\tsays a\r\ntrust. "
    for item in objects:  # which the writer says itself
        del item["metadata"]["use_starter_kit"]
    reports = [SubmittedReport.model_validate(item) for item in objects]
    write_report_run(path, reports)
    assert check(path) == []
    assert official_reports(path, TASK2, TOPICS) == []
    first = path.read_bytes().split(b"\n")[0].decode()
    assert '"text":"It is “called” Lamp, says a trust."' in first
    assert list(json.loads(first)["metadata"]) == [
        *("team_id", "run_id", "topic_id", "type", "use_starter_kit")
    ]


@given(texts=st.lists(st.text(), max_size=5))
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / RUN_ID
    report = SubmittedReport(
        metadata=ReportMetadata(team_id="lamp", run_id=RUN_ID, topic_id="t"),
        responses=tuple(CitedSentence(text=text, citations=(CITATION,)) for text in texts),
    )
    write_report_run(path, [report])
    [read] = read_report_run(path).reports
    written = [inert(one_line(text)) for text in texts]
    assert [sentence.text for sentence in read.responses] == written
    assert read.metadata == report.metadata
    assert all(sentence.citations == (CITATION,) for sentence in read.responses)
