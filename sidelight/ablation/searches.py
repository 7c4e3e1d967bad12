"""Arms as searches: every arm a TREC run over the same queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sidelight.ablation.runs import ARMS
from sidelight.config.load import dump_settings
from sidelight.errors import UsageError
from sidelight.evaluation.scoring.retrieval import score_retrieval
from sidelight.files import atomic_write, read_limited
from sidelight.formats.runs.trec_run import write_trec_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sidelight.ablation.grid import Arm
    from sidelight.ablation.shared import SharedSources
    from sidelight.evaluation.scoring.table import TopicScore
    from sidelight.schemas.investigation.search import Query

_RUN, _CONFIG = "run.txt", "config.yaml"


def search_arms(
    arms: Sequence[Arm],
    queries: Sequence[Query],
    hits: int,
    sources: SharedSources,
    folder: Path,
    on_arm: Callable[[str], None] = lambda _: None,
) -> None:
    """Write the run of every arm that has none yet.

    Args:
        arms: All arms.
        queries: What is searched for.
        hits: Per query.
        sources: Shared by all.
        folder: Gets `arms/<name>/run.txt` and `config.yaml`.
        on_arm: Called with the name of each arm that is done.

    Raises:
        UsageError: An arm's folder was made with other settings.
    """
    for arm in arms:
        if arm.same_as is None:
            place = folder / ARMS / arm.name
            config = dump_settings(arm.settings)
            if (place / _RUN).exists():
                if read_limited(place / _CONFIG).decode() != config:
                    raise UsageError(
                        f"{place} holds an arm with other settings",
                        remedy="Choose another folder with --output, or delete that one.",
                    )
            else:
                found = sources.retriever(arm.settings.retrieval).search(queries, hits)
                atomic_write(place / _CONFIG, config)
                write_trec_run(place / _RUN, found, f"sidelight-{arm.name}")
        on_arm(arm.name)


def score_searches(
    arms: Sequence[Arm], qrels: Path, measures: str, folder: Path
) -> list[TopicScore]:
    """Return every arm's score on every labelled query, the measures in the order given."""
    paths = [folder / ARMS / arm.folder_name / _RUN for arm in arms]
    scored = score_retrieval(qrels, paths, measures)
    return [
        replace(topic, run_tag=arm.name)
        for arm, scores in zip(arms, scored, strict=True)
        for topic in scores.topics
    ]
