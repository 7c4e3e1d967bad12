"""Why a sentence does not say an item although it has the item's words, by the parse of both.

It takes the item back or leaves it open (see `english.veridicality`), has no clause, says it with
an antonym or of fewer, gives another quantity, names somebody else, or turns round who does what
to whom. All but the first need most of the item's words; where less is shared, the model's weights
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from sidelight.english.parser import parse
from sidelight.english.veridicality import Stance, has_clause, meaning
from sidelight.english.vocabulary import (
    ALL_OF,
    ESTIMATES,
    MONTHS,
    MUTUAL,
    OPPOSITES,
    SOME_OF,
)
from sidelight.learned.reading.tables import frequencies
from sidelight.learned.reading.words import Sentence, stem

_OTHERWISE = 0.5  # share of what both say, by weight, that is meant otherwise
_MOST = 0.6  # share of a group of words from which the group is said
ALL_BUT = 0.75  # share of an item's words from which it matters how they are meant
_COPIED = 0.6  # share of a sentence's words in the item from which it is a copy
_LITTLE_ELSE = 0.4  # the same, from which details are compared
_MOST_WORDS = 0.5  # the same, names and figures apart or not, from which details are compared
_PRONOUNS = frozenset("he she it they him her them his its their we who which".split())
_SUBJECT, _OBJECT = "subject", "object"
_NEXT = 3  # words before and behind a figure or name that tell it from another
_ALIKE = 3  # letters with which words begin that may be one word
_REPLACED = 2  # words that either lacks of the other, where one may stand in the other's place
_FEW = 3  # nouns of a sentence that are not the item's, where it may be a copy of it
_PREFIXES = ("un", "in", "im", "ir", "dis", "non")


class Conflict(NamedTuple):
    """Why a sentence does not say an item, and whether both cannot be true."""

    reason: str
    contradicts: bool = False


@dataclass(frozen=True, eq=False)
class Said:
    """A sentence with its parse and what its text does with each word; see `veridicality.Meant`."""

    sentence: Sentence
    parse: Any
    stances: tuple[Stance, ...]
    withheld: frozenset[int]

    @cached_property
    def is_withheld(self) -> bool:
        """Whether its text does not vouch for most of it: "it is false that", a rumour."""
        stems = [one for one in self.stems if one]
        unsaid = [one for place, one in enumerate(self.stems) if one and place in self.withheld]
        return bool(stems) and _weight(unsaid) > _OTHERWISE * _weight(stems)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stem of each token; empty for words without content."""
        # What was written anew is a figure or its unit, which are compared by themselves.
        kept = set(self.sentence.words) - {"percent"}
        return tuple(
            stem(t.lemma_.lower() if t.pos_ == "VERB" else t.lower_)
            if t.text[0].isalpha() and t.lower_.replace("’", "'") in kept
            else ""
            for t in self.parse.doc
        )

    @cached_property
    def by_stance(self) -> dict[str, set[Stance]]:
        """Stem -> how its occurrences are meant."""
        found: dict[str, set[Stance]] = {}
        for one, stance in zip(self.stems, self.stances, strict=True):
            if one:
                found.setdefault(one, set()).add(stance)
        return found

    @cached_property
    def has_clause(self) -> bool:
        """Whether it has a finite verb with a subject."""
        return has_clause(self.parse)

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The stems of each name: neighbouring words with a capital."""
        found: list[set[str]] = []
        last = -2
        for token, one in zip(self.parse.doc, self.stems, strict=True):
            if not (one and token.pos_ == "PROPN" and token.text[0].isupper()):
                continue
            if token.text.capitalize() in MONTHS or any(map(str.isdigit, one)):
                continue
            if token.i == last + 1:
                found[-1].add(one)
            else:
                found.append({one})
            last = token.i
        return tuple(map(frozenset, found))

    @cached_property
    def roles(self) -> dict[str, dict[str, frozenset[str]]]:
        """Stem of a predicate -> role -> stems of who or what fills it."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for token in self.parse.doc:
            if filled := self._roles_of(token):
                for key, roles in filled.items():
                    found.setdefault(key, roles)
        return found

    def _roles_of(self, token: Any) -> dict[str, dict[str, frozenset[str]]]:
        if token.pos_ not in {"VERB", "AUX", "NOUN"}:
            return {}
        roles: dict[str, frozenset[str]] = {}
        keys = [self.stems[token.i]]
        noun = token.pos_ == "NOUN"
        for child in token.children:
            if child.dep_ in {"nsubj", "csubj"} or (noun and child.dep_ == "poss"):
                roles[_SUBJECT] = self._phrase(child)
            elif child.dep_ in {"nsubjpass", "dobj"}:
                roles[_OBJECT] = self._phrase(child)
            elif child.dep_ == "dative" and child.pos_ != "ADP":
                roles["to"] = self._phrase(child)
            elif child.dep_ in {"prep", "agent", "dative"}:
                self._add_prepositions(child, roles)
            elif child.dep_ in {"acomp", "attr"} and token.lemma_ == "be":
                keys.append(self.stems[child.i])
                for far in child.children:
                    if far.dep_ == "prep":
                        self._add_prepositions(far, roles)
        if _SUBJECT not in roles and not noun:
            inherited = self._inherited_subject(token)
            if inherited is not None and _OBJECT not in roles:
                roles[_SUBJECT] = inherited
        return {key: roles for key in keys if key and len(roles) > 1}

    def _inherited_subject(self, verb: Any) -> frozenset[str] | None:
        while verb.dep_ in {"conj", "xcomp"} and verb.head.i != verb.i:
            verb = verb.head
            for child in verb.children:
                if child.dep_ == "nsubj":
                    return self._phrase(child)
        return None

    def _add_prepositions(self, preposition: Any, roles: dict[str, frozenset[str]]) -> None:
        for far in preposition.children:
            if far.dep_ == "pobj":
                by = preposition.lower_ == "by"
                roles.setdefault(_SUBJECT if by else preposition.lower_, self._phrase(far))

    def _phrase(self, head: Any) -> frozenset[str]:
        """Return the stems of a noun and of what names it."""
        found = {self.stems[head.i]}
        for child in head.children:
            if child.dep_ in {"compound", "appos", "nummod", "conj", "nmod"}:
                found |= self._phrase(child)
            elif child.dep_ == "prep" and child.lower_ == "of":
                found |= set().union(*(self._phrase(far) for far in child.children))
        return frozenset(found - {""})


