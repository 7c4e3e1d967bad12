"""Veridicality by the parse: what a text asserts, denies, or leaves open, word by word.

A clause is asserted if every clause around it is, and if what embeds it is known to vouch for it:
"the auditors found that" does, "she dreamt that" does not, and neither does any verb, noun or
adjective that the vocabulary does not know. Negation and words such as "deny" turn a stance round,
and twice is none. A clause with "this" or "the claim" may take back the sentence before it, or the
rest of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from sidelight.english.parser import FINITE, SUBJECTS, Sentence, child_of
from sidelight.english.vocabulary import (
    ASSERTS,
    FACTIVE,
    FALSE,
    IDIOMS,
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
_THIS = frozenset("this that it these those which all none nothing everything such so".split())
_RELATIVE = frozenset({"this", "that", "which", "these", "those"})
_ELSE = frozenset({"another", "other"})
_US = frozenset({"i", "we"})
_AHEAD = frozenset("following below next here".split())
_MANY_AHEAD = frozenset("none nothing all everything".split())
_SHORT = 10  # tokens of a verdict without a verb
_BACK = frozenset("above preceding previous foregoing last".split())


class Stance(IntEnum):
    """What a text does with one of its words."""

    DENIED = -1
    OPEN = 0
    ASSERTED = 1


class Meant(NamedTuple):
    """How a text means a sentence.

    Attributes:
        stances: What it does with each token.
        withheld: The tokens that it does not vouch for, negation aside. Who says that something
            did not happen vouches for that; who calls it a myth, or a rumour, does not.
    """

    stances: tuple[Stance, ...]
    withheld: frozenset[int]


def meanings(sentences: Sequence[Sentence]) -> list[Meant]:
    """Return how a text means each of its sentences, some of which take back others."""
    taken: dict[int, int] = {}
    for place, sentence in enumerate(sentences):
        turned = 0 if _is_impossible(sentence.doc) else _retraction(sentence, alone=False)
        if turned is None:
            continue
        reach: Sequence[int]
        words = {token.lower_ for token in sentence.doc}
        if any(_is_ahead(token) for token in sentence.doc):
            last = len(sentences) if words & _MANY_AHEAD else place + 2
            reach = range(place + 1, min(last, len(sentences)))
        elif words & _BACK and words & _MANY_AHEAD:
            reach = range(place)
        else:
            reach = list(_about(sentences, place))
        for other in reach:
            taken[other] = turned
    return [
        _taken_back(_meant(sentence), taken.get(place)) for place, sentence in enumerate(sentences)
    ]


def _is_ahead(token: Any) -> bool:
    """Tell whether a word points to what follows: "the following", but not "the next day"."""
    return token.lower_ in _AHEAD and (token.lower_ != "next" or token.head.lemma_ in STATEMENTS)


def _taken_back(meant: Meant, turned: int | None) -> Meant:
    """Return how a sentence is meant that is called false (-1) or is left open (0)."""
    if turned is None:
        return meant
    return Meant(
        tuple(
            Stance(turned) if stance is Stance.ASSERTED else Stance.OPEN for stance in meant.stances
        ),
        frozenset(range(len(meant.stances))),
    )


def _about(sentences: Sequence[Sentence], place: int) -> Iterator[int]:
    """Yield the sentences that one at a place is about: the one before, and what that is about."""
    while place:
        place -= 1
        yield place
        if not any(t.lower_ in _THIS or t.lemma_ in STATEMENTS for t in sentences[place].doc[:3]):
            return


def has_clause(sentence: Sentence) -> bool:
    """Tell whether a sentence has a finite verb with a subject."""
    return any(_is_finite(token) and child_of(token, SUBJECTS) for token in sentence.doc)


def _is_finite(token: Any) -> bool:
    return token.pos_ in {"VERB", "AUX"} and (
        token.tag_ in FINITE
        or any(c.dep_ in {"aux", "auxpass"} and c.tag_ in FINITE for c in token.children)
    )


@lru_cache(maxsize=4_096)  # pages that overlap share many sentences
def _meant(sentence: Sentence) -> Meant:
    """Return how a sentence by itself is meant."""
    doc = sentence.doc
    everything = frozenset(range(len(doc)))
    if not everything or _end(sentence) in {"?", "!"} or _mocks(doc):
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
    opened = _opened_by_marks(sentence)
    found = [Stance.OPEN if place in opened else stance for place, stance in enumerate(found)]
    meant = Meant(tuple(found), frozenset(withheld | opened))
    return _taken_back(meant, _retraction(sentence, alone=True))


def _end(sentence: Sentence) -> str:
    """Return the last character of a sentence, quotation marks aside."""
    return sentence.text.rstrip("\"'”’)")[-1:]


def _mocks(doc: Any) -> bool:
    """Tell whether a sentence is said tongue in cheek: "oh sure", "and pigs fly"."""
    if _is_impossible(doc):
        return True
    for token in doc:
        if token.tag_ == "UH" and token.lower_ not in {"yes", "well", "indeed", "no"}:
            return True
        first_person = token.dep_ == "nsubj" and token.lower_ == "i" and token.tag_ == "PRP"
        if first_person and token.head.dep_ == "conj" and token.head.head.i < token.head.i:
            return True
    return False


def _is_impossible(doc: Any) -> bool:
    lemmas = {token.lemma_.lower() for token in doc}
    return any(pair <= lemmas for pair in IDIOMS)


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


def _opened_by_marks(sentence: Sentence) -> set[int]:
    """Return the tokens that marks keep from being said: after "Rumour:", or quoted by nobody."""
    doc = sentence.doc
    found: set[int] = set()
    colon = next((token.i for token in doc if token.text == ":"), 0)
    if colon:
        before = list(doc[:colon])
        orders = before[0].tag_ == "VB" and before[0].lemma_ not in ASSERTS
        if orders or any(calls_false(t) or t.lemma_ in OPEN | {"claim"} for t in before):
            found |= set(range(colon, len(doc)))
    if doc[0].dep_ == "mark" and doc[0].head.dep_ == "ROOT" and any(map(calls_false, doc)):
        found |= set(range(len(doc)))  # "That ... is a myth", parsed as if it ended before "is"
    quoted = [place for place, inside in enumerate(sentence.quoted) if inside]
    if any(_is_finite(doc[place]) for place in quoted):
        speakers = [
            t for t in doc if t.lemma_ in ASSERTS and t.pos_ == "VERB" and not sentence.quoted[t.i]
        ]
        if not speakers and len(quoted) < len(doc) - 2:
            found |= set(quoted)
    return found


@lru_cache(maxsize=4_096)
def _retraction(sentence: Sentence, *, alone: bool) -> int | None:
    """Return what a sentence does to others or, `alone`, a clause of it to the rest.

    -1 says that it is false, 0 leaves it open; None where nothing is done.
    """
    doc = sentence.doc
    if not alone:
        if len(doc) > 1 and doc[1].is_punct and _end(sentence) != "?":
            if _lemma(doc[0]) in FALSE | {"not", "no", "never", "nope"}:
                return -1
            if doc[0].lower_ in {"yes", "well", "indeed"}:
                return None
            if doc[0].tag_ == "UH" or doc[0].lower_ in {"yeah", "sure", "right", "ha"}:
                return 0
        if not has_clause(sentence):
            return _of_fragment(doc)
    turned = None
    for token in doc:
        if _points(token, alone=alone) and (alone or not _is_supposed(token)):
            turned = _said_of(token, alone=alone)
        if turned is not None:
            return turned
    against = any(t.lower_ in {"otherwise", "opposite", "contrary"} for t in doc[1:])
    return -1 if against and not alone else None


def _of_fragment(doc: Any) -> int | None:
    """Return what a few words without a clause do to the sentence before them: "Answer: false."."""
    if not len(doc) or doc[0].lower_ in _ELSE:
        return None
    evidence = [t for t in doc if t.lemma_.lower() in FALSE | UNREAL | _NEGATIVE | {"not"}]
    bare = not any(t.pos_ in {"NOUN", "PROPN"} and t not in evidence for t in doc[:3])
    verdict = len(doc) <= _SHORT and any(
        calls_false(t) and (t.dep_ == "ROOT" or t.nbor(-1).text == ":") for t in doc[1:]
    )
    return -1 if evidence and (bare or verdict) else None


def _said_of(token: Any, *, alone: bool) -> int | None:
    """Return what is said of what a token stands for."""
    if token.doc[-1].text == "?" and not alone:
        # "Is it true?"; but "Does it make children restless?" is on the matter, not on the text.
        of_matter = token.lower_ in {"it", "its"} and any(
            other.pos_ in {"NOUN", "PROPN"} and other.lemma_ not in STATEMENTS
            for other in token.doc
        )
        return None if of_matter else 0
    if any(calls_false(other) for other in _predicates_of(token, alone=alone)):
        return -1
    what = any(t.lower_ == "what" for t in token.doc[token.i : token.i + 4])
    return 0 if token.head.lemma_ == "be" and what else None


def _points(token: Any, *, alone: bool) -> bool:
    """Tell whether a token stands for what is said elsewhere, as an argument of its clause."""
    word = token.lower_
    argument = token.dep_ in SUBJECTS | _OBJECTS or token.dep_ in {"advmod", "prep"}
    if word == "it" and any(_is_stated(before) for before in token.doc[: token.i]):
        return False  # "The statement that ... was wrong, but the council considers it minor"
    if word in _US and token.dep_ in SUBJECTS:
        return any(t.lemma_.lower() in FALSE for t in (token.head, *token.head.children))
    if token.lemma_ in STATEMENTS:
        return argument and not alone and _is_bare_definite(token)
    if _is_ahead(token):
        return not alone
    return word in (_THIS & _RELATIVE if alone else _THIS) and _is_pronoun(token)


def _is_supposed(token: Any) -> bool:
    """Tell whether a token stands in a condition: "if you think that we are wrong"."""
    clauses = (one for head in (token, *token.ancestors) for one in head.children)
    return any(one.dep_ == "mark" and one.lower_ in {"if", "unless", "whether"} for one in clauses)


def _is_stated(noun: Any) -> bool:
    """Tell whether a noun such as "statement" has what it states beside it."""
    return noun.lemma_ in STATEMENTS and any(c.dep_ in {"acl", "relcl"} for c in noun.children)


def _is_pronoun(token: Any) -> bool:
    """Tell whether a word such as "this" is an argument, and not the mark of a clause."""
    word, head = token.lower_, token.head
    argument = token.dep_ in SUBJECTS | _OBJECTS or token.dep_ in {"advmod", "prep"}
    if word in {"so", "such"}:
        return argument and head.lemma_ in {"be", "do"}
    if token.dep_ == "pobj":
        return head.head.dep_ in SUBJECTS | _OBJECTS or head.head.tag_ == "VBN"
    if word == "this" and token.tag_ == "DT" and token.i + 1 < len(token.doc):
        argument = argument or token.nbor().is_punct  # "and records refute, this."
    noun = head.head  # as in "..., a claim that has been debunked"
    behind_comma = noun.left_edge.i > 0 and noun.left_edge.nbor(-1).is_punct
    relative = word == "that" and head.dep_ == "relcl"
    modifies = token.dep_ in {"mark", "det", "advmod"} or (word == "it" and _announces(head))
    return (
        argument and not modifies and (not relative or (behind_comma and noun.lemma_ in STATEMENTS))
    )


def _announces(verb: Any) -> bool:
    """Tell whether the subject of a verb stands for a clause behind it: "it is false that"."""
    complements = [c for c in verb.children if c.dep_ in {"acomp", "attr", "oprd", "prep"}]
    return any(
        clause.dep_ in {"ccomp", "csubj", "acl", "advcl"}
        and any(c.dep_ == "mark" and c.lower_ in {"that", "whether"} for c in clause.children)
        for head in (verb, *complements)
        for clause in head.children
        if clause.i > verb.i
    )


def _is_bare_definite(noun: Any) -> bool:
    """Tell whether a noun is definite and nothing behind it says which: "the claim"."""
    return any(
        c.dep_ in {"det", "amod", "poss"} and c.lower_ not in _ELSE | {"a", "an", "no", "some"}
        for c in noun.children
    ) and not any(c.dep_ in {"prep", "acl", "relcl", "appos"} for c in noun.children)


def _predicates_of(token: Any, *, alone: bool) -> Iterator[Any]:
    """Yield the verb that has a token among its arguments, and what completes that verb."""
    head = token
    while head.head.i != head.i and (head.i == token.i or head.pos_ not in {"VERB", "AUX"}):
        head = head.head
    pending = [head]
    while pending:
        word = pending.pop()
        yield word
        completes = {"acomp", "attr", "oprd", "xcomp", "conj", "dobj", "amod", "neg", "advmod"}
        if not alone:
            completes |= {"ccomp"}
        if word.lemma_ == "be" or word.pos_ != "VERB":
            completes |= {"prep", "pobj"}
        if token.dep_ == "attr":
            completes |= {"nsubj"}  # "Wrong is this."
        pending += [c for c in word.children if c.dep_ in completes and c.i != token.i]


def calls_false(token: Any) -> bool:
    """Tell whether a token says that something is not so."""
    lemma = _lemma(token)
    verb = token
    while verb.pos_ not in {"VERB", "AUX"} and verb.head.i != verb.i:
        verb = verb.head
    negated = verb.pos_ in {"VERB", "AUX"} and (_is_negated(verb) or _is_none(token))
    if lemma in FALSE | UNREAL:
        return not negated and not (token.dep_ == "pobj" and token.head.lower_ == "beyond")
    return lemma in TRUE and negated
