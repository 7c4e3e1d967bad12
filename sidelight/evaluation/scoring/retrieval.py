"""Scores of search results against relevance labels.

`ir_measures` computes them: its names are those people write in papers, and it calls trec_eval's
own code. A query that has labels but no results counts as 0 in the mean, as with trec_eval's `-c`,
and so does one without a relevant label, on which measures are undefined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, NamedTuple

import numpy as np

from sidelight.errors import InputError, UsageError
from sidelight.evaluation.scoring.table import RunScore, ScoreTable, TopicScore
from sidelight.formats.labels.qrels import read_qrels
from sidelight.formats.runs.submission import file_tag
from sidelight.formats.runs.trec_run import read_trec_run
from sidelight.schemas.grading.judgment import Measure
from sidelight.schemas.segment import document_id_of
from sidelight.text import counted

_NAME = re.compile(r"(?:[^\s,(]|\([^)]*\)?)+")  # parameters may hold commas and spaces
# What these count is there, and may be 0, whatever is relevant.
_COUNTS = {"Judged", "NumQ", "NumRel", "NumRet"}


class RetrievalScores(NamedTuple):
    """Scores of one run.

    Attributes:
        run: Name of the file; of its folder, where several files of one name are scored.
        total: Means over the queries that have labels.
        topics: The scores of each of these queries, sorted by its id.
        omitted: Queries with labels but no results, which count as 0.
        results: Query id -> segment id -> score, as they were scored.
        strange: An id of the hits and one of the labels, in words, if they have none in common.
    """

    run: str
    total: RunScore
    topics: tuple[TopicScore, ...]
    omitted: tuple[str, ...]
    results: Mapping[str, Mapping[str, float]]
    strange: str = ""

    @property
    def warnings(self) -> list[str]:
        """What to warn about: queries without results, and ids that no label has."""
        told = f"{counted(len(self.omitted), 'query')} (counted as 0): {', '.join(self.omitted)}"
        omitted = [f"{self.run}: no results for {told}"] if self.omitted else []
        return [*omitted, *([f"{self.run}: {self.strange}"] if self.strange else [])]


def parse_measures(names: str) -> list[Any]:
    """Return the measures in a text such as `nDCG@10 R@100 AP(rel=2)`."""
    import ir_measures

    pipeline: Any = ir_measures.DefaultPipeline
    measures = []
    for name in _NAME.findall(names):
        try:
            measure: Any = ir_measures.parse_measure(name)
            measure.validate_params()
        except AssertionError as error:
            raise _unknown(name, "a parameter is missing or out of range") from error
        except (NameError, ValueError) as error:
            raise _unknown(name, str(error)) from error
        # A cutoff of 0 makes trec_eval's code end the whole process.
        if measure.params.get("cutoff", 1) < 1:
            raise _unknown(name, "the cutoff must be at least 1")
        if not pipeline.supports(measure):
            raise _unknown(name, _why_not(measure, pipeline.providers))
        measures.append(measure)
    if not measures:
        raise UsageError("--measures: expected at least one, e.g. nDCG@10")
    return measures


def _why_not(measure: Any, providers: Iterable[Any]) -> str:
    """Return why no package of some computes a measure."""
    know = [one for one in providers if any(m.NAME == measure.NAME for m in one.SUPPORTED_MEASURES)]
    lacking = [one.install_instructions() for one in know if not one.is_available()]
    if lacking:
        return f"the package that computes it is not installed: {'; '.join(lacking)}"
    named = ", ".join(one.NAME for one in know) or "no installed package"
    return f"{named} computes it with other parameters, such as {measure.NAME}@10"


def score_retrieval(
    qrels_file: Path, run_files: Sequence[Path], names: str
) -> list[RetrievalScores]:
    """Score run files, each once, in the order given."""
    return score_runs(read_qrels(qrels_file), {one: read_trec_run(one) for one in run_files}, names)


def score_runs(
    qrels: Mapping[str, Mapping[str, int]],
    runs: Mapping[Any, Mapping[str, Iterable[tuple[str, float]]]],
    names: str,
) -> list[RetrievalScores]:
    """Score runs, in the order given.

    `qrels` are query id -> segment id -> grade. `runs` have, by file or name, the hits of each
    query: segment ids and scores. `names` are those of the measures. InputError is raised if no
    labelled id is among the hits of any run.
    """
    measures = parse_measures(names)
    undefined = {
        query: frozenset(str(one) for one in measures if is_undefined(one, grades))
        for query, grades in qrels.items()
    }
    scores = []
    count = Counter(file_tag(run) for run in runs if isinstance(run, Path))
    for run, hits_of in runs.items():
        results = {query: untied(hits) for query, hits in hits_of.items()}
        tag = str(run)
        if isinstance(run, Path):
            tag = file_tag(run)
            tag = tag if count[tag] == 1 else run.absolute().parent.name
        if not qrels.keys() & results.keys():
            raise InputError(
                f"{run}: expected results for the queries of the labels; found none of them",
                remedy="Check that both name the queries alike.",
            )
        mean, per_query = score_results(qrels, results, measures)
        topics = tuple(
            TopicScore(tag, query, {one: values[one] for one in mean}, undefined[query])
            for query, values in per_query.items()
        )
        total = RunScore(tag, mean, undefined=frozenset.intersection(*undefined.values()))
        omitted = tuple(sorted(qrels.keys() - results.keys()))
        strange = _strange(qrels, results)
        scores.append(RetrievalScores(tag, total, topics, omitted, results, strange))
    all_strange = scores and all(one.strange for one in scores)
    if all_strange and _holds_segments(qrels) != _holds_segments(scores[0].results):
        raise InputError(f"{scores[0].run}: {scores[0].strange}", remedy=_SAME_IDS)
    return scores


_SAME_IDS = (
    "Where the labels are of documents and the hits segments, rank documents: sidelight search "
    "--queries Q --documents -o RUN, then score retrieval."
)


def _holds_segments(ids: Mapping[str, Iterable[str]]) -> bool:
    """Tell whether ids, by query, are of segments rather than of documents."""
    return any(document_id_of(one) != one for some in ids.values() for one in some)


def _strange(
    qrels: Mapping[str, Mapping[str, int]], results: Mapping[str, Mapping[str, float]]
) -> str:
    """Say that no labelled id is among the hits, naming one of each; nothing if some id is."""
    labelled, found = (set().union(*one.values()) for one in (qrels, results))
    if not labelled or not found or labelled & found:
        return ""
    return f"expected hits with labels, such as {min(labelled)}; found none, but {min(found)}"


def score_results(
    qrels: Mapping[str, Mapping[str, int]],
    results: Mapping[str, Mapping[str, float]],
    measures: Sequence[Any],
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Score one run.

    `qrels` are query id -> segment id -> grade, `results` query id -> segment id -> score. No two
    scores of a query may be equal, because packages break ties differently. Returns measure name ->
    mean over the queries that have labels; and query id -> measure name -> value, sorted by query
    id.
    """
    import ir_measures

    # trec_eval's code writes outside its memory for a query whose grades are all below 0. None of
    # its segments is relevant, so 0 for all of them gives every measure the same value.
    judged = {
        query: grades if max(grades.values(), default=0) >= 0 else dict.fromkeys(grades, 0)
        for query, grades in qrels.items()
    }
    try:
        outcome: Any = ir_measures.calc(measures, judged, results)
    except CalledProcessError as error:
        raise UsageError(
            f"--measures: {' '.join(map(str, measures))} cannot be computed: gdeval, which is for "
            "ERR and nDCG(dcg='exp-log2'), does not take these files",
            remedy="It wants whole numbers for the ids of queries; choose other measures, e.g. "
            "nDCG@10.",
        ) from error
    per_query: dict[str, dict[str, float]] = {query: {} for query in sorted(qrels)}
    for query, measure, value in outcome.per_query:
        per_query[query][str(measure)] = value
    return {str(measure): outcome.aggregated[measure] for measure in measures}, per_query


