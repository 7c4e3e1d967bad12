"""Made-up data of the shape that the organizers have, laid out as in their public repository."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import orjson

from tests.helpers.labels.toy import GOOD, HAVE, NICE, rubric, write_csv, write_rubrics

QUESTION_EXAMPLES = (
    "dragun-organizers-starter-kit-task-1",
    "organizer-gpt-oss-t1",
    "organizer-t1-chatgpt",
    "organizer-t1-perplex",
)
REPORT_EXAMPLES = ("dragun-organizers-starter-kit-task-2", "organizer-gpt-oss-t2")
N_QUESTION_RUNS, N_REPORT_RUNS = 37, 28

TOPICS = tuple(f"msmarco_v2.1_doc_{number:02}_{number}" for number in range(1, 7))
_RUBRIC = ((HAVE, 2), (GOOD, 1), (NICE, 2))
_WEIGHTS = (4, 2, 1)
_PAIR_LABELS = ("very-different", "different", "similar", "very-similar")
_ANSWER_LABELS = ("none", "none", "partial", "supports")
_CREDIT = {"very-similar": 1.0, "similar": 0.5, "supports": 1.0, "partial": 0.5}

Scores = dict[str, dict[str, float]]


class OfficialData(NamedTuple):
    """A generated repository, with the mean score of each run on both sides, computed here.

    Attributes:
        folder: The repository.
        questions: By side, `people` or `judge`, then by run.
        reports: The same.
    """

    folder: Path
    questions: Scores
    reports: Scores


def write_official_data(folder: Path) -> OfficialData:
    """Write 37 question runs and 28 report runs, of which AutoJudge did not label 4 and 2."""
    choose = random.Random(5)
    data, judged = folder / "data", folder / "auto_judge" / "output"
    for made in (data / "human_assessments", judged):
        made.mkdir(parents=True)
    write_rubrics(data / "human_rubrics", *(rubric(topic, *_RUBRIC) for topic in TOPICS))
    lines = [
        orjson.dumps({"docid": topic, "url": "u", "title": "T", "headings": "", "body": "Body."})
        for topic in TOPICS
    ]
    (data / "trec-2025-dragun-topics.jsonl").write_bytes(b"\n".join(lines))
    return OfficialData(folder, _questions(choose, data, judged), _reports(choose, data, judged))


def _label(choose: random.Random, quality: float, labels: tuple[str, ...]) -> str:
    return labels[min(3, max(0, round(4 * quality + choose.gauss(-0.5, 1))))]


def _questions(choose: random.Random, data: Path, judged: Path) -> Scores:
    tags = [*QUESTION_EXAMPLES, *(f"q{number:02}" for number in range(N_QUESTION_RUNS - 4))]
    quality = {tag: choose.random() for tag in tags}
    rows: dict[str, list[tuple[object, ...]]] = {"people": [], "judge": []}
    best: dict[str, dict[tuple[str, str, int], float]] = {"people": {}, "judge": {}}
    compound = {
        (topic, tag, rank): choose.random() < 0.1
        for tag in tags
        for topic in TOPICS
        for rank in range(1, 11)
    }
    for (topic, tag, rank), flagged in compound.items():
        for place in range(1, len(_WEIGHTS) + 1):
            # Assessors saw two of ten questions at most; the judge saw all, but not of all runs.
            sides = ["people"] if (rank + place) % 5 == 0 else []
            sides += ["judge"] if tag not in QUESTION_EXAMPLES else []
            for side in sides:
                label = _label(choose, quality[tag] / 2, _PAIR_LABELS)
                rows[side].append((topic, place, tag, rank, label))
                credit = 0.0 if flagged else _CREDIT.get(label, 0.0)
                earlier = best[side].get((tag, topic, place), 0.0)
                best[side][tag, topic, place] = max(credit, earlier)
    keys = "topic_id,rubric_question_rank,run_tag,run_question_rank"
    people = data / "human_assessments" / "question_assessments.csv"
    write_csv(people, f"{keys},annotation", *rows["people"])
    write_csv(
        judged / "auto_question_assessments.csv",
        f"{keys},auto_assessment,auto_rationale",
        *((*row, "why") for row in rows["judge"]),
    )
    write_csv(
        judged / "auto_compound_question_check.csv",
        "topic_id,run_tag,run_question_rank,run_question_text,"
        "auto_compound_question_assessment,auto_assessment_rationale",
        *(
            (*key, "Who?", "compound" if flagged else "not-compound", "why")
            for key, flagged in compound.items()
        ),
    )
    return {
        side: {
            tag: sum(
                weight * earned.get((tag, topic, place), 0.0)
                for topic in TOPICS
                for place, weight in enumerate(_WEIGHTS, 1)
            )
            / (sum(_WEIGHTS) * len(TOPICS))
            for tag in {key[0] for key in earned}
        }
        for side, earned in best.items()
    }


def _reports(choose: random.Random, data: Path, judged: Path) -> Scores:
    tags = [*REPORT_EXAMPLES, *(f"r{number:02}" for number in range(N_REPORT_RUNS - 2))]
    answers = [
        (weight / n_answers, place)
        for weight, (_, n_answers) in zip(_WEIGHTS, _RUBRIC, strict=True)
        for place in range(n_answers)
    ]
    files = {
        "people": (data / "human_assessments" / "report_assessments.csv", "annotation", ()),
        "judge": (judged / "auto_report_assessments.csv", "auto_assessment", REPORT_EXAMPLES),
    }
    quality = {tag: choose.random() for tag in tags}
    scores: Scores = {}
    for side, (path, column, unlabelled) in files.items():
        rows, scores[side] = [], {}
        for tag in tags:
            if tag in unlabelled:
                continue
            earned = 0.0
            for topic in TOPICS:
                for number, (weight, _) in enumerate(answers, 1):
                    label = _label(choose, quality[tag], _ANSWER_LABELS)
                    rows.append((topic, tag, f"na-{number}", label))
                    earned += weight * _CREDIT.get(label, 0.0)
            scores[side][tag] = earned / (sum(_WEIGHTS) * len(TOPICS))
        write_csv(path, f"topic_id,run_tag,answer_id,{column}", *rows)
    return scores
