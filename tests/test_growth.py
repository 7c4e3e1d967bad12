"""Text work takes a time that grows as a text does, whatever the text is made of.

What is tried is found, not listed: every public function of the rooms that read pages which takes
text, and every pattern at the head of their modules. A text four times as long may take eight times
as long: a square would take sixteen.
"""

import asyncio
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import orjson
import pytest

import sidelight
from benchmarks.memory_retriever import MemoryRetriever
from sidelight import text
from sidelight.checks.support import Support
from sidelight.english.injection import gives_orders
from sidelight.formats.lines import Findings
from sidelight.formats.runs.cited_sentences import check_text
from sidelight.generation.extractive.findings import find_findings
from sidelight.generation.extractive.known import Known, read_pages
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.llm.base import Message, Request
from sidelight.llm.server.openai_compat import read_completion
from sidelight.llm.structured import ask
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.investigation.angle import ArticleProfile
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet, Query
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text_vectors import TextVectors
from tests.helpers.models.scripted_model import ScriptedModel

# Rooms through which the text of pages, articles, files and models' replies goes.
ROOMS = (
    *"agents checks english evaluation formats generation learned llm".split(),
    *"retrieval schemas serve text view".split(),
)
NOTICED_S = 0.03
# Of spaCy, which the profile of an article has read the same texts.
ELSEWHERE = {"sidelight.english.parser.parse"}
OTHER = "A study of the quarry counted twelve visitors a day."
REQUEST = Request(model="scripted", messages=(Message(role="user", content=OTHER),))
SHAPES = (
    *(".", "!", "…", "a", "A ", " ", "\n", "a\n", "a ", "related\n", "(", "(a ", '"', "“", "'"),
    *("“a. ", '"a" A. ', "a–", "–", "a-", "1", "1 ", "1,", "1.", "a'", "<", "<!--", "A. "),
    *("\u0301\u0323", "\u0f73", "\u200b", "a\u200b", "【", "*", "[", "/", "&#1", "&a;", "Mr. "),
    *("Study by Xyz ", "q w ", "he ", "it is ", "the company a ", "this year ", "{", '{"a":'),
    *("```", "- ", "\\n", "style='", "Ab ", "Ab Cd Ef ", "A of ", "the A ", "aB1-", "a, ", "\r"),
    *("é", "A said "),
)


def modules():
    names = (one.name for one in pkgutil.walk_packages(sidelight.__path__, "sidelight."))
    return [importlib.import_module(name) for name in names if name.split(".")[1] in ROOMS]


