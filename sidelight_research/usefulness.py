"""Fits the model of useful findings, and says how well it does on topics that it has not seen.

    python -m sidelight_research.usefulness FOLDER [--write]

The folder is laid out like the bundled sample (`documents.jsonl`, `topics.jsonl`,
`human_rubrics/` or `track_rubrics/`), with a run `run` over its topics and `marks.json`: for each
topic, by the hash of a finding's sentences as the page has them, the mark that a reader with the
pages open gave it, and which answers of the rubric it states, wholly (1) or in part (0.5). Marks
are `u` (useful), `s` (right, but of little use), `r` (repeats the article), `x` (misleading), `o`
(off-topic), `d` (not understood with publisher and title of the page before it) and `w` (wrong).
`sentence_marks.json` has, in the same way, a mark of each sentence, told behind those before it:
the same marks, and `k` for what belongs among the dozen sentences of a report. What was not marked
is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.topics import read_articles
from sidelight.generation.extractive import usefulness
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.usefulness import Described, Features, Usefulness
from sidelight.generation.extractive.write_report import choose, read_findings
from sidelight.generation.pages import source_line
from sidelight.index.encoding.encoder import Encoder
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment
from sidelight.text_vectors import TextVectors
from sidelight.tracks import load_track

if TYPE_CHECKING:
    from sidelight.generation.extractive.findings import Finding
    from sidelight.schemas.grading.rubric import Rubric

Floats = npt.NDArray[np.float64]
_STRENGTH = 0.01  # inverse to the penalty; .003 and .03 differ by .005 in average precision
_MAX_WORDS = 250
_RUBRICS = ("human_rubrics", "track_rubrics")
_HARMS = 2.0  # weight of a finding that misleads, is wrong or off-topic, beside others
_MOST = 4.0  # times what findings state on average; what states more counts no more
_USEFUL = 0.2  # credit of a useful finding that states nothing of the rubric
_SENTENCES = {"k": 1.0, "u": 0.5}  # credit of a sentence


class Topic(NamedTuple):
    """The marked findings of a topic.

    Attributes:
        sentence_marks: Of each of their sentences, or None.
        alike: Cosines of the findings with each other.
        states: Of each finding, the share that it states of each answer, `(n, answers)`.
        worth: Of each answer, its part of the score of a report that states all.
    """

    topic_id: str
    findings: list[Finding]
    features: Described
    sentence_marks: list[str | None]
    alike: Floats
    marks: list[str]
    states: Floats
    worth: Floats

    @property
    def useful(self) -> npt.NDArray[np.bool_]:
        """Tell of each finding whether it is useful."""
        return np.array([mark == "u" for mark in self.marks])

    @property
    def marked_sentences(self) -> list[tuple[Features, str]]:
        """Return the sentences that have a mark, and their marks."""
        pairs = zip(self.features.sentences, self.sentence_marks, strict=True)
        return [(one, mark) for one, mark in pairs if mark]


def key_of(finding: Finding) -> str:
    """Return what a finding's marks are kept by: a hash of its sentences on the page."""
    said = " ".join(unit.sentence.text for unit in finding.units)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def marked(folder: Path, vectors: TextVectors) -> list[Topic]:
    """Return the topics of a folder that have marks."""
    by_topic, by_sentence = (
        orjson.loads((folder / name).read_bytes()) for name in ("marks.json", "sentence_marks.json")
    )
    rubrics: dict[str, Rubric] = {}
    for kind in _RUBRICS:
        if any((folder / kind).glob("*.json")):
            rubrics |= read_rubrics(folder / kind, load_track().scales)
    topics = []
    for article in read_articles(folder / "topics.jsonl"):
        marks = by_topic.get(article.topic_id)
        if not marks:
            continue
        profile = asyncio.run(ExtractiveProfiler()(article))
        angles, evidence = investigated(folder, article.topic_id)
        read = read_findings(profile, angles, evidence, vectors)
        rows = [row for row, one in enumerate(read.findings) if key_of(one) in marks]
        of = read.features.of
        sentence_marks: list[str | None] = [None] * len(read.features.sentences)
        for one, places in zip(read.findings, of, strict=True):
            for part, place in zip(one.sentences, places, strict=True):
                sentence_marks[place] = by_sentence[article.topic_id].get(key_of(part))
        findings = [read.findings[row] for row in rows]
        texts = [one.text for one in findings]
        given = [marks[key_of(one)] for one in findings]
        worth = _worth(rubrics[article.topic_id])
        states = np.zeros((len(rows), len(worth)))
        for row, (mark, answers) in enumerate(given):
            for number, share in answers:
                # What misleads or is wrong tells a reader nothing.
                states[row, number - 1] = 0.0 if mark in "xw" else share
        topics.append(
            Topic(
                article.topic_id,
                findings,
                read.features._replace(
                    whole=[read.features.whole[row] for row in rows], of=[of[row] for row in rows]
                ),
                sentence_marks,
                vectors.similarity(texts, texts),
                [mark for mark, _ in given],
                states,
                worth,
            )
        )
    return topics


def _worth(rubric: Rubric) -> Floats:
    return np.array(
        [
            question.weight / rubric.total_weight / len(question.answers)
            for question in rubric.questions
            for _ in question.answers
        ]
    )


