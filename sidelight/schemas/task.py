"""What a track asks for: its tasks, each with the limits and the file of what is handed in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sidelight.schemas.base import Value
from sidelight.schemas.measure import Measure

# Of the words a track allows: from this share on a text is long enough to be left alone, and below
# that one it is thin for want of evidence.
_ENOUGH, _THIN = 0.9, 0.4


class _Task(Value):
    """What tasks of all kinds have.

    Attributes:
        name: As commands and files call it; unique within a track.
        title: For people.
        format: The registered file format.
        file_name: The file of the task in a run directory.
        run_id_suffix: Follows a run's id in the file of this task.
        runs_folder: Where the organizers keep the runs of this task.
        scores_name: What score files are called by; the name where it is empty.
        measures: What is measured, the one that ranks runs first.
    """

    name: str
    title: str
    format: str
    file_name: str
    run_id_suffix: str = ""
    runs_folder: str = ""
    scores_name: str = ""
    measures: tuple[Measure, ...] = ()

    def measure(self, name: str) -> Measure | None:
        """Return the measure of that name, or None."""
        return next((one for one in self.measures if one.name == name), None)


class QuestionListTask(_Task):
    """Ranked questions on a topic.

    Attributes:
        count: Exactly this many, ranked 1 to `count`.
        max_characters: Limit of each, in code points of the NFC text.
    """

    kind: Literal["question_list"] = "question_list"
    count: int = Field(gt=0)
    max_characters: int = Field(gt=0)


class CitedTextTask(_Task):
    """A text whose sentences cite segments.

    Attributes:
        max_words: Limit on the sum over sentences, split on white space.
        max_citations: Limit per sentence.
        max_uncited: How many sentences may cite nothing in a strict check.
    """

    kind: Literal["cited_text"] = "cited_text"
    max_words: int = Field(gt=0)
    max_citations: int = Field(gt=0)
    max_uncited: int = Field(ge=0)

    @property
    def enough_words(self) -> int:
        """Words from which on a text is long enough to be left alone."""
        return round(_ENOUGH * self.max_words)

    @property
    def thin_words(self) -> int:
        """Words below which a text is thin for want of evidence."""
        return round(_THIN * self.max_words)


class RankingTask(_Task):
    """A ranked list of segments or documents.

    Attributes:
        depth: At most this many for each topic.
    """

    kind: Literal["ranking"] = "ranking"
    depth: int = Field(gt=0)


Task = Annotated[QuestionListTask | CitedTextTask | RankingTask, Field(discriminator="kind")]
