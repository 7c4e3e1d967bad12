"""What each kind of question of the writer without a model earns, by questions marked by hand.

    python -m sidelight_research.question_weights FOLDER

The folder is laid out like the bundled sample, with a run `run` over its topics and
`question_marks.json`: for each topic and each marked question, which questions of the rubric it is
very similar (`VS`) or similar (`S`) to, by number. The command prints the table of kinds, from
which the weights of `generation/extractive/asked.py` are taken, and what the lists that the writer
makes now earn. One wording of each kind was marked; other wordings earn the same. A question of a
kind that nobody marked for an article earns nothing there.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import orjson

from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.topics import read_articles
from sidelight.generation.extractive import asked
from sidelight.generation.extractive.asked import Question
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.write_questions import ExtractiveQuestionWriter
from sidelight.index.encoding.encoder import Encoder
from sidelight.text_vectors import TextVectors
from sidelight.tracks import load_track
from sidelight_research.usefulness import investigated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidelight.schemas.grading.rubric import Rubric

Marks = dict[str, list[tuple[int, str]]]
_CREDIT = {"VS": 1.0, "S": 0.5}


def _meant(question: str) -> tuple[str, ...]:
    """Return the kind of a question and what it names: the same for all of its wordings."""
    for name, row in vars(asked).items():
        for wording in row.texts if isinstance(row, Question) else ():
            fields = re.findall(r"\\{(\w+)\\}", re.escape(wording))
            pattern = re.sub(r"\\{\w+\\}", "(.+)", re.escape(wording)).replace("'s", "'s?")
            if found := re.fullmatch(pattern, question):
                return (
                    name,
                    *(text for _, text in sorted(zip(fields, found.groups(), strict=True))),
                )
    return ("", question)


def earned(questions: Sequence[str], marks: Marks, rubric: Rubric) -> float:
    """Return the share of a rubric's weight that a list of questions earns, in [0, 1]."""
    best: dict[int, float] = defaultdict(float)
    for question in questions:
        for number, label in marks.get(question, ()):
            best[number] = max(best[number], _CREDIT[label])
    asked = enumerate(rubric.questions, start=1)
    return sum(best[number] * one.weight for number, one in asked) / rubric.total_weight


def main() -> None:
    """Print what kinds of questions earn, and what the present lists earn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    by_topic = orjson.loads((folder / "question_marks.json").read_bytes())
    rubrics = read_rubrics(folder / "human_rubrics", load_track().scales)
    earns: dict[str, list[float]] = defaultdict(list)
    lists: list[float] = []
    encode = Encoder().encode_sentences
    for article in read_articles(folder / "topics.jsonl"):
        marks, rubric = by_topic.get(article.topic_id), rubrics[article.topic_id]
        if not marks:
            continue
        for question in marks:
            earns[_meant(question)[0]].append(earned([question], marks, rubric))
        profile = asyncio.run(ExtractiveProfiler()(article))
        write = ExtractiveQuestionWriter(TextVectors(encode), 10, 300)
        first: dict[tuple[str, ...], str] = {}
        for question in marks:
            first.setdefault(_meant(question), question)
        asked_now = asyncio.run(write(profile, *investigated(folder, article.topic_id))).questions
        questions = [first.get(_meant(question), question) for question in asked_now]
        known = sum(question in marks for question in questions)
        lists.append(earned(questions, marks, rubric))
        print(f"{article.topic_id}: {lists[-1]:.3f}, {known} of {len(questions)} marked")
    for name, shares in sorted(earns.items(), key=lambda item: -fmean(item[1])):
        print(f"{name or 'others':20}{len(shares):4} marked, each earns {fmean(shares):.3f}")
    print(f"present lists: {fmean(lists):.3f}")


if __name__ == "__main__":
    main()
