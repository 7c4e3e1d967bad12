"""Table of what is asked about an article: the angles to search for, and the questions to write.

An angle is one thing that an investigation looks into: its aspect, the question that its search is
to answer, the search words and its weight. Angles follow what assessors look at: publisher, author,
claims and statistics, the people and organisations an article leans on, wider context, and other
viewpoints. A question is one that a reader is told to ask, in several wordings, so that the
questions of different topics are not all alike. Wordings of one question ask the same; which of
them a topic gets says nothing about the topic. Each question names the angle whose evidence answers
it, or none where nothing is searched for it.
"""

from __future__ import annotations

from typing import NamedTuple, Self

from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Aspect

# How many of an article's claims and studies are looked into, and so can be asked about.
CLAIMS, STUDIES = 5, 2
_NEXT = 0.8  # worth of a question beside that of the one before it of its kind


class AngleTemplate(NamedTuple):
    """An angle of an investigation before its names are filled in.

    Attributes:
        angle_id: Unique in a topic; `{number}` counts authors, claims, studies and the like.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
    """

    angle_id: str
    aspect: Aspect
    question: str
    query: str
    weight: float

    def made(self, angle: Angle) -> bool:
        """Tell whether an angle was made of this template, or of another with its ids."""
        return angle.angle_id.startswith(self.angle_id.partition("{")[0])

    def angle(
        self,
        profile: ArticleProfile,
        *,
        number: int = 1,
        must_mention: tuple[str, ...] = (),
        **names: str,
    ) -> Angle:
        """Return the angle on the author, claim, study or the like of a number, 1-based.

        Question and query may name the article's subject, and all other names that are given.
        """
        names["subject"] = profile.subject
        return Angle(
            angle_id=self.angle_id.format(number=number),
            aspect=self.aspect,
            question=self.question.format(**names),
            query=self.query.format(**names),
            must_mention=must_mention,
            weight=self.weight,
        )


class Question(NamedTuple):
    """A question that could be asked about an article; a row of the table has names in braces.

    Attributes:
        weight: Percentage of a rubric's credit that it is expected to add to that of the questions
            with a higher weight. Where an article gives rise to several questions of a kind, it is
            the weight of the first. Fitted on the marks that readers gave 609 questions on 15
            development topics.
        is_one_of_several: Whether an article may give rise to several of its kind: on its claims,
            studies and people.
        statement: What it quotes from the article, where it asks whether that is so; else empty.
    """

    aspect: Aspect
    weight: float
    angle_id: str = ""
    is_generic: bool = False
    is_one_of_several: bool = False
    statement: str = ""
    texts: tuple[str, ...] = ()

    def worded(self, *texts: str) -> Self:
        """Return the question in some wordings."""
        return self._replace(texts=texts)

    def at(self, place: int) -> Self:
        """Return the question at a place of its kind, 0-based; each is worth less than the last."""
        return self._replace(weight=self.weight * _NEXT**place, is_one_of_several=True)

    def about(self, *, number: int = 1, **names: str) -> Self:
        """Return the question with names filled in; its wordings may name less than is given.

        Its angle is about the author, claim, study or the like of a number, 1-based.
        """
        texts = (text.format(**names).replace("s's ", "s' ") for text in self.texts)
        return self.worded(*texts)._replace(
            angle_id=self.angle_id.format(number=number), statement=names.get("statement", "")
        )


def _on(angle: AngleTemplate, weight: float, *, is_generic: bool = False) -> Question:
    """Return a question that is answered by the evidence of an angle."""
    return Question(angle.aspect, weight, angle.angle_id, is_generic)


# The outlet

PUBLISHER_RATING = AngleTemplate(
    "publisher-rating",
    Aspect.PUBLISHER,
    "How do media watchdogs rate {outlet} for bias?",
    "{outlet} media bias rating factual reporting slant",
    weight=4.0,
)
PUBLISHER_FUNDING = AngleTemplate(
    "publisher-funding",
    Aspect.PUBLISHER,
    "Who owns or funds {outlet}?",
    "{outlet} owner publisher funding revenue sponsors advertisers",
    weight=3.75,
)
PUBLISHER_OUTLET = AngleTemplate(
    "publisher-outlet",
    Aspect.PUBLISHER,
    "What kind of outlet is {outlet}?",
    "{outlet} news outlet website founded editorial audience",
    weight=2.5,
)
PUBLISHER_RECORD = AngleTemplate(
    "publisher-record",
    Aspect.PUBLISHER,
    "What corrections followed {outlet}'s article on {subject}?",
    "{outlet} correction complaint press council {subject}",
    weight=2.0,
)

