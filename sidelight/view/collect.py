"""Collection of the values that the pages of runs show, from runs, traces, rubrics and labels.

These are a topic's digest, report and search trail, marks by rubrics, and other runs beside it:
side by side, in leaderboards, and by two sources of labels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from math import fsum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from sidelight.config.settings import SubmissionSettings
from sidelight.evaluation.agreement.coefficients import kendall
from sidelight.evaluation.agreement.ranks import MIN_RUNS
from sidelight.evaluation.metrics.rubric import (
    question_coverage,
    report_contradiction,
    report_support,
)
from sidelight.evaluation.scoring import DEFAULT_SAMPLES, score
from sidelight.evaluation.scoring.table import ScoreTable, mean_scores, run_intervals
from sidelight.formats.topics import topic_format
from sidelight.generation.pages import is_before
from sidelight.schemas.grading.judgment import USEFULNESS_SCALE, AnswerAssessment, Unjudged
from sidelight.schemas.grading.rubric import Rubric, RubricAnswer, RubricQuestion
from sidelight.schemas.investigation.angle import PlannedQuery
from sidelight.schemas.investigation.evidence import Hit
from sidelight.schemas.investigation.trace import Round, Trace
from sidelight.schemas.segment import document_id_of
from sidelight.schemas.topic import Article, ArticleQuestion, FacetedQuery, Narrative, Topic
from sidelight.text import budget_words, clean
from sidelight.tracks import Track
from sidelight.view import model, report
from sidelight.view.digest import digest, ties_told
from sidelight.view.shown_run import STEPS, Labels, Made, ShownRun

_NO_MODEL, _UNNAMED = "extractive", "What others say"
_CAUTION = (
    "Made without a language model. Language models that were told to be strict readers found "
    "six in ten of such sentences useful. Check those that matter to you in the pages that they "
    "cite."
)
# How the embedded judges begin.
_CHANCE = re.compile(r"^as likely as \d(?:\.\d+)?:(?: |$)")
_MEASUREMENTS = re.compile(r"^[a-z ]{1,60} -?\d+\.\d+(?:,|$)")

# Labels by the ranks of a rubric question and a submitted one.
_Pairs: TypeAlias = dict[tuple[int, int], "str | Unjudged"]


class Marker:
    """Marks the topics of one run, by labels of it and perhaps of other runs.

    Raises:
        InputError: A labelled question lacks a verdict whether it is compound.
    """

    def __init__(self, run: ShownRun, labels: Labels) -> None:
        scales, question_tag = run.track.scales, run.question_tag
        self._similarity, self._answer = scales["similarity"], scales["answers"]
        flagged = score.compound_questions(labels.questions, labels.compound, scales)
        self._pairs: dict[str, _Pairs] = {}
        self._compound: dict[str, _Pairs] = {}
        for item in labels.questions:
            compound = (item.run_tag, item.topic_id, item.run_question_rank) in flagged
            of_topic = (self._compound if compound else self._pairs).setdefault(item.topic_id, {})
            if item.run_tag == question_tag:
                of_topic[item.rubric_question_rank, item.run_question_rank] = item.label
        self._answers: dict[str, dict[str, AnswerAssessment]] = {}
        for answer in labels.answers:
            if answer.run_tag == run.report_tag:
                self._answers.setdefault(answer.topic_id, {})[answer.answer_id] = answer
        self._lost_at = labels.lost_at
        self._asked = any(item.run_tag == question_tag for item in labels.questions)

    def mark(self, rubric: Rubric) -> model.TopicMarks:
        """Return the marks of a topic."""
        pairs = self._pairs.get(rubric.topic_id, {})
        answers = self._answers.get(rubric.topic_id, {})
        labels = {answer_id: answer.label for answer_id, answer in answers.items()}
        questions = tuple(self._mark(rubric, question, answers) for question in rubric.questions)
        lost_at = dict.fromkeys(self._lost_at.values(), 0.0)
        for mark in (mark for question in questions for mark in question.answers):
            if mark.lost_at:
                lost_at[mark.lost_at] += mark.lost
        return model.TopicMarks(
            questions=questions,
            lost_at=lost_at,
            question_score=question_coverage(rubric, pairs, self._similarity)
            if self._asked
            else None,
            support_score=report_support(rubric, labels, self._answer) if self._answers else None,
            contradiction_score=report_contradiction(rubric, labels, self._answer)
            if self._answers
            else None,
        )

    def _mark(
        self,
        rubric: Rubric,
        question: RubricQuestion,
        answers: Mapping[str, AnswerAssessment],
    ) -> model.QuestionMark:
        share = question.weight / rubric.total_weight
        marks = tuple(
            self._mark_answer(
                answer,
                answers.get(answer.answer_id),
                share / len(question.answers),
                self._lost_at.get((rubric.topic_id, answer.answer_id), ""),
            )
            for answer in question.answers
        )
        lost = fsum(mark.lost for mark in marks)
        return model.QuestionMark(
            text=question.text,
            importance=question.importance.title or question.importance.name,
            answers=marks,
            earned=share - lost,
            lost=lost,
            matches=tuple(self._matches(rubric.topic_id, question)),
        )

    def _matches(self, topic_id: str, question: RubricQuestion) -> Iterator[model.QuestionMatch]:
        """Yield the best pair of a rubric question, and a compound one that would earn more."""
        most = 0.0
        for kind in (self._pairs, self._compound):
            near = [
                (-self._similarity.credit(label), rank, label)
                for (rubric_rank, rank), label in kind.get(topic_id, {}).items()
                if rubric_rank == question.rank and not isinstance(label, Unjudged)
            ]
            loss, rank, label = min(near, default=(0.0, 0, ""))
            if -loss > most:
                most = -loss
                yield model.QuestionMatch(rank, label, kind is self._compound)

    def _mark_answer(
        self, answer: RubricAnswer, given: AnswerAssessment | None, share: float, lost_at: str
    ) -> model.AnswerMark:
        label: str | None = None
        if given is None:
            reason = "not judged"
        elif isinstance(given.label, Unjudged):
            reason = given.label.reason
        else:
            label, reason = given.label, _in_words(given.rationale)
        credit = self._answer.credit(label) if label else 0.0
        return model.AnswerMark(
            text=answer.text,
            references=tuple(report.web_page(url, "") for url in answer.references),
            label=label,
            credit=credit,
            title=self._answer.label(label).title if label else "Not judged",
            reason=reason,
            lost=share * (1 - credit),
            lost_at=lost_at,
        )


def _in_words(rationale: str) -> str:
    """Return what a rationale says to people: no chances, and no list of measurements."""
    if _MEASUREMENTS.match(rationale) or _CHANCE.fullmatch(rationale):
        return ""
    said = _CHANCE.sub("The nearest sentence of the report: ", rationale)
    return said if said == rationale or said.endswith((".", "!", "?", "”", '"')) else f"{said} …"


_LABELS = {"none": "not supported", "partial": "supported in part", "unfit": "unfit for a report"}
# Reasons why a page is not cited, from the one that comes nearest to use. What else a step says of
# a passage stands where the empty text is.
_NEAREST = (
    *("removed", "outdone", "little", "no statement", "unread", "forum", "elsewhere", "retold"),
    *("uncited", "", "others say more", "too far", "copy-of-article", "own-article", "not read"),
    "overlaps-better-hit",
)
_RETOLD_BY_IT = "retold by it"  # what came before the article cannot retell it


def follow(
    trace: Trace,
    sources: Sequence[report.Source],
    known: Mapping[str, report.WebPage] | None,
    earlier: Container[str],
    ties: Mapping[str, int],
) -> model.Trail:
    """Return the trail of a topic, whose report cites `sources`.

    `known` are all pages of the index, by document id; None if it has too many to be counted.
    `earlier` are pages that are dated before the article; for `ties` see `model.FoundPage`.
    """
    pages = _found_pages(trace, sources, known or {}, earlier, ties)
    angles = trace.angles()
    searches: dict[str, list[model.Search]] = {}
    for round_, query in _queries(trace):
        searches.setdefault(query.angle_id, []).append(_search(round_, query, pages))
    coverages = [one.coverage for one in trace.rounds.values() if one.coverage is not None]
    chances = dict(coverages[-1].by_angle) if coverages else {}
    for sentence in (one for draft in trace.drafts()[-1:] for one in draft.sentences):
        for angle_id, chance in sentence.covers.items():
            if angle_id in chances:  # what the report answers was answered by a page
                chances[angle_id] = max(chances[angle_id], chance)
    return model.Trail(
        rounds=tuple(
            one.coverage.score for one in trace.rounds.values() if one.searched and one.coverage
        ),
        n_searches=sum(
            len(one.hits) for round_ in trace.rounds.values() for one in round_.searched.values()
        ),
        pages=tuple(pages.values()),
        missed=None
        if known is None
        else tuple(page for one, page in known.items() if one not in pages),
        angles=tuple(
            model.AngleTrail(
                question=angle.question,
                aspect=angle.aspect,
                weight=angle.weight,
                chance=chances.get(angle.angle_id),
                searches=tuple(searches.get(angle.angle_id, ())),
            )
            for angle in sorted(angles.values(), key=lambda angle: -angle.weight)
        ),
        removed=tuple(
            model.Removed(
                removal.sentence.text,
                f"{_LABELS.get(removal.label, removal.label)}: {removal.reason}",
            )
            for removed in trace.checks.values()
            for removal in removed
        ),
    )


def _found_pages(
    trace: Trace,
    sources: Sequence[report.Source],
    known: Mapping[str, report.WebPage],
    earlier: Container[str],
    ties: Mapping[str, int],
) -> dict[str, model.FoundPage]:
    """Return what became of each page that was found, in the order of `Trail.pages`."""
    pages = {**known, **{document_id_of(one.segment_id): one.page for one in sources}}
    said = [(one, "not read") for one in trace.found()]
    for round_ in trace.rounds.values():
        for searched in round_.searched.values():
            said += [(one.segment_id, one.reason) for one in searched.dropped]
    for selected in trace.selections():
        said += selected.dropped.items()
        said += [(one, "uncited") for one in selected.taken]
        pages |= {
            one: report.web_page(page.url, page.title) for one, page in selected.pages.items()
        }
    said += trace.unused().items()
    reasons: dict[str, set[str]] = {}
    for segment_id, reason in said:
        reasons.setdefault(document_id_of(segment_id), set()).add(reason)
    for selected in trace.selections():
        reasons |= {one: {reason} for one, reason in selected.refused.items()}

    def far(reason: str) -> tuple[int, str]:
        return _NEAREST.index(reason if reason in _NEAREST else ""), reason

    cited: dict[str, list[int]] = {}
    for source in sources:
        cited.setdefault(document_id_of(source.segment_id), []).append(source.number)
    verdicts = {one: min(reasons[one], key=far) for one in reasons.keys() - cited.keys()}
    angles = trace.angles()
    places: dict[str, list[tuple[int, str]]] = {}
    for round_, query in _queries(trace):
        asked = angles[query.angle_id].question if query.angle_id in angles else query.text
        for one, rank in _ranks(round_, query).items():
            places.setdefault(one, []).append((rank, asked))
    ordered = [*cited, *sorted(verdicts, key=lambda one: (far(verdicts[one]), one))]
    return {
        one: model.FoundPage(
            pages.get(one, report.WebPage(one, "", "")),
            tuple(cited.get(one, ())),
            _RETOLD_BY_IT if (why := verdicts.get(one, "")) == "retold" and one in earlier else why,
            min(places.get(one, ()), default=None),
            ties.get(one, 0),
        )
        for one in ordered
    }


def _queries(trace: Trace) -> Iterator[tuple[Round, PlannedQuery]]:
    return ((one, query) for one in trace.rounds.values() if one.plan for query in one.plan.queries)


def _hits(round_: Round, query: PlannedQuery) -> Sequence[Hit]:
    found = (one.hits.get(query.query_id) for one in round_.searched.values())
    return next(filter(None, found), ())


def _ranks(round_: Round, query: PlannedQuery) -> dict[str, int]:
    """Return by document id the 1-based place of its first hit, the best first."""
    ranks: dict[str, int] = {}
    for rank, hit in enumerate(_hits(round_, query), start=1):
        ranks.setdefault(document_id_of(hit.segment_id), rank)
    return ranks


def _search(
    round_: Round, query: PlannedQuery, pages: Mapping[str, model.FoundPage]
) -> model.Search:
    taken: dict[str, model.Taken] = {}
    evidence = round_.selected.taken if round_.selected else {}
    for rank, hit in enumerate(_hits(round_, query), start=1):
        if relevance := evidence.get(hit.segment_id, {}).get(query.angle_id):
            one = document_id_of(hit.segment_id)
            before = taken.get(one, model.Taken(rank, pages[one], 0.0))
            taken[one] = before._replace(relevance=max(relevance, before.relevance))
    return model.Search(
        round_number=query.round_number,
        query=query.text,
        taken=tuple(taken.values()),
        left=tuple(
            (rank, pages[one].page)
            for one, rank in _ranks(round_, query).items()
            if one not in taken
        ),
    )


def _scored(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels
) -> Iterator[tuple[str, str, ScoreTable, Callable[[], list[score.TopicHeadroom]]]]:
    """Yield each task with labels, who gave them, all runs' scores, and what finds headroom."""
    if labels.questions:
        asked = track, rubrics, labels.questions, labels.compound
        title = f"Questions ({track.question_list.title})"
        headroom = partial(score.question_headroom, *asked)
        yield title, labels.title, score.score_questions(*asked), headroom
    if labels.answers:
        told = track, rubrics, labels.answers
        title = f"Reports ({track.cited_text.title})"
        yield title, labels.name, score.score_reports(*told), partial(score.report_headroom, *told)


