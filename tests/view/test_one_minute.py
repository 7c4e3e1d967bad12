"""What docs/page.md says a reader can answer from the first screen of the demo's first article."""

import re
from pathlib import Path

import pytest

from sidelight.config.load import load_settings
from sidelight.index.build import build_index
from sidelight.index.folder import open_folder
from sidelight.view.collect import collect_page
from sidelight.view.shown_run import finished_run
from sidelight.wiring.run import make_run
from tests.helpers.indexes.small_corpus import write_shard

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[2] / "docs" / "page.md"


def test_what_the_guide_promises_is_on_the_first_screen(
    mini_web_articles, mini_web_segments, encoder, tmp_path
):
    shard = write_shard(tmp_path / "segments.jsonl", mini_web_segments)
    build_index([shard], tmp_path / "index", encoder)
    settings = load_settings(None, ["submission.run_id=sidelight-demo"])
    index = open_folder(tmp_path / "index")
    run = make_run(mini_web_articles[:1], settings, index, tmp_path / "run").directory
    topic = collect_page(finished_run(run), {}, ()).topics[0]
    lead, rows = topic.digest.lead, topic.digest.rows
    assert lead
    findings = [one for row in rows for one in row.findings]
    findings += [one for one in (lead.behind, lead.claim) if one is not None]
    screen = "\n".join([lead.origin, *(one.text for one in findings)])
    table = GUIDE.read_text(encoding="utf-8").partition("## A reader with one minute")[2]
    promised = re.findall("“(.+?)”", table.partition("\n## ")[0])
    assert len(promised) == 3
    missing = [words for words in promised if words not in screen]
    assert not missing, screen
