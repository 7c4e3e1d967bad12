"""Models learned from people's labels: does a text say an item, does a source support a sentence?

`AnswerModel` learned from nuggets compared with answers, `SupportModel` from sentences compared
with the segments they cite; both of TREC RAG 2024. Their weights are in `weights/`, with the files
they come from and how well they agree with people on topics and runs they had not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sidelight.learned.comparing import ComparedText, Comparer, Task
from sidelight.learned.features import FEATURES
from sidelight.learned.ordinal_model import Values, allowed, levels_within, load_model, weights_hash
from sidelight.learned.reading.framing import FRAMING, FRAMING_WORDS
from sidelight.text_vectors import SentenceEncoder

ANSWERS, SUPPORT = "answers", "support"
WORDS_ONLY = "-words"
"""What is put behind the name of the model of answers that needs no encoder."""


class ItemPrediction(NamedTuple):
    """Prediction of a model for one item and one text.

    Attributes:
        level: 0 none, 1 partial, 2 full.
        probabilities: How likely each level is; those that a missing figure forbids count with
            the highest there can be.
        sentence: The best sentence of the text; empty when nothing in it counts.
        opposed: Whether the text says the opposite; the level is then 0.
        reason: Why it does, or why nothing counts; empty otherwise.
    """

    level: int
    probabilities: tuple[float, float, float]
    sentence: str
    opposed: bool
    reason: str
    opposed_sentence: str


class Looked(NamedTuple):
    """Logits of levels 1 and 2, `(n_items, 2)`, and each item's highest possible level (`most`)."""

    found: ComparedText
    logits: Values
    most: Sequence[int]

    def verdicts(self, shift: Sequence[float] = (0.0, 0.0)) -> list[ItemPrediction]:
        """Return a prediction for each item, in order.

        `shift` is added to the logits of levels 1 and 2, for labels by other people than those the
        model learned from.
        """
        levels, probabilities = levels_within(self.logits + np.array(shift), self.most)
        return [
            _prediction(self.found, row, int(level), probabilities[row])
            for row, level in enumerate(levels)
        ]


class _LearnedModel:
    """What both have in common: features of pairs, and a small model on top."""

    _needs_figures = False

    def __init__(self, name: str, encoder: SentenceEncoder | None) -> None:
        self._model = load_model(name)
        self._columns = [FEATURES.index(name) for name in self._model.names]
        self._comparer = Comparer.of_answers(encoder)
        framing = FRAMING_WORDS if encoder is None else FRAMING
        self.weights = f"{weights_hash(name)}+{weights_hash(framing)}"
        """Short hashes of the files of weights."""

    def _looked(self, task: Task) -> Looked:
        found = self._comparer.compare(task)
        rows = [[item.features[column] for column in self._columns] for item in found.evidence]
        features = np.array(rows).reshape(len(rows), len(self._columns))
        most = allowed([item.most for item in found.evidence], needs_figures=self._needs_figures)
        return Looked(found, self._model.logits(features), most)


class AnswerModel(_LearnedModel):
    """Does a text, such as a report, say what an item, such as a rubric answer, says?

    Args:
        encoder: The default encoder; None takes the model that goes by words only.
    """

    _needs_figures = True

    def __init__(self, encoder: SentenceEncoder | None) -> None:
        super().__init__(answer_model(words_only=encoder is None), encoder)

    def prepare(self, tasks: Iterable[tuple[Sequence[str], str]], *, max_words: int | None) -> None:
        """Encode pairs of items and text that will be judged, all at once, which is quicker."""
        self._comparer.prepare(
            Task(tuple(items), text, max_words=max_words) for items, text in tasks
        )

    def judge(
        self, items: Sequence[str], text: str, *, max_words: int | None, context: str = ""
    ) -> list[ItemPrediction]:
        """Return a prediction for each item, in order; see `look`."""
        return self.look(items, text, max_words=max_words, context=context).verdicts()

    def look(
        self, items: Sequence[str], text: str, *, max_words: int | None, context: str = ""
    ) -> Looked:
        """Compare items with a text.

        `items` are all of the topic: what most of them share weighs little in each, and so does
        what `context`, the question, says. Words after `max_words` (None: no limit) do not count.
        """
        return self._looked(Task(tuple(items), text, context, max_words))


class SupportModel(_LearnedModel):
    """Does a source, such as a segment, say what a sentence that cites it says?

    It goes by words only: vectors added nothing on topics held out (kappa .330 with them, .327
    without; .288 and .319 where no query is known), and cost half the time of checking a report.
    """

    def __init__(self) -> None:
        super().__init__(SUPPORT, None)

    def judge(self, pairs: Sequence[tuple[str, str]], *, context: str = "") -> list[ItemPrediction]:
        """Return a prediction for each pair of sentence and source, whatever the others are."""
        tasks = [Task((sentence,), source, context, is_source=True) for sentence, source in pairs]
        return [verdict for task in tasks for verdict in self._looked(task).verdicts()]


def answer_model(*, words_only: bool) -> str:
    """Return the name of the weights of the model of answers."""
    return ANSWERS + WORDS_ONLY * words_only


def _prediction(found: ComparedText, row: int, level: int, likely: Values) -> ItemPrediction:
    item, sentences = found.evidence[row], found.reading.sentences
    none, partial, full = (float(value) for value in likely)
    opposite = sentences[item.opposed_place].text if item.opposed else ""
    if item.place < 0:
        reason = item.opposed or "nothing in the text says anything about it"
        return ItemPrediction(0, (1.0, 0.0, 0.0), "", bool(item.opposed), reason, opposite)
    # What is said elsewhere in the text outweighs a sentence against it.
    against = bool(item.opposed) and level == 0
    return ItemPrediction(
        level,
        (none, partial, full),
        sentences[item.place].text,
        against,
        item.opposed if against else "",
        opposite if against else "",
    )