def leaderboards(
    track: Track, rubrics: Mapping[str, Rubric], labels: Labels, ours: frozenset[str]
) -> tuple[model.Board, ...]:
    """Return a board for each task with labels of several runs; `ours` are the page's run tags."""
    return tuple(
        model.Board(
            task,
            by,
            table.runs,
            ours,
            tuple(headroom()),
            run_intervals(table, samples=DEFAULT_SAMPLES, seed=0),
        )
        for task, by, table, headroom in _scored(track, rubrics, labels)
        if len(table.runs) > 1
    )


def compare_judges(
    track: Track, rubrics: Mapping[str, Rubric], sources: Sequence[Labels]
) -> tuple[model.JudgePlot, ...]:
    """Return how the first source of labels and each other one score the runs both speak of."""
    plots = []
    first, *others = (
        {task: (by, table) for task, by, table, _ in _scored(track, rubrics, one)}
        for one in sources
    )
    for tables in others:
        for task in first.keys() & tables.keys():
            (by, ours), (other, theirs) = first[task], tables[task]
            sides = ours, theirs
            scored = (
                {one.topic_id for one in side.topics if side.main.name not in one.undefined}
                for side in sides
            )
            both = set.intersection(*scored)
            here, there = (_main_scores(side, both) for side in sides)
            points = {tag: (here[tag], there[tag]) for tag in sorted(here.keys() & there.keys())}
            if len(points) > 1:
                across, up = np.array(list(points.values())).T
                tau = kendall(across, up) if len(points) >= MIN_RUNS else None
                plots.append(model.JudgePlot(task, by, other, points, tau))
    return tuple(sorted(plots, key=lambda plot: (plot.task, plot.second)))


