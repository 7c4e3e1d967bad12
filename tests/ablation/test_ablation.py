"""Grids of settings, what arms share, and effects by hand."""

import re
from pathlib import Path

import pytest

from sidelight.ablation.measures import draw_effects, find_effects
from sidelight.ablation.runs import Arm, Grid, SharedSources, arms_of, read_grid, search_arms
from sidelight.cli.ablate import Experiment
from sidelight.cli.options import Sampling
from sidelight.config.settings import RetrievalSettings, Settings
from sidelight.errors import UsageError
from sidelight.evaluation.scoring.table import TopicScore
from sidelight.schemas.investigation.evidence import Query

GRID = """\
base: base.yaml
dimensions:
  retriever:
    words: {}
    both: {retrieval.retriever: hybrid}
    words-again: {retrieval.retriever: bm25}
  rounds:
    three: {}
    one: {investigation.max_rounds: 1}
"""


def write(folder, grid=GRID):
    (folder / "base.yaml").write_text("retrieval: {retriever: bm25}\n")
    path = folder / "grid.yaml"
    path.write_text(grid)
    return path


def refusal(folder, grid):
    path = write(folder, grid)
    with pytest.raises(UsageError) as refused:
        arms_of(read_grid(path), path)
    return str(refused.value).removeprefix(f"{path}: ")


def test_every_combination_is_an_arm_and_equal_ones_are_one(tmp_path):
    path = write(tmp_path)
    arms = arms_of(read_grid(path), path)
    own = ["words+three", "words+one", "both+three", "both+one"]
    again = [("words-again+three", "words+three"), ("words-again+one", "words+one")]
    assert [(arm.name, arm.folder_name) for arm in arms] == [*zip(own, own, strict=True), *again]
    both = arms[3]
    assert both.changes == {"retrieval.retriever": "hybrid", "investigation.max_rounds": 1}
    assert both.settings.retrieval.retriever == "hybrid"
    assert both.settings.investigation.max_rounds == 1
    assert arms[0].settings.retrieval.retriever == "bm25"


def test_each_arm_has_a_run_id_of_its_own(tmp_path):
    long = "x" * 40
    own = "{submission.run_id: sidelight-mine}"
    choices = f"{{a: {{}}, a.b: {{}}, {long}: {{}}, no-rubric: {{}}, own: {own}}}"
    path = write(
        tmp_path,
        f"dimensions: {{first: {choices}, then: {{c: {{}}, b.c: {{}}, long-{'z' * 35}: {{}}}}}}",
    )
    arms = {arm.name: arm for arm in arms_of(read_grid(path), path)}
    ids = {name: arm.settings.submission.run_id for name, arm in arms.items()}
    assert ids["a+c"] == "sidelight-run-a.c"
    assert ids["no-rubric+c"] == "sidelight-run-no-rubric.c"
    assert ids["own+c"] == "sidelight-mine"
    assert ids["a+b.c"] == "sidelight-run-a.b.c"
    assert re.fullmatch(r"sidelight-run-a\.b\.c-[0-9a-f]{8}", ids["a.b+c"])
    assert max(map(len, ids.values())) == 60
    made = [run_id for name, run_id in ids.items() if not name.startswith("own")]
    assert len({*made}) == len(made)
    # Settings that differ in nothing but that are equal.
    assert {arms[name].same_as for name in ("a+b.c", "no-rubric+c")} == {"a+c"}


