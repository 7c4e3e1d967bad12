"""What an inference server with a prefix cache computes of the prompts it gets."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

CHARACTERS_PER_TOKEN, BLOCK_TOKENS, CACHE_TOKENS = 4, 16, 262_144
_BLOCK = BLOCK_TOKENS * CHARACTERS_PER_TOKEN


class CachedPrefix(NamedTuple):
    """A prompt and what was known of it when it came.

    Attributes:
        keys: Of its whole blocks; each stands for all the text up to its end.
        tokens: Of the prompt, at four characters each.
        computed: Tokens that were not known.
    """

    keys: list[int]
    tokens: int
    computed: int


class PrefixCache:
    """Blocks of 16 tokens, up to 262,144 tokens; the least recently used makes place.

    A server finds only what it has finished: look a prompt up when it comes, keep it when it has
    been answered.
    """

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def look_up(self, text: str) -> CachedPrefix:
        """Return how much of a prompt is left to compute."""
        keys, key = [], 0
        for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
            key = hash((key, text[start : start + _BLOCK]))
            keys.append(key)
        n_known = next(
            (place for place, key in enumerate(keys) if key not in self._blocks), len(keys)
        )
        tokens = -(-len(text) // CHARACTERS_PER_TOKEN)
        return CachedPrefix(keys, tokens, tokens - n_known * BLOCK_TOKENS)

    def keep(self, prompt: CachedPrefix) -> None:
        """Remember a prompt; its end makes place before its beginning."""
        for key in reversed(prompt.keys):
            self._blocks[key] = None
            self._blocks.move_to_end(key)
        while len(self._blocks) > CACHE_TOKENS // BLOCK_TOKENS:
            self._blocks.popitem(last=False)
