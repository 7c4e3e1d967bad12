"""A retriever whose hits are given."""

from sidelight.schemas.investigation.evidence import ranked


class TrecRunRetriever:
    """Answers by query id; the words of a query are not looked at.

    Args:
        run: Hits by query id. A query that a run lacks has no hits.
        name: Name of the run.
    """

    def __init__(self, run, name="trec_run"):
        self.name = name
        self._run = {query_id: ranked(list(hits)) for query_id, hits in run.items()}

    def search(self, queries, k):
        """Return up to `k` hits for every query id."""
        return {query.query_id: self._run.get(query.query_id, [])[:k] for query in queries}
