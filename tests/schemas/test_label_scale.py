"""A scale says what labels there are; nothing else knows them."""

from itertools import permutations
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from sidelight.registry import names
from sidelight.schemas.grading.judgment import Label, LabelScale, OneOf
from sidelight.tracks import load_track

GRADES = LabelScale(
    name="relevance",
    labels=(
        Label(name="perfect", credit=3, written="3", merged="relevant"),
        Label(name="wrong", opposes=True),
        Label(name="high", credit=2, written="2", merged="relevant"),
        Label(name="related", credit=1, written="1"),
        Label(name="none", written="0"),
    ),
    precedence=("wrong", "perfect", "high", "related", "none"),
)
SCALES = [scale for name in names("track") for scale in load_track(name).scales.values()]


def test_a_scale_orders_reads_and_merges_its_labels():
    assert GRADES.levels == ("none", "related", "high", "perfect")
    assert (GRADES.highest, GRADES.lowest, GRADES.opposite) == ("perfect", "none", "wrong")
    assert [label and label.name for label in map(GRADES.read, ("3", "wrong", "perfect"))] == [
        "perfect",
        "wrong",
        None,
    ]
    for given_labels in permutations(("none", "high", "wrong")):
        assert GRADES.first(given_labels) == "wrong"
    assert GRADES.first(("none", "high")) == "high"
    assert [GRADES.coarse(name) for name in GRADES.names] == [
        *("relevant", "wrong", "relevant", "related", "none"),
    ]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"labels": GRADES.labels + GRADES.labels[:1]}, "occurs twice"),
        ({"precedence": ("wrong",)}, "must name every label once"),
        ({"labels": GRADES.labels[:2], "precedence": ()}, "the last label"),
    ],
)
def test_what_is_no_scale_is_refused(changes, says):
    with pytest.raises(ValidationError, match=says):
        LabelScale.model_validate(GRADES.model_dump() | changes)


@given(st.sampled_from(SCALES))
def test_scales_of_tracks_can_be_read_back(scale):
    assert len(set(scale.writings)) == len(scale.names)
    for writing, label in zip(scale.writings, scale.labels, strict=True):
        assert scale.read(writing) is label
    earned = [scale.credit(name) for name in scale.levels]
    # The order is that of what was looked for, which need not be what earns.
    assert earned in (sorted(earned), sorted(earned, reverse=True))


def test_a_model_is_offered_the_labels_of_a_scale_and_no_others():
    class Reply(BaseModel):
        label: Annotated[str, OneOf(GRADES.names)]

    assert Reply.model_json_schema()["properties"]["label"]["enum"] == list(GRADES.names)
    assert Reply(label="high").label == "high"
    with pytest.raises(ValidationError):
        Reply(label="3")
