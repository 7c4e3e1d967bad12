"""Questions and pairs that are pooled for people to judge."""

import asyncio
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from sidelight.evaluation import pooling
from sidelight.formats.topics import read_pooled_questions
from sidelight.text_vectors import TextVectors
from sidelight.tracks import load_track
from tests.helpers.asking.conversation import scripted
from tests.helpers.commands import call, said
from tests.helpers.labels.toy import HAVE, question_run, rubric

TASK = load_track("lateral2024").question_list.model_copy(update={"max_characters": 120})


async def anything_new(topic_id, question, pooled):
    if question.startswith("bad"):
        return "it is bad"
    return "twice" if question in pooled else None


def pooled(groups, per_group=2, seed=0):
    return asyncio.run(pooling.pool_questions(groups, anything_new, per_group=per_group, seed=seed))


GROUPS = {
    name: [
        question_run(f"{name}-1", t=[f"{name} 1?", f"bad {name}?"], u=[f"{name} u1?"]),
        question_run(f"{name}-2", t=[f"{name} 2?", f"{name} 3?"], u=[f"{name} u2?"]),
    ]
    for name in "abc"
}


def test_groups_take_turns_run_by_run():
    found = pooled(GROUPS)
    asked = found.questions["t"]
    order = [text[0] for text in asked[:3]]
    assert sorted(order) == ["a", "b", "c"]
    assert [text[0] for text in asked[3:]] == order
    assert [text.partition(" ")[2] for text in asked] == ["1?", "1?", "1?", "2?", "2?", "2?"]
    seen = {(one.run_tag, one.rank, one.reason) for one in found.refused}
    assert seen == {(f"{name}-1", 2, "it is bad") for name in "abc"}
    assert not found.short
    groups = {
        "rich": [question_run("r", t=[f"r{n}?" for n in range(9)])],
        "poor": [question_run("p", t=[])],
    }
    assert pooled(groups).questions["t"] == ("r0?", "r1?", "r2?", "r3?")
    assert pooled(groups, per_group=5).short == {"t": 1}
    assert pooled(GROUPS) == pooled(dict(reversed(GROUPS.items())))
    orders = {pooled(GROUPS, seed=seed).questions["t"] for seed in range(20)}
    assert len(orders) == 6
    only = {
        name: [question_run(one.run_tag, t=list(one.results()["t"])) for one in runs]
        for name, runs in GROUPS.items()
    }
    assert pooled(only).questions["t"] == pooled(GROUPS).questions["t"]


def test_questions_are_checked_by_rules_and_by_a_model(lexical_encode):
    for question, reason in [
        ("Who owns the Marrow Bay Courier?", None),
        ("Who owns the Marrow Bay Courier", "question mark"),
        (f"Who owns the {'very ' * 30}Marrow Bay Courier?", "more than 120"),
        ("Does the article say who owns the Courier?", "'the article'"),
        ("Is Ada Birch a doctor, and who pays the institute?", "second question"),
        ("Are there other sources?", "fit any article"),
    ]:
        found = pooling.rule_reason(question, TASK)
        assert found is None if reason is None else reason in (found or "")
    # Elsewhere whoever answers has read the article.
    asked = "Does the article say who owns the Courier?"
    assert pooling.rule_reason(asked, load_track().question_list) is None
    check = partial(pooling.check_by_rules, TextVectors(lexical_encode), TASK)
    asked = "Who pays for the Harrow Lane Institute?"
    assert asyncio.run(check("t", asked, [])) is None
    assert "has it already" in (asyncio.run(check("t", asked, [asked.replace("?", " ?")])) or "")
    assert asyncio.run(check("t", "What is Ada Birch's training?", [asked])) is None
    replies = [
        '{"reason": "fine", "verdict": "enters"}',
        '{"reason": "same", "verdict": "repeats"}',
    ]
    check = partial(pooling.check_by_model, scripted(*replies).model, {"t": "An article"}, TASK)
    assert asyncio.run(check("t", "Who owns the Courier", [])) is not None
    assert asyncio.run(check("t", "Who owns the Courier?", [])) is None
    seen = asyncio.run(check("t", "Who has the Courier?", ["Who owns the Courier?"]))
    assert seen == "repeats: same"


