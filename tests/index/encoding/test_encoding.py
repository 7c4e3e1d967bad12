"""Texts become vectors: of which model, in which arithmetic, and what is chosen for a build."""

import pickle
import shutil
import threading

import numpy as np
import pytest
import torch

from sidelight.errors import MachineError
from sidelight.index.encoding import encoder as module
from sidelight.index.encoding.encoder import (
    WEIGHTS,
    Encoder,
    PackedLinear,
    bundled_model,
    check_model,
    genuine,
    pack_linear,
    prompts_of,
)
from sidelight.index.encoding.onnx_model import Arithmetic, multiplies_bfloat16, on_all_cores
from sidelight.retrieval.rerank import CrossEncoder
from tests.helpers.models.tiny_models import hidden_states, write_encoder, write_encoder_with_int8

SEARCH = "Represent this sentence for searching relevant passages: "
TEXTS = [
    "A short question?",
    "",
    "The council voted to close the ferry against the advice of its experts. " * 3,
    "word " * 600,  # longer than the model reads
    *(f"Sentence number {n} about an orchard." for n in range(10)),
]


def test_vectors_are_unit_float32_of_the_model_that_is_named(encoder):
    identity = encoder.identity()
    found = (identity.name, identity.dimension, identity.max_tokens)
    assert found == ("all-MiniLM-L6-v2", 384, 256)
    assert identity == Encoder().identity()
    vectors = encoder.encode_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert encoder.encode_queries([]).shape == (0, 384)


@pytest.fixture(scope="module")
def with_int8(tmp_path_factory):
    """A tiny encoder that comes with an int8 ONNX file."""
    return str(write_encoder_with_int8(tmp_path_factory.mktemp("models") / "tiny"))


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_a_text_has_the_same_bytes_in_any_company(arithmetic, with_int8):
    encoder = Encoder(with_int8, arithmetic=arithmetic)
    for encode in (encoder.encode_documents, encoder.encode_sentences):
        together = encode(TEXTS)
        for row, text in enumerate(TEXTS):
            assert encode([text]).tobytes() == together[row].tobytes()
        assert encode(TEXTS[::-1]).tobytes() == together[::-1].tobytes()


@pytest.mark.parametrize(
    ("arithmetic", "cosine"), [(Arithmetic.BF16, 0.999), (Arithmetic.INT8, 0.99)]
)
def test_faster_ways_agree_with_single_precision(arithmetic, cosine, with_int8):
    encoder = Encoder(with_int8, arithmetic=arithmetic)
    found = encoder.encode_documents(TEXTS)
    exact = encoder.in_arithmetic(Arithmetic.FP32).encode_documents(TEXTS)
    assert np.sum(found * exact, axis=1).min() > cosine
    assert not np.array_equal(found, exact)
    assert encoder.identity() == encoder.in_arithmetic(Arithmetic.FP32).identity()


def test_no_int8_without_its_file(tmp_path):
    folder = write_encoder(tmp_path / "tiny")
    assert Arithmetic.INT8 not in Encoder(str(folder)).faster()
    with pytest.raises(MachineError, match="no ONNX file of int8"):
        Encoder(str(folder), arithmetic=Arithmetic.INT8).identity()


def test_only_what_it_was_made_with_is_pickled(encoder):
    encoder.identity()
    again = pickle.loads(pickle.dumps(Encoder("a", 128, Arithmetic.BF16)))
    assert (again.name, again._dimension, again.arithmetic) == ("a", 128, Arithmetic.BF16)
    assert len(pickle.dumps(encoder)) < 200


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


def test_agrees_with_the_library_itself(encoder):
    from sentence_transformers import SentenceTransformer

    from sidelight.index.encoding.encoder import bundled_model

    theirs = SentenceTransformer(str(bundled_model())).encode(
        TEXTS, normalize_embeddings=True, show_progress_bar=False
    )
    ours = encoder.encode_documents(TEXTS)
    # Theirs are single precision; ours may have been made in bfloat16.
    assert np.sum(ours * theirs, axis=1).min() > 0.999


def test_a_model_that_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(MachineError, match="cannot be loaded"):
        Encoder(str(tmp_path / "no-model")).identity()


