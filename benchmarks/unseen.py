"""Layout of the webs in `benchmarks/webs` as a collection, its topics and its rubrics.

The webs of `development` may be read by whoever changes rules; those of `unseen` are opened by
benchmarks only. Each web is an article, some 35 pages and a rubric, by different writers who knew
nothing of the program; the brief is `docs/unseen_webs.md`.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import orjson

WEBS = Path(__file__).parent / "webs"
PARTS = ("development", "unseen")
RUBRICS = {"rubrics": "human_rubrics", "track_rubrics": "track_rubrics"}
"""Folder of each kind of rubric that a web has.

Those of the track's shape follow its guidelines for assessors: some 18 answers of a dozen words on
a topic. The others have twice as many of 20 words, more than a report of 250 words can tell.
"""


class Web(NamedTuple):
    """A web: article, pages, rubric and facts; for development, marks of what pages tell, too.

    Attributes:
        name: Of the file.
        part: `development` or `unseen`.
        topic_id: Of the article in the collection.
        content: What the file holds.
    """

    name: str
    part: str
    topic_id: str
    content: dict[str, Any]


def read_webs(*parts: str) -> list[Web]:
    """Return the webs of some parts, all by default, in the order of their names."""
    found = []
    for number, path in enumerate(sorted(WEBS.glob("*/*.json.gz")), start=10):
        if not parts or path.parent.name in parts:
            content = orjson.loads(gzip.decompress(path.read_bytes()))
            name = path.name.removesuffix(".json.gz")
            found.append(Web(name, path.parent.name, f"msmarco_v2.1_doc_{number}_0", content))
    return found


def lay_out(webs: list[Web], folder: Path) -> None:
    """Write documents, topics, marks and folders of rubrics for some webs, as one collection."""
    for name in RUBRICS.values():
        (folder / name).mkdir(parents=True, exist_ok=True)
    documents, topics = [], []
    for web in webs:
        stem, offset = web.topic_id.removesuffix("_0"), 0
        for page in (web.content["article"], *web.content["pages"]):
            headings = page.get("headings") or ""
            if not isinstance(headings, str):
                headings = "".join(f"{one}\n" for one in headings)
            line = {**page, "docid": f"{stem}_{offset}", "headings": headings}
            documents.append(orjson.dumps(line))
            if not offset:
                topics.append(documents[-1])
            offset += len(documents[-1]) + 1
        for kind, name in RUBRICS.items():
            if kind in web.content:
                rubric = _numbered(web.topic_id, web.content[kind])
                (folder / name / f"{web.topic_id}.json").write_bytes(orjson.dumps(rubric))
    for kind in ("marks", "sentence_marks", "question_marks"):
        marks = {web.topic_id: web.content.get(kind, {}) for web in webs}
        (folder / f"{kind}.json").write_bytes(orjson.dumps(marks))
    (folder / "documents.jsonl").write_bytes(b"\n".join(documents) + b"\n")
    (folder / "topics.jsonl").write_bytes(b"\n".join(topics) + b"\n")


def _numbered(topic_id: str, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a rubric with the ids of the track's files."""
    number, rubrics = 0, []
    for rank, question in enumerate(questions, start=1):
        answers = []
        for answer in question["short_answers"]:
            number += 1
            answers.append({"answer_id": f"na-{number}", **answer})
        rubrics.append({**question, "question_id": f"{topic_id}-{rank}", "short_answers": answers})
    return {"topic_id": topic_id, "rubrics": rubrics}
