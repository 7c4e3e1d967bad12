"""Questions and pairs that are pooled for people to judge."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.evaluation.pooling import (
    Pool,
    PromptedPoolChecker,
    RuleChecker,
    Score,
    pool_pairs,
    pool_questions,
    rule_reason,
)
from sidelight.formats.labels.qrels import read_question_grades
from sidelight.formats.topics import read_pooled_questions
from sidelight.llm.prompted import PromptedModel, Sampling
from sidelight.schemas.run import QuestionRun, SubmittedQuestion
from sidelight.tracks import load_track
from tests.helpers.labels.toy import HAVE, rubric
from tests.helpers.models.scripted_model import ScriptedModel

NAMES = ("Ada Birch", "Ben Crow", "Cleo Dunn")


def run(tag: str, questions: dict[str, list[str]]) -> QuestionRun:
    return QuestionRun(
        run_tag=tag,
        questions=tuple(
            SubmittedQuestion(topic_id=topic, team_id="", run_id=tag, rank=rank, text=text)
            for topic, asked in questions.items()
            for rank, text in enumerate(asked, start=1)
        ),
    )


async def anything_new(topic_id: str, question: str, pooled: Sequence[str]) -> str | None:
    if question.startswith("bad"):
        return "it is bad"
    return "twice" if question in pooled else None


def pooled(groups: dict[str, list[QuestionRun]], per_group: int = 2, seed: int = 0) -> Pool:
    return asyncio.run(pool_questions(groups, anything_new, per_group=per_group, seed=seed))


GROUPS = {
    name: [
        run(f"{name}-1", {"t": [f"{name} 1?", f"bad {name}?"], "u": [f"{name} u1?"]}),
        run(f"{name}-2", {"t": [f"{name} 2?", f"{name} 3?"], "u": [f"{name} u2?"]}),
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
    assert {(one.run_tag, one.rank, one.reason) for one in found.refused} == {
        (f"{name}-1", 2, "it is bad") for name in "abc"
    }
    assert not found.short


def test_a_seed_decides_and_each_topic_by_itself():
    assert pooled(GROUPS) == pooled(dict(reversed(GROUPS.items())))
    orders = {pooled(GROUPS, seed=seed).questions["t"] for seed in range(20)}
    assert len(orders) == 6
    only = {
        name: [run(one.run_tag, {"t": list(one.results()["t"])}) for one in runs]
        for name, runs in GROUPS.items()
    }
    assert pooled(only).questions["t"] == pooled(GROUPS).questions["t"]


def test_others_make_up_for_a_group_that_has_no_more():
    groups = {
        "rich": [run("r", {"t": [f"r{n}?" for n in range(9)]})],
        "poor": [run("p", {"t": []})],
    }
    assert pooled(groups).questions["t"] == ("r0?", "r1?", "r2?", "r3?")
    assert pooled(groups, per_group=5).short == {"t": 1}


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Who owns the Marrow Bay Courier?", None),
        ("Who owns the Marrow Bay Courier", "question mark"),
        (f"Who owns the {'very ' * 30}Marrow Bay Courier?", "more than 120"),
        ("Does the article say who owns the Courier?", "'the article'"),
        ("Is Ada Birch a doctor, and who pays the institute?", "second question"),
        ("Are there other sources?", "fit any article"),
    ],
)
def test_rules(question, reason):
    found = rule_reason(question, 120)
    assert found is None if reason is None else reason in (found or "")


def test_what_comes_near_to_a_pooled_question_repeats_it(lexical_encode):
    check = RuleChecker(lexical_encode, 120)
    asked = "Who pays for the Harrow Lane Institute?"
    assert asyncio.run(check("t", asked, [])) is None
    assert "has it already" in (asyncio.run(check("t", asked, [asked.replace("?", " ?")])) or "")
    assert asyncio.run(check("t", "What is Ada Birch's training?", [asked])) is None


def test_a_model_is_asked_only_what_rules_leave_open():
    replies = [
        '{"reason": "fine", "verdict": "enters"}',
        '{"reason": "same", "verdict": "repeats"}',
    ]
    model = PromptedModel(ScriptedModel(replies), Sampling(), lambda _: None)
    check = PromptedPoolChecker(model, {"t": "An article"}, 120)
    assert asyncio.run(check("t", "Who owns the Courier", [])) is not None
    assert asyncio.run(check("t", "Who owns the Courier?", [])) is None
    assert asyncio.run(check("t", "Who has the Courier?", ["Who owns the Courier?"])) == (
        "repeats: same"
    )


def test_the_command_pools_and_joins(tmp_path):
    for tag, names in (("one", NAMES), ("two", NAMES[::-1])):
        lines = [f"t\t{tag}\t{n}\tWhat did {name} study?\n" for n, name in enumerate(names, 1)]
        (tmp_path / tag).write_text("".join(lines))
    (tmp_path / "articles.jsonl").write_text('{"docid": "t", "title": "T", "body": "Words."}\n')
    command = ["pool", "questions", f"a={tmp_path / 'one'}", f"b={tmp_path / 'two'}"]
    command += ["--track", "lateral2024", "-o", f"{tmp_path / 'pool.tsv'}", "--per-group", "1"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    asked = read_pooled_questions(tmp_path / "pool.tsv")["t"]
    assert len(set(asked)) == 2
    command = ["pool", "topics", str(tmp_path / "pool.tsv")]
    command += ["--articles", str(tmp_path / "articles.jsonl"), "-o", str(tmp_path / "topics")]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert '"questions":["What did' in (tmp_path / "topics").read_text()


def test_the_published_pool_has_twelve_questions_an_article(shared_data):
    path = shared_data / "lateral-2024/trec-2024-lateral-reading-task2-questions.txt"
    found = read_pooled_questions(path)
    assert len(found) == 50
    assert {len(asked) for asked in found.values()} == {12}
    assert sum(map(len, found.values())) == 600


def test_twelve_of_the_submitted_questions_for_each_article(shared_data, lexical_encode):
    scales = load_track("lateral2024").scales
    path = shared_data / "lateral-2024/question-assessments.tsv"
    asked: dict[str, dict[str, dict[int, str]]] = {}
    for one in read_question_grades(path, scales):
        topics = asked.setdefault(one.run_tag, {})
        topics.setdefault(one.topic_id, {})[one.run_question_rank] = one.run_question_text
    groups: dict[str, list[QuestionRun]] = {}
    for tag, topics in sorted(asked.items()):
        texts = {topic: [found[rank] for rank in sorted(found)] for topic, found in topics.items()}
        name = next(one for one in ("h2oloo", "Organizers", "porties", "uwclarke") if one in tag)
        groups.setdefault(name, []).append(run(tag, texts))
    pools = [
        asyncio.run(pool_questions(groups, RuleChecker(lexical_encode, 120), per_group=3, seed=5))
        for _ in range(2)
    ]
    assert pools[0] == pools[1]
    assert {len(set(found)) for found in pools[0].questions.values()} == {12}
    assert len(pools[0].questions) == 50
    assert all(len(text) <= 120 for found in pools[0].questions.values() for text in found)


# Pairs to judge: one or two for each rubric question and run.
TOPIC = "topic-1"


def asked_by(tag: str, *questions: str, topic_id: str = TOPIC) -> QuestionRun:
    return QuestionRun(
        run_tag=tag,
        questions=tuple(
            SubmittedQuestion(topic_id=topic_id, team_id="t", run_id=tag, rank=rank, text=question)
            for rank, question in enumerate(questions, start=1)
        ),
    )


def by_table(scores: dict[tuple[str, str], float]) -> Score:
    def score(query: str, texts: Sequence[str]) -> list[float]:
        return [scores.get((query, text), 0.0) for text in texts]

    return score


def test_where_models_differ_there_are_two_pairs():
    wanted = {TOPIC: rubric(TOPIC, (HAVE, 1), (HAVE, 1))}
    runs = [asked_by("b", "one?", "two?", "three?"), asked_by("a", "one?")]
    embedder = by_table({("Question 1?", "two?"): 0.9, ("Question 2?", "three?"): 0.9})
    reranker = by_table({("Question 1?", "two?"): 4.0, ("Question 2?", "two?"): 4.0})
    pool = pool_pairs(wanted, runs, {"embedder": embedder, "reranker": reranker})
    both = ("embedder", "reranker")
    assert pool.pairs == (
        (TOPIC, 1, "a", 1, both),
        (TOPIC, 1, "b", 2, both),
        (TOPIC, 2, "a", 1, both),
        (TOPIC, 2, "b", 2, ("reranker",)),
        (TOPIC, 2, "b", 3, ("embedder",)),
    )
    assert (pool.cells, pool.all_pairs) == (4, 8)


@given(
    st.lists(st.integers(1, 10), min_size=1, max_size=4),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_every_cell_has_one_pair_or_two(sizes, n_wanted, random):
    """The paper's 12,733 judged pairs are its 8,732 cells and the 4,001 where two models differ."""
    wanted = {TOPIC: rubric(TOPIC, *[(HAVE, 1)] * n_wanted)}
    runs = [asked_by(f"r{n}", *(f"{n} {k}?" for k in range(size))) for n, size in enumerate(sizes)]

    def guess(_, texts):
        return [random.random() for _ in texts]  # type: ignore[attr-defined]

    pool = pool_pairs(wanted, runs, {"one": guess, "other": guess})
    assert pool.cells == n_wanted * len(sizes)
    assert pool.all_pairs == n_wanted * sum(sizes)
    two = sum(len(pair.chosen_by) == 1 for pair in pool.pairs) // 2
    assert len(pool.pairs) == pool.cells + two
    assert len({pair[:4] for pair in pool.pairs}) == len(pool.pairs)


def test_topics_without_a_rubric_do_not_count():
    pool = pool_pairs(
        {TOPIC: rubric(TOPIC, (HAVE, 1))},
        [asked_by("a", "x?", topic_id="other")],
        {"m": by_table({})},
    )
    assert pool == ((), 0, 0)
