"""`sidelight grade` from the command line: any origin, by items or directly, killed and gone on."""

import json

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.banks.exams import write_exams
from sidelight.formats.labels.graded_passages import read_graded, write_graded
from sidelight.schemas.grading.graded_passage import GradedPassage, GradedQuery
from sidelight.schemas.grading.rubric import ExamBank, new_item
from tests.helpers.commands import said, told
from tests.helpers.kills import kill_and_go_on

TEXTS = {
    "d1": "In a bog the wet ground keeps plants from rotting, because no air reaches them.",
    "d2": "Bogs hold a third of all carbon in the world's soils.",
    "d3": "The library opens at nine and closes at six.",
}
ASKED = (
    "What keeps plants in a bog from rotting?",
    "How much of the carbon in soils do bogs hold?",
    "Who digs peat?",
)


def write_bank(path, *texts, query="q1"):
    tests = tuple(new_item(query, text) for text in texts)
    bank = ExamBank(
        topic_id=query, query_text="why do bogs store carbon", kind="question", tests=tests
    )
    write_exams(path, [bank])
    return path


@pytest.fixture
def bank(tmp_path):
    return write_bank(tmp_path / "bank.jsonl", *ASKED)


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    lines = [json.dumps({"docid": name, "segment": text}) for name, text in TEXTS.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_ranking(path, *names):
    lines = [
        f"q1 Q0 {name} {rank} {10 - rank} {path.stem}" for rank, name in enumerate(names, start=1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def grades(path):
    return {
        passage.passage_id: [item.rating for item in passage.gradings[0].items]
        for query in read_graded(path)
        for passage in query.passages
    }


def test_a_run_and_an_item_more_cost_what_they_add(tmp_path, texts):
    first = write_ranking(tmp_path / "first.trec", "d1", "d2")
    second = write_ranking(tmp_path / "second.trec", "d2", "d3")
    small = write_bank(tmp_path / "small.jsonl", *ASKED[:2])
    large = write_bank(tmp_path / "large.jsonl", *ASKED)
    out, at_once = tmp_path / "out.jsonl.gz", tmp_path / "at-once.jsonl.gz"
    found = told("grade", first, "--bank", small, "--texts", texts, "-o", out)
    assert (found["cells"], found["new"], found["unjudged"]) == (4, 4, 0)
    assert found["graders"][0].endswith("@calibrated-on-TREC-DL-2019")
    assert told("grade", second, "--bank", small, "--texts", texts, "-o", out)["new"] == 2
    assert told("grade", out, "--bank", large, "-o", out)["new"] == 3
    both = (first, second, "--bank", large, "--texts", texts)
    assert told("grade", *both, "-o", at_once)["new"] == 9
    assert told("grade", *both, "-o", out)["new"] == 0
    assert grades(out) == grades(at_once)
    by_passage = grades(at_once)
    assert by_passage["d1"][0] in {4, 5}
    assert by_passage["d2"][1] in {4, 5}
    assert by_passage["d3"] == [0, 0, 0]


def answers(path):
    metadata = {"team_id": "t", "run_id": "r", "narrative_id": "q1", "narrative": "why"}
    said = [(TEXTS["d2"], 0), ("And so on.", 1)]
    answer = {
        "metadata": metadata | {"type": "automatic"},
        "references": ["d2", "d1"],
        "answer": [{"text": text, "citations": [cited]} for text, cited in said],
    }
    path.write_text(json.dumps(answer) + "\n")
    return path


def test_answers_are_graded_for_what_they_say_or_cite(tmp_path, bank, texts):
    run, out = answers(tmp_path / "answers.jsonl"), tmp_path / "out.jsonl"
    told("grade", run, "--bank", bank, "-o", out)
    (passage,) = next(iter(read_graded(out))).passages
    assert passage.passage_id == "r/q1/1"
    assert passage.text == f"{TEXTS['d2']} And so on."
    cited = tmp_path / "cited.jsonl"
    told("grade", run, "--part", "cited", "--texts", texts, "--bank", bank, "-o", cited)
    assert list(grades(cited)) == ["d2", "d1"]
    (tmp_path / "prose.txt").write_text("Some prose.\n")
    with pytest.raises(InputError, match="expected graded passages, a ranking or a run"):
        told("grade", tmp_path / "prose.txt", "--bank", bank, "-o", tmp_path / "no.jsonl")
    with pytest.raises(UsageError, match="do not hold their texts"):
        told("grade", run, "--part", "cited", "--bank", bank, "-o", tmp_path / "no.jsonl")


def test_direct_grades_join_the_same_file(tmp_path, bank, texts, server):
    run, out = write_ranking(tmp_path / "r.trec", *TEXTS), tmp_path / "out.jsonl"
    given = ("--texts", texts, "-o", out)
    told("grade", run, "--bank", bank, *given)
    assert told("grade", run, "--direct", "pool", *given)["cells"] == 3
    asked = ("--direct", "UMBRELA", "--bank", bank, "--model", "tiny")
    found = told("grade", run, *asked, "--base-url", server.base_url, *given, code=3)
    # The server writes sentences where a verdict is wanted: off the scale, so no grade.
    assert (found["cells"], found["unjudged"]) == (0, 3)
    passage = next(iter(read_graded(out))).passages[0]
    assert len(passage.gradings) == 1
    assert len(passage.direct) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "nothing to grade by"),
        (("--direct", "Nobody"), "no direct grader"),
        (("--direct", "Sun"), "asks a model: none is named"),
        (("--direct", "Sun", "--model", "m"), "expected their texts, found none"),
        (("--direct", "pool", "--model", "m"), "--model needs a grader"),
        (("--judge", "prompted", "--bank", "bank"), "asks a model: none is named"),
        (("--judge", "nobody", "--bank", "bank"), "no judge"),
        (("--bank", "bank", "--estimate"), "--estimate counts what a model is asked"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, bank, texts, options, says):
    run = write_ranking(tmp_path / "r.trec", *TEXTS)
    named = [bank if one == "bank" else one for one in options]
    with pytest.raises(UsageError, match=says):
        told("grade", run, *named, "--texts", texts, "-o", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_an_estimate_counts_the_calls_and_makes_none(tmp_path, bank, texts):
    run, out = write_ranking(tmp_path / "r.trec", *TEXTS), tmp_path / "out.jsonl"
    asked = ("--judge", "prompted", "--model", "tiny", "--estimate", "--texts", texts, "-o", out)
    assert told("grade", run, "--bank", bank, *asked)["calls"] == 9
    assert told("grade", run, "--bank", bank, *asked, "--items-at-once", 3)["calls"] == 3
    assert not out.exists()


def write_pool(path, count):
    passages = tuple(
        GradedPassage("q1", f"p{number}", f"Passage {number} is about bogs.")
        for number in range(count)
    )
    write_graded(path, [GradedQuery("q1", passages)])
    return path


def test_a_page_and_its_corrections(tmp_path, bank):
    graded, page = tmp_path / "graded.jsonl", tmp_path / "page.html"
    told("grade", write_pool(tmp_path / "pool.jsonl", 2), "--bank", bank, "-o", graded)
    options = ("--bank", bank, "-o", page)
    said("rubric", "verify", graded, *options)
    assert ASKED[0] in page.read_text()
    about = json.loads(
        page.read_text().partition('data-about="')[2].partition('"')[0].replace("&#34;", '"')
    )
    item = new_item("q1", ASKED[0]).item_id
    verdict = {"query_id": "q1", "passage_id": "p0", "item_id": item, "grade": 5}
    saved = tmp_path / "corrections.json"
    saved.write_text(json.dumps({**about, "verdicts": [verdict]}))
    checked = tmp_path / "checked.jsonl"
    found = told("rubric", "corrections", graded, saved, "-o", checked)
    assert (found["checked"], found["accepted"], found["too_low"]) == (1, 0, 1)
    first = next(iter(read_graded(checked))).passages[0]
    assert [one.items[0].rating for one in first.gradings] == [0, 5]
    with pytest.raises(InputError, match="another file or version"):
        told("rubric", "corrections", checked, saved)
    with pytest.raises(InputError, match="no such query"):
        said("rubric", "verify", graded, "--query", "q9", *options)


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_killed_grader_loses_no_grade_and_repeats_none(kills, bank, server, tmp_path):
    pool = write_pool(tmp_path / "pool.jsonl", 30)
    given = ("grade", pool, "--judge", "prompted", "--model", "tiny", "--bank", bank)
    whole = tmp_path / "whole" / "out.jsonl"
    told(*given, "--base-url", server.base_url, "-o", whole)

    def check(out):
        assert (out / "out.jsonl").read_bytes() == whole.read_bytes()

    kill_and_go_on(
        kills,
        lambda out: [*given, "-o", out / "out.jsonl"],
        tmp_path,
        n_calls=90,
        says="",
        check=check,
    )
