"""Question writer without a model: what is asked about an article's facts and what was found.

A question names one subject and asks one broad property of it: people graded such questions best.
Its names come from the parse of the article; which of several it asks about, the evidence decides.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sidelight.checks.questions import compound_reason
from sidelight.english.names import definite, mentions, name_forms
from sidelight.english.parser import Sentence, parse
from sidelight.english.quantities import canonical
from sidelight.english.vocabulary import EXPERTS, STUDIES, VAGUE
from sidelight.generation.extractive import asked
from sidelight.generation.extractive.asked import Question
from sidelight.generation.extractive.known import outlet_name
from sidelight.generation.extractive.usefulness import Usefulness
from sidelight.generation.extractive.write_report import read_findings
from sidelight.schemas.investigation.angle import Angle, ArticleProfile
from sidelight.schemas.investigation.evidence import EvidenceSet
from sidelight.schemas.investigation.report import DraftQuestions
from sidelight.text import STOPWORDS, count_words, one_line, sentences, tokens
from sidelight.text_vectors import TextVectors

# Of 123 questions that stand at .84 and more from an earlier one of their list, people called 15 %
# redundant (2024, lists of one article and run): one study is asked about in two ways.
SAME_QUESTION = 0.92
_REPEATED_ASPECT = 0.85
_UNANSWERED = 0.85
# Of several claims, studies or people those that findings speak of are worth asking about. From
# the first cosine to the nearest finding a question is worth more than without findings, below it
# less; the second number is how fast, the third the least factor. Chosen on development topics,
# like the factor for a statement with a figure.
_NEAR, _BY_NEARNESS, _LEAST_NEAR = 0.6, 2.0, 0.3
_WITH_FIGURE = 1.5
_MAX_QUESTION_WORDS = 30
_MAX_GENERIC = 3
_PEOPLE, _ORGANISATIONS, _STUDIES, _FIGURES, _LINKS = 3, 2, 2, 2, 2
_MAX_STUDY_WORDS, _MAX_FIGURE_WORDS = 12, 8
_MOST_FIGURES = 60  # the 30 public articles of the track have 19 at most
_NEAR_NAME = 8  # words around a name that say what somebody is
_RULING = re.compile(
    r"\b(?:correct(?:ed|ions?)|complain(?:ts?|ed)|upheld|breach(?:ed)?|retract(?:ed|ion)|withdr[ae]wn?"
    r"|fact.?check\w*|misleading)\b",
    re.IGNORECASE,
)
_POSSIBLE = 0.09  # worth of a finding to which questions are compared
_COMPLEMENTS = frozenset("dobj ccomp xcomp prep attr acomp agent oprd dative prt".split())
_MIN_STATEMENT_WORDS, _MAX_STATEMENT_WORDS, _MAX_QUOTED = 5, 24, 0.3
_GENERAL = 3  # of so many mentions of a noun one has "a" before it where things of a kind are meant
_ALONE = rf"(?!\w|\s+(?!(?:{'|'.join(sorted(STOPWORDS))})\b)\w)"  # no other noun follows
_CONJUNCTION = re.compile(r"^(?:And|But|Yet|So|Still|Also|Meanwhile|However),? (?=\w)")


class ExtractiveQuestionWriter:
    """The role `write_questions` without a model."""

    def __init__(
        self, sentences: TextVectors, questions_per_topic: int, max_question_characters: int
    ) -> None:
        self._sentences = sentences
        self._count = questions_per_topic
        self._max_characters = max_question_characters
        self._usefulness = Usefulness.load()

    async def __call__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> DraftQuestions:
        """Return the questions by falling worth, each aspect worth less the more it has asked.

        One of several of a kind is worth more the closer a finding comes to it. A question is worth
        less where its angle was searched for and nothing was found; what nobody searched for may
        well have an answer.
        """
        searched = {angle.angle_id for angle in angles}
        unanswered = searched - evidence.covers(searched)
        findings, features, *_ = read_findings(profile, angles, evidence, self._sentences)
        found_worth = self._usefulness.worth(features)
        questions = _Questions(profile, angles, evidence)
        candidates = {
            text: question
            for question in reversed(list(questions.all()))
            if (text := self._worded(question, profile.title))
        }
        near = self._nearness(
            {
                text: question.statement or text
                for text, question in candidates.items()
                if question.is_one_of_several
            },
            [
                one.text
                for one, its_worth in zip(findings, found_worth, strict=True)
                if its_worth >= _POSSIBLE
            ],
        )
        worth = {
            text: question.weight
            * near.get(text, 1.0)
            * (_UNANSWERED if question.angle_id in unanswered else 1.0)
            for text, question in candidates.items()
        }
        chosen: list[str] = []
        while worth and len(chosen) < self._count:
            best = max(worth, key=lambda text: (worth[text], text))
            del worth[best]
            generic = (
                candidates[best].is_generic
                and sum(candidates[text].is_generic for text in chosen) >= _MAX_GENERIC
            )
            alike = self._sentences.similarity([best], chosen)
            if generic or (alike >= SAME_QUESTION).any():
                continue
            chosen.append(best)
            for text in worth:
                if candidates[text].aspect == candidates[best].aspect:
                    worth[text] *= _REPEATED_ASPECT
        reserve = reserve_questions(questions.subject, self._max_characters)
        chosen += [text for text in reserve if text not in chosen][: self._count - len(chosen)]
        return DraftQuestions(questions=tuple(chosen))

    def _nearness(self, asked: Mapping[str, str], told: Sequence[str]) -> dict[str, float]:
        """Return by what factor each question is worth more for what some findings tell."""
        if not told:
            return {}
        nearest = self._sentences.similarity(list(asked.values()), told).max(axis=1)
        return {
            text: max(_LEAST_NEAR, 1.0 + _BY_NEARNESS * (float(cosine) - _NEAR))
            for text, cosine in zip(asked, nearest, strict=True)
        }

    def _worded(self, question: Question, title: str) -> str:
        """Return the wording of a question that a topic always gets; empty if none fits."""
        fit = [
            text
            for text in map(one_line, question.texts)
            if len(text) <= self._max_characters
            and count_words(text) <= _MAX_QUESTION_WORDS
            and compound_reason(text) is None
        ]
        # Topics differ in their wordings, and a topic has the same ones whenever it is run.
        return fit[zlib.crc32(f"{title}\n{fit[0]}".encode()) % len(fit)] if fit else ""


class _Questions:
    """What could be asked about an article, and about what was found on it."""

    def __init__(
        self, profile: ArticleProfile, angles: Sequence[Angle], evidence: EvidenceSet
    ) -> None:
        self._profile = profile
        self._parsed = parse(sentences(profile.body))
        self._outlet = outlet_name(profile, evidence)
        # An address in the place of a name reads as a slip.
        is_address = self._outlet and self._outlet == profile.host
        self._called = f"the website {self._outlet}" if is_address else self._outlet
        self._pages = [item.segment.text for item in evidence.items]
        self._links = [
            angle
            for angle in angles
            if asked.LINK.made(angle) and angle.must_mention[0] != self._outlet
        ]
        self.subject = subject_phrase(profile, self._parsed)

    def all(self) -> Iterator[Question]:
        """Yield every question."""
        yield from self._about_outlet()
        yield from self._about_author()
        yield from self._about_claims()
        yield from self._about_studies()
        yield from self._about_sources()
        of_person = self._profile.subject in self._profile.people
        research = () if of_person else (asked.RESEARCH, asked.STATISTICS)
        for template in (*research, asked.CRITICS, asked.HISTORY):
            yield template.about(subject=self.subject)
        if self._outlet:
            yield asked.AFTERWARDS.about(subject=self.subject, outlet=self._called)

    def _about_outlet(self) -> Iterator[Question]:
        if self._outlet:
            forms = name_forms(self._outlet)
            ruled = any(_RULING.search(page) and mentions(page, forms) for page in self._pages)
            rulings = asked.RULINGS if ruled else asked.CORRECTIONS
            for template in (asked.OUTLET, asked.OUTLET_INTERESTS, asked.REPUTATION, rulings):
                yield template.about(outlet=self._called, subject=self.subject)

    def _about_author(self) -> Iterator[Question]:
        for author in self._profile.authors[:1]:
            for template in (asked.WRITER, asked.AUTHOR_TIES):
                yield template.about(author=author, subject=self.subject)
        authors = self._profile.authors
        for angle in self._links[:_LINKS]:
            question = asked.LINKED.about(
                principal=authors[0] if authors else self._called, name=angle.must_mention[0]
            )
            yield question._replace(aspect=angle.aspect, angle_id=angle.angle_id)

    def _about_claims(self) -> Iterator[Question]:
        """Yield what the headline's claim, the main figures and other statements rest on."""
        title = self._profile.title
        if title:
            yield asked.HEADLINE_CLAIM.about(headline=title.replace('"', "'"))
        claims = {one.text: number for number, one in enumerate(self._profile.claims, start=1)}
        heading = parse([title]) if title else []
        figures: dict[str, tuple[str, int]] = {}
        stated = [one for one in self._parsed if one.is_finite and not one.addresses_somebody]
        for one in (*stated, *heading):  # a headline writes words large that texts do not
            for phrase in _figures(one):
                if len(figures) < _MOST_FIGURES:  # each is looked for on every page
                    # With its unit, or the first word of what it counts, in one notation.
                    key = " ".join(canonical(phrase).casefold().split()[:2])
                    figures.setdefault(key, (phrase, claims.get(one.text, 1)))
        pages = [canonical(page).casefold() for page in (title, *self._pages)]
        told = {key: sum(key in page for page in pages) for key in figures}
        # What other pages take up is what is in doubt, above all if it stands in the headline.
        doubted = sorted(
            filter(told.get, figures), key=lambda key: -told[key] * (1 + (key in pages[0]))
        )
        for place, (phrase, number) in enumerate(figures[key] for key in doubted[:_FIGURES]):
            question = asked.FIGURE.about(number=number, phrase=phrase, subject=self.subject)
            yield question.at(place)
        for one in self._parsed:
            if statement := _statement(one):
                question = asked.STATEMENT.about(
                    number=claims.get(one.text, 1), statement=statement
                ).at(0)
                more = _WITH_FIGURE if one.figures else 1.0
                yield question._replace(weight=question.weight * more)

    def _about_studies(self) -> Iterator[Question]:
        """Yield what a study did, and who paid for it."""
        for place, study in enumerate(_studies(self._parsed)[:_STUDIES]):
            number = next(
                (n for n, name in enumerate(self._profile.studies, start=1) if name in study), 1
            )
            for template in (asked.FINDINGS, asked.COMMISSIONED):
                question = template.about(number=number, study=study)
                yield question.at(place)

    def _about_sources(self) -> Iterator[Question]:
        people = [(name, number) for number, name in enumerate(self._profile.people, start=1)]
        experts = [one for one in people if _is_expert(one[0], self._parsed)]
        others = [one for one in people if one not in experts]
        organisations = [
            (definite(name, self._profile.body), number)
            for number, name in enumerate(self._profile.organisations[:_ORGANISATIONS], start=1)
        ]
        for template, named in (
            (asked.EXPERT, experts),
            (asked.PERSON, others),
            (asked.ORGANISATION, organisations),
        ):
            for place, (name, number) in enumerate(named[:_PEOPLE]):
                bare = self._profile.subject
                if name in self.subject or bare in name or name in self._outlet:
                    continue
                question = template.about(number=number, name=name, subject=self.subject)
                yield question.at(place)


