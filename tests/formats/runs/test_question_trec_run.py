"""Documents for questions, and questions under a tag: what is written is read, in any order."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import InvalidFileError
from sidelight.formats.runs.question_list import TAGGED_QUESTIONS
from sidelight.formats.runs.submission import Delivery
from sidelight.formats.runs.trec_run import BY_QUESTION
from sidelight.formats.verdict import detect_format
from sidelight.schemas.investigation.evidence import Hit, ranked
from sidelight.schemas.run import QuestionHits, RunIdentity
from sidelight.schemas.task import QuestionRankingsTask
from sidelight.schemas.topic import Article, question_id
from sidelight.tracks import load_track

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
    delivered = [
        Delivery(
            Article(topic_id=topic_id, body=""),
            tuple(
                QuestionHits(
                    question_id=question_id(topic_id, number),
                    hits=tuple(ranked([Hit(*item) for item in found.items()])),
                )
                for number, found in enumerate(asked, start=1)
            ),
        )
        for topic_id, asked in rankings.items()
    ]
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
