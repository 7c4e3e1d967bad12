"""What an arm's run came to on every topic."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from sidelight.ablation.judging import SCORES
from sidelight.ablation.runs import ARMS
from sidelight.build.judges import JudgeInputs, make_judge
from sidelight.evaluation.labelling.support.sentences import assess_support
from sidelight.evaluation.scoring.files import read_topic_scores
from sidelight.evaluation.scoring.funnel import Stage
from sidelight.evaluation.scoring.score import TopicScore
from sidelight.evaluation.scoring.support import score_support
from sidelight.files import sha256_file
from sidelight.formats.runs.run_format import run_format
from sidelight.formats.table import read_table
from sidelight.llm.prompted import CallRecord
from sidelight.runs.directory import RunDirectory
from sidelight.runs.log import usage_by_prompt
from sidelight.schemas.article import host_of
from sidelight.text import budget_words
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from sidelight.ablation.grid import Arm
    from sidelight.runs.directory import TopicResult
    from sidelight.schemas.run import CitedSentence
    from sidelight.schemas.task import CitedTextTask


class ArmCost(NamedTuple):
    """What an arm's run asked of models over all its attempts, and whether it is valid.

    Attributes:
        calls: Calls made, replayed ones not counted.
        prompt_tokens: Read by them.
        completion_tokens: Written by them.
        errors: What the strict check finds wrong with the files.
        failed: Topics that could not be finished.
        files: Hashes of the files; arms of the same made the same.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    errors: int
    failed: int
    files: str

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


def measure_arm(arm: Arm, folder: Path, *, judged: bool) -> list[TopicScore]:
    """Return an arm's measures on every topic of its run, under the arm's name.

    Where the run was judged, `question_score`, `supportive_score` and `contradictory_score`, and
    the credit of the funnel's stages `retrieved`, `selected` and `written`; then
    `support_precision` and `support_recall` of sentences by all they cite, told by words, and of
    the report its `words`, `citations` and `sources`: the hosts it cites.
    """
    run = RunDirectory(folder / ARMS / arm.folder_name)
    manifest = run.read_manifest()
    topic_ids, task = manifest.topics, load_track(manifest.track).cited_text
    support = _support(run, task, topic_ids)
    scores = _judged(run) if judged else {}
    return [
        TopicScore(
            arm.name,
            topic_id,
            {
                **scores.get(topic_id, {}),
                **support[topic_id],
                **_counts(result := run.result(topic_id), result.result(task)),
            },
        )
        for topic_id in topic_ids
    ]


def cost_of(arm: Arm, folder: Path) -> ArmCost:
    """Return what an arm cost."""
    run = RunDirectory(folder / ARMS / arm.folder_name)
    manifest = run.read_manifest()
    calls = [
        CallRecord.model_validate_json(line)
        for path in sorted(run.calls.glob("*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]
    usage = usage_by_prompt(calls).values()
    track, topic_ids = load_track(manifest.track), manifest.topics
    problems = [
        problem
        for task in track.tasks
        for problem in run_format(task).check(run.file(task), task, topic_ids, None)
    ]
    return ArmCost(
        calls=sum(sums.calls - sums.cached for sums in usage),
        prompt_tokens=sum(sums.prompt_tokens for sums in usage),
        completion_tokens=sum(sums.completion_tokens for sums in usage),
        errors=sum(problem.severity == "error" for problem in problems),
        failed=len(manifest.failed_topics),
        files=" ".join(sha256_file(run.file(task)) for task in track.tasks),
    )


def _counts(result: TopicResult, report: Sequence[CitedSentence]) -> dict[str, float]:
    host = {segment.segment_id: host_of(segment.url) for segment in result.evidence}
    cited = [name for sentence in report for name in sentence.citations]
    return {
        "words": sum(budget_words(sentence.text) for sentence in report),
        "citations": len(cited),
        "sources": len({host.get(name, name) for name in cited}),
    }


def _support(
    run: RunDirectory, task: CitedTextTask, topic_ids: Collection[str]
) -> dict[str, dict[str, float]]:
    texts = {
        segment.segment_id: segment.text
        for topic_id in topic_ids
        for segment in run.result(topic_id).evidence
    }
    reports = [run_format(task).read(run.file(task))]

    def texts_of(segment_ids: Collection[str]) -> Mapping[str, str]:
        return {name: texts[name] for name in segment_ids if name in texts}

    judge = make_judge("embedded", JudgeInputs(encoder=None))
    verdicts = asyncio.run(assess_support(judge, reports, texts_of))
    return {
        score.topic_id: {
            "support_precision": score.values["weighted_precision_all"],
            "support_recall": score.values["weighted_recall_all"],
        }
        for score in score_support(reports, verdicts, topic_ids).topics
    }


def _judged(run: RunDirectory) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for task, names in (
        ("question", {"question_score": "score"}),
        ("report", {name: name for name in ("supportive_score", "contradictory_score")}),
    ):
        path = run.path / SCORES / f"auto_{task}_generation_per_topic_results.csv"
        for score in read_topic_scores(path):
            found[score.topic_id] |= {ours: score.values[name] for ours, name in names.items()}
    credit: dict[tuple[str, str], list[float]] = defaultdict(list)
    for topic_id, stage, value in _funnel(run.path / SCORES / "funnel.csv"):
        credit[topic_id, stage].append(value)
    for (topic_id, stage), values in credit.items():
        found[topic_id][stage] = fsum(values)
    return found


def _funnel(path: Path) -> Iterator[tuple[str, str, float]]:
    """Yield topic, stage and the weighted credit of each answer."""
    _, rows = read_table(path)
    for row in rows:
        for stage in (Stage.RETRIEVED, Stage.SELECTED, Stage.WRITTEN):
            credit = row.cells[stage]
            yield row.cells["topic_id"], stage, float(row.cells["weight"]) * float(credit or 0)
