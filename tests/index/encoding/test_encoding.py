"""Texts become vectors: of which model, in which arithmetic, and what is chosen for a build."""

import pickle
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from transformers import AutoModel, AutoTokenizer, BertConfig

from sidelight.errors import MachineError
from sidelight.index.build import build_index
from sidelight.index.encoding import calibration
from sidelight.index.encoding import encoder as module
from sidelight.index.encoding.calibration import agreement, calibrate
from sidelight.index.encoding.encoder import Encoder, bundled_model, prompts_of
from sidelight.index.encoding.minilm import MiniLM
from sidelight.index.encoding.onnx_model import Arithmetic, multiplies_bfloat16, on_all_cores
from sidelight.index.engine import LocalEngine
from sidelight.index.folder import open_index
from sidelight.index.text.corpus import passage_text
from sidelight.retrieval.rerank import CrossEncoder
from tests.helpers import vectors
from tests.helpers.models.int8_models import write_int8


@pytest.fixture(scope="module", autouse=True)
def computed_here():
    with vectors.computed():
        yield


def write_encoder(folder, pooling="mean", prompts=None, seed=7, *, with_int8=False):
    """Write an encoder that pools by `mean`, `cls` or `lasttoken`, and return its folder."""
    torch.manual_seed(seed)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.2,
    )
    AutoModel.from_config(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bundled_model()).save_pretrained(folder)
    parts = [Transformer(str(folder), max_seq_length=64), Pooling(32, pooling)]
    model = SentenceTransformer(modules=parts, prompts=prompts, device="cpu")
    model.save(str(folder), create_model_card=False)
    if with_int8:
        write_int8(folder, AutoModel.from_pretrained(folder), "last_hidden_state")
    return folder


def hidden_states(folder, text):
    """Return what the transformer alone makes of a text, (n_tokens, 32)."""
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        return AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0]


SEARCH = "Represent this sentence for searching relevant passages: "
TEXTS = [
    "A short question?",
    "",
    "The council voted to close the ferry against the advice of its experts. " * 3,
    "word " * 600,  # longer than the model reads
    *(f"Sentence number {n} about an orchard." for n in range(10)),
]


def test_vectors_are_those_of_the_model_that_is_named(encoder):
    identity = encoder.identity()
    found = (identity.name, identity.dimension, identity.max_tokens)
    assert found == ("all-MiniLM-L6-v2", 384, 256)
    assert identity == Encoder().identity()
    vectors = encoder.encode_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert encoder.encode_queries([]).shape == (0, 384)
    short = Encoder(dimension=128)
    assert short.identity() == encoder.identity().model_copy(update={"dimension": 128})
    whole = encoder.encode_queries(["who owns the lighthouse"])[:, :128]
    cut = short.encode_queries(["who owns the lighthouse"])
    np.testing.assert_allclose(cut, whole / np.linalg.norm(whole), rtol=1e-5, atol=1e-6)
    again = pickle.loads(pickle.dumps(Encoder("a", 128, Arithmetic.BF16)))
    assert (again.name, again._dimension, again.arithmetic) == ("a", 128, Arithmetic.BF16)
    assert len(pickle.dumps(encoder)) < 200


@pytest.mark.parametrize("arithmetic", [Arithmetic.FP32, Arithmetic.BF16])
def test_the_default_model_gives_the_bits_of_sentence_transformers(arithmetic):
    ours = Encoder(arithmetic=arithmetic)
    theirs = Encoder(str(bundled_model()), arithmetic=arithmetic)  # a path is loaded by the library
    assert ours.identity() == theirs.identity().model_copy(update={"name": ours.name})
    # An index names the whole width of its encoder; the library takes seconds to import.
    assert isinstance(Encoder(dimension=384, arithmetic=arithmetic)._model(), MiniLM)
    for ask in ("encode_queries", "encode_documents", "encode_sentences"):
        np.testing.assert_array_equal(getattr(ours, ask)(TEXTS), getattr(theirs, ask)(TEXTS))
    for one, other in zip(ours.encode_words(TEXTS), theirs.encode_words(TEXTS), strict=True):
        assert one.words == other.words
        np.testing.assert_array_equal(one.vectors, other.vectors)


