from __future__ import annotations

import pytest

from sidelight.index.encoding.encoder import prompts_of

SEARCH = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/e5-base-v2", ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-large", ("query: ", "passage: ")),
        ("/models/models--intfloat--e5-small/snapshots/1a2b", ("query: ", "passage: ")),
        ("BAAI/bge-large-en-v1.5", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-l", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", ("query: ", "")),
        ("all-MiniLM-L6-v2", ("", "")),
        # These want instructions of their own, or nothing.
        ("intfloat/multilingual-e5-large-instruct", ("", "")),
        ("BAAI/bge-m3", ("", "")),
        ("/models/not-e5-base", ("", "")),
    ],
)
def test_known_by_name(name: str, expected: tuple[str, str]) -> None:
    assert prompts_of(name, {"query": "", "document": ""}) == expected


def test_what_the_model_says_goes_before_its_name() -> None:
    qwen = "Instruct: Given a web search query, find passages\nQuery:"
    assert prompts_of("Qwen/Qwen3-Embedding-0.6B", {"query": qwen, "document": ""}) == (qwen, "")
    assert prompts_of("intfloat/e5-base", {"query": "Q: ", "passage": "P: "}) == ("Q: ", "P: ")
