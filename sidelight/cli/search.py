"""Commands `search` and `fuse`: search an index, and fuse search results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli.console import Note, Result, Shown, out
from sidelight.cli.options.inputs import HitsPerQuery, index_option, output_option, queries_option
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.index.folder import SearchIndex
    from sidelight.retrieval.base import Retriever
    from sidelight.schemas.investigation.evidence import Hit, Query

    Search = Callable[[Sequence[Query], int], dict[str, list[Hit]]]

_SNIPPET = 300


def search(
    words: Annotated[str | None, typer.Argument(help="What to search for.")] = None,
    *,
    index: Annotated[Path, index_option()],
    retriever: Annotated[
        str, typer.Option("--retriever", help="bm25, rm3, rocchio, dense or hybrid.")
    ] = "hybrid",
    k: HitsPerQuery = 10,
    queries: Annotated[
        Path | None, queries_option("File of `id<TAB>text` lines instead of words.")
    ] = None,
    documents: Annotated[
        bool,
        typer.Option("--documents", help="With --queries: rank documents, by their best segment."),
    ] = False,
    output: Annotated[Path | None, output_option("TREC run to write with --queries.")] = None,
) -> Result:
    """Search an index and show the hits, or write a TREC run for a file of queries."""
    from sidelight.errors import UsageError
    from sidelight.index.folder import open_index
    from sidelight.retrieval.first_stage import open_retriever

    if words is not None and not words.strip():
        raise UsageError("expected words to search for; found none")
    if (words is None) == (queries is None) or (queries is None) != (output is None):
        raise UsageError(
            "expected either words to search for, or --queries with --output",
            remedy='Try: sidelight search --index DIR "who owns the outlet"',
        )
    folder = open_index(index)
    opened = open_retriever(retriever, folder)
    if queries is not None and output is not None:
        search: Search = _documents(opened) if documents else opened.search
        return _write_run(search, opened.name, queries, k, output)
    return _hits(opened, folder, words or "", k)


def _documents(retriever: Retriever) -> Search:
    from sidelight.retrieval.best_segment import DocumentRetriever
    from sidelight.schemas.investigation.evidence import Hit

    found = DocumentRetriever(retriever.search)
    return lambda queries, k: {
        query_id: [Hit(one.document_id, one.score) for one in documents]
        for query_id, documents in found.search(queries, k).items()
    }


def _write_run(search: Search, name: str, queries: Path, k: int, output: Path) -> Result:
    from sidelight.formats.runs.trec_run import write_trec_run
    from sidelight.formats.topics import read_queries

    results = search(read_queries(queries), k)
    write_trec_run(output, results, f"sidelight-{name}")
    count = sum(len(hits) for hits in results.values())
    return Result(
        {"queries": len(results), "hits": count, "output": str(output)},
        [f"Wrote {counted(count, 'hit')} for {counted(len(results), 'query')} to {output}"],
    )


def _hits(retriever: Retriever, folder: SearchIndex, words: str, k: int) -> Result:
    from sidelight.schemas.investigation.evidence import Query
    from sidelight.text import one_line

    hits = retriever.search([Query(query_id="q", text=words)], k)["q"]
    segments = folder.docstore.get_many([hit.segment_id for hit in hits])
    document: list[dict[str, Any]] = []
    shown: list[Shown] = [] if hits else ["No segment was found."]
    for rank, (hit, segment) in enumerate(zip(hits, segments, strict=True), start=1):
        document.append({"rank": rank, "score": hit.score, **segment.model_dump()})
        shown.append(Note(f"{rank:3}  {hit.score:.4f}  {hit.segment_id}", "bold"))
        if segment.title or segment.url:
            shown.append(f"     {one_line(segment.title)}  {one_line(segment.url)}")
        shown.append(f"     {one_line(segment.text)[:_SNIPPET]}")
    return Result(document, shown)


_TAG = "sidelight-fused"


def fuse(
    runs: Annotated[list[Path], typer.Argument(help="Search results, six columns.")],
    output: Annotated[Path, output_option("TREC run to write.")],
    k: HitsPerQuery = 1000,
) -> None:
    """Fuse search results by the ranks they give (reciprocal rank fusion, constant 60)."""
    from sidelight.errors import InputError
    from sidelight.formats.runs.trec_run import read_trec_run, write_trec_run
    from sidelight.retrieval.first_stage import reciprocal_rank_fusion

    found = list(map(read_trec_run, runs))
    queries = dict.fromkeys(query_id for results in found for query_id in results)
    if not queries:
        raise InputError(f"{runs[0]}: expected search results; found none")
    fused = {
        query_id: reciprocal_rank_fusion(results.get(query_id, []) for results in found)[:k]
        for query_id in queries
    }
    write_trec_run(output, fused, _TAG)
    out.print(
        f"Fused {counted(len(found), 'run')} over {counted(len(fused), 'query')} into {output}",
        markup=False,
    )
