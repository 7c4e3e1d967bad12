"""What is asked about an article, and with which words it is searched for."""

import asyncio

import pytest

from benchmarks.memory_retriever import extractive_roles
from sidelight.checks.questions import compound_reason
from sidelight.config.settings import Settings
from sidelight.errors import InputError
from sidelight.formats.topics import read_articles
from sidelight.generation.extractive.plan import ExtractivePlanner
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.report import QuestionSet
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.text import content_words


def profiled(article):
    return asyncio.run(ExtractiveProfiler()(article))


def planned(profile, *, rounds=3):
    """The plan of each round when nothing is found, and the angles there are by then."""
    plans, angles = [], ()
    for number in range(1, rounds + 1):
        plan = asyncio.run(ExtractivePlanner(99)(profile, angles, (), EvidenceSet(), None, number))
        angles = (*angles, *plan.angles)
        plans.append((plan, angles))
    return plans


def telling(profile):
    """The words of an article's names and its keywords."""
    names = (profile.publisher, *profile.authors, *profile.people, *profile.organisations)
    return {*content_words(" ".join((*names, *profile.studies))), *profile.keywords}


def check_questions(articles, encode):
    for article in articles:
        profile = profiled(article)
        (_, angles) = planned(profile)[-1]
        assert [one.question for one in angles if compound_reason(one.question)] == []
        write = extractive_roles(Settings(), encode).write_questions
        questions = asyncio.run(write(profile, angles, EvidenceSet())).questions
        QuestionSet("t", questions, count=10, max_characters=300)
        for question in questions:
            assert compound_reason(question) is None
            words = content_words(question.replace("'s ", " "))
            held = content_words(f"{profile.title} {profile.publisher} {profile.body}")
            assert {*telling(profile), *held}.intersection(words), question


def check_queries(articles):
    for article in articles:
        profile = profiled(article)
        for plan, angles in planned(profile):
            asked = {angle.angle_id: set(content_words(angle.question)) for angle in angles}
            for query in plan.queries:
                added = set(content_words(query.text)) - asked[query.angle_id]
                assert added & telling(profile), query


def test_questions_and_searches_on_the_mini_web(mini_web_articles, lexical_encode):
    check_questions(mini_web_articles[:3], lexical_encode)
    check_queries(mini_web_articles[:3])


def test_questions_and_searches_on_the_public_articles(shared_data, lexical_encode):
    articles = read_articles(shared_data / "dragun-2025" / "topics.jsonl")
    assert len(articles) == 30
    check_questions(articles, lexical_encode)
    check_queries(articles)


def test_each_round_words_its_searches_anew(mini_web_articles):
    plans = [plan for plan, _ in planned(profiled(mini_web_articles[0]))]
    texts = [{query.angle_id: query.text for query in plan.queries} for plan in plans]
    assert texts[0].keys() == texts[1].keys() == texts[2].keys()
    for angle_id in texts[0]:
        assert len({text[angle_id] for text in texts}) == 3
    ids = [query.query_id for plan in plans for query in plan.queries]
    assert len(set(ids)) == len(ids)
    assert all(plan.angles == () for plan in plans[1:])


def test_what_evidence_covers_is_not_searched_again(mini_web_articles):
    profile = profiled(mini_web_articles[0])
    ((plan, angles),) = planned(profile, rounds=1)
    assert len(plan.queries) == len(angles)
    segment = Segment(segment_id="a_doc_00_1#0_0", text="Owned by a foundation.")
    found = EvidenceSet(items=(Evidence(segment=segment, relevance={"publisher-funding": 0.9}),))
    second = asyncio.run(ExtractivePlanner(99)(profile, angles, (), found, None, 2))
    assert len(second.queries) == len(angles) - 1
    assert "publisher-funding" not in {query.angle_id for query in second.queries}


def test_a_name_that_two_sources_tie_to_the_author_is_followed(mini_web_articles):
    profile = profiled(mini_web_articles[0])
    ((_, angles),) = planned(profile, rounds=1)

    def evidence(*texts):
        pages = (Segment(segment_id=f"a_doc_00_{n}#0_0", text=text) for n, text in enumerate(texts))
        tied = {"author1-interests": 0.5}
        return EvidenceSet(items=tuple(Evidence(segment=one, relevance=tied) for one in pages))

    tied = "In May Garrick Voss advised the Dunmoor Mining Circle."
    both = asyncio.run(ExtractivePlanner(99)(profile, angles, (), evidence(tied, tied), None, 2))
    (link,) = both.angles
    assert link.question == "What connects Garrick Voss with Dunmoor Mining Circle?"
    assert link.must_mention == ("Dunmoor Mining Circle",)
    assert f"2.{link.angle_id}" in {query.query_id for query in both.queries}
    apart = "In May Garrick Voss advised nobody. The Dunmoor Mining Circle met."
    for found in (evidence(tied), evidence(tied, apart)):
        assert asyncio.run(ExtractivePlanner(99)(profile, angles, (), found, None, 2)).angles == ()


@pytest.mark.parametrize("title", ["", "Mill sold"])
def test_an_article_without_an_address_has_no_angle_on_its_outlet(title):
    body = "The old mill at Orrin was sold on Monday. The mill had stood empty for years."
    profile = profiled(Article(topic_id="t", title=title, body=body))
    assert profile.publisher == ""
    ((plan, _),) = planned(profile, rounds=1)
    assert plan.angles
    assert not any(one.angle_id.startswith("publisher") for one in plan.angles)
    assert all(all(form for form in one.must_mention) for one in plan.angles)
    assert all("mill" in one.question.casefold() for one in plan.angles)


def test_an_article_of_nothing_is_refused():
    with pytest.raises(InputError, match="t: the article has neither title nor text"):
        profiled(Article(topic_id="t", url="https://a.example/b", title=" ", body="\u200b\n"))
