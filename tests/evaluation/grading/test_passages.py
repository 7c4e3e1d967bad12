"""Passages out of rankings, citations and whole answers, and what is known of each put together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from sidelight.errors import InputError
from sidelight.evaluation.exams.cells import (
    cited_passages,
    merged,
    ranked_passages,
    written_passages,
)
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
)
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.run import (
    CitedSentence,
    RankingRun,
    ReportMetadata,
    ReportRun,
    SubmittedReport,
)


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


def test_the_first_passages_of_rankings_are_pooled() -> None:
    found = ranked_passages([ranking("one", "a", "b", "c"), ranking("two", "b", "a")], 2, texts_of)
    assert places(found) == {"a": {"one": 1, "two": 2}, "b": {"one": 2, "two": 1}}
    assert found[0].passages[0].text == "The text of a."


def test_what_is_cited_is_graded_once() -> None:
    run = answer("r", ("First.", ("a", "b")), ("Second.", ("a",)))
    assert places(cited_passages([run], texts_of)) == {"a": {"r": 1}, "b": {"r": 2}}


def test_whole_answers_are_cut_and_named_by_run() -> None:
    long = " ".join(f"Sentence number {number} says little." for number in range(100))
    found = written_passages([answer("my run", (long, ())), answer("other", ("Short.", ()))])
    assert places(found) == {
        "my_run/q/1": {"my run": 1},
        "my_run/q/2": {"my run": 2},
        "other/q/1": {"other": 1},
    }


def test_a_text_that_is_not_known_is_named() -> None:
    with pytest.raises(InputError, match="unknown"):
        ranked_passages([ranking("one", "a", "unknown")], 5, texts_of)


def test_more_runs_add_places_and_keep_grades() -> None:
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
