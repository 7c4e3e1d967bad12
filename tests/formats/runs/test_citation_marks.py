import pytest

from sidelight.formats.runs.cited_sentences import has_citation_marks, read_report_run

ID = "msmarco_v2.1_doc_16_1293403601#1_1489527196"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It closed [1] in 2019.", False),
        (f"It closed in 2019【{ID}】.", True),
        *(("It closed【】.", True), (f"It closed【{ID}", True), ("It closed】.", True)),
    ],
)
def test_a_mark_is_told_by_its_brackets(text, expected):
    assert has_citation_marks(text) is expected


def test_c4_the_marks_of_the_public_gpt_oss_run(public_runs):
    run = read_report_run(public_runs / "task2" / "organizer-gpt-oss-t2")
    sentences = (sentence.text for report in run.reports for sentence in report.responses)
    assert sum(map(has_citation_marks, sentences)) == 12
