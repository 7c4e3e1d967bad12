"""Collection of the values that a run's page shows, and comparison with other runs.

The comparison has leaderboards, headroom, and the agreement of two sources of labels on the order
of runs.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from sidelight.evaluation.agreement.coefficients import kendall
from sidelight.evaluation.scoring.headroom import question_headroom, report_headroom
from sidelight.evaluation.scoring.score import score_questions, score_reports
from sidelight.formats.topics import topic_format
from sidelight.schemas.investigation.trace import Trace
from sidelight.schemas.investigation.usefulness import USEFULNESS_SCALE
from sidelight.schemas.topic import Article, ArticleQuestion, FacetedQuery, Narrative
from sidelight.text import budget_words, clean
from sidelight.view.digest.article import Told
from sidelight.view.digest.assemble import digest
from sidelight.view.marks import Marker
from sidelight.view.model import (
    Board,
    BoardRow,
    JudgePlot,
    Page,
    QuestionDocuments,
    Rival,
    ShownDocument,
    TopicPage,
)
from sidelight.view.report import ShownSupport, agreed, checked_support, cite, web_page
from sidelight.view.trail import follow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.scoring.table import ScoreTable
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.topic import Topic
    from sidelight.tracks import Track
    from sidelight.view.labels import Labels
    from sidelight.view.model import TopicMarks
    from sidelight.view.report import ShownSentence, Source, WebPage
    from sidelight.view.shown_run import Made, ShownRun


def questions_title(track: Track) -> str:
    """Return what the page calls the scores of questions."""
    return f"Questions ({track.question_list.title})"


def reports_title(track: Track) -> str:
    """Return what the page calls the scores of reports."""
    return f"Reports ({track.cited_text.title})"


def score_tables(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels
) -> dict[str, ScoreTable]:
    """Return the scores of all runs by task, without tasks that have no label."""
    tables = {}
    if labels.questions:
        tables[questions_title(track)] = score_questions(
            track, rubrics, labels.questions, labels.compound
        )
    if labels.answers:
        tables[reports_title(track)] = score_reports(track, rubrics, labels.answers)
    return tables


def leaderboards(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels, ours: frozenset[str]
) -> tuple[Board, ...]:
    """Return a board for each task of which several runs have labels.

    Args:
        track: Whose labels and number of questions count.
        rubrics: By topic id.
        labels: Their labels.
        ours: Tags of the run that the page is about.
    """
    boards = []
    for task, table in score_tables(track, rubrics, labels).items():
        if len(table.runs) > 1:
            headroom = (
                question_headroom(track, rubrics, labels.questions, labels.compound)
                if task == questions_title(track)
                else report_headroom(track, rubrics, labels.answers)
            )
            rows = (BoardRow(run.run_tag, run.row, run.run_tag in ours) for run in table.runs)
            boards.append(Board(task, tuple(rows), tuple(headroom)))
    return tuple(boards)


def compare_judges(
    track: Track, rubrics: Mapping[str, Rubric], sources: Sequence[Labels]
) -> tuple[JudgePlot, ...]:
    """Return how the first source of labels and each other one score the runs both speak of."""
    plots = []
    first, *others = ((source.name, score_tables(track, rubrics, source)) for source in sources)
    for name, tables in others:
        for task in first[1].keys() & tables.keys():
            here, there = _main_scores(first[1][task]), _main_scores(tables[task])
            points = {tag: (here[tag], there[tag]) for tag in sorted(here.keys() & there.keys())}
            if len(points) > 1:
                across, up = np.array(list(points.values())).T
                tau = kendall(across, up)
                plots.append(JudgePlot(task, first[0], name, points, tau))
    return tuple(sorted(plots, key=lambda plot: (plot.task, plot.second)))


def _main_scores(table: ScoreTable) -> dict[str, float]:
    return {run.run_tag: run.values[table.main.name] for run in table.runs}


def collect_page(
    run: ShownRun,
    rubrics: Mapping[str, Rubric],
    labels: Sequence[Labels],
    rivals: Sequence[ShownRun] = (),
) -> Page:
    """Return the page of a run.

    Args:
        run: The run.
        rubrics: By topic id; empty where none are at hand.
        labels: Sources of labels; the first marks the run, and is held against the others.
        rivals: Runs to show beside it.

    Raises:
        InputError: Labels and rubrics do not fit together.
    """
    marking = labels[0] if labels and rubrics else None
    marker = (
        Marker(run.track.scales, marking, run.question_tag, run.report_tag) if marking else None
    )
    tags = frozenset({run.question_tag, run.report_tag})
    names = _names([run, *rivals])
    topics = []
    for number, topic_id in enumerate(run.topics, start=1):
        made, rubric = run.make(topic_id), rubrics.get(topic_id)
        support = {
            sentence: ShownSupport(*verdict)
            for (run_tag, topic, sentence), verdict in (marking.support if marking else {}).items()
            if (run_tag, topic) == (run.report_tag, topic_id)
        }
        marks = marker.mark(rubric) if marker and rubric else None
        others = [
            (name, rival.make(topic_id))
            for name, rival in zip(names[1:], rivals, strict=True)
            if topic_id in rival.topics
        ]
        topics.append(_topic(number, topic_id, made, support, marks, others))
    return Page(
        run_id=names[0],
        noun=topic_format(run.track).noun,
        facts=dict(run.facts),
        topics=tuple(topics),
        failed=run.failed,
        labels=marking.name if marking else "",
        boards=leaderboards(run.track, rubrics, marking, tags) if marking else (),
        judges=compare_judges(run.track, rubrics, labels) if marking else (),
    )


def _names(runs: Sequence[ShownRun]) -> list[str]:
    """Return the displayed names of runs, with the path where several have one name."""
    often = Counter(run.name for run in runs)
    return [run.name if often[run.name] == 1 else f"{run.name} in {run.place}" for run in runs]


def _topic(
    number: int,
    topic_id: str,
    made: Made,
    support: Mapping[str, ShownSupport],
    marks: TopicMarks | None,
    rivals: Sequence[tuple[str, Made]],
) -> TopicPage:
    sentences, sources = _cited(made, support)
    told = (
        Told.of(made.topic, made.trace or Trace(), made.evidence)
        if isinstance(made.topic, Article)
        else None
    )
    page, paragraphs = _shown(made.topic, told)
    numbers = {source.segment_id: source.number for source in sources}
    return TopicPage(
        topic_id=topic_id,
        number=number,
        page=page,
        paragraphs=paragraphs,
        n_left_out=told.n_left_out if told else 0,
        questions=made.questions,
        sentences=sentences,
        sources=sources,
        digest=digest(made, told, sentences, sources),
        n_words=sum(budget_words(sentence.text) for sentence in made.report),
        fallbacks=made.fallbacks,
        searched=_searched(made) if made.ranks_documents else None,
        trail=follow(made.trace, numbers) if made.trace else None,
        marks=marks,
        rivals=tuple(_rival(name, made, theirs) for name, theirs in rivals),
    )


def _shown(topic: Topic, told: Told | None) -> tuple[WebPage, tuple[str, ...]]:
    """Return the displayed name of a topic, and its text where it has more than a name."""
    match topic:
        case Article():
            title = told.title if told else topic.title
            return web_page(topic.url, title), told.paragraphs if told else ()
        case ArticleQuestion():
            return web_page(topic.article.url, topic.question), _paragraphs(topic.article.body)
        case Narrative():
            title = f"Narrative {topic.topic_id}"
            return web_page("", title), (*_paragraphs(topic.narrative), *topic.sub_questions)
        case FacetedQuery():
            return web_page("", f"Query {topic.topic_id}"), (topic.query, *topic.facets)


def _searched(made: Made) -> tuple[QuestionDocuments, ...]:
    texts = {one.segment_id: one.text for one in made.evidence}
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
        for found in (made.trace.documents.values() if made.trace else ())
    )


def _useful(name: str) -> str:
    """Return a label of usefulness in words."""
    return USEFULNESS_SCALE.label(name).title if name in USEFULNESS_SCALE.names else ""


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(line for line in clean(text).split("\n") if line)


def _cited(
    made: Made, support: Mapping[str, ShownSupport]
) -> tuple[tuple[ShownSentence, ...], tuple[Source, ...]]:
    segments = {one.segment_id: one for one in made.evidence}
    checked = checked_support(made.report, made.trace) if made.trace else {}
    host = made.topic.host if isinstance(made.topic, Article) else ""
    return cite(made.report, segments, agreed(checked, support), host)


def _rival(name: str, ours: Made, theirs: Made) -> Rival:
    sentences, _ = _cited(theirs, {})
    return Rival(
        name=name,
        questions=theirs.questions,
        sentences=sentences,
        shared_questions=frozenset(theirs.questions).intersection(ours.questions),
        shared_segments=_citations(ours) & _citations(theirs),
    )


def _citations(made: Made) -> frozenset[str]:
    return frozenset(one for sentence in made.report for one in sentence.citations)
