"""Report revision by the writer: removed sentences are rewritten, and free room is filled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from sidelight.english.neutrality import sentence_fault
from sidelight.errors import ReplyError
from sidelight.generation.prompted.findings import Findings, KeyedSegments
from sidelight.generation.prompted.write_report import stating
from sidelight.llm.prompted import Asked
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.evidence import FoundClaim
from sidelight.schemas.investigation.report import Revision
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.investigation.angle import Angle, ArticleProfile
    from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
    from sidelight.schemas.investigation.report import (
        CheckedReport,
        DraftReport,
        DraftSentence,
        Removal,
    )
    from sidelight.schemas.segment import Segment
    from sidelight.text_vectors import Encode

REVISE_PROMPT = load_prompt(Path(__file__).with_name("revise.prompt.md"))

_WRITER_SEGMENT_WORDS = 250
_SENTENCES, _KEYS_PER_SENTENCE = 6, 6


class AddedSentence(Value):
    """A sentence that the report is to have, what it rests on, and where it stands."""

    after: str = Field(max_length=20)
    keys: tuple[Annotated[str, Field(max_length=20)], ...] = Field(max_length=_KEYS_PER_SENTENCE)
    text: str = Field(max_length=1_000)


class AddedSentences(Value):
    """What the report is to have besides what stands; none where nothing is worth adding."""

    sentences: tuple[AddedSentence, ...] = Field(max_length=_SENTENCES)


class Fallen(NamedTuple):
    """A sentence that was taken out, as the prompt shows it."""

    keys: str
    text: str
    reason: str


class PromptedReviser:
    """The role `revise_report` with a model: one call, whatever fell.

    The writer sees what stands, what fell and why beside the passages it cited, the claims that no
    sentence states yet, and how many words are free. What stands stays as it is.

    Args:
        writer: Who writes.
        encode: Tells which claims are the same.
        max_report_words: The track's limit.
    """

    asks = (Asked(REVISE_PROMPT, calls=2.4, characters=19_400, written=100),)

    def __init__(self, writer: PromptedModel, encode: Encode, max_report_words: int) -> None:
        self._model = writer
        self._encode = encode
        self._max_words = max_report_words

    async def __call__(
        self,
        profile: ArticleProfile,
        angles: Sequence[Angle],
        evidence: EvidenceSet,
        checked: CheckedReport,
        found: Mapping[str, Sequence[Segment]],
    ) -> Revision:
        """Return a draft that keeps what stood, in its order.

        Raises:
            ReplyError: The model gave no answer of the form asked for.
        """
        draft = checked.draft
        findings = await Findings.of(angles, evidence, self._encode)
        standing = [sentence.text for sentence in draft.sentences]
        waiting = {sentence.text for sentence in draft.reserve}
        again = {one for removal in checked.removed for one in removal.sentence.segment_ids}
        claims = {
            key: claim
            for key, claim in findings.by_key.items()
            if claim.text in waiting or not again.isdisjoint(claim.segment_ids)
        }
        by_id = {item.segment.segment_id: item for item in evidence.items}
        cited = [by_id[one] for one in sorted(again) if one in by_id]
        keyed = KeyedSegments([item.segment for item in cited], _WRITER_SEGMENT_WORDS)
        passages = {
            shown.key: _as_claim(item, shown.text)
            for shown, item in zip(keyed.shown, cited, strict=True)
        }
        room = self._max_words - sum(map(budget_words, standing))
        if not (claims or passages) or room <= 0:
            return Revision(draft=draft)
        key_of = {one.segment_ids[0]: key for key, one in passages.items()}
        drafts: list[AddedSentences] = []

        def check(added: AddedSentences) -> None:
            drafts.append(added)
            _check(added, {*claims, *passages}, room)

        asked = self._model.answer(
            REVISE_PROMPT,
            AddedSentences,
            check=check,
            profile=profile,
            findings=findings.shown(claims),
            segments=keyed.shown,
            standing=[
                {"sentence_id": f"S{number}", "text": text}
                for number, text in enumerate(standing, start=1)
            ],
            fallen=[_shown(removal, key_of) for removal in checked.removed],
            room=room,
        )
        try:
            await asked
        except ReplyError:
            if not drafts:
                raise
        return Revision(draft=_with(draft, drafts[-1], claims | passages, room))


def _as_claim(item: Evidence, text: str) -> FoundClaim:
    """Return a passage as something that a sentence can state."""
    return FoundClaim(text=text, segment_ids=(item.segment.segment_id,), answers=item.relevance)


def _shown(removal: Removal, key_of: Mapping[str, str]) -> Fallen:
    keys = [key_of[one] for one in removal.sentence.segment_ids if one in key_of]
    return Fallen(", ".join(keys), removal.sentence.text, removal.reason)


def _check(added: AddedSentences, keys: set[str], room: int) -> None:
    for sentence in added.sentences:
        if not keys.intersection(sentence.keys):
            raise ValueError(f"this rests on no key shown: {sentence.text}")
        if fault := sentence_fault(one_line(sentence.text)):
            raise ValueError(f"{fault}: {sentence.text}")
    words = sum(budget_words(one_line(sentence.text)) for sentence in added.sentences)
    if words > room:
        raise ValueError(f"the sentences have {words} words together, and {room} are free")


def _with(
    draft: DraftReport, added: AddedSentences, known: Mapping[str, FoundClaim], room: int
) -> DraftReport:
    """Return a draft with sentences added in their places; what names no place comes last.

    What rests on nothing, is said already, has a fault or finds no room any more is left out.
    """
    last = len(draft.sentences)
    by_place: dict[int, list[DraftSentence]] = {}
    told: set[str] = set()
    said = {sentence.text for sentence in draft.sentences}
    for sentence in added.sentences:
        stated = [known[key] for key in dict.fromkeys(sentence.keys) if key in known]
        text = one_line(sentence.text)
        if not stated or text in said or sentence_fault(text) or budget_words(text) > room:
            continue
        said.add(text)
        room -= budget_words(text)
        number = sentence.after.removeprefix("S")
        place = int(number) if number.isdecimal() else 0 if sentence.after == "start" else last
        by_place.setdefault(min(place, last), []).append(stating(text, stated))
        told.update(claim.text for claim in stated)
    sentences = list(by_place.get(0, ()))
    for place, standing in enumerate(draft.sentences, start=1):
        sentences += [standing, *by_place.get(place, ())]
    return draft.model_copy(
        update={
            "sentences": tuple(sentences),
            "reserve": tuple(one for one in draft.reserve if one.text not in told),
            "invented_keys": (
                *draft.invented_keys,
                *(key for one in added.sentences for key in one.keys if key not in known),
            ),
        }
    )
