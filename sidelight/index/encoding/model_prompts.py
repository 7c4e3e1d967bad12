"""What models were trained to find before queries and passages.

Most say so themselves, in `config_sentence_transformers.json`. Those that do not are known by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Prompts(NamedTuple):
    """What stands before texts of each kind; often nothing."""

    query: str
    passage: str


_SEARCH = "Represent this sentence for searching relevant passages: "

# By what a whole part of the model's name or path looks like. From the model cards.
_BY_NAME = {
    r"(multilingual-)?e5-(small|base|large)(-v2)?": Prompts("query: ", "passage: "),
    r"bge-(small|base|large)-en(-v1\.5)?": Prompts(_SEARCH, ""),
    r"snowflake-arctic-embed-(xs|s|m|m-long|l)(-v1\.5)?": Prompts(_SEARCH, ""),
    r"snowflake-arctic-embed-[ml]-v2\.0": Prompts("query: ", ""),
}


def prompts_of(name: str, own: Mapping[str, str]) -> Prompts:
    """Return the prompts of a model.

    Args:
        name: Its name or path.
        own: What its files say; they are believed if they say anything.
    """
    if any(own.values()):
        passages = (own.get(kind, "") for kind in ("document", "passage", "corpus"))
        return Prompts(own.get("query", ""), next(filter(None, passages), ""))
    parts = re.split(r"[/\\]|--", name.lower())
    for pattern, prompts in _BY_NAME.items():
        if any(re.fullmatch(pattern, part) for part in parts):
            return prompts
    return Prompts("", "")
