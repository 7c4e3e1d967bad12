"""Support of sentences, and questions graded, by judges with and without a model."""

import asyncio
import csv
import json
from functools import partial

import numpy as np
import pytest

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.checks.usefulness import Document
from sidelight.errors import EmptyReplyError, InputError, UsageError
from sidelight.evaluation.labelling import question_quality
from sidelight.evaluation.labelling.judge import Judge, Judgment
from sidelight.evaluation.labelling.judged_runs import (
    AskedDocuments,
    grade_documents,
    grade_question_runs,
)
from sidelight.evaluation.labelling.judges import EmbeddedJudge, PromptedJudge
from sidelight.evaluation.labelling.support import SUPPORT, assess_support
from sidelight.evaluation.scoring.measures import score_support
from sidelight.formats.labels.assessments import write_support_sentences
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.topic import Article
from tests.helpers.asking.conversation import scripted
from tests.helpers.labels.toy import question_run, report_run

FULL, _, NONE = SUPPORT_SCALE.names
TEXTS = {
    "d#1": "The quarry was sold to an investor who also owns a newspaper.",
    "d#2": "A study of the ferry counted twelve visitors a day.",
}
OWNER = CitedSentence(
    text="The quarry was sold to an investor who also owns a newspaper.", citations=("d#1",)
)


def assess(*runs):
    def texts_of(segment_ids):
        return {one: TEXTS[one] for one in segment_ids if one in TEXTS}

    return asyncio.run(assess_support(EmbeddedJudge(), runs, texts_of))


def test_the_first_citation_and_all_of_them():
    both = OWNER.model_copy(update={"citations": ("d#2", "d#1")})
    uncited = OWNER.model_copy(update={"citations": ()})
    verdicts = assess(report_run("r", a=[OWNER, both, uncited]))
    found = [(item.first, item.all) for item in verdicts]
    assert found == [(FULL, FULL), (NONE, FULL), (None, None)]
    (score,) = score_support([report_run("r", a=[OWNER, both, uncited])], verdicts).topics
    assert score.values == {
        "weighted_precision": 0.5,  # (1 + 0) / 2
        "weighted_recall": pytest.approx(1 / 3),  # (1 + 0) / 3
        "weighted_precision_all": 1,  # (1 + 1) / 2
        "weighted_recall_all": pytest.approx(2 / 3),  # (1 + 1) / 3
        "nothing_cited": 0,
        "unjudged": 0,
    }


def test_what_is_not_known_is_no_lack_of_support_and_a_citation_counts_once():
    invented = OWNER.model_copy(update={"citations": ("d#1", "d#9")})
    given = report_run("r", a=[invented])
    (verdict,) = verdicts = assess(given)
    assert verdict.first == FULL
    assert isinstance(verdict.all, Unjudged)
    assert "d#9" in verdict.reason
    (score,) = score_support([given], verdicts).topics
    assert score.values["unjudged"] == 1
    assert score.values["weighted_precision"] == 1
    assert score.values["weighted_precision_all"] == 0
    silent = scripted(*[EmptyReplyError("an empty reply")] * 2)
    judge = PromptedJudge({"silent": silent.model}, {})
    given = report_run("r", a=[OWNER])
    (verdict,) = asyncio.run(assess_support(judge, [given], lambda _: TEXTS))
    assert verdict.first == Unjudged(reason="an empty reply")
    shown = []

    class Reader(Judge):
        """Finds support everywhere, and remembers where it looked."""

        name, version = "reader", "1"

        def __init__(self):
            self.labellers = {SUPPORT: self.read}

        async def read(self, case):
            shown.append(case.sources)
            return [Judgment(FULL)]

    twice = OWNER.model_copy(update={"citations": ("d#1", "d#1")})
    asyncio.run(assess_support(Reader(), [report_run("r", a=[twice])], lambda _: TEXTS))
    assert shown == [[TEXTS["d#1"]]]


def test_nothing_cited_is_flagged_and_what_cannot_be_scored_refused():
    uncited = OWNER.model_copy(update={"citations": ()})
    runs = [
        report_run("full", a=[OWNER], b=[OWNER]),
        report_run("half", a=[OWNER]),
        report_run("none", a=[uncited]),
    ]
    table = score_support(runs, assess(*runs))
    assert [item.run_tag for item in table.runs] == ["full", "half", "none"]
    assert [item.values["weighted_precision"] for item in table.runs] == [1, 0.5, 0]
    assert [item.values["nothing_cited"] for item in table.runs] == [0, 0.5, 1]
    assert table.omitted == {"half": ("b",), "none": ("b",)}
    wider = score_support(runs, assess(*runs), ["a", "b", "c", "d"])
    assert wider.runs[0].values["weighted_precision"] == 0.5
    given = report_run("r", a=[OWNER])
    with pytest.raises(InputError, match="not one of the topics"):
        score_support([given], assess(given), ["b"])
    with pytest.raises(InputError, match="no report"):
        score_support([report_run("r")], [])
    with pytest.raises(InputError, match="given twice"):
        assess(given, given)
    with pytest.raises(InputError, match="two reports"):
        assess(given.model_copy(update={"reports": given.reports * 2}))