@lru_cache(maxsize=4_096)
def said_of(sentences: tuple[Sentence, ...]) -> tuple[Said, ...]:
    """Return the sentences of one text, parsed."""
    parsed = parse([sentence.text for sentence in sentences])
    return tuple(
        Said(sentence, tree, meant.stances, meant.withheld)
        for sentence, tree, meant in zip(sentences, parsed, map(meaning, parsed), strict=True)
    )


def conflict(
    item: Said,
    said: Said,
    overlap: float,
    known: frozenset[str],
    *,
    alone: bool = False,
    takes_back: Callable[[Conflict | None], bool] | None = None,
) -> Conflict | None:
    """Return why a sentence does not say an item, or None.

    The overlap is the weighted share of the item's stems in the sentence, in [0, 1]; `known` are
    the stems of the whole text, and it is `alone` where no sentence of that has a clause.
    `takes_back` says whether what stands around the item takes it back, given what the parse of
    the sentence has against it; None leaves it at the parse.
    """
    rest, returned = max(overlap, _shared(item, said)), _shared(said, item)
    is_close = rest >= _MOST_WORDS and returned >= _LITTLE_ELSE
    is_copy = is_close or min(_but_one(item, said), _but_one(said, item)) >= _COPIED
    opposed = _opposite(item, said) if is_copy else None
    if opposed and _compares_conversely(item, said):
        return None
    found = None
    if overlap >= ALL_BUT:
        found = meant_otherwise(item, said, turned=opposed is not None)
        if takes_back and not opposed:
            around = found or Conflict("what stands around it takes it back")
            found = around if takes_back(found) else None
    if found:
        return found
    if item.has_clause and not said.has_clause and (returned >= _COPIED or alone):
        return Conflict("it is no statement")
    if opposed and _denies(item, opposed[0]) == _denies(said, opposed[1]):
        word, other = (token.lemma_.lower() for token in opposed)
        return Conflict(f"it says {other!r} instead of {word!r}", contradicts=True)
    if not is_close:
        return _other_noun(item, said) if is_copy else None
    return (
        _other_figure(item, said)
        or _other_scope(item, said)
        or _other_name(item, said, known)
        or _other_roles(item, said)
        or _other_noun(item, said)
    )


