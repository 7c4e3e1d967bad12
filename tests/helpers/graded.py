"""Graded passages small enough to work out by hand."""

from sidelight.formats.banks.exams import write_exams
from sidelight.schemas.grading.graded_passage import (
    GradedPassage,
    GradedQuery,
    Grader,
    Grading,
    ItemGrade,
    OfficialJudgment,
    Ranked,
)
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import ExamBank, ExamItem

GRADER = Grader("Asks", "tiny")


def passage(name, ratings, *, judged=None, ranks=None, query="q", grader=GRADER, text=""):
    """A passage with one grader's ratings by item, of which None was unjudged."""
    items = tuple(
        ItemGrade(item, Unjudged(reason="silence") if rating is None else rating)
        for item, rating in ratings.items()
    )
    return GradedPassage(
        query_id=query,
        passage_id=name,
        text=text or f"Passage {name}.",
        gradings=(Grading(grader, "question", items),) if items else (),
        rankings=tuple(Ranked(run, rank, -float(rank)) for run, rank in (ranks or {}).items()),
        judgments=() if judged is None else (OfficialJudgment(judged),),
    )


def example():
    """Two queries of three items each, and runs that count from 0 (`zero`) and from 1.

    Nobody judged what `made`, which writes its texts, returned.
    """
    first = (
        passage("a", {"q/1": 5, "q/2": 0, "q/3": 2}, judged=3, ranks={"zero": 0, "one": 2}),
        passage("b", {"q/1": 4, "q/2": 4, "q/3": 0}, judged=0, ranks={"zero": 1, "one": 1}),
        passage("c", {"q/1": 0, "q/2": 1, "q/3": None}, judged=2, ranks={"two": 1}),
        passage("m", {"q/1": 4, "q/2": 4, "q/3": 4}, ranks={"made": 1}),
    )
    second = (
        passage(
            "d", {"r/1": 3, "r/2": 3, "r/3": 0}, judged=1, ranks={"zero": 0, "two": 1}, query="r"
        ),
        passage("e", {"r/1": 0, "r/2": 5, "r/3": 0}, judged=2, ranks={"one": 1}, query="r"),
    )
    return [GradedQuery("q", first), GradedQuery("r", second)]


def write_bank(folder, query_text="what is passed"):
    """Write the bank of both queries, three items each."""
    banks = [
        ExamBank(
            topic_id=query,
            query_text=query_text,
            kind="question",
            tests=tuple(ExamItem(item_id=f"{query}/{n}", text=f"Which {n}?") for n in range(1, 4)),
        )
        for query in ("q", "r")
    ]
    write_exams(folder / "bank.jsonl", banks)
    return folder / "bank.jsonl"
