"""Pages of runs that anybody handed in, and of several runs side by side."""

import json

import pytest

from sidelight.errors import InputError, SidelightError
from sidelight.formats.verdict import read_topics
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from sidelight.view.collect import MarkedRun, collect_page
from sidelight.view.page import render_page
from sidelight.view.shown_run import finished_run, handed_in_run
from tests.helpers.commands import call, said
from tests.helpers.html_tree import parse
from tests.helpers.viewed_runs import write_run

TOPIC, CITED = "msmarco_v2.1_doc_01_1", "msmarco_v2.1_doc_02_7#3_99"


def write_files(folder, team="team", cited=(CITED,)):
    questions, report = folder / f"{team}-t1", folder / f"{team}-t2"
    questions.write_text(
        "".join(f"{TOPIC}\t{team}\t{team}-task-1\t{n}\tWho is {n}?\n" for n in range(1, 11))
    )
    metadata = {"team_id": team, "run_id": f"{team}-task-2", "topic_id": TOPIC, "type": "automatic"}
    responses = [{"text": f"Says {team}.", "citations": [*cited]}]
    report.write_text(json.dumps({"metadata": metadata, "responses": responses}) + "\n")
    return questions, report


def test_run_files_are_a_page_without_a_trail(tmp_path):
    run = handed_in_run(write_files(tmp_path), load_track(), ())
    assert (run.name, run.topics) == ("team", (TOPIC,))
    page = collect_page(run, {}, ())
    (topic,) = page.topics
    assert (len(topic.questions), len(topic.sentences), topic.trail) == (10, 1, None)
    html = render_page(page)
    assert "The text of this segment is not at hand." in html
    assert "How this was found" not in html
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n")
    with pytest.raises(InputError, match="expected a run of questions or reports"):
        handed_in_run([tmp_path / "qrels"], load_track(), ())


def test_what_is_known_of_topics_and_segments_is_shown(tmp_path):
    article = Article(topic_id=TOPIC, url="https://a.example/", title="A lake", body="A lake.")
    segment = Segment(segment_id=CITED, url="https://b.example/", title="B", text="Says team B.")
    run = handed_in_run(write_files(tmp_path), load_track(), (article,), lambda _: {CITED: segment})
    (topic,) = collect_page(run, {}, ()).topics
    assert topic.page.title == "A lake"
    assert topic.sources[0].passages == (("Says team B.", True),)


def test_pages_are_counted_apart_from_passages_and_sites(tmp_path):
    cited = ("a#0_0", "a#9_90", "b#0_0")  # two passages of one page, and another page of its site
    known = {
        one: Segment(segment_id=one, url=f"https://b.example/{one[0]}", text="Says team B.")
        for one in cited
    }
    run = handed_in_run(write_files(tmp_path, cited=cited), load_track(), (), lambda _: known)
    page = collect_page(run, {}, ())
    assert len(page.topics[0].sources) == 3
    assert "resting on 2 pages of 1 site." in render_page(page)


def test_runs_stand_side_by_side_above_the_rest_under_their_own_names(tmp_path):
    ours, theirs = (write_files(tmp_path, team) for team in ("ours", "theirs"))
    track = load_track()
    runs = [
        handed_in_run(ours, track, ()),
        handed_in_run(theirs, track, ()),
        handed_in_run(theirs[1:], track, ()),
    ]
    page = collect_page(runs[0], {}, (), list(map(MarkedRun, runs[1:])))
    assert [rival.name for rival in page.topics[0].rivals] == ["theirs", "theirs-task-2"]
    elements = parse(render_page(page))
    places = {one.attributes.get("id"): place for place, one in enumerate(elements)}
    assert places["t1-compare"] < places["t1-report"] < places["t1-questions"]
    headings = [one.text for one in elements if one.tag == "h4"]
    assert headings[:3] == ["ours", "theirs", "theirs-task-2"]
    # Both say other things of one passage.
    chips = [one.text for one in elements if one.attributes.get("class") == "chip"]
    assert chips.count("cited by both") == 2


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path):
    runs = [finished_run(write_run(tmp_path / name)) for name in ("first", "second")]
    page = collect_page(runs[0], {}, (), [MarkedRun(runs[1])])
    assert page.run_id == "sidelight-view in first"
    assert page.topics[0].rivals[0].name == "sidelight-view in second"


def test_the_command_takes_run_files(tmp_path):
    files, out = write_files(tmp_path), tmp_path / "page.html"
    said("view", *files, "--compare", files[1], "-o", out)
    assert "Says team." in out.read_text()
    with pytest.raises(SidelightError):
        said("view", files[0], tmp_path, "-o", out)
    with pytest.raises(InputError, match="other-t2: expected one file for each task of a run"):
        said("view", *files, write_files(tmp_path, "other")[1], "-o", out)
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"docid": "elsewhere", "body": "A lake."}\n')
    _, warned = call("view", *files, "--topics", topics, "-o", out)
    assert warned == f"team: not in {topics}: {TOPIC}\n"


def test_public_runs_on_real_articles_are_pages(shared_data):
    track = load_track()
    topics = read_topics(shared_data / "dragun-2025/topics.jsonl", track)
    for path in sorted((shared_data / "dragun-2025/runs/task2").iterdir()):
        page = collect_page(handed_in_run([path], track, topics), {}, ())
        assert len(page.topics) == 30
        assert all(topic.digest.lead and topic.paragraphs for topic in page.topics)
        assert sum(topic.n_left_out > 0 for topic in page.topics) > 20
        assert sum(bool(topic.digest.rows) for topic in page.topics) > 15
