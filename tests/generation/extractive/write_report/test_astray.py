"""Pages that have nothing to do with the article are known as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sidelight.generation.extractive.write_report.astray import astray
from sidelight.generation.extractive.write_report.knowledge import Reader
from sidelight.generation.extractive.write_report.quotes import Quote
from sidelight.schemas.investigation.evidence import Evidence, EvidenceSet
from sidelight.schemas.investigation.profile import ArticleProfile
from sidelight.schemas.segment import Segment
from sidelight.text_vectors import TextVectors
from sidelight.wording import stems

VOCABULARY = sorted(stems("valley bog jobs ministry wells sheep prices market Voss fellow"))
BODY = "The bill will cost the valley 4,000 jobs in the bog. The ministry counted wells."


def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    rows = np.array([[word in stems(text) for word in VOCABULARY] for text in texts], dtype=float)
    vectors: npt.NDArray[np.float32] = rows.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1.0)
    return vectors


def is_astray(said: str, *others: str, body: str = BODY) -> bool:
    """Tell whether what a page says first goes astray, given what its other windows say."""
    profile = ArticleProfile(
        title="Bog bill",
        publisher="Sentinel",
        host="",
        authors=("Garrick Voss",),
        subject="bog bill",
        body=body,
    )
    segments = [
        Segment(segment_id=f"x_doc_00_1#{place}_0", text=text)
        for place, text in enumerate([said, *others])
    ]
    items = tuple(Evidence(segment=segment, relevance={"a": 1.0}) for segment in segments)
    quote = Quote(said, segments[0].segment_id, "", 1, 1, said)
    evidence, vectors = EvidenceSet(items=items), TextVectors(encode)
    return bool(astray([quote], evidence, Reader(profile), profile, vectors)[0])


def test_a_page_that_comes_nowhere_near_the_article_is_about_something_else() -> None:
    assert is_astray("The market in Tarrow gave farmers better prices for sheep in 2019.")
    assert not is_astray("The ministry in Tarrow expects 780 jobs to go in the valley by 2028.")


def test_another_window_may_show_what_a_page_is_about() -> None:
    near = "The ministry in Tarrow expects 780 jobs to go in the valley by 2028."
    assert not is_astray("The market in Tarrow gave farmers better prices for sheep in 2019.", near)


def test_a_page_on_the_author_may_be_far_but_an_article_it_speaks_of_is_another() -> None:
    assert not is_astray("Garrick Voss has been a fellow of Harrow Lane since 2018.")
    assert is_astray("The Sentinel article by Garrick Voss on prices of sheep was corrected.")


def test_of_a_narrative_nothing_is_astray() -> None:
    assert not is_astray("The market in Tarrow gave better prices for sheep in 2019.", body="")
