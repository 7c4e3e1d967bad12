"""Fixtures that every test may use."""

import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sidelight.formats.topics import read_articles
from sidelight.index.build import build_index
from sidelight.index.encoding.encoder import Encoder, bundled_model
from sidelight.index.folder import open_folder
from sidelight.index.text.corpus import MS_MARCO, ShardReader, read_documents, write_segments
from sidelight.sample import sample_path
from sidelight.schemas.segment import document_id_of
from tests.helpers import lexical, vectors
from tests.helpers.browsing import started_browser
from tests.helpers.indexes.small_corpus import make_corpus, write_shard

# How long an example takes says how busy the machine is, and nothing about what is tested.
settings.register_profile("sidelight", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sidelight")

# GNU readline, which a worker of the tests may import, tells the size of its terminal here; a
# console would keep that width, whatever a test says of its own terminal.
for _size in ("COLUMNS", "LINES"):
    os.environ.pop(_size, None)

REPOSITORY = Path(__file__).resolve().parent.parent


class PublicData:
    """A folder of public data sets; a test that names one which is not there is skipped."""

    def __init__(self, folder):
        self._folder = folder

    def __truediv__(self, name):
        path = self._folder / name
        if not (self._folder / Path(name).parts[0]).exists():
            pytest.skip(f"needs the public data {path}, which is not there")
        return path


def pytest_configure():
    """Share the processor among workers, before a library counts it for itself alone.

    The width that pytest-xdist gives its workers is taken away: a console keeps its first one.
    """
    os.environ.pop("COLUMNS", None)
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // workers)))


@pytest.fixture(scope="session", autouse=True)
def own_configuration(tmp_path_factory):
    """Keep what users allow servers out of the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk():
    """Write without waiting until the disk has it: no test cuts the power."""
    with pytest.MonkeyPatch.context() as system:
        system.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def vectors_computed_once(tmp_path_factory):
    """Let the processes of a test run compute the vector of a text once, all together."""
    path = shared_by_all(tmp_path_factory) / "vectors.sqlite"
    with vectors.remembered(path), pytest.MonkeyPatch.context() as environment:
        environment.setenv(vectors.VARIABLE, str(path))
        yield


@pytest.fixture(scope="session")
def shared_data():
    """The public data that may lie beside the checkout (or where SIDELIGHT_SHARED_DATA points)."""
    beside = REPOSITORY.parent / "shared" / "data"
    return PublicData(Path(os.environ.get("SIDELIGHT_SHARED_DATA", beside)))


@pytest.fixture(scope="session")
def public_runs(shared_data):
    """The eight public DRAGUN runs."""
    return shared_data / "dragun-2025" / "runs"


@pytest.fixture(scope="module")
def browser():
    """A real browser, for tests marked `slow`."""
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def lexical_encode():
    """A stand-in for an encoder: bags of hashed content words, normalised."""
    return lexical.lexical_encode


@pytest.fixture(scope="session")
def small_corpus():
    """Forty segments, five of each of eight documents."""
    return make_corpus()


@pytest.fixture(scope="session")
def small_shard(small_corpus, tmp_path_factory):
    """The small corpus as one file."""
    return write_shard(tmp_path_factory.mktemp("corpus") / "small.jsonl", small_corpus)


@pytest.fixture(scope="session")
def encoder():
    """The bundled encoder, loaded once."""
    return Encoder()


def shared_by_all(temporary):
    """Return a folder that all processes of a test run share."""
    folder = temporary.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def index_of(segments, name, encoder, temporary):
    """Open an index that the first process of a test run builds, and the others only read."""
    folder = shared_by_all(temporary)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name / "manifest.json").exists():
            build_index([write_shard(folder / f"{name}.jsonl", segments)], folder / name, encoder)
    return open_folder(folder / name)


@pytest.fixture(scope="session")
def small_index(small_corpus, encoder, tmp_path_factory):
    """An index of the small corpus."""
    return index_of(small_corpus, "small-index", encoder, tmp_path_factory)


@pytest.fixture(scope="session")
def mini_web_articles():
    """The five articles of the mini web."""
    return read_articles(sample_path() / "topics.jsonl")


@pytest.fixture(scope="session")
def mini_web_segments(tmp_path_factory):
    """The whole mini web, cut."""
    path = tmp_path_factory.mktemp("mini-web") / "segments.jsonl"
    write_segments(path, read_documents(sample_path() / "documents.jsonl"), lambda _: None)
    return list(ShardReader(path, MS_MARCO, strict=True).segments())


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory):
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
def splade(tmp_path_factory):
    """A real SPLADE model whose weights are made up: it knows each word as little but itself."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("splade")
    model = BertForMaskedLM(BertConfig(hidden_size=64, num_hidden_layers=0, hidden_act="linear"))
    embeddings = model.bert.embeddings
    with torch.no_grad():
        embeddings.word_embeddings.weight.normal_(std=0.125)  # so each has a length of about 1
        embeddings.position_embeddings.weight.zero_()
        embeddings.token_type_embeddings.weight.zero_()
        model.cls.predictions.transform.dense.weight.copy_(torch.eye(64))
        model.cls.predictions.decoder.bias.fill_(-4.0)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(bundled_model()).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def golden():
    """Hold a text against `tests/golden/<name>`; SIDELIGHT_UPDATE_GOLDEN=1 rewrites the file."""

    def check(name, text):
        path = REPOSITORY / "tests" / "golden" / name
        if os.environ.get("SIDELIGHT_UPDATE_GOLDEN") == "1":
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def mini_web_index(mini_web_articles, mini_web_segments, encoder, tmp_path_factory):
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


@pytest.fixture(scope="session")
def whole_mini_web_index(mini_web_segments, encoder, tmp_path_factory):
    """An index of all pages."""
    return index_of(mini_web_segments, "whole-mini-web-index", encoder, tmp_path_factory)


@pytest.fixture
def quick_backoff(monkeypatch):
    """The waits before a model or an index server is asked again, a hundred times shorter."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.005)
    monkeypatch.setattr("sidelight.index.remote.client._FIRST_WAIT_S", 0.005)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
