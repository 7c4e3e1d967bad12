import asyncio

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.audit.audit import audit, write_changes
from sidelight.evaluation.audit.text_attacks import QUESTION_PROBES, REPORT_PROBES
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
ANSWER_PROBES = [probe.name for probe in REPORT_PROBES]
PAIR_PROBES = [probe.name for probe in QUESTION_PROBES]


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


def reports(judge, tolerance=0.0):
    return asyncio.run(
        audit(judge, TaskRuns(TRACK.cited_text, RUBRICS, REPORTS), tolerance=tolerance)
    )


def questions(judge, tolerance=0.0):
    return asyncio.run(
        audit(judge, TaskRuns(TRACK.question_list, RUBRICS, QUESTIONS), tolerance=tolerance)
    )


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
    assert {(change.run_tag, change.before, change.after) for change in changes} == {
        (run.run_tag, "none", "supports") for run in REPORTS
    }
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


@pytest.mark.parametrize("given", [True, False])
def test_a_constant_judge_holds(given):
    constant = BiasedJudge(lambda place, text, tag, team: given)
    for found, probes in ((reports(constant), ANSWER_PROBES), (questions(constant), PAIR_PROBES)):
        results = found.results[: len(probes)]
        assert [result.probe for result in results] == probes
        assert failing(found) == []
        assert not [change for change in found.changes if change.probe in probes]
        assert all("changes no verdict" in result.verdict for result in results)


def test_verdicts_that_could_not_be_had(tmp_path):
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
    assert (tmp_path / "changes.csv").read_text().splitlines()[1].endswith(",supports,")
    never = reports(Silent(lambda place, text, tag, team: False))
    assert failing(never) == ANSWER_PROBES
    assert "unknown" in never.results[0].verdict
    assert never.results[0].share_changed is None


def test_the_embedded_judge_holds():
    judge = EmbeddedJudge(RUBRICS, read_examples(SAMPLE, ["lantern-t1", "lantern-t2"]))
    assert failing(reports(judge)) == []
    assert failing(questions(judge, tolerance=0.02)) == []


@pytest.mark.parametrize("mode", Mode)
def test_the_prompted_judge_holds_with_a_model_that_reads(mode):
    articles = {article.topic_id: article for article in read_articles(SAMPLE / "topics.jsonl")}
    model = PromptedModel(ReadingModel("reader"), Sampling(), lambda _: None)
    judge = PromptedJudge({"reader": model}, articles, mode=mode)
    assert failing(reports(judge)) == []
    assert failing(questions(judge)) == []


def test_what_cannot_be_audited_is_refused():
    taught = EmbeddedJudge(RUBRICS, read_examples(SAMPLE, ["quillmark-t2"]))
    with pytest.raises(UsageError, match="quillmark-t2"):
        reports(taught)
    with pytest.raises(InputError, match="no run holds"):
        asyncio.run(audit(BiasedJudge(LIKES["order"]), TaskRuns(TRACK.cited_text, {}, REPORTS)))
