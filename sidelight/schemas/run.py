"""Run files as read: not checked against a track, so that invalid ones can be spoken of too."""

from __future__ import annotations

from typing import Literal

from sidelight.schemas.base import Value


class SubmittedQuestion(Value):
    """One line of a Task 1 file. `run_tag` is the file name, `run_id` what stands inside."""

    topic_id: str
    team_id: str
    run_id: str
    rank: int
    text: str


class QuestionRun(Value):
    """A Task 1 file."""

    run_tag: str
    questions: tuple[SubmittedQuestion, ...]


class CitedSentence(Value):
    """One sentence of a report and the segments it rests on."""

    text: str
    citations: tuple[str, ...] = ()


class ReportMetadata(Value):
    """The five metadata keys of a Task 2 line, in the track's order."""

    team_id: str
    run_id: str
    topic_id: str
    type: Literal["automatic", "manual"] = "automatic"
    use_starter_kit: Literal[0, 1] = 0


class SubmittedReport(Value):
    """One line of a Task 2 file."""

    metadata: ReportMetadata
    responses: tuple[CitedSentence, ...]

    @property
    def text(self) -> str:
        """Return the sentences joined by one space, as judges read a report."""
        return " ".join(sentence.text for sentence in self.responses)


class ReportRun(Value):
    """A Task 2 file."""

    run_tag: str
    reports: tuple[SubmittedReport, ...]
