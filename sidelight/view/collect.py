"""From a run directory to the values that its page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from sidelight.config.load import load_settings
from sidelight.formats.runs.run_format import run_format
from sidelight.formats.topics.topic_format import topic_format
from sidelight.schemas.article import Article
from sidelight.schemas.investigation.usefulness import USEFULNESS_SCALE
from sidelight.schemas.task import CitedTextTask, QuestionListTask, QuestionRankingsTask
from sidelight.schemas.topic import ArticleQuestion, FacetedQuery, Narrative
from sidelight.text import budget_words, clean
from sidelight.tracks import load_track
from sidelight.view.marks import Marker
from sidelight.view.model import Page, QuestionDocuments, Rival, ShownDocument, TopicPage
from sidelight.view.report import cite, web_page
from sidelight.view.standing import compare_judges, leaderboards
from sidelight.view.support import Verdict, agreed, checked_support
from sidelight.view.trail import follow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.runs.directory import RunDirectory, TopicResult
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.run import CitedSentence
    from sidelight.schemas.run_manifest import RunManifest
    from sidelight.schemas.task import Task
    from sidelight.tracks import Track
    from sidelight.view.labels import Labels
    from sidelight.view.model import Sentence, Source, TopicMarks
    from sidelight.view.web_page import WebPage


class _Made(NamedTuple):
    """What was made of a topic: questions, and sentences with citations, where a task asks so."""

    result: TopicResult
    questions: tuple[str, ...]
    report: tuple[CitedSentence, ...]
    ranks_documents: bool

    @classmethod
    def of(cls, result: TopicResult, track: Track) -> Self:
        questions, report = track.find(QuestionListTask), track.find(CitedTextTask)
        return cls(
            result,
            tuple(map(clean, result.result(questions))) if questions else (),
            result.result(report) if report else (),
            track.find(QuestionRankingsTask) is not None,
        )


def collect_page(
    run: RunDirectory,
    rubrics: Mapping[str, Rubric],
    labels: Sequence[Labels],
    rival: RunDirectory | None = None,
) -> Page:
    """Return the page of a run.

    Args:
        run: The run.
        rubrics: By topic id; empty where none are at hand.
        labels: Sources of labels; the first marks the run, and is held against the others.
        rival: A run to show beside it.

    Raises:
        InputError: The run is not finished, or labels and rubrics do not fit together.
    """
    manifest = run.read_manifest()
    track = load_track(manifest.track)
    questions, report = track.find(QuestionListTask), track.find(CitedTextTask)
    question_tag, report_tag = (_run_tag(run, task) for task in (questions, report))
    marking = labels[0] if labels and rubrics else None
    marker = Marker(track.scales, marking, question_tag, report_tag) if marking else None
    rivals = set(rival.read_manifest().topics) if rival else set()
    tags, noun = frozenset({question_tag, report_tag}), topic_format(track).noun
    topics = []
    for number, topic_id in enumerate(manifest.topics, start=1):
        result = run.result(topic_id)
        support = {
            sentence: Verdict(*verdict)
            for (run_tag, topic, sentence), verdict in (marking.support if marking else {}).items()
            if (run_tag, topic) == (report_tag, topic_id)
        }
        rubric = rubrics.get(topic_id)
        topics.append(
            _topic(
                number,
                _Made.of(result, track),
                support,
                marker.mark(rubric) if marker and rubric else None,
                _Made.of(rival.result(topic_id), track) if rival and topic_id in rivals else None,
            )
        )
    return Page(
        run_id=_run_id(run),
        noun=noun,
        facts=_facts(manifest, noun),
        topics=tuple(topics),
        failed=tuple(manifest.failed_topics),
        labels=marking.name if marking else "",
        boards=leaderboards(track, rubrics, marking, tags) if marking else (),
        judges=compare_judges(track, rubrics, labels) if marking else (),
        rival=_run_id(rival) if rival else "",
    )


def _run_id(run: RunDirectory) -> str:
    return load_settings(run.config).submission.run_id


def _run_tag(run: RunDirectory, task: Task | None) -> str:
    return run_format(task).read(run.file(task)).run_tag if task else ""


def _facts(manifest: RunManifest, noun: str) -> dict[str, str]:
    return {
        "Track": manifest.track,
        f"{noun.capitalize()}s": str(len(manifest.topics)),
        "Made with": f"sidelight {manifest.sidelight}",
        "Settings": manifest.settings[:12],
        "Index": manifest.index[:12],
    }


def _topic(
    number: int,
    made: _Made,
    support: Mapping[str, Verdict],
    marks: TopicMarks | None,
    rival: _Made | None,
) -> TopicPage:
    result = made.result
    sentences, sources = _cited(made, support)
    page, paragraphs = _shown(result)
    return TopicPage(
        topic_id=result.topic_id,
        number=number,
        page=page,
        paragraphs=paragraphs,
        questions=made.questions,
        sentences=sentences,
        sources=sources,
        n_words=sum(budget_words(sentence.text) for sentence in made.report),
        fallbacks=tuple(fallback.step for fallback in result.fallbacks),
        searched=_searched(result) if made.ranks_documents else None,
        trail=follow(result.trace, {source.segment_id: source.number for source in sources}),
        marks=marks,
        rival=_rival(made, rival) if rival else None,
    )


def _shown(result: TopicResult) -> tuple[WebPage, tuple[str, ...]]:
    """Return how to speak of a topic, and its text where it has more than a name."""
    topic, profile = result.topic, result.trace.profile
    match topic:
        case Article():
            title = (profile and profile.title) or topic.title or topic.topic_id
            return web_page(topic.url, title), _paragraphs(topic.body)
        case ArticleQuestion():
            return web_page(topic.article.url, topic.question), _paragraphs(topic.article.body)
        case Narrative():
            title = f"Narrative {topic.topic_id}"
            return web_page("", title), (*_paragraphs(topic.narrative), *topic.sub_questions)
        case FacetedQuery():
            return web_page("", f"Query {topic.topic_id}"), (topic.query, *topic.facets)


def _searched(result: TopicResult) -> tuple[QuestionDocuments, ...]:
    texts = {one.segment_id: one.text for one in result.evidence}
    return tuple(
        QuestionDocuments(
            question=clean(found.question),
            queries=tuple(map(clean, found.queries)),
            pooled=found.pooled,
            documents=tuple(
                ShownDocument(
                    document_id=one.document_id,
                    page=web_page(one.url, one.title or one.document_id),
                    text=clean(texts.get(one.segment_id, "")),
                    label=_useful(one.label),
                    reason=clean(one.reason),
                )
                for one in found.documents
            ),
        )
        for found in result.trace.documents.values()
    )


def _useful(name: str) -> str:
    """Return a label of usefulness in words."""
    return USEFULNESS_SCALE.label(name).title if name in USEFULNESS_SCALE.names else ""


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(line for line in clean(text).split("\n") if line)


def _cited(
    made: _Made, support: Mapping[str, Verdict]
) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
    segments = {one.segment_id: one for one in made.result.evidence}
    return cite(
        made.report, segments, agreed(checked_support(made.report, made.result.trace), support)
    )


def _rival(ours: _Made, theirs: _Made) -> Rival:
    sentences, _ = _cited(theirs, {})
    return Rival(
        questions=theirs.questions,
        sentences=sentences,
        shared_questions=frozenset(theirs.questions).intersection(ours.questions),
        shared_segments=_citations(ours) & _citations(theirs),
    )


def _citations(made: _Made) -> frozenset[str]:
    return frozenset(one for sentence in made.report for one in sentence.citations)
