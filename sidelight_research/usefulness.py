"""Fits the model of useful findings, and says how well it does on topics that it has not seen.

    python -m sidelight_research.usefulness FOLDER... [--write]

Each folder is laid out like the bundled sample (`documents.jsonl`, `topics.jsonl`,
`human_rubrics/`), with a run `run` over its topics; one that has `facts.json`
(topic id -> facts with the exact strings that state them) is labelled by these, too. A finding is
useful if it states such a fact, or says much the same as an answer of the rubric that refers to
its page. One that states what its page says wrongly (`"misleading"`) counts several times: it does
more harm than a trivial one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from sidelight.formats.topics import read_articles
from sidelight.generation.extractive import usefulness
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.usefulness import Features, Usefulness
from sidelight.generation.extractive.write_report import read_findings
from sidelight.index.encoding.encoder import Encoder
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment
from sidelight.text import one_line, tokens
from sidelight.text_vectors import TextVectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sidelight.generation.extractive.findings import Finding

Floats = npt.NDArray[np.float64]
_SAYS_THE_SAME = 0.70  # cosine with an answer whose references name the page
_STRING_SHARE = 0.6  # of a fact's words that a finding must hold
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0)
_FEW_WORDS = 6  # of a string that must stand in a finding as it is
_AT = 10
_MISLEADS = 8.0  # weight of a finding that misleads, beside others


class Topic(NamedTuple):
    """The findings of a topic: features, whether each is useful, and whether it misleads."""

    topic_id: str
    features: list[Features]
    useful: Floats
    misleads: Floats


def labelled(folder: Path, vectors: TextVectors) -> list[Topic]:
    """Return the topics of a folder."""
    facts = folder / "facts.json"
    by_topic = orjson.loads(facts.read_bytes()) if facts.exists() else {}
    found = []
    for article in read_articles(folder / "topics.jsonl"):
        profile = asyncio.run(ExtractiveProfiler()(article))
        trace = orjson.loads((folder / "run" / "traces" / f"{article.topic_id}.json").read_bytes())
        angles, evidence = _of_trace(trace)
        findings, features, _ = read_findings(profile, angles, evidence, vectors)
        rubric = orjson.loads((folder / "human_rubrics" / f"{article.topic_id}.json").read_bytes())[
            "rubrics"
        ]
        answers = [answer for one in rubric for answer in one["short_answers"]]
        said = vectors.similarity(
            [one.text for one in findings], [answer["answer_text"] for answer in answers]
        )
        told = by_topic.get(article.topic_id, ())
        misleads = [_states(one, told, misleading=True) for one in findings]
        useful = [
            not wrong and (_states(one, told) or _answers(one, said[row], answers))
            for row, (one, wrong) in enumerate(zip(findings, misleads, strict=True))
        ]
        found.append(Topic(article.topic_id, features, np.array(useful), np.array(misleads)))
    return found


def _of_trace(record: dict[str, Any]) -> tuple[list[Angle], EvidenceSet]:
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


def _states(finding: Finding, facts: Iterable[Any], *, misleading: bool = False) -> bool:
    """Tell whether a finding states one of the facts of its page, right or misleading ones."""
    text = " ".join(unit.sentence.text for unit in finding.units)
    words = set(tokens(text))
    url = finding.page.segments[0].url
    for fact in facts:
        if bool(fact.get("misleading")) != misleading or url not in fact["pages"]:
            continue
        for string in map(one_line, fact["strings"]):
            held = tokens(string)
            is_held = held and sum(word in words for word in held) >= _STRING_SHARE * len(held)
            if is_held and (string in text or len(held) > _FEW_WORDS):
                return True
    return False


def _answers(finding: Finding, said: Floats, answers: list[dict[str, Any]]) -> bool:
    """Tell whether a finding says much the same as an answer that refers to its page."""
    url = finding.page.segments[0].url
    return any(
        cosine >= _SAYS_THE_SAME and url in answer.get("references", ())
        for cosine, answer in zip(said.tolist(), answers, strict=True)
    )


def fitted(topics: list[Topic], strength: float) -> Usefulness:
    """Return the model fitted on some topics.

    Args:
        topics: The topics.
        strength: Inverse of the penalty on the weights' squares.
    """
    names = tuple(topics[0].features[0])
    table = np.array([[row[name] for name in names] for one in topics for row in one.features])
    truth = np.concatenate([one.useful for one in topics])
    counts = 1.0 + (_MISLEADS - 1.0) * np.concatenate([one.misleads for one in topics])
    mean, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1.0
    model = LogisticRegression(C=strength, max_iter=2000)
    model.fit((table - mean) / scale, truth, sample_weight=counts)
    return Usefulness(names, mean, scale, model.coef_[0], float(model.intercept_[0]))


def main() -> None:
    """Fit, print and, where asked to, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    vectors = TextVectors(Encoder().encode_sentences)
    topics = [one for folder in given.folders for one in labelled(folder, vectors)]
    for one in topics:
        print(
            f"{one.topic_id}: {len(one.features)} findings, {int(one.useful.sum())} useful, "
            f"{int(one.misleads.sum())} misleading"
        )
    best, most = _STRENGTHS[0], -1.0
    for strength in _STRENGTHS:
        precision, at, wrong = [], [], []
        for out, one in enumerate(topics):
            model = fitted([*topics[:out], *topics[out + 1 :]], strength)
            chances = model.chances(one.features)
            top = np.argsort(-chances)[:_AT]
            precision.append(average_precision_score(one.useful, chances))
            at.append(one.useful[top].mean())
            wrong.append(one.misleads[top].mean())
        mean = float(np.mean(precision))
        print(
            f"C {strength}: average precision {mean:.3f}, of the first {_AT} useful "
            f"{np.mean(at):.3f}, misleading {np.mean(wrong):.3f}, left out:",
            [round(float(x), 2) for x in precision],
        )
        if mean > most:
            best, most = strength, mean
    print(f"share of useful findings {np.mean([one.useful.mean() for one in topics]):.3f}")
    model = fitted(topics, best)
    for name, weight in sorted(
        zip(model.names, model.weights, strict=True), key=lambda x: -abs(x[1])
    ):
        print(f"  {name:22}{weight:8.3f}")
    if given.write:
        _write(model, topics, f"{len(topics)} topics of {len(given.folders)} webs", best, most)


def _write(
    model: Usefulness, topics: list[Topic], fitted_on: str, strength: float, precision: float
) -> None:
    rows = {
        name: {
            "mean": round(float(m), 5),
            "scale": round(float(s), 5),
            "weight": round(float(w), 5),
        }
        for name, m, s, w in zip(model.names, model.mean, model.scale, model.weights, strict=True)
    }
    ids = "".join(sorted(one.topic_id for one in topics))
    record = {
        "fitted on": fitted_on,
        "topics SHA-256": hashlib.sha256(ids.encode()).hexdigest(),
        "average precision on topics left out": round(precision, 3),
        "strength": strength,
        "bias": round(model.bias, 5),
        "features": rows,
    }
    target = Path(usefulness.__file__).with_name("usefulness.json")
    target.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
