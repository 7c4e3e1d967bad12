"""Three drafts of a rubric become one: alike questions are one question with as many votes.

The guidelines of the track tie importance to how many of three assessors ask something
(DRAGUN assessment guidelines 1.3, section III): all three, probably have to know; two, good to
know; one, nice to know. The weights are those of the rubric scale. The rule stays when a draft is
missing: two votes of two are two.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.prompted.importance import WEIGHT_BY_VOTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Seen on the questions of the five public runs (30 articles, 30,000 pairs of one article
# and two runs) with the bundled encoder. Of twelve pairs drawn from each band, people would get
# the same information from about two between 0.70 and 0.75 ("who funds the outlet", "does it have
# a fact-checking policy"), seven between 0.75 and 0.80, nine between 0.80 and 0.85 and nearly all
# above. From 0.75 on, calling them one question is right more often than wrong.
SAME_QUESTION = 0.75


class VotedQuestion(NamedTuple):
    """A question and how many assessors ask it.

    Attributes:
        question: As the assessor put it who needed the fewest characters.
        wordings: Everything that counts as this question, sorted.
        votes: Assessors who ask it, 1 to 3.
        weight: On the rubric scale, 4, 2 or 1.
    """

    question: str
    wordings: tuple[str, ...]
    votes: int
    weight: float


class _Group(NamedTuple):
    wordings: tuple[str, ...]
    assessors: frozenset[int]


def count_votes(
    drafts: Sequence[Sequence[str]],
    cosine: Callable[[str, str], float],
    threshold: float = SAME_QUESTION,
) -> tuple[VotedQuestion, ...]:
    """Merge up to three drafts; their order changes nothing.

    The most alike pairs come together first. Two groups become one when no assessor has a question
    in both and every wording of one is alike to every wording of the other.

    Args:
        drafts: The questions of each assessor, most important first.
        cosine: How alike two questions are; symmetric.
        threshold: Cosine from which two questions count as one.

    Returns:
        Most votes first, then by the best place in a draft, then alphabetical.
    """
    place: dict[str, int] = {}
    asked_by: dict[str, set[int]] = {}
    for assessor, draft in enumerate(drafts):
        for number, question in enumerate(draft):
            place[question] = min(number, place.get(question, number))
            asked_by.setdefault(question, set()).add(assessor)
    group_of = {
        question: _Group((question,), frozenset(assessors))
        for question, assessors in asked_by.items()
    }
    pairs = combinations(sorted(group_of), 2)
    for first, second in sorted(pairs, key=lambda pair: (-cosine(*pair), pair)):
        left, right = group_of[first], group_of[second]
        if left.assessors.isdisjoint(right.assessors) and all(
            cosine(one, other) >= threshold for one in left.wordings for other in right.wordings
        ):
            wordings = tuple(sorted((*left.wordings, *right.wordings)))
            merged = _Group(wordings, left.assessors | right.assessors)
            group_of |= dict.fromkeys(wordings, merged)
    voted = [
        VotedQuestion(
            question=min(group.wordings, key=lambda text: (len(text), text)),
            wordings=group.wordings,
            votes=len(group.assessors),
            weight=WEIGHT_BY_VOTES[len(group.assessors)],
        )
        for group in set(group_of.values())
    ]
    return tuple(
        sorted(
            voted,
            key=lambda one: (-one.votes, min(place[text] for text in one.wordings), one.question),
        )
    )
