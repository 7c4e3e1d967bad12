"""The wordings of the questions, by what they ask about.

Several wordings of a question, so that the questions of different topics are not all alike. Those
of one kind ask the same, because which of them a topic gets is no judgement on it.
"""

from __future__ import annotations

_WORDINGS = {
    "owner": (
        "Who publishes and finances {outlet}?",
        "Who owns, publishes and finances {outlet}?",
        "Which company owns, publishes and finances {outlet}?",
        "How is {outlet} owned, published and financed?",
    ),
    "reputation": (
        "What is {outlet}'s reputation for accuracy and bias?",
        "How do media watchdogs rate {outlet} for bias and accuracy?",
        "What political leaning or bias does {outlet} have?",
        "What is {outlet}'s track record of accurate reporting?",
        "How credible is {outlet} as a news source?",
    ),
    "interests": (
        "What financial interests does {outlet} have in connection with {subject}?",
        "What financial interests or ties does {outlet} have in connection with {subject}?",
        "What financial interest does {outlet} have in connection with {subject}?",
    ),
    "business ties": (
        "What financial ties does {outlet} have to companies connected with {subject}?",
        "What financial interests does {outlet} have in companies connected with {subject}?",
    ),
    "corrections": (
        "What corrections followed {outlet}'s article on {subject}?",
        "What rulings or corrections followed {outlet}'s article on {subject}?",
        "What complaints were made about {outlet}'s coverage of {subject}?",
        "What corrections has {outlet} published on {subject}?",
    ),
    "background": (
        "What is {author}'s professional background?",
        "What is the professional background of {author}?",
        "What is the professional background and expertise of {author}?",
        "What are the professional qualifications and interests of {author}?",
    ),
    "ties": (
        "What financial interests does {author} have in connection with {subject}?",
        "What financial or professional ties does {author} have to {subject}?",
        "What financial ties does {author} have in connection with {subject}?",
        "What ties does {author} have to companies connected with {subject}?",
    ),
    "acquaintance": (
        "What connection does {author} have to {subject}?",
        "What is {author}'s track record in reporting on {subject}?",
        "What ties does {author} have to {subject}?",
    ),
    "link": (
        "What ties does {principal} have to {name}?",
        "What is the relationship between {principal} and {name}?",
        "How is {principal} connected with {name}?",
    ),
    "award": (
        "Who awards and finances {name}?",
        "Who awards {name}?",
        "Who pays for {name}?",
    ),
    "claim": (
        "What evidence supports the claim that {claim}?",
        "What evidence is there that {claim}?",
        "How strong is the evidence that {claim}?",
        "What is known about the claim that {claim}?",
        "What have others found about the claim that {claim}?",
    ),
    "study": (
        "What did {study} examine and find?",
        "What did {study} measure and find?",
        "What did {study} examine and measure?",
    ),
    "funding": (
        "Who commissioned and paid for {study}?",
        "Who commissioned and funded {study}?",
    ),
    "revised": (
        "Has {study} been corrected since it was published?",
        "What corrections were made to {study} after publication?",
        "How did other experts respond to {study}?",
    ),
    "trend": (
        "What do official statistics show about {what}?",
        "What do official figures show about {what}?",
    ),
    "figure": (
        "What do other sources say about the figure of {phrase} in reports on {subject}?",
        "What do official statistics say about the figure of {phrase} in reports on {subject}?",
        "How does the figure of {phrase} compare with official statistics on {subject}?",
        "What is the basis for the figure of {phrase} in reports on {subject}?",
    ),
    "sum": (
        "What do other sources say about the sum of {phrase} in reports on {subject}?",
        "What is the basis for the sum of {phrase} in reports on {subject}?",
        "What do official records say about the sum of {phrase} in reports on {subject}?",
    ),
    "person": (
        "What is the background of {name}, {role}?",
        "What are the qualifications of {name}, {role}?",
        "What is the track record of {name}, {role}?",
        "What interests does {name}, {role}, have in {subject}?",
    ),
    "organisation": (
        "What kind of organisation is {the}?",
        "What is the reputation of {the}?",
        "What interests does {the} have in {subject}?",
        "What has {the} said about {subject}?",
    ),
    "named": (
        "How is {name} connected with {subject}?",
        "What is known about {name}'s connection with {subject}?",
        "What is {name}'s role in the story of {subject}?",
        "What has {name} said about {subject}?",
    ),
    "research": (
        "What does independent research show about {subject}?",
        "What have studies or official bodies found about {subject}?",
        "What have independent studies found about {subject}?",
    ),
    "forecasts": (
        "How have {author}'s earlier predictions held up?",
        "How have {author}'s earlier predictions turned out?",
    ),
    "document": (
        "What does {document} cover?",
        "What does {document} say?",
    ),
    "tester": (
        "What has {name} said about {subject}?",
        "What did {name} find about {subject}?",
    ),
    "scheme": (
        "What is known about {name}, {role}?",
        "What is the track record of {name}, {role}?",
    ),
    "past": (
        "What do historical records show about {name}?",
        "What do records of the time show about {name}?",
    ),
    "politics": (
        "How was {subject} received across the political spectrum?",
        "Which parties and groups support or oppose {subject}?",
    ),
    "campaign": (
        "What happened after the {bare} campaign?",
        "What became of the {bare} campaign?",
    ),
    "trials": (
        "What have human trials found about {subject}?",
        "What have clinical studies found about {subject}?",
        "What have human trials or health authorities found about {subject}?",
    ),
    "tests": (
        "What did independent laboratory tests of {subject} show?",
        "What have independent tests of {subject} found?",
        "How did {subject} perform in independent tests?",
    ),
    "authority": (
        "What has {the} concluded about {subject}?",
        "What has {the} found about {subject}?",
        "What has {the} said about {subject}?",
    ),
    "established": (
        "What have official bodies or courts established about {subject}?",
        "What do public records show about {subject}?",
        "What have independent reports established about {subject}?",
        "What do experts say about {subject}?",
    ),
    "critics": (
        "What are the main criticisms of {subject}?",
        "What do critics say about {subject}?",
        "What opposing views are there on {subject}?",
        "What arguments are made for and against {subject}?",
    ),
    "history": (
        "What is the history of {subject}?",
        "What is the background to {subject}?",
        "How has {subject} developed over time?",
    ),
    "life": (
        "What is the background of {subject}?",
        "What is {subject}'s background?",
        "What is publicly documented about the life of {subject}?",
    ),
    "statistics": (
        "What do official statistics show about {subject}?",
        "What are the known facts and figures on {subject}?",
        "What do independent figures show about {subject}?",
    ),
    "reported": (
        "How have news agencies reported on {subject}?",
        "How have other outlets reported on {subject}?",
        "What have those involved said publicly about {subject}?",
    ),
}


def worded(kind: str, **fields: str) -> tuple[str, ...]:
    """Return the wordings of a question with what it asks about filled in.

    Args:
        kind: What it asks about, such as `owner`.
        fields: What its wordings name in braces; they may name less than is given.
    """
    texts = (wording.format(**fields) for wording in _WORDINGS[kind])
    return tuple(text.replace("s's ", "s' ") for text in texts)
