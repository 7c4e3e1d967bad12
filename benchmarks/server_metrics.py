"""What a vLLM server counts of the prompts it was given, as its `/metrics` say."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from typing import NamedTuple, Self

_TIMEOUT_S = 10.0
_LINE = re.compile(r"^vllm:(\w+)\{[^}]*\} ([0-9.e+]+)$", re.MULTILINE)


class PromptTokens(NamedTuple):
    """Tokens of prompts looked up in the prefix cache, and those found there.

    Where the cache is off nothing is looked up.
    """

    read: int = 0
    looked_up: int = 0
    found: int = 0

    def __str__(self) -> str:
        if not self.looked_up:
            return f"{self.read:,} prompt tokens, no prefix cache"
        share = self.found / self.looked_up
        return f"{self.read:,} prompt tokens, {share:.1%} of them found in the prefix cache"

    def since(self, before: Self) -> PromptTokens:
        """Return what was added after `before`."""
        return PromptTokens(*(now - then for now, then in zip(self, before, strict=True)))


def read_metrics(text: str) -> PromptTokens:
    """Read the page that a server gives to Prometheus."""
    totals: dict[str, float] = {}
    for name, value in _LINE.findall(text):
        totals[name] = totals.get(name, 0) + float(value)
    names = ("prompt_tokens_total", "prefix_cache_queries_total", "prefix_cache_hits_total")
    return PromptTokens(*(round(totals.get(name, 0)) for name in names))


def ask_metrics(api: str) -> PromptTokens | None:
    """Ask the server whose API begins at an address; None for one that counts nothing of this."""
    try:
        address = api.rstrip("/").removesuffix("/v1") + "/metrics"
        with urllib.request.urlopen(address, timeout=_TIMEOUT_S) as response:
            text = response.read().decode(errors="replace")
    except (urllib.error.URLError, TimeoutError):
        return None
    return read_metrics(text) if "vllm:" in text else None
