"""Questions about the facts of an article: its outlet, author, studies, figures, people, claims.

Each fact can be asked about in several wordings. A question names one subject and asks one broad
property of it: that is what people graded best.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, NamedTuple

from sidelight.checks.wording import figures
from sidelight.generation.extractive.figure_phrases import figure_phrases
from sidelight.generation.reading.pointing import points_out
from sidelight.generation.reading.roles_of_people import role_of
from sidelight.generation.reading.verbs import states_something
from sidelight.schemas.angle import Aspect
from sidelight.text import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidelight.schemas.profile import ArticleProfile

_FIGURES, _PEOPLE, _ORGANISATIONS, _STUDIES = 3, 2, 1, 2
_MAX_CLAIM_WORDS = 15


_NO_CLAIM = re.compile(r"(?:How|Why|What|When|Where|Who|Here|Watch|The (?:Best|Untold))\b")
_HOW = re.compile(r"^How (?!(?:to|do|does|did|is|are|was|can|could|much|many|long|far|it)\b)", re.IGNORECASE)
_RELATIVE = re.compile(r"^(The .{3,40}?) [Tt]hat (\w+s\b)")
_OPENS_WITH_LINK = re.compile(r"(?:And|But|So|Yet|Also|Then|Some|However)\b")


class Question(NamedTuple):
    """A question that could be asked.

    Attributes:
        kind: What it is about; one question of a kind is asked about one subject.
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        texts: Its wordings.
        angle: The angle of the investigation that looks into it; it may have none.
        generic: Whether it would fit any article on the subject.
    """

    kind: str
    aspect: Aspect
    weight: float
    texts: tuple[str, ...]
    angle: str = ""
    generic: bool = False


def questions_about(profile: ArticleProfile) -> list[Question]:
    """Return what could be asked about an article, by kind."""
    return [
        *_about_outlet(profile),
        *_about_authors(profile),
        *_about_claim(profile),
        *_about_studies(profile),
        *_about_figures(profile),
        *_about_people(profile),
        *_about_organisations(profile),
        *_about_subject(_subject(profile)),
    ]


def wording(texts: Sequence[str], topic: str) -> list[str]:
    """Return the wordings in an order that depends on the topic alone, so that topics differ."""
    first = zlib.crc32(topic.encode()) % len(texts)
    return [*texts[first:], *texts[:first]]


def _about_outlet(profile: ArticleProfile) -> Iterator[Question]:
    outlet, subject = profile.publisher, _subject(profile)
    if not outlet:
        return
    yield Question(
        "corrections",
        Aspect.PUBLISHER,
        2.3,
        (
            f"What corrections or rulings followed {outlet}'s article on {subject}?",
            f"How was {outlet}'s coverage of {subject} received?",
            f"What complaints or corrections concern {outlet}'s coverage of {subject}?",
        ),
        "publisher-record",
    )
    yield Question(
        "owner",
        Aspect.PUBLISHER,
        4.0,
        (
            f"Who owns and finances {outlet}?",
            f"Who finances the publisher of {outlet}?",
            f"How does the publisher of {outlet} earn its money?",
            f"What organisation publishes and finances {outlet}?",
            f"What commercial interests does the publisher of {outlet} have?",
        ),
        "publisher-funding",
    )
    yield Question(
        "reputation",
        Aspect.PUBLISHER,
        3.5,
        (
            f"What is {outlet}'s reputation for accuracy?",
            f"How is {outlet} rated for bias and factual reporting?",
            f"What is the track record of {outlet} on corrections?",
            f"What political or commercial leaning does {outlet} have?",
            f"How do media watchdogs assess the credibility of {outlet}?",
        ),
        "publisher-rating",
    )


def _about_authors(profile: ArticleProfile) -> Iterator[Question]:
    for number, author in enumerate(profile.authors[:1], start=1):
        subject = _subject(profile)
        yield Question(
            "background",
            Aspect.AUTHOR,
            4.0,
            (
                f"What expertise does {author} have in {subject}?",
                f"What is {author}'s professional background?",
                f"What are {author}'s qualifications for writing about {subject}?",
                f"What is the background and expertise of {author}?",
                f"What is {author}'s track record in covering {subject}?",
            ),
            f"author{number}-background",
        )
        yield Question(
            "ties",
            Aspect.AUTHOR,
            3.5,
            (
                f"What financial interests does {author} have in connection with {subject}?",
                f"What ties does {author} have to organisations involved in {subject}?",
                f"What conflicts of interest does {author} have regarding {subject}?",
                f"What interests does {author} have in {subject}?",
                f"What paid affiliations does {author} have in connection with {subject}?",
            ),
            f"author{number}-interests",
        )


def _about_claim(profile: ArticleProfile) -> Iterator[Question]:
    claim = headline_claim(profile)
    if not claim:
        return
    yield Question(
        "claim",
        Aspect.CLAIM,
        3.5,
        (
            f"What evidence supports the claim that {claim}?",
            f"What do independent experts say about whether {claim}?",
            f"How strong is the evidence that {claim}?",
            f"What is known about the claim that {claim}?",
            f"What have others found about whether {claim}?",
        ),
        "claim-1",
    )


def _about_studies(profile: ArticleProfile) -> Iterator[Question]:
    subject = _subject(profile)
    for number, study in enumerate(profile.studies[:_STUDIES], start=1):
        the = study if study.casefold().startswith("the ") else f"the {study}"
        yield Question(
            f"study {study}",
            Aspect.CLAIM,
            3.5 / number**0.5,
            (
                f"What did {the} study on {subject} examine and find?",
                f"What did {the} research on {subject} actually measure?",
                f"What did {the} study find about {subject}?",
                f"How was {the} study on {subject} carried out?",
            ),
            f"study{number}-findings",
        )
        yield Question(
            f"funding {study}",
            Aspect.CLAIM,
            2.5 / number**0.5,
            (
                f"Who commissioned or funded {the} study?",
                f"What interests stand behind {the} study?",
                f"What is the reputation of {the} for research?",
            ),
            f"study{number}-funding",
        )


def _subject(profile: ArticleProfile) -> str:
    """Return the subject with "the" where the article mostly writes it so."""
    subject = profile.subject
    uses = len(re.findall(re.escape(subject), profile.body))
    definite = len(re.findall(rf"\b[Tt]he\s+{re.escape(subject)}(?!\w)", profile.body))
    return f"the {subject}" if uses and definite * 2 >= uses else subject


def _about_figures(profile: ArticleProfile) -> Iterator[Question]:
    subject = _subject(profile)
    short = [
        (number, clause)
        for number, claim in enumerate(profile.claims, start=1)
        if (clause := _clause(claim.text, profile)) and figures(clause)
    ]
    asked = {number for number, _ in short[:_FIGURES]}
    for place, (number, clause) in enumerate(short[:_FIGURES]):
        yield Question(
            f"statement {clause}",
            Aspect.FIGURE,
            3.2 - 0.3 * place,
            (
                f"What do independent sources say about whether {clause}?",
                f"What evidence is there that {clause}?",
                f"How accurate is the statement that {clause}?",
                f"What lies behind the statement that {clause}?",
            ),
            f"claim-{number}",
        )
    phrases: dict[str, str] = {}
    for number, claim in enumerate(profile.claims, start=1):
        if number not in asked:
            for phrase in figure_phrases(claim.text)[:1]:
                phrases.setdefault(phrase, f"claim-{number}")
    for number, (phrase, angle) in enumerate(list(phrases.items())[:_FIGURES]):
        yield Question(
            f"figure {phrase}",
            Aspect.FIGURE,
            3.0 - 0.4 * number,
            (
                f"What do other sources say about the figure of {phrase} for {subject}?",
                f"What do official statistics show about {phrase} and {subject}?",
                f"How does the figure of {phrase} compare with independent data on {subject}?",
                f"What is the basis for the figure of {phrase} on {subject}?",
            ),
            angle,
        )


def _about_people(profile: ArticleProfile) -> Iterator[Question]:
    subject = _subject(profile)
    known = [(name, role_of(name, profile.body)) for name in profile.people]
    for number, (name, role) in enumerate([one for one in known if " " in one[1]][:_PEOPLE]):
        yield Question(
            f"person {name}",
            Aspect.SOURCE,
            2.2 - 0.4 * number,
            (
                f"What is the background of {name}, {role}?",
                f"What are the qualifications of {name}, {role}?",
                f"What expertise does {name}, {role}, have?",
                f"What interests does {name}, {role}, have in {subject}?",
            ),
        )


def _about_organisations(profile: ArticleProfile) -> Iterator[Question]:
    subject = _subject(profile)
    named = [name for name in profile.organisations if " " in name and name not in profile.studies]
    for number, name in enumerate(named[:_ORGANISATIONS]):
        the = name if name.casefold().startswith("the ") else f"the {name}"
        yield Question(
            f"organisation {name}",
            Aspect.SOURCE,
            1.8 - 0.4 * number,
            (
                f"What is {the}'s role in {subject}?",
                f"What kind of organisation is {the}?",
                f"What is the reputation of {the}?",
                f"What has {the} said about {subject}?",
            ),
        )


def _about_subject(subject: str) -> Iterator[Question]:
    for kind, aspect, weight, angle, texts in (
        (
            "research",
            Aspect.CONTEXT,
            3.0,
            "subject-research",
            (
                f"What does independent research show about {subject}?",
                f"What do experts say about {subject}?",
                f"What have studies or official bodies concluded about {subject}?",
                f"What is the current state of knowledge about {subject}?",
            ),
        ),
        (
            "critics",
            Aspect.VIEWPOINT,
            2.5,
            "subject-critics",
            (
                f"What are the main criticisms of {subject}?",
                f"What arguments are made on each side of {subject}?",
                f"What do critics say about {subject}?",
                f"How do those affected by {subject} see it?",
            ),
        ),
        (
            "history",
            Aspect.CONTEXT,
            2.0,
            "subject-history",
            (
                f"What is the history of {subject}?",
                f"What happened before the events around {subject}?",
                f"What is the background to {subject}?",
                f"How has {subject} developed since the article appeared?",
            ),
        ),
        (
            "statistics",
            Aspect.CONTEXT,
            1.8,
            "subject-statistics",
            (
                f"What do official statistics show about {subject}?",
                f"What are the known facts and figures on {subject}?",
                f"How common is what is reported about {subject}?",
                f"What official records exist on {subject}?",
            ),
        ),
    ):
        yield Question(kind, aspect, weight, texts, angle, generic=True)


def headline_claim(profile: ArticleProfile) -> str:
    """Return what the headline states, as it goes on after "that"; empty if it states nothing.

    Words keep their capitals only where the article writes them so inside a sentence.
    """
    title = re.split(r":\s+|\s+[-–—|]\s+|\?", profile.title)[-1 if ":" in profile.title else 0]
    title = title.strip(" .!\"“”'‘’")
    if not 4 <= count_words(title) <= _MAX_CLAIM_WORDS or profile.title.rstrip().endswith("?"):
        return ""
    title = _HOW.sub("", title)
    if _NO_CLAIM.match(title):
        return ""
    title = _RELATIVE.sub(r"\1 \2", title)  # "The Sweetener That Triples ..."
    claim = " ".join(_as_inside(word, profile.body) for word in title.split())
    return claim if states_something(claim) else ""


def _clause(sentence: str, profile: ArticleProfile) -> str:
    """Return a short sentence as it goes on after "that"; empty if it is long or leans."""
    if count_words(sentence) > _MAX_CLAIM_WORDS or points_out(sentence) or '"' in sentence:
        return ""
    if _OPENS_WITH_LINK.match(sentence):
        return ""
    first, _, rest = sentence.rstrip(".").partition(" ")
    return f"{_as_inside(first, profile.body)} {rest}"


def _as_inside(word: str, body: str) -> str:
    """Return a word with a capital only if the body mostly writes it so inside a sentence."""
    plain = re.sub(r"['’]s$", "", word.strip(",;:\"“”'‘’()"))
    if not plain[:1].isupper() or _is_code(plain):
        return word
    lower = plain[0].lower() + plain[1:]
    small = len(re.findall(rf"(?<![\w-]){re.escape(lower)}(?![\w-])", body))
    large = len(re.findall(rf"(?<=[a-z,;] ){re.escape(plain)}(?![\w-])", body))
    return word if large > small else word.replace(plain, lower, 1)


def _is_code(word: str) -> bool:
    return any(letter.isupper() for letter in word[1:]) or any(letter.isdigit() for letter in word)