def _denies(said: Said, word: Any) -> bool:
    """Tell whether a sentence denies anything but what a word of it denies: "refused to pay"."""
    return any(
        stance is Stance.DENIED and not word.is_ancestor(token)
        for token, stance in zip(said.parse.doc, said.stances, strict=True)
    )


def _shared(one: Said, other: Said) -> float:
    """Return the weighted share of a sentence's stems, names and figures apart, in another."""
    rest = _plain(one.sentence)
    return _weight(rest & other.sentence.content) / _weight(rest) if rest else 1.0


def _but_one(one: Said, other: Said) -> float:
    """Return the same apart from one stem, which may be what was replaced; 0 if few are shared."""
    rest = _plain(one.sentence)
    lacking = sorted(rest - other.sentence.content)
    if len(lacking) > _REPLACED or len(lacking) == len(rest):
        return 0.0
    if lacking:
        rest -= {max(lacking, key=frequencies().weight)}
    return _weight(rest & other.sentence.content) / _weight(rest)


def _plain(sentence: Sentence) -> frozenset[str]:
    """Return the stems of a sentence that are no names and no figures."""
    return frozenset(one for one in sentence.content - sentence.names if not one[0].isdigit())


def _weight(stems: Iterable[str]) -> float:
    weigh = frequencies().weight
    return sum(weigh(one) for one in sorted(stems))


def meant_otherwise(item: Said, said: Said, *, turned: bool) -> Conflict | None:
    """Return whether words that both share are asserted by one and not by the other."""
    sign = -1 if turned else 1
    # Who says that something is so says that it may be, too.
    ours = {one: _held(found) for one, found in item.by_stance.items()}
    theirs = {one: {Stance(sign * s) for s in found} for one, found in said.by_stance.items()}
    if _estimates(item) and _estimates(said):  # "expects" holds what "estimates" does
        theirs = {one: _held(found) for one, found in theirs.items()}
    shared = ours.keys() & theirs.keys()
    differing = {one for one in shared if not ours[one] & theirs[one]}
    groups: list[tuple[Mapping[str, set[Stance]], set[str]]] = [(ours, set(shared))]
    for side in (ours, theirs):
        for stance in Stance:
            group = {one for one, found in side.items() if found == {stance}}
            if group and _weight(group & shared) >= _MOST * _weight(group):
                groups.append((side, group & shared))
    alike = any(Stance.DENIED in ours[one] & theirs[one] for one in shared)
    for _, group in groups:
        wrong = group & differing
        if _weight(wrong) > _OTHERWISE * _weight(group):
            if any(Stance.OPEN in ours[one] | theirs[one] for one in wrong):
                return Conflict("it is not asserted")
            if not alike:  # "has no teacher" and "is without a teacher" deny the same
                return Conflict("it is denied", contradicts=True)
    return None


def _held(found: set[Stance]) -> set[Stance]:
    """Return stances, and what is left open as asserted, too."""
    return found | {Stance.ASSERTED} if Stance.OPEN in found else found