def _main_scores(table: ScoreTable, topic_ids: Container[str]) -> dict[str, float]:
    """Return the mean of each run over some topics."""
    kept = [one for one in table.topics if one.topic_id in topic_ids]
    runs = ([one for one in kept if one.run_tag == run.run_tag] for run in table.runs)
    return {one[0].run_tag: mean_scores(one).values[table.main.name] for one in runs if one}


class MarkedRun(NamedTuple):
    """A run to show beside another one: rubrics by topic id, and sources of labels."""

    run: ShownRun
    rubrics: Mapping[str, Rubric] = MappingProxyType({})
    labels: Sequence[Labels] = ()


def collect_page(
    run: ShownRun,
    rubrics: Mapping[str, Rubric],
    labels: Sequence[Labels],
    rivals: Sequence[MarkedRun] = (),
) -> model.Page:
    """Return the page of a run.

    The first of `labels` that has any of the run marks it, and is compared with the others;
    `rivals` are shown beside the run.

    Raises:
        InputError: Labels and rubrics do not fit together.
    """
    marking = (_source_of(run, labels) or labels[0]) if labels and rubrics else None
    marker = Marker(run, marking) if marking else None
    tags = frozenset({run.question_tag, run.report_tag})
    names, noun = _names([run, *(one.run for one in rivals)]), topic_format(run.track).noun
    marked = [(one, *_labels_of(one.run, one.labels)) for one in rivals]
    topics: list[model.TopicPage] = []
    facts = dict(run.facts)
    without_model = run.facts.get(STEPS) == _NO_MODEL
    is_shown_alone = without_model and not marker and not marked
    for number, topic_id in enumerate(run.topics, start=1):
        made, rubric = run.make(topic_id), rubrics.get(topic_id)
        without_model |= "write_report" in made.fallbacks
        support = marking.support_of(run, topic_id) if marking else {}
        marks = marker.mark(rubric) if marker and rubric else None
        others = (
            _rival(topic_id, made, run.settings, name, *one)
            for name, one in zip(names[1:], marked, strict=True)
            if topic_id in one[0].run.topics
        )
        told = (
            report.Told.of(made.topic, made.trace or Trace(), made.evidence)
            if isinstance(made.topic, Article)
            else None
        )
        if is_shown_alone and told and told.notice:
            # The files keep what the track asks for; a reader is told why there is nothing here.
            made = made._replace(questions=(), report=(), trace=None)
        shown = number, topic_id, made, told, run.pages, support, marks, tuple(others)
        with _noted(f"Topic {topic_id}. The files of the run {run.place} are not affected."):
            topics.append(_topic(*shown))
    cites = any(one.citations for topic in topics for one in topic.sentences)
    if marker:
        facts["Scored"] = f"{sum(one.marks is not None for one in topics)} of {len(topics)}"
    return model.Page(
        run_id=_UNNAMED if names == [SubmissionSettings().run_id] else names[0],
        noun=noun,
        facts=facts,
        topics=tuple(topics),
        failed=run.failed,
        labels=marking.name if marking else "",
        boards=leaderboards(run.track, rubrics, marking, tags) if marking else (),
        judges=compare_judges(run.track, rubrics, labels) if marking else (),
        caution=_CAUTION if noun == "article" and without_model and cites else "",
    )


