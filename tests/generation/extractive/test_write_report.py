"""The report without a model: within its budget, cited, and nothing that the article says."""

import asyncio

import pytest

from sidelight.agents.answer import read_narrative
from sidelight.generation.extractive.usefulness import Usefulness
from sidelight.generation.extractive.write_report import ExtractiveReportWriter, read_findings
from sidelight.schemas.topic import Narrative
from sidelight.text import budget_words, one_line, sentences
from sidelight.text_vectors import TextVectors
from tests.helpers.ferry import ANGLES, BODY, PAGES, PROFILE, evidence, page


def written(encoder, max_words, found=PAGES):
    writer = ExtractiveReportWriter(TextVectors(encoder.encode_sentences), max_words, 3)
    return asyncio.run(writer(PROFILE, ANGLES, found))


@pytest.mark.parametrize("max_words", [1, 20, 45, 250])
def test_a_report_never_passes_its_word_budget(encoder, max_words):
    report = written(encoder, max_words)
    assert sum(budget_words(one.text) for one in report.sentences) <= max_words
    assert bool(report.sentences) is (max_words > 1)


def test_nothing_of_the_article_is_told_again(encoder):
    report = written(encoder, 250)
    cited = {cited for one in report.sentences for cited in one.segment_ids}
    assert "m_doc_00_4#0_0" not in cited
    texts = [one.text for one in (*report.sentences, *report.reserve)]
    assert len(set(texts)) == len(texts)
    assert not {one.text for one in (*report.sentences, *report.reserve)} & {*sentences(BODY)}


def test_what_qualifies_a_claim_follows_it(encoder):
    texts = [one.text for one in written(encoder, 250).sentences]
    claim = "The Marrow Sound Line reported a loss of T3 million for 2019."
    assert texts[texts.index(claim) + 1].startswith("However, the Sound Authority found")


def test_the_features_of_findings_are_those_of_the_model_and_give_chances(encoder):
    vectors = TextVectors(encoder.encode_sentences)
    read = read_findings(PROFILE, ANGLES, PAGES, vectors)
    model = Usefulness.load()
    assert (model.scale > 0).all()
    assert all(set(row) == set(model.names) for row in read.features)
    assert read.speaks.shape == (len(read.findings), len(ANGLES))
    chances = model.chances(read.features)
    assert ((chances > 0) & (chances < 1)).all()
    assert len(set(chances.tolist())) > 1
    assert model.chances([]).shape == (0,)


FACTS = """
    was built in Dunbeck in 1961; carried 90,000 passengers in 2018; burns heavy fuel oil;
    needs a crew of seven in winter; was painted green after a vote of the islanders;
    is insured by a mutual in Carrow;
    carries mail under a contract of 1975; was repaired at the yard of Holm in 2016;
    is inspected by the Sound Authority each May
""".split(";")


def test_an_answer_tells_all_that_is_new_as_long_as_there_is_room(encoder):
    told = [f"The Tollmere ferry {one_line(fact)}." for fact in FACTS]
    pages = evidence(*(page(text, number=n, title="") for n, text in enumerate(told)))
    read = read_narrative(Narrative(topic_id="1", narrative="What is the Tollmere ferry like?"))
    writer = ExtractiveReportWriter(TextVectors(encoder.encode_sentences), 400, 3)
    assert {one.text for one in asyncio.run(writer(*read, pages)).sentences} == set(told)