def test_what_is_wrong_is_named(tmp_path):
    unknown = refusal(tmp_path, "dimensions: {depth: {a: {}, b: {retrieval.dept: 5}}}")
    assert unknown.startswith("arm b: ")
    assert "retrieval.dept" in unknown
    value = refusal(tmp_path, "dimensions: {depth: {a: {retrieval.depth: x}}}")
    assert value.startswith("arm a: retrieval.depth = 'x': expected a whole number")
    shallow = refusal(tmp_path, "dimensions: {depth: {a: {}, b: {retrieval.depth: 10}}}")
    assert shallow.startswith("arm b: retrieval.depth = 10: expected at least retrieval.k, 20; ")
    # Of what is no single setting, too.
    team = refusal(tmp_path, "dimensions: {run: {a: {submission.run_id: other}}}")
    assert team.startswith("arm a: submission.run_id 'other' must begin with the team id")
    rubric = refusal(tmp_path, "dimensions: {run: {a: {retrieval.reranker: rubrics}}}")
    assert rubric.startswith("arm a: retrieval.reranker names a rubric")
    twice = "dimensions: {x: {a: {retrieval.depth: 50}}, y: {b: {retrieval.depth: 60}}}"
    assert refusal(tmp_path, twice).startswith(
        "arm a+b: expected each setting to be changed once; b changes retrieval.depth again"
    )
    assert refusal(tmp_path, "dimensions: {}").startswith("dimensions = {}: expected a length")
    assert "x.a b" in refusal(tmp_path, "dimensions: {x: {a b: {}}}")
    near = "unknown key dimension; did you mean dimensions?; the keys of a grid are base, "
    assert near in refusal(tmp_path, "dimension: {}")
    assert "unknown key zzz; the keys of a grid are " in refusal(tmp_path, "zzz: {}")
    (tmp_path / "grid.yaml").write_text("dimensions: {x: {a: {}}}\nmeasures: [nDCG@10, AP]\n")
    with pytest.raises(UsageError, match="expected text") as found:
        read_grid(tmp_path / "grid.yaml")
    assert "retrieval.yaml beside it, which has `measures: nDCG@10 R@100" in found.value.remedy
    broken = refusal(tmp_path, "dimensions: {")
    assert "not valid YAML: line 1, column 14: " in broken
    assert "unicode" not in broken
    with pytest.raises(UsageError, match="no grid file"):
        read_grid(tmp_path / "none.yaml")
    grids = Path(__file__).resolve().parents[2] / "configs" / "ablations"
    for name in ("mini-web", "published", "roles"):
        path = grids / f"{name}.yaml"
        assert len(arms_of(read_grid(path), path)) > 2


def test_arms_that_search_alike_share_their_hits(small_index):
    sources = SharedSources(small_index)
    shallow = sources.retriever(RetrievalSettings(retriever="bm25", k=5, depth=5))
    deep = sources.retriever(RetrievalSettings(retriever="bm25", k=5, depth=50))
    same = sources.retriever(RetrievalSettings(retriever="bm25", k=5, depth=5, listwise_depth=7))
    weighed = sources.retriever(
        RetrievalSettings(retriever="bm25", k=5, depth=5, standing={"*": 0})
    )
    assert same is shallow
    assert deep is not shallow
    assert weighed.search([Query(query_id="a", text="unsafe glacier")], 3) == {"a": []}
    first, second = (Query(query_id=name, text="unsafe glacier") for name in "ab")
    found = shallow.search([first], 3)["a"]
    # The very hits, not equal ones: nothing was searched again.
    assert shallow.search([second], 3)["b"] is found
    assert len(shallow.search([second], 2)["b"]) == 2


def test_searches_of_other_queries_are_refused(tmp_path, small_index):
    path = write(tmp_path, "dimensions: {x: {words: {retrieval.retriever: bm25}}}")
    arms, sources = arms_of(read_grid(path), path), SharedSources(small_index)
    glacier, ferry = (Query(query_id=name, text=name) for name in ("glacier", "ferry"))
    search_arms(arms, [glacier], 3, sources, tmp_path)
    search_arms(arms, [glacier], 3, sources, tmp_path)
    for queries, hits in (([glacier, ferry], 3), ([glacier], 2)):
        with pytest.raises(UsageError, match="holds an arm with other queries"):
            search_arms(arms, queries, hits, sources, tmp_path)


