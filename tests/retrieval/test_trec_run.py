from __future__ import annotations

from sidelight.retrieval.base import TrecRunRetriever
from sidelight.schemas.investigation.evidence import Hit, Query


def test_answers_by_query_id() -> None:
    retriever = TrecRunRetriever({"1": [Hit("b", 1.0), Hit("a", 1.0), Hit("c", 2.0)]}, "theirs")
    queries = [Query(query_id="1", text="any"), Query(query_id="2", text="any")]
    assert retriever.search(queries, 2) == {"1": [Hit("c", 2.0), Hit("a", 1.0)], "2": []}
    assert retriever.name == "theirs"
