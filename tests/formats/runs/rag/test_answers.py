"""Answers whose sentences cite references by their place."""

import json
import time
from collections import Counter

import orjson
import pytest

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.runs.rag import ANSWERS, FLAT_ANSWERS
from sidelight.formats.runs.submission import Delivery, run_format
from sidelight.formats.verdict import judge_file, track_of
from sidelight.schemas.run import CitedSentence, RunIdentity
from sidelight.schemas.topic import Article, Narrative
from sidelight.tracks import load_track
from sidelight.view.shown_run import handed_in_run
from tests.helpers.commands import said
from tests.helpers.formats.mutations import mutated_answers
from tests.helpers.formats.official_oracle import answers_are_valid

TASK = load_track("rag2025").cited_text
RUN_ID = "lamp-rag"
A, B = "msmarco_v2.1_doc_61_1#0_7", "msmarco_v2.1_doc_62_2#3_9"


def answer():
    return {
        "metadata": {
            "team_id": "lamp",
            "run_id": RUN_ID,
            "type": "automatic",
            "narrative_id": "31",
            "narrative": "I want to know who pays.",
        },
        "references": [A, B],
        "answer": [
            {"text": "A trust pays.", "citations": [1, 0]},
            {"text": "It has done so since 2011.", "citations": []},
        ],
    }


def written(folder, *lines):
    path = folder / RUN_ID
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def problems(path, known=None):
    return [(one.code, one.line, one.severity) for one in ANSWERS.check(path, TASK, ["31"], known)]


def test_citations_are_the_references_at_their_places(tmp_path):
    path = written(tmp_path, answer())
    (report,) = ANSWERS.read(path).reports
    assert [sentence.citations for sentence in report.responses] == [(B, A), ()]
    assert (report.metadata.topic_id, report.metadata.run_id) == ("31", RUN_ID)
    assert problems(path) == []
    assert problems(path, {A, B}) == []
    assert problems(path, {A}) == [("citation-unknown", 1, "error")]
    for place in [2, -1, 10**30, True, "0", 0.0, None]:
        item = answer()
        item["answer"][0]["citations"] = [place]
        path = written(tmp_path, item)
        ((code, line, severity), *_) = problems(path)
        assert code in {"citation-place", "value"}
        assert (line, severity) == (1, "error")
        with pytest.raises(InvalidFileError, match=r"citation-place|value"):
            ANSWERS.read(path)


def test_references_are_written_in_the_order_of_their_first_citation(tmp_path):
    sentences = (
        CitedSentence(text="One.", citations=(B,)),
        CitedSentence(text="Two."),
        CitedSentence(text="Three.", citations=(A, B)),
    )
    narrative = Narrative(topic_id="31", narrative="I want\nto know.")
    identity = RunIdentity(team_id="lamp", run_id=RUN_ID, type="manual")
    ANSWERS.write(tmp_path / RUN_ID, identity, [Delivery(narrative, sentences)])
    line = orjson.loads((tmp_path / RUN_ID).read_bytes())
    found = line["metadata"]
    assert found == answer()["metadata"] | {"type": "manual", "narrative": "I want to know."}
    assert line["references"] == [B, A]
    assert [one["citations"] for one in line["answer"]] == [[0], [], [1, 0]]
    with pytest.raises(InputError, match="expected a narrative"):
        ANSWERS.write(tmp_path / "no", identity, [Delivery(Article(topic_id="t", body=""), ())])
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("change", "code", "severity"),
    [
        (lambda item: item["references"].append(A), "reference-duplicate", "error"),
        (lambda item: item["references"].extend(map(str, range(99))), "reference-count", "error"),
        (lambda item: item["answer"][1].update(citations=[A]), "citation-mixed", "error"),
        (lambda item: item["references"].__setitem__(0, "a page"), "citation-pattern", "error"),
        (lambda item: item["metadata"].pop("narrative"), "key-missing", "error"),
        (lambda item: item["metadata"].update(type="by hand"), "value", "error"),
        (lambda item: item.update(extra=1), "key-unknown", "error"),
        (lambda item: item.update(answer=[]), "report-empty", "warning"),
    ],
)
def test_each_rule_of_the_format_is_told(tmp_path, change, code, severity):
    item = answer()
    change(item)
    assert (code, 1, severity) in problems(written(tmp_path, item))


def test_makers_may_say_more_and_a_narrative_has_one_answer(tmp_path):
    item = answer()
    item["metadata"]["prompt"] = "Answer."
    assert problems(written(tmp_path, item)) == []
    other = answer()
    other["metadata"] |= {"narrative_id": "32", "type": "manual"}
    path = written(tmp_path, answer(), answer(), other)
    codes = [code for code, _, _ in problems(path)]
    assert codes == ["topic-duplicate", "topic-unknown", "metadata-inconsistent"]
    with pytest.raises(InvalidFileError, match="a second one for '31'"):
        ANSWERS.read(path)
    item["references"] += [f"msmarco_v2.1_doc_63_{number}#0_1" for number in range(30_000)]
    path = written(tmp_path, item)
    start = time.process_time()
    assert [code for code, _, _ in problems(path)] == ["reference-count"]
    assert time.process_time() - start < 5


