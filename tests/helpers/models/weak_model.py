"""A weak model: its replies fit their schemas, and say what small models say."""

from __future__ import annotations

import json
import random
import re

from tests.helpers.models.answer_schema import FENCE, answer_schema
from tests.helpers.models.model_server import ModelServer, completion

MODEL = "by-hand"
_IDS = re.compile(r"(^|_)(ids?|keys?)$")
# What a list of a weak reply is, and a text; each reply has one habit of either kind.
_LISTS = ("whole", "whole", "empty", "first again", "one")
_TEXTS = (
    "as asked",
    "as asked",
    "half",
    "the article",
    "of another page",
    "made up",
    "placeholder",
)
_NAMINGS = ("as shown", "segment {}", "[{}]", "lower", "article", "{}99")
MADE_UP = "Zebra Holdings paid 987 crowns to the Quagga Institute in 1913."


class WeakServer(ModelServer):
    """Draws its habits anew for every request, from a seed and the request alone."""

    def __init__(self, seed):
        super().__init__(models=(MODEL,))
        self._seed = seed

    def _chat(self, request):
        self.requests.append(request)
        prompt = "\n\n".join(one["content"] for one in request["messages"][:2])
        rng = random.Random(f"{self._seed} {len(request['messages'])} {prompt}")
        schema = request["response_format"]["json_schema"]["schema"]
        habits = tuple(map(rng.choice, (_LISTS, _TEXTS, _NAMINGS)))
        texts = [text for _, _, text in FENCE.findall(prompt)]
        reply = _weakened(answer_schema(schema, prompt), "", habits, texts, rng)
        return completion(json.dumps(reply))


def _weakened(value, name, habits, texts, rng):
    lists, said, naming = habits
    if isinstance(value, dict):
        value = {key: _weakened(one, key, habits, texts, rng) for key, one in value.items()}
    elif isinstance(value, list):
        items = [_weakened(one, name, habits, texts, rng) for one in value]
        made = {"empty": [], "first again": items[:1] * len(items), "one": items[:1]}
        value = items if _IDS.search(name) else made.get(lists, items)
    elif isinstance(value, str) and _IDS.search(name):
        value = {"as shown": value, "lower": value.casefold()}.get(naming, naming.format(value))
    elif name in {"text", "question"}:
        mark = "?" if name == "question" else "."
        words = rng.choice(texts[1:] or texts).split()
        begin = rng.randrange(len(words))
        made_up = {
            "half": " ".join(value.split()[:5]),
            "the article": texts[0].split("\n")[-1][:200],
            "of another page": " ".join(words[begin : begin + 15]).strip(".") + mark,
            "made up": f"{MADE_UP[:-1]}{mark}",
            "placeholder": "...",
        }
        value = made_up.get(said, value)
    return value
