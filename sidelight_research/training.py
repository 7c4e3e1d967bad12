"""Training and cross-validation of the models of answers and of support, on people's labels.

Rows of features come from people's labels; further rows are made by code and show what labels of
honest answers do not: items that stand in a text word for word, and texts that use all their words
to say something else (`evaluation.audit.text_attacks`). The model of answers also learns from
labels that assessors, language models, gave reports on invented articles: those hold much that is
near an answer and does not state it. Figures come from predictions for people's labels whose topic
(and, where it says so, run) was held out; rows made by code are held out with the topic and run
they were made from, and no other rows are counted.

All is deterministic: the solver, the order of rows, the attacks. With the same files, encoder and
arithmetic the figures come out the same; another processor changes the last digits of cosines, and
so single labels.
"""

from __future__ import annotations

import gzip
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson

from sidelight.errors import InputError
from sidelight.evaluation.audit import text_attacks
from sidelight.files import sha256_file
from sidelight.learned.comparing import Comparer, Task
from sidelight.learned.features import ALIGNED, COPYING, COSINES, FEATURES, LENGTHS
from sidelight.learned.models import ANSWERS, SUPPORT, answer_model
from sidelight.learned.ordinal_model import (
    OrdinalModel,
    about_model,
    allowed,
    levels_within,
)
from sidelight.schemas.base import Value
from sidelight.text import clean, sentences
from sidelight_research.people import LevelAgreement, agreement_of_levels
from sidelight_research.people_labels import read_answers, read_citations, read_segments
from sidelight_research.weights import save_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from sidelight.text_vectors import SentenceEncoder
    from sidelight_research.people_labels import JudgedAnswer, JudgedCitation, Segments

    Levels = npt.NDArray[np.int64]

_ATTACKED_ANSWERS = 12  # every so many answers are also attacked
_ATTACKED_CITATIONS = 40  # and of the citations in full support
_MADE = 0.1  # worth of a made row, against 1 for a row that people labelled
_TOLD = {"supports": 2, "partial": 1}
_OF_A_TOPIC = 3  # every so many attacks are made on the items of a topic
_FULL = 2


class TextAttack(NamedTuple):
    """One way to seem to say something: it changes an honest text to one that earns nothing."""

    name: str
    change: Callable[[str], str]


def refute_after(text: str) -> str:
    """Put a sentence that takes it back after every sentence."""
    return text_attacks.each_sentence(text, lambda sentence: f"{sentence} This claim is false.")


def rotate_names(text: str) -> str:
    """Put in the place of every name the next other name of the text."""
    parts = [part.split() for part in sentences(clean(text))]
    spans = [text_attacks.name_spans(words) for words in parts]
    names = list(
        dict.fromkeys(
            text_attacks.bare_name(" ".join(words[a:b]))[0]
            for words, found in zip(parts, spans, strict=True)
            for a, b in found
        )
    )
    following = dict(zip(names, names[1:] + names[:1], strict=True))
    changed = []
    for words, found in zip(parts, spans, strict=True):
        for a, b in reversed(found):
            bare, end = text_attacks.bare_name(" ".join(words[a:b]))
            words[a:b] = [following[bare] + end]
        changed.append(" ".join(words))
    return " ".join(changed)


TEXT_ATTACKS = (
    *(
        TextAttack(f"denied: {phrase}", partial(text_attacks.deny, phrase=phrase))
        for phrase in text_attacks.DENIALS
    ),
    *(
        TextAttack(f"refuted: {phrase}", partial(text_attacks.refute, phrase=phrase))
        for phrase in text_attacks.REFUTATIONS
    ),
    TextAttack("refuted after", refute_after),
    TextAttack("negated", text_attacks.negate),
    TextAttack("shuffled", text_attacks.shuffle),
    TextAttack("questions", text_attacks.ask),
    TextAttack("question marks", text_attacks.ask_plainly),
    TextAttack("keywords", text_attacks.keywords),
    TextAttack("keyword list", text_attacks.keyword_list),
    TextAttack("names swapped", text_attacks.swap_names),
    TextAttack("names rotated", rotate_names),
    TextAttack("figures swapped", text_attacks.swap_figures),
)
"""Every attack that changes sentence by sentence; pasting pages needs pages."""


class Rows(NamedTuple):
    """Features in the order of `features.FEATURES`, with labels; all others are `(n,)`.

    Attributes:
        levels: 0 none, 1 partial, 2 full.
        topics: Where each row comes from.
        runs: The run each row comes from; empty for rows made from items alone.
        people: Whether people gave the label; others were made, or given by assessors.
        worth: How much each row counts in a fit.
        most: The highest level there can be, whatever a model says; see `features.Evidence`.
    """

    features: npt.NDArray[np.float64]
    levels: npt.NDArray[np.int64]
    topics: npt.NDArray[np.str_]
    runs: npt.NDArray[np.str_]
    people: npt.NDArray[np.bool_]
    worth: npt.NDArray[np.float64]
    most: npt.NDArray[np.int64]


