"""What the nodes of one topic work with; they receive it and never build it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sidelight.generation.roles import Roles
from sidelight.retrieval.lateral import LateralRetriever
from sidelight.schemas.article import Article
from sidelight.schemas.segment import Segment
from sidelight.tracks import Track


@dataclass(frozen=True, slots=True)
class Deps:
    """Dependencies of one topic.

    Attributes:
        article: The target article.
        track: Limits of the files that come out.
        roles: One performer for each role.
        retriever: Finds segments, never the article's own.
        lookup: Segment ids to segments, in the order asked for.
        k: Segments kept per query.
    """

    article: Article
    track: Track
    roles: Roles
    retriever: LateralRetriever
    lookup: Callable[[Sequence[str]], Sequence[Segment]]
    k: int
