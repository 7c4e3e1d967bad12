"""What docs/page.md says a reader can answer from the first screen of the demo's first article."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.cli.demo import _run as run_demo
from sidelight.index.folder import IndexFolder
from sidelight.sample import sample_path
from sidelight.view.collect import collect_page
from sidelight.view.shown_run import finished_run

pytestmark = pytest.mark.slow

# By question, what the first screen has to say.
ANSWERS = {
    "Who is behind the outlet?": ("Harrow Lane Institute",),
    "Whose money stands behind that?": ("Dunmoor gave T2.9 million", "main donor"),
    "Who is the author?": ("former Treasury economist", "Rural Enterprise Fellowship"),
    "Does the figure of 4,000 jobs stand?": ("up to 4,000 jobs across the national supply chain",),
    "Do all wells lie in a single bog?": ("14 monitoring wells in three bogs",),
}


def test_five_questions_are_answered_on_the_first_screen(
    mini_web_index: IndexFolder, tmp_path: Path
) -> None:
    run = run_demo(mini_web_index, sample_path() / "topics.jsonl", tmp_path / "run")
    topic = collect_page(finished_run(run), {}, ()).topics[0]
    lead, rows = topic.digest.lead, topic.digest.rows
    assert lead
    findings = [one for row in rows for one in row.findings]
    findings += [one for one in (lead.behind, lead.claim) if one is not None]
    screen = "\n".join([lead.origin, *(one.text for one in findings)])
    missing = [
        question for question, said in ANSWERS.items() if not all(words in screen for words in said)
    ]
    assert not missing, screen
    guide = Path(__file__).parents[2] / "docs" / "page.md"
    table = guide.read_text(encoding="utf-8")
    assert all(words.split()[0] in table for said in ANSWERS.values() for words in said)