def is_undefined(measure: Any, grades: Mapping[str, int]) -> bool:
    """Tell whether the labels of a query, by segment id, have nothing that a measure could find."""
    lowest, gains = measure.params.get("rel", 1), measure.params.get("gains") or {}
    return measure.NAME not in _COUNTS and all(
        gains.get(grade, grade) < lowest for grade in grades.values()
    )


def untied(hits: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the ranks of trec_eval as scores: packages behind measures break ties differently.

    It keeps scores in single precision, and of equal ones the segment whose id sorts last is first.
    """
    ordered = sorted(hits, key=lambda hit: (np.float32(hit[1]), hit[0]))
    return {segment_id: float(place) for place, (segment_id, _) in enumerate(ordered)}


def retrieval_table(scores: Sequence[RetrievalScores]) -> ScoreTable:
    """Return the scores of one call of `score_runs` as one table; no two runs may have one name."""
    for name, count in Counter(item.run for item in scores).items():
        if count > 1:
            wanted = "expected run files that their names or folders tell apart"
            raise UsageError(f"{wanted}; found {count} called {name}", remedy="Rename them.")
    topics = (topic for item in scores for topic in item.topics)
    return ScoreTable(
        measures=tuple(Measure(name=name, title=name) for name in scores[0].total.values),
        topics=tuple(sorted(topics, key=lambda score: (score.topic_id, score.run_tag))),
        runs=tuple(item.total for item in scores),
    )


def _unknown(name: str, reason: str) -> UsageError:
    return UsageError(
        f"--measures: {name!r} cannot be computed: {reason}",
        remedy="Use names of ir_measures, e.g. nDCG@10, RR@10, AP(rel=2), R@100.",
    )