def _noted(note: str) -> ExitStack:
    """Return a context that adds a note to what is raised in it."""
    context = ExitStack()
    context.push(lambda _kind, error, _trace: error.add_note(note) if error else None)
    return context


def _source_of(run: ShownRun, sources: Sequence[Labels]) -> Labels | None:
    """Return the first source of labels that has any of a run."""
    theirs = ((one, one.of(run.question_tag, run.report_tag)) for one in sources)
    return next((one for one, found in theirs if found.questions or found.answers), None)


def _labels_of(run: ShownRun, sources: Sequence[Labels]) -> tuple[Labels | None, Marker | None]:
    """Return the labels of a run of the first source that has any, and what marks it by them."""
    source = _source_of(run, sources)
    labels = source.of(run.question_tag, run.report_tag) if source else None
    return labels, Marker(run, labels) if labels else None


def list_run(
    run: ShownRun, link: str, rubrics: Mapping[str, Rubric], sources: Sequence[Labels]
) -> model.ListedRun:
    """Return a run to be listed and compared with others.

    `link` is its own page, relative to that of the list; empty where there is none. The first of
    `sources` that has labels of the run marks it.

    Raises:
        InputError: Labels and rubrics do not fit together.
    """
    labels, marker = _labels_of(run, sources)
    if labels and labels.is_own:  # As `evaluate` scores it; others count as `score` does.
        labelled = {one.topic_id for one in labels.questions}
        on = labelled.union(run.topics, run.failed, (one.topic_id for one in labels.answers))
        rubrics = {topic_id: rubric for topic_id, rubric in rubrics.items() if topic_id in on}
    tables = _scored(run.track, rubrics, labels) if labels else ()
    topics: dict[str, model.MadeTopic] = {}
    results: dict[str, object] = {}
    for topic_id in run.topics:
        made, rubric = run.make(topic_id), rubrics.get(topic_id)
        results[topic_id] = made.questions, made.report, made.trace and made.trace.documents
        sentences, _ = _cited(made, labels.support_of(run, topic_id) if labels else {})
        topics[topic_id] = model.MadeTopic(
            page=_shown(made.topic, None)[0],
            questions=made.questions,
            sentences=sentences,
            fallbacks=made.fallbacks,
            marks=marker.mark(rubric) if marker and rubric else None,
        )
    return model.ListedRun(
        link=link,
        run=run,
        judge=labels.title if labels else "",
        scores={
            f"{task}: {measure.name}": scored.row[measure.name]
            for task, _, table, _ in tables
            for measure in (table.main, table.computed_by("report_contradiction"))
            if measure
            for scored in table.runs
        },
        topics=topics,
        results=results,
    )


