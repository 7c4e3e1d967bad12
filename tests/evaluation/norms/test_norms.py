"""Reports graded by experts' rubrics and by what was pooled from them."""

import asyncio

from sidelight.cli.options import track_of_scale
from sidelight.evaluation.agreement.people import (
    as_rubric,
    compare_norms,
    missed_questions,
    pool_nuggets,
)
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from sidelight.tracks import load_track

TOPIC = "msmarco_v2.1_doc_91_1"
TRACK = load_track()
IMPORTANCE = track_of_scale("nugget_importance", None).scales["nugget_importance"]
OWNER = "The Harbour Post is owned by the shipping company Delmar Lines."
STUDY = "The ferry study counted 412 passengers on nine days in March 2019."
COUNCIL = "Wexford council closed the swimming pool for repairs in 2021."
AGAIN = "Records show that The Harbour Post is owned by the shipping company Delmar Lines."


def run(tag: str, *sentences: str) -> ReportRun:
    return ReportRun(
        run_tag=tag,
        reports=(
            SubmittedReport(
                metadata=ReportMetadata(team_id="t", run_id=tag, topic_id=TOPIC),
                responses=tuple(CitedSentence(text=text, citations=()) for text in sentences),
            ),
        ),
    )


def rubric(*answers: tuple[str, str]) -> Rubric:
    scale = TRACK.scales["importance"]
    return Rubric(
        topic_id=TOPIC,
        questions=tuple(
            RubricQuestion(
                question_id=f"{TOPIC}-{rank}",
                rank=rank,
                text=f"Question {rank}?",
                importance=scale.label(importance),
                answers=(RubricAnswer(answer_id=f"na-{rank}", text=text),),
            )
            for rank, (importance, text) in enumerate(answers, start=1)
        ),
    )


RUNS = [run("all", OWNER, STUDY), run("owner", AGAIN), run("none", COUNCIL)]
MODEL = AnswerModel.load(None)


def test_what_two_reports_tell_is_one_nugget_and_vital():
    bank = pool_nuggets(RUNS, MODEL, IMPORTANCE)[TOPIC]
    weights = {nugget.text: nugget.importance.name for nugget in bank.nuggets}
    assert len(weights) == 3
    assert weights[STUDY] == weights[COUNCIL] == "okay"
    (owner,) = weights.keys() - {STUDY, COUNCIL}
    assert owner in {OWNER, AGAIN}
    assert weights[owner] == "vital"
    assert bank.nuggets[0].text == owner
    assert pool_nuggets(RUNS, MODEL, IMPORTANCE, most=1)[TOPIC].nuggets == bank.nuggets[:1]
    assert as_rubric(bank).total_weight == bank.total_weight == 2


def test_order_of_runs_does_not_decide_what_is_vital():
    banks = [pool_nuggets(runs, MODEL, IMPORTANCE)[TOPIC] for runs in (RUNS, RUNS[::-1])]
    vital, other = (
        {one.text for one in bank.nuggets if one.importance.name == "okay"} for bank in banks
    )
    assert vital == other


def test_experts_angles_that_no_report_has_are_named():
    wanted = rubric(
        ("have to know", OWNER), ("nice to know", "Inspectors fined Delmar Lines 30,000 crowns.")
    )
    banks = pool_nuggets(RUNS, MODEL, IMPORTANCE)
    missed = missed_questions({TOPIC: wanted}, banks, MODEL)
    assert [question.rank for question in missed[TOPIC]] == [2]
    assert len(missed_questions({TOPIC: wanted}, {}, MODEL)[TOPIC]) == 2


def test_the_two_norms_may_rank_otherwise():
    wanted = rubric(("have to know", OWNER))
    found = asyncio.run(compare_norms(TRACK, {TOPIC: wanted}, RUNS, IMPORTANCE, None, n_samples=10))
    assert found.ranks.run_tags == ("all", "none", "owner")
    by_rubric, by_pool = found.ranks.means
    # "all" and "owner" tell the one thing that experts asked for; only the pool wants the study.
    assert by_rubric == (1, 0, 1)
    assert by_pool[0] > by_pool[2] > by_pool[1] > 0
    assert found.missed == {TOPIC: ()}