def investigated(folder: Path, topic_id: str) -> tuple[list[Angle], EvidenceSet]:
    """Return the angles and the evidence of a topic of the run in a folder."""
    record = orjson.loads((folder / "run" / "traces" / f"{topic_id}.json").read_bytes())
    angles: list[Angle] = []
    taken: dict[str, dict[str, float]] = {}
    for one in record["trace"]["rounds"].values():
        angles += [Angle.model_validate(angle) for angle in one["plan"]["angles"]]
        for segment_id, relevance in one["selected"]["taken"].items():
            taken.setdefault(segment_id, {}).update(relevance)
    items = tuple(
        Evidence(segment=Segment.model_validate(one), relevance=taken[one["segment_id"]])
        for one in record["evidence"]
        if one["segment_id"] in taken
    )
    return angles, EvidenceSet(items=items)


def fitted(topics: list[Topic]) -> Usefulness:
    """Return the model fitted on some topics."""
    sentences = [each for one in topics for each in one.marked_sentences]
    described = [row for one in topics for row in one.features.whole]
    described += [row for row, _ in sentences]
    names = tuple(described[0])
    rows = np.array([[row[name] for name in names] for row in described])
    stated = np.concatenate([one.states @ one.worth for one in topics])
    useful = np.concatenate([one.useful for one in topics])
    share = np.sqrt(np.minimum(1.0, stated / (_MOST * stated[stated > 0].mean())))
    credit = np.where(useful, _USEFUL + (1.0 - _USEFUL) * share, 0.0)
    credit = np.append(credit, [_SENTENCES.get(mark, 0.0) for _, mark in sentences])
    marks = [*(mark for one in topics for mark in one.marks), *(mark for _, mark in sentences)]
    harms = np.array([_HARMS if mark in "xow" else 1.0 for mark in marks])
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale[scale == 0] = 1.0
    twice = np.tile((rows - mean) / scale, (2, 1))
    truth = np.repeat([1, 0], len(rows))
    # An example of each class, each by its share of the credit.
    weights = np.concatenate([credit, 1.0 - credit]) * np.tile(harms, 2)
    model = LogisticRegression(C=_STRENGTH, max_iter=2000)
    model.fit(twice, truth, sample_weight=weights)
    return Usefulness(names, mean, scale, model.coef_[0], float(model.intercept_[0]))


def outcome(topic: Topic, worth: Floats) -> tuple[float, ...]:
    """Return how good a report is that is chosen by what the marked findings are worth.

    Returns:
        The score of its answers, and of its findings the shares that are useful, that mislead, are
        wrong or off-topic, and that are not understood alone; then the first two of its sentences.
    """
    sources = [source_line(one.page.origin, one.page.title) for one in topic.findings]
    rows, _ = choose(topic.findings, worth, topic.alike, _MAX_WORDS, sources, fills_room=False)
    score = float(topic.states[rows].max(axis=0, initial=0.0) @ topic.worth)
    marks = [topic.marks[row] for row in rows]
    told = [topic.sentence_marks[place] for row in rows for place in topic.features.of[row]]
    said = [mark for mark in told if mark]
    kinds = ((marks, "u"), (marks, "xow"), (marks, "d"), (said, "ku"), (said, "xow"))
    shares = (np.mean([mark in kind for mark in some] or [False]) for some, kind in kinds)
    return score, *map(float, shares)


def tell(title: str, cases: Iterable[tuple[Topic, Usefulness]]) -> float:
    """Print how well models do on topics; return their average precision."""
    rows = []
    for topic, model in cases:
        worth = model.worth(topic.features)
        rows.append((average_precision_score(topic.useful, worth), *outcome(topic, worth)))
    precision, score, useful, harmful, dangling, *said = map(float, np.mean(rows, axis=0))
    print(
        f"{title}: average precision {precision:.3f}; "
        f"reports: score {score:.3f}, findings useful {useful:.2f}, misleading, wrong or off-topic "
        f"{harmful:.2f}, not understood alone {dangling:.2f}; sentences useful {said[0]:.2f}, "
        f"misleading, wrong or off-topic {said[1]:.2f}"
    )
    return precision


def main() -> None:
    """Fit, print and, where asked to, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in ("topics.jsonl", "marks.json", "sentence_marks.json", "run/traces"):
        if not (given.folder / name).exists():
            parser.error(
                f"expected {name} in {given.folder}; found none: see --help for the layout"
            )
    vectors = TextVectors(Encoder().encode_sentences)
    topics = marked(given.folder, vectors)
    for one in topics:
        print(f"{one.topic_id}: {len(one.marks)} marked findings, {int(one.useful.sum())} useful")
    others = (fitted([*topics[:out], *topics[out + 1 :]]) for out in range(len(topics)))
    precision = tell("each topic left out", zip(topics, others, strict=True))
    model = fitted(topics)
    for name, weight in sorted(
        zip(model.names, model.weights, strict=True), key=lambda x: -abs(x[1])
    ):
        print(f"  {name:36}{weight:8.3f}")
    if given.write:
        _write(model, topics, precision)


def _write(model: Usefulness, topics: list[Topic], precision: float) -> None:
    rows = {
        name: {
            "mean": round(float(m), 5),
            "scale": round(float(s), 5),
            "weight": round(float(w), 5),
        }
        for name, m, s, w in zip(model.names, model.mean, model.scale, model.weights, strict=True)
    }
    ids = "".join(sorted(one.topic_id for one in topics))
    marks = sum(len(one.marks) for one in topics)
    sentences = sum(len(one.marked_sentences) for one in topics)
    record = {
        "fitted on": f"{marks} findings and {sentences} of their sentences, of {len(topics)} "
        "invented topics, marked by hand",
        "topics SHA-256": hashlib.sha256(ids.encode()).hexdigest(),
        "average precision on topics left out": round(precision, 3),
        "strength": _STRENGTH,
        "bias": round(model.bias, 5),
        "features": rows,
    }
    target = Path(usefulness.__file__).with_name("usefulness.json")
    target.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
