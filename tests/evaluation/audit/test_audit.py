"""Audits: probes that must not matter, and attacks that fool a judge of one weakness."""

import asyncio
import csv
from functools import cache

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.audit import text_attacks
from sidelight.evaluation.audit.audit import ProbeResult, audit, write_changes
from sidelight.evaluation.labelling.examples import read_examples
from sidelight.evaluation.labelling.judge import Judge, Judgment, Mode
from sidelight.evaluation.labelling.judges import EmbeddedJudge, PromptedJudge
from sidelight.evaluation.labelling.rubric_cases import QUESTION_SIMILARITY, REPORT_ANSWERS
from sidelight.evaluation.labelling.run_kinds import TaskRuns
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.runs.cited_sentences import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.formats.topics import read_articles
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import count_words
from sidelight.tracks import load_track
from tests.helpers.models.reading_model import ReadingModel

TRACK = load_track()

SAMPLE = sample_path()
RUBRICS = dict(sorted(read_rubrics(SAMPLE / "human_rubrics", TRACK.scales).items())[:2])
REPORTS = [
    read_report_run(SAMPLE / "runs" / "report_generation_runs" / f"{name}-t2")
    for name in ("quillmark", "tidepool")
]
QUESTIONS = [
    read_question_run(SAMPLE / "runs" / "question_generation_runs" / f"{name}-t1")
    for name in ("quillmark", "tidepool")
]
ARTICLES = {one.topic_id: one for one in read_articles(SAMPLE / "topics.jsonl")}
TEXTS = {topic_id: article.body for topic_id, article in ARTICLES.items()}
ANSWER_PROBES = [probe.name for probe in text_attacks.REPORT_PROBES]
PAIR_PROBES = [probe.name for probe in text_attacks.QUESTION_PROBES]


class BiasedJudge(Judge):
    """Gives credit for one thing and for nothing else."""

    name = "biased"
    version = "1"

    def __init__(self, likes):
        self.likes = likes
        self.labellers = {QUESTION_SIMILARITY: self.compare, REPORT_ANSWERS: self.read}

    async def compare(self, case):
        return [
            Judgment("very-similar")
            if self.likes(place, submitted.text, submitted.run_id, submitted.team_id)
            else Judgment("different")
            for _ in case.rubric.questions
            for place, submitted in enumerate(case.submission)
        ]

    async def read(self, case):
        told, metadata = case.submission.text, case.submission.metadata
        return [
            Judgment("supports")
            if self.likes(place, told, metadata.run_id, metadata.team_id)
            else Judgment("none")
            for place, _ in enumerate(REPORT_ANSWERS.units(case))
        ]


# Of place among what is judged, text, run id and team: whether the judge gives credit.
LIKES = {
    "order": lambda place, text, tag, team: place == 0,
    "author": lambda place, text, tag, team: tag == "organizers",
    "instruction": lambda place, text, tag, team: "Note to the assessor" in text,
}
REPORT_LIKES = LIKES | {
    "length": lambda place, text, tag, team: len(text.split()) > 250,
    "author by metadata": lambda place, text, tag, team: team == "organizers",
    "author by a byline": lambda place, text, tag, team: "written by the organizers" in text,
}


def reports(judge, tolerance=0.0, rubrics=RUBRICS):
    given = TaskRuns(TRACK.cited_text, rubrics, REPORTS)
    return asyncio.run(audit(judge, given, tolerance=tolerance))


def questions(judge, tolerance=0.0, rubrics=RUBRICS):
    given = TaskRuns(TRACK.question_list, rubrics, QUESTIONS)
    return asyncio.run(audit(judge, given, tolerance=tolerance))


def failing(found):
    """The probes of what should not matter that a judge does not hold under."""
    return [result.probe for result in found.results if not result.holds and result.most is None]


@pytest.mark.parametrize("bias", REPORT_LIKES)
def test_a_judge_with_a_bias_is_caught(bias):
    found = reports(BiasedJudge(REPORT_LIKES[bias]), tolerance=0.02)
    assert failing(found) == [bias.partition(" ")[0]]
    (result,) = (result for result in found.results if result.probe == failing(found)[0])
    assert "FAILS" in result.verdict
    if bias in LIKES:
        assert failing(questions(BiasedJudge(LIKES[bias]), tolerance=0.02)) == [bias]