def _estimates(said: Said) -> bool:
    """Tell whether somebody in a sentence estimates, expects or predicts something."""
    return any(
        token.pos_ == "VERB" and token.lemma_ in ESTIMATES and stance is Stance.ASSERTED
        for token, stance in zip(said.parse.doc, said.stances, strict=True)
    )


def _opposite(item: Said, said: Said) -> tuple[Any, Any] | None:
    """Return a word of an item and its opposite in the sentence, or None."""
    ours, theirs = _forms(item), _forms(said)
    for word in sorted(ours.keys() - theirs):
        for other in sorted(theirs.keys() - ours):
            opposed = other in OPPOSITES.get(word, ()) or _is_prefixed(word, other)
            if opposed and not _is_converse(item, said, ours[word], theirs[other]):
                return ours[word], theirs[other]
    return None


def _forms(said: Said) -> dict[str, Any]:
    """Return the tokens of a sentence by word, by lemma, and by verb with its particle."""
    found: dict[str, Any] = {}
    for token in said.parse.doc:
        if token.pos_ == "PROPN":
            continue
        particles = [c.lower_ for c in token.children if c.dep_ in {"prt", "advmod"}]
        lemma = token.lemma_.lower()
        forms = (token.lower_, lemma, *(f"{lemma} {particle}" for particle in particles))
        found.update(dict.fromkeys(forms, token))
    return found


def _is_converse(item: Said, said: Said, ours: Any, theirs: Any) -> bool:
    """Tell whether two verbs say the same of each other's subjects: "buy from", "sell to"."""
    mine, its = (one.roles.get(one.stems[t.i], {}) for one, t in ((item, ours), (said, theirs)))
    subject, other = (roles.get(_SUBJECT, frozenset()) for roles in (mine, its))
    elsewhere = any(subject & its[role] for role in its if role != _SUBJECT)
    return elsewhere and not subject & other


def _compares_conversely(item: Said, said: Said) -> bool:
    """Tell whether both compare two things, each with the other one behind "than"."""
    ours, theirs = _behind_than(item), _behind_than(said)
    return bool(ours) and bool(theirs) and not ours & theirs and ours <= said.by_stance.keys()


def _behind_than(said: Said) -> set[str]:
    than = next((token.i for token in said.parse.doc if token.lower_ == "than"), None)
    return set() if than is None else {one for one in said.stems[than + 1 :] if one} - {"one"}


def _is_prefixed(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES)


def _other_scope(item: Said, said: Said) -> Conflict | None:
    """Return whether a sentence says of some what the item says of all, or the reverse."""
    ours, theirs = _scopes(item), _scopes(said)
    for one in sorted(ours.keys() & theirs.keys()):
        if ours[one] != theirs[one]:
            return Conflict("it is said of others in number")
    return None


def _scopes(said: Said) -> dict[str, bool]:
    """Return for each noun that is counted roughly whether all of it is meant."""
    found: dict[str, bool] = {}
    for token in said.parse.doc:
        word = token.lower_
        if word not in ALL_OF | SOME_OF:
            continue
        noun = token.head
        if token.pos_ == "PRON" or token.dep_ not in {"det", "amod", "predet"}:
            noun = next((far for to in token.children for far in to.children), token.head)
        if said.stems[noun.i]:
            counted = said.stems[noun.i]
            found[counted] = found.get(counted, True) and word in ALL_OF  # "half of all"
    return found


