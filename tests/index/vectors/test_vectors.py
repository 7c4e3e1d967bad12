"""Vectors of parts, and indexes of them: exact, inverted and on GPUs, wherever parts are cut."""

import shutil

import faiss
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.index.text.corpus import passage_text
from sidelight.index.vectors import matrix
from sidelight.index.vectors import part as module
from sidelight.index.vectors.capacity import (
    N_SEGMENTS,
    Machine,
    free_gb,
    plan_capacity,
    this_machine,
)
from sidelight.index.vectors.inverted import balanced_axes
from sidelight.index.vectors.matrix import Matrix, PartRows, write_matrix
from sidelight.index.vectors.part import EncodePart, encode_part, part_in, published_part
from sidelight.index.vectors.profiles import PROFILES, lists_for, profile_named, shape_of
from sidelight.index.vectors.vectors import GpuSearch, VectorIndex, write_vectors
from tests.helpers.indexes.generated_collection import write_vectors_like

COUNT, DIMENSION = 3000, 32
GROWING = {"index.faiss", "matrix.part", "lists.i4", "codes.u1"}


class KilledError(Exception):
    """Stands for a kill between two blocks."""


def collection_ids(count):
    return [f"made_doc_00_{number:05}#0_{number}" for number in range(count)]


def between(vectors):
    """Return queries halfway between two neighbours, so that none is a vector of the collection."""
    sums = vectors[:40] + vectors[100:140]
    return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    return part_in(write_vectors_like(folder, collection_ids(COUNT), DIMENSION, seed=3))


@pytest.fixture(scope="module")
def queries(collection):
    return between(np.load(collection.vectors))


@pytest.fixture(scope="module")
def split(collection, tmp_path_factory):
    """Cut the collection into parts at some rows."""

    def cut(*rows):
        parts = []
        for low, high in zip((0, *rows), (*rows, COUNT), strict=True):
            part = part_in(tmp_path_factory.mktemp("part"))
            np.save(part.ids, np.load(collection.ids)[low:high])
            np.save(part.vectors, np.load(collection.vectors)[low:high])
            parts.append(part)
        return parts

    return cut


def built(folder, parts, profile):
    write_vectors(folder, parts, PROFILES[profile], lambda _: None)
    return folder


def exact_scores(part, query):
    ids = [one.decode() for one in np.load(part.ids)]
    return dict(zip(ids, (np.load(part.vectors) @ query).tolist(), strict=True))


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_exact_is_brute_force_in_the_file_of_faiss(
    small_index, small_corpus, encoder, collection, queries, split, tmp_path
):
    ordered = sorted(small_corpus, key=lambda segment: segment.segment_id)
    index = faiss.IndexFlatIP(384)
    index.add(encoder.encode_documents([passage_text(segment) for segment in ordered]))
    written = (small_index.path / "vectors" / "index.faiss").read_bytes()
    assert written == faiss.serialize_index(index).tobytes()
    index = VectorIndex(built(tmp_path / "v", split(700, 701, 2900), "exact"))
    assert (len(index), index.dimension) == (COUNT, DIMENSION)
    for query, hits in zip(queries, index.search(queries, 50), strict=True):
        scores = exact_scores(collection, query)
        best = sorted(scores, key=lambda name: (-scores[name], name))[:50]
        assert [hit.score for hit in hits] == pytest.approx([scores[n] for n in best], abs=1e-6)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.segment_id))


def recall_at_20(folder, part, queries):
    """Return the share of the exact 20 best that an index finds, having checked its scores."""
    found = []
    for query, hits in zip(queries, VectorIndex(folder).search(queries, 20), strict=True):
        scores = exact_scores(part, query)
        best = sorted(scores, key=lambda name: -scores[name])[:20]
        found.append(len({hit.segment_id for hit in hits} & set(best)) / 20)
        # int8 keeps a number to half a 127th of the largest of its dimension.
        seen = [hit.score for hit in hits]
        assert seen == pytest.approx([scores[hit.segment_id] for hit in hits], abs=0.01)
    return float(np.mean(found))