def test_published_answers_of_the_year_before_keep_the_limits(shared_data):
    path = shared_data / "rag-2024" / "baseline_gpt-4o_top20.jsonl.gz"
    task = load_track("rag2024").cited_text
    results = FLAT_ANSWERS.read(path).results()
    assert len(results) == 301
    found = {problem.code for problem in FLAT_ANSWERS.check(path, task, list(results), None)}
    assert not found & {"report-words", "citation-count", "citation-place", "citation-pattern"}


GUIDELINES = """
{"metadata": {"team_id": "my-awesome-team", "run_id": "my-awesome-run", "type": "automatic",
"narrative_id": 31, "narrative": "I want to know who pays.", "prompt": "Answer."},
"references": ["msmarco_v2.1_doc_16_1041913392#3_1268938142",
"msmarco_v2.1_doc_14_1198634226#9_2470404444", "msmarco_v2.1_doc_12_201312571#0_394394285",
"msmarco_v2.1_doc_02_1169633399#2_1963227104", "msmarco_v2.1_doc_23_947922085#6_2108546861"],
"answer": [{"text": "A trust pays.", "citations": [0, 4, 1, 2]},
{"text": "It has done so since 2011.", "citations": [3]}]}
"""


def as_printed(*, by_id):
    """Return an answer in format 1 or 2 of the guidelines: a number for an id, four citations."""
    item = json.loads(GUIDELINES)
    for one in item["answer"] if by_id else ():
        one["citations"] = [item["references"][place] for place in one["citations"]]
    return item


@pytest.mark.parametrize("by_id", [False, True])
def test_every_command_reads_the_files_that_the_guidelines_print(tmp_path, small_index, by_id):
    run = written(tmp_path, as_printed(by_id=by_id))
    topics, nuggets = tmp_path / "topics.jsonl", tmp_path / "nuggets.jsonl"
    topics.write_text('{"id": "31", "title": "I want to know who pays."}\n')
    fact = {"text": "a trust pays", "importance": "vital"}
    nuggets.write_text(json.dumps({"qid": "31", "query": "who pays", "nuggets": [fact]}) + "\n")
    track = load_track("rag2025")
    assert judge_file(run, track, ["31"]).valid
    (report,) = ANSWERS.read(run).reports
    assert [len(one.citations) for one in report.responses] == [4, 1]
    page = tmp_path / "page.html"
    for command in (
        ("validate", run, "--track", "rag2025", "--topics", topics),
        ("score", "nuggets", run, "--nuggets", nuggets, "--words-only"),
        ("view", run, "--topics", topics, "-o", page),
    ):
        said(*command)
    with pytest.raises(InputError, match="expected the segments that the runs cite"):
        said("score", "support", run, "--index", small_index.path)
    assert "I want to know who pays." in page.read_text(encoding="utf-8")


def lines_of(year, *, by_id=False):
    """Return two answers in the form of a year."""
    both = [as_printed(by_id=by_id), as_printed(by_id=by_id)]
    both[1]["metadata"]["narrative_id"] = "32"
    if year == 2025:
        return both
    return [
        {
            "run_id": "lamp",
            "topic_id": str(one["metadata"]["narrative_id"]),
            "topic": one["metadata"]["narrative"],
            "references": one["references"],
            "response_length": 9,
            "answer": one["answer"],
        }
        for one in both
    ]


def read_by(command, *given):
    """Return what a command reads, or None where it refuses the file, or nothing is in it."""
    try:
        return command(*given) or None
    except InputError:
        return None


def by_scores(path, usual):
    """What `score nuggets` and `score support` read."""
    return dict(run_format(track_of(path, usual).cited_text).read(path).results())


def by_view(path, usual):
    """What `view` reads."""
    shown = handed_in_run([path], track_of(path, usual), ())
    return {topic: shown.make(topic).report for topic in shown.topics}


@pytest.mark.parametrize(
    "count", [60, pytest.param(700, marks=pytest.mark.slow)], ids=["some", "many"]
)
@pytest.mark.parametrize(("year", "by_id"), [(2024, False), (2025, False), (2025, True)])
def test_the_commands_and_the_validator_of_the_year_agree(tmp_path, year, by_id, count):
    track, path = load_track(f"rag{year}"), tmp_path / "lamp"
    verdicts = Counter()
    for seed in range(count):
        path.write_bytes(mutated_answers(seed, lines_of(year, by_id=by_id)))
        ours = judge_file(path, track, ["31", "32"]).valid
        verdicts[ours, answers_are_valid(path.read_bytes(), ["31", "32"], year)] += 1
        read = read_by(by_scores, path, track)
        assert read_by(by_scores, path, load_track()) == read
        assert read_by(by_view, path, load_track()) == read
        assert read or not ours
    assert verdicts[True, False] == 0
    assert verdicts[True, True] > 0 < verdicts[False, False]
