"""Check of whether a run with given settings could work here; nothing is loaded or asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import INSTALL, InputError, MachineError, UsageError
from sidelight.llm.server.vllm import find_vllm
from sidelight.parts import ROLES
from sidelight.registry import load, needs
from sidelight.schemas.check import Check
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.tracks import load_track
from sidelight.transport import secret_for
from sidelight.wiring.documents import document_names
from sidelight.wiring.roles import model_named, models_asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from sidelight.config.settings import ModelSettings, Settings
    from sidelight.index.manifest import IndexPlan
    from sidelight.index.remote.index import RemoteIndex

_GB = 10**9


def check_settings(settings: Settings, index: Path | None, base_url: str = "") -> list[Check]:
    """Look at everything that the settings name.

    Args:
        settings: Of the run.
        index: Folder of the index; None checks all else.
        base_url: Address of the server `default`, if the run is to be told one.
    """
    from sidelight.index.encoding.encoder import check_model
    from sidelight.index.machine import check_machine

    checks = check_machine()
    if name := settings.retrieval.reranker:
        checks.append(check_model("reranker", name))
    parts = {"retriever": ("retriever", settings.retrieval.retriever)}
    parts |= {f"role {role}": (f"role.{role}", settings.roles.performer(role)) for role in ROLES}
    if load_track(settings.track).find(QuestionRankingsTask):
        parts |= {kind: (kind, name) for kind, name in document_names(settings).items()}
    loaded: dict[str, type] = {}
    for title, (kind, name) in parts.items():
        try:
            loaded[title] = load(kind, name)
        except (UsageError, MachineError) as error:
            remedy = error.remedy or "Choose another, or mend this one."
            checks.append(Check(title, error.message, remedy))
        else:
            checks.append(Check(title, name))
    retriever = loaded.pop("retriever", None)
    checks += _models(settings, loaded.values(), base_url)
    if index is not None:
        read = needs(retriever) if retriever else ()
        checks += _index(read, settings.retrieval.retriever, index)
    return checks


def _models(settings: Settings, performers: Iterable[type], base_url: str) -> Iterator[Check]:
    asked = {name for performer in performers for name in models_asked(performer)}
    if settings.retrieval.listwise_depth is not None:
        asked.add("ranker")
    for role in ("writer", "checker", "ranker"):
        if role not in asked:
            continue
        model = model_named(settings, role)
        if model is None:
            remedy = f"Add models.{role}.name to the configuration."
            yield Check(f"model {role}", "asked, and not named", remedy)
        elif role != "checker" or settings.models.checker:  # else the writer checks
            yield _server(f"model {role}", model, settings, base_url)


def _server(role: str, model: ModelSettings, settings: Settings, base_url: str) -> Check:
    server = settings.servers.get(model.server)
    address = (base_url if model.server == "default" else "") or (server and server.base_url)
    if address:
        return Check(role, f"{model.name} at {address}; ask it with doctor --model and --base-url")
    if server is None or server.start is None:
        remedy = f"Add servers.{model.server}.base_url to the configuration, or give --base-url."
        return Check(role, f"{model.name}: no address of its server {model.server!r}", remedy)
    try:
        find_vllm()
    except MachineError as error:
        return Check(role, f"{model.name}: {error.message}", error.remedy)
    return Check(role, f"{model.name} on a vLLM server of the run's own")


def _index(read: Sequence[str], retriever: str, path: Path) -> Iterator[Check]:
    from sidelight.index.encoding.encoder import check_model
    from sidelight.index.folder import open_index
    from sidelight.index.remote.index import RemoteIndex

    try:
        folder = open_index(path)
    except InputError as error:
        yield Check("index", error.message, error.remedy or "Build the index again.")
        return
    if isinstance(folder, RemoteIndex):
        yield from _remote(folder, read, retriever)
        return
    manifest = folder.manifest
    size = sum(manifest.files.values()) / _GB
    yield Check("index", f"{path}: {manifest.segments:,} segments, {size:.1f} GB")
    yield check_model("encoder of the index", manifest.plan.encoder.name)
    if "terms" in read:
        kept = folder.terms.contents
        yield _feedback(retriever, kept.terms or bool(kept.raw))
    if "vectors" in read:
        yield _vectors(manifest.plan, manifest.segments)
    try:
        count = len(folder.docstore)
    except (InputError, MachineError) as error:
        yield Check("text", error.message, error.remedy or INSTALL)
    else:
        yield Check("text", f"{type(folder.docstore).__name__}, {count:,} segments")


def _remote(index: RemoteIndex, read: Sequence[str], retriever: str) -> Iterator[Check]:
    """Look at what a folder says of its server; nothing is asked."""
    from sidelight.index.remote.client import token_variable

    address = index.address
    yield Check("index", f"{address.index} at {address.url}; try it: sidelight search WORDS")
    variable = token_variable(address)
    if variable is None:
        yield Check(
            "token", "none is sent; index remote --token-variable lets this server have one"
        )
    else:
        yield _token(address.url, variable)
    try:
        for part in {"terms", "vectors"}.intersection(read):
            getattr(index, part)
    except InputError as error:
        yield Check(f"retriever {retriever}", error.message, error.remedy or "")


def _token(url: str, variable: str) -> Check:
    try:
        found = secret_for(url, variable)
    except UsageError as error:
        return Check(f"token {variable}", error.message, error.remedy)
    said = "holds one" if found else "not set: only for servers without tokens"
    return Check(f"token {variable}", said)


def _feedback(name: str, possible: bool) -> Check:  # noqa: FBT001 - a finding, no option
    if possible:
        return Check(f"retriever {name}", "the index keeps the words of its segments")
    return Check(
        f"retriever {name}",
        "the index keeps neither the words of its segments nor their text",
        "Set retrieval.retriever to bm25 or hybrid, or take an index without `-slim`.",
    )


def _vectors(plan: IndexPlan, segments: int) -> Check:
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
