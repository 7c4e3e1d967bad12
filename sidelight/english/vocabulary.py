"""Word lists of the writer without a model: classes of English verbs and nouns, as lemmas.

They were written by hand from general knowledge of English; no dictionary was copied.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SAYING = _words(
    """
    acknowledge add admit advise allege announce argue assert believe call claim complain conclude
    confirm contend declare deny describe estimate explain find insist note observe point predict
    recall recommend remark reply report respond reveal rule say show state suggest tell think
    testify warn write
    """
)
"""Verbs of saying, finding and ruling."""

TIES = _words(
    """
    acquire adviser advise advisory affiliate affiliated backer belong board bonus buy chair client
    commission consult consultant consultancy contract control director donate donation donor
    employ employee fee fellow fellowship finance found founder fund funding grant income invest
    investment investor member owner own ownership parent partner pay payment publish publisher
    purchase receive retainer revenue sell share shareholder sponsor stake subsidiary trustee
    """
)
"""Who pays, owns, employs or advises whom."""

CORRECTS = _words(
    """
    actually amend apologise apologize breach clarify complaint contradict correct correction deny
    disagree dispute doubt error exaggerate exclude fail failure fine however inaccurate incorrect
    instead limit limitation misleading mislead mistake only omit overstate reject remove replace
    retract revise rule ruling settle sue uncertain unclear underestimate unproven uphold warn
    withdraw wrong
    """
)
"""That something is otherwise than it was said to be, or was found wanting."""

FINDS = _words(
    """
    analyse analysis assess average audit calculate census compare comparison conclude count data
    estimate evidence examine figure find inspect inspection investigate investigation measure rate
    record register report research review sample statistics study survey test trial
    """
)
"""Finding and measuring."""

RATES = _words(
    """
    accuracy accurate bias biased credibility editorial factual independent leaning partisan rate
    rating reliability reliable reputation score slant sponsored transparent
    """
)
"""How reliable somebody is."""

STUDIES = _words("analysis audit experiment poll ranking report review study survey test trial")
"""Work that measures something."""

VAGUE = _words(
    "big first groundbreaking huge large last latest landmark major new other own recent same "
    "shocking single whole"
)
"""Adjectives that do not say which one is meant."""

GENERAL = _words(
    """
    amount basis case change claim comparison decision decline difference estimate fall figure
    finding gap growth increase level measure number period question rate result rise ruling sample
    share statement sum total
    """
)
"""Nouns that sum up what the sentence before said: "that figure"."""

BODIES = _words(
    """
    academy agency airline alliance app association authority bank board body broadcaster business
    campaign center centre charity clinic club college commission committee company consultancy
    council court department federation firm foundation fund group hospital institute institution
    league magazine maker manufacturer ministry museum network newspaper office operator
    organisation organization outlet panel paper partnership platform publication publisher
    regulator retailer school site society startup supplier tribunal trust union university
    website
    """
)
"""Nouns for bodies, which on a page stand for one that was named before."""

UNIQUE = _words(
    """
    air article author beginning case climate country day economy end environment evening future
    government ground headline internet law market media month morning nation night north past
    police press public sea sky south state summer sun time web week west winter world year
    """
)
"""Nouns that "the" goes with though nothing was named before: whoever reads about an article knows
its author and headline, too."""
