"""Page values: everything that a page shows; nothing here reads a file or knows of HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sidelight.schemas.segment import document_id_of
from sidelight.view.digest import Digest
from sidelight.view.report import ShownSentence, Source, WebPage

if TYPE_CHECKING:
    from sidelight.evaluation.scoring.score import TopicHeadroom
    from sidelight.evaluation.scoring.table import Interval, RunScore
    from sidelight.view.shown_run import ShownRun


class FoundPage(NamedTuple):
    """A page that searches found, and what became of it.

    `sources` are the numbers of its passages that the report cites. `unused` says why there are
    none: of the reasons against its passages, that which came nearest to use. `place` is its best
    1-based place in the results of a search, with the question of it; None where no search for a
    question found it. `ties` says how plainly it tells of owners, money and posts of publisher or
    author; see `digest.ties_told`.
    """

    page: WebPage
    sources: tuple[int, ...]
    unused: str
    place: tuple[int, str] | None
    ties: int


class Taken(NamedTuple):
    """A page of which a search brought evidence for its angle.

    `rank` is the 1-based place of its first such hit, and `relevance` how well the best one speaks
    to the angle, in (0, 1].
    """

    rank: int
    found: FoundPage
    relevance: float


class Search(NamedTuple):
    """One search, the pages that it brought evidence from, and the others that it found.

    `left` has each other page with the 1-based place of its first hit.
    """

    round_number: int
    query: str
    taken: tuple[Taken, ...]
    left: tuple[tuple[int, WebPage], ...]


class AngleTrail(NamedTuple):
    """Searches and hits of one angle, in the order of rounds.

    `weight` is its expected importance, 1 to 4; `chance` is how likely the evidence speaks to it,
    None where no round assessed it.
    """

    question: str
    aspect: str
    weight: float
    chance: float | None
    searches: tuple[Search, ...]


class Removed(NamedTuple):
    """A sentence that did not stand the run's own check."""

    text: str
    reason: str


class Trail(NamedTuple):
    """Steps of a topic's investigation.

    Attributes:
        rounds: By round that searched, the share of what matters that evidence speaks to.
        pages: Those that the searches found: cited ones first, then by how near they came to it.
        missed: Pages of the index that no search found; None if it has too many to count them.
        angles: The weightiest first.
        removed: Sentences that a check took out.
    """

    rounds: tuple[float, ...]
    n_searches: int
    pages: tuple[FoundPage, ...]
    missed: tuple[WebPage, ...] | None
    angles: tuple[AngleTrail, ...]
    removed: tuple[Removed, ...]


class AnswerMark(NamedTuple):
    """A rubric answer and what the report says about it.

    Attributes:
        references: Pages that support it, by the rubric.
        label: What the report says; None if nobody could tell.
        credit: Of the label; 0 if nobody could tell.
        title: The label as a heading.
        lost: Share of the topic's report score that the report missed here.
        lost_at: The stage of the run at which most of it was lost; empty where that is not known.
    """

    text: str
    references: tuple[WebPage, ...]
    label: str | None
    credit: float
    title: str
    reason: str
    lost: float
    lost_at: str


class QuestionMatch(NamedTuple):
    """A submitted question, how near it comes to one of a rubric, and whether it is compound."""

    rank: int
    label: str
    is_compound: bool


class QuestionMark(NamedTuple):
    """A rubric question, what the report earned on it, and the submitted questions nearest to it.

    Attributes:
        importance: As assessors call it.
        answers: Those that assessors expect.
        earned: Share of the topic's report score that the report earned here; `lost` is the rest.
        matches: The submitted question that earns most, if any does, and then a compound one that
            comes nearer, if any does, which earns nothing.
    """

    text: str
    importance: str
    answers: tuple[AnswerMark, ...]
    earned: float
    lost: float
    matches: tuple[QuestionMatch, ...]


class TopicMarks(NamedTuple):
    """A topic as assessors see it; a score is None where its task was not judged.

    `lost_at` has the share of the report score that was lost at each stage of the run; empty where
    that is not known. A lower contradiction score is better.
    """

    questions: tuple[QuestionMark, ...]
    lost_at: dict[str, float]
    question_score: float | None
    support_score: float | None
    contradiction_score: float | None