@pytest.mark.parametrize("profile", ["cpu-24gb", "cpu-128gb"])
def test_an_inverted_file_finds_what_it_promises_with_exact_scores(profile, collection, tmp_path):
    # What is promised is of 256 numbers: codes of fewer are shorter and say less.
    part = part_in(write_vectors_like(tmp_path / "part", collection_ids(COUNT), 256, seed=3))
    queries = between(np.load(part.vectors))
    folder = built(tmp_path / "v", [part], profile)
    assert recall_at_20(folder, part, queries) >= PROFILES[profile].recall


def test_balanced_axes_carry_alike_and_keep_products():
    # Later numbers vary more: the last one 30 times as much as the first.
    vectors = np.random.default_rng(1).standard_normal((4000, 30)).astype(np.float32)
    vectors *= np.arange(1, 31, dtype=np.float32)
    carried, straight = (
        np.log(turned.reshape(len(vectors), -1, 3).var(axis=0)).sum(axis=1)
        for turned in (vectors @ balanced_axes(vectors).T, vectors)
    )
    assert np.ptp(carried) < np.ptp(straight) / 3
    for dimension, whole_codes in [(7, 12), (30, 30), (32, 36)]:
        vectors = np.random.default_rng(1).standard_normal((400, dimension)).astype(np.float32)
        axes = balanced_axes(vectors)
        assert axes.shape == (whole_codes, dimension)
        assert axes.T @ axes == pytest.approx(np.eye(dimension), abs=1e-5)


def test_an_index_of_the_first_version_is_searched_and_an_unfinished_one_refused(
    collection, queries, tmp_path
):
    """Its codes stand for two numbers each, and nothing is turned."""
    folder = built(tmp_path / "v", [collection], "cpu-24gb")
    vectors = np.load(collection.vectors)
    lists = shape_of(PROFILES["cpu-24gb"], COUNT, DIMENSION).lists
    middles = faiss.IndexFlatIP(DIMENSION)
    codes = faiss.IndexIVFPQ(
        middles, DIMENSION, lists, DIMENSION // 2, 4, faiss.METRIC_INNER_PRODUCT
    )
    codes.train(vectors)
    codes.add(vectors)
    faiss.write_index(faiss.IndexIVFPQFastScan(codes), str(folder / "index.faiss"))
    assert recall_at_20(folder, collection, queries) >= PROFILES["cpu-24gb"].recall
    for left in ["trained.faiss", "filled.faiss"]:
        faiss.write_index(faiss.IndexFlatIP(DIMENSION), str(tmp_path / left))
        with pytest.raises(InputError, match=f"{left}: expected turned axes") as caught:
            built(tmp_path, [collection], "cpu-24gb")
        assert "Delete the folder" in caught.value.remedy


@pytest.mark.parametrize("profile", ["exact", "cpu-24gb", "cpu-128gb"])
def test_a_query_has_the_same_hits_in_any_company(profile, collection, queries, tmp_path):
    index = VectorIndex(built(tmp_path / "v", [collection], profile))
    together = index.search(queries, 10)
    for row in range(len(queries)):
        assert index.search(queries[row : row + 1], 10) == [together[row]]
    assert index.search(queries[:0], 10) == []


@pytest.mark.parametrize("profile", ["exact", "cpu-24gb", "cpu-128gb", "gpu-80gb"])
def test_where_parts_are_cut_does_not_matter(profile, collection, split, tmp_path):
    whole = files(built(tmp_path / "one", [collection], profile))
    assert files(built(tmp_path / "two", split(1, 1500), profile)) == whole


