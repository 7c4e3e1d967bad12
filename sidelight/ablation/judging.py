"""The runs of all arms judged, in a process that generation never shares."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from sidelight.ablation.runs import ARMS
from sidelight.files import atomic_write
from sidelight.processes import end_with_parent
from sidelight.runs.directory import RunDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


SCORES = "scores"
_STAMP = "judged.sha256"


def judge_arms(
    names: Sequence[str],
    folder: Path,
    index: Path,
    rubrics: Path,
    on_arm: Callable[[str], None] = lambda _: None,
) -> None:
    """Judge, with the embedded judge without examples, every arm's run that is not judged yet.

    Rubrics are read by a process of its own, after all runs are finished.

    Args:
        names: Arms that have a folder.
        folder: Of the experiment.
        index: The index folder.
        rubrics: Folder of rubrics.
        on_arm: Called with the name of each arm that is done.
    """
    todo = [name for name in names if not _is_judged(folder / ARMS / name, rubrics)]
    for name in names:
        if name not in todo:
            on_arm(name)
    if not todo:
        return
    # Not a fork: the JVM and torch of this process do not survive one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=_Judging.open) as pool:
        judge = partial(_judge, folder=folder, index=index, rubrics=rubrics)
        for name in pool.map(judge, todo):
            on_arm(name)


class _Judging:
    """What the judging process keeps from arm to arm: texts that were encoded."""

    encode = None

    @classmethod
    def open(cls) -> None:
        from sidelight.ablation.shared import remembering
        from sidelight.index.encoding.encoder import Encoder

        end_with_parent()
        cls.encode = staticmethod(remembering(Encoder().encode_sentences))


def _judge(name: str, folder: Path, index: Path, rubrics: Path) -> str:
    from sidelight.evaluation.labelling.embedded import EmbeddedJudge
    from sidelight.index.encoding.encoder import DEFAULT_ENCODER
    from sidelight.index.folder import open_index
    from sidelight.runs.self_evaluation.evaluate import collect, evaluate_run, read_results
    from sidelight.runs.self_evaluation.rubrics import given_rubrics
    from sidelight.runs.self_evaluation.scores import write_scores

    run, opened = RunDirectory(folder / ARMS / name), open_index(index)
    results = read_results(run, opened.manifest.fingerprint())
    known = given_rubrics(rubrics, results)
    material = collect(run, results, known, opened.docstore.get_many, EmbeddedJudge.kind)
    judge = EmbeddedJudge(known, None, _Judging.encode, DEFAULT_ENCODER, min_confidence=0.0)
    judge.prepare(stage.report for stage in material.stages)
    track = run.read_manifest().track
    evaluation = asyncio.run(evaluate_run(judge, material, None, run.path / SCORES, track))
    write_scores(evaluation.scores, run.path / SCORES)
    atomic_write(run.path / SCORES / _STAMP, _stamp(run.path, rubrics))
    return name


def _is_judged(run: Path, rubrics: Path) -> bool:
    stamp = run / SCORES / _STAMP
    return stamp.exists() and stamp.read_text(encoding="utf-8") == _stamp(run, rubrics)


def _stamp(run: Path, rubrics: Path) -> str:
    """Return a hash of all that the judging of a run depends on."""
    digest = hashlib.sha256()
    for path in _read(run, rubrics):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(run: Path, rubrics: Path) -> Iterator[Path]:
    yield run / "manifest.json"
    yield from sorted(rubrics.glob("*.json"))
