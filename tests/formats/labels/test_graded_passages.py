"""Graded passages: whatever a file holds is written back, and what is wrong is named."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.graded_passages import read_graded, write_graded
from sidelight.schemas.grading.graded_passage import (
    DirectGrade,
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
    OfficialJudgment,
    Ranked,
)
from sidelight.schemas.grading.judgment import Unjudged
from tests.helpers.public_data import PublicData

GRADER = Grader("Asks", "tiny")
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
ID = TEXT.filter(bool)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def with_unknown(**known: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some known keys, each of them or not, and unknown ones."""
    unknown = st.dictionaries(TEXT.map("x-{}".format), ANYTHING, max_size=2)
    return st.builds(
        lambda extra, these: extra | these, unknown, st.fixed_dictionaries({}, optional=known)
    )


def needing(
    must: dict[str, st.SearchStrategy[Any]], **may: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda one, two: one | two, with_unknown(**may), st.fixed_dictionaries(must))


def maybe_list(items: st.SearchStrategy[Any], *once: str) -> st.SearchStrategy[Any]:
    """No list, or a short one whose objects differ in some keys."""
    return st.none() | st.lists(
        items,
        max_size=2,
        unique_by=lambda one: repr([one.get(key) or "" for key in once] or id(one)),
    )


RATING = st.integers(0, 5)
RATINGS = maybe_list(needing({"question_id": ID, "self_rating": RATING})).filter(
    lambda found: len({one["question_id"] for one in found or ()}) == len(found or ())
)
GRADING = with_unknown(
    correctAnswered=st.lists(ID.map("right {}".format), max_size=2),
    wrongAnswered=st.lists(ID, max_size=2),
    answers=st.lists(st.tuples(ID, TEXT).map(list), max_size=2, unique_by=lambda one: str(one[0])),
    llm=TEXT,
    prompt_info=st.none() | with_unknown(prompt_class=TEXT),
    self_ratings=RATINGS,
    prompt_type=st.none() | TEXT,
)
DIRECT = with_unknown(
    correctAnswered=st.booleans(), answer=st.none() | TEXT, llm=TEXT, self_ratings=RATING
)
RANKING = needing({"method": ID, "rank": st.integers(0, 99), "score": st.floats(-9, 9)})
PASSAGE = needing(
    {"paragraph_id": ID, "text": TEXT},
    paragraph_data=st.none()
    | with_unknown(
        rankings=maybe_list(RANKING, "method"),
        judgments=maybe_list(needing({"relevance": st.integers(-2, 3), "query": ID}), "query"),
    ),
    exam_grades=maybe_list(GRADING, "llm"),
    grades=maybe_list(DIRECT, "llm"),
)
QUERY = st.tuples(
    ID, st.lists(PASSAGE, max_size=3, unique_by=lambda one: str(one["paragraph_id"]))
).map(list)


