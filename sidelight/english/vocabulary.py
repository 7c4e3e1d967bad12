"""Word lists of the writer without a model: classes of English verbs and nouns, as lemmas.

They were written by hand from general knowledge of English; no dictionary was copied.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = tuple(
    """
    January February March April May June July August September October November December
    """.split()
)
"""The names of months, in order."""

CALENDAR = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
"""The days of the week, the months and their short forms, in lower case."""

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

EXPERTS = _words(
    "academic analyst consultant dr economist expert fellow lecturer prof professor researcher "
    "scientist specialist"
)
"""What somebody is called who is quoted for what they know of a field."""

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

ASSERTS = _words(
    """
    accord acknowledge add admit agree announce argue ascertain assure calculate certify clarify
    conclude concede confirm decide declare demonstrate describe detail determine discover document
    emphasise emphasize establish estimate evidence explain find hear highlight hold indicate inform
    know learn mention note notice observe point prove publish quote realise realize recall
    recognise recognize record remark remember report reply reveal rule say see show signal state
    stress suggest tell testify underline understand unveil verify warn witness write
    conclusion confirmation decision discovery fact finding judgement judgment knowledge news notice
    observation proof reminder ruling statement testimony verdict
    aware certain clear confident convinced evident obvious plain sure undisputed known
    believe think perceive perception
    """
)
"""Verbs, nouns and adjectives that vouch for the clause that depends on them."""

FACTIVE = _words("forget ignore know notice overlook realise realize regret remember")
"""Verbs that take their clause for granted even where they are negated."""

TRUE = _words(
    """
    accurate actual case correct doubtless exist fact happen indisputable likely occur place real
    right so stand true truth valid well-known worth beyond question record
    """
)
"""That something is so; where it is negated, that it is not."""

FALSE = _words(
    """
    absurd allegation apologise apologize baseless bogus concoct contradict debunk deceive
    deception delusion deny disavow discredit disprove dispute doubt error erroneous
    fabricate fabrication fake fallacy false falsehood falsely falsify fiction fictional
    fictitious fool forge groundless hallucinate hoax hogwash imagination imaginary inaccurate
    incorrect invent invention joke kid legend lie mislead misconception misprint mistake mistaken
    mistakenly myth nonsense prank refute reject repudiate retract retraction rubbish
    rumour rumor scratch slander untrue untruth unfounded withdraw wrong wrongly wrongful
    overturn opposite otherwise
    """
) | frozenset({"make up", "mix up", "rule out", "take back"})
"""That something is not so, or was made up."""

UNREAL = _words(
    """
    allegedly april cartoon comedy daydream dream dreamland fable fairy fairytale fantasy film game
    hypothetical hypothetically imaginary invented legend movie mythical novel parody play purported
    purportedly satire satirical scenario screenplay simulation sketch spoof story supposed
    supposedly tale thought thriller universe
    """
)
"""Made-up worlds, and adverbs that keep a speaker out of what is said."""

OPEN = _words(
    """
    accuse aim allege anticipate assume attempt bet chance claim conceive consider contemplate dream
    expect expectation fancy fear forecast guess hope hypothesise hypothesis hypothesize idea
    imagine impression insinuate intend intention maybe perhaps plan possibility possible
    presumption pretend promise proposal propose prospect purport question risk seek speculate
    speculation suppose supposition suspect suspicion suspected theory threat threaten try
    unclear unknown want wish wonder
    """
)
"""What is thought, hoped, planned or asked, not said to be so."""

IMPLIES = _words("cause ensure entail guarantee imply lead let mean result")
"""Verbs whose clause is so if what they say of it is."""

STOPS = _words("avoid cease decline fail forget neglect omit quit refuse stop")
"""Verbs whose infinitive or participle is not done, or not any more."""

STATEMENTS = _words(
    """
    account allegation argument assertion belief claim contention idea line news notion report
    rumour rumor sentence statement story suggestion text thesis view word
    """
)
"""Nouns for what is said."""

ALL_OF = _words("all always both each entire every everyone whole")
SOME_OF = _words("few half many most often part several some sometimes")
"""Words for how much of something is meant."""

MUTUAL = _words(
    "agre compet cooperat differ equal marri meet merge negotiat play resembl share talk partner"
)
"""Stems of verbs that are as true the other way round."""

OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in """

    rise increase climb grow gain improve soar/fall decrease drop decline shrink lose worsen plunge
    raise expand lengthen add/lower reduce cut shorten shrink remove  more/less fewer
    higher/lower  above/below  larger bigger greater/smaller  longer/shorter  older/younger
    faster quicker/slower  earlier before/later after  better/worse  best/worst  most/least fewest
    strong strengthen/weak weaken  long/short  high/low  big large/small
    uphold confirm affirm/overturn quash reverse annul  dismiss/uphold allow grant
    approve accept adopt back endorse/reject oppose refuse veto decline  support favour/oppose
    allow permit legalise authorise/ban forbid prohibit outlaw bar  win/lose  beat/lose  buy/sell
    lend/borrow  guilty convict/acquit innocent acquit clear  public/private
    lawful legal/unlawful illegal  true/false  safe/dangerous unsafe harmful
    open/close closed shut  begin start launch/end stop cease halt finish  enter/leave
    join/leave quit  hire appoint/dismiss fire sack  arrive/depart leave  build/demolish destroy
    include contain/exclude lack omit  succeed/fail  pass/fail  survive/die perish  cause/prevent
    help protect/harm hurt damage  profit surplus/loss deficit  majority/minority
    male man men/female woman women  rich wealthy/poor  north northern/south southern
    east eastern/west western  left/right  first/last  major/minor  often frequently/rarely seldom
    always/never  possible/impossible  reveal disclose publish/conceal hide withhold  keep/abandon
    admit confess/deny  remember/forget  love/hate  praise/criticise condemn  heat warm/cool
    hot warm/cold cool  wet/dry  light/heavy dark  full/empty  maximum/minimum  import/export
    mandatory compulsory/voluntary optional  temporary/permanent  domestic/foreign  deep/shallow
    wide/narrow  rural/urban  cheap cheaper/expensive dearer  thick/thin  for/against
    favour/against  double/halve  accept/turn  extend/cut  slow/speed  taller tall/shorter short
    install/remove  acid acidic/alkaline  increase/reduce  advance/retreat  present/absent
    present/past  attack/defend  create found/abolish dissolve  encourage/discourage
    known/unknown secret  early/late  quick fast/slow  alive/dead
""".replace("\n", "  ").split("  "):
    if "/" in _pair:
        _sides = [_words(side) for side in _pair.split("/")]
        for _one, _others in ((0, 1), (1, 0)):
            for _word in _sides[_one]:
                OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | _sides[_others]
"""Lemma -> lemmas that say the opposite."""
