"""Assessor: puts labelling prompts to a model, ordered for prefix caches, or estimates cost.

A label that could not be had is `Unjudged`. A server that caches prefixes can reuse one only after
it has computed it. If all requests that begin with the same article arrived at once, each would
compute it anew. So one request of a group goes first, and the others follow when its reply is
there. For an estimate every prompt is rendered and counted, and none is sent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from sidelight.errors import FailedCallError, ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.llm.base import CHARACTERS_PER_TOKEN, TOKENS_PER_SECOND
from sidelight.llm.prompted import PromptedModel
from sidelight.llm.structured import check_each_once
from sidelight.prompting import Prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

# Requests under way are limited by the client; this is how many prompts wait in memory for it. They
# are admitted in the order in which they were asked for, so a topic's prompts stay together: with
# many more, those of all topics would come by turns, and push each other out of a server's cache.
_ADMITTED = 512


class PrefixOrder:
    """Lets one request of every new prefix go ahead of the others that share it."""

    def __init__(self) -> None:
        self._admitted = asyncio.Semaphore(_ADMITTED)
        self._computed: dict[tuple[str, ...], asyncio.Event] = {}

    @asynccontextmanager
    async def turn(self, *prefix: str) -> AsyncIterator[None]:
        """Hold the block until its prefix has been computed, unless it is the one that goes ahead.

        `prefix` names the parts that a prompt begins with, the first part first: a topic, then a
        rubric question. All that share the first part wait for one request with it, then those that
        share the second for one with both.
        """
        async with self._admitted:
            ahead = []
            for n_parts in range(1, len(prefix) + 1):
                part = prefix[:n_parts]
                if part in self._computed:
                    await self._computed[part].wait()
                else:
                    ahead.append(self._computed.setdefault(part, asyncio.Event()))
            try:
                yield
            finally:
                for event in ahead:
                    event.set()


T = TypeVar("T", bound=BaseModel)

NOTHING = "there is nothing to read"
"""Why a submission gets the lowest label without anybody being asked."""

_ALONE = "it"  # the id of what is asked about by itself


class Assessor:
    """Asks a model for judgments, prompts with a common beginning one after the other."""

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
        it says just once of an id that was asked about counts; the rest is unjudged. After its
        rules the prompt begins with `prefix`; see `PrefixOrder`. `read` returns the ids and
        judgments in an answer; `values` are the variables of the prompt.
        """

        def check(answer: T) -> None:
            check_each_once(asked, [one for one, _ in read(answer)])

        reason = ""
        async with self._order.turn(prompt.id, *prefix):
            try:
                answer = await self._model.answer(prompt, kind, check=check, ids=None, **values)
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


TOKENS_PER_CALL, TOKENS_PER_LABEL = 100, 25
"""Written, reasoning included: what the published AutoJudge's 13 hours come to."""


class Estimate(Value):
    """Estimated cost of judging, before anything is asked.

    Attributes:
        prompt_tokens: Tokens read, what a server's prefix cache saves included.
        hours: If one call is made at a time.
        hours_at_once: If calls are made at once and none slows another down; no server reaches it.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    hours: float
    hours_at_once: float


class PromptCounter(PromptedModel):
    """Renders prompts and counts them in place of asking: calls by prompt id, and characters."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.characters = 0

    async def answer(self, prompt: Prompt, _kind: object, /, **values: object) -> NoReturn:
        """Count a prompt; raise FailedCallError, so that what is asked about stays unjudged."""
        values.pop("check")
        values.pop("ids", None)
        rendered = prompt.render(**values)
        self.calls[prompt.id] += 1
        self.characters += len(rendered.system) + len(rendered.user)
        raise FailedCallError("this call was only counted")

    def estimate(self, n_labels: int, n_at_once: int) -> Estimate:
        """Return what the prompts counted so far would cost.

        The replies would hold `n_labels` labels; `n_at_once` calls would be made at once.
        """
        calls = self.calls.total()
        written = TOKENS_PER_CALL * calls + TOKENS_PER_LABEL * n_labels
        hours = written / TOKENS_PER_SECOND / 3600
        return Estimate(
            calls=calls,
            prompt_tokens=self.characters // CHARACTERS_PER_TOKEN,
            completion_tokens=written,
            hours=hours,
            hours_at_once=hours / min(n_at_once, max(calls, 1)),
        )
