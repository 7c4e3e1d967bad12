"""Veridicality by the parse: what a text asserts, denies, or leaves open, word by word.

A clause is asserted if every clause around it is, and if what embeds it is known to vouch for it:
"the auditors found that" does, "she dreamt that" does not, and neither does any verb, noun or
adjective that the vocabulary does not know. Negation and words such as "deny" turn a stance round,
and twice is none. What other sentences of a text do to one is not looked at here.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from sidelight.english.parser import FINITE, SUBJECTS, Sentence, child_of
from sidelight.english.vocabulary import (
    ASSERTS,
    FACTIVE,
    FALSE,
    IMPLIES,
    OPEN,
    STATEMENTS,
    STOPS,
    TRUE,
    UNREAL,
)

_CLAUSES = frozenset({"ccomp", "csubj", "csubjpass", "parataxis"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "dative", "pobj", "agent"})
_NEGATIVE = frozenset("no none nobody nothing neither nowhere never hardly scarcely nor".split())
_NOT_NEGATING = frozenset("only just merely simply less least surprisingly".split())
_CONDITIONS = frozenset("if unless whether lest provided assuming suppose supposing".split())
_INVERTED = frozenset("had were should".split())
_SO = frozenset("so given now except in such".split())
_WITHIN = frozenset("in by under within inside".split())
_WITHOUT = frozenset("without instead rather lacking except".split())


class Stance(IntEnum):
    """What a sentence does with one of its words."""

    DENIED = -1
    OPEN = 0
    ASSERTED = 1


class Meant(NamedTuple):
    """How a sentence is meant.

    Attributes:
        stances: What it does with each token.
        withheld: The tokens that it does not vouch for, negation aside. Who says that something
            did not happen vouches for that; who calls it a myth, or a rumour, does not.
    """

    stances: tuple[Stance, ...]
    withheld: frozenset[int]


def has_clause(sentence: Sentence) -> bool:
    """Tell whether a sentence has a finite verb with a subject."""
    return any(_is_finite(token) and child_of(token, SUBJECTS) for token in sentence.doc)


def _is_finite(token: Any) -> bool:
    return token.pos_ in {"VERB", "AUX"} and (
        token.tag_ in FINITE
        or any(c.dep_ in {"aux", "auxpass"} and c.tag_ in FINITE for c in token.children)
    )


@lru_cache(maxsize=4_096)  # pages that overlap share many sentences
def meaning(sentence: Sentence) -> Meant:
    """Return how a sentence is meant."""
    doc = sentence.doc
    everything = frozenset(range(len(doc)))
    if not everything or _end(sentence) in {"?", "!"}:
        return Meant((Stance.OPEN,) * len(doc), everything)
    found, withheld = [Stance.ASSERTED] * len(doc), set[int]()
    # With each token its stance but for its own negation, and whether the text vouches for it.
    pending = [(token, 1, 1) for token in doc if token.head.i == token.i]
    while pending:
        token, outer, vouched = pending.pop()
        force = _force(token)
        inner, within = outer * force, vouched * abs(force)
        found[token.i] = Stance(inner)
        if within < 1:
            withheld.add(token.i)
        for child in token.children:
            if child.dep_ == "conj":
                shares = token.pos_ not in {"VERB", "AUX"} or _shares_negation(token, child)
                pending.append((child, inner if shares else outer, within))
                continue
            edge = _edge(token, child)
            if child.dep_ in {"ccomp", "csubj"} and not FACTIVE.isdisjoint(_predicates(token)):
                # "few know that", "nobody was surprised to learn that" take it for granted.
                pending.append((child, abs(outer), vouched))
                continue
            embeds = child.dep_ in _CLAUSES or any(c.dep_ == "mark" for c in child.children)
            below = within * edge if embeds else within
            presupposed = child.dep_ in {"advcl", "appos"} or (child.dep_ == "relcl" and not embeds)
            if presupposed and inner < 0:
                # "not ..., because it rained": what is taken for granted stands.
                pending.append((child, within * abs(edge), below))
            else:
                pending.append((child, inner * edge, below))
    return Meant(tuple(found), frozenset(withheld))


def _end(sentence: Sentence) -> str:
    """Return the last character of a sentence, quotation marks aside."""
    return sentence.text.rstrip("\"'”’)")[-1:]


def _force(token: Any) -> int:
    """Return what a predicate does with its clause: -1 negates, 0 leaves open, 1 asserts."""
    marks = {c.lower_ for c in token.children if c.dep_ in {"mark", "advmod"} and c.i < token.i}
    if marks & _CONDITIONS or _is_order(token) or _is_inverted(token):
        return 0
    if token.pos_ not in {"VERB", "AUX"}:
        counted = token.dep_ in SUBJECTS | {"dobj", "attr", "oprd", "dative"}
        return -1 if _is_none(token) and not counted and token.head.dep_ != "agent" else 1
    if any(_leaves_open(token, child) for child in token.children):
        return 0
    return -1 if _is_negated(token) else 1


def _leaves_open(verb: Any, child: Any) -> bool:
    """Tell whether what depends on a verb leaves its clause open: "allegedly", "in a dream".

    People credit what "may" or "could" be as if it were.
    """
    return (
        (child.dep_ in {"ccomp", "nsubj"} and child.i < verb.i and _is_dismissed(child))
        or (child.dep_ == "advmod" and child.lemma_.lower() in UNREAL | FALSE | OPEN)
        or (child.dep_ == "prep" and child.lower_ in _WITHIN and _is_unreal(child))
    )


def _is_dismissed(clause: Any) -> bool:
    """Tell whether what stands before a clause makes it up: "she made it up, namely that"."""
    return clause.pos_ == "VERB" and _lemma(clause) in FALSE | OPEN and not _is_negated(clause)


def _is_order(token: Any) -> bool:
    return (
        token.tag_ == "VB"
        and token.dep_ == "ROOT"
        and not any(c.dep_ in SUBJECTS or c.dep_ in {"aux", "auxpass"} for c in token.children)
    )


def _is_inverted(verb: Any) -> bool:
    """Tell whether an auxiliary opens a clause that is no question: "had anybody shown that"."""
    subject = child_of(verb, SUBJECTS)
    return subject is not None and any(
        c.dep_ in {"aux", "auxpass"} and c.lower_ in _INVERTED and c.i == verb.left_edge.i
        for c in verb.children
        if c.i < subject.i
    )


def _is_unreal(phrase: Any) -> bool:
    """Tell whether a noun is of what is made up: "in a story", not "in the story of his life"."""
    words = list(_without_clauses(phrase))
    known = any(t.lower_ == "the" for t in words)
    return not known and any(t.lemma_.lower() in UNREAL | FALSE for t in words)


def _without_clauses(phrase: Any) -> Iterator[Any]:
    """Yield a token and what depends on it, but for clauses."""
    pending = [phrase]
    while pending:
        token = pending.pop()
        yield token
        pending += [c for c in token.children if c.dep_ not in {"relcl", "acl", "advcl", "pcomp"}]


def _is_negated(verb: Any) -> bool:
    for child in verb.children:
        if child.dep_ in {"neg", "advmod", "preconj"} and _negates(child):
            return True
        if child.dep_ == "advmod" and any(_negates(far) for far in child.children):
            return True  # "no longer"
        if child.dep_ in SUBJECTS | _OBJECTS and _is_none(child):
            return True
        if child.dep_ == "agent" and any(_is_none(far) for far in child.children):
            return True
        if child.dep_ in {"attr", "acomp"} and any(far.lower_ == "neither" for far in child.lefts):
            return True  # "is neither a doctor nor a dietitian"
    joined = [*verb.lefts, *(verb.head.rights if verb.dep_ == "conj" else ())]
    return any(t.lower_ == "nor" and t.i < verb.i for t in joined)  # "nor does it find fault"


def _is_none(noun: Any) -> bool:
    return noun.lower_ in _NEGATIVE or any(
        child.dep_ in {"det", "neg", "advmod"} and _negates(child) and child.i < noun.i
        for child in noun.children
    )


def _negates(token: Any) -> bool:
    if token.dep_ != "neg" and token.lower_ not in _NEGATIVE and token.lower_ != "not":
        return False
    after = token.doc[token.i + 1 : token.i + 2]
    return not (len(after) and after[0].lower_ in _NOT_NEGATING)


def _shares_negation(token: Any, other: Any) -> bool:
    """Tell whether a verb joined to another has no subject of its own and is joined by "or"."""
    joined = any(c.dep_ in {"cc", "preconj"} and c.lower_ in {"or", "nor"} for c in token.children)
    return joined and child_of(other, SUBJECTS) is None


def _edge(head: Any, child: Any) -> int:
    """Return whether a head vouches for what depends on it (1), denies it (-1) or neither (0)."""
    dep, found = child.dep_, 1
    if dep in _CLAUSES:
        found = _of_clause(head, child)
    elif dep in {"advcl", "appos", "dep"}:
        found = _of_adjunct(head, child)
    elif dep == "xcomp":
        found = _of_infinitive(head, child)
    elif dep in {"acl", "relcl"}:
        found = _of_noun(head, child)
    elif dep in {"prep", "pcomp", "pobj", "dobj"}:
        found = _of_phrase(head, child)
    return found


def _of_adjunct(head: Any, child: Any) -> int:
    marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "advmod"} and c.i < child.i}
    if "that" in marks and not marks & _SO:
        return _of_clause(head, child)
    lies = child.dep_ == "advcl" and _lemma(head) in FALSE and child_of(head, _OBJECTS) is None
    return 0 if lies else 1


def _of_clause(head: Any, clause: Any) -> int:
    """Return whether a verb or adjective vouches for a clause that it takes."""
    if clause.dep_ in {"ccomp", "parataxis"} and clause.i < head.i and _is_split(clause, head):
        return 1
    if clause.dep_ == "parataxis" and clause.i > head.i and _lemma(head) not in FALSE | OPEN:
        return 1
    if not _is_finite(clause):
        return _of_infinitive(head, clause)  # "made it public", "reading helps"
    for word in _predicates(head):
        if word in FALSE:
            return -1
        if word in TRUE | ASSERTS:
            return 1
    return 1 if _lemma(head) in IMPLIES else 0


def _is_split(clause: Any, head: Any) -> bool:
    """Tell whether a semicolon, colon or dash parts two clauses, so that each stands alone."""
    return any(token.text in {";", ":", "–", "—", "-"} for token in head.doc[clause.i : head.i])


def _predicates(head: Any) -> Iterator[str]:
    """Yield what says how a clause is meant: the complement of "be", then the verb itself."""
    for child in head.children:
        if child.dep_ in {"acomp", "attr", "oprd"}:
            yield _lemma(child)
        if child.dep_ == "csubj" and head.lemma_ == "be":
            yield from _predicates(child)  # "what is certain is that"
        if child.dep_ == "prep" and head.lemma_ == "be":
            yield from (_lemma(far) for far in child.children if far.dep_ == "pobj")
    yield _lemma(head)


def _lemma(token: Any) -> str:
    """Return a lemma, with the particle of a phrasal verb."""
    particle = next((child.lower_ for child in token.children if child.dep_ == "prt"), "")
    return f"{token.lemma_.lower()} {particle}".strip()


def _of_infinitive(head: Any, child: Any) -> int:
    lemma = _lemma(head)
    if lemma in FALSE | STOPS:
        return -1
    if child.pos_ not in {"VERB", "AUX"}:
        return 1
    used_to = head.tag_ == "VBD" and lemma == "use"
    advised = any(c.dep_ == "mark" and c.lower_ == "that" for c in child.children)  # "that it be"
    hoped = any(word in OPEN for word in _predicates(head))
    return 0 if used_to or advised or hoped else 1


def _of_noun(noun: Any, child: Any) -> int:
    lemma = noun.lemma_.lower()
    if lemma in FALSE or _is_unreal(noun):
        return -1 if lemma in FALSE else 0
    if lemma in OPEN:
        return 0
    complement = child.dep_ == "acl" and any(c.dep_ == "mark" for c in child.children)
    relative = any(
        c.lower_ in {"that", "which", "who"} and c.dep_ in SUBJECTS | _OBJECTS
        for c in child.children
    )
    if (complement or lemma in STATEMENTS) and not relative and child.tag_ not in {"VBN", "VBG"}:
        return 1 if lemma in ASSERTS | TRUE else 0
    return 1


def _of_phrase(head: Any, child: Any) -> int:
    if child.dep_ in {"pobj", "pcomp"} and head.lower_ in _WITHOUT:
        return -1
    lemma = _lemma(head)
    if child.dep_ in {"dobj", "prep"} and lemma in {"lack", "absence"}:
        return -1
    if child.dep_ == "prep" and head.pos_ == "NOUN" and lemma in FALSE:
        return 0
    claimed = lemma in FALSE and child.lemma_ in STATEMENTS | ASSERTS
    if child.dep_ == "dobj" and (lemma in OPEN or claimed):
        return 0
    return 1