class MarkedQuestion(NamedTuple):
    """A rubric question as several runs met it, by the place of a run among them, from 0.

    Attributes:
        asked: Of the runs of which questions were judged.
        answers: By the text of an answer, of the runs of which reports were judged.
    """

    asked: dict[int, QuestionMark]
    answers: dict[str, dict[int, AnswerMark]]

    @property
    def is_unasked(self) -> bool:
        """Whether runs were judged, and none of them asks it."""
        return bool(self.asked) and not any(one.matches for one in self.asked.values())

    @property
    def untold(self) -> list[str]:
        """The answers that no judged report gives."""
        return [
            text
            for text, marks in self.answers.items()
            if marks and not any(one.credit for one in marks.values())
        ]


Marked: TypeAlias = dict[str, MarkedQuestion]
"""Rubric questions of a topic by their texts."""


def marked_by(marks_of_runs: Iterable[TopicMarks | None]) -> Marked:
    """Return the marks of several runs on a topic."""
    found: Marked = {}
    for place, marks in enumerate(marks_of_runs):
        for question in marks.questions if marks else ():
            asked, answers = found.setdefault(question.text, MarkedQuestion({}, {}))
            if marks and marks.question_score is not None:
                asked[place] = question
            for mark in question.answers:
                by_run = answers.setdefault(mark.text, {})
                if marks and marks.support_score is not None:
                    by_run[place] = mark
    return found


class Rival(NamedTuple):
    """Result of another run on the same topic.

    Attributes:
        shared_questions: Questions that both runs ask, word for word.
        shared_sentences: Sentences that both reports have, word for word.
        shared_segments: Ids of the segments that both runs cite.
        is_same: Whether questions and report are those of the other run.
        differing: Settings in which the runs differ: name, value here, value there.
        judge: Who labelled it; empty for nobody.
        marks: None where no rubric or label is known.
    """

    name: str
    questions: tuple[str, ...]
    sentences: tuple[ShownSentence, ...]
    shared_questions: frozenset[str]
    shared_sentences: frozenset[str]
    shared_segments: frozenset[str]
    is_same: bool
    differing: tuple[tuple[str, str, str], ...]
    judge: str
    marks: TopicMarks | None


class ShownDocument(NamedTuple):
    """A document that was ranked for a question.

    `text` is its best segment; empty where that was not kept. `label` says how useful it was found;
    empty where nobody said.
    """

    document_id: str
    page: WebPage
    text: str
    label: str
    reason: str


class QuestionDocuments(NamedTuple):
    """Documents kept for a question, in order; `pooled` is how many its queries brought."""

    question: str
    queries: tuple[str, ...]
    pooled: int
    documents: tuple[ShownDocument, ...]


class TopicPage(NamedTuple):
    """One topic and all that was made of it.

    Attributes:
        number: 1-based place in the run.
        page: Where an article stands; of another topic, its name.
        paragraphs: The text of an article; of another topic, what it says.
        n_left_out: Words of an article's page that are no part of its text.
        questions: Rank 1 first; none where no task asks for them.
        sentences: The report; none where no task asks for one.
        sources: What the report cites, by number.
        n_words: Of the report.
        fallbacks: Steps done without a model whose replies were no use.
        trail: None where the run kept no record.
        searched: Documents for questions; None where no task asks for them.
        marks: None where no rubric or label is known.
        rivals: What other runs made of it.
    """

    topic_id: str
    number: int
    page: WebPage
    paragraphs: tuple[str, ...]
    n_left_out: int
    questions: tuple[str, ...]
    sentences: tuple[ShownSentence, ...]
    sources: tuple[Source, ...]
    digest: Digest
    n_words: int
    fallbacks: tuple[str, ...]
    trail: Trail | None
    searched: tuple[QuestionDocuments, ...] | None = None
    marks: TopicMarks | None = None
    rivals: tuple[Rival, ...] = ()

    @property
    def n_pages(self) -> int:
        """How many pages the report cites; a page may be several sources."""
        return len({document_id_of(source.segment_id) for source in self.sources})

    def marked(self) -> Marked:
        """Return the marks of this run and of the others."""
        return marked_by([self.marks, *(one.marks for one in self.rivals)])


