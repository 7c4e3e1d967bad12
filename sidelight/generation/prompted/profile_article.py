"""Article profiling by a model; only values that the page contains are kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sidelight.english.names import find_names, host_label
from sidelight.generation.concurrent_answers import computed
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.llm.prompted import Asked, PromptedModel
from sidelight.prompting import load_prompt
from sidelight.schemas.base import Value
from sidelight.schemas.investigation.angle import ArticleProfile, Claim
from sidelight.schemas.topic import Article
from sidelight.text import clean, content_words, count_words, numbers, one_line, sentences, tokens

PROFILE_PROMPT = load_prompt(Path(__file__).with_name("profile.prompt.md"))

_PAGE_TOP_WORDS = 200
_MIN_QUOTED_WORDS = 5  # of a part of a sentence
_MAX_CLAIM_WORDS = 80
_MAX_SUBJECT_WORDS = 6

_Name = Annotated[str, Field(max_length=120)]


class PageFacts(Value):
    """What a model reads off a page; the prompt says what each field means."""

    publisher: _Name
    authors: tuple[_Name, ...] = Field(max_length=6)
    byline: str = Field(max_length=300)
    people: tuple[_Name, ...] = Field(max_length=8)
    organisations: tuple[_Name, ...] = Field(max_length=8)
    studies: tuple[_Name, ...] = Field(max_length=6)
    subject: str = Field(max_length=120)
    claims: tuple[Annotated[str, Field(max_length=1_000)], ...] = Field(max_length=12)


class PromptedProfiler:
    """The role `profile_article` with a model.

    Body, cuts, dates and keywords are those of `ExtractiveProfiler`. So is anything else of which
    the page does not hold what the model says: a name that does not stand there, a claim that is no
    sentence of the body or of the beginning of the page.
    """

    asks = (Asked(PROFILE_PROMPT, calls=1, characters=1_200, written=360),)

    def __init__(self, writer: PromptedModel) -> None:
        self._model = writer

    async def __call__(self, article: Article) -> ArticleProfile:
        """Return what the page itself tells; see `ArticleProfile`.

        Raises:
            InputError: The article has neither title nor text, so there is nothing to ask about.
        """
        plain = await computed(ExtractiveProfiler().read, article)
        top = _page_top(article)
        text = f"{plain.title}\n{plain.body}\n{top}"

        def check(facts: PageFacts) -> None:
            if facts.claims and not _claims(facts.claims, text):
                raise ValueError(
                    "none of the claims is a sentence of the article; copy them exactly"
                )

        facts = await self._model.answer(
            PROFILE_PROMPT, PageFacts, check=check, profile=plain, page_top=top
        )
        page = _Page(article)
        authors = page.names(facts.authors) or plain.authors
        publisher = next(iter(page.names([facts.publisher])), plain.publisher)
        own = {publisher.casefold(), *(author.casefold() for author in authors)}
        people, organisations, studies = (
            tuple(name for name in page.names(said) or known if name.casefold() not in own)
            for said, known in (
                (facts.people, plain.people),
                (facts.organisations, plain.organisations),
                (facts.studies, plain.studies),
            )
        )
        subject = one_line(facts.subject)
        return plain.model_copy(
            update={
                "publisher": publisher,
                "authors": authors,
                "byline": page.byline(facts.byline),
                "people": people,
                "organisations": organisations,
                "studies": studies,
                "subject": subject if page.could_be_about(subject) else plain.subject,
                "claims": _claims(facts.claims, text) or plain.claims,
            }
        )


class _Page:
    """What an article holds, for telling what was invented."""

    def __init__(self, article: Article) -> None:
        text = f"{article.title}\n{article.headings}\n{article.body}"
        self._words = tokens(text)
        self._running = f" {' '.join(self._words)} "
        self._host = host_label(article.host)

    def names(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return those that stand on the page word by word, or in its address, each once."""
        found: dict[str, str] = {}
        for name in map(one_line, said):
            if self._holds(name):
                found.setdefault(name.casefold(), name)
        return tuple(found.values())

    def byline(self, said: str) -> str:
        """Return a byline if all its words stand on the page, on one line."""
        line = one_line(said)
        return line if set(tokens(line)) <= set(self._words) else ""

    def could_be_about(self, subject: str) -> bool:
        """Tell whether all words of a phrase that is short enough stand somewhere on the page."""
        words = tokens(subject)
        return 0 < len(words) <= _MAX_SUBJECT_WORDS and set(words) <= set(self._words)

    def _holds(self, name: str) -> bool:
        words = tokens(name)
        in_address = "".join(words).removeprefix("the") == self._host
        on_page = in_address or f" {' '.join(words)} " in self._running
        return on_page and bool(content_words(name))  # "It" is on every page, and no name


def _page_top(article: Article) -> str:
    """Return the first lines of the page as it was scraped, up to a number of words."""
    lines: list[str] = []
    room = _PAGE_TOP_WORDS
    for line in filter(None, clean(article.body).split("\n")):
        words = line.split()[:room]
        lines.append(" ".join(words))
        room -= len(words)
        if not room:
            break
    return "\n".join(lines)


def _claims(said: Iterable[str], text: str) -> tuple[Claim, ...]:
    """Return the sentences of a text that a model copied, whole or in part, as they stand there."""
    by_words = {
        f" {' '.join(tokens(sentence))} ": sentence
        for sentence in sentences(text)
        if count_words(sentence) <= _MAX_CLAIM_WORDS
    }
    copied: dict[str, None] = {}
    for one in (sentence for several in said for sentence in sentences(several)):
        words = f" {' '.join(tokens(one))} "
        whole = by_words.get(words)
        if whole is None and len(words.split()) >= _MIN_QUOTED_WORDS:
            whole = next((by_words[held] for held in by_words if words in held), None)
        if whole is not None:
            copied[whole] = None
    return tuple(
        Claim(
            text=sentence,
            figures=tuple(sorted(numbers(sentence))),
            names=tuple(sorted(find_names(sentence))),
        )
        for sentence in copied
    )