def test_verdicts_as_a_file(tmp_path):
    invented = CitedSentence(text="So\nit is.", citations=("d#9",))
    path = tmp_path / "sentences.csv"
    write_support_sentences(
        path, assess(report_run("r", a=[OWNER, invented, CitedSentence(text="Yes.")]))
    )
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["sentence"], row["citations"], row["first"], row["all"]) for row in rows] == [
        ("1", "d#1", "full", "full"),
        ("2", "d#9", "", ""),
        ("3", "", "uncited", "uncited"),
    ]
    assert rows[1]["text"] == "So it is."


# Questions graded without a model, and whole runs by any judge.


GOOD = "What is the professional background of {} in energy policy?"
VARIED = (
    "What is the professional background of Garrick Voss?",
    "Who publishes and finances Sentinel Policy Journal?",
    "What did the University of Orrin study examine and measure?",
    "What are the main criticisms of the bog bill?",
    "Does the article show any bias?",
)


ARTICLE = Article(topic_id="t", title="A title", body="Words.")


def grades(questions, label=question_quality.grade_questions):
    found = asyncio.run(label(question_quality.QuestionListCase(ARTICLE, questions)))
    return [int(one.label) for one in found]


def mean(questions):
    labels = grades(questions)
    return sum(max(0, label) for label in labels) / len(labels)


def test_labels_tell_good_from_flawed():
    labels = grades(VARIED)
    assert labels[-1] == -1
    assert min(labels[:3]) >= 2
    assert grades(()) == []
    swapped = [one.replace("Garrick Voss", "Ilva Brandt") for one in VARIED]
    swapped = [one.replace("Sentinel Policy Journal", "Morrow Evening Post") for one in swapped]
    assert grades(swapped) == labels
    names = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ike", "Jo")
    repeated = [GOOD.format(f"{name} Marsh") for name in names]
    assert mean(repeated[:1]) >= 3
    assert mean(repeated) < mean(VARIED)
    assert set(grades(repeated)[2:]) <= {0, -1}

    def encode(texts):
        return np.array(
            [[1.0, 0.0] if "fund" in text else [0.0, 1.0] for text in texts], np.float32
        )

    asked = ["Who funds it?", "Who is Ada Marsh?", "By whom is it funded?"]
    assert grades(asked, partial(question_quality.tell_redundant, encode)) == [0, 0, 1]
    assert grades([], partial(question_quality.tell_redundant, encode)) == []


# Whole runs graded one by one, by the embedded judge and by one that asks.
ASKED = ("Who owns the Courier?", "Who is the owner of the Courier?", "Is the article fair?")
RUN = question_run("run-a", t=ASKED)


def graded(grades):
    return json.dumps(
        {
            "grades": [
                {"rank": str(rank), "reason": "so", "grade": grade, "redundant": flag}
                for rank, (grade, flag) in enumerate(grades, start=1)
            ]
        }
    )


def judge(*replies):
    return PromptedJudge({"tiny": scripted(*replies).model}, {"t": ARTICLE})


def test_questions_get_a_grade_and_a_flag():
    reply = graded([("4", "0"), ("3", "1"), ("-1", "0")])
    found = asyncio.run(grade_question_runs(judge(reply, reply), [RUN], {"t": ARTICLE}))
    seen = [(one.label, one.redundant) for one in found]
    assert seen == [("4", False), ("3", True), ("-1", False)]
    assert [one.run_question_text for one in found] == list(ASKED)
    with pytest.raises(InputError, match="that of t is not there"):
        asyncio.run(grade_question_runs(judge(), [RUN], {}))
    for bad in ["none", graded([("4", "0")]), graded([("5", "0")] * 3)]:
        found = asyncio.run(grade_question_runs(judge(*[bad] * 4), [RUN], {"t": ARTICLE}))
        assert isinstance(found[2].label, Unjudged)
        assert found[2].redundant is None


def test_documents_get_grades_and_unjudged_ones_none():
    labels = json.dumps({"labels": [{"key": "D1", "reason": "so", "label": "2"}]})
    documents = {"d": Document("", "It is owned by peat cutters.")}
    asked = [
        AskedDocuments("t-Q01", "An article", "Who owns the Courier?", documents),
        AskedDocuments("t-Q02", "An article", "Who is Ada?", documents),
    ]
    found = asyncio.run(grade_documents(judge(labels, "none", "none"), asked))
    assert found == {"t-Q01": {"d": 2}, "t-Q02": {}}
    documents = {"d": Document("", "Words.")}
    with pytest.raises(UsageError, match="and not usefulness of documents"):
        asyncio.run(grade_documents(EmbeddedJudge(), [AskedDocuments("q", "", "Who?", documents)]))
