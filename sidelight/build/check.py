"""Whether a run with some settings could work on this machine; nothing is loaded or asked."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from sidelight.errors import INSTALL, InputError, MachineError
from sidelight.schemas.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sidelight.config.settings import ModelSettings, RetrievalSettings, Settings
    from sidelight.index.manifest import Plan

_GB = 10**9


def check_settings(settings: Settings, index: Path | None, base_url: str = "") -> list[Check]:
    """Look at everything that the settings name.

    Args:
        settings: Of the run.
        index: Folder of the index; None checks all else.
        base_url: Address of the server `default`, if the run is to be told one.
    """
    from sidelight.index.encoding.model_files import check_model
    from sidelight.index.machine import check_machine

    checks = check_machine()
    if name := settings.retrieval.reranker:
        checks.append(check_model("reranker", name))
    checks += _models(settings, base_url)
    if index is not None:
        checks += _index(settings.retrieval, index)
    return checks


def _models(settings: Settings, base_url: str) -> Iterator[Check]:
    models, roles = settings.models, settings.roles
    chosen = [value or roles.default for _, value in roles]
    asking = any(performer != "extractive" for performer in chosen)
    asked = {"writer": models.writer, "checker": models.checker} if asking else {}
    if settings.retrieval.listwise_depth is not None:
        asked["ranker"] = models.ranker or models.writer
    for role, model in asked.items():
        if model is not None:
            yield _server(f"model {role}", model, settings, base_url)
        elif role != "checker":  # the writer checks where no other model is named
            remedy = f"Add models.{role}.name to the configuration."
            yield Check(f"model {role}", "asked, and not named", remedy)


def _server(role: str, model: ModelSettings, settings: Settings, base_url: str) -> Check:
    server = settings.servers.get(model.server)
    address = (base_url if model.server == "default" else "") or (server and server.base_url)
    if address:
        return Check(role, f"{model.name} at {address}; ask it with doctor --model and --base-url")
    if server is None or server.start is None:
        remedy = f"Add servers.{model.server}.base_url to the configuration, or give --base-url."
        return Check(role, f"{model.name}: no address of its server {model.server!r}", remedy)
    if find_spec("vllm") is None:
        remedy = "Install it with: pip install vllm  (or give --base-url of a server that runs)"
        return Check(role, f"{model.name}: vLLM is not installed, which is to serve it", remedy)
    return Check(role, f"{model.name} on a vLLM server of the run's own")


def _index(retrieval: RetrievalSettings, path: Path) -> Iterator[Check]:
    from sidelight.index.encoding.model_files import check_model
    from sidelight.index.folder import open_index

    try:
        folder = open_index(path)
    except InputError as error:
        yield Check("index", error.message, error.remedy or "Build the index again.")
        return
    manifest = folder.manifest
    size = sum(manifest.files.values()) / _GB
    yield Check("index", f"{path}: {manifest.segments:,} segments, {size:.1f} GB")
    yield check_model("encoder of the index", manifest.plan.encoder.name)
    name = retrieval.retriever
    if name in {"rm3", "rocchio"}:
        yield _feedback(name, folder.lucene.contents.terms or bool(folder.lucene.contents.raw))
    if name in {"dense", "hybrid"}:
        yield _vectors(manifest.plan, manifest.segments)
    try:
        count = len(folder.docstore)
    except (InputError, MachineError) as error:
        yield Check("text", error.message, error.remedy or INSTALL)
    else:
        yield Check("text", f"{type(folder.docstore).__name__}, {count:,} segments")


def _feedback(name: str, possible: bool) -> Check:  # noqa: FBT001 - a finding, no option
    if possible:
        return Check(f"retriever {name}", "the index keeps the words of its segments")
    return Check(
        f"retriever {name}",
        "the index keeps neither the words of its segments nor their text",
        "Set retrieval.retriever to bm25 or hybrid, or take an index without `-slim`.",
    )


def _vectors(plan: Plan, segments: int) -> Check:
    from sidelight.index.machine import count_gpus, memory_bytes
    from sidelight.index.vectors.capacity import plan_capacity
    from sidelight.index.vectors.profiles import IN_LUCENE, NO_VECTORS, profile_named

    dimension = plan.encoder.dimension
    if plan.profile == NO_VECTORS:
        remedy = "Set retrieval.retriever to bm25, or build the index with another --profile."
        return Check("vectors", "the index has none", remedy)
    if plan.profile == IN_LUCENE:
        return Check("vectors", f"in Lucene, {dimension} numbers each")
    capacity = plan_capacity(profile_named(plan.profile), segments, dimension)
    found = f"{plan.profile}, {dimension} numbers each, {capacity.memory_gb:.1f} GB"
    room = memory_bytes() / _GB
    if not capacity.gpus and capacity.memory_gb > room:
        remedy = "Build them with the profile cpu-24gb: `sidelight index plan` says what it takes."
        return Check("vectors", f"{found}; this machine has {room:.1f} GB", remedy)
    if capacity.gpus and (gpus := count_gpus()) < capacity.gpus:
        remedy = f"Use a machine with {capacity.gpus} GPU(s), or the profile cpu-24gb."
        return Check("vectors", f"{found}; found {gpus} GPU(s)", remedy)
    return Check("vectors", found)