class _Labelled(NamedTuple):
    """A task with the level of each item; -1 for items that are not to be learned.

    Without more it is made.
    """

    task: Task
    levels: tuple[int, ...]
    topic: str
    run: str
    people: bool = False
    worth: float = _MADE


def answer_rows(
    answers: Sequence[JudgedAnswer], encoder: SentenceEncoder | None, webs: Sequence[Path]
) -> Rows:
    """Return rows of people's labels of answers, rows made from them, and those of webs."""
    labelled = [
        _Labelled(
            Task(one.items, one.text, one.query),
            one.levels,
            one.topic,
            one.run,
            people=True,
            worth=1.0,
        )
        for one in answers
    ]
    made = [*_copied_items(answers), *_attacked_answers(answers)]
    return _rows([*labelled, *made, *_assessed(webs)], encoder)


def _assessed(webs: Sequence[Path]) -> Iterator[_Labelled]:
    """Yield the reports of webs that assessors labelled: the program's own and other writers'."""
    for path in webs:
        web = orjson.loads(gzip.decompress(path.read_bytes()))
        rubric = web.get("track_rubrics") or web["rubrics"]
        items = tuple(one["answer_text"] for part in rubric for one in part["short_answers"])
        for report in web.get("answer_labels", ()):
            given = (report["labels"][f"na-{n}"] for n in range(1, len(items) + 1))
            levels = tuple(_TOLD.get(label, 0) for label in given)
            topic = path.name.removesuffix(".json.gz")
            yield _Labelled(Task(items, report["text"]), levels, topic, report["by"], worth=1.0)


def support_rows(citations: Sequence[JudgedCitation], segments: Segments) -> Rows:
    """Return rows of people's labels of citations whose segment is known, then made rows."""
    labelled = [
        _Labelled(
            Task(
                (citation.sentence,),
                segments.texts[citation.segment],
                segments.queries.get(citation.topic, ""),
                is_source=True,
            ),
            (citation.level,),
            citation.topic,
            citation.run,
            people=True,
            worth=1.0,
        )
        for citation in citations
        if citation.segment in segments.texts
    ]
    return _rows([*labelled, *_attacked_citations(labelled)], None)


def _copied_items(answers: Sequence[JudgedAnswer]) -> list[_Labelled]:
    """Return texts of every other item of a topic, and what attacks make of them."""
    made = []
    topics = {answer.topic: answer for answer in answers}.values()
    for number, answer in enumerate(topics):
        task = Task(answer.items, "", answer.query)
        for start in (0, 1):
            stated = [f"{item.rstrip('.')}." for item in answer.items[start::2]]
            levels = [0] * len(answer.items)
            levels[start::2] = [_FULL] * len(stated)
            honest = task._replace(text=" ".join(stated))
            made.append(_Labelled(honest, tuple(levels), answer.topic, ""))
            for attack in TEXT_ATTACKS[(number + start) % _OF_A_TOPIC :: _OF_A_TOPIC]:
                changed = [attack.change(sentence) for sentence in stated]
                # A name or figure that is not there cannot be exchanged: then nothing changed.
                levels[start::2] = [
                    -1 if new == old else 0 for new, old in zip(changed, stated, strict=True)
                ]
                attacked = task._replace(text=" ".join(changed))
                made.append(_Labelled(attacked, tuple(levels), answer.topic, ""))
    return made


def _attacked_answers(answers: Sequence[JudgedAnswer]) -> list[_Labelled]:
    """Return some answers with every sentence denied, refuted or otherwise taken back."""
    attacks = cycle(attack for attack in TEXT_ATTACKS if "names" not in attack.name)
    return [
        _Labelled(
            Task(answer.items, attack.change(answer.text), answer.query),
            tuple(0 if level else -1 for level in answer.levels),
            answer.topic,
            answer.run,
        )
        for answer, attack in zip(answers[::_ATTACKED_ANSWERS], attacks, strict=False)
        if "figures" not in attack.name
    ]


def _attacked_citations(labelled: Sequence[_Labelled]) -> list[_Labelled]:
    """Return some citations in full support whose source or sentence says something else."""
    attacks = cycle(attack for attack in TEXT_ATTACKS if _changes_meaning(attack))
    full = [item for item in labelled if item.levels == (_FULL,)]
    made = []
    for item, attack in zip(full[::_ATTACKED_CITATIONS], attacks, strict=False):
        task = item.task._replace(text=attack.change(item.task.text))
        if "names" in attack.name or "figures" in attack.name:
            (sentence,) = item.task.items
            task = item.task._replace(items=(attack.change(sentence),))
        if task != item.task:
            made.append(item._replace(task=task, levels=(0,), people=False, worth=_MADE))
    return made