def subject_phrase(profile: ArticleProfile, parsed: Sequence[Sentence]) -> str:
    """Return the subject as it stands inside a question, with the place that it is about.

    It gets "the" where the article mostly writes it so or, if it is several words and no plural,
    where the article ever writes "the", "its" or the like before it; the plural where the article
    writes "a" before it; and the place that the article names most, unless it holds a name.
    """
    body, subject = profile.body, definite(profile.subject, profile.body)

    def uses(before: str) -> int:
        after = r"(?!\w)" if subject.islower() else _ALONE  # "the Notre Dame fire" is no use of it
        return len(re.findall(rf"{before}{re.escape(subject)}{after}", body))

    with_a, with_the = uses(r"\b[Aa]n? "), uses(r"\b(?:[Tt]he|[Ii]ts|[Tt]heir|[Tt]his) ")
    several = _plural(subject)
    general = with_a > with_the and _GENERAL * with_a >= uses(r"(?<!\w)")
    if several and (general or re.search(rf"\b{re.escape(several)}\b", body, re.IGNORECASE)):
        subject = several
    elif " " in subject and subject[-1] != "s" and with_the:
        subject = f"the {subject}"
    places = Counter(place for one in parsed for place in one.named("GPE"))
    [(common, mentioned)] = places.most_common(1) or [("", 0)]
    # Without such a word before it, it is rather a product that was taken for a place.
    about = rf"\b(?:across|around|in|near) (?:the )?{re.escape(common)}"
    named = any(place in subject for place in places)
    proper = any(word[0].isupper() for word in subject.removeprefix("the ").split())
    if mentioned > 1 and re.search(about, body) and not named and not proper:
        return f"{subject} in {definite(common, body)}"
    return subject


