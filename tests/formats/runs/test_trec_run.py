"""Rankings for topics and for questions: read by score, written so that ties keep their order."""

import math
from itertools import pairwise

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError
from sidelight.formats.runs.question_list import TAGGED_QUESTIONS
from sidelight.formats.runs.submission import Delivery
from sidelight.formats.runs.trec_run import BY_QUESTION, BY_TOPIC, read_trec_run, write_trec_run
from sidelight.formats.verdict import detect_format
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.run import QuestionHits, RunIdentity
from sidelight.schemas.task import QuestionRankingsTask, RankingTask
from sidelight.schemas.topic import Article, question_id
from sidelight.tracks import load_track


def write(tmp_path, text):
    path = tmp_path / "run.trec"
    path.write_text(text)
    return path


def test_hits_are_read_by_score_and_written_in_six_columns(tmp_path):
    path = write(
        tmp_path, "q2 Q0 a 1 0.5 x\nq2\tQ0\tb\t2\t1e1\tx\n\nq1 Q0 d 1 .5 x\nq1 Q0 c 2 .5 x"
    )
    results = read_trec_run(path)
    assert list(results) == ["q2", "q1"]
    assert results["q2"] == [Hit("b", 10.0), Hit("a", 0.5)]
    assert results["q1"] == [Hit("c", 0.5), Hit("d", 0.5)]
    path = tmp_path / "run.trec"
    write_trec_run(path, {"q": [Hit("a", 1.5), Hit("b", 1.5), Hit("c", 0.25)]}, "tag")
    # Below 1.5 a single-precision number has steps of 2**-23 = 0.00000012.
    assert path.read_text() == ("q Q0 a 1 1.5 tag\nq Q0 b 2 1.4999999 tag\nq Q0 c 3 0.25 tag\n")


def test_a_line_that_is_no_hit_is_an_error(tmp_path):
    for line, code in [
        *(("q Q0 a 1 0.5", "column-count"), ("q Q0 a b 1 0.5 x", "column-count")),
        *((f"q Q0 a 1 {score} x", "score") for score in ("nan", "1e308", "٣")),
        ("q Q0 first 1 0.1 x", "segment-duplicate"),
    ]:
        path = write(tmp_path, f"q Q0 first 1 2 x\n{line}\n")
        with pytest.raises(InvalidFileError) as caught:
            read_trec_run(path)
        assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]
    path = write(tmp_path, "\ufeffq Q0 a 1 2 x\n\nq Q0 b 2 high x\n")
    task = load_track("rag2025").of_kind(RankingTask)
    problems = BY_TOPIC.check(path, task, ["q"], None)
    found = [(one.code, one.line) for one in problems]
    assert found == [("byte-order-mark", 1), ("blank-line", 2), ("score", 3)]


def test_refuses_what_would_shift_columns_or_fit_no_score(tmp_path):
    for query_id, segment_id, score, tag in [
        *(("q 1", "a", 1, "t"), ("q", "a\u00a0b", 1, "t"), ("", "a", 1, "t")),
        *(("q", "a", 1, "my run"), ("q", "a", 1, "")),
        *(("q", "a", score, "t") for score in (math.nan, math.inf, -math.inf, 1e39, -1e39)),
    ]:
        with pytest.raises(InputError, match="white space" if score == 1 else "cannot represent"):
            write_trec_run(tmp_path / "run", {query_id: [Hit(segment_id, score)]}, tag)
        assert not (tmp_path / "run").exists()


segment_ids = st.text(alphabet="abcdef#_0123456789", min_size=1, max_size=12)
# Close together, so that many are ties in single precision.
scores = st.floats(-1e30, 1e30) | st.sampled_from(
    [0.0, -0.0, 1.0, 1.0 + 1e-12, 16777216.0, 16777217.0]
)
hits = st.dictionaries(segment_ids, scores, min_size=1, max_size=30).map(
    lambda found: sorted((Hit(*item) for item in found.items()), key=lambda hit: -hit.score)
)
results = st.dictionaries(st.text(alphabet="q0123", min_size=1), hits, min_size=1, max_size=4)