def _changes_meaning(attack: TextAttack) -> bool:
    """Tell whether an attack says something else, not merely says it badly."""
    return attack.name.startswith(("denied", "refuted", "negated", "names", "figures"))


def _rows(labelled: Iterable[_Labelled], encoder: SentenceEncoder | None) -> Rows:
    every = list(labelled)
    comparer = Comparer.of_answers(encoder)
    comparer.prepare(item.task for item in every)
    rows = [
        (evidence.features, level, item.topic, item.run, item.people, item.worth, evidence.most)
        for item in every
        for evidence, level in zip(comparer.compare(item.task).evidence, item.levels, strict=True)
        if level >= 0
    ]
    return Rows(*map(np.array, zip(*rows, strict=True)))


_LEVELS = 3
_RUN_FOLDS = 5
_ITERATIONS = 2_000


class Recipe(NamedTuple):
    """How a model is made from rows.

    Attributes:
        names: The features it uses; `columns` says where they are in the rows.
        by_topic: Whether it learns what distinguishes labels within a topic, each feature being
            taken from its topic's mean, so that topics whose texts are all alike teach the same.
        needs_figures: See `ordinal_model.allowed`.
        strength: Of the fit, inverse to its penalty; figures hardly change over a factor of ten.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    by_topic: bool
    needs_figures: bool
    strength: float


def fit(rows: Rows, chosen: npt.NDArray[np.bool_], recipe: Recipe) -> OrdinalModel:
    """Fit both regressions on the chosen rows, `(n,)`."""
    from sklearn.linear_model import LogisticRegression

    features, levels = rows.features[chosen][:, recipe.columns], rows.levels[chosen]
    people, topics = rows.people[chosen], rows.topics[chosen]
    means = features[people].mean(axis=0)
    if recipe.by_topic:
        for topic in sorted(set(topics.tolist())):
            there = topics == topic
            features[there] += means - features[there & people].mean(axis=0)
    scales = np.maximum(features[people].std(axis=0), 1e-6)
    weights, intercepts = [], []
    for level in range(1, _LEVELS):
        regression = LogisticRegression(C=recipe.strength, max_iter=_ITERATIONS, random_state=0)
        regression.fit(
            (features - means) / scales, levels >= level, sample_weight=rows.worth[chosen]
        )
        weights.append(regression.coef_[0])
        intercepts.append(regression.intercept_[0])
    return OrdinalModel(recipe.names, means, scales, np.array(weights), np.array(intercepts))


def predict_held_out(
    rows: Rows, recipe: Recipe, *, hold_out_runs: bool, shown: Rows | None = None
) -> Levels:
    """Return the level of every row, predicted without its topic, and if asked without its run.

    Runs are held out a fifth at a time, in the order of their names. Rows that were made get -1.
    `shown` are the same rows as a model is shown those that it judges, where it is shown less than
    it is fitted on.
    """
    shown = shown or rows
    predicted = np.full(len(rows.levels), -1)
    most = np.array(allowed(shown.most.tolist(), needs_figures=recipe.needs_figures))
    run_names = sorted(set(rows.runs[rows.people].tolist()))
    folds: Iterable[list[str]] = (
        [run_names[start::_RUN_FOLDS] for start in range(_RUN_FOLDS)]
        if hold_out_runs
        else [run_names]
    )
    for runs in folds:
        ours = np.isin(rows.runs, runs)
        for topic in sorted(set(rows.topics.tolist())):
            there = rows.topics == topic
            tested = there & ours & rows.people
            if not tested.any():
                continue
            model = fit(rows, ~there & ~ours if hold_out_runs else ~there, recipe)
            features = shown.features[tested][:, recipe.columns]
            predicted[tested], _ = levels_within(model.logits(features), most[tested])
    return predicted


TOPICS, TOPICS_AND_RUNS = "topics held out", "topics and runs held out"
NO_QUERY = "no query known"
_SEED = 0


class Trained(Value):
    """What a training run found: what was held out -> agreement with people.

    `shipped` is the same as the file of weights in this package says; empty if there is none.
    """

    name: str
    figures: dict[str, LevelAgreement]
    shipped: dict[str, LevelAgreement]


def train_answers(
    labels: Path, encoder: SentenceEncoder | None, *, save_in: Path | None = None
) -> Trained:
    """Train and measure the model of whether a text says an item, on a file of labelled answers.

    The encoder is the default one, in single precision; None for the words-only model.
    """
    webs = development_webs()
    rows = answer_rows(read_answers(labels), encoder, webs)
    name = answer_model(words_only=encoder is None)
    return _trained(name, rows, [labels, *webs], {}, save_in=save_in)


def development_webs() -> list[Path]:
    """Return the webs whose labels a model may learn from; they come with the source code."""
    folder = Path(__file__).parents[1] / "benchmarks" / "webs" / "development"
    found = sorted(folder.glob("*.json.gz"))
    if not found:
        raise InputError(
            f"{folder}: expected webs with labelled reports, *.json.gz, found none",
            remedy="Train from a clone of the repository.",
        )
    return found


def train_support(
    labels: Sequence[Path], segments: Path, *, save_in: Path | None = None
) -> Trained:
    """Train and measure the model of whether a source supports a sentence, on labels and texts."""
    texts = read_segments(segments)
    by_file = {path: read_citations(path) for path in labels}
    citations = [citation for found in by_file.values() for citation in found]
    rows = support_rows(citations, texts)
    unasked = support_rows(citations, texts._replace(queries={}))
    topics = {
        f"{path.name}, {TOPICS}": sorted({citation.topic for citation in found})
        for path, found in by_file.items()
    }
    return _trained(SUPPORT, rows, [*labels, segments], topics, unasked=unasked, save_in=save_in)


def shipped_figures(name: str) -> dict[str, LevelAgreement]:
    """Return the figures in the file of a shipped model; empty if there is none."""
    try:
        about = about_model(name)
    except FileNotFoundError:
        return {}
    return {held: LevelAgreement.model_validate(found) for held, found in about["figures"].items()}


def _trained(
    name: str,
    rows: Rows,
    files: Sequence[Path],
    parts: dict[str, list[str]],
    *,
    unasked: Rows | None = None,
    save_in: Path | None,
) -> Trained:
    """Measure and fit on rows, and measure on the topics of each of some parts.

    `unasked` are the same rows where nobody knows what was asked, to measure besides.
    """
    recipe = recipe_of(name)
    alone = predict_held_out(rows, recipe, hold_out_runs=False)
    both = predict_held_out(rows, recipe, hold_out_runs=True)
    found = {
        TOPICS: _figures(rows, alone, rows.people),
        TOPICS_AND_RUNS: _figures(rows, both, rows.people),
    }
    for part, topics in parts.items():
        found[part] = _figures(rows, alone, rows.people & np.isin(rows.topics, topics))
    if unasked is not None:
        for title, hold_out_runs in ((TOPICS, False), (TOPICS_AND_RUNS, True)):
            predicted = predict_held_out(rows, recipe, hold_out_runs=hold_out_runs, shown=unasked)
            found[f"{title}, {NO_QUERY}"] = _figures(rows, predicted, rows.people)
    shipped = shipped_figures(name)
    if save_in:
        model = fit(rows, np.full(len(rows.levels), fill_value=True), recipe)
        _save(name, model, rows, files, found, save_in)
    return Trained(name=name, figures=found, shipped=shipped)


def recipe_of(name: str) -> Recipe:
    """Return how a model is made.

    People accept an answer in quite other words, its length earns it nothing, and rules see to
    order, negation and names; a sentence is supported more often by what it copies, and vectors
    add nothing to that.
    """
    unused = (
        {*COPYING, *LENGTHS, "order", "polarity", "names"}
        if name.startswith(ANSWERS)
        else set[str]()
    )
    if name in {answer_model(words_only=True), SUPPORT}:
        unused |= {*COSINES, *ALIGNED}
    names = tuple(feature for feature in FEATURES if feature not in unused)
    return Recipe(
        names=names,
        columns=tuple(FEATURES.index(feature) for feature in names),
        by_topic=name.startswith(SUPPORT),
        needs_figures=name.startswith(ANSWERS),
        strength=0.1 if name.startswith(ANSWERS) else 3.0,
    )


def _figures(
    rows: Rows, predicted: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
) -> LevelAgreement:
    return agreement_of_levels(
        rows.levels[chosen],
        predicted[chosen],
        rows.topics[chosen].tolist(),
        rows.runs[chosen].tolist(),
    )


def _save(
    name: str,
    model: OrdinalModel,
    rows: Rows,
    files: Sequence[Path],
    found: dict[str, LevelAgreement],
    folder: Path,
) -> None:
    about = {
        "what": "two cumulative logistic regressions on standardised features; levels 0 none, "
        "1 partial, 2 full",
        "data": {path.name: sha256_file(path) for path in files},
        "labels by people": int(rows.people.sum()),
        "labels by assessors": int((~rows.people & (rows.worth > _MADE)).sum()),
        "rows made by code": int((rows.worth <= _MADE).sum()),
        "topics": len(set(rows.topics.tolist())),
        "split": "each topic predicted by a model fitted on the others; topics and runs: on the "
        "others' labels of the other four fifths of the runs",
        "seed": _SEED,
        "figures": {held: part.model_dump() for held, part in found.items()},
    }
    save_model(folder, name, model, about)