def _names(runs: Sequence[ShownRun]) -> list[str]:
    """Return the displayed names of runs, with the path where several have one name."""
    often = Counter(run.name for run in runs)
    return [run.name if often[run.name] == 1 else f"{run.name} in {run.place}" for run in runs]


def _topic(
    number: int,
    topic_id: str,
    made: Made,
    told: report.Told | None,
    pages: Mapping[str, report.WebPage] | None,
    support: report.Verdicts,
    marks: model.TopicMarks | None,
    rivals: tuple[model.Rival, ...],
) -> model.TopicPage:
    sentences, sources = _cited(made, support)
    page, paragraphs = _shown(made.topic, told)
    origins = made.origins()
    earlier = {
        document_id_of(one.segment_id)
        for one in made.evidence
        if told and is_before(origins.of(one).date, told.date)
    }
    ties = ties_told(told, made.evidence) if told else {}
    return model.TopicPage(
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
        trail=follow(made.trace, sources, pages, earlier, ties) if made.trace else None,
        marks=marks,
        rivals=rivals,
    )


def _shown(topic: Topic, told: report.Told | None) -> tuple[report.WebPage, tuple[str, ...]]:
    """Return the displayed name of a topic, and its text where it has more than a name."""
    match topic:
        case Article():
            title = told.title if told else topic.title
            return report.web_page(topic.url, title), told.paragraphs if told else ()
        case ArticleQuestion():
            return report.web_page(topic.article.url, topic.question), _paragraphs(
                topic.article.body
            )
        case Narrative():
            title = f"Narrative {topic.topic_id}"
            return report.web_page("", title), (*_paragraphs(topic.narrative), *topic.sub_questions)
        case FacetedQuery():
            return report.web_page("", f"Query {topic.topic_id}"), (topic.query, *topic.facets)