@given(queries=st.lists(QUERY, max_size=3, unique_by=lambda one: str(one[0])))
def test_what_is_read_is_written_back(
    queries: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("graded")
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    first.write_text("".join(json.dumps(query) + "\n" for query in queries))
    write_graded(second, read_graded(first))
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize(
    ("name", "passages", "cells"),
    [
        pytest.param("rubric-dl19/graded.jsonl.gz", 9260, 92_600, marks=pytest.mark.slow),
        ("llmjudge-2024/graded.jsonl.gz", 4423, 0),
    ],
)
def test_public_files_keep_every_byte(
    shared_data: PublicData, tmp_path: Path, name: str, passages: int, cells: int
) -> None:
    copy = tmp_path / "copy.jsonl.gz"
    seen: list[GradedPassage] = []

    def queries() -> Iterator[GradedQuery]:
        for query in read_graded(shared_data / name):
            seen.extend(query.passages)
            yield query

    write_graded(copy, queries())
    assert len(seen) == passages
    with gzip.open(shared_data / name) as one, gzip.open(copy) as other:
        assert one.read() == other.read()
    if cells:
        assert sum(len(item.items) for one in seen for item in one.gradings) == cells


def new_passage() -> GradedPassage:
    return GradedPassage(
        query_id="q",
        passage_id="p",
        text="Bogs store carbon.",
        gradings=(
            Grading(
                GRADER,
                "nugget",
                (
                    ItemGrade("q/1", 4, "carbon", correct=True),
                    ItemGrade("q/2", 0),
                    ItemGrade("q/3", Unjudged(reason="no answer came")),
                ),
            ),
        ),
        direct=(
            DirectGrade(GRADER, 2, "2", correct=True),
            DirectGrade(GRADER, Unjudged(reason="x")),
        ),
        rankings=(Ranked("bm25", 1, 7.5),),
        judgments=(OfficialJudgment(3),),
    )


def without_sources(passage: GradedPassage) -> GradedPassage:
    def bare(group: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(replace(one, source=None) for one in group)

    return replace(
        passage,
        gradings=bare(passage.gradings),
        direct=bare(passage.direct),
        rankings=bare(passage.rankings),
        judgments=bare(passage.judgments),
        source=None,
    )


def test_new_work_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl.gz"
    write_graded(path, [GradedQuery("q", (new_passage(),))])
    (query,) = read_graded(path)
    assert [without_sources(one) for one in query.passages] == [new_passage()]
    grading = query.passages[0].gradings[0].source or {}
    assert grading["correctAnswered"] == ["q/1"]
    assert grading["wrongAnswered"] == ["q/2"]
    assert grading["exam_ratio"] == 0.5
    assert grading["self_ratings"][0] == {"nugget_id": "q/1", "self_rating": 4}


def test_a_correction_keeps_what_else_is_known(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl"
    rated = {"self_ratings": [{"question_id": "q/1", "self_rating": 4}], "mine": 1}
    path.write_text(
        json.dumps(["q", [{"paragraph_id": "p", "text": "", "exam_grades": [rated], "own": 2}]])
    )
    (query,) = read_graded(path)
    (passage,) = query.passages
    changed = passage.graded(
        replace(passage.gradings[0], items=(ItemGrade("q/1", 2), ItemGrade("q/2", 1)))
    )
    write_graded(path, [replace(query, passages=(changed,))])
    (again,) = next(iter(read_graded(path))).passages
    assert [item.rating for item in again.gradings[0].items] == [2, 1]
    assert (again.gradings[0].source or {})["mine"] == 1
    assert (again.source or {})["own"] == 2


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        write_graded(tmp_path / name, [GradedQuery("q", (new_passage(),))])
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


PASSAGES = '[{"paragraph_id": "p", "text": "t"}]'


def rated(*ratings: dict[str, object]) -> str:
    grades = [{"self_ratings": ratings}]
    return json.dumps(["q", [{"paragraph_id": "p", "text": "t", "exam_grades": grades}]])


def known(**what: object) -> str:
    """A query of one passage, and what is known of that."""
    return json.dumps(["q", [{"paragraph_id": "p", "text": "t", **what}]])


def judged(*relevances: int) -> str:
    return known(paragraph_data={"judgments": [{"relevance": one} for one in relevances]})


def ranked(*ranks: int) -> str:
    rankings = [{"method": "bm25", "rank": one, "score": 1.5} for one in ranks]
    return known(paragraph_data={"rankings": rankings})


RATED_0, RATED_5 = (
    {
        "llm": "tiny",
        "prompt_info": {"prompt_class": "Asks"},
        "self_ratings": [{"question_id": "a", "self_rating": rating}],
    }
    for rating in (0, 5)
)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{}", "expected a JSON list; found {}"),
        ("[1, 2", "expected a JSON list"),
        ('["q"]', "expected a query and the list of its passages"),
        ('["q", [{"paragraph_id": "p"}]]', "no 1.0.text"),
        ('["q", [{"paragraph_id": "p", "text": "t", "text": "u"}]]', "each key once"),
        (f'["q", {PASSAGES[:-1]}, {PASSAGES[1:]}]', "each passage once; found a second p"),
        (rated({"question_id": "a", "self_rating": "4"}), "self_rating"),
        (
            rated({"question_id": "a", "self_rating": 4}, {"question_id": "a", "self_rating": 5}),
            "none twice",
        ),
        (rated({"question_id": "a", "self_rating": 77}), "less than or equal to 5"),
        (rated({"question_id": "a", "self_rating": -3}), "greater than or equal to 0"),
        (known(grades=[{"self_ratings": 6}]), "less than or equal to 5"),
        (judged(10**12), "less than or equal to 100"),
        (judged(-3), "greater than or equal to -2"),
        (judged(0, 3), "expected one relevance to q for passage p, 0; found 3"),
        (ranked(1, 2), "expected one rank in run bm25 for q for passage p, 1; found 2"),
        (ranked(-1), "greater than or equal to 0"),
        (
            known(exam_grades=[RATED_0, RATED_5]),
            "expected one rating of a by Asks@tiny for passage p, 0; found 5",
        ),
        (
            known(grades=[{"llm": "tiny", "self_ratings": one} for one in (0, 3)]),
            "expected one rating by @tiny for passage p, 0; found 3",
        ),
        (
            known(exam_grades=[{"correctAnswered": ["a"], "wrongAnswered": ["a"]}]),
            "a should be in correctAnswered or wrongAnswered alone",
        ),
        (
            known(exam_grades=[{"answers": [["a", "peat"], ["a", "coal"]]}]),
            "one answer to each question",
        ),
        ("[" * 9999, "expected a JSON list"),
        (f'["q", {PASSAGES}]\n["q", []]', "each query once; found a second q"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text(f'["first", []]\n{line}\n')
    with pytest.raises(InvalidFileError) as caught:
        list(read_graded(path))
    assert says in str(caught.value)
    assert f"{path}:{2 + line.count(chr(10))}" in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        judged(2, 2),
        ranked(3, 3),
        known(exam_grades=[RATED_5, RATED_5]),
        known(
            paragraph_data={
                "judgments": [
                    {"query": "q/cutting", "relevance": 3},
                    {"query": "q/burning", "relevance": 0},
                ]
            }
        ),
    ],
)
def test_the_same_said_twice_or_of_parts_of_a_query_is_no_conflict(
    tmp_path: Path, line: str
) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text(line + "\n")
    assert len(list(read_graded(path))) == 1
