import asyncio
import csv
from collections.abc import Sequence

import pytest

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import EmptyReplyError, InputError
from sidelight.evaluation.labelling.judge import Judge, Judgment
from sidelight.evaluation.labelling.judges import EmbeddedJudge, PromptedJudge
from sidelight.evaluation.labelling.support import SUPPORT, assess_support
from sidelight.evaluation.scoring.measures import score_support
from sidelight.formats.labels.assessments import write_support_sentences
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.grading.judgment import JudgedSentence, Unjudged
from sidelight.schemas.run import CitedSentence, ReportMetadata, ReportRun, SubmittedReport
from tests.helpers.models.scripted_model import ScriptedModel

FULL, PARTIAL, NONE = SUPPORT_SCALE.names
TEXTS = {
    "d#1": "The quarry was sold to an investor who also owns a newspaper.",
    "d#2": "A study of the ferry counted twelve visitors a day.",
}
OWNER = CitedSentence(
    text="The quarry was sold to an investor who also owns a newspaper.", citations=("d#1",)
)


def run(tag: str, **reports: Sequence[CitedSentence]) -> ReportRun:
    return ReportRun(
        run_tag=tag,
        reports=tuple(
            SubmittedReport(
                metadata=ReportMetadata(team_id="t", run_id=tag, topic_id=topic_id),
                responses=tuple(sentences),
            )
            for topic_id, sentences in reports.items()
        ),
    )


def assess(*runs: ReportRun) -> list[JudgedSentence]:
    def texts_of(segment_ids):
        return {one: TEXTS[one] for one in segment_ids if one in TEXTS}

    return asyncio.run(assess_support(EmbeddedJudge({}), runs, texts_of))


def test_the_first_citation_and_all_of_them():
    both = OWNER.model_copy(update={"citations": ("d#2", "d#1")})
    uncited = OWNER.model_copy(update={"citations": ()})
    verdicts = assess(run("r", a=[OWNER, both, uncited]))
    assert [(item.first, item.all) for item in verdicts] == [
        (FULL, FULL),
        (NONE, FULL),
        (None, None),
    ]
    (score,) = score_support([run("r", a=[OWNER, both, uncited])], verdicts).topics
    assert score.values == {
        "weighted_precision": 0.5,  # (1 + 0) / 2
        "weighted_recall": pytest.approx(1 / 3),  # (1 + 0) / 3
        "weighted_precision_all": 1,  # (1 + 1) / 2
        "weighted_recall_all": pytest.approx(2 / 3),  # (1 + 1) / 3
        "nothing_cited": 0,
        "unjudged": 0,
    }


def test_a_segment_whose_text_is_not_known_is_no_lack_of_support():
    invented = OWNER.model_copy(update={"citations": ("d#1", "d#9")})
    given = run("r", a=[invented])
    (verdict,) = verdicts = assess(given)
    assert verdict.first == FULL
    assert isinstance(verdict.all, Unjudged)
    assert "d#9" in verdict.reason
    (score,) = score_support([given], verdicts).topics
    assert score.values["unjudged"] == 1
    assert score.values["weighted_precision"] == 1
    assert score.values["weighted_precision_all"] == 0


def test_a_model_that_gives_no_answer_is_no_lack_of_support():
    asked = PromptedModel(
        ScriptedModel([EmptyReplyError("an empty reply")] * 2), Sampling(), lambda _: None
    )
    judge = PromptedJudge({"silent": asked}, {})
    given = run("r", a=[OWNER])
    (verdict,) = asyncio.run(assess_support(judge, [given], lambda _: TEXTS))
    assert verdict.first == Unjudged(reason="an empty reply")


def test_a_citation_named_twice_is_one():
    shown: list[Sequence[str]] = []

    class Reader(Judge):
        """Finds support everywhere, and remembers where it looked."""

        name, version = "reader", "1"

        def __init__(self):
            self.labellers = {SUPPORT: self.read}

        async def read(self, case):
            shown.append(case.sources)
            return [Judgment(FULL)]

    twice = OWNER.model_copy(update={"citations": ("d#1", "d#1")})
    asyncio.run(assess_support(Reader(), [run("r", a=[twice])], lambda _: TEXTS))
    assert shown == [[TEXTS["d#1"]]]


def test_nothing_cited_is_flagged_and_a_topic_left_out_costs():
    uncited = OWNER.model_copy(update={"citations": ()})
    runs = [run("full", a=[OWNER], b=[OWNER]), run("half", a=[OWNER]), run("none", a=[uncited])]
    table = score_support(runs, assess(*runs))
    assert [item.run_tag for item in table.runs] == ["full", "half", "none"]
    assert [item.values["weighted_precision"] for item in table.runs] == [1, 0.5, 0]
    assert [item.values["nothing_cited"] for item in table.runs] == [0, 0.5, 1]
    assert table.omitted == {"half": ("b",), "none": ("b",)}
    wider = score_support(runs, assess(*runs), ["a", "b", "c", "d"])
    assert wider.runs[0].values["weighted_precision"] == 0.5


def test_what_cannot_be_scored_is_refused():
    given = run("r", a=[OWNER])
    with pytest.raises(InputError, match="not one of the topics"):
        score_support([given], assess(given), ["b"])
    with pytest.raises(InputError, match="no report"):
        score_support([run("r")], [])
    with pytest.raises(InputError, match="given twice"):
        assess(given, given)
    with pytest.raises(InputError, match="two reports"):
        assess(given.model_copy(update={"reports": given.reports * 2}))


def test_verdicts_as_a_file(tmp_path):
    invented = CitedSentence(text="So\nit is.", citations=("d#9",))
    path = tmp_path / "sentences.csv"
    write_support_sentences(path, assess(run("r", a=[OWNER, invented, CitedSentence(text="Yes.")])))
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["sentence"], row["citations"], row["first"], row["all"]) for row in rows] == [
        ("1", "d#1", "full", "full"),
        ("2", "d#9", "", ""),
        ("3", "", "uncited", "uncited"),
    ]
    assert rows[1]["text"] == "So it is."
