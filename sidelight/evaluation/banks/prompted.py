"""Banks drafted by a model: test questions that break a query down, or key facts."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field

from sidelight.errors import ReplyError
from sidelight.evaluation.banks.style import Style
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.exam_bank import ExamBank, new_item
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.llm.prompted import PromptedModel

_HERE = Path(__file__)
PROMPTS = {
    Style.DL: load_prompt(_HERE.with_name("exam-questions.prompt.md")),
    Style.CAR: load_prompt(_HERE.with_name("exam-connections.prompt.md")),
    Style.NUGGETS: load_prompt(_HERE.with_name("exam-nuggets.prompt.md")),
}
MOST_ITEMS = 50
_MOST_CHARACTERS = 400
_BETWEEN = " / "  # the title and the subtopic of a query


class ExamDraft(Value):
    """The items of a bank, in the model's words."""

    items: tuple[str, ...] = Field(min_length=1, max_length=MOST_ITEMS)


class DraftedQuery(NamedTuple):
    """A query, or one subtopic of it, to draft a bank for.

    Attributes:
        topic_id: The query.
        subtopic_id: Empty for all of it.
        text: The query; with a subtopic `title / subtopic`.
    """

    topic_id: str
    subtopic_id: str
    text: str


class Drafts(NamedTuple):
    """What became of some queries.

    Attributes:
        banks: One for each query for which the model wrote one.
        failed: Query and why there is none.
    """

    banks: tuple[ExamBank, ...]
    failed: tuple[tuple[str, str], ...]


async def draft_banks(
    model: PromptedModel,
    queries: Sequence[DraftedQuery],
    style: Style,
    count: int,
    on_done: Callable[[int], None] = lambda _: None,
) -> Drafts:
    """Ask a model for a bank for each query, all at once.

    Args:
        model: Who is asked; its cache makes the work resumable, and its server bounds the calls.
        queries: For which.
        style: Which prompt.
        count: How many items a bank has.
        on_done: Told of every query that is done.
    """

    async def draft(query: DraftedQuery) -> ExamBank | tuple[str, str]:
        try:
            return await _draft(model, query, style, count)
        except ReplyError as error:
            return query.topic_id, str(error)
        finally:
            on_done(1)

    found = await asyncio.gather(*map(draft, queries))
    return Drafts(
        tuple(one for one in found if isinstance(one, ExamBank)),
        tuple(one for one in found if not isinstance(one, ExamBank)),
    )


async def _draft(model: PromptedModel, query: DraftedQuery, style: Style, count: int) -> ExamBank:
    prompt, values = PROMPTS[style], {"query": query.text}
    if style is Style.CAR:
        title, _, subtopic = query.text.rpartition(_BETWEEN)
        values = {"query": title or subtopic, "subtopic": subtopic}
    draft = await model.answer(
        prompt,
        ExamDraft,
        check=partial(check_draft, style=style, count=count),
        **values,
        count=count,
    )
    texts = dict.fromkeys(map(one_line, draft.items))
    return ExamBank(
        topic_id=query.topic_id,
        subtopic_id=query.subtopic_id,
        query_text=query.text,
        kind=style.kind,
        tests=tuple(new_item(query.topic_id, text, query.subtopic_id) for text in texts),
    )


def check_draft(draft: ExamDraft, *, style: Style, count: int) -> None:
    """Refuse a draft that is no bank.

    Raises:
        ValueError: Items are too few, too many, empty, repeated or too long, a question ends in no
            question mark or a fact in one.
    """
    texts = [one_line(item) for item in draft.items]
    if len(texts) != count:
        raise ValueError(f"expected {count} items; found {len(texts)}")
    seen: set[str] = set()
    for text in texts:
        if not any(character.isalnum() for character in text):
            raise ValueError("an item is empty")
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"an item has more than {_MOST_CHARACTERS} characters: {text[:60]}")
        if text.endswith("?") is not (style.kind == "question"):
            raise ValueError(
                f"expected {'a question' if style.kind == 'question' else 'a fact'}: {text}"
            )
        if text.casefold() in seen:
            raise ValueError(f"an item occurs twice: {text}")
        seen.add(text.casefold())