def test_effects_by_hand():
    values = {"base": [0.2, 0.4, 0.6], "better": [0.3, 0.5, 0.7], "same": [0.2, 0.4, 0.6]}
    scores = [
        TopicScore(arm, str(topic), {"score": value, "contradictory_score": 1 - value})
        for arm, row in values.items()
        for topic, value in enumerate(row)
    ]
    found = find_effects(scores, "base", {}, samples=200, seed=0)
    assert [one.measure.name for one in found] == ["score", "contradictory_score"]
    for one, sign in zip(found, (1, -1), strict=True):
        assert set(one.effects) == {"better", "same"}
        better, same = one.effects["better"], one.effects["same"]
        assert better.difference == pytest.approx(sign * 0.1)
        # All of 2^3 sign patterns; those of equal signs, 2 of 8, are as extreme. Holm: twice that.
        assert (better.p_value, better.p_holm) == pytest.approx((0.25, 0.5))
        # Fewer contradictions are better, too.
        assert (better.won, better.lost, better.tied) == (3, 0, 0)
        assert (same.difference, same.p_value, same.tied) == (0, 1, 3)
    assert found[0].means["better"].mean == pytest.approx(0.5)
    scores = [TopicScore("base", str(topic), {"score": 0.5}) for topic in range(3)]
    (found,) = find_effects(scores, "base", {}, samples=200, seed=0)
    assert found.effects == {}
    assert found.means["base"].mean == 0.5


def test_the_best_arm_is_drawn_on_top_and_measures_that_describe_have_none(tmp_path):
    rows = {"base": 0.5, "fewer": 0.2, "more": 0.9}
    scores = [
        TopicScore(arm, str(topic), {"contradictory_score": value, "words": value})
        for arm, value in rows.items()
        for topic in range(3)
    ]
    drawn = tmp_path / "drawn.svg"
    contradictions, words = find_effects(scores, "base", {}, samples=200, seed=0)
    draw_effects(contradictions, "base", [drawn])
    told = drawn.read_text()
    assert told.index("<!-- more -->") < told.index("<!-- fewer -->")  # from below
    assert "(lower is better)" in told
    draw_effects(words, "base", [drawn])
    assert "is better" not in drawn.read_text()
    more = words.effects["more"]
    assert (more.won, more.lost, more.tied) == (None, None, 0)


def test_an_arm_with_results_of_another_counts_only_by_measures_that_differ():
    rows = {"base": (0.2, 0.5), "deep": (0.2, 0.7), "other": (0.4, 0.5)}
    scores = [
        TopicScore(arm, str(topic), {"score": score, "retrieved": retrieved})
        for arm, (score, retrieved) in rows.items()
        for topic in range(3)
    ]
    twins = {measure: {"deep": "base"} for measure in ("score", "retrieved")}
    of_files, of_stage = find_effects(scores, "base", twins, samples=200, seed=0)
    assert set(of_files.effects) == {"other"}
    assert (of_files.same, of_stage.same) == ({"deep": "base"}, {})
    assert of_files.effects["other"].p_holm == of_files.effects["other"].p_value
    assert set(of_stage.effects) == {"deep", "other"}
    assert of_stage.means["deep"].mean == pytest.approx(0.7)
    grid = Grid(dimensions={"x": {name: {} for name in rows}})
    arms = [Arm(name, {}, Settings(), None) for name in rows]
    found = Experiment(grid, arms, {}, [of_files, of_stage], {}, {}, Sampling(), {})
    same = "deep made the same hits of a task as base"
    assert found.means_table().caption == f"Means over 3 topics. {same}: score."
    assert same not in found.effects_table(of_stage).caption
    notes = found.notes()
    assert f"{same}: not tested or counted again by score." in notes
    cannot = "can show no difference: its least p-value is"
    for name, n_arms, least in (("score", "1 arm", 0.25), ("retrieved", "2 arms", 0.5)):
        assert (
            f"note: {name}: a test on 3 topics, corrected for {n_arms}, {cannot} {least}" in notes
        )
