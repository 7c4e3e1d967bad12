"""Where the passages to be graded come from, as the command line names it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from sidelight.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from sidelight.schemas.grading.graded_passage import GradedQuery

    TextsOf = Callable[[Collection[str]], Mapping[str, str]]


class AnswerPart(StrEnum):
    """What of a run of answers is graded."""

    WRITTEN = "written"
    CITED = "cited"


def gather(
    paths: Sequence[Path], part: AnswerPart, depth: int, index: Path | None, texts: Path | None
) -> list[GradedQuery]:
    """Read passages of any origin: graded files, rankings, runs of answers.

    Args:
        paths: The files; what each holds is seen from its content.
        part: What of answers is graded.
        depth: How many passages of a ranking, for each query.
        index: Folder that holds the texts of segments.
        texts: A file that holds them.

    Raises:
        InputError: A file cannot be read, is nothing of the kind, or a text is not known.
        UsageError: Texts are needed, and nothing says where they are.
    """
    from sidelight.evaluation.grading.passages import (
        cited_passages,
        merged,
        ranked_passages,
        written_passages,
    )
    from sidelight.formats.detect import detect_format
    from sidelight.formats.labels.graded_passages import read_graded
    from sidelight.formats.runs.run_format import run_formats
    from sidelight.formats.runs.trec_run import read_ranking_run

    texts_of = _texts_of(index, texts)
    found: list[GradedQuery] = []
    for path in paths:
        if _holds_lists(path):
            more = list(read_graded(path))
        else:
            name = detect_format(path) or ""
            kept = run_formats().get(name)
            if kept is None or kept.kind not in {"ranking", "cited_text"}:
                raise InputError(
                    f"{path}: expected graded passages, a ranking or a run of answers; found "
                    f"{name or 'none of them'}",
                    remedy="See docs/formats.md.",
                )
            if kept.kind == "ranking":
                more = ranked_passages([read_ranking_run(path)], depth, texts_of)
            elif part is AnswerPart.CITED:
                more = cited_passages([kept.read(path)], texts_of)  # type: ignore[list-item]
            else:
                more = written_passages([kept.read(path)])  # type: ignore[list-item]
        found = merged(found, more)
    return found


def _holds_lists(path: Path) -> bool:
    """Tell whether a file is graded passages: every line of one is a list."""
    from sidelight.formats.lines import stream_lines

    return next((line.text.lstrip()[:1] == "[" for line in stream_lines(path)), False)


def _texts_of(index: Path | None, texts: Path | None) -> TextsOf:
    def look_up(wanted: Collection[str]) -> dict[str, str]:
        if texts:
            from sidelight.index.text.corpus import MS_MARCO, ShardReader

            asked = set(wanted)
            segments = ShardReader(texts, MS_MARCO, strict=True).segments()
            return {one.segment_id: one.text for one in segments if one.segment_id in asked}
        if index:
            from sidelight.index.folder import open_index

            store = open_index(index).docstore
            known = [one for one in wanted if one in store]
            return {one.segment_id: one.text for one in store.get_many(known)}
        raise UsageError(
            "rankings and citations name passages and do not hold their texts",
            remedy="Name an index with --index, or a file of segments (JSONL) with --texts.",
        )

    return look_up
