"""The wordings of the questions, by what they ask about.

Several wordings of a question, so that the questions of different topics are not all alike.
"""

from __future__ import annotations

_WORDINGS = {
    "corrections": (
        "What corrections or rulings followed {outlet}'s article on {subject}?",
        "How was {outlet}'s coverage of {subject} received?",
        "What complaints or corrections concern {outlet}'s coverage of {subject}?",
    ),
    "owner": (
        "Who owns and finances {outlet}?",
        "Who finances the publisher of {outlet}?",
        "How does the publisher of {outlet} earn its money?",
        "What organisation publishes and finances {outlet}?",
        "What commercial interests does the publisher of {outlet} have?",
    ),
    "reputation": (
        "What is {outlet}'s reputation for accuracy?",
        "How is {outlet} rated for bias and factual reporting?",
        "What is the track record of {outlet} on corrections?",
        "What political or commercial leaning does {outlet} have?",
        "How do media watchdogs assess the credibility of {outlet}?",
    ),
    "background": (
        "What expertise does {author} have in {subject}?",
        "What is {author}'s professional background?",
        "What are {author}'s qualifications for writing about {subject}?",
        "What is the background and expertise of {author}?",
        "What is {author}'s track record in covering {subject}?",
    ),
    "ties": (
        "What financial interests does {author} have in connection with {subject}?",
        "What ties does {author} have to organisations involved in {subject}?",
        "What conflicts of interest does {author} have regarding {subject}?",
        "What interests does {author} have in {subject}?",
        "What paid affiliations does {author} have in connection with {subject}?",
    ),
    "link": (
        "What ties does {principal} have to {name}?",
        "What is the relationship between {principal} and {name}?",
        "How is {principal} connected with {name}?",
    ),
    "claim": (
        "What evidence supports the claim that {claim}?",
        "What do independent experts say about whether {claim}?",
        "How strong is the evidence that {claim}?",
        "What is known about the claim that {claim}?",
        "What have others found about whether {claim}?",
    ),
    "study": (
        "What did {the} study on {subject} examine and find?",
        "What did {the} research on {subject} actually measure?",
        "What did {the} study find about {subject}?",
        "How was {the} study on {subject} carried out?",
    ),
    "funding": (
        "Who commissioned or funded {the} study?",
        "What interests stand behind {the} study?",
        "What is the reputation of {the} for research?",
    ),
    "statement": (
        "What do independent sources say about whether {clause}?",
        "What evidence is there that {clause}?",
        "How accurate is the statement that {clause}?",
        "What lies behind the statement that {clause}?",
    ),
    "figure": (
        "What do other sources say about the figure of {phrase} for {subject}?",
        "What do official statistics show about {phrase} and {subject}?",
        "How does the figure of {phrase} compare with independent data on {subject}?",
        "What is the basis for the figure of {phrase} on {subject}?",
    ),
    "person": (
        "What is the background of {name}, {role}?",
        "What are the qualifications of {name}, {role}?",
        "What expertise does {name}, {role}, have?",
        "What interests does {name}, {role}, have in {subject}?",
    ),
    "organisation": (
        "What is {the}'s role in {subject}?",
        "What kind of organisation is {the}?",
        "What is the reputation of {the}?",
        "What has {the} said about {subject}?",
    ),
    "research": (
        "What does independent research show about {subject}?",
        "What do experts say about {subject}?",
        "What have studies or official bodies concluded about {subject}?",
        "What is the current state of knowledge about {subject}?",
    ),
    "critics": (
        "What are the main criticisms of {subject}?",
        "What arguments are made on each side of {subject}?",
        "What do critics say about {subject}?",
        "How do those affected by {subject} see it?",
    ),
    "history": (
        "What is the history of {subject}?",
        "What happened before the events around {subject}?",
        "What is the background to {subject}?",
        "How has {subject} developed since the article appeared?",
    ),
    "statistics": (
        "What do official statistics show about {subject}?",
        "What are the known facts and figures on {subject}?",
        "How common is what is reported about {subject}?",
        "What official records exist on {subject}?",
    ),
}


def worded(kind: str, **fields: str) -> tuple[str, ...]:
    """Return the wordings of a question with what it asks about filled in.

    Args:
        kind: What it asks about, such as `owner`.
        fields: What its wordings name in braces; they may name less than is given.
    """
    return tuple(wording.format(**fields) for wording in _WORDINGS[kind])
