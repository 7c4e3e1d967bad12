"""Run files as read, the manifest of a run, and rankings within a track's limits.

Files are not checked against a track here, so that invalid ones can be described, too. The manifest
holds everything that a run's files depend on, and the files' hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from sidelight.errors import InputError
from sidelight.schemas.base import FileName, Value
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.topic import question_id

RunType: TypeAlias = Literal["automatic", "manual"]
"""Whether a person had a hand in a run."""


class CitedSentence(Value):
    """One sentence of a report and the segments it rests on."""

    text: str
    citations: tuple[str, ...] = ()


class QuestionHits(Value):
    """Documents found for one question on a topic, by falling score."""

    question_id: str
    hits: tuple[Hit, ...]


Result: TypeAlias = (
    tuple[str, ...] | tuple[CitedSentence, ...] | tuple[Hit, ...] | tuple[QuestionHits, ...]
)
"""What a run holds on one topic: questions or hits, the first one first, sentences in order, or
hits by question."""


class RunIdentity(Value):
    """Team and run that a run file is from; `run_id` ends in the suffix of its task."""

    team_id: str
    run_id: str
    type: RunType = "automatic"


class SubmittedQuestion(Value):
    """One question of a run. `run_tag` is the file name, `run_id` what stands inside."""

    topic_id: str
    team_id: str
    run_id: str
    rank: int
    text: str


class _RunFile(Value):
    """A run as read.

    `run_tag` is the file name, or the run id inside where the files of all runs have one name.
    """

    run_tag: str

    @property
    def types(self) -> frozenset[RunType]:
        """How the file says it was made; none where it does not say."""
        return frozenset()


class QuestionRun(_RunFile):
    """A file of ranked questions."""

    questions: tuple[SubmittedQuestion, ...]

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The run ids inside, in order of appearance."""
        return tuple(dict.fromkeys(question.run_id for question in self.questions))

    def results(self) -> dict[str, tuple[str, ...]]:
        """Return the questions of each topic, those of the first rank first."""
        by_topic: dict[str, list[SubmittedQuestion]] = {}
        for question in self.questions:
            by_topic.setdefault(question.topic_id, []).append(question)
        return {
            topic_id: tuple(one.text for one in sorted(found, key=lambda one: one.rank))
            for topic_id, found in by_topic.items()
        }


class ReportMetadata(Value):
    """Whose report it is, and on what; how it was made is None where its file does not say."""

    team_id: str
    run_id: str
    topic_id: str
    type: RunType | None = "automatic"


class SubmittedReport(Value):
    """One cited text of a run."""

    metadata: ReportMetadata
    responses: tuple[CitedSentence, ...]

    @property
    def text(self) -> str:
        """Return the sentences joined by one space, as judges read a report."""
        return " ".join(sentence.text for sentence in self.responses)


class ReportRun(_RunFile):
    """A file of cited texts."""

    reports: tuple[SubmittedReport, ...]

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The run ids inside, in order of appearance."""
        return tuple(dict.fromkeys(report.metadata.run_id for report in self.reports))

    @property
    def types(self) -> frozenset[RunType]:
        """How the file says it was made."""
        said = (report.metadata.type for report in self.reports)
        return frozenset(one for one in said if one is not None)

    def results(self) -> dict[str, tuple[CitedSentence, ...]]:
        """Return the sentences of each topic."""
        return {report.metadata.topic_id: report.responses for report in self.reports}


Found = TypeVar("Found", tuple[Hit, ...], tuple[QuestionHits, ...])


class _Rankings(_RunFile, Generic[Found]):
    """A file of search results: run ids in order of appearance, and by topic what was found."""

    run_ids: tuple[str, ...]
    rankings: dict[str, Found]

    def results(self) -> dict[str, Found]:
        """Return what was found on each topic."""
        return dict(self.rankings)


class QuestionRankingRun(_Rankings[tuple[QuestionHits, ...]]):
    """A file of search results for the questions of topics, in its order."""


class RankingRun(_Rankings[tuple[Hit, ...]]):
    """A file of search results: hits by falling score."""


class RunManifest(Value):
    """Everything that made a run, without times and paths, so that a rerun gives the same.

    Attributes:
        packages: By name, the versions of the packages that decide results.
        settings: Hash of all settings.
        index: Hash of the index.
        topics: Ids of the finished topics, in the order of the files.
        thin_topics: Those whose report is short for want of evidence.
        fallbacks: By topic id, steps done without a model whose replies were no use, and `search`
            where an index server failed on searches.
        edited: Traces, by path in the run directory, that someone changed after they were made.
        files: By path in the run directory, SHA-256 of each file.
    """

    sidelight: str
    packages: dict[str, str]
    track: str
    settings: str
    index: str
    topics: tuple[str, ...]
    thin_topics: tuple[str, ...]
    fallbacks: dict[str, tuple[str, ...]]
    failed_topics: tuple[str, ...]
    edited: tuple[FileName, ...]
    files: dict[FileName, str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Segments by falling score, ties by rising segment id; constructing one checks it.

    InputError is raised if the order is another, a segment occurs twice, or there are more than
    `depth`, which is None where a run chooses how many.
    """

    topic_id: str
    hits: tuple[Hit, ...]
    depth: int | None

    def __post_init__(self) -> None:
        if self.depth is not None and len(self.hits) > self.depth:
            raise InputError(f"{self.topic_id}: {len(self.hits)} segments, over {self.depth}")
        if len({hit.segment_id for hit in self.hits}) < len(self.hits):
            raise InputError(f"{self.topic_id}: a segment is ranked twice")
        if list(self.hits) != ranked(list(self.hits)):
            raise InputError(f"{self.topic_id}: segments are not in order of their scores")

    @property
    def content(self) -> tuple[Hit, ...]:
        """Content as a run file holds it."""
        return self.hits


@dataclass(frozen=True, slots=True)
class QuestionRankings:
    """A ranking for each question of a topic, in order of number; constructing one checks it.

    InputError is raised if a ranking is empty or breaks a limit (see `Ranking`), or the questions
    are not numbered in order from 1. `depth` is the most documents for a question.
    """

    topic_id: str
    rankings: tuple[QuestionHits, ...]
    depth: int

    def __post_init__(self) -> None:
        for number, one in enumerate(self.rankings, start=1):
            if one.question_id != question_id(self.topic_id, number):
                raise InputError(f"{self.topic_id}: {one.question_id} is not question {number}")
            if not one.hits:
                raise InputError(f"{one.question_id}: nothing was found")
            Ranking(one.question_id, one.hits, self.depth)

    @property
    def content(self) -> tuple[QuestionHits, ...]:
        """Content as a run file holds it."""
        return self.rankings
