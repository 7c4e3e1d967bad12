"""Commands `corpus`, `index`, `search` and `fuse`: build an index, inspect it, and search it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import options
from sidelight.cli.console import Commands, Note, Result, Shown, err, interrupted, out
from sidelight.cli.progress import duration, progress_bar
from sidelight.errors import InputError, UsageError
from sidelight.files import files_below, read_limited
from sidelight.formats.runs.trec_run import read_trec_run, write_trec_run
from sidelight.formats.topics import read_queries
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.remote.client import (
    RemoteAddress,
    RestClient,
    allow_token,
    is_remote,
    read_address,
    write_address,
)
from sidelight.index.text.corpus import (
    MS_MARCO,
    CorpusFields,
    begins_with_document,
    read_documents,
    write_segments,
)
from sidelight.index.vectors.profiles import NO_VECTORS, profile_named
from sidelight.parts import KINDS
from sidelight.registry import check_path, load
from sidelight.retrieval.best_segment import DocumentRetriever
from sidelight.retrieval.first_stage import open_retriever, reciprocal_rank_fusion
from sidelight.schemas.base import faults
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.topic import Article
from sidelight.text import counted, first_of, one_line

if TYPE_CHECKING:
    from sidelight.index.folder import SearchIndex
    from sidelight.index.manifest import Manifest
    from sidelight.retrieval.base import Retriever


Search = Callable[[Sequence[Query], int], dict[str, list[Hit]]]


def plan(  # long: most of it is what it tells
    *,
    count: Annotated[int, options.count_option("How many segments.")] = 113_520_750,
    dim: Annotated[int, options.DIM] = 256,
    profile: options.Profile = "cpu-24gb",
    output: Annotated[
        Path, options.output_option("Folder on the disk that is to hold the index.")
    ] = Path(),
) -> Result:
    """Estimate disk, memory, time and downloads of an index, and whether it fits here.

    Rates are of web pages, on two cores or computed for one H200. Ends with 3 if it does not fit.
    """
    from sidelight.index.vectors.capacity import free_gb, plan_capacity, this_machine

    text_gb, bm25_gb, packed_gb = (round(count * size / 1e9, 1) for size in _SEGMENT_BYTES)
    cores, total, free = os.cpu_count() or 1, text_gb + bm25_gb, free_gb(output)
    text_s, bf16_s, fp32_s = (count * one * 2 / cores for one in _SEGMENT_S)
    document: dict[str, Any] = {"count": count, "text_gb": text_gb, "bm25_gb": bm25_gb}
    document |= {"packed_gb": packed_gb, "free_gb": free, "cores": cores, "text_s": text_s}
    lines = [
        f"text      {text_gb:.1f} GB of disk, read by id",
        f"BM25      {bm25_gb:.1f} GB of disk",
        f"building  {duration(text_s)} for both, 2 GB of memory a process",
    ]
    problems, most = list[str](), total
    if profile != NO_VECTORS:
        planned = plan_capacity(profile_named(profile), count, dim, this_machine())
        where = f" of {planned.gpus} GPU(s)" if planned.gpus else ""
        described = {
            "encoding": f"{duration(bf16_s)} by the bundled encoder in bfloat16, "
            f"{duration(fp32_s)} in single precision; none with --vectors",
            "vectors": f"profile {planned.profile}, {count:,} of {dim} numbers",
            "lists": f"{planned.lists}, {planned.probes} searched" if planned.lists else "none",
            "memory": f"{planned.memory_gb:.1f} GB{where}, "
            f"{planned.memory_bytes_per_vector:.0f} bytes a vector",
            "disk": f"{planned.disk_gb:.1f} GB, {planned.disk_bytes_per_vector:.0f} bytes a vector",
            "building": f"{planned.build_s / 60:.0f} min from vectors to index, "
            f"{planned.building_memory_gb:.1f} GB of memory, {planned.building_disk_gb:.1f} GB of "
            "disk besides",
            "recall": f"{planned.recall:.2f} of the exact 100 best, or more",
            "query": f"{planned.latency_ms:.1f} ms alone, the best 100",
        }
        lines += [f"{name:9} {value}" for name, value in described.items()]
        total += planned.disk_gb
        most = total + planned.building_disk_gb
        document |= planned.model_dump() | {"bf16_s": bf16_s, "fp32_s": fp32_s}
        problems += planned.problems
    if most > free:
        problems.append(f"{most:.1f} GB of disk are needed while building; {free:.1f} are free")
    lines += [
        f"together  {total:.1f} GB of disk; {most:.1f} while built, besides what it is made from",
        f"free      {free:.1f} GB of disk",
        f"download  {packed_gb:.1f} GB if packed like MS MARCO V2.1, nothing for your own pages;",
        "          encoder and Java came with sidelight; published BM25: 137 GB, and a JDK",
        f"times     measured on two cores; text, BM25 and encoding scaled to the {cores} here",
    ]
    document |= {"disk_of_all_gb": total, "building_all_gb": most, "problems": problems}
    return Result(
        document,
        [*lines, *(f"does not fit: {problem}" for problem in problems)],
        exit_code=3 if problems else 0,
    )


# Of a segment of MS MARCO V2.1, measured on those of their shape (docs/scaling.md): bytes of text,
# BM25 and packed; seconds on two cores of both, and of MiniLM in bfloat16 and single precision.
_SEGMENT_BYTES, _SEGMENT_S = (695, 1_463, 334), (194e-6, 1 / 148, 1 / 53)
_TRIAL = "news"  # searched for once, to see whether a server answers


def remote(  # long: half of it are its options
    url: Annotated[str, typer.Argument(help="Address of the server, e.g. http://localhost:8081.")],
    name: Annotated[str, typer.Argument(help="Name of the index on the server.")],
    output: Annotated[Path, options.output_option("Folder that represents the remote index.")],
    token_variable: Annotated[
        str | None,
        typer.Option(
            help="Let this server receive the token in this environment variable, such as "
            "PYSERINI_API_TOKEN; none by default."
        ),
    ] = None,
    at_once: Annotated[
        int, typer.Option("--connections", min=1, max=64, help="Maximum concurrent requests.")
    ] = 4,
    timeout_s: Annotated[
        float, typer.Option("--timeout", help="Longest wait for an answer, in seconds.")
    ] = 60.0,
    dense: Annotated[
        Path | None,
        typer.Option(help="Local index with vectors of the same segments, for hybrid retrieval."),
    ] = None,
) -> None:
    """Search an index that a Pyserini or Anserini REST server keeps.

    Where a command takes --index, it takes this folder. One search is tried now, and nothing is
    written where it fails. What the server answers later is kept in the folder and not asked for
    again. The folder names no token: which server may receive one is kept in your own tokens.json,
    where --token-variable writes it.
    """
    from pydantic import ValidationError

    from sidelight.index.folder import open_folder
    from sidelight.index.remote.index import read_search

    try:
        address = RemoteAddress(
            url=url,
            index=name,
            at_once=at_once,
            timeout_s=timeout_s,
            dense="" if dense is None else str(dense.absolute()),
        )
    except ValidationError as error:
        raise UsageError(
            faults(error),
            remedy="For example: sidelight index remote http://localhost:8081 NAME -o FOLDER",
        ) from None
    if output.exists() and any(output.iterdir()) and not is_remote(output):
        raise UsageError(
            f"{output}: expected a new folder; found one with other files",
            remedy="Name another folder.",
        )
    if dense is not None:
        open_folder(dense)
    answer = RestClient(address, token_variable).get("search", query=_TRIAL, hits=1)
    read_search(answer, 1, address.url)
    if token_variable is not None:
        allow_token(address, token_variable)
    write_address(output, address)
    out.print(f"{output}: {name} at {address.url}", markup=False)


app = Commands(help="Build an index, or say what built it.", no_args_is_help=True)


@app.command()
@interrupted(
    "Finished parts are kept; the same command builds the rest. A complete index stays as it is."
)
def build(  # long: most of it are its options
    shards: Annotated[
        list[Path] | None, typer.Argument(help="Segments as JSONL, plain or .gz, in any order.")
    ] = None,
    *,
    output: Annotated[Path, options.output_option("Folder of the index.")],
    id_field: Annotated[str, typer.Option(help="Key of the segment id.")] = "docid",
    text_field: Annotated[str, typer.Option(help="Key of the text.")] = "segment",
    encoder: Annotated[
        str | None,
        typer.Option(help="Name or path of a sentence-transformers model; the bundled one if not."),
    ] = None,
    encoding: Annotated[
        Arithmetic | None,
        typer.Option(
            help="Number format of the encoder; default: the fastest in a short trial. "
            "int8 takes a model with an ONNX file."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option(help="Stop at a broken shard instead of indexing what is sound.")
    ] = False,
    profile: options.Profile = "exact",
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            help="Parquet with published vectors of the encoder's model, or the name of the set to "
            "stream; repeat for more files. Needs --encoder."
        ),
    ] = None,
    dim: Annotated[int | None, options.DIM] = None,
    lucene: Annotated[
        str | None,
        typer.Option(
            help="Take BM25 from this index of Anserini's: its folder, or what pyserini calls it, "
            "such as msmarco-v2.1-doc-segmented-slim. One that stores text needs no shards."
        ),
    ] = None,
    hnsw: Annotated[
        list[str] | None,
        typer.Option(
            help="Take the vectors from this HNSW index of Anserini's, by folder or name; repeat "
            "for more parts of it. Needs --encoder."
        ),
    ] = None,
    impact: Annotated[
        str | None,
        typer.Option(
            help="Take learned weights of words from this impact index of Anserini's: its folder, "
            "or msmarco-v2.1-doc-segmented.splade-v3."
        ),
    ] = None,
    splade: Annotated[
        str, typer.Option(help="With --impact: name or path of the SPLADE model that made it.")
    ] = "naver/splade-v3",
    engine: Annotated[
        str,
        typer.Option(
            help="Where to compute: local, the processors of this machine; or ray, the machines of "
            "the Ray cluster that RAY_ADDRESS names, which share a file system."
        ),
    ] = "local",
) -> Result:
    """Index segments for BM25, dense and learned sparse retrieval."""
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder
    from sidelight.index.folder import GivenParts, lucene_folder
    from sidelight.index.manifest import MANIFEST

    if not shards and lucene is None:
        raise UsageError("expected shards, or --lucene with an index that stores text")
    if (hnsw or vectors) and encoder is None:
        given = "--hnsw" if hnsw else "--vectors"
        raise UsageError(f"{given} needs --encoder: the model that made its vectors")
    fields = CorpusFields(id=id_field, text=text_field)
    check_segments(shards or (), fields)  # before a published index is downloaded
    manifest_file = output / MANIFEST
    before = manifest_file.stat().st_mtime_ns if manifest_file.is_file() else None
    with redirect_stdout(sys.stderr):  # Ray tells of lost processes on standard output
        manifest = build_index(
            shards or (),
            output,
            Encoder(encoder or DEFAULT_ENCODER, dim, encoding),
            fields,
            progress_bar,
            strict=strict,
            engine=load("engine", engine)(),
            profile=profile,
            vectors=vectors or (),
            given=GivenParts(
                lucene_folder(lucene) if lucene else None,
                tuple(map(lucene_folder, hnsw or ())),
                lucene_folder(impact) if impact else None,
            ),
            splade=splade if impact else "",
        )
    if manifest_file.stat().st_mtime_ns == before:
        err.print("Nothing to do: the index was built from this input before.", markup=False)
    return _built(output, manifest)


app.command()(plan)
app.command()(remote)


@app.command()
def info(folder: Annotated[Path, typer.Argument(help="Folder of the index.")]) -> Result:
    """Check that an index is complete, and say what built it."""
    from sidelight.index.manifest import read_manifest

    if is_remote(folder):
        address = read_address(folder)
        return Result(address.model_dump(), [f"{folder}: {address.index} at {address.url}"])
    return _built(folder, read_manifest(folder))


@app.command()
def verify(folder: Annotated[Path, typer.Argument(help="Folder of the index.")]) -> None:
    """Read every file of an index, and name those that are not as they were built."""
    from sidelight.index.manifest import read_manifest, verify_files

    hashes = read_manifest(folder).hashes
    with progress_bar("files", total=len(hashes)) as advance:
        count = verify_files(folder, hashes, advance)
    out.print(f"{folder}: {counted(count, 'file')} as they were built", markup=False)


def _built(folder: Path, manifest: Manifest) -> Result:
    built = manifest.plan
    described = {
        "index": folder,
        "segments": f"{manifest.segments} of {counted(manifest.documents, 'document')}",
        "size": f"{sum(manifest.files.values()) / 1e6:.1f} MB",
        "input": ", ".join(shard.name for shard in built.inputs),
        "encoder": f"{built.encoder.name}, {built.encoder.dimension} dimensions",
        "vectors": built.profile,
        "analyzer": built.analyzer,
        "built with": ", ".join(f"{name} {v}" for name, v in manifest.libraries.items()),
        "fingerprint": manifest.plan.fingerprint(),
    }
    if built.profile == NO_VECTORS:
        del described["encoder"]
    described |= {"impacts": f"of {built.splade}"} if built.splade else {}
    if manifest.encoding is not None:
        described["encoded in"] = str(manifest.encoding)
    shown = [f"{name:12} {value}" for name, value in described.items()]
    for shard in manifest.shards:
        if shard.refused:
            shown += [
                f"{shard.name}: segments {shard.segments}, lines refused {shard.refused}",
                *(f"  {problem}" for problem in shard.problems),
            ]
    return Result({**manifest.model_dump(), "fingerprint": manifest.plan.fingerprint()}, shown)


corpus_app = Commands(help="Prepare a collection for indexing.", no_args_is_help=True)


_MOST_LACKING = 10
_ADDRESS_HINT = (
    "An address tells who publishes a page and what kind of page it is. To add one, write it on a "
    "line of its own at the top of the text, or as url in JSONL."
)
_DOCUMENTS = (
    "JSONL with docid, body and perhaps url, title, headings, or .gz; saved web pages (.html), "
    "texts (.txt), and folders of these."
)


@corpus_app.callback()
def _corpus() -> None:
    """Keep `segment` a command of its own while it is the only one."""


@corpus_app.command()
def segment(
    documents: Annotated[
        list[Path],
        typer.Argument(help=_DOCUMENTS),
    ],
    output: Annotated[Path, options.output_option("File for the segments (JSONL).")],
) -> Result:
    """Cut documents into the windows of 10 sentences that MS MARCO V2.1 calls segments.

    A page or text is a document, and the name of its file is its id.
    """
    addresses: list[bool] = []
    lacking: list[str] = []  # the first, for the message

    def noted() -> Iterator[Article]:
        for one in _read_documents(documents):
            addresses.append(bool(one.url))
            if not one.url and len(lacking) < _MOST_LACKING:
                lacking.append(one.topic_id)
            yield one

    found = noted()
    if (first := next(found, None)) is None:
        raise InputError(
            f"{documents[0]}: expected documents; found none", remedy=f"Give {_DOCUMENTS}"
        )
    with progress_bar("documents") as advance:
        count = write_segments(output, chain([first], found), advance)
    total, known = len(addresses), sum(addresses)
    shown: list[Shown] = [f"Wrote {counted(count, 'segment')} to {output}"]
    if known < total:
        without = f"without one: {', '.join(lacking)}{' ...' * (total - known > len(lacking))}"
        shown += [
            f"{known} of {counted(total, 'document')} with an address; {without}",
            _ADDRESS_HINT,
        ]
    return Result(
        {"segments": count, "documents": total, "addresses": known, "output": str(output)}, shown
    )


_LINES = (".jsonl", ".json", ".gz")
_PAGES = (".html", ".htm", ".xhtml", ".txt", ".md")
_TOP_LINES, _MAX_TITLE = 4, 120  # lines; characters
_BESIDE_A_PAGE = "_files/"  # ends the name of the folder that a browser saves with a page


def _read_documents(paths: Sequence[Path]) -> Iterator[Article]:
    """Yield the documents in some files and folders, each with an id of its own."""
    from sidelight.serve.guards import NoArticleError

    known: dict[str, Path] = {}
    for path in paths:
        path.stat()  # of what is missing, no name tells the kind
        if not path.is_dir() and path.suffix.lower() not in _PAGES:
            if path.suffix.lower() not in _LINES:
                wanted = f"{', '.join((*_LINES, *_PAGES))}, or a folder"
                raise InputError(
                    f"{path}: expected {wanted}; found a file of another kind",
                    remedy="Save its text as a .txt file, and name that.",
                )
            yield from read_documents(path)
            continue
        folder = path if path.is_dir() else path.parent
        for file in _pages(path) if path.is_dir() else [path]:
            name = str(file.relative_to(folder).with_suffix(""))
            document_id = re.sub(r"[^\w.-]+", "-", name)
            try:
                document = _document(file, document_id)
            except NoArticleError as error:
                if not path.is_dir():
                    raise InputError(f"{file}: {error}") from None
                typer.echo(f"left out: {file}: {error}", err=True)
                continue
            if document_id in known:
                raise InputError(
                    f"{file}: expected an id of its own; found {document_id!r}, the id of "
                    f"{known[document_id]}",
                    remedy="Rename one of the two files.",
                )
            known[document_id] = file
            yield document


def _pages(folder: Path) -> list[Path]:
    """Return the web pages and texts of a folder, without the parts of saved pages."""
    every = files_below(folder)
    found = [one for one in every if _BESIDE_A_PAGE not in str(one.relative_to(folder))]
    others = [str(one) for one in found if one.suffix.lower() not in _PAGES]
    if others:
        left_out = f"left out, neither HTML nor text files: {first_of(others)}"
        typer.echo(f"{left_out}\nTo include one, save its text as a .txt file.", err=True)
    return [one for one in found if one.suffix.lower() in _PAGES]


def _document(file: Path, document_id: str) -> Article:
    from sidelight.serve.app import ADDRESS, MAX_URL, pasted_article
    from sidelight.serve.guards import NoArticleError, kind_of, read_upload

    content = read_limited(file)
    found = read_upload(kind_of(file.name, content), content)
    # A text may begin with its title and the address that it was saved from.
    lines = [line.strip() for line in found.text.split("\n") if line.strip()]
    top = [f"https://{one}" if one.startswith("www.") else one for one in lines[:_TOP_LINES]]
    known = [one for one in top if len(one) <= MAX_URL and ADDRESS.fullmatch(one)]
    lines = [*top, *lines[_TOP_LINES:]]
    lines = [line for line in lines if line not in known]
    if not lines:
        raise NoArticleError("Expected a page with text; found none.")
    text = "\n".join(lines) if known else found.text
    page = pasted_article(found._replace(text=text, url=found.url or "".join(known[:1])))
    title = found.title or _title_above(lines[:_TOP_LINES], page.title) or file.stem
    return page.model_copy(update={"topic_id": document_id, "title": title})


def _title_above(top: Sequence[str], headline: str) -> str:
    """Return the headline of a text, with the name of a site behind it, or else a short first line.

    The first line is none if it ends like a sentence.
    """
    first = top[0]
    is_title = len(first) <= _MAX_TITLE and "://" not in first and not first.endswith((".", ":"))
    titled = (line for line in top if headline in line and len(line) <= _MAX_TITLE)
    return next(titled, headline) if headline else first * is_title


def check_segments(shards: Sequence[Path], fields: CorpusFields = MS_MARCO) -> None:
    """Refuse folders, web pages, texts and documents, which are to be cut first."""
    for shard in shards:
        if not shard.exists():
            raise InputError(
                f"{shard}: expected a file of segments; found none", remedy=check_path(shard)
            )
        is_other = shard.is_dir() or shard.suffix.lower() in _PAGES
        if is_other or begins_with_document(shard, fields):
            found = f"a {shard.suffix} file" if is_other else "documents"
            found = "a folder" if shard.is_dir() else found
            raise InputError(
                f"{shard}: expected segments as JSONL; found {found}",
                remedy="Cut it into segments, and build the index of those:\n"
                f"  sidelight corpus segment {quote(str(shard))} -o SEGMENTS.jsonl\n"
                "  sidelight index build SEGMENTS.jsonl -o INDEX",
            )


_SNIPPET = 300


def search(
    words: Annotated[str | None, typer.Argument(help="What to search for.")] = None,
    *,
    index: Annotated[Path, options.index_option()],
    retriever: Annotated[
        str | None,
        typer.Option(
            "--retriever",
            help=f"One of {', '.join(KINDS['retriever'].own)}. Default: hybrid; bm25 "
            "where the index has no vectors.",
            autocompletion=options.names_of("retriever"),
        ),
    ] = None,
    k: options.HitsPerQuery = 10,
    queries: Annotated[
        Path | None, options.queries_option("Instead of words: `id<TAB>text` lines, or irds:NAME.")
    ] = None,
    documents: Annotated[
        bool,
        typer.Option("--documents", help="With --queries: rank documents, by their best segment."),
    ] = False,
    output: Annotated[
        Path | None, options.output_option("TREC run to write with --queries.")
    ] = None,
) -> Result:
    """Search an index and show the hits, or write a TREC run for a file of queries."""
    from sidelight.index.folder import open_index

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
        results = search(read_queries(queries), k)
        write_trec_run(output, results, f"sidelight-{opened.name}")
        count = sum(len(hits) for hits in results.values())
        return Result(
            {"queries": len(results), "hits": count, "output": str(output)},
            [f"Wrote {counted(count, 'hit')} for {counted(len(results), 'query')} to {output}"],
        )
    return _hits(opened, folder, words or "", k)


def _documents(retriever: Retriever) -> Search:
    found = DocumentRetriever(retriever.search)
    return lambda queries, k: {
        query_id: [Hit(one.document_id, one.score) for one in documents]
        for query_id, documents in found.search(queries, k).items()
    }


def _hits(retriever: Retriever, folder: SearchIndex, words: str, k: int) -> Result:
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
    output: Annotated[Path, options.output_option("TREC run to write.")],
    k: options.HitsPerQuery = 1000,
) -> None:
    """Fuse search results by the ranks they give (reciprocal rank fusion, constant 60)."""
    found = list(map(read_trec_run, runs))
    queries = dict.fromkeys(query_id for results in found for query_id in results)
    if not queries:
        raise InputError(f"{runs[0]}: expected search results; found none")
    fused = {
        query_id: reciprocal_rank_fusion((results.get(query_id, []) for results in found), k)
        for query_id in queries
    }
    write_trec_run(output, fused, _TAG)
    out.print(
        f"Fused {counted(len(found), 'run')} over {counted(len(fused), 'query')} into {output}",
        markup=False,
    )
