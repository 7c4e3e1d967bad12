"""Text work takes a time that grows as a text does, whatever the text is made of.

A text four times as long may take eight times as long: a square would take sixteen. The clock is
that of the processor, and what takes no time at all is not compared.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidelight import text
from sidelight.checks.compound_rules import compound_reason
from sidelight.errors import InputError
from sidelight.formats.findings import Findings
from sidelight.formats.runs.cited_sentence import check_text
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.reading.cleaning import clean_article
from sidelight.generation.reading.injection import gives_orders
from sidelight.generation.statements.statements import statements
from sidelight.schemas.article import Article

SHORT, LONG = 6_000, 24_000
NOTICED_S = 0.4
SHAPES = (
    *(
        ".",
        "!",
        "…",
        "a",
        "A ",
        " ",
        "\n",
        "a\n",
        "related\n",
        "(",
        '"',
        "“",
        "'",
        "“a. ",
        '"a" A. ',
    ),
    *(
        "a–",
        "–",
        "1,",
        "1.",
        "a'",
        "<",
        "<!--",
        "A. ",
        "\u0301\u0323",
        "\u0f73",
        "\u200b",
        "a\u200b",
    ),
    *(
        "【",
        "*",
        "&a;",
        "Mr. ",
        "Study by Xyz ",
        "q w ",
        "style='",
        "Ab Cd Ef ",
        "\r",
        "é",
        "A said ",
    ),
)


def profile(body: str) -> None:
    article = Article(topic_id="a", title=body[:500], url="https://a.example/", body=body)
    try:
        asyncio.run(ExtractiveProfiler()(article))
    except InputError:
        assert not text.one_line(body)


WORK: dict[str, Callable[[str], object]] = {
    "sentences": text.sentences,
    "tokens": text.tokens,
    "clean": text.clean,
    "budget": text.budget_words,
    "strict check": lambda value: check_text(1, value, Findings(Path("run"))),
    "orders": gives_orders,
    "compound": compound_reason,
    "cleaning": clean_article,
    "statements": lambda value: statements(value, "A title"),
    "profile": profile,
}


def seconds(work: Callable[[str], object], value: str) -> float:
    gives_orders.cache_clear()
    begin = time.process_time()
    work(value)
    return time.process_time() - begin


def names(size: int) -> str:
    """A different name every ten letters."""
    letters = "".join(
        chr(97 + n % 26) + chr(97 + n // 26 % 26) + chr(97 + n // 676) for n in range(size)
    )
    return " said ".join(letters[n : n + 6].capitalize() for n in range(0, size, 6))[:size]


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_time_grows_as_the_text_does(work: Callable[[str], object]) -> None:
    for shape in SHAPES:
        long = seconds(work, shape * (LONG // len(shape)))
        if long > NOTICED_S:
            short = seconds(work, shape * (SHORT // len(shape)))
            assert long < 8 * short + NOTICED_S, repr(shape)


@pytest.mark.parametrize("name", ["orders", "profile", "statements"])
def test_many_names_are_looked_for_in_bounded_time(name: str) -> None:
    assert seconds(WORK[name], names(LONG)) < 10


def test_marks_that_no_letter_carries_are_dropped() -> None:
    assert text.clean("e" + "\u0301" * 3 + "x") == "é" + "\u0301" * 2 + "x"
    assert len(text.clean("e" + "\u0301" * 5000 + "x")) < 70
    dashes = "—" * 200 + "…" * 100
    assert text.clean(dashes) == dashes
