"""What a performer asks of a model, as it says itself; estimates are made of it.

The figures of sidelight's own performers were measured: ten of the public topics (every third),
every role asking the server of the tests, BM25 over the 30 articles, one, two, three and five
rounds at most; they are means over `calls/*.jsonl` of those runs. That server writes answers of
ordinary length. A model that reasons writes more, and one whose sentences stand at once is asked to
revise fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from sidelight.prompting import Prompt


class Asked(NamedTuple):
    """How one prompt is asked on a topic; a performer's `asks` has one for each of its prompts.

    Attributes:
        prompt: What is asked.
        calls: Calls in a run of one round, repairs included and replayed ones not.
        characters: Read beside the text of the prompt and the article.
        written: Tokens written.
        more: Calls that every further round adds.
        model: Who is asked; where no such model is named, the writer.
    """

    prompt: Prompt
    calls: float
    characters: int
    written: int
    more: float = 0
    model: Literal["writer", "checker", "ranker"] = "writer"
