import gzip

import orjson
import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.registry import names
from tests.helpers.commands import call, said, told


def test_from_documents_to_hits(tmp_path):
    documents = tmp_path / "documents.jsonl.gz"
    body = " ".join(f"The {word} stands here." for word in ["vase", "lamp"] * 8)
    document = {"docid": "m_doc_00_1", "body": body, "title": "A [bold] house"}
    documents.write_bytes(gzip.compress(orjson.dumps(document)))
    segments, index = tmp_path / "segments.jsonl", tmp_path / "index"
    cut = said("corpus", "segment", documents, "-o", segments)
    assert cut.startswith(
        f"Wrote 3 segments to {segments}\n0 of 1 document with an address; "
        "without one: m_doc_00_1\n"
    )
    built = said("index", "build", segments, "-o", index)
    assert "3 of 1 document" in built
    assert said("index", "info", index) == built
    again = call("index", "build", segments, "-o", index)
    assert again.stderr == "Nothing to do: the index was built from this input before.\n"
    assert again.stdout == built
    info = told("index", "info", index)
    assert info["segments"] == 3
    assert info["fingerprint"] in built
    shown = said("search", "--index", index, "lamps", "--k", 1)
    assert shown.startswith("  1  ")
    assert "A [bold] house" in shown


def test_a_folder_of_pages_becomes_a_collection(tmp_path):
    """Pages as browsers save them, with what belongs to them in a folder beside, and texts."""
    web = tmp_path / "web"
    (web / "A vase_files").mkdir(parents=True)
    (web / "A vase_files" / "frame.html").write_text("<p>An advertisement.</p>")
    (web / "A vase.HTML").write_text(
        "<!-- saved from url=(0024)https://lamps.example/ -->\n<title>Vases &amp; lamps</title>"
        "<p>The vase stands here.</p><script>no text</script>"
    )
    (web / "note.txt").write_text("A lamp of the old house was sold\nThe lamp stood here once.\n")
    address = "https://register.example/7"
    (web / "register.txt").write_text(
        f"{address}\nThe lamp of Marrow was sold | Lamp Register\n\nThe lamp of Marrow was sold\n"
        "By Dana Orrin\nThe lamp was sold in 1990.\n"
    )
    for name, tag in (
        ("unquoted", "<link rel=canonical href='https://lamps.example/a'>"),
        ("mixed", '<meta property=og:url content="https://lamps.example/o\'b">'),
        ("bare", "<link href=https://lamps.example/a rel=canonical>"),
        (
            "extension",
            "<html><!--\n Page saved with SingleFile \n url: https://lamps.example/a \n-->",
        ),
    ):
        (web / f"tag-{name}.html").write_text(f"{tag}<p>It stands here.</p>")
    (web / "picture.png").write_bytes(b"\x89PNG")
    segments = tmp_path / "segments.jsonl"
    with pytest.raises(InputError, match=r"found a folder\n(.*\n)*.*corpus segment .*web -o"):
        said("index", "build", web, "-o", tmp_path / "index")
    documents = tmp_path / "documents.jsonl"
    documents.write_text('{"docid": "a", "body": "A lamp stood here."}\n' * 12)
    with pytest.raises(InputError, match=r"found documents\n(.*\n)*.*segment .*documents.jsonl -o"):
        said("index", "build", documents, "-o", tmp_path / "index")
    wrote = said("corpus", "segment", web, "-o", segments)
    assert wrote.startswith(
        f"Wrote 7 segments to {segments}\n6 of 7 documents with an address; without one: note\n"
    )
    assert "write it on a line of its own at the top of the text" in wrote
    vase, note, register, *tags = map(orjson.loads, segments.read_bytes().splitlines())
    assert {one["url"].rpartition("/")[2] for one in tags} == {"a", "o'b"}
    assert vase["docid"].startswith("A-vase#0_")
    assert (vase["url"], vase["title"]) == ("https://lamps.example/", "Vases & lamps")
    assert vase["segment"] == "The vase stands here."
    assert (note["docid"][:7], note["title"]) == ("note#0_", "A lamp of the old house was sold")
    title = "The lamp of Marrow was sold | Lamp Register"
    assert (register["title"], register["url"]) == (title, address)
    assert address not in register["segment"]
    photo = web / "photo.html"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n<p>A chunk of data.</p>")
    empty = web / "empty.htm"
    empty.write_text("<script>1</script>")
    told = call("corpus", "segment", web, "-o", segments)
    assert told.stdout == wrote
    assert f"left out: {empty}: Expected a page with text" in told.stderr
    assert f"left out: {photo}: This is not text; it may be an image" in told.stderr
    picture = web / "picture.png"
    assert f"left out, neither HTML nor text files: {picture}\n" in told.stderr
    with pytest.raises(InputError, match=r"empty\.htm: Expected a page with text"):
        said("corpus", "segment", empty, "-o", segments)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*gone'"):
        said("corpus", "segment", tmp_path / "gone", "-o", segments)
    (web / "note.html").write_text("<p>So.</p>")
    with pytest.raises(InputError, match=r"note\.txt: .*expected an id of its own; found 'note'"):
        said("corpus", "segment", web, "-o", segments)


