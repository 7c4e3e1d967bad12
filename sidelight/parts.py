"""Built-in parts by kind and name, and the module of each."""

from __future__ import annotations

from typing import NamedTuple

ROLE = "role."
"""Begins the kinds that perform a role."""


class Kind(NamedTuple):
    """A kind of part.

    `own` are the parts that come with sidelight: name -> `module:Class`. `protocol` is the
    `module:Protocol` that the classes keep, as plug-ins import it; empty where a part is no class.
    """

    own: dict[str, str]
    protocol: str = ""


def _kind(protocol: str, **own: str) -> Kind:
    """Return a kind whose parts keep a protocol; `_` in a keyword stands for `-` in a name."""
    found = {name.replace("_", "-"): f"sidelight.{place}" for name, place in own.items()}
    return Kind(found, f"sidelight.plugins:{protocol}")


KINDS: dict[str, Kind] = {
    "retriever": _kind(
        "Retriever",
        bm25="retrieval.first_stage:Bm25Retriever",
        bm25_robertson="retrieval.first_stage:RobertsonBm25Retriever",
        rm3="retrieval.first_stage:Rm3Retriever",
        rocchio="retrieval.first_stage:RocchioRetriever",
        dense="retrieval.first_stage:DenseRetriever",
        hybrid="retrieval.first_stage:HybridRetriever",
        splade="retrieval.first_stage:SpladeRetriever",
        splade_dense="retrieval.first_stage:SpladeDenseRetriever",
    ),
    "role.profile_article": _kind(
        "roles.ProfileArticle",
        extractive="generation.extractive.profile:ExtractiveProfiler",
        prompted="generation.prompted.profile_article:PromptedProfiler",
    ),
    "role.draft_rubric": _kind(
        "roles.DraftRubric",
        extractive="generation.extractive.plan:ExtractiveRubricDrafter",
        prompted="generation.prompted.plan_queries:PromptedRubricDrafter",
    ),
    "role.plan_queries": _kind(
        "roles.PlanQueries",
        extractive="generation.extractive.plan:ExtractivePlanner",
        prompted="generation.prompted.plan_queries:PromptedPlanner",
    ),
    "role.select_evidence": _kind(
        "roles.SelectEvidence",
        extractive="generation.extractive.select:ExtractiveSelector",
        prompted="generation.prompted.select_evidence:PromptedReader",
    ),
    "role.assess_coverage": _kind(
        "roles.AssessCoverage",
        extractive="generation.extractive.performers:ExtractiveAssessor",
        prompted="generation.prompted.select_evidence:ReadAssessor",
    ),
    "role.write_questions": _kind(
        "roles.WriteQuestions",
        extractive="generation.extractive.write_questions:ExtractiveQuestionWriter",
        prompted="generation.prompted.write_questions:PromptedQuestionWriter",
        organizers_2024="generation.prompted.write_questions:OrganizersQuestionWriter",
        organizers_2024_example="generation.prompted.write_questions:ExampleQuestionWriter",
    ),
    "role.write_report": _kind(
        "roles.WriteReport",
        extractive="generation.extractive.write_report:ExtractiveReportWriter",
        prompted="generation.prompted.write_report:PromptedReportWriter",
        prompted_answer="generation.narratives:PromptedAnswerWriter",
    ),
    "role.check_report": _kind(
        "roles.CheckReport",
        extractive="generation.support_checker:SupportChecker",
        prompted="generation.prompted.check_report:PromptedChecker",
    ),
    "role.revise_report": _kind(
        "roles.ReviseReport",
        extractive="generation.extractive.performers:ExtractiveReviser",
        prompted="generation.prompted.write_report:PromptedReviser",
    ),
    "expander": _kind(
        "roles.ExpandQuestion",
        as_asked="generation.extractive.expand_question:QuestionAsAsked",
        extractive="generation.extractive.expand_question:ExtractiveExpander",
        prompted="generation.prompted.documents:PromptedExpander",
    ),
    "rater": _kind(
        "roles.RateDocuments",
        extractive="generation.extractive.performers:ExtractiveRater",
        prompted="generation.prompted.documents:PromptedRater",
    ),
    "judge": _kind(
        "Judge",
        embedded="evaluation.labelling.judges:EmbeddedJudge",
        prompted="evaluation.labelling.judges:PromptedJudge",
    ),
    "measure": Kind(
        {
            name: f"sidelight.evaluation.metrics.{place}"
            for name, place in {
                "question_coverage": "rubric:QuestionCoverage",
                "question_coverage_unfiltered": "rubric:UnfilteredCoverage",
                "credit_lost": "rubric:CreditLost",
                "unjudged_pairs": "base:UnjudgedPairs",
                "report_support": "rubric:ReportSupport",
                "support_per_word": "rubric:SupportPerWord",
                "report_contradiction": "rubric:ReportContradiction",
                "unjudged_answers": "base:UnjudgedAnswers",
                "unjudged_nuggets": "base:UnjudgedNuggets",
                "support_precision": "citations:SupportPrecision",
                "support_recall": "citations:SupportRecall",
                "nothing_cited": "citations:NothingCited",
                "unjudged_sentences": "base:UnjudgedSentences",
                "words": "citations:Words",
                "citations": "citations:CitationCount",
                "sources": "citations:Sources",
                "stage_credit": "rubric:StageCredit",
                "question_dcg": "rubric:QuestionDcg",
                "question_ndcg": "rubric:QuestionNdcg",
                "question_average": "rubric:QuestionAverage",
                "redundant_questions": "rubric:RedundantQuestions",
                "unjudged_questions": "base:UnjudgedQuestions",
                "nugget_recall": "citations:NuggetRecall",
                "sub_narrative_coverage": "citations:SubNarrativeCoverage",
                "signed_nugget_score": "citations:SignedNuggetScore",
            }.items()
        },
        "sidelight.plugins:Computation",
    ),
    "engine": _kind(
        "Engine",
        local="index.engine:LocalEngine",
        ray="index.engine:RayEngine",
    ),
    "graph": Kind(
        {
            "investigation": "sidelight.wiring.run:open_investigation",
            "answer": "sidelight.wiring.run:open_answer",
            "questions_and_documents": "sidelight.wiring.run:open_questions_and_documents",
        }
    ),
    "format": Kind(
        {
            "questions_tsv": "sidelight.formats.runs.question_list:QUESTIONS",
            "tagged_questions_tsv": "sidelight.formats.runs.question_list:TAGGED_QUESTIONS",
            "question_trec_run": "sidelight.formats.runs.trec_run:BY_QUESTION",
            "linked_reports_jsonl": "sidelight.formats.runs.linked_reports:LINKED_REPORTS",
            "reports_jsonl": "sidelight.formats.runs.cited_sentences:REPORTS",
            "rag_flat_answers_jsonl": "sidelight.formats.runs.rag:FLAT_ANSWERS",
            "rag_described_answers_jsonl": "sidelight.formats.runs.rag:DESCRIBED_ANSWERS",
            "rag_answers_jsonl": "sidelight.formats.runs.rag:ANSWERS",
            "trec_run": "sidelight.formats.runs.trec_run:BY_TOPIC",
        }
    ),
    "topics": Kind(
        {
            "articles_jsonl": "sidelight.formats.topics:ARTICLES",
            "narratives_jsonl": "sidelight.formats.topics:NARRATIVES",
            "narratives_tsv": "sidelight.formats.topics:NARRATIVES_TSV",
        }
    ),
    "command": Kind(
        {
            "agree-people": "sidelight_research.reproduce:agree_people",
            "reproduce": "sidelight_research.reproduce:reproduce",
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
