"""The real topics of the benchmark: pages made of cited sentences, hidden in a real collection.

Three models wrote reports on each of the 30 public articles. Two of them, the sources, become
pages: one page per cited host, made of the sentences that cite it. The sentences of the third are
the expected answers. What they call "the article" or "the target" a page calls by its outlet, as a
page of its own would: "the Verge article". Citations of the article itself make no page, and a
sentence that rests on nothing else is no expected answer: it retells the article.
"""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import orjson

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.english.cleaning import find_publisher
from sidelight.formats.topics import read_articles
from sidelight.index.text.corpus import passage_text, windows
from sidelight.retrieval.first_stage import FusionRetriever
from sidelight.schemas.investigation.evidence import Hit, Query, ranked
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article, host_of
from sidelight.text import budget_words, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt

_THE_ARTICLE = re.compile(r"\b([Tt])he (?:target(?: (?:article|piece|text))?|article|piece)\b")
_SAME_STATEMENT = 0.75
_VOTES_TO_WEIGHT = {1: 1, 2: 2, 3: 4}


class Sentence(NamedTuple):
    """One sentence of a model's report and the hosts it cites, the article itself left out."""

    text: str
    hosts: tuple[str, ...]


class Expected(NamedTuple):
    """What a report should say, and its weight: 1, 2 or 4 as one, two or three models say it."""

    text: str
    weight: int


class Topic(NamedTuple):
    """One article with the reports of the three models, by model."""

    article: Article
    reports: dict[str, tuple[Sentence, ...]]


def read_real_topics(data: Path) -> tuple[list[Topic], list[str]]:
    """Return the 30 topics in the order of the file, and the models' names, sorted."""
    articles = read_articles(data / "dragun-2025" / "topics.jsonl")
    reports: defaultdict[str, dict[str, tuple[Sentence, ...]]] = defaultdict(dict)
    with gzip.open(data / "dragun-2026-testbed" / "reports.jsonl.gz") as lines:
        for line in map(orjson.loads, lines):
            reports[line["topic_id"]][line["model"]] = tuple(
                Sentence(one_line(item["text"]), tuple(item["citations"]))
                for item in line["responses"]
            )
    topics = [
        Topic(
            article,
            {model: _outside(article, said) for model, said in reports[article.topic_id].items()},
        )
        for article in articles
    ]
    return topics, sorted(topics[0].reports)


def _outside(article: Article, said: Iterable[Sentence]) -> tuple[Sentence, ...]:
    own = _address(article.url)
    return tuple(
        Sentence(text, tuple(dict.fromkeys(host_of(url) for url in urls if _address(url) != own)))
        for text, urls in said
    )


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{(parts.hostname or '').removeprefix('www.')}{parts.path.rstrip('/')}"


def pages_of(topics: Sequence[Topic], sources: Sequence[str]) -> list[Segment]:
    """Return the windows of the pages that the sources' sentences make, one page per host."""
    segments: list[Segment] = []
    for number, topic in enumerate(topics):
        texts: defaultdict[str, list[str]] = defaultdict(list)
        outlet = find_publisher(topic.article).removeprefix("The ")
        for model in sources:
            for sentence in topic.reports[model]:
                text = _THE_ARTICLE.sub(rf"\1he {outlet} article", sentence.text)
                for host in filter(None, sentence.hosts):
                    texts[host].append(text)
        for place, host in enumerate(sorted(texts)):
            body = " ".join(texts[host])
            document_id = f"msmarco_v2.1_doc_{90 + number % 10}_{number * 1000 + place}"
            segments += _windows(document_id, f"https://{host}/", "", body)
    return segments


def base_segments(data: Path, topics: Sequence[Topic]) -> list[Segment]:
    """Return what the pages are hidden among: the real segments, and windows of the articles."""
    segments: dict[str, Segment] = {}
    with gzip.open(data / "rag-2024" / "references.jsonl.gz") as lines:
        for line in map(orjson.loads, lines):
            for segment_id, text in zip(
                line["references_ids"], line["references_texts"], strict=True
            ):
                segments[segment_id] = Segment(segment_id=segment_id, text=text)
    for topic in topics:
        article = topic.article
        for segment in _windows(article.topic_id, article.url, article.title, article.body):
            segments[segment.segment_id] = segment
    return [segments[segment_id] for segment_id in sorted(segments)]


def _windows(document_id: str, url: str, title: str, body: str) -> list[Segment]:
    return [
        Segment(
            segment_id=f"{document_id}#{place}_{start}", url=url, title=title, text=body[start:end]
        )
        for place, (start, end) in enumerate(windows(body))
    ]


def expected_answers(
    topic: Topic, target: str, encode: Callable[[Sequence[str]], npt.NDArray[np.float32]]
) -> list[Expected]:
    """Return the target's sentences that rest on other pages, weighed by how many models agree."""
    wanted = [sentence.text for sentence in topic.reports[target] if sentence.hosts]
    votes = np.ones(len(wanted), dtype=int)
    for model, said in topic.reports.items():
        if model != target:
            likeness = encode(wanted) @ encode([sentence.text for sentence in said]).T
            votes += likeness.max(axis=1) >= _SAME_STATEMENT
    return [
        Expected(text, _VOTES_TO_WEIGHT[int(count)])
        for text, count in zip(wanted, votes, strict=True)
    ]


def cut(texts: Iterable[str], max_words: int) -> list[str]:
    """Return the first sentences that fit into so many words."""
    kept: list[str] = []
    for text in texts:
        max_words -= budget_words(text)
        if max_words < 0:
            break
        kept.append(text)
    return kept


class MemoryDense:
    """Ranks segments by cosine, over vectors that are given."""

    name = "dense"

    def __init__(
        self,
        segments: Sequence[Segment],
        vectors: npt.NDArray[np.float32],
        encode: Callable[[Sequence[str]], npt.NDArray[np.float32]],
    ) -> None:
        self._ids = [segment.segment_id for segment in segments]
        self._vectors = vectors
        self._encode = encode

    def search(self, queries: Sequence[Query], k: int) -> dict[str, list[Hit]]:
        """Return up to `k` hits for every query id."""
        scores = self._encode([query.text for query in queries]) @ self._vectors.T
        found = {}
        for query, row in zip(queries, scores, strict=True):
            best = np.argpartition(-row, min(k, len(row) - 1))[:k]
            found[query.query_id] = ranked([Hit(self._ids[i], float(row[i])) for i in best])
        return found


def hybrid(
    base: Sequence[Segment],
    base_vectors: npt.NDArray[np.float32],
    pages: Sequence[Segment],
    encode_documents: Callable[[Sequence[str]], npt.NDArray[np.float32]],
    encode_queries: Callable[[Sequence[str]], npt.NDArray[np.float32]],
) -> FusionRetriever:
    """Return BM25 and dense retrieval, fused, over the base and the pages."""
    segments = [*base, *pages]
    vectors = np.concatenate([base_vectors, encode_documents([passage_text(one) for one in pages])])
    return FusionRetriever(
        [MemoryRetriever(segments), MemoryDense(segments, vectors, encode_queries)]
    )
