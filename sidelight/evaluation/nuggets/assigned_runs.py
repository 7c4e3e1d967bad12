"""The answers of runs, each nugget of their topics labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sidelight.evaluation.labelling.protocol import Judgment
from sidelight.evaluation.training.label_files import ANSWER_LEVELS
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.nugget_assignment import NuggetAssignment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.grading.bank import NuggetBank
    from sidelight.schemas.run import ReportRun
    from sidelight.text_vectors import Encode


class Assigner(Protocol):
    """Says what an answer tells of each nugget of its topic."""

    async def __call__(self, bank: NuggetBank, query: str, answer: str) -> list[Judgment]:
        """Return one judgment for each nugget, in their order."""
        ...


class LearnedAssigner:
    """Labels by the small model that learned from people's; see `AnswerModel`.

    Args:
        encode: Texts to vectors by the default encoder; None goes by words only.
    """

    def __init__(self, encode: Encode | None) -> None:
        self._model = AnswerModel.load(encode)

    async def __call__(self, bank: NuggetBank, query: str, answer: str) -> list[Judgment]:
        """Return one judgment for each nugget, in their order."""
        items = [nugget.text for nugget in bank.nuggets]
        verdicts = self._model.judge(items, answer, max_words=None, context=query)
        return [Judgment(ANSWER_LEVELS[one.level], one.reason or one.sentence) for one in verdicts]


async def assign_runs(
    runs: Sequence[ReportRun],
    banks: Mapping[str, NuggetBank],
    queries: Mapping[str, str],
    assigner: Assigner,
) -> list[NuggetAssignment]:
    """Return the labels of all answers to topics that have nuggets, run by run.

    Args:
        runs: What is judged.
        banks: Topic id -> nuggets.
        queries: Topic id -> what was asked, where it is known.
        assigner: Who judges.
    """
    found = []
    for run in runs:
        for report in run.reports:
            topic_id = report.metadata.topic_id
            if topic_id not in banks:
                continue
            bank, query = banks[topic_id], queries.get(topic_id, "")
            judgments = await assigner(bank, query, report.text)
            found.append(
                NuggetAssignment(
                    run_tag=run.run_tag,
                    bank=bank,
                    labels=tuple(one.label for one in judgments),
                    query=query,
                    answer=report.text,
                )
            )
    return found
