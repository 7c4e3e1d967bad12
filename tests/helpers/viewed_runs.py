"""Small finished runs to look at, with a given text wherever the web or a model may put one."""

from sidelight.schemas.investigation.angle import (
    Angle,
    ArticleFacts,
    Aspect,
    Coverage,
    Plan,
    PlannedQuery,
)
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.investigation.report import (
    DraftReport,
    DraftSentence,
    QuestionSet,
    Removal,
    Report,
    SentenceSupport,
)
from sidelight.schemas.investigation.trace import (
    Outcome,
    PageName,
    Round,
    Searched,
    Selected,
    Trace,
)
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import Article
from sidelight.text import one_line
from sidelight.tracks import load_track
from tests.helpers.scripted_runs import run

CALM = "Calm words about a bog."
TOPIC, OTHER_TOPIC = "v_doc_00_1", "v_doc_00_2"
CITED, ALSO_CITED, UNCITED = "v_doc_00_10#0_0", "v_doc_00_11#0_9", "v_doc_00_12#3_20"
LEFT, REFUSED = "v_doc_00_13#0_30", "v_doc_00_14#0_40"


def write_run(
    folder,
    text=CALM,
    *,
    url="https://www.found.example/page",
    run_id="sidelight-view",
    topics=(TOPIC, OTHER_TOPIC),
    around="",
    settings=(),
):
    """Write a finished run.

    `text` stands in titles, bodies, segments, questions, sentences, queries and reasons, unless
    `topics` say which text does in each; `url` is that of every page found; `around` stands before
    and after what is cited in its segment.
    """
    texts = topics if isinstance(topics, dict) else dict.fromkeys(topics, text)
    articles = [
        Article(topic_id=topic_id, url="https://news.example/a", title=one, body=f"So: {one}")
        for topic_id, one in texts.items()
    ]

    async def investigate(article):
        return _outcome(article.topic_id, texts[article.topic_id], url, around)

    return run(
        folder, investigate, f"submission.run_id={run_id}", *settings, topics=articles
    ).directory


def _outcome(topic_id, text, url, around):
    line = one_line(text)
    found = tuple(
        Segment(
            segment_id=one,
            url=url,
            title=text,
            text=f"{around}It is said: {text} Nothing follows.{around}",
        )
        for one in (CITED, ALSO_CITED, UNCITED)
    )
    sentences = (
        CitedSentence(text=f"They say {line}", citations=(CITED,)),
        CitedSentence(text=f"Both say {line}", citations=(ALSO_CITED, CITED)),
    )
    questions = tuple(f"{number} asks {line}"[:290] for number in range(10))
    known = frozenset(one.segment_id for one in found)
    return Outcome(
        results={
            "task1": QuestionSet(topic_id, questions, 10, 300),
            "task2": Report(topic_id, sentences, known, load_track().cited_text),
        },
        evidence=found,
        trace=_trace(questions[0], text, url).merge(_checked(sentences)),
    )


def _checked(sentences):
    """The first sentence is supported in full, the second in part."""

    def support(one, label):
        cited, reason = one.citations, f"the source says: {one.text}"
        said_by = cited[-1:]
        return SentenceSupport(
            text=one.text, segment_ids=cited, said_by=said_by, label=label, reason=reason
        )

    return Trace(stood={0: tuple(map(support, sentences, ("full", "partial")))})


def _trace(question, text, url):
    angles = tuple(
        Angle(angle_id=name, aspect=aspect, question=asked, query=text, weight=weight)
        for name, aspect, asked, weight in (
            ("a", Aspect.AUTHOR, question, 4),
            ("b", Aspect.CLAIM, text, 2),
        )
    )
    listed = (CITED, UNCITED, LEFT, REFUSED)
    removal = Removal(sentence=DraftSentence(text=text), label="none", reason=text)
    round_ = Round(
        plan=Plan(
            angles=angles, queries=tuple(PlannedQuery.of(angle, 1, text) for angle in angles)
        ),
        searched={
            Aspect.AUTHOR: Searched(hits={"1.a": tuple(Hit(one, 0.5) for one in listed)}),
            Aspect.CLAIM: Searched(hits={"1.b": (Hit(CITED, 0.5),)}),
        },
        selected=Selected(
            taken={CITED: {"a": 0.5}, UNCITED: {"a": 0.35}},
            dropped={LEFT: text},
            refused={document_id_of(REFUSED): "the page gives orders to software"},
            pages={
                document_id_of(one): PageName(url=url, title=text) for one in (CITED, UNCITED, LEFT)
            },
        ),
        coverage=Coverage(
            covered=("a",),
            weight=4.0,
            by_angle={"a": 1.0, "b": 0.25},
            score=0.75,
            go_on=False,
            reason=text,
        ),
    )
    nothing_new = Round(plan=Plan(angles=(), queries=()), coverage=round_.coverage)
    return Trace(
        profile=ArticleFacts(title=text, publisher="", host="", subject="", people=("Ada Orrin",)),
        rounds={1: round_, 2: nothing_new},
        draft=DraftReport(sentences=(), unused={UNCITED: "no statement"}),
        checks={0: (removal,)},
    )
