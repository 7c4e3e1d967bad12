"""What a topic costs with a model: calls, tokens, and what caches find of them.

Two topics of the mini web whose every prompt a person answered are replayed. Tokens are counted at
four characters each, those of the rules included. `found by a prefix cache` is what a server that
keeps the prompts that came before, on the same topic, need not read again. The same topic a second
time asks nothing: all replies are in the folder of replies.

Run with: python -m benchmarks.bench_prompted_topic
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.prefix_cache import CHARACTERS_PER_TOKEN, PrefixCache
from benchmarks.record import Figure, write_results
from sidelight.formats.topics import read_articles
from sidelight.index.text.corpus import MS_MARCO, ShardReader, read_documents, write_segments
from sidelight.sample import sample_path
from tests.helpers.lexical import lexical_encode
from tests.helpers.models.by_hand import ByHandServer, investigate

RECORDED = Path(__file__).parents[1] / "tests" / "fixtures" / "by_hand"


class Cost(NamedTuple):
    """What one topic came to, in tokens but for the calls."""

    calls: int
    prompts: int
    found: int
    replies: int
    calls_again: int

    def __str__(self) -> str:
        return (
            f"{self.calls} calls, {self.prompts:,} prompt tokens, {self.found:,} of them "
            f"({self.found / self.prompts:.0%}) found by a prefix cache, {self.replies:,} written; "
            f"again: {self.calls_again} calls"
        )


def main() -> None:
    recordings = sorted(RECORDED.glob("*.jsonl.gz"))
    with tempfile.TemporaryDirectory() as name:
        costs = {one.name.partition(".")[0]: cost_of(one, Path(name)) for one in recordings}
    figures = [
        Figure(f"{what} of topic {topic}", value, unit)
        for topic, cost in costs.items()
        for what, value, unit in (
            ("calls", cost.calls, ""),
            ("prompt tokens", cost.prompts, ""),
            ("share found by a prefix cache", round(cost.found / cost.prompts, 3), ""),
        )
    ]
    lines = [f"{topic}: {cost}" for topic, cost in costs.items()]
    print(*lines, sep="\n")
    write_results("prompted_topic", f"{len(costs)} topics answered by hand", lines, figures)


def cost_of(recording: Path, folder: Path) -> Cost:
    """Return what the topic of a recording costs."""
    topic = recording.name.partition(".")[0]
    (article,) = (
        one for one in read_articles(sample_path() / "topics.jsonl") if one.topic_id.endswith(topic)
    )
    segments = folder / "segments.jsonl"
    write_segments(segments, read_documents(sample_path() / "documents.jsonl"), lambda _: None)
    windows = list(ShardReader(segments, MS_MARCO, strict=True).segments())
    with gzip.open(recording, "rt", encoding="utf-8") as lines:
        written = sum(len(json.loads(line)["reply"]) for line in lines)
    out = folder / topic
    with ByHandServer(recording) as server:
        investigate(article, windows, lexical_encode, server.base_url, out)
        asked = len(server.requests)
        prompts = ["\n".join(one["content"] for one in r["messages"]) for r in server.requests]
        for path in sorted(out.rglob("*"), reverse=True):  # all but the replies
            if path.is_file() and "cache" not in path.relative_to(out).parts:
                path.unlink()
        investigate(article, windows, lexical_encode, server.base_url, out)
        again = len(server.requests) - asked
    cache, read, found = PrefixCache(), 0, 0
    for prompt in prompts:
        known = cache.look_up(prompt)
        cache.keep(known)
        read += known.tokens
        found += known.tokens - known.computed
    return Cost(asked, read, found, written // CHARACTERS_PER_TOKEN, again)


if __name__ == "__main__":
    main()
