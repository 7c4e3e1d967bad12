"""Measures are found by name, wherever they come from."""

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import UsageError
from sidelight.evaluation.metrics.base import Computed
from sidelight.evaluation.scoring.measures import find_measure, measure_called
from sidelight.evaluation.scoring.score import score_reports
from sidelight.parts import KINDS
from sidelight.registry import names
from sidelight.sample import sample_path
from sidelight.tracks import load_track
from tests.helpers.installed import install
from tests.helpers.labels.toy import HAVE, answer, rubric

TRACK = load_track()
NAMED = [
    measure.name
    for track in map(load_track, names("track"))
    for task in track.tasks
    for measure in task.measures
]
MODULE = """
    from sidelight.schemas.grading.judgment import Measure

    class Hedges:
        measure = Measure(title="small words", direction="lower", unit="count", format=".1f")

        def __init__(self, words="the a of"):
            self._words = set(words.split())

        def __call__(self, report):
            told = (word for sentence in report for word in sentence.text.lower().split())
            return sum(word in self._words for word in told)
"""


@pytest.fixture
def hedges(tmp_path, monkeypatch):
    """A measure of an installed package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "hedging", {"hedging": MODULE}, {"measure hedges": "hedging:Hedges"})
    return "hedges"


@pytest.mark.parametrize(
    "name", [*NAMED, *KINDS["measure"].own, "nothing_cited", "weighted_precision", "retrieved"]
)
def test_a_name_is_read_back_as_it_is_printed(name):
    measure = find_measure(name)
    assert measure.name == name
    assert find_measure(measure.name) == measure
    if name != "stage_credit":  # which stage, its measures say
        assert Computed(measure).needs


def test_parameters_are_part_of_a_name():
    measure = find_measure("support_recall(citations=first)")
    assert measure.name == "support_recall(citations=first)"
    assert measure.parameters == {"citations": "first"}
    assert measure_called("weighted_recall").computes == "support_recall"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("supportive_scor", "did you mean supportive_score?"),
        ("support_recall(first)", "expected parameter=value"),
        ("nowhere:Thing", "there is no module 'nowhere'"),
    ],
)
def test_an_unknown_measure_is_wrong_usage(text, says):
    with pytest.raises(UsageError, match=says.replace("?", r"\?")):
        find_measure(text)


def test_a_column_that_nobody_knows_is_a_plain_score():
    measure = measure_called("nDCG@10")
    assert (measure.name, measure.direction, measure.shown(0.5)) == ("nDCG@10", "higher", "0.5000")


def test_names_among_tasks_are_known():
    assert measure_called("question_score").computes == "question_coverage"


def score(*arguments: object) -> dict[str, object]:
    result = CliRunner().invoke(app, ["score", *map(str, arguments), "--json"])
    if result.exception is not None:
        raise result.exception
    return orjson.loads(result.stdout)


def test_a_measure_of_another_package_is_used_by_name(hedges):
    data = sample_path()
    plain = score("task2", "--data", data)["runs"]
    runs = score("task2", "--data", data, "--measure", hedges)["runs"]
    assert [{**run, hedges: 0} for run in plain] == [{**run, hedges: 0} for run in runs]
    found = {run["run_tag"]: run[hedges] for run in runs}
    assert min(found.values()) < max(found.values())
    compared = score("compare", "--data", data, "--task", "task2", "--measure", hedges)
    first, second = (compared["pairs"][0][side] for side in ("first", "second"))
    assert found[first] <= found[second]  # lower is better


def test_a_measure_that_needs_what_is_not_known_is_refused(hedges):
    with pytest.raises(UsageError, match="the measure hedges needs report; known here are answers"):
        score_reports(
            TRACK,
            {"t": rubric("t", (HAVE, 1))},
            [answer("t", "r", "na-1", "none")],
            [find_measure(hedges)],
        )


def test_two_measures_of_one_name_are_refused():
    with pytest.raises(UsageError, match="two measures are called supportive_score"):
        score_reports(
            TRACK,
            {"t": rubric("t", (HAVE, 1))},
            [answer("t", "r", "na-1", "none")],
            [find_measure("supportive_score")],
        )