class Board(NamedTuple):
    """Runs on one task, the best first, tags of the run of the page, and each topic's headroom.

    `by` is who labelled them; `intervals` are of the first measure, by run tag.
    """

    task: str
    by: str
    runs: tuple[RunScore, ...]
    ours: frozenset[str]
    headroom: tuple[TopicHeadroom, ...]
    intervals: dict[str, Interval | None]


class JudgePlot(NamedTuple):
    """Scores of the same runs by two sources of labels; `first` is on the horizontal axis.

    `points` has both scores by run tag; `tau` is Kendall's tau-b, None of fewer than 3
    runs, or when a side is constant.
    """

    task: str
    first: str
    second: str
    points: dict[str, tuple[float, float]]
    tau: float | None


class Page(NamedTuple):
    """A run.

    Attributes:
        run_id: Its name; what the page is about where nobody named it.
        noun: What a topic is called, such as `article`.
        facts: What made it: name -> value, in the order shown.
        topics: In the order of the run.
        failed: Topics that could not be finished.
        labels: Who labelled; empty where nobody did.
        boards: Leaderboards, where labels speak of several runs.
        judges: Where two sources of labels speak of the same runs.
        caution: What a reader must know of its reports; empty where nothing was measured.
    """

    run_id: str
    noun: str
    facts: dict[str, str]
    topics: tuple[TopicPage, ...]
    failed: tuple[str, ...]
    labels: str
    boards: tuple[Board, ...]
    judges: tuple[JudgePlot, ...]
    caution: str


class MadeTopic(NamedTuple):
    """What a run made of a topic, beside other runs; fields mean the same as in `TopicPage`."""

    page: WebPage
    questions: tuple[str, ...]
    sentences: tuple[ShownSentence, ...]
    fallbacks: tuple[str, ...]
    marks: TopicMarks | None


class ListedRun(NamedTuple):
    """A run among others.

    Attributes:
        link: Its own page, relative to this one; empty where there is none.
        judge: Who labelled it; empty for nobody.
        scores: Measure -> value; None where undefined.
        topics: By topic id.
        results: By topic id, what runs are compared by.
    """

    link: str
    run: ShownRun
    judge: str
    scores: dict[str, float | None]
    topics: dict[str, MadeTopic]
    results: dict[str, object]


class RunList(NamedTuple):
    """The runs of a folder; `left_out` says by folder why a run cannot be shown.

    `unscored` says of shown ones why scores that there are cannot be shown. `judges` compares
    sources of labels. `given` tells whether there are labels from elsewhere, which know runs by
    their tags alone; `boards` are by the first of them that marks a run here.
    """

    folder: str
    runs: tuple[ListedRun, ...]
    left_out: dict[str, str]
    unscored: dict[str, str]
    judges: tuple[JudgePlot, ...]
    given: bool
    boards: tuple[Board, ...] = ()

    def lacking(self) -> list[str]:
        """Return a line on runs that are not shown, or not with their scores, for each reason."""
        told = (("Not shown", self.left_out), ("Without scores", self.unscored))
        places: dict[tuple[str, str], list[str]] = {}
        for what, some in told:
            for place, why in some.items():
                places.setdefault((what, why), []).append(place)
        return [f"{what}: {', '.join(places[what, why])}. {why}" for what, why in places]

    def namesakes(self) -> list[str]:
        """Return names that several runs have, which labels from elsewhere cannot tell apart."""
        often = Counter(one.run.name for one in self.runs)
        return [name for name in often if self.given and often[name] > 1]

    def several_judges(self) -> dict[str, list[str]]:
        """Return who labelled each task that several judges labelled."""
        judges: dict[str, dict[str, None]] = {}
        for one in self.runs:
            for name in one.scores:
                judges.setdefault(name.partition(": ")[0], {})[one.judge] = None
        return {task: [*theirs] for task, theirs in judges.items() if len(theirs) > 1}

    def setting_names(self) -> list[str]:
        """Return every setting that some run was made with, sorted."""
        return sorted({name for one in self.runs for name in one.run.settings})

    def marked(self, topic_id: str) -> Marked:
        """Return the marks of a topic."""
        made = (one.topics.get(topic_id) for one in self.runs)
        return marked_by(one.marks if one else None for one in made)