def test_the_first_failure_is_final(tmp_path):
    model = Encoder(str(tmp_path / "model"))
    with pytest.raises(MachineError, match="cannot be loaded"):
        model.identity()
    shutil.copytree(bundled_model(), tmp_path / "model")
    with pytest.raises(MachineError, match="cannot be loaded"):
        model.identity()
    assert Encoder(str(tmp_path / "model")).identity()


def test_vectors_cut_short_are_the_beginning_of_whole_ones(encoder):
    short = Encoder(dimension=128)
    assert short.identity() == encoder.identity().model_copy(update={"dimension": 128})
    whole = encoder.encode_queries(["who owns the lighthouse"])[:, :128]
    cut = short.encode_queries(["who owns the lighthouse"])
    np.testing.assert_allclose(cut, whole / np.linalg.norm(whole), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["5" * 5000, "a\0b"], ids=["long", "null"])
def test_a_name_that_no_folder_can_have_is_no_model(name):
    assert check_model("reranker", name).remedy == "Name the folder of the model."
    with pytest.raises(MachineError, match="cannot be loaded"):
        CrossEncoder(name).score("quarry", ["a text"])
    for arithmetic in Arithmetic:
        with pytest.raises(MachineError, match="cannot be loaded"):
            Encoder(name, arithmetic=arithmetic).identity()
    assert Arithmetic.INT8 not in Encoder(name).faster()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
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
    ],
)
def test_known_by_name(name, expected):
    assert prompts_of(name, {"query": "", "document": ""}) == expected


def test_what_the_model_says_goes_before_its_name():
    qwen = "Instruct: Given a web search query, find passages\nQuery:"
    assert prompts_of("Qwen/Qwen3-Embedding-0.6B", {"query": qwen, "document": ""}) == (qwen, "")
    assert prompts_of("intfloat/e5-base", {"query": "Q: ", "passage": "P: "}) == ("Q: ", "P: ")


def test_the_installed_weights_are_those_published():
    assert genuine(bundled_model()) == bundled_model()


def test_a_changed_model_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    shutil.copytree(bundled_model(), folder)
    with (folder / WEIGHTS).open("r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"\x01")
    monkeypatch.setattr(module, "bundled_model", lambda: folder)
    with pytest.raises(MachineError, match="expected the published weights"):
        Encoder().encode_sentences(["A text."])
    (folder / WEIGHTS).unlink()
    genuine.cache_clear()
    with pytest.raises(MachineError, match="no such file"):
        genuine(folder)


# Each core works alone, and nobody else is told to.
def test_results_keep_the_order_and_torch_has_one_core_there():
    found = on_all_cores(lambda item: (item, torch.get_num_threads()), range(50))
    assert found == [(item, 1) for item in range(50)]


def test_other_threads_keep_what_torch_had():
    before = torch.get_num_threads()
    on_all_cores(str, range(3))
    seen: list[int] = []
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


def layers() -> list[torch.nn.Module]:
    torch.manual_seed(1)
    first, last = torch.nn.Linear(384, 96), torch.nn.Linear(96, 384, bias=False)
    inner = torch.nn.Sequential(torch.nn.GELU(), last)
    return [first.to(torch.bfloat16), inner.to(torch.bfloat16)]


@needs_bfloat16
@pytest.mark.parametrize("shape", [(1, 16, 384), (4, 192, 384), (8, 48, 384)])
def test_all_layers_are_packed_and_give_the_same_bits(shape):
    model, plain = BertModel(*layers()), BertModel(*layers())
    pack_linear(model)
    packed = [one for one in model.modules() if isinstance(one, PackedLinear)]
    assert len(packed) == 2
    assert not any(type(one) is torch.nn.Linear for one in model.modules())
    inputs = torch.randn(shape, dtype=torch.bfloat16)
    with torch.inference_mode():
        assert torch.equal(model(inputs), plain(inputs))


def test_a_model_of_another_family_stays_as_it_is():
    model = torch.nn.Sequential(*layers())
    pack_linear(model)
    assert not any(isinstance(one, PackedLinear) for one in model.modules())