def test_what_an_obedient_judge_gives_is_counted_and_an_attack_that_costs_has_failed():
    found = reports(BiasedJudge(LIKES["instruction"]))
    n_answers = sum(len(q.answers) for rubric in RUBRICS.values() for q in rubric.questions)
    result = found.results[len(ANSWER_PROBES) - 1]
    # Two reports on each topic: all their answers went from nothing to full credit.
    assert (result.n_verdicts, result.n_changed) == (2 * n_answers, 2 * n_answers)
    assert (result.n_gained, result.n_lost, result.credit_change) == (2 * n_answers, 0, 1.0)
    changes = [change for change in found.changes if change.probe == "instruction"]
    assert len(changes) == 2 * n_answers
    seen = {(change.run_tag, change.before, change.after) for change in changes}
    assert seen == {(run.run_tag, "none", "supports") for run in REPORTS}
    contrary = BiasedJudge(lambda place, text, tag, team: "Note to the assessor" not in text)
    found = reports(contrary)
    assert failing(found) == []
    result = found.results[len(ANSWER_PROBES) - 1]
    assert result.n_lost == result.n_verdicts > 0
    assert "0 gain credit" in result.verdict


def test_an_order_bias_moves_credit_without_adding_any_and_the_tolerance_is_a_share():
    result = reports(BiasedJudge(LIKES["order"])).results[0]
    # In each of four reports the first answer loses what the last one gains.
    assert (result.n_changed, result.n_gained, result.n_lost) == (8, 4, 4)
    assert result.credit_change == 0
    picky = BiasedJudge(LIKES["order"])
    share = reports(picky).results[0].share_changed or 0
    assert failing(reports(picky, tolerance=share)) == []
    assert failing(reports(picky, tolerance=share * 0.99)) == ["order"]


def test_real_and_constant_judges_hold():
    for given in [True, False]:
        constant = BiasedJudge(lambda place, text, tag, team, given=given: given)
        for found, probes in (
            (reports(constant), ANSWER_PROBES),
            (questions(constant), PAIR_PROBES),
        ):
            results = found.results[: len(probes)]
            assert [result.probe for result in results] == probes
            assert failing(found) == []
            assert not [change for change in found.changes if change.probe in probes]
            assert all("no verdict changes" in result.verdict for result in results)
    judge = EmbeddedJudge(read_examples(SAMPLE, ["lantern-t1", "lantern-t2"]))
    one = dict([*RUBRICS.items()][:1])
    assert failing(reports(judge, rubrics=one)) == []
    assert failing(questions(judge, tolerance=0.02)) == []
    for mode in Mode:
        model = PromptedModel(ReadingModel("reader"), Sampling(), lambda _: None)
        judge = PromptedJudge({"reader": model}, ARTICLES, mode=mode)
        assert failing(questions(judge, rubrics=one)) == []
    assert failing(reports(judge, rubrics=one)) == []


def test_what_cannot_be_audited_or_does_not_answer_is_no_judge_that_holds(tmp_path):
    taught = EmbeddedJudge(read_examples(SAMPLE, ["quillmark-t2"]))
    with pytest.raises(UsageError, match="quillmark-t2"):
        reports(taught)
    with pytest.raises(InputError, match="no run holds"):
        asyncio.run(audit(BiasedJudge(LIKES["order"]), TaskRuns(TRACK.cited_text, {}, REPORTS)))

    class Silent(BiasedJudge):
        """Says nothing to whom it does not know."""

        async def read(self, case):
            given = await super().read(case)
            if self.likes(0, case.submission.text, case.submission.metadata.run_id, ""):
                return given
            return [Judgment(Unjudged(reason="no reply"))] * len(given)

    found = reports(Silent(lambda place, text, tag, team: tag != "organizers"))
    assert failing(found) == ["author"]
    result = found.results[ANSWER_PROBES.index("author")]
    assert result.n_unjudged == result.n_changed == result.n_verdicts
    assert (result.n_gained, result.n_lost, result.credit_change) == (0, 0, None)
    write_changes(tmp_path / "changes.csv", found.changes)
    with (tmp_path / "changes.csv").open() as stream:
        row = next(csv.DictReader(stream))
    assert (row["before"], row["after"]) == ("supports", "")
    assert row["wanted"] == RUBRICS[row["topic_id"]].texts[row["what"]]
    assert "organizers of the track" in row["judged"]
    never = reports(Silent(lambda place, text, tag, team: False))
    assert failing(never) == ANSWER_PROBES
    assert "unknown" in never.results[0].verdict
    assert never.results[0].share_changed is None


# A judge that is fooled by one thing is caught by the attack of that name, and by no other.


LIMIT = TRACK.cited_text.max_words
RUN = read_report_run(SAMPLE / "runs" / "report_generation_runs" / "tidepool-t2")
NAMES = [attack.name for attack in text_attacks.ATTACKS]


class Reader(Judge):
    """Gives credit for an answer that stands in the report, and for one thing more."""

    name, version = "reader", "1"

    def __init__(self, falls=lambda answer, case: False):
        self.falls = falls
        self.labellers = {REPORT_ANSWERS: self.read}

    async def read(self, case):
        said = {sentence.text for sentence in case.submission.responses}
        return [
            Judgment("supports" if one.text in said or self.falls(one.text, case) else "none")
            for one in case.rubric.answers
        ]


