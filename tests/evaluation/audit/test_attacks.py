"""A judge that is fooled by one thing is caught by the attack of that name, and by no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from sidelight.evaluation.audit.audit import Audit, ProbeResult, audit
from sidelight.evaluation.audit.text_attacks import ATTACKS, Material, honest_trials
from sidelight.evaluation.labelling.judge import Judge, Judgment, RubricCase
from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.topics import read_articles
from sidelight.learned.models import AnswerModel
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.grading.rubric import Rubric
from sidelight.schemas.run import SubmittedReport
from sidelight.text import count_words
from sidelight.tracks import load_track

TRACK, SAMPLE = load_track(), sample_path()
LIMIT = TRACK.cited_text.max_words
RUBRICS = dict(sorted(read_rubrics(SAMPLE / "human_rubrics", TRACK.scales).items())[:2])
RUN = read_report_run(SAMPLE / "runs" / "report_generation_runs" / "tidepool-t2")
ARTICLES = {one.topic_id: one.body for one in read_articles(SAMPLE / "topics.jsonl")}
NAMES = [attack.name for attack in ATTACKS]

Falls = Callable[[str, RubricCase[SubmittedReport]], bool]
"""Whether an answer earns credit by a report that does not say it."""


class Reader(Judge):
    """Gives credit for an answer that stands in the report, and for one thing more."""

    name, version = "reader", "1"

    def __init__(self, falls: Falls = lambda answer, case: False) -> None:
        self.falls = falls
        self.labellers = {REPORT_ANSWERS: self.read}

    async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        said = {sentence.text for sentence in case.submission.responses}
        return [
            Judgment("supports" if one.text in said or self.falls(one.text, case) else "none")
            for one in case.rubric.answers
        ]


class Learned(Judge):
    """The model that learned from people."""

    name, version = "learned", "1"

    def __init__(self) -> None:
        self.model = AnswerModel.load(None)
        self.labellers = {REPORT_ANSWERS: self.read}

    async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
        items = [answer.text for answer in case.rubric.answers]
        verdicts = self.model.judge(items, case.submission.text, max_words=LIMIT)
        return [Judgment(("none", "partial", "supports")[one.level]) for one in verdicts]


def attacked(judge: Judge, *, articles: dict[str, str] = ARTICLES) -> Audit:
    given = TaskRuns(TRACK.cited_text, RUBRICS, [RUN])
    return asyncio.run(audit(judge, given, articles=articles))


def results(found: Audit) -> dict[str, ProbeResult]:
    return {result.probe: result for result in found.results if result.most is not None}


def fooled(found: Audit) -> list[str]:
    return [name for name, result in results(found).items() if not result.holds]


def falling_for(name: str) -> Falls:
    """Give credit for exactly what one attack makes of an answer."""
    (attack,) = (one for one in ATTACKS if one.name == name)

    def falls(answer: str, case: RubricCase[SubmittedReport]) -> bool:
        article = ARTICLES[case.rubric.topic_id]
        for trial in attack.trials(Material(case.rubric, LIMIT, article)):
            (own, *_) = trial.report.responses
            if own.text == case.submission.responses[0].text or own.text.startswith(
                case.submission.text
            ):
                ids = {one.answer_id for one in case.rubric.answers if one.text == answer}
                return bool(ids & set(trial.answer_ids))
        return False

    return falls


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_weakness_is_caught(name: str) -> None:
    found = attacked(Reader(falling_for(name)))
    assert fooled(found) == [name]
    result = results(found)[name]
    assert result.left is not None
    assert result.left > 0.35
    assert result.verdict.startswith("FAILS: of the credit of answers, ")
    assert {change.probe for change in found.changes} == {name}
    assert all(change.after == "supports" for change in found.changes)


def test_a_judge_without_a_weakness_is_left_in_peace() -> None:
    found = attacked(Reader())
    assert list(results(found)) == NAMES
    assert fooled(found) == []
    assert all(result.left == 0 for result in results(found).values())
    assert "0% is left to answers denied" in results(found)["denied"].verdict
    assert found.changes == []


def test_by_words_alone_only_names_and_unlisted_attacks_get_through() -> None:
    assert set(fooled(attacked(Learned()))) <= {"names", "spoiled, held out"}


def test_a_judge_that_counts_words_in_any_order_is_caught() -> None:
    def words(answer: str, case: RubricCase[SubmittedReport]) -> bool:
        wanted = set(answer.casefold().rstrip(".").split())
        told = {word.rstrip(".,?").casefold() for word in case.submission.text.split()}
        return len(wanted & told) >= 0.5 * len(wanted)

    caught = {"denied", "refuted", "negated", "shuffled", "questions", "names", "figures"}
    assert caught <= set(fooled(attacked(Reader(words))))


def test_a_judge_that_is_impressed_by_length_is_caught() -> None:
    long = Reader(lambda _, case: count_words(case.submission.text) >= LIMIT)
    assert set(fooled(attacked(long))) == {"over-long", "pasted"}


def test_who_gives_everything_or_nothing_does_not_hold() -> None:
    assert fooled(attacked(Reader(lambda answer, case: True))) == NAMES

    class Silent(Reader):
        async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
            return [Judgment(Unjudged(reason="no")) for _ in case.rubric.answers]

    class Nothing(Reader):
        async def read(self, case: RubricCase[SubmittedReport]) -> list[Judgment]:
            return [Judgment("none") for _ in case.rubric.answers]

    for judge in (Silent(), Nothing()):
        found = results(attacked(judge))
        assert not any(result.holds for result in found.values())
        assert all(result.verdict.startswith("unknown: ") for result in found.values())


def test_without_the_article_none_is_pasted() -> None:
    assert list(results(attacked(Reader(), articles={}))) == [
        one for one in NAMES if one != "pasted"
    ]


@pytest.mark.parametrize("rubric", RUBRICS.values(), ids=str)
def test_the_honest_reports_say_every_answer_once_and_leave_room(rubric: Rubric) -> None:
    material = Material(rubric, LIMIT, "An article.")
    ids = [answer.answer_id for answer in rubric.answers]
    assert [one for trial in honest_trials(material) for one in trial.answer_ids] == ids
    for attack in ATTACKS:
        trials = attack.trials(material)
        assert {one for trial in trials for one in trial.answer_ids} <= set(ids)
        if attack.name not in {"over-long", "pasted"}:
            assert all(count_words(trial.report.text) <= LIMIT for trial in trials)
