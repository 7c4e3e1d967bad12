"""From a run directory to the values that its page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.config.load import load_settings
from sidelight.formats.runs.cited_text import read_report_run
from sidelight.formats.runs.question_list import read_question_run
from sidelight.text import budget_words, clean
from sidelight.tracks import load_track
from sidelight.view.marks import Marker
from sidelight.view.model import Page, Rival, TopicPage
from sidelight.view.report import cite, web_page
from sidelight.view.standing import compare_judges, leaderboards
from sidelight.view.trail import follow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.runs.directory import RunDirectory, TopicResult
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run_manifest import RunManifest
    from sidelight.view.labels import Labels
    from sidelight.view.model import Sentence, Source, TopicMarks


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
    question_run, report_run = read_question_run(run.task1), read_report_run(run.task2)
    tags = frozenset({question_run.run_tag, report_run.run_tag})
    marking = labels[0] if labels and rubrics else None
    marker = (
        Marker(track.scales, marking, question_run.run_tag, report_run.run_tag) if marking else None
    )
    rivals = set(rival.read_manifest().topics) if rival else set()
    topics = []
    for number, topic_id in enumerate(manifest.topics, start=1):
        result = run.result(topic_id)
        support = {
            sentence: verdict
            for (run_tag, topic, sentence), verdict in (marking.support if marking else {}).items()
            if (run_tag, topic) == (report_run.run_tag, topic_id)
        }
        rubric = rubrics.get(topic_id)
        topics.append(
            _topic(
                number,
                result,
                support,
                marker.mark(rubric) if marker and rubric else None,
                rival.result(topic_id) if rival and topic_id in rivals else None,
            )
        )
    return Page(
        run_id=_run_id(run),
        facts=_facts(manifest),
        topics=tuple(topics),
        failed=tuple(manifest.failed_topics),
        labels=marking.name if marking else "",
        boards=leaderboards(track, rubrics, marking, tags) if marking else (),
        judges=compare_judges(track, rubrics, labels) if marking else (),
        rival=_run_id(rival) if rival else "",
    )


def _run_id(run: RunDirectory) -> str:
    return load_settings(run.config).submission.run_id


def _facts(manifest: RunManifest) -> dict[str, str]:
    return {
        "Track": manifest.track,
        "Articles": str(len(manifest.topics)),
        "Made with": f"sidelight {manifest.sidelight}",
        "Settings": manifest.settings[:12],
        "Index": manifest.index[:12],
    }


def _topic(
    number: int,
    result: TopicResult,
    support: Mapping[str, tuple[str, str]],
    marks: TopicMarks | None,
    rival: TopicResult | None,
) -> TopicPage:
    sentences, sources = _cited(result, support)
    article, profile = result.article, result.trace.profile
    title = (profile and profile.title) or article.title or result.topic_id
    return TopicPage(
        topic_id=result.topic_id,
        number=number,
        page=web_page(article.url, title),
        paragraphs=tuple(line for line in clean(article.body).split("\n") if line),
        questions=tuple(map(clean, result.questions)),
        sentences=sentences,
        sources=sources,
        n_words=sum(budget_words(sentence.text) for sentence in result.report),
        fallbacks=tuple(fallback.step for fallback in result.fallbacks),
        trail=follow(result.trace, {source.segment_id: source.number for source in sources}),
        marks=marks,
        rival=_rival(result, rival) if rival else None,
    )


def _cited(
    result: TopicResult, support: Mapping[str, tuple[str, str]]
) -> tuple[tuple[Sentence, ...], tuple[Source, ...]]:
    return cite(result.report, {one.segment_id: one for one in result.evidence}, support)


def _rival(ours: TopicResult, theirs: TopicResult) -> Rival:
    sentences, _ = _cited(theirs, {})
    questions = tuple(map(clean, theirs.questions))
    return Rival(
        questions=questions,
        sentences=sentences,
        shared_questions=frozenset(questions).intersection(map(clean, ours.questions)),
        shared_segments=_citations(ours) & _citations(theirs),
    )


def _citations(result: TopicResult) -> frozenset[str]:
    return frozenset(one for sentence in result.report for one in sentence.citations)