@pytest.mark.parametrize("profile", ["exact", "cpu-24gb", "gpu-80gb"])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 52), marks=pytest.mark.slow)])
def test_interrupted_anywhere_it_ends_with_the_same_bytes(
    seeds, profile, collection, tmp_path, monkeypatch
):
    monkeypatch.setattr(matrix, "BLOCK", 512)
    whole = files(built(tmp_path / "whole", [collection], profile))
    for seed in seeds:
        rng = np.random.default_rng(seed)
        folder = tmp_path / f"killed-{seed}"
        kills = 0
        while not finishes(folder, [collection], profile, calls=int(rng.integers(1, 4))):
            kills += 1
            # A kill may also leave half of a row behind.
            for name in GROWING & {path.name for path in folder.iterdir()}:
                with (folder / name).open("ab") as stream:
                    stream.write(bytes(rng.integers(0, 40)))
        assert kills > 1
        assert files(folder) == whole


def finishes(folder, parts, profile, calls):
    """Build until progress was told so many times; tell whether the build was done by then."""
    left = iter(range(calls))

    def tell(_):
        if next(left, None) is None:
            raise KilledError

    try:
        write_vectors(folder, parts, PROFILES[profile], tell)
    except KilledError:
        return False
    return True


def test_half_precision_and_single_precision_parts_mix(queries, split, tmp_path):
    parts = split(1000)
    expected = VectorIndex(built(tmp_path / "one", parts, "exact")).search(queries, 10)
    np.save(parts[0].vectors, np.load(parts[0].vectors).astype(np.float16))
    found = VectorIndex(built(tmp_path / "two", parts, "exact")).search(queries, 10)
    for ours, theirs in zip(found, expected, strict=True):
        assert [hit.score for hit in ours] == pytest.approx([h.score for h in theirs], abs=1e-3)


@pytest.mark.parametrize("devices", [("cpu",), ("cpu", "cpu", "cpu")])
@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_gpu_search_is_exact_over_any_number_of_devices(
    devices, precision, collection, queries, tmp_path
):
    write_matrix(tmp_path, PartRows([collection]), precision, lambda _: None)
    search = GpuSearch(tmp_path, devices)
    assert (len(search), search.dimension) == (COUNT, DIMENSION)
    for query, found in zip(queries, search.search(queries, 20), strict=True):
        scores = np.load(collection.vectors) @ query
        best = np.argsort(-scores)[:20]
        assert len(set(best.tolist()) & set(found.rows.tolist())) >= 18
        assert found.scores.tolist() == pytest.approx(scores[found.rows].tolist(), abs=0.01)
        assert (np.diff(found.scores) <= 0).all()


def test_vectors_that_cannot_be_built_or_opened_are_named(collection, tmp_path, split, small_index):
    import torch

    if not torch.cuda.is_available():
        with pytest.raises(MachineError, match="torch finds none"):
            VectorIndex(built(tmp_path / "v", [collection], "gpu-141gb"))
    parts = split(1000)
    np.save(parts[1].vectors, np.load(parts[1].vectors)[:, :16])
    with pytest.raises(InputError, match="2000 vectors of 32 numbers; found 2000 of 16"):
        built(tmp_path / "apart", parts, "exact")
    shutil.copytree(small_index.path / "vectors", tmp_path / "vectors")
    np.save(tmp_path / "vectors" / "ids.npy", np.array([b"a", b"b"]))
    with pytest.raises(InputError, match="found 40 vectors and 2 ids"):
        VectorIndex(tmp_path / "vectors")


GB = 10**9


