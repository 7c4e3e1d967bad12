"""The table of what is asked about an article: angles to search for, and questions to write.

An angle is what an investigation looks into: its aspect, the question that its search is to answer,
the words that are searched for and its weight. They follow what assessors look at: publisher,
author, claims and statistics, the people and organisations an article leans on, wider context, and
other viewpoints. A question is what a reader is told to ask, in several wordings, so that the
questions of different topics are not all alike; wordings of one question ask the same, because
which of them a topic gets is no judgement on it. Each question holds the angle whose evidence
answers it, or none where nothing is searched for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sidelight.schemas.investigation.angle import Angle, Aspect

if TYPE_CHECKING:
    from collections.abc import Sequence


class AngleTemplate(NamedTuple):
    """An angle of an investigation before its names are filled in.

    Attributes:
        angle_id: Unique in a topic; `{number}` counts authors, claims, studies and the like.
        aspect: The side of trustworthiness that it belongs to.
        question: What the search is to answer.
        query: What is searched for.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
    """

    angle_id: str
    aspect: Aspect
    question: str
    query: str
    weight: float

    def id_of(self, number: int = 1) -> str:
        """Return the id of the angle on the author, claim, study or the like of that number."""
        return self.angle_id.format(number=number)

    def made(self, angle: Angle) -> bool:
        """Tell whether an angle was made of this template, or of another with its ids."""
        return angle.angle_id.startswith(self.angle_id.partition("{")[0])

    def angle(
        self,
        *,
        number: int = 1,
        weight: float | None = None,
        must_mention: Sequence[str] = (),
        **names: str,
    ) -> Angle:
        """Return the angle.

        Args:
            number: Which author, claim, study or the like it is about, 1-based.
            weight: Its weight where that differs from the template's.
            must_mention: What evidence has to name one of.
            names: What question and query name in braces.
        """
        return Angle(
            angle_id=self.id_of(number),
            aspect=self.aspect,
            question=self.question.format(**names),
            query=self.query.format(**names),
            must_mention=tuple(must_mention),
            weight=self.weight if weight is None else weight,
        )


class Question(NamedTuple):
    """A question that could be asked about an article.

    Attributes:
        texts: Its wordings; one of them is asked.
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        angle_id: The angle of the investigation that looks into it; empty for none.
        is_generic: Whether it would fit any article on the subject.
    """

    texts: tuple[str, ...]
    aspect: Aspect
    weight: float
    angle_id: str
    is_generic: bool


class QuestionTemplate(NamedTuple):
    """A question before its names are filled in.

    Attributes:
        angle: The angle of the investigation that looks into it; none where nothing does.
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        wordings: Several ways to ask it.
        is_generic: Whether it would fit any article on the subject.
    """

    angle: AngleTemplate | None
    aspect: Aspect
    weight: float
    wordings: tuple[str, ...]
    is_generic: bool = False

    def question(self, *, number: int = 1, **names: str) -> Question:
        """Return the question.

        Args:
            number: Which author, claim, study or the like its angle is about, 1-based.
            names: What its wordings name in braces; they may name less than is given.
        """
        texts = (wording.format(**names) for wording in self.wordings)
        return Question(
            texts=tuple(text.replace("s's ", "s' ") for text in texts),
            aspect=self.aspect,
            weight=self.weight,
            angle_id=self.angle.id_of(number) if self.angle else "",
            is_generic=self.is_generic,
        )


def _asks(
    of: AngleTemplate | Aspect, weight: float, *wordings: str, is_generic: bool = False
) -> QuestionTemplate:
    """Return a question of the table: of an angle, or of an aspect where no angle looks into it."""
    angle, aspect = (None, of) if isinstance(of, Aspect) else (of, of.aspect)
    return QuestionTemplate(angle, aspect, weight, wordings, is_generic)


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

OWNER = _asks(
    PUBLISHER_FUNDING,
    4.0,
    "Who publishes and finances {outlet}?",
    "Who owns, publishes and finances {outlet}?",
    "Which company owns, publishes and finances {outlet}?",
    "How is {outlet} owned, published and financed?",
)
REPUTATION = _asks(
    PUBLISHER_RATING,
    2.7,
    "What is {outlet}'s reputation for accuracy and bias?",
    "How do media watchdogs rate {outlet} for bias and accuracy?",
    "What political leaning or bias does {outlet} have?",
    "What is {outlet}'s track record of accurate reporting?",
    "How credible is {outlet} as a news source?",
)
OUTLET_INTERESTS = _asks(
    PUBLISHER_FUNDING,
    2.2,
    "What financial interests does {outlet} have in connection with {subject}?",
    "What financial interests or ties does {outlet} have in connection with {subject}?",
    "What financial interest does {outlet} have in connection with {subject}?",
)
# Whoever has ties that were found may have others.
OUTLET_TIES = _asks(
    PUBLISHER_FUNDING,
    3.0,
    "What financial ties does {outlet} have to companies connected with {subject}?",
    "What financial interests does {outlet} have in companies connected with {subject}?",
)
CORRECTIONS = _asks(
    PUBLISHER_RECORD,
    2.7,
    "What corrections followed {outlet}'s article on {subject}?",
    "What rulings or corrections followed {outlet}'s article on {subject}?",
    "What complaints were made about {outlet}'s coverage of {subject}?",
    "What corrections has {outlet} published on {subject}?",
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

BACKGROUND = _asks(
    AUTHOR_BACKGROUND,
    4.0,
    "What is {author}'s professional background?",
    "What is the professional background of {author}?",
    "What is the professional background and expertise of {author}?",
    "What are the professional qualifications and interests of {author}?",
)
AUTHOR_TIES = _asks(
    AUTHOR_INTERESTS,
    3.5,
    "What financial interests does {author} have in connection with {subject}?",
    "What financial or professional ties does {author} have to {subject}?",
    "What financial ties does {author} have in connection with {subject}?",
    "What ties does {author} have to companies connected with {subject}?",
)
ACQUAINTANCE = _asks(
    AUTHOR_INTERESTS,
    3.5,
    "What connection does {author} have to {subject}?",
    "What is {author}'s track record in reporting on {subject}?",
    "What ties does {author} have to {subject}?",
)
FORECASTS = _asks(
    AUTHOR_EARLIER_WORK,
    3.1,
    "How have {author}'s earlier predictions held up?",
    "How have {author}'s earlier predictions turned out?",
)

# Names that evidence ties to the outlet or an author (the aspect is whose tie it is)

LINK = AngleTemplate(
    "link-{number}",
    Aspect.AUTHOR,
    "What connects {principal} with {name}?",
    "{name} {principal} {subject}",
    weight=3.0,
)

LINKED = _asks(
    LINK,
    2.6,
    "What ties does {principal} have to {name}?",
    "What is the relationship between {principal} and {name}?",
    "How is {principal} connected with {name}?",
)
AWARD = _asks(
    LINK,
    2.6,
    "Who awards and finances {name}?",
    "Who awards {name}?",
    "Who pays for {name}?",
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

HEADLINE_CLAIM = _asks(
    HEADLINE,
    3.8,
    "What evidence supports the claim that {claim}?",
    "What evidence is there that {claim}?",
    "How strong is the evidence that {claim}?",
    "What is known about the claim that {claim}?",
    "What have others found about the claim that {claim}?",
)
TREND = _asks(
    CLAIM_WITH_FIGURES,
    3.4,
    "What do official statistics show about {what}?",
    "What do official figures show about {what}?",
)
FIGURE = _asks(
    CLAIM_WITH_FIGURES,
    2.2,
    "What do other sources say about the figure of {phrase} in reports on {subject}?",
    "What do official statistics say about the figure of {phrase} in reports on {subject}?",
    "How does the figure of {phrase} compare with official statistics on {subject}?",
    "What is the basis for the figure of {phrase} in reports on {subject}?",
)
SUM = _asks(
    CLAIM_WITH_FIGURES,
    2.2,
    "What do other sources say about the sum of {phrase} in reports on {subject}?",
    "What is the basis for the sum of {phrase} in reports on {subject}?",
    "What do official records say about the sum of {phrase} in reports on {subject}?",
)
HEADLINE_FIGURE = FIGURE._replace(angle=HEADLINE, weight=3.6)
HEADLINE_SUM = SUM._replace(angle=HEADLINE, weight=3.6)

# Studies, documents, tests and people of the past that claims rest on

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

FINDINGS = _asks(
    STUDY_FINDINGS,
    3.8,
    "What did {study} examine and find?",
    "What did {study} measure and find?",
    "What did {study} examine and measure?",
)
COMMISSIONED = _asks(
    STUDY_FUNDING,
    3.6,
    "Who commissioned and paid for {study}?",
    "Who commissioned and funded {study}?",
)
REVISED = _asks(
    STUDY_FINDINGS,
    2.2,
    "Has {study} been corrected since it was published?",
    "What corrections were made to {study} after publication?",
    "How did other experts respond to {study}?",
)
DOCUMENT = _asks(
    Aspect.CLAIM,
    3.2,
    "What does {document} cover?",
    "What does {document} say?",
)
TESTER = _asks(
    Aspect.CLAIM,
    3.0,
    "What has {name} said about {subject}?",
    "What did {name} find about {subject}?",
)
PAST = _asks(
    Aspect.CLAIM,
    3.4,
    "What do historical records show about {name}?",
    "What do records of the time show about {name}?",
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

PERSON = _asks(
    Aspect.SOURCE,
    2.4,
    "What is the background of {name}, {role}?",
    "What are the qualifications of {name}, {role}?",
    "What is the track record of {name}, {role}?",
    "What interests does {name}, {role}, have in {subject}?",
)
ORGANISATION = _asks(
    Aspect.SOURCE,
    2.2,
    "What kind of organisation is {the}?",
    "What is the reputation of {the}?",
    "What interests does {the} have in {subject}?",
    "What has {the} said about {subject}?",
)
NAMED = _asks(
    Aspect.SOURCE,
    1.9,
    "How is {name} connected with {subject}?",
    "What is known about {name}'s connection with {subject}?",
    "What is {name}'s role in the story of {subject}?",
    "What has {name} said about {subject}?",
)
SCHEME = _asks(
    Aspect.SOURCE,
    2.4,
    "What is known about {name}, {role}?",
    "What is the track record of {name}, {role}?",
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

RESEARCH = _asks(
    SUBJECT_RESEARCH,
    3.0,
    "What does independent research show about {subject}?",
    "What have studies or official bodies found about {subject}?",
    "What have independent studies found about {subject}?",
    is_generic=True,
)
TRIALS = _asks(
    SUBJECT_RESEARCH,
    3.0,
    "What have human trials found about {subject}?",
    "What have clinical studies found about {subject}?",
    "What have human trials or health authorities found about {subject}?",
    is_generic=True,
)
ESTABLISHED = _asks(
    SUBJECT_RESEARCH,
    3.0,
    "What have official bodies or courts established about {subject}?",
    "What do public records show about {subject}?",
    "What have independent reports established about {subject}?",
    "What do experts say about {subject}?",
    is_generic=True,
)
TESTS = _asks(
    SUBJECT_RESEARCH,
    3.2,
    "What did independent laboratory tests of {subject} show?",
    "What have independent tests of {subject} found?",
    "How did {subject} perform in independent tests?",
)
AUTHORITY = _asks(
    Aspect.CONTEXT,
    3.2,
    "What has {the} concluded about {subject}?",
    "What has {the} found about {subject}?",
    "What has {the} said about {subject}?",
)
CAMPAIGN = _asks(
    Aspect.CONTEXT,
    3.2,
    "What happened after the {bare} campaign?",
    "What became of the {bare} campaign?",
)
POLITICS = _asks(
    Aspect.VIEWPOINT,
    3.4,
    "How was {subject} received across the political spectrum?",
    "Which parties and groups support or oppose {subject}?",
)
CRITICS = _asks(
    SUBJECT_CRITICS,
    2.5,
    "What are the main criticisms of {subject}?",
    "What do critics say about {subject}?",
    "What opposing views are there on {subject}?",
    "What arguments are made for and against {subject}?",
    is_generic=True,
)
HISTORY = _asks(
    SUBJECT_HISTORY,
    1.8,
    "What is the history of {subject}?",
    "What is the background to {subject}?",
    "How has {subject} developed over time?",
    is_generic=True,
)
LIFE = _asks(
    SUBJECT_HISTORY,
    1.8,
    "What is the background of {subject}?",
    "What is {subject}'s background?",
    "What is publicly documented about the life of {subject}?",
    is_generic=True,
)
STATISTICS = _asks(
    SUBJECT_STATISTICS,
    1.8,
    "What do official statistics show about {subject}?",
    "What are the known facts and figures on {subject}?",
    "What do independent figures show about {subject}?",
    is_generic=True,
)
# Pages on the background of a person or an event are what others have reported on it.
REPORTED = _asks(
    SUBJECT_HISTORY,
    1.8,
    "How have news agencies reported on {subject}?",
    "How have other outlets reported on {subject}?",
    "What have those involved said publicly about {subject}?",
    is_generic=True,
)
