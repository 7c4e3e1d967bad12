"""How near runs come to copies of the examples that a judge was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.text import shingles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.evaluation.labelling.run_kinds import TaskRuns

_Sequences = frozenset[tuple[str, ...]]


def overlaps(given: TaskRuns, examples: Examples | None) -> dict[str, float]:
    """Return run tag -> how near a run comes to a copy of the examples, on its nearest topic.

    Args:
        given: What is judged.
        examples: What the judge was shown.

    Returns:
        The largest share, over topics, of a run's five-word sequences that also occur in the
        examples of the topic.
    """
    kind = given.kind
    shown = _by_topic(kind.example_texts(examples)) if examples else {}
    submitted = {run.run_tag: _by_topic(kind.texts(run)) for run in given.runs}
    return {
        run_tag: max(
            (
                len(sequences & shown.get(topic_id, frozenset())) / len(sequences)
                for topic_id, sequences in topics.items()
                if sequences
            ),
            default=0.0,
        )
        for run_tag, topics in sorted(submitted.items())
    }


def _by_topic(items: Iterable[tuple[str, str]]) -> dict[str, _Sequences]:
    """Return the five-word sequences of all texts of a topic, by topic."""
    groups: dict[str, _Sequences] = {}
    for topic_id, text in items:
        groups[topic_id] = groups.get(topic_id, frozenset()) | shingles(text)
    return groups
