"""Which sentences of a report answer a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.view.digest.likeness import Likeness, stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.schemas.investigation.angle import Angle

_MOST = 3
_LEAST_SHARE = 0.3
_LEAST_ALIKE = 0.3


def answers(
    questions: Sequence[str],
    report: Sequence[str],
    angles: Mapping[str, Angle],
    covers: Mapping[str, Mapping[str, float]],
) -> tuple[tuple[int, ...], ...]:
    """Return for each question the numbers of the sentences that answer it, the best first.

    A sentence answers a question if it mentions what the question is about, or if the writer took
    it to answer something that was asked in much the same words.
    """
    likeness = Likeness([*questions, *report])
    found = []
    for question in questions:
        near = {
            angle_id: alike
            for angle_id, angle in angles.items()
            if (alike := _overlap(question, angle.question)) >= _LEAST_ALIKE
        }
        scores = {
            number: max(
                likeness.share(question, text),
                *(
                    alike * covers.get(text, {}).get(angle_id, 0.0)
                    for angle_id, alike in near.items()
                ),
                0.0,
            )
            for number, text in enumerate(report, start=1)
        }
        best = sorted(scores, key=lambda number: (-scores[number], number))
        found.append(tuple(one for one in best if scores[one] >= _LEAST_SHARE)[:_MOST])
    return tuple(found)


def _overlap(first: str, second: str) -> float:
    one, other = stems(first), stems(second)
    return len(one & other) / (len(one | other) or 1)
