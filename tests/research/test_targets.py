"""Published figures: those whose data is public come out, and what is missing is named."""

import csv
import random
import shutil
from functools import cache

import orjson
import pytest
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InputError, UsageError
from sidelight.learned.models import ANSWERS, SUPPORT, WORDS_ONLY
from sidelight.sample import sample_path
from sidelight_research.published import Figure, find_files, leaderboards, table_of_wins, targets
from sidelight_research.reproduce import _verdict
from sidelight_research.training import TOPICS, TOPICS_AND_RUNS, shipped_figures
from tests.helpers.labels.toy import write_csv


@cache
def reproduce(*arguments):
    result = CliRunner().invoke(app, ["reproduce", "--json", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, {
        figure["name"]: figure for figure in orjson.loads(result.stdout)["figures"]
    }


def test_a_figure_agrees_at_the_printed_precision():
    for published, here, agrees in [
        *(("0.4412", 0.44124, True), ("0.4412", 0.44126, False), ("0.50", 0.4951, True)),
        *(("199", 198.6, True), ("199", 198.4, False), ("0.678", None, False)),
    ]:
        assert Figure("x", published, here).agrees is agrees
    assert Figure("x", "0.507", 0.516, within=0.01).agrees
    assert _verdict(Figure("x", "0.507", 0.516, within=0.01)) == "within 0.01"
    assert _verdict(Figure("x", "0.507", 0.5071, within=0.01)) == "yes"
    assert not Figure("x", "0.507", 0.518, within=0.01).agrees


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("starter-kit", "dragun-2025"),
        ("autojudge-scores", "dragun-2025"),
        ("rubric-sun", "rubric-dl20"),
        ("rag25-agreement", "rag-2025"),
        ("rubric-dl19", "rubric-dl19"),
        ("rubric-tables", "rubric-dl20"),
    ],
)
def test_what_is_public_comes_out_as_published(name, data, shared_data):
    code, figures = reproduce(name, "--data", (shared_data / data).parent)
    assert code == 0
    assert figures
    assert all(figure["agrees"] for figure in figures.values())


def test_a_file_without_unjudged_passages_never_covers_more(shared_data):
    """The published cover counted them; what is here can only be as much, or less."""
    _, figures = reproduce("rubric-dl19", "--data", (shared_data / "rubric-dl19").parent)
    gaps = [
        float(str(figure["expected"])) - float(str(figure["here"]))
        for name, figure in figures.items()
        if name.endswith(": EXAM")
    ]
    rounding = 0.0005
    assert len(gaps) == 37
    assert min(gaps) > -rounding
    assert max(gaps) < 5 / 430 + rounding


def test_printed_leaderboards_and_wins_are_computed_again(tmp_path):
    """Tables as they were released, made up: of four runs, and of two graders."""
    rows = [("a", 0.9, 1), ("b", 0.5, 2), ("c", 0.7, 3), ("d", 0.1, 4)]
    table = "| method | **one** | +/- | std-err | **official rank** |\n"
    table += "".join(f"| {run} | **{one}** | +/- | 0.01 | **{at}** |\n" for run, one, at in rows)
    table += "| \\_overall\\_ | **1** | +/- | 0 |  |\n| Spearman | **0.8** |  |  |  |\n"
    for name in ("dl20-qrels.md", "dl20-cover.md"):
        (tmp_path / name).write_text(table)
    figures = dict(leaderboards(tmp_path / "dl20-qrels.md"))
    assert figures == {
        "dl20-qrels: runs": 4,
        "dl20-qrels, column 1: Spearman": pytest.approx(0.8),
        "dl20-qrels, column 1: Kendall": pytest.approx(2 / 3),
    }
    with pytest.raises(InputError, match="official rank"):
        list(leaderboards(_written(tmp_path / "none.md", "| a |\n")))
    lines = "".join(
        f"data/dl20/{grader}.qrel\t{level}\tndcg_cut.10\t{value}\t{value}\n"
        for grader, level, value in (("Sun", 1, 0.9), ("Thomas", 1, 0.8), ("Thomas", 5, "nan"))
    )
    found = dict(table_of_wins(_written(tmp_path / "dl20-x.tsv", lines)))
    assert found == {"wins of Sun 1": 2, "wins of Thomas 1": 0}


def _written(path, text):
    path.write_text(text)
    return path


def test_the_collection_is_counted(tmp_path):
    code, figures = reproduce("dragun-collection", "--data", sample_path())
    assert code == 1  # the sample is another collection
    rubrics = [
        orjson.loads(path.read_bytes()) for path in (sample_path() / "human_rubrics").iterdir()
    ]
    assert figures["topics"]["here"] == len(rubrics)
    with (sample_path() / "human_assessments" / "report_assessments.csv").open() as stream:
        labels = [row["annotation"] for row in csv.DictReader(stream)]
    assert figures["assessed answers"]["here"] == len(labels)
    found = figures["supports, %"]["here"]
    assert found == pytest.approx(100 * labels.count("supports") / len(labels))


@pytest.fixture
def judged(tmp_path):
    """The sample with three runs more, and a judge that says what people say."""
    data = shutil.copytree(sample_path(), tmp_path / "data")
    choose = random.Random(3)
    for name in ("question_assessments", "report_assessments", "compound_question_check"):
        path = data / "human_assessments" / f"{name}.csv"
        with path.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        own = [row for row in rows if row["run_tag"] == rows[0]["run_tag"]]
        labels = [{"annotation": row["annotation"]} if "annotation" in row else {} for row in own]
        for number in range(3):
            choose.shuffle(labels)
            more = {"run_tag": f"more-{number}"}
            rows += [row | more | label for row, label in zip(own, labels, strict=True)]
        header, values = ",".join(rows[0]), [row.values() for row in rows]
        write_csv(path, header, *values)
        if "annotation" in header:
            header = header.replace("annotation", "auto_assessment")
            write_csv(data / f"auto_{name}.csv", header, *values)
    return data


