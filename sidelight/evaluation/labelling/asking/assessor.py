"""A model asked for labels: each of them offered, one for each thing asked about, or `Unjudged`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.asking.prefix_order import PrefixOrder
from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.llm.exact_ids import check_each_once
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.prompting import Prompt

T = TypeVar("T", bound=BaseModel)

NOTHING = "there is nothing to read"
"""Why a submission gets the lowest label without anybody being asked."""

_ALONE = "it"  # the id of what is asked about by itself


class Assessor:
    """Asks a model for judgments, prompts with a common beginning one after the other.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model
        self._order = PrefixOrder()

    async def judgment(
        self,
        prefix: Sequence[str],
        prompt: Prompt,
        kind: type[T],
        read: Callable[[T], Judgment],
        **values: object,
    ) -> Judgment:
        """Ask for a single judgment; see `judgments`."""
        (judgment,) = await self.judgments(
            prefix, prompt, kind, [_ALONE], lambda answer: [(_ALONE, read(answer))], **values
        )
        return judgment

    async def judgments(
        self,
        prefix: Sequence[str],
        prompt: Prompt,
        kind: type[T],
        asked: Sequence[str],
        read: Callable[[T], Iterable[tuple[str, Judgment]]],
        **values: object,
    ) -> list[Judgment]:
        """Ask one question and return one judgment for each id asked about.

        A reply that misses, repeats or invents an id is repaired once. If that does not help, what
        it says once and was asked counts; the rest is unjudged.

        Args:
            prefix: What the prompt begins with, after its rules; see `PrefixOrder`.
            prompt: The question.
            kind: The type of the answer.
            asked: Ids, each once.
            read: Returns the ids and judgments in an answer.
            values: The variables of the prompt.
        """

        def check(answer: T) -> None:
            check_each_once(asked, [one for one, _ in read(answer)])

        reason = ""
        async with self._order.turn(prompt.id, *prefix):
            try:
                answer = await self._model.answer(prompt, kind, check=check, **values)
                given = list(read(answer))
            except ReplyError as error:
                reason = one_line(error.message)
                given = list(_rest(error, kind, read))
        counts = Counter(one for one, _ in given)
        judgments = {
            one: Judgment(judgment.label, one_line(judgment.rationale))
            for one, judgment in given
            if counts[one] == 1
        }
        return [judgments.get(one, Judgment(Unjudged(reason=reason))) for one in asked]


def _rest(
    error: ReplyError, kind: type[T], read: Callable[[T], Iterable[tuple[str, Judgment]]]
) -> Iterable[tuple[str, Judgment]]:
    """Return the judgments in a reply that fits its type but does not cover what was asked."""
    if not isinstance(error, StructuredOutputError):
        return ()
    try:
        return read(kind.model_validate_json(error.text, strict=True))
    except ValidationError:
        return ()
