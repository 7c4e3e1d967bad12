"""Hashes of the outputs that a change of structure must not change.

Run with: python -m benchmarks.seal [--write]

Runs the commands below on the bundled web and, where they lie beside the checkout, on public
topics and labels, and compares the SHA-256 of each output with benchmarks/seal.json. Prints
each output that differs, and exits with 1 if there is one. With --write the hashes are recorded.
The encoder's vectors differ between processors in their last bits, so the record holds for the kind
of machine that wrote it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import BESIDE, VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = Path(__file__).parent / "seal.json"
SAMPLE = Path(__file__).resolve().parent.parent / "sidelight" / "sample" / "data"
# Targets of `sidelight reproduce` whose data is public and which train nothing.
REPRODUCED = ("autojudge-scores", "rubric-sun", "rubric-dl19", "rubric-tables", "rag25-agreement")


def command(*words: str, cwd: Path) -> bytes:
    """Return what a command of sidelight prints; it runs in a process of its own."""
    line = [sys.executable, "-m", "sidelight.cli.main", *words]
    environment = os.environ | {"COLUMNS": "120", "PYTHONPATH": str(SAMPLE.parents[2])}
    done = subprocess.run(line, cwd=cwd, env=environment, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def outputs(folder: Path, shared: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each output."""
    command("demo", cwd=folder)
    demo = folder / "sidelight-demo"
    scores = sorted(path.name for path in (demo / "scores").glob("*.csv"))
    for name in ("run/task1.tsv", "run/task2.jsonl", "page.html", *(f"scores/{n}" for n in scores)):
        yield f"demo/{name}", (demo / name).read_bytes()
    common = ("--index", str(demo / "index"), "-o")
    narratives = ("--topics", str(SAMPLE / "narratives.jsonl"), "--set", "track=rag2025")
    command("run", *narratives, *common, "answers", cwd=folder)
    for path in sorted((folder / "answers").glob("*.jsonl")):
        if path.name != "failures.jsonl":
            yield f"narratives/{path.name}", path.read_bytes()
    if (shared / "dragun-2025").exists():
        topics = ("--topics", str(shared / "dragun-2025" / "topics.jsonl"))
        command("run", *topics, *common, "public", cwd=folder)
        for name in ("task1.tsv", "task2.jsonl"):
            yield f"public topics/{name}", (folder / "public" / name).read_bytes()
        for target in REPRODUCED:
            printed = command("reproduce", target, "--data", str(shared), cwd=folder)
            yield f"reproduce {target}", printed
    yield "scores of people", command("score", "--data", str(SAMPLE), "--json", cwd=folder)
    listed = json.loads(command("prompt", "list", "--json", cwd=folder))
    for prompt in listed:
        name = prompt["prompt"]
        yield f"prompt {name}", command("prompt", "render", name, cwd=folder)


def main() -> None:
    """Compare, or record."""
    shared = Path(os.environ.get(VARIABLE, BESIDE))
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: hashlib.sha256(content).hexdigest()
            for name, content in outputs(Path(folder), shared)
        }
    if "--write" in sys.argv:
        RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{RECORD}: {len(found)} outputs recorded")
        return
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    changed = [name for name in recorded if found.get(name, recorded[name]) != recorded[name]]
    absent = [name for name in recorded if name not in found]
    new = [name for name in found if name not in recorded]
    for title, names in (("changed", changed), ("not made here", absent), ("not recorded", new)):
        for name in names:
            print(f"{title}: {name}")
    print(f"{len(found) - len(changed) - len(new)} of {len(recorded)} outputs as recorded")
    sys.exit(bool(changed or new))


if __name__ == "__main__":
    main()
