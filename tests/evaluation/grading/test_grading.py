"""Passages cut, gathered, graded where grades are missing, and corrected by people."""

import asyncio
import json
import time
import zlib
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.exams.cells import (
    MAX_TOKENS,
    banks_by_query,
    cited_passages,
    count_tokens,
    grade_cells,
    grade_directly,
    merged,
    missing_cells,
    ranked_passages,
    split_passages,
    written_passages,
)
from sidelight.evaluation.exams.grades import check_grades, corrected, read_corrections
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.evaluation.labelling.passage_grade import (
    DIRECT_METHODS,
    PassageCase,
    PassageGrader,
    PromptedDirectGrades,
)
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank, ExamKind, new_item
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.run import (
    CitedSentence,
    RankingRun,
    ReportMetadata,
    ReportRun,
    SubmittedReport,
)
from sidelight.text import clean
from tests.helpers.models.scripted_model import ScriptedModel

WORDS = st.text(st.sampled_from("ab.,!? \n'“”)é\t—1Z"), max_size=300)


@given(text=WORDS | st.text(max_size=300), limit=st.integers(1, 40))
def test_nothing_is_lost_and_nothing_is_too_long(text, limit):
    passages = split_passages(text, limit)
    assert "".join("".join(passages).split()) == "".join(clean(text).split())
    assert all(0 < len(passage.strip()) == len(passage) for passage in passages)
    assert all(
        count_tokens(passage) <= limit or len(passage.split()) == 1 == count_tokens(passage)
        for passage in passages
    )
    assert passages == split_passages(text, limit)


@given(text=WORDS, limit=st.integers(1, 40))
def test_a_passage_stays_as_it_is(text, limit):
    for passage in split_passages(text, limit):
        assert split_passages(passage, limit) == [passage]


def test_paragraphs_come_first_then_sentences_then_words():
    text = "One short paragraph.\n\nA second one. It has two sentences.\n\n\nThe third."
    assert split_passages(text) == text.replace("\n\n\n", "\n\n").split("\n\n")
    assert split_passages("One line.\nAnother line.") == ["One line.", "Another line."]
    assert split_passages("A b c. D e f. G h i.", 8) == ["A b c. D e f.", "G h i."]
    assert split_passages("a b c d e f", 4) == ["a b c d", "e f"]


def test_a_long_text_has_full_passages():
    text = " ".join(f"Sentence number {number} says little." for number in range(1000))
    passages = split_passages(text)
    assert [count_tokens(one) for one in passages[:-1]] == [396] * (len(passages) - 1)
    assert MAX_TOKENS == 400


@pytest.mark.parametrize("text", ["a" * 200_000, ". " * 100_000, "a\n" * 100_000, "«" * 200_000])
def test_it_takes_a_time_that_grows_with_the_text(text):
    started = time.perf_counter()
    assert split_passages(text)
    assert time.perf_counter() - started < 10


# Passages out of rankings, citations and whole answers, and what is known of each put together.
def texts_of(wanted: Collection[str]) -> dict[str, str]:
    return {one: f"The text of {one}." for one in wanted if one != "unknown"}


def ranking(tag: str, *names: str) -> RankingRun:
    hits = tuple(Hit(name, 9.0 - place) for place, name in enumerate(names))
    return RankingRun(run_tag=tag, run_ids=(tag,), rankings={"q": hits})


def answer(tag: str, *sentences: tuple[str, tuple[str, ...]]) -> ReportRun:
    report = SubmittedReport(
        metadata=ReportMetadata(team_id="t", run_id=tag, topic_id="q"),
        responses=tuple(CitedSentence(text=text, citations=cited) for text, cited in sentences),
    )
    return ReportRun(run_tag=tag, reports=(report,))


def places(queries: list[GradedQuery]) -> dict[str, dict[str, int]]:
    return {
        passage.passage_id: {one.run: one.rank for one in passage.rankings}
        for query in queries
        for passage in query.passages
    }


