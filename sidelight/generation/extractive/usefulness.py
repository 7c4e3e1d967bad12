"""What a finding is worth knowing: a logistic model over features of text, page and article.

The weights lie in `usefulness.json`, with what they were fitted on.
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
from sidelight.english.parser import Sentence
from sidelight.english.vocabulary import CORRECTS, FINDS, TIES
from sidelight.generation.extractive.findings import Finding
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

    def worth(self, found: Sequence[Features], *, of_article: bool = True) -> Floats:
        """Return what each finding is worth by its features, `(n,)`, in [0, 1].

        What answers a narrative is worth what it has to do with some part of it, and more if others
        say it, too: the weights were learned on articles.
        """
        if not of_article:
            best, elsewhere = np.array(
                [(one["best angle"], one["told elsewhere"]) for one in found]
            ).T
            return np.asarray(np.round(best * (1.0 + elsewhere / _MOST_SITES) / 2, 6))
        table = np.array([one[name] for one in found for name in self.names], float)
        table = table.reshape(len(found), len(self.names))
        scores = ((table - self.mean) / self.scale) @ self.weights + self.bias
        return np.asarray(np.round(expit(scores), 6))


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
    title = vectors.similarity(texts, [profile.title or profile.asked or profile.subject])[:, 0]
    elsewhere = _told_elsewhere(findings, pages, vectors)
    groups = {
        "publisher": (Aspect.PUBLISHER,),
        "author": (Aspect.AUTHOR,),
        "source": (Aspect.SOURCE,),
        "claim": (Aspect.CLAIM, Aspect.FIGURE),
        "context": (Aspect.CONTEXT, Aspect.VIEWPOINT),
    }
    columns = {
        name: [place for place, angle in enumerate(angles) if angle.aspect in aspects]
        for name, aspects in groups.items()
    }
    by_group = {
        name: speaks[:, places].max(axis=1) if places else np.zeros(len(texts))
        for name, places in columns.items()
    }
    of_pages = {
        page.document_id: _page_features(page, known) for page in {one.page for one in findings}
    }
    sources = (*profile.people, *profile.organisations, *profile.studies)
    names = {"outlet": profile.outlet, "source": sources}
    forms = {who: [form for name in of for form in name_forms(name)] for who, of in names.items()}
    rows = []
    for place, one in enumerate(findings):
        row = {
            "near": near[place],
            "near squared": near[place] ** 2,
            "title": title[place],
            "best angle": speaks[place].max(initial=0.0),
            **{f"{name} angle": values[place] for name, values in by_group.items()},
            "told elsewhere": elsewhere[place],
            **_text_features(one, known, forms),
            **of_pages[one.page.document_id],
        }
        row["near with new figures"] = row["near"] * row["new figures"]
        row["near on a page that corrects"] = row["near"] * row["page corrects"]
        rows.append({name: float(value) for name, value in row.items()})
    for name in list(rows[0]) if rows else ():
        for row, rank in zip(rows, rankdata([row[name] for row in rows]), strict=True):
            row[f"{name}, rank"] = float(rank) / len(rows)
    return rows


def _text_features(one: Finding, known: Known, forms: dict[str, list[str]]) -> dict[str, float]:
    """Return what a finding says: names, figures, ties, corrections, and its form."""
    parsed = [unit.sentence for unit in one.units]
    lemmas = {token.lemma_.casefold() for sentence in parsed for token in sentence.doc}
    entities = [entity for sentence in parsed for entity in sentence.entities]
    named = {e.text.casefold() for e in entities if e.label in {"ORG", "PERSON", "GPE", "LAW"}}
    ties = min(3, len(lemmas & TIES))
    return {
        **{f"names {who}": mentions(one.text, written) for who, written in forms.items()},
        "new figures": min(3, len(known.news(one.text))),
        "ties": ties,
        "corrects": min(3, len(lemmas & CORRECTS)),
        "finds": min(3, len(lemmas & FINDS)),
        "ties with names": ties * min(2, len(named)),
        "speaker": any(sentence.speaker for sentence in parsed),
        "words": min(60, count_words(one.text)) / 30,
        "new entities": min(3, len(named - known.entities)),
        "opening of page": 1.0 / (1.0 + one.units[0].number),
        "figures": min(4, sum(len(sentence.figures) for sentence in parsed)),
        "decides": one.decides,
        "denies": any(token.dep_ == "neg" for sentence in parsed for token in sentence.doc),
        **{f"subject: {kind}": kind == _subject_kind(parsed[0]) for kind in _SUBJECTS},
    }


_SUBJECTS = ("none", "pronoun", "name", "possessed", "definite", "described", "indefinite")


def _subject_kind(sentence: Sentence) -> str:
    """Return what kind of words the first sentence is about: "the fee" needs more than "a fee".

    What is definite and described says which one is meant: "the fee for the player".
    """
    subject = sentence.subject
    if subject is None:
        return "none"
    if subject.pos_ in {"PRON", "PROPN"}:
        return "pronoun" if subject.pos_ == "PRON" else "name"
    before = {child.dep_: child.lower_ for child in subject.lefts}
    if "poss" in before:
        return "possessed"
    if before.get("det") not in {"the", "this", "that", "these", "those"}:
        return "indefinite"
    described = {"prep", "relcl", "acl", "compound", "nmod"}
    return "described" if described & {c.dep_ for c in subject.children} else "definite"


def _page_features(page: Page, known: Known) -> dict[str, float]:
    """Return what a page is to the article: near it, of its places and year, official, a check."""
    shared = known.shared(page)
    near = np.array(shared.near)
    words = content_words(page.text)
    year = known.year
    kind = page.origin.kind
    return {
        "page near": float(near.mean()),
        "page retells": float((near >= _RETELLS).mean()),
        "page names shared": min(6, len(shared.names)),
        "page keywords shared": len(shared.keywords) / 25,
        "page places shared": min(3, shared.places),
        "page corrects": 100 * sum(word in CORRECTS for word in words) / max(1, len(words)),
        "page age": min(10, abs(year - page.year)) if year and page.year else 0,
        "page rates or describes": kind in {"media rating", "encyclopedia"},
        "page is official": kind in {"public body", "research"},
        "page checks or corrects": kind in {"fact check", "corrections"},
    }


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
