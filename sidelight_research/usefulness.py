"""Fits the model of useful findings, and says how well it does on topics that it has not seen.

    python -m sidelight_research.usefulness FOLDER... [--write]

Each folder is laid out like the bundled sample (`documents.jsonl`, `topics.jsonl`,
`human_rubrics/`), with a run `run` over its topics; one that has `facts.json`
(topic id -> facts with the exact strings that state them) is labelled by these, too. A finding is
useful if it states such a fact, or says much the same as an answer of the rubric that refers to
its page.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import orjson
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from sidelight.formats.topics import read_articles
from sidelight.generation.extractive import usefulness
from sidelight.generation.extractive.profile import ExtractiveProfiler
from sidelight.generation.extractive.usefulness import NAMES, Usefulness
from sidelight.generation.extractive.write_report import tabled
from sidelight.index.encoding.encoder import Encoder
from sidelight.schemas.investigation.angle import Angle
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment
from sidelight.text import one_line, tokens
from sidelight.text_vectors import TextVectors

if TYPE_CHECKING:
    from sidelight.generation.extractive.findings import Finding

Floats = npt.NDArray[np.float64]
_SAYS_THE_SAME = 0.70  # cosine with an answer whose references name the page
_STRING_SHARE = 0.6  # of a fact's words that a finding must hold
_STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0)
_AT = 10


def labelled(folder: Path, vectors: TextVectors) -> list[tuple[str, Floats, Floats]]:
    """Return for each topic of a folder its id, features and labels."""
    facts = folder / "facts.json"
    by_topic = orjson.loads(facts.read_bytes()) if facts.exists() else {}
    found = []
    for article in read_articles(folder / "topics.jsonl"):
        profile = asyncio.run(ExtractiveProfiler()(article))
        trace = orjson.loads((folder / "run" / "traces" / f"{article.topic_id}.json").read_bytes())
        angles, evidence = _of_trace(trace)
        findings, table, _ = tabled(profile, angles, evidence, vectors)
        rubric = orjson.loads((folder / "human_rubrics" / f"{article.topic_id}.json").read_bytes())[
            "rubrics"
        ]
        answers = [answer for one in rubric for answer in one["short_answers"]]
        said = vectors.similarity(
            [one.text for one in findings], [answer["answer_text"] for answer in answers]
        )
        labels = np.array(
            [
                _is_useful(one, said[row], answers, by_topic.get(article.topic_id, ()))
                for row, one in enumerate(findings)
            ]
        )
        found.append((article.topic_id, table, labels))
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


def _is_useful(finding: Finding, said: Floats, answers: list[dict[str, Any]], facts: Any) -> bool:
    words = set(tokens(" ".join(unit.sentence.text for unit in finding.units)))
    url = finding.page.segments[0].url
    for fact in facts:
        if fact.get("misleading") or url not in fact["pages"]:
            continue
        for text in fact["strings"]:
            held = tokens(one_line(text))
            if held and sum(word in words for word in held) >= _STRING_SHARE * len(held):
                in_text = one_line(text) in " ".join(u.sentence.text for u in finding.units)
                if in_text or len(held) > 6:
                    return True
    return any(
        cosine >= _SAYS_THE_SAME and url in answer.get("references", ())
        for cosine, answer in zip(said.tolist(), answers, strict=True)
    )


def fitted(tables: list[Floats], labels: list[Floats], strength: float) -> Usefulness:
    """Return the model fitted on some topics.

    Args:
        tables: Features of the findings of each topic.
        labels: Whether each is useful.
        strength: Inverse of the penalty on the weights' squares.
    """
    table, truth = np.concatenate(tables), np.concatenate(labels)
    mean, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale == 0] = 1.0
    model = LogisticRegression(C=strength, max_iter=2000).fit((table - mean) / scale, truth)
    return Usefulness(mean, scale, model.coef_[0], float(model.intercept_[0]))


def main() -> None:
    """Fit, print and, where asked to, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    vectors = TextVectors(Encoder().encode_sentences)
    topics = [one for folder in given.folders for one in labelled(folder, vectors)]
    for topic_id, table, labels in topics:
        print(f"{topic_id}: {len(table)} findings, {int(labels.sum())} useful")
    best, most = _STRENGTHS[0], -1.0
    for strength in _STRENGTHS:
        precision, at = [], []
        for out in range(len(topics)):
            rest = [one for place, one in enumerate(topics) if place != out]
            model = fitted([one[1] for one in rest], [one[2] for one in rest], strength)
            chances = model.chances(topics[out][1])
            precision.append(average_precision_score(topics[out][2], chances))
            at.append(topics[out][2][np.argsort(-chances)[:_AT]].mean())
        mean = float(np.mean(precision))
        print(
            f"C {strength}: average precision {mean:.3f}, at 10 {np.mean(at):.3f} left out:",
            [round(float(x), 2) for x in precision],
        )
        if mean > most:
            best, most = strength, mean
    base = np.mean([one[2].mean() for one in topics])
    print(f"share of useful findings {base:.3f}")
    model = fitted([one[1] for one in topics], [one[2] for one in topics], best)
    for name, weight in sorted(zip(NAMES, model.weights, strict=True), key=lambda x: -abs(x[1])):
        print(f"  {name:22}{weight:8.3f}")
    if given.write:
        rows = {
            name: {
                "mean": round(float(m), 5),
                "scale": round(float(s), 5),
                "weight": round(float(w), 5),
            }
            for name, m, s, w in zip(NAMES, model.mean, model.scale, model.weights, strict=True)
        }
        digest = hashlib.sha256("".join(sorted(one[0] for one in topics)).encode()).hexdigest()
        target = Path(usefulness.__file__).with_name("usefulness.json")
        target.write_bytes(
            orjson.dumps(
                {
                    "fitted on": f"{len(topics)} topics of {len(given.folders)} webs",
                    "topics SHA-256": digest,
                    "average precision on topics left out": round(most, 3),
                    "strength": best,
                    "bias": round(model.bias, 5),
                    "features": rows,
                },
                option=orjson.OPT_INDENT_2,
            )
            + b"\n"
        )


if __name__ == "__main__":
    main()
