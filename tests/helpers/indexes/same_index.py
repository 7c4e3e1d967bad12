"""Indexes that must be the same, whatever happened while they were built."""

from sidelight.index.folder import open_index
from sidelight.registry import names
from sidelight.retrieval.first_stage import open_retriever
from sidelight.schemas.investigation.evidence import Query

QUERIES = [Query(query_id="q", text="who owns the quarry dibe"), Query(query_id="r", text="bu")]


def check_same(folder, undisturbed):
    assert _content(open_index(folder)) == _content(undisturbed)
    assert {path.name for path in folder.iterdir()} == {
        path.name for path in undisturbed.path.iterdir()
    }


def _content(folder):
    found = {name: open_retriever(name, folder).search(QUERIES, 64) for name in names("retriever")}
    # Lucene's threads take segments in any order, and its files grow a little with it.
    manifest = folder.manifest.model_copy(update={"files": {}, "hashes": {}})
    return folder.manifest.fingerprint(), manifest, list(folder.docstore), found
