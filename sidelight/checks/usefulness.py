"""Check of how useful a document is for a question, by its nearest sentence or a language model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from sidelight.errors import ReplyError
from sidelight.llm.prompted import PromptedModel
from sidelight.llm.structured import check_each_once
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.grading.judgment import USEFULNESS_SCALE, OneOf, Usefulness
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.segment import Segment
from sidelight.text import sentences, tokens
from sidelight.text_vectors import Encode

USEFULNESS_PROMPT = load_prompt(Path(__file__).with_name("usefulness.prompt.md"))

BATCH = 10
"""Documents a model is shown at once."""

DOCUMENT_WORDS = 400
"""Of a document the first so many words are shown."""

_ARTICLE_WORDS = 400
_MOST_SENTENCES = 60
_STUB = 4  # words
# Cosines of all-MiniLM-L6-v2 that split judged passages of TREC DL 2019 into as many of grade 3, of
# grade 2 and of less as people gave (231, 605 and 2,265). With queries held out, such labels have a
# kappa of .22 with people's, and an AUC of .71 for grade 2 or more; words shared with the question
# add nothing.
_USEFUL_FROM, _VERY_FROM = 0.614, 0.747
_VERY, _USEFUL, _NOT = USEFULNESS_SCALE.names


class Document(NamedTuple):
    """A document as a labeller sees it."""

    title: str
    text: str


UsefulnessCheck: TypeAlias = Callable[[str, str, Sequence[Document]], Awaitable[list[Usefulness]]]
"""Tells how useful documents are for somebody who reads an article and asks a question."""


class NearestSentence:
    """Goes by how near the document's nearest sentence is to the question."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    async def __call__(
        self, article: str, question: str, documents: Sequence[Document]
    ) -> list[Usefulness]:
        """Return the usefulness of each document; the article is not looked at."""
        del article
        return await asyncio.to_thread(self._rate, question, documents)

    def _rate(self, question: str, documents: Sequence[Document]) -> list[Usefulness]:
        texts = [_sentences(one.text) for one in documents]
        asked, *rows = self._encode([question, *(text for found in texts for text in found)])
        rated, begins = [], 0
        for found in texts:
            ends = begins + len(found)
            if not found:
                rated.append(Usefulness(reason="there is nothing to read", label=_NOT))
                continue
            cosines = np.array(rows[begins:ends]) @ asked
            begins, nearest = ends, int(cosines.argmax())
            value = round(float(cosines[nearest]), 4)
            label = _VERY if value >= _VERY_FROM else _USEFUL if value >= _USEFUL_FROM else _NOT
            rated.append(Usefulness(reason=f"its nearest sentence: {found[nearest]}", label=label))
        return rated


def _sentences(text: str) -> list[str]:
    """Return the first sentences of a text; headings and other stubs say nothing by themselves."""
    found = [one for one in sentences(text)[:_MOST_SENTENCES] if tokens(one)]
    return [one for one in found if len(tokens(one)) >= _STUB] or found


class _Rated(Value):
    key: str
    reason: str
    label: Annotated[str, OneOf(USEFULNESS_SCALE.names)]


class RatedDocuments(Value):
    """How useful the documents of a prompt are."""

    labels: tuple[_Rated, ...]


class PromptedUsefulness:
    """Asks a model, which sees ten documents at once."""

    def __init__(self, model: PromptedModel) -> None:
        self._model = model

    async def __call__(
        self, article: str, question: str, documents: Sequence[Document]
    ) -> list[Usefulness]:
        """Return the usefulness of each document; one without a usable answer has no label."""
        batches = [documents[at : at + BATCH] for at in range(0, len(documents), BATCH)]
        rated = await asyncio.gather(*(self._batch(article, question, one) for one in batches))
        return [one for batch in rated for one in batch]

    async def _batch(
        self, article: str, question: str, documents: Sequence[Document]
    ) -> list[Usefulness]:
        keys = [f"D{number}" for number in range(1, len(documents) + 1)]

        def complete(answer: RatedDocuments) -> None:
            check_each_once(keys, [one.key for one in answer.labels])

        shown = [
            {"key": key, "title": one.title, "text": " ".join(one.text.split()[:DOCUMENT_WORDS])}
            for key, one in zip(keys, documents, strict=True)
        ]
        try:
            answer = await self._model.answer(
                USEFULNESS_PROMPT,
                RatedDocuments,
                check=complete,
                article=article,
                question=question,
                documents=shown,
            )
        except ReplyError as error:
            return [Usefulness(reason=error.message, label=None)] * len(documents)
        by_key = {one.key: one for one in answer.labels}
        return [Usefulness(reason=by_key[key].reason, label=by_key[key].label) for key in keys]


class DocumentRater:
    """Rates documents by a check of usefulness."""

    def __init__(self, check: UsefulnessCheck) -> None:
        self._check = check

    async def __call__(
        self, profile: ArticleProfile, question: str, documents: Sequence[Segment]
    ) -> list[Usefulness]:
        """Return the usefulness of each document, which its best segment stands for."""
        words = profile.body.split(maxsplit=_ARTICLE_WORDS)[:_ARTICLE_WORDS]
        article = f"{profile.title}\n{profile.publisher}\n{' '.join(words)}"
        shown = [Document(one.title, one.text) for one in documents]
        return await self._check(article, question, shown)