def test_the_command_pools_and_joins(tmp_path):
    names = ("Ada Birch", "Ben Crow", "Cleo Dunn")
    # CSV quotes are no part of a question.
    first = ("What does the article say?", "What does the text say?", '"What did ""Gull"" study?"')
    for tag, asked in (("one", names), ("two", names[::-1])):
        texts = (*first, *(f"What did {name} study?" for name in asked))
        lines = [f"t\t{tag}\t{n}\t{text}\n" for n, text in enumerate(texts, 1)]
        (tmp_path / tag).write_text("".join(lines))
    (tmp_path / "articles.jsonl").write_text('{"docid": "t", "title": "T", "body": "Words."}\n')
    pool, articles = tmp_path / "pool.tsv", tmp_path / "articles.jsonl"
    command = ("pool", "questions", f"a={tmp_path / 'one'}", f"b={tmp_path / 'two'}", "-o", pool)
    told = said(*command, "--track", "lateral2024", "--per-group", 1)
    assert 'What did "Gull" study?' in read_pooled_questions(pool)["t"]
    assert len(set(read_pooled_questions(pool)["t"])) == 2
    assert "left out 4: it does not stand by itself (2 of two, 2 of one)\n" in told
    left_out = (tmp_path / "pool.tsv.left_out.csv").read_text().splitlines()
    assert left_out[0] == "topic_id,run_tag,rank,question,reason"
    call("pool", "topics", pool, "--articles", articles, "-o", tmp_path / "topics")
    assert '"questions":["What did' in (tmp_path / "topics").read_text()


# Pairs to judge: one or two for each rubric question and run.
TOPIC = "topic-1"


def by_table(scores):
    def score(query, texts):
        return [scores.get((query, text), 0.0) for text in texts]

    return score


def test_where_models_differ_there_are_two_pairs():
    wanted = {TOPIC: rubric(TOPIC, (HAVE, 1), (HAVE, 1))}
    runs = [
        question_run("b", **{TOPIC: ["one?", "two?", "three?"]}),
        question_run("a", **{TOPIC: ["one?"]}),
    ]
    embedder = by_table({("Question 1?", "two?"): 0.9, ("Question 2?", "three?"): 0.9})
    reranker = by_table({("Question 1?", "two?"): 4.0, ("Question 2?", "two?"): 4.0})
    pool = pooling.pool_pairs(wanted, runs, {"embedder": embedder, "reranker": reranker})
    both = ("embedder", "reranker")
    assert pool.pairs == (
        *((TOPIC, 1, "a", 1, both), (TOPIC, 1, "b", 2, both), (TOPIC, 2, "a", 1, both)),
        (TOPIC, 2, "b", 2, ("reranker",)),
        (TOPIC, 2, "b", 3, ("embedder",)),
    )
    assert (pool.cells, pool.all_pairs) == (4, 8)
    elsewhere = [question_run("a", other=["x?"])]
    assert pooling.pool_pairs(wanted, elsewhere, {"m": by_table({})}) == ((), 0, 0)


@given(
    st.lists(st.integers(1, 10), min_size=1, max_size=4),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_every_cell_has_one_pair_or_two(sizes, n_wanted, random):
    """The paper's 12,733 judged pairs are its 8,732 cells and the 4,001 where two models differ."""
    wanted = {TOPIC: rubric(TOPIC, *[(HAVE, 1)] * n_wanted)}
    runs = [
        question_run(f"r{n}", **{TOPIC: [f"{n} {k}?" for k in range(size)]})
        for n, size in enumerate(sizes)
    ]

    def guess(_, texts):
        return [random.random() for _ in texts]

    pool = pooling.pool_pairs(wanted, runs, {"one": guess, "other": guess})
    assert pool.cells == n_wanted * len(sizes)
    assert pool.all_pairs == n_wanted * sum(sizes)
    two = sum(len(pair.chosen_by) == 1 for pair in pool.pairs) // 2
    assert len(pool.pairs) == pool.cells + two
    assert len({pair[:4] for pair in pool.pairs}) == len(pool.pairs)
