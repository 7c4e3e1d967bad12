"""Graded passages: whatever a file holds is written back, and what is wrong is named."""

import gzip
import json
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.labels.graded_passages import read_graded, write_graded
from sidelight.schemas.grading import graded_passage
from sidelight.schemas.grading.judgment import Unjudged

GRADER = graded_passage.Grader("Asks", "tiny")
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


def with_unknown(**known):
    """Objects with some known keys, each of them or not, and unknown ones."""
    unknown = st.dictionaries(TEXT.map("x-{}".format), ANYTHING, max_size=2)
    return st.builds(
        lambda extra, these: extra | these, unknown, st.fixed_dictionaries({}, optional=known)
    )


def needing(must, **may):
    return st.builds(lambda one, two: one | two, with_unknown(**may), st.fixed_dictionaries(must))


def maybe_list(items, *once):
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


@settings(max_examples=40)
@given(queries=st.lists(QUERY, max_size=3, unique_by=lambda one: str(one[0])))
def test_what_is_read_is_written_back(queries, tmp_path_factory):
    folder = tmp_path_factory.mktemp("graded")
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    first.write_text("".join(json.dumps(query) + "\n" for query in queries))
    write_graded(second, read_graded(first))
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("queries", [2, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("name", "passages", "cells"),
    [("rubric-dl19/graded.jsonl.gz", 9260, 92_600), ("llmjudge-2024/graded.jsonl.gz", 4423, 0)],
)
def test_public_files_keep_every_byte(shared_data, tmp_path, name, passages, cells, queries):
    with gzip.open(shared_data / name) as stream:
        content = b"".join(islice(stream, queries))
    source, copy = tmp_path / "source.jsonl.gz", tmp_path / "copy.jsonl.gz"
    source.write_bytes(gzip.compress(content, 1))
    read = list(read_graded(source))
    write_graded(copy, read)
    assert gzip.decompress(copy.read_bytes()) == content
    if queries is None:
        seen = [one for query in read for one in query.passages]
        assert len(seen) == passages
        assert sum(len(item.items) for one in seen for item in one.gradings) == cells


ITEMS = (
    graded_passage.ItemGrade("q/1", 4, "carbon", correct=True),
    graded_passage.ItemGrade("q/2", 0),
    graded_passage.ItemGrade("q/3", Unjudged(reason="no answer came")),
)
NEW = graded_passage.GradedPassage(
    *("q", "p", "Bogs store carbon."),
    gradings=(graded_passage.Grading(GRADER, "nugget", ITEMS),),
    direct=(
        graded_passage.DirectGrade(GRADER, 2, "2", correct=True),
        graded_passage.DirectGrade(GRADER, Unjudged(reason="x")),
    ),
    rankings=(graded_passage.Ranked("bm25", 1, 7.5),),
    judgments=(graded_passage.OfficialJudgment(3),),
)


def without_sources(passage):
    parts = ("gradings", "direct", "rankings", "judgments")
    bare = {
        name: tuple(replace(one, source=None) for one in getattr(passage, name)) for name in parts
    }
    return replace(passage, source=None, **bare)


def test_what_is_new_or_corrected_is_read_as_it_was_written(tmp_path):
    for path in (tmp_path / "one.gz", tmp_path / "two.gz"):
        write_graded(path, [graded_passage.GradedQuery("q", (NEW,))])
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    (query,) = read_graded(path)
    assert [without_sources(one) for one in query.passages] == [NEW]
    grading = query.passages[0].gradings[0].source or {}
    assert grading["correctAnswered"] == ["q/1"]
    assert grading["wrongAnswered"] == ["q/2"]
    assert grading["exam_ratio"] == 0.5
    assert grading["self_ratings"][0] == {"nugget_id": "q/1", "self_rating": 4}
    path = tmp_path / "graded.jsonl"
    rated = {"self_ratings": [{"question_id": "q/1", "self_rating": 4}], "mine": 1}
    path.write_text(known(exam_grades=[rated], own=2))
    (query,) = read_graded(path)
    (passage,) = query.passages
    items = (graded_passage.ItemGrade("q/1", 2), graded_passage.ItemGrade("q/2", 1))
    changed = passage.graded(replace(passage.gradings[0], items=items))
    write_graded(path, [replace(query, passages=(changed,))])
    (again,) = next(iter(read_graded(path))).passages
    assert [item.rating for item in again.gradings[0].items] == [2, 1]
    assert (again.gradings[0].source or {})["mine"] == 1
    assert (again.source or {})["own"] == 2


PASSAGES = '[{"paragraph_id": "p", "text": "t"}]'


RATED = {"question_id": "a", "self_rating": 5}


def graded(rating):
    about = {"llm": "tiny", "prompt_info": {"prompt_class": "Asks"}}
    return about | {"self_ratings": [RATED | {"self_rating": rating}]}


def known(**what):
    """A query of one passage, and what is known of that."""
    return json.dumps(["q", [{"paragraph_id": "p", "text": "t", **what}]])


def judged(*relevances):
    return known(paragraph_data={"judgments": [{"relevance": one} for one in relevances]})


def ranked(*ranks):
    rankings = [{"method": "bm25", "rank": one, "score": 1.5} for one in ranks]
    return known(paragraph_data={"rankings": rankings})


def test_what_is_wrong_is_named_with_its_line_and_no_conflict_is_none(tmp_path):
    both = {"correctAnswered": ["a"], "wrongAnswered": ["a"]}
    for line, says in [
        ("{}", "expected a JSON list; found {}"),
        ('["q"]', "expected a query and the list of its passages"),
        ('["q", [{"paragraph_id": "p"}]]', "no 1.0.text"),
        ('["q", [{"paragraph_id": "p", "text": "t", "text": "u"}]]', "each key once"),
        (f'["q", {PASSAGES[:-1]}, {PASSAGES[1:]}]', "each passage once; found a second p"),
        (known(exam_grades=[{"self_ratings": [RATED, RATED]}]), "none twice"),
        (judged(0, 3), "expected one relevance to q for passage p, 0; found 3"),
        (ranked(1, 2), "expected one rank in run bm25 for q for passage p, 1; found 2"),
        (known(exam_grades=[graded(0), graded(5)]), "one rating of a by Asks@tiny for passage p"),
        (
            known(grades=[{"llm": "tiny", "self_ratings": one} for one in (0, 3)]),
            "expected one rating by @tiny for passage p, 0; found 3",
        ),
        (known(exam_grades=[both]), "a should be in correctAnswered or wrongAnswered alone"),
        (known(exam_grades=[{"answers": [["a", "b"], ["a", "c"]]}]), "one answer to each question"),
        (f'["q", {PASSAGES}]\n["q", []]', "each query once; found a second q"),
    ]:
        path = tmp_path / "graded.jsonl"
        path.write_text(f'["first", []]\n{line}\n')
        with pytest.raises(InvalidFileError) as caught:
            list(read_graded(path))
        assert says in str(caught.value)
        assert f"{path}:{2 + line.count(chr(10))}" in str(caught.value)
    parts = [{"query": "q/cutting", "relevance": 3}, {"query": "q/burning", "relevance": 0}]
    for line in [
        *(judged(2, 2), ranked(3, 3), known(exam_grades=[graded(5), graded(5)])),
        known(paragraph_data={"judgments": parts}),
    ]:
        path.write_text(line + "\n")
        assert len(list(read_graded(path))) == 1
