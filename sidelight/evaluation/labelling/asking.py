"""A model asked for labels: each of them offered, one for each thing asked about, or `Unjudged`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.prefix_order import PrefixOrder
from sidelight.llm.exact_ids import check_each_once
from sidelight.schemas.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sidelight.llm.prompted import PromptedModel
    from sidelight.prompting import Prompt

T = TypeVar("T", bound=BaseModel)

_ALONE = "it"  # the id of what is asked about by itself


class Verdict(NamedTuple):
    """A label with its reason."""

    label: str | Unjudged
    rationale: str = ""


class Assessor:
    """Asks a model for verdicts, prompts with a common beginning one after the other.

    Args:
        model: Who is asked.
    """

    def __init__(self, model: PromptedModel) -> None:
        self._model = model
        self._order = PrefixOrder()

    async def verdict(
        self,
        prefix: Sequence[str],
        prompt: Prompt,
        kind: type[T],
        read: Callable[[T], Verdict],
        **values: object,
    ) -> Verdict:
        """Ask for a single verdict; see `verdicts`."""
        (verdict,) = await self.verdicts(
            prefix, prompt, kind, [_ALONE], lambda answer: [(_ALONE, read(answer))], **values
        )
        return verdict

    async def verdicts(
        self,
        prefix: Sequence[str],
        prompt: Prompt,
        kind: type[T],
        asked: Sequence[str],
        read: Callable[[T], Iterable[tuple[str, Verdict]]],
        **values: object,
    ) -> list[Verdict]:
        """Ask one question and return one verdict for each id asked about.

        A reply that misses, repeats or invents an id is repaired once. If that does not help, what
        it says once and was asked counts; the rest is unjudged.

        Args:
            prefix: What the prompt begins with, after its rules; see `PrefixOrder`.
            prompt: The question.
            kind: The type of the answer.
            asked: Ids, each once.
            read: Returns the ids and verdicts in an answer.
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
        verdicts = {
            one: Verdict(verdict.label, one_line(verdict.rationale))
            for one, verdict in given
            if counts[one] == 1
        }
        return [verdicts.get(one, Verdict(Unjudged(reason=reason))) for one in asked]


def _rest(
    error: ReplyError, kind: type[T], read: Callable[[T], Iterable[tuple[str, Verdict]]]
) -> Iterable[tuple[str, Verdict]]:
    """Return the verdicts in a reply that fits its type but does not cover what was asked."""
    if not isinstance(error, StructuredOutputError):
        return ()
    try:
        return read(kind.model_validate_json(error.text, strict=True))
    except ValidationError:
        return ()