def _other_figure(item: Said, said: Said) -> Conflict | None:
    """Return whether a sentence replaces a figure of an item by another of its kind."""
    wanted, given = item.sentence.numbers, said.sentence.numbers
    ours, theirs = _kinds(item.sentence), _kinds(said.sentence)
    for kind in sorted(ours.keys() & theirs.keys()):
        lacking, others = ours[kind] - given - theirs[kind], theirs[kind] - wanted - ours[kind]
        exchanged = not ours[kind] & theirs[kind] and theirs[kind] <= wanted
        if (lacking and others) or exchanged:
            other, figure = min(others or theirs[kind]), min(lacking or ours[kind])
            return Conflict(f"it gives {other} instead of {figure}", contradicts=True)
    if wanted and given and not wanted & given and len(wanted) == len(given) == 1:
        return Conflict(f"it gives {min(given)} instead of {min(wanted)}", contradicts=True)
    if pair := _exchanged(item.sentence.figures, said.sentence.figures, item, said):
        return Conflict(f"it exchanges {pair[0]} and {pair[1]}", contradicts=True)
    return None


def _exchanged(
    wanted: tuple[str, ...], given: tuple[str, ...], item: Said, said: Said
) -> tuple[str, str] | None:
    """Return two figures or names of an item that stand in each other's places in a sentence.

    Each has only the other's neighbouring words, and none of its own.
    """
    ours, theirs = _around(wanted, item.sentence), _around(given, said.sentence)
    both = sorted(ours.keys() & theirs.keys())
    for place, one in enumerate(both):
        for other in both[place + 1 :]:
            mine, its = ours[one] - ours[other], ours[other] - ours[one]
            stays = mine & theirs[one] or its & theirs[other]
            if mine & theirs[other] and its & theirs[one] and not stays:
                return one, other
    return None


def _around(marked: tuple[str, ...], sentence: Sentence) -> dict[str, set[str]]:
    """Return for each figure or name of a sentence the stems of the words next to it."""
    found: dict[str, set[str]] = {}
    for place, one in enumerate(marked):
        if one:
            near = range(max(0, place - _NEXT), min(len(marked), place + _NEXT + 1))
            words = {sentence.stems[at] or sentence.words[at] for at in near if not marked[at]}
            found.setdefault(one, set()).update(words)
    return found


def _kinds(sentence: Sentence) -> dict[str, frozenset[str]]:
    """Return the figures of each kind: years, days of a month, what is counted, from, to."""
    found: dict[str, set[str]] = {}
    words = sentence.words
    for place, figure in enumerate(sentence.figures):
        if not figure:
            continue
        before = words[place - 1] if place else ""
        after = [
            sentence.stems[at] or words[at]
            for at in range(place + 1, min(place + 2, len(words)))
            if not sentence.figures[at]
        ]
        is_year = len(figure) == 4 and figure[:2] in {"15", "16", "17", "18", "19", "20"}
        counted = after and sentence.stems[place + 1]
        if is_year and not counted:
            found.setdefault("year", set()).add(figure)
        elif counted:
            found.setdefault(after[0], set()).add(figure)
        if before in {"from", "to", "by"}:
            found.setdefault(before, set()).add(figure)
    for word in words:
        if word.capitalize() in MONTHS:
            found.setdefault("month", set()).add(word)
    return {kind: frozenset(figures) for kind, figures in found.items()}


def _other_name(item: Said, said: Said, known: frozenset[str]) -> Conflict | None:
    """Return whether a sentence names somebody else in the place of a name of the item."""
    stems = said.sentence.content | frozenset(said.by_stance)
    ours = item.sentence.content | frozenset(item.by_stance)
    foreign = [name for name in said.names if not name & ours]
    for name in item.names:
        if name & stems:
            if any(
                name & other
                and name - other
                and other - name
                and not other - name <= ours
                and not name - other <= stems
                for other in said.names
            ):
                return Conflict("it is said of another of that name")
            continue
        pronoun = any(token.lower_ in _PRONOUNS for token in said.parse.doc)
        if foreign and not (pronoun and name & known):
            return Conflict("it is said of somebody else")
    return None


