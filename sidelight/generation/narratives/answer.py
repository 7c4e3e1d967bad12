"""Answer writer for a narrative: one model call over evidence under keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.generation.prompted.findings import KeyedSegments
from sidelight.llm.prompted import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.report import DraftReport, DraftSentence
from sidelight.text import budget_words, one_line, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile
    from sidelight.schemas.investigation.evidence import EvidenceSet

ANSWER_PROMPT = load_prompt(Path(__file__).with_name("answer.prompt.md"))
_WRITER_SEGMENT_WORDS = 250


class WrittenSentence(Value):
    """A sentence and the keys of what it stands on."""

    text: str = Field(min_length=1)
    keys: tuple[str, ...]


class WrittenAnswer(Value):
    """An answer in reading order."""

    sentences: tuple[WrittenSentence, ...]


class PromptedAnswerWriter:
    """The role `write_report` for what somebody wants to know, with one call of a model.

    Args:
        writer: Who writes.
        max_report_words: The track's limit.
        max_citations: Of a sentence, by the track.
    """

    asks = (Asked(ANSWER_PROMPT, calls=1, characters=25_000, written=900),)

    def __init__(self, writer: PromptedModel, max_report_words: int, max_citations: int) -> None:
        self._model = writer
        self._words = max_report_words
        self._citations = max_citations

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftReport:
        """Return what the model wrote, within the limit; without evidence nobody is asked.

        Raises:
            ReplyError: The model gave no usable answer.
        """
        del profile
        keyed = KeyedSegments([item.segment for item in evidence.items], _WRITER_SEGMENT_WORDS)
        if not keyed.shown:
            return DraftReport(sentences=())
        answer = await self._model.answer(
            ANSWER_PROMPT,
            WrittenAnswer,
            check=self._check,
            questions=[angle.question for angle in angles],
            segments=keyed.shown,
            max_words=self._words,
            max_citations=self._citations,
        )
        written: list[DraftSentence] = []
        invented: list[str] = []
        for one in answer.sentences:
            known, unknown = keyed.resolve(one.keys)
            invented += unknown
            if known:
                cited = tuple(segment.segment_id for segment in known)[: self._citations]
                written.append(DraftSentence(text=one_line(one.text), segment_ids=cited))
        return DraftReport(sentences=tuple(written), invented_keys=tuple(invented))

    def _check(self, answer: WrittenAnswer) -> None:
        """Check that an answer keeps the track's limits.

        Raises:
            ValueError: It is too long, or a text is not one sentence.
        """
        words = sum(budget_words(one.text) for one in answer.sentences)
        if words > self._words:
            raise ValueError(
                f"the sentences have {words} words together; the limit is {self._words}"
            )
        for number, one in enumerate(answer.sentences, start=1):
            if len(sentences(one_line(one.text))) != 1:
                raise ValueError(f"text {number} is not one sentence")