@given(results=results)
def test_order_survives_reading_whatever_breaks_ties(tmp_path_factory, results):
    path = tmp_path_factory.getbasetemp() / "run.trec"
    write_trec_run(path, results, "tag")
    read = read_trec_run(path)
    assert list(read) == list(results)
    for query_id, hits in results.items():
        assert [hit.segment_id for hit in read[query_id]] == [hit.segment_id for hit in hits]
        single = [np.float32(hit.score) for hit in read[query_id]]
        assert all(left > right for left, right in pairwise(single))
    first = path.read_bytes()
    write_trec_run(path, read, "tag")
    assert path.read_bytes() == first


def test_trec_eval_ranks_ties_as_given(tmp_path):
    """Only rank 1 is relevant; with equal scores trec_eval would put `z` before `a`."""
    hits = [Hit("a", 1.0), Hit("z", 1.0), Hit("y", 1.0)]
    path = tmp_path / "run.trec"
    write_trec_run(path, {"q": hits}, "tag")

    def reciprocal_rank(run):
        qrels = [ir_measures.Qrel("q", "a", 1)]
        return ir_measures.calc_aggregate([ir_measures.RR], qrels, run)[ir_measures.RR]

    tied = [ir_measures.ScoredDoc("q", hit.segment_id, hit.score) for hit in hits]
    assert reciprocal_rank(tied) == pytest.approx(1 / 3)
    assert reciprocal_rank(ir_measures.read_trec_run(str(path))) == 1.0


# Documents for questions, and questions under a tag: what is written is read, in any order.


TRACK = load_track("lateral2024")
TASK = TRACK.of_kind(QuestionRankingsTask)
IDENTITY = RunIdentity(team_id="lamp", run_id="lamp-d")
DOCUMENTS = st.builds("clueweb22-en{:04}-00-{:05}".format, st.integers(0, 9), st.integers(0, 9))
SCORES = st.floats(-1e3, 1e4, width=32)
RANKINGS = st.dictionaries(
    st.sampled_from(["a", "b-Q01", "clueweb22-en0000-66-10629"]),
    st.lists(st.dictionaries(DOCUMENTS, SCORES, min_size=1, max_size=10), min_size=1, max_size=3),
    min_size=1,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(RANKINGS)
def test_what_is_written_is_valid_and_read_again(tmp_path, rankings):
    delivered = []
    for topic_id, asked in rankings.items():
        hits = (tuple(ranked([Hit(*item) for item in found.items()])) for found in asked)
        result = tuple(
            QuestionHits(question_id=question_id(topic_id, number), hits=found)
            for number, found in enumerate(hits, start=1)
        )
        delivered.append(Delivery(Article(topic_id=topic_id, body=""), result))
    path = tmp_path / "lamp-d"
    BY_QUESTION.write(path, IDENTITY, delivered)
    assert detect_format(path) == "question_trec_run"
    problems = BY_QUESTION.check(path, TASK, list(rankings), None)
    assert {problem.code for problem in problems} <= {"ranking-short"}
    found = BY_QUESTION.read(path).results()
    assert list(found) == list(rankings)
    for topic, result in delivered:
        names = [[hit.segment_id for hit in one.hits] for one in found[topic.topic_id]]
        assert names == [[hit.segment_id for hit in one.hits] for one in result]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["a-Q01", "Q0", "d", "1", "2.5", "é", "\u2028", " ", "\n", "\t"])))
def test_any_columns_are_checked_without_a_crash(tmp_path, pieces):
    path = tmp_path / "run"
    path.write_text("".join(pieces), encoding="utf-8")
    for problem in BY_QUESTION.check(path, TASK, ["a"], None):
        assert problem.remedy
    try:
        BY_QUESTION.read(path)
    except InvalidFileError as error:
        assert error.problems[0].file == str(path)  # noqa: PT017 - most files are fine


def test_the_example_questions_are_read_and_some_are_too_long(shared_data):
    """The track's overview says so itself."""
    path = shared_data / "lateral-2024/trec-2024-lateral-reading-example-questions.txt"
    assert detect_format(path) == "tagged_questions_tsv"
    assert [len(found) for found in TAGGED_QUESTIONS.read(path).results().values()] == [10]
    problems = TAGGED_QUESTIONS.check(path, TRACK.question_list, ["clueweb22-fake-id"], None)
    errors = [problem.code for problem in problems if problem.severity == "error"]
    assert set(errors) == {"question-length"}
    assert len(errors) == 4
