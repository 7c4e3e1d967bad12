import gzip
import json

import pytest

from tests.helpers.commands import told


def answer(run, text, *labels):
    items = ("Garrick Voss is a paid fellow of the institute.", "The bill passed in May.")
    nuggets = [
        {"text": item, "importance": "vital", "assignment": label}
        for item, label in zip(items, labels, strict=True)
    ]
    topic = {"query": "who is Garrick Voss", "qid": "t-1"}
    return topic | {"run_id": run, "answer_text": text, "nuggets": nuggets}


BOTH = "Garrick Voss is a paid fellow of the institute. The bill passed in May."
SAID = answer("a", BOTH, "support", "support")
NOT_SAID = answer("b", "Nothing is known about peat.", "not_support", "not_support")


def test_the_judge_is_held_against_labels_in_a_file(tmp_path):
    path = tmp_path / "labels.jsonl.gz"
    with gzip.open(path, "wt") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in (SAID, NOT_SAID))
    found = told("agree-people", path, "--words-only")
    figures = [found[name] for name in ("n", "runs", "kappa", "accuracy", "tau")]
    assert figures == [4, 2, 1.0, 1.0, 1.0]


@pytest.mark.slow
def test_people_and_the_shipped_judge_on_public_labels(shared_data):
    # What it was fitted on: these figures say that it is the judge that was shipped.
    path = shared_data / "rag-2024" / "nugget-assignments.jsonl.gz"
    assert told("agree-people", path, "--words-only")["kappa"] > 0.45
