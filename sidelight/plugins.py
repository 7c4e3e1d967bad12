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
    from sidelight.errors import InputError as InputError
    from sidelight.errors import UsageError as UsageError
    from sidelight.evaluation.labelling.asking import Assessor as Assessor
    from sidelight.evaluation.labelling.judge import Instrument as Instrument
    from sidelight.evaluation.labelling.judge import Judge as Judge
    from sidelight.evaluation.labelling.judge import Judgment as Judgment
    from sidelight.evaluation.labelling.rubric_cases import COMPOUND_QUESTIONS as COMPOUND_QUESTIONS
    from sidelight.evaluation.labelling.rubric_cases import (
        QUESTION_SIMILARITY as QUESTION_SIMILARITY,
    )
    from sidelight.evaluation.labelling.rubric_cases import REPORT_ANSWERS as REPORT_ANSWERS
    from sidelight.evaluation.labelling.rubric_cases import label_by_form as label_by_form
    from sidelight.evaluation.labelling.support import SUPPORT as SUPPORT
    from sidelight.evaluation.metrics.base import Computation as Computation
    from sidelight.evaluation.metrics.base import TopicRecord as TopicRecord
    from sidelight.files import atomic_writer as atomic_writer
    from sidelight.formats.lines import Findings as Findings
    from sidelight.formats.lines import read_lines as read_lines
    from sidelight.formats.runs.cited_sentences import check_reports as check_reports
    from sidelight.formats.runs.submission import RunFormat as RunFormat
    from sidelight.formats.runs.submission import StrictCheck as StrictCheck
    from sidelight.formats.runs.submission import report_run as report_run
    from sidelight.formats.topics import TopicFormat as TopicFormat
    from sidelight.generation import roles as roles
    from sidelight.generation.extractive.select import single_sentences as single_sentences
    from sidelight.generation.prompted.findings import KeyedSegments as KeyedSegments
    from sidelight.index.engine import Engine as Engine
    from sidelight.llm.prompted import Asked as Asked
    from sidelight.prompting import load_prompt as load_prompt
    from sidelight.retrieval.base import Retriever as Retriever
    from sidelight.retrieval.first_stage import Bm25Retriever as Bm25Retriever
    from sidelight.schemas.base import Value as Value
    from sidelight.schemas.grading.judgment import Measure as Measure
    from sidelight.schemas.grading.judgment import Unjudged as Unjudged
    from sidelight.schemas.investigation.evidence import Hit as Hit
    from sidelight.schemas.investigation.evidence import Query as Query
    from sidelight.schemas.investigation.evidence import ranked as ranked
    from sidelight.schemas.run import CitedSentence as CitedSentence
    from sidelight.schemas.run import ReportMetadata as ReportMetadata
    from sidelight.schemas.run import SubmittedReport as SubmittedReport
    from sidelight.schemas.segment import Segment as Segment
    from sidelight.schemas.topic import Article as Article
    from sidelight.text import budget_words as budget_words
    from sidelight.text import content_words as content_words
    from sidelight.text import tokens as tokens

_PLACES = {
    name: f"sidelight.{module}.{name}"  # of which one is a module
    for module, names in {
        "errors": "InputError UsageError",
        "evaluation.labelling.asking": "Assessor",
        "evaluation.labelling.judge": "Instrument Judge Judgment",
        "evaluation.labelling.rubric_cases": "COMPOUND_QUESTIONS QUESTION_SIMILARITY "
        "REPORT_ANSWERS label_by_form",
        "evaluation.labelling.support": "SUPPORT",
        "evaluation.metrics.base": "Computation TopicRecord",
        "files": "atomic_writer",
        "formats.lines": "Findings read_lines",
        "formats.runs.cited_sentences": "check_reports",
        "formats.runs.submission": "RunFormat StrictCheck report_run",
        "formats.topics": "TopicFormat",
        "generation": "roles",
        "generation.extractive.select": "single_sentences",
        "generation.prompted.findings": "KeyedSegments",
        "index.engine": "Engine",
        "llm.prompted": "Asked",
        "prompting": "load_prompt",
        "retrieval.base": "Retriever",
        "retrieval.first_stage": "Bm25Retriever",
        "schemas.base": "Value",
        "schemas.grading.judgment": "Measure Unjudged",
        "schemas.investigation.evidence": "Hit Query ranked",
        "schemas.run": "CitedSentence ReportMetadata SubmittedReport",
        "schemas.segment": "Segment",
        "schemas.topic": "Article",
        "text": "budget_words content_words tokens",
    }.items()
    for name in names.split()
}

if not TYPE_CHECKING:  # a checker knows the names above, and must not believe in any other
    __all__ = list(_PLACES)

    def __dir__() -> list[str]:
        return __all__

    def __getattr__(name: str) -> Any:
        if name not in _PLACES:
            raise AttributeError(f"module 'sidelight.plugins' has no attribute {name!r}")
        return resolve_name(_PLACES[name])
