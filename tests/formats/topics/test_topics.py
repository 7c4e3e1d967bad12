"""Topics of every kind: read in the order of their files, and refused with the line."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidelight.errors import InputError, InvalidFileError, MachineError
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.topics import (
    read_articles,
    read_narratives,
    read_pooled_questions,
    read_queries,
    write_pooled_questions,
)
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.topic import (
    Article,
    Narrative,
    QuestionedArticle,
    parse_question_id,
    question_id,
)
from sidelight.text import one_line
from sidelight.tracks import load_track


def written(folder, text):
    path = folder / "topics"
    path.write_text(text, encoding="utf-8")
    return path


def lines(*values):
    return "".join(json.dumps(one) + "\n" for one in values)


def test_articles_narratives_and_queries_are_read_in_file_order(tmp_path):
    more = {"url": "https://a/b", "title": "T", "headings": "H", "body": "B", "x": 1}
    asked = {"docid": "b", "body": "Words.", "questions": ["Who?", "Why?"]}
    path = written(tmp_path, lines({"docid": "t2", **more}, {"docid": "t1", "body": ""}, asked))
    assert read_articles(path) == (
        Article(topic_id="t2", url="https://a/b", title="T", headings="H", body="B"),
        Article(topic_id="t1", body=""),
        QuestionedArticle(topic_id="b", body="Words.", questions=("Who?", "Why?")),
    )
    text = (
        '{"id": "7", "title": "I want to know."}\n\n'
        '{"id": "007", "title": "Why?", "sub_questions": ["Since when?"], "more": 1}\n'
    )
    assert read_narratives(written(tmp_path, text)) == (
        Narrative(topic_id="7", narrative="I want to know."),
        Narrative(topic_id="007", narrative="Why?", sub_questions=("Since when?",)),
    )
    path = written(tmp_path, "2\twho owns the lamp ?\r\n\n1\ta\tb")
    assert read_queries(path) == [
        Query(query_id="2", text="who owns the lamp ?"),
        Query(query_id="1", text="a\tb"),
    ]


ARTICLE, NARRATIVE = {"docid": "first", "body": ""}, {"id": "1", "title": "A."}


@pytest.mark.parametrize(
    ("read", "text", "code", "line"),
    [
        (read_articles, "", "topics-empty", None),
        *(
            (read_articles, lines(ARTICLE, second), code, 2)
            for second, code in (
                ({"body": "B"}, "key-missing"),
                ({"docid": "t"}, "key-missing"),
                ({"docid": "", "body": "B"}, "value"),
                (["docid"], "json-type"),
                (ARTICLE | {"body": "B"}, "topic-duplicate"),
            )
        ),
        (read_narratives, "", "topics-empty", None),
        (read_narratives, '{"id": "1"}\n', "key-missing", 1),
        (read_narratives, '{"id": "", "title": "A."}\n', "value", 1),
        (read_narratives, lines(NARRATIVE, NARRATIVE | {"title": "B."}), "topic-duplicate", 2),
        (read_narratives, '{"docid": "1", "body": "An article."}\n', "key-missing", 1),
        *((read_queries, f"1\tfirst\n{two}\n", "query", 2) for two in ("2 no", "2\t ", "\ttext")),
        (read_queries, "1\tfirst\n1\tx\n", "query-duplicate", 2),
        (read_pooled_questions, "a-Q02\ta\tWho?\n", "question-order", 1),
        *((read_pooled_questions, f"a-Q01\ta{one}\n", "column-count", 1) for one in ("", "\t ")),
    ],
)
def test_what_is_no_topic_is_refused(read, text, code, line, tmp_path):
    with pytest.raises(InvalidFileError) as caught:
        read(written(tmp_path, text))
    problem = caught.value.problems[0]
    assert (problem.code, problem.line) == (code, line)


def test_the_topics_of_tracks_are_read(shared_data):
    articles = read_articles(shared_data / "dragun-2025" / "topics.jsonl")
    assert {article.topic_id for article in articles} == set(load_track().topic_ids)
    assert max(len(article.body.split()) for article in articles) == 8_894
    narratives = read_narratives(shared_data / "rag-2025" / "topics.jsonl")
    assert {one.topic_id for one in narratives} == set(load_track("rag2025").topic_ids)
    assert len(read_queries(shared_data / "cranfield" / "queries.tsv")) == 225


QUESTIONS = st.dictionaries(
    st.sampled_from(["a", "clueweb22-en0000-66-10629", "a-Q01"]),
    st.lists(st.text(min_size=1).map(one_line).filter(bool), min_size=1, max_size=5).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(QUESTIONS)
def test_pooled_questions_are_read_as_they_were_written(tmp_path, questions):
    path = tmp_path / "pool.tsv"
    write_pooled_questions(path, questions)
    assert read_pooled_questions(path) == questions


@given(st.text(min_size=1), st.integers(1, 999))
def test_an_id_tells_topic_and_number(topic_id, number):
    if "\n" not in topic_id:
        assert parse_question_id(question_id(topic_id, number)) == (topic_id, number)
    for text in ("a-Q1", "a-Q001", "-Q01", "a", "a-Q", "a-Q0１"):
        assert parse_question_id(text) is None


def test_queries_and_labels_of_data_sets_are_read_by_name(monkeypatch):
    """The package itself is no dependency; what stands in for it has its interface."""
    name = Path("irds:trec/one")
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    for read in (read_queries, read_narratives, read_qrels):
        says = r"irds:trec/one needs the package 'ir_datasets'[\s\S]*pip install ir_datasets"
        with pytest.raises(MachineError, match=says):
            read(name)
    query = SimpleNamespace(query_id="007", default_text=lambda: "Who owns\nthe lamp?")
    label = SimpleNamespace(query_id="007", doc_id="s1", relevance=2, iteration="0")
    queries = {"queries_iter": lambda: iter([query])}
    sets = {
        "trec/one": SimpleNamespace(**queries, qrels_iter=lambda: iter([label])),
        "trec/two": SimpleNamespace(**queries),
    }
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=sets.__getitem__))
    assert read_queries(name) == [Query(query_id="007", text="Who owns the lamp?")]
    assert read_narratives(name) == (Narrative(topic_id="007", narrative="Who owns the lamp?"),)
    assert read_qrels(name) == {"007": {"s1": 2}}
    for other in ("irds:trec/two", "irds:trec/three"):
        with pytest.raises(InputError, match="expected a data set of ir_datasets with qrels"):
            read_qrels(Path(other))
