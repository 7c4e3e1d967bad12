"""The parts that come with sidelight, by kind and name, and where each one lives."""

from __future__ import annotations

from typing import NamedTuple

ROLE = "role."
"""Begins the kinds that perform a role."""


class Kind(NamedTuple):
    """A kind of part.

    Attributes:
        own: The parts that come with sidelight: name -> `module:Class`.
        protocol: `module:Protocol` that the classes keep, as plug-ins import it; empty where a part
            is no class.
    """

    own: dict[str, str]
    protocol: str = ""


def _role(protocol: str, **own: str) -> Kind:
    """Return the performers of a role; `_` in a keyword stands for `-` in a name."""
    found = {name.replace("_", "-"): f"sidelight.generation.{place}" for name, place in own.items()}
    return Kind(found, f"sidelight.plugins:roles.{protocol}")


KINDS: dict[str, Kind] = {
    "retriever": Kind(
        {
            "bm25": "sidelight.retrieval.bm25:Bm25Retriever",
            "bm25-robertson": "sidelight.retrieval.bm25:RobertsonBm25Retriever",
            "rm3": "sidelight.retrieval.bm25:Rm3Retriever",
            "rocchio": "sidelight.retrieval.bm25:RocchioRetriever",
            "dense": "sidelight.retrieval.dense:DenseRetriever",
            "hybrid": "sidelight.retrieval.hybrid:HybridRetriever",
        },
        "sidelight.plugins:Retriever",
    ),
    "role.profile_article": _role(
        "ProfileArticle",
        extractive="extractive.profile:ExtractiveProfiler",
        prompted="prompted.profile_article.profile:PromptedProfiler",
    ),
    "role.draft_rubric": _role(
        "DraftRubric",
        extractive="extractive.rubric:ExtractiveRubricDrafter",
        prompted="prompted.draft_rubric.rubric:PromptedRubricDrafter",
    ),
    "role.plan_queries": _role(
        "PlanQueries",
        extractive="extractive.plan:ExtractivePlanner",
        prompted="prompted.plan_queries.plan:PromptedPlanner",
    ),
    "role.select_evidence": _role(
        "SelectEvidence",
        extractive="extractive.select:ExtractiveSelector",
        prompted="prompted.select_evidence.read:PromptedReader",
    ),
    "role.assess_coverage": _role(
        "AssessCoverage",
        extractive="extractive.coverage:ExtractiveAssessor",
        prompted="prompted.assess_coverage.coverage:ReadAssessor",
    ),
    "role.write_questions": _role(
        "WriteQuestions",
        extractive="extractive.write_questions.questions:ExtractiveQuestionWriter",
        prompted="prompted.write_questions.questions:PromptedQuestionWriter",
        organizers_2024="prompted.write_questions.questions_2024:OrganizersQuestionWriter",
        organizers_2024_example="prompted.write_questions.questions_2024:ExampleQuestionWriter",
    ),
    "role.write_report": _role(
        "WriteReport",
        extractive="extractive.write_report.report:ExtractiveReportWriter",
        prompted="prompted.write_report.report:PromptedReportWriter",
        prompted_answer="narratives.answer:PromptedAnswerWriter",
    ),
    "role.check_report": _role(
        "CheckReport",
        extractive="extractive.check:ExtractiveChecker",
        prompted="prompted.check_report.check:PromptedChecker",
    ),
    "role.revise_report": _role(
        "ReviseReport",
        extractive="extractive.revise:ExtractiveReviser",
        prompted="prompted.revise_report.revise:PromptedReviser",
    ),
    "expander": Kind(
        {
            "as-asked": "sidelight.generation.extractive.expand_question:QuestionAsAsked",
            "extractive": "sidelight.generation.extractive.expand_question:ExtractiveExpander",
            "prompted": "sidelight.generation.prompted.expand_question.expand:PromptedExpander",
        },
        "sidelight.plugins:roles.ExpandQuestion",
    ),
    "rater": Kind(
        {
            "extractive": "sidelight.generation.extractive.rate_documents:ExtractiveRater",
            "prompted": "sidelight.generation.prompted.rate_documents.rate:PromptedRater",
        },
        "sidelight.plugins:roles.RateDocuments",
    ),
    "judge": Kind(
        {
            "embedded": "sidelight.evaluation.labelling.embedded:EmbeddedJudge",
            "prompted": "sidelight.evaluation.labelling.prompted:PromptedJudge",
        },
        "sidelight.plugins:Judge",
    ),
    "measure": Kind(
        {
            name: f"sidelight.evaluation.metrics.{place}"
            for name, place in {
                "question_coverage": "question_coverage:QuestionCoverage",
                "question_coverage_unfiltered": "question_coverage:UnfilteredCoverage",
                "credit_lost": "question_coverage:CreditLost",
                "unjudged_pairs": "unjudged:UnjudgedPairs",
                "report_support": "report_support:ReportSupport",
                "support_per_word": "report_support:SupportPerWord",
                "report_contradiction": "report_contradiction:ReportContradiction",
                "unjudged_answers": "unjudged:UnjudgedAnswers",
                "unjudged_nuggets": "unjudged:UnjudgedNuggets",
                "support_precision": "support_precision:SupportPrecision",
                "support_recall": "support_recall:SupportRecall",
                "nothing_cited": "support_precision:NothingCited",
                "unjudged_sentences": "unjudged:UnjudgedSentences",
                "words": "report_size:Words",
                "citations": "report_size:Citations",
                "sources": "report_size:Sources",
                "stage_credit": "stage_credit:StageCredit",
                "question_dcg": "question_quality:QuestionDcg",
                "question_ndcg": "question_quality:QuestionNdcg",
                "question_average": "question_quality:QuestionAverage",
                "redundant_questions": "question_quality:RedundantQuestions",
                "unjudged_questions": "unjudged:UnjudgedQuestions",
                "nugget_recall": "nuggets.recall:NuggetRecall",
                "sub_narrative_coverage": "nuggets.sub_narratives:SubNarrativeCoverage",
                "signed_nugget_score": "nuggets.signed:SignedNuggetScore",
            }.items()
        },
        "sidelight.plugins:Computation",
    ),
    "engine": Kind(
        {
            "local": "sidelight.index.engine:LocalEngine",
            "ray": "sidelight.index.ray_engine:RayEngine",
        },
        "sidelight.plugins:Engine",
    ),
    "graph": Kind(
        {
            "investigation": "sidelight.build.investigation:open_investigation",
            "answer": "sidelight.build.answer:open_answer",
            "questions_and_documents": "sidelight.build.documents:open_questions_and_documents",
        }
    ),
    "format": Kind(
        {
            "questions_tsv": "sidelight.formats.runs.question_list:FORMAT",
            "tagged_questions_tsv": "sidelight.formats.runs.question_list:TAGGED",
            "question_trec_run": "sidelight.formats.runs.by_question.trec_run:FORMAT",
            "linked_reports_jsonl": "sidelight.formats.runs.linked_reports:FORMAT",
            "reports_jsonl": "sidelight.formats.runs.cited_text:FORMAT",
            "rag_flat_answers_jsonl": "sidelight.formats.runs.rag.flat_answers:FORMAT",
            "rag_described_answers_jsonl": "sidelight.formats.runs.rag.described_answers:FORMAT",
            "rag_answers_jsonl": "sidelight.formats.runs.rag.answers:FORMAT",
            "trec_run": "sidelight.formats.runs.trec_run:FORMAT",
        }
    ),
    "topics": Kind(
        {
            "articles_jsonl": "sidelight.formats.topics.articles:FORMAT",
            "narratives_jsonl": "sidelight.formats.topics.narratives:FORMAT",
            "narratives_tsv": "sidelight.formats.topics.narratives:TSV_FORMAT",
        }
    ),
    "track": Kind(  # `package:file`: data
        {
            "dragun2025": "sidelight.tracks:dragun2025.yaml",
            "lateral2024": "sidelight.tracks:lateral2024.yaml",
            "exam": "sidelight.tracks:exam.yaml",
            "rag2024": "sidelight.tracks:rag2024.yaml",
            "rag2025": "sidelight.tracks:rag2025.yaml",
            "rag2026": "sidelight.tracks:rag2026.yaml",
            "dragun2026testbed": "sidelight.tracks:dragun2026testbed.yaml",
        }
    ),
}

ROLES = tuple(kind.removeprefix(ROLE) for kind in KINDS if kind.startswith(ROLE))
"""The steps of an investigation that someone performs, in their order."""