def grows_too_fast(work, shape, size):
    """Tell whether some work takes over eight times as long on a text four times as long.

    What looks like it is timed again, since a busy machine makes anything look like it.
    """
    long, short = (shape * (length // len(shape)) + "\x00" for length in (size, size // 4))

    def looks_like_it(times):
        taken = min(seconds(work, long) for _ in range(times))
        return taken > NOTICED_S and (
            taken > 8 * min(seconds(work, short) for _ in range(times)) + NOTICED_S
        )

    return all(map(looks_like_it, (1, 2, 3)))


def seconds(work, value):
    for read in remembered():
        read.cache_clear()
    begin = time.process_time()
    # What is no article, no number and so on is refused; how long that takes counts, too.
    with suppress(Exception):
        work(value)
    return time.process_time() - begin


@cache
def remembered():
    """Return the functions that remember what they have read; tracks and prompts are no texts."""
    found = (one for module in modules() for one in vars(module).values())
    kept = {one for one in found if hasattr(one, "cache_clear")}
    others = {"sidelight.tracks", "sidelight.prompting"}
    return {
        one for one in kept if one.__module__ not in others and inspect.signature(one).parameters
    }


# Patterns


def patterns_in(value, depth=3):
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif depth and isinstance(value, Mapping | tuple | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from patterns_in(one, depth - 1)


def own_shapes(pattern):
    """Return words and signs that a pattern itself looks for."""
    plain = re.sub(r"\\[a-zA-Z]|\(\?P?<\w+>|\(\?[a-zA-Z]+", " ", pattern)
    signs = set(re.findall(r"[^\w\s\\]", plain))
    return [
        *sorted(f"{word} " for word in {*re.findall(r"[A-Za-z]{2,}", plain)})[:12],
        *sorted(signs),
    ]


def used_patterns():
    """Yield each pattern's name, a use that is made of it, and what it looks for."""
    found = modules()
    source = "\n".join(inspect.getsource(module) for module in found)
    used: dict[str, set[str]] = {}
    for name, use in re.findall(r"\b(\w+)\.(\w+)\(", source):
        used.setdefault(name, set()).add(use)
    seen: set[tuple[str, int]] = set()
    for module in found:
        for name, value in vars(module).items():
            for pattern in patterns_in(value):
                if (pattern.pattern, pattern.flags) in seen:
                    continue
                seen.add((pattern.pattern, pattern.flags))
                uses = used.get(name, set())
                anchored = uses & {"match", "fullmatch"}
                for use in anchored | ({"search"} if uses - anchored or not uses else set()):
                    yield f"{module.__name__}.{name}.{use}", getattr(pattern, use), pattern.pattern


def test_no_pattern_takes_the_square_of_a_text():
    tried = list(used_patterns())
    assert len(tried) > 150
    assert [
        (name, shape)
        for name, use, pattern in tried
        for shape in (*SHAPES, *own_shapes(pattern))
        if grows_too_fast(use, shape, 8_000)
    ] == []


# Functions


def segment(value):
    return Segment(segment_id="a_doc_00_1#0_0", url="https://a.example/", title=value, text=value)


def article(value):
    return Article(topic_id="a", title=value[:500], url="https://a.example/", body=value)


def profile(value):
    return ArticleProfile(
        title=value, publisher="A", host="a.example", subject=value, keywords=(), body=value
    )


# How a parameter is made from a text, by its annotation.
MADE: dict[str, Callable[[str], object]] = {
    "str": str,
    "bytes": str.encode,
    **{f"{many}[str]": lambda value: [value] for many in ("Sequence", "Iterable", "Collection")},
    "tuple[str, ...]": lambda value: (value,),
    "set[str]": lambda value: {value},
    "Segment": segment,
    **{f"{many}[Segment]": lambda value: [segment(value)] for many in ("Sequence", "Iterable")},
    "Article": article,
    "ArticleProfile": profile,
}


def text_functions():
    """Yield every public function that takes text, once for each parameter that does."""
    for module in modules():
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else value
            if (
                name.startswith("_")
                or not inspect.isfunction(function)
                or inspect.iscoroutinefunction(function)  # most wait for others; see METHODS
                or function.__module__ != module.__name__
                or f"{module.__name__}.{name}" in ELSEWHERE
            ):
                continue
            wanted = [
                one
                for one in inspect.signature(function).parameters.values()
                if one.default is one.empty and one.kind is not one.VAR_POSITIONAL
            ]
            if not all(one.annotation in MADE for one in wanted):
                continue
            for long in wanted:
                yield f"{module.__name__}.{name}({long.name})", given(function, wanted, long)


def given(function, wanted, long):
    def work(value):
        arguments = {
            one.name: MADE[one.annotation](value if one is long else OTHER) for one in wanted
        }
        found = function(**arguments)
        return list(found) if isinstance(found, Iterator) else found

    return work


def profiled(value):
    return asyncio.run(ExtractiveProfiler()(article(value)))


def found_on(page):
    """Read a page for what it tells beyond an article that has nothing to do with it."""
    vectors = TextVectors(lambda texts: np.ones((len(texts), 1), dtype=np.float32))
    known = Known(profile(OTHER), vectors)
    pages = read_pages(
        EvidenceSet(items=(Evidence(segment=page, relevance={"a": 0.5}),)), profile(OTHER)
    )
    return [list(find_findings(one, known, one.lines)) for one in pages]


def titled(value):
    return found_on(segment(OTHER).model_copy(update={"title": value}))


def searched(value):
    """Search around an article in a page of the same text."""
    page = segment(value)
    around = LateralRetriever(MemoryRetriever([page]), article(value), lambda _: [page])
    return around.search([Query(query_id="q", text=value)], 5)


def replied(value):
    """Read a model's reply as a server sends it, and then as the answer that was asked for."""
    answer = orjson.dumps({"reason": value, "label": "none"}).decode()
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
    reply = read_completion(orjson.dumps({"choices": [choice]}))
    return asyncio.run(ask(ScriptedModel([reply]), REQUEST, Support))


# What a function's annotations cannot say how to make.
METHODS: dict[str, Callable[[str], object]] = {
    "strict check": lambda value: check_text(1, value, Findings(Path("run"))),
    "findings": lambda value: found_on(segment(value)),
    "titles": titled,
    "profile": profiled,
    "lateral search": searched,
    "reply": replied,
    "broken reply": lambda value: asyncio.run(ask(ScriptedModel([value, value]), REQUEST, Support)),
}


PARSING = frozenset({"findings", "titles", "profile"})
"""Methods that parse every text: the default tests try them on a third of the shapes."""


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_no_function_takes_the_square_of_a_text(every):
    tried = [*text_functions(), *METHODS.items()]
    assert len(tried) > 100
    assert [
        (name, shape)
        for name, work in tried
        for shape in (SHAPES[::every] if name in PARSING else SHAPES)
        if grows_too_fast(work, shape, 4_000)
    ] == []


def names(size):
    """A different name every ten letters."""
    letters = "".join(
        chr(97 + n % 26) + chr(97 + n // 26 % 26) + chr(97 + n // 676) for n in range(size)
    )
    return " said ".join(letters[n : n + 6].capitalize() for n in range(0, size, 6))[:size]


@pytest.mark.parametrize(
    "work", [gives_orders, profiled, METHODS["findings"]], ids=["orders", "profile", "findings"]
)
def test_many_names_are_looked_for_in_bounded_time(work):
    assert seconds(work, names(24_000)) < 10


def test_marks_that_no_letter_carries_are_dropped():
    assert text.clean("e" + "\u0301" * 3 + "x") == "é" + "\u0301" * 2 + "x"
    assert len(text.clean("e" + "\u0301" * 5000 + "x")) < 70
    dashes = "—" * 200 + "…" * 100
    assert text.clean(dashes) == dashes
