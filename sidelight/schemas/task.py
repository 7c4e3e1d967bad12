"""Tasks of a track, each with its limits and the file to be submitted."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Measure

# Of the words a track allows: from this share on a text is long enough to be left alone, and below
# that one it is thin for want of evidence.
_ENOUGH, _THIN = 0.9, 0.4
# Citations that our writers give a sentence where a track allows any number.
_CITATIONS = 3


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return pattern


Grammar = Annotated[str, AfterValidator(_compiles)]
"""A regular expression that an id must match in full."""

MOST = 100_000
"""More than any track allows of anything."""

Limit = Annotated[int, Field(gt=0, le=MOST)]
"""How many of something a track wants or allows."""


class _Task(Value):
    """What tasks of all kinds have.

    Attributes:
        name: As commands and files call it; unique within a track.
        run_id_suffix: Follows a run's id in its file.
        run_id_pattern: What a strict check wants of a run id, this suffix included.
        scores_name: What score files are called by; the name where it is empty.
        measures: What is measured, the one that ranks runs first.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    format: str
    file_name: str
    run_id_suffix: str = ""
    run_id_pattern: Grammar
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
        standalone: Whether each must make sense to somebody who has not read the article.
    """

    kind: Literal["question_list"] = "question_list"
    count: Limit
    max_characters: Limit
    standalone: bool = False


class CitedTextTask(_Task):
    """A text whose sentences cite segments.

    Attributes:
        max_words: Limit on the sum over sentences, split on white space.
        max_citations: Limit per sentence; None where there is none.
        max_references: Limit on the segments that a text names; None where there is none.
        max_uncited: How many sentences may cite nothing; None where any number may.
        segment_id_pattern: What a citation must look like.
        counts_nfkc: Whether words are counted after NFKC, too, and the larger number decides.
        hard_limit: Whether a longer text is invalid; else the limit is what a text should aim at.
        one_sentence: Whether each text with citations must be one sentence.
    """

    kind: Literal["cited_text"] = "cited_text"
    max_words: Limit
    max_citations: Limit | None
    max_references: Limit | None = None
    max_uncited: Annotated[int, Field(ge=0, le=MOST)] | None
    segment_id_pattern: Grammar
    counts_nfkc: bool = True
    hard_limit: bool = True
    one_sentence: bool = True

    @property
    def citations_written(self) -> int:
        """Citations of a sentence at most, as our writers give them."""
        return self.max_citations or _CITATIONS

    @property
    def enough_words(self) -> int:
        """Words from which a text counts as long enough."""
        return round(_ENOUGH * self.max_words)

    @property
    def thin_words(self) -> int:
        """Words below which a text counts as short of evidence."""
        return round(_THIN * self.max_words)


class RankingTask(_Task):
    """Segments in order of relevance, at most `depth` for each topic.

    A `depth` of None lets a run choose how many, topic by topic.
    """

    kind: Literal["ranking"] = "ranking"
    depth: Limit | None
    segment_id_pattern: Grammar


class QuestionRankingsTask(_Task):
    """Documents for the questions that a reader has on a topic, at most `depth` for each."""

    kind: Literal["question_rankings"] = "question_rankings"
    depth: Limit
    document_id_pattern: Grammar


class JudgmentsTask(_Task):
    """Grades of relevance from 0 to `highest`, each with how sure its judge is.

    No run of a system makes them.
    """

    kind: Literal["judgments"] = "judgments"
    highest: Limit
    segment_id_pattern: Grammar


Task = Annotated[
    QuestionListTask | CitedTextTask | RankingTask | QuestionRankingsTask | JudgmentsTask,
    Field(discriminator="kind"),
]
