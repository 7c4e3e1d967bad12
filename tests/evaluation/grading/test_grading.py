"""Passages cut, gathered, graded where grades are missing, and corrected by people."""

import asyncio
import json
import zlib
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.exams import cells
from sidelight.evaluation.exams.grades import check_grades, corrected, read_corrections
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.evaluation.labelling.passage_grade import (
    DIRECT_METHODS,
    PassageGrader,
    PromptedDirectGrades,
)
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank, new_item
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.run import CitedSentence, RankingRun
from sidelight.text import clean
from tests.helpers.asking.conversation import scripted
from tests.helpers.labels.toy import report_run

WORDS = st.text(st.sampled_from("ab.,!? \n'“”)é\t—1Z"), max_size=300)


@given(text=WORDS | st.text(max_size=300), limit=st.integers(1, 40))
def test_nothing_is_lost_and_nothing_is_too_long(text, limit):
    passages = cells.split_passages(text, limit)
    assert "".join("".join(passages).split()) == "".join(clean(text).split())
    assert all(0 < len(passage.strip()) == len(passage) for passage in passages)
    assert all(
        cells.count_tokens(passage) <= limit
        or len(passage.split()) == 1 == cells.count_tokens(passage)
        for passage in passages
    )
    assert passages == cells.split_passages(text, limit)
    assert all(cells.split_passages(passage, limit) == [passage] for passage in passages)


def test_paragraphs_come_first_then_sentences_then_words():
    text = "One short paragraph.\n\nA second one. It has two sentences.\n\n\nThe third."
    assert cells.split_passages(text) == text.replace("\n\n\n", "\n\n").split("\n\n")
    assert cells.split_passages("One line.\nAnother line.") == ["One line.", "Another line."]
    assert cells.split_passages("A b c. D e f. G h i.", 8) == ["A b c. D e f.", "G h i."]
    assert cells.split_passages("a b c d e f", 4) == ["a b c d", "e f"]
    text = " ".join(f"Sentence number {number} says little." for number in range(1000))
    passages = cells.split_passages(text)
    assert [cells.count_tokens(one) for one in passages[:-1]] == [396] * (len(passages) - 1)
    assert cells.MAX_TOKENS == 400


# Passages out of rankings, citations and whole answers, and what is known of each put together.
def texts_of(wanted):
    return {one: f"The text of {one}." for one in wanted if one != "unknown"}


def ranking(tag, *names):
    hits = tuple(Hit(name, 9.0 - place) for place, name in enumerate(names))
    return RankingRun(run_tag=tag, run_ids=(tag,), rankings={"q": hits})


def answer(tag, *sentences):
    said = [CitedSentence(text=text, citations=cited) for text, cited in sentences]
    return report_run(tag, q=said)


def places(queries):
    return {
        passage.passage_id: {one.run: one.rank for one in passage.rankings}
        for query in queries
        for passage in query.passages
    }


def test_passages_of_runs_are_pooled_with_their_grades():
    found = cells.ranked_passages(
        [ranking("one", "a", "b", "c"), ranking("two", "b", "a")], 2, texts_of
    )
    assert places(found) == {"a": {"one": 1, "two": 2}, "b": {"one": 2, "two": 1}}
    assert found[0].passages[0].text == "The text of a."
    run = answer("r", ("First.", ("a", "b")), ("Second.", ("a",)))
    assert places(cells.cited_passages([run], texts_of)) == {"a": {"r": 1}, "b": {"r": 2}}
    long = " ".join(f"Sentence number {number} says little." for number in range(100))
    found = cells.written_passages([answer("my run", (long, ())), answer("other", ("Short.", ()))])
    assert places(found) == {
        "my_run/q/1": {"my run": 1},
        "my_run/q/2": {"my run": 2},
        "other/q/1": {"other": 1},
    }
    with pytest.raises(InputError, match="unknown"):
        cells.ranked_passages([ranking("one", "a", "unknown")], 5, texts_of)
    grading = Grading(Grader("p", "m"), "question", (ItemGrade("q/1", 4),))
    old = cells.ranked_passages([ranking("one", "a", "b")], 5, texts_of)
    graded = [replace(old[0], passages=tuple(one.graded(grading) for one in old[0].passages))]
    more = cells.ranked_passages([ranking("two", "c", "a")], 5, texts_of)
    found = cells.merged(graded, more)
    assert places(found) == {"a": {"one": 1, "two": 2}, "b": {"one": 2}, "c": {"two": 1}}
    assert [len(one.gradings) for one in found[0].passages] == [1, 1, 0]
    assert cells.merged(found, more) == found
    other = GradedQuery("q", (GradedPassage("q", "a", "Quite another text."),))
    with pytest.raises(InputError, match="two texts"):
        cells.merged(found, [other])


# Only missing cells are graded, and the result is that of grading all at once.
class Hashes(PassageGrader):
    """Grades by a hash, and counts how often each cell is graded."""

    def __init__(self, *, fails=False):
        self.graded = Counter()
        self.fails = fails

    def grader(self, kind):
        return Grader(f"hashes {kind}", "none")

    async def __call__(self, case):
        self.graded.update((case.passage, item.item_id) for item in case.items)
        if self.fails:
            return [Judgment(Unjudged(reason="nobody there"))] * len(case.items)
        return [
            Judgment(str(zlib.crc32(f"{case.passage}{item.text}".encode()) % 6), item.text)
            for item in case.items
        ]