def test_words_have_vectors_of_what_they_mean_in_their_sentence():
    money, shore, nothing = Encoder().encode_words(
        ["The bank lent T1,800 unhesitatingly.", "A boat lay on the bank of the river.", ""]
    )
    # A word of several pieces is one word; marks and the parts of a figure stand alone.
    assert money.words == ("the", "bank", "lent", "t1", ",", "800", "unhesitatingly", ".")
    np.testing.assert_allclose(np.linalg.norm(money.vectors, axis=1), 1, rtol=1e-5)
    (loan,) = Encoder().encode_words(["A bank gave him a loan."])
    same, other = (one.vectors[one.words.index("bank")] for one in (loan, shore))
    here = money.vectors[1]
    assert here @ same > here @ other
    assert nothing.words == ()
    assert nothing.vectors.shape == (0, 384)


@pytest.fixture(scope="module")
def with_int8(tmp_path_factory):
    """A tiny encoder that comes with an int8 ONNX file."""
    return str(write_encoder(tmp_path_factory.mktemp("models") / "tiny", with_int8=True))


def test_a_text_has_the_same_bytes_in_any_company_whatever_the_arithmetic(with_int8):
    for arithmetic in Arithmetic:
        encoder = Encoder(with_int8, arithmetic=arithmetic)
        for encode in (encoder.encode_documents, encoder.encode_sentences):
            together = encode(TEXTS)
            for row, text in enumerate(TEXTS):
                assert encode([text]).tobytes() == together[row].tobytes()
            assert encode(TEXTS[::-1]).tobytes() == together[::-1].tobytes()
    for arithmetic, cosine in [(Arithmetic.BF16, 0.999), (Arithmetic.INT8, 0.99)]:
        encoder = Encoder(with_int8, arithmetic=arithmetic)
        found = encoder.encode_documents(TEXTS)
        exact = encoder.in_arithmetic(Arithmetic.FP32).encode_documents(TEXTS)
        assert np.sum(found * exact, axis=1).min() > cosine
        assert not np.array_equal(found, exact)
        assert encoder.identity() == encoder.in_arithmetic(Arithmetic.FP32).identity()


def test_models_that_cannot_be_used_are_named(tmp_path, monkeypatch):
    folder = write_encoder(tmp_path / "tiny")
    assert Arithmetic.INT8 not in Encoder(str(folder)).faster()
    with pytest.raises(MachineError, match="no ONNX file of int8"):
        Encoder(str(folder), arithmetic=Arithmetic.INT8).identity()
    with pytest.raises(MachineError, match="weighs no words"):
        module.SpladeEncoder(str(folder)).encode_query("quarry")
    with pytest.raises(MachineError, match="cannot be loaded"):
        Encoder(str(tmp_path / "no-model")).identity()
    model = Encoder(str(tmp_path / "model"))
    for _ in range(2):  # the first failure is final
        with pytest.raises(MachineError, match="cannot be loaded"):
            model.identity()
        if not (tmp_path / "model").exists():
            shutil.copytree(bundled_model(), tmp_path / "model")
    assert Encoder(str(tmp_path / "model")).identity()
    for name in ["5" * 5000, "a\0b"]:
        assert module.check_model("reranker", name).remedy == "Name the folder of the model."
        with pytest.raises(MachineError, match="cannot be loaded"):
            CrossEncoder(name).score("quarry", ["a text"])
        for arithmetic in Arithmetic:
            with pytest.raises(MachineError, match="cannot be loaded"):
                Encoder(name, arithmetic=arithmetic).identity()
        assert Arithmetic.INT8 not in Encoder(name).faster()


@pytest.mark.parametrize(
    ("pooling", "name", "own", "query", "passage"),
    [
        ("mean", "e5-small-v2", {}, "query: ", "passage: "),
        ("cls", "bge-small-en-v1.5", {}, SEARCH, ""),
        ("lasttoken", "Qwen3-Embedding", {"query": "Instruct:\nQuery:"}, "Instruct:\nQuery:", ""),
        ("mean", "MiniLM", {}, "", ""),
    ],
)
def test_prompts_and_pooling_of_a_model(pooling, name, own, query, passage, tmp_path):
    folder = write_encoder(tmp_path / name, pooling, own)
    encoder, text = Encoder(str(folder), arithmetic=Arithmetic.FP32), "who owns the lighthouse"
    pool = {"mean": lambda s: s.mean(0), "cls": lambda s: s[0], "lasttoken": lambda s: s[-1]}
    for prompt, encode in [
        (query, encoder.encode_queries),
        (query, encoder.encode_sentences),
        (passage, encoder.encode_documents),
    ]:
        expected = pool[pooling](hidden_states(folder, prompt + text)).numpy()
        expected /= np.linalg.norm(expected)
        np.testing.assert_allclose(encode([text])[0], expected, atol=1e-5)


