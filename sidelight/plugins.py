"""Public interface for packages that add parts of their own.

Every other module may move from one version to the next; these names stay. Each is imported when it
is first used. A part is registered by an entry point of the group `sidelight.<kind>`, or named by
its place, `module:Class` (docs/extending.md).

A retriever:

- `Retriever`: the protocol of every retriever.
- `Query`: a search: its id and its words.
- `Hit`: one result: the id of a segment and its score.
- `ranked`: sorts hits as every retriever returns them.
- `Segment`: a window of a page, with its id, address, title and text.
- `Bm25Retriever`: BM25 over a Lucene index, with its parameters; a base class.

A performer of a role:

- `roles`: the protocol of each role, such as `roles.WriteReport`, and the values that performers
  take and return, such as `roles.DraftReport`.
- `Article`: a news article, as a file of topics has it.
- `single_sentences`: the sentences of a segment that can be quoted alone.

A part that asks a model:

- `load_prompt`: reads a prompt file.
- `Value`: the base class of frozen values, such as the types of a model's answers.
- `KeyedSegments`: segments under keys that a model cites, and the way back.
- `Asked`: how often a performer asks a prompt, for estimates.

A judge:

- `Judge`: the base class of every judge.
- `Judgment`: a label and the reason for it.
- `Unjudged`: stands for a label that could not be had, and says why.
- `QUESTION_SIMILARITY`: labels each pair of a rubric's question and a submitted one.
- `COMPOUND_QUESTIONS`: labels submitted questions: whether they ask more than one thing.
- `REPORT_ANSWERS`: labels each answer that a rubric expects: how far a report gives it.
- `SUPPORT`: labels a sentence: how far what it cites supports it.
- `label_by_form`: a labeller of compound questions that needs no model.
- `Assessor`: puts a judge's questions to a model.
- `Instrument`: what a judge that asks a model asks, and whom.

A measure:

- `Measure`: how a measure is called, read and printed.
- `Computation`: the protocol of what computes a measure.
- `TopicRecord`: what a measure may ask for of one run on one topic.

A file format:

- `RunFormat`: how the runs of a task are written, read and checked.
- `TopicFormat`: how a file of topics is read.
- `read_lines`: the lines of a text file with their numbers.
- `atomic_writer`: opens a file that appears only when it is complete.
- `Findings`: collects what is wrong with a file.
- `CitedSentence`: a sentence and the segments that it cites.
- `ReportMetadata`: whose report it is, and on which topic.
- `SubmittedReport`: a cited text on a topic, as a file has it.
- `report_run`: makes a run of the reports of a file.
- `StrictCheck`: makes the check of a format of a function that looks at one run.
- `check_reports`: checks reports by the limits of their task.

A build of an index:

- `Engine`: the protocol of what works on the parts of a build.

Words and errors, for all of them:

- `tokens`: the words and numbers of a text.
- `content_words`: those of them that are no stop words.
- `budget_words`: how many words a text has for the limit of a track.
- `InputError`: raised where a file or its content is at fault.
- `UsageError`: raised where the command line or the configuration is at fault.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sidelight.errors import InputError, UsageError
    from sidelight.evaluation.labelling.asking import Assessor
    from sidelight.evaluation.labelling.judge import Instrument, Judge, Judgment
    from sidelight.evaluation.labelling.rubric_cases import (
        COMPOUND_QUESTIONS,
        QUESTION_SIMILARITY,
        REPORT_ANSWERS,
        label_by_form,
    )
    from sidelight.evaluation.labelling.support import SUPPORT
    from sidelight.evaluation.metrics.base import Computation, TopicRecord
    from sidelight.files import atomic_writer
    from sidelight.formats.lines import Findings, read_lines
    from sidelight.formats.runs.cited_sentences import check_reports
    from sidelight.formats.runs.submission import RunFormat, StrictCheck, report_run
    from sidelight.formats.topics import TopicFormat
    from sidelight.generation import roles
    from sidelight.generation.extractive.select import single_sentences
    from sidelight.generation.prompted.findings import KeyedSegments
    from sidelight.index.engine import Engine
    from sidelight.llm.prompted import Asked
    from sidelight.prompting import load_prompt
    from sidelight.retrieval.base import Retriever
    from sidelight.retrieval.first_stage import Bm25Retriever
    from sidelight.schemas.base import Value
    from sidelight.schemas.grading.judgment import Measure, Unjudged
    from sidelight.schemas.investigation.evidence import Hit, Query, ranked
    from sidelight.schemas.run import CitedSentence, ReportMetadata, SubmittedReport
    from sidelight.schemas.segment import Segment
    from sidelight.schemas.topic import Article
    from sidelight.text import budget_words, content_words, tokens

_PLACES = {
    "Retriever": "sidelight.retrieval.base:Retriever",
    "Query": "sidelight.schemas.investigation.evidence:Query",
    "Hit": "sidelight.schemas.investigation.evidence:Hit",
    "ranked": "sidelight.schemas.investigation.evidence:ranked",
    "Segment": "sidelight.schemas.segment:Segment",
    "Bm25Retriever": "sidelight.retrieval.first_stage:Bm25Retriever",
    "roles": "sidelight.generation.roles",
    "Article": "sidelight.schemas.topic:Article",
    "single_sentences": "sidelight.generation.extractive.select:single_sentences",
    "load_prompt": "sidelight.prompting:load_prompt",
    "Value": "sidelight.schemas.base:Value",
    "KeyedSegments": "sidelight.generation.prompted.findings:KeyedSegments",
    "Asked": "sidelight.llm.prompted:Asked",
    "Judge": "sidelight.evaluation.labelling.judge:Judge",
    "Judgment": "sidelight.evaluation.labelling.judge:Judgment",
    "Unjudged": "sidelight.schemas.grading.judgment:Unjudged",
    "QUESTION_SIMILARITY": ("sidelight.evaluation.labelling.rubric_cases:QUESTION_SIMILARITY"),
    "COMPOUND_QUESTIONS": "sidelight.evaluation.labelling.rubric_cases:COMPOUND_QUESTIONS",
    "REPORT_ANSWERS": "sidelight.evaluation.labelling.rubric_cases:REPORT_ANSWERS",
    "SUPPORT": "sidelight.evaluation.labelling.support:SUPPORT",
    "label_by_form": "sidelight.evaluation.labelling.rubric_cases:label_by_form",
    "Assessor": "sidelight.evaluation.labelling.asking:Assessor",
    "Instrument": "sidelight.evaluation.labelling.judge:Instrument",
    "Measure": "sidelight.schemas.grading.judgment:Measure",
    "Computation": "sidelight.evaluation.metrics.base:Computation",
    "TopicRecord": "sidelight.evaluation.metrics.base:TopicRecord",
    "RunFormat": "sidelight.formats.runs.submission:RunFormat",
    "TopicFormat": "sidelight.formats.topics:TopicFormat",
    "read_lines": "sidelight.formats.lines:read_lines",
    "atomic_writer": "sidelight.files:atomic_writer",
    "Findings": "sidelight.formats.lines:Findings",
    "CitedSentence": "sidelight.schemas.run:CitedSentence",
    "ReportMetadata": "sidelight.schemas.run:ReportMetadata",
    "SubmittedReport": "sidelight.schemas.run:SubmittedReport",
    "report_run": "sidelight.formats.runs.submission:report_run",
    "StrictCheck": "sidelight.formats.runs.submission:StrictCheck",
    "check_reports": "sidelight.formats.runs.cited_sentences:check_reports",
    "Engine": "sidelight.index.engine:Engine",
    "tokens": "sidelight.text:tokens",
    "content_words": "sidelight.text:content_words",
    "budget_words": "sidelight.text:budget_words",
    "InputError": "sidelight.errors:InputError",
    "UsageError": "sidelight.errors:UsageError",
}

__all__ = [
    "COMPOUND_QUESTIONS",
    "QUESTION_SIMILARITY",
    "REPORT_ANSWERS",
    "SUPPORT",
    "Article",
    "Asked",
    "Assessor",
    "Bm25Retriever",
    "CitedSentence",
    "Computation",
    "Engine",
    "Findings",
    "Hit",
    "InputError",
    "Instrument",
    "Judge",
    "Judgment",
    "KeyedSegments",
    "Measure",
    "Query",
    "ReportMetadata",
    "Retriever",
    "RunFormat",
    "Segment",
    "StrictCheck",
    "SubmittedReport",
    "TopicFormat",
    "TopicRecord",
    "Unjudged",
    "UsageError",
    "Value",
    "atomic_writer",
    "budget_words",
    "check_reports",
    "content_words",
    "label_by_form",
    "load_prompt",
    "ranked",
    "read_lines",
    "report_run",
    "roles",
    "single_sentences",
    "tokens",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # a checker knows the names above, and must not believe in any other

    def __getattr__(name: str) -> Any:
        if name not in _PLACES:
            raise AttributeError(f"module 'sidelight.plugins' has no attribute {name!r}")
        return resolve_name(_PLACES[name])
