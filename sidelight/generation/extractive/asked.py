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

from sidelight.schemas.investigation.angle import Angle, Aspect

# How many of an article's claims and studies are looked into, and so can be asked about.
CLAIMS, STUDIES = 5, 2


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

    def made(self, angle: Angle) -> bool:
        """Tell whether an angle was made of this template, or of another with its ids."""
        return angle.angle_id.startswith(self.angle_id.partition("{")[0])

    def angle(
        self,
        *,
        number: int = 1,
        must_mention: tuple[str, ...] = (),
        **names: str,
    ) -> Angle:
        """Return the angle.

        Args:
            number: Which author, claim, study or the like it is about, 1-based.
            must_mention: What evidence has to name one of.
            names: What question and query name in braces.
        """
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
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        angle_id: The angle of the investigation that looks into it; empty for none.
        is_generic: Whether it would fit any article on the subject.
        texts: Its wordings; one of them is asked.
    """

    aspect: Aspect
    weight: float
    angle_id: str = ""
    is_generic: bool = False
    texts: tuple[str, ...] = ()

    def worded(self, *texts: str) -> Self:
        """Return the question in some wordings."""
        return self._replace(texts=texts)

    def about(self, *, number: int = 1, **names: str) -> Self:
        """Return the question with its names filled in.

        Args:
            number: Which author, claim, study or the like its angle is about, 1-based.
            names: What its wordings name in braces; they may name less than is given.
        """
        texts = (text.format(**names).replace("s's ", "s' ") for text in self.texts)
        return self.worded(*texts)._replace(angle_id=self.angle_id.format(number=number))


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

OWNER = _on(PUBLISHER_FUNDING, 4.0).worded(
    "Who publishes and finances {outlet}?",
    "Who owns, publishes and finances {outlet}?",
    "Which company owns, publishes and finances {outlet}?",
    "How is {outlet} owned, published and financed?",
)
REPUTATION = _on(PUBLISHER_RATING, 2.7).worded(
    "What is {outlet}'s reputation for accuracy and bias?",
    "How do media watchdogs rate {outlet} for bias and accuracy?",
    "What political leaning or bias does {outlet} have?",
    "What is {outlet}'s track record of accurate reporting?",
    "How credible is {outlet} as a news source?",
)
OUTLET_INTERESTS = _on(PUBLISHER_FUNDING, 2.2).worded(
    "What financial interests does {outlet} have in connection with {subject}?",
    "What financial interests or ties does {outlet} have in connection with {subject}?",
    "What financial interest does {outlet} have in connection with {subject}?",
)
# Whoever has ties that were found may have others.
OUTLET_TIES = _on(PUBLISHER_FUNDING, 3.0).worded(
    "What financial ties does {outlet} have to companies connected with {subject}?",
    "What financial interests does {outlet} have in companies connected with {subject}?",
)
CORRECTIONS = _on(PUBLISHER_RECORD, 2.7).worded(
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

BACKGROUND = _on(AUTHOR_BACKGROUND, 4.0).worded(
    "What is {author}'s professional background?",
    "What is the professional background of {author}?",
    "What is the professional background and expertise of {author}?",
    "What are the professional qualifications and interests of {author}?",
)
AUTHOR_TIES = _on(AUTHOR_INTERESTS, 3.5).worded(
    "What financial interests does {author} have in connection with {subject}?",
    "What financial or professional ties does {author} have to {subject}?",
    "What financial ties does {author} have in connection with {subject}?",
    "What ties does {author} have to companies connected with {subject}?",
)
ACQUAINTANCE = _on(AUTHOR_INTERESTS, 3.5).worded(
    "What connection does {author} have to {subject}?",
    "What is {author}'s track record in reporting on {subject}?",
    "What ties does {author} have to {subject}?",
)
FORECASTS = _on(AUTHOR_EARLIER_WORK, 3.1).worded(
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

LINKED = _on(LINK, 2.6).worded(
    "What ties does {principal} have to {name}?",
    "What is the relationship between {principal} and {name}?",
    "How is {principal} connected with {name}?",
)
AWARD = _on(LINK, 2.6).worded(
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

HEADLINE_CLAIM = _on(HEADLINE, 3.8).worded(
    "What evidence supports the claim that {claim}?",
    "What evidence is there that {claim}?",
    "How strong is the evidence that {claim}?",
    "What is known about the claim that {claim}?",
    "What have others found about the claim that {claim}?",
)
TREND = _on(CLAIM_WITH_FIGURES, 3.4).worded(
    "What do official statistics show about {what}?",
    "What do official figures show about {what}?",
)
FIGURE = _on(CLAIM_WITH_FIGURES, 2.2).worded(
    "What do other sources say about the figure of {phrase} in reports on {subject}?",
    "What do official statistics say about the figure of {phrase} in reports on {subject}?",
    "How does the figure of {phrase} compare with official statistics on {subject}?",
    "What is the basis for the figure of {phrase} in reports on {subject}?",
)
SUM = _on(CLAIM_WITH_FIGURES, 2.2).worded(
    "What do other sources say about the sum of {phrase} in reports on {subject}?",
    "What is the basis for the sum of {phrase} in reports on {subject}?",
    "What do official records say about the sum of {phrase} in reports on {subject}?",
)
HEADLINE_FIGURE = FIGURE._replace(angle_id=HEADLINE.angle_id, weight=3.6)
HEADLINE_SUM = SUM._replace(angle_id=HEADLINE.angle_id, weight=3.6)

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

FINDINGS = _on(STUDY_FINDINGS, 3.8).worded(
    "What did {study} examine and find?",
    "What did {study} measure and find?",
    "What did {study} examine and measure?",
)
COMMISSIONED = _on(STUDY_FUNDING, 3.6).worded(
    "Who commissioned and paid for {study}?",
    "Who commissioned and funded {study}?",
)
REVISED = _on(STUDY_FINDINGS, 2.2).worded(
    "Has {study} been corrected since it was published?",
    "What corrections were made to {study} after publication?",
    "How did other experts respond to {study}?",
)
DOCUMENT = Question(Aspect.CLAIM, 3.2).worded(
    "What does {document} cover?",
    "What does {document} say?",
)
TESTER = Question(Aspect.CLAIM, 3.0).worded(
    "What has {name} said about {subject}?",
    "What did {name} find about {subject}?",
)
PAST = Question(Aspect.CLAIM, 3.4).worded(
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

PERSON = Question(Aspect.SOURCE, 2.4).worded(
    "What is the background of {name}, {role}?",
    "What are the qualifications of {name}, {role}?",
    "What is the track record of {name}, {role}?",
    "What interests does {name}, {role}, have in {subject}?",
)
ORGANISATION = Question(Aspect.SOURCE, 2.2).worded(
    "What kind of organisation is {the}?",
    "What is the reputation of {the}?",
    "What interests does {the} have in {subject}?",
    "What has {the} said about {subject}?",
)
NAMED = Question(Aspect.SOURCE, 1.9).worded(
    "How is {name} connected with {subject}?",
    "What is known about {name}'s connection with {subject}?",
    "What is {name}'s role in the story of {subject}?",
    "What has {name} said about {subject}?",
)
SCHEME = Question(Aspect.SOURCE, 2.4).worded(
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

RESEARCH = _on(SUBJECT_RESEARCH, 3.0, is_generic=True).worded(
    "What does independent research show about {subject}?",
    "What have studies or official bodies found about {subject}?",
    "What have independent studies found about {subject}?",
)
TRIALS = _on(SUBJECT_RESEARCH, 3.0, is_generic=True).worded(
    "What have human trials found about {subject}?",
    "What have clinical studies found about {subject}?",
    "What have human trials or health authorities found about {subject}?",
)
ESTABLISHED = _on(SUBJECT_RESEARCH, 3.0, is_generic=True).worded(
    "What have official bodies or courts established about {subject}?",
    "What do public records show about {subject}?",
    "What have independent reports established about {subject}?",
    "What do experts say about {subject}?",
)
TESTS = _on(SUBJECT_RESEARCH, 3.2).worded(
    "What did independent laboratory tests of {subject} show?",
    "What have independent tests of {subject} found?",
    "How did {subject} perform in independent tests?",
)
AUTHORITY = Question(Aspect.CONTEXT, 3.2).worded(
    "What has {the} concluded about {subject}?",
    "What has {the} found about {subject}?",
    "What has {the} said about {subject}?",
)
CAMPAIGN = Question(Aspect.CONTEXT, 3.2).worded(
    "What happened after the {bare} campaign?",
    "What became of the {bare} campaign?",
)
POLITICS = Question(Aspect.VIEWPOINT, 3.4).worded(
    "How was {subject} received across the political spectrum?",
    "Which parties and groups support or oppose {subject}?",
)
CRITICS = _on(SUBJECT_CRITICS, 2.5, is_generic=True).worded(
    "What are the main criticisms of {subject}?",
    "What do critics say about {subject}?",
    "What opposing views are there on {subject}?",
    "What arguments are made for and against {subject}?",
)
HISTORY = _on(SUBJECT_HISTORY, 1.8, is_generic=True).worded(
    "What is the history of {subject}?",
    "What is the background to {subject}?",
    "How has {subject} developed over time?",
)
LIFE = _on(SUBJECT_HISTORY, 1.8, is_generic=True).worded(
    "What is the background of {subject}?",
    "What is {subject}'s background?",
    "What is publicly documented about the life of {subject}?",
)
STATISTICS = _on(SUBJECT_STATISTICS, 1.8, is_generic=True).worded(
    "What do official statistics show about {subject}?",
    "What are the known facts and figures on {subject}?",
    "What do independent figures show about {subject}?",
)
# Pages on the background of a person or an event are what others have reported on it.
REPORTED = _on(SUBJECT_HISTORY, 1.8, is_generic=True).worded(
    "How have news agencies reported on {subject}?",
    "How have other outlets reported on {subject}?",
    "What have those involved said publicly about {subject}?",
)
