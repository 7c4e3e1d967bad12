"""The wordings of the questions, by what they ask about.

Several wordings of a question, so that the questions of different topics are not all alike. Those
of one kind ask the same, because which of them a topic gets is no judgement on it.
"""

from __future__ import annotations

_WORDINGS = {
    "owner": (
        "Who owns and funds {outlet}?",
        "Which company owns and finances {outlet}?",
        "How is {outlet} owned and financed?",
        "Who publishes and finances {outlet}?",
        "What is known about the ownership and funding of {outlet}?",
    ),
    "reputation": (
        "What is {outlet}'s reputation for accuracy and bias?",
        "How do media watchdogs rate {outlet} for bias and accuracy?",
        "What political leaning or bias does {outlet} have?",
        "What is {outlet}'s track record of accurate reporting?",
        "How credible is {outlet} as a news source?",
    ),
    "interests": (
        "What commercial interests does {outlet} have in {subject}?",
        "What conflicts of interest could {outlet} have in covering {subject}?",
        "What business interests does the owner of {outlet} have in {subject}?",
        "What does {outlet} stand to gain from covering {subject}?",
    ),
    "corrections": (
        "What corrections followed {outlet}'s article on {subject}?",
        "What complaints were made about {outlet}'s coverage of {subject}?",
        "How was {outlet}'s coverage of {subject} received?",
        "What else has {outlet} published on {subject}?",
    ),
    "background": (
        "What expertise does {author} have on the subject of {subject}?",
        "What is {author}'s professional background?",
        "What are {author}'s qualifications for writing about {subject}?",
        "What is the background and expertise of {author}?",
        "What is {author}'s track record in covering {subject}?",
    ),
    "ties": (
        "What financial interests does {author} have in connection with {subject}?",
        "What financial or professional ties does {author} have to {subject}?",
        "What conflicts of interest does {author} have regarding {subject}?",
        "What financial conflicts could {author} have in writing about {subject}?",
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
        "What did {study} examine and find?",
        "What did {study} actually measure?",
        "What did {study} find about {subject}?",
        "How was {study} carried out?",
    ),
    "funding": (
        "Who commissioned or funded {study}?",
        "Who paid for {study}?",
        "What interests stand behind {study}?",
        "Which sponsors did {study} have?",
    ),
    "figure": (
        "What is the basis for the figure of {phrase} in reports on {subject}?",
        "How does the figure of {phrase} compare with independent data on {subject}?",
        "What do official or independent sources say about the figure of {phrase}?",
        "Where does the figure of {phrase} in reports on {subject} come from?",
    ),
    "person": (
        "What is the background of {name}, {role}?",
        "What are the qualifications of {name}, {role}?",
        "What expertise does {name}, {role}, have in {subject}?",
        "What interests does {name}, {role}, have in {subject}?",
    ),
    "organisation": (
        "What kind of organisation is {the}?",
        "What is the reputation of {the}?",
        "What interests does {the} have in {subject}?",
        "What role does {the} play in {subject}?",
    ),
    "named": (
        "How is {name} connected with {subject}?",
        "What is known about {name}'s connection with {subject}?",
        "What is {name}'s role in the story of {subject}?",
        "What does {name} have to do with {subject}?",
    ),
    "research": (
        "What does independent research show about {subject}?",
        "What do experts say about {subject}?",
        "What have studies or official bodies concluded about {subject}?",
        "What is the current state of knowledge about {subject}?",
    ),
    "critics": (
        "What are the main criticisms of {subject}?",
        "What are the arguments for and against {subject}?",
        "What do critics say about {subject}?",
        "What opposing views are there on {subject}?",
    ),
    "history": (
        "What is the history of {subject}?",
        "How did {subject} begin?",
        "What is the background to {subject}?",
        "How has {subject} developed over time?",
    ),
    "statistics": (
        "What do official statistics show about {subject}?",
        "What are the known facts and figures on {subject}?",
        "What official records exist on {subject}?",
        "What do independent figures show about {subject}?",
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