def _plural(noun: str) -> str:
    """Return the plural of a common noun without an article; empty for a plural and for names."""
    if not noun.islower() or noun.startswith("the ") or noun.endswith("s"):
        return ""
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:x|z|ch|sh)$", noun) else f"{noun}s"


def _figures(one: Sentence) -> Iterator[str]:
    """Yield the figures of a sentence with what they count, as far as a few words say."""
    for entity in one.figures:
        last = one.doc[entity.end - 1]
        head = last.head if last.head.pos_ == "NOUN" and last.head.i >= entity.end else last
        of = next((child for child in head.rights if child.lower_ == "of"), None)
        end = (of.right_edge.i if of is not None else head.i) + 1
        if end - entity.start > _MAX_FIGURE_WORDS:
            end = head.i + 1
        number = next(t for t in one.doc[entity.start : end] if any(map(str.isdigit, t.text)))
        before = one.doc[max(0, number.i - 1)]
        start = before.i if before.tag_ == "$" or before.text == "Rs" else number.i
        phrase = one.doc[start:end].text
        # "per 100 millilitres" is a unit.
        is_unit = start and one.doc[start - 1].lower_ == "per"
        if not is_unit and (entity.label != "CARDINAL" or " " in phrase):
            yield one_line(phrase)


def _statement(one: Sentence) -> str:
    """Return a sentence that states something by itself, to be quoted; empty for another."""
    text = _CONJUNCTION.sub("", one_line(one.text.replace("*", "").replace('"', "'")).rstrip(".!"))
    # "The union does not agree" states nothing by itself.
    says_what = one.figures or any(child.dep_ in _COMPLEMENTS for child in one.root.children)
    # Nor does what calls something "a game-changer" in somebody's words alone.
    names = (word for word in one.doc if word.dep_ in {"attr", "acomp"} and one.quoted[word.i])
    says_what = says_what and all(one.quoted[name.head.i] for name in names)
    told = one.is_finite and says_what and one.pointer is None and not one.addresses_somebody
    if not told or one.is_prompt or one.quoted_share > _MAX_QUOTED:
        return ""
    fits = _MIN_STATEMENT_WORDS <= count_words(text) <= _MAX_STATEMENT_WORDS
    return text[0].upper() + text[1:] if fits else ""