def test_a_judge_that_agrees_with_people_gets_full_marks(judged):
    code, figures = reproduce("dragun-judge", "--data", judged)
    assert code == 1
    assert {name: figure["here"] for name, figure in figures.items()} == {
        f"Task {task}: {name}": pytest.approx(value)
        for task in (1, 2)
        for name, value in (
            *(("agreement, %", 100.0), ("Cohen kappa", 1.0), ("Gwet AC1", 1.0)),
            *(("runs that both judged", 5), ("runs left out", 0), ("Kendall tau of runs", 1.0)),
        )
    }


def test_missing_and_ambiguous_data_is_named(tmp_path):
    (tmp_path / "Sun.qrel").touch()
    with pytest.raises(InputError, match=r"found no qrels\.official\.txt") as caught:
        reproduce("rubric-sun", "--data", tmp_path)
    assert caught.value.remedy.startswith("qrels.official.txt: https://github.com/castorini")
    (tmp_path / "Sun.qrel").unlink()
    for name in ("a/Sun.qrel", "b/Sun.qrel", "qrels.official.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"expected one Sun\.qrel"):
        find_files("rubric-sun", tmp_path)


def test_wrong_use_says_what_there_is(tmp_path):
    with pytest.raises(UsageError, match="'starter-kt'; did you mean starter-kit"):
        reproduce("starter-kt")
    with pytest.raises(UsageError, match="no target 'nothing'") as caught:
        reproduce("nothing")
    assert "rag25-agreement" in caught.value.remedy
    with pytest.raises(UsageError, match="rubric-sun needs Sun") as caught:
        reproduce("rubric-sun")
    assert "\nSun.qrel: https://github.com/TREMA-UNH/rubric-evaluation" in caught.value.remedy
    listed = CliRunner().invoke(app, ["reproduce"]).stdout
    for name, target in targets().items():
        assert name in listed
        assert all(line in listed for line in target.sources(target.needs))
    result = CliRunner().invoke(
        app, ["reproduce", "starter-kit", "--data", str(tmp_path), "-o", str(tmp_path / "w")]
    )
    assert isinstance(result.exception, UsageError)
    assert "trains nothing" in str(result.exception)
    listed = orjson.loads(CliRunner().invoke(app, ["reproduce", "--json"]).stdout)
    assert {one["target"] for one in listed} == targets().keys()
    assert all(one["needs"] for one in listed)


@pytest.mark.parametrize(
    ("target", "model"), [("rag24-nuggets", ANSWERS), ("rag24-support", SUPPORT)]
)
def test_what_training_gives_is_printed_as_the_weights_say(target, model):
    printed = targets()[target].printed
    by_words = {"words only, ": f"{ANSWERS}{WORDS_ONLY}"} if model == ANSWERS else {}
    for title, name in {"": model, **by_words}.items():
        for held_out in (TOPICS, TOPICS_AND_RUNS):
            found = shipped_figures(name)[held_out]
            assert printed[f"{title}{held_out}: Cohen kappa"] == f"{found.kappa:.3f}"
            assert printed[f"{title}{held_out}: accuracy"] == f"{found.accuracy:.3f}"
            assert printed[f"{title}{held_out}: Kendall tau of runs"] == f"{found.tau:.3f}"


def test_everything_that_a_folder_allows_is_computed(tmp_path):
    result = CliRunner().invoke(app, ["reproduce", "--data", str(sample_path()), "--json"])
    shown = orjson.loads(result.stdout)
    assert [one["target"] for one in shown["targets"]] == ["dragun-collection"]
    found = shown["targets"][0]["figures"]
    assert found == list(reproduce("dragun-collection", "--data", sample_path())[1].values())
    assert shown["left_out"].keys() == targets().keys() - {"dragun-collection"}
    assert "found no" in shown["left_out"]["rubric-sun"]
    assert result.exit_code == 1
    told = CliRunner().invoke(app, ["reproduce", "--data", str(sample_path())]).stdout
    assert told.startswith("dragun-collection: ")
    assert "left out, rubric-sun: " in told


def test_a_folder_that_is_not_there_or_holds_nothing_is_an_error(tmp_path):
    for words, says in (
        (["--data", str(tmp_path / "nowhere")], "expected a folder; found nothing"),
        (["rubric-sun", "--data", str(tmp_path / "nowhere")], "expected a folder; found nothing"),
        (["--data", str(_written(tmp_path / "file", ""))], "expected a folder; found a file"),
        (["--data", str(tmp_path)], "expected files of published figures; found those of none"),
    ):
        error = CliRunner().invoke(app, ["reproduce", *words]).exception
        assert isinstance(error, InputError)
        assert says in error.message


def test_figures_tell_whose_they_are(shared_data):
    whose = {
        name: {
            figure["by"]
            for figure in reproduce(name, "--data", (shared_data / data).parent)[1].values()
        }
        for name, data in (("rubric-sun", "rubric-dl20"), ("rag25-agreement", "rag-2025"))
    }
    assert whose == {"rubric-sun": {"the source"}, "rag25-agreement": {"sidelight"}}