def test_the_first_passages_of_rankings_are_pooled():
    found = ranked_passages([ranking("one", "a", "b", "c"), ranking("two", "b", "a")], 2, texts_of)
    assert places(found) == {"a": {"one": 1, "two": 2}, "b": {"one": 2, "two": 1}}
    assert found[0].passages[0].text == "The text of a."


def test_what_is_cited_is_graded_once():
    run = answer("r", ("First.", ("a", "b")), ("Second.", ("a",)))
    assert places(cited_passages([run], texts_of)) == {"a": {"r": 1}, "b": {"r": 2}}


def test_whole_answers_are_cut_and_named_by_run():
    long = " ".join(f"Sentence number {number} says little." for number in range(100))
    found = written_passages([answer("my run", (long, ())), answer("other", ("Short.", ()))])
    assert places(found) == {
        "my_run/q/1": {"my run": 1},
        "my_run/q/2": {"my run": 2},
        "other/q/1": {"other": 1},
    }


def test_a_text_that_is_not_known_is_named():
    with pytest.raises(InputError, match="unknown"):
        ranked_passages([ranking("one", "a", "unknown")], 5, texts_of)


def test_more_runs_add_places_and_keep_grades():
    grading = Grading(Grader("p", "m"), "question", (ItemGrade("q/1", 4),))
    old = ranked_passages([ranking("one", "a", "b")], 5, texts_of)
    graded = [replace(old[0], passages=tuple(one.graded(grading) for one in old[0].passages))]
    more = ranked_passages([ranking("two", "c", "a")], 5, texts_of)
    found = merged(graded, more)
    assert places(found) == {"a": {"one": 1, "two": 2}, "b": {"one": 2}, "c": {"two": 1}}
    assert [len(one.gradings) for one in found[0].passages] == [1, 1, 0]
    assert merged(found, more) == found
    other = GradedQuery("q", (GradedPassage("q", "a", "Quite another text."),))
    with pytest.raises(InputError, match="two texts"):
        merged(found, [other])


# Only missing cells are graded, and the result is that of grading all at once.
class Hashes(PassageGrader):
    """Grades by a hash, and counts how often each cell is graded."""

    def __init__(self, *, fails: bool = False) -> None:
        self.graded: Counter[tuple[str, str]] = Counter()
        self.fails = fails

    def grader(self, kind: ExamKind) -> Grader:
        return Grader(f"hashes {kind}", "none")

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        self.graded.update((case.passage, item.item_id) for item in case.items)
        if self.fails:
            return [Judgment(Unjudged(reason="nobody there"))] * len(case.items)
        return [
            Judgment(str(zlib.crc32(f"{case.passage}{item.text}".encode()) % 6), item.text)
            for item in case.items
        ]


def pool(*sizes: int) -> list[GradedQuery]:
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


def bank(query: str, items: int, kind: ExamKind = "question") -> ExamBank:
    tests = tuple(new_item(query, f"{kind} {number}") for number in range(items))
    return ExamBank(topic_id=query, query_text="a query", kind=kind, tests=tests)


def grade(queries: list[GradedQuery], banks: list[ExamBank], grader: Hashes) -> list[GradedQuery]:
    return asyncio.run(grade_cells(queries, banks_by_query(banks), grader))


def grown(old: list[GradedQuery], new: list[GradedQuery]) -> list[GradedQuery]:
    known = {(one.query_id, one.passage_id): one for query in old for one in query.passages}
    return [
        replace(
            query,
            passages=tuple(
                known.get((one.query_id, one.passage_id), one) for one in query.passages
            ),
        )
        for query in new
    ]


sizes = st.integers(0, 4)


@given(few=sizes, more=sizes, items=st.integers(1, 4), further=sizes)
def test_grading_in_parts_is_grading_at_once(few, more, items, further):
    first, everything = pool(few, 2), pool(few + more, 2)
    banks = [bank("q0", items + further), bank("q1", items), bank("q1", further, "nugget")]
    start = [bank("q0", items), bank("q1", items)]
    in_parts, at_once = Hashes(), Hashes()
    done = grade(first, start, in_parts)
    done = grade(grown(done, everything), start, in_parts)
    done = grade(done, banks, in_parts)
    assert done == grade(everything, banks, at_once)
    assert in_parts.graded == at_once.graded
    assert set(in_parts.graded.values()) <= {1}
    assert not missing_cells(done, banks_by_query(banks), in_parts)