def test_hits_as_json(small_index, small_corpus):
    query = ("bakery accounts", "--retriever", "bm25")
    found = told("search", "--index", small_index.path, *query)
    assert [hit["rank"] for hit in found] == list(range(1, len(found) + 1))
    best = next(s for s in small_corpus if s.segment_id == found[0]["segment_id"])
    assert found[0].items() >= best.model_dump().items()
    assert "accounts" in best.text
    assert "bakery" in best.text


def test_queries_make_a_trec_run(small_index, tmp_path):
    queries = tmp_path / "queries.tsv"
    queries.write_text("7\twho owns the ferry\n8\tunsafe glacier\n")
    output = tmp_path / "run.txt"
    arguments = ("--queries", queries, "--retriever", "rm3", "--k", 3, "--output", output)
    shown = said("search", "--index", small_index.path, *arguments)
    assert shown == f"Wrote 6 hits for 2 queries to {output}\n"
    assert {query: len(hits) for query, hits in read_trec_run(output).items()} == {"7": 3, "8": 3}
    assert output.read_text().splitlines()[0].endswith(" sidelight-rm3")


def test_words_or_queries(small_index):
    for given, says in (
        ([], "either words"),
        (["words", "--queries", "q"], "either words"),
        (["--queries", "q"], "either words"),
        ([""], "expected words to search for; found none"),
        (["   "], "expected words to search for; found none"),
    ):
        with pytest.raises(UsageError, match=says):
            said("search", "--index", small_index.path, *given)
    shown = said("search", "--index", small_index.path, "xyzzy", "--retriever", "bm25")
    assert shown == "No segment was found.\n"


def test_doctor_names_what_is_missing(monkeypatch, tmp_path):
    healthy = told("doctor")
    assert healthy["ok"]
    assert {check["name"] for check in healthy["checks"]} >= {"Java", "FAISS", "torch", "disk"}
    monkeypatch.setattr("sidelight.index.machine._LEAST", 10**9)
    assert "Use a machine of at least" in said("doctor", code=3)


def test_runs_are_fused_by_rank(tmp_path):
    (tmp_path / "a.txt").write_text("1 Q0 x 1 9 a\n1 Q0 y 2 8 a\n2 Q0 z 1 7 a\n")
    (tmp_path / "b.txt").write_text("1 Q0 y 1 0.3 b\n1 Q0 w 2 0.2 b\n")
    fused = tmp_path / "fused.txt"
    shown = said("fuse", tmp_path / "a.txt", tmp_path / "b.txt", "-o", fused, "--k", 2)
    assert shown == f"Fused 2 runs over 2 queries into {fused}\n"
    found = read_trec_run(fused)
    # y: 1/62 + 1/61, x: 1/61, w: 1/62, which is the third
    assert [hit.segment_id for hit in found["1"]] == ["y", "x"]
    assert abs(found["1"][0].score - (1 / 62 + 1 / 61)) < 1e-6
    assert [hit.segment_id for hit in found["2"]] == ["z"]


def test_help_lists_every_retriever():
    shown = " ".join(said("search", "--help").split())
    assert f"One of {', '.join(names('retriever'))}." in shown
