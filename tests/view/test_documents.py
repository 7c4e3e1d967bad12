"""A page of documents for questions."""

from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.investigation.report import QuestionSet
from sidelight.schemas.investigation.trace import Outcome, QuestionSearch, RankedDocument, Trace
from sidelight.schemas.run import QuestionHits, QuestionRankings
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article, question_id
from sidelight.view.collect import collect_page
from sidelight.view.page import render_page
from sidelight.view.shown_run import finished_run
from tests.helpers.scripted_runs import run

HOSTILE = '<script>alert("x")</script>'
DOCUMENT = "msmarco_v2.1_doc_61_5"


def outcome(topic_id):
    asked = tuple(f"Who {number} {topic_id}?" for number in range(10))
    said = {"title": f"Found {HOSTILE}", "label": "2", "reason": f"It says {HOSTILE}"}
    named = {"document_id": DOCUMENT, "segment_id": f"{DOCUMENT}#0_0"}
    ranked = RankedDocument(url="https://found.example/page", **named, **said)
    searched = QuestionSearch(
        question=asked[0], queries=("who zero",), pooled=7, documents=(ranked,), refused={}
    )
    hits = QuestionHits(question_id=question_id(topic_id, 1), hits=(Hit(DOCUMENT, 1.0),))
    segment = Segment(segment_id=f"{DOCUMENT}#0_0", text=f"Word for word {HOSTILE}")
    return Outcome(
        results={
            "questions": QuestionSet(topic_id, asked, 10, 120),
            "documents": QuestionRankings(topic_id, (hits,), 10),
        },
        evidence=(segment,),
        trace=Trace(documents={1: searched}),
    )


def test_documents_are_shown_with_their_labels_and_searches(tmp_path):
    async def investigate(article):
        return outcome(article.topic_id)

    article = Article(topic_id="a", title="Title", body="Words.")
    options = "track=lateral2024", "submission.run_id=sidelight-x"
    made = run(tmp_path / "run", investigate, *options, topics=[article])
    page = collect_page(finished_run(made.directory), {}, [])
    (topic,) = page.topics
    assert topic.searched is not None
    (found,) = topic.searched
    assert (found.question, found.queries, found.pooled) == ("Who 0 a?", ("who zero",), 7)
    assert found.documents[0].label == "Very Useful"
    html = render_page(page)
    assert HOSTILE not in html
    assert "Where answers may stand" in html
    assert "What others say" not in html
    assert 'href="https://found.example/page"' in html
    assert "documents for 1 question." in html
    assert DOCUMENT in html
