"""The runs of all arms judged, in a process that generation never shares."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING

from sidelight.ablation.runs import ARMS
from sidelight.files import atomic_write, read_limited
from sidelight.processes import end_with_parent
from sidelight.runs.directory import RunDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sidelight.evaluation.labelling.comparing.text_comparison import SentenceEncoder

SCORES = "scores"
_STAMP = "judged.sha256"


def judge_arms(
    names: Sequence[str],
    folder: Path,
    index: Path,
    rubrics: Path,
    judge: str,
    plugins: Sequence[str] = (),
    on_arm: Callable[[str], None] = lambda _: None,
) -> None:
    """Judge, without examples, every arm's run that is not judged yet.

    Rubrics are read by a process of its own, after all runs are finished.

    Args:
        names: Arms that have a folder.
        folder: Of the experiment.
        index: The index folder.
        rubrics: Folder of rubrics.
        judge: The name of a judge that asks no model.
        plugins: Parts of the arms' settings that are not registered.
        on_arm: Called with the name of each arm that is done.
    """
    todo = [name for name in names if not _is_judged(folder / ARMS / name, rubrics, judge)]
    for name in names:
        if name not in todo:
            on_arm(name)
    if not todo:
        return
    # Not a fork: the JVM and torch of this process do not survive one.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent) as pool:
        work = partial(
            _judge_arm,
            folder=folder,
            index=index,
            rubrics=rubrics,
            judge=judge,
            plugins=plugins,
        )
        for name in pool.map(work, todo):
            on_arm(name)


@cache
def _encoder() -> SentenceEncoder:
    """Return the encoder that the judging process keeps from arm to arm, with what it encoded."""
    from sidelight.build.judges import open_encoder
    from sidelight.text_vectors import TextVectors

    encoder = open_encoder()
    return encoder._replace(encode=TextVectors(encoder.encode))


def _judge_arm(
    name: str, folder: Path, index: Path, rubrics: Path, judge: str, plugins: Sequence[str]
) -> str:
    from sidelight.build.judges import JudgeInputs, make_judge
    from sidelight.index.folder import open_index
    from sidelight.runs.self_evaluation.evaluate import collect, evaluate_run
    from sidelight.runs.self_evaluation.finished import read_finished

    directory, opened = RunDirectory(folder / ARMS / name, plugins), open_index(index)
    run = read_finished(directory, opened.fingerprint(), rubrics)
    made = make_judge(judge, JudgeInputs(run.rubrics, encoder=_encoder, articles=run.articles))
    material = collect(run, opened.docstore.get_many, made.words_at_once)
    asyncio.run(evaluate_run(made, material, directory.path / SCORES))
    atomic_write(directory.path / SCORES / _STAMP, _stamp(directory.path, rubrics, judge))
    return name


def _is_judged(run: Path, rubrics: Path, judge: str) -> bool:
    stamp = run / SCORES / _STAMP
    return stamp.exists() and read_limited(stamp).decode() == _stamp(run, rubrics, judge)


def _stamp(run: Path, rubrics: Path, judge: str) -> str:
    """Return a hash of all that the judging of a run depends on."""
    digest = hashlib.sha256(judge.encode())
    for path in _read(run, rubrics):
        digest.update(read_limited(path))
    return digest.hexdigest()


def _read(run: Path, rubrics: Path) -> Iterator[Path]:
    yield run / "manifest.json"
    yield from sorted(rubrics.glob("*.json"))