def test_capacities_by_hand():
    planned = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256)
    # 258 numbers by three in 4 bits are 43 bytes, a row number 8; lists add 16,384 x 4 x 258 bytes.
    assert planned.memory_bytes_per_vector == pytest.approx(51 + 16_384 * 4 * 258 / N_SEGMENTS)
    assert planned.memory_gb == pytest.approx(5.81, abs=0.01)
    assert (planned.lists, planned.probes) == (16_384, 128)
    assert planned.building_memory_gb < 24
    assert planned.latency_ms < 12
    assert planned.recall == 0.95
    # 113,520,750 x 256 x 2 bytes are 58.1 GB, of 768 numbers 174.4, in int8 87.2, of 1,024 116.2.
    one = shape_of(PROFILES["gpu-80gb"], N_SEGMENTS, 256)
    assert (one.precision, one.gpus, one.memory_bytes) == ("float16", 1, 58_122_624_000)
    two = shape_of(PROFILES["gpu-80gb"], N_SEGMENTS, 768)
    assert (two.precision, two.gpus, two.memory_bytes) == ("int8", 2, 87_183_936_000)
    large = shape_of(PROFILES["gpu-141gb"], N_SEGMENTS, 512)
    assert (large.precision, large.gpus) == ("float16", 1)
    assert shape_of(PROFILES["gpu-141gb"], N_SEGMENTS, 1024).precision == "int8"
    # The root of 2 x 10**6 is 1,414, that of 2 x 4 x 10**6 is 2,828; 39 vectors to a list at least.
    assert [lists_for(n) for n in (1000, 10**6, 4 * 10**6)] == [25, 2048, 4096]


@given(count=st.integers(1000, 10**9), dimension=st.integers(1, 1024).map(lambda half: 2 * half))
def test_plans_grow_with_the_collection(count, dimension):
    for profile in PROFILES.values():
        less, more = (plan_capacity(profile, n, dimension) for n in (count, 2 * count))
        for name in ("memory_gb", "disk_gb", "building_disk_gb", "build_s"):
            # Twice as many in int8 take as much as so many in half precision.
            assert 0 < getattr(less, name) <= getattr(more, name), (profile.name, name)
        assert 0 <= less.probes <= less.lists <= count // 39


def test_what_does_not_fit_is_named(tmp_path_factory):
    small = Machine(memory=4 * GB, gpus=())
    found = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256, small).problems
    seen = [problem.split(" are needed")[0] for problem in found]
    assert seen == ["5.8 GB of memory"]
    between = Machine(memory=7 * GB, gpus=())
    (problem,) = plan_capacity(PROFILES["cpu-24gb"], N_SEGMENTS, 256, between).problems
    assert "build elsewhere and copy the folder" in problem
    gpu = Machine(memory=64 * GB, gpus=(80 * GB,))
    assert plan_capacity(PROFILES["gpu-80gb"], N_SEGMENTS, 256, gpu).problems == ()
    (problem,) = plan_capacity(PROFILES["gpu-80gb"], N_SEGMENTS, 768, gpu).problems
    assert problem == "87.2 GB of GPU memory are needed; this machine has 80.0"
    assert plan_capacity(PROFILES["cpu-24gb"], 10**5, 256, this_machine()).problems == ()
    folder = tmp_path_factory.getbasetemp()
    assert free_gb(folder / "still" / "to be made") == pytest.approx(free_gb(folder), rel=0.05)
    with pytest.raises(UsageError, match="found 'cpu-1gb'") as caught:
        profile_named("cpu-1gb")
    assert "cpu-24gb" in caught.value.remedy
    with pytest.raises(UsageError, match="needs at least 1000 vectors; found 999") as caught:
        shape_of(PROFILES["cpu-24gb"], 999, 255)
    assert "exact" in caught.value.remedy


@pytest.mark.parametrize(
    ("rows", "scales"),
    [
        (np.ones((2, 4)), None),
        (np.ones(4, np.float16), None),
        (np.ones((2, 4), np.int8), np.ones(3, np.float32)),
        (np.ones((2, 4), np.int8), np.ones((2, 2), np.float32)),
    ],
)
def test_a_matrix_that_is_none_of_an_index_is_refused(tmp_path, rows, scales):
    np.save(tmp_path / "matrix.npy", rows)
    if scales is not None:
        np.save(tmp_path / "scales.npy", scales)
    with pytest.raises((OSError, ValueError), match=r"expected an array|scales for"):
        Matrix(tmp_path)


