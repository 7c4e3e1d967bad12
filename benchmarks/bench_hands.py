"""The judge without a model beside assessors' labels on the webs of `benchmarks/webs`.

    python -m benchmarks.bench_hands

For each list of ten questions and each report that was labelled: the score by the assessor, the
score by the judge, which sees no examples, and their difference; with Cohen's kappa of the labels.
Assessors are language models with the track's definitions. The weights of question similarity were
fitted on the questions of the development webs, so figures there are by a model fitted on the other
webs. Nothing of a web's texts is printed.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.record import Figure, write_results
from benchmarks.unseen import PARTS, WEBS, Web, read_webs
from sidelight.evaluation.agreement.coefficients import cohen_kappa
from sidelight.index.encoding.encoder import Encoder
from sidelight.learned.models import AnswerModel
from sidelight.learned.similarity import PAIR_FEATURES, Expected, features
from sidelight.text_vectors import TextVectors
from sidelight_research.people import CREDIT
from sidelight_research.similarity import fit, read_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

_WEIGHTS = {"A": 4, "B": 2, "C": 1}
_ASKED = {"S": 1, "VS": 2}
_TOLD = {"partial": 1, "supports": 2}
_LIST = 10  # questions


class Judged(NamedTuple):
    """A list of questions or a report: levels by hand and by the judge, `(n,)`, and both scores."""

    title: str
    hand: list[int]
    judge: list[int]
    scores: tuple[float, float]


def rubric_of(web: Web) -> list[dict[str, Any]]:
    """Return the rubric that the labels of a web are about."""
    found: list[dict[str, Any]] = web.content.get("track_rubrics") or web.content["rubrics"]
    return found


def weighted(rubric: Sequence[dict[str, Any]], credit: dict[int, float]) -> float:
    """Return the mean credit of a rubric's questions, by their weight; they are by place."""
    weights = [_WEIGHTS[one["importance"][0]] for one in rubric]
    return sum(weight * credit[place] for place, weight in enumerate(weights)) / sum(weights)


def question_lists(web: Web, levels: np.ndarray[Any, Any], texts: Sequence[str]) -> list[Judged]:
    """Return the lists of a web by each assessor: ten questions after the other, as labelled.

    `levels` are the judge's, `(n_rubric, n_texts)`.
    """
    rubric, found = rubric_of(web), []
    for assessor, labelled in enumerate(web.content["question_labels"], start=1):
        names = list(labelled)
        for start in range(0, len(names), _LIST):
            some = names[start : start + _LIST]
            hand = np.array(
                [
                    [_ASKED.get(labelled[text].get(str(row + 1), ""), 0) for text in some]
                    for row in range(len(rubric))
                ]
            )
            judge = levels[:, [texts.index(text) for text in some]]
            best = [
                {row: CREDIT[int(one[row].max())] for row in range(len(rubric))}
                for one in (hand, judge)
            ]
            ours = weighted(rubric, best[0]), weighted(rubric, best[1])
            title = f"{web.part}, questions, assessor {assessor}"
            found.append(Judged(title, hand.ravel().tolist(), judge.ravel().tolist(), ours))
    return found


def reports(web: Web, model: AnswerModel) -> list[Judged]:
    """Return the reports of a web that were labelled."""
    rubric, found = rubric_of(web), []
    items = [answer["answer_text"] for one in rubric for answer in one["short_answers"]]
    places = [place for place, one in enumerate(rubric) for _ in one["short_answers"]]
    for labelled in web.content.get("answer_labels", []):
        hand = [_TOLD.get(labelled["labels"][f"na-{n}"], 0) for n in range(1, len(items) + 1)]
        judge = [one.level for one in model.judge(items, labelled["text"], max_words=None)]
        ours = []
        for levels in (hand, judge):
            told = defaultdict(list)
            for place, level in zip(places, levels, strict=True):
                told[place].append(CREDIT[level])
            ours.append(weighted(rubric, {place: fmean(given) for place, given in told.items()}))
        writer = "of other writers" if labelled["by"] == "hand" else "without a model"
        fitted = " (fitted)" if web.part == "development" else ""
        title = f"{web.part}, reports {writer}{fitted}"
        found.append(Judged(title, hand, judge, (ours[0], ours[1])))
    return found


def main() -> None:
    encoder = Encoder().sentence_encoder()
    vectors, answers = TextVectors(encoder.encode), AnswerModel(encoder)
    pairs = read_pairs(sorted(WEBS.glob("development/*.json.gz")), vectors)
    judged: list[Judged] = []
    for web in read_webs():
        judged += reports(web, answers)
        if "question_labels" not in web.content:
            continue
        texts = list(dict.fromkeys(text for one in web.content["question_labels"] for text in one))
        expected = [
            Expected(one["question_text"], tuple(a["answer_text"] for a in one["short_answers"]))
            for one in rubric_of(web)
        ]
        rows = features(expected, texts, vectors)
        others = fit(pairs, pairs.topics != web.name, PAIR_FEATURES)
        levels = others.levels(rows.reshape(-1, rows.shape[-1])).reshape(rows.shape[:2])
        judged += question_lists(web, levels, texts)
    lines, figures = [], []
    for part in PARTS:
        for title in sorted({one.title for one in judged if one.title.startswith(part)}):
            ours = [one for one in judged if one.title == title]
            confusion = np.zeros((3, 3), dtype=np.int64)
            for one in ours:
                np.add.at(confusion, (one.hand, one.judge), 1)
            hand, judge = (fmean(one.scores[side] for one in ours) for side in (0, 1))
            apart = fmean(abs(one.scores[0] - one.scores[1]) for one in ours)
            kappa = cohen_kappa(confusion) or 0.0
            lines.append(
                f"{title}: {len(ours)}, by assessors {hand:.3f}, by the judge {judge:.3f}, "
                f"mean absolute difference {apart:.3f}, kappa {kappa:.3f}"
            )
            figures.append(Figure(f"{title}: mean absolute difference", round(apart, 3), "score"))
    write_results("hands", "webs of benchmarks/webs, labels by assessors", lines, figures)


if __name__ == "__main__":
    main()
