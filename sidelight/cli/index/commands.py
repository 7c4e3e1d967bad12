"""`sidelight index`: build an index folder and look into one."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json
from sidelight.cli.index.plan import plan
from sidelight.cli.index.remote import remote
from sidelight.cli.options.inputs import DIM, Commands, Profile
from sidelight.cli.options.results import Json, output_option
from sidelight.cli.terminal.progress import progress_bar
from sidelight.index.encoding.precision import Arithmetic
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.index.manifest import Manifest

app = Commands(help="Build an index, or say what built it.", no_args_is_help=True)


@app.command()
def build(  # long: most of it are its options
    shards: Annotated[
        list[Path] | None,
        typer.Argument(help="Segments as JSONL, plain or .gz; their order is free."),
    ] = None,
    *,
    output: Annotated[Path, output_option("Folder of the index.")],
    id_field: Annotated[str, typer.Option(help="Key of the segment id.")] = "docid",
    text_field: Annotated[str, typer.Option(help="Key of the text.")] = "segment",
    encoder: Annotated[
        str | None,
        typer.Option(help="Name or path of a sentence-transformers model; the bundled one if not."),
    ] = None,
    encoding: Annotated[
        Arithmetic | None,
        typer.Option(
            help="What the encoder computes in; by default what a short trial finds quickest. "
            "int8 takes a model with an ONNX file."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option(help="Stop at a broken shard; else what is sound is indexed.")
    ] = False,
    profile: Profile = "exact",
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            help="Parquet with published vectors of the encoder's model, or the name of the set to "
            "stream; repeat for more files."
        ),
    ] = None,
    dim: Annotated[int | None, DIM] = None,
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
    engine: Annotated[
        str,
        typer.Option(
            help="Where to work: local, the processors of this machine; or ray, the machines of "
            "the Ray cluster that RAY_ADDRESS names, which share a file system."
        ),
    ] = "local",
    as_json: Json = False,
) -> None:
    """Index segments for BM25 and dense retrieval.

    Interrupted at any moment, the same command goes on where it was; done once, it does nothing.
    """
    from sidelight.errors import UsageError
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder
    from sidelight.index.given import GivenParts
    from sidelight.index.lucene.published import lucene_folder
    from sidelight.index.text.corpus import CorpusFields
    from sidelight.registry import load

    if not shards and lucene is None:
        raise UsageError("expected shards, or --lucene with an index that stores text")
    if hnsw and encoder is None:
        raise UsageError("--hnsw needs --encoder: the model that made its vectors")
    fields = CorpusFields(id=id_field, text=text_field)
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
                lucene_folder(lucene) if lucene else None, tuple(map(lucene_folder, hnsw or ()))
            ),
        )
    _show(output, manifest, as_json=as_json)


app.command()(plan)
app.command()(remote)


@app.command()
def info(
    folder: Annotated[Path, typer.Argument(help="Folder of the index.")],
    as_json: Json = False,
) -> None:
    """Check that an index is complete, and say what built it."""
    from sidelight.index.manifest import read_manifest
    from sidelight.index.remote.address import is_remote, read_address

    if is_remote(folder):
        address = read_address(folder)
        if as_json:
            print_json(address.model_dump())
        else:
            out.print(f"{folder}: {address.index} at {address.url}", markup=False)
        return
    _show(folder, read_manifest(folder), as_json=as_json)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="Folder of the index.")],
) -> None:
    """Read every file of an index, and name those that are not as they were built."""
    from sidelight.index.integrity import verify_files
    from sidelight.index.manifest import read_manifest

    hashes = read_manifest(folder).hashes
    with progress_bar("files", total=len(hashes)) as advance:
        count = verify_files(folder, hashes, advance)
    out.print(f"{folder}: {counted(count, 'file')} as they were built", markup=False)


def _show(folder: Path, manifest: Manifest, *, as_json: bool) -> None:
    if as_json:
        print_json({**manifest.model_dump(), "fingerprint": manifest.fingerprint()})
        return
    built = manifest.plan
    shown = {
        "index": folder,
        "segments": f"{manifest.segments} of {counted(manifest.documents, 'document')}",
        "size": f"{sum(manifest.files.values()) / 1e6:.1f} MB",
        "input": ", ".join(shard.name for shard in built.inputs),
        "encoder": f"{built.encoder.name}, {built.encoder.dimension} dimensions",
        "vectors": built.profile,
        "analyzer": built.analyzer,
        "built with": ", ".join(f"{name} {v}" for name, v in manifest.libraries.items()),
        "fingerprint": manifest.fingerprint(),
    }
    if manifest.encoding is not None:
        shown["encoded in"] = str(manifest.encoding)
    for name, value in shown.items():
        out.print(f"{name:12} {value}", markup=False)
    for shard in manifest.shards:
        if shard.refused:
            out.print(f"{shard.name}: segments {shard.segments}, lines refused {shard.refused}")
            for problem in shard.problems:
                out.print(f"  {problem}", markup=False)
