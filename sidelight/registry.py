"""Names a configuration may use, and where each one lives.

A component is imported only when it is chosen, so a missing extra is reported by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sidelight.errors import INSTALL, MachineError, UsageError

REGISTRY: dict[str, dict[str, str]] = {
    "retriever": {
        "bm25": "sidelight.retrieval.bm25:Bm25Retriever",
        "rm3": "sidelight.retrieval.bm25:Rm3Retriever",
        "rocchio": "sidelight.retrieval.bm25:RocchioRetriever",
        "dense": "sidelight.retrieval.dense:DenseRetriever",
        "hybrid": "sidelight.retrieval.fusion:FusionRetriever",
        "memory": "sidelight.retrieval.memory:MemoryRetriever",
        "trec_run": "sidelight.retrieval.trec_run:TrecRunRetriever",
    },
    "graph": {
        "investigation": "sidelight.build.investigation:open_investigation",
        "answer": "sidelight.build.answer:open_answer",
    },
    "format": {
        "questions_tsv": "sidelight.formats.runs.question_list:FORMAT",
        "reports_jsonl": "sidelight.formats.runs.cited_text:FORMAT",
        "rag_answers_jsonl": "sidelight.formats.runs.rag_answers:FORMAT",
        "trec_run": "sidelight.formats.runs.trec_run:FORMAT",
    },
    "topics": {
        "articles_jsonl": "sidelight.formats.topics.articles:FORMAT",
        "narratives_jsonl": "sidelight.formats.topics.narratives:FORMAT",
    },
    "engine": {
        "local": "sidelight.index.engine:LocalEngine",
        "ray": "sidelight.index.ray_engine:RayEngine",
    },
    "judge": {
        "embedded": "sidelight.evaluation.labelling.embedded:EmbeddedJudge",
        "prompted": "sidelight.evaluation.labelling.prompted:PromptedJudge",
    },
}


def names(kind: str) -> tuple[str, ...]:
    """Return the registered names of one kind of component, in order of registration."""
    return tuple(REGISTRY[kind])


def load(kind: str, name: str) -> Any:
    """Import and return the class registered as `name`.

    Raises:
        UsageError: The name is not registered; the message lists those that are.
        MachineError: A package the component needs is not installed.
    """
    if name not in REGISTRY[kind]:
        raise UsageError(
            f"unknown {kind} {name!r}; expected one of {', '.join(names(kind))}",
        )
    module_name, _, attribute = REGISTRY[kind][name].partition(":")
    try:
        return getattr(import_module(module_name), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sidelight"):
            raise
        raise MachineError(
            f"{kind} {name!r} needs the package {error.name!r}, which is not installed",
            remedy=INSTALL,
        ) from error
