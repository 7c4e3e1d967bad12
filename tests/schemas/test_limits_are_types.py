"""A report or question set that breaks a limit, or cites what was never found, cannot exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError
from sidelight.schemas.investigation.report import QuestionSet, Report, ReportLimits
from sidelight.schemas.run import CitedSentence
from sidelight.text import budget_words

TOPIC = "w_doc_00_1"
FOUND = ("w_doc_01_5#0_10", "w_doc_01_5#1_20", "w_doc_01_5#2_30", "w_doc_02_7#0_10")
LIMITS = ReportLimits(max_words=20, max_citations=2, max_uncited=1)


def report(*sentences, evidence=FOUND):
    return Report(
        topic_id=TOPIC,
        sentences=tuple(CitedSentence(text=text, citations=cited) for text, cited in sentences),
        evidence_ids=frozenset(evidence),
        limits=LIMITS,
    )


def test_a_report_that_breaks_a_limit_cannot_exist():
    made = report(("Five words are in here.", FOUND[:1]), ("And this cites nothing.", ()))
    assert len(made.sentences) == 2
    for sentences, says in [
        ([("word " * 20 + "over", FOUND[:1])], "21 words, over 20"),
        ([("One.", ()), ("Two.", ())], "2 sentences cite nothing"),
        ([("One.", ("w_doc_09_9#0_1",))], "was not retrieved"),
        ([("One.", (FOUND[0], FOUND[3], FOUND[2]))], "too many or repeated"),
        ([("One.", (FOUND[0], FOUND[0]))], "too many or repeated"),
        ([("One.", (FOUND[0], FOUND[1]))], "overlapping windows"),
        ([("", (FOUND[0],))], "not a clean single line"),
        ([("One.\nTwo.", (FOUND[0],))], "not a clean single line"),
        ([("Hid\u200bden.", (FOUND[0],))], "not a clean single line"),
    ]:
        with pytest.raises(InputError, match=says):
            report(*sentences)
    own = f"{TOPIC}#3_99"
    with pytest.raises(InputError, match="cites itself"):
        report(("One.", (own,)), evidence=[own])


@given(st.lists(st.text(alphabet="ab ´ﷺ", max_size=30), max_size=6))
def test_no_report_ever_exceeds_its_word_limit(texts):
    try:
        made = report(*((text, FOUND[:1]) for text in texts))
    except InputError:
        return
    assert sum(budget_words(sentence.text) for sentence in made.sentences) <= LIMITS.max_words


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        (("One?",), "expected 2 questions, found 1"),
        (("One?", "one?"), "occurs twice"),
        (("One?", ""), "not a clean single line"),
        (("One?", "T\tab?"), "not a clean single line"),
        (("One?", '"Quoted" by whom?'), "not a clean single line"),
        (("One?", "x" * 21), "over 20 characters"),
    ],
)
def test_a_question_set_that_breaks_a_limit_cannot_exist(questions, says):
    with pytest.raises(InputError, match=says):
        QuestionSet(topic_id=TOPIC, questions=questions, count=2, max_characters=20)