def test_prompts_are_known_by_name_unless_the_model_says_its_own():
    for name, expected in [
        ("intfloat/e5-base-v2", ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-large", ("query: ", "passage: ")),
        ("/models/models--intfloat--e5-small/snapshots/1a2b", ("query: ", "passage: ")),
        ("BAAI/bge-large-en-v1.5", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-l", (SEARCH, "")),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", ("query: ", "")),
        ("all-MiniLM-L6-v2", ("", "")),
        # These want instructions of their own, or nothing.
        ("intfloat/multilingual-e5-large-instruct", ("", "")),
        ("BAAI/bge-m3", ("", "")),
        ("/models/not-e5-base", ("", "")),
    ]:
        assert prompts_of(name, {"query": "", "document": ""}) == expected
    qwen = "Instruct: Given a web search query, find passages\nQuery:"
    assert prompts_of("Qwen/Qwen3-Embedding-0.6B", {"query": qwen, "document": ""}) == (qwen, "")
    assert prompts_of("intfloat/e5-base", {"query": "Q: ", "passage": "P: "}) == ("Q: ", "P: ")


def test_a_changed_model_is_refused_and_another_family_left_alone(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    shutil.copytree(bundled_model(), folder)
    with (folder / module.WEIGHTS).open("r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"\x01")
    monkeypatch.setattr(module, "bundled_model", lambda: folder)
    with pytest.raises(MachineError, match="expected the published weights"):
        Encoder().encode_sentences(["A text."])
    (folder / module.WEIGHTS).unlink()
    module.genuine.cache_clear()
    with pytest.raises(MachineError, match="no such file"):
        module.genuine(folder)
    assert module.genuine(bundled_model()) == bundled_model()
    model = torch.nn.Sequential(*layers())
    module.pack_linear(model)
    assert not any(isinstance(one, module.PackedLinear) for one in model.modules())


# Each core works alone, and nobody else is told to.
def test_each_core_works_alone_and_nobody_else_is_told_to():
    found = on_all_cores(lambda item: (item, torch.get_num_threads()), range(50))
    assert found == [(item, 1) for item in range(50)]
    before = torch.get_num_threads()
    on_all_cores(str, range(3))
    seen = []
    other = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    other.start()
    other.join()
    assert seen == [torch.get_num_threads()] == [before]


# Packed layers give the bits of PyTorch's own.
needs_bfloat16 = pytest.mark.skipif(
    not multiplies_bfloat16(), reason="needs a processor that multiplies bfloat16"
)


class BertModel(torch.nn.Sequential):
    """Called as those whose layers are packed are."""


def layers():
    torch.manual_seed(1)
    first, last = torch.nn.Linear(384, 96), torch.nn.Linear(96, 384, bias=False)
    inner = torch.nn.Sequential(torch.nn.GELU(), last)
    return [first.to(torch.bfloat16), inner.to(torch.bfloat16)]


@needs_bfloat16
@pytest.mark.parametrize("shape", [(1, 16, 384), (4, 192, 384), (8, 48, 384)])
def test_all_layers_are_packed_and_give_the_same_bits(shape):
    model, plain = BertModel(*layers()), BertModel(*layers())
    module.pack_linear(model)
    packed = [one for one in model.modules() if isinstance(one, module.PackedLinear)]
    assert len(packed) == 2
    assert not any(type(one) is torch.nn.Linear for one in model.modules())
    inputs = torch.randn(shape, dtype=torch.bfloat16)
    with torch.inference_mode():
        assert torch.equal(model(inputs), plain(inputs))


# The arithmetic of a build: what agrees, what is quickest, and what it goes on with.


@pytest.fixture(scope="module")
def with_wrong_int8(with_int8, tmp_path_factory):
    """An encoder whose int8 file is that of another model."""
    folder = write_encoder(tmp_path_factory.mktemp("models") / "other", seed=8)
    shutil.copytree(Path(with_int8) / "onnx", folder / "onnx")
    return folder


@pytest.fixture(scope="module")
def texts(small_corpus):
    return [passage_text(segment) for segment in small_corpus]


def test_agreement():
    reference = np.eye(3, dtype=np.float32)
    found = np.array([[0.6, 0.8, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    shown = agreement(found, reference)
    # Cosines 0.6, 1, 1. There are only two others for each text, so all share both.
    assert shown.mean_cosine == pytest.approx(2.6 / 3)
    assert shown.min_cosine == pytest.approx(0.6)
    assert shown.overlap == 1
    # Twelve texts on a quarter of a circle: all but the farthest end are nearest. When the two ends
    # change places, the ten between them lose one end and gain the other; the ends lose nothing.
    angles = np.linspace(0, np.pi / 2, 12)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert agreement(circle, circle).overlap == 1
    seen = agreement(circle[[11, *range(1, 11), 0]], circle).overlap
    assert seen == pytest.approx((10 * 0.9 + 2 * 1) / 12)


def test_the_quickest_that_agrees_is_chosen(with_int8, texts, with_wrong_int8):
    chosen = calibrate(Encoder(with_int8), texts)
    assert chosen.trials[0].arithmetic is Arithmetic.FP32
    assert chosen.trials[0].agreement.overlap == 1
    assert {one.arithmetic for one in chosen.trials} >= {Arithmetic.FP32, Arithmetic.INT8}
    accepted = {one.texts_per_s: one.arithmetic for one in chosen.trials if one.accepted}
    assert chosen.arithmetic is accepted[max(accepted)]
    assert "top-10 overlap" in str(chosen)
    encoder = Encoder(str(with_wrong_int8))
    chosen = calibrate(encoder, texts)
    tried = {one.arithmetic: one for one in chosen.trials}
    assert not tried[Arithmetic.INT8].accepted
    assert chosen.arithmetic is not Arithmetic.INT8
    with pytest.raises(MachineError, match="expected int8 to encode as fp32 does"):
        calibrate(encoder.in_arithmetic(Arithmetic.INT8), texts)


@pytest.fixture
def tried(monkeypatch):
    """What is asked of `calibrate`, for collections of 30 segments or more."""
    asked = []
    real = calibrate

    def record(encoder, texts):
        asked.append(encoder.arithmetic)
        return real(encoder, texts)

    monkeypatch.setattr(calibration, "CALIBRATED", 30)
    monkeypatch.setattr(calibration, "_EVERY", 1)
    monkeypatch.setattr(calibration, "calibrate", record)
    return asked


def test_a_large_build_tries_once_and_goes_on_as_it_began(
    small_shard, with_int8, tried, tmp_path, monkeypatch
):
    def interrupt(*_):
        raise KeyboardInterrupt

    def build():
        encoder = Encoder(with_int8)
        return build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1)).encoding

    with monkeypatch.context() as patch:
        patch.setattr("sidelight.index.build.write_vectors", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build()
    begun = calibration.read_encoding(tmp_path / "i" / "parts")
    assert begun is not None
    assert build() == begun
    assert build() == begun  # done already
    assert tried == [None]
    assert open_index(tmp_path / "i").manifest.encoding == begun


def test_an_encoding_that_is_named_is_part_of_the_plan(small_shard, with_int8, tried, tmp_path):
    encoder = Encoder(with_int8, arithmetic=Arithmetic.INT8)
    manifest = build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1))
    free = manifest.plan.model_copy(update={"arithmetic": None})
    assert free.fingerprint() != manifest.plan.fingerprint()
    assert manifest.encoding.arithmetic is Arithmetic.INT8
    assert tried == [Arithmetic.INT8]
    assert open_index(tmp_path / "i").encoder.arithmetic is Arithmetic.INT8


def test_a_small_build_does_not_try(small_shard, with_int8, tmp_path):
    encoder = Encoder(with_int8)
    manifest = build_index([small_shard], tmp_path / "i", encoder, engine=LocalEngine(1))
    found = manifest.encoding
    assert found == calibration.Encoding(arithmetic=calibration.default_arithmetic(), trials=())
