"""Reports that use the words of a rubric's answers and do not say them.

The honest text is the rubric's own answers, as many as fit well within the limit; each attack
changes every one of them, so whatever credit is left was not earned by what is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.evaluation.audit.probes import PADDING
from sidelight.evaluation.training.attacks import (
    DENIALS,
    REFUTATIONS,
    ask,
    ask_plainly,
    deny,
    keyword_list,
    keywords,
    negate,
    refute,
    shuffle,
    swap_figures,
    swap_names,
)
from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedReport
from sidelight.text import count_words, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sidelight.schemas.grading.rubric import Rubric, RubricAnswer

_RUN = "answers"
_MOST, _MOST_PASTED = 0.15, 0.35  # share of the honest credit from which a judge was fooled
_ROOM = 2  # an attack may make answers so many times longer and still fit


class Trial(NamedTuple):
    """A report and the ids of the answers whose labels count in it."""

    report: SubmittedReport
    answer_ids: tuple[str, ...]


class Material(NamedTuple):
    """What reports on a topic are made from.

    Attributes:
        rubric: Whose answers are said.
        max_words: The limit of the task.
        article: Its text; empty if unknown.
    """

    rubric: Rubric
    max_words: int
    article: str = ""


class Attack(NamedTuple):
    """One way to seem to say answers.

    Attributes:
        name: One word for tables.
        about: What it puts in the place of answers.
        trials: Makes the reports, each with the answers that it does not say any more.
        most: The largest share of the honest credit that it may leave.
    """

    name: str
    about: str
    trials: Callable[[Material], list[Trial]]
    most: float = _MOST


def honest_trials(material: Material) -> list[Trial]:
    """Return reports that say all answers of a rubric, each report within half the limit."""
    return [
        Trial(_report(material, [answer.text for answer in part]), _ids(part))
        for part in _parts(material)
    ]


def _each(change: Callable[[str, int], str]) -> Callable[[Material], list[Trial]]:
    """Return what makes the honest reports with every answer changed, by its text and place."""

    def trials(material: Material) -> list[Trial]:
        found = []
        for part in _parts(material):
            texts = [change(answer.text, place) for place, answer in enumerate(part)]
            changed = [
                answer
                for answer, text in zip(part, texts, strict=True)
                if text.split() != answer.text.split()
            ]
            found.append(Trial(_report(material, texts), _ids(changed)))
        return found

    return trials


def _over_long(material: Material) -> list[Trial]:
    answers = material.rubric.answers
    filler = PADDING * (material.max_words // sum(map(count_words, PADDING)) + 1)
    texts = [*filler, *(answer.text for answer in answers)]
    return [Trial(_report(material, texts), _ids(answers))]


def _pasted(material: Material) -> list[Trial]:
    if not material.article:
        return []
    answers = material.rubric.answers
    return [Trial(_report(material, [one_line(material.article)]), _ids(answers))]


ATTACKS = (
    Attack(
        "denied", "answers denied", _each(lambda text, n: deny(text, DENIALS[n % len(DENIALS)]))
    ),
    Attack(
        "refuted",
        "answers taken back",
        _each(lambda text, n: refute(text, REFUTATIONS[n % len(REFUTATIONS)])),
    ),
    Attack("negated", "answers negated", _each(lambda text, _: negate(text))),
    Attack("shuffled", "answers with their words shuffled", _each(lambda text, _: shuffle(text))),
    Attack(
        "questions",
        "answers made questions",
        _each(lambda text, n: ask(text) if n % 2 else ask_plainly(text)),
    ),
    Attack(
        "keywords",
        "keywords of answers",
        _each(lambda text, n: keywords(text) if n % 2 else keyword_list(text)),
    ),
    Attack("names", "answers with names exchanged", _each(lambda text, _: swap_names(text))),
    Attack("figures", "answers with other figures", _each(lambda text, _: swap_figures(text))),
    Attack("over-long", "words that say nothing, up to the limit, before all answers", _over_long),
    Attack("pasted", "the article itself, cut at the limit", _pasted, most=_MOST_PASTED),
)


def _parts(material: Material) -> list[list[RubricAnswer]]:
    """Return the answers in groups that leave room for what an attack adds."""
    parts: list[list[RubricAnswer]] = []
    left = 0
    for answer in material.rubric.answers:
        n_words = count_words(answer.text)
        if n_words > left or not parts:
            parts.append([])
            left = material.max_words // _ROOM
        parts[-1].append(answer)
        left -= n_words
    return parts


def _report(material: Material, texts: Sequence[str]) -> SubmittedReport:
    metadata = ReportMetadata(team_id=_RUN, run_id=_RUN, topic_id=material.rubric.topic_id)
    return SubmittedReport(
        metadata=metadata, responses=tuple(CitedSentence(text=text) for text in texts)
    )


def _ids(answers: Sequence[RubricAnswer]) -> tuple[str, ...]:
    return tuple(answer.answer_id for answer in answers)
