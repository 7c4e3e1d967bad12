"""The judge that asks a model, as the track's AutoJudge does.

Source: DRAGUN resources paper, section 4. The prompts are this project's own; what they show, in
which order, and which labels they offer is what the paper describes.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from sidelight.checks.compound import COMPOUND_PROMPT
from sidelight.evaluation.labelling.asking import Assessor, Verdict
from sidelight.evaluation.labelling.base import Instrument
from sidelight.evaluation.labelling.compound.prompted import label_compound
from sidelight.evaluation.labelling.question_similarity.mode import Mode
from sidelight.evaluation.labelling.question_similarity.prompted import COMPARE, PROMPTS
from sidelight.evaluation.labelling.report_answers.prompted import REPORT_ANSWERS, label_answers
from sidelight.evaluation.labelling.topic_material import topic_material
from sidelight.schemas.judgment import (
    AnswerAssessment,
    CompoundAssessment,
    QuestionAssessment,
)
from sidelight.text import one_line
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.labelling.base import Agreement, JudgeKind
    from sidelight.evaluation.labelling.examples import Examples
    from sidelight.llm.prompted import PromptedModel
    from sidelight.schemas.article import Article
    from sidelight.schemas.rubric import Rubric
    from sidelight.schemas.run import SubmittedQuestion, SubmittedReport

VERSION = 1
"""Changes with whatever changes labels and is neither a prompt, nor the mode, nor a model."""

_SCALES = load_track().scales
_NOTHING = "there is nothing to read"


class PromptedJudge:
    """Judges by asking a model; see `Judge`.

    Only labels that were offered count, and only for what was asked about. What a model does not
    label, after one repair, is unjudged. Where a submission holds nothing to read no model is
    asked: such a text earns no credit.

    Args:
        model: Who is asked.
        model_name: The name under which it is served, which becomes part of the version.
        articles: Topic id -> article, of all topics to be judged.
        examples: Labelled submissions to show; None for none.
        mode: How many pairs of questions one call is asked about.
    """

    name: ClassVar[str] = "prompted"
    kind: ClassVar[JudgeKind] = "prompted"

    def __init__(
        self,
        model: PromptedModel,
        model_name: str,
        articles: Mapping[str, Article],
        examples: Examples | None = None,
        mode: Mode = Mode.PAIRWISE,
    ) -> None:
        prompts = (COMPOUND_PROMPT, PROMPTS[mode], REPORT_ANSWERS)
        self.instrument = Instrument(
            models=(model_name,),
            mode=mode,
            prompts={prompt.id: prompt.fingerprint for prompt in prompts},
        )
        self.version = f"{VERSION} ({self.instrument.summary})"
        self.example_run_tags = examples.run_tags if examples else frozenset()
        self.agreement: dict[str, Agreement] = {}
        self._assessor = Assessor(model)
        self._compare = COMPARE[mode]
        self._material = cache(
            lambda rubric: topic_material(articles[rubric.topic_id], rubric, examples)
        )

    async def assess_compound(
        self, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[CompoundAssessment]:
        """Return one verdict for each question, in order."""

        async def assessed(question: SubmittedQuestion) -> CompoundAssessment:
            verdict = Verdict(_SCALES["compound"].lowest, _NOTHING)
            if one_line(question.text):
                verdict = await label_compound(self._assessor, question.text)
            return CompoundAssessment(
                topic_id=question.topic_id,
                run_tag=run_tag,
                run_question_rank=question.rank,
                run_question_text=question.text,
                **verdict._asdict(),
            )

        return await asyncio.gather(*map(assessed, questions))

    async def assess_questions(
        self, rubric: Rubric, run_tag: str, questions: Sequence[SubmittedQuestion]
    ) -> list[QuestionAssessment]:
        """Return one label for each pair, by rubric question, then submitted question."""
        texts = [one_line(question.text) for question in questions]
        readable = [text for text in texts if text]
        rows: list[list[Verdict]] = [[] for _ in rubric.questions]
        if readable:
            rows = await self._compare(self._assessor, self._material(rubric), readable)
        nothing = Verdict(_SCALES["similarity"].lowest, _NOTHING)
        assessments = []
        for target, row in zip(rubric.questions, rows, strict=True):
            given = iter(row)
            for question, text in zip(questions, texts, strict=True):
                verdict = next(given) if text else nothing
                assessments.append(
                    QuestionAssessment(
                        topic_id=rubric.topic_id,
                        rubric_question_rank=target.rank,
                        run_tag=run_tag,
                        run_question_rank=question.rank,
                        **verdict._asdict(),
                    )
                )
        return assessments

    async def assess_report(
        self, rubric: Rubric, run_tag: str, report: SubmittedReport
    ) -> list[AnswerAssessment]:
        """Return one label for each answer of the rubric, in its order."""
        answers = [answer for question in rubric.questions for answer in question.answers]
        verdicts = [Verdict(_SCALES["answers"].lowest, _NOTHING)] * len(answers)
        if one_line(report.text):
            verdicts = await label_answers(self._assessor, self._material(rubric), report.text)
        return [
            AnswerAssessment(
                topic_id=rubric.topic_id,
                run_tag=run_tag,
                answer_id=answer.answer_id,
                **verdict._asdict(),
            )
            for answer, verdict in zip(answers, verdicts, strict=True)
        ]
