"""What a finding is worth knowing: a logistic model over features of text, page and article.

The model reads a finding as a whole and each of its sentences. The weights lie in
`usefulness.json`, with what they were fitted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
from scipy.special import expit
from scipy.stats import rankdata

from sidelight.english.names import mentions, name_forms
from sidelight.english.vocabulary import CORRECTS, FINDS, TIES
from sidelight.generation.extractive.findings import OWN_CAUSE, Finding
from sidelight.generation.extractive.known import Known, Page
from sidelight.schemas.investigation.angle import Angle, Aspect
from sidelight.text import content_words, count_words
from sidelight.text_vectors import TextVectors

Floats = npt.NDArray[np.float64]
Features = dict[str, float]


class Usefulness(NamedTuple):
    """A logistic model of standardised features; arrays are `(features,)`."""

    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    weights: Floats
    bias: float

    @classmethod
    def load(cls) -> Usefulness:
        """Return the model that comes with the package."""
        read = orjson.loads(files(__package__).joinpath("usefulness.json").read_bytes())
        rows = read["features"]
        mean, scale, weights = (
            np.array([row[key] for row in rows.values()]) for key in ("mean", "scale", "weight")
        )
        return cls(tuple(rows), mean, scale, weights, float(read["bias"]))

    def worth(self, found: Described, *, of_article: bool = True) -> Floats:
        """Return what each finding is worth by its features, `(n,)`, in [0, 1].

        A finding is worth the geometric mean of what all of it and its sentences, on average, are
        worth: one of three sentences of which one is useful is worth less than that one alone. Of
        two such findings the one with more sentences tells more. One with a sentence that is
        hardly useful is worth half. What answers a narrative is worth what it has to do with some
        part of it, and more if others say it, too: the weights were learned on articles.
        """
        if not of_article:
            best, elsewhere = np.array(
                [(one["best angle"], one["told elsewhere"]) for one in found.whole]
            ).T
            return np.asarray(np.round(best * (1.0 + elsewhere / _MOST_SITES) / 2, 6))
        sentences = self.likelihood(found.sentences)
        means, lowest, numbers = (
            np.array(
                [(sentences[rows].mean(), sentences[rows].min(), len(rows)) for rows in found.of]
            )
            .reshape(-1, 3)
            .T
        )
        worth = np.sqrt(self.likelihood(found.whole) * means) * numbers**_MORE_TOLD
        worth *= np.where(lowest < _HARDLY_USEFUL, 0.5, 1.0)
        return np.asarray(np.round(np.minimum(worth, 1.0), 6))

    def likelihood(self, found: Sequence[Features]) -> Floats:
        """Return how likely each finding or sentence is useful, `(n,)`, in (0, 1)."""
        table = np.array([one[name] for one in found for name in self.names], float)
        table = table.reshape(len(found), len(self.names))
        return np.asarray(expit(((table - self.mean) / self.scale) @ self.weights + self.bias))


class Described(NamedTuple):
    """Features of findings, of the sentences in them, and the rows of the sentences of each."""

    whole: list[Features]
    sentences: list[Features]
    of: list[list[int]]


def features(
    findings: Sequence[Finding],
    known: Known,
    angles: Sequence[Angle],
    speaks: Floats,
    pages: Sequence[Page],
    vectors: TextVectors,
) -> list[Features]:
    """Return features of `n` findings by name; `speaks` is relevance to each angle, (n, angles).

    Each counts twice: as it is, and as its rank among the findings, the share of them that have no
    more of it.
    """
    texts = [one.text for one in findings]
    near, profile = np.array(known.near(texts)), known.profile
    elsewhere = _told_elsewhere(findings, pages, vectors)
    groups = {"publisher": {Aspect.PUBLISHER}, "claim": {Aspect.CLAIM, Aspect.FIGURE}}
    by_group = {
        name: speaks[:, [angle.aspect in aspects for angle in angles]].max(axis=1, initial=0.0)
        for name, aspects in groups.items()
    }
    of_pages = {
        page.document_id: _page_features(page, known) for page in {one.page for one in findings}
    }
    sources = (*profile.people, *profile.organisations, *profile.studies)
    names = {"outlet": profile.outlet, "source": sources}
    forms = {who: [form for name in of for form in name_forms(name)] for who, of in names.items()}
    rows: list[Features] = []
    for place, one in enumerate(findings):
        row = {
            "near": near[place],
            "best angle": speaks[place].max(initial=0.0),
            **{f"{name} angle": values[place] for name, values in by_group.items()},
            "told elsewhere": elsewhere[place],
            **_text_features(one, forms),
            **of_pages[one.page.document_id],
        }
        rows.append({name: float(value) for name, value in row.items()})
    for name in list(rows[0]) if rows else ():
        for row, rank in zip(rows, rankdata([row[name] for row in rows]), strict=True):
            row[f"{name}, rank"] = float(rank) / len(rows)
    return rows


def _text_features(one: Finding, forms: dict[str, list[str]]) -> dict[str, float]:
    """Return what a finding says: names, figures, ties, corrections, and its form."""
    parsed = [unit.sentence for unit in one.units]
    lemmas = {token.lemma_.casefold() for sentence in parsed for token in sentence.doc}
    entities = [entity for sentence in parsed for entity in sentence.entities]
    named = {e.text.casefold() for e in entities if e.label in {"ORG", "PERSON", "GPE", "LAW"}}
    return {
        **{f"names {who}": mentions(one.text, written) for who, written in forms.items()},
        "corrects": min(3, len(lemmas & CORRECTS)),
        "finds": min(3, len(lemmas & FINDS)),
        "ties with names": min(3, len(lemmas & TIES)) * min(2, len(named)),
        "speaker": any(sentence.speaker for sentence in parsed),
        "words": min(60, count_words(one.text)) / 30,
        "opening of page": 1.0 / (1.0 + one.units[0].number),
        "figures": min(4, sum(len(sentence.figures) for sentence in parsed)),
        "decides": one.decides,
    }


def _page_features(page: Page, known: Known) -> dict[str, float]:
    """Return what a page is to the article: near it, of its places and year, a check, a party."""
    shared = known.shared(page)
    words = content_words(page.text)
    year = known.year
    return {
        "page retells": float((np.array(shared.near) >= _RETELLS).mean()),
        "page names shared": min(6, len(shared.names)),
        "page keywords shared": len(shared.keywords) / 25,
        "page places shared": min(3, shared.places),
        "page corrects": 100 * sum(word in CORRECTS for word in words) / max(1, len(words)),
        "page age": min(10, abs(year - page.year)) if year and page.year else 0,
        "page checks or corrects": page.origin.kind in {"fact check", "corrections"},
        "page in its own cause": page.origin.kind in OWN_CAUSE,
    }


# Chosen on development webs, each left out of the fit.
_MORE_TOLD, _HARDLY_USEFUL = 0.25, 0.3
_RETELLS = 0.6  # the cosine of a sentence with one of the article from which it may retell it
# Cosines between "on the same matter" and "the same fact".
_SIMILAR, _THE_SAME, _MOST_SITES = 0.55, 0.75, 3.0


def _told_elsewhere(
    findings: Sequence[Finding], pages: Sequence[Page], vectors: TextVectors
) -> Floats:
    """Return how many other sites say the like of each finding; what is less like counts less."""
    said = [(line, page.site) for page in pages for line in page.lines]
    site_of = np.array([site for _, site in said])
    own = np.array([one.page.site for one in findings])
    likeness = vectors.similarity([one.text for one in findings], [text for text, _ in said])
    count = np.zeros(len(findings))
    for site in sorted(set(site_of.tolist())):
        nearest = likeness[:, site_of == site].max(axis=1)
        degree = np.clip((nearest - _SIMILAR) / (_THE_SAME - _SIMILAR), 0.0, 1.0)
        count += np.where(own == site, 0.0, degree)
    return np.minimum(count, _MOST_SITES)
