import json

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.banks.nuggets import read_nuggets
from sidelight.tracks import load_track

IMPORTANCE = load_track("rag2025").scales["nugget_importance"]


def topic(qid, *importances):
    nuggets = [
        {"text": f"Fact {place}.", "importance": one, "source": "original"}
        for place, one in enumerate(importances)
    ]
    return json.dumps({"qid": qid, "nuggets": nuggets})


def test_a_nugget_weighs_what_the_scale_says(tmp_path):
    path = tmp_path / "nuggets.jsonl"
    path.write_text(topic("58", "vital", "okay", "vital") + "\n")
    (bank,) = read_nuggets(path, IMPORTANCE).values()
    assert [item.text for item in bank.items] == ["Fact 0.", "Fact 1.", "Fact 2."]
    assert bank.total_weight == 2.5


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([topic("1", "good to know")], "expected one of vital, okay"),
        ([topic("1", "vital"), topic("1", "okay")], "a second one for 1"),
        ([topic("1")], "nuggets"),
        (['{"qid": "1"}'], "nuggets"),
        ([topic("1", "vital").replace('"vital"', '"vital", "weight": 1e308')], r":1: .*1e\+308"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, lines, says):
    path = tmp_path / "nuggets.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidFileError, match=says):
        read_nuggets(path, IMPORTANCE)


def test_the_public_nuggets_are_read(shared_data):
    banks = read_nuggets(shared_data / "rag-2025" / "nuggets.jsonl", IMPORTANCE)
    items = [item for bank in banks.values() for item in bank.items]
    assert (len(banks), len(items)) == (22, 1255)
    assert sum(item.importance.name == "vital" for item in items) == 925
