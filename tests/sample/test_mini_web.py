"""The mini web holds together: ids, hosts, references, citations, labels and probes."""

from collections import Counter, defaultdict

import orjson
import pytest

from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.labels.assessments import (
    ANSWER_ASSESSMENTS,
    COMPOUND_ASSESSMENTS,
    QUESTION_ASSESSMENTS,
    read_assessments,
)
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.cited_sentences import check_report_run, read_report_run
from sidelight.formats.runs.question_list import check_question_run, read_question_run
from sidelight.formats.topics import read_queries
from sidelight.index.text.corpus import read_documents
from sidelight.retrieval.first_stage import Bm25Retriever, DenseRetriever
from sidelight.sample import sample_path
from sidelight.schemas.segment import document_id_of, overlapping
from sidelight.tracks import load_track

SCALES = load_track().scales

MINI_WEB = sample_path()
QUESTION_RUNS = sorted((MINI_WEB / "runs" / "question_generation_runs").iterdir())
REPORT_RUNS = sorted((MINI_WEB / "runs" / "report_generation_runs").iterdir())
ASSESSMENTS = MINI_WEB / "human_assessments"


@pytest.fixture(scope="module")
def topics(mini_web_articles):
    return {topic.topic_id: topic for topic in mini_web_articles}


@pytest.fixture(scope="module")
def documents():
    return {doc.topic_id: doc for doc in read_documents(MINI_WEB / "documents.jsonl")}


@pytest.fixture(scope="module")
def rubrics():
    return read_rubrics(MINI_WEB / "human_rubrics", SCALES)


@pytest.fixture(scope="module")
def segment_ids(mini_web_segments):
    return {one.segment_id for one in mini_web_segments}


def test_pages_have_ids_and_addresses_of_their_own(topics, documents, segment_ids):
    assert len(topics) == 5
    assert len(documents) >= 150
    assert len(segment_ids) >= 700
    offsets = Counter()
    for line in (MINI_WEB / "documents.jsonl").read_bytes().splitlines(keepends=True):
        stem, _, offset = orjson.loads(line)["docid"].rpartition("_")
        assert int(offset) == offsets[stem]
        offsets[stem] += len(line)
    assert sorted(offsets) == [f"msmarco_v2.1_doc_{shard}" for shard in range(90, 95)]
    assert all(document.host.endswith(".example") for document in documents.values())
    assert len({document.url for document in documents.values()}) == len(documents)
    assert all(documents[topic_id].body == topic.body for topic_id, topic in topics.items())


def test_rubrics_and_probes_refer_to_pages_that_are_there(rubrics, topics, documents, segment_ids):
    urls = {document.url for document in documents.values()}
    assert set(rubrics) == set(topics)
    for topic_id, rubric in rubrics.items():
        assert 5 <= len(rubric.questions) <= 10
        for question in rubric.questions:
            for answer in question.answers:
                assert answer.references
                assert set(answer.references) <= urls - {topics[topic_id].url}
    queries = read_queries(MINI_WEB / "probes" / "queries.tsv")
    qrels = read_qrels(MINI_WEB / "probes" / "qrels.txt")
    assert [query.query_id for query in queries] == list(qrels)
    for grades in qrels.values():
        assert set(grades) <= segment_ids
        assert set(grades.values()) == {1}


def test_runs_pass_the_strict_checks(topics, segment_ids):
    for path in QUESTION_RUNS:
        assert check_question_run(path, load_track().question_list, topics) == []
    for path in REPORT_RUNS:
        problems = check_report_run(path, load_track().cited_text, topics, segment_ids)
        assert {problem.code for problem in problems} <= {"uncited-sentence"}
        assert all(problem.severity == "warning" for problem in problems)
    for path in REPORT_RUNS:
        for report in read_report_run(path).reports:
            for sentence in report.responses:
                cited = sentence.citations
                assert report.metadata.topic_id not in map(document_id_of, cited)
                assert not any(overlapping(one, cited) for one in cited)


def test_everything_judged_is_labelled(rubrics):
    labelled = defaultdict(set)
    for item in read_assessments(
        ASSESSMENTS / "report_assessments.csv", ANSWER_ASSESSMENTS, SCALES
    ):
        labelled[item.topic_id, item.run_tag].add(item.answer_id)
    assert labelled == {
        (topic_id, run): {answer.answer_id for item in rubric.questions for answer in item.answers}
        for topic_id, rubric in rubrics.items()
        for run in ("lantern-t2", "quillmark-t2")
    }
    labels = Counter(
        (item.topic_id, item.rubric_question_rank, item.run_tag)
        for item in read_assessments(
            ASSESSMENTS / "question_assessments.csv", QUESTION_ASSESSMENTS, SCALES
        )
    )
    assert set(labels) == {
        (topic_id, question.rank, run)
        for topic_id, rubric in rubrics.items()
        for question in rubric.questions
        for run in ("lantern-t1", "quillmark-t1")
    }
    assert min(labels.values()) >= 3
    checked = read_assessments(
        ASSESSMENTS / "compound_question_check.csv", COMPOUND_ASSESSMENTS, SCALES
    )
    asked = {
        (item.topic_id, run.run_tag, item.rank, item.text)
        for run in map(read_question_run, QUESTION_RUNS)
        for item in run.questions
    }
    assert asked == {
        (item.topic_id, item.run_tag, item.run_question_rank, item.run_question_text)
        for item in checked
    }
    assert {item.label for item in checked} == set(SCALES["compound"].names)


def test_there_are_copies_of_an_article_and_a_hostile_page(topics, documents):
    lines = {topic_id: set(topic.body.splitlines()) for topic_id, topic in topics.items()}
    copies = [
        document.host
        for document in documents.values()
        for topic_id, own in lines.items()
        if document.topic_id != topic_id
        and len(own & set(document.body.splitlines())) > 0.8 * len(own)
    ]
    assert sorted(copies) == ["amp.futureledger.example", "newsroundup.example"]
    (hostile,) = (
        document
        for document in documents.values()
        if "Ignore previous instructions" in document.body
    )
    for attack in ("</document>", "<|im_start|>", "[E1]", "_doc_91_0#0_0", "<script>", "\u200b"):
        assert attack in hostile.body


@pytest.mark.slow
def test_words_and_meaning_each_find_what_the_other_misses(whole_mini_web_index):
    index = whole_mini_web_index
    queries = read_queries(MINI_WEB / "probes" / "queries.tsv")
    qrels = read_qrels(MINI_WEB / "probes" / "qrels.txt")

    def answered(retriever):
        return {
            query_id
            for query_id, hits in retriever.search(queries, 5).items()
            if any(hit.segment_id in qrels[query_id] for hit in hits)
        }

    by_words = answered(Bm25Retriever(index.lucene))
    by_meaning = answered(DenseRetriever(index.vectors, index.encoder))

    only_by_words, only_by_meaning = by_words - by_meaning, by_meaning - by_words
    assert len(only_by_words) >= 5
    assert len(only_by_meaning) >= 5
    assert all("-identifier-" in query_id for query_id in only_by_words)
    assert all("-paraphrase-" in query_id for query_id in only_by_meaning)
