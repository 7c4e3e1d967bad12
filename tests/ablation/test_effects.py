import pytest

from sidelight.ablation.measures import find_effects
from sidelight.evaluation.scoring.table import TopicScore


def test_effects_by_hand():
    values = {"base": [0.2, 0.4, 0.6], "better": [0.3, 0.5, 0.7], "same": [0.2, 0.4, 0.6]}
    scores = [
        TopicScore(arm, str(topic), {"score": value, "contradictory_score": 1 - value})
        for arm, row in values.items()
        for topic, value in enumerate(row)
    ]
    found = find_effects(scores, "base", samples=200, seed=0)
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


def test_an_experiment_of_one_arm_has_means_only():
    scores = [TopicScore("base", str(topic), {"score": 0.5}) for topic in range(3)]
    (found,) = find_effects(scores, "base", samples=200, seed=0)
    assert found.effects == {}
    assert found.means["base"].mean == 0.5
