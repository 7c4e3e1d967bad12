"""A short article on a ferry, what its profiler finds in it, and pages beside it."""

from sidelight.schemas.investigation.angle import Angle, ArticleProfile, Aspect
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.segment import Segment

BODY = (
    "The Tollmere ferry will close in June, and the island will lose its only link. "
    "The Marrow Sound Line carried 90,000 passengers last year. "
    "Islanders in Tollmere say the closure will end the school run. "
    "Petra Quill, who owns the shop at the pier, expects to close by August. "
    "The Sound Authority blames rising fuel costs for the closure of the ferry."
)
PROFILE = ArticleProfile(
    title="Tollmere ferry closure will cut off the island",
    publisher="Sound Courier",
    host="soundcourier.example",
    authors=("Jonas Brill",),
    people=("Petra Quill",),
    organisations=("Marrow Sound Line", "Sound Authority"),
    subject="Tollmere ferry",
    keywords=tuple("ferry tollmere island closure passengers pier fuel authority".split()),
    body=BODY,
)
ANGLES = (
    Angle(
        angle_id="claim-1",
        aspect=Aspect.CLAIM,
        question="Why does the Tollmere ferry close?",
        query="Tollmere ferry closure fuel costs loss",
        weight=3.5,
    ),
    Angle(
        angle_id="source-1",
        aspect=Aspect.SOURCE,
        question="What ties does the Marrow Sound Line have to the Sound Authority?",
        query="Marrow Sound Line Sound Authority payments",
        weight=3.0,
    ),
)
# What stands on a page beside what a test is about: it has nothing to do with the article.
OTHER_MATTERS = (
    " Sheep farmers of Carrow sold their wool to a mill in Dunbeck until 1971. "
    "The mill burned down after a storm. A potter from Dunbeck fired blue bowls there. "
    "Her bowls are shown in a museum of glass. Barley is grown on both sides of the lane."
)
MORE_MATTERS = (
    " A choir of Holm sang in the chapel of Wenlow until 1983. The chapel was sold to a brewer. "
    "A tailor from Holm sewed flags there. His flags are kept in an attic. "
    "Apples ripen late in the valley."
)


def page(text, *, number=1, title="The Tollmere ferry", url="https://registry.example/a"):
    """A page of one segment."""
    return Segment(segment_id=f"m_doc_00_{number}#0_0", url=url, title=title, text=text)


def evidence(*pages):
    """Evidence that speaks to every angle."""
    relevance = {angle.angle_id: 0.6 for angle in ANGLES}
    return EvidenceSet(items=tuple(Evidence(segment=one, relevance=relevance) for one in pages))


PAGES = evidence(
    page(
        "The Marrow Sound Line paid the Sound Authority T40,000 for pier rights in 2019. "
        "The Marrow Sound Line reported a loss of T3 million for 2019. However, the Sound "
        "Authority found that T2.5 million of the loss was a single repair." + OTHER_MATTERS
    ),
    page(
        "Petra Quill was born in Tollmere. She sat on the board of the Marrow Sound Line from "
        "2014 to 2018." + OTHER_MATTERS,
        number=2,
        title="Petra Quill",
        url="https://people.example/quill",
    ),
    page(
        "The Transport Tribunal found in 2020 that the Marrow Sound Line had paid the Sound "
        "Authority T40,000 for the Tollmere pier." + MORE_MATTERS,
        number=3,
        title="Ruling on the Sound Authority",
        url="https://tribunal.example/ruling",
    ),
    page(BODY, number=4, url="https://copies.example/a"),
)