# As the guidelines of the track's assessors ask for publisher and author.
OUTLET = _on(PUBLISHER_FUNDING, 10.0).worded(
    "What should readers know about {outlet}, which published this?",
    "What should readers know about the publisher, {outlet}?",
)
OUTLET_INTERESTS = _on(PUBLISHER_FUNDING, 2.5).worded(
    "What financial interest does the owner of {outlet} have in {subject}?",
    "What commercial interest does {outlet} have in its reporting on {subject}?",
)
REPUTATION = _on(PUBLISHER_RATING, 2.0).worded(
    "How do media watchdogs rate {outlet} for bias and accuracy?",
    "What is {outlet}'s reputation for accuracy and bias?",
)
RULINGS = _on(PUBLISHER_RECORD, 5.2).worded(
    "What corrections, complaints or rulings followed {outlet}'s article on {subject}?",
    "How have regulators or fact checkers ruled on {outlet}'s article about {subject}?",
)
CORRECTIONS = _on(PUBLISHER_RECORD, 4.5).worded(
    "What complaints, rulings or corrections followed {outlet}'s article on {subject}?",
    "What corrections followed {outlet}'s article on {subject}?",
)

# The authors

AUTHOR_BACKGROUND = AngleTemplate(
    "author{number}-background",
    Aspect.AUTHOR,
    "What is {author}'s professional background?",
    "{author} biography career education expertise",
    weight=4.0,
)
AUTHOR_INTERESTS = AngleTemplate(
    "author{number}-interests",
    Aspect.AUTHOR,
    "What affiliations or financial interests does {author} have in connection with {subject}?",
    "{author} paid adviser fellow board funding ties {subject}",
    weight=3.75,
)
AUTHOR_EARLIER_WORK = AngleTemplate(
    "author{number}-earlier-work",
    Aspect.AUTHOR,
    "How has {author}'s earlier work been received?",
    "{author} earlier articles predictions criticism record",
    weight=1.5,
)

WRITER = _on(AUTHOR_BACKGROUND, 8.0).worded(
    "What should readers know about {author}, who wrote this?",
    "What should readers know about the author, {author}?",
)
AUTHOR_TIES = _on(AUTHOR_INTERESTS, 2.0).worded(
    "What ties does {author} have to companies or groups with an interest in {subject}?",
    "What financial or professional ties does {author} have to {subject}?",
)

# Names that evidence ties to the outlet or an author (the aspect is whose tie it is)

LINK = AngleTemplate(
    "link-{number}",
    Aspect.AUTHOR,
    "What connects {principal} with {name}?",
    "{name} {principal} {subject}",
    weight=3.0,
)

LINKED = _on(LINK, 2.4).worded(
    "What ties does {principal} have to {name}?",
    "How is {principal} connected with {name}?",
)

# The headline, and the claims and figures of the text

HEADLINE = AngleTemplate(
    "headline",
    Aspect.CLAIM,
    'What evidence bears on the headline "{title}"?',
    "{words}",
    weight=4.0,
)
CLAIM = AngleTemplate(
    "claim-{number}",
    Aspect.CLAIM,
    'What evidence bears on the statement that "{claim}"?',
    "{words}",
    weight=3.5,
)
CLAIM_WITH_FIGURES = CLAIM._replace(
    aspect=Aspect.FIGURE,
    question='What do independent figures say about the statement that "{claim}"?',
)

HEADLINE_CLAIM = _on(HEADLINE, 11.0).worded(
    'What evidence supports the headline "{headline}"?',
    'How strong is the evidence behind the headline "{headline}"?',
)
STATEMENT = _on(CLAIM, 4.5).worded(
    'How accurate is the statement that "{statement}"?',
    'What evidence is there for the statement that "{statement}"?',
)
FIGURE = _on(CLAIM_WITH_FIGURES, 6.4).worded(
    "Where does the figure of {phrase} in reports on {subject} come from?",
    "What is the basis for the figure of {phrase} in reports on {subject}?",
)