@pytest.mark.parametrize("kind", ["float16", "int8"])
def test_the_best_of_more_rows_than_are_scored_at_once(tmp_path, kind):
    rng = np.random.default_rng(5)
    rows = (30 * rng.standard_normal((700, 24))).astype(kind)
    rows[600] = rows[3]  # of equal ones the first wins
    np.save(tmp_path / "matrix.npy", rows)
    scales = np.ones(24, dtype=np.float32)
    if kind == "int8":
        scales = rng.random(24, dtype=np.float32)
        np.save(tmp_path / "scales.npy", scales)
    query = rows[3].astype(np.float32) / scales
    asked = rng.permutation(np.r_[0:650])
    found = Matrix(tmp_path).best(query, asked, 100)
    exact = rows.astype(np.float64) @ (query * scales)
    assert found.rows[:2].tolist() == [3, 600]
    assert {*found.rows} <= {*asked}
    assert (np.diff(found.scores) <= 0).all()
    np.testing.assert_allclose(found.scores, np.sort(exact[asked])[:-101:-1], rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(found.scores, exact[found.rows], rtol=1e-3, atol=1e-2)


# Vectors of a part: encoded here, or published by others.


@pytest.fixture(scope="module")
def expected(small_corpus, encoder):
    return encoder.encode_documents([passage_text(segment) for segment in small_corpus])


def test_rows_are_the_segments_in_order(small_corpus, encoder, expected, tmp_path):
    steps = []
    part = encode_part(small_corpus, 40, tmp_path / "part", encoder, steps.append)
    assert np.load(part.ids).tolist() == [one.segment_id.encode() for one in small_corpus]
    assert np.load(part.vectors).tobytes() == expected.tobytes()
    # Done is done: nothing is asked of the segments again.
    assert encode_part(iter(()), 40, tmp_path / "part", encoder, steps.append) == part
    assert steps == [0, 40, 40]
    with pytest.raises(InputError, match="vectors of 40 segments; found 8"):
        encode_part(small_corpus[:8], 40, tmp_path / "fewer", encoder, lambda _: None)
    part = encode_part([], 0, tmp_path / "none", encoder, lambda _: None)
    assert np.load(part.ids).shape == (0,)
    assert np.load(part.vectors).shape == (0, 384)


@pytest.mark.parametrize(
    ("vector_bytes", "ids"),
    [(0, 0), (100, 0), (128 + 1536 * 15, 40), (128 + 1536 * 33, 40), (10**9, 17), (10**9, 40)],
)
def test_an_interrupted_part_goes_on_after_its_last_whole_chunk(
    small_corpus, encoder, expected, tmp_path, monkeypatch, vector_bytes, ids
):
    monkeypatch.setattr(module, "CHUNK", 8)
    whole = encode_part(small_corpus, 40, tmp_path / "whole", encoder, lambda _: None)
    folder = tmp_path / "killed"
    folder.mkdir()
    (folder / "vectors.part").write_bytes(whole.vectors.read_bytes()[:vector_bytes])
    lines = "".join(f"{one.segment_id}\n" for one in small_corpus[:ids])
    (folder / "ids.part").write_text(lines + "small_do")
    steps = []
    part = encode_part(small_corpus, 40, folder, encoder, steps.append)
    assert part.vectors.read_bytes() == whole.vectors.read_bytes()
    assert part.ids.read_bytes() == whole.ids.read_bytes()
    assert steps[0] == min(max(vector_bytes - 128, 0) // (8 * 1536) * 8, ids // 8 * 8, 40)
    assert sum(steps) == 40
    assert {path.name for path in folder.iterdir()} == {"ids.npy", "vectors.npy"}


def test_a_store_is_encoded_by_the_encoder_that_the_build_began_with(
    small_index, encoder, expected, tmp_path
):
    (store,) = small_index.docstore.paths
    steps = []
    encode = EncodePart(tmp_path, encoder, encoder.identity())
    encode(store, steps.append)
    assert np.load(encode.part(store).vectors).tobytes() == expected.tobytes()
    assert steps == [0, 40]
    other = encoder.identity().model_copy(update={"weights": "00"})
    with pytest.raises(MachineError, match="found other weights"):
        EncodePart(tmp_path, encoder, other)(store, steps.append)


def write_set(path, vectors, column="embedding", first=0):
    """Write vectors in the columns of the Arctic sets."""
    ids = [f"msmarco_v2.1_doc_00_{first + row}#0_{first + row}" for row in range(len(vectors))]
    table = {"doc_id": ids, "text": ["Its text."] * len(ids), "url": ["a.example"] * len(ids)}
    pq.write_table(pa.table({**table, column: list(vectors)}), path, row_group_size=7)
    return path


@pytest.fixture
def arctic_m():
    """Vectors like those of Arctic M v1.5: as they left the model, of any length."""
    rng = np.random.default_rng(5)
    return (rng.standard_normal((30, 768)) * rng.uniform(0.5, 9, (30, 1))).astype(np.float32)


def test_published_vectors_are_cut_and_normalised_in_the_order_of_names(arctic_m, tmp_path):
    path = write_set(tmp_path / "a.parquet", arctic_m)
    part = published_part(path, tmp_path / "part", 256, lambda _: None)
    cut = arctic_m[:, :256] / np.linalg.norm(arctic_m[:, :256], axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), cut, rtol=1e-6)
    assert np.load(part.ids)[29] == b"msmarco_v2.1_doc_00_29#0_29"
    (tmp_path / "set").mkdir()
    write_set(tmp_path / "set" / "1.parquet", arctic_m[20:], first=20)
    write_set(tmp_path / "set" / "0.parquet", arctic_m[:20])
    part = published_part(tmp_path / "set", tmp_path / "whole", None, lambda _: None)
    unit = arctic_m / np.linalg.norm(arctic_m, axis=1, keepdims=True)
    np.testing.assert_allclose(np.load(part.vectors), unit, rtol=1e-6)


def test_an_interrupted_set_is_taken_up(arctic_m, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 8)
    path = write_set(tmp_path / "a.parquet", arctic_m)
    whole = published_part(path, tmp_path / "whole", 256, lambda _: None)

    def killed(rows):
        if seen.append(rows) or sum(seen) > 16:
            raise KeyboardInterrupt

    seen = []
    with pytest.raises(KeyboardInterrupt):
        published_part(path, tmp_path / "part", 256, killed)
    steps = []
    part = published_part(path, tmp_path / "part", 256, steps.append)
    assert steps == [24, 6]
    assert part.vectors.read_bytes() == whole.vectors.read_bytes()
    assert part.ids.read_bytes() == whole.ids.read_bytes()


def test_vectors_that_cannot_be_taken_are_named(tmp_path, arctic_m):
    for dimension, cut, allowed in [(1024, 256, "1024"), (768, 128, "256 or 768")]:
        path = write_set(tmp_path / "a.parquet", np.ones((2, dimension), dtype=np.float32))
        with pytest.raises(InputError, match=f"expected to keep {allowed} of the {dimension}"):
            published_part(path, tmp_path / "part", cut, lambda _: None)
    other = write_set(tmp_path / "b.parquet", arctic_m, column="numbers")
    with pytest.raises(InputError, match="called one of: emb, embedding; found: doc_id, text"):
        published_part(other, tmp_path / "part", None, lambda _: None)
    with pytest.raises(InputError, match="found none"):
        published_part(tmp_path / "missing.parquet", tmp_path / "part", None, lambda _: None)
    arctic_m[3] = 0
    zero = write_set(tmp_path / "c.parquet", arctic_m)
    with pytest.raises(InputError, match=r"#0_3'.* zero or not finite"):
        published_part(zero, tmp_path / "part", None, lambda _: None)
