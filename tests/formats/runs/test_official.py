"""The verdict of the track's validator, our strict one and the reader, on the same files."""

import contextlib
import io
import json
import os
import runpy
from collections import Counter
from itertools import product

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.formats.runs.submission import official_questions, official_reports, run_format
from sidelight.formats.verdict import judge_file
from tests.helpers.formats.mutations import (
    QUESTIONS,
    RANKS,
    VALUES,
    mutated_task1,
    mutated_task2,
)
from tests.helpers.formats.official_oracle import task1_is_valid, task2_is_valid
from tests.helpers.formats.sample_runs import (
    TASK1,
    TASK2,
    TOPICS,
    TRACK,
    task1_bytes,
    task1_rows,
    task2_bytes,
    task2_objects,
)

OFFICIAL = {"task1": official_questions, "task2": official_reports}
ORACLE = {"task1": task1_is_valid, "task2": task2_is_valid}
MUTATED = {"task1": mutated_task1, "task2": mutated_task2}

METADATA = ("team_id", "run_id", "topic_id", "type", "use_starter_kit")

both_tasks = pytest.mark.parametrize("task", ["task1", "task2"])


@pytest.fixture
def run_file(tmp_path):
    return tmp_path / "lamp-extractive"


@both_tasks
def test_a_valid_run_has_no_objections_and_other_topics_can_be_asked_for(task, run_file, tmp_path):
    rules = TRACK.task(task)
    whole = task1_bytes(task1_rows()) if task == "task1" else task2_bytes(task2_objects())
    run_file.write_bytes(whole)
    for topics, n_objections in ((TOPICS, 0), ([*TOPICS, "one-more"], 1), (TOPICS[1:], 1)):
        assert len(OFFICIAL[task](run_file, rules, topics)) == n_objections
    with pytest.raises(InputError, match="no such file"):
        OFFICIAL[task](tmp_path / "nowhere", rules, TOPICS)
    for content in [b"", b"\n", b"\xff\xfe", b"\x00", b"[" * 100_000, b"\xef\xbb\xbf" + whole]:
        run_file.write_bytes(content)
        assert OFFICIAL[task](run_file, rules, TOPICS)


def test_valid_public_runs_have_no_objections(public_runs):
    task1 = sorted((public_runs / "task1").iterdir())
    task2 = sorted((public_runs / "task2").iterdir())
    assert (len(task1), len(task2)) == (5, 3)
    assert [official_questions(path, TASK1, TOPICS) for path in task1] == [[]] * 5
    assert [official_reports(path, TASK2, TOPICS) for path in task2] == [[]] * 3


def odd_runs(task):
    """Yield valid runs with one odd value each, in every place where a reader may trip over it."""
    for column, value in [*((3, rank) for rank in RANKS), *((4, text) for text in QUESTIONS)]:
        if task == "task1":
            rows = task1_rows()
            yield task1_bytes([*rows, [*rows[0][:column], value, *rows[0][column + 1 :]]])
            rows[5][column] = value
            yield task1_bytes(rows)
    for value in VALUES if task == "task2" else ():
        for key, last in product(METADATA, (1, None)):
            objects = task2_objects()
            for one in objects[:last]:
                one["metadata"][key] = value
            yield "".join(json.dumps(one) + "\n" for one in objects).encode()
        for sentence in ({"text": value}, {"citations": value}):
            objects = task2_objects()
            objects[3]["responses"] = [{"text": "Why.", "citations": [], **sentence}]
            yield "".join(json.dumps(one) + "\n" for one in objects).encode()


@both_tasks
def test_odd_values_are_judged_as_by_a_second_implementation(task, run_file):
    for content in odd_runs(task):
        run_file.write_bytes(content)
        objections = OFFICIAL[task](run_file, TRACK.task(task), TOPICS)
        assert (not objections) == ORACLE[task](content, TOPICS), content


@both_tasks
@pytest.mark.parametrize("count", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_mutated_files_are_judged_as_by_a_second_implementation(task, run_file, count):
    """What passes the strict check is officially valid, too, and can be read."""
    rules, verdicts = TRACK.task(task), Counter()
    for seed in range(count):
        content = MUTATED[task](seed)
        run_file.write_bytes(content)
        objections = OFFICIAL[task](run_file, rules, TOPICS)
        expected = ORACLE[task](content, TOPICS)
        assert (not objections) == expected, f"seed {seed}: {objections}"
        detected = False
        with contextlib.suppress(UsageError):  # so broken that it looks like another kind of file
            detected = judge_file(run_file, TRACK, TOPICS, official=True).valid
        assert detected == expected, f"seed {seed}"
        problems = run_format(rules).check(run_file, rules, TOPICS, None)
        passed = all(problem.severity != "error" for problem in problems)
        if passed:
            assert expected, f"seed {seed}"
            run_format(rules).read(run_file)
        verdicts[expected, passed] += 1
    passed, valid = verdicts[True, True], verdicts[True, True] + verdicts[True, False]
    assert min(passed, valid, count - valid) >= count // 10


@both_tasks
def test_agrees_with_the_real_validator(task, run_file):
    script = os.environ.get("SIDELIGHT_OFFICIAL_VALIDATOR")
    if script is None:
        pytest.skip("SIDELIGHT_OFFICIAL_VALIDATOR does not name the track's script")
    validate = runpy.run_path(script)[f"validate_{task}"]
    for seed in range(int(os.environ.get("SIDELIGHT_OFFICIAL_FILES", "200"))):
        run_file.write_bytes(MUTATED[task](seed))
        with contextlib.redirect_stdout(io.StringIO()):
            expected = validate(str(run_file))
        objections = OFFICIAL[task](run_file, TRACK.task(task), TOPICS)
        assert (not objections) == expected, f"seed {seed}: {objections}"
