"""People's labels as rows of features, and rows made by code beside them.

Made rows show what people's labels of honest answers do not: items that stand in a text word for
word, and texts that use all their words to say something else (`attacks`).
"""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.training.attacks import ATTACKS, Attack
from sidelight.learned.comparing import Comparer, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from sidelight.evaluation.training.label_files import (
        JudgedAnswer,
        JudgedCitation,
        Segments,
    )
    from sidelight.text_vectors import Encode

_ATTACKED_ANSWERS = 12  # every so many answers are also attacked
_ATTACKED_CITATIONS = 40  # and of the citations in full support
_OF_A_TOPIC = 3  # every so many attacks are made on the items of a topic
_FULL = 2


class Rows(NamedTuple):
    """Features with labels; all `(n,)` but the features.

    Attributes:
        features: `(n, n_features)`, in the order of `features.FEATURES`.
        levels: 0 none, 1 partial, 2 full.
        topics: Where each row comes from.
        runs: The run each row comes from; empty for rows made from items alone.
        people: Whether people gave the label; others were made.
        most: The highest level there can be, whatever a model says; see `features.Evidence`.
    """

    features: npt.NDArray[np.float64]
    levels: npt.NDArray[np.int64]
    topics: npt.NDArray[np.str_]
    runs: npt.NDArray[np.str_]
    people: npt.NDArray[np.bool_]
    most: npt.NDArray[np.int64]


class _Labelled(NamedTuple):
    """A task with the level of each item; -1 for items that are not to be learned."""

    task: Task
    levels: tuple[int, ...]
    topic: str
    run: str
    people: bool


def answer_rows(answers: Sequence[JudgedAnswer], encode: Encode | None) -> Rows:
    """Return rows of people's labels of answers, then rows made from them."""
    labelled = [
        _Labelled(Task(answer.items, answer.text, answer.query), answer.levels, *_of(answer))
        for answer in answers
    ]
    return _rows([*labelled, *_copied_items(answers), *_attacked_answers(answers)], encode)


def support_rows(
    citations: Sequence[JudgedCitation], segments: Segments, encode: Encode | None
) -> Rows:
    """Return rows of people's labels of citations whose segment is known, then made rows."""
    labelled = [
        _Labelled(
            Task(
                (citation.sentence,),
                segments.texts[citation.segment],
                segments.queries.get(citation.topic, ""),
            ),
            (citation.level,),
            citation.topic,
            citation.run,
            people=True,
        )
        for citation in citations
        if citation.segment in segments.texts
    ]
    return _rows([*labelled, *_attacked_citations(labelled)], encode)


def _of(answer: JudgedAnswer) -> tuple[str, str, bool]:
    return answer.topic, answer.run, True


def _copied_items(answers: Sequence[JudgedAnswer]) -> list[_Labelled]:
    """Return texts of every other item of a topic, and what attacks make of them."""
    made = []
    topics = {answer.topic: answer for answer in answers}.values()
    for number, answer in enumerate(topics):
        task = Task(answer.items, "", answer.query)
        for start in (0, 1):
            stated = [f"{item.rstrip('.')}." for item in answer.items[start::2]]
            levels = [0] * len(answer.items)
            levels[start::2] = [_FULL] * len(stated)
            honest = task._replace(text=" ".join(stated))
            made.append(_Labelled(honest, tuple(levels), answer.topic, "", people=False))
            for attack in ATTACKS[(number + start) % _OF_A_TOPIC :: _OF_A_TOPIC]:
                changed = [attack.change(sentence) for sentence in stated]
                # A name or figure that is not there cannot be exchanged: then nothing changed.
                levels[start::2] = [
                    -1 if new == old else 0 for new, old in zip(changed, stated, strict=True)
                ]
                attacked = task._replace(text=" ".join(changed))
                made.append(_Labelled(attacked, tuple(levels), answer.topic, "", people=False))
    return made


def _attacked_answers(answers: Sequence[JudgedAnswer]) -> list[_Labelled]:
    """Return some answers with every sentence denied, refuted or otherwise taken back."""
    attacks = cycle(attack for attack in ATTACKS if "names" not in attack.name)
    return [
        _Labelled(
            Task(answer.items, attack.change(answer.text), answer.query),
            tuple(0 if level else -1 for level in answer.levels),
            answer.topic,
            answer.run,
            people=False,
        )
        for answer, attack in zip(answers[::_ATTACKED_ANSWERS], attacks, strict=False)
        if "figures" not in attack.name
    ]


def _attacked_citations(labelled: Sequence[_Labelled]) -> list[_Labelled]:
    """Return some citations in full support whose source or sentence says something else."""
    attacks = cycle(attack for attack in ATTACKS if _changes_meaning(attack))
    full = [item for item in labelled if item.levels == (_FULL,)]
    made = []
    for item, attack in zip(full[::_ATTACKED_CITATIONS], attacks, strict=False):
        task = item.task._replace(text=attack.change(item.task.text))
        if "names" in attack.name or "figures" in attack.name:
            (sentence,) = item.task.items
            task = item.task._replace(items=(attack.change(sentence),))
        if task != item.task:
            made.append(item._replace(task=task, levels=(0,), people=False))
    return made


def _changes_meaning(attack: Attack) -> bool:
    """Tell whether an attack says something else, not merely says it badly."""
    return attack.name.startswith(("denied", "refuted", "negated", "names", "figures"))


def _rows(labelled: Iterable[_Labelled], encode: Encode | None) -> Rows:
    every = list(labelled)
    comparer = Comparer(encode)
    comparer.prepare(item.task for item in every)
    features, levels, topics, runs, people, most = [], [], [], [], [], []
    for item in every:
        found = comparer.compare(item.task)
        for evidence, level in zip(found.evidence, item.levels, strict=True):
            if level >= 0:
                features.append(evidence.features)
                levels.append(level)
                topics.append(item.topic)
                runs.append(item.run)
                people.append(item.people)
                most.append(evidence.most)
    return Rows(
        features=np.array(features),
        levels=np.array(levels),
        topics=np.array(topics),
        runs=np.array(runs),
        people=np.array(people),
        most=np.array(most),
    )
