"""Answers from given references (AG) on ten topics of TREC 2024 RAG, beside three real runs.

    python -m benchmarks.bench_rag24_answers

The public data `rag-2024` hold `references.jsonl.gz`, whose segments are indexed here,
`nugget-assignments.jsonl.gz` and the three published runs. Topics are the first ten
that people drew up nuggets for; their 20 references are all that is answered from. Scores are by
the learned judges: support of each sentence by its first citation, and nuggets by the model of
answers, which has learned from other runs' answers to these topics. They say how the answers stand
to each other, not how good they are.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import orjson

from benchmarks.data import shared_data
from benchmarks.rag24 import index_references
from benchmarks.record import Figure, write_figures
from sidelight.formats.banks.nuggets import read_nugget_assignments, write_nuggets
from sidelight.tracks import load_track

TRACK = "rag2024"
RUNS = ("baseline_command-r-plus_top20", "baseline_gpt-4o_top20", "baseline_l31_70b_instruct_top20")
PRESET = Path(__file__).resolve().parent.parent / "configs" / "rag2025" / "extractive.yaml"
N_TOPICS = 10
SUPPORT = ("weighted_precision", "weighted_recall", "weighted_precision_all", "weighted_recall_all")
NUGGETS = ("strict_vital_score", "vital_score", "strict_all_score", "all_score")


def lines(path: Path) -> list[dict]:
    return [orjson.loads(line) for line in gzip.open(path)]


def sidelight(*arguments: object) -> str:
    command = [sys.executable, "-m", "sidelight.cli.main", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def scores(*arguments: object) -> dict[str, dict[str, float]]:
    found = orjson.loads(sidelight(*arguments, "--json"))
    return {run["run_tag"]: run for run in found["runs"]}


def main(data: Path, index: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    assigned = read_nugget_assignments(
        data / "nugget-assignments.jsonl.gz", load_track(TRACK).scales
    )
    banks = {item.topic_id: item.bank for item in assigned}
    chosen = sorted(banks)[:N_TOPICS]
    topics, nuggets = out / "topics.jsonl", out / "nuggets.jsonl"
    write_nuggets(nuggets, [banks[name] for name in chosen])
    known = {one["topic"]: one for one in lines(data / "references.jsonl.gz")}
    topics.write_bytes(
        b"".join(
            orjson.dumps(
                {
                    "id": name,
                    "title": known[name]["query"],
                    "references": known[name]["references_ids"],
                }
            )
            + b"\n"
            for name in chosen
        )
    )
    for name in RUNS:
        kept = [one for one in lines(data / f"{name}.jsonl.gz") if one["topic_id"] in chosen]
        (out / name).write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in kept))
    # Every page is in the index without its address or title: nothing tells outlets apart.
    settings = [f"track={TRACK}", "submission.run_id=sidelight"]
    sidelight(
        *("run", "--config", PRESET, "--topics", topics, "--index", index, "-o", out / "run"),
        *(part for setting in settings for part in ("--set", setting)),
    )
    ours = out / "sidelight-rag"
    ours.write_bytes((out / "run" / "answers.jsonl").read_bytes())
    print(sidelight("validate", "--track", TRACK, "--topics", topics, "--index", index, ours))
    runs = [ours, *(out / name for name in RUNS)]
    support = scores(
        "score", "support", *runs, "--index", index, "--track", TRACK, "--topics", topics
    )
    told = scores("score", "nuggets", *runs, "--nuggets", nuggets, "--topics", topics)
    words = {
        run.name: sum(one["response_length"] for one in map(orjson.loads, run.open())) / N_TOPICS
        for run in runs
    }
    header = ("words", "wP", "wR", "wP all", "wR all", "SV", "V", "SA", "A")
    print(f"{'run':34}" + "".join(f"{name:>8}" for name in header))
    for run in runs:
        row = [support[run.name][name] for name in SUPPORT]
        row += [told[run.name][name] for name in NUGGETS]
        print(f"{run.name:34}{words[run.name]:8.0f}" + "".join(f"{value:8.3f}" for value in row))
    vital = told[ours.name]["strict_vital_score"]
    figure = Figure("strict vital score of the extractive answers", round(vital, 3), "score")
    write_figures("rag24_answers", [figure])


if __name__ == "__main__":
    data = shared_data("rag-2024") / "rag-2024"
    with tempfile.TemporaryDirectory() as name:
        main(data, index_references(data, Path(name)), Path(name, "out"))
