"""Fixtures that every test may use."""

from __future__ import annotations

import fcntl
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from sidelight.formats.topics import read_articles
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder, bundled_model
from sidelight.index.folder import IndexFolder, open_folder
from sidelight.index.text.corpus import MS_MARCO, ShardReader, read_documents, write_segments
from sidelight.sample import sample_path
from sidelight.schemas.segment import Segment, document_id_of
from sidelight.schemas.topic import Article
from sidelight.text import content_words
from tests.helpers.browsing import started_browser
from tests.helpers.indexes.small_corpus import make_corpus, write_shard
from tests.helpers.models.live_server import LiveServer
from tests.helpers.public_data import PublicData

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from sidelight.text_vectors import Encode

# How long an example takes says how busy the machine is, and nothing about what is tested.
settings.register_profile("sidelight", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sidelight")

REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """Take away the width that pytest-xdist gives its workers: a console keeps its first one."""
    os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session", autouse=True)
def own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what users allow servers out of the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Write without waiting until the disk has it: no test cuts the power."""
    with pytest.MonkeyPatch.context() as system:
        system.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def shared_data() -> PublicData:
    """The public data that may lie beside the checkout (or where SIDELIGHT_SHARED_DATA points)."""
    beside = REPOSITORY.parent / "shared" / "data"
    return PublicData(Path(os.environ.get("SIDELIGHT_SHARED_DATA", beside)))


@pytest.fixture(scope="session")
def public_runs(shared_data: PublicData) -> Path:
    """The eight public DRAGUN runs."""
    return shared_data / "dragun-2025" / "runs"


@pytest.fixture(scope="session")
def live_server() -> LiveServer:
    """The server of the environment, for tests marked `live`."""
    try:
        return LiveServer(os.environ["SIDELIGHT_LIVE_URL"], os.environ["SIDELIGHT_LIVE_MODEL"])
    except KeyError as missing:
        pytest.skip(f"needs a real model server; {missing.args[0]} is not set")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, for tests marked `slow`."""
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def lexical_encode() -> Encode:
    """A stand-in for an encoder: bags of hashed content words, normalised."""

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = np.full((len(texts), 512), 1e-6, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                row[zlib.crc32(word.encode()) % 512] += 1.0
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    return encode


@pytest.fixture(scope="session")
def small_corpus() -> list[Segment]:
    """Forty segments, five of each of eight documents."""
    return make_corpus()


@pytest.fixture(scope="session")
def small_shard(small_corpus: list[Segment], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small corpus as one file."""
    return write_shard(tmp_path_factory.mktemp("corpus") / "small.jsonl", small_corpus)


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """The bundled encoder, loaded once."""
    return Encoder()


def index_of(
    segments: list[Segment], name: str, encoder: Encoder, temporary: pytest.TempPathFactory
) -> IndexFolder:
    """Open an index that the first process of a test run builds, and the others only read."""
    folder = temporary.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name / "manifest.json").exists():
            build_index([write_shard(folder / f"{name}.jsonl", segments)], folder / name, encoder)
    return open_folder(folder / name)


@pytest.fixture(scope="session")
def small_index(
    small_corpus: list[Segment], encoder: Encoder, tmp_path_factory: pytest.TempPathFactory
) -> IndexFolder:
    """An index of the small corpus."""
    return index_of(small_corpus, "small-index", encoder, tmp_path_factory)


@pytest.fixture(scope="session")
def mini_web_articles() -> tuple[Article, ...]:
    """The five articles of the mini web."""
    return read_articles(sample_path() / "topics.jsonl")


@pytest.fixture(scope="session")
def mini_web_segments(tmp_path_factory: pytest.TempPathFactory) -> list[Segment]:
    """The whole mini web, cut."""
    path = tmp_path_factory.mktemp("mini-web") / "segments.jsonl"
    write_segments(path, read_documents(sample_path() / "documents.jsonl"), lambda _: None)
    return list(ShardReader(path, MS_MARCO, strict=True).segments())


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A real cross-encoder with random weights: its quality is not what is tested."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("cross-encoder")
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bundled_model()).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], None]:
    """Hold a text against `tests/golden/<name>`; SIDELIGHT_UPDATE_GOLDEN=1 rewrites the file."""

    def check(name: str, text: str) -> None:
        path = REPOSITORY / "tests" / "golden" / name
        if os.environ.get("SIDELIGHT_UPDATE_GOLDEN") == "1":
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def mini_web_index(
    mini_web_articles: tuple[Article, ...],
    mini_web_segments: list[Segment],
    encoder: Encoder,
    tmp_path_factory: pytest.TempPathFactory,
) -> IndexFolder:
    """An index of the first three articles and the fourteen pages beside each."""
    pages: dict[str, None] = {}
    for article in mini_web_articles[:3]:
        shard = article.topic_id.rpartition("_")[0]
        documents = dict.fromkeys(
            document_id_of(segment.segment_id)
            for segment in mini_web_segments
            if segment.segment_id.startswith(shard)
        )
        pages |= dict.fromkeys([article.topic_id, *list(documents)[:15]])
    kept = [one for one in mini_web_segments if document_id_of(one.segment_id) in pages]
    return index_of(kept, "mini-web-index", encoder, tmp_path_factory)
