"""Questions and reports on webs unseen by whoever writes rules, beside those for development.

    python -m benchmarks.bench_unseen [--keep FOLDER] [--only development] [--set KEY=VALUE ...]

All webs lie in one index, so that the pages of each are in the way of the others. Scores are by
the judge without a model, without examples. Texts of the unseen webs are not
printed. Only a run of all webs with the default settings replaces the recorded figures.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from benchmarks.record import Figure, write_figures
from benchmarks.unseen import PARTS, RUBRICS, lay_out, read_webs

Scores: TypeAlias = dict[str, dict[str, float]]


def tell(progress: str) -> None:
    """Say on stderr how far the benchmark is."""
    print(progress, file=sys.stderr, flush=True)


def scores(folder: Path, settings: list[str], names: dict[str, str]) -> dict[str, Scores]:
    """Return by kind of rubric and topic the scores of a run over the webs in a folder.

    `names` has the name of each web by topic.
    """
    from sidelight.config.load import load_settings
    from sidelight.evaluation.labelling.judged_runs import judge_runs
    from sidelight.evaluation.labelling.run_kinds import read_task_runs
    from sidelight.formats.banks.rubrics import read_rubrics
    from sidelight.formats.topics import read_articles
    from sidelight.index.build import build_index
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.index.folder import open_folder
    from sidelight.index.text.corpus import read_documents, write_segments
    from sidelight.runs.self_evaluation import score_assessments
    from sidelight.tracks import load_track
    from sidelight.wiring.judges import JudgeInputs, make_judge
    from sidelight.wiring.run import make_run

    encoder, track = Encoder(), load_track()
    if not (folder / "index" / "manifest.json").exists():
        tell(f"building an index of {len(names)} webs")
        write_segments(
            folder / "segments.jsonl", read_documents(folder / "documents.jsonl"), lambda _: None
        )
        build_index([folder / "segments.jsonl"], folder / "index", encoder)
    index = open_folder(folder / "index")
    chosen = load_settings(None, ["submission.run_id=sidelight-unseen", *settings])
    articles = read_articles(folder / "topics.jsonl")
    directory = make_run(
        articles, chosen, index, folder / "run", on_topic=lambda name: tell(f"{names[name]}: done")
    ).directory
    found: dict[str, Scores] = {}
    for kind, name in RUBRICS.items():
        if not any((folder / name).iterdir()):
            continue
        rubrics = read_rubrics(folder / name, track.scales)
        inputs = JudgeInputs(rubrics, encoder=encoder.sentence_encoder)
        judge = make_judge("embedded", inputs)
        for task in (track.question_list, track.cited_text):
            tell(f"judging {task.title} by {kind}")
            given = read_task_runs(task, [directory.file(task)], rubrics)
            asyncio.run(judge_runs(judge, given, folder / f"scores-{name}"))
        made = score_assessments(folder / f"scores-{name}", rubrics, track)
        rows: Scores = defaultdict(dict)
        for row in made.questions.topics:
            rows[row.topic_id]["questions"] = row.values[made.questions.main.name]
        for row in made.reports.topics:
            rows[row.topic_id].update(row.values)
        found[kind] = rows
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="work here, and leave everything")
    parser.add_argument(
        "--only",
        choices=PARTS,
        help="one part alone: development, the webs whose texts may be read when rules are "
        "written; or unseen, those that nobody who writes rules reads, whose scores tell how the "
        "rules do on new text; default: both",
    )
    parser.add_argument("--set", action="append", default=[], dest="settings")
    given = parser.parse_args()
    webs = read_webs(*([given.only] if given.only else []))
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        lay_out(webs, folder)
        names = {web.topic_id: f"{web.part}/{web.name}" for web in webs}
        by_kind = scores(folder, given.settings, names)
    columns = ("questions", "supportive_score", "contradictory_score")
    print(f"{'web':46}" + "".join(f"{name:>22}" for name in columns))
    figures = []
    for part, (kind, by_topic) in product(PARTS, by_kind.items()):
        rows = {
            f"{part}/{web.name}, {kind}": by_topic[web.topic_id]
            for web in webs
            if web.part == part and web.topic_id in by_topic
        }
        if not rows:
            continue
        means = {name: fmean(row[name] for row in rows.values()) for name in columns}
        rows[f"{part}, {kind}, mean of {len(rows)}"] = means
        for title, row in rows.items():
            print(f"{title:46}" + "".join(f"{row[name]:22.3f}" for name in columns))
        figures += [
            Figure(f"{part}, {kind}: {name}", round(means[name], 3), "score") for name in columns
        ]
    if not given.only and not given.settings:
        write_figures("unseen", figures)


if __name__ == "__main__":
    main()
