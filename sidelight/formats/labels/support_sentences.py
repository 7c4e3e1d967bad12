"""Support of sentences as CSV: a row for each sentence of each report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.formats.table import write_table
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sidelight.schemas.grading.judgment import JudgedSentence


def write_support_sentences(path: Path, sentences: Iterable[JudgedSentence]) -> None:
    """Write the labels of sentences; a label is empty for one that is unjudged."""
    header = ["run_tag", "topic_id", "sentence", "citations", "first", "all", "reason", "text"]
    write_table(path, header, map(_row, sentences))


def _row(item: JudgedSentence) -> list[object]:
    labels = (
        "uncited" if label is None else "" if isinstance(label, Unjudged) else label
        for label in (item.first, item.all)
    )
    cited = " ".join(map(one_line, item.sentence.citations))
    text = one_line(item.sentence.text)
    return [item.run_tag, item.topic_id, item.number, cited, *labels, item.reason, text]
