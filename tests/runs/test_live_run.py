"""A whole topic against a real server; the smallest model must get through it.

SIDELIGHT_LIVE_URL=http://localhost:8000/v1 SIDELIGHT_LIVE_MODEL=NAME pytest -m live
"""

import pytest

from tests.helpers.prompted_runs import files, run, write_inputs


@pytest.mark.live
def test_a_topic_ends_with_valid_files_and_replays(live_server, mini_web_index, tmp_path):
    made, again = tmp_path / "made", tmp_path / "again"
    options = (*write_inputs(tmp_path, 1), "--index", mini_web_index.path)
    # Long answers take a small model minutes and get no better.
    options += (f"--set=models.writer.name={live_server.model}",)
    options += ("--set=models.writer.max_tokens=1024", "--set=investigation.max_rounds=1")
    summary = run(*options, "--base-url", live_server.base_url, "--output", made)
    assert (len(summary["done"]), summary["failures"]) == (1, [])
    assert [one for one in summary["problems"] if one["severity"] == "error"] == []
    assert sum(usage["calls"] for usage in summary["calls"]) > 10
    run(*options, "--offline", "--cache", made / "cache", "--output", again)
    assert files(again) == files(made)