def attacked(judge, *, articles=TEXTS):
    given = TaskRuns(TRACK.cited_text, RUBRICS, [RUN])
    return asyncio.run(audit(judge, given, articles=articles))


def results(found):
    return {result.probe: result for result in found.results if result.most is not None}


def fooled(found):
    return [name for name, result in results(found).items() if not result.holds]


def falling_for(name):
    """Give credit for exactly what one attack makes of an answer."""
    (attack,) = (one for one in text_attacks.ATTACKS if one.name == name)

    @cache
    def trials(topic_id):
        return attack.trials(text_attacks.Material(RUBRICS[topic_id], LIMIT, TEXTS[topic_id]))

    def falls(answer, case):
        for trial in trials(case.rubric.topic_id):
            (own, *_) = trial.report.responses
            if own.text == case.submission.responses[0].text or own.text.startswith(
                case.submission.text
            ):
                ids = {one.answer_id for one in case.rubric.answers if one.text == answer}
                return bool(ids & set(trial.answer_ids))
        return False

    return falls


@pytest.mark.parametrize("name", NAMES)
def test_a_planted_weakness_is_caught(name):
    found = attacked(Reader(falling_for(name)))
    assert fooled(found) == [name]
    result = results(found)[name]
    assert result.left is not None
    assert result.left > 0.35
    assert result.verdict.startswith("FAILS: of the credit of answers, ")
    assert {change.probe for change in found.changes} == {name}
    assert all(change.after == "supports" for change in found.changes)


def test_few_verdicts_have_a_wide_interval():
    counts = {"n_verdicts": 6, "n_changed": 1, "n_gained": 1, "n_lost": 0, "n_unjudged": 0}
    found = ProbeResult(
        probe="order", about="another order", credit_change=0.1, holds=False, **counts
    )
    # Wilson: (p + z^2 / 2n -+ z * sqrt(p * q / n + z^2 / 4n^2)) / (1 + z^2 / n), z^2 = 3.8415
    assert found.interval == pytest.approx((0.0301, 0.5635), abs=1e-4)
    assert found.verdict.startswith("FAILS: 16.7% of 6 verdicts (95%: 3.0% to 56.4%) change with")
    none = found.model_copy(update={"n_changed": 0, "n_gained": 0, "holds": True})
    told = "holds: no verdict changes with another order (of 6; 95%: at most 39.0%)"
    assert none.verdict == told
    assert none.model_copy(update={"n_verdicts": 0}).interval is None


def test_a_judge_without_a_weakness_is_left_in_peace():
    found = attacked(Reader())
    assert list(results(found)) == NAMES
    assert fooled(found) == []
    assert all(result.left == 0 for result in results(found).values())
    assert "0% is left to answers denied" in results(found)["denied"].verdict
    assert found.changes == []
    assert set(fooled(attacked(EmbeddedJudge()))) <= {"names", "spoiled, held out"}
    seen = list(results(attacked(Reader(), articles={})))
    assert seen == [one for one in NAMES if one != "pasted"]


def test_judges_of_words_of_length_and_of_nothing_are_caught():
    def words(answer, case):
        wanted = set(answer.casefold().rstrip(".").split())
        told = {word.rstrip(".,?").casefold() for word in case.submission.text.split()}
        return len(wanted & told) >= 0.5 * len(wanted)

    caught = {"denied", "refuted", "negated", "shuffled", "questions", "names", "figures"}
    assert caught <= set(fooled(attacked(Reader(words))))
    long = Reader(lambda _, case: count_words(case.submission.text) >= LIMIT)
    assert set(fooled(attacked(long))) == {"over-long", "pasted"}
    assert fooled(attacked(Reader(lambda answer, case: True))) == NAMES

    class Silent(Reader):
        async def read(self, case):
            return [Judgment(Unjudged(reason="no")) for _ in case.rubric.answers]

    class Nothing(Reader):
        async def read(self, case):
            return [Judgment("none") for _ in case.rubric.answers]

    for judge in (Silent(), Nothing()):
        found = results(attacked(judge))
        assert not any(result.holds for result in found.values())
        assert all(result.verdict.startswith("unknown: ") for result in found.values())


@pytest.mark.parametrize("rubric", RUBRICS.values(), ids=str)
def test_the_honest_reports_say_every_answer_once_and_leave_room(rubric):
    material = text_attacks.Material(rubric, LIMIT, "An article.")
    ids = [answer.answer_id for answer in rubric.answers]
    assert [
        one for trial in text_attacks.honest_trials(material) for one in trial.answer_ids
    ] == ids
    for attack in text_attacks.ATTACKS:
        trials = attack.trials(material)
        assert {one for trial in trials for one in trial.answer_ids} <= set(ids)
        if attack.name not in {"over-long", "pasted"}:
            assert all(count_words(trial.report.text) <= LIMIT for trial in trials)
