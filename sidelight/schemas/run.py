"""Run files as read, which may be invalid, and the manifest of a run.

Files are not checked against a track here, so that invalid ones can be described, too. The manifest
holds everything that a run's files depend on, and the files' hashes.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sidelight.schemas.base import FileName, Value
from sidelight.schemas.investigation.evidence import Hit

RunType: TypeAlias = Literal["automatic", "manual"]
"""Whether a person had a hand in a run."""


class CitedSentence(Value):
    """One sentence of a report and the segments it rests on."""

    text: str
    citations: tuple[str, ...] = ()


class QuestionHits(Value):
    """Documents found for one question on a topic.

    Attributes:
        question_id: See `topic.question_id`.
        hits: Documents by falling score.
    """

    question_id: str
    hits: tuple[Hit, ...]


Result: TypeAlias = (
    tuple[str, ...] | tuple[CitedSentence, ...] | tuple[Hit, ...] | tuple[QuestionHits, ...]
)
"""What a run holds on one topic: questions or hits, the first one first, sentences in order, or
hits by question."""


class RunIdentity(Value):
    """Team and run that a run file is from.

    Attributes:
        team_id: Who made it.
        run_id: What it is called, the suffix of its task included.
        type: How it was made.
    """

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


class QuestionRun(Value):
    """A file of ranked questions."""

    run_tag: str
    questions: tuple[SubmittedQuestion, ...]

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The run ids inside, in order of appearance."""
        return tuple(dict.fromkeys(question.run_id for question in self.questions))

    @property
    def types(self) -> frozenset[RunType]:
        """None: the file does not say how it was made."""
        return frozenset()

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


class ReportRun(Value):
    """A file of cited texts."""

    run_tag: str
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


class QuestionRankingRun(Value):
    """A file of search results for the questions of topics.

    Attributes:
        run_tag: The file name, or the run id inside where all runs' files have one name.
        run_ids: The run ids inside, in order of appearance.
        rankings: By topic, what was found for its questions, in the order of the file.
    """

    run_tag: str
    run_ids: tuple[str, ...]
    rankings: dict[str, tuple[QuestionHits, ...]]

    @property
    def types(self) -> frozenset[RunType]:
        """None: the file does not say how it was made."""
        return frozenset()

    def results(self) -> dict[str, tuple[QuestionHits, ...]]:
        """Return what was found on each topic."""
        return dict(self.rankings)


class RankingRun(Value):
    """A file of search results.

    Attributes:
        run_tag: The file name, or the run id inside where all runs' files have one name.
        run_ids: The run ids inside, in order of appearance.
        rankings: By topic, hits by falling score.
    """

    run_tag: str
    run_ids: tuple[str, ...]
    rankings: dict[str, tuple[Hit, ...]]

    @property
    def types(self) -> frozenset[RunType]:
        """None: the file does not say how it was made."""
        return frozenset()

    def results(self) -> dict[str, tuple[Hit, ...]]:
        """Return the hits of each topic, best first."""
        return dict(self.rankings)


class RunManifest(Value):
    """Everything that made a run, without times and paths, so that a rerun gives the same.

    Attributes:
        sidelight: Version that made it.
        packages: By name, the versions of the packages that decide results.
        track: Name of the track.
        settings: Hash of all settings.
        index: Hash of the index.
        topics: Ids of the finished topics, in the order of the files.
        thin_topics: Those whose report is short for want of evidence.
        fallbacks: By topic id, steps done without a model whose replies were no use.
        failed_topics: Ids of the topics that could not be finished.
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