# Studies, surveys and tests that claims rest on

STUDY_FINDINGS = AngleTemplate(
    "study{number}-findings",
    Aspect.CLAIM,
    "What did the {name} study cited in the article measure?",
    "{name} study findings method sample measured limits {subject}",
    weight=3.5,
)
STUDY_FUNDING = AngleTemplate(
    "study{number}-funding",
    Aspect.CLAIM,
    "Who paid for the {name} study cited in the article?",
    "{name} study commissioned funded paid sponsor grant {subject}",
    weight=3.0,
)

FINDINGS = _on(STUDY_FINDINGS, 6.4).worded(
    "What did {study} measure and find?",
    "What are the methods and findings of {study}?",
)
COMMISSIONED = _on(STUDY_FUNDING, 2.0).worded(
    "Who commissioned and paid for {study}?",
    "Who funded {study}?",
)

# People and organisations that the article leans on

SOURCE_PERSON = AngleTemplate(
    "source-{number}",
    Aspect.SOURCE,
    "What qualifies {name}, quoted in the article, to speak about {subject}?",
    "{name} expert background affiliation {subject}",
    weight=2.0,
)
SOURCE_ORGANISATION = SOURCE_PERSON._replace(
    question="What interests does {name}, named in the article, represent?",
    query="{name} organisation funding members purpose {subject}",
)

EXPERT = _on(SOURCE_PERSON, 6.7).worded(
    "What should readers know about {name}, who is quoted as an expert in reports on {subject}?",
    "How independent is {name}, quoted as an expert, of those with an interest in {subject}?",
)
PERSON = _on(SOURCE_PERSON, 2.0).worded(
    "What should readers know about {name}, who is quoted on {subject}?",
    "What interests or affiliations does {name} have in connection with {subject}?",
)
ORGANISATION = _on(SOURCE_ORGANISATION, 2.7).worded(
    "What should readers know about {name} and its interest in {subject}?",
    "What interest does {name} have in {subject}?",
)

# The subject

SUBJECT_RESEARCH = AngleTemplate(
    "subject-research",
    Aspect.CONTEXT,
    "What does independent research say about {subject}?",
    "{subject} {keywords} study research findings evidence scientists",
    weight=3.0,
)
SUBJECT_STATISTICS = AngleTemplate(
    "subject-statistics",
    Aspect.CONTEXT,
    "What do official statistics show about {subject}?",
    "{subject} {keywords} official statistics bureau figures report",
    weight=2.0,
)
SUBJECT_HISTORY = AngleTemplate(
    "subject-history",
    Aspect.CONTEXT,
    "What is the background to {subject}?",
    "{subject} {keywords} history background origin",
    weight=1.5,
)
SUBJECT_CRITICS = AngleTemplate(
    "subject-critics",
    Aspect.VIEWPOINT,
    "What do critics say about {subject}?",
    "{subject} {keywords} critics dispute concerns opposed",
    weight=2.5,
)
SUBJECT_SUPPORTERS = AngleTemplate(
    "subject-supporters",
    Aspect.VIEWPOINT,
    "What do supporters say about {subject}?",
    "{subject} {keywords} supporters welcome defend benefits",
    weight=1.5,
)

RESEARCH = _on(SUBJECT_RESEARCH, 4.6, is_generic=True).worded(
    "What have independent studies or official bodies found about {subject}?",
    "What does independent research show about {subject}?",
)
STATISTICS = _on(SUBJECT_STATISTICS, 2.5, is_generic=True).worded(
    "What do official statistics show about {subject}?",
)
CRITICS = _on(SUBJECT_CRITICS, 0.6, is_generic=True).worded(
    "What do critics say about {subject}?",
    "What opposing views are there on {subject}?",
)
AFTERWARDS = _on(SUBJECT_HISTORY, 1.5, is_generic=True).worded(
    "What happened with {subject} after {outlet}'s article?",
)
HISTORY = _on(SUBJECT_HISTORY, 0.6, is_generic=True).worded(
    "What is the background to {subject}?",
)