def _is_expert(name: str, parsed: Sequence[Sentence]) -> bool:
    """Tell whether an article introduces somebody as one who knows the field."""
    for one in parsed:
        before, found, after = one.text.partition(name)
        if found:
            near = (*tokens(before)[-_NEAR_NAME:], *tokens(after)[:_NEAR_NAME])
            return not EXPERTS.isdisjoint(near)
    return False


def _studies(parsed: Sequence[Sentence]) -> list[str]:
    """Return the studies, surveys and tests that an article names, as "the survey of 1,126 people".

    Each has something that says which one is meant: a name, a number or what it is of.
    """
    found: dict[str, None] = {}
    for one in parsed:
        for token in one.doc:
            if token.lemma_.casefold() not in STUDIES or token.pos_ != "NOUN":
                continue
            kept = [part for part in token.subtree if _belongs(part, token)]
            # Where words after this one were left out, a space stands for them.
            words = [
                part.text_with_ws if after.i == part.i + 1 else f"{part.text} "
                for part, after in pairwise([*kept, token])
            ]
            tells = any(part.pos_ in {"PROPN", "NUM"} for part in kept) or len(kept) > 3
            unclear = any(part.pos_ == "PRON" for part in kept)
            if tells and not unclear and len(kept) <= _MAX_STUDY_WORDS:
                named = one_line("".join(words)).rstrip(" ,;:")
                found.setdefault(named if named.startswith("the ") else f"the {named}", None)
    return list(found)


def _belongs(part: Any, noun: Any) -> bool:
    """Tell whether a word of a noun's subtree is part of its short description."""
    if part.i == noun.i:
        return True
    top = part
    while top.head.i != noun.i:
        top = top.head
    if top.dep_ in {"compound", "amod", "nmod"}:
        return part.lemma_.casefold() not in VAGUE
    if top.dep_ == "poss":
        return bool(part.pos_ != "PRON" and top.pos_ == "PROPN")
    return bool(part.i > noun.i) and bool(
        (top.dep_ == "prep" and top.lower_ in {"of", "by", "from"})
        or (top.dep_ == "acl" and any(child.dep_ == "agent" for child in top.children))
    )


def reserve_questions(subject: str, max_characters: int) -> list[str]:
    """Return questions on the subject for an article that names too little to ask about."""
    short = " ".join(one_line(subject).split()[:12])[:120]
    return [
        one_line(f"{opening} {short[: max_characters - len(opening) - 2]}?")
        for opening in (
            "Who first reported on",
            "Which primary sources document",
            "What do specialists disagree about regarding",
            "Which groups have a stake in",
            "How have news agencies reported on",
            "What has changed since the article was published regarding",
            "What is commonly misunderstood about",
            "How do official bodies describe",
            "Which risks have been reported in connection with",
            "What do people directly affected say about",
        )
    ]