def test_what_could_not_be_graded_is_asked_for_again():
    broken, whole = Hashes(fails=True), Hashes()
    banks = [bank("q0", 3)]
    done = grade(pool(2), banks, broken)
    assert all(isinstance(one.rating, Unjudged) for one in done[0].passages[0].gradings[0].items)
    again = grade(done, banks, whole)
    assert again == grade(pool(2), banks, Hashes())
    assert whole.graded.total() == 6


def test_queries_without_a_bank_stay_as_they_are():
    queries = pool(2, 2)
    done = grade(queries, [bank("q1", 2)], Hashes())
    assert done[0] == queries[0]
    assert done[1] != queries[1]


def test_direct_grades_are_given_once():
    replies = ['{"reasons": "so", "verdict": "Yes"}', '{"reasons": "so", "verdict": "No"}']
    model = ScriptedModel(replies)
    asked = PromptedModel(model, Sampling(), lambda _: None)
    grader = PromptedDirectGrades(DIRECT_METHODS["Sun"], asked, "scripted")
    done = asyncio.run(grade_directly(pool(2, 1), {"q0": "a query"}, grader))
    model.assert_finished()
    assert [one.direct[0].rating for one in done[0].passages] == [1, 0]
    assert [one.direct[0].correct for one in done[0].passages] == [True, False]
    assert done[1].passages[0].direct == ()
    assert asyncio.run(grade_directly(done, {"q0": "a query"}, grader)) == done


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


def save(folder: Path, *verdicts: tuple[str, Any], **changed: Any) -> Path:
    path = folder / "corrections.json"
    said = [
        {"query_id": "q", "passage_id": "p", "item_id": item, "grade": grade}
        for item, grade in verdicts
    ]
    about = {"sha256": "0" * 64, "grader": {"prompt": "asks", "model": "tiny"}}
    path.write_text(json.dumps({**about, "verdicts": said, **changed}))
    return path


def test_agreement_is_counted(tmp_path):
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 1), ("q/3", 2), ("q/4", 3)))
    found = check_grades(QUERIES, said, highest=5, relevant=4)
    assert (found.checked, found.accepted, found.added) == (4, 1, 1)
    assert (found.too_high, found.too_low) == (1, 1)
    assert found.kappa == pytest.approx((1 / 3 - 1 / 9) / (1 - 1 / 9))
    assert found.kappa_relevant == pytest.approx(0.4)


def test_corrections_stand_beside_what_was_given(tmp_path):
    said = read_corrections(save(tmp_path, ("q/1", 5), ("q/2", 0), ("q/4", 3)))
    (passage,) = corrected(QUERIES, said)[0].passages
    given, checked = passage.gradings
    assert given == PASSAGE.gradings[0]
    assert checked.grader == Grader("asks-checked-by-people", "tiny")
    assert [item.rating for item in checked.items] == [5, 0, 0, 3]
    assert [item.correct for item in checked.items] == [True, False, False, True]


@pytest.mark.parametrize(
    ("verdicts", "changed", "says"),
    [
        ([("q/1", 5), ("q/1", 4)], {}, "twice"),
        ([("q/1", "5")], {}, "grade"),
        ([("q/1", -1)], {}, "grade"),
        ([], {"verdicts": None}, "verdicts"),
        ([], {"grader": "x"}, "grader"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path, verdicts, changed, says):
    path = save(tmp_path, *verdicts, **changed)
    with pytest.raises(InvalidFileError, match=says) as caught:
        read_corrections(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("verdict", [("q/9", 4), ("q/1", 6)])
def test_a_cell_that_is_not_there_is_named(tmp_path, verdict):
    with pytest.raises(InputError, match=f"item {verdict[0]}"):
        check_grades(QUERIES, read_corrections(save(tmp_path, verdict)), highest=5, relevant=4)