def pool(*sizes):
    return [
        GradedQuery(
            f"q{number}",
            tuple(
                GradedPassage(f"q{number}", f"p{place}", f"text {number} {place}")
                for place in range(size)
            ),
        )
        for number, size in enumerate(sizes)
    ]


def bank(query, items, kind="question"):
    tests = tuple(new_item(query, f"{kind} {number}") for number in range(items))
    return ExamBank(topic_id=query, query_text="a query", kind=kind, tests=tests)


def grade(queries, banks, grader):
    return asyncio.run(cells.grade_cells(queries, cells.banks_by_query(banks), grader))


sizes = st.integers(0, 4)


@given(few=sizes, more=sizes, items=st.integers(1, 4), further=sizes)
def test_grading_in_parts_is_grading_at_once(few, more, items, further):
    first, everything = pool(few, 2), pool(few + more, 2)
    banks = [bank("q0", items + further), bank("q1", items), bank("q1", further, "nugget")]
    start = [bank("q0", items), bank("q1", items)]
    in_parts, at_once = Hashes(), Hashes()
    done = grade(first, start, in_parts)
    done = grade(cells.merged(done, everything), start, in_parts)
    done = grade(done, banks, in_parts)
    assert done == grade(everything, banks, at_once)
    assert in_parts.graded == at_once.graded
    assert set(in_parts.graded.values()) <= {1}
    assert not cells.missing_cells(done, cells.banks_by_query(banks), in_parts)


def test_grades_missing_are_asked_for_again():
    broken, whole = Hashes(fails=True), Hashes()
    banks = [bank("q0", 3)]
    done = grade(pool(2), banks, broken)
    assert all(isinstance(one.rating, Unjudged) for one in done[0].passages[0].gradings[0].items)
    again = grade(done, banks, whole)
    assert again == grade(pool(2), banks, Hashes())
    assert whole.graded.total() == 6
    queries = pool(2, 2)
    done = grade(queries, [bank("q1", 2)], Hashes())
    assert done[0] == queries[0]
    assert done[1] != queries[1]
    replies = ['{"reasons": "so", "verdict": "Yes"}', '{"reasons": "so", "verdict": "No"}']
    asked = scripted(*replies)
    grader = PromptedDirectGrades(DIRECT_METHODS["Sun"], asked.model, "scripted")
    done = asyncio.run(cells.grade_directly(pool(2, 1), {"q0": "a query"}, grader))
    asked.script.assert_finished()
    assert [one.direct[0].rating for one in done[0].passages] == [1, 0]
    assert [one.direct[0].correct for one in done[0].passages] == [True, False]
    assert done[1].passages[0].direct == ()
    assert asyncio.run(cells.grade_directly(done, {"q0": "a query"}, grader)) == done


# What people say of grades: what is wrong is named, and agreement is what it should be.
GRADER = Grader("asks", "tiny")
ITEMS = (
    ItemGrade("q/1", 5, "all", correct=True),
    ItemGrade("q/2", 4, "most", correct=True),
    ItemGrade("q/3", 0),
    ItemGrade("q/4", Unjudged(reason="nobody there")),
)
PASSAGE = GradedPassage("q", "p", "text", gradings=(Grading(GRADER, "question", ITEMS),))
QUERIES = [GradedQuery("q", (PASSAGE,))]


def save(folder, *verdicts, **changed):
    path = folder / "corrections.json"
    said = [
        {"query_id": "q", "passage_id": "p", "item_id": item, "grade": grade}
        for item, grade in verdicts
    ]
    about = {"sha256": "0" * 64, "grader": {"prompt": "asks", "model": "tiny"}}
    path.write_text(json.dumps({**about, "verdicts": said, **changed}))
    return path


def test_corrections_by_people_are_counted_or_named(tmp_path):
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 1), ("q/3", 2), ("q/4", 3)))
    found = check_grades(QUERIES, said, highest=5, relevant=4)
    assert (found.checked, found.accepted, found.added) == (4, 1, 1)
    assert (found.too_high, found.too_low) == (1, 1)
    assert found.kappa == pytest.approx((1 / 3 - 1 / 9) / (1 - 1 / 9))
    assert found.kappa_relevant == pytest.approx(0.4)
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 0), ("q/4", 3)))
    (passage,) = corrected(QUERIES, said)[0].passages
    given, checked = passage.gradings
    assert given == PASSAGE.gradings[0]
    assert checked.grader == Grader("asks-checked-by-people", "tiny")
    assert [item.rating for item in checked.items] == [5, 0, 0, 3]
    assert [item.correct for item in checked.items] == [True, False, False, True]
    for verdicts, changed, says in [
        ([("q/1", 5), ("q/1", 4)], {}, "twice"),
        ([("q/1", -1)], {}, "grade"),
        ([], {"grader": "x"}, "grader"),
    ]:
        path = save(tmp_path, *verdicts, **changed)
        with pytest.raises(InvalidFileError, match=says) as caught:
            read_corrections(path)
        assert str(path) in str(caught.value)
    for verdict in [("q/9", 4), ("q/1", 6)]:
        with pytest.raises(InputError, match=f"item {verdict[0]}"):
            check_grades(QUERIES, read_corrections(save(tmp_path, verdict)), highest=5, relevant=4)