def _other_noun(item: Said, said: Said) -> Conflict | None:
    """Return whether a copy of the item has other nouns in the place of some of its nouns."""
    ours, theirs = _slots(item), _slots(said)
    lacking, foreign = ours.keys() - said.by_stance.keys(), theirs.keys() - item.by_stance.keys()
    described = {
        one
        for token, one in zip(item.parse.doc, item.stems, strict=True)
        if token.dep_ == "amod" and item.stems[token.head.i] in lacking
    }
    others = item.by_stance.keys() - lacking - described
    if max(len(lacking), len(foreign)) > _FEW or not others or others - said.by_stance.keys():
        return None
    for noun in sorted(lacking):
        for other in sorted(foreign):
            if theirs[other] & ours[noun] and other[:_ALIKE] != noun[:_ALIKE]:
                return Conflict("it is said of something else")
    return None


def _slots(said: Said) -> dict[str, set[tuple[str, str]]]:
    """Return for each noun the relations that it stands in, each with the stem of its head."""
    found: dict[str, set[tuple[str, str]]] = {}
    for token, one in zip(said.parse.doc, said.stems, strict=True):
        if one and token.pos_ in {"NOUN", "PROPN"}:
            head = token.head
            key = said.stems[head.i] or head.lower_
            if token.dep_ == "pobj":
                key = f"{key} {said.stems[head.head.i]}"
            found.setdefault(one, set()).add((token.dep_, key))
    return found


def _other_roles(item: Said, said: Said) -> Conflict | None:
    """Return whether two who fill roles of one predicate have changed places."""
    for key in sorted(item.roles.keys() & said.roles.keys()):
        if key in MUTUAL:
            continue
        ours, theirs = item.roles[key], said.roles[key]
        for role in sorted(ours):
            for other in sorted(ours):
                if role < other and _are_exchanged(ours, theirs, role, other):
                    return Conflict("they have changed places", contradicts=True)
    moved = _changed_sides(item, said) or _exchanged(
        _by_name(item.sentence), _by_name(said.sentence), item, said
    )
    return Conflict("they have changed places", contradicts=True) if moved else None


def _by_name(sentence: Sentence) -> tuple[str, ...]:
    """Return for each word the name that it is part of; empty for others."""
    found: list[str] = []
    for stem_, named in zip(sentence.stems, sentence.named, strict=True):
        before = found[-1] if found else ""
        found.append((before or stem_) if named and stem_ else "")
    return tuple(found)


def _changed_sides(item: Said, said: Said) -> bool:
    """Tell whether a noun on each side of the main verb stands on the other side, in one voice."""
    ours, theirs = _sides(item), _sides(said)
    if ours is None or theirs is None or ours.verb != theirs.verb or ours.passive != theirs.passive:
        return False
    left = (ours.left - ours.right) & (theirs.right - theirs.left)
    right = (ours.right - ours.left) & (theirs.left - theirs.right)
    return bool(left) and bool(right) and ours.verb not in MUTUAL


class _Sides(NamedTuple):
    """The main verb of a sentence, and the stems of nouns before and behind it."""

    verb: str
    passive: bool
    left: frozenset[str]
    right: frozenset[str]


def _sides(said: Said) -> _Sides | None:
    root = said.parse.root
    if root is None or root.pos_ not in {"VERB", "AUX"}:
        return None
    nouns = [
        (token.i, one)
        for token, one in zip(said.parse.doc, said.stems, strict=True)
        if one and token.pos_ in {"NOUN", "PROPN"}
    ]
    return _Sides(
        verb=said.stems[root.i] or root.lemma_,
        passive=any(child.dep_ in {"auxpass", "agent"} for child in root.children),
        left=frozenset(one for at, one in nouns if at < root.i),
        right=frozenset(one for at, one in nouns if at > root.i),
    )


def _are_exchanged(
    ours: Mapping[str, frozenset[str]],
    theirs: Mapping[str, frozenset[str]],
    role: str,
    other: str,
) -> bool:
    if role not in theirs or other not in theirs:
        return False
    first, second = ours[role] - ours[other], ours[other] - ours[role]
    return (
        bool(first & theirs[other])
        and bool(second & theirs[role])
        and not first & theirs[role]
        and not second & theirs[other]
    )