def _searched(made: Made) -> tuple[model.QuestionDocuments, ...]:
    texts = {one.segment_id: one.text for one in made.evidence}
    return tuple(
        model.QuestionDocuments(
            question=clean(found.question),
            queries=tuple(map(clean, found.queries)),
            pooled=found.pooled,
            documents=tuple(
                model.ShownDocument(
                    document_id=one.document_id,
                    page=report.web_page(one.url, one.title or one.document_id),
                    text=clean(texts.get(one.segment_id, "")),
                    label=USEFULNESS_SCALE.label(one.label).title
                    if one.label in USEFULNESS_SCALE.names
                    else "",
                    reason=clean(one.reason),
                )
                for one in found.documents
            ),
        )
        for found in (made.trace.documents.values() if made.trace else ())
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(line for line in clean(text).split("\n") if line)


def _cited(
    made: Made, support: report.Verdicts
) -> tuple[tuple[report.ShownSentence, ...], tuple[report.Source, ...]]:
    segments = {one.segment_id: one for one in made.evidence}
    checked = report.checked_support(made.report, made.trace) if made.trace else {}
    return report.cite(made.report, segments, report.agreed(checked, support), made.origins())


def _rival(
    topic_id: str,
    ours: Made,
    settings: Mapping[str, str],
    name: str,
    rival: MarkedRun,
    labels: Labels | None,
    by: Marker | None,
) -> model.Rival:
    theirs, rubric = rival.run.make(topic_id), rival.rubrics.get(topic_id)
    set_here = settings if rival.run.settings else {}  # files of a run say nothing of settings
    differing = (
        (one, str(value), rival.run.settings.get(one, ""))
        for one, value in set_here.items()
        if one != "submission.run_id"
    )
    sentences, _ = _cited(theirs, {})
    return model.Rival(
        name=name,
        questions=theirs.questions,
        sentences=sentences,
        shared_questions=frozenset(theirs.questions).intersection(ours.questions),
        shared_sentences=frozenset(one.text for one in sentences).intersection(
            one.text for one in _cited(ours, {})[0]
        ),
        shared_segments=_citations(ours) & _citations(theirs),
        is_same=(theirs.questions, theirs.report) == (ours.questions, ours.report),
        differing=tuple(one for one in differing if one[1] != one[2]),
        judge=labels.title if labels else "",
        marks=by.mark(rubric) if by and rubric else None,
    )


def _citations(made: Made) -> frozenset[str]:
    return frozenset(one for sentence in made.report for one in sentence.citations)
